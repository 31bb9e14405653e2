// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/memory_space.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace simtlm::cuda {

/// Memory without an address, created by cuMemCreate; it gets one or more addresses when it is
/// mapped.
struct physical_memory {
    int file = -1;  ///< host file descriptor that backs it
    std::uint64_t bytes = 0;
    unsigned device = 0;
    unsigned references = 0;  ///< number of handles and mappings

    physical_memory() = default;
    ~physical_memory();
    physical_memory(const physical_memory&) = delete;
    physical_memory& operator=(const physical_memory&) = delete;
};

/// Reserved address ranges, mappings, and access rights (cuMemAddressReserve, cuMemMap,
/// cuMemSetAccess and their counterparts). Addresses are those of the process. Thread-safe; does
/// not wait for work of the GPUs.
class virtual_memory {
public:
    static constexpr std::uint64_t granularity = 2 << 20;  ///< bytes

    explicit virtual_memory(device::memory_space& m) : memory_(m) {}

    /// @throws failure  if the request cannot be satisfied; so do the functions below
    std::uint64_t reserve(std::uint64_t bytes, std::uint64_t alignment);
    void free(std::uint64_t address, std::uint64_t bytes);

    physical_memory* create(std::uint64_t bytes, unsigned device);
    /// Imports memory exported as a file descriptor, by this or another process.
    physical_memory* import(int file, unsigned device);
    physical_memory& get(const void* handle);
    void release(const void* handle);
    /// The memory mapped at an address, with its reference count incremented.
    physical_memory* retain(std::uint64_t address);

    void map(std::uint64_t address, std::uint64_t bytes, std::uint64_t offset, const void* handle);
    void unmap(std::uint64_t address, std::uint64_t bytes);
    /// @param allowed  false: revokes access for all devices
    void set_access(std::uint64_t address, std::uint64_t bytes, unsigned device, bool allowed);
    bool may_access(std::uint64_t address) const;

private:
    struct mapping {
        std::uint64_t bytes;
        physical_memory* what;
    };
    /// Where reserved ranges begin: addresses are parameters of kernels and select DRAM banks, so
    /// that they must not depend on where libraries are loaded.
    static constexpr std::uint64_t first_address = 0x2000'0000'0000;

    /// Reserves the lowest free range. @return 0: other memory of the process is in its place
    std::uint64_t reserve_in_order(std::uint64_t bytes, std::uint64_t alignment);
    void drop(physical_memory* p);
    void forbid(std::uint64_t address, std::uint64_t bytes);
    bool is_reserved(std::uint64_t address, std::uint64_t bytes) const;
    std::map<std::uint64_t, mapping>::const_iterator mapping_at(std::uint64_t address) const;

    device::memory_space& memory_;
    mutable std::mutex mutex_;
    std::map<const void*, std::unique_ptr<physical_memory>> all_;
    std::map<std::uint64_t, std::uint64_t> reserved_;  ///< size in bytes, by address
    std::map<std::uint64_t, mapping> mapped_;
    /// Size in bytes by address: each entry is one allocation of the GPU. Adjacent ones are merged.
    std::map<std::uint64_t, std::uint64_t> accessible_;
};

}  // namespace simtlm::cuda
