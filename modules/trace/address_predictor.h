// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/instruction_line.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtlm::trace {

/// Predicts the addresses of an instruction from its previous execution in the same thread block.
/// Writer and reader of binary traces use the same predictor, so that the file contains only
/// differences. Blocks are independent of each other.
class address_predictor {
public:
    /// The next base is encoded relative to `base`.
    struct history {
        std::uint64_t base = 0;
        std::uint64_t stride = 0;
        std::size_t first = 0;  ///< of the distances between lanes, in distances()
        unsigned lanes = 0;     ///< number of distances, including that of the base; 0: none
        bool has_stride = false;
        std::uint64_t block = 0;
    };

    void begin_block() {
        ++block_;
        distances_.clear();
    }
    history& of(std::uint32_t instruction) {
        if (instruction >= histories_.size()) {
            histories_.resize(std::max<std::size_t>(instruction + 1, histories_.size() * 2));
        }
        history& h = histories_[instruction];
        if (h.block != block_) {
            h = {};
            h.block = block_;
        }
        return h;
    }
    /// Distances of lanes from the base, without the base's own distance of 0.
    std::vector<std::uint64_t>& distances() { return distances_; }

private:
    std::vector<history> histories_;
    std::vector<std::uint64_t> distances_;
    std::uint64_t block_ = 0;
};

}  // namespace simtlm::trace
