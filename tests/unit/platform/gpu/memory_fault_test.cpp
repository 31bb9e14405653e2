// SPDX-License-Identifier: Apache-2.0
// External memories that delay, stall and fail: the GPU continues, counts and reports errors, and
// completes.
#include "platform/gpu/gpu_blocks.h"
#include "platform/simtlm.h"

#include <gtest/gtest.h>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>

#include <limits>
#include <memory>
#include <random>

namespace simtlm {
namespace {

/// Answers after a random time, occasionally with an error.
class faulty_memory : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<faulty_memory> socket{"socket"};

    faulty_memory(const sc_core::sc_module_name& name, unsigned seed, unsigned good_to_one_bad)
        : sc_module(name), random_(seed), good_to_one_bad_(good_to_one_bad) {
        socket.register_b_transport(this, &faulty_memory::b_transport);
    }
    std::uint64_t served = 0, failed = 0;

private:
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
        static constexpr tlm::tlm_response_status errors[] = {
            tlm::TLM_GENERIC_ERROR_RESPONSE, tlm::TLM_ADDRESS_ERROR_RESPONSE,
            tlm::TLM_COMMAND_ERROR_RESPONSE, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE,
            tlm::TLM_INCOMPLETE_RESPONSE};
        // Mostly short, occasionally long enough to stall everything else.
        const bool stall = random_() % 64 == 0;
        wait(sc_core::sc_time(static_cast<double>(random_() % (stall ? 5000 : 100)),
                              sc_core::SC_NS));
        delay += sc_core::sc_time(static_cast<double>(random_() % 50), sc_core::SC_NS);
        ++served;
        const bool bad = good_to_one_bad_ != 0 && random_() % good_to_one_bad_ == 0;
        failed += bad ? 1 : 0;
        p.set_response_status(bad ? errors[random_() % std::size(errors)] : tlm::TLM_OK_RESPONSE);
    }

    std::mt19937 random_;
    unsigned good_to_one_bad_;
};

/// Uses the base protocol with its own timing: delays END_REQ, answers late and out of order,
/// occasionally with an error; stops accepting after a number of requests.
class withholding_memory : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<withholding_memory> socket{"socket"};

    withholding_memory(const sc_core::sc_module_name& name, unsigned seed, std::uint64_t takes)
        : sc_module(name), random_(seed), takes_(takes), events_(this, &withholding_memory::act) {
        socket.register_nb_transport_fw(this, &withholding_memory::nb_transport_fw);
    }
    std::uint64_t served = 0, failed = 0;

private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        if (phase == tlm::END_RESP) {
            p.release();
            return tlm::TLM_COMPLETED;
        }
        if (served == takes_) return tlm::TLM_ACCEPTED;  // never answers afterwards
        ++served;
        p.acquire();
        const bool stall = random_() % 64 == 0;
        events_.notify(p, tlm::END_REQ, delay + some_ns(stall ? 5000 : 100));
        return tlm::TLM_ACCEPTED;
    }

    void act(tlm::tlm_generic_payload& p, const tlm::tlm_phase& phase) {
        tlm::tlm_phase next = phase;
        sc_core::sc_time now;
        if (phase == tlm::END_REQ) {
            socket->nb_transport_bw(p, next, now);
            events_.notify(p, tlm::BEGIN_RESP, some_ns(500));
            return;
        }
        const bool bad = random_() % 20 == 0;
        failed += bad ? 1 : 0;
        p.set_response_status(bad ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
        if (socket->nb_transport_bw(p, next, now) == tlm::TLM_COMPLETED) p.release();
    }

    sc_core::sc_time some_ns(unsigned most) {
        return {1.0 + static_cast<double>(random_() % most), sc_core::SC_NS};
    }

    std::mt19937 random_;
    std::uint64_t takes_;
    tlm_utils::peq_with_cb_and_phase<withholding_memory> events_;
};

bool over(const dispatch::command_processor& commands) {
    return commands.idle() || commands.stopped() || commands.deadlocked();
}

/// Runs a shipped trace on the small GPU with such memories at all channels.
template <typename Memory>
struct run_with {
    /// @param how  parameters of the memories
    template <typename How>
    explicit run_with(How how)
        : device("gpu",
                 configure({"--preset", "TINY", "--any-binary-version"}, SIMTLM_TEST_CONFIG_DIR)) {
        sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
        for (std::size_t c = 0; c < device.memory.size(); ++c) {
            memories.push_back(std::make_unique<Memory>(("memory" + std::to_string(c)).c_str(),
                                                        static_cast<unsigned>(c + 1), how));
            device.memory[c].bind(memories.back()->socket);
        }
        for (const auto& c :
             trace::read_command_list(SIMTLM_TEST_TRACES "/reduction/kernelslist.g")) {
            if (c.what != trace::command::kind::kernel) continue;
            dispatch::host_command launch;
            launch.file = c.file;
            launch.where = c.where;
            device.commands().submit(launch);
            ++kernels;
        }
        device.commands().proceed();
        const auto& commands = device.commands();
        for (unsigned i = 0; i < 1000 && !over(commands); ++i)
            sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US));
        // Posted writes may still be in flight when the last kernel has ended.
        const auto left = [&] {
            return !commands.deadlocked() && device.transactions().outstanding() > kept();
        };
        for (unsigned i = 0; i < 100 && left(); ++i)
            sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US));
    }
    /// Payloads that are not in flight: the fetch unit of every SM keeps one for its next request.
    std::size_t kept() const { return device.config().sms(); }
    std::uint64_t failed() const {
        std::uint64_t n = 0;
        for (const auto& m : memories) n += m->failed;
        return n;
    }

    gpu device;
    std::vector<std::unique_ptr<Memory>> memories;
    std::uint64_t kernels = 0;
};
using faulty_run = run_with<faulty_memory>;
using withheld_run = run_with<withholding_memory>;

template <typename Memory>
std::uint64_t counted_errors(const run_with<Memory>& run) {
    std::uint64_t counted = 0;
    for (const auto& channel : run.device.channels())
        counted += dynamic_cast<const platform::memory_bridge&>(*channel).errors();
    return counted;
}

template <typename Memory>
void expect_whole(const run_with<Memory>& run) {
    auto& device = const_cast<gpu&>(run.device);
    EXPECT_TRUE(device.commands().idle()) << device.describe();
    EXPECT_FALSE(device.commands().stopped());
    EXPECT_EQ(run.kernels, device.commands().kernels_done());
    EXPECT_LE(device.transactions().outstanding(), run.kept()) << "every request has been answered";
    EXPECT_GT(run.memories[0]->served, 0u);
}

TEST(MemoryFaults, DelayedResponsesAreAwaited) {
    const faulty_run run(0u);
    expect_whole(run);
    EXPECT_EQ(0u, run.failed());
}

TEST(MemoryFaults, ErrorsAreCountedAndTheRunContinues) {
    const faulty_run run(20u);
    expect_whole(run);
    EXPECT_GT(run.failed(), 0u);
    EXPECT_EQ(run.failed(), counted_errors(run));
}

TEST(MemoryFaults, ARunWithErrorsOnlyCompletes) {
    const faulty_run run(1u);
    expect_whole(run);
}

TEST(MemoryFaults, WithheldRequestsAndLateResponsesAreAwaited) {
    const withheld_run run(std::numeric_limits<std::uint64_t>::max());
    expect_whole(run);
    EXPECT_GT(run.failed(), 0u);
    EXPECT_EQ(run.failed(), counted_errors(run));
}

TEST(MemoryFaults, AMemoryThatStopsAcceptingRequestsIsReportedAsADeadlock) {
    withheld_run run(std::uint64_t{100});
    EXPECT_FALSE(run.device.commands().idle());
    EXPECT_TRUE(run.device.commands().deadlocked());
    EXPECT_LT(run.device.commands().kernels_done(), run.kernels);
    EXPECT_NE(run.device.describe(), "") << "who waits for what";
}

}  // namespace
}  // namespace simtlm
