// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/checking/check_options.h"
#include "modules/execution/common/lane_buffer.h"
#include "modules/execution/common/operation.h"
#include "modules/execution/state/device_memory.h"
#include "modules/ptx/types.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtlm::execution {

struct launch;
class warp_control;
class instruction_descriptors;
struct instruction_timing;

/// The instruction set of a program, as far as supported.
enum class instruction_set : std::uint8_t {
    ptx,   ///< NVIDIA's virtual instruction set, 8 bytes per instruction
    sass,  ///< machine code of Volta and later, 16 bytes per instruction
};

/// Size of an instruction in memory, in bytes.
constexpr std::uint8_t instruction_bytes(instruction_set s) {
    return s == instruction_set::ptx ? 8 : 16;
}

/// A parameter of a kernel, as passed by a launch.
struct kernel_parameter {
    std::string name;
    ptx::type type = ptx::type::none;  ///< none: unknown (machine code)
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    bool array = false;
};

/// A variable of the program with an address.
struct program_variable {
    enum class space_kind : std::uint8_t { global, constant, shared };

    std::string name;
    space_kind space = space_kind::global;
    device_address address = 0;  ///< for .shared: the offset
    std::uint64_t bytes = 0;
};

/// Properties of a kernel that a launch needs.
struct kernel_image {
    std::string name;
    std::uint32_t function = 0;     ///< in the program
    std::uint32_t first = 0;        ///< its first operation
    std::uint32_t frame_bytes = 0;  ///< registers of a warp
    std::vector<kernel_parameter> parameters;
    std::uint32_t parameter_bytes = 0;
    std::uint32_t static_shared = 0;  ///< bytes; dynamic shared memory starts at its end
    /// Bytes of it, starting at offset 0, that contain no variable and are not allocated by SMs, so
    /// that no variable has the address of a null pointer.
    std::uint32_t reserved_shared = 0;
    std::uint32_t own_local = 0;    ///< local memory of its own function per thread, bytes
    std::uint32_t local_bytes = 0;  ///< along the deepest known call chain, per thread
    bool stack_unknown = false;     ///< recursion, calls through pointers, alloca
    std::uint32_t registers = 0;    ///< per thread; estimated for PTX
    /// Uniform registers and convergence barriers that machine code names: all below these numbers.
    std::uint32_t uniform_registers = 0, convergence_barriers = 0;
    /// Required block size (.reqntid); x = 0: any.
    std::array<std::uint32_t, 3> required_block{};
    /// Required CTAs per cluster (.reqnctapercluster); x = 0: any.
    std::array<std::uint32_t, 3> required_cluster{};
    /// The grid of a launch is in clusters, not in CTAs (.blocksareclusters).
    bool blocks_are_clusters = false;
    std::uint32_t max_cluster = 0;        ///< CTAs per cluster (.maxclusterrank); 0: not specified
    std::uint32_t max_block_threads = 0;  ///< maximum per block (.maxntid); 0: not specified
    std::uint32_t barriers = 0;           ///< named barriers per CTA; 0: unknown

    /// Bytes of shared memory that an SM allocates to a CTA.
    std::uint64_t allocated_shared(std::uint64_t dynamic) const {
        return std::uint64_t{static_shared} - reserved_shared + dynamic;
    }
};

/// Name of an instruction in statistics of executed instructions.
struct instruction_name {
    std::string opcode;      ///< "ld.global"
    const char* group = "";  ///< class of the instruction: "global memory"
};

/// A program in a device's memory, ready for execution: kernels, code in the internal form, values
/// of its constants, addresses of its variables. Only the derived class knows its source, PTX or
/// machine code. Immutable while it runs.
class program_image {
public:
    virtual ~program_image();
    program_image(const program_image&) = delete;
    program_image& operator=(const program_image&) = delete;

    instruction_set isa() const { return isa_; }
    /// Its source (usually a file), for messages.
    const std::string& name() const { return name_; }
    /// Architecture for which it was compiled: 70 for sm_70 or compute_70.
    unsigned architecture() const { return architecture_; }
    /// Version of PTX, as 10 * major + minor; 0: machine code.
    unsigned ptx_version() const { return ptx_version_; }
    /// Whether it calls malloc, so that a launch needs a heap.
    bool allocates() const { return allocates_; }
    /// Whether its kernels may launch kernels, so that a launch needs services::launches.
    bool launches_kernels() const { return launches_kernels_; }
    /// Whether CTAs may cancel the launch of others.
    bool cancels_launches() const { return cancels_launches_; }

    const std::vector<kernel_image>& kernels() const { return kernels_; }
    /// The kernel with a name, or nullptr.
    const kernel_image* find_kernel(std::string_view name) const;
    /// The kernel that has an address in programs, or nullptr.
    virtual const kernel_image* kernel_at(device_address a) const = 0;
    /// Variables in device memory, global and constant.
    const std::vector<program_variable>& variables() const { return variables_; }
    /// Address and size of a variable; address 0 if there is none.
    std::pair<device_address, std::uint64_t> find_variable(std::string_view name) const;
    /// Whether an address is in a constant variable.
    bool is_constant(device_address a) const;
    /// Shared variables referenced by a kernel or its callees.
    virtual std::vector<program_variable> shared_variables_of(const kernel_image& k) const = 0;

    const std::vector<operation>& code() const { return code_; }
    /// Rows of the bank `constants` that are the same for all launches.
    std::byte* constants() const { return constants_.get(); }
    /// The bank `constants` of a launch if it depends on launch parameters (parameters, block and
    /// grid in constant bank 0); otherwise empty, and constants() is used.
    /// @param local_bytes  size of local memory per thread
    virtual lane_buffer launch_constants(const launch& what, std::uint32_t local_bytes) const;

    /// Checks supported by its launches.
    const check_options& checks() const { return checks_; }
    /// Size in bytes of the smallest element that checked instructions access in shared memory: 1,
    /// 2 or 4.
    unsigned smallest_shared_access() const { return smallest_shared_access_; }

    /// Writes what system software does to the shared memory of a CTA before it starts.
    /// @param rank  of the CTA in its cluster
    virtual void initialise_shared(std::byte* /*shared*/, unsigned /*rank*/) const {}

    /// Creates the control flow of a warp that executes it.
    virtual std::unique_ptr<warp_control> make_control() const = 0;
    /// Describes its instructions for the timing model.
    virtual std::shared_ptr<const instruction_descriptors> describe(
        const instruction_timing& timing) const = 0;

    /// Location of an operation, "file.ptx:12 (source.cu:3)".
    virtual std::string where(const operation& op) const = 0;
    /// Text of the instruction to which an operation belongs.
    virtual std::string text_of(const operation& op) const = 0;
    /// Opcode of the instruction to which an operation belongs.
    virtual instruction_name name_of(const operation& op) const = 0;
    /// Lines with the registers of a lane: those written by the instruction, or all registers of
    /// its function. @param frame  the warp's registers
    virtual std::string results_text(const operation& op, const std::byte* frame,
                                     unsigned lane) const = 0;
    virtual std::string registers_text(const operation& op, const std::byte* frame,
                                       unsigned lane) const = 0;

protected:
    program_image(instruction_set isa, std::string name, unsigned architecture,
                  const check_options& checks)
        : isa_(isa), name_(std::move(name)), architecture_(architecture), checks_(checks) {}

    // Set by the derived class during construction.
    const instruction_set isa_;
    const std::string name_;
    const unsigned architecture_;
    unsigned ptx_version_ = 0;
    bool allocates_ = false;
    bool launches_kernels_ = false;
    bool cancels_launches_ = false;
    const check_options checks_;
    unsigned smallest_shared_access_ = 4;
    std::vector<kernel_image> kernels_;
    std::vector<program_variable> variables_;
    std::vector<operation> code_;
    lane_buffer constants_;
};

}  // namespace simtlm::execution
