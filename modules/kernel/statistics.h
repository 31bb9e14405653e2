// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::kernel {

/// The statistics of a design, by hierarchical name: every block declares its counters where it
/// counts them and lists them here once, at elaboration. Reading costs the counting nothing.
class statistics {
public:
    struct entry {
        std::string name;         ///< hierarchical, e.g. gpu.partition3.dram.activates
        std::string unit;         ///< e.g. requests, core cycles
        std::string description;  ///< one sentence
        const std::uint64_t* value;
    };

    /// Lists a counter. @param value  must outlive this object
    void add(std::string name, std::string unit, std::string description,
             const std::uint64_t* value) {
        entries_.push_back({std::move(name), std::move(unit), std::move(description), value});
    }
    const std::vector<entry>& entries() const { return entries_; }

private:
    std::vector<entry> entries_;
};

}  // namespace simtlm::kernel
