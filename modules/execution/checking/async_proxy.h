// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtlm::execution {

/// What asynchronous operations do to a CTA's shared memory (PTX manual, "Async proxy"): copies in
/// bulk that write it, bulk stores and products of warpgroups that read it, and which warps know
/// that these are complete.
///
/// A warp learns of a copy's completion by a wait for the phase of its mbarrier, of its own groups'
/// by wait_group, and of what others know at barriers and mbarriers. What the generic proxy (loads
/// and stores of threads) has written may be read by asynchronous operations once the thread that
/// has written, or the one that starts the operation, has executed fence.proxy.async.
///
/// Memory is watched by chunks of 16 bytes. Operations beyond the last 128 are forgotten, the
/// oldest first: a defect may be missed then, none is made up.
class async_proxy {
public:
    enum class engine : std::uint8_t { bulk_copy, tensor_core };
    struct conflict {
        enum class kind : std::uint8_t {
            none,
            copy_in_flight,  ///< the warp has not observed that the copy is complete
            no_fence,        ///< a generic write that no fence.proxy.async follows
            operand_in_use,  ///< ... that the group that reads it is complete
        };
        kind what = kind::none;
        engine by = engine::bulk_copy;
        unsigned warp = 0;            ///< of the other operation
        std::uint32_t operation = 0;  ///< the other one
    };

    async_proxy(unsigned warps, std::uint32_t shared_bytes);

    /// The CTA begins.
    void start();

    // What makes completions visible to other warps. Places are offsets in shared memory.
    void synchronise(unsigned warp, std::uint32_t place, bool acquires, bool releases);
    void arrive(unsigned warp, unsigned barrier) { barriers_[barrier] |= knows_[warp]; }
    void complete(unsigned barrier, const std::vector<unsigned>& waiting, bool whole_cta);
    /// fence.proxy.async
    void fence(unsigned warp) { fenced_[warp] = ++order_; }
    /// Before an operation on the mbarrier at a place. @param waits  the operation is a wait
    void at_mbarrier(unsigned warp, std::uint32_t place, bool phase, bool waits);

    // Asynchronous operations that a warp starts.
    /// @param place  of the mbarrier that is told @param phase  of it now
    void copy(unsigned warp, std::uint32_t operation, std::uint32_t offset, std::uint32_t bytes,
              std::uint32_t place, bool phase);
    /// Reads for the open group of the warp.
    void read(unsigned warp, engine by, std::uint32_t operation, std::uint32_t offset,
              std::uint32_t bytes);
    void close_group(unsigned warp, engine of);
    /// All but the last `pending` closed groups are complete.
    void groups_complete(unsigned warp, engine of, std::uint64_t pending);

    // Accesses, before they are noted by the functions above.
    conflict generic_access(unsigned warp, std::uint32_t operation, std::uint32_t offset,
                            std::uint32_t bytes, bool writes);
    conflict asynchronous_access(unsigned warp, std::uint32_t offset, std::uint32_t bytes,
                                 bool writes) const;

private:
    static constexpr unsigned chunk_bytes = 16, most_operations = 128;
    static constexpr std::size_t most_groups = 64;
    using knowledge = std::bitset<most_operations>;

    struct pending_operation {
        std::uint64_t number = 0;  // 0: none
        bool copies = false;       // or reads
        bool complete = false;     // a copy: the phase of its mbarrier has ended
        bool phase = false;
        engine by = engine::bulk_copy;
        unsigned warp = 0;
        std::uint32_t operation = 0;
        std::uint32_t place = 0;
        std::uint32_t begin = 0, end = 0;  // chunks, of reads: the outermost
        std::vector<bool> chunks;          // of reads
    };
    struct group {
        unsigned index;
        std::uint64_t number;
    };
    struct groups {
        group open{0, 0};
        std::deque<group> closed;
    };
    /// What the generic proxy has written last to a chunk.
    struct generic_write {
        std::uint64_t order = 0;  // 0: nothing
        unsigned warp = 0;
        std::uint32_t operation = 0;
    };

    /// The chunks that bytes at an offset touch, up to the end of shared memory.
    std::pair<std::uint32_t, std::uint32_t> chunks_of(std::uint32_t offset,
                                                      std::uint32_t bytes) const {
        return {offset / chunk_bytes,
                std::min((offset + bytes + chunk_bytes - 1) / chunk_bytes, chunks_)};
    }
    unsigned take();
    void drop(unsigned index);
    void forget_what_all_know();
    groups& groups_of(unsigned warp, engine e) {
        return groups_[2 * warp + static_cast<unsigned>(e)];
    }
    /// Operations that a warp does not know to be complete and that touch a range.
    conflict find(unsigned warp, std::uint32_t first, std::uint32_t end, bool writes) const;

    std::uint32_t chunks_;
    std::uint64_t order_ = 0;
    std::uint64_t number_ = 0;
    std::array<pending_operation, most_operations> operations_;
    std::vector<unsigned> used_;  // of operations_
    std::vector<knowledge> knows_;
    std::array<knowledge, 16> barriers_;
    std::unordered_map<std::uint32_t, knowledge> places_;
    std::vector<std::uint64_t> fenced_;
    std::vector<groups> groups_;
    std::vector<generic_write> written_;
};

}  // namespace simtlm::execution
