// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/statistics_run.h"

#include <vector>

namespace simtlm::platform::study {

/// Options for merging partial runs.
struct merge_options {
    bool allow_gaps = false;     ///< allow missing kernels between the first and the last
    bool allow_options = false;  ///< allow different model options; those of the first run are kept
    /// Allow kernels in several runs: each is taken from the run that begins earliest in the list;
    /// in the other runs it has warmed the caches.
    bool overlap = false;
};

/// Merges the statistics of runs of different kernels of one list (--kernels 5-7) into one
/// document.
/// Kernels are identified and ordered by their position in the list or, without a list, by the
/// tracer's number. Counters of blocks are combined by their own rule (`adds`). `total` contains
/// the printed values that can be derived from those of the runs; `merged.without` names the
/// others. For overlapping runs, totals are derived from the kernels, and there are no blocks or
/// histograms; `merged.warmed_by` lists the dropped kernels. Cycles are those of the runs in
/// sequence, and launches are renumbered.
/// @throws support::user_error  if a kernel is in two runs or missing, the runs have different
/// lists or GPUs, or a kernel did not complete
json merge(const std::vector<statistics_run>& runs, const merge_options& options);

}  // namespace simtlm::platform::study
