// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/operations/choice.h"

namespace simtlm::ptx {
struct operation;
}

namespace simtlm::execution {

struct machine_lane_operations;

/// The handlers compiled for one instruction set of the host.
struct operation_table {
    /// Handler of a lane-wise instruction; empty for others.
    choice (*elementwise)(const ptx::operation& o);
    /// source[0]: addresses or no_operand; immediate: offset; detail: access_detail; list:
    /// registers, one per element.
    handler (*load)(const element_format& f);
    handler (*store)(const element_format& f);
    /// Load of a kernel parameter at a known offset. immediate: offset; list, detail: as above.
    handler (*parameter_load)(const element_format& f);
    /// Precedes an access, which is the next operation. source[0], immediate, detail: as for the
    /// access; source[1]: access_flags; source[2]: bytes of an element; list: registers to be
    /// stored
    handler check_access;
    /// tex, tld4. immediate: a texture_description
    handler fetch_texture;
    const machine_lane_operations* machine;  ///< of machine code
};

/// The handlers for the processor on which this program runs.
const operation_table& operations_of_host();

}  // namespace simtlm::execution
