// SPDX-License-Identifier: Apache-2.0
/// Handling of write misses: the write-allocate policies of the GPGPU-Sim manual.
#include "modules/cache/data_cache.h"

namespace simtlm::cache {

namespace {

bool covers(const protocol::byte_mask& bytes, unsigned count) {
    return static_cast<unsigned>(__builtin_popcountll(bytes.bits[0]) +
                                 __builtin_popcountll(bytes.bits[1])) == count;
}

}  // namespace

data_cache::write_policy_function data_cache::write_miss_of(write_allocate_policy policy) {
    switch (policy) {
        case write_allocate_policy::no_write_allocate:
            return &data_cache::miss_no_allocate;
        case write_allocate_policy::write_allocate:
            return &data_cache::miss_allocate;
        case write_allocate_policy::fetch_on_write:
            return &data_cache::miss_fetch_on_write;
        case write_allocate_policy::lazy_fetch_on_read:
            return &data_cache::miss_lazy_fetch;
    }
    return &data_cache::miss_no_allocate;
}

bool data_cache::miss_no_allocate(tlm::tlm_generic_payload& p, const found_line&, std::uint64_t,
                                  access_result& r) {
    if (miss_queue_full(0)) return fail(p, fail_reason::miss_queue);
    send_write(p, r);
    return true;
}

// The write is sent to memory, and a read after it fetches the line.
bool data_cache::miss_allocate(tlm::tlm_generic_payload& p, const found_line& f, std::uint64_t now,
                               access_result& r) {
    if (miss_queue_full(2)) return fail(p, fail_reason::miss_queue);
    if (!mshr_available(p, mshrs_.find(mshr_address(p)))) return false;
    send_write(p, r);
    tlm::tlm_generic_payload& fetch = write_allocate_read(p, now);
    const read_request sent = read(fetch, f, now);
    fetch.release();  // the MSHR and the miss queue have their own references
    r.write_allocate_sent = true;
    write_back(sent.evicted, p, now, r);
    return true;
}

// A write of the whole sector needs no data from memory; any other write waits for them.
bool data_cache::miss_fetch_on_write(tlm::tlm_generic_payload& p, const found_line& f,
                                     std::uint64_t now, access_result& r) {
    const unsigned sector = sector_of(p);
    const protocol::memory_extension& x = protocol::extension(p);
    if (covers(x.bytes, config_.atom_bytes())) {
        if (miss_queue_full(0)) return fail(p, fail_reason::miss_queue);
        const evicted_line evicted =
            tags_.access(f, p.get_address(), sector, static_cast<std::uint32_t>(now));
        // If the sector has been requested, its fill will leave it clean, as in GPGPU-Sim.
        tags_.write(f.line, sector, x.bytes);
        write_back(evicted, p, now, r);
        r.finished = true;
        return true;
    }
    if (miss_queue_full(1)) return fail(p, fail_reason::miss_queue);
    const std::uint32_t entry = mshrs_.find(mshr_address(p));
    if (!mshr_available(p, entry)) return false;
    if (entry != mshr_table::none && mshrs_.read_after_write(entry))
        return fail(p, fail_reason::mshr_rw);
    tlm::tlm_generic_payload& fetch = write_allocate_read(p, now);
    p.acquire();
    protocol::extension(fetch).parent = &p;
    const read_request sent = read(fetch, f, now);
    fetch.release();
    tags_.keep_modified_on_fill(f.line, sector);
    r.write_allocate_sent = true;
    write_back(sent.evicted, p, now, r);
    return true;
}

// The sector keeps the written bytes; a read of any other byte will fetch it.
bool data_cache::miss_lazy_fetch(tlm::tlm_generic_payload& p, const found_line& f,
                                 std::uint64_t now, access_result& r) {
    const bool through = passes_through(p);
    // Room for the write or for the write-back of a dirty line, or for both.
    const bool both = through && config_.keeps_local_stores() &&
                      f.outcome == access_outcome::miss && tags_.to_write_back(f.line).dirty;
    if (miss_queue_full(both ? 1 : 0)) return fail(p, fail_reason::miss_queue);
    if (through) send_write(p, r);
    const unsigned sector = sector_of(p);
    const protocol::memory_extension& x = protocol::extension(p);
    const bool on_its_way = f.outcome == access_outcome::hit_reserved;
    const evicted_line evicted =
        tags_.access(f, p.get_address(), sector, static_cast<std::uint32_t>(now));
    tags_.write(f.line, sector, x.bytes, through);
    if (on_its_way) tags_.keep_modified_on_fill(f.line, sector);
    const bool whole = covers(x.bytes, config_.atom_bytes());
    tags_.set_readable(f.line, sector, whole);
    if (!whole && on_its_way) tags_.set_readable_on_fill(f.line, sector);
    tags_.update_readable(f.line, sector, x.sectors);
    write_back(evicted, p, now, r);
    r.finished = !r.write_sent;
    return true;
}

}  // namespace simtlm::cache
