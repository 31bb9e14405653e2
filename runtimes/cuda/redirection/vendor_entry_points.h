// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/cuda/redirection/elf_object.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtlm::cuda {

/// A library that replaces one of NVIDIA's.
struct replacing_library {
    unsigned bit;      ///< in entry_points.def
    const char* name;  ///< by which programs open it, in any version
    const char* file;
};
constexpr replacing_library libraries[] = {
#define LIBRARY(bit, name, file) {bit, name, file},
#include "runtimes/cuda/abi/entry_points.def"
};
constexpr unsigned runtime_libraries = 7, driver_library = 8, management_library = 16;

/// An entry point of a copy of NVIDIA's runtime or driver library in a loaded object.
struct vendor_entry_point {
    const char* name;  ///< static
    std::uintptr_t address;
    std::uint64_t room;  ///< bytes up to the next function
};

/// The entry points found in an object, and the library that implements them instead.
struct vendor_entry_points {
    const char* library = nullptr;  ///< file name, such as "libcudart.so.13"; nullptr: none found
    std::vector<vendor_entry_point> functions;
};

/// Finds a copy of NVIDIA's libraries in a loaded object:
///  - by the symbol tables, if the object has not been stripped, or if it is libcudart, libcuda or
///    libnvidia-ml itself;
///  - in a stripped object that contains code for GPUs, by the names of the runtime's functions:
///    each of them passes its own name to profilers, so that its code refers to this string.
/// NVIDIA's own libraries (cuBLAS and others), which are stripped, are not searched: they check the
/// driver that their runtime uses.
vendor_entry_points find_vendor_entry_points(const elf_object& object);

}  // namespace simtlm::cuda
