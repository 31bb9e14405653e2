// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/cuda/abi.h"

namespace simtlm::cuda {

/// A table of functions of the driver that is in no header, as cuGetExportTable hands it out. The
/// first word of most is their length in bytes. What NVIDIA's runtime 11 to 13 and the libraries on
/// it (cuBLAS and others) ask for is there. Slots of unknown meaning return
/// CUDA_ERROR_NOT_SUPPORTED with one line.
/// @return nullptr: there is no such table
const void* export_table(const uuid& which);

}  // namespace simtlm::cuda
