// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

namespace simtlm::protocol {

/// Checks the rules of the TLM-2.0 base protocol (IEEE 1666-2011, clauses 14 to 16) at one socket.
/// It is passive: it is notified of every call and return, and reports which rule is violated.
///
///  - phases: BEGIN_REQ, END_REQ, BEGIN_RESP, END_RESP in this order, where END_REQ and END_RESP
///    may be implied; legal phase and status on every return; TLM_COMPLETED ends a transaction;
///  - exclusion: no BEGIN_REQ before the previous request has ended, no BEGIN_RESP before the
///    previous response has ended;
///  - timing: the effective times of a transaction do not decrease, and no callee decreases the
///    timing annotation;
///  - generic payload: mandatory attributes of a request, immutable attributes, response status set
///    exactly once, DMI hint;
///  - memory management: a memory manager and a reference for every non-blocking transaction;
///  - extensions: those of the initiator remain until the response; without a memory manager,
///    extensions that were added are removed before the return;
///  - completion: every transaction finishes; in_flight() is 0 at the end.
class base_protocol_rules {
public:
    /// Handling of violations.
    enum class violation_policy : std::uint8_t {
        report,  ///< SC_REPORT_ERROR("simtlm/base_protocol", ...)
        collect  ///< only recorded in violations()
    };

    explicit base_protocol_rules(std::string socket_name,
                                 violation_policy policy = violation_policy::report);

    // ---- notifications of the calls and returns at the socket, in order ----
    void forward_call(const tlm::tlm_generic_payload& p, const tlm::tlm_phase& phase,
                      const sc_core::sc_time& delay);
    void forward_return(const tlm::tlm_generic_payload& p, tlm::tlm_sync_enum status,
                        const tlm::tlm_phase& phase, const sc_core::sc_time& delay);
    void backward_call(const tlm::tlm_generic_payload& p, const tlm::tlm_phase& phase,
                       const sc_core::sc_time& delay);
    void backward_return(const tlm::tlm_generic_payload& p, tlm::tlm_sync_enum status,
                         const tlm::tlm_phase& phase, const sc_core::sc_time& delay);
    void blocking_call(const tlm::tlm_generic_payload& p, const sc_core::sc_time& delay);
    void blocking_return(const tlm::tlm_generic_payload& p, const sc_core::sc_time& delay);
    void debug_call(const tlm::tlm_generic_payload& p);
    void debug_return(const tlm::tlm_generic_payload& p, unsigned count);

    /// Transactions that have begun but not finished, including blocking ones.
    std::size_t in_flight() const { return open_.size() + blocking_.size(); }
    /// Describes the transactions that have not finished, one per line.
    std::string describe_in_flight() const;
    /// Number of transactions that have begun.
    std::uint64_t transactions() const { return transactions_; }
    /// Number of transactions that were sent through b_transport.
    std::uint64_t blocking_transactions() const { return blocking_count_; }
    const std::vector<std::string>& violations() const { return violations_; }
    void set_policy(violation_policy policy) { policy_ = policy; }
    /// Reports a violation for each transaction that has not finished.
    void check_finished();

private:
    enum class state : std::uint8_t { requested, accepted, responded };
    struct attributes {
        tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
        const unsigned char* data = nullptr;
        unsigned length = 0;
        const unsigned char* enables = nullptr;
        unsigned enable_length = 0;
        unsigned streaming = 0;
        std::vector<const tlm::tlm_extension_base*> extensions;
    };
    struct transaction {
        state at = state::requested;
        sc_core::sc_time last;         ///< effective time of its last phase
        sc_core::sc_time called_with;  ///< annotation of the current call
        tlm::tlm_phase called_phase;
        attributes snapshot;
        tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
        std::uint64_t address = 0;
    };

    void broken(const tlm::tlm_generic_payload& p, const std::string& rule);
    static attributes snapshot(const tlm::tlm_generic_payload& p);
    void check_request(const tlm::tlm_generic_payload& p);
    void check_unchanged(const tlm::tlm_generic_payload& p, const attributes& before);
    void check_response(const tlm::tlm_generic_payload& p, transaction& t);
    void check_references(const tlm::tlm_generic_payload& p);
    void advance(const tlm::tlm_generic_payload& p, transaction& t, const sc_core::sc_time& delay);
    void request_ended(const tlm::tlm_generic_payload& p, const sc_core::sc_time& at);
    void response_begun(const tlm::tlm_generic_payload& p);
    void finish(const tlm::tlm_generic_payload& p);
    transaction* find(const tlm::tlm_generic_payload& p);

    std::string name_;
    violation_policy policy_;
    std::unordered_map<const tlm::tlm_generic_payload*, transaction> open_;
    std::unordered_map<const tlm::tlm_generic_payload*, transaction> blocking_;
    const tlm::tlm_generic_payload* requesting_ = nullptr;  // BEGIN_REQ without END_REQ
    const tlm::tlm_generic_payload* responding_ = nullptr;  // BEGIN_RESP without END_RESP
    sc_core::sc_time request_free_;                         // effective time of the last END_REQ
    std::uint64_t transactions_ = 0;
    std::uint64_t blocking_count_ = 0;
    sc_core::sc_time debug_time_;
    std::vector<std::string> violations_;
};

/// A monitor between an initiator and a target: bind the initiator to `target`, and `initiator` to
/// the target. It forwards every call unchanged and notifies base_protocol_rules.
template <unsigned BusWidth = 32>
class base_protocol_checker : public sc_core::sc_module {
public:
    tlm_utils::passthrough_target_socket<base_protocol_checker, BusWidth> target;
    tlm_utils::simple_initiator_socket<base_protocol_checker, BusWidth> initiator;
    base_protocol_rules rules;

    explicit base_protocol_checker(const sc_core::sc_module_name& name,
                                   base_protocol_rules::violation_policy policy =
                                       base_protocol_rules::violation_policy::report)
        : sc_module(name), target("target"), initiator("initiator"), rules(this->name(), policy) {
        target.register_nb_transport_fw(this, &base_protocol_checker::nb_transport_fw);
        target.register_b_transport(this, &base_protocol_checker::b_transport);
        target.register_transport_dbg(this, &base_protocol_checker::transport_dbg);
        target.register_get_direct_mem_ptr(this, &base_protocol_checker::get_direct_mem_ptr);
        initiator.register_nb_transport_bw(this, &base_protocol_checker::nb_transport_bw);
        initiator.register_invalidate_direct_mem_ptr(
            this, &base_protocol_checker::invalidate_direct_mem_ptr);
    }
    const char* kind() const override { return "base_protocol_checker"; }

private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        rules.forward_call(p, phase, delay);
        const tlm::tlm_sync_enum status = initiator->nb_transport_fw(p, phase, delay);
        rules.forward_return(p, status, phase, delay);
        return status;
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        rules.backward_call(p, phase, delay);
        const tlm::tlm_sync_enum status = target->nb_transport_bw(p, phase, delay);
        rules.backward_return(p, status, phase, delay);
        return status;
    }
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
        rules.blocking_call(p, delay);
        initiator->b_transport(p, delay);
        rules.blocking_return(p, delay);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& p) {
        rules.debug_call(p);
        const unsigned count = initiator->transport_dbg(p);
        rules.debug_return(p, count);
        return count;
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) {
        return initiator->get_direct_mem_ptr(p, dmi);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
        target->invalidate_direct_mem_ptr(first, last);
    }
    void end_of_simulation() override { rules.check_finished(); }
};

}  // namespace simtlm::protocol
