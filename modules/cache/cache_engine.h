// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/access_observer.h"
#include "modules/cache/cache_config.h"
#include "modules/cache/cache_statistics.h"
#include "modules/cache/mshr_table.h"
#include "modules/cache/port_bandwidth.h"
#include "modules/cache/tag_array.h"
#include "modules/protocol/port_buffer.h"
#include "modules/support/archive_fwd.h"
#include "modules/support/ring_buffer.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace simtlm::cache {

/// The common part of all caches with MSHRs: tags, MSHRs, miss queue, ports, statistics. A plain
/// class without a process: the block that owns it calls cycle() once per cycle of its clock.
///
/// Ownership of payloads: hits and reservation failures hold no reference. An access that waits (a
/// miss or merged miss) is acquired once, and that reference passes to the caller of next_access().
/// The miss queue holds a reference of its own until the request has been sent. While a read miss
/// is outstanding, its address, length and data_bytes are those of the line or sector that it
/// fetches; fill() restores them.
class cache_engine {
public:
    /// @param index_by_partition  the set is selected by extension.location.partition_address (L2)
    explicit cache_engine(const cache_config& config, bool index_by_partition = false);
    cache_engine(const cache_engine&) = delete;
    cache_engine& operator=(const cache_engine&) = delete;
    ~cache_engine() = default;

    /// Sends at most one request from the miss queue, then starts the next cycle of the ports.
    void cycle(protocol::request_sink& sink) {
        send(sink);
        pass_cycle();
    }
    /// The two parts of cycle(), for a cache that sends at another point of the cycle.
    bool send(protocol::request_sink& sink);
    void pass_cycle();
    /// Accounts for cycles in which the owner slept while idle(); they count as port cycles.
    void skip(std::uint64_t cycles) { statistics_.port_cycles += cycles; }

    /// Whether a response belongs to this cache: the request itself, or a part whose parent is the
    /// request.
    bool waiting_for_fill(const tlm::tlm_generic_payload& response) const;
    /// Receives the data of a request, or of one of the 32-byte parts into which it was split; the
    /// line is filled with the last part. The caller keeps its reference to a part.
    /// @pre waiting_for_fill(response); the caller has checked fill_port_free()
    /// @param now  core cycles
    void fill(tlm::tlm_generic_payload& response, std::uint64_t now);

    /// Prefetches the host memory that fill() will read first for an upcoming response.
    void prefetch_fill(const tlm::tlm_generic_payload& response) const {
        mshrs_.prefetch(response);
    }

    /// Whether an access that had missed has its data.
    bool access_ready() const { return mshrs_.access_ready(); }
    /// The oldest such access. next_access() removes it and passes the cache's reference to the
    /// caller. For a write-allocate read of a fetch-on-write cache, extension.parent is the write,
    /// whose reference passes to the caller as well.
    tlm::tlm_generic_payload& ready_access() const { return mshrs_.head(); }
    tlm::tlm_generic_payload& next_access() {
        ++changes_;
        return mshrs_.next_access();
    }

    /// The number of changes of state that may let a refused access succeed.
    std::uint64_t changes() const { return changes_; }
    bool data_port_free() const { return ports_.data_port_free(); }
    bool fill_port_free() const { return ports_.fill_port_free(); }
    bool miss_queue_empty() const { return miss_queue_.empty(); }
    /// The request that send() would send. @pre !miss_queue_empty()
    const tlm::tlm_generic_payload& next_miss() const { return *miss_queue_.front().payload; }
    std::size_t misses_queued() const { return miss_queue_.size(); }
    /// Whether cycle() would change nothing except the number of port cycles.
    bool idle() const {
        return miss_queue_.empty() && ports_.data_port_free() && ports_.fill_port_free();
    }
    /// Whether a request is queued or outstanding.
    bool busy() const { return !idle() || !mshrs_.empty(); }

    /// Drops the modified lines, see tag_array::flush().
    void flush() {
        ++changes_;
        tags_.flush();
    }
    /// Drops all lines, see tag_array::invalidate().
    void invalidate() {
        ++changes_;
        tags_.invalidate();
    }
    /// Changes the associativity and the allocation policy, between kernels.
    void reconfigure(unsigned ways, allocation_policy allocation) {
        ++changes_;
        tags_.reconfigure(ways, allocation);
    }
    /// Updates the tags as a host copy through this cache does, without timing or statistics.
    /// @param index_address  selects the set: the address itself, or the address within the
    ///                       partition
    /// @param sector         0..3 of the line
    /// @param modifies       the sector stays modified (tag_array::fill_modified)
    void force_tag_access(std::uint64_t address, std::uint64_t index_address, std::uint64_t now,
                          unsigned sector, bool modifies = false) {
        ++changes_;
        if (config_.kind != cache_kind::sector) sector = 0;
        const auto time = static_cast<std::uint32_t>(now);
        if (modifies)
            tags_.fill_modified(address, index_address, time, sector);
        else
            tags_.fill_address(address, index_address, time, sector, {}, true);
    }

    void observe(access_observer& o) { observer_ = &o; }

    /// Describes the occupancy, for a deadlock report.
    std::string describe() const;

    /// Saves or restores tags and ports of an idle cache as a block; statistics are restored for
    /// all blocks together.
    /// @param name           of the block
    /// @param now            core cycles
    /// @param index_address  the address that selects the set of an address
    /// @return whether members of the owner may follow: not if the block is not restored, or its
    ///         lines have been inserted again
    bool checkpoint(support::archive& a, std::string_view name, std::uint64_t now,
                    const std::function<std::uint64_t(std::uint64_t)>& index_address);
    /// For such lines from another slice of the L2. @param now  core cycles
    void insert(std::vector<tag_array::saved_line> lines,
                const std::function<std::uint64_t(std::uint64_t)>& index_address,
                std::uint64_t now) {
        ++changes_;
        tags_.insert(std::move(lines), index_address, static_cast<std::uint32_t>(now));
    }
    const cache_config& config() const { return config_; }
    const tag_array& tags() const { return tags_; }
    const mshr_table& mshrs() const { return mshrs_; }
    const cache_statistics& statistics() const { return statistics_; }

protected:
    struct queued_request {
        tlm::tlm_generic_payload* payload;
        bool own_write_back;
    };
    struct read_request {
        bool sent = false;    // false: the reason has been counted
        bool merged = false;  // waits for data that were already requested
        evicted_line evicted;
    };

    std::uint64_t index_address(const tlm::tlm_generic_payload& p) const {
        const auto& e = protocol::extension(p);
        return index_by_partition_ && e.located ? e.location.partition_address : p.get_address();
    }
    unsigned sector_of(const tlm::tlm_generic_payload& p) const {
        if (config_.kind != cache_kind::sector) return 0;
        const unsigned mask = protocol::extension(p).sectors;
        return mask != 0 ? static_cast<unsigned>(__builtin_ctz(mask))
                         : config_.sector_of(p.get_address());
    }
    tag_array::lookup probe(const tlm::tlm_generic_payload& p) const {
        return tags_.probe(p.get_address(), index_address(p), sector_of(p), p.is_write());
    }
    tag_array::lookup find(const tlm::tlm_generic_payload& p) const {
        return tags_.find(p.get_address(), index_address(p), sector_of(p), p.is_write());
    }
    std::uint64_t mshr_address(const tlm::tlm_generic_payload& p) const {
        return p.get_address() & ~std::uint64_t{config_.atom_bytes() - 1};
    }
    /// Whether the miss queue has room for at most `spare` requests.
    bool miss_queue_full(unsigned spare) const {
        return miss_queue_.size() + spare >= config_.miss_queue_size;
    }
    void book(const tlm::tlm_generic_payload& p, access_outcome outcome) {
        statistics_.book(protocol::extension(p).type, outcome);
        if (observer_ != nullptr) observer_->accessed(p, outcome);
    }
    bool fail(const tlm::tlm_generic_payload& p, fail_reason reason) {
        last_failure_ = reason;
        statistics_.book(protocol::extension(p).type, reason);
        return false;
    }
    /// Whether the MSHRs can accept the access; counts the reason if not.
    bool mshr_available(const tlm::tlm_generic_payload& p, std::uint32_t entry);
    /// Whether an MSHR entry has received its data and is answering its accesses: an access that
    /// merges now gets the data too, but no fill will follow.
    bool answers_only(std::uint32_t entry) const {
        return entry != mshr_table::none && mshrs_.is_ready(entry) &&
               tags_.allocation() == allocation_policy::on_miss &&
               !config_.quirks.lines_stay_reserved;
    }
    /// Handles a read miss: it waits in the MSHRs, and is sent to memory unless its data have
    /// already been requested.
    read_request read(tlm::tlm_generic_payload& p, const tag_array::lookup& found,
                      std::uint64_t now);
    void enqueue(tlm::tlm_generic_payload& p) {
        p.acquire();
        miss_queue_.push({&p, false});
    }
    /// Enqueues a write-back, whose only reference passes to the queue.
    void enqueue_own(tlm::tlm_generic_payload& p) { miss_queue_.push({&p, true}); }
    static access_outcome booked_outcome(access_outcome probed, access_outcome result);

    cache_config config_;
    bool index_by_partition_;
    tag_array tags_;
    mshr_table mshrs_;
    support::ring_buffer<queued_request> miss_queue_;
    port_bandwidth ports_;
    cache_statistics statistics_;
    std::uint64_t changes_ = 0;  // of state that determines whether an access is refused
    fail_reason last_failure_{};
    access_observer* observer_ = nullptr;
};

}  // namespace simtlm::cache
