// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/texture_engine.h"

namespace simtlm::cache {

texture_engine::texture_engine(const cache_config& config)
    : config_(config),
      tags_(config),
      fragments_(config.mshr_entries),
      requests_(config.mshr_max_merge),
      reorder_buffer_(config.miss_queue_size),
      results_(config.result_fifo_entries) {}

access_result texture_engine::access(tlm::tlm_generic_payload& p, std::uint64_t now) {
    access_result r;
    if (fragments_.full() || requests_.full() || reorder_buffer_.full()) return r;
    protocol::memory_extension& x = protocol::extension(p);
    const auto time = static_cast<std::uint32_t>(now);
    const std::uint64_t address = p.get_address();
    const unsigned sector = config_.sector_of(address);
    const tag_array::lookup found = tags_.probe(address, address, sector, false);
    tags_.access(found, address, sector, time);
    const bool missed = found.outcome != access_outcome::hit;
    p.acquire();
    fragments_.push({&p, missed});
    if (missed) {
        tags_.fill_line(found.line, sector, x.bytes);
        const unsigned fetched = config_.atom_bytes();
        reorder_buffer_.push(
            {&p, p.get_data_length(), x.data_bytes, fetched / sector_bytes, false});
        p.set_data_length(fetched);
        x.data_bytes = static_cast<std::uint16_t>(fetched);
        p.acquire();
        requests_.push(&p);
        r.read_sent = true;
    }
    r.outcome = missed ? access_outcome::miss : access_outcome::hit_reserved;
    r.counted = found.outcome == access_outcome::sector_miss ? found.outcome : r.outcome;
    statistics_.book(x.type, r.counted);
    if (observer_ != nullptr) observer_->accessed(p, r.counted);
    return r;
}

void texture_engine::cycle(protocol::request_sink& sink) {
    if (!requests_.empty() && sink.try_send(*requests_.front())) requests_.pop()->release();
    if (fragments_.empty() || results_.full()) return;
    if (fragments_.front().missed) {
        if (!reorder_buffer_.front().ready) return;
        reorder_buffer_.pop();
    }
    results_.push(fragments_.pop().access);
}

bool texture_engine::idle(bool can_send) const {
    if (!requests_.empty() && can_send) return false;
    if (fragments_.empty() || results_.full()) return true;
    return fragments_.front().missed && !reorder_buffer_.front().ready;
}

const texture_engine::reorder_entry* texture_engine::entry_of(
    const tlm::tlm_generic_payload& response) const {
    const tlm::tlm_generic_payload* parent = protocol::extension(response).parent;
    for (std::size_t i = 0; i < reorder_buffer_.size(); ++i) {
        const reorder_entry& s = reorder_buffer_[i];
        if (!s.ready && (s.request == &response || (parent != nullptr && s.request == parent)))
            return &s;
    }
    return nullptr;
}

bool texture_engine::waiting_for_fill(const tlm::tlm_generic_payload& response) const {
    return entry_of(response) != nullptr;
}

void texture_engine::fill(tlm::tlm_generic_payload& response, std::uint64_t) {
    auto& s = const_cast<reorder_entry&>(*entry_of(response));
    if (s.request != &response && --s.pending_parts != 0) return;
    s.request->set_data_length(s.data_length);
    protocol::extension(*s.request).data_bytes = static_cast<std::uint16_t>(s.data_bytes);
    s.ready = true;
}

}  // namespace simtlm::cache
