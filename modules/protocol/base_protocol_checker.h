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

/// The rules of the TLM-2.0 base protocol (IEEE 1666-2011, 14 to 16) at one socket. It is told of
/// every call and return and says which rule is broken; it changes nothing.
///
///  - phases: BEGIN_REQ, END_REQ, BEGIN_RESP, END_RESP in this order, END_REQ or END_RESP possibly
///    implied; legal phase and status on every return; TLM_COMPLETED ends a transaction;
///  - exclusion: no BEGIN_REQ before the last request has ended, no BEGIN_RESP before the last
///    response has;
///  - timing: no effective time of a transaction lies before its last one, no call takes annotated
///    time back;
///  - generic payload: attributes a request must set, attributes nobody may change, response
///    status set once, DMI hint;
///  - memory management: a manager and a reference for every non-blocking transaction;
///  - extensions: those of the initiator stay until the response; without a memory manager those
///    that were added are gone with the return;
///  - every transaction finishes: in_flight() is 0 at the end.
class base_protocol_rules {
public:
    enum class violation_policy : std::uint8_t {
        report,  ///< SC_REPORT_ERROR("simtlm/base_protocol", ...)
        collect  ///< kept in violations() and nothing else
    };

    explicit base_protocol_rules(std::string socket_name,
                                 violation_policy policy = violation_policy::report);

    // ---- what happens at the socket, in order ----
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

    /// Transactions that have begun and not finished, blocking ones included.
    std::size_t in_flight() const { return open_.size() + blocking_.size(); }
    /// A line for each transaction that has not finished.
    std::string describe_in_flight() const;
    /// Transactions that have begun.
    std::uint64_t transactions() const { return transactions_; }
    /// Those of them that came through b_transport.
    std::uint64_t blocking_transactions() const { return blocking_count_; }
    const std::vector<std::string>& violations() const { return violations_; }
    void set_policy(violation_policy policy) { policy_ = policy; }
    /// Breaks the rule that every transaction finishes for each one that has not.
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
        sc_core::sc_time called_with;  ///< annotation of the call under way
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

/// A monitor between an initiator and a target: bind the initiator to `target`, `initiator` to the
/// target. It passes every call on as it is and tells base_protocol_rules of it.
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
