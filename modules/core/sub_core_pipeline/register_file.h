// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace simtlm::core::sub_core_pipeline {

/// Parameters of the register file of a sub-core.
struct register_file_config {
    unsigned banks = 2;          ///< register % banks
    unsigned read_ports = 1;     ///< per bank and cycle, 1024 bits each; 0: unlimited
    unsigned read_window = 3;    ///< cycles after allocation in which operands are read
    unsigned tensor_window = 6;  ///< the same for tensor instructions, whose operands have up to 4
                                 ///< registers
};

/// The register file of a sub-core: banks with read ports and one write port each, without operand
/// collector (Huerta et al., section 5.3). A fixed-latency instruction stays in the allocate stage
/// until all its reads fit into the cycles of its read window; two operands in the same bank thus
/// cost one bubble, three cost two, when instructions are issued back to back.
class register_file {
public:
    static constexpr unsigned max_banks = 4;
    static constexpr unsigned max_ports = 2;
    using reads = std::array<std::uint8_t, max_banks>;  ///< by bank

    explicit register_file(const register_file_config& config)
        : config_(config), mask_((config.banks & (config.banks - 1)) == 0 ? config.banks - 1 : 0) {}

    unsigned bank_of(unsigned reg) const {
        return mask_ != 0 ? reg & mask_ : reg % config_.banks;  // a division takes much longer
    }
    unsigned banks() const { return config_.banks; }

    /// Takes the read ports that an instruction needs in the cycles after `now`.
    /// @param window  cycles that it may read in
    /// @param tensor  bit k: in cycle now + k the tensor core reads a register; it accesses the
    ///                banks in turn
    /// @return false: they are not free, and nothing has been taken
    bool allocate(const reads& wanted, unsigned window, std::uint64_t now,
                  std::uint64_t tensor = 0);

    /// Reserves the write port for a fixed-latency result, which has priority.
    void write_fixed(unsigned bank, std::uint64_t at) {
        advance_writes(at);
        fixed_writes_[bank] |= bit(at);
    }
    /// Writes a variable-latency result in the first cycle from `at` on in which no fixed-latency
    /// result uses the port. @return that cycle
    std::uint64_t write_variable(unsigned bank, std::uint64_t at);

    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(read_, reads_from_, fixed_writes_, writes_to_);
    }

private:
    static constexpr unsigned horizon = 64;  // cycles
    static std::uint64_t bit(std::uint64_t cycle) { return std::uint64_t{1} << (cycle % horizon); }
    void advance_reads(std::uint64_t now);
    void advance_writes(std::uint64_t at);

    register_file_config config_;
    unsigned mask_;  // that selects the bank, if their number is a power of two above 1
    // Bit c - now: reserved in that cycle.
    std::array<std::array<std::uint64_t, max_ports>, max_banks> read_{};
    std::uint64_t reads_from_ = 0;
    std::array<std::uint64_t, max_banks> fixed_writes_{};  // bit: cycle modulo horizon
    std::uint64_t writes_to_ = 0;                          // the latest reserved cycle
};

}  // namespace simtlm::core::sub_core_pipeline
