// SPDX-License-Identifier: Apache-2.0
// Foreign memories that delay, refuse and fail: the GPU goes on, counts and reports, and comes to
// its end.
#include "platform/simtlm.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <memory>
#include <random>

namespace simtlm {
namespace {

/// Answers after a random time, now and then with an error of its own choice.
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
        // Mostly short, sometimes so long that everything else stands still.
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

/// Runs a shipped trace on the small GPU with such memories at all channels.
struct faulty_run {
    explicit faulty_run(unsigned good_to_one_bad)
        : device("gpu",
                 configure({"--preset", "TINY", "--any-binary-version"}, SIMTLM_TEST_CONFIG_DIR)) {
        sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
        for (std::size_t c = 0; c < device.memory.size(); ++c) {
            memories.push_back(
                std::make_unique<faulty_memory>(("memory" + std::to_string(c)).c_str(),
                                                static_cast<unsigned>(c + 1), good_to_one_bad));
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
        for (unsigned i = 0; i < 1000 && !device.commands().idle() && !device.commands().stopped();
             ++i)
            sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US));
        // Posted writes may still be under way when the last kernel has ended.
        for (unsigned i = 0; i < 100 && device.transactions().outstanding() > kept(); ++i)
            sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US));
    }
    /// Requests that are no requests: the fetch unit of every SM keeps one for its next.
    std::size_t kept() const { return device.config().sms(); }
    std::uint64_t failed() const {
        std::uint64_t n = 0;
        for (const auto& m : memories) n += m->failed;
        return n;
    }

    gpu device;
    std::vector<std::unique_ptr<faulty_memory>> memories;
    std::uint64_t kernels = 0;
};

void expect_whole(const faulty_run& run) {
    auto& device = const_cast<gpu&>(run.device);
    EXPECT_TRUE(device.commands().idle()) << device.describe();
    EXPECT_FALSE(device.commands().stopped());
    EXPECT_EQ(run.kernels, device.commands().kernels_done());
    EXPECT_LE(device.transactions().outstanding(), run.kept()) << "every request has been answered";
    EXPECT_GT(run.memories[0]->served, 0u);
}

TEST(MemoryFaults, DelaysAreWaitedFor) {
    const faulty_run run(0);
    expect_whole(run);
    EXPECT_EQ(0u, run.failed());
}

TEST(MemoryFaults, ErrorsAreCountedAndTheRunGoesOn) {
    const faulty_run run(20);
    expect_whole(run);
    EXPECT_GT(run.failed(), 0u);
    std::uint64_t counted = 0;
    for (const auto& channel : run.device.channels())
        counted += dynamic_cast<const platform::memory_bridge&>(*channel).errors();
    EXPECT_EQ(run.failed(), counted);
}

TEST(MemoryFaults, NothingButErrorsEndsToo) {
    const faulty_run run(1);
    expect_whole(run);
}

}  // namespace
}  // namespace simtlm
