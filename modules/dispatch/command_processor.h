// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/dispatch/cta_scheduler.h"

#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace simtlm::dispatch {

/// A command from the host to the GPU; commands are processed in order.
struct host_command {
    enum class kind : std::uint8_t { copy_in, copy_out, fill, launch, synchronize, event };
    kind what = kind::launch;
    std::uint64_t address = 0;  ///< copies, fills
    std::uint64_t bytes = 0;
    std::string file;  ///< launch: location of the kernel, if `kernel` is not set
    /// Launch: the kernel itself; if not set, `file` is opened.
    std::shared_ptr<program::kernel_source> kernel;
    std::string where;              ///< used in messages
    std::uint64_t list_number = 0;  ///< launch: position in a list of kernels, from 1; 0: none
    std::optional<std::uint64_t> stream;  ///< launch: overrides the kernel's stream
    /// Launch: list_number of a launch that the kernel may overlap and whose dependents may begin
    /// (take_ready_for_dependents()). griddepcontrol.wait waits for the end of that kernel, and
    /// this kernel ends after it. 0: none.
    std::uint64_t depends_on = 0;
    std::uint64_t tag = 0;  ///< returned when the command is complete
};

/// A kernel that has finished, for reports.
struct finished_kernel {
    program::kernel_descriptor descriptor;
    std::uint64_t launch = 0;       ///< launch number
    std::uint64_t list_number = 0;  ///< of the command
    std::uint64_t launched_at = 0;  ///< core cycle
    std::uint64_t start_cycle = 0;
    std::uint64_t end_cycle = 0;
    std::uint64_t tag = 0;
    unsigned ctas_per_sm = 0;
};

/// The front end of the GPU: processes commands in order, warms the L2 with host copies, and runs
/// up to -gpgpu_max_concurrent_kernel kernels concurrently, one per stream.
class command_processor : public sc_core::sc_module, private cta_scheduler::listener {
public:
    /// Functions of the owner that are called during the execution of commands.
    struct hooks {
        /// A host copy has written bytes of device memory.
        std::function<void(std::uint64_t address, std::uint64_t bytes)> copied_in;
        /// Opens the kernel that a launch names. Required if commands name kernels.
        /// @throws support::user_error
        std::function<std::unique_ptr<program::kernel_source>(const host_command&)> open;
        /// Rejects a kernel that does not fit the GPU. @throws support::user_error
        std::function<void(const program::kernel_descriptor&)> check;
        /// A kernel has been launched.
        std::function<void()> launched;
        /// All kernels have finished and no warp is resident (-gpgpu_flush_l2_cache).
        std::function<void()> idle;
        /// The command with this tag (not 0) is complete. If set, take_done() is not used.
        std::function<void(std::uint64_t tag)> completed;
    };

    command_processor(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                      const dispatch_config& config, const core::simt_cluster_config& cores,
                      std::vector<core::simt_cluster*> clusters, hooks calls);
    const char* kind() const override { return "command_processor"; }

    /// Adds a command. Call between steps or in phase core_dispatch_ctas.
    void submit(host_command command);
    /// No further command begins while the request returns true, so that a long list can be
    /// abandoned. Set before the simulation starts.
    void set_stop_request(std::function<bool()> request) { stop_request_ = std::move(request); }
    /// Executes the commands that can be executed now.
    void proceed();
    /// Discards the commands that have not begun and places no further CTAs: running kernels end
    /// with their resident CTAs. All these commands complete. Call in phase core_dispatch_ctas or
    /// between steps.
    void abort();
    /// Continues after a deadlock, a limit or a fault; limits are counted anew. Call in phase
    /// core_dispatch_ctas.
    void restart();
    /// Executes no further command, as after a limit.
    void stop(const std::string& reason);

    /// Notified when kernels or other tagged commands have finished; see take_finished().
    const sc_core::sc_event& progress() const { return progress_; }
    /// Kernels that have finished since the last call.
    std::vector<finished_kernel> take_finished();
    /// Returns list_number of the running launches whose dependent kernels may begin
    /// (griddepcontrol.launch_dependents) and which have not been returned by a previous call.
    std::vector<std::uint64_t> take_ready_for_dependents();
    /// Tags of completed copies, fills, events and synchronisations.
    std::vector<std::uint64_t> take_done();
    /// Whether nothing is queued or running.
    bool idle() const { return queue_.empty() && in_window_ == 0; }
    bool stopped() const { return stopped_; }
    bool deadlocked() const { return deadlocked_; }
    const std::string& stop_reason() const { return stop_reason_; }
    std::uint64_t kernels_done() const { return kernels_done_; }
    /// Whether no CTA of the current kernels has been placed, and no result waits for
    /// take_finished().
    bool at_rest() const { return !stopped_ && finished_.empty() && scheduler_.at_rest(); }
    /// Saves or restores the position in the list of commands, and the launches that have begun. To
    /// restore, submit the same commands as in the run that was saved, and call proceed()
    /// afterwards.
    /// @pre at_rest()
    /// @throws support::user_error when restoring, if the commands differ
    void checkpoint(support::archive& a);
    /// Restores them on a GPU of another configuration; see cta_scheduler::transfer().
    /// @return core cycles of the launch latency of the oldest running kernel that have elapsed, if
    ///         none of its CTAs has been placed; otherwise 0
    std::uint64_t transfer(support::archive& a);

    cta_scheduler& ctas() { return scheduler_; }
    /// Warnings of kernel sources since the last call.
    std::vector<std::string> take_warnings();
    /// Notes of kernel sources since the last call.
    std::vector<std::string> take_notes();

private:
    struct pending_kernel {
        std::unique_ptr<running_kernel> kernel;
        std::uint64_t stream = 0;
        std::uint64_t tag = 0;
        std::uint64_t depends_on = 0;  // see host_command
    };
    /// A kernel of the window in a checkpoint.
    struct saved_kernel {
        std::uint64_t position = 0;  // position of its command
        bool launched = false;
        std::uint64_t slot = 0;  // valid if launched, like the following members
        std::uint64_t launch = 0, launched_at = 0, issue_from = 0, start_cycle = 0;
        bool selected = false;
        std::uint64_t placed = 0, ready_for_dependents = 0;  // CTAs
        template <class Archive>
        void checkpoint(Archive& a) {
            a(position, launched, slot, launch, launched_at, issue_from, start_cycle, selected,
              placed, ready_for_dependents);
        }
    };
    std::vector<saved_kernel> window_to_save() const;
    /// The position of a checkpoint in the list of commands.
    struct position {
        std::uint64_t kernels_done = 0, taken = 0, digest = 0, launches = 0;
        std::uint64_t core_cycle = 0;
        bool ctas_left = false;
        std::vector<saved_kernel> window;
        template <class Archive>
        void checkpoint(Archive& a) {
            a(kernels_done, taken, digest, launches, core_cycle, ctas_left, window);
        }
    };
    /// Continues with a kernel of the window that had been launched.
    using continuation =
        std::function<void(std::unique_ptr<running_kernel>, const saved_kernel& saved)>;
    void restore_window(const position& at, const continuation& proceed_with);
    void note_taken(const host_command& command);
    void kernels_finished(std::vector<std::unique_ptr<running_kernel>> kernels) override;
    void dependents_may_begin(const running_kernel& kernel) override;
    void deadlock() override;
    void limit_reached(const char* option) override;
    void placement_paused() override { progress_.notify(sc_core::SC_ZERO_TIME); }
    std::shared_ptr<program::kernel_source> source_of(const host_command& command);
    pending_kernel open(const host_command& command);
    std::size_t window(const host_command& next) const;
    void prefetch();
    void start_kernels();
    void done(std::uint64_t tag);

    simulation::phase_sequencer& sequencer_;
    const dispatch_config config_;
    const core::simt_cluster_config& cores_;
    unsigned sms_;
    hooks calls_;
    std::function<bool()> stop_request_;
    std::deque<host_command> queue_;
    std::deque<pending_kernel> waiting_;             // in the window, but not launched
    std::shared_ptr<program::kernel_source> ahead_;  // kernel of the next launch in the queue
    std::vector<std::uint64_t> busy_streams_;
    std::size_t in_window_ = 0;
    std::vector<finished_kernel> finished_;
    std::vector<std::uint64_t> ready_for_dependents_;
    std::vector<std::uint64_t> done_;
    std::vector<std::string> warnings_;
    std::vector<std::string> notes_;
    std::uint64_t kernels_done_ = 0;
    std::uint64_t taken_ = 0;   // commands removed from the queue
    std::uint64_t digest_ = 0;  // of these commands
    bool ran_cta_clusters_ = false;
    bool stopped_ = false;
    bool deadlocked_ = false;
    std::string stop_reason_;
    sc_core::sc_event progress_;
    cta_scheduler scheduler_;
};

}  // namespace simtlm::dispatch
