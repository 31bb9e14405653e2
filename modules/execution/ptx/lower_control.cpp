// SPDX-License-Identifier: Apache-2.0
// Branches, calls, returns.
#include "modules/execution/operations/runtime.h"
#include "modules/execution/ptx/control.h"
#include "modules/execution/ptx/function_lowering.h"
#include "modules/support/error.h"

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
            emit(return_from_function).immediate = index_;
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
        case opcode::nanosleep: {
            const operand_ref time = source(operand(0), 32);
            emit(give_way).source[0] = time;
            return true;
        }
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
    const operand_ref chosen = source(operand(0), 32);
    const auto& targets = f_.branch_targets[operand(1).index].targets;
    const auto at = static_cast<std::uint32_t>(module_.code().size());
    operand_ref* const list = module_.new_list(targets.size());
    operation& op = emit(indexed_branch);
    op.source[0] = chosen;
    op.immediate = static_cast<std::int64_t>(targets.size());
    op.list = list;
    lists_.push_back({list, targets});
    if (flow_.reconvergence[index] != ptx::no_index)
        labels_.push_back({at, true, flow_.reconvergence[index]});
}

/// Determines how the actual arguments or results of a call are copied.
void function_lowering::pass_values(std::vector<argument_copy>& copies, const ptx::operand& given,
                                    const std::vector<ptx::prototype::item>& formal, bool results) {
    if (given.kind == operand_kind::none) return;
    const auto elements = elements_of(given);
    const passed_layout layout = module_.layout_of(formal);
    for (std::size_t i = 0; i < elements.size() && i < formal.size(); ++i) {
        const ptx::operand& o = *elements[i];
        if (o.kind == operand_kind::sink) continue;
        argument_copy c;
        c.passed = layout.offsets[i];
        c.bytes = layout.sizes[i];
        if (o.kind == operand_kind::variable) {
            // Of a variable number of arguments, this call has as many as the variable holds.
            if (formal[i].size == 0)
                c.bytes = static_cast<std::uint32_t>(m_.variables[o.index].size);
            c.at = static_cast<std::uint32_t>(module_.address_of(o.index) +
                                              static_cast<std::uint64_t>(o.value));
        } else {
            c.in_register = true;
            const unsigned width = o.kind == operand_kind::reg         ? register_width(o.index)
                                   : formal[i].type == ptx::type::pred ? 1
                                   : c.bytes > 4                       ? 64
                                                                       : 32;
            c.at = results ? image_.registers[o.index] : source(o, width);
            c.register_bytes = width == 1 ? 4 : width <= 32 ? 128 : width <= 64 ? 256 : 512;
        }
        copies.push_back(c);
    }
}

/// The parameters or results of the functions that an indirect call may reach, or nullptr.
const ptx::function* function_lowering::any_target(const ptx::operand& table) const {
    if (table.kind == operand_kind::call_targets)
        return &m_.functions[module_.resolved(f_.call_targets[table.index].functions[0])];
    if (table.kind == operand_kind::variable)
        for (const ptx::relocation& r : m_.variables[table.index].data.relocations)
            if (r.function) return &m_.functions[module_.resolved(r.symbol)];
    return nullptr;
}

void function_lowering::lower_call() {
    const ptx::operand& target = operand(1);
    const ptx::operand& given_results = operand(0);
    const ptx::operand none;
    const ptx::operand& given = has_operand(2) ? operand(2) : none;
    const auto pass = [&](const std::vector<ptx::prototype::item>& parameters,
                          const std::vector<ptx::prototype::item>& results) {
        call_site site;
        pass_values(site.arguments, given, parameters, false);
        pass_values(site.results, given_results, results, true);
        module_.call_sites().push_back(std::move(site));
        return static_cast<std::int64_t>(module_.call_sites().size() - 1);
    };
    const auto pass_to = [&](const ptx::function& callee) {
        return pass(m_.items_of(callee, callee.parameters), m_.items_of(callee, callee.results));
    };
    if (target.kind == operand_kind::function) {
        const std::uint32_t f = module_.resolved(target.index);
        const ptx::function& callee = m_.functions[f];
        if (!callee.defined) {
            if (!lower_built_in(callee.name, f)) emit(call_undefined).immediate = f;
            return;
        }
        const std::int64_t site = pass_to(callee);
        const auto at = static_cast<std::uint32_t>(module_.code().size());
        operation& op = emit(call);
        op.immediate = site;
        op.source[1] = f;
        module_.call_needs_target(at, f);
        return;
    }
    image_.calls_unknown = true;
    const unsigned width = target.kind == operand_kind::reg ? register_width(target.index) : 64;
    const operand_ref address = source(target, width);
    const ptx::operand& table = has_operand(3) ? operand(3) : none;
    std::int64_t site = 0;
    if (table.kind == operand_kind::prototype) {
        const ptx::prototype& p = f_.prototypes[table.index];
        site = pass(p.parameters, p.results);
    } else if (const ptx::function* const like = any_target(table); like != nullptr) {
        site = pass_to(*like);
    } else {
        site = pass({}, {});
    }
    operation& op = emit(call_pointer);
    op.source[0] = address;
    op.detail = static_cast<std::uint16_t>(width / 8);
    op.immediate = site;
}

/// Calls of functions of the device runtime.
bool function_lowering::lower_built_in(const std::string& name, std::uint32_t function) {
    const handler h = runtime_function(name);
    if (h == nullptr) return false;
    const ptx::function& callee = m_.functions[function];
    // List: position of every argument in the caller's frame and its bytes, then of the result.
    std::vector<operand_ref> list;
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
            list.push_back(in_memory ? static_cast<operand_ref>(module_.address_of(o.index))
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
