// SPDX-License-Identifier: Apache-2.0
#include "platform/config/config.h"

#include "modules/kernel/error.h"
#include "modules/memory/dram_scheduler.h"
#include "platform/config/config_formats.h"
#include "platform/options/presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace simtlm::platform {

namespace {

bool power_of_two(unsigned n) {
    return n != 0 && (n & (n - 1)) == 0;
}

unsigned log2_of(unsigned n) {
    unsigned bits = 0;
    while ((1u << bits) < n) ++bits;
    return bits;
}

constexpr unsigned warp_size = 32;
constexpr unsigned most_warps = 64;
constexpr unsigned most_queue_entries = 1u << 20;
constexpr unsigned most_cycles = 1u << 20;  ///< of any latency

/// Reads option values into the configuration of one GPU.
class assembler {
public:
    explicit assembler(const option_values& values) : v_(values) {}

    gpu_config assemble() {
        chip();
        sm();
        collectors();
        units();
        latencies();
        sub_cores();
        caches_and_shared_memory();
        memory();
        dram();
        network();
        launch();
        traces();
        run();
        quirks();
        return std::move(c_);
    }

private:
    /// Runs a reader of a value's own language and tells where the value came from if it fails.
    template <typename Reader>
    auto read(std::string_view option, Reader reader) -> decltype(reader(std::string())) {
        try {
            return reader(v_.text(option));
        } catch (const format_error& error) {
            v_.fail(option, error.what, error.remedy);
        }
    }

    template <typename E>
    E choice(std::string_view option, unsigned highest) {
        return static_cast<E>(v_.number(option, 0, highest));
    }

    void chip() {
        c_.cores.clusters = v_.number("-gpgpu_n_clusters", 1, 4096);
        c_.cores.sms_per_cluster = v_.number("-gpgpu_n_cores_per_cluster", 1, 256);
        c_.cores.ejection_buffer_size =
            v_.number("-gpgpu_n_cluster_ejection_buffer_size", 1, most_queue_entries);
        c_.cores.sim_order = v_.number("-gpgpu_simt_core_sim_order", 0, 1);
        c_.compute_capability_major = v_.number("-gpgpu_compute_capability_major", 1, 99);
        c_.compute_capability_minor = v_.number("-gpgpu_compute_capability_minor", 0, 9);

        constexpr std::string_view clocks = "-gpgpu_clock_domains";
        const std::vector<std::string> parts = split(v_.text(clocks), ':');
        if (parts.size() != 4)
            v_.fail(clocks, "names no four frequencies", "CORE:NETWORK:L2:DRAM in MHz");
        double* const hertz[] = {&c_.clocks.core, &c_.clocks.network, &c_.clocks.l2,
                                 &c_.clocks.dram};
        for (std::size_t i = 0; i < 4; ++i) {
            const auto megahertz = parse_real(parts[i]);
            if (!megahertz) v_.fail(clocks, fmt::format("'{}' is no frequency", parts[i]), "MHz");
            if (*megahertz <= 0) v_.fail(clocks, "a frequency must be greater than zero", "MHz");
            if (*megahertz < 0.001 || *megahertz > 1e6)
                v_.fail(clocks, fmt::format("{} MHz is out of range", parts[i]),
                        "0.001 to 1000000 MHz");
            *hertz[i] = *megahertz * 1e6;
        }
    }

    void sm() {
        core::sm_config& sm = c_.cores.sm;
        constexpr std::string_view pipeline = "-gpgpu_shader_core_pipeline";
        const auto shape =
            read(pipeline, [](const std::string& text) { return parse_numbers(text, ':', 2, 3); });
        sm.max_threads = shape[0];
        sm.warp_size = shape[1];
        if (sm.warp_size != warp_size)
            v_.fail(pipeline, fmt::format("warps of {} threads", sm.warp_size),
                    "traces record warps of 32");
        if (sm.max_threads == 0 || sm.max_threads % warp_size != 0)
            v_.fail(pipeline,
                    fmt::format("{} threads make no whole number of warps", sm.max_threads),
                    "a multiple of 32");
        sm.max_warps = sm.max_threads / warp_size;
        if (sm.max_warps > most_warps)
            v_.fail(pipeline, fmt::format("{} warps", sm.max_warps),
                    "an SM holds at most 64 (2048 threads)");
        sm.registers = v_.number("-gpgpu_shader_registers", 1);
        c_.registers_per_block_given = v_.given("-gpgpu_registers_per_block");
        sm.registers_per_block = c_.registers_per_block_given
                                     ? v_.number("-gpgpu_registers_per_block", 1)
                                     : sm.registers;
        if (sm.registers_per_block > sm.registers)
            v_.fail("-gpgpu_registers_per_block",
                    fmt::format("an SM has {} registers", sm.registers),
                    "see -gpgpu_shader_registers");
        sm.max_ctas = v_.number("-gpgpu_shader_cta", 1, 1024);
        sm.max_barriers_per_cta = v_.number("-gpgpu_num_cta_barriers", 1, 1024);
        sm.ignore_resource_limits = v_.flag("-gpgpu_ignore_resources_limitation");
        sm.compute_capability_major = c_.compute_capability_major;

        sm.schedulers = v_.number("-gpgpu_num_sched_per_core", 1, most_warps);
        if (sm.max_warps % sm.schedulers != 0)
            v_.fail("-gpgpu_num_sched_per_core",
                    fmt::format("{} warps do not divide among {} schedulers", sm.max_warps,
                                sm.schedulers),
                    "see -gpgpu_shader_core_pipeline");
        sm.scheduler.policy = read("-gpgpu_scheduler", [&](const std::string& text) {
            return parse_scheduler(text, sm.max_warps);
        });
        sm.scheduler.max_issue_per_warp = v_.number("-gpgpu_max_insn_issue_per_warp", 1, 2);
        sm.scheduler.dual_issue_diff_exec_units = v_.flag("-gpgpu_dual_issue_diff_exec_units");
        sm.sub_core_model = v_.flag("-gpgpu_sub_core_model");
        sm.inst_fetch_throughput = v_.number("-gpgpu_inst_fetch_throughput", 1, 64);
        sm.perfect_inst_const_cache = v_.flag("-gpgpu_perfect_inst_const_cache");
    }

    void collectors() {
        core::sm_config& sm = c_.cores.sm;
        sm.register_banks = v_.number("-gpgpu_num_reg_banks", 1, 1024);
        sm.register_bank_uses_warp_id = v_.flag("-gpgpu_reg_bank_use_warp_id");
        sm.register_port_throughput = v_.number("-gpgpu_reg_file_port_throughput", 1, 64);
        sm.specialized_collectors = v_.flag("-gpgpu_enable_specialized_operand_collector");
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
            pool->units = v_.number(stem + "units_" + name, 0, 1024);
            pool->in_ports = v_.number(stem + "in_ports_" + name, 0, 1024);
            pool->out_ports = v_.number(stem + "out_ports_" + name, 0, 1024);
            if (pool->units > 0 && (pool->in_ports == 0) != (pool->out_ports == 0))
                v_.fail(stem + (pool->in_ports == 0 ? "in_ports_" : "out_ports_") + name,
                        "instructions could enter these collectors or leave them, but not both",
                        "give both kinds of ports");
            if (pool->in_ports > 0 && pool->units == 0 &&
                (sm.specialized_collectors || pool == &sm.collectors_gen))
                v_.fail(stem + "units_" + name, "there are ports without collectors",
                        "at least one unit, or no ports");
        }
        const auto works = [](const core::collector_pool_config& pool) {
            return pool.units > 0 && pool.in_ports > 0;
        };
        const bool general = works(sm.collectors_gen);
        if (!general && !sm.specialized_collectors)
            v_.fail("-gpgpu_enable_specialized_operand_collector",
                    "without specialised collectors nobody collects operands",
                    "set -gpgpu_operand_collector_num_units_gen and its ports");
        if (!general && !works(sm.collectors_mem))
            v_.fail("-gpgpu_operand_collector_num_units_mem",
                    "nobody collects operands of memory instructions",
                    "at least one unit and port, here or in the general pool");
    }

    void units() {
        core::sm_config& sm = c_.cores.sm;
        constexpr std::string_view widths = "-gpgpu_pipeline_widths";
        sm.widths = read(widths, parse_pipeline_widths);
        sm.sp_units = v_.number("-gpgpu_num_sp_units", 1, 256);
        sm.dp_units = v_.number("-gpgpu_num_dp_units", 0, 256);
        sm.int_units = v_.number("-gpgpu_num_int_units", 0, 256);
        sm.sfu_units = v_.number("-gpgpu_num_sfu_units", 1, 256);
        sm.tensor_core_available = v_.flag("-gpgpu_tensor_core_avail");
        sm.tensor_units = v_.number("-gpgpu_num_tensor_core_units", 0, 256);
        if (sm.tensor_units > 0 && !sm.tensor_core_available)
            v_.fail("-gpgpu_num_tensor_core_units", "the SM has no tensor cores",
                    "-gpgpu_tensor_core_avail 1");
        if (!sm.tensor_core_available) sm.widths.id_oc_tensor = sm.widths.oc_ex_tensor = 0;
        const core::pipeline_widths& w = sm.widths;
        const auto needs = [&](unsigned count, unsigned id_oc, unsigned oc_ex, const char* kind) {
            if (count > 0 && (id_oc == 0 || oc_ex == 0))
                v_.fail(widths,
                        fmt::format("{} units have no pipeline registers in front of them", kind),
                        "a width of at least 1, or no such units");
        };
        needs(sm.sp_units, w.id_oc_sp, w.oc_ex_sp, "SP");
        needs(sm.dp_units, w.id_oc_dp, w.oc_ex_dp, "DP");
        needs(sm.int_units, w.id_oc_int, w.oc_ex_int, "INT");
        needs(sm.sfu_units, w.id_oc_sfu, w.oc_ex_sfu, "SFU");
        needs(1, w.id_oc_mem, w.oc_ex_mem, "memory");
        needs(sm.tensor_units, w.id_oc_tensor, w.oc_ex_tensor, "tensor");
        if (w.ex_wb == 0) v_.fail(widths, "nothing could be written back", "EX_WB of at least 1");
        for (unsigned i = 0; i < isa::max_specialized_units; ++i)
            sm.specialized[i] =
                read(fmt::format("-specialized_unit_{}", i + 1), parse_specialized_unit);
    }

    void latencies() {
        core::sm_config& sm = c_.cores.sm;
        const auto depths = [&](std::string_view option, std::size_t least, std::size_t most) {
            auto numbers = read(option, [&](const std::string& text) {
                return parse_numbers(text, ',', least, most);
            });
            for (const unsigned n : numbers)
                if (n == 0 || n > 0xffff)
                    v_.fail(option, fmt::format("a latency of {} cycles", n), "1 to 65535");
            numbers.resize(most, 0);
            return numbers;
        };
        const auto integer = depths("-ptx_opcode_latency_int", 5, 6);
        const auto single = depths("-ptx_opcode_latency_fp", 5, 5);
        const auto twice = depths("-ptx_opcode_latency_dp", 5, 5);
        sm.max_latency_int = std::max(integer[1], integer[5]);
        sm.max_latency_sp = single[1];
        sm.max_latency_dp = twice[1];
        sm.max_latency_sfu = std::max(twice[4], depths("-ptx_opcode_latency_sfu", 1, 1)[0]);
        sm.max_latency_tensor = depths("-ptx_opcode_latency_tesnor", 1, 1)[0];

        isa::latency_table& table = c_.traces.latencies;
        using isa::op_class;
        const auto fill = [&](const std::string& kind, std::initializer_list<op_class> classes) {
            const std::string option = "-trace_opcode_latency_initiation_" + kind;
            const auto pair = read(
                option, [](const std::string& text) { return parse_numbers(text, ',', 2, 2); });
            if (pair[0] == 0 || pair[1] == 0)
                v_.fail(option, "latency and initiation interval must not be zero", "at least 1,1");
            if (pair[0] > 0xffff) v_.fail(option, "the latency is too long", "at most 65535");
            if (pair[1] > pair[0])
                v_.fail(option, "an initiation interval longer than the latency",
                        "LATENCY,INITIATION in this order");
            for (const op_class c : classes)
                table[c] = {static_cast<std::uint16_t>(pair[0]),
                            static_cast<std::uint16_t>(pair[1])};
            return pair[0];
        };
        const auto deepen = [](unsigned& depth, unsigned latency) {
            depth = std::max(depth, latency);
        };
        const unsigned as_int = fill("int", {op_class::alu, op_class::integer, op_class::branch,
                                             op_class::call, op_class::ret});
        deepen(sm.max_latency_int, as_int);
        const unsigned as_sp = fill("sp", {op_class::sp});
        deepen(sm.max_latency_sp, as_sp);
        const unsigned as_dp = fill("dp", {op_class::dp});
        deepen(sm.max_latency_dp, as_dp);
        deepen(sm.max_latency_sfu, fill("sfu", {op_class::sfu}));
        deepen(sm.max_latency_tensor, fill("tensor", {op_class::tensor}));
        // Where a kind of unit is missing, another does its work.
        if (sm.int_units == 0) deepen(sm.max_latency_sp, as_int);
        if (sm.dp_units == 0) deepen(sm.max_latency_sfu, as_dp);
        // Integer units also take what has no unit of its own.
        deepen(sm.max_latency_int, as_sp);
        for (unsigned i = 0; i < isa::max_specialized_units; ++i) {
            const auto cls = static_cast<op_class>(static_cast<unsigned>(op_class::spec1) + i);
            const unsigned latency = fill(fmt::format("spec_op_{}", i + 1), {cls});
            if (sm.specialized[i].enabled) deepen(sm.specialized[i].max_latency, latency);
        }
        sm.latencies = table;
    }

    /// With sub-cores scheduler n owns register n of every stage and unit n of every kind.
    void sub_cores() {
        const core::sm_config& sm = c_.cores.sm;
        if (!sm.sub_core_model) return;
        const unsigned n = sm.schedulers;
        const auto one_each = [&](std::string_view option, unsigned count, unsigned id_oc,
                                  unsigned oc_ex, const std::string& kind, bool partitioned) {
            if (id_oc != n)
                v_.fail(option,
                        fmt::format(
                            "with sub-cores each of {} schedulers has one register in front of the "
                            "{} collectors, not {} together",
                            n, kind, id_oc),
                        "set that width to -gpgpu_num_sched_per_core, or -gpgpu_sub_core_model 0");
            if (!partitioned) return;
            if (count % n != 0)
                v_.fail(option,
                        fmt::format("with sub-cores {} {} units do not divide among {} schedulers",
                                    count, kind, n),
                        "a multiple of -gpgpu_num_sched_per_core, or -gpgpu_sub_core_model 0");
            if (oc_ex < count)
                v_.fail(
                    option,
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
        one_each(unit_option("-gpgpu_num_sp_units", sm.sp_units), sm.sp_units, w.id_oc_sp,
                 w.oc_ex_sp, "SP", true);
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
        for (unsigned i = 0; i < isa::max_specialized_units; ++i) {
            const core::specialized_unit_config& unit = sm.specialized[i];
            if (unit.enabled)
                one_each(fmt::format("-specialized_unit_{}", i + 1), unit.units, unit.id_oc_width,
                         unit.oc_ex_width, unit.name, true);
        }
        if (sm.register_banks % n != 0)
            v_.fail("-gpgpu_num_reg_banks",
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
            v_.fail(
                "-gpgpu_operand_collector_num_units_gen",
                fmt::format(
                    "with sub-cores {} collector units, all pools together, do not divide among "
                    "{} schedulers",
                    collectors, n),
                "a multiple of -gpgpu_num_sched_per_core");
    }

    cache::cache_config cache_of(std::string_view option) { return read(option, parse_cache); }

    /// A cache whose lines are never written.
    cache::cache_config read_only_cache(std::string_view option) {
        const cache::cache_config cache = cache_of(option);
        if (!cache.enabled) v_.fail(option, "an SM cannot do without this cache", "");
        if (cache.write != cache::write_policy::read_only)
            v_.fail(option, "this cache is never written", "write policy R");
        return cache;
    }

    void data_cache(std::string_view option, const cache::cache_config& cache) {
        if (!cache.enabled) return;
        if (cache.write == cache::write_policy::read_only)
            v_.fail(option, "a data cache is written", "write policy B, T, E or L");
        if (cache.texture_fifo)
            v_.fail(option, "a texture FIFO serves texture caches only", "MSHR kind A or S");
    }

    void caches_and_shared_memory() {
        core::sm_config& sm = c_.cores.sm;
        sm.l1i = read_only_cache("-gpgpu_cache:il1");
        sm.l1c = read_only_cache("-gpgpu_const_cache:l1");
        sm.l1t = read_only_cache("-gpgpu_tex_cache:l1");
        if (!sm.l1t.texture_fifo)
            v_.fail("-gpgpu_tex_cache:l1", "a texture cache has a texture FIFO",
                    "MSHR kind F or T");
        for (const auto& [option, cache] :
             {std::pair{"-gpgpu_cache:il1", &sm.l1i}, std::pair{"-gpgpu_const_cache:l1", &sm.l1c}})
            if (cache->texture_fifo)
                v_.fail(option, "a texture FIFO serves texture caches only", "MSHR kind A or S");
        constexpr std::string_view dl1 = "-gpgpu_cache:dl1";
        sm.l1d = cache_of(dl1);
        data_cache(dl1, sm.l1d);
        sm.l1d_enabled = sm.l1d.enabled;
        sm.l1d.write_ratio_percent = v_.number("-gpgpu_l1_cache_write_ratio", 0, 100);
        sm.flush_l1 = v_.flag("-gpgpu_flush_l1_cache");

        core::ldst_config& ldst = sm.ldst;
        ldst.response_buffer_size =
            v_.number("-gpgpu_n_ldst_response_buffer_size", 1, most_queue_entries);
        ldst.l1_latency = v_.number("-gpgpu_l1_latency", 1, most_cycles);
        ldst.l1_banks = v_.number("-gpgpu_l1_banks", 1, 1024);
        if (!power_of_two(ldst.l1_banks)) v_.fail("-gpgpu_l1_banks", "is no power of two", "");
        ldst.l1_banks_byte_interleaving =
            v_.number("-gpgpu_l1_banks_byte_interleaving", 1, 1u << 20);
        if (!power_of_two(ldst.l1_banks_byte_interleaving))
            v_.fail("-gpgpu_l1_banks_byte_interleaving", "is no power of two", "");
        ldst.l1_banks_hash =
            choice<cache::set_index_function>("-gpgpu_l1_banks_hashing_function", 4);
        if (ldst.l1_banks_hash == cache::set_index_function::fermi_hash && ldst.l1_banks != 32 &&
            ldst.l1_banks != 64)
            v_.fail("-gpgpu_l1_banks_hashing_function", "Fermi's hash needs 32 or 64 banks",
                    "see -gpgpu_l1_banks");
        if (ldst.l1_banks_hash == cache::set_index_function::ipoly && ldst.l1_banks != 16 &&
            ldst.l1_banks != 32 && ldst.l1_banks != 64)
            v_.fail("-gpgpu_l1_banks_hashing_function",
                    "the polynomial hash needs 16, 32 or 64 banks", "see -gpgpu_l1_banks");
        ldst.global_skips_l1 = v_.flag("-gpgpu_gmem_skip_L1D");
        ldst.coalesce_arch = v_.number("-gpgpu_coalesce_arch", 1, 999);
        const bool sectors_only =
            ldst.coalesce_arch >= 40 || (ldst.coalesce_arch >= 20 && ldst.global_skips_l1);
        if (sm.l1d_enabled && sm.l1d.kind == cache::cache_kind::sector && !sectors_only)
            v_.fail("-gpgpu_coalesce_arch",
                    fmt::format("accesses of up to 128 bytes, as compute capability {}.{} makes "
                                "them, meet an L1D of 32-byte sectors",
                                ldst.coalesce_arch / 10, ldst.coalesce_arch % 10),
                    "40 or more, or an L1D with whole lines: -gpgpu_cache:dl1 N:...");
        ldst.local_memory_map = v_.flag("-gpgpu_local_mem_map");
        ldst.perfect_memory = v_.flag("-gpgpu_perfect_mem");

        core::shared_memory_config& shared = sm.shared;
        shared.bytes = v_.number("-gpgpu_shmem_size");
        shared.bytes_per_block = v_.number("-gpgpu_shmem_per_block");
        shared.banks = v_.number("-gpgpu_shmem_num_banks", 1, 1024);
        if (!power_of_two(shared.banks))
            v_.fail("-gpgpu_shmem_num_banks", "is no power of two", "");
        shared.warp_parts = v_.number("-gpgpu_shmem_warp_parts", 1, warp_size);
        if (warp_size % shared.warp_parts != 0)
            v_.fail("-gpgpu_shmem_warp_parts", "does not divide a warp of 32", "");
        shared.limited_broadcast = v_.flag("-gpgpu_shmem_limited_broadcast");
        shared.latency = v_.number("-gpgpu_smem_latency", 2, most_cycles);
        adaptive_split();
    }

    void adaptive_split() {
        core::sm_config& sm = c_.cores.sm;
        sm.adaptive_l1 = v_.flag("-gpgpu_adaptive_cache_config");
        sm.unified_l1_kb = v_.number("-gpgpu_unified_l1d_size", 0, 1u << 20);
        sm.shared.carve_out_kb = read("-gpgpu_shmem_option", [](const std::string& text) {
            return parse_numbers(text, ',', 1, 64);
        });
        std::sort(sm.shared.carve_out_kb.begin(), sm.shared.carve_out_kb.end());
        constexpr std::string_view unified = "-gpgpu_unified_l1d_size";
        if (sm.unified_l1_kb > 0 && sm.l1d_enabled) {
            const std::uint64_t whole = std::uint64_t{sm.unified_l1_kb} * 1024;
            if (whole % sm.l1d.bytes() != 0)
                v_.fail(unified,
                        fmt::format("{} KB are no multiple of the L1 data cache's {} bytes",
                                    sm.unified_l1_kb, sm.l1d.bytes()),
                        "see -gpgpu_cache:dl1");
        }
        if (!sm.adaptive_l1) return;
        if (!sm.l1d_enabled)
            v_.fail("-gpgpu_adaptive_cache_config", "there is no L1 data cache to split",
                    "give -gpgpu_cache:dl1");
        if (sm.unified_l1_kb == 0)
            v_.fail(unified, "the split needs the size of the unified cache", "KB");
        const unsigned most = sm.shared.carve_out_kb.back();
        if (most > sm.unified_l1_kb)
            v_.fail("-gpgpu_shmem_option",
                    fmt::format("{} KB of shared memory in a unified cache of {} KB", most,
                                sm.unified_l1_kb),
                    "see -gpgpu_unified_l1d_size");
        if (std::uint64_t{most} * 1024 < sm.shared.bytes)
            v_.fail(
                "-gpgpu_shmem_option",
                fmt::format("no size holds the SM's {} bytes of shared memory", sm.shared.bytes),
                "add one, or reduce -gpgpu_shmem_size");
    }

    void memory() {
        memory::memory_config& m = c_.memory;
        memory::partition_config& p = m.partition;
        m.channels = v_.number("-gpgpu_n_mem", 1, 1024);
        p.sub_partitions = v_.number("-gpgpu_n_sub_partition_per_mchannel", 1, 64);
        if (!power_of_two(p.sub_partitions))
            v_.fail("-gpgpu_n_sub_partition_per_mchannel", "is no power of two", "1, 2, 4, ...");
        constexpr std::string_view dl2 = "-gpgpu_cache:dl2";
        p.l2 = cache_of(dl2);
        data_cache(dl2, p.l2);
        p.l2_texture_only = v_.flag("-gpgpu_cache:dl2_texture_only");
        p.ideal_l2 = v_.flag("-l2_ideal");
        constexpr std::string_view queues = "-gpgpu_dram_partition_queues";
        const auto sizes =
            read(queues, [](const std::string& text) { return parse_numbers(text, ':', 4, 4); });
        for (const unsigned size : sizes)
            if (size == 0 || size > most_queue_entries)
                v_.fail(queues, "a queue has at least one entry", "");
        p.icnt_to_l2 = sizes[0], p.l2_to_dram = sizes[1], p.dram_to_l2 = sizes[2],
        p.l2_to_icnt = sizes[3];
        p.rop_latency = v_.number("-gpgpu_l2_rop_latency", 0, most_cycles);
        p.dram_latency = v_.number("-dram_latency", 0, most_cycles);
        p.simple_dram = v_.flag("-gpgpu_simple_dram_model");
        m.warm_l2_on_copy = v_.flag("-gpgpu_perf_sim_memcpy");
        m.flush_l2 = v_.flag("-gpgpu_flush_l2_cache");
    }

    void dram() {
        memory::memory_config& m = c_.memory;
        memory::dram_config& d = m.partition.dram;
        constexpr std::string_view timing = "-gpgpu_dram_timing_opt";
        d.timing = read(timing, parse_dram_timing);
        const auto& schedulers = memory::dram_schedulers();
        d.scheduler =
            schedulers[v_.number("-gpgpu_dram_scheduler", 0, schedulers.size() - 1)].make;
        d.scheduler_queue_size =
            v_.number("-gpgpu_frfcfs_dram_sched_queue_size", 0, most_queue_entries);
        d.return_queue_size = v_.number("-gpgpu_dram_return_queue_size", 0, most_queue_entries);
        d.bus_width_bytes = v_.number("-gpgpu_dram_buswidth", 1, 4096);
        d.chips_per_channel = v_.number("-gpgpu_n_mem_per_ctrlr", 1, 256);
        d.burst_length = v_.number("-gpgpu_dram_burst_length", 1, 256);
        d.data_command_freq_ratio = v_.number("-dram_data_command_freq_ratio", 1, 64);
        if (d.burst_length < d.data_command_freq_ratio)
            v_.fail("-gpgpu_dram_burst_length",
                    fmt::format("a burst of {} transfers takes less than a command cycle of {}",
                                d.burst_length, d.data_command_freq_ratio),
                    "see -dram_data_command_freq_ratio");
        d.dual_bus_interface = v_.number("-dram_dual_bus_interface", 0, 1) == 1;
        if (d.timing.WL + 1 > d.timing.tRCD)
            v_.fail(
                timing,
                fmt::format(
                    "a write waits RCD - (WL + 1) cycles after its activation; RCD {} is too short "
                    "for WL {}",
                    d.timing.tRCD, d.timing.WL),
                "RCD of at least WL + 1");
        if (d.timing.WL > d.timing.CL + d.burst_length / d.data_command_freq_ratio + 2)
            v_.fail(timing,
                    fmt::format("WL {} is much longer than CL {}", d.timing.WL, d.timing.CL),
                    "WL is at most CL + burst + 2");
        d.bank_index = choice<memory::bank_indexing>("-dram_bnk_indexing_policy", 3);
        if (d.bank_index == memory::bank_indexing::ipoly && d.timing.nbk != 16 &&
            d.timing.nbk != 32 && d.timing.nbk != 64)
            v_.fail("-dram_bnk_indexing_policy",
                    fmt::format("the polynomial hash with {} banks", d.timing.nbk),
                    "it is defined for 16, 32 and 64");
        d.bank_group_index = choice<memory::bank_group_indexing>("-dram_bnkgrp_indexing_policy", 1);
        d.separate_write_queue = v_.flag("-dram_seperate_write_queue_enable");
        constexpr std::string_view write_queue = "-dram_write_queue_size";
        const auto marks = read(
            write_queue, [](const std::string& text) { return parse_numbers(text, ':', 3, 3); });
        if (marks[2] >= marks[1] || marks[1] > marks[0])
            v_.fail(write_queue, "the marks are out of order", "SIZE >= HIGH > LOW");
        d.write_queue_size = marks[0], d.write_high_watermark = marks[1],
        d.write_low_watermark = marks[2];
        d.eliminate_rw_turnaround = v_.flag("-dram_elimnate_rw_turnaround");
        d.check_timing = v_.flag("--check-dram");
        mapping();
    }

    void mapping() {
        memory::memory_config& m = c_.memory;
        memory::address_mapping_config& a = m.mapping;
        const unsigned banks = m.partition.dram.timing.nbk;
        a.channels = m.channels;
        a.sub_partitions_per_channel = m.partition.sub_partitions;
        a.banks = banks;
        if (banks % a.sub_partitions_per_channel != 0)
            v_.fail("-gpgpu_n_sub_partition_per_mchannel",
                    fmt::format("{} DRAM banks do not divide among {} sub-partitions", banks,
                                a.sub_partitions_per_channel),
                    "see nbk in -gpgpu_dram_timing_opt");
        constexpr std::string_view option = "-gpgpu_mem_addr_mapping";
        constexpr std::string_view mask = "-gpgpu_mem_address_mask";
        a.mapping = v_.text(option);
        a.mask_mode = v_.number(mask);
        a.indexing = choice<memory::partition_indexing>("-gpgpu_memory_partition_indexing", 5);
        if (a.indexing == memory::partition_indexing::ipoly) {
            unsigned nodes = 1;
            while (nodes < a.channels) nodes *= 2;
            nodes *= a.sub_partitions_per_channel;
            if (nodes != 16 && nodes != 32 && nodes != 64)
                v_.fail("-gpgpu_memory_partition_indexing",
                        fmt::format("the polynomial hash over {} sub-partitions", nodes),
                        "it is defined for 16, 32 and 64; choose 0 or 4, or see -gpgpu_n_mem");
        }
        if (a.mapping.empty()) {
            static constexpr unsigned modes[] = {0, 1, 2, 3, 5, 6, 14, 15, 16, 100, 103, 106, 160};
            if (std::find(std::begin(modes), std::end(modes), a.mask_mode) == std::end(modes))
                v_.fail(mask, "there is no such built-in mapping", "give -gpgpu_mem_addr_mapping");
            return;
        }
        const mapping_shape shape = read(option, parse_address_mapping);
        if (!shape.channel_position) {
            if (!power_of_two(a.channels))
                v_.fail(option, fmt::format("D bits cannot select among {} channels", a.channels),
                        "use dramid@BIT, which divides by any number");
            if ((1u << shape.channel_bits) != a.channels)
                v_.fail(option,
                        fmt::format("{} D bits select among {} channels; there are {}",
                                    shape.channel_bits, 1u << shape.channel_bits, a.channels),
                        "see -gpgpu_n_mem");
        }
        if (shape.bank_bits != log2_of(banks))
            v_.fail(option,
                    fmt::format("{} B bits select among {} banks; DRAM has {}", shape.bank_bits,
                                1u << shape.bank_bits, banks),
                    "see nbk in -gpgpu_dram_timing_opt");
    }

    void network() {
        interconnect::interconnect_config& n = c_.network;
        constexpr std::string_view mode = "-network_mode";
        n.kind = static_cast<interconnect::network_kind>(v_.number(mode, 1, 3));
        n.flit_bytes = v_.number("-icnt_flit_size", 1, 1u << 16);
        n.clusters = c_.cores.clusters;
        n.memories = c_.sub_partitions();
        n.crossbar.in_buffer_limit = v_.number("-icnt_in_buffer_limit", 1, most_queue_entries);
        n.crossbar.out_buffer_limit = v_.number("-icnt_out_buffer_limit", 1, most_queue_entries);
        constexpr std::string_view subnets = "-icnt_subnets";
        n.crossbar.subnets = v_.number(subnets, 0);
        if (n.kind == interconnect::network_kind::crossbar && n.crossbar.subnets != 2)
            v_.fail(subnets,
                    fmt::format("the crossbar has two subnets, not {}", n.crossbar.subnets),
                    "2, for requests and for replies; with one they could block each other for "
                    "ever");
        n.crossbar.arbiter = choice<interconnect::crossbar_arbiter>("-icnt_arbiter_algo", 1);
        n.crossbar.grant_cycles = v_.number("-icnt_grant_cycles", 1, most_cycles);
        if (n.kind != interconnect::network_kind::router) return;
        constexpr std::string_view option = "-inter_config_file";
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(v_.text(option), ignored))
            v_.fail(option, "there is no such network description",
                    "give the file, or use the built-in crossbar with -network_mode 2");
        n.router = read_router_file(v_.text(option));
    }

    void launch() {
        dispatch::dispatch_config& d = c_.dispatch;
        d.kernel_launch_latency = v_.number("-gpgpu_kernel_launch_latency");
        d.block_launch_latency = v_.number("-gpgpu_TB_launch_latency");
        d.max_concurrent_kernels = v_.number("-gpgpu_max_concurrent_kernel", 1);
        d.concurrent_kernels_per_sm = v_.flag("-gpgpu_concurrent_kernel_sm");
        d.max_cycles = v_.natural("-gpgpu_max_cycle");
        d.max_instructions = v_.natural("-gpgpu_max_insn");
        d.max_ctas = v_.natural("-gpgpu_max_cta");
        d.max_completed_ctas = v_.natural("-gpgpu_max_completed_cta");
        d.deadlock_detect = v_.flag("-gpgpu_deadlock_detect");
    }

    void traces() {
        trace_config& t = c_.traces;
        for (const option_value& value : v_.all("--opcode-table")) {
            std::error_code ignored;
            if (!std::filesystem::is_regular_file(value.text, ignored))
                throw kernel::user_error(value.origin.where(), "--opcode-table " + value.text +
                                                                   ": there is no such file");
            t.opcode_tables.push_back(value.text);
        }
        const std::string& unknown = v_.text("--unknown-opcode");
        if (unknown != "error" && unknown != "warn")
            v_.fail("--unknown-opcode", "is neither error nor warn", "");
        t.unknown_opcode_is_error = unknown == "error";
        t.lookahead = v_.number("--trace-lookahead", 1, 1u << 16);
        if (v_.given("--override-shmem")) t.override_shared_memory = v_.number("--override-shmem");
        if (v_.given("--override-registers"))
            t.override_registers = v_.number("--override-registers", 1, 255);
        t.any_binary_version = v_.flag("--any-binary-version");
    }

    cycle_window window_of(std::string_view option) { return read(option, parse_window); }

    void run() {
        run_config& r = c_.run;
        r.trace = v_.text("-trace");
        std::error_code ignored;
        if (!r.trace.empty() && std::filesystem::is_directory(r.trace, ignored))
            r.trace = (std::filesystem::path(r.trace) / "kernelslist.g").string();
        r.stats_json = v_.text("--stats-json");
        r.stats_csv = v_.text("--stats-csv");
        r.warp_issue_sm = v_.number("-gpgpu_warp_issue_shader");
        if (r.warp_issue_sm >= c_.sms())
            v_.fail("-gpgpu_warp_issue_shader", fmt::format("the GPU has {} SMs", c_.sms()),
                    "0 is the first");
        r.vcd = v_.text("--vcd");
        for (const std::string& glob : split(v_.text("--vcd-scope"), ','))
            if (!glob.empty()) r.vcd_scope.push_back(glob);
        r.vcd_window = window_of("--vcd-window");
        r.timeline = v_.text("--timeline");
        r.timeline_window = window_of("--timeline-window");
        r.timeline_sample = v_.number("--timeline-sample", 1);
        r.no_sleep = v_.flag("--no-sleep");
        if (v_.given("--shuffle-seed")) r.shuffle_seed = v_.natural("--shuffle-seed");
        r.profile_kernel = v_.flag("--profile-kernel");
        r.quiet = v_.flag("--quiet");
        const std::string& progress = v_.text("--progress");
        if (progress == "auto")
            r.progress = progress_mode::automatic;
        else if (progress == "on")
            r.progress = progress_mode::on;
        else if (progress == "off")
            r.progress = progress_mode::off;
        else
            v_.fail("--progress", "is none of auto, on, off", "");
        r.progress_period = v_.number("-liveness_message_freq");
    }

    void quirks() {
        const std::string& compat = v_.text("--compat");
        if (compat != "none" && compat != "accel-sim")
            v_.fail("--compat", "there is no such simulator to be compatible with",
                    "none or accel-sim");
        std::vector<std::string> names;
        for (const quirk_info& quirk : quirk_table()) names.emplace_back(quirk.name);
        std::vector<bool> on(names.size(), compat == "accel-sim");
        for (const option_value& value : v_.all("--quirk")) {
            const auto found = std::find(names.begin(), names.end(), value.text);
            if (found == names.end())
                throw kernel::user_error(value.origin.where(),
                                         "there is no quirk '" + value.text + "'",
                                         "did you mean " + nearest_name(value.text, names) + "?");
            on[static_cast<std::size_t>(found - names.begin())] = true;
        }
        const std::pair<std::string_view, bool*> switches[] = {
            {"packet-is-one-flit", &c_.network.crossbar.quirk_packet_is_one_flit},
            {"rz-is-a-register", &c_.cores.sm.quirks.rz_is_a_register},
            {"ldgsts-global-half-only", &c_.cores.sm.quirks.ldgsts_global_half_only},
            {"fetch-past-branches", &c_.cores.sm.quirks.fetch_past_branches},
            {"loads-stay-long", &c_.cores.sm.quirks.loads_stay_long},
            {"flush-few-l2", &c_.memory.quirk_flush_few_l2},
            {"single-barrier", &c_.traces.quirk_single_barrier},
            {"ldc-is-alu", &c_.traces.quirk_ldc_is_alu},
            {"generic-windows", &c_.traces.quirk_generic_windows},
            {"typed-width-is-word", &c_.traces.quirk_typed_width_is_word},
            {"serial-kernels", &c_.dispatch.serial_kernels},
            {"rounded-clocks", &c_.clocks.quirk_rounded},
            {"base-delta-swallow", &c_.traces.quirk_base_delta_swallow},
            {"base-stride-gap", &c_.traces.quirk_base_stride_gap},
            {"memcpy-truncates", &c_.memory.partition.quirk_memcpy_truncates},
        };
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (!on[i]) continue;
            c_.quirks.push_back(names[i]);
            for (const auto& [name, where] : switches)
                if (name == names[i]) *where = true;
        }
    }

    const option_values& v_;
    gpu_config c_;
};

}  // namespace

gpu_config make_gpu_config(const option_values& values) {
    return assembler(values).assemble();
}

void check_trace_fits(const gpu_config& config, const kernel_header_facts& kernel) {
    const core::sm_config& sm = config.cores.sm;
    const auto refuse = [&](const std::string& what, const std::string& remedy) {
        throw kernel::user_error(
            kernel.file, kernel.kernel.empty() ? what : "kernel " + kernel.kernel + " " + what,
            remedy);
    };
    if (kernel.binary_version != 0 && !config.traces.any_binary_version &&
        kernel.binary_version / 10 != config.compute_capability_major) {
        const preset_info* fitting = preset_for_binary(kernel.binary_version);
        refuse(fmt::format("was recorded for binary version {}, but the configured GPU has compute "
                           "capability {}.{}",
                           kernel.binary_version, config.compute_capability_major,
                           config.compute_capability_minor),
               (fitting != nullptr ? fmt::format("use --preset {}, or ", fitting->name)
                                   : std::string{}) +
                   "replay it all the same with --any-binary-version");
    }
    if (kernel.threads_per_block == 0) refuse("has blocks of no threads", "the header is corrupt");
    if (kernel.threads_per_block > sm.max_threads)
        refuse(fmt::format("has {} threads per block; an SM holds {}", kernel.threads_per_block,
                           sm.max_threads),
               "see -gpgpu_shader_core_pipeline");
    if (sm.ignore_resource_limits) return;

    const std::uint64_t shared =
        config.traces.override_shared_memory.value_or(kernel.shared_memory);
    const std::uint64_t registers = config.traces.override_registers.value_or(kernel.registers);
    if (shared > sm.shared.bytes)
        refuse(fmt::format("needs {} bytes of shared memory per block; an SM has {}", shared,
                           sm.shared.bytes),
               "see -gpgpu_shmem_size; if the header is wrong, --override-shmem BYTES");
    // From compute capability 7 a kernel may opt in to more than the usual limit of a block.
    constexpr unsigned first_with_opt_in = 7;
    if (config.compute_capability_major < first_with_opt_in && shared > sm.shared.bytes_per_block)
        refuse(fmt::format("needs {} bytes of shared memory per block; a block may use {}", shared,
                           sm.shared.bytes_per_block),
               "see -gpgpu_shmem_per_block; if the header is wrong, --override-shmem BYTES");
    const std::uint64_t threads =
        (kernel.threads_per_block + warp_size - 1) / warp_size * warp_size;
    const std::uint64_t needed = threads * ((registers + 3) / 4 * 4);
    if (needed > sm.registers || needed > sm.registers_per_block) {
        const bool whole = needed > sm.registers;
        refuse(fmt::format("needs {} registers per block ({} threads of {}); {} has {}", needed,
                           threads, registers, whole ? "an SM" : "a block",
                           whole ? sm.registers : sm.registers_per_block),
               fmt::format("see {}; if the header is wrong, --override-registers N",
                           whole ? "-gpgpu_shader_registers" : "-gpgpu_registers_per_block"));
    }
}

}  // namespace simtlm::platform
