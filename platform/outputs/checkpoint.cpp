// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/checkpoint.h"

#include "modules/support/archive.h"
#include "modules/support/error.h"
#include "modules/support/output_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace simtlm::platform {

namespace {

/// Saves or restores the counters of all blocks, which are stored in the blocks themselves.
void checkpoint_counters(gpu& device, support::archive& a) {
    support::statistics list;
    list_statistics(device, list);
    a.block("statistics");
    for (const support::statistics::block& b : list.blocks()) {
        std::size_t cells = a.size_of(b.cells.size(), sizeof(std::uint64_t));
        if (cells != b.cells.size())
            throw support::user_error("checkpoint", "has different counters for " + b.name);
        for (const support::statistics::cell& c : b.cells) {
            std::uint64_t value = *c.value;
            a(value);
            // Blocks list their counters as const, but none of the counted objects is const.
            if (a.restores()) *const_cast<std::uint64_t*>(c.value) = value;
        }
    }
}

void checkpoint_state(gpu& device, gpu_files& files, reporter& reports,
                      const workload_state& workload, support::archive& a) {
    if (workload) workload(a);
    device.checkpoint(a);
    checkpoint_counters(device, a);
    reports.checkpoint(a);
    files.checkpoint(a);
    a.finish();
}

/// Sets the counters of all blocks to 0.
void clear_counters(gpu& device) {
    support::statistics list;
    list_statistics(device, list);
    for (const support::statistics::block& b : list.blocks())
        for (const support::statistics::cell& c : b.cells)
            *const_cast<std::uint64_t*>(c.value) = 0;  // see checkpoint_counters()
}

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
    throw support::user_error(file, why, "create it again with --checkpoint");
}

/// File name used by GPGPU-Sim's checkpoint options.
std::string file_of_kernel(std::uint64_t kernel) {
    return fmt::format("checkpoint_files/kernel_{}.checkpoint", kernel);
}

}  // namespace

checkpoint_options checkpoint_options::of(const option_values& values) {
    checkpoint_options o;
    o.write = values.text("--checkpoint");
    o.kernels = values.natural("--checkpoint-at");
    o.blocks = values.natural("--checkpoint-blocks");
    o.resume = values.text("--resume");
    if (values.given("--checkpoint") && o.write.empty())
        values.fail("--checkpoint", "an empty name", "name a file, or omit the option");
    // A configuration file may contain every default, including 0 kernels.
    const bool asked = o.kernels != 0 || (values.given("--checkpoint-at") &&
                                          values.all("--checkpoint-at").back().origin.kind ==
                                              option_origin::source::command_line);
    if (o.write.empty() && asked)
        values.fail("--checkpoint-at", "has no effect without a file", "give --checkpoint FILE");
    if (!o.write.empty() && o.kernels == 0 && o.blocks == 0)
        values.fail("--checkpoint-at", "is not a number of kernels from 1 on",
                    "specify after how many kernels");
    if (values.flag("-checkpoint_option")) {
        if (!o.write.empty())
            values.fail("-checkpoint_option", "and --checkpoint are given", "give one of them");
        o.kernels = values.number("-checkpoint_kernel", 1);
        o.write = file_of_kernel(o.kernels);
        std::error_code ignored;  // reported when the file is written
        std::filesystem::create_directories("checkpoint_files", ignored);
    }
    if (values.flag("-resume_option")) {
        if (!o.resume.empty())
            values.fail("-resume_option", "and --resume are given", "give one of them");
        o.resume = file_of_kernel(values.number("-resume_kernel", 1));
    }
    return o;
}

void checkpoint_options::check(const option_values& values, const gpu_config& config,
                               bool debugs) const {
    if (values.flag("--resume-what-if") && resume.empty())
        values.fail("--resume-what-if", "has no effect without a checkpoint", "give --resume FILE");
    if (!any()) return;
    const auto refuse = [](const std::string& what) {
        throw support::user_error("command line", what, "omit one of them");
    };
    if (!values.text("--check").empty()) refuse("the state of --check is not saved in checkpoints");
    if (!values.text("--record-trace").empty())
        refuse("recorded traces cover whole runs: they cannot be combined with checkpoints");
    if (values.flag("--sample") || values.flag("--sample-stable"))
        refuse("sampled runs are not saved in checkpoints");
    if (debugs) refuse("the debugger does not go with checkpoints");
    if (values.flag("--resume-what-if")) {
        if (!write.empty()) refuse("a run that resumes with another configuration cannot be saved");
        if (config.power.enabled)
            refuse("--resume-what-if does not support -power_simulation_enabled");
    }
    if (resume.empty()) return;
    const run_config& r = config.run;
    if (!r.vcd.empty() || !r.timeline.empty() || !r.visualizer.file.empty() ||
        !r.interval.csv.empty() || !r.interval.database.empty() ||
        (r.profile_instructions && !values.flag("--resume-what-if")))
        refuse(
            "waveforms, timelines, intervals and instruction profiles cover whole runs: they "
            "cannot be combined with --resume");
}

void checkpoint::write(const std::string& file, gpu& device, gpu_files& files, reporter& reports,
                       const option_values& options, const workload_state& workload,
                       const std::string& host_log) {
    update_counters(device);
    support::archive a;
    checkpoint_state(device, files, reports, workload, a);
    checkpoint_contents contents;
    contents.kernels = device.commands().kernels_done();
    contents.core_cycles = device.core_cycles();
    contents.time = sc_core::sc_time_stamp().value();
    for (const option_info& o : option_table())
        if (checkpoint_role_of(o) != checkpoint_role::none)
            contents.options[o.name] = checkpoint_text_of(options, o);
    contents.design = design_of(device.config());
    contents.host_log = host_log;
    contents.state = a.take();
    support::output_file out(file);
    out.write(contents.packed());
    out.commit();
}

checkpoint checkpoint::read(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in)
        throw support::user_error(file, "cannot be read", "specify a file written by --checkpoint");
    checkpoint c;
    c.file_ = file;
    c.contents_ = checkpoint_contents::unpacked(
        std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>()), file);
    return c;
}

void checkpoint::check(const option_values& options, const gpu_config& config) {
    for (const option_info& o : option_table())
        if (checkpoint_role_of(o) != checkpoint_role::none && contents_.options.count(o.name) == 0)
            refuse(file_, "was written by a version of simtlm without " + o.name);
    difference_ = configuration_difference(contents_.options, contents_.design, options, config);
    other_configuration_ = options.flag("--resume-what-if");
    for (const configuration_difference::change& c : difference_.changes()) {
        if (other_configuration_ && c.role != checkpoint_role::workload) continue;
        throw support::user_error(
            file_,
            fmt::format("was written for another {}: with {} {} instead of {}",
                        c.role == checkpoint_role::workload ? "workload" : "GPU", c.name,
                        quoted(c.saved), quoted(c.here)),
            c.role == checkpoint_role::workload
                ? "resume with the value that it was written with"
                : "resume with the options that it was written with, or permit another "
                  "configuration with --resume-what-if");
    }
}

void checkpoint::restore(gpu& device, gpu_files& files, reporter& reports,
                         const workload_state& workload) {
    try {
        if (other_configuration_) return transfer(device, files, workload);
        update_counters(device);
        support::archive a(std::move(contents_.state));
        checkpoint_state(device, files, reports, workload, a);
    } catch (const support::user_error& e) {
        if (e.where() != "checkpoint") throw;
        throw support::user_error(file_, std::string(e.what()).substr(e.where().size() + 2));
    }
}

void checkpoint::transfer(gpu& device, gpu_files& files, const workload_state& workload) {
    const std::string gpu_name = device.name();
    auto a = support::archive::for_another_configuration(
        std::move(contents_.state), [&](std::string_view block) {
            if (block == memory::address_mapping::block_name) return difference_.reason(block);
            if (block.substr(0, gpu_name.size() + 1) != gpu_name + ".") return std::string();
            return difference_.reason(block.substr(gpu_name.size() + 1));
        });
    if (workload) workload(a);
    update_counters(device);
    device.transfer(a);
    clear_counters(device);
    resumption& r = resumption_.emplace();
    r.file = file_;
    r.kernels = contents_.kernels;
    r.core_cycles = contents_.core_cycles;
    for (const auto& k : device.commands().ctas().running())
        if (k) r.placed += k->descriptor.grid.volume() - k->blocks_left;
    r.options = difference_.changes();
    r.of_blocks = summary_of(a.transfers_done(), gpu_name);
    files.set_resumption(r);
}

}  // namespace simtlm::platform
