// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/clocked_process.h"
#include "modules/kernel/counter_table.h"
#include "modules/kernel/ring_buffer.h"

namespace simtlm::kernel {

/// How full a queue has been.
struct occupancy {
    std::uint64_t sum = 0;
    std::uint64_t max = 0;
};
inline constexpr counter<occupancy> occupancy_counters[] = {
    count<&occupancy::sum>("occupancy_sum", "entries x cycles", "entries, summed over cycles"),
    maximum<&occupancy::max>("occupancy_max", "entries", "most at a time"),
};
constexpr const auto& counters_of(const occupancy*) {
    return occupancy_counters;
}
static_assert(covers(occupancy_counters));

/// A FIFO between two clock domains (or two phases of one): filled on edges of the writer's clock,
/// drained on edges of the reader's. Whoever finds it full holds what he has (overflow is
/// impossible); filling wakes the reader, and making room wakes the writer. The phases of
/// coincident edges fix who sees what on the same instant.
/// It is an object of SystemC, below the module under construction.
template <class T>
class clock_crossing_fifo : public sc_core::sc_object {
public:
    /// @param depth  entries
    clock_crossing_fifo(const char* name, std::size_t depth) : sc_object(name), entries_(depth) {}
    const char* kind() const override { return "clock_crossing_fifo"; }

    /// The process that drains it, woken by push().
    void set_reader(clocked_process& p) { reader_ = &p; }
    /// The process that fills it, woken by pop() when it had been full.
    void set_writer(clocked_process& p) { writer_ = &p; }

    bool empty() const { return entries_.empty(); }
    bool full() const { return entries_.full(); }
    std::size_t size() const { return entries_.size(); }
    std::size_t room() const { return entries_.room(); }
    std::size_t depth() const { return entries_.capacity(); }

    /// Counts the occupancy in cycles of a process's domain.
    void measure(const clocked_process& by) { clock_ = &by; }
    /// Counts up to a cycle of that domain.
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

    ring_buffer<T> entries_;
    clocked_process* reader_ = nullptr;
    clocked_process* writer_ = nullptr;
    const clocked_process* clock_ = nullptr;  // occupancy is not summed without
    occupancy occupancy_;
    std::uint64_t counted_to_ = 0;
};

}  // namespace simtlm::kernel
