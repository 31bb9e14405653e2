// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/ptx/constant_pool.h"
#include "modules/execution/ptx/ptx_image.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::execution {

/// Places of the parameters, or of the results, of a function in its local frame.
struct passed_layout {
    std::vector<std::uint32_t> offsets, sizes;  ///< bytes; offsets from the first one's
    std::uint32_t bytes = 0;
    std::uint32_t alignment = 4;
};

/// Loads a PTX module: allocates its variables and lowers its functions.
class module_builder {
public:
    module_builder(ptx_image& image, device_memory& memory);
    /// Builds the image of the module.
    void build();

    const ptx::module& source() const { return *image_.source_; }
    ptx_image& image() { return image_; }
    constant_pool& constants() { return constants_; }
    const check_options& checks() const { return image_.checks_; }
    /// Architecture of the GPU that runs the module: 70 for compute capability 7.0.
    unsigned gpu_architecture() const { return image_.gpu_architecture_; }
    /// Records that checked instructions access elements of `bytes` bytes in shared memory.
    void note_shared_access(unsigned bytes) {
        image_.smallest_shared_access_ =
            bytes < image_.smallest_shared_access_ ? bytes : image_.smallest_shared_access_;
    }
    std::vector<operation>& code() { return image_.code_; }
    std::vector<instruction_origin>& origins() { return image_.origins_; }
    std::vector<call_site>& call_sites() { return image_.call_sites_; }
    std::vector<function_image>& functions() { return image_.functions_; }

    /// Address of a variable: for .shared its offset, for .local and .param the offset in its
    /// function's frame.
    device_address address_of(std::uint32_t variable) const { return image_.addresses_[variable]; }
    /// Whether a variable is dynamic shared memory, which starts at the end of a kernel's static
    /// variables.
    bool is_dynamic_shared(std::uint32_t variable) const;
    /// The same for every function with a signature, so that a call through a pointer need not know
    /// which one it calls.
    passed_layout layout_of(const std::vector<ptx::prototype::item>& items) const;
    /// A list of operands with the lifetime of the module.
    operand_ref* new_list(std::size_t refs);
    /// Keeps an object alive that operations refer to. @return the pointer, for
    /// operation::immediate
    std::int64_t attach(std::shared_ptr<const void> what) {
        image_.attachments_.push_back(std::move(what));
        return reinterpret_cast<std::int64_t>(image_.attachments_.back().get());
    }
    /// The function to which a declaration refers: itself, the target of an alias, or the
    /// definition with its name.
    std::uint32_t resolved(std::uint32_t function) const;
    /// Records a call whose target operation is not known yet.
    void call_needs_target(std::uint32_t operation, std::uint32_t function) {
        unresolved_.push_back({operation, function});
    }

private:
    struct unresolved_call {
        std::uint32_t operation, function;
    };

    /// Stack depth of a function and its callees.
    struct call_depth {
        enum class state : std::uint8_t { unknown, begun, ended };
        std::uint64_t bytes = 0;  ///< frames along the deepest call chain
        bool recursive = false;
        state progress = state::unknown;
    };

    void place_in_memory();
    void check_fits(const ptx::variable& v, std::uint64_t at) const;
    void find_variadic_bytes();
    void place_in_frames();
    void place_shared();
    void initialise();
    void describe_kernels();
    void list_variables();
    void lay_out_parameters(kernel_image& k, const ptx::function& f);
    std::vector<std::uint32_t> reachable_from(std::uint32_t function, bool& unknown) const;
    const call_depth& deepest_frames(std::uint32_t function, std::vector<call_depth>& known) const;
    std::uint64_t value_of(const ptx::relocation& r) const;

    ptx_image& image_;
    std::uint32_t reserved_shared_ = image_.reserved_shared_;  ///< bytes
    std::uint32_t variadic_bytes_ = 0;  ///< the most that a call passes as variadic arguments
    device_memory& memory_;
    constant_pool constants_;
    std::vector<unresolved_call> unresolved_;
};

}  // namespace simtlm::execution
