// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtlm::ptx {
struct module;
}

namespace simtlm::execution {

struct warp;
class thread_block;

/// Logs what threads execute, for debugging (GPGPU-Sim manual: PTX_SIM_DEBUG,
/// -gpgpu_ptx_inst_debug_to_file). Programs must be loaded with check_options::log. Threads are
/// numbered from 1, over all launches, block by block.
class execution_log {
public:
    /// Output and contents of a log.
    struct sink {
        bool blocks = false;        ///< starts of blocks
        bool instructions = false;  ///< every instruction executed by a thread
        bool written = false;       ///< with the registers that it writes
        bool registers = false;     ///< with all other registers of the function
        std::uint64_t thread = 0;   ///< only this thread; 0: all
        std::function<void(std::string_view)> write;
    };

    void add(sink s) { sinks_.push_back(std::move(s)); }
    bool empty() const { return sinks_.empty(); }
    /// Whether a sink records executed instructions.
    bool logs_instructions() const;

    void block_started(thread_block& b);
    /// Lanes have executed an instruction.
    void executed(const warp& w, const operation* op, lane_mask lanes);

private:
    std::vector<sink> sinks_;
    std::mutex mutex_;
};

/// Text with the basic blocks of every function and the reconvergence points of diverged lanes.
std::string control_flow_text(const ptx::module& m);

}  // namespace simtlm::execution
