// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/memory_statistics.h"

#include "modules/memory/log2_bucket.h"

#include <algorithm>

namespace simtlm::memory {

void memory_counts::latency::add(std::uint64_t cycles) {
    sum += cycles;
    max = std::max(max, cycles);
    ++table[log2_bucket(cycles)];
}

memory_statistics::memory_statistics(unsigned channels, unsigned banks, unsigned host_threads)
    : banks_(banks) {
    by_bank.resize(std::size_t{channels} * banks);
    for (unsigned t = 0; t < host_threads; ++t) {
        tallies_.push_back(std::make_unique<tally>());
        tallies_.back()->by_bank.resize(by_bank.size());
    }
}

void memory_statistics::request_taken(const tlm::tlm_generic_payload& request,
                                      std::uint64_t core_now, std::uint64_t l2_cycle) {
    tally& t = mine();
    t.request_network.add(
        protocol::hop_times::between(protocol::extension(request).when.created, core_now));
    ++t.requests;
    // Counts the first request of a cycle, on any thread.
    constexpr auto relaxed = std::memory_order_relaxed;
    if (last_request_cycle_.load(relaxed) != l2_cycle &&
        last_request_cycle_.exchange(l2_cycle, relaxed) != l2_cycle)
        ++t.request_cycles;
}

void memory_statistics::reply_received(const tlm::tlm_generic_payload& reply,
                                       std::uint64_t core_now) {
    tally& t = mine();
    const protocol::memory_extension& e = protocol::extension(reply);
    const std::uint64_t whole = protocol::hop_times::between(e.when.created, core_now);
    t.round_trip.add(whole);
    t.reply_network.add(protocol::hop_times::between(e.when.replied, core_now));
    t.open.sum += whole;
    ++t.open.num;
    bank_latency& b =
        t.by_bank[(e.location.channel * banks_ + e.location.bank % banks_) % by_bank.size()];
    ++b.replies;
    b.sum += whole;
    b.max = std::max(b.max, whole);
}

void memory_statistics::gather() {
    for (const auto& t : tallies_) {
        support::add_up<memory_counts>(*this, *t);
        open_.sum += t->open.sum;
        open_.num += t->open.num;
        *t = tally();
        t->by_bank.resize(by_bank.size());
    }
}

void memory_statistics::close_window() {
    if (open_.num == 0) return;
    counted_sum += open_.sum;
    counted_num += open_.num;
    ++window_table[log2_bucket(open_.sum / open_.num)];
    open_ = window();
}

}  // namespace simtlm::memory
