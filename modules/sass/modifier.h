// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simtlm::sass {

/// Modifiers of instructions: the parts of a mnemonic after the first dot. Those that begin with a
/// digit have an underscore before it.
enum class modifier : std::uint16_t {
    other,      ///< is only printed
    undefined,  ///< a value that the architecture does not define: INVALID3, ???0
#define SIMTLM_MODIFIER(name, text) name,
#include "modules/sass/modifiers.def"
};

/// Number of enumerators of modifier.
inline constexpr std::size_t modifier_count = [] {
    std::size_t count = 2;
#define SIMTLM_MODIFIER(name, text) ++count;
#include "modules/sass/modifiers.def"
    return count;
}();

/// A modifier and its name in the mnemonic, which has static lifetime.
struct named_modifier {
    std::string_view text;
    modifier id = modifier::other;
};
constexpr bool operator==(const named_modifier& a, modifier b) {
    return a.id == b;
}
constexpr bool operator!=(const named_modifier& a, modifier b) {
    return a.id != b;
}

/// Finds the enumerator of a modifier's name.
named_modifier modifier_named(std::string_view text);
/// The name of a modifier. @pre it is neither other nor undefined
std::string_view name_of(modifier m);

}  // namespace simtlm::sass
