// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/execution_error.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace simtlm::execution {

/// A defect found by a check at an instruction.
struct finding {
    enum class kind : std::uint8_t {
        uninitialised_memory,
        uninitialised_register,
        shared_race,
    };
    kind what = kind::uninitialised_memory;
    std::string text;         ///< access of the first thread, its address, the allocation
    fault_site site;          ///< of that thread
    std::uint64_t count = 0;  ///< number of threads

    /// "file.ptx:3 (file.cu:1): kernel k, block (0,0,0), thread (1,0,0): ..."
    std::string message() const;
};

/// Collects the findings of the checks, once per operation (or pair of operations) and kind. Of the
/// threads with the same finding, the first in the grid is reported, so that the result does not
/// depend on the order of execution. Thread-safe.
class findings {
public:
    /// Position of a thread in the grid.
    struct thread_number {
        std::uint64_t block = 0;
        std::uint64_t thread = 0;
        bool operator<(const thread_number& other) const {
            return std::tie(block, thread) < std::tie(other.block, other.thread);
        }
    };

    /// Position in a program, which identifies a finding.
    struct program_place {
        const void* module = nullptr;
        std::uint64_t operation = 0;
        std::uint64_t other = 0;  ///< other operation of a race
        bool operator<(const program_place& p) const {
            return std::tie(module, operation, other) < std::tie(p.module, p.operation, p.other);
        }
    };

    /// Adds a finding of one thread. @param describe  called if it is the first thread of the grid
    /// so far; returns a finding
    template <class Describe>
    void add(finding::kind what, const program_place& where, thread_number who,
             Describe&& describe) {
        const std::lock_guard<std::mutex> lock(mutex_);
        entry& e = entries_[{where, what}];
        const bool first = e.found.count == 0 || who < e.who;
        const std::uint64_t count = e.found.count + 1;
        if (first) {
            e.found = describe();
            e.found.what = what;
            e.who = who;
        }
        e.found.count = count;
    }

    bool empty() const { return entries_.empty(); }
    /// Returns and removes all findings, ordered by kernel and operation. Must not be called while
    /// programs run.
    std::vector<finding> take();

private:
    struct entry {
        finding found;
        thread_number who;
    };

    std::mutex mutex_;
    std::map<std::pair<program_place, finding::kind>, entry> entries_;
};

}  // namespace simtlm::execution
