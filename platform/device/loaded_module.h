// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/instruction_descriptors.h"
#include "modules/execution/module_image.h"
#include "platform/device/memory_space.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace simtlm::device {

/// What a compiler has said of a kernel, in place of an estimate.
struct compiled_descriptor {
    unsigned registers = 0;  ///< per thread; 0: not known
};

/// PTX as a host hands it over, not yet read.
struct module_source {
    std::string name;  ///< for messages
    std::string text;
    std::map<std::string, compiled_descriptor> compiled;  ///< by kernel
};

/// A PTX module in the memory of a GPU. Immutable but for its variables' contents.
class loaded_module {
public:
    /// @throws failure  the PTX is wrong
    loaded_module(const module_source& source, memory_space& memory,
                  const execution::opcode_timing& timing);
    ~loaded_module();
    loaded_module(const loaded_module&) = delete;
    loaded_module& operator=(const loaded_module&) = delete;

    const execution::module_image& image() const { return *image_; }
    std::shared_ptr<const execution::instruction_descriptors> descriptor() const {
        return descriptor_;
    }
    /// A kernel by name, or nullptr.
    const execution::kernel_image* find_kernel(const std::string& name) const;
    /// Address and bytes of a variable; an address of 0: there is none.
    std::pair<std::uint64_t, std::uint64_t> find_variable(const std::string& name) const {
        return image_->find_variable(name);
    }
    /// The program calls malloc.
    bool allocates() const { return allocates_; }
    /// PTX version and architecture, as 10 * major + minor.
    unsigned ptx_version() const;
    unsigned architecture() const { return image_->source().architecture; }

private:
    memory_space& memory_;
    std::unique_ptr<execution::module_image> image_;
    std::shared_ptr<const execution::instruction_descriptors> descriptor_;
    std::map<std::string, execution::kernel_image> kernels_;
    bool allocates_ = false;
};

}  // namespace simtlm::device
