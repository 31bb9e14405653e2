// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/instruction_descriptors.h"
#include "modules/execution/program_image.h"
#include "platform/device/inspection.h"
#include "platform/device/memory_space.h"
#include "platform/device/module_source.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace simtlm::device {

/// A module in the memory of a GPU. Immutable but for its variables' contents.
class loaded_module {
public:
    /// @param architecture  of the GPU: 70 for compute capability 7.0
    /// @param look          what is looked for in it; nullptr: nothing
    /// @throws failure  the code is wrong, or cannot be executed
    loaded_module(const module_source& source, memory_space& memory,
                  const execution::instruction_timing& timing, unsigned architecture,
                  inspection* look = nullptr);
    ~loaded_module();
    loaded_module(const loaded_module&) = delete;
    loaded_module& operator=(const loaded_module&) = delete;

    const execution::program_image& image() const { return *image_; }
    std::shared_ptr<const execution::instruction_descriptors> descriptor() const {
        return descriptor_;
    }
    /// A kernel by name, or nullptr.
    const execution::kernel_image* find_kernel(const std::string& name) const;
    /// The kernel for blocks of so many threads. How many registers NVIDIA's assembler would give a
    /// kernel of PTX is estimated: where a block would not fit by that, it gets as many as do.
    /// @param registers  of an SM
    const execution::kernel_image& fitted(const execution::kernel_image& kernel, unsigned threads,
                                          unsigned registers) const;
    /// Address and bytes of a variable; an address of 0: there is none.
    std::pair<std::uint64_t, std::uint64_t> find_variable(const std::string& name) const {
        return image_->find_variable(name);
    }
    /// The program calls malloc.
    bool allocates() const { return image_->allocates(); }
    /// Version of PTX, as 10 * major + minor; 0: it is machine code.
    unsigned ptx_version() const { return image_->ptx_version(); }
    /// Architecture that it was compiled for: 70 for sm_70.
    unsigned architecture() const { return image_->architecture(); }

private:
    void load_ptx(const module_source& source, const execution::instruction_timing& timing,
                  unsigned architecture, inspection* look);
    /// Leaves nothing where something else is to be run.
    void load_machine_code(const module_source& source, const inspection* look);

    memory_space& memory_;
    std::unique_ptr<execution::program_image> image_;
    std::shared_ptr<const execution::instruction_descriptors> descriptor_;
    std::map<std::string, execution::kernel_image> kernels_;
    std::set<std::string> estimated_;  ///< kernels whose registers nobody has told
    mutable std::mutex mutex_;         ///< of what follows
    mutable std::map<std::pair<std::string, unsigned>, execution::kernel_image> fitted_;
};

}  // namespace simtlm::device
