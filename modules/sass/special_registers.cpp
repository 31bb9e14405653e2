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
    std::uint8_t number;
    std::string_view name;
    unsigned first_architecture = 0, last_architecture = ~0u;
};
constexpr register_name register_names[] = {
    {0, "SR_LANEID"},
    {1, "SR_CLOCK"},
    {2, "SR_VIRTCFG"},
    {3, "SR_VIRTID"},
    {15, "SR_ORDERING_TICKET"},
    {16, "SR_PRIM_TYPE"},
    {17, "SR_INVOCATION_ID"},
    {18, "SR_Y_DIRECTION"},
    {19, "SR_THREAD_KILL"},
    {20, "SM_SHADER_TYPE"},
    {21, "SR_DIRECTCBEWRITEADDRESSLOW"},
    {22, "SR_DIRECTCBEWRITEADDRESSHIGH"},
    {23, "SR_DIRECTCBEWRITEENABLED"},
    {24, "SR_MACHINE_ID_0", 0, 79},
    {24, "SR_SW_SCRATCH", 80},
    {25, "SR_MACHINE_ID_1"},
    {26, "SR_MACHINE_ID_2"},
    {27, "SR_MACHINE_ID_3"},
    {28, "SR_AFFINITY"},
    {29, "SR_INVOCATION_INFO"},
    {30, "SR_WSCALEFACTOR_XY"},
    {31, "SR_WSCALEFACTOR_Z"},
    {32, "SR_TID"},
    {33, "SR_TID.X"},
    {34, "SR_TID.Y"},
    {35, "SR_TID.Z"},
    {37, "SR_CTAID.X"},
    {38, "SR_CTAID.Y"},
    {39, "SR_CTAID.Z"},
    {40, "SR_NTID"},
    {41, "SR_CirQueueIncrMinusOne"},
    {42, "SR_NLATC"},
    {44, "SR_SM_SPA_VERSION"},
    {45, "SR_MULTIPASSSHADERINFO"},
    {46, "SR_LWINHI"},
    {47, "SR_SWINHI"},
    {48, "SR_SWINLO"},
    {49, "SR_SWINSZ"},
    {50, "SR_SMEMSZ"},
    {51, "SR_SMEMBANKS"},
    {52, "SR_LWINLO"},
    {53, "SR_LWINSZ"},
    {54, "SR_LMEMLOSZ"},
    {55, "SR_LMEMHIOFF"},
    {56, "SR_EQMASK"},
    {57, "SR_LTMASK"},
    {58, "SR_LEMASK"},
    {59, "SR_GTMASK"},
    {60, "SR_GEMASK"},
    {61, "SR_REGALLOC"},
    {62, "SR_BARRIERALLOC"},
    {64, "SR_GLOBALERRORSTATUS"},
    {65, "SR_CGAERRORSTATUS", 90},
    {66, "SR_WARPERRORSTATUS"},
    {67, "SR_VIRTUALSMID"},
    {68, "SR_VIRTUALENGINEID"},
    {80, "SR_CLOCKLO"},
    {81, "SR_CLOCKHI"},
    {82, "SR_GLOBALTIMERLO"},
    {83, "SR_GLOBALTIMERHI"},
    {84, "SR_ESR_PC"},
    {85, "SR_ESR_PC_HI"},
    {96, "SR_HWTASKID"},
    {97, "SR_CIRCULARQUEUEENTRYINDEX"},
    {98, "SR_CIRCULARQUEUEENTRYADDRESSLOW"},
    {99, "SR_CIRCULARQUEUEENTRYADDRESSHIGH"},
    {132, "SR_VARIABLE_RATE", 75},
    {133, "SR_TTU_TICKET_INFO", 75},
    {134, "SR_WARPGROUP_INFO", 90},
    {135, "SR_WARPGROUPID", 90},
    {136, "SR_CgaCtaId", 90},
    {137, "SR_GpcLocalCgaId", 90},
    {139, "SR_CTARegPoolSz", 90},
    {255, "SRZ"},
};

}  // namespace

std::string_view special_register_name(std::uint8_t number, unsigned architecture) {
    static const auto numbers = numbered<256>("SR");
    static const auto counters = numbered<8>("SR_PM"), high = numbered<8>("SR_PM_HI");
    static const auto stopped = numbered<8>("SR_SNAP_PM"),
                      stopped_high = numbered<8>("SR_SNAP_PM_HI");
    for (const register_name& r : register_names)
        if (r.number == number && r.first_architecture <= architecture &&
            architecture <= r.last_architecture)
            return r.name;
    constexpr auto first = static_cast<std::uint8_t>(special_register::counter_first);
    constexpr auto last = static_cast<std::uint8_t>(special_register::counter_last);
    constexpr unsigned count = last + 1 - first;
    if (number < first || number >= first + 2 * count) return numbers[number];
    const unsigned n = (number - first) % count / 2;
    const bool is_high = (number - first) % 2 != 0;
    if (number <= last) return is_high ? high[n] : counters[n];
    return is_high ? stopped_high[n] : stopped[n];
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
    return number < 32 ? fields[number - 21] : undefined_name(number);
}

std::string_view invalid_name(std::uint64_t value) {
    static const auto names = numbered<256>("INVALID");
    return names[value & 255];
}

std::string_view undefined_name(std::uint64_t value) {
    static const auto names = numbered<256>("???");
    return names[value & 255];
}

}  // namespace simtlm::sass
