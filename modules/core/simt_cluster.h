// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/multiprocessor.h"
#include "modules/core/reply_observer.h"
#include "modules/protocol/target_port.h"
#include "modules/simulation/clocked_module.h"
#include "modules/simulation/clocked_process.h"
#include "modules/support/archive_fwd.h"
#include "modules/support/ring_buffer.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace simtlm::core {

/// A SIMT core cluster (GPGPU-Sim manual): SMs that share a network port.
///
/// Requests: those of a single SM are sent directly to the network; several SMs have one outbox
/// each, which the cluster empties once per core cycle, starting with a different SM each time.
/// With core_quirks::sms_in_order the SMs act one after the other instead, in that order, each with
/// the room that its predecessors have left. Responses: one FIFO
/// (-gpgpu_n_cluster_ejection_buffer_size) whose head blocks all others while it waits for its SM.
/// Per core cycle one response (simt_cluster_config::responses_per_cycle) is delivered to an SM and
/// one is accepted from the network.
///
/// With a perfect memory (-gpgpu_perfect_mem) requests do not reach the network: each one is its
/// own response and enters the response FIFO in the cycle in which it is sent, if there is room.
///
/// With gpc_cache_config, reads of instructions and constants go to the cache of the GPC, one of
/// whose responses is accepted per core cycle, in addition to that of the network.
class simt_cluster : public simulation::clocked_module, private shared_outside {
public:
    protocol::initiator_socket<simt_cluster> network;
    /// To the gpc_cache of its GPC, if there are any.
    std::optional<protocol::initiator_socket<simt_cluster>> gpc_cache;

    /// @param number  of the cluster
    simt_cluster(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                 const simt_cluster_config& config, unsigned number,
                 protocol::transaction_pool& transactions);
    const char* kind() const override { return "simt_cluster"; }

    unsigned sms() const { return static_cast<unsigned>(sms_.size()); }
    multiprocessor& core(unsigned i) { return *sms_[i]; }
    const traffic_statistics& traffic() const { return traffic_; }
    void set_reply_observer(reply_observer& o) { observer_ = &o; }
    /// Adds passive observers, which see every reply delivered to an SM.
    void watch_replies(reply_observer& o) {
        sequencer_.stay_on_one_thread(protocol::phase::core_receive);  // the observer may be shared
                                                                       // by several clusters
        watchers_.push_back(&o);
    }
    /// Whether the network currently accepts no request.
    bool request_blocked() const { return blocked_; }
    std::size_t requests_queued() const {
        std::size_t n = 0;
        for (const auto& box : outbox_) n += box.size();
        return n;
    }
    /// Whether a request or reply is queued.
    bool busy() const;
    /// Whether it holds no warp, request or reply.
    bool at_rest() const;
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);

    /// Reports whether CTAs of running kernels have not been placed yet, on any cluster.
    /// @param now  the last core cycle of the previous state
    void set_ctas_left(bool left, std::uint64_t now) {
        left ? cycles_.start(now) : cycles_.stop(now);
        if (left && in_order_) inject_process_.wake();
    }
    /// The SM that injects first in a core cycle (-gpgpu_simt_core_sim_order).
    unsigned first_sm(std::uint64_t cycle) const {
        return config_.sim_order == 1
                   ? static_cast<unsigned>(cycles_.since_reset(cycle) % sms_.size())
                   : 0;
    }

    /// From now on requests enter the network in an order given by another block, through
    /// inject_from().
    void set_request_order(protocol::request_order& order);
    /// Lets one SM inject, in phase core_place. @param s  index in the cluster
    void inject_from(unsigned s);
    std::size_t responses_queued() const { return responses_.size(); }

private:
    tlm::tlm_sync_enum request(int sm, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
    tlm::tlm_sync_enum respond(int from, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
    void receive();
    bool receive_one(std::uint64_t now);
    bool take(protocol::initiator_socket<simt_cluster>& from, tlm::tlm_generic_payload*& offered,
              std::uint64_t now);
    void observe(const tlm::tlm_generic_payload& p, std::uint64_t now);
    void acknowledge();
    void inject();
    void unblocked();
    bool answer(tlm::tlm_generic_payload& p);
    void response_left();
    void order_sms(std::uint64_t cycle);
    /// Whether a response that waits for END_RESP can be accepted.
    bool offered() const { return offered_ != nullptr || offered_by_gpc_ != nullptr; }
    bool has_space() const override { return !blocked_; }
    bool send(tlm::tlm_generic_payload& p);
    void deliver(tlm::tlm_generic_payload& p);
    /// Whether the SM of the oldest response has received it, and will send END_RESP.
    bool head_offered() const { return from_sm_[local(*responses_.front())].response_pending(); }
    void count(const tlm::tlm_generic_payload& p);
    unsigned local(const tlm::tlm_generic_payload& p) const {
        return protocol::extension(p).sm % static_cast<unsigned>(sms_.size());
    }

    static constexpr std::size_t outbox_entries = 64;

    simulation::phase_sequencer& sequencer_;
    const simt_cluster_config& config_;
    const bool in_order_;            // SMs act one after the other
    const unsigned first_position_;  // of its SMs, among those of all clusters
    sc_core::sc_vector<protocol::target_port<simt_cluster>> from_sm_;
    simt_cluster_cycles cycles_;  // constructed before the SMs, which count their cycles in it
    std::vector<std::unique_ptr<multiprocessor>> sms_;
    reply_observer* observer_ = nullptr;
    std::vector<reply_observer*> watchers_;
    traffic_statistics traffic_;

    bool blocked_ = false;  // the network, or a full perfect memory, withholds END_REQ
    std::vector<support::ring_buffer<tlm::tlm_generic_payload*>> outbox_;  // by SM

    tlm::tlm_generic_payload* offered_ = nullptr;  // offered by the network, END_RESP withheld
    tlm::tlm_generic_payload* offered_by_gpc_ = nullptr;  // the same, by the cache of the GPC
    support::ring_buffer<tlm::tlm_generic_payload*> responses_;
    std::uint64_t next_hand_ = 0;  // core cycle
    protocol::request_order* order_ = nullptr;
    /// Write acknowledgements received by one host thread, while another one may be running the
    /// cluster.
    struct alignas(64) acknowledgements {
        std::vector<tlm::tlm_generic_payload*> of;
    };
    std::vector<acknowledgements> acknowledged_;  // by host thread
    simulation::clocked_process receive_process_;
    std::optional<simulation::clocked_process> acknowledge_process_;  // with several host threads
    simulation::clocked_process inject_process_;
};

}  // namespace simtlm::core
