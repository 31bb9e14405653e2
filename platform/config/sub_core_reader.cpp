// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/simt_sm.h"
#include "modules/core/sub_core_pipeline/issue_scheduler.h"
#include "modules/core/sub_core_pipeline/sm_timing.h"
#include "modules/core/sub_core_pipeline/sub_core_sm.h"
#include "platform/config/readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

namespace simtlm::platform {

namespace {

using core::sub_core_pipeline::memory_kind;
using core::sub_core_pipeline::sm_timing;
using program::scheduling_class;

constexpr unsigned longest_latency = 4096;  // core cycles, for operations of a sub-core

std::vector<unsigned> numbers(const option_values& v, std::string_view option, std::size_t count,
                              unsigned least) {
    const auto n = read(v, option, [count](const std::string& text) {
        return parse_numbers(text, ',', count, count);
    });
    for (const unsigned value : n)
        if (value < least || value > longest_latency)
            v.fail(option, fmt::format("{} is not possible", value),
                   fmt::format("{} to {}", least, longest_latency));
    return n;
}

void read_execution(const option_values& v, core::sub_core_pipeline::execution_config& execution) {
    const std::pair<const char*, scheduling_class> classes[] = {
        {"alu", scheduling_class::alu},         {"fp32", scheduling_class::fp32},
        {"imad", scheduling_class::imad},       {"imad_wide", scheduling_class::imad_wide},
        {"half", scheduling_class::half},       {"uniform", scheduling_class::uniform},
        {"fp64", scheduling_class::fp64},       {"xu", scheduling_class::xu},
        {"special", scheduling_class::special}, {"branch", scheduling_class::branch}};
    for (const auto& [name, cls] : classes) {
        const auto n = numbers(v, std::string("-modern_") + name, 2, 1);
        execution[cls] = {static_cast<std::uint16_t>(n[0]), static_cast<std::uint16_t>(n[1])};
    }
    const auto& alu = execution[scheduling_class::alu];
    execution[scheduling_class::alu64] = {static_cast<std::uint16_t>(alu.latency + 2),
                                          alu.initiation};
    execution.second_fp32_pipe = v.flag("-modern_second_fp32_pipe");
    execution.tensor.rate = v.number("-modern_tensor_rate", 1, 1u << 20);
    execution.tensor.f32_rate = v.number("-modern_tensor_f32_rate", 0, 1u << 20);
    execution.tensor.extra = v.number("-modern_tensor_extra", 0, longest_latency);
    execution.tensor.f32_extra = v.number("-modern_tensor_f32_extra", 0, longest_latency);
    execution.tensor.forward = v.number("-modern_tensor_forward", 0, longest_latency);
}

/// The measured latency of a 32-bit load shifts the whole row of the latency table.
void read_memory_latencies(const option_values& v,
                           core::sub_core_pipeline::memory_latencies& memory) {
    const auto n = numbers(v, "-modern_load_latency", 3, 1);
    const std::pair<memory_kind, unsigned> kinds[] = {{memory_kind::global_load, n[0]},
                                                      {memory_kind::shared_load, n[1]},
                                                      {memory_kind::constant, n[2]},
                                                      {memory_kind::shuffle, n[1]}};
    for (const auto& [kind, latency] : kinds) {
        const auto k = static_cast<unsigned>(kind);
        const int by = static_cast<int>(latency) - memory.regular[k].raw[0];
        for (auto* table : {&memory.regular[k], &memory.uniform[k]})
            for (std::uint16_t& raw : table->raw)
                raw = static_cast<std::uint16_t>(std::max(1, raw + by));
    }
}

/// Units of an SM that run asynchronously to its warps.
void read_engines(const option_values& v, core::sub_core_pipeline::engine_config& e) {
    e.present = v.flag("-modern_engines");
    const auto bulk = numbers(v, "-modern_bulk_copy", 5, 1);
    e.bulk.issue_cycles = bulk[0];
    e.bulk.command_cycles = bulk[1];
    e.bulk.arrival_cycles = bulk[2];
    e.bulk.commands = bulk[3];
    e.bulk.requests_in_flight = bulk[4];
    e.bulk.request_interval = v.number("-modern_bulk_request_interval", 1, 1u << 16);
    e.bulk.tensor_cycles = v.number("-modern_bulk_tensor_latency", 0, 1u << 16);
    const auto mbarrier = numbers(v, "-modern_mbarrier", 2, 1);
    e.mbarrier.arrive_cycles = mbarrier[0];
    e.mbarrier.wait_cycles = mbarrier[1];
    const auto warpgroup = numbers(v, "-modern_warpgroup", 3, 1);
    e.warpgroup.issue_cycles = warpgroup[0];
    e.warpgroup.shared_tail = warpgroup[1];
    e.warpgroup.register_tail = warpgroup[2];
    const auto queue = numbers(v, "-modern_warpgroup_queue", 2, 0);
    e.warpgroup.shared_queue = queue[0];
    e.warpgroup.register_queue = queue[1];
    e.warpgroup.register_reads = v.flag("-modern_warpgroup_register_reads");
    e.warpgroup.rate = v.number("-modern_warpgroup_rate", 1, 1u << 24);
    core::sub_core_pipeline::tensor_core_config& t = e.tensor_core;
    t.present = v.flag("-modern_tensor_memory");
    const auto product = numbers(v, "-modern_tensor_core", 5, 0);
    t.issue_cycles = product[0];
    t.tail_cycles = product[1];
    t.pair_cycles = product[2];
    t.folded_pair_cycles = product[3];
    t.scaled_cycles = product[4];
    const auto access = numbers(v, "-modern_tensor_access", 4, 1);
    t.allocate_cycles = access[0];
    t.access_cycles = access[1];
    t.copy_cycles = access[2];
    t.copy_interval = access[3];
    const auto shift = numbers(v, "-modern_tensor_shift", 2, 0);
    t.shift_interval = shift[0];
    t.shift_cycles = shift[1];
    if (t.present && !e.present)
        v.fail("-modern_tensor_memory", "needs mbarriers", "-modern_engines 1");
}

void read_instructions(const option_values& v, sm_timing& m) {
    const auto shape = read(v, "-modern_l0i",
                            [](const std::string& text) { return parse_numbers(text, ':', 3, 3); });
    if (shape[0] == 0 || shape[2] == 0 || !power_of_two(shape[1]) || shape[1] < 32 ||
        shape[1] > 128)
        v.fail("-modern_l0i", "is not a cache", "SETS:LINE:WAYS, lines of 32, 64 or 128 bytes");
    m.l0i.sets = shape[0];
    m.l0i.line_bytes = shape[1];
    m.l0i.ways = shape[2];
    m.l0i.stream_buffer_lines = v.number("-modern_stream_buffer", 0, 1024);
    const auto way = numbers(v, "-modern_l1i_latency", 2, 1);
    m.l1i_request_latency = way[0];
    m.l1i_reply_latency = way[1];
}

/// Thread block clusters (Hopper and later). @param sms  number of SMs of the GPU
void read_cta_clusters(const option_values& v, unsigned sms, core::cta_cluster_timing& c) {
    const auto lanes = numbers(v, "-modern_cluster_lanes", 3, 1);
    c.lanes = lanes[0];
    c.lane_bytes = lanes[1];
    c.sms_per_path = lanes[2];
    const auto latency = numbers(v, "-modern_cluster_latency", 3, 1);
    c.near_latency = latency[0];
    c.far_latency = latency[1];
    c.access_latency = latency[2];
    c.barrier_latency = v.number("-modern_cluster_barrier_latency", 1, longest_latency);
    c.gpcs = read_gpcs(v, sms);
}

core::sub_core_pipeline::dependence_control read_dependences(const option_values& v) {
    const std::string& name = v.text("--dependences");
    if (name != "bits" && name != "scoreboard")
        v.fail("--dependences", "unknown mechanism", "bits or scoreboard");
    return name == "bits" ? core::sub_core_pipeline::dependence_control::bits
                          : core::sub_core_pipeline::dependence_control::scoreboard;
}

/// -modern_l1_local_write_back, which concerns caches that write through.
void keep_local_stores(const option_values& v, cache::cache_config& l1) {
    if (!l1.enabled) return;
    const bool through = l1.write == cache::write_policy::write_through ||
                         l1.write == cache::write_policy::write_evict ||
                         l1.write == cache::write_policy::read_only;
    if (l1.keeps_and_passes_writes())
        l1.write = cache::write_policy::local_wb_global_wt;
    else if (through)
        v.fail("-modern_l1_local_write_back",
               "an L1D that writes through keeps stores only with lazy fetch",
               "write policy T with allocation L in -gpgpu_cache:dl1; or 0");
}

}  // namespace

core::multiprocessor_maker read_simt(const option_values& v, gpu_config&) {
    read_dependences(v);
    return [](const core::multiprocessor_parts& parts) {
        return std::make_unique<core::simt_pipeline::simt_sm>(parts);
    };
}

core::multiprocessor_maker read_sub_cores(const option_values& v, gpu_config& config) {
    core::sm_config& sm = config.cores.sm;
    if (config.compute_capability_major < 7)
        v.fail("--core", "the sub-core pipeline requires Volta or later",
               "--core simt, or another preset");
    if (sm.max_warps / sm.schedulers > core::sub_core_pipeline::issue_scheduler::max_slots)
        v.fail("--core", fmt::format("{} warps per sub-core", sm.max_warps / sm.schedulers),
               fmt::format("at most {}: see -gpgpu_num_sched_per_core",
                           core::sub_core_pipeline::issue_scheduler::max_slots));

    sm_timing m;
    m.dependences = read_dependences(v);
    const std::string& policy = v.text("-modern_scheduler");
    if (policy != "cggty" && policy != "lrr" && policy != "glrr")
        v.fail("-modern_scheduler", "unknown policy", "cggty, lrr or glrr");
    m.policy = policy == "lrr"    ? core::sub_core_pipeline::issue_policy::lrr
               : policy == "glrr" ? core::sub_core_pipeline::issue_policy::glrr
                                  : core::sub_core_pipeline::issue_policy::cggty;
    m.rotate_ctas = v.flag("-modern_rotate_ctas");
    read_execution(v, m.execution);
    read_memory_latencies(v, m.memory);
    read_instructions(v, m);
    m.shared_fp64_interval = v.number("-modern_shared_fp64_interval", 0, longest_latency);
    // These times are independent of the SM clock.
    const auto core_cycles = [&](unsigned network_cycles) {
        return static_cast<unsigned>(
            std::lround(network_cycles * config.clocks.core / config.clocks.network));
    };
    m.cta_turnaround = core_cycles(v.number("-modern_cta_turnaround", 0, 1'000'000));
    m.fetch_width = v.number("-modern_fetch_width", 1, 8);
    m.warp_launch_interval =
        core_cycles(v.number("-modern_warp_launch_interval", 0, longest_latency));
    m.branch_redirect = v.number("-modern_branch_redirect", 1, longest_latency);
    m.barrier_latency = v.number("-modern_barrier_latency", 1, longest_latency);
    m.barrier_interval = v.number("-modern_barrier_interval", 1, longest_latency);
    const auto fences = numbers(v, "-modern_fence_latency", 3, 1);
    m.fence_cta = fences[0];
    m.fence_gpu = fences[1];
    m.fence_system = fences[2];
    m.result_queue = v.number("-modern_result_queue", 1, 1024);
    m.registers.read_ports = v.number("-modern_register_read_ports", 0,
                                      core::sub_core_pipeline::register_file::max_ports);
    const auto queue = numbers(v, "-modern_memory_queue", 4, 1);
    m.memory_queue = {queue[0], queue[1], queue[2], queue[3]};
    m.memory_queue.accept_interval = interval(v, "-modern_memory_interval", 1, "core");
    m.constant_interval = v.number("-modern_constant_interval", 1, longest_latency);
    m.l1_tag_banks = v.number("-modern_l1_tag_banks", 1, 32);
    if ((m.l1_tag_banks & (m.l1_tag_banks - 1)) != 0)
        v.fail("-modern_l1_tag_banks", "is not a power of two", "1, 2, 4, 8, 16 or 32");
    m.link_cycles = v.number("-modern_link_cycles", 1, longest_latency);
    m.network_packets = config.cores.responses_per_cycle =
        v.number("-modern_network_packets", 1, 16);
    const unsigned requests = v.number("-modern_request_packets", 0, 16);
    m.request_packets = requests != 0 ? requests : m.network_packets;
    m.request_lines = v.flag("-modern_request_lines");
    if (v.flag("-modern_l1_local_write_back")) keep_local_stores(v, sm.l1.data);
    read_engines(v, m.engines);
    if (m.engines.present && sm.schedulers != 4)
        v.fail("-modern_engines", "warpgroups are four warps of four sub-cores",
               "-gpgpu_num_sched_per_core 4");
    config.ptx.asynchronous_engines = m.engines.present;
    config.ptx.tensor_memory = m.engines.tensor_core.present;
    m.l0i.perfect = sm.l1.perfect_instruction_and_constant;
    m.cta_clusters.supported = config.compute_capability_major >= 9;
    read_cta_clusters(v, config.sms(), m.cta_clusters);
    config.l1_uses_shared_banks = true;
    config.times_cta_clusters = m.cta_clusters.supported;
    if (m.dependences == core::sub_core_pipeline::dependence_control::bits)
        config.ptx.controls_of = config.binary_version();
    return [m](const core::multiprocessor_parts& parts) {
        return std::make_unique<core::sub_core_pipeline::sub_core_sm>(parts, m);
    };
}

}  // namespace simtlm::platform
