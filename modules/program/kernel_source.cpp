// SPDX-License-Identifier: Apache-2.0
#include "modules/program/kernel_source.h"

#include "modules/program/warp_inspector.h"

namespace simtlm::program {

// Defined here so that their vtables are emitted once.
warp_executor::~warp_executor() = default;
const std::vector<mbarrier_operation>& warp_executor::mbarrier_operations() const {
    static const std::vector<mbarrier_operation> none;
    return none;
}
cta::~cta() = default;
kernel_source::~kernel_source() = default;
warp_inspector::~warp_inspector() = default;

}  // namespace simtlm::program
