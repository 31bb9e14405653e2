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
    /// Of an instruction that computes every lane for itself; none: it is not one of these.
    choice (*elementwise)(const ptx::operation& o);
    /// source[0]: address lanes or no_slot; immediate: added to them; detail: access_detail; list:
    /// registers, one per element.
    handler (*load)(const element_format& f);
    handler (*store)(const element_format& f);
    /// Of a kernel's parameter at a known place. immediate: offset; list, detail: as above.
    handler (*parameter_load)(const element_format& f);
    /// Before an access, which is the next operation. source[0], immediate, detail: as there;
    /// source[1]: access_flags; source[2]: bytes of an element; list: registers that are stored
    handler check_access;
    /// tex, tld4. immediate: a texture_description
    handler fetch_texture;
    const machine_lane_operations* machine;  ///< of machine code
};

/// Those that suit the processor this program runs on.
const operation_table& operations_of_host();

}  // namespace simtlm::execution
