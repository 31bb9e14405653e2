// SPDX-License-Identifier: Apache-2.0
#include "platform/report/counter_sums.h"

#include "platform/report/report.h"

#include <map>
#include <tuple>

namespace simtlm::platform {

std::string counter_sums::counter::name() const {
    return kind + "." + of->name + (label.empty() ? "" : ".") + label;
}

counter_sums::counter_sums(gpu& device) : device_(device) {
    list_statistics(device, blocks_);
    // Counters of a kind lie together, wherever its blocks are.
    std::map<std::string, std::vector<const kernel::statistics::block*>> kinds;
    std::vector<std::string> order;
    for (const auto& block : blocks_.blocks()) {
        auto& of_kind = kinds[block.kind];
        if (of_kind.empty()) order.push_back(block.kind);
        of_kind.push_back(&block);
    }
    std::map<std::tuple<std::string, std::string, std::string>, std::uint32_t> known;
    for (const std::string& kind : order)
        for (const auto* block : kinds[kind])
            for (const auto& cell : block->cells)
                if (known.emplace(std::tuple(kind, cell.of->name, cell.label), counters_.size())
                        .second)
                    counters_.push_back({kind, cell.of, cell.label});
    for (const auto& block : blocks_.blocks())
        for (const auto& cell : block.cells)
            place_.push_back(known.at({block.kind, cell.of->name, cell.label}));
    before_.assign(counters_.size(), 0);
}

std::vector<std::uint64_t> counter_sums::sum() const {
    std::vector<std::uint64_t> sums(counters_.size());
    std::vector<bool> begun(counters_.size());
    std::size_t i = 0;
    for (const auto& block : blocks_.blocks())
        for (const auto& cell : block.cells) {
            const std::uint32_t at = place_[i++];
            sums[at] = begun[at] ? kernel::added(cell.of->how, sums[at], *cell.value) : *cell.value;
            begun[at] = true;
        }
    return sums;
}

std::vector<counter_sums::value> counter_sums::take() {
    bring_up_to_date(device_);
    const std::vector<std::uint64_t> now = sum();
    std::vector<value> own;
    for (std::uint32_t i = 0; i < now.size(); ++i) {
        const kernel::adding how = counters_[i].of->how;
        std::uint64_t number = now[i];
        if (how == kernel::adding::sum)
            number -= before_[i];
        else if (how != kernel::adding::last && number == before_[i])
            number = 0;
        if (number != 0) own.push_back({i, number});
    }
    before_ = now;
    return own;
}

}  // namespace simtlm::platform
