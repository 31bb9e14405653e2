// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/machine/lowering_table.h"

namespace simtlm::execution {

namespace {

constexpr lowering_function functions[] = {
    lower_refused,  // isa::opcode::unknown
#define SIMTLM_OPCODE(name, units, scheduling, lowering) lower_##lowering,
#include "modules/isa/opcodes.def"
};

}  // namespace

lowering_function lowering_of(isa::opcode o) {
    return functions[static_cast<std::size_t>(o)];
}

bool lower_refused(machine_lowering&) {
    return false;
}

}  // namespace simtlm::execution
