// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/checking/check_options.h"
#include "modules/execution/device_memory.h"
#include "modules/execution/lane_buffer.h"
#include "modules/execution/operation.h"
#include "modules/ptx/module.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtlm::execution {

/// One of a kernel's parameters, as a launch passes it.
struct kernel_parameter {
    std::string name;
    ptx::type type = ptx::type::none;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    bool array = false;
};

/// What a call passes: pairs of places in the caller's and the callee's frame.
struct argument_copy {
    bool caller_in_register = false;  ///< else in the local frame
    bool callee_in_register = false;
    std::uint32_t from = 0;              ///< slot, or offset in the local frame
    std::uint32_t to = 0;                ///< slot, or offset in the local frame
    std::uint32_t bytes = 0;             ///< of a thread's value
    std::uint32_t register_bytes = 128;  ///< of a register's lanes: 4, 128, 256
};

/// A place that calls. Of an indirect call the callee's side is the same for all its targets,
/// because formal parameters lie at the beginning of a function's local frame, in order.
struct call_site {
    std::vector<argument_copy> arguments;
    std::vector<argument_copy> results;
};

/// A function of the module in the internal form.
struct function_image {
    const ptx::function* source = nullptr;
    bool defined = false;
    std::uint32_t first = 0;         ///< its first operation
    std::uint32_t end = 0;           ///< behind its last
    std::uint32_t frame_bytes = 0;   ///< registers of a warp
    std::uint32_t local_bytes = 0;   ///< local variables and parameters of one thread
    std::uint32_t passed_bytes = 0;  ///< of them, what callers write: parameters
    std::vector<std::uint32_t> callees;
    bool calls_unknown = false;  ///< through a pointer
    bool uses_alloca = false;
    std::vector<std::uint32_t> shared_variables;  ///< of the module, that it names
    std::vector<std::uint32_t> registers;         ///< slot of each register
};

/// A kernel: what a launch has to know.
struct kernel_image {
    std::string name;
    std::uint32_t function = 0;
    std::vector<kernel_parameter> parameters;
    std::uint32_t parameter_bytes = 0;
    std::uint32_t static_shared = 0;  ///< bytes; dynamic shared memory begins here
    std::uint32_t local_bytes = 0;    ///< of the deepest chain of calls that is known, per thread
    bool stack_unknown = false;       ///< recursion, calls through pointers, alloca
    std::uint32_t registers = 0;      ///< per thread, estimated
};

/// Where an operation comes from.
struct instruction_origin {
    std::uint32_t function = 0;
    std::uint32_t instruction = 0;  ///< of the function
};

/// A texture or surface reference, or a sampler, of the module.
struct reference_variable {
    std::string name;
    std::uint32_t variable = 0;
    device_address handle = 0;  ///< what tex finds its binding by
};

/// A PTX module loaded into a device's memory: its variables have addresses, its functions are
/// lowered to the internal form. Immutable while it runs; unloads its variables when it goes.
class module_image {
public:
    /// @param checks  what launches of it may look for
    /// @throws kernel::user_error  the module asks for something that does not exist
    module_image(std::shared_ptr<const ptx::module> source, device_memory& memory,
                 const check_options& checks = {});
    ~module_image();
    module_image(const module_image&) = delete;
    module_image& operator=(const module_image&) = delete;

    const ptx::module& source() const { return *source_; }
    const check_options& checks() const { return checks_; }
    /// Bytes of the smallest element that instructions with checks access in shared memory: 1, 2 or
    /// 4.
    unsigned smallest_shared_access() const { return smallest_shared_access_; }
    /// Shared variables that a kernel, or what it calls, names.
    std::vector<std::uint32_t> shared_variables_of(const kernel_image& k) const;
    const std::vector<kernel_image>& kernels() const { return kernels_; }
    /// A kernel by name, or nullptr.
    const kernel_image* find_kernel(std::string_view name) const;
    /// Address and bytes of a .global or .const variable; an address of 0: there is none.
    std::pair<device_address, std::uint64_t> find_variable(std::string_view name) const;

    const std::vector<operation>& code() const { return code_; }
    const std::vector<function_image>& functions() const { return functions_; }
    const std::vector<call_site>& call_sites() const { return call_sites_; }
    const instruction_origin& origin_of(const operation& op) const {
        return origins_[op.instruction];
    }
    const std::vector<instruction_origin>& origins() const { return origins_; }
    /// The operations of an instruction: [first, end). An instruction without effect has none.
    std::pair<std::uint32_t, std::uint32_t> operations_of(std::uint32_t instruction) const {
        return {first_operation_[instruction], first_operation_[instruction + 1]};
    }
    const std::vector<device_address>& variable_addresses() const { return addresses_; }
    std::byte* constants() const { return constants_.get(); }

    /// "file.ptx:12 (source.cu:3)" of an operation.
    std::string where(const operation& op) const;
    /// The instruction an operation belongs to, as text.
    std::string text_of(const operation& op) const;

    /// Addresses of functions, as programs see them.
    static constexpr device_address first_function = 0x1000;
    static device_address address_of_function(std::uint32_t f) { return first_function + 16 * f; }
    /// The function at an address, or nullptr.
    const function_image* function_at(device_address a) const {
        const std::uint64_t f = (a - first_function) / 16;
        return a >= first_function && a % 16 == 0 && f < functions_.size() ? &functions_[f]
                                                                           : nullptr;
    }

private:
    friend class module_builder;

    std::shared_ptr<const ptx::module> source_;
    device_memory& memory_;
    check_options checks_;
    unsigned smallest_shared_access_ = 4;
    std::vector<device_address> addresses_;  ///< of variables; shared ones: offset; else 0
    std::vector<device_address> owned_;
    std::vector<operation> code_;
    std::vector<std::unique_ptr<slot[]>> lists_;
    std::vector<function_image> functions_;
    std::vector<kernel_image> kernels_;
    std::vector<call_site> call_sites_;
    std::vector<instruction_origin> origins_;
    std::vector<std::uint32_t> first_operation_;  ///< of each instruction, and one behind the last
    std::vector<std::shared_ptr<const void>> attachments_;
    lane_buffer constants_;
};

}  // namespace simtlm::execution
