// SPDX-License-Identifier: Apache-2.0
#include "platform/report/counter_sums.h"

#include "modules/support/archive.h"
#include "platform/report/report.h"

#include <map>
#include <unordered_map>
#include <utility>

namespace simtlm::platform {

std::string counter_sums::counter::name() const {
    return kind + "." + of->name + (label.empty() ? "" : ".") + label;
}

namespace {

/// The counters of a kind in listing order, and the positions of the previous block's cells among
/// them; blocks of a kind are nearly always identical.
struct kind_of_blocks {
    std::uint32_t number = 0;  // index of the kind
    std::vector<const support::statistics::cell*> counters;
    std::map<std::pair<std::string, std::string>, std::uint32_t> known;
    const support::statistics::block* before = nullptr;
    std::vector<std::uint32_t> places;  // position of each cell of `before` among the counters

    void add(const support::statistics::block& b) {
        std::vector<std::uint32_t> of_this(b.cells.size());
        for (std::size_t i = 0; i < b.cells.size(); ++i) {
            const support::statistics::cell& c = b.cells[i];
            const support::statistics::cell* alike =
                before != nullptr && i < before->cells.size() ? &before->cells[i] : nullptr;
            if (alike != nullptr && alike->of == c.of && alike->label == c.label) {
                of_this[i] = places[i];
                continue;
            }
            const auto [at, is_new] = known.try_emplace(
                {c.of->name, c.label}, static_cast<std::uint32_t>(counters.size()));
            if (is_new) counters.push_back(&c);
            of_this[i] = at->second;
        }
        before = &b;
        places = std::move(of_this);
    }
};

}  // namespace

counter_sums::counter_sums(gpu& device) : device_(device) {
    list_statistics(device, blocks_);
    // Group the counters by kind, regardless of the order of the blocks.
    std::unordered_map<std::string, kind_of_blocks> kinds;
    std::vector<const std::string*> order;
    std::vector<std::uint32_t> kind_of;  // by block
    for (const support::statistics::block& b : blocks_.blocks()) {
        const auto [at, is_new] = kinds.try_emplace(b.kind);
        kind_of_blocks& kind = at->second;
        if (is_new) {
            kind.number = static_cast<std::uint32_t>(order.size());
            order.push_back(&at->first);
        }
        kind.add(b);
        kind_of.push_back(kind.number);
        place_.insert(place_.end(), kind.places.begin(), kind.places.end());
    }
    std::vector<std::uint32_t> first;  // index of the first counter, by kind
    for (const std::string* name : order) {
        first.push_back(static_cast<std::uint32_t>(counters_.size()));
        for (const support::statistics::cell* c : kinds.at(*name).counters)
            counters_.push_back({*name, c->of, c->label});
    }
    auto place = place_.begin();
    for (std::size_t b = 0; b < kind_of.size(); ++b)
        for (std::size_t i = 0; i < blocks_.blocks()[b].cells.size(); ++i)
            *place++ += first[kind_of[b]];
    before_.assign(counters_.size(), 0);
}

void counter_sums::checkpoint(support::archive& a) {
    const std::size_t counters = before_.size();
    a.block("counters");
    a(before_);
    before_.resize(counters);
}

std::vector<std::uint64_t> counter_sums::sum() const {
    std::vector<std::uint64_t> sums(counters_.size());
    std::vector<bool> begun(counters_.size());
    std::size_t i = 0;
    for (const auto& block : blocks_.blocks())
        for (const auto& cell : block.cells) {
            const std::uint32_t at = place_[i++];
            sums[at] =
                begun[at] ? support::added(cell.of->how, sums[at], *cell.value) : *cell.value;
            begun[at] = true;
        }
    return sums;
}

std::vector<counter_sums::value> counter_sums::take() {
    update_counters(device_);
    const std::vector<std::uint64_t> now = sum();
    std::vector<value> own;
    for (std::uint32_t i = 0; i < now.size(); ++i) {
        const support::adding how = counters_[i].of->how;
        std::uint64_t number = now[i];
        if (how == support::adding::sum)
            number -= before_[i];
        else if (how != support::adding::last && number == before_[i])
            number = 0;
        if (number != 0) own.push_back({i, number});
    }
    before_ = now;
    return own;
}

}  // namespace simtlm::platform
