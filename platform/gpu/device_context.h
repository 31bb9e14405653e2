// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/device_heap.h"
#include "modules/execution/launch.h"
#include "modules/kernel/error.h"
#include "modules/program/kernel_source.h"
#include "platform/config/config.h"
#include "platform/gpu/host_registers.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::platform {

/// What a host has asked for cannot be done: the code of register ERROR, and why in words.
class command_fault : public kernel::user_error {
public:
    command_fault(host::error_code code, const std::string& what)
        : user_error("", what), code_(code) {}
    host::error_code code() const noexcept { return code_; }

private:
    host::error_code code_;
};

/// Device memory with contents, and the PTX programs in it, as the host of a co-simulation uses
/// them by commands and through the aperture. The address space is reserved with the first
/// allocation; a GPU that replays traces only never has it.
///
/// All times are alike to it: whoever calls sees to it that no instruction executes meanwhile.
class device_context {
public:
    /// A range of device memory with its place in the process.
    struct span {
        std::uint64_t begin = 0, end = 0;  ///< device addresses
        std::byte* bytes = nullptr;        ///< at `begin`
    };

    /// @param config  as long as this object
    explicit device_context(const gpu_config& config);
    ~device_context();

    /// Memory has been allocated, now or earlier: values count.
    bool used() const { return memory_ != nullptr; }
    /// The allocation that holds an address.
    std::optional<span> find(std::uint64_t address) const;
    /// @return address, aligned to 256 bytes @throws command_fault
    std::uint64_t allocate(std::uint64_t bytes);
    /// Gives back what begins there. @return what it was @throws command_fault
    span release(std::uint64_t address);
    /// The bytes of a range that lies in one allocation. @throws command_fault
    std::byte* bytes_at(std::uint64_t address, std::uint64_t bytes) const;

    /// Copies bytes out; those outside of the address's allocation are zero.
    /// @return false: the address has no contents
    bool peek(std::uint64_t address, unsigned bytes, unsigned char* to) const;

    /// Loads the PTX text that lies in device memory.
    /// @return how many kernels it has; they are numbered on @throws command_fault
    unsigned load(std::uint64_t address, std::uint64_t bytes);
    /// Number of the kernel of this name; of several, that loaded last.
    std::optional<unsigned> find_kernel(std::string_view name) const;
    unsigned kernels() const { return static_cast<unsigned>(kernels_.size()); }
    /// A launch of a kernel, checked. @param descriptor  host::launch_descriptor and parameters in
    /// device memory @throws command_fault
    std::shared_ptr<program::kernel_source> launch(unsigned kernel, std::uint64_t descriptor,
                                                   std::uint64_t bytes, std::uint64_t stream);

    /// Where printf of programs goes; stdout unless told otherwise.
    void set_print(std::function<void(std::string_view)> print) { print_ = std::move(print); }

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
};

}  // namespace simtlm::platform
