// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firmware.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <systemc>
#include <thread>
#include <tlm>

namespace platform_example {

/// A processor whose instructions are executed elsewhere: in a host thread of its own, like a
/// virtual CPU of QEMU, or any instruction set simulator that cannot be suspended. The two threads
/// alternate. The guest runs until it accesses a device, sleeps, or has used up the quantum; the
/// SystemC side then executes the request, with the guest's lead annotated, and resumes it. Time is
/// counted in instructions, so that results do not depend on the host.
class virtual_processor : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<virtual_processor, 32> socket;
    sc_core::sc_in<bool> interrupt;

    using program = std::function<void(const machine&)>;

    /// @param instruction  time per instruction
    virtual_processor(const sc_core::sc_module_name& name, const sc_core::sc_time& instruction,
                      program guest)
        : sc_module(name),
          socket("socket"),
          interrupt("interrupt"),
          instruction_(instruction),
          guest_(std::move(guest)) {
        sc_core::sc_spawn([this] { run(); }, "run");
    }
    ~virtual_processor() override {
        // A suspended guest stays suspended: it holds nothing but the baton.
        if (thread_.joinable()) finished_ ? thread_.join() : thread_.detach();
    }

    bool finished() const { return finished_; }
    unsigned quanta() const { return quanta_; }  ///< number of exhausted quanta
    /// Accesses started ahead of the simulation.
    unsigned accesses_ahead() const { return ahead_; }
    sc_core::sc_time longest_lead() const { return longest_lead_; }

private:
    /// Reason why the guest has stopped.
    struct exit {
        enum class reason { load, store, sleep, quantum, end } why;
        std::uint64_t address = 0;
        std::uint32_t data = 0;
        unsigned instructions = 0;  // executed since it was resumed
    };

    /// Passes control, and data, between the two threads.
    class baton {
    public:
        /// SystemC side: runs the guest until it exits.
        exit resume(unsigned budget, std::uint32_t loaded) {
            std::unique_lock<std::mutex> lock(mutex_);
            budget_ = budget;
            executed_ = 0;
            loaded_ = loaded;
            give_to(true, lock);
            exit_.instructions = executed_;
            return exit_;
        }
        /// Guest side: exits, and returns when it is resumed. @return data of a load
        std::uint32_t leave(exit e) {
            std::unique_lock<std::mutex> lock(mutex_);
            exit_ = e;
            give_to(false, lock);
            return loaded_;
        }
        /// Guest side: the last exit.
        void end() {
            const std::lock_guard<std::mutex> lock(mutex_);
            exit_ = {exit::reason::end};
            guest_runs_ = false;
            turn_.notify_all();
        }
        void wait_for_guest() {
            std::unique_lock<std::mutex> lock(mutex_);
            turn_.wait(lock, [this] { return guest_runs_; });
        }
        /// Guest side: executes up to the end of the quantum. @return instructions left
        unsigned execute(unsigned instructions) {
            const unsigned now = std::min(instructions, budget_ - executed_);
            executed_ += now;
            return instructions - now;
        }

    private:
        void give_to(bool guest, std::unique_lock<std::mutex>& lock) {
            guest_runs_ = guest;
            turn_.notify_all();
            turn_.wait(lock, [&] { return guest_runs_ != guest; });
        }

        std::mutex mutex_;
        std::condition_variable turn_;
        bool guest_runs_ = false;
        exit exit_{exit::reason::end};
        unsigned budget_ = 0, executed_ = 0;
        std::uint32_t loaded_ = 0;
    };

    static constexpr unsigned instructions_per_access = 4;

    // ---- guest thread ----

    static void execute(void* self, unsigned instructions) {
        baton& b = *static_cast<baton*>(self);
        while ((instructions = b.execute(instructions)) != 0) b.leave({exit::reason::quantum});
    }
    static std::uint32_t load(void* self, std::uint64_t address) {
        execute(self, instructions_per_access);
        return static_cast<baton*>(self)->leave({exit::reason::load, address});
    }
    static void store(void* self, std::uint64_t address, std::uint32_t value) {
        execute(self, instructions_per_access);
        static_cast<baton*>(self)->leave({exit::reason::store, address, value});
    }
    static void wait_for_interrupt(void* self) {
        static_cast<baton*>(self)->leave({exit::reason::sleep});
    }

    // ---- SystemC thread ----

    void run() {
        const auto shared = baton_;
        thread_ = std::thread([shared, guest = guest_] {
            shared->wait_for_guest();
            guest({shared.get(), &load, &store, &wait_for_interrupt, &execute});
            shared->end();
        });
        keeper_.reset();
        std::uint32_t loaded = 0;
        for (;;) {
            const exit e = baton_->resume(budget(), loaded);
            keeper_.inc(e.instructions * instruction_);
            longest_lead_ = std::max(longest_lead_, keeper_.get_local_time());
            if (e.why == exit::reason::end) break;
            if (e.why == exit::reason::load || e.why == exit::reason::store)
                loaded = access(e);
            else if (e.why == exit::reason::sleep)
                sleep();
            else
                ++quanta_;
            if (keeper_.need_sync()) keeper_.sync();
        }
        keeper_.sync();
        finished_ = true;
        sc_core::sc_stop();
    }
    /// Instructions until the end of the quantum.
    unsigned budget() {
        const sc_core::sc_time quantum = tlm::tlm_global_quantum::instance().get();
        const double left = (quantum - keeper_.get_local_time()) / instruction_;
        return left >= 1 ? static_cast<unsigned>(left) : 1;
    }
    std::uint32_t access(const exit& e) {
        std::uint32_t data = e.data;
        tlm::tlm_generic_payload p;
        p.set_command(e.why == exit::reason::load ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
        p.set_address(e.address);
        p.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
        p.set_data_length(sizeof data);
        p.set_streaming_width(sizeof data);
        sc_core::sc_time delay = keeper_.get_local_time();
        if (delay > sc_core::SC_ZERO_TIME) ++ahead_;
        socket->b_transport(p, delay);
        keeper_.set(delay);
        if (p.is_response_error()) SC_REPORT_ERROR("virtual_processor", "bus error");
        return data;
    }
    void sleep() {
        keeper_.sync();
        if (!interrupt.read()) sc_core::wait(interrupt.posedge_event());
        keeper_.reset();
    }

    const sc_core::sc_time instruction_;
    program guest_;
    std::shared_ptr<baton> baton_ = std::make_shared<baton>();
    std::thread thread_;
    tlm_utils::tlm_quantumkeeper keeper_;
    bool finished_ = false;
    unsigned quanta_ = 0, ahead_ = 0;
    sc_core::sc_time longest_lead_;
};

}  // namespace platform_example
