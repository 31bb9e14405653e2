// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace simtlm::program {

/// Size of a grid or CTA, or an index within it.
struct dim3 {
    std::uint32_t x = 1, y = 1, z = 1;
    std::uint64_t volume() const { return std::uint64_t{x} * y * z; }
};

/// Properties of a kernel that are known before its first CTA, for any source.
struct kernel_descriptor {
    std::string origin;  ///< its source (usually a file), for messages
    std::string name;
    std::uint32_t id = 0;
    dim3 grid;
    dim3 block;
    std::uint32_t shared_memory = 0;  ///< bytes per CTA, static and dynamic
    std::uint32_t registers = 0;      ///< per thread
    std::uint32_t barriers = 0;       ///< named barriers per CTA; 0: unknown
    /// Preferred shared memory of an SM, in percent of the most that it can have; negative: no
    /// preference (cudaFuncAttributePreferredSharedMemoryCarveout).
    std::int32_t carve_out = -1;
    std::uint32_t local_memory = 0;    ///< bytes per thread; 0: none or unknown
    std::uint32_t binary_version = 0;  ///< 70: Volta, ...; 0: unknown
    std::uint64_t stream = 0;
    /// Upper bound (exclusive) of its register numbers: 256 for machine code, larger for code
    /// without register allocation.
    std::uint32_t register_numbers = 256;

    std::uint32_t threads_per_block() const { return static_cast<std::uint32_t>(block.volume()); }
    std::uint32_t warps_per_block() const { return (threads_per_block() + 31) / 32; }
};

}  // namespace simtlm::program
