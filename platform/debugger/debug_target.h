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

/// A warp slot of an SM. Without time an SM is the number of a resident thread block.
struct warp_id {
    unsigned sm = 0;
    unsigned warp = 0;
    bool operator==(const warp_id& o) const { return sm == o.sm && warp == o.warp; }
};

/// What a warp belongs to.
struct warp_owner {
    std::uint64_t launch = 0;  ///< kernel: number of the launch, from 1
    std::string kernel;        ///< its name
    std::uint64_t cta = 0;     ///< number within the grid, x running fastest
    std::array<std::uint32_t, 3> cta_index{};
    unsigned warp_in_cta = 0;
    /// Number of its first thread, over all launches, from 1 (as -gpgpu_ptx_inst_debug_thread_uid).
    std::uint64_t first_thread = 0;
};

/// A resident warp.
struct warp_view {
    warp_id id;
    warp_owner owner;
    std::uint64_t pc = 0;           ///< issued last; without time, to be executed next
    std::uint32_t active_mask = 0;  ///< of that instruction; 0: not known
    const program::static_instruction* code = nullptr;  ///< likewise; nullptr: not known
    std::string state;                                  ///< what it waits for
};

/// Bytes that an instruction accesses in global or local memory.
struct memory_range {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
};

/// An instruction of a warp: it has issued in this cycle, or, without time, it is the next to be
/// executed.
struct instruction_event {
    warp_id id;
    const warp_owner* owner = nullptr;
    std::uint64_t pc = 0;
    std::uint32_t active_mask = 0;
    const char* opcode = "";
    const void* identity = nullptr;  ///< the same whenever the instruction is executed
    const program::static_instruction* code = nullptr;  ///< with time
    bool is_load = false, is_store = false;             ///< atomics are both
    const std::vector<memory_range>* ranges = nullptr;  ///< with time, of memory instructions
};

/// A kernel that runs.
struct kernel_view {
    std::uint64_t launch = 0;
    std::string name;
    std::array<std::uint32_t, 3> grid{}, block{};
    std::uint64_t ctas_done = 0, ctas_running = 0, ctas = 0;
    std::uint64_t since = 0;  ///< time() at its launch
};

/// What the debugger examines: a GPU that is simulated, or a program that is executed without time.
/// Nothing here changes it.
class debug_target {
public:
    virtual ~debug_target();

    /// Core cycles, or without time warp instructions executed.
    virtual std::uint64_t time() const = 0;
    /// "core cycle", "instruction"
    virtual const char* time_unit() const = 0;
    virtual unsigned sms() const = 0;
    /// One warp instruction after the other: the selected warp is the one that is about to run.
    virtual bool sequential() const { return false; }

    virtual std::vector<kernel_view> kernels() const = 0;
    virtual std::vector<warp_view> warps(std::optional<unsigned> sm) const = 0;
    /// Nothing: no warp is there.
    virtual std::optional<warp_view> warp(warp_id id) const = 0;

    /// "file.ptx:12 (source.cu:3)" of an event's instruction; empty: not known.
    virtual std::string where(const instruction_event& e) const = 0;
    /// The instruction as its program or trace has it.
    virtual std::string text(const instruction_event& e) const = 0;
    /// The same of the place where a warp is.
    virtual std::string where(const warp_view& w) const = 0;
    virtual std::string text(const warp_view& w) const = 0;
    /// Instructions around the place where a warp is, a line each, that place marked with "=>".
    virtual std::vector<std::string> listing(const warp_view& w, unsigned around) const = 0;

    /// The registers of a lane, a line "    NAME = VALUE" each; empty: values are not known.
    virtual std::string registers(warp_id id, unsigned lane) const = 0;
    /// Bytes as a lane of a warp sees them; of global memory no warp need be there.
    /// @return false: they cannot be read, or values are not known
    virtual bool read(program::memory_space space, warp_id id, unsigned lane, std::uint64_t address,
                      std::size_t bytes, std::byte* to) const = 0;
    /// Where a variable or buffer of the program lies, and its bytes; nothing: there is none.
    virtual std::optional<memory_range> symbol(const std::string& name) const = 0;

    /// `cycle`, `instructions`, statistics "BLOCK:COUNTER"; nothing: there is no such name.
    virtual std::optional<long double> variable(const std::string& name) const = 0;

    /// The pipeline of an SM, the state of a memory partition, what everything waits for; as text.
    virtual std::string pipeline(unsigned sm) const = 0;
    virtual std::string partition(unsigned number) const = 0;
    virtual std::string waits() const = 0;
};

}  // namespace simtlm::platform
