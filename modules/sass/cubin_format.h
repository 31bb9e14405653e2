// SPDX-License-Identifier: Apache-2.0
// Numbers in cubins that the reader and the linker need.
#pragma once

#include <cstdint>
#include <string_view>

namespace simtlm::sass {

constexpr std::uint32_t section_info = 0x70000000;  ///< type (SHT_LOPROC) of .nv.info
/// Types of sections that, like SHT_NOBITS, have a size but no bytes in the file: shared memory
/// (.nv_debug.shared) and .nv.global of relocatable files.
constexpr std::uint32_t section_shared = 0x7000000a, section_global = 0x70000007;
/// Section index of a symbol to be allocated by a linker.
constexpr std::uint16_t common_symbol = 0xfff2;

/// The attributes of .nv.info sections that are evaluated.
enum attribute : std::uint8_t {
    max_threads = 0x05,
    param_cbank = 0x0a,
    externs = 0x0f,
    reqntid = 0x10,
    frame_size = 0x11,
    min_stack_size = 0x12,
    kparam_info = 0x17,
    register_count = 0x2f,
    cta_per_cluster = 0x3d,
    max_cluster_rank = 0x3f,
    kparam_info_2 = 0x45,
    num_barriers = 0x4c,
    blocks_are_clusters = 0x5b,
};
/// Format of an attribute's value, which follows its two header bytes.
enum attribute_form : std::uint8_t {
    no_value = 1,
    byte_value = 2,
    half_value = 3,
    sized_value = 4
};

inline bool begins_with(std::string_view s, std::string_view with) {
    return s.substr(0, with.size()) == with;
}

}  // namespace simtlm::sass
