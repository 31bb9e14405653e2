// SPDX-License-Identifier: Apache-2.0
#include "sc_main/loaded_program.h"

#include "modules/kernel/error.h"
#include "modules/ptx/parser.h"
#include "sc_main/exit_code.h"
#include "sc_main/standard_streams.h"

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

namespace simtlm {

namespace {

std::shared_ptr<const ptx::module> read_program(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf())) throw kernel::user_error(path, "cannot read the PTX program");
    return std::make_shared<const ptx::module>(ptx::parse(text.str(), path));
}

execution::launch_script read_script(const platform::option_values& values) {
    if (values.text("--launch").empty())
        throw kernel::user_error("command line", "there is nothing to launch",
                                 "name a file of launches: --launch FILE");
    return execution::launch_script::read(values.text("--launch"));
}

}  // namespace

loaded_program::loaded_program(const platform::option_values& values)
    : heap_(memory_, values.number("-gpgpu_heap_size_limit")),
      image_(read_program(values.text("--ptx")), memory_),
      script_(read_script(values)),
      run_(script_, image_, memory_) {
    heap_.reserve();
    world_.print = [](std::string_view text) { put_out(text); };
    world_.heap = &heap_;
    world_.stack_limit = values.number("-gpgpu_stack_size_limit");
}

int loaded_program::finish() {
    const std::vector<std::string> wrong = run_.finish();
    for (const std::string& w : wrong) tell("simtlm: " + w + "\n");
    if (!wrong.empty()) return results_differ;
    if (!script_.results.empty()) put_out("results are as expected\n");
    return success;
}

}  // namespace simtlm
