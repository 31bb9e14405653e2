// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/cache_engine.h"
#include "modules/support/archive_fwd.h"

namespace simtlm::cache {

/// The prefetching texture cache of Igehy, Eldridge and Proudfoot (Graphics Hardware 1998), as in
/// the GPGPU-Sim manual: tags are looked up and replaced immediately, and fragments then wait in a
/// FIFO for their data, so that responses are in order and a hit takes as long as the misses before
/// it. A sectored cache fetches the sectors of a line one by one.
///
/// The sizes come from the cache configuration: fragment FIFO = mshr_entries, request FIFO =
/// mshr_max_merge, reorder buffer = miss_queue_size, result FIFO = result_fifo_entries. Ownership
/// of payloads is as in cache_engine.
class texture_engine {
public:
    explicit texture_engine(const cache_config& config);

    /// Performs an access. @pre it touches one line, or one sector of a sectored cache
    /// @return never a hit: hit_reserved or miss, or reservation_fail if a FIFO
    /// is full
    access_result access(tlm::tlm_generic_payload& p, std::uint64_t now);
    /// Sends at most one request, and moves at most one fragment to the result FIFO.
    void cycle(protocol::request_sink& sink);

    /// Whether a response belongs to an outstanding request.
    bool waiting_for_fill(const tlm::tlm_generic_payload& response) const;
    /// Receives a response. @pre waiting_for_fill(response)
    void fill(tlm::tlm_generic_payload& response, std::uint64_t now);

    bool access_ready() const { return !results_.empty(); }
    tlm::tlm_generic_payload& ready_access() const { return *results_.front(); }
    tlm::tlm_generic_payload& next_access() { return *results_.pop(); }

    bool data_port_free() const { return true; }
    bool fill_port_free() const { return true; }
    /// Whether cycle() would change nothing. @param can_send  whether the sink has room
    bool idle(bool can_send = true) const;
    /// Whether no miss waits to be sent.
    bool miss_queue_empty() const { return requests_.empty(); }
    bool busy() const { return !fragments_.empty() || !results_.empty(); }

    void flush() { tags_.flush(); }
    void invalidate() { tags_.invalidate(); }
    void observe(access_observer& o) { observer_ = &o; }

    /// Saves or restores the state that persists across kernels, of an idle cache, as a block; see
    /// cache_engine::checkpoint().
    bool checkpoint(support::archive& a, std::string_view name, std::uint64_t now,
                    const std::function<std::uint64_t(std::uint64_t)>& index_address);
    const cache_config& config() const { return config_; }
    const cache_statistics& statistics() const { return statistics_; }

private:
    struct fragment {
        tlm::tlm_generic_payload* access;
        bool missed;
    };
    struct reorder_entry {
        tlm::tlm_generic_payload* request;
        std::uint32_t data_length;
        std::uint32_t data_bytes;
        std::uint32_t pending_parts;
        bool ready;
    };
    const reorder_entry* entry_of(const tlm::tlm_generic_payload& response) const;

    cache_config config_;
    tag_array tags_;
    support::ring_buffer<fragment> fragments_;
    support::ring_buffer<tlm::tlm_generic_payload*> requests_;
    support::ring_buffer<reorder_entry> reorder_buffer_;
    support::ring_buffer<tlm::tlm_generic_payload*> results_;
    cache_statistics statistics_;
    access_observer* observer_ = nullptr;
};

}  // namespace simtlm::cache
