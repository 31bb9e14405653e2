// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/link_diagnostics.h"

#include "modules/sass/linker.h"

#include <algorithm>
#include <utility>

namespace simtlm::sass {

void link_diagnostics::error(std::string reason) {
    if (std::find(reasons_.begin(), reasons_.end(), reason) == reasons_.end())
        reasons_.push_back(std::move(reason));
}

void link_diagnostics::throw_if_any() const {
    if (reasons_.empty()) return;
    std::string all;
    for (const std::string& r : reasons_) all += (all.empty() ? "" : "\n") + r;
    throw link_error(name_, all);
}

}  // namespace simtlm::sass
