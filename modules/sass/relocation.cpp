// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/relocation.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

namespace simtlm::sass {

namespace {

/// Consecutive types: one, or eight for the bytes of a double word.
struct data_relocation {
    std::uint32_t type;
    std::string_view name;
    data_field field;
    bool by_bytes = false;
};
// UNIFIED is the address of a function that other modules can call.
constexpr data_relocation data_relocations[] = {
    {1, "32", {0, 4}},
    {2, "64", {0, 8}},
    {3, "G32", {0, 4, true}},
    {4, "G64", {0, 8, true}},
    {35, "FUNC_DESC_32", {0, 4}},
    {36, "FUNC_DESC_64", {0, 8}},
    {70, "32_LO", {0, 4}},
    {71, "32_HI", {32, 4}},
    {76, "8", {0, 1}, true},
    {84, "G8", {0, 1, true}, true},
    {92, "FUNC_DESC_8", {0, 1}, true},
    {102, "UNIFIED", {0, 8}},
    {103, "UNIFIED_32", {0, 4}},
    {104, "UNIFIED_8", {0, 1}, true},
};

const data_relocation* find_data_relocation(std::uint32_t type) {
    for (const data_relocation& r : data_relocations)
        if (type >= r.type && type - r.type < (r.by_bytes ? 8 : 1)) return &r;
    return nullptr;
}

}  // namespace

std::uint64_t data_field::addend_at(const char* data) const {
    std::uint64_t v = 0;
    std::memcpy(&v, data, bytes);
    return v << shift;
}

void data_field::store(std::uint64_t value, char* data) const {
    value >>= shift;
    std::memcpy(data, &value, bytes);
}

std::optional<data_field> data_field_of(std::uint32_t type) {
    const data_relocation* const r = find_data_relocation(type);
    if (r == nullptr) return std::nullopt;
    data_field f = r->field;
    if (r->by_bytes) f.shift = (type - r->type) * 8;
    return f;
}

std::string relocation_name(std::uint32_t type) {
    const data_relocation* const r = find_data_relocation(type);
    if (r == nullptr) return fmt::format("{}", type);
    return r->by_bytes ? fmt::format("{} (R_CUDA_{}_{})", type, r->name, (type - r->type) * 8)
                       : fmt::format("{} (R_CUDA_{})", type, r->name);
}

}  // namespace simtlm::sass
