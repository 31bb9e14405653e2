// SPDX-License-Identifier: Apache-2.0
#include "platform/config/config.h"

#include "platform/config/config_formats.h"
#include "tests/unit/platform/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace simtlm::platform {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// A small GPU with the built-in crossbar, followed by the options of the test.
option_values base_with(const std::string& text) {
    option_values values;
    values.load_text(
        "-network_mode 2\n-gpgpu_coalesce_arch 70\n"
        "-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:8,16:0,32\n",
        "base.config");
    values.load_text(text, "my.config");
    return values;
}

gpu_config make(const std::string& text) {
    return make_gpu_config(base_with(text));
}

std::string refused(const std::string& text) {
    return refusal([&] { make(text); });
}

/// Options that sub-cores require, four of each unit.
constexpr const char* four_sub_cores =
    "-gpgpu_sub_core_model 1 -gpgpu_num_sched_per_core 4 -gpgpu_num_sp_units 4 "
    "-gpgpu_num_sfu_units 4\n"
    "-gpgpu_num_int_units 4 -gpgpu_num_dp_units 4 -gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8\n"
    "-gpgpu_enable_specialized_operand_collector 0 -gpgpu_operand_collector_num_units_gen 8\n"
    "-gpgpu_operand_collector_num_in_ports_gen 8 -gpgpu_operand_collector_num_out_ports_gen 8\n";

TEST(GpuConfig, ReadsClocksInMegahertz) {
    const gpu_config gpu = make("-gpgpu_clock_domains 1132.0:1000:900.5:850");
    EXPECT_DOUBLE_EQ(gpu.clocks.core, 1132e6);
    EXPECT_DOUBLE_EQ(gpu.clocks.network, 1e9);
    EXPECT_DOUBLE_EQ(gpu.clocks.l2, 900.5e6);
    EXPECT_DOUBLE_EQ(gpu.clocks.dram, 850e6);
}

TEST(GpuConfig, RejectsZeroFrequencies) {
    EXPECT_EQ(
        refused("-gpgpu_clock_domains 0:1:1:1"),
        "my.config:1: -gpgpu_clock_domains 0:1:1:1: a frequency must be greater than zero (MHz)");
    EXPECT_THAT(refused("-gpgpu_clock_domains 1:1:-5:1"), HasSubstr("greater than zero"));
    EXPECT_THAT(refused("-gpgpu_clock_domains 1:1:1"),
                HasSubstr("does not contain four frequencies"));
    EXPECT_THAT(refused("-gpgpu_clock_domains 1:1:1:nan"), HasSubstr("is not a frequency"));
}

TEST(GpuConfig, DerivesWarpsAndNodes) {
    const gpu_config gpu = make(
        "-gpgpu_shader_core_pipeline 1536:32:32 -gpgpu_n_clusters 4 -gpgpu_n_mem 6\n"
        "-gpgpu_n_sub_partition_per_mchannel 2");
    EXPECT_EQ(gpu.cores.sm.max_warps, 48u);
    EXPECT_EQ(gpu.network.clusters, 4u);
    EXPECT_EQ(gpu.network.memories, 12u);
    EXPECT_EQ(gpu.memory.mapping.channels, 6u);
}

TEST(GpuConfig, ReadsTheTimingOfPtxOperations) {
    const gpu_config gpu = make(
        "-ptx_opcode_latency_int 4,13,4,5,145,21 -ptx_opcode_initiation_int 2,2,3,2,8\n"
        "-ptx_opcode_latency_fp 4,11,4,5,39 -ptx_opcode_latency_dp 8,19,8,8,330\n"
        "-ptx_opcode_latency_sfu 100 -ptx_opcode_latency_tesnor 70 "
        "-ptx_opcode_initiation_tensor 7");
    EXPECT_EQ(gpu.ptx.integer[1].latency, 13u);
    EXPECT_EQ(gpu.ptx.integer[2].initiation_interval, 3u);
    EXPECT_EQ(gpu.ptx.integer[5].latency, 21u);
    EXPECT_EQ(gpu.ptx.integer[5].initiation_interval, 1u) << "not given";
    EXPECT_EQ(gpu.ptx.single_precision[1].latency, 11u);
    EXPECT_EQ(gpu.ptx.double_precision[4].latency, 330u);
    EXPECT_EQ(gpu.ptx.special.latency, 100u);
    EXPECT_EQ(gpu.ptx.tensor.latency, 70u);
    EXPECT_EQ(gpu.ptx.tensor.initiation_interval, 7u);
    EXPECT_THAT(refused("-ptx_opcode_latency_fp 4,0,4,4,4"), HasSubstr("0 cycles"));
    EXPECT_THAT(refused("-ptx_opcode_initiation_fp 4,4,4,4"), HasSubstr("has 4 values instead"));
}

TEST(GpuConfig, AssignsEveryClassItsLatency) {
    const gpu_config gpu = make(
        "-trace_opcode_latency_initiation_int 2,2 -trace_opcode_latency_initiation_sp 3,1\n"
        "-trace_opcode_latency_initiation_dp 64,64 -trace_opcode_latency_initiation_spec_op_2 "
        "200,4\n"
        "-specialized_unit_2 1,4,100,4,4,TEX");
    using program::op_class;
    const program::latency_table& t = gpu.traces.latencies;
    for (const op_class c :
         {op_class::alu, op_class::integer, op_class::branch, op_class::call, op_class::ret}) {
        EXPECT_EQ(t[c].latency, 2u);
        EXPECT_EQ(t[c].initiation_interval, 2u);
    }
    EXPECT_EQ(t[op_class::sp].latency, 3u);
    EXPECT_EQ(t[op_class::dp].initiation_interval, 64u);
    EXPECT_EQ(t[op_class::spec2].latency, 200u);
    EXPECT_EQ(t[op_class::barrier].latency, 1u);
    EXPECT_EQ(t[op_class::load].latency, 1u);
    EXPECT_FALSE(gpu.cores.sm.pipelines[core::pipe_spec].present);
}

TEST(GpuConfig, RejectsInvalidLatencies) {
    EXPECT_THAT(refused("-trace_opcode_latency_initiation_sp 0,1"), HasSubstr("must not be zero"));
    EXPECT_THAT(refused("-trace_opcode_latency_initiation_sp 2,4"),
                HasSubstr("exceeds the latency"));
    EXPECT_THAT(refused("-trace_opcode_latency_initiation_sp 2"),
                HasSubstr("has 1 values instead of 2"));
    EXPECT_THAT(refused("-specialized_unit_1 1,4,4"), HasSubstr("has 3 parts instead of 6"));
    EXPECT_THAT(refused("-specialized_unit_1 1,0,4,4,4,BRA"),
                HasSubstr("an enabled unit needs a count"));
}

TEST(GpuConfig, RejectsInvalidSmShapes) {
    EXPECT_THAT(refused("-gpgpu_shader_core_pipeline 1000:32"),
                HasSubstr("not a whole number of warps"));
    EXPECT_THAT(refused("-gpgpu_shader_core_pipeline 1024:64"),
                HasSubstr("traces record warps of 32"));
    EXPECT_THAT(refused("-gpgpu_shader_core_pipeline 4096:32"), HasSubstr("at most 64"));
    EXPECT_THAT(refused("-gpgpu_shader_core_pipeline 0:32"),
                HasSubstr("not a whole number of warps"));
    EXPECT_THAT(refused("-gpgpu_num_sched_per_core 3"),
                HasSubstr("32 warps do not divide among 3 schedulers"));
    EXPECT_THAT(refused("-gpgpu_num_sched_per_core 0"), HasSubstr("must not be zero"));
    EXPECT_THAT(refused("-gpgpu_n_clusters 0"), HasSubstr("-gpgpu_n_clusters 0: must"));
    EXPECT_THAT(refused("-gpgpu_max_insn_issue_per_warp 3"), HasSubstr("must lie between 1 and 2"));
    EXPECT_THAT(refused("-gpgpu_pipeline_widths 0,1,1,1,1,1,1,1,1,1,1"),
                HasSubstr("SP units have no pipeline registers"));
    EXPECT_THAT(refused("-gpgpu_num_tensor_core_units 4"), HasSubstr("the SM has no tensor cores"));
    EXPECT_THAT(refused("-gpgpu_smem_latency 1"), HasSubstr("must lie between 2 and"));
    EXPECT_THAT(refused("-gpgpu_registers_per_block 9000"), HasSubstr("an SM has 8192 registers"));
    EXPECT_THAT(refused("-gpgpu_enable_specialized_operand_collector 0"),
                HasSubstr("no unit collects operands"));
    EXPECT_THAT(refused("-gpgpu_l1_banks 3"), HasSubstr("not a power of two"));
}

TEST(GpuConfig, AcceptsEveryWarpScheduler) {
    EXPECT_EQ(make("-gpgpu_scheduler lrr").cores.sm.scheduler.policy, "lrr");
    EXPECT_EQ(make("-gpgpu_scheduler old").cores.sm.scheduler.policy, "oldest");
    EXPECT_EQ(make("-gpgpu_scheduler two_level_active:6:0:1").cores.sm.scheduler.policy,
              "two_level_active:6:0:1");
    EXPECT_EQ(make("-gpgpu_scheduler warp_limiting:2:16").cores.sm.scheduler.policy,
              "warp_limiting:2:16");
    EXPECT_THAT(refused("-gpgpu_scheduler gtoo"),
                HasSubstr("no warp scheduler 'gtoo' (did you mean gto?)"));
    EXPECT_THAT(refused("-gpgpu_scheduler two_level_active:6"), HasSubstr("takes 3 parameters"));
    EXPECT_THAT(refused("-gpgpu_scheduler warp_limiting:2:99"), HasSubstr("99 of 32 warps"));
}

TEST(GpuConfig, RejectsOrdersOfWarpsThatDoNotExist) {
    EXPECT_THAT(
        refused("-gpgpu_scheduler two_level_active:6:1:1"),
        HasSubstr("INNER 1 is not supported (INNER is 0, round robin among the active warps)"));
    EXPECT_THAT(refused("-gpgpu_scheduler two_level_active:6:0:0"),
                HasSubstr("OUTER 0 is not supported"));
    EXPECT_THAT(
        refused("-gpgpu_scheduler warp_limiting:0:16"),
        HasSubstr("PRIORITY 0 is not supported (PRIORITY is 2, greedy, then the oldest warp)"));
}

TEST(GpuConfig, RejectsACrossbarOfOneSubnet) {
    EXPECT_THAT(refused("-icnt_subnets 1"), HasSubstr("the crossbar has two subnets, not 1"));
    EXPECT_THAT(refused("-icnt_subnets 3"), HasSubstr("the crossbar has two subnets, not 3"));
    EXPECT_EQ(refused("-network_mode 3 -icnt_subnets 1"), "") << "another network";
}

TEST(GpuConfig, RejectsAnIssueDistributionOfAMissingSm) {
    EXPECT_EQ(refused("-gpgpu_n_clusters 4 -gpgpu_n_cores_per_cluster 1 "
                      "-gpgpu_warp_issue_shader 3"),
              "");
    EXPECT_THAT(refused("-gpgpu_n_clusters 4 -gpgpu_n_cores_per_cluster 1 "
                        "-gpgpu_warp_issue_shader 4"),
                HasSubstr("the GPU has 4 SMs"));
}

TEST(GpuConfig, RejectsMoreCollectorsOrBanksThanAnSmCanHave) {
    EXPECT_THAT(refused("-gpgpu_operand_collector_num_units_gen 51"),
                HasSubstr("65 collector units in all pools together"));
    EXPECT_EQ(refused("-gpgpu_operand_collector_num_units_gen 50"), "");
    EXPECT_NE(refused("-gpgpu_num_reg_banks 65"), "");
    EXPECT_EQ(refused("-gpgpu_num_reg_banks 64"), "");
}

TEST(GpuConfig, RequiresOneOfEachUnitPerSubCore) {
    EXPECT_EQ(refused(four_sub_cores), "");
    const std::string four = four_sub_cores;
    EXPECT_THAT(refused(four + "-gpgpu_num_sp_units 2"),
                HasSubstr("2 SP units do not divide among 4"));
    EXPECT_THAT(refused(four + "-gpgpu_pipeline_widths 4,4,4,4,2,4,4,4,4,4,8"),
                HasSubstr("one register in front of the memory collectors"));
    EXPECT_THAT(refused(four + "-gpgpu_pipeline_widths 4,4,4,4,4,2,4,4,4,4,8"),
                HasSubstr("each of 4 SP units has a register of its own"));
    EXPECT_THAT(refused(four + "-gpgpu_num_reg_banks 6"),
                HasSubstr("6 banks do not divide among 4"));
    EXPECT_THAT(refused(four + "-gpgpu_operand_collector_num_units_gen 6"),
                HasSubstr("6 collector units in all pools together"));
    EXPECT_THAT(refused(four + "-specialized_unit_1 1,3,4,4,4,BRA"),
                HasSubstr("3 BRA units do not divide"));
}

TEST(GpuConfig, ChecksTheRolesOfCaches) {
    EXPECT_THAT(refused("-gpgpu_cache:il1 N:64:128:16,L:B:m:N:L,A:2:48,4"),
                HasSubstr("never written"));
    EXPECT_THAT(refused("-gpgpu_cache:il1 none"), HasSubstr("requires this cache"));
    EXPECT_THAT(refused("-gpgpu_tex_cache:l1 N:4:128:256,L:R:m:N:L,A:512:8,128:2"),
                HasSubstr("texture FIFO"));
    EXPECT_THAT(refused("-gpgpu_cache:dl1 N:4:128:256,L:R:m:N:L,A:512:8,128:2"),
                HasSubstr("a data cache is written"));
    EXPECT_THAT(
        refused("-gpgpu_cache:dl2 N:4:128:256,L:B:f:N:L,A:512:8,128:2"),
        StartsWith(
            "my.config:1: -gpgpu_cache:dl2 N:4:128:256,L:B:f:N:L,A:512:8,128:2: a write-back"));
    EXPECT_THAT(refused("-gpgpu_coalesce_arch 13"), HasSubstr("an L1D with 32-byte sectors"));
    EXPECT_THAT(refused("-gpgpu_coalesce_arch 35"), HasSubstr("compute capability 3.5"));
    EXPECT_EQ(make("-gpgpu_coalesce_arch 35 -gpgpu_gmem_skip_L1D 1").cores.sm.ldst.coalesce_arch,
              35u);
    EXPECT_FALSE(make("-gpgpu_cache:dl1 none").cores.sm.l1.data_enabled);
    EXPECT_FALSE(make("-gpgpu_cache:dl2 none").memory.partition.l2.enabled);
}

TEST(GpuConfig, SplitsTheUnifiedCacheOnlyIfPossible) {
    const std::string split =
        "-gpgpu_adaptive_cache_config 1 -gpgpu_unified_l1d_size 128 -gpgpu_shmem_size 98304\n"
        "-gpgpu_shmem_option 96,0,8,64 ";
    EXPECT_THAT(make(split).cores.sm.shared.carve_out_kb, ElementsAre(0, 8, 64, 96));
    EXPECT_THAT(refused(split + "-gpgpu_unified_l1d_size 100"),
                HasSubstr("not a multiple of the L1 data cache"));
    EXPECT_THAT(refused(split + "-gpgpu_unified_l1d_size 0"),
                HasSubstr("needs the size of the unified cache"));
    EXPECT_THAT(refused(split + "-gpgpu_shmem_option 0,64"),
                HasSubstr("no size is sufficient for the SM's 98304 bytes"));
    EXPECT_THAT(refused(split + "-gpgpu_shmem_option 0,160"),
                HasSubstr("160 KB of shared memory in a unified"));
    EXPECT_THAT(refused(split + "-gpgpu_cache:dl1 none"), HasSubstr("no L1 data cache to split"));
}

TEST(GpuConfig, DividesTheMemoryOfVoltaAsGpgpuSim40WithoutSizes) {
    const gpu_config gpu = make("-adaptive_volta_cache_config 1 -gpgpu_shmem_size 98304");
    EXPECT_TRUE(gpu.cores.sm.l1.adaptive);
    EXPECT_EQ(gpu.cores.sm.l1.unified_kb, 128u);
    EXPECT_THAT(gpu.cores.sm.shared.carve_out_kb, ElementsAre(0, 8, 16, 32, 64, 96));
    EXPECT_THAT(refused("-gpgpu_adaptive_cache_config 1 -gpgpu_shmem_size 102400"),
                StartsWith("my.config:1: -gpgpu_adaptive_cache_config 1: no size is sufficient"));
    EXPECT_THAT(
        refused("-gpgpu_adaptive_cache_config 1 -gpgpu_shmem_option 0,64"),
        StartsWith("my.config:1: -gpgpu_adaptive_cache_config 1: the split needs the size"));
}

TEST(GpuConfig, DistributesAddressesEvenlyOverAnyNumberOfChannels) {
    using memory::partition_indexing;
    const std::string polynomial =
        "-gpgpu_memory_partition_indexing 2 -gpgpu_n_sub_partition_per_mchannel 2 -gpgpu_n_mem ";
    EXPECT_EQ(make(polynomial + "32").memory.mapping.indexing, partition_indexing::ipoly);
    EXPECT_EQ(make(polynomial + "24").memory.mapping.indexing, partition_indexing::rotation);
    EXPECT_EQ(make(polynomial + "24 --quirk hash-wraps").memory.mapping.indexing,
              partition_indexing::ipoly);
    EXPECT_EQ(make(polynomial + "24 --compat accel-sim").memory.mapping.indexing,
              partition_indexing::ipoly);
    EXPECT_THAT(refused("-gpgpu_memory_partition_indexing 1 -gpgpu_n_mem 12"),
                HasSubstr("choose 6"));
    EXPECT_THAT(refused("-gpgpu_memory_partition_indexing 3 -gpgpu_n_mem 12"),
                HasSubstr("choose 6"));
    EXPECT_THAT(refused("-gpgpu_memory_partition_indexing 3 -gpgpu_n_mem 64"),
                HasSubstr("choose 6"));
}

TEST(GpuConfig, RejectsAMappingThatLeavesSubPartitionsIdle) {
    const std::string low_bit =
        "-gpgpu_mem_addr_mapping "
        "dramid@4;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RRBBCCCC.CCCSSSSS ";
    EXPECT_THAT(refused(low_bit), HasSubstr("-gpgpu_memory_partition_indexing 6"));
    EXPECT_EQ(refused(low_bit + "--compat accel-sim"), "");
    EXPECT_THAT(refused("-gpgpu_mem_address_mask 100"), StartsWith("my.config:1: -gpgpu_mem_add"));
    const std::string channel_bits =
        "-gpgpu_mem_addr_mapping "
        "00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RRBBCCCC.CCCSDDDS ";
    EXPECT_THAT(refused(channel_bits), HasSubstr("times as many addresses"));
}

TEST(GpuConfig, RejectsLinesOfTheL1ThatSpanLinesOfTheL2) {
    const std::string small = "-gpgpu_cache:dl2 N:64:64:8,L:B:m:N,A:16:4,4 ";
    const std::string whole_lines = "-gpgpu_cache:dl1 N:4:128:64,L:T:m:L:L,A:512:8,16:0,32 ";
    EXPECT_EQ(refused(small), "") << "sectors of 32 bytes";
    EXPECT_THAT(refused(small + whole_lines),
                HasSubstr("requests 128 bytes, more than a line of 64"));
    EXPECT_EQ(refused(small + whole_lines + "--compat accel-sim"), "");
}

TEST(GpuConfig, RejectsBurstsOfPartsOfACommandCycle) {
    const std::string ratio = "-dram_data_command_freq_ratio 2 -gpgpu_dram_burst_length ";
    EXPECT_THAT(refused(ratio + "3"), HasSubstr("no whole number of command cycles"));
    EXPECT_EQ(refused(ratio + "4"), "");
    EXPECT_EQ(refused(ratio + "3 --compat accel-sim"), "");
}

TEST(GpuConfig, ChecksTheGpuOfARunWithoutTiming) {
    const auto untimed = [](const std::string& text) {
        option_values values;
        values.load_text(text, "my.config");
        return refusal([&] { check_untimed(values); });
    };
    EXPECT_EQ(untimed(""), "") << "the network of the defaults needs a file";
    EXPECT_THAT(untimed("-gpgpu_n_clusters 0"), HasSubstr("must not be zero"));
    EXPECT_THAT(untimed("-gpgpu_simd_model 2"), HasSubstr("immediate post-dominators"));
    EXPECT_THAT(untimed("--quirk nonsense"), HasSubstr("unknown quirk"));
    EXPECT_THAT(untimed("-network_mode 1"), HasSubstr("does not exist"));
    for (const char* limit : {"max_cycle", "max_insn", "max_cta", "max_completed_cta"}) {
        EXPECT_THAT(untimed(std::string("-gpgpu_") + limit + " 10"),
                    HasSubstr("has no effect in functional mode"));
        EXPECT_EQ(untimed(std::string("-gpgpu_") + limit + " 0"), "");
    }
}

TEST(GpuConfig, HasTheAllocationUnitsOfTheComputeCapability) {
    const auto allocation = [](const std::string& text) {
        return make("-gpgpu_compute_capability_major 8 -gpgpu_shmem_size 102400 " + text)
            .cores.sm.allocation;
    };
    EXPECT_EQ(allocation("").reserved_shared, 1024u);
    EXPECT_TRUE(allocation("") == core::occupancy_rules_of(80).allocation);
    EXPECT_TRUE(allocation("--quirk coarse-allocation") == core::gpgpu_sim_allocation);
    EXPECT_TRUE(allocation("--compat accel-sim") == core::gpgpu_sim_allocation);
}

TEST(GpuConfig, RejectsMemoriesThatDoNotFitTogether) {
    const std::string map =
        "00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RRBBCCCC.CCCSSSSS";
    EXPECT_EQ(refused("-gpgpu_mem_addr_mapping dramid@8;" + map), "");
    EXPECT_THAT(
        refused(
            "-gpgpu_dram_timing_opt 8:2:8:12:25:10:35:10:7:6:11 -gpgpu_mem_addr_mapping dramid@8;" +
            map),
        HasSubstr("2 B bits select among 4 banks; DRAM has 8"));
    EXPECT_THAT(refused("-gpgpu_mem_addr_mapping dramid@8;0RBCS"), HasSubstr("maps 5 bits"));
    EXPECT_THAT(refused("-gpgpu_mem_addr_mapping dramid@8;X" + map),
                HasSubstr("'X' is not an address bit"));
    EXPECT_THAT(refused("-gpgpu_mem_addr_mapping " + map),
                HasSubstr("0 D bits select among 1 channels; there are 8"));
    EXPECT_THAT(refused("-gpgpu_n_mem 6 -gpgpu_mem_addr_mapping " + map),
                HasSubstr("cannot select among 6"));
    EXPECT_THAT(refused("-gpgpu_n_sub_partition_per_mchannel 3"), HasSubstr("not a power of two"));
    EXPECT_THAT(refused("-gpgpu_n_sub_partition_per_mchannel 8"),
                HasSubstr("4 DRAM banks do not divide"));
    EXPECT_THAT(refused("-gpgpu_memory_partition_indexing 2 -gpgpu_n_mem 4"),
                HasSubstr("polynomial hash over 4"));
    EXPECT_THAT(refused("-gpgpu_memory_partition_indexing 9"),
                HasSubstr("must lie between 0 and 6"));
    EXPECT_THAT(refused("-gpgpu_dram_partition_queues 8:8:0:8"), HasSubstr("a queue of 0 entries"));
    EXPECT_THAT(refused("-gpgpu_dram_partition_queues 3:8:8:8"),
                HasSubstr("no request ever enters a first queue of 3 entries"));
    EXPECT_THAT(refused("-dram_write_queue_size 32:16:28"), HasSubstr("out of order"));
    EXPECT_THAT(refused("-gpgpu_dram_burst_length 2 -dram_data_command_freq_ratio 4"),
                HasSubstr("less than a command cycle"));
    EXPECT_THAT(refused("-gpgpu_mem_address_mask 7"),
                HasSubstr("the built-in mapping does not exist"));
    EXPECT_THAT(refused("-gpgpu_dram_scheduler 2"), HasSubstr("must lie between 0 and 1"));
}

TEST(GpuConfig, ReadsTheNetworkDescriptionInModeOneOnly) {
    EXPECT_THAT(refused("-network_mode 1"), HasSubstr("the network description does not exist"));
    EXPECT_THAT(refused("-network_mode 1"), HasSubstr("-network_mode 2"));
    EXPECT_EQ(refused("-inter_config_file nowhere"), "");
    EXPECT_THAT(refused("-network_mode 4"), HasSubstr("must lie between 1 and 3"));
}

TEST(GpuConfig, NamesTheCommandLineAndDefaultsAsOrigins) {
    option_values values = base_with("");
    values.parse_command_line({"-gpgpu_n_clusters", "0"});
    EXPECT_THAT(refusal([&] { make_gpu_config(values); }),
                StartsWith("command line: -gpgpu_n_clusters 0: "));
    EXPECT_THAT(refusal([] { make_gpu_config(option_values()); }),
                StartsWith("default: -inter_config_file mesh:"));
}

TEST(GpuConfig, SwitchesQuirksOnByNameOrAllTogether) {
    const gpu_config none = make("");
    EXPECT_TRUE(none.quirks.empty());
    EXPECT_FALSE(none.traces.quirks.ldc_is_alu);
    const gpu_config some = make("--quirk ldc-is-alu --quirk rz-is-a-register --quirk ldc-is-alu");
    EXPECT_THAT(some.quirks, ElementsAre("rz-is-a-register", "ldc-is-alu"));
    EXPECT_TRUE(some.traces.quirks.ldc_is_alu);
    EXPECT_TRUE(some.traces.quirks.rz_is_a_register);
    EXPECT_FALSE(some.cores.sm.quirks.fetch_past_branches);
    const gpu_config all = make("--compat accel-sim");
    EXPECT_EQ(all.quirks.size(), quirk_table().size());
    const core::core_quirks& q = all.cores.sm.quirks;
    const trace_config& t = all.traces;
    EXPECT_TRUE(q.ldgsts_global_half_only && q.fetch_past_branches && q.loads_stay_long);
    EXPECT_TRUE(t.quirks.base_delta_swallow && t.quirks.base_stride_gap &&
                t.quirks.single_barrier && t.quirks.ldc_is_alu);
    EXPECT_TRUE(all.network.crossbar.quirk_packet_is_one_flit);
    EXPECT_TRUE(all.memory.partition.quirk_memcpy_truncates && all.memory.quirk_flush_few_l2);
    EXPECT_THAT(refused("--quirk ldc-is-alo"), HasSubstr("did you mean ldc-is-alu?"));
    EXPECT_THAT(refused("--compat gem5"), HasSubstr("none or accel-sim"));
}

TEST(GpuConfig, WarnsOfImpossibleDramTimingOnlyInAccelSimMode) {
    const std::string timing =
        "-gpgpu_dram_timing_opt 16:2:6:5:14:20:34:6:8:6:10 -gpgpu_dram_burst_length 2 "
        "-dram_data_command_freq_ratio 4 -gpgpu_mem_addr_mapping "
        "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS ";
    const gpu_config c = make(timing + "--compat accel-sim");
    EXPECT_THAT(c.warnings, ElementsAre(HasSubstr("takes less than a command cycle"),
                                        HasSubstr("RCD 5 is too short"),
                                        HasSubstr("WL 8 is longer than CL 6")));
    EXPECT_THAT(refused(timing), HasSubstr("less than a command cycle"));
    EXPECT_THAT(refused(timing + "-gpgpu_dram_burst_length 4"), HasSubstr("RCD 5 is too short"));
    EXPECT_TRUE(make("").warnings.empty());
}

TEST(GpuConfig, RejectsMissQueuesSmallerThanAMiss) {
    EXPECT_THAT(refused("-gpgpu_cache:dl1 S:32:128:16,L:B:m:W:L,A:512:8,2:0,32"),
                HasSubstr("at least 3 entries"));
    EXPECT_THAT(refused("-gpgpu_cache:dl1 S:32:128:16,L:B:m:L:L,A:512:8,1:0,32"),
                HasSubstr("at least 2 entries"));
    make("-gpgpu_cache:dl1 S:32:128:16,L:B:m:W:L,A:512:8,3:0,32");
}

TEST(GpuConfig, ReadsHowTheVisualizerLogIsSampled) {
    EXPECT_EQ(make("").run.visualizer.file, "") << "nothing is written unasked";
    const visualizer_config log =
        make(
            "-visualizer_enabled 1 -gpgpu_runtime_stat 500:3 -gpgpu_cflog_interval 20 "
            "-gpgpu_warpdistro_shader 1 -visualizer_zlevel 9")
            .run.visualizer;
    EXPECT_EQ(log.file, "gpgpusim_visualizer.log.gz");
    EXPECT_EQ(log.interval, 500u);
    EXPECT_EQ(log.pc_interval, 20u);
    EXPECT_EQ(log.warp_distribution_sm, 1);
    EXPECT_EQ(log.level, 9u);
    EXPECT_EQ(make("-visualizer_enabled 1 -visualizer_outputfile a.gz").run.visualizer.file,
              "a.gz");
    EXPECT_THAT(refused("-gpgpu_runtime_stat 0"), HasSubstr("is not an interval"));
    EXPECT_THAT(refused("-gpgpu_runtime_stat x:1"), HasSubstr("is not an interval"));
    EXPECT_THAT(refused("-gpgpu_warpdistro_shader 1000"), HasSubstr("SMs"));
    EXPECT_THAT(refused("-visualizer_zlevel 10"), HasSubstr("-visualizer_zlevel"));
}

TEST(GpuConfig, ProfilesInstructionsIfAnOutputShowsThem) {
    const run_config unasked = make("-ptx_line_stats_filename a.txt --stats-json s.json").run;
    EXPECT_FALSE(unasked.profile_instructions);
    EXPECT_EQ(unasked.line_stats, "");
    const run_config published = make("-enable_ptx_file_line_stats 1").run;
    EXPECT_FALSE(published.profile_instructions) << "nobody would see it";
    EXPECT_EQ(published.line_stats, "");
    const run_config json = make("-enable_ptx_file_line_stats 1 --stats-json s.json").run;
    EXPECT_TRUE(json.profile_instructions);
    EXPECT_EQ(json.line_stats, "");
    EXPECT_EQ(make("-enable_ptx_file_line_stats 1 -visualizer_enabled 1").run.line_stats,
              "gpgpu_inst_stats.txt");
    const run_config named =
        make("-enable_ptx_file_line_stats 1 -ptx_line_stats_filename a.txt").run;
    EXPECT_TRUE(named.profile_instructions);
    EXPECT_EQ(named.line_stats, "a.txt");
}

TEST(GpuConfig, KeepsLocalStoresInTheL1OfTheSubCorePipelineOnly) {
    const auto policy = [](const std::string& options) {
        return make(options + " -modern_l1_local_write_back 1\n" + four_sub_cores)
            .cores.sm.l1.data.write;
    };
    const std::string sub_cores = "--core modern -gpgpu_compute_capability_major 7 ";
    EXPECT_EQ(policy(sub_cores), cache::write_policy::local_wb_global_wt);
    EXPECT_EQ(policy("--core classic"), cache::write_policy::write_through);
    EXPECT_EQ(policy(sub_cores + "--compat accel-sim"), cache::write_policy::write_through);
    EXPECT_EQ(policy(sub_cores + "-gpgpu_cache:dl1 S:4:128:64,L:B:m:L:L,A:512:8,16:0,32"),
              cache::write_policy::write_back);
    EXPECT_EQ(policy(sub_cores + "-gpgpu_cache:dl1 S:4:128:64,L:L:m:N:L,A:512:8,16:0,32"),
              cache::write_policy::local_wb_global_wt);
    EXPECT_NE(policy(sub_cores + "-gpgpu_cache:dl1 none"), cache::write_policy::local_wb_global_wt);
    // An L1D that cannot keep them.
    for (const char* l1 : {"L:T:m:N:L", "L:E:m:N:L"}) {
        const std::string cache =
            "-gpgpu_cache:dl1 S:4:128:64," + std::string(l1) + ",A:512:8,16:0,32 " + sub_cores;
        EXPECT_THAT(refused(cache + "-modern_l1_local_write_back 1\n" + four_sub_cores),
                    HasSubstr("-modern_l1_local_write_back"));
        EXPECT_EQ(make(cache + "-modern_l1_local_write_back 0\n" + four_sub_cores)
                      .cores.sm.l1.data.keeps_local_stores(),
                  false);
    }
}

TEST(GpuConfig, ReadsSectoredTextureCachesExceptAsAccelSim) {
    const std::string sectors = "-gpgpu_tex_cache:l1 S:4:128:256,L:R:m:N:L,T:512:8,128:2 ";
    EXPECT_EQ(make(sectors).cores.sm.l1.texture.atom_bytes(), 32u);
    EXPECT_EQ(make(sectors + "--compat accel-sim").cores.sm.l1.texture.atom_bytes(), 128u);
}

TEST(GpuConfig, HasASwitchForEveryQuirk) {
    const auto switches = [](const gpu_config& c) {
        const core::core_quirks& q = c.cores.sm.quirks;
        const trace::reader_quirks& t = c.traces.quirks;
        return std::vector<bool>{q.ldgsts_global_half_only,
                                 q.fetch_past_branches,
                                 q.loads_stay_long,
                                 q.evictions_follow_misses,
                                 q.rrr_begins_with_warp_0,
                                 q.two_level_rotates_twice,
                                 q.sms_in_order,
                                 q.fetch_reads_one_texel,
                                 q.coarse_allocation,
                                 q.idle_sm_flushes_l1,
                                 t.rz_is_a_register,
                                 t.single_barrier,
                                 t.ldc_is_alu,
                                 t.typed_width_is_word,
                                 t.ldgsts_uses_l1,
                                 t.base_delta_swallow,
                                 t.base_stride_gap,
                                 t.generic_windows,
                                 c.ptx.quirks.names_give_banks,
                                 c.ptx.quirks.vector_is_one_element,
                                 c.ptx.quirks.missed_hazards,
                                 c.ptx.quirks.allocations_of_256_bytes,
                                 c.ptx.quirks.symbol_copies_bypass_l2,
                                 c.ptx.quirks.host_reads_warm_l2,
                                 c.caches.lines_stay_reserved,
                                 c.caches.dirty_set_stalls,
                                 c.caches.global_stores_stay,
                                 c.network.crossbar.quirk_packet_is_one_flit,
                                 c.memory.quirk_flush_few_l2,
                                 c.quirk_hash_wraps,
                                 c.memory.partition.quirk_memcpy_truncates,
                                 c.memory.partition.dram.quirk_writes_wait,
                                 c.dispatch.serial_kernels,
                                 c.clocks.quirk_rounded,
                                 c.power.quirk_merges_reduce_misses};
    };
    std::set<std::vector<bool>> seen;
    for (const quirk_info& quirk : quirk_table()) {
        const std::vector<bool> on = switches(make(std::string("--quirk ") + quirk.name));
        EXPECT_EQ(std::count(on.begin(), on.end(), true), 1) << quirk.name;
        EXPECT_TRUE(seen.insert(on).second) << quirk.name << " switches what another one does";
    }
}

TEST(GpuConfig, ReadsTheOptionsOfTheRun) {
    const gpu_config gpu = make(
        "-trace a.g --vcd a.vcd --vcd-scope gpu.sm_0.*,gpu.l2* --vcd-window 100:200 --timeline "
        "t.json\n"
        "--timeline-window 50: --timeline-sample 10 --shuffle-seed 7 --no-sleep --progress off "
        "--quiet\n"
        "--stats-json s.json --stats-csv s.csv --check-dram --profile-kernel --trace-lookahead 4\n"
        "--override-shmem 1024 --override-registers 32 --unknown-opcode warn\n"
        "-gpgpu_max_cycle 1000000000000 -gpgpu_deadlock_detect 0");
    EXPECT_EQ(gpu.run.trace, "a.g");
    EXPECT_THAT(gpu.run.vcd_scope, ElementsAre("gpu.sm_0.*", "gpu.l2*"));
    EXPECT_EQ(gpu.run.vcd_window.from, 100u);
    EXPECT_EQ(gpu.run.vcd_window.to, 200u);
    EXPECT_EQ(gpu.run.timeline_window.from, 50u);
    EXPECT_EQ(gpu.run.timeline_window.to, ~std::uint64_t{0});
    EXPECT_EQ(gpu.run.timeline_sample, 10u);
    EXPECT_EQ(gpu.run.shuffle_seed, 7u);
    EXPECT_TRUE(gpu.run.no_sleep && gpu.run.quiet && gpu.run.profile_kernel);
    EXPECT_EQ(gpu.run.progress, progress_mode::off);
    EXPECT_TRUE(gpu.memory.partition.dram.check_timing);
    EXPECT_EQ(gpu.traces.lookahead, 4u);
    EXPECT_EQ(gpu.traces.override_shared_memory, 1024u);
    EXPECT_EQ(gpu.traces.override_registers, 32u);
    EXPECT_FALSE(gpu.traces.unknown_opcode_is_error);
    EXPECT_EQ(gpu.dispatch.max_cycles, 1000000000000u);
    EXPECT_FALSE(gpu.dispatch.deadlock_detect);
    EXPECT_FALSE(make("").run.shuffle_seed.has_value());
    EXPECT_THAT(refused("--vcd-window 5"), HasSubstr("is not an interval"));
    EXPECT_THAT(refused("--vcd-window 9:5"), HasSubstr("empty interval"));
    EXPECT_THAT(refused("--progress maybe"), HasSubstr("not one of auto, on, off"));
    EXPECT_THAT(refused("--opcode-table nowhere.txt"), HasSubstr("no such file"));
}

TEST(GpuConfig, ReadsTheOrderOfClusters) {
    const std::string chip = "-gpgpu_n_clusters 9 -gpgpu_n_cores_per_cluster 1 ";
    EXPECT_THAT(make(chip).dispatch.cluster_order, IsEmpty());
    EXPECT_THAT(make(chip + "-gpgpu_cta_order gpcs").dispatch.cluster_order,
                ElementsAre(0, 2, 4, 6, 8, 1, 3, 5, 7));
    EXPECT_THAT(make(chip + "-gpgpu_gpc_sms 4,2,3 -gpgpu_cta_order gpcs").dispatch.cluster_order,
                ElementsAre(0, 4, 6, 2, 8, 1, 5, 7, 3));
    EXPECT_THAT(make("-gpgpu_n_clusters 4 -gpgpu_n_cores_per_cluster 2 -gpgpu_gpc_sms 4 "
                     "-gpgpu_cta_order gpcs")
                    .dispatch.cluster_order,
                ElementsAre(0, 2, 1, 3));
    EXPECT_THAT(refused("-gpgpu_cta_order sms"), HasSubstr("clusters or gpcs"));
    EXPECT_FALSE(make(chip).dispatch.by_capacity);
    EXPECT_TRUE(make(chip + "-gpgpu_cta_placement most-room").dispatch.by_capacity);
    EXPECT_THAT(refused("-gpgpu_cta_placement least-room"), HasSubstr("turns or most-room"));
    EXPECT_THAT(refused("-gpgpu_n_clusters 4 -gpgpu_n_cores_per_cluster 2 -gpgpu_gpc_sms 3,5 "
                        "-gpgpu_cta_order gpcs"),
                HasSubstr("within a cluster"));
}

TEST(GpuConfig, GivesEachGpcACacheForCodeAndConstants) {
    const std::string chip = "-gpgpu_n_clusters 5 -gpgpu_n_cores_per_cluster 1 -gpgpu_gpc_sms 2,3 ";
    const std::string l1 =
        "-gpgpu_cache:il1 N:4:128:4,L:R:f:N,A:2:32,4 -gpgpu_const_cache:l1 "
        "N:4:64:2,L:R:f:N,A:3:8,4 ";
    const std::string cache = "-gpgpu_cache:gpc N:64:128:16,L:R:f:N,S:64:64,64 ";
    EXPECT_EQ(make(chip + l1).cores.gpc_cache.caches(), 0u);
    EXPECT_EQ(make(chip + l1).network.clusters, 5u);
    const gpu_config c = make(chip + l1 + cache + "-gpgpu_gpc_cache_latency 62 -icnt_gpc_flits 2");
    EXPECT_EQ(c.cores.gpc_cache.latency, 62u);
    EXPECT_EQ(c.cores.gpc_cache.requests_of_cluster, 5u);
    EXPECT_THAT(c.cores.gpc_cache.clusters_of_gpc, ElementsAre(2, 3));
    EXPECT_EQ(c.network.clusters, 7u);
    EXPECT_THAT(c.network.crossbar.gpc_of_cluster, ElementsAre(0, 0, 1, 1, 1, 0, 1));
    EXPECT_THAT(refused(chip + l1 + "-gpgpu_cache:gpc N:64:64:16,L:R:f:N,S:64:64,64"),
                HasSubstr("requests more than a line"));
    EXPECT_THAT(refused(chip + l1 + "-gpgpu_cache:gpc N:64:256:16,L:R:f:N,S:64:64,64"),
                HasSubstr("at most 128 bytes"));
    EXPECT_THAT(refused(chip + l1 + "-gpgpu_cache:gpc S:64:128:16,L:R:f:N,S:64:64,64"),
                HasSubstr("whole lines"));
    EXPECT_THAT(refused(chip + l1 + "-gpgpu_cache:gpc N:64:128:16,L:T:m:N,S:64:64,64"),
                HasSubstr("never written"));
}

TEST(GpuConfig, AttachesAdjacentGpcsToDifferentL2Partitions) {
    const std::string chip = "-gpgpu_n_clusters 5 -gpgpu_n_cores_per_cluster 1 ";
    EXPECT_THAT(make(chip).memory.partition.half_of_sm, IsEmpty());
    EXPECT_THAT(make(chip + "-gpgpu_gpc_sms 2").memory.partition.half_of_sm,
                ElementsAre(0, 0, 1, 1, 0));
}

TEST(GpuConfig, AttachesGpcsToL2Partitions) {
    const std::string chip =
        "-gpgpu_n_clusters 5 -gpgpu_n_cores_per_cluster 1 -gpgpu_gpc_sms 2 -gpgpu_gpc_partitions ";
    const std::string far = " -gpgpu_l2_far_latency 156";
    EXPECT_THAT(make(chip + "1,0,0" + far).memory.partition.half_of_sm, ElementsAre(1, 1, 0, 0, 0));
    EXPECT_THAT(make(chip + "1,0" + far).memory.partition.half_of_sm, ElementsAre(1, 1, 0, 0, 1));
    EXPECT_THAT(refused(chip + "1,0,0"), HasSubstr("-gpgpu_l2_far_latency"));
    EXPECT_THAT(refused(chip + "1,2,0" + far), HasSubstr("partition 2"));
}

TEST(GpuConfig, ReadsTheBitsOfAnAddressThatSelectAnL2Partition) {
    EXPECT_EQ(make("").memory.partition.half_bits, 0u);
    const std::string far = "-gpgpu_l2_far_latency 156 -gpgpu_l2_partition_bits ";
    EXPECT_EQ(make(far + "12,13,16,17,19").memory.partition.half_bits, 0xb3000u);
    EXPECT_THAT(refused(far + "12,64"), HasSubstr("bit 64"));
    EXPECT_THAT(refused(far + "4"), HasSubstr("bit 4"));
}

TEST(GpuConfig, RejectsPropertiesOfPartitionsForAnL2OfOnePartition) {
    EXPECT_THAT(refused("-gpgpu_l2_partition_bits 12"), HasSubstr("-gpgpu_l2_far_latency"));
    EXPECT_THAT(refused("-gpgpu_l2_far_interval 6"), HasSubstr("-gpgpu_l2_far_latency"));
    EXPECT_EQ(make("-gpgpu_l2_partition_bits none").memory.partition.half_bits, 0u);
}

TEST(GpuConfig, RejectsAFetchGranularityThatTheL2CannotHave) {
    EXPECT_EQ(make("-gpgpu_l2_fetch_granularity 32").memory.partition.fetch_granularity, 32u);
    EXPECT_THAT(refused("-gpgpu_l2_fetch_granularity 48"), HasSubstr("32, 64 or 128"));
    EXPECT_THAT(
        refused("-gpgpu_l2_fetch_granularity 64 -gpgpu_cache:dl2 N:64:128:8,L:B:m:N,A:16:4,4"),
        HasSubstr("L2 without sectors"));
}

// ---- check_trace_fits() ---------------------------------------------------------------------

/// A Volta-like SM.
gpu_config volta(const std::string& more = "") {
    return make(
        "-gpgpu_compute_capability_major 7 -gpgpu_shader_core_pipeline 2048:32 "
        "-gpgpu_shader_registers 65536\n"
        "-gpgpu_shmem_size 98304 -gpgpu_shmem_per_block 49152 " +
        more);
}

kernel_header_descriptor kernel() {
    return {"kernel-1.traceg", "_Z3addPi", 70, 256, 32, 1024};
}

std::string unfit(const gpu_config& gpu, const kernel_header_descriptor& descriptor) {
    return refusal([&] { check_trace_fits(gpu, descriptor); });
}

TEST(TraceFit, AcceptsAKernelThatFits) {
    EXPECT_EQ(unfit(volta(), kernel()), "");
    kernel_header_descriptor turing = kernel();
    turing.binary_version = 75;
    EXPECT_EQ(unfit(volta(), turing), "") << "the same major version";
    kernel_header_descriptor untold = kernel();
    untold.binary_version = 0;
    EXPECT_EQ(unfit(volta(), untold), "");
}

TEST(TraceFit, RejectsAnotherGenerationAndNamesThePreset) {
    kernel_header_descriptor ampere = kernel();
    ampere.binary_version = 86;
    EXPECT_EQ(unfit(volta(), ampere),
              "kernel-1.traceg: kernel _Z3addPi was recorded for binary version 86, but the "
              "configured GPU has compute capability 7.0 (use --preset RTX3070, or replay it "
              "anyway with --any-binary-version)");
    EXPECT_EQ(unfit(volta("--any-binary-version"), ampere), "");
}

TEST(TraceFit, RejectsTooManyThreads) {
    kernel_header_descriptor big = kernel();
    big.threads_per_block = 2049;
    EXPECT_THAT(unfit(volta(), big), HasSubstr("has 2049 threads per block; an SM holds 2048"));
    big.threads_per_block = 0;
    EXPECT_THAT(unfit(volta(), big), HasSubstr("blocks without threads"));
}

TEST(TraceFit, RejectsTooMuchSharedMemory) {
    kernel_header_descriptor big = kernel();
    big.shared_memory = 98305;
    EXPECT_THAT(unfit(volta(), big),
                HasSubstr("needs 98305 bytes of shared memory per block; an SM has 98304"));
    EXPECT_EQ(unfit(volta("--override-shmem 4096"), big), "");
    big.shared_memory = 65536;
    EXPECT_EQ(unfit(volta(), big), "") << "from Volta on a kernel may opt in to more than 48 KB";
    big.binary_version = 61;
    EXPECT_THAT(unfit(volta("-gpgpu_compute_capability_major 6"), big),
                HasSubstr("a block may use 49152"));
}

TEST(TraceFit, RejectsTooManyRegisters) {
    kernel_header_descriptor big = kernel();
    big.threads_per_block = 1000;
    big.registers = 65;
    EXPECT_THAT(unfit(volta(), big),
                HasSubstr("needs 73728 registers per block (1024 threads of 65); an SM has 65536"));
    EXPECT_EQ(unfit(volta("--override-registers 32"), big), "");
    big.registers = 64;
    EXPECT_EQ(unfit(volta(), big), "");
    EXPECT_THAT(unfit(volta("-gpgpu_registers_per_block 32768"), big),
                HasSubstr("a block has 32768"));
    big.registers = 21955;
    EXPECT_THAT(unfit(volta(), big), HasSubstr("--override-registers"));
    EXPECT_EQ(unfit(volta("-gpgpu_ignore_resources_limitation 1"), big), "");
}

TEST(TraceFit, ChecksRegistersForAMultipleOfFourWarpsExceptAsGpgpuSim) {
    kernel_header_descriptor odd = kernel();
    odd.threads_per_block = 800;
    odd.registers = 76;
    EXPECT_THAT(unfit(volta(), odd), HasSubstr("needs 71680 registers per block (800 threads"));
    EXPECT_EQ(unfit(volta("--quirk coarse-allocation"), odd), "") << "60800 registers";
}

TEST(TraceFit, ReservesTheDriversSharedMemoryFromAmpereOn) {
    const std::string ampere =
        "-gpgpu_compute_capability_major 8 -gpgpu_shmem_size 167936 --any-binary-version ";
    kernel_header_descriptor big = kernel();
    big.shared_memory = 166912;
    EXPECT_EQ(unfit(volta(ampere), big), "");
    big.shared_memory = 166913;
    EXPECT_THAT(unfit(volta(ampere), big), HasSubstr("a block may use 166912"));
    EXPECT_EQ(unfit(volta(ampere + "--compat accel-sim"), big), "");
}

}  // namespace
}  // namespace simtlm::platform
