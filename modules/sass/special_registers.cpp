// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/special_registers.h"

#include <fmt/format.h>

#include <array>
#include <string>

namespace simtlm::sass {

namespace {

template <std::size_t N>
std::array<std::string, N> numbered(const char* prefix) {
    std::array<std::string, N> names;
    for (std::size_t i = 0; i < N; ++i) names[i] = fmt::format("{}{}", prefix, i);
    return names;
}

struct register_name {
    special_register number;
    std::string_view name;
};
constexpr register_name register_names[] = {
    {special_register::lane_id, "SR_LANEID"},
    {special_register::clock_coarse, "SR_CLOCK"},
    {special_register::virtual_configuration, "SR_VIRTCFG"},
    {special_register::virtual_id, "SR_VIRTID"},
    {special_register::thread_id, "SR_TID"},
    {special_register::shared_bytes, "SR_SMEMSZ"},
    {special_register::tid_x, "SR_TID.X"},
    {special_register::tid_y, "SR_TID.Y"},
    {special_register::tid_z, "SR_TID.Z"},
    {special_register::ctaid_x, "SR_CTAID.X"},
    {special_register::ctaid_y, "SR_CTAID.Y"},
    {special_register::ctaid_z, "SR_CTAID.Z"},
    {special_register::shared_window_high, "SR_SWINHI"},
    {special_register::cta_in_cluster, "SR_CgaCtaId"},
    {special_register::local_memory_start, "SR_LMEMHIOFF"},
    {special_register::lanemask_eq, "SR_EQMASK"},
    {special_register::lanemask_lt, "SR_LTMASK"},
    {special_register::lanemask_le, "SR_LEMASK"},
    {special_register::lanemask_gt, "SR_GTMASK"},
    {special_register::lanemask_ge, "SR_GEMASK"},
    {special_register::virtual_smid, "SR_VIRTUALSMID"},
    {special_register::clock_low, "SR_CLOCKLO"},
    {special_register::clock_high, "SR_CLOCKHI"},
    {special_register::global_timer_low, "SR_GLOBALTIMERLO"},
    {special_register::global_timer_high, "SR_GLOBALTIMERHI"},
    {special_register::zero, "SRZ"},
};

}  // namespace

std::string_view special_register_name(std::uint8_t number) {
    static const auto numbers = numbered<256>("SR");
    static const auto counters = numbered<8>("SR_PM"), high = numbered<8>("SR_PM_HI");
    for (const register_name& r : register_names)
        if (static_cast<std::uint8_t>(r.number) == number) return r.name;
    constexpr auto first = static_cast<std::uint8_t>(special_register::counter_first);
    constexpr auto last = static_cast<std::uint8_t>(special_register::counter_last);
    if (number >= first && number <= last) {
        const unsigned n = number - first;
        return n % 2 == 0 ? counters[n / 2] : high[n / 2];
    }
    return numbers[number];
}

std::string_view barrier_register_name(std::uint8_t number) {
    static const auto barriers = numbered<16>("B");
    static const auto states = numbered<16>("THREAD_STATE_ENUM.");
    static constexpr std::string_view fields[] = {"TRAP_RETURN_PC.LO",
                                                  "TRAP_RETURN_PC.HI",
                                                  "TRAP_RETURN_MASK",
                                                  "MEXITED",
                                                  "MKILL",
                                                  "MACTIVE",
                                                  "MATEXIT",
                                                  "OPT_STACK",
                                                  "API_CALL_DEPTH",
                                                  "ATEXIT_PC.LO",
                                                  "ATEXIT_PC.HI"};
    if (number < 16) return barriers[number];
    if (number < 21) return states[number - 16];
    return number < 32 ? fields[number - 21] : std::string_view{"?"};
}

std::string_view invalid_name(std::uint64_t value) {
    static const auto names = numbered<256>("INVALID");
    return names[value & 255];
}

}  // namespace simtlm::sass
