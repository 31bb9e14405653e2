// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace simtlm::runtime {

/// Has something done when SIGINT, SIGTERM or SIGHUP tells the process to end, and lets it end as
/// it would have; signals that the program handles itself are left alone. Once per process and
/// runtime library.
/// @param end  called in a thread of its own. @param why  "interrupted by SIGINT"
void watch_termination_signals(std::function<void(const std::string& why)> end);

/// Such a signal has come: the process is about to end.
bool termination_signal_came();

}  // namespace simtlm::runtime
