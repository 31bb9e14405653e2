// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simtlm/simtlm.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <systemc>
#include <tlm>

namespace platform_example {

/// A processor core that executes a C++ function as its software, loosely timed: it runs ahead of
/// the simulation by up to a quantum. Includes a driver for GPUs at given addresses.
class host_processor : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<host_processor, 32> socket;
    sc_core::sc_in<bool> interrupt;

    /// @param at_end  called when the software has ended
    host_processor(
        const sc_core::sc_module_name& name, std::function<void(host_processor&)> software,
        std::function<void()> at_end = [] { sc_core::sc_stop(); })
        : sc_module(name),
          socket("socket"),
          interrupt("interrupt"),
          software_(std::move(software)),
          at_end_(std::move(at_end)) {
        sc_core::sc_spawn([this] { run(); }, "run");
    }

    bool finished() const { return finished_; }

    // ---- for the software ----

    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, void* data,
                                    unsigned bytes) {
        tlm::tlm_generic_payload p;
        p.set_command(command);
        p.set_address(address);
        p.set_data_ptr(static_cast<unsigned char*>(data));
        p.set_data_length(bytes);
        p.set_streaming_width(bytes);
        sc_core::sc_time delay = keeper_.get_local_time();
        socket->b_transport(p, delay);
        keeper_.set(delay);
        if (keeper_.need_sync()) keeper_.sync();
        return p.get_response_status();
    }
    std::uint32_t read(std::uint64_t address) {
        std::uint32_t value = 0;
        if (access(tlm::TLM_READ_COMMAND, address, &value, 4) != tlm::TLM_OK_RESPONSE)
            SC_REPORT_ERROR("host", "read failed");
        return value;
    }
    std::uint64_t read_wide(std::uint64_t address) {
        std::uint64_t value = 0;
        if (access(tlm::TLM_READ_COMMAND, address, &value, 8) != tlm::TLM_OK_RESPONSE)
            SC_REPORT_ERROR("host", "read failed");
        return value;
    }
    void write(std::uint64_t address, std::uint32_t value) {
        if (access(tlm::TLM_WRITE_COMMAND, address, &value, 4) != tlm::TLM_OK_RESPONSE)
            SC_REPORT_ERROR("host", "write failed");
    }
    std::uint32_t peek(std::uint64_t address) {
        std::uint32_t value = 0;
        tlm::tlm_generic_payload p;
        p.set_command(tlm::TLM_READ_COMMAND);
        p.set_address(address);
        p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        p.set_data_length(4);
        socket->transport_dbg(p);
        return value;
    }
    /// The software computes for a time.
    void spend(const sc_core::sc_time& t) {
        keeper_.inc(t);
        if (keeper_.need_sync()) keeper_.sync();
    }
    /// The software sleeps until the interrupt line is high.
    void wait_for_interrupt() {
        keeper_.sync();
        if (!interrupt.read()) sc_core::wait(interrupt.posedge_event());
        keeper_.reset();
    }
    sc_core::sc_time now() { return keeper_.get_current_time(); }
    /// Time by which the software runs ahead.
    sc_core::sc_time ahead() { return keeper_.get_local_time(); }
    void synchronise() { keeper_.sync(); }

    /// Submits a command of the GPU at `base` through a window.
    struct command {
        simtlm::host::command_code what = simtlm::host::command_code::nothing;
        std::uint64_t address = 0, bytes = 0;
        std::uint32_t kernel = 0, stream = simtlm::host::any_stream, tag = 0;
        std::uint64_t host_address = 0;
    };
    void submit(std::uint64_t base, const command& c, unsigned window = 0) {
        using namespace simtlm;
        const std::uint64_t w = base + host::first_window + window * host::window_bytes;
        // One burst for COMMAND to TAG, followed by the doorbell.
        std::uint32_t words[8] = {static_cast<std::uint32_t>(c.what),
                                  static_cast<std::uint32_t>(c.address),
                                  static_cast<std::uint32_t>(c.address >> 32),
                                  static_cast<std::uint32_t>(c.bytes),
                                  static_cast<std::uint32_t>(c.bytes >> 32),
                                  c.kernel,
                                  c.stream,
                                  c.tag};
        if (access(tlm::TLM_WRITE_COMMAND, w, words, sizeof words) != tlm::TLM_OK_RESPONSE)
            SC_REPORT_ERROR("host", "command refused");
        write(w + host::host_address_lo, static_cast<std::uint32_t>(c.host_address));
        write(w + host::host_address_hi, static_cast<std::uint32_t>(c.host_address >> 32));
        write(w + host::doorbell, 1);
    }
    /// Submits a command, polls until all commands are done, and returns its result.
    std::uint64_t order(std::uint64_t base, const command& c) {
        using namespace simtlm;
        submit(base, c);
        while ((read(base + host::status) & host::busy) != 0)
            spend(sc_core::sc_time(100, sc_core::SC_NS));
        return read_wide(base + host::first_window + host::result_lo);
    }

private:
    void run() {
        keeper_.reset();
        software_(*this);
        keeper_.sync();
        finished_ = true;
        at_end_();
    }

    std::function<void(host_processor&)> software_;
    std::function<void()> at_end_;
    tlm_utils::tlm_quantumkeeper keeper_;
    bool finished_ = false;
};

}  // namespace platform_example
