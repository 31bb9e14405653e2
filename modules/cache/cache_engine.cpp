// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/cache_engine.h"

#include "modules/protocol/describe.h"

#include <fmt/format.h>

namespace simtlm::cache {

cache_engine::cache_engine(const cache_config& config, bool index_by_partition)
    : config_(config),
      index_by_partition_(index_by_partition),
      tags_(config),
      mshrs_(config.mshr_entries, config.mshr_max_merge),
      miss_queue_(config.miss_queue_size),
      ports_(config.port_bytes()) {}

bool cache_engine::send(protocol::request_sink& sink) {
    if (miss_queue_.empty()) return false;
    const queued_request q = miss_queue_.front();
    if (!sink.try_send(*q.payload)) return false;
    miss_queue_.pop();
    ++changes_;
    if (!q.own_write_back) q.payload->release();
    return true;
}

void cache_engine::pass_cycle() {
    ++statistics_.port_cycles;
    statistics_.data_port_busy += ports_.data_port_free() ? 0 : 1;
    statistics_.fill_port_busy += ports_.fill_port_free() ? 0 : 1;
    ports_.replenish();
}

bool cache_engine::waiting_for_fill(const tlm::tlm_generic_payload& response) const {
    if (mshrs_.waiting_for(response) != mshr_table::none) return true;
    const tlm::tlm_generic_payload* parent = protocol::extension(response).parent;
    return parent != nullptr && mshrs_.waiting_for(*parent) != mshr_table::none;
}

void cache_engine::fill(tlm::tlm_generic_payload& response, std::uint64_t now) {
    ++changes_;
    std::uint32_t e = mshrs_.waiting_for(response);
    if (e == mshr_table::none) {
        e = mshrs_.waiting_for(*protocol::extension(response).parent);
        if (--mshrs_.sent(e).pending_parts != 0) return;
    }
    mshr_table::request& sent = mshrs_.sent(e);
    tlm::tlm_generic_payload& p = *sent.payload;
    protocol::memory_extension& x = protocol::extension(p);
    p.set_address(sent.address);
    p.set_data_length(sent.data_length);
    x.data_bytes = sent.data_bytes;
    x.sectors = sent.sectors;
    x.mshr = sent.mshr;
    sent.payload = nullptr;

    const unsigned sector = sector_of(p);
    const bool line_reserved = tags_.allocation() == allocation_policy::on_miss;
    if (line_reserved)
        tags_.fill_line(sent.line, sector, x.bytes);
    else
        tags_.fill_address(sent.address, sent.index_address, static_cast<std::uint32_t>(now),
                           sector, x.bytes, p.is_write());
    mshrs_.mark_ready(e);
    if (mshrs_.has_atomic(e) && line_reserved) tags_.write(sent.line, sector, x.bytes);
    ports_.use_fill_port(config_.atom_bytes());
}

bool cache_engine::mshr_available(const tlm::tlm_generic_payload& p, std::uint32_t entry) {
    // A write or an atomic needs the line, but no further fill will come.
    const bool needs_line = p.is_write() || protocol::extension(p).is_atomic;
    const bool too_late = needs_line && answers_only(entry);
    if (!too_late && !mshrs_.full(entry)) return true;
    return fail(p, entry != mshr_table::none ? fail_reason::mshr_merge : fail_reason::mshr_entry);
}

cache_engine::read_request cache_engine::read(tlm::tlm_generic_payload& p,
                                              const tag_array::lookup& found, std::uint64_t now) {
    read_request result;
    const std::uint64_t address = mshr_address(p);
    std::uint32_t e = mshrs_.find(address);
    if (!mshr_available(p, e)) return result;
    result.merged = e != mshr_table::none;
    result.sent = true;
    if (answers_only(e)) {  // the entry has the data; the line has been replaced and is not
                            // allocated again
        p.acquire();
        mshrs_.add(e, address, p);
        book(p, access_outcome::mshr_hit);
        return result;
    }
    result.evicted =
        tags_.access(found, p.get_address(), sector_of(p), static_cast<std::uint32_t>(now));
    if (tags_.allocation() == allocation_policy::on_miss)
        tags_.await_fill(found.line, sector_of(p));
    p.acquire();
    e = mshrs_.add(e, address, p);
    protocol::memory_extension& x = protocol::extension(p);
    if (result.merged) {
        book(p, access_outcome::mshr_hit);
        return result;
    }
    mshrs_.sent(e) = {&p,
                      p.get_address(),
                      index_address(p),
                      found.line,
                      x.mshr,
                      static_cast<std::uint16_t>(p.get_data_length()),
                      x.data_bytes,
                      static_cast<std::uint16_t>(config_.atom_bytes() / sector_bytes),
                      x.sectors};
    x.mshr = e;
    p.set_address(address);
    p.set_data_length(config_.atom_bytes());
    x.data_bytes = static_cast<std::uint16_t>(config_.atom_bytes());
    if (config_.atom_bytes() == 2 * sector_bytes)  // half a line of the next level
        x.sectors = address / config_.atom_bytes() % 2 == 0 ? 0x3 : 0xc;
    enqueue(p);
    return result;
}

access_outcome cache_engine::booked_outcome(access_outcome probed, access_outcome result) {
    if (probed == access_outcome::hit_reserved && result != access_outcome::reservation_fail)
        return probed;
    if (probed == access_outcome::sector_miss && result == access_outcome::miss) return probed;
    return result;
}

std::string cache_engine::describe() const {
    std::string text =
        fmt::format("{} of {} misses queued, {} of {} MSHR entries in use", miss_queue_.size(),
                    config_.miss_queue_size, mshrs_.in_use(), config_.mshr_entries);
    if (tags_.dirty_lines() != 0)
        text +=
            fmt::format(", {} of {} lines dirty", tags_.dirty_lines(), tags_.sets() * tags_.ways());
    if (!ports_.data_port_free()) text += ", data port busy";
    if (!ports_.fill_port_free()) text += ", fill port busy";
    if (!miss_queue_.empty())
        text += ", next to leave: " + protocol::describe(*miss_queue_.front().payload);
    return text;
}

}  // namespace simtlm::cache
