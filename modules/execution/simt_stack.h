// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace simtlm::execution {

/// The SIMT stack of one warp (manual: SIMT Stack): post-dominator reconvergence of lanes whose
/// branches differ.
///
/// Every entry is a group of lanes that go together: where they go on, and where they meet the
/// others of the entry below, which is the immediate post-dominator of the branch that parted them.
/// The top entry is what the warp executes. A branch on which its lanes agree moves it; one on
/// which they do not turns it into the reconvergence entry and puts an entry per target above it;
/// an entry that has come to its reconvergence point is popped.
///
/// A trace gives the active mask of every instruction as the hardware has executed it, so that in
/// trace mode nobody asks this block. A program counter is whatever tells instructions apart.
///
/// The owner may keep the program counter of the top entry to itself while lanes agree: then only
/// branch, meet, exit, call and return_from_call are needed, and entries hold the counters of lanes
/// that wait.
class simt_stack {
public:
    using lane_mask = std::uint32_t;
    /// No program counter: as a reconvergence point, lanes do not meet before they end or return.
    static constexpr std::uint64_t no_pc = ~std::uint64_t{0};

    /// For whom a group of lanes waits: for those of its warp that an instruction names, which may
    /// not come in a program whose masks are wrong, or for all at a barrier.
    enum class waiting : std::uint8_t { no, for_members, at_barrier };

    struct entry {
        std::uint64_t pc = no_pc;                ///< of the next instruction
        std::uint64_t reconvergence_pc = no_pc;  ///< popped on arrival there
        lane_mask lanes = 0;
        bool is_call = false;  ///< the frame of a called function
        /// Functions that have been called and not left: 0 in the kernel itself.
        std::uint32_t call_depth = 0;
        std::uint64_t call_site = no_pc;  ///< of a frame: what called it
        waiting waits = waiting::no;      ///< for other lanes of the warp
    };

    /// How an executed instruction went on.
    struct outcome {
        std::array<std::uint64_t, 32> next_pc{};  ///< of every lane that executed it
        lane_mask exited = 0;                     ///< of them, those that ended
        /// Of a branch on which lanes may differ: its immediate post-dominator.
        std::uint64_t reconvergence_pc = no_pc;
    };

    /// The warp starts. @param lanes  at least one
    void launch(std::uint64_t pc, lane_mask lanes);

    /// No lane is left.
    bool done() const { return entries_.empty(); }
    /// Of the next instruction. @pre !done()
    std::uint64_t pc() const { return entries_.back().pc; }
    /// Lanes that execute it; 0 when done.
    lane_mask active() const { return done() ? 0 : entries_.back().lanes; }
    const entry& top() const { return entries_.back(); }
    /// From the bottom to the top.
    const std::vector<entry>& entries() const { return entries_; }
    std::size_t depth() const { return entries_.size(); }

    /// A decoded instruction that is not the next one is flushed (control hazard).
    bool is_hazard(std::uint64_t decoded_pc) const { return done() || decoded_pc != pc(); }

    /// The active lanes have executed an instruction that is neither a call nor a return.
    /// @param fall_through  address of the instruction behind it: where lanes of several targets
    ///                      part, those that fall through go last
    void advance(const outcome& how, std::uint64_t fall_through);

    /// All of them go on at one address. @param exited  lanes that ended with the instruction
    void advance(std::uint64_t next_pc, lane_mask exited = 0);

    /// The active lanes part at a branch with one target.
    /// @param takers  of the active lanes, those that take it: at least one, and not all
    /// @param meet    its immediate post-dominator, or no_pc
    void branch(lane_mask takers, std::uint64_t target, std::uint64_t fall_through,
                std::uint64_t meet);
    /// The top entry has come to a place where lanes may meet. @return something was popped
    bool meet(std::uint64_t at);
    /// The active lanes have come to a barrier, or to an instruction that names members of the
    /// warp, at `pc`, and other lanes have not: where a way there leads to a return, the place
    /// where all would meet lies behind it. They wait, as independent thread scheduling has it;
    /// those that wait at one place become one group. A group that does not wait becomes the active
    /// one; at a barrier, one that waits for members where there is no other.
    /// @return false: there is none
    bool wait_for_others(std::uint64_t pc, waiting how);
    /// The active group goes on.
    void wait_no_more() { entries_.back().waits = waiting::no; }
    /// The active lanes, which stand at `pc`, wait for another lane of their warp in a loop. Lanes
    /// that wait for them where they would meet, or for their turn, become the active group and go
    /// on by themselves; the outermost first, so that all get their turn.
    /// @return false: there are none in this call of a function
    bool let_others_run(std::uint64_t pc);
    /// Lanes end; the others of the top entry, if there are any, go on at next_pc.
    void exit(lane_mask lanes, std::uint64_t next_pc);

    /// The active lanes have called a function, or several.
    /// @param return_pc  where they go on when it has returned
    /// @param call_site  kept in the frames
    void call(const std::array<std::uint64_t, 32>& target, std::uint64_t return_pc,
              std::uint64_t call_site = no_pc);

    /// The active lanes have returned from the function called last; outside of any they end. They
    /// wait for those lanes of the call that have not returned yet.
    void return_from_call() { return_from_call(active()); }
    /// Only some of the active lanes return; the others go on at next_pc.
    void return_from_call(lane_mask lanes, std::uint64_t next_pc = no_pc);

private:
    struct group {
        std::uint64_t pc;
        lane_mask lanes;
    };
    static std::vector<group> groups_of(const std::array<std::uint64_t, 32>& pc, lane_mask lanes);
    void end(lane_mask lanes);
    std::size_t begin_of_frame() const;
    void join(entry& to, const entry& other);
    void settle();

    std::vector<entry> entries_;
};

}  // namespace simtlm::execution
