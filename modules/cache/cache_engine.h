// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/access_observer.h"
#include "modules/cache/cache_config.h"
#include "modules/cache/cache_statistics.h"
#include "modules/cache/mshr_table.h"
#include "modules/cache/port_bandwidth.h"
#include "modules/cache/tag_array.h"
#include "modules/kernel/archive_fwd.h"
#include "modules/kernel/ring_buffer.h"
#include "modules/protocol/memory_transaction.h"

#include <cstdint>

namespace simtlm::cache {

/// Where a cache's misses go.
struct miss_sink {
    virtual ~miss_sink() = default;
    /// Takes a request, or has no room now. A sink that keeps it acquires it, except a write-back
    /// that the cache has made: its only reference passes to the sink, which releases it when it
    /// has been answered.
    virtual bool try_send(tlm::tlm_generic_payload& request) = 0;
};

/// What all caches with MSHRs have in common: tags, MSHRs, miss queue, ports, statistics. A plain
/// class without a process: the block that owns it calls cycle() once per cycle of its clock.
///
/// Ownership of payloads: a hit or a reservation failure holds nothing. An access that waits (miss,
/// merged miss) is acquired once, and that reference passes to the caller of next_access(). The
/// miss queue holds a reference of its own until the request has been sent. While a read miss is
/// under way its address, length and data_bytes are those of the line or sector it fetches; they
/// are restored by fill().
class cache_engine {
public:
    /// @param index_by_partition  the set is chosen by extension.location.partition_address (L2)
    explicit cache_engine(const cache_config& config, bool index_by_partition = false);
    cache_engine(const cache_engine&) = delete;
    cache_engine& operator=(const cache_engine&) = delete;
    ~cache_engine() = default;

    /// Sends at most one request of the miss queue, then gives the ports their next cycle.
    void cycle(miss_sink& sink) {
        send(sink);
        pass_cycle();
    }
    /// The two halves of cycle(), for a cache that may send at another place of the cycle.
    bool send(miss_sink& sink);
    void pass_cycle();
    /// Cycles that the owner slept through while idle(). They count as port cycles.
    void skip(std::uint64_t cycles) { statistics_.port_cycles += cycles; }

    /// Whether a response is for this cache: the request itself, or a part of it (its parent is
    /// the request).
    bool waiting_for_fill(const tlm::tlm_generic_payload& response) const;
    /// The data of a request have come, or of one of the 32-byte parts it was split into (the line
    /// is filled with the last). The caller keeps his reference to a part.
    /// @pre waiting_for_fill(response); the caller has looked at fill_port_free()
    /// @param now  core cycles
    void fill(tlm::tlm_generic_payload& response, std::uint64_t now);

    /// Prefetches what the fill by a response that is about to come will read first.
    void prefetch_fill(const tlm::tlm_generic_payload& response) const {
        mshrs_.prefetch(mshr_address(response));
    }

    /// Whether an access that had missed has its data.
    bool access_ready() const { return mshrs_.access_ready(); }
    /// The oldest such access; next_access() takes it off with the cache's reference to it. A
    /// write-allocate read of a fetch-on-write cache has the write in extension.parent, with a
    /// reference of its own that passes likewise.
    tlm::tlm_generic_payload& ready_access() const { return mshrs_.head(); }
    tlm::tlm_generic_payload& next_access() {
        ++changes_;
        return mshrs_.next_access();
    }

    bool data_port_free() const { return ports_.data_port_free(); }
    bool fill_port_free() const { return ports_.fill_port_free(); }
    bool miss_queue_empty() const { return miss_queue_.empty(); }
    std::size_t misses_queued() const { return miss_queue_.size(); }
    /// cycle() would change nothing but the port cycles.
    bool idle() const {
        return miss_queue_.empty() && ports_.data_port_free() && ports_.fill_port_free();
    }
    /// Something is queued or on its way.
    bool busy() const { return !idle() || !mshrs_.empty(); }

    void flush() {
        ++changes_;
        tags_.flush();
    }
    void invalidate() {
        ++changes_;
        tags_.invalidate();
    }
    void reconfigure(unsigned ways, allocation_policy allocation) {
        ++changes_;
        tags_.reconfigure(ways, allocation);
    }
    /// Warms the tags as a host copy through this cache does; no timing, no statistics.
    /// @param index_address  selects the set: the address itself, or within the partition
    /// @param sector         0..3 of the line
    void force_tag_access(std::uint64_t address, std::uint64_t index_address, std::uint64_t now,
                          unsigned sector) {
        ++changes_;
        tags_.fill_address(address, index_address, static_cast<std::uint32_t>(now),
                           config_.kind == cache_kind::sector ? sector : 0, {}, true);
    }

    void observe(access_observer& o) { observer_ = &o; }

    /// How full it is, for a deadlock report.
    std::string describe() const;

    /// Tags and ports, of a cache at rest; statistics are restored for all blocks at once.
    void checkpoint(kernel::archive& a);
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
        bool sent = false;    // false: the reason has been booked
        bool merged = false;  // waits for data that were on their way
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
                         : static_cast<unsigned>(p.get_address() / sector_bytes) % sectors_per_line;
    }
    tag_array::lookup probe(const tlm::tlm_generic_payload& p) const {
        return tags_.probe(p.get_address(), index_address(p), sector_of(p), p.is_write());
    }
    std::uint64_t mshr_address(const tlm::tlm_generic_payload& p) const {
        return p.get_address() & ~std::uint64_t{config_.atom_bytes() - 1};
    }
    /// Whether the miss queue has no room for more than so many requests.
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
    /// Whether the MSHRs take the access; books the reason if not.
    bool mshr_available(const tlm::tlm_generic_payload& p, std::uint32_t entry);
    /// Whether an MSHR entry has its data, and answers: whoever merges into it now gets them too,
    /// but no fill comes.
    bool answers_only(std::uint32_t entry) const {
        return entry != mshr_table::none && mshrs_.is_ready(entry) &&
               tags_.allocation() == allocation_policy::on_miss &&
               !config_.quirks.lines_stay_reserved;
    }
    /// A read misses: it waits in the MSHRs, and goes to memory unless its data are on their way.
    read_request read(tlm::tlm_generic_payload& p, const tag_array::lookup& found,
                      std::uint64_t now);
    void enqueue(tlm::tlm_generic_payload& p) {
        p.acquire();
        miss_queue_.push({&p, false});
    }
    /// A write-back: its only reference goes along.
    void enqueue_own(tlm::tlm_generic_payload& p) { miss_queue_.push({&p, true}); }
    static access_outcome booked_outcome(access_outcome probed, access_outcome result);

    cache_config config_;
    bool index_by_partition_;
    tag_array tags_;
    mshr_table mshrs_;
    kernel::ring_buffer<queued_request> miss_queue_;
    port_bandwidth ports_;
    cache_statistics statistics_;
    std::uint64_t changes_ = 0;  // of what decides whether an access is refused
    fail_reason last_failure_{};
    access_observer* observer_ = nullptr;
};

}  // namespace simtlm::cache
