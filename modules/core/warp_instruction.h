// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/instruction_watcher.h"
#include "modules/program/instruction.h"
#include "modules/protocol/memory_transaction.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace simtlm::core {

/// A set of warps of one SM, bit w = warp w. An SM has at most 64 warps.
using warp_mask = std::uint64_t;
constexpr warp_mask warp_bit(unsigned warp) {
    return warp_mask{1} << warp;
}

/// A coalesced access of a memory instruction.
struct memory_access {
    std::uint64_t address = 0;
    std::uint32_t lanes = 0;
    std::uint16_t size = 0;     ///< bytes
    std::uint8_t sectors = 0;   ///< of the 128-byte line
    protocol::byte_mask bytes;  ///< of the 128-byte line
};

/// Value of warp_instruction::copy_group for instructions other than asynchronous copies.
inline constexpr std::uint32_t no_copy = ~std::uint32_t{0};

/// A warp instruction in flight from issue to write-back.
struct warp_instruction {
    const program::static_instruction* info = nullptr;
    std::uint64_t uid = 0;     ///< number of the instruction in the SM's issue order
    std::uint32_t number = 0;  ///< in its pool
    std::uint32_t active_mask = 0;
    std::uint16_t warp = 0;
    std::uint8_t scheduler = 0;
    program::memory_space space = program::memory_space::none;
    std::uint8_t data_size = 0;  ///< bytes per lane and word
    std::uint16_t unit = 0;      ///< number of its functional unit, among those of its pipeline
    bool bypass_l1 = false;
    bool in_unit = false;                ///< still in the LD/ST unit's dispatch register
    std::uint16_t delay = 0;             ///< core cycles left in the dispatch register
    std::uint16_t pending = 0;           ///< accesses whose data have not arrived
    std::uint32_t copy_group = no_copy;  ///< LDGSTS: its group of asynchronous copies
    std::uint64_t first_data = 0;  ///< sub-core pipeline: cycle in which its first data arrived
    std::uint64_t banks_done =
        0;              ///< sub-core pipeline: cycle in which the L1's banks have read them
    watcher_note note;  ///< of an instruction_watcher
    std::vector<memory_access> accesses;  ///< not yet sent; the last is sent first

    unsigned active_lanes() const { return static_cast<unsigned>(__builtin_popcount(active_mask)); }
};

/// The pool of in-flight instructions of an SM.
class warp_instruction_pool {
public:
    warp_instruction& acquire() {
        if (free_.empty()) {
            slabs_.push_back(std::make_unique<warp_instruction[]>(slab_size));
            for (std::size_t i = slab_size; i-- > 0;) {
                warp_instruction& made = slabs_.back()[i];
                made.number = static_cast<std::uint32_t>((slabs_.size() - 1) * slab_size + i);
                free_.push_back(&made);
            }
        }
        warp_instruction& inst = *free_.back();
        free_.pop_back();
        return inst;
    }
    /// The instruction with a number, as in protocol::memory_extension::owner.
    warp_instruction& operator[](std::uint32_t number) {
        return slabs_[number / slab_size][number % slab_size];
    }
    /// Reports that an instruction from this pool has issued.
    void issued(warp_instruction& inst) {
        if (watcher_ != nullptr) watcher_->issued(inst);
    }
    /// Completes an instruction and returns it to the pool.
    void release(warp_instruction& inst) {
        if (watcher_ != nullptr) watcher_->completed(inst);
        accesses_sent(inst);
        free_.push_back(&inst);
    }
    /// Provides memory for the access list of a memory instruction.
    void allocate_accesses(warp_instruction& inst) {
        if (lists_.empty()) return;
        inst.accesses.swap(lists_.back());
        lists_.pop_back();
    }
    /// Takes back the memory of the access list, since a load waits for its data much longer than
    /// for sending its accesses.
    void accesses_sent(warp_instruction& inst) {
        if (inst.accesses.capacity() == 0) return;
        inst.accesses.clear();
        lists_.emplace_back().swap(inst.accesses);
    }
    void watch(instruction_watcher& watcher) { watcher_ = &watcher; }
    std::size_t in_flight() const { return slabs_.size() * slab_size - free_.size(); }

private:
    static constexpr std::size_t slab_size = 32;
    std::vector<std::unique_ptr<warp_instruction[]>> slabs_;
    std::vector<warp_instruction*> free_;
    std::vector<std::vector<memory_access>> lists_;  // empty lists with allocated memory
    instruction_watcher* watcher_ = nullptr;
};

}  // namespace simtlm::core
