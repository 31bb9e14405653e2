// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/block_reader.h"
#include "modules/trace/execution_builder.h"
#include "modules/trace/instruction_table.h"

namespace simtlm::trace {

/// Reads instruction lines for the simulation: a line costs a comparison with what was decoded at
/// its program counter before, and no allocation.
class instruction_reader final : public line_reader {
public:
    instruction_reader(const kernel_header& header, const reader_options& options,
                       warning_sink warn);

    void read(const line_source::line& line, const line_source& where, block_trace& block) override;

private:
    const kernel_header& header_;
    bool swallow_quirk_;
    instruction_table table_;
    execution_builder builder_;
};

}  // namespace simtlm::trace
