// SPDX-License-Identifier: Apache-2.0
// Loads, stores, atomics, hints, and the stack.
#include "modules/execution/operations/atomic.h"
#include "modules/execution/operations/checks.h"
#include "modules/execution/operations/moves.h"
#include "modules/execution/operations/prefetch.h"
#include "modules/execution/ptx/control.h"
#include "modules/execution/ptx/function_lowering.h"
#include "modules/execution/ptx/stack.h"
#include "modules/support/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::execution {

using ptx::opcode;
using ptx::state_space;

space function_lowering::space_of(const ptx::operation& o) const {
    switch (o.space) {
        case state_space::shared:
            return space::shared;
        case state_space::local:
            return space::local;
        case state_space::param:
            // A device function's parameters are in its frame.
            return f_.entry && o.window != ptx::space_window::func ? space::param : space::local;
        case state_space::global:
        case state_space::const_:
        case state_space::tex:
            return space::global;
        default:
            return space::generic;
    }
}

/// Location of an address operand. The space is that of the instruction or, for a generic address
/// of a variable, that of the variable.
function_lowering::memory_place function_lowering::place_of(const ptx::operand& address,
                                                            const ptx::operation& o) {
    memory_place p;
    space s = space_of(o);
    p.immediate = address.value;
    if (address.kind == operand_kind::address_register) {
        p.source = image_.registers[address.index];
        if (register_width(address.index) > 32) p.detail |= access_detail::wide_address;
    } else if (address.kind == operand_kind::address_variable) {
        const ptx::variable& v = m_.variables[address.index];
        const auto offset = static_cast<std::int64_t>(module_.address_of(address.index));
        p.immediate += offset;
        const bool of_entry = f_.entry && v.parameter;
        if (v.space == state_space::param && of_entry) {
            s = space::param;
            p.kernel_parameter = true;
        } else if (v.space == state_space::param || v.space == state_space::local) {
            s = space::local;
            if (v.owner != ptx::no_index) p.detail |= access_detail::frame_relative;
        } else if (v.space == state_space::shared) {
            s = space::shared;
            if (module_.is_dynamic_shared(address.index)) {
                p.source = operand_ref_in(bank::block, block_layout::dynamic_shared);
                p.immediate = address.value;
            }
        } else {
            s = space::global;
            if (module_.address_of(address.index) == 0)
                throw support::user_error(m_.where(now_->where),
                                          "variable " + v.name + " is declared but not defined");
        }
    }
    p.detail |= static_cast<std::uint16_t>(static_cast<unsigned>(s) << access_detail::space_shift);
    if (o.space == state_space::const_) p.detail |= access_detail::read_only;
    return p;
}

/// A constant address must be in the kernel's parameters, because it is not checked at run time.
void function_lowering::check_parameter_place(const memory_place& p, std::size_t bytes) const {
    if (!p.kernel_parameter) return;
    std::uint64_t size = 0;
    for (const ptx::parameter& each : f_.parameters)
        size = std::max(size, module_.address_of(each.index) + m_.variables[each.index].size);
    const auto offset = static_cast<std::uint64_t>(p.immediate);
    if (p.immediate < 0 || offset > size || bytes > size - offset)
        throw support::user_error(
            m_.where(now_->where),
            fmt::format("{} bytes at offset {} of the kernel's parameters, which have {} bytes",
                        bytes, p.immediate, size),
            "the offset in the address is too large");
}

void function_lowering::set_place(operation& op, const memory_place& p) const {
    op.source[0] = p.source;
    op.immediate = p.immediate;
    op.detail |= p.detail;
}

bool function_lowering::lower_memory(const ptx::operation& o) {
    switch (o.op) {
        case opcode::ld:
        case opcode::ldu:
            lower_load(o);
            return true;
        case opcode::st:
            lower_store(o);
            return true;
        case opcode::atom:
        case opcode::red:
            return lower_atomic(o);
        case opcode::membar:
        case opcode::fence:
            if (module_.checks().races) emit(note_fence, false);
            emit(nothing);
            return true;
        case opcode::prefetch:
        case opcode::prefetchu: {
            const memory_place p = place_of(operand(0), o);
            set_place(emit(prefetch_words), p);
            return true;
        }
        case opcode::applypriority:
        case opcode::discard:
        case opcode::fence_proxy:
            if (o.op == opcode::fence_proxy && module_.checks().races)
                emit(note_proxy_fence, false);
            // Effects of one thread are visible to others in program order, so nothing else is
            // required.
            emit(nothing);
            return true;
        case opcode::createpolicy: {
            const operand_ref to = destination(operand(0), 64, false);
            operation& op = emit(extension_handler(64, 64, false));
            op.destination = to;
            op.source[0] = constant(0, 64);
            return true;
        }
        case opcode::alloca_:
        case opcode::stacksave:
        case opcode::stackrestore:
            lower_stack(o);
            return true;
        default:
            return false;
    }
}

namespace {
bool is_signed(ptx::type t) {
    return ptx::class_of(t) == ptx::type_class::signed_integer;
}
}  // namespace

void function_lowering::lower_load(const ptx::operation& o) {
    const unsigned width = std::max(ptx::width_of(o.first_type()), 8u);
    const auto to = elements_of(operand(0));
    element_format format;
    format.memory_bytes = std::min(width, 64u) / 8;
    format.register_bytes = width > 32 ? 8 : 4;
    format.sign_extends = is_signed(o.first_type());
    for (const ptx::operand* e : to)
        if (e->kind == operand_kind::reg && register_width(e->index) > 32)
            format.register_bytes = 8;
    std::vector<operand_ref> refs;
    for (const ptx::operand* e : to) {
        operand_ref s = destination(*e, format.register_bytes * 8, false);
        if (width == 128 && e->kind != operand_kind::reg) s = temporary(64), temporary(64);
        refs.push_back(s);
        if (width == 128) refs.push_back(joined_high(s));
    }
    const memory_place p = place_of(operand(1), o);
    check_parameter_place(p, refs.size() * format.memory_bytes);
    emit_access_check(o, p, format.memory_bytes, refs);
    operation& op =
        emit(p.kernel_parameter ? handlers_.parameter_load(format) : handlers_.load(format));
    op.detail = static_cast<std::uint16_t>(refs.size());
    set_place(op, p);
    op.list = list_of(refs);
}

void function_lowering::lower_store(const ptx::operation& o) {
    const unsigned width = std::max(ptx::width_of(o.first_type()), 8u);
    const auto from = elements_of(operand(1));
    element_format format;
    format.memory_bytes = std::min(width, 64u) / 8;
    format.register_bytes = width > 32 ? 8 : 4;
    std::vector<operand_ref> refs;
    for (const ptx::operand* e : from) {
        const operand_ref s = source(*e, std::min(width, 64u));
        refs.push_back(s);
        if (width == 128) refs.push_back(joined_high(s));
    }
    const memory_place p = place_of(operand(0), o);
    if (p.kernel_parameter)
        throw support::user_error(m_.where(now_->where), "a kernel's parameters cannot be written");
    emit_access_check(o, p, format.memory_bytes, refs);
    operation& op = emit(handlers_.store(format));
    op.detail = static_cast<std::uint16_t>(refs.size());
    set_place(op, p);
    op.list = list_of(refs);
}

bool function_lowering::lower_atomic(const ptx::operation& o) {
    const bool returns = o.op == opcode::atom;
    const unsigned width = ptx::width_of(o.first_type());
    if (o.vector > 1) return lower_vector_atomic(o);
    const handler h = atomic_handler(o.reduce, o.first_type(), o.space == state_space::shared);
    if (h == nullptr) return false;
    const unsigned at = returns ? 1 : 0;
    const unsigned lanes = std::min(width, 64u);
    const operand_ref b = source(operand(at + 1), lanes);
    operand_ref c = no_operand;
    if (o.reduce == ptx::reduction::cas) c = source(operand(at + 2), lanes);
    operand_ref to = no_operand;
    if (returns && operand(0).kind == operand_kind::reg) to = destination(operand(0), lanes, false);
    const memory_place p = place_of(operand(at), o);
    emit_access_check(o, p, width / 8, {b});
    operation& op = emit(h);
    op.detail = 1;
    if (o.visible_to == ptx::scope::sys) op.detail |= access_detail::of_the_system;
    set_place(op, p);
    op.destination = to;
    op.source[1] = b;
    op.source[2] = c;
    return true;
}

bool function_lowering::lower_vector_atomic(const ptx::operation& o) {
    const bool returns = o.op == opcode::atom;
    const unsigned width = ptx::width_of(o.first_type());
    const handler h = vector_atomic_handler(o.reduce, o.first_type());
    if (h == nullptr) return false;
    const unsigned at = returns ? 1 : 0;
    std::vector<operand_ref> refs;
    for (const ptx::operand* e : elements_of(operand(at + 1))) refs.push_back(source(*e, width));
    const auto count = static_cast<std::uint16_t>(refs.size());
    if (count != o.vector || count > max_elements) return false;
    const memory_place p = place_of(operand(at), o);
    emit_access_check(o, p, width / 8, refs);
    if (returns && operand(0).kind == operand_kind::vector)
        for (const ptx::operand* e : elements_of(operand(0)))
            refs.push_back(e->kind == operand_kind::sink ? no_operand
                                                         : destination(*e, width, false));
    refs.resize(std::size_t{count} * 2, no_operand);
    operation& op = emit(h);
    op.detail = count;
    if (o.visible_to == ptx::scope::sys) op.detail |= access_detail::of_the_system;
    set_place(op, p);
    op.list = list_of(refs);
    return true;
}

void function_lowering::lower_stack(const ptx::operation& o) {
    const unsigned width = ptx::width_of(o.first_type());
    if (o.op == opcode::stackrestore) {
        const operand_ref from = source(operand(0), width);
        operation& op = emit(stack_restore);
        op.source[0] = from;
        op.detail = static_cast<std::uint16_t>(width);
        return;
    }
    image_.uses_alloca = true;
    const operand_ref bytes = o.op == opcode::alloca_ ? source(operand(1), width) : no_operand;
    const operand_ref to = destination(operand(0), width, false);
    operation& op = emit(o.op == opcode::alloca_ ? stack_allocate : stack_save);
    op.destination = to;
    op.source[0] = bytes;
    op.detail = static_cast<std::uint16_t>(width);
    op.immediate = o.op == opcode::alloca_ && has_operand(2) ? operand(2).value : 8;
}

}  // namespace simtlm::execution
