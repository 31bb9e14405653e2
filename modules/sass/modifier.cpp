// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/modifier.h"

#include <unordered_map>

namespace simtlm::sass {

namespace {

constexpr std::string_view names[] = {
    "",
    "",
#define SIMTLM_MODIFIER(name, text) text,
#include "modules/sass/modifiers.def"
};

}  // namespace

named_modifier modifier_named(std::string_view text) {
    static const std::unordered_map<std::string_view, modifier> by_name = [] {
        std::unordered_map<std::string_view, modifier> m;
        for (std::size_t n = 2; n < modifier_count; ++n)
            m.emplace(names[n], static_cast<modifier>(n));
        return m;
    }();
    const auto found = by_name.find(text);
    if (found != by_name.end()) return {text, found->second};
    const bool undefined = text.substr(0, 7) == "INVALID" || text.substr(0, 3) == "???";
    return {text, undefined ? modifier::undefined : modifier::other};
}

std::string_view name_of(modifier m) {
    return names[static_cast<std::size_t>(m)];
}

}  // namespace simtlm::sass
