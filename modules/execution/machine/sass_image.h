// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/machine/machine_operations.h"
#include "modules/execution/program_image.h"
#include "modules/sass/cubin.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::execution {

/// A row of the bank `constants`: a word in all lanes, or what depends on the lane.
struct machine_row {
    enum class kind : std::uint8_t {
        number,
        bank_word,
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

/// A cubin loaded into a device's memory: its variables have addresses, its instructions are
/// lowered to the internal form. What is not executed is found when it is loaded, and a launch of a
/// kernel that holds it is refused, by name and program counter.
class sass_image final : public program_image {
public:
    /// @throws kernel::user_error  it asks for something that does not exist
    sass_image(std::shared_ptr<const sass::cubin> source, device_memory& memory,
               const check_options& checks = {});
    ~sass_image() override;

    const sass::cubin& source() const { return *source_; }
    std::vector<program_variable> shared_variables_of(const kernel_image&) const override {
        return {};
    }
    lane_buffer launch_constants(const launch& what) const override;
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

private:
    friend class machine_lowering;

    /// Where an instruction lies.
    struct place {
        std::uint32_t function = 0;
        std::uint64_t offset = 0;
    };
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

    std::shared_ptr<const sass::cubin> source_;
    device_memory& memory_;
    std::map<std::uint32_t, device_address> sections_;  ///< of variables, by section
    std::vector<device_address> owned_;
    std::vector<place> places_;          ///< by operation::instruction
    std::vector<std::string> problems_;  ///< by function: why it is not executed; empty: it is
    std::uint32_t registers_ = 0;        ///< rows of a frame for R0, R1, ...
    std::vector<machine_row> rows_;
    std::array<bank_contents, banks> bank_{};
    std::uint32_t constant_bytes_ = 0;
    std::vector<std::unique_ptr<slot[]>> lists_;
    std::vector<std::unique_ptr<machine_details>> details_;
};

}  // namespace simtlm::execution
