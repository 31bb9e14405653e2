// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/execution_error.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace simtlm::execution {

/// What a check has found at an instruction.
struct finding {
    enum class kind : std::uint8_t {
        uninitialised_memory,
        uninitialised_register,
        shared_race,
    };
    kind what = kind::uninitialised_memory;
    std::string text;         ///< what the first thread did, its address, the allocation
    fault_site site;          ///< of that thread
    std::uint64_t count = 0;  ///< threads, all in all

    /// "file.ptx:3 (file.cu:1): kernel k, block (0,0,0), thread (1,0,0): ..."
    std::string message() const;
};

/// Collects what checks find, once per operation (or pair of them) and kind. Of the threads that
/// do the same the first of the grid is told, so that the order of execution does not matter.
/// Several host threads may add at once.
class findings {
public:
    /// Where a thread stands in the grid.
    struct thread_number {
        std::uint64_t block = 0;
        std::uint64_t thread = 0;
        bool operator<(const thread_number& other) const {
            return std::tie(block, thread) < std::tie(other.block, other.thread);
        }
    };

    /// Where in a program it is: what makes it different from other findings.
    struct program_place {
        const void* module = nullptr;
        std::uint64_t operation = 0;
        std::uint64_t other = 0;  ///< of a race, the other operation
        bool operator<(const program_place& p) const {
            return std::tie(module, operation, other) < std::tie(p.module, p.operation, p.other);
        }
    };

    /// One thread has done it. @param describe  called for the first thread of the grid so far;
    /// gives a finding
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
    /// By kernel and operation; afterwards there is nothing. Not while programs run.
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
