// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/cta_cluster_source.h"
#include "modules/program/wait_describer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::trace {

/// What an execution of an instruction does to other CTAs of its cluster
/// (program::cta_cluster_effects).
struct cluster_details {
    /// An operation on an mbarrier of another CTA, by a lane.
    struct lane_operation {
        unsigned lane = 0;
        program::mbarrier_operation what;
    };
    bool arrives = false;  ///< at the barrier of the cluster
    bool waits = false;    ///< for it
    /// Lanes that access shared memory of other CTAs. If there are any, the access is described
    /// here: its state space, and all lanes that have an address.
    std::uint32_t remote = 0;
    program::memory_space space = program::memory_space::none;
    std::uint32_t addressed = 0;
    std::array<std::uint64_t, 32> address{};  ///< by lane
    std::array<std::uint8_t, 32> rank{};      ///< of the accessed CTA, by remote lane
    std::vector<lane_operation> barriers;     ///< performed when the messages arrive there

    bool empty() const { return !arrives && !waits && remote == 0; }
};

/// What an execution of an instruction does to mbarriers, the bulk transfers that it starts, its
/// effects on other CTAs of the cluster, and the time for which its warp sleeps. Recorded traces
/// contain them, so that a replay copies, waits and sleeps.
struct asynchronous_details {
    std::vector<program::mbarrier_operation> barriers;
    std::vector<program::bulk_transfer> transfers;  ///< without effects on mbarriers
    cluster_details cluster;
    std::uint64_t sleep = 0;  ///< core cycles until the warp may issue again (nanosleep)

    bool empty() const {
        return barriers.empty() && transfers.empty() && cluster.empty() && sleep == 0;
    }
};

/// Appends details to the address pool of a thread block: the number of words that follow, and the
/// words (see asynchronous_details.cpp).
void append_details(const asynchronous_details& details, std::vector<std::uint64_t>& pool);

/// Reads details from a pool. @pre written by append_details(), or checked by are_details()
asynchronous_details details_at(const std::uint64_t* pool);

/// Precedes details, in hexadecimal, at the end of an instruction line. Other tools ignore them.
inline constexpr const char* asynchronous_word = "Asynchronous";

/// Whether words, the first of which is their number, are details: for words from a file.
/// @param ranks  number of CTAs per cluster
bool are_details(const std::uint64_t* words, std::size_t count, unsigned ranks);

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

/// Mbarriers of the CTAs of a cluster during a replay, by rank; nullptr: the CTA has ended, or not
/// begun. Operations on its mbarriers are then ignored.
struct replayed_cluster {
    std::vector<replayed_mbarriers*> of_rank;

    void perform(unsigned rank, const program::mbarrier_operation& what) const {
        if (rank < of_rank.size() && of_rank[rank] != nullptr) of_rank[rank]->perform(what);
    }
};

/// The asynchronous instructions of a recorded warp during its replay.
class asynchronous_replay {
public:
    explicit asynchronous_replay(replayed_mbarriers& barriers) : barriers_(&barriers) {}

    /// @param cluster  of the warp's CTA; nullptr: none
    void start(std::shared_ptr<const replayed_cluster> cluster = nullptr) {
        waits_.clear();
        remote_.clear();
        effects_ = {};
        cluster_ = std::move(cluster);
    }
    /// The warp issues an instruction without details.
    void skip() {
        effects_.arrived = effects_.waits = false;
        effects_.remote_lanes = 0;
    }
    /// Performs the details of an instruction that issues.
    /// @param waits  false: waits succeed at once
    /// @param suspends  the SM holds the warp in an unsuccessful wait (effects.can_suspend)
    void perform(const std::uint64_t* pool, bool waits, bool suspends,
                 program::issue_effects& effects);
    std::vector<program::bulk_transfer> take_transfers() { return std::move(transfers_); }
    bool retry_wait();
    std::string awaited() const;

    /// Sets the addresses and the state space of an access to other CTAs by the last instruction.
    /// @return false if it is none
    bool take_remote_access(program::issue_effects& effects,
                            program::lane_addresses& addresses) const;
    /// As in program::clustered_executor.
    const program::cta_cluster_effects& effects_on_cta_cluster() const { return effects_; }
    void perform_remote(std::uint32_t request, std::uint32_t lanes);

private:
    /// The lanes of an access that have not arrived at the other CTAs.
    struct remote_access {
        std::uint32_t lanes = 0;
        cluster_details what;
    };
    void keep_remote(cluster_details what);

    std::shared_ptr<const replayed_cluster> cluster_;
    program::cta_cluster_effects effects_;  // of the last instruction
    std::vector<remote_access> remote_;     // by request; free if no lane is left
    replayed_mbarriers* barriers_;
    std::vector<program::bulk_transfer> transfers_;
    std::vector<program::mbarrier_operation> waits_;  // of the last instruction
};

}  // namespace simtlm::trace
