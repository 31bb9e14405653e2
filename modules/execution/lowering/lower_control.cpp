// SPDX-License-Identifier: Apache-2.0
// Branches, calls, returns.
#include "modules/execution/lowering/function_lowering.h"
#include "modules/execution/operations/control.h"
#include "modules/execution/operations/runtime.h"
#include "modules/kernel/error.h"

#include <algorithm>

namespace simtlm::execution {

using ptx::opcode;

bool function_lowering::lower_control(const ptx::operation& o) {
    switch (o.op) {
        case opcode::bra:
            lower_branch();
            return true;
        case opcode::brx_idx:
            lower_indexed_branch();
            return true;
        case opcode::call:
            lower_call();
            return true;
        case opcode::ret:
            emit(return_from_function);
            return true;
        case opcode::exit:
            emit(exit_thread);
            return true;
        case opcode::trap:
            emit(trap);
            return true;
        case opcode::brkpt:
        case opcode::nop:
        case opcode::pmevent:
            emit(nothing);
            return true;
        case opcode::nanosleep:
            emit(give_way);
            return true;
        default:
            return false;
    }
}

void function_lowering::lower_branch() {
    const auto index = static_cast<std::uint32_t>(now_ - f_.code.data());
    const auto at = static_cast<std::uint32_t>(module_.code().size());
    emit(branch);
    labels_.push_back({at, false, operand(0).index});
    if (flow_.reconvergence[index] != ptx::no_index)
        labels_.push_back({at, true, flow_.reconvergence[index]});
}

void function_lowering::lower_indexed_branch() {
    const auto index = static_cast<std::uint32_t>(now_ - f_.code.data());
    const slot chosen = source(operand(0), 32);
    const auto& targets = f_.branch_targets[operand(1).index].targets;
    const auto at = static_cast<std::uint32_t>(module_.code().size());
    slot* const list = module_.new_list(targets.size());
    operation& op = emit(indexed_branch);
    op.source[0] = chosen;
    op.immediate = static_cast<std::int64_t>(targets.size());
    op.list = list;
    lists_.push_back({list, targets});
    if (flow_.reconvergence[index] != ptx::no_index)
        labels_.push_back({at, true, flow_.reconvergence[index]});
}

/// Determines the copies from actual arguments to formal parameters, or of results.
void function_lowering::pass_arguments(call_site& site, const ptx::operand& given,
                                       const std::vector<ptx::parameter>& formal, bool results) {
    if (given.kind == operand_kind::none) return;
    const auto elements = elements_of(given);
    for (std::size_t i = 0; i < elements.size() && i < formal.size(); ++i) {
        const ptx::operand& o = *elements[i];
        if (o.kind == operand_kind::sink) continue;
        argument_copy c;
        std::uint32_t theirs = 0;
        const ptx::parameter& p = formal[i];
        const function_image& callee = module_.functions()[module_.resolved(operand(1).index)];
        if (p.in_register) {
            c.callee_in_register = true;
            theirs = callee.registers.empty() ? 0 : callee.registers[p.index];
        } else {
            theirs = static_cast<std::uint32_t>(module_.address_of(p.index));
            c.bytes = static_cast<std::uint32_t>(m_.variables[p.index].size);
        }
        std::uint32_t ours = 0;
        if (o.kind == operand_kind::variable) {
            ours = static_cast<std::uint32_t>(module_.address_of(o.index) +
                                              static_cast<std::uint64_t>(o.value));
        } else {
            c.caller_in_register = true;
            const unsigned width = o.kind == operand_kind::reg ? register_width(o.index)
                                   : c.bytes > 4               ? 64u
                                                               : 32u;
            ours = results ? image_.registers[o.index] : source(o, width);
            c.register_bytes = width == 1 ? 4 : width <= 32 ? 128 : 256;
        }
        c.from = results ? theirs : ours;
        c.to = results ? ours : theirs;
        if (c.callee_in_register) {
            const auto& f = m_.functions[module_.resolved(operand(1).index)];
            const ptx::type t = f.registers.empty() ? ptx::type::b32 : f.registers[p.index];
            c.register_bytes = t == ptx::type::pred ? 4 : ptx::width_of(t) <= 32 ? 128 : 256;
            if (c.bytes == 0) c.bytes = std::max(1u, ptx::width_of(t) / 8);
        }
        (results ? site.results : site.arguments).push_back(c);
    }
}

void function_lowering::pass_by_prototype(call_site& site, const ptx::operand& given,
                                          const std::vector<ptx::prototype::item>& formal,
                                          std::uint32_t& offset, bool results) {
    const auto elements =
        given.kind == operand_kind::none ? std::vector<const ptx::operand*>{} : elements_of(given);
    for (std::size_t i = 0; i < formal.size(); ++i) {
        const ptx::prototype::item& p = formal[i];
        const auto bytes =
            static_cast<std::uint32_t>(p.size != 0 ? p.size : std::max(1u, ptx::bytes_of(p.type)));
        const std::uint32_t alignment =
            std::max({p.alignment, p.array ? 1u : ptx::bytes_of(p.type), 4u});
        offset = (offset + alignment - 1) / alignment * alignment;
        if (i < elements.size() && elements[i]->kind != operand_kind::sink) {
            const ptx::operand& o = *elements[i];
            argument_copy c;
            c.bytes = bytes;
            std::uint32_t ours = 0;
            if (o.kind == operand_kind::variable) {
                ours = static_cast<std::uint32_t>(module_.address_of(o.index) +
                                                  static_cast<std::uint64_t>(o.value));
            } else {
                c.caller_in_register = true;
                c.register_bytes = bytes > 4 ? 256 : 128;
                ours = results ? image_.registers[o.index] : source(o, bytes > 4 ? 64 : 32);
            }
            c.from = results ? offset : ours;
            c.to = results ? ours : offset;
            (results ? site.results : site.arguments).push_back(c);
        }
        offset += bytes;
    }
}

void function_lowering::lower_call() {
    const ptx::operand& target = operand(1);
    const ptx::operand& given_results = operand(0);
    const ptx::operand none;
    const ptx::operand& given = has_operand(2) ? operand(2) : none;
    if (target.kind == operand_kind::function) {
        const std::uint32_t f = module_.resolved(target.index);
        const ptx::function& callee = m_.functions[f];
        if (!callee.defined) {
            if (!lower_built_in(callee.name, f)) emit(call_undefined).immediate = f;
            return;
        }
        call_site site;
        pass_arguments(site, given, callee.parameters, false);
        pass_arguments(site, given_results, callee.results, true);
        const auto at = static_cast<std::uint32_t>(module_.code().size());
        operation& op = emit(call);
        op.immediate = static_cast<std::int64_t>(module_.call_sites().size());
        op.source[1] = f;
        module_.call_sites().push_back(std::move(site));
        module_.call_needs_target(at, f);
        return;
    }
    image_.calls_unknown = true;
    const unsigned width = target.kind == operand_kind::reg ? register_width(target.index) : 64;
    const slot address = source(target, width);
    call_site site;
    if (has_operand(3) && operand(3).kind == operand_kind::prototype) {
        const ptx::prototype& p = f_.prototypes[operand(3).index];
        std::uint32_t offset = 0;
        pass_by_prototype(site, given, p.parameters, offset, false);
        pass_by_prototype(site, given_results, p.results, offset, true);
    } else if (has_operand(3) && operand(3).kind == operand_kind::call_targets) {
        const auto& targets = f_.call_targets[operand(3).index].functions;
        if (!targets.empty()) {
            const ptx::function& like = m_.functions[module_.resolved(targets[0])];
            pass_arguments(site, given, like.parameters, false);
            pass_arguments(site, given_results, like.results, true);
        }
    }
    operation& op = emit(call_pointer);
    op.source[0] = address;
    op.detail = static_cast<std::uint16_t>(width / 8);
    op.immediate = static_cast<std::int64_t>(module_.call_sites().size());
    module_.call_sites().push_back(std::move(site));
}

/// Calls of functions of the device runtime.
bool function_lowering::lower_built_in(const std::string& name, std::uint32_t function) {
    const handler h = runtime_function(name);
    if (h == nullptr) return false;
    const ptx::function& callee = m_.functions[function];
    // List: position of every argument in the caller's frame and its bytes, then of the result.
    std::vector<slot> list;
    const auto add = [&](const ptx::operand& given, const std::vector<ptx::parameter>& formal) {
        const auto elements = given.kind == operand_kind::none ? std::vector<const ptx::operand*>{}
                                                               : elements_of(given);
        for (std::size_t i = 0; i < elements.size(); ++i) {
            const ptx::operand& o = *elements[i];
            const bool in_memory = o.kind == operand_kind::variable;
            std::uint32_t bytes = 8;
            if (i < formal.size() && !formal[i].in_register)
                bytes = static_cast<std::uint32_t>(m_.variables[formal[i].index].size);
            else if (o.kind == operand_kind::reg)
                bytes = register_width(o.index) > 32 ? 8 : 4;
            list.push_back(in_memory ? 1 : 0);
            list.push_back(in_memory ? static_cast<slot>(module_.address_of(o.index))
                           : o.kind == operand_kind::sink ? temporary(64)
                                                          : source(o, bytes > 4 ? 64 : 32));
            list.push_back(bytes);
        }
        return elements.size();
    };
    const ptx::operand none;
    const std::size_t arguments = add(has_operand(2) ? operand(2) : none, callee.parameters);
    const std::size_t results = add(has_operand(0) ? operand(0) : none, callee.results);
    operation& op = emit(h);
    op.list = list_of(list);
    op.detail = static_cast<std::uint16_t>(arguments);
    op.immediate = static_cast<std::int64_t>(results);
    return true;
}

}  // namespace simtlm::execution
