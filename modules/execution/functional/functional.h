// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/launch.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::execution {

struct warp;
struct operation;
struct worker_state;

/// Observes every instruction before it is executed, for a debugger. The machine then uses one host
/// thread.
struct execution_observer {
    virtual ~execution_observer();
    /// Called before a warp executes an instruction, except for control transfers.
    virtual void about_to_execute(warp& w, const operation& op) = 0;
};

/// Options of a run without timing.
struct functional_options {
    unsigned host_threads = 1;
    /// If it becomes true, the launch ends where it is; nullptr: not used.
    const std::atomic<bool>* give_up = nullptr;
    execution_observer* observer = nullptr;  ///< nullptr: none
    /// Time without progress after which the launch has failed: a host program may write to memory
    /// for which it waits.
    std::chrono::milliseconds host_timeout{0};
    std::uint64_t first_block = 0;  ///< first CTA to execute; a multiple of the cluster size
    std::uint64_t blocks = ~std::uint64_t{0};  ///< maximum number of CTAs; a multiple, too
};

/// Statistics of the executed instructions.
struct execution_summary {
    /// Executions of an opcode.
    struct opcode_count {
        std::string opcode;  ///< e.g. "ld.global"
        std::uint64_t warps = 0;
        std::uint64_t threads = 0;
    };
    /// Executions of an instruction by warps.
    struct instruction_count {
        std::uint32_t instruction = 0;  ///< number in the program, see instruction_descriptors
        std::uint64_t warps = 0;
    };
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;  ///< including lanes whose guard is false
    std::uint64_t blocks = 0;
    double seconds = 0;                   ///< host time
    std::vector<opcode_count> by_opcode;  ///< ordered by name
    std::vector<opcode_count> by_class;   ///< ordered by instruction_name::group
    /// The executed instructions, each once per host thread that executed it.
    std::vector<instruction_count> by_instruction;
    /// Size of the allocations accessed by memory instructions; for an instruction that accesses
    /// several, the last one counts.
    std::uint64_t allocated_bytes = 0;

    /// Adds another launch, except instructions and allocations, which are specific to one launch.
    void add(const execution_summary& other);
};

/// Size of the allocations accessed by threads of a launch (see execution_summary).
std::uint64_t accessed_allocations(const std::vector<const worker_state*>& workers);

/// Runs a launch to its end, CTA by CTA, or on several host threads. CTAs that wait for each other
/// are supported: if one cannot finish in its quantum, others begin.
/// @throws execution_error  if the program does something undefined
execution_summary run(const launch& what, device_memory& memory, const services& world,
                      const functional_options& options = {});

}  // namespace simtlm::execution
