// SPDX-License-Identifier: Apache-2.0
#include "platform/device/launch_selection.h"

#include "modules/execution/timed/executed_kernel.h"
#include "platform/device/launch_traits.h"
#include "platform/device/run_log.h"
#include "platform/sampling/launch_sampler.h"

#include <cstring>

namespace simtlm::device {

namespace {

/// The arguments of a launch, in which addresses of allocations are replaced by ones.
std::string arguments_without_addresses(const execution::launch& l, const memory_space& memory) {
    std::string bytes(reinterpret_cast<const char*>(l.parameters.data()), l.parameters.size());
    std::uint64_t word = 0;
    for (std::size_t at = 0; at + sizeof word <= bytes.size(); at += sizeof word) {
        std::memcpy(&word, bytes.data() + at, sizeof word);
        if (word != 0 && memory.find(word)) bytes.replace(at, sizeof word, sizeof word, '\xff');
    }
    return bytes;
}

}  // namespace

platform::kernel_traits launch_selection::known_traits(const execution::launch& l) const {
    platform::kernel_traits traits = traits_of(l);
    if (sampler_->compares_arguments())
        traits.arguments = arguments_without_addresses(l, state_.memory);
    return traits;
}

void launch_selection::attach(platform::gpu& device) {
    if (sampler_ != nullptr) sampler_->attach(device);
}

bool launch_selection::takes_all() const {
    return sampler_ == nullptr && !chosen_.needs_headers() && !chosen_.skip && !chosen_.most &&
           !chosen_.ctas;
}

bool launch_selection::takes(const execution::launch& l) {
    if (sampler_ != nullptr) return sampler_->take(known_traits(l));
    trace::kernel_header header;
    header.name = l.kernel->name;
    header.id = static_cast<std::uint32_t>(l.grid_id);
    return selector_.take(header);
}

bool launch_selection::skips(const execution::launch& l) {
    return sampler_ != nullptr && sampler_->skip(l.grid_id);
}

void launch_selection::executed(const execution::launch& l, const execution::execution_summary& s,
                                const code& c) {
    if (sampler_ != nullptr) sampler_->executed(l.grid_id, traits_of(known_traits(l), s, *c));
}

void launch_selection::started(const std::shared_ptr<execution::executed_kernel>& kernel,
                               const execution::launch& l, const code& c) {
    if (sampler_ == nullptr) return;
    const auto how = [this] {
        execution::functional_options o;
        o.give_up = &state_.give_up;
        return o;
    };
    platform::launch_sampler::simulated_launch launch;
    launch.execute_rest = [this, kernel, how] {
        const memory_space::access_scope access_scope(state_.memory, true);
        kernel->execute_rest(how());
    };
    launch.executed = [kernel, known = known_traits(l), c] {
        return traits_of(known, kernel->executed(), *c);
    };
    // Called while the simulation runs, which has access to memory.
    launch.instructions_of = [kernel, how](std::uint64_t cta) {
        return kernel->instructions_of(cta, how());
    };
    sampler_->started(l.grid_id, std::move(launch));
}

void launch_selection::ended(const dispatch::finished_kernel& kernel) {
    if (sampler_ != nullptr) sampler_->ended(kernel);
}

void launch_selection::finish(run_log& log) {
    if (sampler_ == nullptr) return;
    log.projected(sampler_->text(), sampler_->summary());
    try {
        sampler_->write();
    } catch (const support::output_error& e) {
        log.result_lost(e.what());
    }
}

}  // namespace simtlm::device
