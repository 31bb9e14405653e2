// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"

#include <array>
#include <cstdint>

namespace simtlm::core::sub_core_pipeline {

/// Kinds of memory instructions with different latencies.
enum class memory_kind : std::uint8_t {
    global_load,   ///< LDG, LDL, LD, ATOM
    global_store,  ///< STG, STL, ST, RED
    shared_load,   ///< LDS, LDSM, ATOMS
    shared_store,  ///< STS
    constant,      ///< LDC
    copy,          ///< LDGSTS
    texture,       ///< TEX and related instructions
    shuffle,       ///< SHFL and other instructions that use the memory unit without an address
};
inline constexpr unsigned memory_kinds = 8;

/// The kind of a memory instruction with operands in a memory space.
memory_kind memory_kind_of(const program::static_instruction& inst, program::memory_space space);

/// Latencies of memory instructions that hit, in cycles from their issue to the issue of a
/// dependent instruction: for their operands to be read (WAR), and for their result (RAW, WAW). By
/// width (32, 64, 128 bits per lane) and by kind of address register. Defaults are measurements of
/// Ampere (Huerta et al., table 2).
struct memory_latencies {
    /// Latencies of a kind of access, by width_of().
    struct entry {
        std::array<std::uint16_t, 3> war{};
        std::array<std::uint16_t, 3> raw{};
    };
    using table = std::array<entry, memory_kinds>;

    table regular{{{{11, 11, 11}, {32, 34, 38}},
                   {{14, 16, 20}, {0, 0, 0}},
                   {{9, 9, 9}, {24, 24, 26}},
                   {{12, 14, 18}, {0, 0, 0}},
                   {{29, 29, 29}, {29, 29, 29}},
                   {{13, 13, 13}, {39, 39, 39}},
                   {{11, 11, 11}, {200, 200, 200}},
                   {{9, 9, 9}, {24, 24, 24}}}};
    table uniform{{{{9, 9, 9}, {29, 31, 35}},
                   {{10, 12, 16}, {0, 0, 0}},
                   {{9, 9, 9}, {23, 23, 25}},
                   {{10, 12, 16}, {0, 0, 0}},
                   {{10, 10, 10}, {26, 26, 26}},
                   {{13, 13, 13}, {39, 39, 39}},
                   {{11, 11, 11}, {200, 200, 200}},
                   {{9, 9, 9}, {23, 23, 23}}}};

    /// Index of a width: 0: up to 32 bits, 1: 64, 2: 128.
    static unsigned width_of(unsigned bytes) { return bytes <= 4 ? 0 : bytes <= 8 ? 1 : 2; }

    /// Latencies of an access of `bytes` per lane. @param is_uniform  its address register is
    /// uniform
    unsigned war(memory_kind kind, bool is_uniform, unsigned bytes) const {
        return (is_uniform ? uniform : regular)[static_cast<unsigned>(kind)].war[width_of(bytes)];
    }
    unsigned raw(memory_kind kind, bool is_uniform, unsigned bytes) const {
        return (is_uniform ? uniform : regular)[static_cast<unsigned>(kind)].raw[width_of(bytes)];
    }
    /// Whether the address calculation is fast, which is the case for shared memory and uniform
    /// addresses.
    static bool is_quick(memory_kind kind, bool is_uniform) {
        return is_uniform || kind == memory_kind::shared_load ||
               kind == memory_kind::shared_store || kind == memory_kind::shuffle;
    }
};

/// Number of cycles for which a warp's access occupies the data array of shared memory and the L1:
/// lanes of 64 and 128 bits are served by halves and quarters of the warp, each in as many cycles
/// as its busiest bank has distinct words. Loads return twice as many registers per cycle, and
/// groups of lanes are twice as large, if all lanes i and i ^ 1, or all lanes i and i ^ 2, read the
/// same address (NVIDIA on compute capability 7.x, developer forum, "Unexpected shared memory bank
/// conflict").
unsigned data_wavefronts(const std::array<std::uint64_t, 32>& address, std::uint32_t lanes,
                         unsigned bytes, unsigned banks, bool is_load);
/// Number of look-ups in a constant cache for a load: distinct addresses of its lanes, at least 1.
unsigned distinct_addresses(const std::array<std::uint64_t, 32>& address, std::uint32_t lanes);

}  // namespace simtlm::core::sub_core_pipeline
