// SPDX-License-Identifier: Apache-2.0
#include "runtimes/opencl/session.h"

#include "runtimes/common/process_session.h"
#include "runtimes/opencl/call.h"
#include "runtimes/opencl/limits.h"

#include <algorithm>
#include <cstdlib>

namespace simtlm::opencl {

namespace {

runtime::process_session<session> the_session([](session&) {});

}  // namespace

bool is_verbose() {
    static const bool yes = std::getenv("SIMTLM_VERBOSE") != nullptr;
    return yes;
}

session& session::get() {
    return the_session.get(
        [] { return new session; },
        [](runtime::absence, const std::string& why) { throw error(CL_OUT_OF_RESOURCES, why); });
}

bool session::is_over() {
    return the_session.is_over();
}

session::session() : host_session(reinterpret_cast<const void*>(&is_verbose)) {
    gpus().memory().share_with_host();  // objects are mapped in place
    for (unsigned d = 0; d < gpus().devices(); ++d) {
        devices.push_back(std::make_unique<_cl_device_id>());
        devices.back()->number = d;
    }
}

compiler& session::kernels() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!compiler_)
        compiler_ = std::make_unique<compiler>(config().capability(), runtime::server_address());
    return *compiler_;
}

cl_device_id session::device(cl_device_id handle) const {
    for (const auto& d : devices)
        if (d.get() == handle) return handle;
    throw error(CL_INVALID_DEVICE, "not a device");
}

limits limits::of(const device::system_config& c) {
    limits l;
    const core::sm_config& sm = c.gpu.cores.sm;
    l.work_group = std::min<std::size_t>(1024, sm.max_threads);
    l.allocation = std::max<std::uint64_t>(c.memory_bytes / 4, std::uint64_t{128} << 20);
    l.allocation = std::min(l.allocation, c.memory_bytes);
    l.local = std::min<std::uint64_t>(48 << 10, sm.shared.bytes);
    l.l2_bytes = std::uint64_t{c.gpu.memory.partition.l2.bytes()} * c.gpu.sub_partitions();
    return l;
}

cl_int code_of(device::status s) {
    using device::status;
    switch (s) {
        case status::success:
            return CL_SUCCESS;
        case status::out_of_memory:
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
        case status::invalid_value:
            return CL_INVALID_VALUE;
        case status::invalid_configuration:
            return CL_INVALID_WORK_GROUP_SIZE;
        case status::invalid_ptx:
        case status::invalid_image:
        case status::no_binary_for_gpu:
            return CL_INVALID_BINARY;
        default:
            return CL_OUT_OF_RESOURCES;
    }
}

namespace {

/// Called at the end of the process, after the program's own code.
__attribute__((destructor)) void end_session() {
    the_session.end_of_process();
}

}  // namespace

}  // namespace simtlm::opencl
