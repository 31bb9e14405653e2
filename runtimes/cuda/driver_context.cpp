// SPDX-License-Identifier: Apache-2.0
// Driver API: devices and contexts.
#include "runtimes/cuda/driver_api.h"

#include <memory>

using namespace simtlm::cuda;

namespace {

/// Makes a context current, and with it its device.
void make_current(context* c) {
    if (c != nullptr) session::thread().device = c->device;
}

void check_context(session& s, context* c) {
    require(c != nullptr && s.knows(c), status::invalid_context, "not a context");
}

}  // namespace

// ---- devices ----

RUNTIME(cuDeviceGetCount)(int* count) {
    return driver_call("cuDeviceGetCount", [&](session& s) {
        require_pointer(count);
        *count = static_cast<int>(s.gpus().devices());
    });
}
RUNTIME(cuDeviceGet)(int* device, int ordinal) {
    return driver_call("cuDeviceGet", [&](session& s) {
        require_pointer(device);
        check_device(s, ordinal);
        *device = ordinal;
    });
}
RUNTIME(cuDeviceGetName)(char* to, int bytes, int device) {
    return driver_call("cuDeviceGetName", [&](session& s) {
        require_pointer(to);
        std::snprintf(to, static_cast<std::size_t>(bytes), "%s", properties_of(s, device).name);
    });
}
RUNTIME(cuDeviceGetUuid)(uuid* to, int device) {
    return driver_call("cuDeviceGetUuid", [&](session& s) {
        require_pointer(to);
        *to = properties_of(s, device).id;
    });
}
RUNTIME(cuDeviceTotalMem)(std::size_t* bytes, int device) {
    return driver_call("cuDeviceTotalMem", [&](session& s) {
        require_pointer(bytes);
        *bytes = properties_of(s, device).global_bytes;
    });
}
RUNTIME(cuDeviceGetAttribute)(int* value, int attribute, int device) {
    return driver_call("cuDeviceGetAttribute", [&](session& s) {
        require_pointer(value);
        *value = attribute_of(s, attribute, device);
    });
}
RUNTIME(cuDeviceComputeCapability)(int* major, int* minor, int device) {
    return driver_call("cuDeviceComputeCapability", [&](session& s) {
        require_pointer(major);
        require_pointer(minor);
        *major = properties_of(s, device).major;
        *minor = properties_of(s, device).minor;
    });
}
RUNTIME(cuDeviceCanAccessPeer)(int* can, int device, int peer) {
    return driver_call("cuDeviceCanAccessPeer", [&](session& s) {
        require_pointer(can);
        check_device(s, device);
        check_device(s, peer);
        *can = device != peer ? 1 : 0;
    });
}

// ---- contexts ----

RUNTIME(cuCtxCreate)(context** to, unsigned flags, int device) {
    return driver_call("cuCtxCreate", [&](session& s) {
        require_pointer(to);
        check_device(s, device);
        *to = s.add_context(static_cast<unsigned>(device), flags);
        session::thread().contexts.push_back(*to);
        make_current(*to);
    });
}
/// Version of CUDA 13, with parameters.
RUNTIME(cuCtxCreate_v4)(context** to, void*, unsigned flags, int device) {
    return simtlm_rt_cuCtxCreate(to, flags, device);
}
RUNTIME(cuCtxCreate_v3)(context** to, void*, int, unsigned flags, int device) {
    return simtlm_rt_cuCtxCreate(to, flags, device);
}
/// Deprecated reference counting of contexts.
RUNTIME(cuCtxAttach)(context** to, unsigned) {
    return driver_call("cuCtxAttach", [&](session& s) {
        require_pointer(to);
        *to = s.current_context();
        require(*to != nullptr, status::invalid_context, "no current context");
        ++(*to)->references;
    });
}
RUNTIME(cuCtxDetach)(context* c) {
    return driver_call("cuCtxDetach", [&](session& s) {
        check_context(s, c);
        if (c->references > 0) --c->references;
    });
}
RUNTIME(cuCtxDestroy)(context* c) {
    return driver_call("cuCtxDestroy", [&](session& s) {
        check_context(s, c);
        s.work().wait_all(c->device);
        auto& stack = session::thread().contexts;
        stack.erase(std::remove(stack.begin(), stack.end(), c), stack.end());
        s.remove_context(c);
    });
}
RUNTIME(cuCtxGetCurrent)(context** to) {
    return driver_call("cuCtxGetCurrent", [&](session& s) {
        require_pointer(to);
        *to = s.current_context();
    });
}
RUNTIME(cuCtxSetCurrent)(context* c) {
    return driver_call("cuCtxSetCurrent", [&](session& s) {
        auto& stack = session::thread().contexts;
        if (!stack.empty()) stack.pop_back();
        session::thread().uses_runtime = false;  // until the next runtime call
        if (c == nullptr) return;
        check_context(s, c);
        stack.push_back(c);
        make_current(c);
    });
}
RUNTIME(cuCtxPushCurrent)(context* c) {
    return driver_call("cuCtxPushCurrent", [&](session& s) {
        check_context(s, c);
        s.current_context();  // keeps the primary context at the bottom of the stack
        session::thread().contexts.push_back(c);
        make_current(c);
    });
}
RUNTIME(cuCtxPopCurrent)(context** to) {
    return driver_call("cuCtxPopCurrent", [&](session& s) {
        require(s.current_context() != nullptr, status::invalid_context, "no current context");
        auto& stack = session::thread().contexts;
        if (to != nullptr) *to = stack.back();
        stack.pop_back();
        session::thread().uses_runtime = false;
        make_current(s.current_context());
    });
}
RUNTIME(cuCtxGetDevice)(int* device) {
    return driver_call("cuCtxGetDevice", [&](session& s) {
        require_pointer(device);
        const context* const c = s.current_context();
        require(c != nullptr, status::invalid_context, "no current context");
        *device = static_cast<int>(c->device);
    });
}
RUNTIME(cuCtxGetFlags)(unsigned* flags) {
    return driver_call("cuCtxGetFlags", [&](session& s) {
        require_pointer(flags);
        const context* const c = s.current_context();
        require(c != nullptr, status::invalid_context, "no current context");
        *flags = c->flags;
    });
}
RUNTIME(cuCtxGetApiVersion)(context*, unsigned* version) {
    return driver_call("cuCtxGetApiVersion", [&](session&) {
        require_pointer(version);
        *version = 3020;
    });
}
RUNTIME(cuCtxSynchronize)() {
    return driver_call("cuCtxSynchronize", [&](session& s) {
        refuse_waiting_for_captured_device(s, s.current_device());
        const status r = status_of(s.work().wait_all(s.current_device()));
        if (r != status::success) throw failure(r, "a GPU has failed");
    });
}
RUNTIME(cuCtxSynchronize_v2)(context* c) {
    return driver_call("cuCtxSynchronize_v2", [&](session& s) {
        if (c == nullptr) c = s.current_context();
        check_context(s, c);
        refuse_waiting_for_captured_device(s, c->device);
        const status r = status_of(s.work().wait_all(c->device));
        if (r != status::success) throw failure(r, "a GPU has failed");
    });
}
RUNTIME(cuCtxGetDevice_v2)(int* device, context* c) {
    return driver_call("cuCtxGetDevice_v2", [&](session& s) {
        require_pointer(device);
        if (c == nullptr) c = s.current_context();
        check_context(s, c);
        *device = static_cast<int>(c->device);
    });
}
RUNTIME(cuCtxGetStreamPriorityRange)(int* least, int* greatest) {
    return driver_call("cuCtxGetStreamPriorityRange", [&](session&) {
        if (least != nullptr) *least = 0;
        if (greatest != nullptr) *greatest = -5;
    });
}
RUNTIME(cuDevicePrimaryCtxRetain)(context** to, int device) {
    return driver_call("cuDevicePrimaryCtxRetain", [&](session& s) {
        require_pointer(to);
        check_device(s, device);
        *to = s.primary_context(static_cast<unsigned>(device));
        ++(*to)->references;
    });
}
RUNTIME(cuDevicePrimaryCtxRelease)(int device) {
    return driver_call("cuDevicePrimaryCtxRelease", [&](session& s) {
        check_device(s, device);
        context* const c = s.primary_context(static_cast<unsigned>(device));
        if (c->references > 0) --c->references;
    });
}
RUNTIME(cuDevicePrimaryCtxSetFlags)(int device, unsigned flags) {
    return driver_call("cuDevicePrimaryCtxSetFlags", [&](session& s) {
        check_device(s, device);
        s.primary_context(static_cast<unsigned>(device))->flags = flags;
    });
}
RUNTIME(cuDevicePrimaryCtxGetState)(int device, unsigned* flags, int* active) {
    return driver_call("cuDevicePrimaryCtxGetState", [&](session& s) {
        require_pointer(flags);
        require_pointer(active);
        check_device(s, device);
        context* const c = s.primary_context(static_cast<unsigned>(device));
        *flags = c->flags;
        *active = c->references > 0 ? 1 : 0;
    });
}
RUNTIME(cuDevicePrimaryCtxReset)(int device) {
    return driver_call("cuDevicePrimaryCtxReset", [&](session& s) {
        check_device(s, device);
        s.reset_device(static_cast<unsigned>(device));
    });
}
