// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/cuda/abi/abi.h"
#include "runtimes/cuda/graph/graph.h"

#include <cstddef>
#include <cstdint>

namespace simtlm::cuda {

class session;
struct function;

/// Preferred shared memory of an SM while a function runs, in percent; -1: no preference.
int carve_out_of(session& s, const function& f);
/// Dynamic shared memory with which a launch of a function is permitted, bytes.
std::uint64_t permitted_dynamic_shared(session& s, const function& f);
function_attributes attributes_of(session& s, function& f);
more_function_attributes more_attributes_of(const function& f);
/// Thread blocks per cluster that a launch of a function has. @throws failure  if not permitted
size3 permitted_cluster(const function& f, const size3& asked);
/// Launch options requested by launch attributes.
launch_options options_of(const launch_attribute* attributes, unsigned count);
/// CUlaunchConfig
struct driver_launch {
    size3 grid, block;
    unsigned shared;
    void* stream;
    launch_attribute* attributes;
    unsigned attribute_count;
};

}  // namespace simtlm::cuda
