// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/statistics_run.h"

#include <vector>

namespace simtlm::platform::study {

/// How partial runs become one.
struct merge_options {
    bool allow_gaps = false;     ///< kernels between the first and the last may be missing
    bool allow_options = false;  ///< options of the model may differ; those of the first run stand
    /// Kernels may be in several runs: each is taken from the run that begins earliest in the list,
    /// the first kernels of the others have warmed their caches.
    bool overlap = false;
};

/// One document of statistics out of runs of different kernels of one list (--kernels 5-7).
/// Kernels are told apart and ordered by their place in the list, or by the tracer's number where
/// there is no list. Counters of blocks are added up by their own rule (`adds`); of the printed
/// figures below `total` those are there that follow from those of the runs, and `merged.without`
/// names the others. Of runs that overlap, totals are those that follow from the kernels, and there
/// are no blocks and histograms; `merged.warmed_by` has the kernels that were left out. Cycles are
/// those of the runs one after the other, launches are numbered anew.
/// @throws kernel::user_error  a kernel is in two runs, one between two others is missing, the runs
/// are of different lists or GPUs, or a kernel did not come to its end
json merge(const std::vector<statistics_run>& runs, const merge_options& options);

}  // namespace simtlm::platform::study
