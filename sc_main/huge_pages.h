// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm {

/// Asks the operating system for huge pages beneath the heap, before anything large is on it: what
/// simulates a GPU goes through tens of megabytes every cycle, more than the processor's table of
/// small pages reaches (docs/performance.md). No effect where there are none.
void prefer_huge_pages();

}  // namespace simtlm
