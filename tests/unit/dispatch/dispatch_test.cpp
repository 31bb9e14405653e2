// SPDX-License-Identifier: Apache-2.0
#include "modules/dispatch/command_processor.h"
#include "modules/isa/opcode_tables.h"
#include "modules/support/error.h"
#include "modules/trace/kernel_trace.h"
#include "tests/unit/core/executed_source.h"
#include "tests/unit/core/sm_rig.h"
#include "tests/unit/trace/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::dispatch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Content of a kernel trace: a number of blocks with one warp of dependent additions.
struct kernel_file {
    unsigned blocks = 1;
    unsigned additions = 4;
    unsigned stream = 0;
    unsigned shared_memory = 0;
    bool loads = false;  ///< ends with a load and a dependent instruction
};

/// Clusters of small SMs, each with a memory of its own, and the front end of the GPU.
class gpu_rig : public sc_core::sc_module, private core::cta_watcher {
public:
    struct placement {
        std::uint64_t cycle;
        unsigned sm;
        std::uint64_t launch;
    };
    const core::simt_cluster_config cores;
    const dispatch_config config;
    simulation::phase_sequencer sequencer;
    protocol::transaction_pool pool;
    isa::opcode_tables opcodes = isa::opcode_tables::builtin();
    std::vector<std::unique_ptr<core::simt_cluster>> clusters;
    std::vector<std::unique_ptr<core::test::fixed_memory>> memories;
    std::unique_ptr<command_processor> commands;
    std::vector<placement> placed;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> copied;
    unsigned idle_calls = 0;
    std::string refuse;  ///< rejects kernels of this file

    gpu_rig(const sc_core::sc_module_name& name, const core::simt_cluster_config& c,
            const dispatch_config& d)
        : sc_module(name),
          cores(c),
          config(d),
          sequencer("sequencer", protocol::clock_domains, protocol::phase_table()) {
        for (unsigned k = 0; k < protocol::clock_domains; ++k) sequencer.clock[k](clock_);
        std::vector<core::simt_cluster*> list;
        for (unsigned k = 0; k < cores.clusters; ++k) {
            clusters.push_back(std::make_unique<core::simt_cluster>(
                ("cluster" + std::to_string(k)).c_str(), sequencer, cores, k, pool));
            memories.push_back(std::make_unique<core::test::fixed_memory>(
                ("memory" + std::to_string(k)).c_str(), sequencer, 50));
            clusters[k]->network.bind(memories[k]->socket);
            for (unsigned i = 0; i < clusters[k]->sms(); ++i) clusters[k]->core(i).watch(*this);
            list.push_back(clusters[k].get());
        }
        command_processor::hooks calls;
        calls.open = [this](const host_command& command) {
            trace::reader_options how;
            how.opcodes = &opcodes;
            return std::make_unique<trace::kernel_trace>(command.file, how, 0);
        };
        calls.copied_in = [this](std::uint64_t a, std::uint64_t n) { copied.emplace_back(a, n); };
        calls.check = [this](const program::kernel_descriptor& h) {
            if (!refuse.empty() && h.origin.find(refuse) != std::string::npos)
                throw support::user_error(h.origin, "does not fit");
        };
        calls.idle = [this] { ++idle_calls; };
        commands =
            std::make_unique<command_processor>("commands", sequencer, config, cores, list, calls);
    }
    /// @param depends_on  tag of a launch that this one may overlap
    void launch(const kernel_file& k, std::uint64_t tag = 0,
                std::optional<std::uint64_t> stream = {}, std::uint64_t depends_on = 0) {
        host_command c;
        c.stream = stream;
        c.list_number = tag;
        c.depends_on = depends_on;
        c.what = host_command::kind::launch;
        c.file = write(k);
        c.tag = tag;
        commands->submit(c);
    }
    void submit(host_command::kind what, std::uint64_t tag, std::uint64_t address = 0,
                std::uint64_t bytes = 0) {
        host_command c;
        c.what = what;
        c.tag = tag;
        c.address = address;
        c.bytes = bytes;
        commands->submit(c);
    }
    void run(unsigned cycles) {
        commands->proceed();
        sc_core::sc_start(static_cast<double>(cycles), sc_core::SC_NS);
    }
    std::vector<unsigned> sms() const {
        std::vector<unsigned> result;
        for (const placement& p : placed) result.push_back(p.sm);
        return result;
    }

private:
    std::string write(const kernel_file& k) {
        std::string text =
            "-kernel name = k\n-kernel id = 1\n-grid dim = (" + std::to_string(k.blocks) +
            ",1,1)\n-block dim = (32,1,1)\n-shmem = " + std::to_string(k.shared_memory) +
            "\n-nregs = 16\n-binary version = 70\n-cuda stream id = " + std::to_string(k.stream) +
            "\n-shmem base_addr = 0x00007f0001000000\n"
            "-local mem base_addr = 0x00007f0003000000\n"
            "-nvbit version = 1.5\n-accelsim tracer version = 3\n\n#traces\n\n";
        for (unsigned b = 0; b < k.blocks; ++b) {
            const unsigned count = k.additions + 1 + (k.loads ? 2 : 0);
            text += "#BEGIN_TB\n\nthread block = " + std::to_string(b) +
                    ",0,0\n\nwarp = 0\ninsts = " + std::to_string(count) + "\n";
            for (unsigned i = 0; i < k.additions; ++i)
                text += "0010 ffffffff 1 R1 IADD3 2 R1 R2 0\n";
            if (k.loads)
                text +=
                    "0020 ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x7f0000000000 4\n"
                    "0030 ffffffff 1 R5 IADD3 1 R4 0\n";
            text += "0040 ffffffff 0 EXIT 0 0\n\n#END_TB\n\n";
        }
        return folder_.write("kernel-" + std::to_string(++files_) + ".traceg", text);
    }
    void cta_started(const core::multiprocessor& where, unsigned, const core::kernel_context& k,
                     const program::cta&) override {
        placed.push_back({sequencer.cycle(protocol::core_clock), where.id(), k.launch});
    }
    void cta_ended(const core::multiprocessor&, unsigned) override {}

    sc_core::sc_clock clock_{"clock", 1, sc_core::SC_NS};
    test::temporary_folder folder_;
    unsigned files_ = 0;
};

core::simt_cluster_config cores_of(unsigned clusters, unsigned sms) {
    core::simt_cluster_config c;
    c.clusters = clusters;
    c.sms_per_cluster = sms;
    c.sm = core::test::small_sm();
    return c;
}

// ---- CTAs --------------------------------------------------------------------------------------

TEST(CtaScheduler, PlacesOneCtaPerClusterAndCycleOnItsSmsRoundRobin) {
    gpu_rig rig("rig", cores_of(2, 2), {});
    rig.launch({10, 20});
    rig.run(600);
    // SMs 0 and 1 belong to cluster 0.
    EXPECT_THAT(rig.sms(), ElementsAre(0, 2, 1, 3, 0, 2, 1, 3, 0, 2));
    for (std::size_t k = 0; k < 10; ++k) EXPECT_EQ(rig.placed[k].cycle, k / 2);
    EXPECT_EQ(rig.commands->ctas().ctas_completed(), 10u);
}

TEST(CtaScheduler, ContinuesAfterTheClusterThatReceivedTheLastCta) {
    gpu_rig rig("rig", cores_of(3, 1), {});
    rig.launch({1, 4});
    rig.launch({1, 4});
    rig.launch({2, 4});
    rig.run(600);
    EXPECT_THAT(rig.sms(), ElementsAre(0, 1, 2, 0));
}

TEST(CtaScheduler, FollowsAnOrderOfClusters) {
    dispatch_config d;
    d.cluster_order = {2, 0, 3, 1};
    gpu_rig rig("rig", cores_of(4, 1), d);
    rig.launch({1, 4});
    rig.launch({5, 4});
    rig.run(600);
    EXPECT_THAT(rig.sms(), ElementsAre(2, 0, 3, 1, 2, 0)) << "and goes on behind the last";
}

TEST(CtaScheduler, ChoosesTheSmWithCapacityForTheMostCtas) {
    // As in figure 2 of Gilman et al.: a CTA of another kernel occupies half of the shared memory
    // of SM 0, so that two CTAs of the second kernel fit there, and four on SM 1.
    dispatch_config d;
    d.by_capacity = true;
    d.concurrent_kernels_per_sm = true;
    d.cta_launch_interval = 1000;
    gpu_rig rig("rig", cores_of(2, 1), d);
    rig.launch({1, 200, 1, 32768});
    rig.launch({3, 100, 2, 16384});
    rig.run(1500);
    EXPECT_THAT(rig.sms(), ElementsAre(0, 1, 1, 0));
    EXPECT_EQ(rig.commands->ctas().ctas_completed(), 4u);
}

TEST(CtaScheduler, ChoosesTheFirstOfEqualSmsInAFixedOrder) {
    dispatch_config d;
    d.by_capacity = true;
    d.cluster_order = {2, 0, 1};
    gpu_rig rig("rig", cores_of(3, 1), d);
    rig.launch({1, 4});
    rig.launch({5, 4});
    rig.run(600);
    EXPECT_THAT(rig.sms(), ElementsAre(2, 2, 0, 1, 2, 0));
    for (std::size_t k = 1; k < 6; ++k)
        EXPECT_EQ(rig.placed[k].cycle - rig.placed[1].cycle, (k - 1) / 3)
            << "one per cluster and cycle";
}

TEST(CtaScheduler, PlacesAtMostTheCtasThatFitAndTheNextWhenOneEnds) {
    core::simt_cluster_config c = cores_of(1, 1);
    c.sm.max_ctas = 2;
    gpu_rig rig("rig", c, {});
    rig.launch({5, 10});
    rig.run(1000);
    ASSERT_EQ(rig.placed.size(), 5u);
    EXPECT_EQ(rig.placed[0].cycle, 0u);
    EXPECT_EQ(rig.placed[1].cycle, 1u);
    EXPECT_GT(rig.placed[2].cycle, 50u);
    const auto done = rig.commands->take_finished();
    ASSERT_EQ(done.size(), 1u);
    EXPECT_EQ(done[0].ctas_per_sm, 2u);
}

/// Sectors that two kernels of three CTAs, which run one after the other and load the same line,
/// read from memory.
std::size_t sectors_of_two_kernels(bool idle_sm_flushes_l1) {
    dispatch_config d;
    d.cta_launch_interval = 300000;  // 300 cycles: each CTA ends before the next one begins
    core::simt_cluster_config c = cores_of(1, 1);
    c.sm.l1.flush = true;
    c.sm.quirks.idle_sm_flushes_l1 = idle_sm_flushes_l1;
    gpu_rig rig("rig", c, d);
    kernel_file k{3, 4};
    k.loads = true;
    rig.launch(k);
    rig.launch(k);
    rig.run(3000);
    EXPECT_EQ(rig.commands->ctas().ctas_completed(), 6u);
    return rig.memories[0]->seen.size();
}

TEST(CtaScheduler, InvalidatesTheL1OfAnEmptySmBeforeAKernel) {
    EXPECT_EQ(sectors_of_two_kernels(false), 2u * 4);
}

TEST(CtaScheduler, InvalidatesTheL1OfAnEmptySmBeforeEveryCtaUnderTheQuirk) {
    EXPECT_EQ(sectors_of_two_kernels(true), 6u * 4);
}

TEST(CtaScheduler, RunsAKernelPassedWithTheCommand) {
    core::test::small_kernel k;
    k.compute(1, 2);
    k.loop(0, 3);
    k.leave();
    k.finish();
    gpu_rig rig("rig", cores_of(2, 1), {});
    host_command c;
    c.kernel = std::make_shared<core::test::executed_source>(k, 6, 2);
    c.tag = 7;
    rig.commands->submit(c);
    rig.launch({2, 4});
    rig.run(2000);
    const auto done = rig.commands->take_finished();
    ASSERT_EQ(done.size(), 2u);
    EXPECT_EQ(done[0].descriptor.name, "small");
    EXPECT_EQ(done[0].tag, 7u);
    EXPECT_EQ(rig.commands->ctas().ctas_completed(), 8u);
    EXPECT_EQ(rig.commands->ctas().thread_instructions(), 6u * 2 * 32 * 9 + 2u * 32 * 5);
}

TEST(CtaScheduler, WaitsForTheLaunchLatencyOfKernelAndBlocks) {
    dispatch_config d;
    d.kernel_launch_latency = 100;
    d.block_launch_latency = 7;
    gpu_rig rig("rig", cores_of(1, 2), d);
    rig.launch({6, 4, 0});
    rig.launch({1, 4, 0});
    rig.run(1000);
    ASSERT_EQ(rig.placed.size(), 7u);
    EXPECT_EQ(rig.placed[0].cycle, 100u + 6 * 7);
    const auto done = rig.commands->take_finished();
    ASSERT_EQ(done.size(), 2u);
    EXPECT_EQ(done[0].start_cycle, 142u);
    // The next kernel is launched in the cycle in which the first one ended; the cycle after is its
    // first.
    EXPECT_EQ(done[1].launched_at, done[0].end_cycle + 1);
    EXPECT_EQ(done[1].start_cycle, done[1].launched_at + 107);
    EXPECT_EQ(rig.placed[6].cycle, done[1].start_cycle);
}

TEST(CtaScheduler, PlacesCtasOfTheWholeGridAtAnInterval) {
    dispatch_config d;
    d.cta_launch_interval = 1500;  // 1.5 cycles per CTA
    gpu_rig rig("rig", cores_of(4, 1), d);
    rig.launch({4, 30, 0});
    rig.run(1000);
    std::vector<std::uint64_t> cycles;
    for (const auto& p : rig.placed) cycles.push_back(p.cycle);
    EXPECT_THAT(cycles, ElementsAre(0u, 2u, 3u, 5u));
}

TEST(CtaScheduler, RunsOneKernelPerSmUntilItIsEmpty) {
    gpu_rig rig("rig", cores_of(1, 1), {});
    rig.launch({1, 30, 1});
    rig.launch({1, 4, 2});
    rig.run(1500);
    const auto done = rig.commands->take_finished();
    ASSERT_EQ(done.size(), 2u);
    EXPECT_GE(done[1].start_cycle, done[0].end_cycle);
    EXPECT_EQ(done[1].launched_at, 0u) << "it was launched, but found no SM";
}

TEST(CtaScheduler, RunsSeveralKernelsPerSmIfConfigured) {
    dispatch_config d;
    d.concurrent_kernels_per_sm = true;
    gpu_rig rig("rig", cores_of(1, 1), d);
    rig.launch({1, 30, 1});
    rig.launch({1, 4, 2});
    rig.run(1500);
    ASSERT_EQ(rig.placed.size(), 2u);
    EXPECT_EQ(rig.placed[0].launch, 1u);
    EXPECT_EQ(rig.placed[1].launch, 2u);
    EXPECT_EQ(rig.placed[1].cycle, 1u);
    const auto done = rig.commands->take_finished();
    ASSERT_EQ(done.size(), 2u);
    EXPECT_EQ(done[0].launch, 2u) << "the short one ends first";
}

// ---- streams -----------------------------------------------------------------------------------

TEST(CommandProcessor, RunsOneKernelOfAStreamAtATime) {
    gpu_rig rig("rig", cores_of(2, 2), {});
    for (int n = 0; n < 3; ++n) rig.launch({1, 20, 5}, 10 + n);
    rig.run(2000);
    const auto done = rig.commands->take_finished();
    ASSERT_EQ(done.size(), 3u);
    for (std::size_t n = 0; n < 3; ++n) EXPECT_EQ(done[n].tag, 10 + n);
    for (std::size_t n = 1; n < 3; ++n) EXPECT_GT(done[n].start_cycle, done[n - 1].end_cycle);
    EXPECT_TRUE(rig.commands->idle());
    EXPECT_EQ(rig.commands->kernels_done(), 3u);
}

TEST(CommandProcessor, RunsKernelsOfSeveralStreamsAtOnce) {
    gpu_rig rig("rig", cores_of(2, 2), {});
    for (unsigned n = 0; n < 4; ++n) rig.launch({1, 30, n});
    rig.run(1000);
    ASSERT_EQ(rig.placed.size(), 4u);
    for (const auto& p : rig.placed) EXPECT_LT(p.cycle, 4u);
    EXPECT_EQ(rig.commands->take_finished().size(), 4u);
}

TEST(CommandProcessor, RunsNoMoreKernelsAtOnceThanTheWindowHolds) {
    dispatch_config d;
    d.max_concurrent_kernels = 2;
    gpu_rig rig("rig", cores_of(2, 2), d);
    for (unsigned n = 0; n < 3; ++n) rig.launch({1, 30, n});
    rig.run(1500);
    ASSERT_EQ(rig.placed.size(), 3u);
    EXPECT_LT(rig.placed[1].cycle, 4u);
    EXPECT_GT(rig.placed[2].cycle, 100u);
}

TEST(CommandProcessor, RunsKernelsOneByOneUnderTheQuirk) {
    dispatch_config d;
    d.serial_kernels = true;
    gpu_rig rig("rig", cores_of(2, 2), d);
    for (unsigned n = 0; n < 3; ++n) rig.launch({1, 30, n});
    rig.run(1500);
    const auto done = rig.commands->take_finished();
    ASSERT_EQ(done.size(), 3u);
    for (std::size_t n = 1; n < 3; ++n) EXPECT_GT(done[n].start_cycle, done[n - 1].end_cycle);
}

TEST(CommandProcessor, AcceptsTheStreamOfAHostCommand) {
    gpu_rig rig("rig", cores_of(2, 2), {});
    rig.launch({1, 30, 1}, 0, 7);
    rig.launch({1, 30, 1}, 0, 8);
    rig.launch({1, 30, 2}, 0, 7);
    rig.run(100);
    EXPECT_EQ(rig.placed.size(), 2u) << "two streams, whatever the traces say";
}

TEST(CommandProcessor, EndsAKernelAfterTheOneOnWhichItDepends) {
    gpu_rig rig("rig", cores_of(1, 2), {});
    rig.launch({1, 60}, 1, 7);
    rig.launch({1, 4}, 2, 8, 1);
    rig.launch({1, 4}, 3, 9);
    rig.run(2000);
    ASSERT_EQ(rig.placed.size(), 3u);
    EXPECT_LT(rig.placed[1].cycle, 4u) << "it overlaps the other";
    const auto done = rig.commands->take_finished();
    ASSERT_EQ(done.size(), 3u);
    EXPECT_EQ(done[0].tag, 3u) << "it depends on none";
    EXPECT_EQ(done[1].tag, 1u);
    EXPECT_EQ(done[2].tag, 2u);
    EXPECT_GT(done[2].end_cycle, done[1].end_cycle);
}

TEST(CommandProcessor, StartsAKernelAfterItsDependenceHasEnded) {
    gpu_rig rig("rig", cores_of(1, 1), {});
    rig.launch({1, 4}, 1, 7);
    rig.run(500);
    rig.launch({1, 4}, 2, 8, 1);
    rig.run(500);
    EXPECT_EQ(rig.commands->take_finished().size(), 2u);
}

TEST(CommandProcessor, ReportsWhenAllCtasHaveTriggeredDependents) {
    core::simt_cluster_config c = cores_of(1, 1);
    c.sm.max_ctas = 1;
    gpu_rig rig("rig", c, {});
    rig.launch({2, 30}, 5);
    rig.run(20);
    EXPECT_THAT(rig.commands->take_ready_for_dependents(), IsEmpty());
    // CTAs of a core without griddepcontrol become ready when they end.
    rig.run(1000);
    EXPECT_THAT(rig.commands->take_ready_for_dependents(), ElementsAre(5u));
}

TEST(CommandProcessor, ExecutesCopiesInOrderAndBeforeTheFollowingKernel) {
    using kind = host_command::kind;
    gpu_rig rig("rig", cores_of(1, 1), {});
    rig.submit(kind::copy_in, 1, 0x1000, 256);
    rig.submit(kind::fill, 2, 0x2000, 64);
    rig.launch({1, 30}, 3);
    rig.submit(kind::copy_out, 4, 0x1000, 256);
    rig.run(1);
    EXPECT_THAT(rig.copied, ElementsAre(std::pair(0x1000u, 256u), std::pair(0x2000u, 64u)));
    EXPECT_EQ(rig.placed.size(), 1u);
    EXPECT_THAT(rig.commands->take_done(), ElementsAre(1, 2, 4));
    rig.run(1000);
    EXPECT_EQ(rig.commands->take_finished().at(0).tag, 3u);
}

TEST(CommandProcessor, SynchronizesWithEarlierKernels) {
    using kind = host_command::kind;
    gpu_rig rig("rig", cores_of(2, 2), {});
    rig.launch({1, 30, 1});
    rig.launch({1, 60, 2});
    rig.submit(kind::synchronize, 9);
    rig.launch({1, 4, 3});
    rig.submit(kind::copy_in, 10, 0x3000, 32);
    rig.run(100);
    EXPECT_EQ(rig.placed.size(), 2u);
    EXPECT_THAT(rig.copied, IsEmpty());
    EXPECT_THAT(rig.commands->take_done(), IsEmpty());
    rig.run(2000);
    const auto done = rig.commands->take_finished();
    ASSERT_EQ(done.size(), 3u);
    EXPECT_GT(done[2].start_cycle, done[1].end_cycle);
    EXPECT_THAT(rig.commands->take_done(), ElementsAre(9, 10));
    EXPECT_EQ(rig.copied.size(), 1u);
    EXPECT_TRUE(rig.commands->idle());
}

TEST(CommandProcessor, ReportsWhenTheGpuBecomesIdle) {
    gpu_rig rig("rig", cores_of(2, 2), {});
    rig.launch({1, 4, 1});
    rig.launch({1, 30, 2});
    rig.run(1000);
    EXPECT_EQ(rig.idle_calls, 1u);
}

TEST(CommandProcessor, StopsAtAKernelThatDoesNotFit) {
    gpu_rig rig("rig", cores_of(1, 1), {});
    rig.refuse = "kernel-2";
    rig.launch({1, 4});
    rig.launch({1, 4});
    rig.run(500);
    EXPECT_TRUE(rig.commands->stopped());
    EXPECT_THROW(rig.sequencer.rethrow_failure(), support::user_error);
}

// ---- limits and deadlock -----------------------------------------------------------------------

TEST(CommandProcessor, StopsAtTheCycleLimit) {
    dispatch_config d;
    d.max_cycles = 200;
    gpu_rig rig("rig", cores_of(1, 1), d);
    rig.launch({1, 500});
    std::uint64_t stopped = 0;
    rig.commands->proceed();
    while (!rig.commands->stopped() && stopped++ < 1000) sc_core::sc_start(1, sc_core::SC_NS);
    EXPECT_EQ(rig.commands->stop_reason(), "-gpgpu_max_cycle");
    EXPECT_NEAR(static_cast<double>(rig.sequencer.edges(0)), 200, 1);
    EXPECT_FALSE(rig.commands->deadlocked());
}

TEST(CommandProcessor, StopsAtTheInstructionLimit) {
    dispatch_config d;
    d.max_instructions = 320;  // ten warp instructions
    gpu_rig rig("rig", cores_of(1, 1), d);
    rig.launch({1, 500});
    rig.commands->proceed();
    for (int n = 0; n < 1000 && !rig.commands->stopped(); ++n) sc_core::sc_start(1, sc_core::SC_NS);
    EXPECT_EQ(rig.commands->stop_reason(), "-gpgpu_max_insn");
    EXPECT_EQ(rig.commands->ctas().thread_instructions(), 320u);
}

TEST(CommandProcessor, StopsAtTheLimitsOfCtas) {
    dispatch_config issued, completed;
    issued.max_ctas = 3;
    completed.max_completed_ctas = 2;
    gpu_rig a("a", cores_of(1, 1), issued), b("b", cores_of(1, 1), completed);
    for (gpu_rig* r : {&a, &b}) {
        r->launch({8, 10});
        r->commands->proceed();
    }
    sc_core::sc_start(1000, sc_core::SC_NS);
    EXPECT_EQ(a.commands->stop_reason(), "-gpgpu_max_cta");
    EXPECT_EQ(a.commands->ctas().ctas_issued(), 3u);
    EXPECT_EQ(a.commands->ctas().ctas_completed(), 3u) << "those that run end";
    EXPECT_EQ(b.commands->stop_reason(), "-gpgpu_max_completed_cta");
}

TEST(CommandProcessor, DetectsADeadlock) {
    dispatch_config d;
    d.deadlock_window = 1000;
    gpu_rig rig("rig", cores_of(1, 1), d);
    rig.memories[0]->mute = true;
    kernel_file k{1, 4};
    k.loads = true;
    rig.launch(k);
    rig.run(3500);
    EXPECT_TRUE(rig.commands->deadlocked());
    EXPECT_TRUE(rig.commands->stopped());
    EXPECT_EQ(rig.commands->stop_reason(), "deadlock");
    EXPECT_THAT(rig.clusters[0]->core(0).describe(),
                ::testing::HasSubstr("warp 0 (CTA slot 0) after PC 0x20 waits for registers of "
                                     "IADD3"));
}

TEST(CommandProcessor, DoesNotReportALongLatencyAsADeadlock) {
    dispatch_config d;
    d.deadlock_window = 1000;
    d.kernel_launch_latency = 5000;
    gpu_rig rig("rig", cores_of(1, 1), d);
    rig.launch({1, 400});
    rig.run(9000);
    EXPECT_FALSE(rig.commands->deadlocked());
    EXPECT_EQ(rig.commands->kernels_done(), 1u);
}

TEST(CommandProcessor, DoesNotDetectDeadlocksIfDisabled) {
    dispatch_config d;
    d.deadlock_window = 500;
    d.deadlock_detect = false;
    gpu_rig rig("rig", cores_of(1, 1), d);
    rig.memories[0]->mute = true;
    kernel_file k{1, 4};
    k.loads = true;
    rig.launch(k);
    rig.run(5000);
    EXPECT_FALSE(rig.commands->deadlocked());
}

}  // namespace
}  // namespace simtlm::dispatch
