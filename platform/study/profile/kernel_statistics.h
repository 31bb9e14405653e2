// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/statistics_run.h"

#include <optional>
#include <set>
#include <string>
#include <unordered_map>

namespace simtlm::platform::study {

/// What the metrics of profiles are compared with: the names that expressions of the table may use.
///
/// - counters of a kernel, KIND.COUNTER.CELL; KIND.COUNTER is the sum of the cells. Of caches,
///   outcomes.TYPE.TOTAL, HITS and MISSES are sums of outcomes
/// - instruction.COUNTER.OPCODE: sums over the instructions with an opcode, without its modifiers;
///   instruction.COUNTER over all; instruction.waits.REASON; instruction.awaited.memory and .shared
///   by the kind of access. Only of machine code that was profiled
/// - gpu.NAME: the structure of the GPU
/// - cycles, seconds: from the launch to the end in core cycles, and at the simulated clock;
///   clock: in Hz, at which times are compared
/// - ctas, registers, shared_memory, block_size, warps_per_cta, resident_warps
class kernel_statistics {
public:
    /// @param clock   at which times are compared, Hz
    /// @param launch  whether `cycles` include the launch latency
    kernel_statistics(const statistics_run& run, const json& kernel, double clock, bool launch);
    /// Empty if the run does not have it. A counter that the file omits is 0.
    std::optional<double> value(const std::string& name) const;
    /// Names of counters and properties that the run has, without cells; for tests.
    bool knows(const std::string& name) const;

private:
    void add_gpu(const json& of, const std::string& prefix);
    void add_counters(const json& counters);
    void add_outcomes(const std::string& cache, const json& outcomes);
    void add_instructions(const json& instructions);
    void add_launch(const json& kernel);

    std::unordered_map<std::string, double> values_;
    std::set<std::string> counters_;  ///< KIND.COUNTER
};

}  // namespace simtlm::platform::study
