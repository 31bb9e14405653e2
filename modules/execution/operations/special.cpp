// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/special.h"

#include "modules/execution/state/lanes.h"
#include "modules/execution/state/thread_block.h"

#include <chrono>

namespace simtlm::execution {

namespace {

using ptx::special_register;

special_value in_bank(bank b, std::uint32_t offset, unsigned width = 32) {
    special_value v;
    v.where = operand_ref_in(b, offset);
    v.width = width;
    return v;
}
special_value always(std::uint64_t value, unsigned width = 32) {
    special_value v;
    v.is_constant = true;
    v.constant = value;
    v.width = width;
    return v;
}
special_value of_lane(int which) {
    special_value v;
    v.lane_value = which;
    return v;
}
special_value read_by(handler h, std::uint16_t detail, unsigned width) {
    special_value v;
    v.read = h;
    v.detail = detail;
    v.width = width;
    return v;
}

template <class Bits>
void fill_lanes(warp& w, const operation* op, std::uint64_t value) {
    auto* const to = lanes_at<Bits>(w, op->destination);
    for (unsigned i = 0; i < warp_size; ++i) to[i] = static_cast<Bits>(value);
}

std::uint64_t core_cycles(const warp& w) {
    if (w.launch->world.clock) return w.launch->world.clock();
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}
std::uint64_t nanoseconds(const warp& w) {
    if (w.launch->world.global_time) return w.launch->world.global_time();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
}

// detail: bits to shift right
const operation* read_clock(warp& w, const operation* op) {
    fill_lanes<std::uint32_t>(w, op, core_cycles(w) >> op->detail);
    return op + 1;
}
const operation* read_clock64(warp& w, const operation* op) {
    fill_lanes<std::uint64_t>(w, op, core_cycles(w));
    return op + 1;
}
const operation* read_time(warp& w, const operation* op) {
    fill_lanes<std::uint32_t>(w, op, nanoseconds(w) >> op->detail);
    return op + 1;
}
const operation* read_time64(warp& w, const operation* op) {
    fill_lanes<std::uint64_t>(w, op, nanoseconds(w));
    return op + 1;
}

}  // namespace

special_value special_register_value(special_register r, unsigned component) {
    const std::uint32_t lanes = 128 * component;
    switch (r) {
        case special_register::tid:
            return component < 3 ? in_bank(bank::thread, thread_layout::tid + lanes) : always(0);
        case special_register::warpid:
            return in_bank(bank::thread, thread_layout::warpid);
        case special_register::ntid:
            return in_bank(bank::block, block_layout::ntid + lanes);
        case special_register::ctaid:
            return in_bank(bank::block, block_layout::ctaid + lanes);
        case special_register::nctaid:
            return in_bank(bank::block, block_layout::nctaid + lanes);
        case special_register::clusterid:
            return in_bank(bank::block, block_layout::clusterid + lanes);
        case special_register::nclusterid:
            return in_bank(bank::block, block_layout::nclusterid + lanes);
        case special_register::cluster_ctaid:
            return in_bank(bank::block, block_layout::cluster_ctaid + lanes);
        case special_register::cluster_nctaid:
            return in_bank(bank::block, block_layout::cluster_nctaid + lanes);
        case special_register::cluster_ctarank:
            return in_bank(bank::block, block_layout::cluster_ctarank);
        case special_register::cluster_nctarank:
            return in_bank(bank::block, block_layout::cluster_nctarank);
        case special_register::is_explicit_cluster:
            return in_bank(bank::block, block_layout::is_explicit_cluster, 1);
        case special_register::nwarpid:
            return in_bank(bank::block, block_layout::nwarpid);
        case special_register::smid:
            return in_bank(bank::block, block_layout::smid);
        case special_register::nsmid:
            return in_bank(bank::block, block_layout::nsmid);
        case special_register::gridid:
            return in_bank(bank::block, block_layout::gridid, 64);
        case special_register::envreg:
            return in_bank(bank::block, block_layout::envreg + lanes);
        case special_register::total_smem_size:
        case special_register::aggr_smem_size:
            return in_bank(bank::block, block_layout::total_size);
        case special_register::reserved_smem_offset_end:
        case special_register::reserved_smem_offset_cap:
            return always(reserved_shared::bytes);
        case special_register::reserved_smem_offset_1:
            return always(reserved_shared::second);
        case special_register::dynamic_smem_size:
            return in_bank(bank::block, block_layout::dynamic_size);
        case special_register::laneid:
            return of_lane(0);
        case special_register::lanemask_eq:
            return of_lane(1);
        case special_register::lanemask_le:
            return of_lane(2);
        case special_register::lanemask_lt:
            return of_lane(3);
        case special_register::lanemask_ge:
            return of_lane(4);
        case special_register::lanemask_gt:
            return of_lane(5);
        case special_register::clock:
            return read_by(read_clock, 0, 32);
        case special_register::clock_hi:
            return read_by(read_clock, 32, 32);
        case special_register::clock64:
            return read_by(read_clock64, 0, 64);
        case special_register::globaltimer:
            return read_by(read_time64, 0, 64);
        case special_register::globaltimer_lo:
            return read_by(read_time, 0, 32);
        case special_register::globaltimer_hi:
            return read_by(read_time, 32, 32);
        case special_register::pm64:
        case special_register::current_graph_exec:
            return always(0, 64);
        default:
            return always(0);
    }
}

}  // namespace simtlm::execution
