// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm {

/// Requests huge pages for the heap from the operating system, before large allocations: the
/// simulation touches tens of megabytes per cycle, more than the TLB covers with small pages
/// (docs/performance.md). No effect on systems without huge pages.
void prefer_huge_pages();

}  // namespace simtlm
