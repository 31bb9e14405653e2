// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/cache_engine.h"
#include "modules/kernel/archive_fwd.h"

namespace simtlm::cache {

/// The prefetching texture cache of Igehy, Eldridge and Proudfoot (Graphics Hardware 1998), as the
/// manual models it: tags are looked up and replaced at once, fragments then wait in a FIFO until
/// their data are there, so that all answers come in order and a hit is as slow as the misses
/// before it.
///
/// The sizes come from the cache configuration: fragment FIFO = mshr_entries, request FIFO =
/// mshr_max_merge, reorder buffer = miss_queue_size, result FIFO = result_fifo_entries. Ownership
/// of payloads as in cache_engine.
class texture_engine {
public:
    explicit texture_engine(const cache_config& config);

    /// Never hits at once: hit_reserved or miss, or a FIFO is full.
    access_result access(tlm::tlm_generic_payload& p, std::uint64_t now);
    /// Sends at most one request, moves at most one fragment to the results.
    void cycle(miss_sink& sink);

    bool waiting_for_fill(const tlm::tlm_generic_payload& response) const;
    void fill(tlm::tlm_generic_payload& response, std::uint64_t now);

    bool access_ready() const { return !results_.empty(); }
    tlm::tlm_generic_payload& ready_access() const { return *results_.front(); }
    tlm::tlm_generic_payload& next_access() { return *results_.pop(); }

    bool data_port_free() const { return true; }
    bool fill_port_free() const { return true; }
    /// cycle() would change nothing. @param can_send  whether the sink has room
    bool idle(bool can_send = true) const;
    /// A miss waits to be sent.
    bool has_request() const { return !requests_.empty(); }
    bool busy() const { return !fragments_.empty() || !results_.empty(); }

    void flush() { tags_.flush(); }
    void invalidate() { tags_.invalidate(); }
    void observe(access_observer& o) { observer_ = &o; }

    /// State that outlives kernels, of a block at rest.
    void checkpoint(kernel::archive& a);
    const cache_config& config() const { return config_; }
    const cache_statistics& statistics() const { return statistics_; }

private:
    struct fragment {
        tlm::tlm_generic_payload* access;
        bool missed;
    };
    struct reorder_slot {
        tlm::tlm_generic_payload* request;
        std::uint32_t data_length;
        std::uint32_t data_bytes;
        std::uint32_t pending_parts;
        bool ready;
    };
    const reorder_slot* slot_of(const tlm::tlm_generic_payload& response) const;

    cache_config config_;
    tag_array tags_;
    kernel::ring_buffer<fragment> fragments_;
    kernel::ring_buffer<tlm::tlm_generic_payload*> requests_;
    kernel::ring_buffer<reorder_slot> reorder_buffer_;
    kernel::ring_buffer<tlm::tlm_generic_payload*> results_;
    cache_statistics statistics_;
    access_observer* observer_ = nullptr;
};

}  // namespace simtlm::cache
