// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm::isa {

/// The built-in tables, in the syntax described at opcode_tables.
extern const char builtin_opcode_data[];

}  // namespace simtlm::isa
