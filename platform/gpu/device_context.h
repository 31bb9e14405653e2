// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/device_heap.h"
#include "modules/execution/state/launch.h"
#include "modules/program/kernel_source.h"
#include "modules/support/error.h"
#include "platform/config/config.h"
#include "platform/gpu/host_registers.h"

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::platform {

/// A command of the host that cannot be executed: the value of register ERROR, and a message.
class command_fault : public support::user_error {
public:
    command_fault(host::error_code code, const std::string& what)
        : user_error("", what), code_(code) {}
    host::error_code code() const noexcept { return code_; }

private:
    host::error_code code_;
};

/// Device memory with contents and the PTX programs loaded into it, as used by the host of a
/// co-simulation through commands and the aperture. The address space is reserved by the first
/// allocation, so a GPU that only replays traces never reserves it.
///
/// Not timed: the caller must ensure that no instruction executes during a call.
class device_context {
public:
    /// A range of device memory and its location in the host process.
    struct span {
        std::uint64_t begin = 0, end = 0;  ///< device addresses
        std::byte* bytes = nullptr;        ///< host pointer to the byte at `begin`
    };

    /// @param config  must outlive this object
    explicit device_context(const gpu_config& config);
    ~device_context();

    /// Memory has been allocated at some time, so device memory has contents.
    bool used() const { return memory_ != nullptr; }
    /// Returns the allocation that contains an address.
    std::optional<span> find(std::uint64_t address) const;
    /// Allocates device memory. @return address, aligned to 256 bytes @throws command_fault
    std::uint64_t allocate(std::uint64_t bytes);
    /// Frees the allocation that begins at `address`. @return its range @throws command_fault
    span release(std::uint64_t address);
    /// Returns a pointer to a range within one allocation. @throws command_fault
    std::byte* bytes_at(std::uint64_t address, std::uint64_t bytes) const;

    /// Copies bytes out; bytes outside of the allocation of `address` read as zero.
    /// @return false if the address is not allocated
    bool peek(std::uint64_t address, unsigned bytes, unsigned char* to) const;

    /// Loads the PTX text stored in device memory.
    /// @return number of kernels in it; they are numbered consecutively @throws command_fault
    unsigned load(std::uint64_t address, std::uint64_t bytes);
    /// Returns the number of the kernel with this name, the most recently loaded one if there are
    /// several.
    std::optional<unsigned> find_kernel(std::string_view name) const;
    unsigned kernels() const { return static_cast<unsigned>(kernels_.size()); }
    /// Validates a launch and prepares its kernel.
    /// @param descriptor  device address of a host::launch_descriptor followed by the parameters
    /// @throws command_fault
    std::shared_ptr<program::kernel_source> launch(unsigned kernel, std::uint64_t descriptor,
                                                   std::uint64_t bytes, std::uint64_t stream);

    /// Sets the sink for printf output of programs; the default is stdout.
    void set_print(std::function<void(std::string_view)> print) { print_ = std::move(print); }
    /// Sets the function that receives the faults of programs.
    void set_fault(std::function<void(std::exception_ptr)> fault) { fault_ = std::move(fault); }

private:
    struct loaded;
    struct kernel_entry {
        const loaded* program;
        const execution::kernel_image* image;
    };

    execution::device_memory& memory();
    execution::services world(const loaded& program);
    execution::launch read_descriptor(const kernel_entry& k, std::uint64_t address,
                                      std::uint64_t bytes) const;
    void check_fits(const program::kernel_descriptor& descriptor, bool cooperative) const;

    const gpu_config& config_;
    std::unique_ptr<execution::device_memory> memory_;
    std::unique_ptr<execution::device_heap> heap_;
    std::vector<std::unique_ptr<loaded>> programs_;
    std::vector<kernel_entry> kernels_;
    std::uint32_t launches_ = 0;
    std::function<void(std::string_view)> print_;
    std::function<void(std::exception_ptr)> fault_;
};

}  // namespace simtlm::platform
