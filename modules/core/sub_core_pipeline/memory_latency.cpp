// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/memory_latency.h"

#include <algorithm>

namespace simtlm::core::sub_core_pipeline {

memory_kind memory_kind_of(const program::static_instruction& inst, program::memory_space space) {
    using program::memory_space;
    if (!inst.is_memory()) return memory_kind::shuffle;
    if (inst.special == program::special_op::ldgsts) return memory_kind::copy;
    switch (space) {
        case memory_space::shared:
            return inst.is_store ? memory_kind::shared_store : memory_kind::shared_load;
        case memory_space::constant:
            return memory_kind::constant;
        case memory_space::texture:
            return memory_kind::texture;
        default:
            return inst.is_store ? memory_kind::global_store : memory_kind::global_load;
    }
}

namespace {

/// Whether every active lane has the same address as lane i ^ distance, if that one is active.
bool pairs_agree(const std::array<std::uint64_t, 32>& address, std::uint32_t lanes,
                 unsigned distance) {
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(left));
        const unsigned other = lane ^ distance;
        if ((lanes >> other & 1) != 0 && address[other] != address[lane]) return false;
    }
    return true;
}

}  // namespace

unsigned data_wavefronts(const std::array<std::uint64_t, 32>& address, std::uint32_t lanes,
                         unsigned bytes, unsigned banks, bool is_load) {
    constexpr unsigned word_bytes = 4, max_banks = 32;
    const unsigned words_a_lane = std::max(1u, (bytes + word_bytes - 1) / word_bytes);
    unsigned group = std::max(1u, 32 / words_a_lane);
    if (is_load && group < 32 && (pairs_agree(address, lanes, 1) || pairs_agree(address, lanes, 2)))
        group *= 2;
    unsigned total = 0;
    for (unsigned base = 0; base < 32; base += group) {
        std::uint32_t left = lanes >> base;
        if (group < 32) left &= (1u << group) - 1;
        if (left == 0) continue;
        // Words in one row of the banks are in different banks.
        std::uint64_t first_word = ~std::uint64_t{0}, last_word = 0;
        for (std::uint32_t m = left; m != 0; m &= m - 1) {
            const std::uint64_t word =
                address[base + static_cast<unsigned>(__builtin_ctz(m))] / word_bytes;
            first_word = std::min(first_word, word);
            last_word = std::max(last_word, word + words_a_lane - 1);
        }
        if (last_word - first_word < banks) {
            ++total;
            continue;
        }
        // Distinct words by bank, at most 32 per group.
        std::array<std::array<std::uint64_t, 32>, max_banks> words;
        std::array<std::uint8_t, max_banks> count{};
        unsigned busiest = 1;
        for (; left != 0; left &= left - 1) {
            const unsigned lane = base + static_cast<unsigned>(__builtin_ctz(left));
            for (unsigned w = 0; w < words_a_lane; ++w) {
                const std::uint64_t word = address[lane] / word_bytes + w;
                const auto bank = static_cast<unsigned>(word % banks);
                const auto* const first = words[bank].begin();
                const auto* const last = first + count[bank];
                if (std::find(first, last, word) != last) continue;
                words[bank][count[bank]++] = word;
                busiest = std::max<unsigned>(busiest, count[bank]);
            }
        }
        total += busiest;
    }
    return std::max(total, 1u);
}

unsigned distinct_addresses(const std::array<std::uint64_t, 32>& address, std::uint32_t lanes) {
    std::array<std::uint64_t, 32> seen;
    unsigned count = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        const std::uint64_t a = address[static_cast<unsigned>(__builtin_ctz(lanes))];
        // Usually all lanes read the same address.
        if (std::find(seen.begin(), seen.begin() + count, a) == seen.begin() + count)
            seen[count++] = a;
    }
    return std::max(count, 1u);
}

}  // namespace simtlm::core::sub_core_pipeline
