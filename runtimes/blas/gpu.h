// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace simtlm::blas {

/// Kernels and launches on the GPU of the calling thread's current context. Kernels are generated
/// and loaded at their first launch in a context.
class gpu {
public:
    /// The GPU of the current context; the primary context of device 0 becomes current if there is
    /// none.
    /// @throws failure  if there is no GPU
    static gpu& current();

    unsigned capability() const { return capability_; }  ///< compute capability times ten
    unsigned multiprocessors() const { return multiprocessors_; }

    struct grid {
        std::uint64_t x = 1, y = 1, z = 1;
        unsigned threads = 1, shared_bytes = 0;
    };
    /// Launches the kernel `name`, whose module `ptx` returns, with one parameter.
    /// @throws failure  if the grid is too large or the launch fails
    void launch(const std::string& name, const std::function<std::string()>& ptx, const grid& size,
                void* stream, const void* arguments);

    /// Device memory of a library handle. @throws failure
    static std::uint64_t allocate(std::size_t bytes);
    static void release(std::uint64_t address);
    /// Copies to the host and waits for the stream. @throws failure
    static void read(void* to, std::uint64_t from, std::size_t bytes, void* stream);

private:
    void* function(const std::string& name, const std::function<std::string()>& ptx,
                   unsigned shared_bytes);

    unsigned capability_ = 0, multiprocessors_ = 0;
    std::mutex mutex_;
    std::map<std::string, void*> functions_;
};

}  // namespace simtlm::blas
