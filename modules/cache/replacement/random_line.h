// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/replacement_policy.h"
#include "modules/support/archive.h"

namespace simtlm::cache {

/// The first replaceable line from a pseudo-random way on (xorshift; Marsaglia, 2003).
class random_line : public replacement_policy {
public:
    std::uint32_t choose(const replacement_state& lines, std::uint32_t first, unsigned ways,
                         victim_class limit) override {
        const std::uint32_t free = lines.free_line(first, ways);
        if (free != replacement_state::no_line) return free;
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        for (std::uint32_t i = 0; i < ways; ++i) {
            const std::uint32_t line = first + (state_ + i) % ways;
            if (lines.class_of(line) <= limit) return line;
        }
        return replacement_state::no_line;
    }
    bool replaces_round_robin() const override { return false; }
    void checkpoint(support::archive& a) override { a(state_); }

private:
    std::uint32_t state_ = 0x9e3779b9u;
};

}  // namespace simtlm::cache
