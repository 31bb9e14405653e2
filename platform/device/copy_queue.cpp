// SPDX-License-Identifier: Apache-2.0
#include "platform/device/copy_queue.h"

#include "platform/device/task.h"

#include <algorithm>

namespace simtlm::device {

std::uint64_t copy_queue::end_of(task& t, std::uint64_t now) {
    const bool inside = t.direction == copy_direction::inside;
    const bool peer = t.direction == copy_direction::between_devices;
    if (inside && t.dram_accesses == 0) return now;
    const link_timing& link = inside ? links_.dram : peer ? links_.nvlink : links_.pcie;
    if (link.bandwidth == 0) return now;
    const std::size_t way = inside ? 0 : t.direction == copy_direction::to_device ? 1 : 2;
    std::uint64_t& free_at = free_at_[t.device][way];
    const double moved = static_cast<double>(t.bytes) * (inside ? t.dram_accesses : 1);
    const double seconds = link.latency + moved / link.bandwidth;
    t.started_at = std::max(free_at, now);
    free_at = t.started_at + static_cast<std::uint64_t>(seconds * 1e12);
    return free_at;
}

void copy_queue::start(const task_ptr& t, std::uint64_t now) {
    copies_.emplace(end_of(*t, now), t);
}

task_ptr copy_queue::take_ended(std::uint64_t now) {
    if (next_end() > now || empty()) return nullptr;
    return copies_.extract(copies_.begin()).mapped();
}

}  // namespace simtlm::device
