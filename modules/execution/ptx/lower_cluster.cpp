// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/checks.h"
#include "modules/execution/operations/cluster_operations.h"
#include "modules/execution/operations/moves.h"
#include "modules/execution/operations/warpgroup_operations.h"
#include "modules/execution/ptx/control.h"
#include "modules/execution/ptx/function_lowering.h"

namespace simtlm::execution {

using ptx::opcode;

bool function_lowering::lower_cluster(const ptx::operation& o) {
    switch (o.op) {
        case opcode::bar_cluster_arrive:
            emit(arrive_at_cluster);
            return true;
        case opcode::bar_cluster_wait:
            emit(wait_for_cluster);
            return true;
        case opcode::mapa:
        case opcode::getctarank: {
            const bool maps = o.op == opcode::mapa;
            const unsigned width = ptx::width_of(o.first_type());
            const operand_ref address = source(operand(1), width);
            const operand_ref rank = maps ? source(operand(2), 32) : no_operand;
            const operand_ref to = destination(operand(0), maps ? width : 32, false);
            operation& op = emit(maps ? map_to_rank : rank_of_address);
            op.destination = to;
            op.source[0] = address;
            op.source[1] = rank;
            op.detail = width == 64 ? 1 : 0;
            return true;
        }
        case opcode::elect: {
            const operand_ref members = source(operand(2), 32);
            const operand_ref to = operand(0).kind == operand_kind::reg
                                       ? destination(operand(0), 32, false)
                                       : no_operand;
            const bool has_mask = has_operand(1) && operand(1).kind == operand_kind::reg;
            operation& op = emit(elect_lane);
            op.destination = to;
            op.destination2 = has_mask ? image_.registers[operand(1).index] : no_operand;
            op.source[0] = members;
            return true;
        }
        case opcode::clusterlaunchcontrol_query_cancel:
            return lower_launch_query(o);
        case opcode::wgmma_commit_group:
            emit(commit_warpgroup);
            return true;
        case opcode::wgmma_wait_group:
            emit(wait_for_warpgroup).immediate = operand(0).value;
            return true;
        case opcode::fence_mbarrier_init:
            if (module_.checks().races) emit(note_fence, false);
            emit(nothing);
            return true;
        case opcode::cp_async_bulk_commit_group:
            if (module_.checks().races) emit(note_bulk_commit, false);
            emit(nothing);
            return true;
        case opcode::cp_async_bulk_wait_group:
            if (module_.checks().races) emit(note_bulk_wait, false).immediate = operand(0).value;
            emit(nothing);
            return true;
        case opcode::wgmma_fence:
            emit(arrive_at_warpgroup);
            return true;
        case opcode::setmaxnreg:
        case opcode::griddepcontrol:
            // Asynchronous operations are complete when the next instruction executes, and kernels
            // of a stream when the next kernel begins.
            emit(nothing);
            return true;
        default:
            return false;
    }
}

/// clusterlaunchcontrol.query_cancel
bool function_lowering::lower_launch_query(const ptx::operation& o) {
    if (operand(1).kind != operand_kind::reg) return false;
    const operand_ref low = source(operand(1), 64);
    if (o.first_type() == ptx::type::pred) {
        const operand_ref to = destination(operand(0), 1, false);
        operation& op = emit(is_launch_cancelled);
        op.destination = to;
        op.source[0] = joined_high(low);
        return true;
    }
    std::int64_t dimension = o.variant == ptx::mode::cta_y   ? 1
                             : o.variant == ptx::mode::cta_z ? 2
                                                             : 0;
    for (const ptx::operand* e : elements_of(operand(0))) {
        const std::int64_t d = dimension++;
        if (e->kind != operand_kind::reg) continue;  // the sink symbol
        const operand_ref to = destination(*e, 32, false);
        operation& op = emit(first_cancelled_cta, false);
        op.destination = to;
        op.source[0] = low;
        op.immediate = d;
    }
    emit(nothing);
    return true;
}

}  // namespace simtlm::execution
