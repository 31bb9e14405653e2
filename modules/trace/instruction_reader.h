// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/zeroed_vector.h"
#include "modules/trace/block_reader.h"
#include "modules/trace/execution_builder.h"
#include "modules/trace/instruction_table.h"

namespace simtlm::trace {

/// Parses instruction lines for simulation. A line costs a comparison with the instruction decoded
/// before at its program counter, and no memory allocation. Identical lines without addresses,
/// which most warps have, cost only one comparison.
class instruction_reader final : public line_reader {
public:
    instruction_reader(const kernel_header& header, const reader_options& options,
                       warning_sink warn);

    void read(const line_source::line& line, const line_source& where, block_trace& block) override;

private:
    /// A line without addresses, and its decoded form.
    struct remembered {
        static constexpr std::size_t longest = 112;
        const program::static_instruction* info;
        std::uint32_t mask;
        std::uint32_t length;  // 0: unused
        char text[longest];
    };
    static constexpr std::size_t remembered_lines = 4096;

    void read_asynchronous(const line_source::line& line, const line_head& head,
                           instruction_table::entry* entry, scanner& in, const line_source& where,
                           block_trace& block);
    void remember(const line_source::line& line, const program::static_instruction& info,
                  std::uint32_t mask);
    remembered& place_of(const line_source::line& line);

    const kernel_header& header_;
    bool repeats_;  // lines do not depend on the warp
    support::zeroed_vector<remembered> lines_;
    bool swallow_quirk_;
    bool validate_;
    instruction_table table_;
    execution_builder builder_;
};

}  // namespace simtlm::trace
