// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm::device {

class loaded_module;

/// The architecture of a module's PTX, 75 for compute_75; of machine code, of the PTX that it was
/// compiled from. CUB chooses by it between what it was compiled for.
unsigned ptx_architecture(const loaded_module& m);

}  // namespace simtlm::device
