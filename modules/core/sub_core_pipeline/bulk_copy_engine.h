// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_config.h"
#include "modules/core/engine_watcher.h"
#include "modules/core/memory_port.h"
#include "modules/core/sm_identity.h"
#include "modules/core/sub_core_pipeline/engine_config.h"
#include "modules/core/sub_core_pipeline/sub_core_statistics.h"
#include "modules/core/warp_table.h"
#include "modules/program/bulk_transfer.h"
#include "modules/protocol/memory_transaction.h"
#include "modules/protocol/port_buffer.h"
#include "modules/simulation/clocked_process.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

namespace simtlm::core::sub_core_pipeline {

/// The bulk copy engine of an SM: the Tensor Memory Accelerator of Hopper (PTX manual,
/// cp.async.bulk). A copy passes
///
///     command queue → front end, one copy at a time (tensor map from a cache, or from memory)
///       → address generation → requests of 128 bytes, one in bulk_copy_config::request_interval
///       cycles, up to a limit in flight → replies → mbarrier
///
/// The addresses of a tensor copy are generated from its map. This takes
/// bulk_copy_config::tensor_cycles, counted from when the copy and its map are available in the
/// front end. Address generation of several copies overlaps; requests are sent in the order in
/// which the copies have passed the front end.
///
/// Requests bypass the L1D. A load is complete when all replies have arrived; its mbarriers are
/// then notified. A store or reduction has finished reading shared memory when its last request has
/// been sent, and is complete when all requests are acknowledged; the bulk groups of its warp are
/// then updated.
///
/// Actions: completions (core_write_back), front end and requests (core_access, after the memory
/// unit).
class bulk_copy_engine : public sc_core::sc_module, private protocol::port_buffer::client {
public:
    protocol::port_buffer memory;

    /// Interface of the owner, which is notified of arrived data.
    struct client {
        virtual ~client() = default;
        /// The data of a transfer have arrived in shared memory; its mbarriers have to be notified.
        /// @param warp  the warp that started the transfer
        virtual void transfer_arrived(unsigned warp, const program::bulk_transfer& what) = 0;
    };
    struct blocks {
        const requester_identity& identity;
        warp_table& warps;
        memory_port& port;
        protocol::transaction_pool& transactions;
        sub_core_statistics& statistics;
        client& sm;
    };
    bulk_copy_engine(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                     const bulk_copy_config& config, const blocks& sm);
    ~bulk_copy_engine() override;
    const char* kind() const override { return "bulk_copy_engine"; }

    /// Registers a watcher that is notified of every completed copy, with this SM number.
    void watch(engine_watcher& watcher, unsigned sm) {
        watcher_ = &watcher;
        sm_number_ = sm;
    }

    // ---- from the sub-cores, in phase core_issue ----

    /// Whether the command queue has room for the copies of another instruction.
    bool can_accept() const { return commands_.size() < config_.commands; }
    /// Starts the copies that a warp has issued.
    void start(unsigned warp, std::vector<program::bulk_transfer> transfers, std::uint64_t now);
    /// Closes the current bulk group of a warp.
    void commit(unsigned warp);
    /// Lets a warp wait until at most `groups` of its closed groups are in flight.
    /// @param read_only  counts only groups that have not finished reading shared memory
    /// @return false if the warp need not wait
    bool wait(unsigned warp, unsigned groups, bool read_only);
    /// Assigns a warp slot to a new warp, which has not started any copies.
    void warp_starts(unsigned warp) { groups_[warp] = {}; }

    /// Number of incomplete transfers.
    std::size_t in_flight() const { return all_.size() - free_.size(); }
    std::size_t commands_queued() const { return commands_.size(); }
    unsigned requests_in_flight() const { return requests_; }
    /// Description of the bulk groups that a warp waits for, for deadlock reports; empty if there
    /// are none.
    std::string why_waiting(unsigned warp) const;

    /// Saves or restores the state that outlives copies.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(maps_, front_end_free_at_, next_request_at_);
    }

private:
    /// A copy in the engine.
    struct transfer {
        program::bulk_transfer what;
        std::uint32_t number = 0;  // in all_
        std::uint16_t warp = 0;
        std::uint32_t group = 0;
        std::uint64_t ready_at = 0;     // when the front end may take it
        std::uint64_t begun = 0;        // when the front end took it
        std::uint64_t requests_at = 0;  // earliest cycle of its requests
        std::size_t range = 0;          // index of the range of the next request
        std::uint32_t offset = 0;       // offset of the next request in the range
        std::uint32_t outstanding = 0;  // unanswered requests
        bool awaits_map = false;
        std::uint32_t map_asked_for = 0;  // bytes of the map requested so far
        unsigned map_requests = 0;        // unanswered requests for the map
        bool generated = false;           // all requests have been sent
    };
    struct bulk_group {
        std::uint32_t reading = 0;    // transfers that have not finished reading shared memory
        std::uint32_t in_flight = 0;  // incomplete transfers
    };
    /// Whether the transfer is tracked by a bulk group.
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

    bool accept_response(tlm::tlm_generic_payload& p) override;
    void request_ended(tlm::tlm_generic_payload&) override { act_process_.wake(); }
    void act();
    void finish();
    void process_command(std::uint64_t now);
    void generate(std::uint64_t now);
    std::uint64_t next_action(std::uint64_t now) const;
    void schedule_first_request(transfer& t, std::uint64_t now) const;
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
    std::deque<transfer*> generating_;  // after it
    std::deque<completion> completions_;
    std::vector<std::uint64_t> maps_;  // cache of tensor maps, the last used last
    std::vector<warp_groups> groups_;  // by warp
    std::uint64_t front_end_free_at_ = 0;
    std::uint64_t next_request_at_ = 0;
    unsigned requests_ = 0;  // in flight
    engine_watcher* watcher_ = nullptr;
    unsigned sm_number_ = 0;  // for the watcher

    simulation::clocked_process finish_process_;
    simulation::clocked_process act_process_;
};

}  // namespace simtlm::core::sub_core_pipeline
