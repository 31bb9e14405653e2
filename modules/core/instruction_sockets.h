// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/warp_instruction.h"

#include <tlm_utils/simple_initiator_socket.h>

#include <string>
#include <systemc>
#include <tlm>

namespace simtlm::core {

/// How instructions move between the stages of an SM: one call moves one instruction from one
/// pipeline register to the next. TLM_ACCEPTED: the register has taken it. TLM_COMPLETED would mean
/// that nothing is left to do; stages that cannot take it say so before (see can_accept of each).
struct instruction_protocol {
    using tlm_payload_type = warp_instruction;
    using tlm_phase_type = tlm::tlm_phase;
};

template <class Block>
using instruction_initiator = tlm_utils::simple_initiator_socket<Block, 32, instruction_protocol>;

/// A target socket of a stage, of which there are thousands: it is bound like a
/// tlm_utils::passthrough_target_socket, and made in half the time, since it takes for granted that
/// the names of its ports are unique within the stage.
template <class Block>
class instruction_target
    : public tlm::tlm_base_target_socket_b<32, tlm::tlm_fw_transport_if<instruction_protocol>,
                                           tlm::tlm_bw_transport_if<instruction_protocol>>,
      public sc_core::sc_export<tlm::tlm_fw_transport_if<instruction_protocol>>,
      private tlm::tlm_fw_transport_if<instruction_protocol> {
public:
    using forward = tlm::tlm_fw_transport_if<instruction_protocol>;
    using backward = tlm::tlm_bw_transport_if<instruction_protocol>;
    using accept = tlm::tlm_sync_enum (Block::*)(warp_instruction&, tlm::tlm_phase&,
                                                 sc_core::sc_time&);

    explicit instruction_target(const char* name)
        : sc_core::sc_export<forward>(name), port_((std::string(name) + "_port").c_str()) {
        sc_core::sc_export<forward>::bind(*this);
    }
    const char* kind() const override { return "tlm_target_socket"; }
    void register_nb_transport_fw(Block* owner, accept member) {
        owner_ = owner;
        accept_ = member;
    }
    /// The way back to the initiator.
    backward* operator->() { return port_.operator->(); }

    sc_core::sc_port_b<backward>& get_base_port() override { return port_; }
    const sc_core::sc_port_b<backward>& get_base_port() const override { return port_; }
    sc_core::sc_export<forward>& get_base_export() override { return *this; }
    const sc_core::sc_export<forward>& get_base_export() const override { return *this; }
    unsigned get_bus_width() const override { return 32; }
    sc_core::sc_type_index get_protocol_types() const override {
        return typeid(instruction_protocol);
    }
    tlm::tlm_socket_category get_socket_category() const override { return tlm::TLM_TARGET_SOCKET; }
    forward& get_base_interface() override { return *this; }
    const forward& get_base_interface() const override { return *this; }

private:
    tlm::tlm_sync_enum nb_transport_fw(warp_instruction& inst, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        return (owner_->*accept_)(inst, phase, delay);
    }
    void b_transport(warp_instruction&, sc_core::sc_time&) override {
        SC_REPORT_ERROR(this->name(), "no blocking transport between the stages of an SM");
    }
    bool get_direct_mem_ptr(warp_instruction&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(warp_instruction&) override { return 0; }

    Block* owner_ = nullptr;  // beside the interface, in its cache line
    accept accept_ = nullptr;
    sc_core::sc_port<backward, 1> port_;
};

/// One socket to many targets, the k-th bound being number k, which hand instructions back through
/// it: the dispatch ports of an SM.
/// @tparam Accept  member function of the block that takes an instruction that comes back
template <class Block, void (Block::*Accept)(warp_instruction&)>
class instruction_fan_out : public tlm::tlm_initiator_socket<32, instruction_protocol, 0>,
                            private tlm::tlm_bw_transport_if<instruction_protocol> {
public:
    instruction_fan_out(const char* name, Block& owner)
        : tlm::tlm_initiator_socket<32, instruction_protocol, 0>(name), owner_(owner) {
        m_export.bind(*this);
    }

private:
    tlm::tlm_sync_enum nb_transport_bw(warp_instruction& inst, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        (owner_.*Accept)(inst);
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    Block& owner_;
};

/// One socket for many initiators, of which the block need not know which is which: the result bus.
/// @tparam Accept  member function of the block that takes an instruction
template <class Block, void (Block::*Accept)(warp_instruction&)>
class instruction_fan_in : public tlm::tlm_target_socket<32, instruction_protocol, 0>,
                           private tlm::tlm_fw_transport_if<instruction_protocol> {
public:
    instruction_fan_in(const char* name, Block& owner)
        : tlm::tlm_target_socket<32, instruction_protocol, 0>(name), owner_(owner) {
        this->bind(static_cast<tlm::tlm_fw_transport_if<instruction_protocol>&>(*this));
    }

private:
    tlm::tlm_sync_enum nb_transport_fw(warp_instruction& inst, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        (owner_.*Accept)(inst);
        return tlm::TLM_ACCEPTED;
    }
    void b_transport(warp_instruction& inst, sc_core::sc_time&) override { (owner_.*Accept)(inst); }
    bool get_direct_mem_ptr(warp_instruction&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(warp_instruction&) override { return 0; }

    Block& owner_;
};

/// Moves an instruction through a socket, or one of its bindings (`fan_out[k]`).
template <class Port>
inline void send(Port&& port, warp_instruction& inst) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time zero;
    port->nb_transport_fw(inst, phase, zero);
}

/// Hands an instruction back through the socket by which it came.
template <class Socket>
inline void send_back(Socket& socket, warp_instruction& inst) {
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time zero;
    socket->nb_transport_bw(inst, phase, zero);
}

}  // namespace simtlm::core
