// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_config.h"
#include "modules/core/memory_port.h"
#include "modules/core/modern/engine_config.h"
#include "modules/core/modern/engine_watcher.h"
#include "modules/core/modern/modern_statistics.h"
#include "modules/core/sm_identity.h"
#include "modules/core/warp_table.h"
#include "modules/kernel/clocked_process.h"
#include "modules/program/bulk_transfer.h"
#include "modules/protocol/memory_transaction.h"
#include "modules/protocol/sockets.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

namespace simtlm::core::modern {

/// The engine of an SM for bulk copies: the Tensor Memory Accelerator of Hopper (PTX manual,
/// cp.async.bulk). A copy passes
///
///     command queue → front end, one copy at a time (tensor map from a cache, or from memory)
///       → address generation → requests of 128 bytes, one in bulk_copy_config::request_interval
///       cycles, up to a limit in flight → replies → mbarrier
///
/// The addresses of a tensor copy are generated from its map, which takes
/// bulk_copy_config::tensor_cycles from when the front end has both. Copies generate addresses at
/// the same time and make requests in the order of the front end.
///
/// Requests do not pass the L1D. A load is complete when all replies have come: its mbarriers are
/// told. A store or reduction has read shared memory when its last request has left, and is
/// complete when all are acknowledged: the bulk groups of its warp are told.
///
/// Actions: completions (core_write_back), front end and requests (core_access, behind the memory
/// unit).
class bulk_copy_engine : public sc_core::sc_module {
public:
    protocol::initiator_socket<bulk_copy_engine> memory;

    /// Who is told of data that have come.
    struct client {
        virtual ~client() = default;
        /// The data of a transfer are in shared memory: its mbarriers are to be told.
        /// @param warp  that has started it
        virtual void transfer_arrived(unsigned warp, const program::bulk_transfer& what) = 0;
    };
    struct blocks {
        const request_tagger& tagger;
        warp_table& warps;
        memory_port& port;
        protocol::transaction_pool& transactions;
        modern_statistics& statistics;
        client& sm;
    };
    bulk_copy_engine(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
                     const bulk_copy_config& config, const blocks& sm);
    ~bulk_copy_engine() override;

    /// Tells every copy that is complete, as one of the SM of a number.
    void watch(engine_watcher& watcher, unsigned sm) {
        watcher_ = &watcher;
        sm_number_ = sm;
    }

    // ---- from the sub-cores, in phase core_issue ----

    /// The command queue has room for the copies of another instruction.
    bool can_accept() const { return commands_.size() < config_.commands; }
    /// A warp has issued copies.
    void start(unsigned warp, std::vector<program::bulk_transfer> transfers, std::uint64_t now);
    /// A warp closes its current bulk group.
    void commit(unsigned warp);
    /// A warp waits until at most so many of its closed groups are in flight.
    /// @param read_only  ... have yet to read shared memory
    /// @return false: it need not
    bool wait(unsigned warp, unsigned groups, bool read_only);
    /// A warp slot holds another warp, which has started nothing.
    void warp_starts(unsigned warp) { groups_[warp] = {}; }

    /// Transfers that are not complete.
    std::size_t in_flight() const { return all_.size() - free_.size(); }
    std::size_t commands_queued() const { return commands_.size(); }
    unsigned requests_in_flight() const { return requests_; }
    /// What a warp waits for, for a deadlock report; empty: for no bulk group.
    std::string why_waiting(unsigned warp) const;

private:
    /// A copy on its way through the engine.
    struct transfer {
        program::bulk_transfer what;
        std::uint16_t warp = 0;
        std::uint32_t group = 0;
        std::uint64_t ready_at = 0;     // for the front end
        std::uint64_t begun = 0;        // at the front end
        std::uint64_t requests_at = 0;  // from then on it may make requests
        std::size_t range = 0;          // of what, from which requests are made next
        std::uint32_t offset = 0;       // in it
        std::uint32_t outstanding = 0;  // requests
        bool awaits_map = false;
        std::uint32_t map_asked_for = 0;  // bytes of the map for which requests have been sent
        unsigned map_requests = 0;        // ... that have not been answered
        bool generated = false;           // all requests have been sent
    };
    struct bulk_group {
        std::uint32_t reading = 0;    // transfers that have yet to read shared memory
        std::uint32_t in_flight = 0;  // ... that are not complete
    };
    /// Whether a bulk group waits for it.
    static bool in_group(const transfer& t) {
        return t.what.what == program::bulk_transfer::kind::store ||
               t.what.what == program::bulk_transfer::kind::reduction;
    }
    /// The bulk groups of a warp; the last is open.
    struct warp_groups {
        std::vector<bulk_group> of{bulk_group()};
        std::uint32_t first = 0;  // number of of[0]
        std::uint32_t wait_below = 0;
        bool waits = false;
        bool read_only = false;
    };
    struct completion {
        std::uint64_t at;
        transfer* what;
    };

    tlm::tlm_sync_enum respond(int id, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
    void act();
    void finish();
    void process_command(std::uint64_t now);
    void generate(std::uint64_t now);
    std::uint64_t next_action(std::uint64_t now) const;
    void generates_addresses_from(transfer& t, std::uint64_t now) const;
    void send(transfer& t, std::uint64_t address, std::uint32_t bytes, bool is_map);
    void ask_for_map(transfer& t);
    static bool has_to_ask_for_map(const transfer& t);
    void request_sent(transfer& t);
    void reply_came(transfer& t);
    void complete_if_done(transfer& t);
    bool has_map(std::uint64_t address);
    static bool passes(const warp_groups& g);
    void release_waiting(unsigned warp);
    transfer& take();

    const bulk_copy_config config_;
    blocks sm_;
    std::vector<std::unique_ptr<transfer>> all_;
    std::vector<transfer*> free_;
    std::deque<transfer*> commands_;    // before the front end
    std::deque<transfer*> generating_;  // behind it
    std::deque<completion> completions_;
    std::vector<std::uint64_t> maps_;  // cache of tensor maps, the last used last
    std::vector<warp_groups> groups_;  // by warp
    std::uint64_t front_end_free_at_ = 0;
    std::uint64_t next_request_at_ = 0;
    unsigned requests_ = 0;  // in flight
    bool blocked_ = false;   // a request waits for END_REQ
    engine_watcher* watcher_ = nullptr;
    unsigned sm_number_ = 0;  // for the watcher

    kernel::clocked_process finish_process_;
    kernel::clocked_process act_process_;
};

}  // namespace simtlm::core::modern
