// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::protocol {

/// Purpose of a memory access: the access types of the GPGPU-Sim manual, under which statistics are
/// printed.
enum class access_type : std::uint8_t {
    global_read,
    local_read,
    constant_read,
    texture_read,
    global_write,
    local_write,
    l1_writeback,
    l2_writeback,
    instruction_read,
    l1_write_allocate_read,
    l2_write_allocate_read,
};
inline constexpr unsigned access_type_count = 11;

/// The name printed by GPGPU-Sim, e.g. GLOBAL_ACC_R.
constexpr const char* access_type_name(access_type t) {
    constexpr const char* names[access_type_count] = {
        "GLOBAL_ACC_R", "LOCAL_ACC_R",   "CONST_ACC_R",  "TEXTURE_ACC_R",
        "GLOBAL_ACC_W", "LOCAL_ACC_W",   "L1_WRBK_ACC",  "L2_WRBK_ACC",
        "INST_ACC_R",   "L1_WR_ALLOC_R", "L2_WR_ALLOC_R"};
    return names[static_cast<unsigned>(t)];
}

/// Whether a write is posted: its target consumes it without a reply packet.
constexpr bool is_posted(access_type t) {
    return t == access_type::l1_writeback || t == access_type::l2_writeback;
}

/// Size in bytes of a packet without data: a read request or a write acknowledgement.
inline constexpr unsigned control_bytes = 8;
}  // namespace simtlm::protocol
