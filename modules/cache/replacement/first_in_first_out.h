// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/replacement_policy.h"

namespace simtlm::cache {

/// FIFO: the line that was allocated first.
class first_in_first_out : public replacement_policy {
public:
    std::uint32_t choose(const replacement_state& lines, std::uint32_t first, unsigned ways,
                         victim_class limit) override {
        return lines.oldest(first, ways, limit);
    }
};

}  // namespace simtlm::cache
