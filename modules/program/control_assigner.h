// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/control_bits.h"
#include "modules/program/scheduling_class.h"

#include <array>
#include <cstdint>
#include <vector>

namespace simtlm::program {

/// Cycles that a compiler leaves between an instruction and one that reads its result, where both
/// have fixed latencies or the reader is of variable latency (mesa's NAK, sm70 to sm80 tables).
class dependence_latencies {
public:
    /// Of an architecture: the 70 of sm_70; 0 and others: as sm_80.
    static dependence_latencies of(unsigned binary_version);

    /// Read after write of a register. @pre has_fixed_latency(writer)
    unsigned raw(scheduling_class reader, scheduling_class writer) const {
        return raw_[static_cast<unsigned>(row_of(reader))][static_cast<unsigned>(writer)];
    }
    /// Read after write of a predicate: guards, branches and instructions of variable latency need
    /// it earlier in the pipeline than coupled ones.
    unsigned predicate(scheduling_class reader, bool as_guard) const {
        if (as_guard || !has_fixed_latency(reader)) return guard_;
        return reader == scheduling_class::alu ? predicate_alu_ : predicate_alu_ + 1u;
    }

private:
    enum class row : std::uint8_t { alu, fma, wide, half, uniform, decoupled, address, fp64, mma };
    static constexpr unsigned rows = 9;
    static row row_of(scheduling_class reader);

    std::array<std::array<std::uint8_t, 7>, rows> raw_{};  // by writer of fixed latency
    std::uint8_t guard_ = 13;
    std::uint8_t predicate_alu_ = 4;
};

/// A basic block of code whose control bits are to be assigned.
struct scheduled_block {
    std::vector<const static_instruction*> code;
    std::vector<unsigned> successors;  ///< blocks
};

/// Gives instructions the control bits that a compiler would: for code that comes without them
/// (PTX, plain traces). Stall counts follow from the latency tables; results and operands of
/// instructions of variable latency get dependence counters, an unused one where there is one, else
/// that of the last instruction before; who needs them waits, across blocks by data flow over the
/// successors. A predicate that the source does not name (recorded traces tell none) is assumed to
/// guard the branch that ends its block.
class control_assigner {
public:
    explicit control_assigner(const dependence_latencies& latencies) : latencies_(latencies) {}

    /// @return control bits, by block and instruction
    std::vector<std::vector<control_bits>> assign(const std::vector<scheduled_block>& blocks);

private:
    struct pending {
        std::uint16_t reg;
        std::uint8_t written_by;  ///< counters of instructions that have yet to write it
        std::uint8_t read_by;     ///< ... to read it
    };
    using state = std::vector<pending>;  ///< registers with something pending, ascending

    void allocate(const scheduled_block& block, std::vector<control_bits>& bits, unsigned first);
    state flow(const scheduled_block& block, std::vector<control_bits>& bits, const state& in);
    void set_stalls(const scheduled_block& block, std::vector<control_bits>& bits) const;
    static void set_reuse(const scheduled_block& block, std::vector<control_bits>& bits);
    void load(const state& in);
    state save() const;
    void wait_for(std::uint8_t counters);
    void touch(std::uint16_t reg);

    dependence_latencies latencies_;
    // While a block is gone through: by register.
    std::vector<std::uint8_t> written_by_, read_by_;
    std::vector<std::uint16_t> active_;  // registers with something pending
};

}  // namespace simtlm::program
