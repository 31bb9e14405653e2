// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"

#include <memory>
#include <string>

namespace simtlm::platform {

class gpu;

/// The timeline of a run (--timeline, --timeline-window, --timeline-sample) in the JSON array
/// format of Chrome's trace viewer and Perfetto: kernels by stream, CTAs and stalled warps by SM,
/// memory requests with their hops, and counters. docs/waveforms.md tells what is in it.
///
/// Kernels and CTAs are complete; warps and counters are sampled, and of the memory requests a few
/// per interval are taken, so that a file stays loadable. Sees the GPU only through const accessors
/// and observers.
class timeline_writer {
public:
    /// @throws kernel::user_error when the file cannot be created
    timeline_writer(gpu& device, const run_config& how);
    ~timeline_writer();

    /// Completes the file: what still runs ends now. The destructor does the same and prints what
    /// goes wrong. @throws kernel::user_error
    void finish();
    /// That the window lies beyond the end of the run; else empty. @pre finish()
    std::string remark() const;

private:
    struct recording;
    std::unique_ptr<recording> recording_;
};

/// The timeline that the options ask for, or nothing. Call it once the GPU is built and before the
/// simulation starts.
std::unique_ptr<timeline_writer> attach_timeline(gpu& device, const run_config& how);

}  // namespace simtlm::platform
