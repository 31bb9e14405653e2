// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/memory_statistics.h"

#include <algorithm>

namespace simtlm::memory {

namespace {
unsigned log2_bucket(std::uint64_t v) {
    return v == 0 ? 0u : std::min(31u, 63u - static_cast<unsigned>(__builtin_clzll(v)));
}
}  // namespace

void memory_counts::latency::add(std::uint64_t cycles) {
    sum += cycles;
    max = std::max(max, cycles);
    ++table[log2_bucket(cycles)];
}

memory_statistics::memory_statistics(unsigned channels, unsigned banks) : banks_(banks) {
    by_bank.resize(std::size_t{channels} * banks);
}

void memory_statistics::request_taken(const tlm::tlm_generic_payload& request,
                                      std::uint64_t core_now, std::uint64_t l2_cycle) {
    request_network.add(
        protocol::hop_times::between(protocol::extension(request).when.created, core_now));
    ++requests;
    if (l2_cycle != last_request_cycle_) {
        last_request_cycle_ = l2_cycle;
        ++request_cycles;
    }
}

void memory_statistics::reply_received(const tlm::tlm_generic_payload& reply,
                                       std::uint64_t core_now) {
    const protocol::memory_extension& e = protocol::extension(reply);
    const std::uint64_t whole = protocol::hop_times::between(e.when.created, core_now);
    round_trip.add(whole);
    reply_network.add(protocol::hop_times::between(e.when.replied, core_now));
    window_sum_ += whole;
    ++window_num_;
    bank_latency& b =
        by_bank[(e.location.channel * banks_ + e.location.bank % banks_) % by_bank.size()];
    ++b.replies;
    b.sum += whole;
    b.max = std::max(b.max, whole);
}

void memory_statistics::close_window() {
    if (window_num_ == 0) return;
    counted_sum += window_sum_;
    counted_num += window_num_;
    ++window_table[log2_bucket(window_sum_ / window_num_)];
    window_sum_ = window_num_ = 0;
}

}  // namespace simtlm::memory
