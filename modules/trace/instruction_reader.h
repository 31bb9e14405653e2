// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/zeroed_vector.h"
#include "modules/trace/block_reader.h"
#include "modules/trace/execution_builder.h"
#include "modules/trace/instruction_table.h"

namespace simtlm::trace {

/// Reads instruction lines for the simulation: a line costs a comparison with what was decoded at
/// its program counter before, and no allocation. Of an instruction without addresses most warps
/// have the very same line: it costs a comparison alone.
class instruction_reader final : public line_reader {
public:
    instruction_reader(const kernel_header& header, const reader_options& options,
                       warning_sink warn);

    void read(const line_source::line& line, const line_source& where, block_trace& block) override;

private:
    /// A line that needs no addresses, and what it came to.
    struct remembered {
        static constexpr std::size_t longest = 112;
        const program::static_instruction* info;
        std::uint32_t mask;
        std::uint32_t length;  // 0: nothing is remembered
        char text[longest];
    };
    static constexpr std::size_t remembered_lines = 4096;

    void remember(const line_source::line& line, const program::static_instruction& info,
                  std::uint32_t mask);
    remembered& place_of(const line_source::line& line);

    const kernel_header& header_;
    bool repeats_;  // lines do not tell of which warp they are
    kernel::zeroed_vector<remembered> lines_;
    bool swallow_quirk_;
    bool validate_;
    instruction_table table_;
    execution_builder builder_;
};

}  // namespace simtlm::trace
