// SPDX-License-Identifier: Apache-2.0
// Functions of the driver API by name.
#include "runtimes/cuda/runtime_lookup.h"

#include <dlfcn.h>

#include <cstring>
#include <string>

// The types do not matter here: addresses are handed out.
#define ENTRY(versions, name) extern "C" void simtlm_rt_##name();
#define ALIAS(versions, name, function)
#define MISSING(versions, name)
#define SHARED(versions, name, function)
#define THREAD(versions, name, function)
#include "runtimes/cuda/driver_entry_points.def"
#undef ENTRY
#undef ALIAS

namespace simtlm::cuda {

namespace {

struct entry {
    const char* name;
    void (*function)();
};

constexpr entry entries[] = {
#define ENTRY(versions, name) {#name, simtlm_rt_##name},
#define ALIAS(versions, name, function) {#name, simtlm_rt_##function},
#include "runtimes/cuda/driver_entry_points.def"
};

/// Those that begin with a note of how they were called are in the library that programs link with.
void* find_in_library(const char* name) {
    static void* const library = [] {
        Dl_info info;
        if (dladdr(reinterpret_cast<const void*>(&entries), &info) == 0)
            return static_cast<void*>(nullptr);
        const std::string own = info.dli_fname;
        return dlopen((own.substr(0, own.rfind('/') + 1) + "libcuda.so.1").c_str(), RTLD_NOW);
    }();
    return library != nullptr && std::strncmp(name, "cu", 2) == 0 ? dlsym(library, name) : nullptr;
}

}  // namespace

void* find_driver_function(const char* name) {
    if (name == nullptr) return nullptr;
    for (const entry& e : entries)
        if (std::strcmp(e.name, name) == 0) return reinterpret_cast<void*>(e.function);
    return find_in_library(name);
}

}  // namespace simtlm::cuda
