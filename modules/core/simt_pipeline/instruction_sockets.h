// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/warp_instruction.h"
#include "modules/protocol/basic_sockets.h"

#include <systemc>
#include <tlm>

namespace simtlm::core::simt_pipeline {

/// Protocol of instructions between the stages of an SM: one call moves one instruction from a
/// pipeline register to the next. TLM_ACCEPTED: the register has accepted it. TLM_COMPLETED would
/// mean that the instruction is complete. Back-pressure is signalled beforehand, by can_accept() of
/// each stage.
struct instruction_protocol {
    using tlm_payload_type = warp_instruction;
    using tlm_phase_type = tlm::tlm_phase;
};

/// An initiator socket of a stage, whose backward path is not used.
template <class Block>
class instruction_initiator : public protocol::basic_initiator_socket<32, instruction_protocol>,
                              private tlm::tlm_bw_transport_if<instruction_protocol> {
public:
    explicit instruction_initiator(const char* name) : basic_initiator_socket(name) {
        bind(static_cast<backward&>(*this));
    }

private:
    tlm::tlm_sync_enum nb_transport_bw(warp_instruction&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        SC_REPORT_ERROR(this->name(), "no stage takes instructions back here");
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

/// A target socket of a stage.
template <class Block>
class instruction_target : public protocol::basic_target_socket<32, instruction_protocol>,
                           private tlm::tlm_fw_transport_if<instruction_protocol> {
public:
    using accept = tlm::tlm_sync_enum (Block::*)(warp_instruction&, tlm::tlm_phase&,
                                                 sc_core::sc_time&);

    explicit instruction_target(const char* name) : basic_target_socket(name) {
        bind(static_cast<forward&>(*this));
    }
    void register_nb_transport_fw(Block* owner, accept member) {
        owner_ = owner;
        accept_ = member;
    }

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

    Block* owner_ = nullptr;  // next to the interface, in its cache line
    accept accept_ = nullptr;
};

/// A socket with many targets, in order of binding, which return instructions through it: the
/// dispatch ports of an SM.
/// @tparam Accept  member function of the block that receives returned instructions
template <class Block, void (Block::*Accept)(warp_instruction&)>
class instruction_fan_out : public protocol::basic_initiator_socket<32, instruction_protocol, 0>,
                            private tlm::tlm_bw_transport_if<instruction_protocol> {
public:
    instruction_fan_out(const char* name, Block& owner)
        : basic_initiator_socket(name), owner_(owner) {
        bind(static_cast<backward&>(*this));
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

/// A socket with many initiators that the block need not distinguish: the result bus.
/// @tparam Accept  member function of the block that receives instructions
template <class Block, void (Block::*Accept)(warp_instruction&)>
class instruction_fan_in : public protocol::basic_target_socket<32, instruction_protocol, 0>,
                           private tlm::tlm_fw_transport_if<instruction_protocol> {
public:
    instruction_fan_in(const char* name, Block& owner) : basic_target_socket(name), owner_(owner) {
        bind(static_cast<forward&>(*this));
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

/// Moves an instruction through a socket, or through one of its bindings (`fan_out[k]`).
template <class Port>
inline void send(Port&& port, warp_instruction& inst) {
    protocol::begin_request(port, inst);
}

/// Returns an instruction through the socket on which it arrived.
template <class Socket>
inline void send_back(Socket& socket, warp_instruction& inst) {
    protocol::begin_response(socket, inst);
}

}  // namespace simtlm::core::simt_pipeline
