// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/simulation/clocked_process.h"
#include "modules/support/counter_table.h"
#include "modules/support/ring_buffer.h"

namespace simtlm::simulation {

/// Occupancy statistics of a queue.
struct occupancy {
    std::uint64_t sum = 0;
    std::uint64_t max = 0;
};
inline constexpr support::counter<occupancy> occupancy_counters[] = {
    support::count<&occupancy::sum>("occupancy_sum", "entries x cycles",
                                    "entries, summed over cycles"),
    support::maximum<&occupancy::max>("occupancy_max", "entries", "most at a time"),
};
constexpr const auto& counters_of(const occupancy*) {
    return occupancy_counters;
}
static_assert(covers(occupancy_counters));

/// A FIFO between two clock domains, or between two phases of one domain: written on edges of the
/// writer's clock, read on edges of the reader's. The writer must not push while the FIFO is full.
/// push() wakes the reader, and pop() from a full FIFO wakes the writer. The order of the phases
/// determines which process sees the other's effect at coincident edges. The FIFO is an sc_object,
/// a child of the module under construction.
template <class T>
class clock_crossing_fifo : public sc_core::sc_object {
public:
    /// @param depth  capacity in entries
    clock_crossing_fifo(const char* name, std::size_t depth) : sc_object(name), entries_(depth) {}
    const char* kind() const override { return "clock_crossing_fifo"; }

    /// Sets the process that reads the FIFO; push() wakes it.
    void set_reader(clocked_process& p) { reader_ = &p; }
    /// Sets the process that writes the FIFO; pop() wakes it if the FIFO was full.
    void set_writer(clocked_process& p) { writer_ = &p; }

    bool empty() const { return entries_.empty(); }
    bool full() const { return entries_.full(); }
    std::size_t size() const { return entries_.size(); }
    std::size_t room() const { return entries_.room(); }
    std::size_t depth() const { return entries_.capacity(); }

    /// Enables the occupancy statistics, in cycles of the clock domain of a process.
    void measure(const clocked_process& by) { clock_ = &by; }
    /// Updates the occupancy sum. @param cycle  of the domain given to measure()
    void count_to(std::uint64_t cycle) {
        if (cycle <= counted_to_) return;
        occupancy_.sum += entries_.size() * (cycle - counted_to_);
        counted_to_ = cycle;
    }
    const occupancy& counted() const { return occupancy_; }
    T& front() { return entries_.front(); }
    const T& front() const { return entries_.front(); }

    /// @pre !full()
    void push(T value) {
        sc_assert(!full());
        count();
        entries_.push(std::move(value));
        if (entries_.size() > occupancy_.max) occupancy_.max = entries_.size();
        if (reader_ != nullptr) reader_->wake();
    }
    /// @pre !empty()
    T pop() {
        if (writer_ != nullptr && entries_.full()) writer_->wake();
        count();
        return entries_.pop();
    }

private:
    void count() {
        if (clock_ != nullptr) count_to(clock_->now());
    }

    support::ring_buffer<T> entries_;
    clocked_process* reader_ = nullptr;
    clocked_process* writer_ = nullptr;
    const clocked_process* clock_ = nullptr;  // nullptr: occupancy is not summed
    occupancy occupancy_;
    std::uint64_t counted_to_ = 0;
};

}  // namespace simtlm::simulation
