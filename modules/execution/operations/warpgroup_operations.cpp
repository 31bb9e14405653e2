// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/warpgroup_operations.h"

#include "modules/execution/operations/checks.h"
#include "modules/execution/state/block_checks.h"
#include "modules/execution/state/lanes.h"
#include "modules/execution/state/thread_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace simtlm::execution {

namespace {
constexpr unsigned warps_of_group = 4;

/// For checks: records that matrices in shared memory are read from now on.
void note_operands(warp& w, const operation* op, unsigned lane,
                   const arithmetic::warpgroup_multiply& product) {
    using arithmetic::matrix_descriptor;
    constexpr std::uint32_t chunk = 16;
    const auto note = [&](std::uint32_t offset) {
        w.block->checks()->read_starts(w, op, lane, async_proxy::engine::tensor_core, offset,
                                       chunk);
    };
    const auto descriptor = [&](operand_ref s) {
        return matrix_descriptor::decode(lanes_at<std::uint64_t>(w, s)[lane]);
    };
    if (op->source[0] != no_operand)
        product.for_chunks_of_a(descriptor(op->source[0]),
                                w.index % warps_of_group * arithmetic::warpgroup_multiply::rows,
                                note);
    product.for_chunks_of_b(descriptor(op->source[1]), note);
}

/// Whether a condition is true of all warps of a warp's warpgroup that have not ended.
template <class Condition>
bool all_of_group(const warp& w, Condition condition) {
    const std::vector<warp>& warps = w.block->warps();
    const std::size_t first = w.index / warps_of_group * warps_of_group;
    for (std::size_t i = first; i < std::min(first + warps_of_group, warps.size()); ++i)
        if (warps[i].status != warp_status::done && !condition(warps[i])) return false;
    return true;
}

/// For checks: records the end of a wait.
const operation* groups_are_complete(warp& w, const operation* op) {
    if (async_proxy* const proxy = proxy_of(w))
        proxy->groups_complete(w.block->checks()->number_of(w), async_proxy::engine::tensor_core,
                               static_cast<std::uint64_t>(op->immediate));
    return op + 1;
}
}  // namespace

const operation* arrive_at_warpgroup(warp& w, const operation* op) {
    if (w.lanes_of(op) != 0) ++w.warpgroup_fences;
    return op + 1;
}

const operation* await_warpgroup(warp& w, const operation* op) {
    if (w.block->sm_holds_barriers || w.lanes_of(op) == 0) return op + 1;
    const auto has_fenced = [&](const warp& other) {
        return other.warpgroup_fences >= w.warpgroup_fences;
    };
    return all_of_group(w, has_fenced) ? op + 1 : w.retry(op);
}

const operation* multiply_warpgroup(warp& w, const operation* op) {
    using arithmetic::matrix_descriptor;
    using arithmetic::warpgroup_multiply;
    constexpr unsigned max_registers = 128;
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    if (lanes != all_lanes) w.block->fail(w, op, lane, "a warpgroup multiplies with all its lanes");
    const auto& product = *reinterpret_cast<const warpgroup_multiply*>(op->immediate);
    const unsigned results = product.description().registers();
    const auto descriptor = [&](operand_ref s) {
        return matrix_descriptor::decode(lanes_at<std::uint64_t>(w, s)[lane]);
    };
    // Larger than the stack of a SystemC thread.
    const std::unique_ptr<std::uint32_t[]> operands(
        new std::uint32_t[warpgroup_multiply::max_a_registers +
                          warpgroup_multiply::max_b_registers]);
    std::uint32_t* const a = operands.get();
    std::uint32_t* const b = a + warpgroup_multiply::max_a_registers;
    const std::byte* const shared = w.block->shared();
    const std::uint32_t bytes = w.block->shared_bytes();
    // Debug code multiplies the matrix at address 0, which belongs to the system software, and
    // ignores the result. It lies before the CTA's memory, and is taken for zeros.
    const auto of_system = [](const matrix_descriptor& d) {
        constexpr std::uint32_t addresses = 1u << 18, system_bytes = 0x400;
        return d.start >= addresses - system_bytes;
    };
    bool inside = true;
    if (op->source[0] == no_operand) {
        const std::uint32_t* registers[4];
        for (unsigned r = 0; r < 4; ++r)
            registers[r] = reinterpret_cast<const std::uint32_t*>(w.at(op->list[results + r]));
        product.read_a(registers, a);
    } else {
        const unsigned first_row = w.index % warps_of_group * warpgroup_multiply::rows;
        const matrix_descriptor a_at = descriptor(op->source[0]);
        if (of_system(a_at))
            std::fill_n(a, warpgroup_multiply::max_a_registers, 0u);
        else
            inside = product.read_a(shared, bytes, a_at, first_row, a);
    }
    const matrix_descriptor b_at = descriptor(op->source[1]);
    if (of_system(b_at))
        std::fill_n(b, warpgroup_multiply::max_b_registers, 0u);
    else
        inside = inside && product.read_b(shared, bytes, b_at, b);
    if (!inside) {
        const auto text = [&](const char* name, operand_ref s) {
            if (s == no_operand) return std::string();
            const matrix_descriptor d = descriptor(s);
            return fmt::format("; {} begins at {:#x}, offsets {:#x} and {:#x}", name, d.start,
                               d.leading, d.stride);
        };
        w.block->fail(w, op, lane,
                      fmt::format("a matrix descriptor leads outside of shared memory ({:#x} "
                                  "bytes){}{}",
                                  bytes, text("A", op->source[0]), text("B", op->source[1])));
    }
    if (proxy_of(w) != nullptr) note_operands(w, op, lane, product);
    std::uint32_t* d[max_registers];
    for (unsigned r = 0; r < results; ++r)
        d[r] = reinterpret_cast<std::uint32_t*>(w.at(op->list[r]));
    const auto* const metadata = op->source[3] == no_operand
                                     ? nullptr
                                     : reinterpret_cast<const std::uint32_t*>(w.at(op->source[3]));
    product.apply(a, b, (w.mask_at(op->source[2]) >> lane & 1) != 0, d, metadata);
    return op + 1;
}

const operation* commit_warpgroup(warp& w, const operation* op) {
    if (w.lanes_of(op) == 0) return op + 1;
    ++w.warpgroup_groups;
    if (async_proxy* const proxy = proxy_of(w))
        proxy->close_group(w.block->checks()->number_of(w), async_proxy::engine::tensor_core);
    return op + 1;
}

const operation* wait_for_warpgroup(warp& w, const operation* op) {
    if (w.lanes_of(op) == 0) return op + 1;
    if (w.block->sm_holds_barriers) return groups_are_complete(w, op);
    const auto pending = static_cast<std::uint32_t>(op->immediate);
    const std::uint32_t needed = w.warpgroup_groups - std::min(w.warpgroup_groups, pending);
    const auto has_reached = [&](const warp& other) { return other.warpgroup_groups >= needed; };
    return all_of_group(w, has_reached) ? groups_are_complete(w, op) : w.retry(op);
}

}  // namespace simtlm::execution
