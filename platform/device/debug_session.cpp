// SPDX-License-Identifier: Apache-2.0
#include "platform/device/debug_session.h"

#include "modules/support/error.h"
#include "platform/gpu/gpu_blocks.h"

#include <unistd.h>

#include <cstring>
#include <string_view>
#include <utility>

namespace simtlm::device {

namespace {

void write_to(std::FILE* to, std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), to);
    std::fflush(to);
}

}  // namespace

void debug_session::check(const platform::option_values& values, const platform::gpu_config& gpu,
                          bool functional) {
    const auto debugger = platform::debugger_config::of(values);
    if (debugger.on && values.number("--gpus", 1, 64) > 1)
        throw support::user_error("--debug", "supports only one GPU", "omit --gpus");
    // Reports an unreadable command file. A readable one may be a pipe, so it is opened only once.
    if (debugger.on &&
        (debugger.commands.empty() || ::access(debugger.commands.c_str(), R_OK) != 0))
        static_cast<void>(platform::command_input::of(debugger.commands, false));
    if (functional) return;
    platform::check_watchers(values, gpu, debugger, platform::stream_config::of(values, gpu));
}

debug_session::debug_session(const platform::option_values& values, const platform::gpu_config& gpu,
                             bool functional, services how)
    : debugger_(platform::debugger_config::of(values)), how_(std::move(how)) {
    check(values, gpu, functional);  // the libraries can also be used without simtlm run
    if (!functional) streams_ = platform::stream_config::of(values, gpu);
    if (!debugger_.on) return;
    input_ = platform::command_input::of(debugger_.commands, false);
    if (debugger_.commands.empty()) terminal_.reset(std::fopen("/dev/tty", "we"));
    if (functional)
        functional_ = std::make_unique<platform::functional_debugger>(
            how_.memory.table(), how_.symbol, std::move(input_), answers());
}

debug_session::~debug_session() = default;

platform::debugger::services debug_session::answers() const {
    std::FILE* const to = terminal_ ? terminal_.get() : stderr;
    const auto quit = [this] {
        how_.quit();
        if (timed_) sc_core::sc_pause();
    };
    return {[to](std::string_view text) { write_to(to, text); }, quit, how_.ending};
}

void debug_session::attach(platform::gpu& device) {
    printer_ = platform::attach_trace_streams(
        device, streams_, [](std::string_view text) { write_to(stdout, text); });
    if (!debugger_.on) return;
    platform::program_access access;
    access.read = [&memory = how_.memory](std::uint64_t address, std::size_t bytes, std::byte* to) {
        const auto* const in = memory.table().find(address);
        if (in == nullptr || bytes > in->end - address) return false;
        std::memcpy(to, memory.table().host(address), bytes);
        return true;
    };
    access.symbol = how_.symbol;
    timed_ = std::make_unique<platform::gpu_debugger>(device, std::move(input_), answers(),
                                                      std::move(access));
}

void debug_session::begin() {
    if (!timed_) return;
    const memory_space::access_scope access_scope(how_.memory, true);
    timed_->begin();
}

void debug_session::end() {
    if (printer_) printer_->finish();
    const memory_space::access_scope access_scope(how_.memory, true);
    if (timed_) timed_->end();
    if (functional_ && begun_) functional_->end();
}

debug_session::watched_launch::watched_launch(debug_session* session, const execution::launch& l,
                                              std::uint64_t number) {
    if (session == nullptr || !session->functional_) return;
    debugger_ = session->functional_.get();
    if (!std::exchange(session->begun_, true)) debugger_->begin();
    debugger_->launch_begins(l, number);
}

debug_session::watched_launch::~watched_launch() {
    if (debugger_ != nullptr) debugger_->launch_ended();
}

execution::execution_observer* debug_session::watched_launch::observer() const {
    return debugger_;
}

}  // namespace simtlm::device
