// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/functional/functional.h"
#include "modules/support/output_file.h"
#include "platform/device/task.h"
#include "platform/outputs/checkpoint.h"
#include "platform/outputs/gpu_files.h"
#include "platform/outputs/trace_recording.h"
#include "platform/report/compact.h"
#include "platform/report/report.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace simtlm::execution {
class executed_kernel;
}

namespace simtlm::device {

/// Output of a host program's run: a report after every kernel in the format of GPGPU-Sim, a
/// summary at the end, and the files that the options request. With several GPUs, file names are
/// numbered.
class run_log {
public:
    /// Destinations and contents of the output.
    struct outputs {
        std::string file;      ///< file for reports; empty: stdout
        bool compact = false;  ///< omits statistics that are zero or unchanged
        bool reports = true;
        bool summary = false;   ///< print a summary on stderr at the end
        bool quiet = false;     ///< suppress notes
        bool by_class = false;  ///< functional mode: print instruction counts by class
        /// Receives notes instead of this log: kind and text. Thread-safe.
        std::function<void(const std::string&, const std::string&)> note;
        /// Receives API calls instead of a timeline; see called(). Thread-safe.
        std::function<void(const char*, std::uint64_t row, std::uint64_t, std::uint64_t)> call;
    };
    /// How a run has ended.
    struct outcome {
        bool lost = false, aborted = false, findings = false;
        std::uint64_t kernels = 0;
    };

    /// @param options  must outlive this object
    run_log(const platform::option_values& options, const outputs& to, platform::provenance from,
            double core_hertz);
    ~run_log();

    /// The GPUs have been built; nothing has run.
    void built(const std::vector<platform::gpu*>& gpus);
    /// A kernel has ended. Called between steps of the simulation.
    void kernel_ended(platform::gpu& gpu, const dispatch::finished_kernel& kernel);
    /// A kernel is about to be submitted to a GPU. @return the kernel to submit: a recorder wraps
    /// it
    std::shared_ptr<program::kernel_source> launched(
        std::shared_ptr<execution::executed_kernel> kernel);
    /// The host has copied to a GPU.
    void copied(std::uint64_t address, std::uint64_t bytes);
    /// A task other than a kernel has ended: its times are known.
    void task_ended(const task& t);
    /// The program has called an API function. Thread-safe.
    /// @param name  must outlive this object
    /// @param from, to  simulated time, ps
    void called(const char* name, std::uint64_t from, std::uint64_t to);
    /// The same for a thread of another process. @param row  of the timeline
    void called(const char* name, std::uint64_t row, std::uint64_t from, std::uint64_t to);
    /// Returns whether called() has an effect, that is whether a timeline is recorded.
    bool records_calls() const { return records_calls_; }
    /// The simulation cannot continue.
    /// @param how  "failed", "deadlock", or the option that ended it
    void failed(const std::string& how) {
        failed_ = how;
        aborted_ = true;
    }
    /// Launches have been sampled. @param text  the projection  @param summary  in one line
    void projected(const std::string& text, const std::string& summary) {
        projection_ = text;
        projection_summary_ = summary;
    }
    /// The run has ended. May be called more than once.
    void ended();

    /// Functional mode: a kernel has been executed.
    void kernel_executed(const task& t, const execution::execution_summary& s);
    /// Prints a note on stderr; each text only once.
    void note(const std::string& kind, const std::string& text);
    /// The run reads another file, which statistics files are to list. Thread-safe.
    void add_input(platform::provenance::file input);
    /// Prints an error on stderr.
    void log_error(const std::string& text);
    /// A kernel could not be launched or has not completed.
    void kernel_failed() { aborted_ = true; }
    /// Saves the run of the only GPU; see platform::checkpoint.
    /// @throws support::user_error, support::output_error
    void save(const std::string& file, const platform::option_values& options,
              const platform::workload_state& workload, const std::string& host_log);
    /// Restores a saved run on GPUs that have not run anything. @throws support::user_error
    void resume(platform::checkpoint& saved, const platform::workload_state& workload);
    /// An output could not be written.
    void result_lost(const std::string& why) {
        log_error(why);
        lost_ = true;
    }
    /// Returns whether an output could not be written.
    bool has_lost_results() const { return lost_; }
    /// Returns whether a started kernel has not ended: deadlock, fault or limit.
    bool has_aborted_kernel() const { return aborted_; }
    /// A kernel was not launched because its code cannot be executed. Thread-safe.
    /// @param unseen  the program does not get this result from the call itself
    void launch_refused(bool unseen) {
        refused_ = true;
        if (unseen) refusal_unseen_ = true;
    }
    /// The program has asked for the error of its launches.
    void errors_seen() { refusal_unseen_ = false; }
    /// Returns whether launches were refused and the program does not know it, or no kernel has
    /// run.
    bool has_refused_launches() const { return refused_ && (kernels_ == 0 || refusal_unseen_); }
    /// --check has reported findings.
    void checks_have_found() { checks_found_ = true; }
    bool has_findings() const { return checks_found_; }
    /// Sets the reason why the run was ended early, printed in the last line.
    void interrupted(const std::string& why) { interrupted_ = why; }
    std::uint64_t kernels() const { return kernels_; }
    outcome how_it_went() const { return {lost_, aborted_, checks_found_, kernels_}; }
    /// Another process has simulated the kernels.
    void set_outcome(const outcome& o);

private:
    /// A GPU and its outputs.
    struct watched {
        platform::gpu* gpu;
        std::unique_ptr<platform::reporter> reporter;
        std::unique_ptr<platform::gpu_files> files;
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
    std::unique_ptr<support::output_file> file_;
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
    std::atomic<bool> refused_{false}, refusal_unseen_{false};
    std::vector<platform::host_activity> early_calls_;  ///< recorded before the GPUs were built
    bool built_ = false;
    std::atomic<std::uint64_t> calling_threads_{0};
};

}  // namespace simtlm::device
