// SPDX-License-Identifier: Apache-2.0
#include "runtimes/common/host_session.h"

#include "platform/options/presets.h"
#include "runtimes/common/process_environment.h"
#include "runtimes/common/termination_signals.h"

#include <unistd.h>

namespace simtlm::runtime {

host_session::host_session(const void* library)
    : process_(::getpid()),
      options_(platform::preset_folders::of_library(library_of(library)).finder()) {
    read_options(options_);
    system_ = std::make_unique<device::system>(options_, log_outputs(options_),
                                               provenance_of_program(options_));
    for (const std::string& n : options_.notes()) system_->log().note("note", n);
    watch_termination_signals([this](const std::string& why) { end(why); });
}

host_session::~host_session() = default;

void host_session::end(const std::string& why) {
    if (ended_.exchange(true)) return;
    if (!why.empty()) system_->log().interrupted(why);
    system_->shut_down(!why.empty());
}

}  // namespace simtlm::runtime
