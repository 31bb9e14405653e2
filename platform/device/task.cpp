// SPDX-License-Identifier: Apache-2.0
#include "platform/device/task.h"

namespace simtlm::device {

void for_each_row(const memory_rows& rows,
                  const std::function<void(std::uint64_t, std::uint64_t)>& act) {
    if (rows.address == 0 || rows.width == 0) return;
    for (std::uint64_t z = 0; z < rows.depth; ++z)
        for (std::uint64_t y = 0; y < rows.height; ++y)
            act(rows.address + z * rows.slice + y * rows.pitch, rows.width);
}

execution::launch launch_of(const task& t, std::uint64_t number) {
    execution::launch l = t.launch;
    l.image = &t.launch.module->image();
    l.grid_id = number;
    l.stream = t.stream;
    return l;
}

void task::note_places(const memory_rows& to, const memory_rows& from) {
    const bool inside = direction == copy_direction::inside && dram_accesses != 0;
    const bool peer = direction == copy_direction::between_devices;
    if (inside || peer || direction == copy_direction::to_device) writes = to;
    if (inside || peer || direction == copy_direction::to_host) reads = from;
}

}  // namespace simtlm::device
