// SPDX-License-Identifier: Apache-2.0
#include "runtimes/opencl/transfer.h"

#include <cstring>

namespace simtlm::opencl {

namespace {

/// Describes a block as rows of device memory; contiguous rows are merged.
device::memory_rows joined(const place& p, const std::array<std::size_t, 3>& region) {
    const std::size_t bytes = region[0] * region[1] * region[2];
    if ((region[1] == 1 || p.row_pitch == region[0]) &&
        (region[2] == 1 || p.slice_pitch == region[0] * region[1]))
        return {p.address, bytes};
    return {p.address, region[0], p.row_pitch, region[1], p.slice_pitch, region[2]};
}

}  // namespace

device::task_ptr copy_task(session& s, const place& to, const place& from,
                           const std::array<std::size_t, 3>& region) {
    auto t = std::make_shared<device::task>();
    t->what = device::task::kind::copy;
    if (region[0] == 0 || region[1] == 0 || region[2] == 0) return t;
    t->direction = s.gpus().direction_of(to.address, from.address);
    t->bytes = region[0] * region[1] * region[2];
    t->dram_accesses = s.gpus().dram_accesses_of(to.address, from.address, t->direction);
    const bool reads = t->direction == device::copy_direction::to_host;
    if (t->direction == device::copy_direction::to_device ||
        (reads && s.gpus().config().gpu.ptx.quirks.host_reads_warm_l2))
        t->l2_rows = joined(reads ? from : to, region);
    t->note_places(joined(to, region), joined(from, region));
    t->effect = [&s, to, from, region] {
        device::memory_space& memory = s.gpus().memory();
        for (std::size_t z = 0; z < region[2]; ++z)
            for (std::size_t y = 0; y < region[1]; ++y) {
                const std::uint64_t row = to.address + z * to.slice_pitch + y * to.row_pitch;
                const std::uint64_t source =
                    from.address + z * from.slice_pitch + y * from.row_pitch;
                std::memmove(reinterpret_cast<void*>(row), reinterpret_cast<const void*>(source),
                             region[0]);
                memory.note_copied(row, source, region[0]);
                if (device::inspection* const inspector = s.gpus().state().inspector;
                    inspector != nullptr)
                    inspector->debug().copied(row, region[0]);
            }
    };
    return t;
}

device::task_ptr fill_task(session& s, const place& to, const std::array<std::size_t, 3>& region,
                           std::vector<std::byte> pattern) {
    auto t = std::make_shared<device::task>();
    t->what = device::task::kind::copy;
    t->bytes = region[0] * region[1] * region[2];
    t->dram_accesses = 1;
    t->label = "fill";
    t->writes = joined(to, region);
    t->pattern = pattern;
    t->effect = [&s, to, region, pattern = std::move(pattern)] {
        for (std::size_t z = 0; z < region[2]; ++z)
            for (std::size_t y = 0; y < region[1]; ++y) {
                const std::uint64_t row = to.address + z * to.slice_pitch + y * to.row_pitch;
                for (std::size_t x = 0; x < region[0]; x += pattern.size())
                    std::memcpy(reinterpret_cast<void*>(row + x), pattern.data(), pattern.size());
                s.gpus().memory().note_written(row, region[0]);
                if (device::inspection* const inspector = s.gpus().state().inspector;
                    inspector != nullptr)
                    inspector->debug().copied(row, region[0]);
            }
    };
    return t;
}

void carry_out(session& s, const device::task_ptr& t) {
    s.work().submit_after(t, {});
    const device::status outcome = s.work().wait(t);
    require(outcome == device::status::success, code_of(outcome), "a GPU has failed");
}

}  // namespace simtlm::opencl
