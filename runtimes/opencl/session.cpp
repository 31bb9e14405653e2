// SPDX-License-Identifier: Apache-2.0
#include "runtimes/opencl/session.h"

#include "runtimes/common/process_environment.h"
#include "runtimes/common/termination_signals.h"
#include "runtimes/opencl/call.h"
#include "runtimes/opencl/limits.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace simtlm::opencl {

namespace {

session* the_session = nullptr;
std::atomic<bool> over{false};

}  // namespace

bool is_verbose() {
    static const bool yes = std::getenv("SIMTLM_VERBOSE") != nullptr;
    return yes;
}

session& session::get() {
    static std::once_flag once;
    static std::string why;
    std::call_once(once, [] {
        try {
            the_session = new session;
        } catch (const std::exception& e) {
            why = e.what();
            runtime::end_program_without_session(why, reinterpret_cast<const void*>(&is_verbose));
            std::fputs(fmt::format("simtlm: {}\n", why).c_str(), stderr);
        }
    });
    if (the_session == nullptr) throw error(CL_OUT_OF_RESOURCES, why);
    // A signal is about to end the process.
    while (runtime::termination_signal_came() && the_session->ended()) ::pause();
    if (is_over()) throw error(CL_OUT_OF_RESOURCES, "the program has ended");
    if (the_session->process() != ::getpid())
        throw error(CL_OUT_OF_RESOURCES, "a forked process cannot use the GPUs of its parent");
    return *the_session;
}

bool session::is_over() {
    return over || (the_session != nullptr && the_session->ended());
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
    if (!compiler_) compiler_ = std::make_unique<compiler>(config().capability());
    return *compiler_;
}

void session::remove_temporary_files() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (compiler_) compiler_->remove_temporary_files();
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
    // A forked process has no simulation thread.
    if (the_session != nullptr && the_session->process() == ::getpid()) {
        the_session->end({});
        over = true;
        the_session->remove_temporary_files();
        the_session->end_with_code();
    }
    over = true;
}

}  // namespace

}  // namespace simtlm::opencl

/// Objects with static storage duration in this library are not destroyed at the end of the
/// process, because destructors of the program may still make calls and statistics are written
/// afterwards. Overriding this function keeps them from registering with the C library.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) {
    return 0;
}
