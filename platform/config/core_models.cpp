// SPDX-License-Identifier: Apache-2.0
#include "platform/config/core_models.h"

#include "platform/config/readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace simtlm::platform {

const std::vector<core_model>& core_models() {
    static const std::vector<core_model> models = {
        {"simt",
         "classic",
         read_simt,
         {option_group::operands, option_group::units},
         {"-gpgpu_scheduler", "-gpgpu_max_insn_issue_per_warp", "-gpgpu_dual_issue_diff_exec_units",
          "-gpgpu_sub_core_model", "-gpgpu_inst_fetch_throughput", "-gpgpu_smem_latency",
          "-gpgpu_shmem_limited_broadcast", "-gpgpu_l1_latency", "-gpgpu_l1_banks",
          "-gpgpu_l1_banks_byte_interleaving", "-gpgpu_l1_banks_hashing_function",
          "-trace_opcode_latency_initiation_"}},
        {"sub-core", "modern", read_sub_cores, {option_group::sub_cores}, {}},
    };
    return models;
}

const core_model& core_model_of(const option_values& v) {
    const std::string& name = v.text("--core");
    std::string names;
    for (const core_model& m : core_models()) {
        if (name == m.name || name == m.alias)
            return v.text("--compat") == "accel-sim" ? core_models().front() : m;
        names += fmt::format("{}{} ({})", names.empty() ? "" : " or ", m.name, m.alias);
    }
    v.fail("--core", "unknown core", names);
}

namespace {

using option_filter = std::function<bool(const option_info&)>;

/// Adds a line that names the options of the command line that a filter selects, if there are any.
void add_note(const option_values& v, const option_filter& selects, const std::string& reason,
              std::vector<std::string>& lines) {
    std::string names;
    for (const option_info& option : option_table())
        if (selects(option) && v.given(option.name) &&
            v.value(option.name).origin.kind == option_origin::source::command_line)
            names += (names.empty() ? "" : ", ") + option.name;
    if (!names.empty())
        lines.push_back(fmt::format("accepted without effect: {} ({})", names, reason));
}

bool is_of(const core_model& core, const option_info& option) {
    if (option.name[1] == '-') return false;  // --core is in these groups, too
    const auto named = [&](const std::string& name) {
        return name.back() == '_' ? option.name.compare(0, name.size(), name) == 0
                                  : option.name == name;
    };
    return std::count(core.groups.begin(), core.groups.end(), option.group) != 0 ||
           std::any_of(core.options.begin(), core.options.end(), named);
}

option_filter any_of(std::vector<std::string> names) {
    return [names = std::move(names)](const option_info& option) {
        return std::count(names.begin(), names.end(), option.name) != 0;
    };
}

/// Options of other networks than the one that is used.
option_filter of_other_networks(const std::string& mode) {
    std::vector<std::string> names;
    if (mode != "2")
        names = {"-icnt_in_buffer_limit", "-icnt_out_buffer_limit", "-icnt_subnets",
                 "-icnt_arbiter_algo",    "-icnt_grant_cycles",     "-icnt_speedup",
                 "-icnt_gpc_flits"};
    if (mode != "1") names.emplace_back("-inter_config_file");
    if (mode == "3") names.emplace_back("-icnt_flit_size");
    return any_of(std::move(names));
}

}  // namespace

bool has_effect(const option_values& v, const option_info& option) {
    const core_model& used = core_model_of(v);
    for (const core_model& other : core_models())
        if (&other != &used && is_of(other, option)) return false;
    return !of_other_networks(v.text("-network_mode"))(option);
}

std::vector<std::string> notes_on(const option_values& v) {
    std::vector<std::string> lines = v.notes();
    const core_model& used = core_model_of(v);
    for (const core_model& other : core_models())
        if (&other != &used)
            add_note(
                v, [&](const option_info& option) { return is_of(other, option); },
                fmt::format("of --core {}; this run uses --core {}", other.name, used.name), lines);
    if (&used == &core_models().back() && v.text("--dependences") == "bits")
        add_note(v, any_of({"-modern_alu", "-modern_fp32", "-modern_imad", "-modern_half"}),
                 "the latency, where code has control bits, as all but plain traces have; "
                 "--dependences scoreboard uses it",
                 lines);
    const std::string& mode = v.text("-network_mode");
    add_note(v, of_other_networks(mode), "of another network than -network_mode " + mode, lines);
    if (!v.flag("-gpgpu_perf_sim_memcpy"))
        add_note(v, any_of({"-gpgpu_l2_copy_modified"}), "-gpgpu_perf_sim_memcpy 0", lines);
    if (v.text("-gpgpu_cache:gpc") == "none")
        add_note(v, any_of({"-gpgpu_gpc_cache_latency"}), "-gpgpu_cache:gpc none", lines);
    return lines;
}

}  // namespace simtlm::platform
