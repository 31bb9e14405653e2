// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// A launch of a kernel that a profiler measured, or several launches of which it gives the mean.
struct measured_launch {
    std::string name;            ///< as the profiler writes it
    std::string grid, block;     ///< "4 x 24 x 1"; empty: not in the profile
    double launches = 1;         ///< how many launches this is the mean of
    std::vector<double> values;  ///< by index of kernel_profile::metrics; NaN: none
};

/// What Nsight Compute or Nsight Systems measured, in the order of the launches.
///
/// Metrics have the names of Nsight Compute, also those of Nsight Systems and of the page of
/// details; values are in seconds, bytes, hertz, cycles, percent, or without a unit.
struct kernel_profile {
    std::string file;
    std::string kind;  ///< "Nsight Compute, raw page"
    std::vector<std::string> metrics;
    std::vector<measured_launch> launches;
    std::map<std::string, std::string> unread;  ///< metrics without numbers, with the reason
    std::uint64_t other_rows = 0;               ///< memory operations, which are not kernels

    /// Index of a metric; adds it where it is new.
    std::size_t index_of(const std::string& metric);
    void set(measured_launch& launch, const std::string& metric, double value);
    /// Value of a metric; NaN: none.
    double value(const measured_launch& launch, const std::string& metric) const;

    /// Reads CSV of `ncu --csv` (pages raw and details, long and wide, and summaries) and of `nsys
    /// stats --format csv` (cuda_gpu_kern_sum, cuda_gpu_trace and their older names), with the
    /// lines that the tools and the application print before them.
    /// @param file  name for messages
    /// @throws support::user_error  naming file, line and remedy
    static kernel_profile parse(const std::string& text, const std::string& file);
    /// Reads the SQLite file of `nsys export`.
    static kernel_profile read_database(const std::string& file);

private:
    std::map<std::string, std::size_t> indices_;
};

}  // namespace simtlm::platform::study
