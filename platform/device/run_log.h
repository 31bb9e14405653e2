// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/functional.h"
#include "platform/device/timed_engine.h"
#include "platform/report/compact.h"
#include "platform/report/report.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace simtlm::device {

/// The statistics of a host program's run: a report after every kernel, as GPGPU-Sim prints it, and
/// a summary at the end.
class run_log : public run_observer {
public:
    struct outputs {
        std::string file;      ///< reports; empty: stdout
        bool compact = false;  ///< without what is zero or was said before
        bool reports = true;
        bool summary = false;  ///< on stderr, at the end
        bool quiet = false;    ///< no notes
    };

    run_log(const outputs& to, double core_hertz);
    ~run_log() override;

    void built(const std::vector<platform::gpu*>& gpus) override;
    void kernel_ended(platform::gpu& gpu, const dispatch::finished_kernel& kernel) override;
    void warned(const std::string& text) override { note("warning", text); }
    void ended() override;

    /// Functional mode: a kernel has run.
    void kernel_executed(const task& t, const execution::execution_summary& s);
    /// A note on stderr, each text once.
    void note(const std::string& kind, const std::string& text);
    /// What went wrong, on stderr.
    void complain(const std::string& text);
    /// Why the run did not come to its end: the last line says so.
    void interrupted(const std::string& why) { interrupted_ = why; }
    std::uint64_t kernels() const { return kernels_; }

private:
    void write(const std::string& text);
    std::string wall_clock(const platform::report& r) const;
    std::string summary_text() const;
    double seconds() const;

    outputs to_;
    double core_hertz_;
    std::FILE* file_ = nullptr;
    std::chrono::steady_clock::time_point started_;
    std::vector<platform::gpu*> gpus_;
    std::vector<std::unique_ptr<platform::reporter>> reporters_;
    std::vector<platform::report> last_;
    platform::compact_text compact_;
    execution::execution_summary executed_;
    std::set<std::string> noted_;
    std::mutex mutex_;
    std::string interrupted_;
    std::uint64_t kernels_ = 0;
    bool greeted_ = false;
    bool broken_ = false;
};

}  // namespace simtlm::device
