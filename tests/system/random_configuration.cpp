// SPDX-License-Identifier: Apache-2.0
#include "tests/system/random_configuration.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <random>

namespace simtlm::test {

namespace {

/// Draws the options of one GPU, unit by unit.
class drawing {
public:
    drawing(std::uint64_t seed, std::uint64_t number, const scratch_folder& folder)
        : folder_(folder) {
        std::seed_seq mixed{seed, number};
        random_.seed(mixed);
    }

    std::vector<std::string> all() {
        options_ = {"--preset", "TINY", "--any-binary-version"};
        chip();
        issue();
        collectors();
        units();
        caches();
        partitions();
        dram();
        network();
        select_sub_cores();
        return options_;
    }
    std::string trace() {
        // The longest sample is rarely drawn.
        const auto& names = samples();
        for (;;) {
            const std::string& name = names[below(names.size())];
            if (name != "sample" || below(20) == 0) return name;
        }
    }

private:
    std::uint64_t below(std::uint64_t n) { return random_() % n; }
    std::uint64_t between(std::uint64_t low, std::uint64_t high) {
        return low + below(high - low + 1);
    }
    bool maybe(unsigned one_in = 2) { return below(one_in) == 0; }
    template <class T>
    T one_of(std::initializer_list<T> values) {
        return *(values.begin() + below(values.size()));
    }
    static std::string text(std::uint64_t n) { return std::to_string(n); }
    /// Numbers between 1 and a limit, joined by a separator.
    std::string list(unsigned count, std::uint64_t limit, const char* separator) {
        std::string all = text(between(1, limit));
        for (unsigned i = 1; i < count; ++i) all += separator + text(between(1, limit));
        return all;
    }

    void set(const char* option, const std::string& value) {
        options_.emplace_back(option);
        options_.push_back(value);
    }
    void set(const char* option, std::uint64_t value) { set(option, text(value)); }
    void toss(const char* option) { set(option, below(2)); }

    void chip() {
        clusters_ = between(1, 4);
        channels_ = between(1, 3);
        sub_partitions_ = between(1, 2);
        set("-gpgpu_n_clusters", clusters_);
        set("-gpgpu_n_cores_per_cluster", between(1, 3));
        set("-gpgpu_n_mem", channels_);
        set("-gpgpu_n_sub_partition_per_mchannel", sub_partitions_);
        std::string clocks;
        for (unsigned d = 0; d < 4; ++d) {
            if (d > 0) clocks += ':';
            clocks +=
                one_of({text(1000), text(1132), text(850), text(500), text(between(300, 2000))});
        }
        set("-gpgpu_clock_domains", clocks);
        set("-gpgpu_n_cluster_ejection_buffer_size", between(1, 16));
        toss("-gpgpu_simt_core_sim_order");
        set("-gpgpu_kernel_launch_latency", one_of({0, 0, 37, 500}));
        set("-gpgpu_TB_launch_latency", one_of({0, 0, 5}));
        set("-gpgpu_max_concurrent_kernel", one_of({1, 2, 128}));
        toss("-gpgpu_concurrent_kernel_sm");
        set("-gpgpu_cta_launch_interval", one_of<std::string>({"0", "0", "1.15", "40"}));
        set("-gpgpu_cta_order", one_of<std::string>({"clusters", "clusters", "gpcs"}));
        set("-gpgpu_cta_placement", one_of<std::string>({"turns", "turns", "most-room"}));
        accel_sim_ = maybe(4);
        if (accel_sim_) set("--compat", "accel-sim");
    }

    void issue() {
        const unsigned warps = one_of({32u, 48u, 64u});
        warps_ = warps;
        set("-gpgpu_shader_core_pipeline", text(warps * 32) + ":32");
        set("-gpgpu_shader_cta", between(1, 16));
        do schedulers_ = one_of({1u, 2u, 3u, 4u, 4u, 6u, 8u, 12u, 16u, 32u, 64u});
        while (warps % schedulers_ != 0);
        set("-gpgpu_num_sched_per_core", schedulers_);
        set("-gpgpu_scheduler",
            one_of<std::string>({"lrr", "rrr", "gto", "oldest",
                                 "two_level_active:" + text(between(1, 8)) + ":0:1",
                                 "warp_limiting:2:" + text(between(1, 8))}));
        set("-gpgpu_max_insn_issue_per_warp", between(1, 2));
        toss("-gpgpu_dual_issue_diff_exec_units");
        set("-gpgpu_inst_fetch_throughput", between(1, 4));
        sub_cores_ = maybe();
        set("-gpgpu_sub_core_model", sub_cores_ ? 1u : 0u);
    }

    void collectors() {
        const std::uint64_t most = std::max(64 / schedulers_, 1u);  // 64 in total
        set("-gpgpu_num_reg_banks", sub_cores_
                                        ? schedulers_ * between(1, std::min<std::uint64_t>(most, 4))
                                        : between(1, 32));
        toss("-gpgpu_reg_bank_use_warp_id");
        set("-gpgpu_reg_file_port_throughput", between(1, 2));
        set("-gpgpu_operand_collector_num_units_gen",
            sub_cores_ ? schedulers_ * between(1, std::min<std::uint64_t>(most, 3))
                       : between(1, 16));
        const std::uint64_t ports = sub_cores_ ? schedulers_ : between(1, 8);
        set("-gpgpu_operand_collector_num_in_ports_gen", ports);
        set("-gpgpu_operand_collector_num_out_ports_gen", ports);
    }

    /// Number of units of a kind; with sub-cores, a multiple of the schedulers.
    std::uint64_t unit_count() { return sub_cores_ ? schedulers_ * between(1, 2) : between(1, 8); }

    void units() {
        const std::uint64_t sp = unit_count(), dp = unit_count(), in = unit_count(),
                            sfu = unit_count(), tensor = unit_count();
        set("-gpgpu_num_sp_units", sp);
        set("-gpgpu_num_dp_units", dp);
        set("-gpgpu_num_int_units", in);
        set("-gpgpu_num_sfu_units", sfu);
        set("-gpgpu_num_tensor_core_units", tensor);
        std::string widths;
        const auto stage = [&](std::uint64_t with_sub_cores) {
            if (!widths.empty()) widths += ',';
            widths += text(sub_cores_ ? with_sub_cores : between(1, 8));
        };
        for (unsigned p = 0; p < 5; ++p) stage(schedulers_);
        for (const std::uint64_t count : {sp, dp, in, sfu, std::uint64_t{schedulers_}})
            stage(count);
        stage(between(1, 16));  // write-back
        stage(schedulers_);
        stage(tensor);
        set("-gpgpu_pipeline_widths", widths);
        const char* special[] = {"BRA", "TEX", "TENSOR", "UDP"};
        for (unsigned s = 0; s < 4; ++s) {
            const std::uint64_t count = unit_count();
            const std::uint64_t in_front = sub_cores_ ? schedulers_ : between(1, 8);
            const std::uint64_t after = sub_cores_ ? count : between(1, 8);
            set(("-specialized_unit_" + text(s + 1)).c_str(),
                "1," + text(count) + ",4," + text(in_front) + "," + text(after) + "," + special[s]);
        }
        for (const char* kind : {"int", "sp", "dp", "sfu", "tensor"}) {
            const std::uint64_t interval = between(1, 8);
            set((std::string("-trace_opcode_latency_initiation_") + kind).c_str(),
                text(interval + below(30)) + "," + text(interval));
        }
    }

    void caches() {
        set("-gpgpu_cache:dl1",
            one_of<std::string>(
                {"none", "S:4:128:32,L:T:m:L:L,A:64:8,16:0,32", "S:4:128:16,L:L:s:N:L,A:4:2,4:0,32",
                 "N:32:128:4,L:L:m:N:H,A:8:4,2:0,32", "S:2:128:64,L:L:s:N:L,A:256:8,16:0,32",
                 "N:8:128:2,F:B:m:W:X,A:2:8,4:0,32"}));
        set("-gpgpu_l1_banks", one_of({1, 2, 4}));
        set("-gpgpu_l1_latency", between(1, 40));
        set("-gpgpu_l1_cache_write_ratio", one_of({0, 25, 50}));
        toss("-gpgpu_gmem_skip_L1D");
        toss("-gpgpu_flush_l1_cache");
        set("-gpgpu_perfect_mem", maybe(12) ? 1u : 0u);
        set("-gpgpu_perfect_inst_const_cache", maybe(6) ? 1u : 0u);
        set("-gpgpu_smem_latency", between(1, 30));
        set("-gpgpu_n_ldst_response_buffer_size", between(1, 8));
        set("-gpgpu_cache:il1",
            one_of<std::string>({"N:16:128:4,L:R:f:N:L,S:2:48,4", "N:2:128:1,L:R:f:N:L,A:1:4,1"}));
        const auto l2 = one_of<std::string>(
            {"S:16:128:16,L:B:m:L:P,A:64:4,16:0,32", "S:4:128:4,L:B:m:L:L,A:4:2,4:0,32",
             "N:16:128:8,L:B:m:W:L,A:16:4,4:0,32", "S:8:128:8,F:B:m:L:X,A:8:4,8:0,32"});
        set("-gpgpu_cache:dl2", l2);
        if (l2.front() == 'S') set("-gpgpu_l2_fetch_granularity", one_of({32, 32, 64, 128}));
        set("-l2_ideal", maybe(10) ? 1u : 0u);
        toss("-gpgpu_flush_l2_cache");
        toss("-gpgpu_perf_sim_memcpy");
        toss("-gpgpu_l2_copy_modified");
    }

    void partitions() {
        set("-gpgpu_dram_partition_queues", text(between(4, 16)) + ":" + list(3, 16, ":"));
        set("-gpgpu_l2_rop_latency", below(100));
        set("-dram_latency", below(100));
        set("-gpgpu_memory_partition_indexing", one_of({0, 0, 4, 6}));
        const unsigned far = one_of({0, 0, 3, 150});
        set("-gpgpu_l2_far_latency", far);
        if (far != 0) {
            set("-gpgpu_l2_partition_bits", one_of<std::string>({"none", "7", "12,13,16"}));
            set("-gpgpu_l2_far_interval", one_of({0, 6}));
        }
        set("-gpgpu_l2_atomic_latency", one_of({0, 0, 28}));
        set("-gpgpu_l2_atomic_interval", one_of({0, 0, 2}));
        set("-gpgpu_l2_dirty_limit", one_of({100, 50, 5}));
    }

    void dram() {
        set("-gpgpu_simple_dram_model", maybe(8) ? 1u : 0u);
        toss("-gpgpu_dram_scheduler");
        set("-gpgpu_frfcfs_dram_sched_queue_size", one_of({0, 1, 4, 64}));
        set("-gpgpu_dram_return_queue_size", one_of({0, 1, 4, 32}));
        toss("-dram_dual_bus_interface");
        toss("-dram_seperate_write_queue_enable");
        set("-dram_write_queue_size", one_of<std::string>({"32:28:16", "4:3:1"}));
        set("-dram_bnk_indexing_policy", below(3));
        toss("-dram_elimnate_rw_turnaround");
    }

    void network() {
        const unsigned mode = one_of({1u, 2u, 2u, 3u});
        set("-network_mode", mode);
        const unsigned flit = one_of({8u, 32u, 40u});
        const unsigned least = (largest_packet + flit - 1) / flit;
        set("-icnt_flit_size", flit);
        set("-icnt_in_buffer_limit", one_of({least, least + 3, 64u}));
        set("-icnt_out_buffer_limit", one_of({least, least + 3, 64u}));
        toss("-icnt_arbiter_algo");
        set("-icnt_speedup", one_of({1, 1, 2, 3}));
        set("-icnt_gpc_flits", one_of({0, 0, 4}));
        set("-icnt_grant_cycles", between(1, 3));
        if (mode != 1 && maybe(3)) {
            set("-gpgpu_cache:gpc",
                one_of({"N:2:128:2,L:R:f:N:L,S:2:2,2", "N:8:128:4,L:R:m:N:L,A:8:16,4"}));
            set("-gpgpu_gpc_cache_latency", one_of({0, 7, 62}));
        }
        if (mode != 1) return;
        const std::uint64_t nodes = clusters_ + channels_ * sub_partitions_;
        set("-inter_config_file",
            folder_.write("network.icnt", "topology = fly;\nk = " + text(nodes) +
                                              ";\nn = 1;\nrouting_function = dest_tag;\n"
                                              "use_map = 0;\n"));
    }

    /// Selects the sub-core pipeline if the schedulers of the SIMT pipeline are compatible.
    void select_sub_cores() {
        if (accel_sim_ || warps_ / schedulers_ > 16 || schedulers_ > 8 || maybe()) return;
        set("--core", "modern");
        set("--dependences", one_of<std::string>({"bits", "scoreboard"}));
        set("-modern_network_packets", between(1, 4));
        set("-modern_request_packets", one_of({0, 1, 3}));
        toss("-modern_request_lines");
        toss("-modern_l1_local_write_back");
        set("-modern_fetch_width", between(1, 2));
        set("-modern_cta_turnaround", one_of({0, 0, 90}));
        set("-modern_warp_launch_interval", one_of({0, 0, 5}));
        set("-modern_stream_buffer", one_of({0, 1, 8}));
        set("-modern_register_read_ports", between(0, 2));
        set("-modern_result_queue", one_of({1, 8}));
        set("-modern_memory_queue", text(between(1, 4)) + "," + list(3, 7, ","));
        set("-modern_memory_interval", one_of<std::string>({"1", "1.635", "2"}));
        set("-modern_constant_interval", between(1, 3));
        set("-modern_l1_tag_banks", one_of({1, 4}));
        set("-modern_scheduler", one_of<std::string>({"cggty", "lrr", "glrr"}));
        set("-modern_tensor_forward", between(0, 2));
    }

    static constexpr unsigned largest_packet = 136;  // bytes: a line and its header

    const scratch_folder& folder_;
    std::mt19937_64 random_;
    std::vector<std::string> options_;
    std::uint64_t clusters_ = 1, channels_ = 1, sub_partitions_ = 1;
    unsigned schedulers_ = 1, warps_ = 32;
    bool accel_sim_ = false;
    bool sub_cores_ = false;
};

}  // namespace

random_configuration::random_configuration(std::uint64_t seed, std::uint64_t number,
                                           const scratch_folder& folder) {
    drawing at_random(seed, number, folder);
    options = at_random.all();
    trace = at_random.trace();
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* value = std::getenv(name);
    return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

}  // namespace simtlm::test
