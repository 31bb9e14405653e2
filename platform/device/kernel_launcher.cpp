// SPDX-License-Identifier: Apache-2.0
#include "platform/device/kernel_launcher.h"

#include "modules/execution/timed/executed_kernel.h"
#include "platform/gpu/gpu_services.h"

#include <utility>

namespace simtlm::device {

kernel_launcher::kernel_launcher(shared_state& state, const platform::gpu_config& config,
                                 simulated_gpus& gpus, launch_selection& selection,
                                 host_checkpoint& checkpoint, timed_checkpoint& replay,
                                 run_log& log)
    : state_(state),
      config_(config),
      gpus_(gpus),
      selection_(selection),
      checkpoint_(checkpoint),
      replay_(replay),
      log_(log) {
    for (std::size_t i = 0; i < gpus.all().size(); ++i) services_.emplace_back(state);
}

kernel_launcher::result kernel_launcher::launch(const task_ptr& t, unsigned depth) {
    const memory_space::access_scope access_scope(state_.memory, true);
    checkpoint_.launched(*t);
    const loaded_module& module = *t->launch.module;
    if (module.image().launches_kernels() && checkpoint_.is_used())
        throw failure(status::not_supported,
                      "kernels that launch kernels are not supported with checkpoints");
    const auto launches = services_[t->device].launches_of(module, depth);
    execution::services world = services_of(*t);
    world.launches = launches;
    const execution::launch l = launch_of(*t, ++launches_);
    if (!selection_.takes(l)) {
        if (selection_.skips(l)) return {launches, true};
        execution::functional_options how;
        how.give_up = &state_.give_up;
        selection_.executed(l, execution::run(l, state_.memory.table(), world, how),
                            module.descriptor());
        return {launches, true};
    }
    auto kernel = replay_.replay(t, l, world);
    if (kernel == nullptr) {
        kernel = make_kernel(*t, l, world);
        running_[launches_] = t;
    }
    submit(*t, std::move(kernel));
    return {launches, false};
}

execution::services kernel_launcher::services_of(const task& t) {
    execution::services world = services_[t.device].of(*t.launch.module);
    if (checkpoint_.is_used())
        world.print = [this, print = std::move(world.print)](std::string_view text) {
            checkpoint_.printed();
            print(text);
        };
    platform::set_gpu_services(config_, world);
    return world;
}

std::shared_ptr<program::kernel_source> kernel_launcher::make_kernel(
    const task& t, const execution::launch& l, const execution::services& world) {
    const auto code = t.launch.module->descriptor();
    const auto kernel = std::make_shared<execution::executed_kernel>(l, state_.memory.table(),
                                                                     world, code, launches_);
    selection_.started(kernel, l, code);
    auto submitted = log_.launched(kernel);
    platform::check_trace_fits(config_, platform::descriptor_of(submitted->descriptor()));
    return submitted;
}

void kernel_launcher::submit(const task& t, std::shared_ptr<program::kernel_source> kernel) {
    dispatch::host_command c;
    c.what = dispatch::host_command::kind::launch;
    c.where = t.launch.kernel->name;
    c.list_number = launches_;
    // Streams have already ordered their kernels, and kernels of a graph may run concurrently.
    c.stream = (t.stream << 32) + launches_;
    for (const auto& [number, other] : running_)
        if (other == t.primary) c.depends_on = number;
    c.kernel = std::move(kernel);
    gpus_.submit(std::move(c), t.device);
}

task_ptr kernel_launcher::find(std::uint64_t launch) const {
    const auto at = running_.find(launch);
    return at == running_.end() ? nullptr : at->second;
}

std::vector<std::uint64_t> kernel_launcher::open() const {
    std::vector<std::uint64_t> numbers;
    for (const auto& [launch, t] : running_) numbers.push_back(t->number);
    return numbers;
}

}  // namespace simtlm::device
