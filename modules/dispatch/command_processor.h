// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/dispatch/cta_scheduler.h"

#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace simtlm::dispatch {

/// What the host asks the GPU to do, in order.
struct host_command {
    enum class kind : std::uint8_t { copy_in, copy_out, fill, launch, synchronize, event };
    kind what = kind::launch;
    std::uint64_t address = 0;  ///< copies, fills
    std::uint64_t bytes = 0;
    std::string file;  ///< launch: where the kernel is found
    /// Launch: the kernel itself; without it, `file` is opened.
    std::shared_ptr<program::kernel_source> kernel;
    std::string where;                    ///< for messages
    std::uint64_t list_number = 0;        ///< launch: place among those of a list, from 1; 0: none
    std::optional<std::uint64_t> stream;  ///< launch: instead of the kernel's own
    std::uint64_t tag = 0;                ///< handed back when it is done
};

/// A kernel that has run, for whoever reports.
struct finished_kernel {
    program::kernel_descriptor descriptor;
    std::uint64_t launch = 0;       ///< number
    std::uint64_t list_number = 0;  ///< of the command
    std::uint64_t launched_at = 0;  ///< core cycle
    std::uint64_t start_cycle = 0;
    std::uint64_t end_cycle = 0;
    std::uint64_t tag = 0;
    unsigned ctas_per_sm = 0;
};

/// The front end of the GPU: takes commands in order, warms the L2 with host copies, and keeps up
/// to -gpgpu_max_concurrent_kernel kernels going, one per stream.
class command_processor : public sc_core::sc_module, private cta_scheduler::listener {
public:
    struct hooks {
        /// A host copy has written bytes of device memory.
        std::function<void(std::uint64_t address, std::uint64_t bytes)> copied_in;
        /// Opens the kernel that a launch names. Required where commands name any.
        /// @throws kernel::user_error
        std::function<std::unique_ptr<program::kernel_source>(const host_command&)> open;
        /// Refuses a kernel that does not fit. @throws kernel::user_error
        std::function<void(const program::kernel_descriptor&)> check;
        /// A kernel is launched.
        std::function<void()> launched;
        /// All kernels have finished and no warp is resident (-gpgpu_flush_l2_cache).
        std::function<void()> idle;
        /// The command with this tag (not 0) is done. Whoever takes this gets no take_done().
        std::function<void(std::uint64_t tag)> completed;
    };

    command_processor(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
                      const dispatch_config& config, const core::cluster_config& cores,
                      std::vector<core::simt_cluster*> clusters, hooks calls);

    /// Adds a command. Between steps or in phase core_dispatch_ctas.
    void submit(host_command command);
    /// Commands are not begun while this says true, so that a long list can be left. Before the
    /// simulation starts.
    void set_stop_request(std::function<bool()> request) { stop_request_ = std::move(request); }
    /// Executes what can be executed now.
    void proceed();
    /// Forgets what has not begun and places no further CTA of what has: kernels that run end with
    /// their resident CTAs. Their commands and the forgotten ones complete. In phase
    /// core_dispatch_ctas or between steps.
    void abort();

    /// Notified when kernels or other tagged commands have finished: see take_finished().
    const sc_core::sc_event& progress() const { return progress_; }
    std::vector<finished_kernel> take_finished();
    /// Tags of copies, fills, events and synchronisations that are done.
    std::vector<std::uint64_t> take_done();
    /// Nothing is queued or running.
    bool idle() const { return queue_.empty() && in_window_ == 0; }
    bool stopped() const { return stopped_; }
    bool deadlocked() const { return deadlocked_; }
    const std::string& stop_reason() const { return stop_reason_; }
    std::uint64_t kernels_done() const { return kernels_done_; }
    /// No CTA of a kernel that has been begun has been placed, and nothing waits to be fetched by
    /// take_finished().
    bool at_rest() const { return !stopped_ && finished_.empty() && scheduler_.at_rest(); }
    /// How far the commands have come, and the launches of those that have been begun. To restore,
    /// submit the same commands as in the run that has saved, and proceed() afterwards.
    /// @pre at_rest()
    /// @throws kernel::user_error when restoring, if the commands are others
    void checkpoint(kernel::archive& a);

    cta_scheduler& ctas() { return scheduler_; }
    std::vector<std::string> take_warnings();

private:
    struct pending_kernel {
        std::unique_ptr<running_kernel> kernel;
        std::uint64_t stream = 0;
        std::uint64_t tag = 0;
    };
    /// A kernel of the window, in a checkpoint.
    struct saved_kernel {
        std::uint64_t position = 0;  // of its command
        bool launched = false;
        std::uint64_t slot = 0;  // if launched, as what follows
        std::uint64_t launch = 0, launched_at = 0, issue_from = 0;
        template <class Archive>
        void checkpoint(Archive& a) {
            a(position, launched, slot, launch, launched_at, issue_from);
        }
    };
    std::vector<saved_kernel> window_to_save() const;
    void restore_window(const std::vector<saved_kernel>& window, std::uint64_t taken,
                        std::uint64_t digest);
    void note_taken(const host_command& command);
    void kernels_finished(std::vector<std::unique_ptr<running_kernel>> kernels) override;
    void deadlock() override;
    void limit_reached(const char* option) override;
    std::shared_ptr<program::kernel_source> source_of(const host_command& command);
    pending_kernel open(const host_command& command);
    std::size_t window(const host_command& next) const;
    void prefetch();
    void start_kernels();
    void done(std::uint64_t tag);

    kernel::phase_sequencer& sequencer_;
    const dispatch_config config_;
    const core::cluster_config& cores_;
    unsigned sms_;
    hooks calls_;
    std::function<bool()> stop_request_;
    std::deque<host_command> queue_;
    std::deque<pending_kernel> waiting_;             // in the window, not launched
    std::shared_ptr<program::kernel_source> ahead_;  // of the next launch in the queue
    std::vector<std::uint64_t> busy_streams_;
    std::size_t in_window_ = 0;
    std::vector<finished_kernel> finished_;
    std::vector<std::uint64_t> done_;
    std::vector<std::string> warnings_;
    std::uint64_t kernels_done_ = 0;
    std::uint64_t taken_ = 0;   // commands taken off the queue
    std::uint64_t digest_ = 0;  // of these
    bool ran_clusters_ = false;
    bool stopped_ = false;
    bool deadlocked_ = false;
    std::string stop_reason_;
    sc_core::sc_event progress_;
    cta_scheduler scheduler_;
};

}  // namespace simtlm::dispatch
