// SPDX-License-Identifier: Apache-2.0
#include "platform/device/task.h"

namespace simtlm::device {

execution::launch launch_of(const launch_request& r, std::uint64_t number, std::uint64_t stream) {
    execution::launch l;
    l.image = &r.module->image();
    l.kernel = r.kernel;
    l.grid = r.grid;
    l.block = r.block;
    l.cluster = r.cluster;
    l.dynamic_shared = r.dynamic_shared;
    l.carve_out = r.carve_out;
    l.parameters = r.parameters;
    l.environment = r.environment;
    l.cooperative = r.cooperative;
    l.grid_id = number;
    l.stream = stream;
    return l;
}

void task::note_places(const memory_rows& to, const memory_rows& from) {
    const bool inside = direction == copy_direction::inside && dram_accesses != 0;
    const bool peer = direction == copy_direction::between_devices;
    if (inside || peer || direction == copy_direction::to_device) writes = to;
    if (inside || peer || direction == copy_direction::to_host) reads = from;
}

}  // namespace simtlm::device
