// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/kernel_source.h"
#include "modules/program/wait_describer.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simtlm::trace {

/// What an execution of an instruction does to mbarriers, and the bulk transfers that it starts.
/// Traces of kernels for Hopper contain them, so that a replay copies and waits.
struct asynchronous_details {
    std::vector<program::mbarrier_operation> barriers;
    std::vector<program::bulk_transfer> transfers;  ///< without effects on mbarriers

    bool empty() const { return barriers.empty() && transfers.empty(); }
};

/// Appends details to the address pool of a thread block: the number of words that follow, and the
/// words (see asynchronous_details.cpp).
void append_details(const asynchronous_details& details, std::vector<std::uint64_t>& pool);

/// Reads details from a pool. @pre written by append_details(), or checked by are_details()
asynchronous_details details_at(const std::uint64_t* pool);

/// Precedes details, in hexadecimal, at the end of an instruction line. Other tools ignore them.
inline constexpr const char* asynchronous_word = "Asynchronous";

/// Whether words, the first of which is their number, are details: for words from a file.
bool are_details(const std::uint64_t* words, std::size_t count);

/// Mbarriers of a thread block during a replay, by address. Operations on an mbarrier that has not
/// been initialized are ignored.
class replayed_mbarriers {
public:
    void clear() { state_.clear(); }
    /// Carries out an operation. @return false if it is a wait for an incomplete phase
    bool perform(const program::mbarrier_operation& what);
    /// Describes a wait that does not succeed: phase, location and what is missing.
    std::string describe(const program::mbarrier_operation& wait) const;

private:
    std::map<std::uint64_t, program::mbarrier_state> state_;
};

/// The asynchronous instructions of a recorded warp during its replay.
class asynchronous_replay {
public:
    explicit asynchronous_replay(replayed_mbarriers& barriers) : barriers_(&barriers) {}

    void start() { waits_.clear(); }
    /// Performs the details of an instruction that issues.
    /// @param waits  false: waits succeed at once
    /// @param suspends  the SM holds the warp in an unsuccessful wait (effects.can_suspend)
    void perform(const std::uint64_t* pool, bool waits, bool suspends,
                 program::issue_effects& effects);
    std::vector<program::bulk_transfer> take_transfers() { return std::move(transfers_); }
    bool retry_wait();
    std::string awaited() const;

private:
    replayed_mbarriers* barriers_;
    std::vector<program::bulk_transfer> transfers_;
    std::vector<program::mbarrier_operation> waits_;  // of the last instruction
};

}  // namespace simtlm::trace
