// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/cta_cluster_source.h"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtlm::execution {

/// Tracks asynchronous operations on the shared memory of the CTAs of a cluster (PTX manual, "Async
/// proxy"): bulk copies and asynchronous stores that write it, bulk stores and products of
/// warpgroups that read it, and which warps have observed their completion.
///
/// A warp observes the completion of a copy by waiting for the phase of its mbarrier, and that of
/// its own groups by wait_group; at barriers and mbarriers it acquires the observations of other
/// warps. Data written by the generic proxy (loads and stores of threads) may be read by
/// asynchronous operations after the writing thread, or the one that starts the operation, has
/// executed fence.proxy.async.
///
/// Warps are numbered in the cluster (number_of), and places are those in the shared memory of all
/// its CTAs (place_of). Operands and generic writes are tracked in chunks of 16 bytes, copies in
/// bytes. Only the last 128 operations on the memory of a CTA are tracked, so that defects may be
/// missed, but there are no false positives.
class async_proxy {
public:
    enum class engine : std::uint8_t { bulk_copy, tensor_core };
    /// Result of the check of an access: what it conflicts with.
    struct conflict {
        enum class kind : std::uint8_t {
            none,
            copy_in_flight,  ///< the warp has not observed the completion of the copy
            no_fence,        ///< a generic write that is not followed by fence.proxy.async
            operand_in_use,  ///< the warp has not observed the completion of the group that reads
                             ///< the operand
        };
        kind what = kind::none;
        engine by = engine::bulk_copy;
        unsigned warp = 0;            ///< warp of the other operation
        std::uint32_t operation = 0;  ///< the other operation
    };

    /// @param warps, shared_bytes  of a CTA @param ctas  in the cluster
    async_proxy(unsigned warps, std::uint32_t shared_bytes, unsigned ctas = 1);

    /// Called when the cluster begins.
    void start();

    unsigned number_of(unsigned rank, unsigned warp) const { return rank * warps_ + warp; }
    std::uint32_t place_of(unsigned rank, std::uint64_t offset) const {
        return rank * chunks_ * chunk_bytes + static_cast<std::uint32_t>(offset);
    }
    unsigned warps() const { return warps_; }

    // Events that make completions visible to other warps.
    void synchronise(unsigned warp, std::uint32_t place, bool acquires, bool releases);
    /// Barriers of the CTA of a rank. @param waiting  warps, numbered in their CTA
    void arrive(unsigned rank, unsigned warp, unsigned barrier) {
        barriers_[rank * barriers + barrier] |= completed_[number_of(rank, warp)];
    }
    void complete(unsigned rank, unsigned barrier, const std::vector<unsigned>& waiting,
                  bool whole_cta);
    /// The barrier of the cluster: a warp arrives, and has waited. @param phase  its number modulo
    /// 2
    void arrive_at_cluster(unsigned warp, unsigned phase) {
        of_cluster_[phase] |= completed_[warp];
    }
    void leave_cluster_barrier(unsigned warp, unsigned phase) {
        completed_[warp] |= of_cluster_[phase];
    }
    /// fence.proxy.async
    void fence(unsigned warp) { fenced_[warp] = ++order_; }
    /// Called before an operation on the mbarrier at a place. @param waits  the operation is a wait
    void at_mbarrier(unsigned warp, std::uint32_t place, bool phase, bool waits);

    // Asynchronous operations started by a warp.
    /// @param to  first byte @param place  of the mbarrier that it signals, in the same CTA
    /// @param phase  the mbarrier's current phase
    void copy(unsigned warp, std::uint32_t operation, std::uint32_t to, std::uint32_t bytes,
              std::uint32_t place, bool phase);
    /// A read by the open group of the warp, in the shared memory of its CTA.
    void read(unsigned warp, engine by, std::uint32_t operation, std::uint32_t from,
              std::uint32_t bytes);
    /// Closes the warp's current group of operations of an engine.
    void close_group(unsigned warp, engine of);
    /// All but the last `pending` closed groups are complete.
    void groups_complete(unsigned warp, engine of, std::uint64_t pending);

    // Checks of accesses, to be called before the functions above record them.
    conflict generic_access(unsigned warp, std::uint32_t operation, std::uint32_t at,
                            std::uint32_t bytes, bool writes);
    conflict asynchronous_access(unsigned warp, std::uint32_t at, std::uint32_t bytes,
                                 bool writes) const;

private:
    static constexpr unsigned chunk_bytes = 16, max_operations = 128;  // of a CTA
    static constexpr unsigned barriers = 16;                           // of a CTA
    static constexpr std::size_t max_groups = 64;
    using knowledge = std::bitset<max_operations * program::max_ctas_per_cluster>;

    struct pending_operation {
        std::uint64_t number = 0;  // 0: none
        bool copies = false;       // otherwise it reads
        bool complete = false;     // of a copy: the phase of its mbarrier has ended
        bool phase = false;
        engine by = engine::bulk_copy;
        unsigned warp = 0;
        std::uint32_t operation = 0;
        std::uint32_t place = 0;
        std::uint32_t begin = 0, end = 0;  // bytes; for reads, a range of whole chunks around them
        std::vector<bool> chunks;          // for reads: those of the CTA
    };
    struct group {
        unsigned index;
        std::uint64_t number;
    };
    struct groups {
        group open{0, 0};
        std::deque<group> closed;
    };
    /// The last write of the generic proxy to a chunk.
    struct generic_write {
        std::uint64_t order = 0;  // 0: none
        unsigned warp = 0;
        std::uint32_t operation = 0;
    };

    /// The chunks covered by bytes at a place, up to the end of the shared memory of its CTA.
    std::pair<std::uint32_t, std::uint32_t> chunks_of(std::uint32_t at, std::uint32_t bytes) const {
        const std::uint32_t first = at / chunk_bytes;
        return {first, std::min((at + bytes + chunk_bytes - 1) / chunk_bytes,
                                (first / chunks_ + 1) * chunks_)};
    }
    unsigned cta_of(std::uint32_t place) const { return place / (chunks_ * chunk_bytes); }
    unsigned take(unsigned cta);
    void drop(unsigned index);
    void discard_ordered_accesses(unsigned cta);
    bool extend(unsigned cta, const pending_operation& like);
    groups& groups_of(unsigned warp, engine e) {
        return groups_[2 * warp + static_cast<unsigned>(e)];
    }
    /// Finds an operation on a range whose completion a warp has not observed.
    conflict find(unsigned warp, std::uint32_t at, std::uint32_t bytes, bool writes) const;

    unsigned warps_;        // of a CTA
    std::uint32_t chunks_;  // of a CTA
    std::uint64_t order_ = 0;
    std::uint64_t number_ = 0;
    std::vector<pending_operation> operations_;
    std::vector<std::vector<unsigned>> used_;  // indices into operations_, by CTA
    std::vector<knowledge> completed_;
    std::vector<knowledge> barriers_;
    knowledge of_cluster_[2];
    std::unordered_map<std::uint32_t, knowledge> places_;
    std::vector<std::uint64_t> fenced_;
    std::vector<groups> groups_;
    std::vector<generic_write> written_;
};

}  // namespace simtlm::execution
