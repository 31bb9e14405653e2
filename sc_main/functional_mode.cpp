// SPDX-License-Identifier: Apache-2.0
#include "sc_main/functional_mode.h"

#include "modules/execution/functional/functional.h"
#include "modules/support/error.h"
#include "platform/config/core_models.h"
#include "platform/debugger/debugger_options.h"
#include "platform/debugger/functional_debugger.h"
#include "platform/outputs/output_check.h"
#include "sc_main/exit_code.h"
#include "sc_main/loaded_program.h"
#include "sc_main/run_control.h"
#include "sc_main/standard_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace simtlm {

namespace {

double per_second(std::uint64_t count, double seconds) {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

void print_launch(std::size_t number, const execution::launch& l,
                  const execution::execution_summary& s) {
    put_out(
        fmt::format("kernel {} {}: grid {}x{}x{}, block {}x{}x{}: {} warp instructions, {} "
                    "thread instructions, {:.6f} s\n",
                    number, l.kernel->name, l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y,
                    l.block.z, s.warp_instructions, s.thread_instructions, s.seconds));
}

using counts = std::vector<execution::execution_summary::opcode_count>;

/// Prints counts, largest first.
void print_counts(const char* what, counts list) {
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& a, const auto& b) { return a.warps > b.warps; });
    put_out(fmt::format("\n{:<40} {:>16} {:>18}\n", what, "warps", "threads"));
    for (const auto& c : list)
        put_out(fmt::format("{:<40} {:>16} {:>18}\n", c.opcode, c.warps, c.threads));
}

void print_total(const execution::execution_summary& s) {
    print_counts("opcode", s.by_opcode);
    put_out(
        fmt::format("{:<40} {:>16} {:>18}\n", "all", s.warp_instructions, s.thread_instructions));
    put_out(
        fmt::format("\n{} thread blocks in {:.6f} s: {:.0f} warp instructions/s, {:.0f} thread "
                    "instructions/s\n",
                    s.blocks, s.seconds, per_second(s.warp_instructions, s.seconds),
                    per_second(s.thread_instructions, s.seconds)));
}

}  // namespace

bool is_functional(const platform::option_values& values) {
    const char* const wanted = std::getenv("PTX_SIM_MODE_FUNC");
    return values.number("-gpgpu_ptx_sim_mode", 0, 1) == 1 ||
           (wanted != nullptr && std::strcmp(wanted, "1") == 0);
}

std::unique_ptr<platform::functional_debugger> debugger_of(const platform::option_values& values,
                                                           loaded_program& program, bool& quits) {
    const platform::debugger_config how = platform::debugger_config::of(values);
    if (!how.on) return nullptr;
    return std::make_unique<platform::functional_debugger>(
        program.memory(), program.access().symbol, platform::command_input::of(how.commands, true),
        platform::debugger::services{write_at_once, [&quits] { quits = true; },
                                     [] { return signal_guard::received() != 0; }});
}

int run_functional(const platform::option_values& values) {
    platform::check_untimed(values);
    loaded_program program(values, nullptr);
    std::vector<platform::named_output> outputs =
        platform::outputs_of(values, {}, platform::functional_program);
    outputs.insert(outputs.end(), program.outputs().begin(), program.outputs().end());
    platform::check_outputs(values, {}, program.inputs(), outputs);
    if (!outputs.empty()) continue_without_stdout();
    if (!values.flag("--quiet"))
        for (const std::string& n : platform::notes_on(values))
            put_out("simtlm: note: " + n + "\n");
    const signal_guard signals;
    execution::functional_options options;
    options.host_threads = values.number("--functional-threads", 1, 1024);
    options.give_up = &signal_guard::any();
    execution::execution_summary total;
    std::size_t number = 0;
    bool quits = false;
    const auto debugger = debugger_of(values, program, quits);
    if (debugger) {
        options.observer = debugger.get();
        debugger->begin();
    }
    for (const execution::launch& l : program.launches()) {
        if (quits) break;
        if (debugger) debugger->launch_begins(l, number + 1);
        const execution::execution_summary s =
            execution::run(l, program.memory(), program.world(), options);
        if (debugger) debugger->launch_ended();
        print_launch(++number, l, s);
        if (values.flag("-gpgpu_ptx_instruction_classification")) print_counts("class", s.by_class);
        total.add(s);
        if (signal_guard::received() != 0) break;
    }
    if (debugger && !quits) debugger->end();
    print_total(total);
    if (quits && signal_guard::received() == 0) {
        put_out("simtlm: *** incomplete run: quit ***\n");
        return success;
    }
    if (signal_guard::received() == 0) {
        support::output_attempts attempt;
        const int code = program.finish(attempt);
        for (const std::string& m : attempt.messages()) print_error("simtlm: " + m + "\n");
        return code == success && attempt.failed() ? output_failed : code;
    }
    put_out("simtlm: *** incomplete run: interrupted ***\n");
    print_error(
        fmt::format("simtlm: note: the run was interrupted by {}; results are not compared\n",
                    signal_guard::name()));
    return ended_by_signal + signal_guard::received();
}

}  // namespace simtlm
