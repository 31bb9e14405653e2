// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/bulk_transfer.h"
#include "modules/program/instruction.h"
#include "modules/program/kernel_descriptor.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::program {

/// Instructions one behind the other, from the next to be fetched: the rest of a recorded warp's
/// path, or the code from a program counter to the end of its function.
struct instruction_window {
    const dynamic_instruction* next = nullptr;
    const dynamic_instruction* end = nullptr;

    bool empty() const { return next == end; }
};

/// Addresses of one executed memory instruction: up to `words` per lane, whose data lie apart
/// (matrix fragments; local memory, which the SM interleaves by 4 bytes).
struct lane_addresses {
    static constexpr unsigned max_words = 8;
    std::uint32_t lanes = 0;  ///< that have an address
    unsigned words = 1;
    std::array<std::array<std::uint64_t, 32>, max_words> address;  ///< [word][lane]
};

/// What an instruction turns out to do as it issues. The SM fills in what the instruction itself
/// says; an executor changes what depends on values.
struct issue_effects {
    std::uint32_t active_mask = 0;            ///< lanes that execute it
    memory_space space = memory_space::none;  ///< resolved: never generic
    std::uint8_t data_size = 0;               ///< bytes per lane and word
    bool lanes_ended = false;                 ///< some lane has ended with it
    bool warp_ended = false;                  ///< all lanes have
    bool memory_deferred = false;             ///< apply_memory() has something to do
    bool can_suspend = false;                 ///< set by the SM: it calls retry_wait()
    bool suspended = false;                   ///< the warp waits until retry_wait() succeeds
    bool has_time_limit = false;              ///< ... or a time has passed: other lanes wait, too
    std::int32_t barrier_id = 0;              ///< barriers: -1 = all live warps of the CTA
    std::int32_t barrier_threads = 0;         ///< barriers: expected, 0 = the whole CTA
    instruction_window next;                  ///< from where the warp goes on
};

/// What makes an executed warp go: asked when an instruction of it issues, as the manual has it
/// (Interface between CUDA-Sim and GPGPU-Sim). One warp each. Warps of different SMs are asked in
/// any order, those of one SM in the order of their issue.
class warp_executor {
public:
    virtual ~warp_executor();

    /// An instruction issues and takes effect: registers, control flow, shared memory, and what the
    /// SM has to know of it. What other SMs could see within this cycle, that is what it reads or
    /// writes in memory that they share, is left to apply_memory().
    /// @param now        core cycle
    /// @param effects    filled in for what the instruction itself says
    /// @param addresses  of a memory instruction; to be filled in
    virtual void issue(const dynamic_instruction& instruction, std::uint64_t now,
                       issue_effects& effects, lane_addresses& addresses) = 0;

    /// Applies the memory effects of the oldest instruction that deferred them. Called before the
    /// cycle ends in which it issued, SM after SM, each in the order of issue.
    virtual void apply_memory() {}

    /// The request of an atomic leaves the L2 for the network: these lanes take effect. A warp has
    /// one such instruction under way at a time.
    virtual void perform_atomic(std::uint32_t lanes) { static_cast<void>(lanes); }

    /// The bulk transfers that the instruction issued last has started.
    virtual std::vector<bulk_transfer> take_transfers() { return {}; }

    /// Tries the wait again at which the warp is suspended (issue_effects::suspended).
    /// @return it has succeeded: the warp goes on
    virtual bool retry_wait() { return true; }
};

/// What a warp of a CTA begins with.
struct warp_code {
    /// Recorded: all that it executes; it has ended when it has issued the last. Executed: its
    /// first instruction and those behind it in memory.
    instruction_window window;
    const std::uint64_t* addresses = nullptr;  ///< recorded: what its addresses count from
    warp_executor* executor = nullptr;         ///< executed
};

/// Where a CTA has been placed: what special registers tell.
struct cta_place {
    unsigned sm = 0;
    unsigned sms = 1;         ///< of the GPU
    unsigned slot = 0;        ///< among the SM's CTAs
    unsigned first_warp = 0;  ///< of the SM's warp slots
};

/// One thread block (CTA) of a kernel that runs, or is about to.
class cta {
public:
    dim3 index{0, 0, 0};  ///< within the grid

    virtual ~cta();

    /// It has been placed on an SM; its warps are asked for next.
    virtual void placed(const cta_place& where) { static_cast<void>(where); }
    /// What a warp begins with; an empty window for a warp that executes nothing.
    /// @param w  warp of the block: threads 32w to 32w + 31
    virtual warp_code warp(unsigned w) = 0;
};

/// A kernel that an SM can run, from wherever its instructions come. A source of its own kind is
/// added by implementing this interface, `cta` and, where the course of a warp depends on values,
/// `warp_executor`; see docs/architecture.md, "An instruction source".
///
/// All calls come from one thread, that of the simulation.
class kernel_source {
public:
    virtual ~kernel_source();

    virtual const kernel_descriptor& descriptor() const = 0;
    /// The kernel is going to be launched before long: a source may begin to work ahead.
    virtual void start() {}
    /// The next CTA of the grid, or nullptr after the last. Given back with recycle().
    /// @throws kernel::user_error
    virtual std::unique_ptr<cta> next_cta() = 0;
    /// A CTA has ended; its storage may be used again.
    virtual void recycle(std::unique_ptr<cta> block) { block.reset(); }
    /// Warnings met so far, each once.
    virtual std::vector<std::string> take_warnings() { return {}; }
};

}  // namespace simtlm::program
