// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/functional/functional.h"
#include "modules/execution/machine/sass_image.h"
#include "modules/execution/state/device_heap.h"
#include "modules/execution/timed/executed_kernel.h"
#include "modules/sass/cubin.h"
#include "tests/fuzz/targets/fuzz_input.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace simtlm;

/// Becomes true some time after it has been armed, from a thread of its own.
class watchdog {
public:
    watchdog() {
        std::thread([this] {
            for (;;) {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                if (ticks_.load() > 0 && --ticks_ == 0) rings.store(true);
            }
        }).detach();
    }
    void arm() {
        rings.store(false);
        ticks_.store(3);
    }
    std::atomic<bool> rings{false};

private:
    std::atomic<int> ticks_{0};
};

execution::launch launch_of(const execution::program_image& image,
                            const execution::kernel_image& kernel,
                            execution::device_address buffer) {
    execution::launch l;
    l.image = &image;
    l.kernel = &kernel;
    l.grid.x = 2;
    l.block.x = 48;
    l.parameters.resize(kernel.parameter_bytes);
    for (std::size_t at = 0; at + sizeof buffer <= l.parameters.size(); at += sizeof buffer)
        std::memcpy(l.parameters.data() + at, &buffer, sizeof buffer);
    return l;
}

struct warp_slot {
    program::warp_executor* executor = nullptr;
    program::instruction_window window;
    bool waits = false;
};

/// Issues instructions of a thread block like an SM, without timing.
void issue(program::cta& block, unsigned warps, std::uint64_t most) {
    std::vector<warp_slot> slots(warps);
    for (unsigned i = 0; i < warps; ++i) {
        const program::warp_code code = block.warp(i);
        slots[i] = {code.executor, code.window};
    }
    std::uint64_t issued = 0;
    for (bool alive = true; alive && issued < most;) {
        alive = false;
        std::vector<program::warp_executor*> deferred;
        for (warp_slot& w : slots) {
            if (w.window.empty() || w.waits) continue;
            alive = true;
            const program::dynamic_instruction& i = *w.window.next;
            program::issue_effects effects;
            program::lane_addresses addresses;
            effects.space = i.info->space;
            effects.data_size = i.info->data_size;
            w.executor->issue(i, issued++, effects, addresses);
            if (effects.memory_deferred) deferred.push_back(w.executor);
            if (i.info->is_atomic) w.executor->perform_atomic(~0u);
            w.waits = i.info->barrier == program::barrier_kind::sync;
            w.window = effects.warp_ended ? program::instruction_window{} : effects.next;
        }
        for (program::warp_executor* e : deferred) e->apply_memory();
        if (!alive)
            for (warp_slot& w : slots) alive |= std::exchange(w.waits, false);
    }
}

}  // namespace

/// A cubin: its kernels are lowered and executed, without timing and by the interface to the timing
/// model, for a short time.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static watchdog& clock = *new watchdog;
    fuzz::allow_user_error([&] {
        const auto file = std::make_shared<const sass::cubin>(
            std::string(reinterpret_cast<const char*>(data), size), "fuzz");
        execution::device_memory::config small;
        small.capacity = 8 << 20;
        execution::device_memory memory(small);
        const execution::sass_image image(file, memory);
        const execution::device_address buffer = memory.allocate(1 << 16);
        const auto described = image.describe({});
        unsigned kernels = 0;
        for (const execution::kernel_image& k : image.kernels()) {
            if (++kernels > 2) break;
            execution::services world;
            const execution::launch l = launch_of(image, k, buffer);
            fuzz::allow_user_error([&] {
                clock.arm();
                execution::functional_options options;
                options.give_up = &clock.rings;
                execution::run(l, memory, world, options);
            });
            if (!execution::untimed_part(k, *described).empty()) continue;
            fuzz::allow_user_error([&] {
                execution::executed_kernel kernel(l, memory, world, described, 1);
                if (const auto block = kernel.next_cta()) {
                    block->placed({});
                    issue(*block, kernel.descriptor().warps_per_block(), 2000);
                }
            });
        }
    });
    return 0;
}
