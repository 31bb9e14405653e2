// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/bulk_transfer.h"
#include "modules/program/instruction.h"
#include "modules/program/kernel_descriptor.h"
#include "modules/program/mbarrier_state.h"
#include "modules/program/tensor_core_work.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::program {

/// Consecutive instructions, starting with the next to be fetched: the rest of a recorded warp's
/// path, or the code from a program counter to the end of its function.
struct instruction_window {
    const dynamic_instruction* next = nullptr;
    const dynamic_instruction* end = nullptr;

    bool empty() const { return next == end; }
};

/// Addresses of a memory instruction: up to `words` per lane for data that are not contiguous
/// (matrix fragments; local memory, which the SM interleaves in units of 4 bytes).
struct lane_addresses {
    static constexpr unsigned max_words = 16;
    std::uint32_t lanes = 0;  ///< lanes that have an address
    unsigned words = 1;
    std::array<std::array<std::uint64_t, 32>, max_words> address;  ///< [word][lane]
};

/// Effects of an instruction at issue. The SM sets the values given by the instruction itself; an
/// executor changes those that depend on data.
struct issue_effects {
    std::uint32_t active_mask = 0;            ///< lanes that execute it
    memory_space space = memory_space::none;  ///< resolved: never generic
    std::uint8_t data_size = 0;               ///< bytes per lane and word
    bool lanes_ended = false;                 ///< some lane has ended
    bool warp_ended = false;                  ///< all lanes have ended
    bool memory_deferred = false;             ///< apply_memory() must be called
    bool can_suspend = false;                 ///< set by the SM: it supports retry_wait()
    bool suspended = false;                   ///< the warp waits until retry_wait() succeeds
    bool has_time_limit = false;  ///< the wait also ends after some time: it has a short limit, is
                                  ///< not in a loop that only waits, or other lanes wait, too
    std::uint64_t sleep = 0;      ///< core cycles until the warp may issue again (nanosleep)
    std::int32_t barrier_id = 0;  ///< barriers: -1: all live warps of the CTA
    std::int32_t barrier_threads = 0;  ///< barriers: expected threads, 0: the whole CTA
    instruction_window next;           ///< where the warp continues
};

/// Functional model of an executed warp, called when an instruction issues, as in the GPGPU-Sim
/// manual (Interface between CUDA-Sim and GPGPU-Sim). One object per warp. Warps of different SMs
/// are called in any order, also on several host threads at a time if the kernel permits it
/// (kernel_source::issues_on_several_threads()), those of one SM in issue order.
class warp_executor {
public:
    virtual ~warp_executor();

    /// Executes an instruction that issues: registers, control flow, shared memory, and the effects
    /// that the SM must know. Accesses to memory that other SMs could observe within this cycle are
    /// deferred to apply_memory().
    /// @param now        core cycle
    /// @param effects    initialized by the SM from the instruction
    /// @param addresses  of a memory instruction; to be set
    virtual void issue(const dynamic_instruction& instruction, std::uint64_t now,
                       issue_effects& effects, lane_addresses& addresses) = 0;

    /// Performs the memory accesses of the oldest instruction that deferred them. Called before the
    /// end of the cycle in which it issued, SM by SM, in issue order within an SM.
    virtual void apply_memory() {}

    /// Performs an atomic for these lanes, when its request leaves the L2 for the network. A warp
    /// has at most one such instruction in flight.
    virtual void perform_atomic(std::uint32_t lanes) { static_cast<void>(lanes); }

    /// The bulk transfers started by the last issued instruction.
    virtual std::vector<bulk_transfer> take_transfers() { return {}; }
    /// What the last issued instruction has given to the tensor core (tcgen05).
    virtual std::vector<tensor_core_work> take_tensor_work() { return {}; }

    /// The operations on mbarriers of its CTA by the last issued instruction, for a trace.
    virtual const std::vector<mbarrier_operation>& mbarrier_operations() const;

    /// Retries the wait at which the warp is suspended (issue_effects::suspended).
    /// @return whether it succeeded, so that the warp continues
    virtual bool retry_wait() { return true; }
};

/// Initial code of a warp of a CTA.
struct warp_code {
    /// Recorded: everything that it executes; it ends when the last instruction has issued.
    /// Executed: its first instruction and those after it in memory.
    instruction_window window;
    const std::uint64_t* addresses = nullptr;  ///< recorded: address pool
    warp_executor* executor = nullptr;         ///< executed warps only
};

/// Placement of a CTA, for special registers.
struct cta_place {
    unsigned sm = 0;
    unsigned sms = 1;         ///< number in the GPU
    unsigned slot = 0;        ///< index of the CTA in the SM
    unsigned first_warp = 0;  ///< its first warp slot of the SM
};

/// A thread block (CTA) of a kernel that is running or about to run.
class cta {
public:
    dim3 index{0, 0, 0};  ///< within the grid

    virtual ~cta();

    /// The CTA has been placed on an SM; warp() is called next.
    virtual void placed(const cta_place& where) { static_cast<void>(where); }
    /// Initial code of a warp; an empty window if it executes nothing.
    /// @param w  index of the warp: threads 32w to 32w + 31
    virtual warp_code warp(unsigned w) = 0;
};

/// A kernel that an SM can run, whatever the source of its instructions. A new kind of source
/// implements this interface, `cta` and, if control flow depends on data, `warp_executor`; see
/// docs/extending.md, "An instruction source".
///
/// All functions are called by the simulation thread.
class kernel_source {
public:
    virtual ~kernel_source();

    /// Properties of the kernel.
    virtual const kernel_descriptor& descriptor() const = 0;
    /// The kernel will be launched soon: a source may start working ahead.
    virtual void start() {}
    /// The next CTA of the grid, or nullptr after the last; to be returned with recycle().
    /// @throws support::user_error
    virtual std::unique_ptr<cta> next_cta() = 0;
    /// Ends the kernel before its last instruction: every warp ends when it issues its next one,
    /// which is not executed. For sampling; the values that the kernel computes are lost.
    /// @return false: the source does not support it, and nothing changes
    virtual bool end_early() { return false; }
    /// Omits the next CTAs of the grid, which ran before a checkpoint. @throws support::user_error
    virtual void skip(std::uint64_t ctas) {
        for (; ctas != 0; --ctas) recycle(next_cta());
    }
    /// Whether warps of different SMs may issue on several host threads at a time. Otherwise, SMs
    /// that hold CTAs with executed warps are simulated on one thread.
    virtual bool issues_on_several_threads() const { return false; }
    /// Number of CTAs whose launch resident CTAs have cancelled since the last call
    /// (clusterlaunchcontrol.try_cancel): next_cta() omits them.
    virtual std::uint64_t take_cancelled() { return 0; }
    /// Whether resident CTAs may cancel the launch of others; initially they may.
    virtual void permit_cancellation(bool permitted) { static_cast<void>(permitted); }
    /// A CTA has ended; its storage may be reused.
    virtual void recycle(std::unique_ptr<cta> block) { block.reset(); }
    /// Warnings so far, each once.
    virtual std::vector<std::string> take_warnings() { return {}; }
    /// Notes for the user about what has run so far, each once.
    virtual std::vector<std::string> take_notes() { return {}; }
};

}  // namespace simtlm::program
