// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/profile/kernel_profile.h"
#include "platform/study/statistics_run.h"

#include <cstddef>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// Launches of a kernel in the profile and in the run, by index, in order; one of the lists is
/// empty for a kernel of only one side.
struct kernel_pair {
    std::string name;         ///< as in the profile; of a kernel only in the run, as there
    std::string grid, block;  ///< empty: launches of several sizes
    std::vector<std::size_t> measured, simulated;
};

/// "4 x 24 x 1" of a kernel of a run; empty if it is not in the file.
std::string extent_text(const json& kernel, const char* name);

/// Finds the launches of the same kernel, by name and, where both sides have them, by sizes of grid
/// and block. Names agree if their functions and template arguments do; template arguments and
/// namespaces may be missing on one side. Kernels that did not finish are only in the run. The
/// order is that of the profile, then of the run.
/// @param each  pairs launches one by one where both sides have the same number of them
std::vector<kernel_pair> pair_kernels(const kernel_profile& profile, const statistics_run& run,
                                      bool each);

}  // namespace simtlm::platform::study
