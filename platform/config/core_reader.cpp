// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/operand_collector.h"
#include "platform/config/readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::platform {

namespace {

void read_warps(const option_values& v, core::sm_config& sm) {
    constexpr std::string_view pipeline = "-gpgpu_shader_core_pipeline";
    const auto shape =
        read(v, pipeline, [](const std::string& text) { return parse_numbers(text, ':', 2, 3); });
    sm.max_threads = shape[0];
    sm.warp_size = shape[1];
    if (sm.warp_size != warp_threads)
        v.fail(pipeline, fmt::format("warps of {} threads", sm.warp_size),
               "traces record warps of 32");
    if (sm.max_threads == 0 || sm.max_threads % warp_threads != 0)
        v.fail(pipeline, fmt::format("{} threads are not a whole number of warps", sm.max_threads),
               "a multiple of 32");
    sm.max_warps = sm.max_threads / warp_threads;
    if (sm.max_warps > max_supported_warps)
        v.fail(pipeline, fmt::format("{} warps", sm.max_warps),
               "an SM holds at most 64 (2048 threads)");
    sm.registers = v.number("-gpgpu_shader_registers", 1);
    // By default, a block may use all registers of an SM.
    sm.registers_per_block = v.given("-gpgpu_registers_per_block")
                                 ? v.number("-gpgpu_registers_per_block", 1)
                                 : sm.registers;
    if (sm.registers_per_block > sm.registers)
        v.fail("-gpgpu_registers_per_block", fmt::format("an SM has {} registers", sm.registers),
               "see -gpgpu_shader_registers");
    sm.max_ctas = v.number("-gpgpu_shader_cta", 1, 1024);
    sm.max_barriers_per_cta = v.number("-gpgpu_num_cta_barriers", 1, 1024);
    sm.ignore_resource_limits = v.flag("-gpgpu_ignore_resources_limitation");

    sm.schedulers = v.number("-gpgpu_num_sched_per_core", 1, max_supported_warps);
    if (sm.max_warps % sm.schedulers != 0)
        v.fail(
            "-gpgpu_num_sched_per_core",
            fmt::format("{} warps do not divide among {} schedulers", sm.max_warps, sm.schedulers),
            "see -gpgpu_shader_core_pipeline");
    sm.scheduler.policy = read(v, "-gpgpu_scheduler", [&](const std::string& text) {
        return parse_scheduler(text, sm.max_warps);
    });
    sm.scheduler.max_issue_per_warp = v.number("-gpgpu_max_insn_issue_per_warp", 1, 2);
    sm.scheduler.dual_issue_diff_exec_units = v.flag("-gpgpu_dual_issue_diff_exec_units");
    sm.sub_core_model = v.flag("-gpgpu_sub_core_model");
    sm.front_end.fetch_throughput = v.number("-gpgpu_inst_fetch_throughput", 1, 64);
    sm.l1.perfect_instruction_and_constant = v.flag("-gpgpu_perfect_inst_const_cache");
}

void read_collectors(const option_values& v, core::sm_config& sm) {
    sm.collector.banks =
        v.number("-gpgpu_num_reg_banks", 1, core::simt_pipeline::operand_collector::max_banks);
    sm.collector.bank_uses_warp_id = v.flag("-gpgpu_reg_bank_use_warp_id");
    sm.collector.port_throughput = v.number("-gpgpu_reg_file_port_throughput", 1, 64);
    sm.collector.specialized = v.flag("-gpgpu_enable_specialized_operand_collector");
    const auto read_pool = [&](const std::string& name, core::collector_pool_config& pool,
                               bool used) {
        const std::string stem = "-gpgpu_operand_collector_num_";
        pool.units = v.number(stem + "units_" + name, 0, 1024);
        pool.in_ports = v.number(stem + "in_ports_" + name, 0, 1024);
        pool.out_ports = v.number(stem + "out_ports_" + name, 0, 1024);
        if (pool.units > 0 && (pool.in_ports == 0) != (pool.out_ports == 0))
            v.fail(stem + (pool.in_ports == 0 ? "in_ports_" : "out_ports_") + name,
                   "instructions could enter these collectors or leave them, but not both",
                   "give both kinds of ports");
        if (pool.in_ports > 0 && pool.units == 0 && used)
            v.fail(stem + "units_" + name, "there are ports without collectors",
                   "at least one unit, or no ports");
    };
    for (core::pipeline_config& p : sm.pipelines)
        if (!p.pool_option.empty())
            read_pool(p.pool_option, p.collectors, sm.collector.specialized);
    read_pool("gen", sm.collector.general, true);
    unsigned units = sm.collector.general.units;
    if (sm.collector.specialized)
        for (const core::pipeline_config& p : sm.pipelines) units += p.collectors.units;
    if (units > core::simt_pipeline::operand_collector::max_units)
        v.fail("-gpgpu_operand_collector_num_units_gen",
               fmt::format("{} collector units in all pools together", units),
               fmt::format("at most {}", core::simt_pipeline::operand_collector::max_units));
    const auto works = [](const core::collector_pool_config& pool) {
        return pool.units > 0 && pool.in_ports > 0;
    };
    const bool general = works(sm.collector.general);
    if (!general && !sm.collector.specialized)
        v.fail("-gpgpu_enable_specialized_operand_collector",
               "without specialised collectors no unit collects operands",
               "set -gpgpu_operand_collector_num_units_gen and its ports");
    if (!general && !works(sm.pipelines[core::pipe_mem].collectors))
        v.fail("-gpgpu_operand_collector_num_units_mem",
               "no unit collects operands of memory instructions",
               "at least one unit and port, here or in the general pool");
}

void read_units(const option_values& v, core::sm_config& sm) {
    constexpr std::string_view widths = "-gpgpu_pipeline_widths";
    const pipeline_widths w = read(v, widths, parse_pipeline_widths);
    sm.write_back.width = w.ex_wb;
    if (w.ex_wb == 0) v.fail(widths, "nothing could be written back", "EX_WB of at least 1");
    const bool tensor_cores = v.flag("-gpgpu_tensor_core_avail");
    for (unsigned i = 0; i < sm.pipelines.size(); ++i) {
        core::pipeline_config& p = sm.pipelines[i];
        if (p.specialized) {
            const specialized_unit unit = read(v, p.units_option, parse_specialized_unit);
            p.present = unit.enabled;
            p.label = unit.name;
            p.units = unit.units;
            p.id_oc = unit.id_oc;
            p.oc_ex = unit.oc_ex;
            continue;
        }
        if (!p.units_option.empty()) p.units = v.number(p.units_option, p.min_units, 256);
        p.present = i == core::pipe_tensor ? tensor_cores : p.units > 0 || p.to_memory;
        if (p.units > 0 && !p.present)
            v.fail(p.units_option, "the SM has no tensor cores", "-gpgpu_tensor_core_avail 1");
        if (const auto entry = w.of.find(i); entry != w.of.end()) {
            p.id_oc = p.present || i != core::pipe_tensor ? entry->second.id_oc : 0;
            p.oc_ex = p.present || i != core::pipe_tensor ? entry->second.oc_ex : 0;
        }
        if (p.usable() && (p.id_oc == 0 || p.oc_ex == 0))
            v.fail(widths,
                   fmt::format("{} units have no pipeline registers in front of them", p.label),
                   "a width of at least 1, or no such units");
        if (std::max(p.id_oc, p.oc_ex) > core::simt_pipeline::pipeline_register::max_width)
            v.fail(widths,
                   fmt::format("{} pipeline registers in front of {} units",
                               std::max(p.id_oc, p.oc_ex), p.label),
                   fmt::format("at most {}", core::simt_pipeline::pipeline_register::max_width));
    }
}

/// With sub-cores, scheduler n owns register n of every pipeline stage and unit n of every kind.
void check_sub_cores(const option_values& v, const core::sm_config& sm) {
    if (!sm.sub_core_model) return;
    const unsigned n = sm.schedulers;
    const auto one_each = [&](std::string_view option, unsigned count, unsigned id_oc,
                              unsigned oc_ex, const std::string& kind, bool partitioned) {
        if (id_oc != n)
            v.fail(
                option,
                fmt::format("with sub-cores each of {} schedulers has one register in front of the "
                            "{} collectors, not {} together",
                            n, kind, id_oc),
                "set that width to -gpgpu_num_sched_per_core, or -gpgpu_sub_core_model 0");
        if (!partitioned) return;
        if (count % n != 0)
            v.fail(option,
                   fmt::format("with sub-cores {} {} units do not divide among {} schedulers",
                               count, kind, n),
                   "a multiple of -gpgpu_num_sched_per_core, or -gpgpu_sub_core_model 0");
        if (oc_ex < count)
            v.fail(option,
                   fmt::format(
                       "with sub-cores each of {} {} units has a register of its own in front of "
                       "it; there are {}",
                       count, kind, oc_ex),
                   "widen the stage in front of the units, or -gpgpu_sub_core_model 0");
    };
    for (const core::pipeline_config& p : sm.pipelines) {
        if (!p.present) continue;
        const bool of_option = p.specialized || (!p.to_memory && p.units % n != 0);
        one_each(of_option ? std::string_view(p.units_option) : "-gpgpu_pipeline_widths", p.units,
                 p.id_oc, p.oc_ex, p.label, !p.to_memory);
    }
    if (sm.collector.banks % n != 0)
        v.fail("-gpgpu_num_reg_banks",
               fmt::format("with sub-cores {} banks do not divide among {} schedulers",
                           sm.collector.banks, n),
               "a multiple of -gpgpu_num_sched_per_core");
    unsigned collectors = sm.collector.general.units;
    if (sm.collector.specialized)
        for (const core::pipeline_config& p : sm.pipelines) collectors += p.collectors.units;
    if (collectors == 0 || collectors % n != 0)
        v.fail("-gpgpu_operand_collector_num_units_gen",
               fmt::format(
                   "with sub-cores {} collector units in all pools together do not divide among "
                   "{} schedulers",
                   collectors, n),
               "a multiple of -gpgpu_num_sched_per_core");
}

}  // namespace

void read_core(const option_values& v, gpu_config& config) {
    core::sm_config& sm = config.cores.sm;
    sm.compute_capability_major = config.compute_capability_major;
    sm.allocation = core::occupancy_rules_of(config.binary_version()).allocation;
    read_warps(v, sm);
    read_collectors(v, sm);
    read_units(v, sm);
    check_sub_cores(v, sm);
}

}  // namespace simtlm::platform
