// SPDX-License-Identifier: Apache-2.0
#include "runtimes/opencl/transfer.h"

#include <cstring>

namespace simtlm::opencl {

device::task_ptr copy_task(session& s, const place& to, const place& from,
                           const std::array<std::size_t, 3>& region) {
    auto t = std::make_shared<device::task>();
    t->what = device::task::kind::copy;
    if (region[0] == 0 || region[1] == 0 || region[2] == 0) return t;
    t->direction = s.gpus().direction_of(to.address, from.address);
    t->bytes = region[0] * region[1] * region[2];
    const bool plain =
        (region[1] == 1 || (to.row_pitch == region[0] && from.row_pitch == region[0])) &&
        (region[2] == 1 ||
         (to.slice_pitch == region[0] * region[1] && from.slice_pitch == region[0] * region[1]));
    if (plain && t->direction == device::copy_direction::to_device) t->address = to.address;
    t->effect = [to, from, region] {
        for (std::size_t z = 0; z < region[2]; ++z)
            for (std::size_t y = 0; y < region[1]; ++y)
                std::memmove(
                    reinterpret_cast<void*>(to.address + z * to.slice_pitch + y * to.row_pitch),
                    reinterpret_cast<const void*>(from.address + z * from.slice_pitch +
                                                  y * from.row_pitch),
                    region[0]);
    };
    return t;
}

void carry_out(session& s, const device::task_ptr& t) {
    s.work().submit_after(t, {});
    const device::status outcome = s.work().wait(t);
    require(outcome == device::status::success, code_of(outcome), "a GPU has failed");
}

}  // namespace simtlm::opencl
