// SPDX-License-Identifier: Apache-2.0
#include "sc_main/functional_mode.h"

#include "modules/execution/device_heap.h"
#include "modules/execution/functional.h"
#include "modules/execution/launch_script.h"
#include "modules/kernel/error.h"
#include "modules/ptx/parser.h"
#include "sc_main/exit_code.h"
#include "sc_main/standard_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

namespace simtlm {

namespace {

std::string read_file(const std::string& path, const char* what) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf()))
        throw kernel::user_error(path, fmt::format("cannot read the {}", what));
    return text.str();
}

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

void print_total(execution::execution_summary s) {
    std::stable_sort(s.by_opcode.begin(), s.by_opcode.end(),
                     [](const auto& a, const auto& b) { return a.warps > b.warps; });
    put_out(fmt::format("\n{:<40} {:>16} {:>18}\n", "opcode", "warps", "threads"));
    for (const auto& c : s.by_opcode)
        put_out(fmt::format("{:<40} {:>16} {:>18}\n", c.opcode, c.warps, c.threads));
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

int run_functional(const platform::option_values& values) {
    const std::string& program = values.text("--ptx");
    const std::string& script_file = values.text("--launch");
    if (script_file.empty())
        throw kernel::user_error("command line", "there is nothing to launch",
                                 "name a file of launches: --launch FILE");
    execution::device_memory memory;
    execution::device_heap heap(memory, values.number("-gpgpu_heap_size_limit"));
    heap.reserve();
    const auto module =
        std::make_shared<const ptx::module>(ptx::parse(read_file(program, "PTX program"), program));
    const execution::module_image image(module, memory);
    const auto script = execution::launch_script::read(script_file);
    execution::script_run run(script, image, memory);

    execution::services world;
    world.print = [](std::string_view text) { put_out(text); };
    world.heap = &heap;
    world.stack_limit = values.number("-gpgpu_stack_size_limit");
    execution::functional_options options;
    options.host_threads = values.number("--functional-threads", 1, 1024);
    execution::execution_summary total;
    std::size_t number = 0;
    for (const execution::launch& l : run.launches()) {
        const execution::execution_summary s = execution::run(l, memory, world, options);
        print_launch(++number, l, s);
        total.add(s);
    }
    print_total(std::move(total));
    const std::vector<std::string> wrong = run.finish();
    for (const std::string& w : wrong) tell("simtlm: " + w + "\n");
    if (!wrong.empty()) return results_differ;
    if (!script.results.empty()) put_out("results are as expected\n");
    return success;
}

}  // namespace simtlm
