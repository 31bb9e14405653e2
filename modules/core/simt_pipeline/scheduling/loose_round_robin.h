// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/simt_pipeline/scheduling_policy.h"
#include "modules/support/archive_fwd.h"

namespace simtlm::core::simt_pipeline {

/// Loose round robin: warps in cyclic order, starting after the one that issued last; warps that
/// cannot issue are skipped.
class loose_round_robin : public scheduling_policy {
public:
    unsigned first(warp_mask candidates) const override {
        const warp_mask later = last_ >= 63 ? 0 : candidates >> (last_ + 1) << (last_ + 1);
        return static_cast<unsigned>(__builtin_ctzll(started_ && later != 0 ? later : candidates));
    }
    void issued(unsigned warp, unsigned) override {
        last_ = warp;
        started_ = true;
    }
    void checkpoint(support::archive& a) override;

private:
    unsigned last_ = 0;
    bool started_ = false;
};

}  // namespace simtlm::core::simt_pipeline
