// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace simtlm::execution {

/// The SIMT stack of a warp (GPGPU-Sim manual: SIMT Stack): post-dominator reconvergence of
/// diverged lanes.
///
/// Every entry is a group of lanes with a common program counter and a reconvergence point, which
/// is the immediate post-dominator of the branch at which they diverged from the lanes of the entry
/// below. The warp executes the top entry. A uniform branch changes its program counter; a
/// divergent branch turns it into the reconvergence entry and pushes an entry per target; an entry
/// that has reached its reconvergence point is popped.
///
/// Not used for traces, which contain the active mask of every instruction as executed by the
/// hardware. A program counter is any value that identifies an instruction.
///
/// The owner may keep the program counter of the top entry itself while lanes do not diverge: then
/// only branch, reconverge, exit, call and return_from_call are needed, and entries contain the
/// program counters of waiting lanes.
class simt_stack {
public:
    using lane_mask = std::uint32_t;
    /// No program counter; as a reconvergence point: lanes do not reconverge before they exit or
    /// return.
    static constexpr std::uint64_t no_pc = ~std::uint64_t{0};

    /// What a group of lanes waits for: the members named by an instruction, which may never arrive
    /// if the program's masks are wrong, or all lanes, at a barrier.
    enum class waiting : std::uint8_t { no, for_members, at_barrier };

    /// An entry of the stack: lanes that execute together.
    struct entry {
        std::uint64_t pc = no_pc;                ///< of the next instruction
        std::uint64_t reconvergence_pc = no_pc;  ///< popped when it is reached
        lane_mask lanes = 0;
        bool is_call = false;  ///< the frame of a called function
        /// Depth of active calls: 0 in the kernel itself.
        std::uint32_t call_depth = 0;
        std::uint64_t call_site = no_pc;  ///< of a frame: its caller
        waiting waits = waiting::no;      ///< for other lanes of the warp
        /// The owner's number for the registers of the call in which the lanes are. Until a called
        /// function has begun (begin_call), that of its caller.
        std::uint32_t frame = 0;
        std::uint32_t caller = 0;  ///< of a called function: the frame of its caller
        lane_mask members = 0;     ///< of lanes that wait for members: the lanes they name
        bool exchanged = false;    ///< the result of its next instruction is known
    };

    /// Result of an executed instruction.
    struct outcome {
        std::array<std::uint64_t, 32> next_pc{};  ///< of every executing lane
        lane_mask exited = 0;                     ///< of these, lanes that exited
        /// For a potentially divergent branch: its immediate post-dominator.
        std::uint64_t reconvergence_pc = no_pc;
    };

    /// Starts the warp. @param lanes  at least one
    void launch(std::uint64_t pc, lane_mask lanes);

    /// Whether all lanes have exited.
    bool done() const { return entries_.empty(); }
    /// Program counter of the next instruction. @pre !done()
    std::uint64_t pc() const { return entries_.back().pc; }
    /// The lanes that execute it; 0 if done.
    lane_mask active() const { return done() ? 0 : entries_.back().lanes; }
    const entry& top() const { return entries_.back(); }
    /// From bottom to top.
    const std::vector<entry>& entries() const { return entries_; }
    std::size_t depth() const { return entries_.size(); }

    /// Whether a decoded instruction is not the next one and must be flushed (control hazard).
    bool is_hazard(std::uint64_t decoded_pc) const { return done() || decoded_pc != pc(); }

    /// The active lanes have executed an instruction other than a call or return.
    /// @param fall_through  address of the next instruction: when lanes diverge, those that fall
    ///                      through come last
    void advance(const outcome& how, std::uint64_t fall_through);

    /// The active lanes continue at a common address. @param exited  lanes that exited with the
    /// instruction
    void advance(std::uint64_t next_pc, lane_mask exited = 0);

    /// The active lanes diverge at a branch with one target.
    /// @param takers  active lanes that take it: at least one, and not all
    /// @param reconvergence  its immediate post-dominator, or no_pc
    void branch(lane_mask takers, std::uint64_t target, std::uint64_t fall_through,
                std::uint64_t reconverge);
    /// The top entry has reached a possible reconvergence point. @return whether an entry was
    /// popped
    bool reconverge(std::uint64_t at);
    /// The active lanes have reached a barrier, or an instruction that names members of the warp,
    /// at `pc`, and other lanes have not, which is possible if a path to it leads to a return, so
    /// that the reconvergence point is after it. They wait, as in independent thread scheduling;
    /// lanes that wait at the same place are merged. A group of the same call that does not wait
    /// becomes active; at a barrier, a group that waits for members if there is no other.
    /// @param members  the lanes that the instruction names
    /// @return false if there is none
    bool suspend_group(std::uint64_t pc, waiting how, lane_mask members = 0);
    /// The active lanes, at `pc`, wait for the lanes that they name.
    void wait_for_members(std::uint64_t pc, lane_mask members);
    /// The active lanes, at `pc`, wait at a barrier for the rest of the warp.
    void wait_at_barrier(std::uint64_t pc);
    /// A group that waits at a barrier continues, `by` after it.
    void pass_barrier(lane_mask group, std::uint64_t by);
    /// A group that does not wait becomes active, wherever it is: in another branch, in another
    /// call, or after a call from which only some of its lanes have returned.
    /// @return false if there is none
    bool run_elsewhere();
    /// The active group continues.
    void stop_waiting() { entries_.back().waits = waiting::no; }
    /// The groups that wait for members, at an instruction that `matches` (a predicate of the
    /// program counter), have all arrived: they continue at the next instruction, whose result is
    /// known if `exchanged`.
    template <class Matches>
    void release(Matches&& matches, bool exchanged) {
        for (entry& e : entries_) {
            if (e.waits != waiting::for_members || e.lanes == 0 || !matches(e)) continue;
            ++e.pc;
            e.waits = waiting::no;
            e.exchanged = exchanged;
        }
    }
    /// The active lanes have used the result.
    void use_result() { entries_.back().exchanged = false; }
    /// The active lanes, at `pc`, wait in a loop for another lane of their warp. Lanes that wait
    /// for them at a reconvergence point, or for their quantum, become the active group and
    /// continue separately; the outermost first, for fairness. Those of the same call of a function
    /// come before those of other calls.
    /// @return false if there are none
    bool yield_group(std::uint64_t pc);
    /// Lanes exit; the others of the top entry, if any, continue at next_pc.
    void exit(lane_mask lanes, std::uint64_t next_pc);

    /// The active lanes have called one or several functions.
    /// @param return_pc  where they continue after the return
    /// @param call_site  stored in the frames
    void call(const std::array<std::uint64_t, 32>& target, std::uint64_t return_pc,
              std::uint64_t call_site = no_pc);
    /// The called function begins. @return the number of its frame: one that no other call uses
    std::uint32_t begin_call();
    /// The innermost call in which the active lanes are. @pre there is one
    const entry& innermost_call() const;

    /// The active lanes return from the last called function, or exit if there is none. They wait
    /// for lanes of the call that have not returned yet.
    void return_from_call() { return_from_call(active()); }
    /// Only some of the active lanes return; the others continue at next_pc.
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
    void push(std::uint64_t pc, std::uint64_t reconverge, lane_mask lanes, const entry& beside);
    template <class Suits>
    bool raise_if(std::size_t first, Suits&& suits);
    void raise(std::size_t group);
    bool raise_returned();
    bool raise_waiting(waiting how);
    bool let_other_calls_run();
    void pop_completed();

    std::vector<entry> entries_;
    bool interleaved_ = false;  ///< frames are not numbered by call depth
};

}  // namespace simtlm::execution
