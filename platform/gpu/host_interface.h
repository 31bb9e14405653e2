// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/dispatch/command_processor.h"
#include "modules/kernel/clocked_module.h"
#include "modules/kernel/clocked_process.h"
#include "platform/gpu/copy_engine.h"
#include "platform/gpu/host_registers.h"

#include <tlm_utils/passthrough_target_socket.h>

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

/// What the host interface drives.
struct host_device {
    virtual ~host_device() = default;
    /// Executes a command; host_interface::completed(tag) follows, in this call or later.
    /// In phase core_dispatch_ctas.
    virtual void execute(const dispatch::host_command& command) = 0;
    /// Ends what runs as soon as possible and forgets the rest; completed() follows for each.
    virtual void abort() = 0;
    /// Nothing is under way in the memory system.
    virtual bool quiet() const = 0;
    /// The end of a reset: caches become empty. @pre quiet()
    virtual void clear() = 0;
    /// No command will run any more: deadlock, limit, faulty input.
    virtual bool stopped() const = 0;
    virtual std::uint64_t count(host::counter c) const = 0;
};

/// The GPU as its host sees it: registers, command queue, interrupt.
///
/// The port is a target of the base protocol with a 32-bit bus. Blocking calls are answered with
/// the access latency added to the annotation. An access that reads what time changes, or that acts
/// at once, first waits for the annotated time; the others do not give up the caller's quantum: a
/// doorbell acts at the annotated time of its call. Non-blocking calls go through four phases, in
/// order, with room for a few requests. transport_dbg reads any bytes and has no effect. Bursts,
/// byte enables and streaming are served; what cannot be is answered as IEEE 1666 says (see
/// docs/cosimulation.md). DMI of registers is refused.
///
/// Behind the registers lies the aperture: device memory with its contents. While commands are
/// queued or running, an access to it takes place at the first core clock edge after its time; else
/// at once. DMI is granted for whole allocations, transport_dbg reads and writes.
///
/// Commands: those of a stream run in order, a synchronisation waits for all before it and for all
/// that they have under way in the memory system, and holds up all behind it. A command submitted
/// at a time t reaches the GPU with the first core clock edge after t.
class host_interface : public kernel::clocked_module {
public:
    using socket = tlm_utils::passthrough_target_socket_optional<host_interface, 32>;

    struct settings {
        sc_core::sc_time latency;    ///< of an access
        sc_core::sc_time cycle;      ///< of the core clock
        unsigned queue_depth = 64;   ///< outstanding commands
        unsigned request_depth = 4;  ///< non-blocking requests inside
        unsigned sms = 0, channels = 0;
    };

    /// The pins of the GPU that it serves.
    struct pins {
        socket& port;
        sc_core::sc_out<bool>& irq;
        sc_core::sc_in<bool>& reset;
        copy_engine::socket& host_memory;
    };

    host_interface(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
                   const settings& how, host_device& device, device_context& context,
                   const pins& outside);
    ~host_interface() override;

    /// Makes a kernel trace launchable. @return its number
    /// @param stream  that the trace names
    unsigned add_kernel(const std::string& file, const std::string& where, std::uint64_t stream);

    /// The device has done a command.
    void completed(std::uint64_t tag);
    /// The device has met an error. Any process. @param why  in words; empty: nothing is reported
    void raise(host::error_code code, const std::string& why = {});
    /// The device has stopped: no edge will serve who waits for one. Any process.
    void device_stopped(host::error_code code, const std::string& why);
    /// Commands wait or run.
    bool busy() const { return outstanding_ != 0; }

    /// What a register reads as now, without any effect.
    std::uint32_t peek(std::uint32_t offset) const;

private:
    struct window {
        std::array<std::uint32_t, 8> words{};  // COMMAND to TAG
        std::array<std::uint32_t, 2> host_address{};
        std::uint32_t submitted = 0, completed = 0, last_tag = 0;
        std::uint64_t result = 0;
        sc_core::sc_time last;  // effective time of its last command
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
        bool moved = false;         // bytes have come from the host, or gone to it
        bool host_refused = false;  // and not all of them
        sc_core::sc_time moved_at;
        std::vector<unsigned char> bytes;  // that have come
        bool issued = false;
        bool forgotten = false;        // a reset has come since
        bool done = false;             // gone in the cycle after
        std::uint64_t done_cycle = 0;  // core cycle
    };
    struct kernel_file {
        std::string file, where;
        std::uint64_t stream;
        bool of_program = false;
        unsigned number = 0;  // in the context
    };
    struct request {
        tlm::tlm_generic_payload* payload;
        sc_core::sc_time at;     // effective time of BEGIN_REQ
        bool accepted = false;   // END_REQ has been sent
        sc_core::sc_time ready;  // of the response
    };
    /// An access to device memory that waits for an edge.
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
    void finish(entry& e);
    void sleep_if_idle(const sc_core::sc_time& now);
    void begin_reset();
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
    kernel::clocked_process process_;
    copy_engine engine_;

    std::array<window, host::window_count> windows_;
    std::uint32_t irq_status_ = 0, irq_enable_ = 0;
    std::uint32_t submitted_ = 0, completed_ = 0;
    host::error_code error_ = host::error_code::none;
    std::string message_;  // about error_
    std::array<std::uint32_t, host::counter_count> latched_{};
    std::vector<kernel_file> kernels_;

    std::deque<entry> commands_;  // by effective time; issued ones stay until they are done
    std::uint64_t tickets_ = 0;
    unsigned outstanding_ = 0;
    bool resetting_ = false;
    bool draining_ = false;  // a synchronisation waits for the memory system
    bool abort_due_ = false;

    std::deque<memory_access*> accesses_;  // that wait for an edge, in order
    sc_core::sc_event access_done_;
    memory_access front_access_{};    // of the non-blocking request that is next
    sc_core::sc_time resting_since_;  // no command has been queued or running since

    std::deque<request> requests_;                    // non-blocking, in order
    tlm::tlm_generic_payload* responding_ = nullptr;  // BEGIN_RESP without END_RESP
    sc_core::sc_time response_free_;                  // END_RESP was annotated
    sc_core::sc_event serve_event_, arrival_, irq_event_;
};

}  // namespace simtlm::platform
