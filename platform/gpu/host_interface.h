// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/dispatch/command_processor.h"
#include "modules/simulation/clocked_module.h"
#include "modules/simulation/clocked_process.h"
#include "platform/gpu/copy_engine.h"
#include "platform/gpu/gpu_sockets.h"
#include "platform/gpu/host_device.h"
#include "platform/gpu/host_registers.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace simtlm::platform {

class device_context;
class memory_aperture;

/// The GPU as seen by its host: registers, command queue and interrupt.
///
/// The port is a base protocol target with a 32-bit bus. Blocking calls return with the access
/// latency added to the annotated delay. An access that reads time-dependent state, or that takes
/// effect immediately, first waits for the annotated delay; other accesses preserve the caller's
/// quantum: a doorbell takes effect at the annotated time of its call. Non-blocking calls use four
/// phases, in order, with a queue of a few requests. transport_dbg reads any range without side
/// effects. Bursts, byte enables and streaming are supported; unsupported transactions get the
/// responses defined by IEEE 1666 (see docs/cosimulation.md). DMI to registers is denied.
///
/// The aperture above the registers maps device memory with its contents. While commands are queued
/// or running, an access to it takes place at the first core clock edge after its time, otherwise
/// immediately. DMI is granted for whole allocations; transport_dbg reads and writes.
///
/// Commands of a stream run in order. A synchronise command waits for all earlier commands and
/// their memory traffic, and blocks all later ones. A command submitted at time t reaches the GPU
/// at the first core clock edge after t.
class host_interface : public simulation::clocked_module {
public:
    using socket = host_socket;

    /// Timing and capacity of the interface.
    struct settings {
        sc_core::sc_time latency;    ///< of a register access
        sc_core::sc_time cycle;      ///< period of the core clock
        unsigned queue_depth = 64;   ///< maximum number of outstanding commands
        unsigned request_depth = 4;  ///< capacity for non-blocking requests
        /// Core cycles after which a reset that has not ended is abandoned; 0: never.
        std::uint64_t reset_timeout = 0;
        unsigned sms = 0, channels = 0;
    };

    /// Ports of the GPU that this module drives.
    struct pins {
        socket& port;
        sc_core::sc_out<bool>& irq;
        sc_core::sc_in<bool>& reset;
        copy_engine::socket& host_memory;
    };

    host_interface(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                   const settings& how, host_device& device, device_context& context,
                   const pins& outside);
    ~host_interface() override;
    const char* kind() const override { return "host_interface"; }

    /// Makes a kernel trace launchable. @return its number
    /// @param stream  stream recorded in the trace
    unsigned add_kernel(const std::string& file, const std::string& where, std::uint64_t stream);

    /// The device has completed a command.
    void completed(std::uint64_t tag);
    /// Records an error of the device. May be called from any process.
    /// @param why  error message; if empty, nothing is reported
    void raise(host::error_code code, const std::string& why = {});
    /// The device has stopped: its commands, which will not end, fail; completes accesses that wait
    /// for a clock edge. May be called from any process.
    void device_stopped(host::error_code code, const std::string& why);
    /// Returns whether commands are queued or running.
    bool busy() const { return registers_.outstanding != 0; }
    /// Returns whether a reset has begun and not ended.
    bool resetting() const { return resetting_; }

    /// Current value of a register, read without side effects.
    std::uint32_t peek(std::uint32_t offset) const;

private:
    struct window {
        std::array<std::uint32_t, 8> words{};  // registers COMMAND to TAG
        std::array<std::uint32_t, 2> host_address{};
        std::uint32_t submitted = 0, completed = 0, last_tag = 0;
        std::uint64_t result = 0;
        sc_core::sc_time last;  // effective time of the most recent command
    };
    /// What a reset clears.
    struct registers {
        std::array<window, host::window_count> windows;
        std::uint32_t irq_status = 0, irq_enable = 0;
        std::uint32_t submitted = 0, completed = 0;
        unsigned outstanding = 0;  // commands
        host::error_code error = host::error_code::none;
        std::string message;  // message for `error`
    };
    struct entry {
        std::uint64_t ticket;
        unsigned window;
        std::uint32_t tag;
        host::command_code what;
        std::uint64_t stream;
        bool any_stream;
        sc_core::sc_time at;
        dispatch::host_command command;
        std::uint32_t kernel;
        std::uint64_t host_address;
        std::uint64_t result = 0;
        bool moved = false;         // all bytes have been transferred from or to the host
        bool host_refused = false;  // the transfer failed
        sc_core::sc_time moved_at;
        std::vector<unsigned char> bytes;  // data read from the host
        bool issued = false;
        bool forgotten = false;        // discarded by a reset
        bool done = false;             // completed; erased in the next cycle
        std::uint64_t done_cycle = 0;  // core cycle of completion
    };
    struct kernel_file {
        std::string file, where;
        std::uint64_t stream;
        bool of_program = false;
        unsigned number = 0;  // kernel number in device_context
    };
    struct request {
        tlm::tlm_generic_payload* payload;
        sc_core::sc_time at;     // effective time of BEGIN_REQ
        bool accepted = false;   // END_REQ has been sent
        sc_core::sc_time ready;  // time when the response is ready
    };
    /// An access to device memory that waits for a clock edge.
    struct memory_access {
        tlm::tlm_generic_payload* payload;
        sc_core::sc_time at;
        bool done = false;
    };

    // transport
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& p);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi);
    void serve();
    sc_core::sc_time accept_requests(const sc_core::sc_time& now);
    bool execute_front(const sc_core::sc_time& now);
    void respond(tlm::tlm_generic_payload& p, const sc_core::sc_time& now);

    // device memory
    bool memory_rests() const;
    void access_memory(tlm::tlm_generic_payload& p, sc_core::sc_time& delay);
    void serve_accesses(const sc_core::sc_time& before);
    sc_core::sc_time time_of(const tlm::tlm_generic_payload& p) const;

    // registers
    static tlm::tlm_response_status check(const tlm::tlm_generic_payload& p);
    static bool needs_present_time(const tlm::tlm_generic_payload& p);
    void access(tlm::tlm_generic_payload& p, const sc_core::sc_time& at);
    std::uint32_t read(std::uint32_t offset);
    tlm::tlm_response_status write(std::uint32_t offset, std::uint32_t value,
                                   const sc_core::sc_time& at);
    tlm::tlm_response_status submit(unsigned window, const sc_core::sc_time& at);
    void queue(entry e, const sc_core::sc_time& at);
    std::uint32_t status() const;
    std::uint32_t peek_window(std::uint32_t offset) const;

    // commands
    void cycle();
    void issue(const sc_core::sc_time& now);
    bool held_up(std::size_t index) const;
    void carry_out(entry& e);
    void change_memory(entry& e);
    void load_program(entry& e);
    void find_kernel(entry& e);
    void launch_program(entry& e);
    void begin_copy(entry& e);
    void copy_moved(copy_engine::job& j, tlm::tlm_response_status status);
    void commit_copies(const sc_core::sc_time& now);
    void commit(entry& e);
    void fail(entry& e, host::error_code code, const std::string& why);
    void end_failed(entry& e, host::error_code code);
    void finish(entry& e);
    void sleep_if_idle(const sc_core::sc_time& now);
    void begin_reset();
    void discard_commands();
    void continue_reset();
    void wake_process() { process_.wake(); }

    // interrupt and reset
    void set_irq(std::uint32_t bits);
    void drive_irq();
    void reset_changed();

    const settings how_;
    host_device& device_;
    device_context& context_;
    std::unique_ptr<memory_aperture> aperture_;
    socket& port_;
    sc_core::sc_out<bool>& irq_;
    sc_core::sc_in<bool>& reset_;
    simulation::clocked_process process_;
    copy_engine engine_;

    registers registers_;
    std::array<std::uint32_t, host::counter_count> latched_{};
    std::vector<kernel_file> kernels_;

    std::deque<entry> commands_;  // ordered by effective time; issued ones stay until they complete
    std::uint64_t tickets_ = 0;
    bool resetting_ = false;
    bool draining_ = false;  // a synchronise command waits for the memory system
    bool abort_due_ = false;
    sc_core::sc_time reset_at_;       // when the last reset began
    std::uint64_t reset_cycles_ = 0;  // core cycles since the reset line is low

    std::deque<memory_access*> accesses_;  // waiting for a clock edge, in order
    sc_core::sc_event access_done_;
    memory_access front_access_{};    // access of the non-blocking request at the head of the queue
    sc_core::sc_time resting_since_;  // time since when no command has been queued or running

    std::deque<request> requests_;                    // non-blocking requests in order
    tlm::tlm_generic_payload* responding_ = nullptr;  // sent BEGIN_RESP, waiting for END_RESP
    sc_core::sc_time response_free_;                  // annotated time of END_RESP
    sc_core::sc_event serve_event_, arrival_, irq_event_;
};

}  // namespace simtlm::platform
