// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/module.h"

#include <algorithm>

namespace simtlm::ptx {

namespace {
constexpr char component_letters[] = "xyzw";
}

std::string function::register_name(std::uint32_t index) const {
    const auto next =
        std::upper_bound(register_names.begin(), register_names.end(), index,
                         [](std::uint32_t i, const register_range& r) { return i < r.first; });
    if (next == register_names.begin()) return "%?" + std::to_string(index);
    const register_range& r = *std::prev(next);
    const std::uint32_t within = index - r.first;
    std::string text = r.name;
    if (r.numbered) text += std::to_string(r.first_number + within / r.vector);
    if (r.vector > 1) text += std::string(".") + component_letters[within % r.vector];
    return text;
}

const function* module::find_function(std::string_view name) const {
    const auto found = std::find_if(functions.begin(), functions.end(),
                                    [&](const function& f) { return f.name == name; });
    return found == functions.end() ? nullptr : &*found;
}

const variable* module::find_variable(std::string_view name) const {
    const auto found = std::find_if(variables.begin(), variables.end(), [&](const variable& v) {
        return v.owner == no_index && v.name == name;
    });
    return found == variables.end() ? nullptr : &*found;
}

std::string_view module::file_name(std::uint32_t number) const {
    const auto found = std::find_if(files.begin(), files.end(),
                                    [&](const source_file& f) { return f.number == number; });
    return found == files.end() ? std::string_view() : std::string_view(found->name);
}

std::vector<prototype::item> module::items_of(const function& f,
                                              const std::vector<parameter>& list) const {
    std::vector<prototype::item> items;
    for (const parameter& p : list) {
        prototype::item i;
        if (p.in_register) {
            i.in_register = true;
            i.type = f.registers[p.index];
            i.alignment = bytes_of(i.type);
            i.size = bytes_of(i.type);
        } else {
            const variable& v = variables[p.index];
            i.type = v.type;
            i.array = v.array;
            i.alignment = v.alignment;
            i.size = v.size;
        }
        items.push_back(i);
    }
    return items;
}

std::string module::where(place p) const {
    return file + ":" + std::to_string(p.line) + ":" + std::to_string(p.column);
}

}  // namespace simtlm::ptx
