// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/data_cache.h"

namespace simtlm::cache {

data_cache::data_cache(const cache_config& config, const cache_level& level,
                       protocol::transaction_pool& pool)
    : cache_engine(config, level.index_by_partition),
      level_(level),
      pool_(pool),
      limits_dirty_lines_(config.dirty_limit_percent < 100),
      write_hit_(write_hit_of(config)),
      write_miss_(write_miss_of(config.write_allocate)) {}

access_result data_cache::access(tlm::tlm_generic_payload& p, std::uint64_t now) {
    const unsigned bytes = p.get_data_length();
    const bool waits = reads_wait();
    if (waits && p.is_write() && miss_queue_full(0) && passes_through(p)) return refused(p);
    tag_array::lookup found = find(p);
    if (found.line == tag_array::no_line) {
        if (waits && !p.is_write()) return refused(p);
        found = tags_.victim(index_address(p));
    }
    const bool hit = found.outcome == access_outcome::hit;
    const bool no_line = found.outcome == access_outcome::reservation_fail;
    access_result r;
    evicted_bytes_ = 0;
    bool done = false;
    if (p.is_write()) {
        // A write that does not allocate needs no line.
        if (hit)
            done = (this->*write_hit_)(p, found, now, r);
        else if (!no_line || config_.write_allocate == write_allocate_policy::no_write_allocate)
            done = (this->*write_miss_)(p, found, now, r);
        else
            fail(p, fail_reason::line_alloc);
    } else {
        if (hit)
            done = read_hit(p, found, now, r);
        else if (!no_line)
            done = read_miss(p, found, now, r);
        else
            fail(p, fail_reason::line_alloc);
    }
    if (done) {
        ++changes_;
        if (limits_dirty_lines_ && (p.is_write() || protocol::extension(p).is_atomic) &&
            found.line != tag_array::no_line && !miss_queue_full(0))
            write_back(tags_.clean_beyond_limit(found.line), p, now, r);
        r.outcome = hit ? access_outcome::hit : access_outcome::miss;
        if (hit)
            ports_.use_data_port(bytes);
        else
            ports_.use_data_port_for_eviction(evicted_bytes_);
    }
    r.counted = booked_outcome(found.outcome, r.outcome);
    book(p, r.counted);
    return r;
}

/// Refuses an access that certainly finds the miss queue full: a write that is sent to memory, or a
/// read that misses. Tried again in every cycle, it is not worth the search for a victim.
access_result data_cache::refused(const tlm::tlm_generic_payload& p) {
    access_result r;
    fail(p, fail_reason::miss_queue);
    r.outcome = r.counted = access_outcome::reservation_fail;
    book(p, r.counted);
    return r;
}

bool data_cache::read_hit(tlm::tlm_generic_payload& p, const found_line& f, std::uint64_t now,
                          access_result& r) {
    const unsigned sector = sector_of(p);
    tags_.access(f, p.get_address(), sector, static_cast<std::uint32_t>(now));
    const protocol::memory_extension& x = protocol::extension(p);
    if (x.is_atomic) tags_.write(f.line, sector, x.bytes);
    if (x.last_use && config_.keeps_local_stores()) tags_.read_last(f.line, sector, x.bytes);
    r.finished = true;
    return true;
}

bool data_cache::read_miss(tlm::tlm_generic_payload& p, const found_line& f, std::uint64_t now,
                           access_result& r) {
    // Room for the read and possibly a write-back.
    if (miss_queue_full(1)) return fail(p, fail_reason::miss_queue);
    const read_request sent = read(p, f, now);
    if (!sent.sent) return false;
    r.read_sent = !sent.merged;
    write_back(sent.evicted, p, now, r);
    return true;
}

bool data_cache::read_copy(const tlm::tlm_generic_payload& p, std::uint64_t now) {
    const std::uint64_t tag = p.get_address() | tag_of_copy;
    const unsigned sector = sector_of(p);
    const found_line found = tags_.probe(tag, index_address(p), sector, false);
    const auto time = static_cast<std::uint32_t>(now);
    if (found.outcome == access_outcome::reservation_fail) return false;
    if (found.outcome == access_outcome::hit) {
        ++changes_;
        tags_.use(found.line, time);
        return true;
    }
    if (miss_queue_full(0)) return false;  // for a write-back
    ++changes_;
    access_result unused;
    write_back(tags_.fill_found(found, tag, sector, time, {}), p, now, unused);
    return false;
}

void data_cache::drop_copy(std::uint64_t address, std::uint64_t index_address, unsigned sector) {
    if (config_.kind != cache_kind::sector) sector = 0;
    const found_line found = tags_.find(address | tag_of_copy, index_address, sector, false);
    if (found.outcome != access_outcome::hit) return;
    ++changes_;
    tags_.invalidate_sector(found.line, sector);
}

void data_cache::write_back(const evicted_line& line, const tlm::tlm_generic_payload& cause,
                            std::uint64_t now, access_result& r) {
    if (!line.dirty || config_.write == write_policy::write_through) return;
    tlm::tlm_generic_payload& p =
        pool_.acquire(tlm::TLM_WRITE_COMMAND, line.address, line.bytes, level_.write_back);
    protocol::memory_extension& x = protocol::extension(p);
    const protocol::memory_extension& c = protocol::extension(cause);
    x.bytes = line.written;
    x.sectors = line.sectors;
    x.lanes = c.lanes;
    x.cluster = c.cluster;
    x.sm = c.sm;
    x.warp = c.warp;
    x.when.created = protocol::hop_times::stamp(now);
    if (config_.quirk_evictions_follow_misses) {
        x.misrouted = true;
        x.location.partition_address = cause.get_address();
    }
    enqueue_own(p);
    r.write_back_sent = true;
    // As in GPGPU-Sim, an eviction by a write occupies the data port, one by a read does not.
    if (cause.is_write()) evicted_bytes_ = line.bytes;
}

tlm::tlm_generic_payload& data_cache::write_allocate_read(const tlm::tlm_generic_payload& cause,
                                                          std::uint64_t now) {
    tlm::tlm_generic_payload& p = pool_.acquire(tlm::TLM_READ_COMMAND, cause.get_address(),
                                                config_.atom_bytes(), level_.write_allocate_read);
    protocol::memory_extension& x = protocol::extension(p);
    const protocol::memory_extension& c = protocol::extension(cause);
    x.bytes = c.bytes;
    x.sectors = c.sectors;
    x.lanes = c.lanes;
    x.cluster = c.cluster;
    x.sm = c.sm;
    x.warp = c.warp;
    x.profiled = c.profiled;
    x.location = c.location;
    x.located = c.located;
    x.when.created = protocol::hop_times::stamp(now);
    return p;
}

}  // namespace simtlm::cache
