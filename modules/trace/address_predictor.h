// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/instruction_line.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtlm::trace {

/// What the addresses of an instruction were when it was last executed in a thread block. Writer
/// and reader of binary traces keep the same, so that the file holds only what differs. Blocks
/// stand for themselves.
class address_predictor {
public:
    /// The base that comes next is written as a distance from `base`.
    struct history {
        std::uint64_t base = 0;
        std::uint64_t stride = 0;
        std::size_t first = 0;  ///< of the distances between lanes, in distances()
        unsigned lanes = 0;     ///< how many those are, base included; 0: there are none
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
    /// Distances of lanes from the base, the base's own 0 left out.
    std::vector<std::uint64_t>& distances() { return distances_; }

private:
    std::vector<history> histories_;
    std::vector<std::uint64_t> distances_;
    std::uint64_t block_ = 0;
};

}  // namespace simtlm::trace
