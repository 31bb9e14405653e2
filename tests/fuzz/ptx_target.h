// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/control_flow.h"
#include "modules/ptx/parser.h"
#include "modules/ptx/resources.h"
#include "modules/support/error.h"

#include <cstdlib>
#include <string>
#include <string_view>

namespace simtlm::test {

/// Traverses a module like its users and checks that every index is valid.
class ptx_walk {
public:
    explicit ptx_walk(const ptx::module& m) : m_(m) {}

    bool consistent() {
        for (const ptx::function& f : m_.functions) check(f);
        for (const ptx::variable& v : m_.variables) check(v);
        return good_;
    }

private:
    void demand(bool condition) { good_ = good_ && condition; }

    void check(const ptx::variable& v) {
        demand(v.unsized || v.data.bytes.size() <= v.size);
        for (const ptx::relocation& r : v.data.relocations) {
            demand(r.symbol < (r.function ? m_.functions.size() : m_.variables.size()));
            demand(r.offset + r.size <= v.data.bytes.size());
        }
    }

    void check(const ptx::function& f) {
        for (const ptx::instruction& i : f.code) check(f, i);
        for (const auto& list : f.branch_targets) {
            for (const std::uint32_t target : list.targets) demand(target < f.code.size());
        }
        const ptx::control_flow flow = ptx::analyse_control_flow(m_, f);
        demand(flow.reconvergence.size() == f.code.size());
        if (f.entry && f.defined) demand(ptx::estimate_resources(m_, f).registers < (1U << 24));
    }

    void check(const ptx::function& f, const ptx::instruction& i) {
        demand(i.operation < m_.operations.size());
        demand(i.first_operand + i.operand_count <= f.operands.size());
        demand(i.guard == ptx::no_index || i.guard < f.registers.size());
        demand(i.result_count <= i.operand_count);
        for (unsigned n = 0; n < i.operand_count; ++n) check(f, f.operand_of(i, n));
        if (good_) demand(!m_.text_of(f, i).empty());
    }

    void check(const ptx::function& f, const ptx::operand& o) {
        using kind = ptx::operand_kind;
        if (o.kind == kind::reg || o.kind == kind::address_register)
            demand(o.index < f.registers.size());
        if (o.kind == kind::variable || o.kind == kind::address_variable) {
            demand(o.index < m_.variables.size());
        }
        if (o.kind == kind::label) demand(o.index < f.code.size());
        if (o.kind == kind::function) demand(o.index < m_.functions.size());
        if (o.kind != kind::vector) return;
        demand(std::size_t{o.index} + o.count <= f.elements.size());
        for (unsigned n = 0; good_ && n < o.count; ++n) check(f, f.element_of(o, n));
    }

    const ptx::module& m_;
    bool good_ = true;
};

/// Parses arbitrary bytes: the result is a consistent module, or a user_error with a location.
/// @param read  set if the text was accepted
/// @returns false on a violation
inline bool ptx_holds(std::string_view text, bool& read) {
    read = false;
    try {
        const ptx::module m = ptx::parse(text, "fuzz.ptx");
        read = true;
        return ptx_walk(m).consistent();
    } catch (const support::user_error& e) {
        return e.where().compare(0, 9, "fuzz.ptx:") == 0;
    }
}

}  // namespace simtlm::test
