// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/execution_log.h"

#include "modules/execution/state/thread_block.h"
#include "modules/ptx/control_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace simtlm::execution {

bool execution_log::logs_instructions() const {
    return std::any_of(sinks_.begin(), sinks_.end(), [](const sink& s) { return s.instructions; });
}

void execution_log::block_started(thread_block& b) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const sink& s : sinks_)
        if (s.blocks)
            s.write(fmt::format("block ({},{},{}) of {} begins\n", b.index()[0], b.index()[1],
                                b.index()[2], b.context().kernel.name));
}

void execution_log::executed(const warp& w, const operation* op, lane_mask lanes) {
    const program_image& image = w.launch->image;
    const std::byte* const frame = w.banks[static_cast<unsigned>(bank::frame)];
    const std::lock_guard<std::mutex> lock(mutex_);
    for (; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
        const std::uint64_t number = w.launch->what.first_thread +
                                     w.block->number() * w.launch->threads() + w.index * warp_size +
                                     lane;
        const auto t = w.block->thread_of(w, lane);
        for (const sink& s : sinks_) {
            if (!s.instructions || (s.thread != 0 && s.thread != number)) continue;
            std::string text =
                fmt::format("[thd={}] : ctaid=({},{},{}) tid=({},{},{}) ({} - {})\n", number,
                            w.block->index()[0], w.block->index()[1], w.block->index()[2], t[0],
                            t[1], t[2], image.where(*op), image.text_of(*op));
            if (s.written) text += image.results_text(*op, frame, lane);
            if (s.registers) text += "  registers:\n" + image.registers_text(*op, frame, lane);
            s.write(text);
        }
    }
}

std::string control_flow_text(const ptx::module& m) {
    std::string text;
    for (const ptx::function& f : m.functions) {
        if (!f.defined) continue;
        const ptx::control_flow flow = ptx::analyse_control_flow(m, f);
        text += fmt::format("control flow of {}\n", f.name);
        for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
            const ptx::basic_block& block = flow.blocks[b];
            text += fmt::format("  block {}: lines {} to {}{}; goes to", b,
                                f.code[block.first].where.line, f.code[block.last].where.line,
                                block.reachable ? "" : ", never reached");
            if (block.successors.empty()) text += " the end";
            for (const std::uint32_t s : block.successors)
                text += s < flow.blocks.size() ? fmt::format(" {}", s) : " the end";
            text += block.post_dominator == ptx::no_index
                        ? "; lanes meet at the end\n"
                        : fmt::format("; lanes meet in {}\n", block.post_dominator);
        }
    }
    return text;
}

}  // namespace simtlm::execution
