// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/lane_buffer.h"
#include "modules/execution/common/operation.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace simtlm::execution {

/// Constants in instructions, each replicated in all lanes of a register of the bank `constants`,
/// and some values that only depend on the lane.
class constant_pool {
public:
    /// Values that differ between lanes.
    enum class lane_value { id, mask_eq, mask_le, mask_lt, mask_ge, mask_gt };

    constant_pool();
    /// The operand of a constant, which is added if the pool does not contain it.
    operand_ref mask(lane_mask m);
    operand_ref word(std::uint32_t value);
    operand_ref double_word(std::uint64_t value);
    /// The operand of a value that depends on the lane.
    operand_ref lanes(lane_value v) const {
        return operand_ref_in(bank::constants, static_cast<std::uint32_t>(v) * 128);
    }
    /// Creates the bank, after all constants have been added.
    lane_buffer build() const;

private:
    operand_ref add(unsigned kind, std::uint64_t value, std::uint32_t bytes);

    struct entry {
        unsigned kind;
        std::uint64_t value;
        std::uint32_t offset;
    };
    std::map<std::pair<unsigned, std::uint64_t>, operand_ref> known_;
    std::vector<entry> entries_;
    std::uint32_t bytes_;
};

}  // namespace simtlm::execution
