// SPDX-License-Identifier: Apache-2.0
// Devices: selection, limits, peers, identity, versions.
#include "runtimes/cuda/device/device.h"

#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/function/function.h"
#include "runtimes/cuda/memory/memory.h"
#include "runtimes/cuda/stream/stream.h"

#include <atomic>
#include <cstddef>
#include <cstdio>

namespace simtlm::cuda {

CALL(cuInit, session&, unsigned flags) {
    require(flags == 0, status::invalid_value, "unknown flags");
}

void check_device(session& s, int device) {
    require(device >= 0 && static_cast<unsigned>(device) < s.gpus().devices(),
            status::invalid_device, "unknown device");
}

namespace {

constexpr const char* bus_format = "0000:%02x:00.0";

}  // namespace

CALL(cudaGetDeviceCount, session& s, int* count) {
    require_pointer(count);
    *count = static_cast<int>(s.gpus().devices());
}
CALL(cudaChooseDevice, session&, int* device, const void*) {
    require_pointer(device);
    *device = 0;
}
CALL(cudaSetDevice, session& s, int device) {
    check_device(s, device);
    session::thread().device = static_cast<unsigned>(device);
    // The driver API continues with the primary context of the device.
    auto& contexts = session::thread().contexts;
    if (!contexts.empty()) contexts.pop_back();
    contexts.push_back(s.contexts.primary(static_cast<unsigned>(device)));
}
CALL(cudaInitDevice, session& s, int device, unsigned, unsigned) {
    check_device(s, device);
}
CALL(cudaGetDevice, session& s, int* device) {
    require_pointer(device);
    *device = static_cast<int>(s.current_device());
}
CALL(cudaSetValidDevices, session&, int*, int) {}
CALL(cudaSetDeviceFlags, session& s, unsigned flags) {
    s.device_flags = flags;
}
CALL(cudaGetDeviceFlags, session& s, unsigned* flags) {
    require_pointer(flags);
    *flags = s.device_flags | 8;  // cudaDeviceMapHost
}
CALL(cudaDeviceSynchronize, session& s) {
    refuse_waiting_for_captured_device(s, s.current_device());
    require_success(s.work().wait_all(s.current_device()));
}
FUNCTION(result, cudaDeviceReset, void) {
    return call<library_kind::runtime>("cudaDeviceReset", after_fault::allowed, [&](session& s) {
        s.reset_device(s.current_device());
        session::thread().last_error = 0;
        return status_of(s.work().fault(s.current_device()));  // the sticky error
    });
}

namespace {

constexpr std::size_t largest_stack = std::size_t{512} << 10;  ///< local memory per thread

/// The context whose settings a call changes.
context& current_context(session& s) {
    return s.contexts.of_device(s.current_device());
}

}  // namespace

CALL(cudaDeviceSetLimit, session& s, int limit, std::size_t value) {
    require(limit >= 0 && limit <= 6, status::invalid_value, "no limit");
    // The stack is in the local memory window of a thread; the heap is in device memory.
    require(limit != 0 || value <= largest_stack, status::invalid_value,
            "a stack of more than 512 KiB");
    require(limit != 2 || value <= s.gpus().memory().capacity(), status::out_of_memory,
            "a heap larger than device memory");
    if (limit == 0) s.gpus().state().stack_limit = value;
    if (limit == 2) s.gpus().state().heap_limit = value;
    current_context(s).limits[static_cast<unsigned>(limit)] = value;
}
CALL(cudaDeviceGetLimit, session& s, std::size_t* value, int limit) {
    require_pointer(value);
    require(limit >= 0 && limit <= 9, status::invalid_value, "no limit");
    // Limits of shared memory with graphics, which is not modelled, are 0: CU_LIMIT_SHMEM_SIZE,
    // CU_LIMIT_CIG_ENABLED, CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED.
    const auto& stored = current_context(s).limits;
    const auto n = static_cast<unsigned>(limit);
    *value = limit == 0          ? s.gpus().state().stack_limit
             : limit == 2        ? s.gpus().state().heap_limit
             : n < stored.size() ? stored[n].load()
                                 : 0;
}
CALL(cudaDeviceGetTexture1DLinearMaxWidth, session&, std::size_t* width,
     const channel_description* d, int) {
    require_pointer(width, d);
    *width = (std::size_t{1} << 28) / format_of(*d).bytes();
}

CALL(cudaDeviceGetCacheConfig, session& s, int* to) {
    value_at(to) = current_context(s).cache_preference;
}
CALL(cudaDeviceSetCacheConfig, session& s, int value) {
    require(value >= 0 && value <= 3, status::invalid_value, "unknown preference");
    current_context(s).cache_preference = value;
}
CALL(cudaDeviceGetSharedMemConfig, session& s, int* to) {
    value_at(to) = current_context(s).bank_size;
}
CALL(cudaDeviceSetSharedMemConfig, session& s, int value) {
    current_context(s).bank_size = value == 0 ? 1 : value;
}
CALL(cudaDeviceGetPCIBusId, session& s, char* to, int bytes, int device) {
    check_device(s, device);
    require(to != nullptr && bytes > 12, status::invalid_value,
            "the buffer is too small for the name");
    std::snprintf(to, static_cast<std::size_t>(bytes), bus_format, device + 1);
}
CALL(cudaDeviceGetByPCIBusId, session& s, int* device, const char* id) {
    require_pointer(device, id);
    // [domain]:[bus]:[device].[function], without the domain or the function, hexadecimal
    unsigned domain = 0, bus = 0, slot = 0, part = 0;
    int read = 0;
    const auto matches = [&](int fields, int expected) {
        return fields == expected && id[read] == '\0';
    };
    const bool valid =
        matches(std::sscanf(id, "%x:%x:%x.%x%n", &domain, &bus, &slot, &part, &read), 4) ||
        (part = 0, matches(std::sscanf(id, "%x:%x:%x%n", &domain, &bus, &slot, &read), 3)) ||
        (domain = 0, matches(std::sscanf(id, "%x:%x.%x%n", &bus, &slot, &part, &read), 3));
    require(valid, status::invalid_value, "not a PCI bus identifier");
    require(domain == 0 && bus >= 1 && bus <= s.gpus().devices() && slot == 0 && part == 0,
            status::invalid_device, "unknown device");
    *device = static_cast<int>(bus - 1);
}
CALL(cudaDeviceCanAccessPeer, session& s, int* can, int device, int peer) {
    require_pointer(can);
    check_device(s, device);
    check_device(s, peer);
    *can = device != peer ? 1 : 0;
}
void set_peer_access(session& s, unsigned peer, bool enabled) {
    require(!enabled || peer != s.current_device(), status::invalid_device,
            "a device cannot be its own peer");
    if (s.peers[s.current_device()][peer].exchange(enabled) != enabled) return;
    require(!enabled, status::peer_access_already_enabled, "access is already enabled");
    throw failure(status::peer_access_not_enabled, "access is not enabled");
}
CALL(cudaDeviceEnablePeerAccess, session& s, int peer, unsigned) {
    check_device(s, peer);
    set_peer_access(s, static_cast<unsigned>(peer), true);
}
CALL(cudaDeviceDisablePeerAccess, session& s, int peer) {
    check_device(s, peer);
    set_peer_access(s, static_cast<unsigned>(peer), false);
}
CALL(cudaDeviceGetP2PAttribute, session& s, int* value, int attribute, int from, int to) {
    require_pointer(value);
    check_device(s, from);
    check_device(s, to);
    require(from != to, status::invalid_device, "a device cannot be its own peer");
    *value = attribute == 1 ? 0 : 1;
}
CALL(cudaCtxResetPersistingL2Cache, session&) {}
CALL(cudaDeviceFlushGPUDirectRDMAWrites, session&, int, int) {}

namespace {

result give_version(int* to, int version) {
    if (to == nullptr) return 1;
    *to = version;
    return 0;
}

}  // namespace

FUNCTION(result, cudaDriverGetVersion, int* to) {
    return give_version(to, runtime_version);
}
FUNCTION(result, cudaRuntimeGetVersion_v11, int* to) {
    return give_version(to, 11080);
}
FUNCTION(result, cudaRuntimeGetVersion_v12, int* to) {
    return give_version(to, 12090);
}
FUNCTION(result, cudaRuntimeGetVersion_v13, int* to) {
    return give_version(to, 13000);
}
CALL(cudaProfilerStart, session&) {}
CALL(cudaProfilerStop, session&) {}
CALL(cudaProfilerInitialize, session&, const char*, const char*, int) {}
CALL(cuDeviceGet, session& s, int* device, int ordinal) {
    require_pointer(device);
    check_device(s, ordinal);
    *device = ordinal;
}
CALL(cuDeviceGetName, session& s, char* to, int bytes, int device) {
    require_pointer(to);
    std::snprintf(to, static_cast<std::size_t>(bytes), "%s", properties_of(s, device).name);
}
CALL(cuDeviceGetUuid, session& s, uuid* to, int device) {
    require_pointer(to);
    *to = properties_of(s, device).id;
}
CALL(cuDeviceTotalMem, session& s, std::size_t* bytes, int device) {
    require_pointer(bytes);
    *bytes = properties_of(s, device).global_bytes;
}
CALL(cuDeviceComputeCapability, session& s, int* major, int* minor, int device) {
    require_pointer(major, minor);
    *major = properties_of(s, device).major;
    *minor = properties_of(s, device).minor;
}
FUNCTION(result, cuProfilerStart, void) {
    return 0;
}
FUNCTION(result, cuProfilerStop, void) {
    return 0;
}

}  // namespace simtlm::cuda
