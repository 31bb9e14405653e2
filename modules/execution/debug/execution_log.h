// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/operation.h"

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

/// Tells what threads execute, for those who look for the instruction that goes wrong (manual:
/// PTX_SIM_DEBUG, -gpgpu_ptx_inst_debug_to_file). Programs have to be loaded with
/// check_options::log. Threads are numbered from 1, over all launches, block after block.
class execution_log {
public:
    /// Where to, and how much.
    struct sink {
        bool blocks = false;        ///< that begin
        bool instructions = false;  ///< each that a thread executes
        bool written = false;       ///< and the registers that it writes
        bool registers = false;     ///< and all others of the function
        std::uint64_t thread = 0;   ///< only this one; 0: all
        std::function<void(std::string_view)> write;
    };

    void add(sink s) { sinks_.push_back(std::move(s)); }
    bool empty() const { return sinks_.empty(); }
    bool tells_instructions() const;

    void block_started(thread_block& b);
    /// Lanes have executed an instruction.
    void executed(const warp& w, const operation* op, lane_mask lanes);

private:
    std::vector<sink> sinks_;
    std::mutex mutex_;
};

/// Blocks of every function and where diverged lanes meet, as text.
std::string control_flow_text(const ptx::module& m);

}  // namespace simtlm::execution
