// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/cuda/abi/abi.h"

namespace simtlm::cuda {

/// Returns an undocumented table of driver functions, as requested by cuGetExportTable. The first
/// word of most tables is their length in bytes. The tables used by NVIDIA's runtime 11 to 13 and
/// the libraries on top of it (cuBLAS and others) are implemented. Slots of unknown meaning print
/// one line and return CUDA_ERROR_NOT_SUPPORTED.
/// @return nullptr for an unknown table
const void* export_table(const uuid& which);

}  // namespace simtlm::cuda
