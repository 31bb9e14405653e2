// SPDX-License-Identifier: Apache-2.0
#include "modules/simulation/finish_instant.h"
#include "modules/support/archive.h"
#include "modules/support/output_target.h"
#include "platform/config/core_models.h"
#include "platform/debugger/debugger_options.h"
#include "platform/debugger/gpu_debugger.h"
#include "platform/debugger/trace_stream_printer.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/options/options.h"
#include "platform/options/presets.h"
#include "platform/outputs/checkpoint.h"
#include "platform/outputs/gpu_files.h"
#include "platform/outputs/output_check.h"
#include "platform/outputs/version.h"
#include "platform/report/statistics_table.h"
#include "platform/sampling/launch_sampler.h"
#include "sc_main/exit_code.h"
#include "sc_main/functional_mode.h"
#include "sc_main/host_program.h"
#include "sc_main/huge_pages.h"
#include "sc_main/output.h"
#include "sc_main/program_run.h"
#include "sc_main/progress.h"
#include "sc_main/run_control.h"
#include "sc_main/sampled_run.h"
#include "sc_main/standard_streams.h"
#include "sc_main/workload.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <system_error>
#include <systemc>

namespace {

using namespace simtlm;

/// Executes actions such as --help.
void act(const platform::option_values& values, const platform::preset_folders& folders) {
    end_quietly_on_closed_pipe();
    if (values.flag("--help"))
        platform::write_help(std::cout, "simtlm");
    else if (values.flag("--help-markdown"))
        platform::write_options_markdown(std::cout);
    else if (values.flag("--help-statistics"))
        platform::write_statistics_markdown(std::cout);
    else if (values.flag("--version"))
        std::cout << "simtlm " << platform::version << ", build " << platform::commit() << " ("
                  << sc_core::sc_version() << ")\n";
    else if (values.flag("--list-configs"))
        platform::write_presets(std::cout, folders);
    else if (values.flag("--dump-config")) {
        values.check_replaced_memory();
        std::ostringstream text;
        platform::write_config(text, values);
        put_out(text.str());
    }
    std::cout.flush();
}

bool asks_for_text(const platform::option_values& values) {
    for (const char* option : {"--help", "--help-markdown", "--help-statistics", "--version",
                               "--list-configs", "--dump-config"})
        if (values.flag(option)) return true;
    return false;
}

/// Rejects options that have no effect on a run. @param executes  programs, not traces
void refuse_without_effect(const platform::option_values& values, bool executes) {
    platform::check_effects(values, !executes               ? platform::replay
                                    : is_functional(values) ? platform::functional_program
                                                            : platform::timed_program);
    if (!executes) return;
    platform::launch_sampler::check(values);
    if (values.text("--cubin").empty() && values.given("--opcode-table"))
        values.fail("--opcode-table", "has no effect on PTX", "omit it");
}

/// Advances an idle GPU to the time of a checkpoint and restores its state.
void resume(platform::checkpoint& saved, platform::gpu& device, output& out,
            const platform::workload_state& workload) {
    while (sc_core::sc_time_stamp() < saved.time()) {
        sc_core::sc_start(saved.time() - sc_core::sc_time_stamp());
        if (signal_guard::received() != 0) return;
    }
    simulation::finish_instant(device.sequencer());
    out.resume(saved, workload);
}

/// Number of thread blocks of the running kernels that have been placed.
std::uint64_t blocks_placed(platform::gpu& device) {
    std::uint64_t placed = 0;
    for (const auto& k : device.commands().ctas().running())
        if (k) placed += k->descriptor.grid.volume() - k->blocks_left;
    return placed;
}

/// Number of kernels that have finished or placed thread blocks.
std::uint64_t kernels_begun(platform::gpu& device) {
    std::uint64_t begun = device.commands().kernels_done();
    for (const auto& k : device.commands().ctas().running())
        if (k && k->blocks_left < k->descriptor.grid.volume()) ++begun;
    return begun;
}

/// What a checkpoint within a kernel means for its results.
std::string within_kernel(std::uint64_t placed) {
    return fmt::format(
        "the checkpoint is within a kernel: after {} of its thread blocks, none was placed until "
        "they had ended, which adds to the cycles of the kernel",
        placed);
}

/// Saves checksums of the traces of the kernels that have begun, or compares them with the saved
/// ones.
void checkpoint_traces(std::uint64_t begun, const workload& work, support::archive& a) {
    a.block("traces");
    std::vector<std::string> here;
    std::uint64_t count = begun;
    a(count);
    for (const dispatch::host_command& c : work.commands)
        if (c.what == dispatch::host_command::kind::launch && here.size() < count)
            here.push_back(platform::checksum_of(c.file).xxh128);
    std::vector<std::string> saved = here;
    a(saved);
    if (saved != here)
        throw support::user_error("checkpoint", "was written for traces with other contents",
                                  "resume with the traces that it was written for");
}

void log_error(const std::string& text) {
    print_error(fmt::format("simtlm: {}\n", text));
}

void log_error(const std::vector<std::string>& messages) {
    for (const std::string& m : messages) log_error(m);
}

int refuse(const std::vector<std::string>& refusals) {
    constexpr std::size_t enough = 10;
    for (std::size_t i = 0; i < std::min(refusals.size(), enough); ++i) log_error(refusals[i]);
    if (refusals.size() > enough)
        log_error(
            fmt::format("kernels are rejected for {} more reasons", refusals.size() - enough));
    return fault_of_the_input;
}

/// Ends the process immediately, because destroying a large SystemC hierarchy takes noticeable
/// time. It is destroyed nevertheless if leaks are checked.
int leave(int code) {
#ifndef __SANITIZE_ADDRESS__
    std::_Exit(code_after_output("simtlm", code));
#endif
    return code;
}

/// Returns the debugger that the options request, or nullptr.
std::unique_ptr<platform::gpu_debugger> debugger_of(const platform::debugger_config& how,
                                                    platform::gpu& device, loaded_program* program,
                                                    run_control& control) {
    if (!how.on) return nullptr;
    platform::program_access access;
    if (program != nullptr) access = program->access();
    return std::make_unique<platform::gpu_debugger>(
        device, platform::command_input::of(how.commands, true),
        platform::debugger::services{write_at_once, [&control] { control.quit(); },
                                     [] { return signal_guard::received() != 0; }},
        std::move(access));
}

/// Rejects command lines without a GPU or anything to run.
void check_command_line(const platform::option_values& values, bool executes) {
    if (!executes && values.text("-trace").empty())
        throw support::user_error("command line", "no trace is given",
                                  "name a GPU and a trace: simtlm --preset QV100 -trace "
                                  "FOLDER/kernelslist.g; see also --help and --list-configs");
    if (values.presets().empty() && values.files().empty() && !values.given("-network_mode"))
        throw support::user_error("command line", "no GPU is configured",
                                  "name one: --preset QV100, or -config FILE; --list-configs names "
                                  "those that come along");
}

/// A timed run: what the options request, and its input.
struct timed_run {
    /// @param executes  a program, not traces @throws support::user_error
    timed_run(const platform::option_values& values, bool executes);

    /// The input files that define what is run.
    std::vector<platform::provenance::file> inputs(const platform::gpu_config& of) const;
    /// Checks what depends on the kernels, which have been accepted. @throws support::user_error
    void check(const platform::option_values& values) const;

    platform::gpu_config config;  ///< moved to the GPU
    platform::debugger_config debugging;
    platform::stream_config streams;
    platform::checkpoint_options saving;
    bool to_be_saved = false;
    std::optional<platform::checkpoint> resumed;
    std::unique_ptr<loaded_program> program;  ///< nullptr: traces
    std::vector<platform::named_output> outputs;
    std::unique_ptr<platform::trace_recording> recording;
    platform::sampling_options sampling;
    std::unique_ptr<platform::launch_sampler> sampler;  ///< of programs
    workload work;
    std::unique_ptr<sampled_run> sampled;  ///< of traces
};

timed_run::timed_run(const platform::option_values& values, bool executes)
    : config(platform::make_gpu_config(values)),
      debugging(platform::debugger_config::of(values)),
      streams(platform::stream_config::of(values, config)) {
    platform::check_watchers(values, config, debugging, streams);
    saving = platform::checkpoint_options::of(values);
    saving.check(values, config, debugging.on || streams.streams != 0);
    to_be_saved = !saving.write.empty();
    if (!saving.resume.empty()) {
        resumed = platform::checkpoint::read(saving.resume);
        if (!resumed->host_log().empty())
            throw support::user_error(saving.resume,
                                      "was written by a run of a CUDA or OpenCL program",
                                      "resume with simtlm run");
        resumed->check(values, config);
    }
    // A progress line would overwrite the prompt.
    if (debugging.on) config.run.progress = platform::progress_mode::off;
    outputs =
        platform::outputs_of(values, config, executes ? platform::timed_program : platform::replay);
    if (executes) {
        program = std::make_unique<loaded_program>(values, &config);
        outputs.insert(outputs.end(), program->outputs().begin(), program->outputs().end());
        platform::check_outputs(values, config, program->inputs(), outputs);
    }
    recording = platform::trace_recording::of(values);
    sampling = platform::sampling_options::of(values);
    if (executes && sampling.any())
        sampler = std::make_unique<platform::launch_sampler>(sampling,
                                                             config.dispatch.kernel_launch_latency);
    work = executes ? workload_of(*program, config, recording.get(), sampler.get())
                    : read_workload(config);
}

std::vector<platform::provenance::file> timed_run::inputs(const platform::gpu_config& of) const {
    std::vector<platform::provenance::file> files;
    if (program)
        files = program->inputs();
    else
        files.push_back({"command list", of.run.trace});
    for (const std::string& f : work.kernel_files) files.push_back({"kernel trace", f});
    return files;
}

void timed_run::check(const platform::option_values& values) const {
    if (saving.any() && program && work.kernels != program->launches().size())
        throw support::user_error("command line",
                                  "launches executed in functional mode (--kernels and related "
                                  "options) cannot be combined with checkpoints of programs",
                                  "omit one of them");
    if (!program) platform::check_outputs(values, config, inputs(config), outputs);
}

/// Prints what the user should know before a run.
void print_notes(output& out, const platform::option_values& values,
                 const platform::gpu_config& config, const workload& work) {
    for (const std::string& n : platform::notes_on(values)) out.note("note", n);
    if (const std::string n = platform::calibration_note(values); !n.empty()) out.note("note", n);
    for (const std::string& w : config.warnings) out.note("warning", w);
    for (const std::string& w : work.warnings) out.note("warning", w);
}

/// Attaches what measures samples of the kernels, if the run has any.
void attach_samplers(timed_run& r, platform::gpu& device, run_control& control) {
    if (sampled_run* const sampled = r.sampled.get()) {
        sampled->attach(device);
        control.set_listener([=](const auto& kernel) { sampled->kernel_ended(kernel); });
        r.work.next = [=]() -> std::vector<dispatch::host_command> {
            put_out(sampled->text());
            return {};
        };
    }
    if (platform::launch_sampler* const sampler = r.sampler.get()) {
        sampler->attach(device);
        control.set_listener([=](const auto& kernel) { sampler->ended(kernel); });
    }
}

/// Reports a run that has ended and completes its outputs. @return the exit code
int finish_run(timed_run& r, run_control::ending end, platform::gpu& device, output& out,
               support::output_attempts& attempt) {
    if (end == run_control::ending::deadlock) {
        log_error(
            fmt::format("deadlock detected at core cycle {}: no instruction was completed in the "
                        "last {} cycles; waiting units:",
                        device.core_cycles(), device.config().dispatch.deadlock_window));
        print_error(device.describe());
        return stuck;
    }
    if (end == run_control::ending::interrupted) return ended_by_signal + signal_guard::received();
    if (end == run_control::ending::quit) return success;
    if (r.to_be_saved) {
        log_error(
            r.saving.blocks != 0
                ? fmt::format("{} is not written: after {} kernels had finished, fewer than {} "
                              "thread blocks were placed (--checkpoint-blocks)",
                              r.saving.write, r.saving.kernels, r.saving.blocks)
                : fmt::format("{} is not written: after {} kernels had finished, there was always "
                              "another one running (kernels of several streams overlap; choose "
                              "other kernels, or -gpgpu_max_concurrent_kernel 1)",
                              r.saving.write, r.saving.kernels));
        return fault_of_the_input;
    }
    attempt([&] {
        const unsigned unfinished = r.recording ? r.recording->finish() : 0;
        if (unfinished != 0)
            out.note("note", fmt::format("{} of the recorded kernels had not ended and {} not in "
                                         "the list of traces",
                                         unfinished, unfinished == 1 ? "is" : "are"));
    });
    if (r.sampled && end == run_control::ending::finished) attempt([&] { r.sampled->write(); });
    if (r.sampler) {
        put_out(r.sampler->text());
        attempt([&] { r.sampler->write(); });
    }
    return r.program ? r.program->finish(attempt) : success;
}

/// Simulates a run. @param command  the arguments of the process, which began at `started`
/// @return the exit code
int simulate(timed_run& r, const platform::option_values& values, std::vector<std::string> command,
             std::chrono::steady_clock::time_point started) {
    if (r.sampling.any() && !r.program)
        r.sampled = std::make_unique<sampled_run>(r.sampling, r.config, r.work);
    progress line(r.config.run, r.work.kernels, r.work.ctas);
    platform::gpu device("gpu", std::move(r.config));
    const std::uint64_t resumes_at = r.resumed ? r.resumed->time().value() : 0;
    bool to_be_resumed = r.resumed.has_value();
    device.gate_idle_clocks([&]() -> std::uint64_t {
        // A saved state must include the edges of all clocks up to one time.
        if (r.to_be_saved && device.commands().kernels_done() >= r.saving.kernels) return 0;
        if (!to_be_resumed) return ~std::uint64_t{0};
        return sc_core::sc_time_stamp().value() < resumes_at ? resumes_at : 0;
    });
    device.decouple_dram();
    platform::gpu_files files(
        device, values,
        platform::provenance_of({platform::version, platform::commit(), platform::accelsim_build()},
                                std::move(command), values, device.config(),
                                r.inputs(device.config())));
    output out(device, files, line, started);
    print_notes(out, values, device.config(), r.work);
    run_control control("run_control", device, out, line);
    if (r.program) control.watch(r.program->memory());
    support::output_attempts attempt;
    attach_samplers(r, device, control);
    const auto printer = platform::attach_trace_streams(device, r.streams, put_out);
    const auto debugger = debugger_of(r.debugging, device, r.program.get(), control);
    device.set_stop_request([] { return signal_guard::received() != 0; });
    for (dispatch::host_command& c : r.work.commands) {
        device.commands().submit(c);
        c.kernel.reset();  // its buffers are freed when it ends
    }
    const platform::workload_state of_workload = [&](support::archive& a) {
        r.program ? r.program->checkpoint(a) : checkpoint_traces(kernels_begun(device), r.work, a);
    };
    if (r.to_be_saved) {
        files.keep_rows();
        control.save_after(r.saving.kernels, r.saving.blocks, [&] {
            r.to_be_saved = false;
            try {
                out.save(r.saving.write, values, of_workload);
            } catch (const support::output_error& e) {  // the run continues
                return attempt.note(e);
            }
            out.note("note", fmt::format("the run is saved in {} after kernel {}", r.saving.write,
                                         device.commands().kernels_done()));
            if (const std::uint64_t placed = blocks_placed(device); placed != 0)
                out.note("note", within_kernel(placed));
        });
    }
    if (r.resumed) {
        resume(*r.resumed, device, out, of_workload);
        const std::uint64_t placed = blocks_placed(device);
        if (placed != 0 && !r.resumed->resumed_elsewhere()) out.note("note", within_kernel(placed));
    }
    to_be_resumed = false;
    if (debugger) debugger->begin();
    device.commands().proceed();
    const run_control::ending end = control.run(r.work.next, attempt);
    if (printer) printer->finish();
    if (debugger) debugger->end();
    const int code = finish_run(r, end, device, out, attempt);
    log_error(attempt.messages());
    return leave(code == success && attempt.failed() ? output_failed : code);
}

/// @param given  to be set from the command line
int run(int argc, char** argv, std::optional<platform::option_values>& given) {
    const auto started = std::chrono::steady_clock::now();
    if (argc > 1 && std::string(argv[1]) == "run") return run_host_program(argc, argv);
    if (argc > 1 && std::string(argv[1]) == "serve") return serve_host_programs(argc, argv);
    if (argc == 3 && std::string(argv[1]) == "--help" && argv[2][0] != '-') {
        end_quietly_on_closed_pipe();
        platform::write_help_on(std::cout, argv[2]);
        std::cout.flush();
        return success;
    }
    prefer_huge_pages();
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    const platform::preset_folders folders(argv[0]);
    platform::option_values& values = given.emplace(folders.finder());
    values.parse_command_line(argc, argv);
    if (asks_for_text(values)) {
        act(values, folders);
        return success;
    }
    const bool executes = !values.text("--ptx").empty() || !values.text("--cubin").empty();
    refuse_without_effect(values, executes);
    if (executes && is_functional(values)) return leave(run_functional(values));

    const signal_guard signals;
    check_command_line(values, executes);
    timed_run r(values, executes);
    if (!r.work.refusals.empty()) return refuse(r.work.refusals);
    r.check(values);
    if (!r.outputs.empty()) continue_without_stdout();
    return simulate(r, values, {argv, argv + argc}, started);
}

int run_and_catch(int argc, char** argv) {
    std::optional<platform::option_values> values;
    try {
        return run(argc, argv, values);
    } catch (const support::output_error& e) {
        log_error(e.messages());
        return output_failed;
    } catch (const support::user_error& e) {
        log_error(values ? values->located(e).what() : e.what());
        return fault_of_the_input;
    } catch (const std::bad_alloc&) {
        log_error("the host is out of memory (simulate less at a time, or raise the limit)");
        return fault_of_the_input;
    } catch (const std::system_error& e) {  // errors of the system: files, threads
        log_error(e.what());
        return fault_of_the_input;
    } catch (const std::exception& e) {
        std::string what = e.what();
        std::replace(what.begin(), what.end(), '\n', ' ');
        log_error(fmt::format("internal error: {} (please report it with the command line)", what));
        return fault_of_the_program;
    }
}

}  // namespace

int sc_main(int argc, char** argv) {
    prepare_standard_streams();
    return code_after_output("simtlm", run_and_catch(argc, argv));
}

namespace {

/// Raises a stack limit that is too small for a simulation. @return false if that fails, after
/// printing an error
bool has_enough_stack() {
    constexpr rlim_t least = 512 << 10, usual = 8 << 20;
    rlimit stack{};
    if (::getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur == RLIM_INFINITY ||
        stack.rlim_cur >= least)
        return true;
    stack.rlim_cur = stack.rlim_max == RLIM_INFINITY ? usual : std::min(stack.rlim_max, usual);
    if (stack.rlim_cur >= least && ::setrlimit(RLIMIT_STACK, &stack) == 0) return true;
    std::fprintf(stderr, "simtlm: the stack limit is too small (ulimit -s 8192)\n");
    return false;
}

}  // namespace

/// Replaces main() of SystemC, which would print a banner.
int main(int argc, char** argv) {
    if (!has_enough_stack()) return fault_of_the_input;
    setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
    return sc_core::sc_elab_and_sim(argc, argv);
}
