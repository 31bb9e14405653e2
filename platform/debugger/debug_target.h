// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::platform {

/// A warp slot of an SM. In functional mode, `sm` is the number of a resident thread block.
struct warp_id {
    unsigned sm = 0;
    unsigned warp = 0;
    bool operator==(const warp_id& o) const { return sm == o.sm && warp == o.warp; }
};

/// The kernel and thread block that a warp belongs to.
struct warp_owner {
    std::uint64_t launch = 0;  ///< number of the kernel launch, from 1
    std::string kernel;        ///< name of the kernel
    std::uint64_t cta = 0;     ///< number within the grid, x varying fastest
    std::array<std::uint32_t, 3> cta_index{};
    unsigned warp_in_cta = 0;
    /// Number of its first thread, counted over all launches from 1 (as in
    /// -gpgpu_ptx_inst_debug_thread_uid).
    std::uint64_t first_thread = 0;
};

/// A resident warp.
struct warp_view {
    warp_id id;
    warp_owner owner;
    std::uint64_t pc = 0;  ///< of the last issued instruction; in functional mode, of the next one
    std::uint32_t active_mask = 0;  ///< active threads of that instruction; 0: unknown
    const program::static_instruction* code = nullptr;  ///< that instruction; nullptr: unknown
    std::string state;                                  ///< the reason why it waits
};

/// A range of bytes that an instruction accesses in global or local memory.
struct memory_range {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
};

/// An instruction of a warp: the one issued in this cycle or, in functional mode, the next to
/// execute.
struct instruction_event {
    warp_id id;
    const warp_owner* owner = nullptr;
    std::uint64_t pc = 0;
    std::uint32_t active_mask = 0;
    const char* opcode = "";
    const void* identity = nullptr;  ///< the same value for every execution of the instruction
    const program::static_instruction* code = nullptr;  ///< only in timing mode
    bool is_load = false, is_store = false;             ///< both are set for atomics
    /// Of memory instructions, only in timing mode.
    const std::vector<memory_range>* ranges = nullptr;
};

/// A running kernel.
struct kernel_view {
    std::uint64_t launch = 0;
    std::string name;
    std::array<std::uint32_t, 3> grid{}, block{};
    std::uint64_t ctas_done = 0, ctas_running = 0, ctas = 0;
    std::uint64_t since = 0;  ///< time() of its launch
};

/// Read-only view of what is debugged: a simulated GPU, or a program executed in functional mode.
class debug_target {
public:
    virtual ~debug_target();

    /// Current time in core cycles or, in functional mode, in executed warp instructions.
    virtual std::uint64_t time() const = 0;
    /// Unit of time(): "core cycle" or "instruction".
    virtual const char* time_unit() const = 0;
    virtual unsigned sms() const = 0;
    /// Returns whether warp instructions execute one at a time; the selected warp is then the one
    /// that executes next.
    virtual bool sequential() const { return false; }

    virtual std::vector<kernel_view> kernels() const = 0;
    virtual std::vector<warp_view> warps(std::optional<unsigned> sm) const = 0;
    /// Returns the warp in a slot, or nothing if the slot is empty.
    virtual std::optional<warp_view> warp(warp_id id) const = 0;

    /// Source location of an event's instruction, "file.ptx:12 (source.cu:3)"; empty if unknown.
    virtual std::string where(const instruction_event& e) const = 0;
    /// Text of the instruction as in the program or trace.
    virtual std::string text(const instruction_event& e) const = 0;
    /// Location and text of the current instruction of a warp.
    virtual std::string where(const warp_view& w) const = 0;
    virtual std::string text(const warp_view& w) const = 0;
    /// The instructions around the current one of a warp, one per line; the current one is marked
    /// "=>".
    virtual std::vector<std::string> listing(const warp_view& w, unsigned around) const = 0;

    /// The registers of a lane, one line "    NAME = VALUE" each; empty if values are unknown.
    virtual std::string registers(warp_id id, unsigned lane) const = 0;
    /// Reads memory as seen by a lane of a warp; global memory can be read without a resident warp.
    /// @return false if the bytes cannot be read or values are unknown
    virtual bool read(program::memory_space space, warp_id id, unsigned lane, std::uint64_t address,
                      std::size_t bytes, std::byte* to) const = 0;
    /// Address range of a variable or buffer of the program, or nothing if there is none.
    virtual std::optional<memory_range> symbol(const std::string& name) const = 0;

    /// Value of `cycle`, `instructions` or a statistic "BLOCK:COUNTER"; nothing for an unknown
    /// name.
    virtual std::optional<long double> variable(const std::string& name) const = 0;

    /// Text reports: the pipeline of an SM, the state of a memory partition, and what every block
    /// waits for.
    virtual std::string pipeline(unsigned sm) const = 0;
    virtual std::string partition(unsigned number) const = 0;
    virtual std::string waits() const = 0;
};

}  // namespace simtlm::platform
