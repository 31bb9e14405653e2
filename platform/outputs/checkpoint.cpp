// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/checkpoint.h"

#include "modules/support/archive.h"
#include "modules/support/error.h"
#include "modules/support/output_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace simtlm::platform {

namespace {

/// Returns whether the saved state, or the run that continues from it, depends on an option. All
/// options in the groups that describe the GPU count; of the run and trace options, only some.
bool matters(const option_info& o) {
    if (!o.effective() || o.action) return false;
    switch (o.group) {
        case option_group::run: {
            constexpr std::array<std::string_view, 11> some = {"--check-dram",
                                                               "--code",
                                                               "--device-memory",
                                                               "--pcie-bandwidth",
                                                               "--pcie-latency",
                                                               "--nvlink-bandwidth",
                                                               "--nvlink-latency",
                                                               "--gpus",
                                                               "-gpgpu_stack_size_limit",
                                                               "-gpgpu_heap_size_limit",
                                                               "-gpgpu_ptx_force_max_capability"};
            return std::find(some.begin(), some.end(), o.name) != some.end();
        }
        case option_group::trace: {
            constexpr std::array<std::string_view, 5> some = {"--opcode-table", "--unknown-opcode",
                                                              "--override-shmem",
                                                              "--override-registers", "--ctas"};
            return std::find(some.begin(), some.end(), o.name) != some.end();
        }
        case option_group::output:
        case option_group::elsewhere:
            return false;
        default:
            return true;
    }
}

std::string text_of(const option_values& options, const option_info& o) {
    if (!o.repeatable) return options.text(o.name);
    std::string all;
    for (const option_value& v : options.all(o.name)) all += (all.empty() ? "" : " ") + v.text;
    return all;
}

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
    if (resume.empty()) return;
    const run_config& r = config.run;
    if (!r.vcd.empty() || !r.timeline.empty() || !r.visualizer.file.empty() ||
        !r.interval.csv.empty() || !r.interval.database.empty() || r.profile_instructions)
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
        if (matters(o)) contents.options[o.name] = text_of(options, o);
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

void checkpoint::check(const option_values& options) const {
    for (const option_info& o : option_table()) {
        if (!matters(o)) continue;
        const auto saved = contents_.options.find(o.name);
        if (saved == contents_.options.end())
            refuse(file_, "was written by a version of simtlm without " + o.name);
        if (const std::string here = text_of(options, o); here != saved->second)
            throw support::user_error(
                file_,
                fmt::format("was written for another GPU: with {} {} instead of {}", o.name,
                            saved->second.empty() ? "\"\"" : saved->second,
                            here.empty() ? "\"\"" : here),
                "resume with the options that it was written with");
    }
}

void checkpoint::restore(gpu& device, gpu_files& files, reporter& reports,
                         const workload_state& workload) {
    update_counters(device);
    support::archive a(std::move(contents_.state));
    try {
        checkpoint_state(device, files, reports, workload, a);
    } catch (const support::user_error& e) {
        if (e.where() != "checkpoint") throw;
        throw support::user_error(file_, std::string(e.what()).substr(e.where().size() + 2));
    }
}

}  // namespace simtlm::platform
