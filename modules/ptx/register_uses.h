// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/module.h"

namespace simtlm::ptx {

/// Calls `act` with the number of each register in an operand of a function.
template <class Action>
void for_registers(const function& f, const operand& o, const Action& act) {
    if (o.kind == operand_kind::reg || o.kind == operand_kind::address_register) act(o.index);
    if (o.kind != operand_kind::vector) return;
    for (unsigned n = 0; n < o.count; ++n) for_registers(f, f.element_of(o, n), act);
}

/// Calls `act` with the number of each register that an instruction reads.
template <class Action>
void for_reads(const function& f, const instruction& i, const Action& act) {
    if (i.guard != no_index) act(i.guard);
    for (unsigned n = 0; n < i.operand_count; ++n) {
        const operand& o = f.operand_of(i, n);
        if (n >= i.result_count || o.kind == operand_kind::address_register)
            for_registers(f, o, act);
    }
}

/// Calls `act` with the number of each register that an instruction writes.
template <class Action>
void for_writes(const function& f, const instruction& i, const Action& act) {
    for (unsigned n = 0; n < i.result_count; ++n)
        if (f.operand_of(i, n).kind != operand_kind::address_register)
            for_registers(f, f.operand_of(i, n), act);
}

}  // namespace simtlm::ptx
