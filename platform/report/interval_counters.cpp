// SPDX-License-Identifier: Apache-2.0
#include "platform/report/interval_counters.h"

#include "platform/gpu/gpu_blocks.h"
#include "platform/report/report.h"

#include <utility>

namespace simtlm::platform {

interval_counters::interval_counters(gpu& device) : device_(device) {
    list_statistics(device, list_);
    for (const support::statistics::block& b : list_.blocks())
        for (const support::statistics::cell& c : b.cells) counters_.push_back({&b, &c});
    read(before_);
    last_.to = device.core_cycles();
}

std::string interval_counters::counter::name() const {
    const std::string text = block->name + " " + cell->of->name;
    return cell->label.empty() ? text : text + "." + cell->label;
}

void interval_counters::read(std::vector<std::uint64_t>& to) {
    device_.sequencer().synchronize();
    update_counters(device_);
    to.resize(counters_.size());
    for (std::size_t i = 0; i < counters_.size(); ++i) to[i] = *counters_[i].cell->value;
}

const interval_counters::interval& interval_counters::take() {
    read(now_);
    last_.from = std::exchange(last_.to, device_.core_cycles());
    last_.values.resize(counters_.size());
    for (std::size_t i = 0; i < counters_.size(); ++i) {
        const bool adds_up = counters_[i].cell->of->how == support::adding::sum;
        // A block that has reset its counter restarts from zero.
        const bool restarted = now_[i] < before_[i];
        last_.values[i] = adds_up && !restarted ? now_[i] - before_[i] : now_[i];
    }
    std::swap(before_, now_);
    return last_;
}

std::uint64_t interval_counters::sum(const std::string& kind, const std::string& name,
                                     const std::string& label) const {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < counters_.size() && i < last_.values.size(); ++i) {
        const counter& c = counters_[i];
        if (c.block->kind == kind && c.cell->of->name == name &&
            (label.empty() || c.cell->label == label))
            total += last_.values[i];
    }
    return total;
}

}  // namespace simtlm::platform
