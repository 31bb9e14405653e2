// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/cuda/handle_table.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtlm::cuda {

/// A memory pool: CUmemoryPool.
struct memory_pool {
    unsigned device = 0;
    std::uint64_t threshold = 0, used = 0, used_high = 0;
    int reuse[3] = {1, 1, 1};
};

/// The memory pools, the current one of each device, the pool that memory was allocated from, and
/// access rights to pools.
class pool_table {
public:
    /// Makes the default pools of all devices.
    explicit pool_table(unsigned devices);

    memory_pool& default_of(unsigned device) { return *defaults_[device]; }
    memory_pool& current(unsigned device);
    void set_current(unsigned device, memory_pool& pool);
    memory_pool* create(unsigned device);
    /// The devices of the pool use their default pools again. @throws failure  for a default pool
    void destroy(memory_pool& pool);

    void allocated(memory_pool& pool, std::uint64_t address, std::uint64_t bytes);
    void released(std::uint64_t address, std::uint64_t bytes);
    /// The pool that memory was allocated from; nullptr: none, or a pool that was destroyed.
    memory_pool* origin(std::uint64_t address);

    void allow(const memory_pool& pool, int device, int flags);
    /// The device of a pool can always read and write.
    int access(const memory_pool& pool, int device);
    static constexpr int reads_and_writes = 3;

private:
    std::vector<std::unique_ptr<memory_pool>> defaults_;  ///< by device; constant
    handle_table<memory_pool> created_{status::invalid_value,
                                       "not a memory pool that can be destroyed"};
    std::mutex mutex_;
    std::map<unsigned, memory_pool*> current_;
    std::unordered_map<std::uint64_t, memory_pool*> origin_;
    std::map<std::pair<const memory_pool*, int>, int> access_;
};

}  // namespace simtlm::cuda
