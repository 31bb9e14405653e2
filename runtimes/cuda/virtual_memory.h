// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/memory_space.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace simtlm::cuda {

/// Memory without an address, as cuMemCreate makes it: it gets one, or several, by being mapped.
struct physical_memory {
    int file = -1;  ///< of the host, which holds the bytes
    std::uint64_t bytes = 0;
    unsigned device = 0;
    unsigned references = 0;  ///< handles and mappings

    physical_memory() = default;
    ~physical_memory();
    physical_memory(const physical_memory&) = delete;
    physical_memory& operator=(const physical_memory&) = delete;
};

/// Reserved addresses, what is mapped there, and what of that may be accessed (cuMemAddressReserve,
/// cuMemMap, cuMemSetAccess and their opposites). Addresses are the process's own. May be called
/// from any thread; the GPUs' work is not waited for.
class virtual_memory {
public:
    static constexpr std::uint64_t granularity = 2 << 20;  ///< bytes

    explicit virtual_memory(device::memory_space& m) : memory_(m) {}

    /// @throws failure, as all below: what is asked for is not possible
    std::uint64_t reserve(std::uint64_t bytes, std::uint64_t alignment);
    void free(std::uint64_t address, std::uint64_t bytes);

    physical_memory* create(std::uint64_t bytes, unsigned device);
    /// Memory that another handle, of this process or another one, stands for.
    physical_memory* import(int file, unsigned device);
    physical_memory& get(const void* handle);
    void release(const void* handle);
    /// The memory that is mapped at an address, with one reference more.
    physical_memory* retain(std::uint64_t address);

    void map(std::uint64_t address, std::uint64_t bytes, std::uint64_t offset, const void* handle);
    void unmap(std::uint64_t address, std::uint64_t bytes);
    /// @param allowed  false: nobody may access it any more
    void set_access(std::uint64_t address, std::uint64_t bytes, unsigned device, bool allowed);
    bool may_access(std::uint64_t address) const;

private:
    struct mapping {
        std::uint64_t bytes;
        physical_memory* what;
    };
    void drop(physical_memory* p);
    void forbid(std::uint64_t address, std::uint64_t bytes);
    bool is_reserved(std::uint64_t address, std::uint64_t bytes) const;
    std::map<std::uint64_t, mapping>::const_iterator mapping_at(std::uint64_t address) const;

    device::memory_space& memory_;
    mutable std::mutex mutex_;
    std::map<const void*, std::unique_ptr<physical_memory>> all_;
    std::map<std::uint64_t, std::uint64_t> reserved_;  ///< bytes, by address
    std::map<std::uint64_t, mapping> mapped_;
    /// Bytes by address: each is one allocation of the GPU. Those side by side are joined.
    std::map<std::uint64_t, std::uint64_t> accessible_;
};

}  // namespace simtlm::cuda
