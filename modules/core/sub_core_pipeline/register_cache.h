// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace simtlm::core::sub_core_pipeline {

/// The register file cache of a sub-core (Huerta et al., section 5.3.1): one entry per bank and
/// operand slot. A read hits if the entry holds the same register of the same warp, and then needs
/// no port of the bank. Any read of a bank in a slot invalidates the entry, unless its reuse bit
/// stores its own operand there.
class register_cache {
public:
    static constexpr unsigned banks = 4;
    static constexpr unsigned slots = 3;

    /// Reads an operand of a fixed-latency instruction.
    /// @param reuse  the operand is kept in the cache
    /// @return whether it hit
    bool read(unsigned warp, unsigned reg, unsigned bank, unsigned slot, bool reuse) {
        entry& e = entries_[bank][slot];
        const entry wanted{static_cast<std::uint16_t>(warp), static_cast<std::uint16_t>(reg), true};
        const bool hit = e.valid && e.warp == wanted.warp && e.reg == wanted.reg;
        e = reuse ? wanted : entry{};
        return hit;
    }
    /// Whether a read would hit; does not change the state.
    bool holds(unsigned warp, unsigned reg, unsigned bank, unsigned slot) const {
        const entry& e = entries_[bank][slot];
        return e.valid && e.warp == warp && e.reg == reg;
    }

    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(entries_);
    }

private:
    struct entry {
        std::uint16_t warp = 0;
        std::uint16_t reg = 0;
        bool valid = false;
        template <class Archive>
        void checkpoint(Archive& a) {
            a(warp, reg, valid);
        }
    };
    std::array<std::array<entry, slots>, banks> entries_{};
};

}  // namespace simtlm::core::sub_core_pipeline
