// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace simtlm::device {

struct task;
using task_ptr = std::shared_ptr<task>;

/// Latency and bandwidth of copies. A bandwidth of 0 disables their timing.
struct link_timing {
    double latency = 0;    ///< seconds
    double bandwidth = 0;  ///< bytes per second, in each direction
};

struct copy_links {
    link_timing pcie;    ///< between host and GPU
    link_timing nvlink;  ///< between GPUs
    link_timing dram;    ///< for copies inside a GPU
};

/// The copies and fills in progress and the times when they end. Those of one GPU and direction are
/// serialised. Times in ps.
class copy_queue {
public:
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    copy_queue(const copy_links& links, unsigned devices) : links_(links), free_at_(devices) {}

    /// Starts a copy; also sets its start time, unless it takes no time.
    void start(const task_ptr& t, std::uint64_t now);
    bool empty() const { return copies_.empty(); }
    /// The earliest end of a copy, or `never`.
    std::uint64_t next_end() const { return empty() ? never : copies_.begin()->first; }
    /// Removes the next copy that has ended; nullptr if there is none.
    task_ptr take_ended(std::uint64_t now);

private:
    std::uint64_t end_of(task& t, std::uint64_t now);

    copy_links links_;
    std::vector<std::array<std::uint64_t, 3>> free_at_;  ///< by device; inside, to and from it
    std::multimap<std::uint64_t, task_ptr> copies_;      ///< by end time
};

}  // namespace simtlm::device
