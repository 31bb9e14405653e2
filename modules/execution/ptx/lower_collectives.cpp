// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/checks.h"
#include "modules/execution/ptx/control.h"
#include "modules/execution/ptx/function_lowering.h"
#include "modules/execution/state/collectives.h"

namespace simtlm::execution {

using ptx::opcode;

namespace {

constexpr unsigned independent_threads = 70;  // architecture

}  // namespace

/// Makes the lanes named by an operand wait for each other before the next operation.
/// @param named  the value of the operand
/// @param kinds  what the operands of that operation are
void function_lowering::gather_named_lanes(unsigned members, operand_ref named,
                                           const collective_operands& kinds) {
    if (has_operand(members) && has_width(operand(members), 32)) gather_lanes(named, kinds.code());
}

/// Makes all lanes of the warp wait for each other, before an instruction with .sync.aligned.
void function_lowering::gather_warp() {
    gather_lanes(constant(0xffffffff, 32), collective_operands::whole_warp);
}

void function_lowering::gather_lanes(operand_ref named, std::int64_t kinds) {
    if (m_.architecture < independent_threads || now_->guard != ptx::no_index) return;
    operation& op = emit(gather_members, false);
    op.moves_control = true;
    op.source[0] = named;
    op.immediate = kinds;
}

bool function_lowering::lower_collective(const ptx::operation& o) {
    const auto mask_result = [&](unsigned n) {
        return has_operand(n) && operand(n).kind == operand_kind::reg
                   ? image_.registers[operand(n).index]
                   : no_operand;
    };
    const auto members = [&](unsigned n) {
        return has_operand(n) ? source(operand(n), 32) : no_operand;
    };
    using kinds = collective_operands;
    switch (o.op) {
        case opcode::shfl: {
            const operand_ref among = members(5);
            const operand_ref value = source(operand(2), 32);
            const operand_ref lane = source(operand(3), 32);
            const operand_ref clamp = source(operand(4), 32);
            const operand_ref to = destination(operand(0), 32, false);
            gather_named_lanes(5, among,
                               {kinds::words, kinds::words, kinds::words, kinds::words,
                                kinds::words, kinds::mask});
            operation& op = emit(shuffle_handler(o.variant));
            op.destination = to;
            op.destination2 = mask_result(1);
            op.source[0] = value;
            op.source[1] = lane;
            op.source[2] = clamp;
            op.source[3] = among;
            return true;
        }
        case opcode::vote: {
            const bool ballot = o.variant == ptx::mode::ballot;
            const operand_ref among = members(2);
            const operand_ref p = mask_source(operand(1));
            const operand_ref to = destination(operand(0), ballot ? 32 : 1, false);
            gather_named_lanes(2, among,
                               {kinds::mask, kinds::words, kinds::none, kinds::none,
                                ballot ? kinds::words : kinds::mask});
            operation& op = emit(vote_handler(o.variant));
            op.destination = to;
            op.source[0] = p;
            op.source[1] = among;
            return true;
        }
        case opcode::match: {
            const unsigned width = ptx::width_of(o.first_type());
            const operand_ref among = members(3);
            const operand_ref value = source(operand(2), width);
            const operand_ref to = destination(operand(0), 32, false);
            const kinds::kind values = width == 64 ? kinds::double_words : kinds::words;
            gather_named_lanes(
                3, among,
                {values, kinds::words, kinds::none, kinds::none, kinds::words, kinds::mask});
            operation& op = emit(match_handler(o.variant, width));
            op.destination = to;
            op.destination2 = mask_result(1);
            op.source[0] = value;
            op.source[1] = among;
            return true;
        }
        case opcode::redux: {
            const handler h = redux_handler(o);
            if (h == nullptr) return false;
            const operand_ref among = members(2);
            const operand_ref value = source(operand(1), 32);
            const operand_ref to = destination(operand(0), 32, false);
            gather_named_lanes(
                2, among, {kinds::words, kinds::words, kinds::none, kinds::none, kinds::words});
            operation& op = emit(h);
            op.destination = to;
            op.source[0] = value;
            op.source[1] = among;
            return true;
        }
        case opcode::activemask: {
            const operand_ref to = destination(operand(0), 32, false);
            emit(active_mask).destination = to;
            return true;
        }
        case opcode::bar_warp_sync:
            if (has_width(operand(0), 32)) gather_named_lanes(0, source(operand(0), 32), {});
            if (module_.checks().races) emit(note_warp_sync, false);
            emit(nothing);
            return true;
        default:
            return false;
    }
}

bool function_lowering::lower_barrier(const ptx::operation& o) {
    const bool reduces = o.op == opcode::bar_red;
    const bool independent = m_.architecture >= independent_threads;
    const bool separately = independent && !o.has(ptx::flag::aligned);
    const std::size_t gather = module_.code().size();
    const bool gathers = separately || (independent && now_->guard == ptx::no_index);
    if (gathers) emit(gather_at_barrier, false).moves_control = true;
    const unsigned first = reduces ? 1 : 0;
    const operand_ref id = source(operand(first), 32);
    const operand_ref threads =
        has_operand(first + 1) ? source(operand(first + 1), 32) : no_operand;
    operand_ref p = no_operand, to = no_operand;
    if (reduces) {
        p = mask_source(operand(3));
        to = destination(operand(0), o.reduce == ptx::reduction::popc ? 32 : 1, false);
    }
    operation& op = emit(reduces                    ? barrier_reduce
                         : o.op == opcode::bar_sync ? barrier_sync
                                                    : barrier_arrive);
    op.source[0] = id;
    op.source[1] = threads;
    op.source[2] = p;
    op.destination = to;
    op.detail = static_cast<std::uint16_t>(o.reduce);
    op.immediate = separately ? barrier_flags::separate : 0;
    if (separately)
        module_.code()[gather].immediate =
            static_cast<std::int64_t>(module_.code().size() - gather);
    return true;
}

}  // namespace simtlm::execution
