// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/memory_transaction.h"
#include "modules/support/ring_buffer.h"

#include <cstdint>
#include <vector>

namespace simtlm::cache {

/// The miss status holding registers: one entry per outstanding line (sector), with the accesses
/// that wait for it. When the data arrive, the entry joins the queue of ready entries, whose
/// accesses are returned in order, one at a time. Entries and list nodes are used lowest first and
/// the hash table grows with them, so that only as much memory is touched as was ever in use.
class mshr_table {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    /// The request sent for an entry, and the attributes that are restored with its response.
    struct request {
        tlm::tlm_generic_payload* payload = nullptr;  ///< nullptr: no request is outstanding
        std::uint64_t address = 0;
        std::uint64_t index_address = 0;
        std::uint32_t line = 0;
        std::uint32_t mshr = 0;  ///< of the cache for which this one fetches the data
        std::uint16_t data_length = 0;
        std::uint16_t data_bytes = 0;
        std::uint16_t pending_parts = 0;
        std::uint8_t sectors = 0;
    };

    /// @param entries    maximum number of outstanding lines
    /// @param max_merge  maximum number of accesses waiting for one line
    mshr_table(unsigned entries, unsigned max_merge);

    /// @return the entry of a line (sector) address, or none
    std::uint32_t find(std::uint64_t address) const {
        for (std::uint32_t e = buckets_[bucket(address)]; e != none; e = entries_[e].next)
            if (entries_[e].address == address) return e;
        return none;
    }
    /// @return the entry whose request is a transaction, or none
    std::uint32_t waiting_for(const tlm::tlm_generic_payload& p) const {
        const std::uint32_t e = protocol::extension(p).mshr;
        return e < entries_.size() && entries_[e].sent.payload == &p ? e : none;
    }
    /// Prefetches the host memory that waiting_for() and a fill will read.
    void prefetch(const tlm::tlm_generic_payload& p) const {
        const std::uint32_t e = protocol::extension(p).mshr;
        if (e < entries_.size()) __builtin_prefetch(&entries_[e], 1);
    }
    /// Whether no further access can be added. @param found  result of find() for its address
    bool full(std::uint32_t found) const {
        return found == none ? in_use_ == capacity_ : entries_[found].waiting >= max_merge_;
    }
    /// Adds a waiting access. @pre !full(found)  @return  its entry
    std::uint32_t add(std::uint32_t found, std::uint64_t address, tlm::tlm_generic_payload& access);
    request& sent(std::uint32_t entry) { return entries_[entry].sent; }
    const request& sent(std::uint32_t entry) const { return entries_[entry].sent; }

    bool has_atomic(std::uint32_t entry) const { return entries_[entry].has_atomic; }
    /// Whether a read waits after a write.
    bool read_after_write(std::uint32_t entry) const;

    /// Whether the data of an entry have arrived, and its accesses are being answered.
    bool is_ready(std::uint32_t entry) const { return entries_[entry].sent.payload == nullptr; }
    /// Marks the data of an entry as arrived.
    void mark_ready(std::uint32_t entry) {
        __builtin_prefetch(&nodes_[entries_[entry].first], 1);
        ready_.push(entry);
    }
    bool access_ready() const { return !ready_.empty(); }
    /// The next access whose data have arrived. @pre access_ready()
    tlm::tlm_generic_payload& head() const {
        return *nodes_[entries_[ready_.front()].first].access;
    }
    /// Removes and returns head(); the entry is freed with its last access.
    tlm::tlm_generic_payload& next_access();

    unsigned in_use() const { return in_use_; }
    bool empty() const { return in_use_ == 0; }

private:
    /// Occupies one cache line.
    struct alignas(64) mshr {
        std::uint64_t address = 0;
        std::uint32_t next = none;  // in the bucket, or in the list of free entries
        std::uint32_t first = none;
        std::uint32_t last = none;
        std::uint32_t waiting : 31;
        std::uint32_t has_atomic : 1;
        request sent;
        mshr() : waiting(0), has_atomic(0) {}
    };
    static_assert(sizeof(mshr) == 64);
    struct node {
        tlm::tlm_generic_payload* access;
        std::uint32_t next;
    };
    std::uint32_t bucket(std::uint64_t address) const {
        return static_cast<std::uint32_t>((address >> 5) * 0x9e3779b97f4a7c15u >> 32) &
               static_cast<std::uint32_t>(buckets_.size() - 1);
    }
    void link(std::uint32_t e);
    void erase(std::uint32_t e);
    void add_buckets();

    std::uint32_t capacity_;
    std::uint32_t max_merge_;
    std::vector<std::uint32_t> buckets_;  // a power of two, not less than the largest in_use_
    std::vector<mshr> entries_;
    std::vector<node> nodes_;
    std::uint32_t free_ = none;
    std::uint32_t free_node_ = none;
    unsigned in_use_ = 0;
    support::ring_buffer<std::uint32_t> ready_;
};

}  // namespace simtlm::cache
