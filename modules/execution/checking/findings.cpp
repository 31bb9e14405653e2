// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/checking/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace simtlm::execution {

std::string finding::message() const {
    std::string m = execution_error(site, text).what();
    if (count > 1)
        m += fmt::format("; {} more {}", count - 1, count == 2 ? "thread does" : "threads do");
    return m;
}

namespace {

/// The source line of a site, "file.cu:3", if given by `.loc`.
std::string source_line_of(const fault_site& site) {
    const std::size_t open = site.where.rfind(" (");
    if (open == std::string::npos || site.where.back() != ')') return {};
    return site.where.substr(open + 2, site.where.size() - open - 3);
}

}  // namespace

/// Returns one finding per kind and source line, if source lines are known.
std::vector<finding> findings::take() {
    // A source line may consist of many instructions, but is reported once.
    std::map<std::tuple<std::string, finding::kind, std::string>, std::size_t> lines;
    std::vector<entry> all;
    for (auto& [where, e] : entries_) {
        const std::string line = source_line_of(e.found.site);
        const auto known =
            line.empty() ? lines.end() : lines.find({e.found.site.kernel, e.found.what, line});
        if (known == lines.end()) {
            if (!line.empty()) lines[{e.found.site.kernel, e.found.what, line}] = all.size();
            all.push_back(std::move(e));
            continue;
        }
        entry& first = all[known->second];
        const std::uint64_t count = std::max(first.found.count, e.found.count);
        if (e.who < first.who) first = std::move(e);
        first.found.count = count;
    }
    entries_.clear();
    // Sorted by kernel name, because addresses of modules are arbitrary.
    std::stable_sort(all.begin(), all.end(), [](const entry& a, const entry& b) {
        return a.found.site.kernel < b.found.site.kernel;
    });
    std::vector<finding> found;
    for (entry& e : all) found.push_back(std::move(e.found));
    return found;
}

}  // namespace simtlm::execution
