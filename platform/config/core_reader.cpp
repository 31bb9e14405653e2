// SPDX-License-Identifier: Apache-2.0
#include "platform/config/readers.h"

#include <fmt/format.h>

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
        v.fail(pipeline, fmt::format("{} threads make no whole number of warps", sm.max_threads),
               "a multiple of 32");
    sm.max_warps = sm.max_threads / warp_threads;
    if (sm.max_warps > most_warps)
        v.fail(pipeline, fmt::format("{} warps", sm.max_warps),
               "an SM holds at most 64 (2048 threads)");
    sm.registers = v.number("-gpgpu_shader_registers", 1);
    // Unless it is given, a block may have all registers of an SM.
    sm.registers_per_block = v.given("-gpgpu_registers_per_block")
                                 ? v.number("-gpgpu_registers_per_block", 1)
                                 : sm.registers;
    if (sm.registers_per_block > sm.registers)
        v.fail("-gpgpu_registers_per_block", fmt::format("an SM has {} registers", sm.registers),
               "see -gpgpu_shader_registers");
    sm.max_ctas = v.number("-gpgpu_shader_cta", 1, 1024);
    sm.max_barriers_per_cta = v.number("-gpgpu_num_cta_barriers", 1, 1024);
    sm.ignore_resource_limits = v.flag("-gpgpu_ignore_resources_limitation");

    sm.schedulers = v.number("-gpgpu_num_sched_per_core", 1, most_warps);
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
    sm.inst_fetch_throughput = v.number("-gpgpu_inst_fetch_throughput", 1, 64);
    sm.perfect_inst_const_cache = v.flag("-gpgpu_perfect_inst_const_cache");
}

void read_collectors(const option_values& v, core::sm_config& sm) {
    sm.register_banks = v.number("-gpgpu_num_reg_banks", 1, 1024);
    sm.register_bank_uses_warp_id = v.flag("-gpgpu_reg_bank_use_warp_id");
    sm.register_port_throughput = v.number("-gpgpu_reg_file_port_throughput", 1, 64);
    sm.specialized_collectors = v.flag("-gpgpu_enable_specialized_operand_collector");
    const std::pair<const char*, core::collector_pool_config*> pools[] = {
        {"sp", &sm.collectors_sp},
        {"dp", &sm.collectors_dp},
        {"sfu", &sm.collectors_sfu},
        {"int", &sm.collectors_int},
        {"tensor_core", &sm.collectors_tensor},
        {"mem", &sm.collectors_mem},
        {"gen", &sm.collectors_gen}};
    for (const auto& [name, pool] : pools) {
        const std::string stem = "-gpgpu_operand_collector_num_";
        pool->units = v.number(stem + "units_" + name, 0, 1024);
        pool->in_ports = v.number(stem + "in_ports_" + name, 0, 1024);
        pool->out_ports = v.number(stem + "out_ports_" + name, 0, 1024);
        if (pool->units > 0 && (pool->in_ports == 0) != (pool->out_ports == 0))
            v.fail(stem + (pool->in_ports == 0 ? "in_ports_" : "out_ports_") + name,
                   "instructions could enter these collectors or leave them, but not both",
                   "give both kinds of ports");
        if (pool->in_ports > 0 && pool->units == 0 &&
            (sm.specialized_collectors || pool == &sm.collectors_gen))
            v.fail(stem + "units_" + name, "there are ports without collectors",
                   "at least one unit, or no ports");
    }
    const auto works = [](const core::collector_pool_config& pool) {
        return pool.units > 0 && pool.in_ports > 0;
    };
    const bool general = works(sm.collectors_gen);
    if (!general && !sm.specialized_collectors)
        v.fail("-gpgpu_enable_specialized_operand_collector",
               "without specialised collectors nobody collects operands",
               "set -gpgpu_operand_collector_num_units_gen and its ports");
    if (!general && !works(sm.collectors_mem))
        v.fail("-gpgpu_operand_collector_num_units_mem",
               "nobody collects operands of memory instructions",
               "at least one unit and port, here or in the general pool");
}

void read_units(const option_values& v, core::sm_config& sm) {
    constexpr std::string_view widths = "-gpgpu_pipeline_widths";
    sm.widths = read(v, widths, parse_pipeline_widths);
    sm.sp_units = v.number("-gpgpu_num_sp_units", 1, 256);
    sm.dp_units = v.number("-gpgpu_num_dp_units", 0, 256);
    sm.int_units = v.number("-gpgpu_num_int_units", 0, 256);
    sm.sfu_units = v.number("-gpgpu_num_sfu_units", 1, 256);
    sm.tensor_core_available = v.flag("-gpgpu_tensor_core_avail");
    sm.tensor_units = v.number("-gpgpu_num_tensor_core_units", 0, 256);
    if (sm.tensor_units > 0 && !sm.tensor_core_available)
        v.fail("-gpgpu_num_tensor_core_units", "the SM has no tensor cores",
               "-gpgpu_tensor_core_avail 1");
    if (!sm.tensor_core_available) sm.widths.id_oc_tensor = sm.widths.oc_ex_tensor = 0;
    const core::pipeline_widths& w = sm.widths;
    const auto needs = [&](unsigned count, unsigned id_oc, unsigned oc_ex, const char* kind) {
        if (count > 0 && (id_oc == 0 || oc_ex == 0))
            v.fail(widths,
                   fmt::format("{} units have no pipeline registers in front of them", kind),
                   "a width of at least 1, or no such units");
    };
    needs(sm.sp_units, w.id_oc_sp, w.oc_ex_sp, "SP");
    needs(sm.dp_units, w.id_oc_dp, w.oc_ex_dp, "DP");
    needs(sm.int_units, w.id_oc_int, w.oc_ex_int, "INT");
    needs(sm.sfu_units, w.id_oc_sfu, w.oc_ex_sfu, "SFU");
    needs(1, w.id_oc_mem, w.oc_ex_mem, "memory");
    needs(sm.tensor_units, w.id_oc_tensor, w.oc_ex_tensor, "tensor");
    if (w.ex_wb == 0) v.fail(widths, "nothing could be written back", "EX_WB of at least 1");
    for (unsigned i = 0; i < program::max_specialized_units; ++i)
        sm.specialized[i] =
            read(v, fmt::format("-specialized_unit_{}", i + 1), parse_specialized_unit);
}

/// With sub-cores scheduler n owns register n of every stage and unit n of every kind.
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
    const core::pipeline_widths& w = sm.widths;
    constexpr std::string_view widths = "-gpgpu_pipeline_widths";
    const auto unit_option = [&](std::string_view option, unsigned count) {
        return count % n != 0 ? option : widths;
    };
    one_each(unit_option("-gpgpu_num_sp_units", sm.sp_units), sm.sp_units, w.id_oc_sp, w.oc_ex_sp,
             "SP", true);
    one_each(unit_option("-gpgpu_num_sfu_units", sm.sfu_units), sm.sfu_units, w.id_oc_sfu,
             w.oc_ex_sfu, "SFU", true);
    one_each(widths, 1, w.id_oc_mem, w.oc_ex_mem, "memory", false);
    if (sm.tensor_core_available)
        one_each(unit_option("-gpgpu_num_tensor_core_units", sm.tensor_units), sm.tensor_units,
                 w.id_oc_tensor, w.oc_ex_tensor, "tensor", true);
    if (sm.dp_units > 0)
        one_each(unit_option("-gpgpu_num_dp_units", sm.dp_units), sm.dp_units, w.id_oc_dp,
                 w.oc_ex_dp, "DP", true);
    if (sm.int_units > 0)
        one_each(unit_option("-gpgpu_num_int_units", sm.int_units), sm.int_units, w.id_oc_int,
                 w.oc_ex_int, "INT", true);
    for (unsigned i = 0; i < program::max_specialized_units; ++i) {
        const core::specialized_unit_config& unit = sm.specialized[i];
        if (unit.enabled)
            one_each(fmt::format("-specialized_unit_{}", i + 1), unit.units, unit.id_oc_width,
                     unit.oc_ex_width, unit.name, true);
    }
    if (sm.register_banks % n != 0)
        v.fail("-gpgpu_num_reg_banks",
               fmt::format("with sub-cores {} banks do not divide among {} schedulers",
                           sm.register_banks, n),
               "a multiple of -gpgpu_num_sched_per_core");
    unsigned collectors = sm.collectors_gen.units;
    if (sm.specialized_collectors)
        for (const core::collector_pool_config* pool :
             {&sm.collectors_sp, &sm.collectors_dp, &sm.collectors_sfu, &sm.collectors_int,
              &sm.collectors_tensor, &sm.collectors_mem})
            collectors += pool->units;
    if (collectors == 0 || collectors % n != 0)
        v.fail("-gpgpu_operand_collector_num_units_gen",
               fmt::format(
                   "with sub-cores {} collector units, all pools together, do not divide among "
                   "{} schedulers",
                   collectors, n),
               "a multiple of -gpgpu_num_sched_per_core");
}

}  // namespace

void read_core(const option_values& v, gpu_config& config) {
    core::sm_config& sm = config.cores.sm;
    sm.compute_capability_major = config.compute_capability_major;
    read_warps(v, sm);
    read_collectors(v, sm);
    read_units(v, sm);
    check_sub_cores(v, sm);
}

}  // namespace simtlm::platform
