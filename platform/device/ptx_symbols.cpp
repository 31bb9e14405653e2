// SPDX-License-Identifier: Apache-2.0
#include "platform/device/ptx_symbols.h"

#include "modules/execution/operations/runtime.h"
#include "modules/ptx/parser.h"

#include <algorithm>

namespace simtlm::device {

namespace {

/// Functions that the system or the device runtime provides.
bool is_provided(const std::string& function) {
    return function.rfind("cuda", 0) == 0 || function.rfind("__cuda", 0) == 0 ||
           execution::runtime_function(function) != nullptr;
}

void add(std::vector<std::string>& to, const std::string& name) {
    if (std::find(to.begin(), to.end(), name) == to.end()) to.push_back(name);
}

/// Adds the name of what an operand refers to, if it is not defined.
void check(const ptx::module& m, const ptx::operand& o, std::vector<std::string>& undefined) {
    using kind = ptx::operand_kind;
    if (o.kind == kind::function) {
        const ptx::function& f = m.functions[o.index];
        if (!f.defined && f.alias_of == ptx::no_index && !is_provided(f.name))
            add(undefined, f.name);
    } else if (o.kind == kind::variable || o.kind == kind::address_variable) {
        const ptx::variable& v = m.variables[o.index];
        if (v.link == ptx::linkage::external && v.space != ptx::state_space::shared)
            add(undefined, v.name);
    }
}

}  // namespace

ptx_symbols symbols_of_ptx(const std::string& text, const std::string& name) {
    const ptx::module m = ptx::parse(text, name);
    ptx_symbols symbols;
    for (const ptx::function& f : m.functions) {
        if (f.defined && (f.entry || f.link == ptx::linkage::visible))
            add(symbols.definitions, f.name);
        for (const ptx::operand& o : f.operands) check(m, o, symbols.undefined);
        for (const ptx::operand& o : f.elements) check(m, o, symbols.undefined);
    }
    for (const ptx::variable& v : m.variables)
        if (v.owner == ptx::no_index && v.link == ptx::linkage::visible)
            add(symbols.definitions, v.name);
    return symbols;
}

}  // namespace simtlm::device
