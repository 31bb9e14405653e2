// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/control_assigner.h"
#include "modules/trace/block_source.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace simtlm::trace {

/// Gives the instructions of a trace that carries no control bits those that a compiler would have
/// given them (program::control_assigner). What a thread block executes first is scheduled when the
/// block has been read, before anybody sees it: basic blocks and the ways between them are those
/// that its warps take. An instruction keeps what it has been given.
class control_source final : public block_source {
public:
    /// @param header  of the trace, to be filled in by the time of the first read()
    control_source(std::unique_ptr<block_source> blocks, const kernel_header& header)
        : blocks_(std::move(blocks)), header_(header) {}

    bool read(block_trace& block, const std::atomic<bool>& stop) override;

private:
    static constexpr unsigned none = ~0u;
    struct place {
        unsigned block = none;
        unsigned index = 0;
    };

    void add_path(const program::dynamic_instruction* first,
                  const program::dynamic_instruction* last);
    void connect(unsigned from, unsigned to);
    void split(place where);
    void schedule();

    std::unique_ptr<block_source> blocks_;
    const kernel_header& header_;
    std::vector<program::scheduled_block> found_;
    std::unordered_map<const program::static_instruction*, place> place_of_;
};

}  // namespace simtlm::trace
