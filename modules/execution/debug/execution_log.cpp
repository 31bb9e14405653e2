// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/debug/execution_log.h"

#include "modules/execution/thread_block.h"
#include "modules/ptx/control_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace simtlm::execution {

namespace {

/// A register of a lane: its bits, and as a number where it is one of floating point.
std::string value_text(const std::byte* frame, std::uint32_t place, ptx::type t, unsigned lane) {
    if (t == ptx::type::pred) {
        lane_mask m;
        std::memcpy(&m, frame + place, sizeof m);
        return (m >> lane & 1) != 0 ? "true" : "false";
    }
    const unsigned width = ptx::width_of(t);
    if (width <= 32) {
        std::uint32_t bits;
        std::memcpy(&bits, frame + place + 4 * lane, sizeof bits);
        if (width < 32) bits &= (1u << width) - 1;
        if (t != ptx::type::f32) return fmt::format("{:#0{}x}", bits, 2 + width / 4);
        float number;
        std::memcpy(&number, &bits, sizeof number);
        return fmt::format("{:#010x} ({})", bits, number);
    }
    std::uint64_t bits, high = 0;
    std::memcpy(&bits, frame + place + 8 * lane, sizeof bits);
    if (width > 64) std::memcpy(&high, frame + place + 256 + 8 * lane, sizeof high);
    if (width > 64) return fmt::format("{:#018x}{:016x}", high, bits);
    if (t != ptx::type::f64) return fmt::format("{:#018x}", bits);
    double number;
    std::memcpy(&number, &bits, sizeof number);
    return fmt::format("{:#018x} ({})", bits, number);
}

/// What one instruction was, and the frame it worked on.
struct executed_instruction {
    const ptx::module& module;
    const ptx::function& function;
    const function_image& image;
    const ptx::instruction& instruction;
    const std::byte* frame;

    std::string register_text(std::uint32_t r, unsigned lane) const {
        return fmt::format(
            "    {} = {}\n", function.register_name(r),
            value_text(frame, offset_of(image.registers[r]), function.registers[r], lane));
    }
    void add_results(std::string& text, const ptx::operand& o, unsigned lane) const {
        if (o.kind == ptx::operand_kind::reg) text += register_text(o.index, lane);
        if (o.kind == ptx::operand_kind::vector)
            for (unsigned e = 0; e < o.count; ++e)
                add_results(text, function.element_of(o, e), lane);
    }
    std::string results(unsigned lane) const {
        std::string text;
        for (unsigned n = 0; n < instruction.result_count; ++n)
            add_results(text, function.operand_of(instruction, n), lane);
        return text;
    }
    std::string registers(unsigned lane) const {
        std::string text = "  registers:\n";
        for (std::uint32_t r = 0; r < function.registers.size(); ++r)
            text += register_text(r, lane);
        return text;
    }
};

}  // namespace

bool execution_log::tells_instructions() const {
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
    const module_image& image = w.launch->image;
    const instruction_origin& from = image.origin_of(*op);
    const ptx::module& m = image.source();
    const ptx::function& f = m.functions[from.function];
    const executed_instruction what{m, f, image.functions()[from.function],
                                    f.code[from.instruction], w.banks[0]};
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
            if (s.written) text += what.results(lane);
            if (s.registers) text += what.registers(lane);
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
