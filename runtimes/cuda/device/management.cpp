// SPDX-License-Identifier: Apache-2.0
// NVIDIA's management library (libnvidia-ml.so.1): identity and memory of the simulated GPUs, for
// programs that ask it which GPUs exist. What a simulated GPU does not have (temperatures, power,
// fans) is "not supported", as on many GPUs.
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/device/device.h"

#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>

using namespace simtlm::cuda;

namespace {

/// nvmlReturn_t
enum management_status : result {
    done = 0,
    invalid_argument = 2,
    unsupported = 3,
    not_found = 6,
    insufficient_size = 7,
    driver_not_loaded = 9,
    unknown_error = 999,
};

/// nvmlDevice_t: the number of the GPU + 1.
using device_handle = std::uintptr_t;

/// nvmlMemory_t and nvmlMemory_v2_t
struct memory_use {
    unsigned long long total, free, used;
};
struct memory_use_v2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};
/// nvmlPciInfo_t
struct pci_place {
    char short_name[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char name[32];
};
/// nvmlUtilization_t
struct utilisation {
    unsigned gpu, memory;
};

/// An entry point: `Call::run` returns the result, or nothing, or throws.
template <class Call, class Run = decltype(Call::run)>
struct management_entry;
template <class Call, class Return, class... Parameters>
struct management_entry<Call, Return(session&, Parameters...)> {
    static result enter(Parameters... arguments) noexcept {
        result answer = done;
        const result r =
            call<library_kind::driver>(Call::name, after_fault::allowed, [&](session& s) {
                if constexpr (std::is_void_v<Return>)
                    Call::run(s, arguments...);
                else
                    answer = Call::run(s, arguments...);
                return status::success;
            });
        if (r == 0) return answer;
        if (r == driver_number(status::not_initialised)) return driver_not_loaded;
        return r == driver_number(status::invalid_value) ? invalid_argument : unknown_error;
    }
};

#define MANAGEMENT_CALL(Return, symbol, ...) \
    SIMTLM_CALL(management_entry, Return, false, symbol, #symbol, __VA_ARGS__)

/// The number of a GPU. @throws failure  for an unknown handle
int gpu_of(session& s, device_handle handle) {
    require(handle != 0 && handle <= s.gpus().devices(), status::invalid_value, "not a GPU");
    return static_cast<int>(handle - 1);
}

/// Copies a text to a buffer of the program.
result give(const std::string& text, char* to, unsigned bytes) {
    if (to == nullptr) return invalid_argument;
    if (text.size() + 1 > bytes) return insufficient_size;
    std::memcpy(to, text.c_str(), text.size() + 1);
    return done;
}

std::string uuid_of(session& s, int device) {
    const uuid id = properties_of(s, device).id;
    std::string text = "GPU-";
    for (std::size_t i = 0; i < sizeof id.bytes; ++i) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(id.bytes[i]));
        text += digits;
        if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
    }
    return text;
}

std::string pci_name(const device_properties& p, const char* format) {
    char text[32];
    std::snprintf(text, sizeof text, format, static_cast<unsigned>(p.pci_domain),
                  static_cast<unsigned>(p.pci_bus), static_cast<unsigned>(p.pci_device));
    return text;
}
constexpr const char *short_pci = "%04X:%02X:%02X.0", *long_pci = "%08X:%02X:%02X.0";

/// Finds the GPU for which `same(device)` holds.
template <class Same>
result find_device(session& s, device_handle* to, Same&& same) {
    if (to == nullptr) return invalid_argument;
    for (unsigned d = 0; d < s.gpus().devices(); ++d)
        if (same(static_cast<int>(d))) {
            *to = d + 1;
            return done;
        }
    return not_found;
}

std::string driver_version() {
    return std::to_string(runtime_version / 1000 * 10 + 450) + ".00";
}

}  // namespace

MANAGEMENT_CALL(void, nvmlInit, session&) {}
MANAGEMENT_CALL(void, nvmlInitWithFlags, session&, unsigned) {}
FUNCTION(result, nvmlShutdown, void) {
    return done;
}
/// For every function that needs what a simulated GPU does not have.
FUNCTION(result, nvmlNotSupported, void) {
    return unsupported;
}
FUNCTION(const char*, nvmlErrorString, result r) {
    switch (r) {
        case done:
            return "Success";
        case 1:
            return "Uninitialized";
        case invalid_argument:
            return "Invalid Argument";
        case unsupported:
            return "Not Supported";
        case not_found:
            return "Not Found";
        case insufficient_size:
            return "Insufficient Size";
        case driver_not_loaded:
            return "Driver Not Loaded";
        default:
            return "Unknown Error";
    }
}

// ---- the system ----

MANAGEMENT_CALL(result, nvmlSystemGetDriverVersion, session&, char* to, unsigned bytes) {
    return give(driver_version(), to, bytes);
}
MANAGEMENT_CALL(result, nvmlSystemGetNVMLVersion, session&, char* to, unsigned bytes) {
    return give(std::to_string(runtime_version / 1000) + "." + driver_version(), to, bytes);
}
MANAGEMENT_CALL(void, nvmlSystemGetCudaDriverVersion, session&, int* to) {
    value_at(to) = runtime_version;
}
MANAGEMENT_CALL(void, nvmlDeviceGetCount, session& s, unsigned* to) {
    value_at(to) = s.gpus().devices();
}

// ---- handles ----

MANAGEMENT_CALL(result, nvmlDeviceGetHandleByIndex, session& s, unsigned index, device_handle* to) {
    if (to == nullptr || index >= s.gpus().devices()) return invalid_argument;
    *to = index + 1;
    return done;
}
MANAGEMENT_CALL(result, nvmlDeviceGetHandleByUUID, session& s, const char* id, device_handle* to) {
    return find_device(s, to, [&](int d) { return id != nullptr && uuid_of(s, d) == id; });
}
MANAGEMENT_CALL(result, nvmlDeviceGetHandleByPciBusId, session& s, const char* id,
                device_handle* to) {
    return find_device(s, to, [&](int d) {
        unsigned domain = 0, bus = 0, device = 0;
        const device_properties p = properties_of(s, d);
        return id != nullptr && std::sscanf(id, "%x:%x:%x", &domain, &bus, &device) == 3 &&
               domain == static_cast<unsigned>(p.pci_domain) &&
               bus == static_cast<unsigned>(p.pci_bus) &&
               device == static_cast<unsigned>(p.pci_device);
    });
}

// ---- one GPU ----

MANAGEMENT_CALL(result, nvmlDeviceGetName, session& s, device_handle h, char* to, unsigned bytes) {
    const int d = gpu_of(s, h);
    return give(properties_of(s, d).name, to, bytes);
}
MANAGEMENT_CALL(result, nvmlDeviceGetUUID, session& s, device_handle h, char* to, unsigned bytes) {
    const int d = gpu_of(s, h);
    return give(uuid_of(s, d), to, bytes);
}
MANAGEMENT_CALL(void, nvmlDeviceGetIndex, session& s, device_handle h, unsigned* to) {
    const int d = gpu_of(s, h);
    value_at(to) = static_cast<unsigned>(d);
}
MANAGEMENT_CALL(void, nvmlDeviceGetMemoryInfo, session& s, device_handle h, memory_use* to) {
    const int d = gpu_of(s, h);
    const auto& m = s.gpus().memory();
    const std::uint64_t used = m.used(static_cast<unsigned>(d));
    value_at(to) = {m.capacity(), m.capacity() - used, used};
}
MANAGEMENT_CALL(void, nvmlDeviceGetMemoryInfo_v2, session& s, device_handle h, memory_use_v2* to) {
    const int d = gpu_of(s, h);
    const auto& m = s.gpus().memory();
    const std::uint64_t used = m.used(static_cast<unsigned>(d));
    value_at(to) = {to->version, m.capacity(), 0, m.capacity() - used, used};
}
MANAGEMENT_CALL(void, nvmlDeviceGetPciInfo, session& s, device_handle h, pci_place* to) {
    const int d = gpu_of(s, h);
    const device_properties p = properties_of(s, d);
    pci_place place{};
    std::snprintf(place.short_name, sizeof place.short_name, "%s", pci_name(p, short_pci).c_str());
    place.domain = static_cast<unsigned>(p.pci_domain);
    place.bus = static_cast<unsigned>(p.pci_bus);
    place.device = static_cast<unsigned>(p.pci_device);
    constexpr unsigned vendor = 0x10de;
    place.device_id = vendor;
    std::snprintf(place.name, sizeof place.name, "%s", pci_name(p, long_pci).c_str());
    value_at(to) = place;
}
MANAGEMENT_CALL(void, nvmlDeviceGetCudaComputeCapability, session& s, device_handle h, int* major,
                int* minor) {
    const int d = gpu_of(s, h);
    const device_properties p = properties_of(s, d);
    value_at(major) = p.major;
    value_at(minor) = p.minor;
}
MANAGEMENT_CALL(void, nvmlDeviceGetComputeMode, session& s, device_handle h, int* to) {
    const int d = gpu_of(s, h);
    value_at(to) = properties_of(s, d).compute_mode;
}
MANAGEMENT_CALL(void, nvmlDeviceGetMultiGpuBoard, session& s, device_handle h, unsigned* to) {
    gpu_of(s, h);
    value_at(to) = 0;
}
MANAGEMENT_CALL(void, nvmlDeviceGetMemoryBusWidth, session& s, device_handle h, unsigned* to) {
    const int d = gpu_of(s, h);
    value_at(to) = static_cast<unsigned>(properties_of(s, d).memory_bus_bits);
}
/// The clocks of the configuration; a simulated GPU has no others.
/// @param domain  0 graphics, 1 SM, 2 memory, 3 video; in MHz
MANAGEMENT_CALL(result, nvmlDeviceGetMaxClockInfo, session& s, device_handle h, int domain,
                unsigned* to) {
    const int d = gpu_of(s, h);
    const device_properties p = properties_of(s, d);
    if (domain < 0 || domain > 3) return invalid_argument;
    if (domain == 3) return unsupported;
    value_at(to) = static_cast<unsigned>(domain == 2 ? p.memory_clock_khz : p.clock_khz) / 1000;
    return done;
}
MANAGEMENT_CALL(void, nvmlDeviceGetUtilizationRates, session& s, device_handle h, utilisation* to) {
    gpu_of(s, h);
    value_at(to) = {0, 0};
}
/// Processes that use the GPU: none is known.
MANAGEMENT_CALL(void, nvmlDeviceGetComputeRunningProcesses, session& s, device_handle h,
                unsigned* count, void*) {
    gpu_of(s, h);
    value_at(count) = 0;
}
