// SPDX-License-Identifier: Apache-2.0
// Functions of the driver API by name.
#include "runtimes/cuda/runtime_lookup.h"

#include <cstring>

// The types do not matter here: addresses are handed out.
#define ENTRY(versions, name) extern "C" void simtlm_rt_##name();
#define ALIAS(versions, name, function)
#define MISSING(versions, name)
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

}  // namespace

void* find_driver_function(const char* name) {
    if (name == nullptr) return nullptr;
    for (const entry& e : entries)
        if (std::strcmp(e.name, name) == 0) return reinterpret_cast<void*>(e.function);
    return nullptr;
}

}  // namespace simtlm::cuda
