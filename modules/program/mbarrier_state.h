// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace simtlm::program {

/// Contents of the 64 bits of an mbarrier object. PTX does not specify the layout (PTX manual,
/// "mbarrier"); machine code of sm_90 initialises the object and decodes tokens itself, and its
/// layout is used here: bits 20:1 the arrivals of a phase and 62:43 the pending ones, both
/// subtracted from 2^20; 42:21 the pending bytes; 63 the phase.
struct mbarrier_state {
    std::uint32_t expected = 0;     ///< arrivals per phase
    std::uint32_t pending = 0;      ///< pending arrivals
    std::int32_t transactions = 0;  ///< pending bytes of copies
    bool phase = false;

    /// Converts from and to the 64 bits in shared memory.
    static mbarrier_state decode(std::uint64_t bits) {
        const auto count = [&](unsigned first) {
            return static_cast<std::uint32_t>((full - (bits >> first)) & (full - 1));
        };
        mbarrier_state b;
        b.expected = count(expected_begins);
        b.pending = count(pending_begins);
        b.transactions = static_cast<std::int32_t>(
            static_cast<std::int64_t>(bits << (64 - pending_begins)) >> (64 - transaction_bits));
        b.phase = bits >> 63 != 0;
        return b;
    }
    std::uint64_t encode() const {
        const auto count = [](std::uint32_t n) { return (full - n) & (full - 1); };
        const auto bytes =
            static_cast<std::uint64_t>(transactions) & ((1u << transaction_bits) - 1);
        return count(expected) << expected_begins | bytes << transactions_begin |
               count(pending) << pending_begins | std::uint64_t{phase} << 63;
    }
    static mbarrier_state load(const std::byte* at) {
        std::uint64_t bits;
        std::memcpy(&bits, at, sizeof bits);
        return decode(bits);
    }
    void store(std::byte* at) const {
        const std::uint64_t bits = encode();
        std::memcpy(at, &bits, sizeof bits);
    }

    /// Begins the next phase if nothing is pending.
    void finish_phase() {
        if (pending != 0 || transactions != 0) return;
        phase = !phase;
        pending = expected;
    }

private:
    static constexpr std::uint64_t full = 1u << 20;
    static constexpr unsigned expected_begins = 1, transactions_begin = 21, transaction_bits = 22,
                              pending_begins = 43;
};

/// An operation of a lane on an mbarrier in the shared memory of its CTA, as traces record it.
struct mbarrier_operation {
    enum class kind : std::uint8_t {
        set,     ///< the 64 bits become `value`
        change,  ///< arrivals and bytes
        wait,    ///< for the end of the phase with parity `value`
    };
    kind what = kind::change;
    bool drops = false;          ///< change: the arrivals are not expected in later phases
    bool may_finish = true;      ///< change: ends the phase if nothing is pending
    bool is_limited = false;     ///< wait: ends after some time, because other lanes wait, too
    std::uint64_t address = 0;   ///< offset in the CTA's shared memory
    std::uint64_t value = 0;     ///< set, wait
    std::uint32_t arrivals = 0;  ///< change
    std::int32_t bytes = 0;      ///< change: announced (positive) or arrived (negative)

    /// Carries out set and change.
    void apply_to(mbarrier_state& b) const {
        if (what == kind::set) b = mbarrier_state::decode(value);
        if (what != kind::change) return;
        b.transactions += bytes;
        const std::uint32_t n = std::min(arrivals, b.pending);
        b.pending -= n;
        if (drops) b.expected -= std::min(arrivals, b.expected);
        if (may_finish) b.finish_phase();
    }
    /// Whether a wait succeeds.
    bool succeeds_on(const mbarrier_state& b) const { return b.phase != (value != 0); }
};

/// One arrival at an mbarrier.
inline void arrive_once(std::byte* at) {
    mbarrier_operation what;
    what.arrivals = 1;
    mbarrier_state b = mbarrier_state::load(at);
    what.apply_to(b);
    b.store(at);
}

/// Reports bytes that have arrived to the mbarrier that waits for them.
inline void complete_transaction(std::byte* at, std::uint64_t bytes) {
    mbarrier_state b = mbarrier_state::load(at);
    b.transactions -= static_cast<std::int32_t>(bytes);
    b.finish_phase();
    b.store(at);
}

}  // namespace simtlm::program
