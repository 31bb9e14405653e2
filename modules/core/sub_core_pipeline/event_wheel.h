// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtlm::core::sub_core_pipeline {

/// Events in future cycles, in the order in which they were added to a cycle.
/// @tparam Event  has a member `at`, the cycle; copied
template <class Event>
class event_wheel {
public:
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    void add(const Event& e) {
        const std::size_t place = e.at % size;
        events_[place].push_back(e);
        armed_[place / 64] |= std::uint64_t{1} << (place % 64);
    }
    /// Removes the events of a cycle and performs them. No cycle with events may be skipped.
    template <class Perform>
    void advance(std::uint64_t now, Perform&& perform) {
        const std::size_t place = now % size;
        const std::uint64_t bit = std::uint64_t{1} << (place % 64);
        if ((armed_[place / 64] & bit) == 0) return;
        due_.clear();
        due_.swap(events_[place]);
        armed_[place / 64] &= ~bit;
        for (const Event& e : due_)
            if (e.at == now)
                perform(e);
            else  // another revolution of the wheel
                add(e);
    }
    /// The next cycle after `now` that may have events; never: there are none.
    std::uint64_t next(std::uint64_t now) const {
        for (unsigned ahead = 1; ahead <= size; ++ahead) {
            const std::size_t place = (now + ahead) % size;
            const std::uint64_t word = armed_[place / 64] >> (place % 64);
            if (word != 0) return now + ahead + static_cast<unsigned>(__builtin_ctzll(word));
            ahead += 63 - static_cast<unsigned>(place % 64);
        }
        return never;
    }
    bool empty() const {
        for (const std::uint64_t word : armed_)
            if (word != 0) return false;
        return true;
    }

private:
    static constexpr unsigned size = 128;  // cycles
    std::array<std::vector<Event>, size> events_;
    std::array<std::uint64_t, size / 64> armed_{};
    std::vector<Event> due_;
};

}  // namespace simtlm::core::sub_core_pipeline
