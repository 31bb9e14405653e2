// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/block_source.h"

#include "modules/support/error.h"
#include "modules/trace/binary_block_source.h"
#include "modules/trace/binary_file.h"
#include "modules/trace/block_reader.h"
#include "modules/trace/control_source.h"
#include "modules/trace/cta_filter.h"
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
          begun_(apply_options(header, options, read_kernel_header(lines_, header, warnings))),
          instructions_(header, options, std::move(warn)),
          blocks_(lines_, header, instructions_, begun_, options.share_paths, options.validate) {}

    bool read(block_trace& block, const std::atomic<bool>& stop) override {
        return blocks_.read(block, stop);
    }

private:
    line_source lines_;
    bool begun_;
    instruction_reader instructions_;
    block_reader blocks_;
};

std::unique_ptr<block_source> open_whole(const std::string& file, const reader_options& options,
                                         kernel_header& header, std::vector<std::string>& warnings,
                                         warning_sink warn) {
    check_is_file(file);
    if (is_binary_trace(file)) {
        return std::make_unique<binary_block_source>(file, options, header, warnings,
                                                     std::move(warn));
    }
    return std::make_unique<text_block_source>(file, options, header, warnings, std::move(warn));
}

/// A range of thread blocks of a trace; the sources that it uses see the header of the whole trace.
class partial_source final : public block_source {
public:
    partial_source(const std::string& file, const reader_options& options, kernel_header& header,
                   std::vector<std::string>& warnings, warning_sink warn)
        : chosen_(open_whole(file, options, whole_, warnings, std::move(warn)), whole_,
                  options.ctas) {
        if (whole_.cluster.volume() > 1)
            throw support::user_error(whole_.origin,
                                      "--ctas chooses thread blocks one by one, and kernel " +
                                          whole_.name + " runs in clusters",
                                      "choose whole kernels: --kernels");
        header = whole_;
        header.grid = row_of(chosen_blocks(whole_.grid, options.ctas), whole_.origin);
    }

    bool read(block_trace& block, const std::atomic<bool>& stop) override {
        return chosen_.read(block, stop);
    }

private:
    static dim3 row_of(std::uint64_t blocks, const std::string& file) {
        if (blocks > UINT32_MAX) {
            throw support::user_error(file, "too many thread blocks are chosen",
                                      "--ctas FROM-TO of at most 2^32 blocks");
        }
        return {static_cast<std::uint32_t>(blocks), 1, 1};
    }

    kernel_header whole_;
    cta_filter chosen_;
};

}  // namespace

std::unique_ptr<block_source> open_block_source(const std::string& file,
                                                const reader_options& options,
                                                kernel_header& header,
                                                std::vector<std::string>& warnings,
                                                warning_sink warn) {
    std::unique_ptr<block_source> source;
    if (options.ctas.all())
        source = open_whole(file, options, header, warnings, std::move(warn));
    else
        source = std::make_unique<partial_source>(file, options, header, warnings, std::move(warn));
    if (options.assign_controls)
        source = std::make_unique<control_source>(std::move(source), header);
    return source;
}

}  // namespace simtlm::trace
