// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/checking/check_options.h"
#include "modules/execution/device_memory.h"
#include "modules/execution/lane_buffer.h"
#include "modules/execution/operation.h"
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

/// What a program is written in, as far as it is executed.
enum class instruction_set : std::uint8_t {
    ptx,   ///< NVIDIA's virtual instruction set, 8 bytes an instruction
    sass,  ///< machine code of Volta and later, 16 bytes an instruction
};

/// Bytes of memory that an instruction takes.
constexpr std::uint8_t instruction_bytes(instruction_set s) {
    return s == instruction_set::ptx ? 8 : 16;
}

/// One of a kernel's parameters, as a launch passes it.
struct kernel_parameter {
    std::string name;
    ptx::type type = ptx::type::none;  ///< none: not told (machine code)
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    bool array = false;
};

/// A variable of the program that has a place of its own.
struct program_variable {
    enum class space_kind : std::uint8_t { global, constant, shared };

    std::string name;
    space_kind space = space_kind::global;
    device_address address = 0;  ///< of .shared: the offset
    std::uint64_t bytes = 0;
};

/// A kernel: what a launch has to know.
struct kernel_image {
    std::string name;
    std::uint32_t function = 0;     ///< of the program
    std::uint32_t first = 0;        ///< its first operation
    std::uint32_t frame_bytes = 0;  ///< registers of a warp
    std::vector<kernel_parameter> parameters;
    std::uint32_t parameter_bytes = 0;
    std::uint32_t static_shared = 0;  ///< bytes; dynamic shared memory begins here
    /// Of them, bytes from offset 0 on that hold no variable and that no SM allocates: where they
    /// are there, no variable has the address of a null pointer.
    std::uint32_t reserved_shared = 0;
    std::uint32_t own_local = 0;    ///< bytes of local memory of its own function, per thread
    std::uint32_t local_bytes = 0;  ///< of the deepest chain of calls that is known, per thread
    bool stack_unknown = false;     ///< recursion, calls through pointers, alloca
    std::uint32_t registers = 0;    ///< per thread; of PTX, estimated
    /// Threads of a block that it demands (.reqntid); x = 0: any.
    std::array<std::uint32_t, 3> required_block{};
    /// CTAs of a cluster that it demands (.reqnctapercluster); x = 0: any.
    std::array<std::uint32_t, 3> required_cluster{};
    std::uint32_t most_threads = 0;  ///< of a block (.maxntid); 0: not told

    /// Bytes of shared memory that an SM allocates to a CTA.
    std::uint64_t allocated_shared(std::uint64_t dynamic) const {
        return std::uint64_t{static_shared} - reserved_shared + dynamic;
    }
};

/// How an instruction is named where executed instructions are counted.
struct instruction_name {
    std::string opcode;      ///< "ld.global"
    const char* group = "";  ///< what kind of instruction it is: "global memory"
};

/// A program in a device's memory, ready to be executed: kernels, code in the internal form, values
/// of its constants, places of its variables. What it was translated from, PTX or machine code, is
/// known to the class derived for it alone. Immutable while it runs.
class program_image {
public:
    virtual ~program_image();
    program_image(const program_image&) = delete;
    program_image& operator=(const program_image&) = delete;

    instruction_set isa() const { return isa_; }
    /// Where it comes from (a file, mostly), for messages.
    const std::string& name() const { return name_; }
    /// Architecture that it was compiled for: 70 for sm_70 or compute_70.
    unsigned architecture() const { return architecture_; }
    /// Version of PTX, as 10 * major + minor; 0: it is machine code.
    unsigned ptx_version() const { return ptx_version_; }
    /// It calls malloc: a launch of it needs a heap.
    bool allocates() const { return allocates_; }

    const std::vector<kernel_image>& kernels() const { return kernels_; }
    /// A kernel by name, or nullptr.
    const kernel_image* find_kernel(std::string_view name) const;
    /// Variables in device memory, global and constant.
    const std::vector<program_variable>& variables() const { return variables_; }
    /// Address and bytes of one of them; an address of 0: there is none.
    std::pair<device_address, std::uint64_t> find_variable(std::string_view name) const;
    /// Whether an address is one of a constant variable.
    bool is_constant(device_address a) const;
    /// Shared variables that a kernel, or what it calls, names.
    virtual std::vector<program_variable> shared_variables_of(const kernel_image& k) const = 0;

    const std::vector<operation>& code() const { return code_; }
    /// Rows of the bank `constants` that are the same in all launches.
    std::byte* constants() const { return constants_.get(); }
    /// The bank `constants` of one launch, where it depends on what is launched (parameters, block
    /// and grid in constant bank 0); an empty buffer: it is constants().
    /// @param local_bytes  of local memory that each of its threads has
    virtual lane_buffer launch_constants(const launch& what, std::uint32_t local_bytes) const;

    /// What launches of it may look for.
    const check_options& checks() const { return checks_; }
    /// Bytes of the smallest element that instructions with checks access in shared memory: 1, 2 or
    /// 4.
    unsigned smallest_shared_access() const { return smallest_shared_access_; }

    /// The control flow of one warp that executes it.
    virtual std::unique_ptr<warp_control> make_control() const = 0;
    /// What an SM has to know of its instructions.
    virtual std::shared_ptr<const instruction_descriptors> describe(
        const instruction_timing& timing) const = 0;

    /// "file.ptx:12 (source.cu:3)" of an operation.
    virtual std::string where(const operation& op) const = 0;
    /// The instruction that an operation belongs to, as text.
    virtual std::string text_of(const operation& op) const = 0;
    virtual instruction_name name_of(const operation& op) const = 0;
    /// Lines that tell the registers of a lane: those that the instruction has written, or all of
    /// its function. @param frame  the warp's registers
    virtual std::string results_text(const operation& op, const std::byte* frame,
                                     unsigned lane) const = 0;
    virtual std::string registers_text(const operation& op, const std::byte* frame,
                                       unsigned lane) const = 0;

protected:
    program_image(instruction_set isa, std::string name, unsigned architecture,
                  const check_options& checks)
        : isa_(isa), name_(std::move(name)), architecture_(architecture), checks_(checks) {}

    // Filled in by the derived class while it is made.
    const instruction_set isa_;
    const std::string name_;
    const unsigned architecture_;
    unsigned ptx_version_ = 0;
    bool allocates_ = false;
    const check_options checks_;
    unsigned smallest_shared_access_ = 4;
    std::vector<kernel_image> kernels_;
    std::vector<program_variable> variables_;
    std::vector<operation> code_;
    lane_buffer constants_;
};

}  // namespace simtlm::execution
