// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/common/host_session.h"
#include "runtimes/opencl/compiler.h"
#include "runtimes/opencl/objects.h"

#include <memory>
#include <mutex>
#include <vector>

namespace simtlm::opencl {

/// State of OpenCL in a process. Created by the first call.
class session : public runtime::host_session {
public:
    /// The session of this process. @throws error  for a faulty configuration, or if the program is
    /// ending
    static session& get();
    /// Returns whether a session existed and has ended.
    static bool is_over();

    /// The compiler, created when the first program is built.
    compiler& kernels();

    _cl_platform_id platform;
    std::vector<std::unique_ptr<_cl_device_id>> devices;
    cl_device_id device(cl_device_id handle) const;  ///< @throws error  if there is no such device

    registry<_cl_context> contexts{CL_INVALID_CONTEXT};
    registry<_cl_command_queue> queues{CL_INVALID_COMMAND_QUEUE};
    registry<_cl_mem> memory{CL_INVALID_MEM_OBJECT};
    registry<_cl_sampler> samplers{CL_INVALID_SAMPLER};
    registry<_cl_program> programs{CL_INVALID_PROGRAM};
    registry<_cl_kernel> all_kernels{CL_INVALID_KERNEL};
    registry<_cl_event> events{CL_INVALID_EVENT};
    /// User events whose status has not been set. Programs may release the handle once commands
    /// wait for the event, and set the status from another thread, which drivers accept.
    registry<_cl_event> unset_user_events{CL_INVALID_EVENT};

private:
    session();

    std::unique_ptr<compiler> compiler_;
    std::mutex mutex_;  ///< protects compiler_
};

}  // namespace simtlm::opencl
