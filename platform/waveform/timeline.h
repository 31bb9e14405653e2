// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"

#include <cstdint>
#include <memory>
#include <string>

namespace simtlm::platform {

class gpu;

/// An activity of a host program: a command in a stream other than a kernel, or an API call.
struct host_activity {
    /// Kind of an activity.
    enum class kind : std::uint8_t {
        command,  ///< a copy, fill, event or host function in a stream
        call      ///< an API call by a host thread
    };
    kind what = kind::command;
    const char* name = "";
    std::uint64_t row = 0;    ///< stream number or thread number
    std::uint64_t from = 0;   ///< simulated time, ps
    std::uint64_t to = 0;     ///< simulated time, ps
    std::uint64_t bytes = 0;  ///< size of a copy or fill; 0: none
};

/// Writes the timeline of a run (--timeline, --timeline-window, --timeline-sample) in the JSON
/// array format of Chrome's trace viewer and Perfetto: kernels by stream, CTAs and stalled warps by
/// SM, bulk copies and warpgroup matrix products of sm_90, memory requests with their hops, and
/// counters. docs/waveforms.md describes the contents.
///
/// Kernels, CTAs, copies and products are recorded completely; warps and counters are sampled, and
/// only a few memory requests per interval are recorded to limit the file size. It accesses the GPU
/// only through const functions and observers.
class timeline_writer {
public:
    /// @throws support::user_error  if the file cannot be created
    timeline_writer(gpu& device, const run_config& how);
    ~timeline_writer();

    /// Adds an activity of a host program. Thread-safe until finish(); the number of calls is
    /// limited, like those of stalls and requests.
    void add(const host_activity& activity);

    /// Completes the file; open slices end now. The destructor does the same and prints errors.
    /// @throws support::user_error
    void finish();
    /// A remark if the window lies beyond the end of the run, otherwise empty. @pre finish()
    std::string remark() const;

private:
    struct recording;
    std::unique_ptr<recording> recording_;
};

/// Returns the timeline that the options request, or nullptr. Call after the GPU has been built and
/// before the simulation starts.
std::unique_ptr<timeline_writer> attach_timeline(gpu& device, const run_config& how);

}  // namespace simtlm::platform
