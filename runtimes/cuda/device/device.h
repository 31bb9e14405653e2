// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/cuda/abi/abi.h"

namespace simtlm::cuda {

class session;

constexpr int runtime_version = 13000;  ///< version of CUDA reported to programs

/// @throws failure  if there is no such device
void check_device(session& s, int device);
/// Lets the current device access the memory of another one, or not. @throws failure  if that is so
void set_peer_access(session& s, unsigned peer, bool enabled);
/// Properties of a device for cudaGetDeviceProperties. @throws failure  if there is no such device
device_properties properties_of(session& s, int device);

}  // namespace simtlm::cuda
