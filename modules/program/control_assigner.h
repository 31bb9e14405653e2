// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/control_bits.h"
#include "modules/program/instruction.h"

#include <array>
#include <cstdint>
#include <vector>

namespace simtlm::program {

/// Cycles between an instruction and a dependent one, as used by a compiler, if both have fixed
/// latencies or the reader has a variable latency (mesa's NAK, sm70 to sm80 tables).
class dependence_latencies {
public:
    /// The latencies of an architecture: 70 for sm_70; 0 and unknown versions: as sm_80.
    static dependence_latencies of(unsigned binary_version);

    /// Read after write of a register. @pre has_fixed_latency(writer)
    unsigned raw(scheduling_class reader, scheduling_class writer) const {
        return raw_[static_cast<unsigned>(row_of(reader))][static_cast<unsigned>(writer)];
    }
    /// Read after write of a predicate: guards, branches and variable-latency instructions need it
    /// earlier in the pipeline.
    unsigned predicate(scheduling_class reader, bool as_guard) const {
        if (as_guard || !has_fixed_latency(reader)) return guard_;
        return reader == scheduling_class::alu ? predicate_alu_ : predicate_alu_ + 1u;
    }

private:
    enum class row : std::uint8_t { alu, fma, wide, half, uniform, decoupled, address, fp64, mma };
    static constexpr unsigned rows = 9;
    static row row_of(scheduling_class reader);

    std::array<std::array<std::uint8_t, 7>, rows> raw_{};  // by fixed-latency writer
    std::uint8_t guard_ = 13;
    std::uint8_t predicate_alu_ = 4;
};

/// A basic block whose control bits are to be assigned.
struct scheduled_block {
    std::vector<const static_instruction*> code;
    std::vector<unsigned> successors;  ///< indices of blocks
};

/// Assigns control bits to code without them (PTX, plain traces), as a compiler would. Stall counts
/// follow from the latency tables. Results and operands of variable-latency instructions are
/// assigned dependence counters: an unused one if available, otherwise that of the last preceding
/// instruction. Dependent instructions wait for the counters; across blocks this is determined by
/// data flow over the successors. A predicate that the source does not name (recorded traces have
/// none) is assumed to guard the branch that ends its block.
class control_assigner {
public:
    explicit control_assigner(const dependence_latencies& latencies) : latencies_(latencies) {}

    /// @return control bits, by block and instruction
    std::vector<std::vector<control_bits>> assign(const std::vector<scheduled_block>& blocks);

private:
    struct pending {
        std::uint16_t reg;
        std::uint8_t written_by;  ///< counters of instructions with a pending write
        std::uint8_t read_by;     ///< counters of instructions with a pending read
    };
    using state = std::vector<pending>;  ///< registers with pending accesses, ascending

    void allocate(const scheduled_block& block, std::vector<control_bits>& bits, unsigned first);
    state flow(const scheduled_block& block, std::vector<control_bits>& bits, const state& in);
    void set_stalls(const scheduled_block& block, std::vector<control_bits>& bits) const;
    static void set_reuse(const scheduled_block& block, std::vector<control_bits>& bits);
    void load(const state& in);
    state save() const;
    void wait_for(std::uint8_t counters);
    void touch(std::uint16_t reg);

    dependence_latencies latencies_;
    // State while a block is processed, by register.
    std::vector<std::uint8_t> written_by_, read_by_;
    std::vector<std::uint16_t> active_;  // registers with pending accesses
};

}  // namespace simtlm::program
