// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/statistics_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::platform::study {

/// Reads the counters of a kernel; missing counters are zero.
class counter_view {
public:
    explicit counter_view(const json& kernel) : counters_(kernel.at("counters")) {}

    double value(const char* kind, const char* counter) const {
        const json* c = find(kind, counter);
        return c != nullptr && c->is_number() ? c->get<double>() : 0;
    }
    double cell(const char* kind, const char* counter, const char* label) const {
        const json* c = find(kind, counter);
        return c != nullptr && c->is_object() ? c->value(label, 0.0) : 0;
    }
    double sum(const char* kind, const char* counter) const {
        const json* c = find(kind, counter);
        double all = 0;
        if (c != nullptr && c->is_object())
            for (const auto& [label, v] : c->items())
                if (v.is_number()) all += v.get<double>();
        return all;
    }
    /// The largest cell of an array and its label.
    std::pair<std::string, double> greatest(const char* kind, const char* counter) const {
        std::pair<std::string, double> most{"", 0};
        const json* c = find(kind, counter);
        if (c != nullptr && c->is_object())
            for (const auto& [label, v] : c->items())
                if (v.is_number() && v.get<double>() > most.second) most = {label, v.get<double>()};
        return most;
    }

private:
    const json* find(const char* kind, const char* counter) const {
        const auto k = counters_.find(kind);
        if (k == counters_.end() || !k->is_object()) return nullptr;
        const auto c = k->find(counter);
        return c != k->end() ? &*c : nullptr;
    }
    const json& counters_;
};

// Numbers and texts of an analysis.

inline double ratio(double a, double b) {
    return b > 0 ? a / b : 0;
}

inline double clamped(double share) {
    return std::clamp(share, 0.0, 1.0);
}

inline std::string percent(double share) {
    const double p = 100 * share;
    return fmt::format("{:.{}f} %", p, p != 0 && p < 9.95 ? 1 : 0);
}

inline std::string gigabytes(double bytes_per_second) {
    if (bytes_per_second >= 1e12) return fmt::format("{:.3g} TB/s", bytes_per_second / 1e12);
    const double g = bytes_per_second / 1e9;
    return fmt::format("{:.{}f} GB/s", g, g < 9.95 ? 1 : 0);
}

inline std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    return text;
}

}  // namespace simtlm::platform::study
