// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/checking/findings.h"

#include <fmt/format.h>

#include <utility>

namespace simtlm::execution {

std::string finding::message() const {
    std::string m = execution_error(site, text).what();
    if (count > 1)
        m += fmt::format("; {} more {}", count - 1, count == 2 ? "thread does" : "threads do");
    return m;
}

std::vector<finding> findings::take() {
    // Modules lie anywhere: kernels by their names.
    std::multimap<std::string, finding> by_kernel;
    for (auto& [key, e] : entries_) by_kernel.emplace(e.found.site.kernel, std::move(e.found));
    entries_.clear();
    std::vector<finding> all;
    for (auto& [kernel, found] : by_kernel) all.push_back(std::move(found));
    return all;
}

}  // namespace simtlm::execution
