// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/ring_buffer.h"

#include <algorithm>
#include <cstdint>

namespace simtlm::core::sub_core_pipeline {

/// Parameters of the path of memory instructions from a sub-core to the memory unit of the SM.
struct memory_queue_config {
    unsigned entries = 4;         ///< capacity of the queue; the latch holds one more instruction
    unsigned stages = 7;          ///< cycles from issue to address calculation
    unsigned address_cycles = 4;  ///< duration of an address calculation, one at a time
    unsigned uniform_cycles = 2;  ///< the same for shared memory and uniform address registers
    /// Interval between instructions accepted by the memory unit, in thousandths of a cycle.
    unsigned accept_interval = 2000;
};

/// The part of the memory pipeline that is local to a sub-core: a queue, an address calculation
/// unit and a latch after it (Huerta et al., section 5.4). An instruction occupies an entry from
/// its issue until the memory unit accepts it, so that five issue back to back and the sixth waits
/// for the first to leave. While one waits in the latch, the address of the next is calculated.
/// @tparam Entry  type of the entries; copied
template <class Entry>
class memory_queue {
public:
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    explicit memory_queue(const memory_queue_config& config)
        : config_(config), queue_(config.entries + 1) {}

    /// Whether an instruction may issue.
    bool can_issue() const { return reserved_ < queue_.capacity(); }
    /// Adds an issued instruction. @pre can_issue()
    /// @param quick  fast address calculation: a uniform address, or shared memory
    void issue(const Entry& what, bool quick, std::uint64_t now) {
        ++reserved_;
        queue_.push({what, now + config_.stages, quick});
    }
    bool empty() const { return queue_.empty(); }
    /// First cycle in which the memory unit may accept the head; never: the queue is empty.
    std::uint64_t ready_at() const {
        if (queue_.empty()) return never;
        const entry& e = queue_.front();
        const std::uint64_t start = std::max(e.earliest, calculation_free_at_);
        return std::max(start + (e.quick ? config_.uniform_cycles : config_.address_cycles),
                        latch_free_at_);
    }
    Entry& head() { return queue_.front().what; }
    const Entry& head() const { return queue_.front().what; }
    /// Removes the head, which the memory unit accepts. @pre ready_at() <= now
    Entry take(std::uint64_t now) {
        calculation_free_at_ = ready_at();
        latch_free_at_ = now;
        --reserved_;
        return queue_.pop().what;
    }
    std::size_t size() const { return queue_.size(); }

    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(calculation_free_at_, latch_free_at_);
    }

private:
    struct entry {
        Entry what{};
        std::uint64_t earliest = 0;  // earliest cycle of its address calculation
        bool quick = false;
    };
    memory_queue_config config_;
    support::ring_buffer<entry> queue_;
    unsigned reserved_ = 0;
    std::uint64_t calculation_free_at_ = 0;  // when its last address moved to the latch
    std::uint64_t latch_free_at_ = 0;
};

/// Round-robin arbiter between the sub-cores for the memory unit: one instruction per accept
/// interval. The interval may be fractional; the remainder is carried over.
class memory_arbiter {
public:
    /// @param interval  thousandths of a core cycle, at least 1000
    memory_arbiter(unsigned sub_cores, unsigned interval)
        : sub_cores_(sub_cores), interval_(interval) {}

    bool free(std::uint64_t now) const { return now >= free_at(); }
    std::uint64_t free_at() const { return next_ / thousandths; }
    /// @param ready  returns whether the head of sub-core s can be accepted now
    /// @return sub-core, or -1
    template <class Ready>
    int choose(Ready&& ready) const {
        for (unsigned i = 0; i < sub_cores_; ++i) {
            const unsigned s = (first_ + i) % sub_cores_;
            if (ready(s)) return static_cast<int>(s);
        }
        return -1;
    }
    /// An instruction of sub-core s has been accepted.
    void taken(unsigned s, std::uint64_t now) {
        first_ = (s + 1) % sub_cores_;
        next_ = std::max(next_, now * thousandths) + interval_;
    }

    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(first_, next_);
    }

private:
    static constexpr std::uint64_t thousandths = 1000;
    unsigned sub_cores_;
    unsigned interval_;
    unsigned first_ = 0;
    std::uint64_t next_ = 0;  // thousandths of a cycle
};

}  // namespace simtlm::core::sub_core_pipeline
