// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/binary_block_decoder.h"
#include "modules/trace/binary_file.h"
#include "modules/trace/block_ledger.h"
#include "modules/trace/block_source.h"
#include "modules/trace/execution_builder.h"
#include "modules/trace/warp_path.h"

namespace simtlm::trace {

/// Thread blocks of a binary trace. An instruction is decoded at its first execution, by the same
/// table as for text traces, so that warnings about unknown opcodes are the same.
class binary_block_source final : public block_source {
public:
    binary_block_source(const std::string& file, const reader_options& options,
                        kernel_header& header, std::vector<std::string>& warnings,
                        warning_sink warn);

    bool read(block_trace& block, const std::atomic<bool>& stop) override;

private:
    void check_place(const dim3& at);
    void read_warp(std::uint32_t count, block_trace& decoded);
    void check_warp(const block_trace& block, const block_trace::warp_range& warp,
                    const program::dynamic_instruction* first);
    instruction_table::entry* entry_of(const recorded_execution& e);
    instruction_table::entry* look_up(const binary_file::instruction& i, std::uint32_t swallowed);

    binary_file file_;
    const kernel_header& header_;
    bool share_;
    bool swallow_quirk_;
    bool validate_;
    instruction_table table_;
    execution_builder builder_;
    std::vector<binary_file::instruction> instructions_;
    std::vector<instruction_table::entry*> entries_;  ///< by instruction; nullptr: not decoded yet
    binary_block_decoder decoder_;
    block_ledger places_;
    std::uint64_t next_ = 0;
    path_table paths_;
    block_trace scratch_;  ///< the current warp, before its path is shared
};

}  // namespace simtlm::trace
