// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"

#include <cstdint>
#include <memory>
#include <string>

namespace simtlm::platform {

class gpu;

/// What a host program has had a GPU do in a stream beside kernels, or a call that it has made.
struct host_activity {
    enum class kind : std::uint8_t {
        command,  ///< a copy, a fill, an event, a host function: in a stream
        call      ///< of the API: by a thread of the host
    };
    kind what = kind::command;
    const char* name = "";
    std::uint64_t row = 0;    ///< number of the stream, or of the thread
    std::uint64_t from = 0;   ///< simulated time, ps
    std::uint64_t to = 0;     ///< simulated time, ps
    std::uint64_t bytes = 0;  ///< copied or filled; 0: none
};

/// The timeline of a run (--timeline, --timeline-window, --timeline-sample) in the JSON array
/// format of Chrome's trace viewer and Perfetto: kernels by stream, CTAs and stalled warps by SM,
/// bulk copies and products of warpgroups of sm_90, memory requests with their hops, and counters.
/// docs/waveforms.md tells what is in it.
///
/// Kernels, CTAs, copies and products are complete; warps and counters are sampled, and of the
/// memory requests a few per interval are taken, so that a file stays loadable. Sees the GPU only
/// through const accessors and observers.
class timeline_writer {
public:
    /// @throws kernel::user_error when the file cannot be created
    timeline_writer(gpu& device, const run_config& how);
    ~timeline_writer();

    /// Shows what a host program does. Any thread may call it until finish(); calls are limited in
    /// number, as stalls and requests are.
    void add(const host_activity& activity);

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
