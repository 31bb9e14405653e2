// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/program_image.h"
#include "modules/ptx/module.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::execution {

/// A value that a call passes: in a register or in the local frame of one function, and in the
/// parameters or results of the called function, which are at the start of its local frame.
struct argument_copy {
    bool in_register = false;  ///< otherwise in the local frame
    std::uint32_t at = 0;      ///< frame offset of the register, or offset in the local frame
    std::uint32_t passed = 0;  ///< offset in the parameters, or in the results
    std::uint32_t bytes = 0;   ///< size of a thread's value
    std::uint32_t register_bytes = 128;  ///< size of a register's lanes: 4, 128, 256, 512
};

/// A call site: where the caller has the arguments and results. Parameters in registers are passed
/// in memory, too, so that a call through a pointer needs to know only the signature.
struct call_site {
    std::vector<argument_copy> arguments;
    std::vector<argument_copy> results;
};

/// A function of the module in the internal form.
struct function_image {
    const ptx::function* source = nullptr;
    bool defined = false;
    std::uint32_t first = 0;         ///< its first operation
    std::uint32_t end = 0;           ///< end of its operations
    std::uint32_t frame_bytes = 0;   ///< registers of a warp
    std::uint32_t local_bytes = 0;   ///< local variables and parameters per thread
    std::uint32_t passed_bytes = 0;  ///< of these, written by callers: parameters, at 0
    std::uint32_t result_base = 0;   ///< offset of the results
    std::uint32_t result_bytes = 0;
    std::uint32_t local_alignment = 16;  ///< of the frame, bytes; a power of two
    std::vector<std::uint32_t> callees;
    bool calls_unknown = false;  ///< through a pointer
    bool uses_alloca = false;
    std::vector<std::uint32_t> shared_variables;  ///< variables of the module that it references
    std::vector<std::uint32_t> registers;         ///< frame offset of each register
    /// Parameters and results that the function has in registers.
    std::vector<argument_copy> register_parameters, register_results;
};

/// Origin of an operation.
struct instruction_origin {
    std::uint32_t function = 0;
    std::uint32_t instruction = 0;  ///< in the function
};

/// A PTX module loaded into a device's memory: its variables have addresses, its functions are
/// lowered to the internal form. The destructor frees its variables.
class ptx_image final : public program_image {
public:
    /// @param checks            checks supported by its launches
    /// @param gpu_architecture  of the GPU that runs it: 70 for compute capability 7.0. Determines
    ///                          the summation of its tensor cores, whatever target the PTX has; 0,
    ///                          or older than the target: as for the target
    /// @param reserved_shared   bytes before the shared variables of every kernel
    ///                          (kernel_image::reserved_shared)
    /// @throws support::user_error  if the module refers to something that does not exist
    ptx_image(std::shared_ptr<const ptx::module> source, device_memory& memory,
              const check_options& checks = {}, unsigned gpu_architecture = 0,
              std::uint32_t reserved_shared = 0);
    ~ptx_image() override;

    const ptx::module& source() const { return *source_; }
    std::vector<program_variable> shared_variables_of(const kernel_image& k) const override;

    std::unique_ptr<warp_control> make_control() const override;
    std::shared_ptr<const instruction_descriptors> describe(
        const instruction_timing& timing) const override;

    const std::vector<function_image>& functions() const { return functions_; }
    const std::vector<call_site>& call_sites() const { return call_sites_; }
    /// The function and the instruction from which an operation was lowered.
    const instruction_origin& origin_of(const operation& op) const {
        return origins_[op.instruction];
    }
    const std::vector<instruction_origin>& origins() const { return origins_; }

    std::string where(const operation& op) const override;
    std::string text_of(const operation& op) const override;
    instruction_name name_of(const operation& op) const override;
    std::string results_text(const operation& op, const std::byte* frame,
                             unsigned lane) const override;
    std::string registers_text(const operation& op, const std::byte* frame,
                               unsigned lane) const override;

    /// Addresses of functions, as seen by programs.
    static constexpr device_address first_function = 0x1000;
    static device_address address_of_function(std::uint32_t f) { return first_function + 16 * f; }
    /// The function at an address, or nullptr.
    const function_image* function_at(device_address a) const {
        const std::uint64_t f = (a - first_function) / 16;
        return a >= first_function && a % 16 == 0 && f < functions_.size() ? &functions_[f]
                                                                           : nullptr;
    }

    const kernel_image* kernel_at(device_address a) const override;

private:
    friend class module_builder;

    std::string register_text(const function_image& f, std::uint32_t index, const std::byte* frame,
                              unsigned lane) const;
    void add_results(std::string& text, const function_image& f, const ptx::operand& o,
                     const std::byte* frame, unsigned lane) const;

    std::shared_ptr<const ptx::module> source_;
    const unsigned gpu_architecture_;
    const std::uint32_t reserved_shared_;
    device_memory& memory_;
    std::vector<device_address> addresses_;  ///< by variable; offset for shared ones, otherwise 0
                                             ///< if not allocated
    std::vector<device_address> owned_;
    std::vector<std::unique_ptr<operand_ref[]>> lists_;
    std::vector<function_image> functions_;
    std::vector<call_site> call_sites_;
    std::vector<instruction_origin> origins_;
    std::vector<std::shared_ptr<const void>> attachments_;
};

}  // namespace simtlm::execution
