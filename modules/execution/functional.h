// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/launch.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::execution {

struct warp;
struct operation;
struct worker_state;

/// Sees every instruction before it is executed, for a debugger. The machine then runs on one host
/// thread.
struct execution_observer {
    virtual ~execution_observer();
    virtual void about_to_execute(warp& w, const operation& op) = 0;
};

/// How a launch is run without time.
struct functional_options {
    unsigned host_threads = 1;
    /// Somebody who sees it true wants the launch to end where it is; nullptr: nobody will.
    const std::atomic<bool>* give_up = nullptr;
    execution_observer* observer = nullptr;  ///< nullptr: nobody looks
};

/// What was executed.
struct execution_summary {
    struct opcode_count {
        std::string opcode;  ///< "ld.global"
        std::uint64_t warps = 0;
        std::uint64_t threads = 0;
    };
    struct instruction_count {
        std::uint32_t instruction = 0;  ///< of the program, as instruction_descriptors numbers them
        std::uint64_t warps = 0;
    };
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;  ///< lanes whose guard fails count too
    std::uint64_t blocks = 0;
    double seconds = 0;                   ///< of the host
    std::vector<opcode_count> by_opcode;  ///< by name
    std::vector<opcode_count> by_class;   ///< by instruction_name::group
    /// Those that were executed, each once for each host thread that executed it.
    std::vector<instruction_count> by_instruction;
    /// Of the allocations that memory instructions have accessed; of an instruction that accesses
    /// several, the last one.
    std::uint64_t allocated_bytes = 0;

    /// Adds another launch; instructions and allocations, which are of one launch, are not added.
    void add(const execution_summary& other);
};

/// Bytes of the allocations that threads of a launch have accessed (see execution_summary).
std::uint64_t accessed_allocations(const std::vector<const worker_state*>& workers);

/// Runs a launch to its end, CTA after CTA, or on several host threads at once. CTAs that wait for
/// each other get along: one that does not come to its end in its turn lets others begin.
/// @throws execution_error  the program did something without a meaning
execution_summary run(const launch& what, device_memory& memory, const services& world,
                      const functional_options& options = {});

}  // namespace simtlm::execution
