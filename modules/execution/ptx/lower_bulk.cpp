// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/bulk_copy.h"
#include "modules/execution/operations/tensor_map_operations.h"
#include "modules/execution/ptx/control.h"
#include "modules/execution/ptx/function_lowering.h"

#include <memory>
#include <utility>

namespace simtlm::execution {

using ptx::opcode;
using ptx::state_space;

namespace {
/// The number of coordinates of a box: four rows of a matrix have five.
std::size_t coordinates_of(const ptx::operation& o) {
    constexpr std::size_t of_four_rows = 5;
    return o.has(ptx::flag::gathers) ? of_four_rows : o.count;
}
tensor_map::access_mode mode_of(const ptx::operation& o) {
    using access_mode = tensor_map::access_mode;
    switch (o.variant) {
        case ptx::mode::im2col:
            return access_mode::im2col;
        case ptx::mode::im2col_w:
            return access_mode::im2col_w;
        case ptx::mode::im2col_w_128:
            return access_mode::im2col_w_128;
        default:
            return access_mode::tiled;
    }
}
}  // namespace

lane_place function_lowering::lane_place_of(const ptx::operand& address, ptx::state_space s) {
    ptx::operation o;
    o.space = s;
    const memory_place p = place_of(address, o);
    return {p.source, p.immediate, p.detail};
}

void function_lowering::emit_bulk(handler h, bulk_copy what) {
    operation& op = emit(h);
    op.immediate = attach(std::make_shared<const bulk_copy>(std::move(what)));
}

/// @param first  position of the tensor map @return false: the operands are not valid coordinates
bool function_lowering::set_tensor(bulk_copy& what, unsigned first) {
    what.map = lane_place_of(operand(first), state_space::generic);
    for (const ptx::operand* e : elements_of(operand(first + 1))) {
        if (!has_width(*e, 32)) return false;
        what.coordinates.push_back(source(*e, 32));
    }
    return true;
}

/// Sets the offsets of im2col modes. @return false: their number is not that of the mode
bool function_lowering::set_offsets(bulk_copy& what, unsigned position) {
    if (what.mode == tensor_map::access_mode::tiled) return true;
    constexpr std::size_t of_halo = 2;  // pixels and offset
    const bool has_halo = what.mode != tensor_map::access_mode::im2col;
    for (const ptx::operand* e : elements_of(operand(position))) {
        if (!has_width(*e, 16)) return false;
        what.offsets.push_back(source(*e, 16));
    }
    return what.offsets.size() == (has_halo ? of_halo : what.coordinates.size() - 2);
}

void function_lowering::set_barrier(bulk_copy& what, unsigned position) {
    what.barrier = lane_place_of(operand(position), state_space::shared);
    what.has_barrier = true;
}

/// Sets the CTAs of a multicast.
void function_lowering::set_ranks(bulk_copy& what, const ptx::operation& o, unsigned position) {
    if (o.has(ptx::flag::multicast) && has_operand(position))
        what.ranks = source(operand(position), 32);
}

/// cp{.reduce}.async.bulk
bool function_lowering::lower_bulk_copy(const ptx::operation& o) {
    bulk_copy what;
    what.to = lane_place_of(operand(0), o.space);
    what.from = lane_place_of(operand(1), o.source_space);
    what.bytes = source(operand(2), 32);
    if (o.space == state_space::shared) set_barrier(what, 3);
    set_ranks(what, o, 4);
    if (o.op == opcode::cp_async_bulk && has_operand(6)) what.byte_mask = source(operand(6), 16);
    if (o.op == opcode::cp_reduce_async_bulk) {
        what.update = element_update_of(o.reduce, o.first_type());
        what.element_bytes = ptx::bytes_of(o.first_type());
        if (what.update == nullptr) return false;
    }
    emit_bulk(copy_bulk, std::move(what));
    return true;
}

/// cp{.reduce}.async.bulk.tensor
bool function_lowering::lower_tensor_copy(const ptx::operation& o) {
    bulk_copy what;
    what.reduce = o.reduce;
    what.mode = mode_of(o);
    what.gathers = o.has(ptx::flag::gathers);
    what.of_pair = o.has(ptx::flag::cta_pair);
    const bool to_shared = o.space == state_space::shared;
    if (to_shared) {
        what.to = lane_place_of(operand(0), state_space::shared);
        if (!set_tensor(what, 1)) return false;
        set_barrier(what, 3);
        if (!set_offsets(what, 4)) return false;
        set_ranks(what, o, 5);
    } else {
        if (!set_tensor(what, 0)) return false;
        what.from = lane_place_of(operand(2), state_space::shared);
    }
    if (what.coordinates.size() != coordinates_of(o)) return false;
    emit_bulk(to_shared ? copy_box_to_shared : copy_box_to_global, std::move(what));
    return true;
}

/// st.async, red.async
bool function_lowering::lower_asynchronous_store(const ptx::operation& o) {
    bulk_copy what;
    what.to = lane_place_of(operand(0), state_space::shared);
    const unsigned width = ptx::width_of(o.first_type());
    for (const ptx::operand* e : elements_of(operand(1))) what.values.push_back(source(*e, width));
    what.element_bytes = width / 8;
    if (o.op == opcode::red_async) {
        what.update = element_update_of(o.reduce, o.first_type());
        if (what.update == nullptr) return false;
    }
    set_barrier(what, 2);
    emit_bulk(store_asynchronously, std::move(what));
    return true;
}

void function_lowering::lower_tensor_map_replacement(const ptx::operation& o) {
    const bool has_dimension =
        o.variant == ptx::mode::map_box || o.variant == ptx::mode::map_size ||
        o.variant == ptx::mode::map_stride || o.variant == ptx::mode::map_step;
    const unsigned width = ptx::width_of(o.first_type());
    const operand_ref value = source(operand(has_dimension ? 2 : 1), width);
    const auto dimension = static_cast<operand_ref>(has_dimension ? operand(1).value : 0);
    const memory_place p = place_of(operand(0), o);
    operation& op = emit(replace_tensor_map_field);
    set_place(op, p);
    op.source[1] = value;
    op.list = list_of({static_cast<operand_ref>(o.variant), dimension, width});
}

bool function_lowering::lower_bulk(const ptx::operation& o) {
    bulk_copy what;
    switch (o.op) {
        case opcode::cp_async_bulk:
        case opcode::cp_reduce_async_bulk:
            return lower_bulk_copy(o);
        case opcode::cp_async_bulk_tensor:
        case opcode::cp_reduce_async_bulk_tensor:
            return lower_tensor_copy(o);
        case opcode::cp_async_bulk_prefetch:
            what.from = lane_place_of(operand(0), o.space);
            what.bytes = source(operand(1), 32);
            emit_bulk(prefetch_bulk, std::move(what));
            return true;
        case opcode::cp_async_bulk_prefetch_tensor:
            what.gathers = o.has(ptx::flag::gathers);
            what.mode = mode_of(o);
            if (!set_tensor(what, 0) || what.coordinates.size() != coordinates_of(o)) return false;
            if (!set_offsets(what, 2)) return false;
            emit_bulk(prefetch_box, std::move(what));
            return true;
        case opcode::prefetch_tensormap:
            // Maps in parameters and constants: only copies ask for them.
            if (o.space != state_space::generic) {
                emit(nothing);
                return true;
            }
            what.map = lane_place_of(operand(0), o.space);
            emit_bulk(prefetch_map, std::move(what));
            return true;
        case opcode::tensormap_cp_fenceproxy:
            what.to = lane_place_of(operand(0), o.space);
            what.from = lane_place_of(operand(1), o.source_space);
            what.bytes = constant(static_cast<std::uint64_t>(operand(2).value), 32);
            what.is_generic = true;
            emit_bulk(copy_bulk, std::move(what));
            return true;
        case opcode::tensormap_replace:
            lower_tensor_map_replacement(o);
            return true;
        case opcode::clusterlaunchcontrol_try_cancel:
            what.to =
                lane_place_of(operand(0), o.space == state_space::shared ? state_space::shared
                                                                         : state_space::generic);
            set_barrier(what, 1);
            what.to_all = o.has(ptx::flag::to_all_ctas);
            emit_bulk(cancel_launch, std::move(what));
            return true;
        case opcode::st_bulk:
            what.to = lane_place_of(operand(0), o.space);
            what.bytes = source(operand(1), 64);
            if (operand(2).value != 0) return false;
            emit_bulk(clear_bulk, std::move(what));
            return true;
        case opcode::red_async:
        case opcode::st_async:
            return lower_asynchronous_store(o);
        default:
            return false;
    }
}

}  // namespace simtlm::execution
