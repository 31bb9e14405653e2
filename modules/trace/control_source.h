// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/control_assigner.h"
#include "modules/trace/block_source.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace simtlm::trace {

/// Adds control bits to a trace without them, as a compiler would have set them
/// (program::control_assigner). Instructions are scheduled when the first thread block that
/// executes them has been read, before the block is returned: basic blocks and the edges between
/// them are those taken by its warps. Assigned control bits are never changed.
class control_source final : public block_source {
public:
    /// @param header  of the trace; must be set before the first read()
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
