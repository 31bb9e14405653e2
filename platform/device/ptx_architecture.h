// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm::device {

class loaded_module;

/// PTX architecture of a module, 75 for compute_75; for machine code, the PTX it was compiled from.
/// CUB selects among its compiled variants by it.
unsigned ptx_architecture(const loaded_module& m);

}  // namespace simtlm::device
