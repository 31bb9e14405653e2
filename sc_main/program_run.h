// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"
#include "platform/outputs/trace_recording.h"
#include "platform/sampling/launch_sampler.h"
#include "sc_main/loaded_program.h"
#include "sc_main/workload.h"

namespace simtlm {

/// The launches of a program as commands for a GPU: host copies of nonzero buffers, followed by the
/// kernels. The program must outlive them, and the recorder must outlive what it records.
/// @param recording  nullptr: no recording
/// @param sampler    chooses the launches; nullptr: --kernels and related options do
/// @throws support::user_error
workload workload_of(loaded_program& program, const platform::gpu_config& config,
                     platform::trace_recording* recording,
                     platform::launch_sampler* sampler = nullptr);

}  // namespace simtlm
