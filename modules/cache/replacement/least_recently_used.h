// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/replacement_policy.h"

namespace simtlm::cache {

/// LRU: the line whose last use is the oldest.
class least_recently_used : public replacement_policy {
public:
    bool ages_by_use() const override { return true; }
};

}  // namespace simtlm::cache
