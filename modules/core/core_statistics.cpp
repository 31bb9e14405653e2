// SPDX-License-Identifier: Apache-2.0
#include "modules/core/core_statistics.h"

#include "modules/core/warp_instruction.h"

namespace simtlm::core {

namespace {

/// Counts the multiply-adds of a matrix instruction, of which the four warps of a warpgroup share
/// one.
void count_products(core_statistics& statistics, const program::static_instruction& info,
                    std::uint64_t executions) {
    const program::matrix_shape& shape = info.matrix;
    const unsigned warps = info.special == program::special_op::warpgroup_mma ? 4 : 1;
    unsigned log2_bits = 0;
    while (log2_bits < 6 && 1u << log2_bits < shape.operand_bits) ++log2_bits;
    statistics.tensor_products[log2_bits] +=
        executions * (std::uint64_t{shape.m} * shape.n * shape.k / warps);
}

}  // namespace

void count_executions(core_statistics& statistics, const program::static_instruction& info,
                      std::uint64_t warps, std::uint64_t lanes) {
    statistics.warp_instructions += warps;
    statistics.thread_instructions += lanes;
    const auto operation = static_cast<unsigned>(info.energy.operation);
    statistics.warp_operations[operation] += warps;
    statistics.thread_operations[operation] += lanes;
    if (info.energy.operation == program::operation_kind::tensor)
        count_products(statistics, info, warps);
    statistics.source_registers += warps * info.energy.register_reads;
    statistics.destination_registers += warps * info.energy.register_writes;
}

void count_completed(core_statistics& statistics, const warp_instruction& inst) {
    const unsigned lanes = inst.active_lanes();
    const auto cls = static_cast<unsigned>(inst.info->cls);
    ++statistics.warp_instructions_by_class[cls];
    statistics.thread_instructions_by_class[cls] += lanes;
    count_executions(statistics, *inst.info, 1, lanes);
}

void count_memory_instruction(core_statistics& s, const warp_instruction& inst) {
    ++s.ldst_instructions;
    const unsigned lanes = inst.active_lanes();
    switch (inst.space) {
        case program::memory_space::shared:
            s.shared_insn += lanes;
            break;
        case program::memory_space::constant:
            s.constant_insn += lanes;
            break;
        case program::memory_space::texture:
            s.texture_insn += lanes;
            break;
        case program::memory_space::global:
        case program::memory_space::local:
            (inst.info->is_store ? s.store_insn : s.load_insn) += lanes;
            break;
        default:
            break;
    }
}

}  // namespace simtlm::core
