// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace simtlm::runtime {

/// Installs a callback for SIGINT, SIGTERM and SIGHUP, after which the signal takes its default
/// effect. Signals that the program handles itself are not changed. Once per process and runtime
/// library.
/// @param end  called in a thread of its own. @param why  "interrupted by SIGINT"
void watch_termination_signals(std::function<void(const std::string& why)> end);

/// Returns whether such a signal has arrived, so that the process is about to end.
bool termination_signal_came();

}  // namespace simtlm::runtime
