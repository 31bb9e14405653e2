// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_config.h"
#include "modules/execution/ptx/instruction_descriptors.h"
#include "modules/execution/state/program_image.h"
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

/// A module loaded into the memory of a GPU. Immutable except for the contents of its variables.
class loaded_module {
public:
    /// @param architecture  of the GPU: 70 for compute capability 7.0
    /// @param inspector     inspection; nullptr: none
    /// @param placement     of its variables: records it, or repeats what was recorded; nullptr:
    /// not
    ///                      needed
    /// @throws failure  if the code is invalid or cannot be executed
    loaded_module(const module_source& source, memory_space& memory,
                  const execution::instruction_timing& timing, unsigned architecture,
                  inspection* inspector = nullptr,
                  execution::device_memory::static_placement* placement = nullptr);
    ~loaded_module();
    loaded_module(const loaded_module&) = delete;
    loaded_module& operator=(const loaded_module&) = delete;

    const execution::program_image& image() const { return *image_; }
    std::shared_ptr<const execution::instruction_descriptors> descriptor() const {
        return descriptor_;
    }
    /// Digest of the code that is executed.
    std::uint64_t digest() const { return digest_; }
    /// Returns a kernel by name, or nullptr.
    const execution::kernel_image* find_kernel(const std::string& name) const;
    /// Returns the kernel adapted to a block size. The register count of PTX kernels is an estimate
    /// of
    /// what NVIDIA's assembler allocates; if a block would not fit, it is lowered until it does.
    /// @param threads  per block
    const execution::kernel_image& fitted(const execution::kernel_image& kernel, unsigned threads,
                                          const core::sm_config& sm) const;
    /// Address and size of a variable in bytes; the address is 0 if there is none.
    std::pair<std::uint64_t, std::uint64_t> find_variable(const std::string& name) const {
        return image_->find_variable(name);
    }
    /// Returns whether the program calls malloc.
    bool allocates() const { return image_->allocates(); }
    /// PTX version as 10 * major + minor; 0 for machine code.
    unsigned ptx_version() const { return image_->ptx_version(); }
    /// Target architecture: 70 for sm_70.
    unsigned architecture() const { return image_->architecture(); }
    /// Architecture of the PTX from which the code was compiled (cudaFuncAttributes::ptxVersion).
    unsigned ptx_architecture() const { return ptx_architecture_; }

private:
    void load_ptx(const module_source& source, const execution::instruction_timing& timing,
                  unsigned architecture, inspection* inspector);
    /// Leaves the module empty if `otherwise` of the source is to be used instead.
    void load_machine_code(const module_source& source, const inspection* inspector);

    memory_space& memory_;
    execution::device_memory::static_placement* placement_;  ///< while it is loaded
    std::unique_ptr<execution::program_image> image_;
    std::shared_ptr<const execution::instruction_descriptors> descriptor_;
    std::uint64_t digest_ = 0;
    unsigned ptx_architecture_ = 0;
    std::map<std::string, execution::kernel_image> kernels_;
    std::set<std::string> estimated_;  ///< kernels with estimated register counts
    mutable std::mutex mutex_;         ///< protects the following members
    mutable std::map<std::pair<std::string, unsigned>, execution::kernel_image> fitted_;
};

}  // namespace simtlm::device
