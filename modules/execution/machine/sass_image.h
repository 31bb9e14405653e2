// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/machine/machine_operations.h"
#include "modules/execution/program_image.h"
#include "modules/sass/cubin.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtlm::execution {

/// A row of the bank `constants`: a word in all lanes, or what depends on the lane.
struct machine_row {
    enum class kind : std::uint8_t {
        number,
        bank_word,
        bank_byte,  ///< of a constant bank, as those below
        bank_signed_byte,
        bank_half,
        bank_signed_half,
        lane_id,
        mask_eq,
        mask_lt,
        mask_le,
        mask_gt,
        mask_ge
    };
    kind what = kind::number;
    std::uint32_t bank = 0;
    std::uint32_t value = 0;  ///< number; offset in the bank, bytes
};

/// A function of the runtime that machine code may call: arguments and result in registers from R4
/// on, those of 8 bytes in pairs.
struct runtime_signature {
    std::string_view name;
    std::array<std::uint8_t, 5> arguments{};  ///< bytes; 0: no more
    std::uint8_t result = 0;                  ///< bytes
};
constexpr std::array<runtime_signature, 6> runtime_functions = {{
    {"vprintf", {8, 8}, 4},
    {"malloc", {8}, 8},
    {"free", {8}, 0},
    {"__assertfail", {8, 8, 4, 8, 8}, 0},
    {"__assert_fail", {8, 8, 4, 8}, 0},
    {"cudaGraphSetConditional", {8, 4}, 0},
}};

/// A cubin loaded into a device's memory: its variables have addresses, its instructions are
/// lowered to the internal form. What is not executed is found when it is loaded, and a launch of a
/// kernel that holds it is refused, by name and program counter.
class sass_image final : public program_image {
public:
    /// Where code lies, as programs see it: 16 bytes an instruction, by the index of its place.
    static constexpr device_address code_window = std::uint64_t{1} << 46;
    /// From Hopper on, generic addresses of shared memory are those of the shared space behind this
    /// upper word (SR_SWINHI).
    static constexpr std::uint32_t shared_window_high = 0x0010'0000;
    /// Where a CTA's own shared memory begins, behind what Hopper's system reserves. Sizes of
    /// shared memory and addresses are told without it.
    static constexpr std::uint32_t reserved_shared(unsigned architecture) {
        return architecture >= 90 ? 0x400 : 0;
    }
    /// Functions of the runtime lie below it, 16 bytes each.
    static constexpr device_address runtime_window = code_window - 0x10000;

    /// @throws kernel::user_error  it asks for something that does not exist
    sass_image(std::shared_ptr<const sass::cubin> source, device_memory& memory,
               const check_options& checks = {});
    ~sass_image() override;

    const sass::cubin& source() const { return *source_; }
    /// Every instruction of its kernels is one that is executed.
    bool is_executed_whole() const;
    /// Why a kernel is not executed, by an instruction of its own or of what it may call; empty: it
    /// is.
    const std::string& problem_of(const kernel_image& k) const;
    std::vector<program_variable> shared_variables_of(const kernel_image&) const override {
        return {};
    }
    lane_buffer launch_constants(const launch& what, std::uint32_t local_bytes) const override;
    std::unique_ptr<warp_control> make_control() const override;
    std::shared_ptr<const instruction_descriptors> describe(
        const instruction_timing& timing) const override;
    std::string where(const operation& op) const override;
    std::string text_of(const operation& op) const override;
    instruction_name name_of(const operation& op) const override;
    std::string results_text(const operation& op, const std::byte* frame,
                             unsigned lane) const override;
    std::string registers_text(const operation& op, const std::byte* frame,
                               unsigned lane) const override;

    /// Where an instruction lies.
    struct place {
        std::uint32_t function = 0;  ///< of source()
        std::uint64_t offset = 0;    ///< in its section; the section's size: its end
    };
    /// By operation::instruction: the instructions of one function after the other, each with a
    /// place for its end.
    const std::vector<place>& places() const { return places_; }
    /// The mnemonic of an instruction with its modifiers. Lives as long as the image.
    const char* opcode_of(std::uint32_t instruction) const { return opcodes_[instruction]; }
    /// Line of CUDA source; 0: not told.
    std::uint32_t source_line(const place& p) const;

private:
    friend class machine_lowering;

    const sass::cubin_line* line_of(const place& p) const;

    struct bank_contents {
        std::uint32_t offset = 0;  ///< in the bank `constants`
        std::uint32_t bytes = 0;
    };
    static constexpr unsigned banks = 5;  ///< constant banks 0 to 4

    void place_variables();
    void describe_kernels();
    void lower();
    std::string bank_section(unsigned bank, const kernel_image& k) const;
    device_address address_of(const sass::cubin_symbol& s) const;
    device_address code_address(std::uint32_t function, std::uint64_t offset) const {
        return code_window + 16 * first_place_[function] + offset;
    }
    void patch_code();
    /// An instruction, with the addresses that a loader puts into it.
    sass::instruction_word word_of(std::uint32_t function, std::size_t n) const;

    std::shared_ptr<const sass::cubin> source_;
    device_memory& memory_;
    std::map<std::uint32_t, device_address> sections_;  ///< of variables, by section
    std::vector<device_address> owned_;
    std::vector<std::uint64_t> first_place_;  ///< by function: index of its first instruction
    std::map<std::pair<std::uint32_t, std::uint64_t>, sass::instruction_word>
        patched_;                        ///< by function and offset
    std::vector<slot> first_operation_;  ///< by operation::instruction
    std::vector<bool> calls_unknown_;    ///< by function: through pointers, into other sections
    /// By function: its stack grows by more than the cubin says, by recursion within its section or
    /// by alloca.
    std::vector<bool> stack_unknown_;
    std::vector<place> places_;         ///< by operation::instruction
    std::vector<const char*> opcodes_;  ///< by operation::instruction
    std::set<std::string> opcode_names_;
    std::vector<std::string> problems_;  ///< by function: why it is not executed; empty: it is
    std::uint32_t registers_ = 0;        ///< rows of a frame for R0, R1, ...
    std::vector<machine_row> rows_;
    std::array<bank_contents, banks> bank_{};
    std::uint32_t constant_bytes_ = 0;
    std::vector<std::unique_ptr<slot[]>> lists_;
    std::vector<std::unique_ptr<machine_details>> details_;
    std::vector<std::shared_ptr<const void>>
        attachments_;  ///< what tensor products and texture accesses do
};

}  // namespace simtlm::execution
