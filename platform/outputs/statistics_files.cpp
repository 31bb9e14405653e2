// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/statistics_files.h"

#include "modules/core/occupancy.h"
#include "modules/support/archive.h"
#include "modules/support/error.h"
#include "modules/support/output_file.h"
#include "platform/config/core_models.h"
#include "platform/outputs/csv.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <tuple>
#include <utility>

namespace simtlm::platform {

namespace {

using json = nlohmann::ordered_json;
using counter = counter_sums::counter;

/// Schema version of the JSON file, incremented when the meaning of a name changes or a name is
/// removed, but not when a name is added.
constexpr unsigned schema_version = 2;

json number(const report_value& f) {
    if (f.whole) return static_cast<std::uint64_t>(f.value);
    return f.value;
}

json json_of(const program::dim3& d) {
    return json::array({d.x, d.y, d.z});
}

/// The resources that limit the number of resident thread blocks of a kernel per SM.
json occupancy_limits(const kernel_record& k, const gpu_config& config) {
    const core::cta_needs needs{static_cast<std::uint32_t>(k.block.volume()), k.registers,
                                k.shared_memory, k.barriers, k.carve_out};
    const core::occupancy o =
        core::occupancy_of(config.cores.sm, needs, k.grid.volume(), config.sms());
    const core::occupancy any = core::occupancy_of(config.cores.sm, needs);
    if (o.ctas < any.ctas) return json::array({"grid"});
    json limits = json::array();
    if (o.by_threads) limits.push_back("warp slots");
    if (o.by_registers) limits.push_back("registers");
    if (o.by_shared_memory) limits.push_back("shared memory");
    if (o.by_cta_limit) limits.push_back("CTA slots");
    if (o.by_barriers) limits.push_back("barriers");
    return limits;
}

/// Parameters and peak rates of the GPU, so that readers of the file do not need the preset.
json json_of(const gpu_config& c) {
    const core::sm_config& sm = c.cores.sm;
    const memory::partition_config& partition = c.memory.partition;
    const memory::dram_config& dram = partition.dram;
    const auto dram_bytes_per_cycle = static_cast<double>(c.memory.channels) *
                                      dram.bus_width_bytes * dram.chips_per_channel *
                                      dram.data_command_freq_ratio;
    json clocks = {{"core", c.clocks.core},
                   {"network", c.clocks.network},
                   {"l2", c.clocks.l2},
                   {"dram", c.clocks.dram}};
    const double sms = c.sms();
    const double data_of_banks = sms * sm.shared.banks * 4 * c.clocks.core;
    json peaks = {
        {"warp_instructions_per_cycle", c.sms() * sm.schedulers},
        {"thread_instructions_per_cycle", c.sms() * sm.schedulers * sm.warp_size},
        {"l1_bytes_per_second",
         c.l1_uses_shared_banks ? data_of_banks : sms * sm.l1.data.port_bytes() * c.clocks.core},
        {"shared_bytes_per_second", data_of_banks},
        {"l2_bytes_per_second", c.sub_partitions() * partition.l2.port_bytes() * c.clocks.l2},
        {"dram_bytes_per_second", dram_bytes_per_cycle * c.clocks.dram}};
    return {{"core", c.core},
            {"compute_capability",
             fmt::format("{}.{}", c.compute_capability_major, c.compute_capability_minor)},
            {"sms", c.sms()},
            {"clusters", c.cores.clusters},
            {"schedulers_per_sm", sm.schedulers},
            {"warp_size", sm.warp_size},
            {"warps_per_sm", sm.max_warps},
            {"ctas_per_sm", sm.max_ctas},
            {"registers_per_sm", sm.registers},
            {"shared_memory_per_sm", sm.shared.bytes},
            {"memory_channels", c.memory.channels},
            {"l2_slices", c.sub_partitions()},
            {"dram_atom_bytes", dram.atom_bytes()},
            {"clock_hz", std::move(clocks)},
            {"peaks", std::move(peaks)}};
}

json json_of(const kernel_record& k) {
    json list_number = nullptr;
    if (k.subject.list_number != 0) list_number = k.subject.list_number;
    return {{"name", k.subject.name},
            {"demangled_name", k.subject.demangled},
            {"list_number", std::move(list_number)},
            {"kernel_id", k.subject.id},
            {"launch_uid", k.subject.launch},
            {"stream", k.subject.stream},
            {"finished", k.finished},
            {"launched_at", k.launched_at},
            {"start_cycle", k.start_cycle},
            {"end_cycle", k.end_cycle},
            {"ctas", k.ctas},
            {"ctas_per_sm", k.ctas_per_sm},
            {"grid", json_of(k.grid)},
            {"block", json_of(k.block)},
            {"registers", k.registers},
            {"shared_memory", k.shared_memory}};
}

/// Stores a value under its name. Cells of an array are grouped, and zero cells are omitted.
void put(json& into, const support::counter_info& of, const std::string& label,
         std::uint64_t value) {
    if (label.empty()) {
        into[of.name] = value;
        return;
    }
    json& array = into[of.name];
    if (array.is_null()) array = json::object();
    if (value != 0) array[label] = value;
}

/// The energy of an instruction, which has no counter of its own.
const support::counter_info& instruction_energy_counter = power::energy_counters[0];

/// Calls act(counter, cell label, value) for every counter of an instruction.
template <typename Act>
void each_cell(const instruction_counts& counts, Act&& act) {
    for (const auto& of : instruction_counters)
        for (std::size_t i = 0; i < of.cells(counts); ++i)
            act(of, of.label != nullptr ? of.label(static_cast<unsigned>(i)) : std::string(),
                of.value(counts, i));
}

json json_of(const instruction_profile::row& r) {
    json one = {{"pc", r.pc}, {"opcode", r.opcode}};
    if (r.line != 0) one["line"] = r.line;
    if (!r.text.empty()) one["text"] = r.text;
    if (!r.source.empty()) one["source"] = r.source;
    each_cell(r.counts, [&](const support::counter_info& of, const std::string& label,
                            std::uint64_t value) { put(one, of, label, value); });
    for (unsigned c = 0; c < r.picojoules.size(); ++c)
        put(one, instruction_energy_counter, power::component_label(c), r.picojoules[c]);
    return one;
}

json json_of(const provenance::file& f) {
    const file_checksum sum = checksum_of(f.path);
    json one = {{"role", f.role}, {"path", f.path}};
    if (!sum.xxh128.empty()) one.update({{"bytes", sum.bytes}, {"xxh128", sum.xxh128}});
    return one;
}

json json_of(const provenance& p, const run_config& config) {
    json inputs = json::array();
    for (const provenance::file& f : p.inputs) inputs.push_back(json_of(f));
    json seed = nullptr;
    if (config.shuffle_seed) seed = *config.shuffle_seed;
    return {{"version", p.build.version},
            {"commit", p.build.commit},
            {"command_line", p.command_line},
            {"started", p.started},
            {"host", p.host},
            {"presets", p.presets},
            {"shuffle_seed", std::move(seed)},
            {"inputs", std::move(inputs)}};
}

/// Where a run with another configuration begins.
json json_of(const resumption& r) {
    json options = json::object(), blocks = json::object();
    for (const configuration_difference::change& c : r.options)
        options[c.name] = {{"saved", c.saved}, {"here", c.here}};
    for (const resumption::blocks& b : r.of_blocks) {
        json& one = blocks[b.kind];
        one[resumption::name_of(b.what)] = b.count;
        if (!b.why.empty() && b.what != resumption::blocks::outcome::restored) one["why"] = b.why;
    }
    return {{"checkpoint", r.file},          {"kernels", r.kernels},
            {"core_cycles", r.core_cycles},  {"placed_ctas", r.placed},
            {"options", std::move(options)}, {"blocks", std::move(blocks)}};
}

/// The effective options by name, and the origins of their values.
std::pair<json, json> options_and_origins(const option_values& options) {
    json config = json::object(), origins = json::object();
    for (const option_info& o : option_table()) {
        if (!o.effective() || o.action || !has_effect(options, o)) continue;
        if (!o.repeatable) {
            config[o.name] = options.text(o.name);
            if (options.given(o.name)) origins[o.name] = options.value(o.name).origin.text();
            continue;
        }
        config[o.name] = json::array();
        for (const auto& v : options.all(o.name)) {
            config[o.name].push_back(v.text);
            origins[o.name].push_back(v.origin.text());
        }
    }
    return {std::move(config), std::move(origins)};
}

/// Empty if there is no list.
std::string list_number_of(const kernel_record& k) {
    return k.subject.list_number != 0 ? std::to_string(k.subject.list_number) : std::string();
}

}  // namespace

statistics_files::statistics_files(gpu& device, const option_values& options, provenance from)
    : config_(device.config().run), device_(device), options_(options), from_(std::move(from)) {
    // Check now rather than after hours of simulation.
    for (const std::string& file : {config_.stats_json, config_.stats_csv, config_.stats_csv_long})
        if (!file.empty()) support::output_target(file).check();
}

bool statistics_files::wanted() const {
    return keeps_rows_ || !config_.stats_json.empty() || !config_.stats_csv.empty() ||
           !config_.stats_csv_long.empty();
}

void statistics_files::add(const report& report, const kernel_record* kernel,
                           std::vector<instruction_profile::row> instructions) {
    if (!wanted()) return;
    row r;
    if (kernel != nullptr) {
        r.kernel = *kernel;
        r.has_kernel = true;
    }
    r.values.assign(columns_.size(), csv::absent);
    for (const report_value& f : report.report_values) {
        const auto [at, fresh] = column_of_.emplace(f.name, columns_.size());
        if (fresh) {
            columns_.push_back(f);
            r.values.push_back(csv::absent);
        }
        r.values[at->second] = f.value;
    }
    if (!sums_) sums_.emplace(device_);
    r.own = sums_->take();
    r.instructions = std::move(instructions);
    rows_.push_back(std::move(r));
    last_.report_values = report.report_values;
    last_.rows = report.rows;
}

namespace {

void checkpoint_of(kernel_record& k, support::archive& a) {
    report_subject& s = k.subject;
    a(s.name, s.demangled, s.list_number, s.id, s.launch, s.stream, k.launched_at, k.start_cycle,
      k.end_cycle, k.ctas, k.ctas_per_sm, k.grid.x, k.grid.y, k.grid.z, k.block.x, k.block.y,
      k.block.z, k.registers, k.shared_memory, k.finished);
}

}  // namespace

void statistics_files::checkpoint(support::archive& a) {
    a.block("statistics files");
    if (!sums_) sums_.emplace(device_);
    a(*sums_);
    const auto report_values = [&a](std::vector<report_value>& list) {
        list.resize(a.size_of(list.size(), 1));
        for (report_value& f : list) a(f.name, f.value, f.whole);
    };
    report_values(columns_);
    column_of_.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) column_of_.emplace(columns_[i].name, i);
    report_values(last_.report_values);
    last_.rows.resize(a.size_of(last_.rows.size(), 1));
    for (value_row& r : last_.rows) a(r.name, r.values);
    rows_.resize(a.size_of(rows_.size(), 1));
    for (row& r : rows_) {
        checkpoint_of(r.kernel, a);
        a(r.has_kernel, r.values);
        r.own.resize(a.size_of(r.own.size(), 1));
        for (counter_sums::value& v : r.own) {
            a(v.counter, v.number);
            if (v.counter >= sums_->counters().size())
                throw support::user_error("checkpoint", "has counters that this GPU lacks");
        }
    }
}

void statistics_files::write(const std::string& ended) {
    support::output_attempts attempt;
    const auto make = [&](const std::string& name, auto text) {
        attempt([&] {
            if (name.empty()) return;
            support::output_file file(name);
            file.write(text());
            file.commit();
        });
    };
    if (wanted() && !sums_) sums_.emplace(device_);
    make(config_.stats_json, [&] { return json_text(ended); });
    make(config_.stats_csv, [&] { return csv_text(); });
    make(config_.stats_csv_long, [&] { return long_csv_text(); });
    attempt.finish();
}

const double* statistics_files::value(const row& r, const std::string& name) const {
    const auto at = column_of_.find(name);
    if (at == column_of_.end() || at->second >= r.values.size()) return nullptr;
    return std::isnan(r.values[at->second]) ? nullptr : &r.values[at->second];
}

std::string statistics_files::json_text(const std::string& ended) const {
    json document;
    document["schema"] = {{"name", "simtlm-statistics"}, {"version", schema_version}};
    document["simtlm"] = from_.build.version;
    document["provenance"] = json_of(from_, config_);
    document["ended"] = ended;
    if (resumed_) document["resumed"] = json_of(*resumed_);
    document["gpu"] = json_of(device_.config());
    std::tie(document["config"], document["origins"]) = options_and_origins(options_);

    json total = json::object();
    for (const report_value& f : last_.report_values) total[f.name] = number(f);
    document["total"] = std::move(total);
    json histograms = json::object();
    for (const value_row& r : last_.rows) histograms[r.name] = r.values;
    document["histograms"] = std::move(histograms);

    const std::vector<counter>& counters = sums_->counters();
    json kernels = json::array();
    for (const row& r : rows_) {
        if (!r.has_kernel) continue;
        json k = json_of(r.kernel);
        k["occupancy_limits"] = occupancy_limits(r.kernel, device_.config());
        for (const char* name : {"gpu_sim_cycle", "gpu_sim_insn"})
            if (const double* v = value(r, name)) k[name] = static_cast<std::uint64_t>(*v);
        for (const char* name : {"gpu_ipc", "gpu_occupancy", "L2_BW", "gpu_power", "gpu_energy",
                                 "gpu_energy_delay", "gpu_core_clock"})
            if (const double* v = value(r, name)) k[name] = *v;
        json& own = k["counters"] = json::object();
        for (const counter_sums::value& v : r.own) {
            const counter& c = counters[v.counter];
            put(own[c.kind], *c.of, c.label, v.number);
        }
        for (const auto& i : r.instructions) k["instructions"].push_back(json_of(i));
        kernels.push_back(std::move(k));
    }
    document["kernels"] = std::move(kernels);
    // Readers show a source file only if it has the contents that it had during the run.
    for (const std::string& s : sources())
        if (json of_source = json_of(provenance::file{"source", s}); of_source.contains("xxh128"))
            document["provenance"]["inputs"].push_back(std::move(of_source));

    json meanings = json::object(), blocks = json::object();
    for (const counter& c : counters)
        meanings[c.kind][c.of->name] = {{"unit", c.of->unit},
                                        {"meaning", c.of->meaning},
                                        {"adds", support::adding_name(c.of->how)}};
    // Thousands of distinct names; skip the search for duplicates.
    auto& listed = blocks.get_ref<json::object_t&>();
    for (const support::statistics::block& b : sums_->blocks().blocks()) {
        json values = json::object();
        for (const support::statistics::cell& c : b.cells) put(values, *c.of, c.label, *c.value);
        json entry = json::object();
        entry["kind"] = b.kind;
        entry["counters"] = std::move(values);
        listed.emplace_back(b.name, std::move(entry));
    }
    if (config_.profile_instructions)
        for (const support::counter_info& c : instruction_counters)
            meanings["instruction"][c.name] = {
                {"unit", c.unit}, {"meaning", c.meaning}, {"adds", support::adding_name(c.how)}};
    if (config_.profile_instructions && device_.power() != nullptr)
        meanings["instruction"][instruction_energy_counter.name] = {
            {"unit", instruction_energy_counter.unit},
            {"meaning", "of its events, by component"},
            {"adds", support::adding_name(instruction_energy_counter.how)}};
    document["counters"] = std::move(meanings);
    document["blocks"] = std::move(blocks);
    // Names in traces need not be UTF-8.
    return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

/// The files that the source lines of instructions refer to.
std::set<std::string> statistics_files::sources() const {
    std::set<std::string> files;
    for (const row& r : rows_)
        for (const instruction_profile::row& i : r.instructions)
            if (!i.source.empty()) files.insert(i.source.substr(0, i.source.rfind(':')));
    return files;
}

/// The counters that are nonzero for at least one kernel.
std::vector<std::uint32_t> statistics_files::used_counters() const {
    std::vector<std::uint32_t> used;
    const std::vector<std::uint64_t>& whole = sums_->whole();
    for (std::uint32_t i = 0; i < whole.size(); ++i)
        if (whole[i] != 0) used.push_back(i);
    return used;
}

std::string statistics_files::csv_text() const {
    std::string text =
        "kernel,list_number,kernel_id,launch_uid,demangled_name,stream,finished,launched_at,start_"
        "cycle,end_cycle,ctas,ctas_per_sm";
    const std::vector<std::uint32_t> used = used_counters();
    for (const report_value& c : columns_) text += ',' + csv::quoted(c.name);
    for (const std::uint32_t i : used) text += ',' + csv::quoted(sums_->counters()[i].name());
    text += '\n';
    const auto report_values = [&](const row& r) {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            text += ',';
            if (i >= r.values.size() || std::isnan(r.values[i])) continue;
            text += columns_[i].whole ? fmt::format("{}", static_cast<std::uint64_t>(r.values[i]))
                                      : fmt::format("{}", r.values[i]);
        }
    };
    for (const row& r : rows_) {
        if (!r.has_kernel) continue;
        const kernel_record& k = r.kernel;
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}", csv::quoted(k.subject.name),
                            list_number_of(k), k.subject.id, k.subject.launch,
                            csv::quoted(k.subject.demangled), k.subject.stream, k.finished ? 1 : 0,
                            k.launched_at, k.start_cycle, k.end_cycle, k.ctas, k.ctas_per_sm);
        report_values(r);
        auto own = r.own.begin();  // sorted by counter, like the columns
        for (const std::uint32_t i : used) {
            while (own != r.own.end() && own->counter < i) ++own;
            text += fmt::format(",{}", own != r.own.end() && own->counter == i ? own->number : 0);
        }
        text += '\n';
    }
    text += "total,,,,,,,,,,,";
    report_values(rows_.empty() ? row{} : rows_.back());
    for (const std::uint32_t i : used) text += fmt::format(",{}", sums_->whole()[i]);
    return text + '\n';
}

std::string statistics_files::long_csv_text() const {
    std::string text =
        "launch_uid,kernel,list_number,kernel_id,kind,counter,cell,value,unit,adds\n";
    const auto line = [&](const std::string& whose, const std::string& kind,
                          const support::counter_info& of, const std::string& cell,
                          std::uint64_t number) {
        text += fmt::format("{},{},{},{},{},{},{}\n", whose, kind, of.name, csv::quoted(cell),
                            number, csv::quoted(of.unit), support::adding_name(of.how));
    };
    const auto counted = [&](const std::string& whose, std::uint32_t index, std::uint64_t number) {
        const counter& c = sums_->counters()[index];
        line(whose, c.kind, *c.of, c.label, number);
    };
    for (const row& r : rows_) {
        if (!r.has_kernel) continue;
        const std::string whose =
            fmt::format("{},{},{},{}", r.kernel.subject.launch, csv::quoted(r.kernel.subject.name),
                        list_number_of(r.kernel), r.kernel.subject.id);
        for (const counter_sums::value& v : r.own) counted(whose, v.counter, v.number);
        for (const auto& i : r.instructions)
            each_cell(i.counts, [&](const support::counter_info& of, const std::string& label,
                                    std::uint64_t value) {
                const std::string cell = fmt::format("{} {} {}", i.pc, i.opcode, label);
                if (value != 0) line(whose, "instruction", of, cell, value);
            });
    }
    for (const std::uint32_t i : used_counters()) counted(",total,,", i, sums_->whole()[i]);
    return text;
}

}  // namespace simtlm::platform
