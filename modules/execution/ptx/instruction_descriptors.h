// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/isa/decode.h"
#include "modules/program/kernel_source.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::execution {

/// Latency and initiation interval by kind of instruction, in core cycles: options
/// -ptx_opcode_latency_* and -ptx_opcode_initiation_*. Other instructions have 1/1.
struct opcode_timing {
    /// Timing of a kind of instruction, in core cycles.
    struct entry {
        std::uint16_t latency = 1;
        std::uint16_t initiation_interval = 1;
    };
    /// Add; min and max; multiply; multiply-add; divide; for integers also shuffle.
    enum kind : unsigned { add, extremum, multiply, multiply_add, divide, shuffle };

    std::array<entry, 6> integer;
    std::array<entry, 5> single;
    std::array<entry, 5> double_precision;
    entry special_function;
    entry tensor;
    /// Assigns control bits to instructions, as a compiler for this architecture would (70 =
    /// Volta), for a core whose issue depends on them; 0: none.
    unsigned controls_of = 0;
    /// SMs have engines for bulk copies and for matrix products of warpgroups (sm_90).
    bool asynchronous_engines = false;
    /// SMs have tensor memory (tcgen05).
    bool tensor_memory = false;

    /// Behaviour of GPGPU-Sim that differs from hardware.
    struct quirks {
        bool vector_is_one_element = false;  ///< a vector access has the size of one element
        bool names_give_banks = false;       ///< see register_numbers; predicates also have banks
        bool missed_hazards = false;  ///< no hazards for addresses of atomics, and results of votes
                                      ///< and video instructions
    } quirk;
};

/// Instruction timing by instruction set.
struct instruction_timing {
    opcode_timing ptx;
    isa::decode_options machine_code;  ///< latencies by class, and quirks
    /// Classes of machine instructions by opcode; nullptr: the built-in tables.
    std::shared_ptr<const isa::opcode_tables> opcodes;
};

/// A range of contiguous instructions in memory: a function, or the end of one if it is reachable.
struct code_range {
    std::uint32_t function = 0;
    std::uint32_t first = 0;  ///< first instruction
    std::uint32_t end = 0;    ///< end, exclusive
    bool entry = false;       ///< of a kernel
    bool exists = true;       ///< false: unreachable, and occupies no memory
};

/// Static properties of a program's instructions for the timing model; created once per program and
/// timing.
class instruction_descriptors {
public:
    /// @param instructions      indexed by operation::instruction
    /// @param ranges            ascending, without gaps
    /// @param register_numbers  upper bound of the register numbers, exclusive
    instruction_descriptors(std::vector<program::static_instruction> instructions,
                            std::vector<code_range> ranges, std::uint32_t register_numbers);

    /// The properties of an instruction.
    const program::static_instruction& of(std::uint32_t instruction) const {
        return descriptor_[instruction];
    }
    /// Number of instructions in the program.
    std::size_t size() const { return descriptor_.size(); }
    /// The window from an instruction to the end of its function.
    program::instruction_window window_from(std::uint32_t instruction) const {
        return {&sequence_[instruction], &sequence_[end_of_function_[instruction]]};
    }
    /// The number of an instruction in the program.
    std::uint32_t index_of(const program::dynamic_instruction& i) const {
        return static_cast<std::uint32_t>(&i - sequence_.data());
    }
    /// The code that a kernel can execute: itself and all functions that are not kernels, each as a
    /// window from its first instruction, ascending by program counter.
    /// @param function  of the kernel in the module
    std::vector<program::instruction_window> code_of(std::uint32_t function) const;
    /// Upper bound of the register numbers, exclusive.
    std::uint32_t register_numbers() const { return register_numbers_; }

    /// The first instruction that a function may execute and that the timing model does not
    /// support; empty if there is none.
    std::string untimed_in(std::uint32_t function) const;
    /// Records an instruction without timing model.
    void note_untimed(std::uint32_t index) { untimed_.push_back(index); }

    /// An instruction, or a modifier of one, that only changes how long a program takes, and that
    /// the timing model ignores.
    struct ignored_hint {
        std::uint32_t instruction;
        std::string name;
    };
    const std::vector<ignored_hint>& ignored_hints() const { return ignored_hints_; }
    void note_ignored_hint(std::uint32_t index, std::string name) {
        ignored_hints_.push_back({index, std::move(name)});
    }

private:
    std::vector<program::static_instruction> descriptor_;
    std::vector<program::dynamic_instruction> sequence_;
    std::vector<std::uint32_t> end_of_function_;
    std::vector<code_range> ranges_;
    std::vector<std::uint32_t> untimed_;  ///< indices of instructions
    std::vector<ignored_hint> ignored_hints_;
    std::uint32_t register_numbers_ = 1;
};

/// Makes a load one that only fetches data into a cache: the sector of the L1 that holds a word,
/// and in any case its 128-byte line of the L2.
void set_prefetch(program::static_instruction& load, bool l2_only);

class ptx_image;
class sass_image;

/// Describes the instructions of a PTX module, with the timing of the options -ptx_opcode_*.
std::shared_ptr<const instruction_descriptors> describe_ptx(const ptx_image& image,
                                                            const opcode_timing& timing);

/// Describes the instructions of a cubin like a reader of traces recorded on a GPU (isa::decode):
/// classes by opcode table, and the registers recorded by Accel-Sim's tracer. Control bits are
/// those of the code.
std::shared_ptr<const instruction_descriptors> describe_machine_code(
    const sass_image& image, const instruction_timing& timing);

}  // namespace simtlm::execution
