// SPDX-License-Identifier: Apache-2.0
#include "platform/device/debug_output.h"

#include "modules/support/error.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace simtlm::device {

namespace {

/// Value of a number in the environment, or 0.
std::uint64_t number_in_environment(const char* name) {
    const char* const text = std::getenv(name);
    if (text == nullptr || *text == '\0') return 0;
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(text, &end, 10);
    if (*end != '\0' || *text == '-')
        throw support::user_error(name, fmt::format("'{}' is not a number", text),
                                  "the levels are 1, 2, 3, 5, 6, 10, 50 and 100");
    return value;
}

}  // namespace

debug_output::debug_output(const platform::option_values& values,
                           std::function<void(std::string_view)> print)
    : level_(static_cast<int>(number_in_environment("PTX_SIM_DEBUG"))), print_(std::move(print)) {
    if (level_ > 0) {
        execution::execution_log::sink s;
        s.blocks = level_ >= 1;
        s.instructions = level_ >= 5;
        s.written = level_ >= 6;
        s.registers = level_ >= 10;
        s.thread = number_in_environment("PTX_SIM_DEBUG_THREAD_UID");
        s.write = print_;
        log_.add(std::move(s));
    }
    if (!values.flag("-gpgpu_ptx_inst_debug_to_file")) return;
    name_ = values.text("-gpgpu_ptx_inst_debug_file");
    execution::execution_log::sink s;
    s.instructions = s.written = s.registers = true;
    s.thread = values.number("-gpgpu_ptx_inst_debug_thread_uid");
    s.write = [this](std::string_view text) { file().write(text); };
    log_.add(std::move(s));
}

debug_output::~debug_output() {
    if (!file_) return;  // nothing has been executed
    try {
        finish();
    } catch (const support::user_error& e) {
        std::fputs(fmt::format("simtlm: {}\n", e.what()).c_str(), stderr);
    }
}

/// Opened by the first execution, when outputs have been checked against all inputs.
support::output_file& debug_output::file() {
    if (!file_) file_ = std::make_unique<support::output_file>(name_);
    return *file_;
}

void debug_output::finish() {
    if (name_.empty()) return;
    file();
    name_.clear();
    const auto done = std::move(file_);
    done->commit();
}

void debug_output::program_loaded(const ptx::module& m, const std::string& text) const {
    if (level_ >= 100) print_(text + "\n");
    if (level_ >= 2) print_(execution::control_flow_text(m));
}

void debug_output::buffers_placed(const std::vector<execution::script_run::placed>& buffers) const {
    if (level_ < 3) return;
    for (const auto& b : buffers)
        print_(fmt::format("buffer {}: {} bytes at {:#x}\n", b.what->name, b.bytes, b.address));
}

void debug_output::copied(std::uint64_t to, std::uint64_t bytes) const {
    if (level_ >= 3) print_(fmt::format("copy of {} bytes to {:#x}\n", bytes, to));
}

}  // namespace simtlm::device
