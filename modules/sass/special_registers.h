// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace simtlm::sass {

/// Special registers used by compute programs, by their number in S2R, S2UR and CS2R.
enum class special_register : std::uint8_t {
    lane_id = 0x00,
    clock_coarse = 0x01,
    virtual_configuration = 0x02,  ///< bits 15:8: maximum number of warps per SM
    virtual_id = 0x03,             ///< of the warp in its SM
    thread_id = 0x20,              ///< x, y and z packed
    tid_x = 0x21,
    tid_y = 0x22,
    tid_z = 0x23,
    ctaid_x = 0x25,
    ctaid_y = 0x26,
    ctaid_z = 0x27,
    shared_window_high = 0x2f,  ///< upper half of the address of the shared window
    shared_bytes = 0x32,        ///< of a CTA
    local_memory_start = 0x37,  ///< lowest address of a thread's stack
    lanemask_eq = 0x38,
    lanemask_lt = 0x39,
    lanemask_le = 0x3a,
    lanemask_gt = 0x3b,
    lanemask_ge = 0x3c,
    virtual_smid = 0x43,
    clock_low = 0x50,
    clock_high = 0x51,
    global_timer_low = 0x52,
    global_timer_high = 0x53,
    counter_first = 0x64,  ///< eight counters of the performance monitor, of two words
    counter_last = 0x73,
    cta_in_cluster = 0x88,
    launch_version = 0x8a,  ///< of the layout of constant bank 0, since sm_100
    zero = 0xff,
};

/// "SR_TID.X"; "SR65" for a register without a name.
/// @param architecture  80 for sm_80
std::string_view special_register_name(std::uint8_t number, unsigned architecture);
/// "B6", or a field of the warp's thread state that BMOV accesses: "MACTIVE".
std::string_view barrier_register_name(std::uint8_t number);
/// "INVALID3": a modifier value without a name.
std::string_view invalid_name(std::uint64_t value);

/// "???3": a value that the encoding of a modifier does not define.
std::string_view undefined_name(std::uint64_t value);

}  // namespace simtlm::sass
