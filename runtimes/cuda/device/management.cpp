// SPDX-License-Identifier: Apache-2.0
// NVIDIA's management library (libnvidia-ml.so.1): identity and memory of the simulated GPUs, for
// programs that ask it which GPUs exist. What a simulated GPU does not have (temperatures, power,
// fans) is "not supported", as on many GPUs.
#include "runtimes/cuda/abi/call.h"

#include <cstdio>
#include <cstring>
#include <string>

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

/// Executes a call; `act(session)` returns the result or throws.
template <class Act>
result management_call(const char* name, Act&& act) noexcept {
    result answer = done;
    const result r = call<library_kind::driver>(name, after_fault::allowed, [&](session& s) {
        answer = act(s);
        return status::success;
    });
    if (r == 0) return answer;
    if (r == driver_number(status::not_initialised)) return driver_not_loaded;
    return r == driver_number(status::invalid_value) ? invalid_argument : unknown_error;
}

/// Executes a call about one GPU; `act(session, number of the GPU)` returns the result.
template <class Act>
result about_device(const char* name, device_handle handle, Act&& act) noexcept {
    return management_call(name, [&](session& s) -> result {
        if (handle == 0 || handle > s.gpus().devices()) return invalid_argument;
        return act(s, static_cast<int>(handle - 1));
    });
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
result find_device(const char* name, device_handle* to, Same&& same) noexcept {
    return management_call(name, [&](session& s) -> result {
        if (to == nullptr) return invalid_argument;
        for (unsigned d = 0; d < s.gpus().devices(); ++d)
            if (same(s, static_cast<int>(d))) {
                *to = d + 1;
                return done;
            }
        return not_found;
    });
}

std::string driver_version() {
    return std::to_string(runtime_version / 1000 * 10 + 450) + ".00";
}

}  // namespace

FUNCTION(result, nvmlInit, void) {
    return management_call("nvmlInit", [](session&) { return done; });
}
FUNCTION(result, nvmlInitWithFlags, unsigned) {
    return management_call("nvmlInitWithFlags", [](session&) { return done; });
}
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

FUNCTION(result, nvmlSystemGetDriverVersion, char* to, unsigned bytes) {
    return management_call("nvmlSystemGetDriverVersion",
                           [&](session&) { return give(driver_version(), to, bytes); });
}
FUNCTION(result, nvmlSystemGetNVMLVersion, char* to, unsigned bytes) {
    return management_call("nvmlSystemGetNVMLVersion", [&](session&) {
        return give(std::to_string(runtime_version / 1000) + "." + driver_version(), to, bytes);
    });
}
FUNCTION(result, nvmlSystemGetCudaDriverVersion, int* to) {
    return management_call("nvmlSystemGetCudaDriverVersion", [&](session&) {
        value_at(to) = runtime_version;
        return done;
    });
}
FUNCTION(result, nvmlDeviceGetCount, unsigned* to) {
    return management_call("nvmlDeviceGetCount", [&](session& s) {
        value_at(to) = s.gpus().devices();
        return done;
    });
}

// ---- handles ----

FUNCTION(result, nvmlDeviceGetHandleByIndex, unsigned index, device_handle* to) {
    return management_call("nvmlDeviceGetHandleByIndex", [&](session& s) -> result {
        if (to == nullptr || index >= s.gpus().devices()) return invalid_argument;
        *to = index + 1;
        return done;
    });
}
FUNCTION(result, nvmlDeviceGetHandleByUUID, const char* id, device_handle* to) {
    return find_device("nvmlDeviceGetHandleByUUID", to,
                       [&](session& s, int d) { return id != nullptr && uuid_of(s, d) == id; });
}
FUNCTION(result, nvmlDeviceGetHandleByPciBusId, const char* id, device_handle* to) {
    return find_device("nvmlDeviceGetHandleByPciBusId", to, [&](session& s, int d) {
        unsigned domain = 0, bus = 0, device = 0;
        const device_properties p = properties_of(s, d);
        return id != nullptr && std::sscanf(id, "%x:%x:%x", &domain, &bus, &device) == 3 &&
               domain == static_cast<unsigned>(p.pci_domain) &&
               bus == static_cast<unsigned>(p.pci_bus) &&
               device == static_cast<unsigned>(p.pci_device);
    });
}

// ---- one GPU ----

FUNCTION(result, nvmlDeviceGetName, device_handle h, char* to, unsigned bytes) {
    return about_device("nvmlDeviceGetName", h, [&](session& s, int d) {
        return give(properties_of(s, d).name, to, bytes);
    });
}
FUNCTION(result, nvmlDeviceGetUUID, device_handle h, char* to, unsigned bytes) {
    return about_device("nvmlDeviceGetUUID", h,
                        [&](session& s, int d) { return give(uuid_of(s, d), to, bytes); });
}
FUNCTION(result, nvmlDeviceGetIndex, device_handle h, unsigned* to) {
    return about_device("nvmlDeviceGetIndex", h, [&](session&, int d) {
        value_at(to) = static_cast<unsigned>(d);
        return done;
    });
}
FUNCTION(result, nvmlDeviceGetMemoryInfo, device_handle h, memory_use* to) {
    return about_device("nvmlDeviceGetMemoryInfo", h, [&](session& s, int d) {
        const auto& m = s.gpus().memory();
        const std::uint64_t used = m.used(static_cast<unsigned>(d));
        value_at(to) = {m.capacity(), m.capacity() - used, used};
        return done;
    });
}
FUNCTION(result, nvmlDeviceGetMemoryInfo_v2, device_handle h, memory_use_v2* to) {
    return about_device("nvmlDeviceGetMemoryInfo_v2", h, [&](session& s, int d) {
        const auto& m = s.gpus().memory();
        const std::uint64_t used = m.used(static_cast<unsigned>(d));
        value_at(to) = {to->version, m.capacity(), 0, m.capacity() - used, used};
        return done;
    });
}
FUNCTION(result, nvmlDeviceGetPciInfo_v3, device_handle h, pci_place* to) {
    return about_device("nvmlDeviceGetPciInfo", h, [&](session& s, int d) {
        const device_properties p = properties_of(s, d);
        pci_place place{};
        std::snprintf(place.short_name, sizeof place.short_name, "%s",
                      pci_name(p, short_pci).c_str());
        place.domain = static_cast<unsigned>(p.pci_domain);
        place.bus = static_cast<unsigned>(p.pci_bus);
        place.device = static_cast<unsigned>(p.pci_device);
        constexpr unsigned vendor = 0x10de;
        place.device_id = vendor;
        std::snprintf(place.name, sizeof place.name, "%s", pci_name(p, long_pci).c_str());
        value_at(to) = place;
        return done;
    });
}
FUNCTION(result, nvmlDeviceGetCudaComputeCapability, device_handle h, int* major, int* minor) {
    return about_device("nvmlDeviceGetCudaComputeCapability", h, [&](session& s, int d) {
        const device_properties p = properties_of(s, d);
        value_at(major) = p.major;
        value_at(minor) = p.minor;
        return done;
    });
}
FUNCTION(result, nvmlDeviceGetComputeMode, device_handle h, int* to) {
    return about_device("nvmlDeviceGetComputeMode", h, [&](session& s, int d) {
        value_at(to) = properties_of(s, d).compute_mode;
        return done;
    });
}
FUNCTION(result, nvmlDeviceGetMultiGpuBoard, device_handle h, unsigned* to) {
    return about_device("nvmlDeviceGetMultiGpuBoard", h, [&](session&, int) {
        value_at(to) = 0;
        return done;
    });
}
FUNCTION(result, nvmlDeviceGetMemoryBusWidth, device_handle h, unsigned* to) {
    return about_device("nvmlDeviceGetMemoryBusWidth", h, [&](session& s, int d) {
        value_at(to) = static_cast<unsigned>(properties_of(s, d).memory_bus_bits);
        return done;
    });
}
/// The clocks of the configuration; a simulated GPU has no others.
/// @param domain  0 graphics, 1 SM, 2 memory, 3 video; in MHz
FUNCTION(result, nvmlDeviceGetMaxClockInfo, device_handle h, int domain, unsigned* to) {
    return about_device("nvmlDeviceGetMaxClockInfo", h, [&](session& s, int d) -> result {
        const device_properties p = properties_of(s, d);
        if (domain < 0 || domain > 3) return invalid_argument;
        if (domain == 3) return unsupported;
        value_at(to) = static_cast<unsigned>(domain == 2 ? p.memory_clock_khz : p.clock_khz) / 1000;
        return done;
    });
}
FUNCTION(result, nvmlDeviceGetUtilizationRates, device_handle h, utilisation* to) {
    return about_device("nvmlDeviceGetUtilizationRates", h, [&](session&, int) {
        value_at(to) = {0, 0};
        return done;
    });
}
/// Processes that use the GPU: none is known.
FUNCTION(result, nvmlDeviceGetComputeRunningProcesses, device_handle h, unsigned* count, void*) {
    return about_device("nvmlDeviceGetComputeRunningProcesses", h, [&](session&, int) {
        value_at(count) = 0;
        return done;
    });
}
