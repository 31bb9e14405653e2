// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/cache_engine.h"

namespace simtlm::cache {

/// Level of a data cache in the hierarchy: the types of the requests it creates, and whether the
/// address within the partition selects the set.
struct cache_level {
    protocol::access_type write_allocate_read;
    protocol::access_type write_back;
    bool index_by_partition;
};
inline constexpr cache_level l1_level{protocol::access_type::l1_write_allocate_read,
                                      protocol::access_type::l1_writeback, false};
inline constexpr cache_level l2_level{protocol::access_type::l2_write_allocate_read,
                                      protocol::access_type::l2_writeback, true};

/// Engine of a cache for reads and writes (L1 data, L2), with the write policies of the GPGPU-Sim
/// manual: the handling of write hits and write misses is selected separately, at elaboration.
///
/// A write whose result has write_sent set goes to memory itself (the caller's payload, with a
/// reference of the miss queue), and is acknowledged from there. Atomics are reads that leave their
/// sector modified.
class data_cache : public cache_engine {
public:
    /// @param pool  of the requests that the cache creates: write-backs and write-allocate reads.
    ///              They carry the sm, cluster and warp of the access that caused them, and have no
    ///              decoded location.
    data_cache(const cache_config& config, const cache_level& level,
               protocol::transaction_pool& pool);

    /// Performs an access. @pre it touches at most one atom (sector or line)  @param now  core
    /// cycles
    access_result access(tlm::tlm_generic_payload& p, std::uint64_t now);

    /// For a cache of two partitions, each of which keeps copies of what its clients read from the
    /// other (A100, H100). As the partitions are alike, a slice holds the copies of its own sectors
    /// that are in the other one, in place of those that it keeps for the other: they occupy lines
    /// as its own data do.
    /// A read of the clients of the other partition: uses the copy of a sector or, unless all lines
    /// of the set are reserved or the miss queue is full, leaves one.
    /// @return whether there was a copy
    bool read_copy(const tlm::tlm_generic_payload& p, std::uint64_t now);
    /// Invalidates the copy of the sector that a write or an atomic accesses.
    void drop_copy(const tlm::tlm_generic_payload& p) {
        drop_copy(p.get_address(), index_address(p), sector_of(p));
    }
    /// @param index_address, sector  as in force_tag_access()
    void drop_copy(std::uint64_t address, std::uint64_t index_address, unsigned sector);

    static constexpr std::uint64_t never = ~std::uint64_t{0};
    /// The reason why an access was refused, and the state of the cache at that time.
    struct reservation_failure {
        std::uint64_t changes = never;  ///< change count of the cache at that time
        fail_reason reason{};
        std::uint32_t readable = 0;  ///< tag_array::readable_changes() at that time
    };
    /// @return the failure of the access that has just been refused
    reservation_failure last_failure(const tlm::tlm_generic_payload& p) const {
        return {tags_.replaces_round_robin() ? changes_ : never, last_failure_,
                tags_.readable_changes(p.get_address())};
    }
    /// Fast path of access() for an access that has been refused before: if nothing has changed
    /// since, or it is a read that still misses while the miss queue is full, counts it as refused
    /// again and returns true.
    bool fails_again(const tlm::tlm_generic_payload& p, reservation_failure& before) {
        if (before.changes == never) return false;
        const bool still_misses = before.reason == fail_reason::miss_queue && !p.is_write() &&
                                  reads_wait() &&
                                  before.readable == tags_.readable_changes(p.get_address());
        if (before.changes != changes_ && !still_misses) return false;
        before.changes = changes_;
        fail(p, before.reason);
        book(p, access_outcome::reservation_fail);
        return true;
    }
    /// Whether such an access is refused in every cycle until the cache changes. Observers want to
    /// see each refusal.
    bool waits_for_change(const reservation_failure& last) const {
        return last.changes == changes_ && observer_ == nullptr;
    }
    /// Counts refusals in cycles in which it has not been tried again.
    void count_refusals(const tlm::tlm_generic_payload& p, fail_reason why, std::uint64_t cycles) {
        statistics_.book_refusals(protocol::extension(p).type, why, cycles);
    }

private:
    using found_line = tag_array::lookup;
    /// Distinguishes the tag of a copy from that of the data; no address has this bit.
    static constexpr std::uint64_t tag_of_copy = std::uint64_t{1} << 62;
    using write_policy_function = bool (data_cache::*)(tlm::tlm_generic_payload&, const found_line&,
                                                       std::uint64_t, access_result&);

    /// Whether every read that misses is refused for want of an entry in the miss queue.
    bool reads_wait() const { return miss_queue_full(1) && tags_.has_victims(); }
    access_result refused(const tlm::tlm_generic_payload& p);
    // The handlers of an access return false if a resource is not available, after counting the
    // reason.
    bool read_hit(tlm::tlm_generic_payload& p, const found_line& f, std::uint64_t now,
                  access_result& r);
    bool read_miss(tlm::tlm_generic_payload& p, const found_line& f, std::uint64_t now,
                   access_result& r);

    // data_cache_write_hit.cpp
    static write_policy_function write_hit_of(const cache_config& config);
    bool hit_write_back(tlm::tlm_generic_payload& p, const found_line& f, std::uint64_t now,
                        access_result& r);
    bool hit_write_through(tlm::tlm_generic_payload& p, const found_line& f, std::uint64_t now,
                           access_result& r);
    bool hit_write_evict(tlm::tlm_generic_payload& p, const found_line& f, std::uint64_t now,
                         access_result& r);
    bool hit_local_back_global_evict(tlm::tlm_generic_payload& p, const found_line& f,
                                     std::uint64_t now, access_result& r);
    bool hit_local_back_global_through(tlm::tlm_generic_payload& p, const found_line& f,
                                       std::uint64_t now, access_result& r);
    /// Whether a write that the cache keeps is sent to memory as well.
    bool passes_through(const tlm::tlm_generic_payload& p) const;

    // data_cache_write_miss.cpp
    static write_policy_function write_miss_of(write_allocate_policy policy);
    bool miss_no_allocate(tlm::tlm_generic_payload& p, const found_line& f, std::uint64_t now,
                          access_result& r);
    bool miss_allocate(tlm::tlm_generic_payload& p, const found_line& f, std::uint64_t now,
                       access_result& r);
    bool miss_fetch_on_write(tlm::tlm_generic_payload& p, const found_line& f, std::uint64_t now,
                             access_result& r);
    bool miss_lazy_fetch(tlm::tlm_generic_payload& p, const found_line& f, std::uint64_t now,
                         access_result& r);

    void send_write(tlm::tlm_generic_payload& p, access_result& r) {
        enqueue(p);
        r.write_sent = true;
    }
    void write_back(const evicted_line& line, const tlm::tlm_generic_payload& cause,
                    std::uint64_t now, access_result& r);
    tlm::tlm_generic_payload& write_allocate_read(const tlm::tlm_generic_payload& cause,
                                                  std::uint64_t now);

    cache_level level_;
    protocol::transaction_pool& pool_;
    bool limits_dirty_lines_;
    write_policy_function write_hit_;
    write_policy_function write_miss_;
    unsigned evicted_bytes_ = 0;  // moved through the data port by a write miss
};

}  // namespace simtlm::cache
