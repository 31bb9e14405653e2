// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/functional.h"
#include "modules/kernel/output_file.h"
#include "platform/device/timed_engine.h"
#include "platform/outputs/checkpoint.h"
#include "platform/outputs/gpu_files.h"
#include "platform/outputs/trace_recording.h"
#include "platform/report/compact.h"
#include "platform/report/report.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace simtlm::device {

/// What a host program's run leaves: a report after every kernel, as GPGPU-Sim prints it, a summary
/// at the end, the files that the options ask for. With several GPUs their files have numbers.
class run_log : public run_observer {
public:
    struct outputs {
        std::string file;      ///< reports; empty: stdout
        bool compact = false;  ///< without what is zero or was said before
        bool reports = true;
        bool summary = false;   ///< on stderr, at the end
        bool quiet = false;     ///< no notes
        bool by_class = false;  ///< functional mode: what kernels have executed by class
    };

    /// @param options  as long as this object
    run_log(const platform::option_values& options, const outputs& to, platform::provenance from,
            double core_hertz);
    ~run_log() override;

    void built(const std::vector<platform::gpu*>& gpus) override;
    void kernel_ended(platform::gpu& gpu, const dispatch::finished_kernel& kernel) override;
    std::shared_ptr<program::kernel_source> launched(
        std::shared_ptr<execution::executed_kernel> kernel) override;
    void copied(std::uint64_t address, std::uint64_t bytes) override;
    void task_ended(const task& t) override;
    /// The program has called a function of an API. Any thread may tell. @param name  lives on
    /// @param from, to  simulated time, ps
    void called(const char* name, std::uint64_t from, std::uint64_t to);
    /// Whether called() has an effect: there is a timeline.
    bool records_calls() const { return records_calls_; }
    void warned(const std::string& text) override { note("warning", text); }
    void failed(const std::string& how) override {
        failed_ = how;
        aborted_ = true;
    }
    void projected(const std::string& text, const std::string& summary) override {
        projection_ = text;
        projection_summary_ = summary;
    }
    void ended() override;

    /// Functional mode: a kernel has run.
    void kernel_executed(const task& t, const execution::execution_summary& s);
    /// A note on stderr, each text once.
    void note(const std::string& kind, const std::string& text);
    /// What went wrong, on stderr.
    void complain(const std::string& text);
    void kernel_failed() override { aborted_ = true; }
    /// Saves the run of the only GPU; see platform::checkpoint.
    /// @throws kernel::user_error, kernel::output_error
    void save(const std::string& file, const platform::option_values& options,
              const platform::workload_state& workload, const std::string& host_log);
    /// The opposite, on GPUs that have run nothing. @throws kernel::user_error
    void resume(platform::checkpoint& saved, const platform::workload_state& workload);
    /// Something could not be written.
    void result_lost(const std::string& why) override {
        complain(why);
        lost_ = true;
    }
    /// Not all that was counted could be written.
    bool has_lost_results() const { return lost_; }
    /// A kernel has begun and not ended: a deadlock, a fault, a limit.
    bool has_aborted_kernel() const { return aborted_; }
    /// --check has found something in the program.
    void checks_have_found() { checks_found_ = true; }
    bool has_findings() const { return checks_found_; }
    /// Why the run did not come to its end: the last line says so.
    void interrupted(const std::string& why) { interrupted_ = why; }
    std::uint64_t kernels() const { return kernels_; }

private:
    /// A GPU and what is known of it.
    struct watched {
        platform::gpu* gpu;
        std::unique_ptr<platform::reporter> reporter;
        std::unique_ptr<platform::gpu_files> files;
        platform::report last;
        std::uint64_t kernels = 0;
    };

    void write(const std::string& text);
    void open_report();
    void close_reports();
    void report(watched& w, const platform::kernel_record* kernel);
    void finish_files(watched& w, const std::string& how);
    std::string how_it_ended() const;
    std::string summary_of(const watched& w) const;
    std::string summary_text() const;
    double seconds() const;

    const platform::option_values& options_;
    outputs to_;
    platform::provenance from_;
    double core_hertz_;
    const bool records_calls_;
    std::unique_ptr<kernel::output_file> file_;
    std::chrono::steady_clock::time_point started_;
    std::vector<watched> gpus_;
    std::unique_ptr<platform::trace_recording> recording_;
    platform::compact_text compact_;
    execution::execution_summary executed_;
    std::set<std::string> noted_;
    std::mutex mutex_;
    std::string interrupted_, failed_;
    std::string projection_, projection_summary_;
    std::uint64_t kernels_ = 0;
    bool broken_ = false, opened_ = false, has_ended_ = false;
    std::atomic<bool> lost_{false}, aborted_{false}, checks_found_{false};
    std::vector<platform::host_activity> early_calls_;  ///< made before the GPUs were
    bool built_ = false;
    std::atomic<std::uint64_t> calling_threads_{0};
};

}  // namespace simtlm::device
