// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtlm::simulation {

struct process_state;

/// The timers of clocked processes in one clock domain, in cycles of that domain: a wheel with one
/// bucket per cycle up to its reach; a later timer stays in its bucket for another revolution.
class timer_wheel {
public:
    static constexpr unsigned reach = 1024;  ///< cycles

    timer_wheel() : places_(reach) {}

    /// Sets a timer. @param at  cycle, not before the next edge
    void set(std::uint64_t at, process_state& who) {
        const std::uint64_t place = at % reach;
        places_[place].push_back({at, &who});
        armed_[place / 64] |= std::uint64_t{1} << place % 64;
    }

    /// Removes the timers that expire in a cycle. @param wake  called with each process
    template <class Wake>
    void expire(std::uint64_t cycle, Wake wake) {
        const std::uint64_t place = cycle % reach;
        if ((armed_[place / 64] >> place % 64 & 1u) == 0) return;  // the wheel exceeds a cache
        std::vector<timer>& due = places_[place];
        std::size_t kept = 0;
        for (const timer& t : due) {
            if (t.at <= cycle)
                wake(*t.who);
            else
                due[kept++] = t;
        }
        due.resize(kept);
        if (kept == 0) armed_[place / 64] &= ~(std::uint64_t{1} << place % 64);
    }

    /// The number of edges until the first one for which a timer may be set; 0: no timer is set.
    /// @param cycle  of the next edge
    unsigned edges_to_next(std::uint64_t cycle) const {
        const auto first = static_cast<unsigned>(cycle % reach);
        constexpr unsigned words = reach / 64;
        for (unsigned i = 0; i <= words; ++i) {  // revisits the first word for its lower bits
            std::uint64_t bits = armed_[(first / 64 + i) % words];
            if (i == 0) bits = bits >> first % 64 << first % 64;
            if (bits == 0) continue;
            const unsigned place =
                (first / 64 + i) * 64 + static_cast<unsigned>(__builtin_ctzll(bits));
            return place - first + 1;
        }
        return 0;
    }

private:
    struct timer {
        std::uint64_t at;
        process_state* who;
    };
    std::vector<std::vector<timer>> places_;         // by cycle modulo reach
    std::array<std::uint64_t, reach / 64> armed_{};  // buckets with timers, one bit each
};

}  // namespace simtlm::simulation
