// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <systemc>
#include <tlm>
#include <typeindex>

// bind() binds sockets here, as in the TLM classes; it hides bind() of sc_port and sc_export.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverloaded-virtual"

namespace simtlm::protocol {

/// A TLM-2.0 initiator socket, bound like tlm::tlm_initiator_socket. Construction takes half the
/// time, which matters for the thousands of sockets of a GPU: the name of the export (the name of
/// the socket with "_export") is assumed to be unique within the module instead of being made
/// unique.
/// @tparam Types     protocol
/// @tparam Bindings  maximum number of targets; 0: unlimited
template <unsigned BusWidth, class Types, int Bindings = 1>
class basic_initiator_socket
    : public tlm::tlm_base_initiator_socket_b<BusWidth, tlm::tlm_fw_transport_if<Types>,
                                              tlm::tlm_bw_transport_if<Types>>,
      public sc_core::sc_port<tlm::tlm_fw_transport_if<Types>, Bindings> {
public:
    using forward = tlm::tlm_fw_transport_if<Types>;
    using backward = tlm::tlm_bw_transport_if<Types>;
    using base_type = tlm::tlm_base_initiator_socket_b<BusWidth, forward, backward>;
    using base_target_socket_type = tlm::tlm_base_target_socket_b<BusWidth, forward, backward>;

    explicit basic_initiator_socket(const char* name)
        : sc_core::sc_port<forward, Bindings>(name),
          export_((std::string(name) + "_export").c_str()) {}
    const char* kind() const override { return "tlm_initiator_socket"; }

    virtual void bind(base_target_socket_type& target) {
        get_base_port()(target.get_base_interface());
        target.get_base_port()(get_base_interface());
    }
    /// Binds to an initiator socket of the parent module.
    virtual void bind(base_type& outer) {
        get_base_port()(outer.get_base_port());
        outer.get_base_export()(get_base_export());
    }
    /// Sets the object that is called on the backward path.
    virtual void bind(backward& callee) { export_(callee); }
    template <class Other>
    void operator()(Other& other) {
        bind(other);
    }

    sc_core::sc_port_b<forward>& get_base_port() override { return *this; }
    const sc_core::sc_port_b<forward>& get_base_port() const override { return *this; }
    sc_core::sc_export<backward>& get_base_export() override { return export_; }
    const sc_core::sc_export<backward>& get_base_export() const override { return export_; }
    backward& get_base_interface() override { return export_; }
    const backward& get_base_interface() const override { return export_; }
    unsigned get_bus_width() const override { return BusWidth; }
    std::type_index get_protocol_types() const override { return typeid(Types); }
    /// Overrides a function that TLM has since SystemC 3.0.
    bool is_multi_socket() const { return Bindings != 1; }
    tlm::tlm_socket_category get_socket_category() const override {
        return tlm::TLM_INITIATOR_SOCKET;
    }

private:
    sc_core::sc_export<backward> export_;
};

/// A TLM-2.0 target socket, bound like tlm::tlm_target_socket; see basic_initiator_socket.
/// @tparam Bindings  maximum number of initiators; 0: unlimited
template <unsigned BusWidth, class Types, int Bindings = 1>
class basic_target_socket
    : public tlm::tlm_base_target_socket_b<BusWidth, tlm::tlm_fw_transport_if<Types>,
                                           tlm::tlm_bw_transport_if<Types>>,
      public sc_core::sc_export<tlm::tlm_fw_transport_if<Types>> {
public:
    using forward = tlm::tlm_fw_transport_if<Types>;
    using backward = tlm::tlm_bw_transport_if<Types>;
    using base_type = tlm::tlm_base_target_socket_b<BusWidth, forward, backward>;
    using base_initiator_socket_type =
        tlm::tlm_base_initiator_socket_b<BusWidth, forward, backward>;

    explicit basic_target_socket(const char* name)
        : sc_core::sc_export<forward>(name), port_((std::string(name) + "_port").c_str()) {}
    const char* kind() const override { return "tlm_target_socket"; }

    virtual void bind(base_initiator_socket_type& initiator) {
        initiator.get_base_port()(get_base_interface());
        get_base_port()(initiator.get_base_interface());
    }
    /// Binds to a target socket of a child module.
    virtual void bind(base_type& inner) {
        get_base_export()(inner.get_base_export());
        inner.get_base_port()(get_base_port());
    }
    /// Sets the object that is called on the forward path.
    void bind(forward& callee) override { sc_core::sc_export<forward>::bind(callee); }
    template <class Other>
    void operator()(Other& other) {
        bind(other);
    }

    /// The backward path to the initiator, or to the n-th one.
    backward* operator->() { return port_.operator->(); }
    backward* operator[](int nth) { return port_[nth]; }
    int size() const { return port_.size(); }

    sc_core::sc_port_b<backward>& get_base_port() override { return port_; }
    const sc_core::sc_port_b<backward>& get_base_port() const override { return port_; }
    sc_core::sc_export<forward>& get_base_export() override { return *this; }
    const sc_core::sc_export<forward>& get_base_export() const override { return *this; }
    forward& get_base_interface() override { return *this; }
    const forward& get_base_interface() const override { return *this; }
    unsigned get_bus_width() const override { return BusWidth; }
    std::type_index get_protocol_types() const override { return typeid(Types); }
    /// Overrides a function that TLM has since SystemC 3.0.
    bool is_multi_socket() const { return Bindings != 1; }
    tlm::tlm_socket_category get_socket_category() const override { return tlm::TLM_TARGET_SOCKET; }

private:
    sc_core::sc_port<backward, Bindings> port_;
};

/// An initiator socket that calls a member function of its block on the backward path, with a tag
/// that identifies the socket: like tlm_utils::simple_initiator_socket_tagged, but without
/// invalidation of DMI pointers, which no block of a GPU uses.
template <class Block, unsigned BusWidth, class Types>
class tagged_initiator_socket : public basic_initiator_socket<BusWidth, Types> {
    using base = basic_initiator_socket<BusWidth, Types>;

public:
    using transaction_type = typename Types::tlm_payload_type;
    using phase_type = typename Types::tlm_phase_type;
    using backward_call = tlm::tlm_sync_enum (Block::*)(int, transaction_type&, phase_type&,
                                                        sc_core::sc_time&);

    explicit tagged_initiator_socket(const char* name) : base(name), callee_(*this) {
        base::bind(static_cast<typename base::backward&>(callee_));
    }
    void register_nb_transport_bw(Block* owner, backward_call call, int tag) {
        callee_.owner = owner;
        callee_.call = call;
        callee_.tag = tag;
    }

private:
    struct backward_path final : base::backward {
        explicit backward_path(const sc_core::sc_object& s) : socket(s) {}
        tlm::tlm_sync_enum nb_transport_bw(transaction_type& p, phase_type& ph,
                                           sc_core::sc_time& t) override {
            if (owner != nullptr) return (owner->*call)(tag, p, ph, t);
            SC_REPORT_ERROR(socket.name(), "nobody takes non-blocking transport");
            return tlm::TLM_COMPLETED;
        }
        void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

        Block* owner = nullptr;
        backward_call call = nullptr;
        int tag = 0;
        const sc_core::sc_object& socket;
    };
    backward_path callee_;
};

/// A target socket that calls member functions of its block on the forward path, with a tag that
/// identifies the socket: like tlm_utils::passthrough_target_socket_tagged, but without DMI, which
/// no block of a GPU supports.
template <class Block, unsigned BusWidth, class Types>
class tagged_target_socket : public basic_target_socket<BusWidth, Types> {
    using base = basic_target_socket<BusWidth, Types>;

public:
    using transaction_type = typename Types::tlm_payload_type;
    using phase_type = typename Types::tlm_phase_type;
    using forward_call = tlm::tlm_sync_enum (Block::*)(int, transaction_type&, phase_type&,
                                                       sc_core::sc_time&);
    using blocking_call = void (Block::*)(int, transaction_type&, sc_core::sc_time&);
    using debug_call = unsigned (Block::*)(int, transaction_type&);

    explicit tagged_target_socket(const char* name) : base(name), callee_(*this) {
        base::bind(static_cast<typename base::forward&>(callee_));
    }
    void register_nb_transport_fw(Block* owner, forward_call call, int tag) {
        callee_.owner = owner;
        callee_.non_blocking = call;
        callee_.tag = tag;
    }
    void register_b_transport(Block* owner, blocking_call call, int tag) {
        callee_.owner = owner;
        callee_.blocking = call;
        callee_.tag = tag;
    }
    void register_transport_dbg(Block* owner, debug_call call, int tag) {
        callee_.owner = owner;
        callee_.debug = call;
        callee_.tag = tag;
    }

private:
    struct forward_path final : base::forward {
        explicit forward_path(const sc_core::sc_object& s) : socket(s) {}
        tlm::tlm_sync_enum nb_transport_fw(transaction_type& p, phase_type& ph,
                                           sc_core::sc_time& t) override {
            if (non_blocking != nullptr) return (owner->*non_blocking)(tag, p, ph, t);
            SC_REPORT_ERROR(socket.name(), "nobody takes non-blocking transport");
            return tlm::TLM_COMPLETED;
        }
        void b_transport(transaction_type& p, sc_core::sc_time& t) override {
            if (blocking != nullptr) return (owner->*blocking)(tag, p, t);
            SC_REPORT_ERROR(socket.name(), "nobody takes blocking transport");
        }
        unsigned transport_dbg(transaction_type& p) override {
            return debug != nullptr ? (owner->*debug)(tag, p) : 0;
        }
        bool get_direct_mem_ptr(transaction_type&, tlm::tlm_dmi& dmi) override {
            dmi.allow_read_write();  // the denied region is the whole address space
            dmi.set_start_address(0);
            dmi.set_end_address(~sc_dt::uint64{0});
            return false;
        }

        Block* owner = nullptr;
        forward_call non_blocking = nullptr;
        int tag = 0;
        const sc_core::sc_object& socket;
        blocking_call blocking = nullptr;
        debug_call debug = nullptr;
    };
    forward_path callee_;
};

/// Calls on a socket without timing annotation. begin_response() returns whether the initiator has
/// ended the response at once.
template <class Initiator, class Payload>
tlm::tlm_sync_enum begin_request(Initiator& socket, Payload& p) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    return socket->nb_transport_fw(p, phase, delay);
}
template <class Target, class Payload>
void end_request(Target& socket, Payload& p) {
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay;
    socket->nb_transport_bw(p, phase, delay);
}
template <class Target, class Payload>
bool begin_response(Target& socket, Payload& p) {
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay;
    const tlm::tlm_sync_enum answer = socket->nb_transport_bw(p, phase, delay);
    return answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP);
}
template <class Initiator, class Payload>
void end_response(Initiator& socket, Payload& p) {
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay;
    socket->nb_transport_fw(p, phase, delay);
}

}  // namespace simtlm::protocol

#pragma GCC diagnostic pop
