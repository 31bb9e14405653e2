// SPDX-License-Identifier: Apache-2.0
#include "platform/device/child_kernels.h"

namespace simtlm::device {

using execution::device_launch;
using execution::device_launches;

void child_kernels::begin(const device_launch& l, const chain& in, std::vector<task_ptr>& begun) {
    auto t = std::make_shared<task>();
    t->what = l.effect ? task::kind::copy : task::kind::kernel;
    t->effect = l.effect;
    t->device = kernel_->device;
    t->stream = kernel_->stream;
    t->launch.module = kernel_->launch.module;
    t->launch.kernel = l.kernel;
    t->launch.grid = l.grid;
    t->launch.block = l.block;
    if (l.kernel != nullptr) execution::complete_shape(*l.kernel, t->launch.grid, t->launch.block);
    t->launch.cluster = {1, 1, 1};
    t->launch.dynamic_shared = l.dynamic_shared;
    t->launch.parameters = l.parameters;
    t->number = kernel_->number;
    running_[t] = in;
    begun.push_back(std::move(t));
}

std::vector<task_ptr> child_kernels::grid_ended() {
    if (requested_ == nullptr) return {};
    std::uint64_t detached = std::uint64_t{1} << 63;  // streams of launches that wait for nothing
    for (device_launch& l : requested_->take()) {
        if (l.stream == device_launches::tail_stream) {
            tails_.push_back(std::move(l));
            continue;
        }
        const std::uint64_t stream =
            l.stream == device_launches::fire_and_forget ? detached++ : l.stream;
        const chain in = requested_->uses_events() ? chain{0, 0} : chain{l.by_block, stream};
        waiting_[in].push_back(std::move(l));
    }
    // Kernels of different thread blocks and streams begin together, in the order of the blocks.
    std::vector<task_ptr> begun;
    for (auto& [in, launches] : waiting_) {
        begin(launches.front(), in, begun);
        launches.pop_front();
    }
    if (begun.empty() && !tails_.empty()) {
        begin(tails_.front(), {}, begun);
        tails_.pop_front();
    }
    return begun;
}

std::vector<task_ptr> child_kernels::child_ended(const task_ptr& child) {
    const auto ended = running_.find(child);
    if (ended == running_.end()) return {};
    const auto in = waiting_.find(ended->second);
    running_.erase(ended);
    std::vector<task_ptr> begun;
    if (in != waiting_.end() && !in->second.empty()) {
        begin(in->second.front(), in->first, begun);
        in->second.pop_front();
    } else if (running_.empty() && !tails_.empty()) {
        begin(tails_.front(), {}, begun);
        tails_.pop_front();
    }
    return begun;
}

void child_kernels::abandon(const task_ptr& child) {
    waiting_.clear();
    tails_.clear();
    running_.erase(child);
}

}  // namespace simtlm::device
