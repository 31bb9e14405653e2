// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/isa/decode.h"
#include "modules/program/kernel_source.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::execution {

/// Latency and initiation interval by kind of instruction, core cycles: options
/// -ptx_opcode_latency_* and -ptx_opcode_initiation_*. Others take 1/1.
struct opcode_timing {
    struct entry {
        std::uint16_t latency = 1;
        std::uint16_t initiation_interval = 1;
    };
    /// Add, min and max, multiply, multiply-add, divide; of integers also shuffle.
    enum kind : unsigned { add, extremum, multiply, multiply_add, divide, shuffle };

    std::array<entry, 6> integer;
    std::array<entry, 5> single;
    std::array<entry, 5> double_precision;
    entry special_function;
    entry tensor;
    /// Instructions are given control bits, as a compiler for this architecture would (70 = Volta),
    /// for a core that issues by them; 0: none.
    unsigned controls_of = 0;
    /// SMs have engines for bulk copies and for matrix products of warpgroups (sm_90).
    bool asynchronous_engines = false;

    /// Departures of the reference from the hardware.
    struct quirks {
        bool vector_is_one_element = false;  ///< a vector access has the size of one element
        bool names_give_banks = false;       ///< register_numbers, and predicates have banks
        bool missed_hazards = false;         ///< addresses of atomics, results of votes and video
    } quirk;
};

/// Timing of instructions by instruction set.
struct instruction_timing {
    opcode_timing ptx;
    isa::decode_options machine_code;  ///< latencies by class, departures of the reference
    /// Classes of machine instructions by opcode; nullptr: the built-in ones.
    std::shared_ptr<const isa::opcode_tables> opcodes;
};

/// Instructions that lie one behind the other in memory: a function, or its end where control can
/// come to it.
struct code_range {
    std::uint32_t function = 0;
    std::uint32_t first = 0;  ///< instruction
    std::uint32_t end = 0;    ///< behind its last
    bool entry = false;       ///< of a kernel
    bool exists = true;       ///< false: control cannot come here, and it takes no memory
};

/// What an SM has to know of the instructions of a program: made once per program and timing.
class instruction_descriptors {
public:
    /// @param instructions      by the number that operation::instruction has
    /// @param ranges            ascending, without gaps
    /// @param register_numbers  registers are numbered below this
    instruction_descriptors(std::vector<program::static_instruction> instructions,
                            std::vector<code_range> ranges, std::uint32_t register_numbers);

    const program::static_instruction& of(std::uint32_t instruction) const {
        return descriptor_[instruction];
    }
    /// Instructions of the program.
    std::size_t size() const { return descriptor_.size(); }
    /// An instruction, and those behind it to the end of its function.
    program::instruction_window window_from(std::uint32_t instruction) const {
        return {&sequence_[instruction], &sequence_[end_of_function_[instruction]]};
    }
    std::uint32_t index_of(const program::dynamic_instruction& i) const {
        return static_cast<std::uint32_t>(&i - sequence_.data());
    }
    /// What a kernel can execute: itself, and all functions that are no kernels. Each a window from
    /// its first instruction, ascending. @param function  of the kernel in the module
    std::vector<program::instruction_window> code_of(std::uint32_t function) const;
    /// Registers are numbered below this.
    std::uint32_t register_numbers() const { return register_numbers_; }

    /// The first instruction that a function may execute and the timing model does not know; empty:
    /// there is none.
    std::string untimed_in(std::uint32_t function) const;
    /// An instruction without timing model. @param index  of it
    void note_untimed(std::uint32_t index) { untimed_.push_back(index); }

private:
    std::vector<program::static_instruction> descriptor_;
    std::vector<program::dynamic_instruction> sequence_;
    std::vector<std::uint32_t> end_of_function_;
    std::vector<code_range> ranges_;
    std::vector<std::uint32_t> untimed_;  ///< instructions
    std::uint32_t register_numbers_ = 1;
};

class ptx_image;
class sass_image;

/// Instructions of a PTX module, timed as options -ptx_opcode_* say.
std::shared_ptr<const instruction_descriptors> describe_ptx(const ptx_image& image,
                                                            const opcode_timing& timing);

/// Instructions of a cubin, as a reader of traces would describe them that were recorded on a GPU
/// (isa::decode): classes by opcode table, the registers that the tracer of Accel-Sim names.
/// Control bits are those of the code.
std::shared_ptr<const instruction_descriptors> describe_machine_code(
    const sass_image& image, const instruction_timing& timing);

}  // namespace simtlm::execution
