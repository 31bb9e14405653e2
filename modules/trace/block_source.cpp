// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/block_source.h"

#include "modules/trace/binary_block_source.h"
#include "modules/trace/binary_file.h"
#include "modules/trace/block_reader.h"
#include "modules/trace/instruction_reader.h"
#include "modules/trace/kernel_header.h"

#include <utility>

namespace simtlm::trace {

namespace {

class text_block_source final : public block_source {
public:
    text_block_source(const std::string& file, const reader_options& options, kernel_header& header,
                      std::vector<std::string>& warnings, warning_sink warn)
        : lines_(file),
          begun_(read_kernel_header(lines_, header, warnings)),
          instructions_(header, options, std::move(warn)),
          blocks_(lines_, header, instructions_, begun_, options.share_paths) {}

    bool read(block_trace& block, const std::atomic<bool>& stop) override {
        return blocks_.read(block, stop);
    }

private:
    line_source lines_;
    bool begun_;
    instruction_reader instructions_;
    block_reader blocks_;
};

}  // namespace

std::unique_ptr<block_source> open_block_source(const std::string& file,
                                                const reader_options& options,
                                                kernel_header& header,
                                                std::vector<std::string>& warnings,
                                                warning_sink warn) {
    if (is_binary_trace(file)) {
        return std::make_unique<binary_block_source>(file, options, header, warnings,
                                                     std::move(warn));
    }
    return std::make_unique<text_block_source>(file, options, header, warnings, std::move(warn));
}

}  // namespace simtlm::trace
