// SPDX-License-Identifier: Apache-2.0
#include "platform/sampling/launch_sampler.h"

#include "modules/kernel/error.h"
#include "modules/kernel/output_file.h"
#include "platform/gpu/gpu.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::platform {

namespace {

std::uint64_t warp_instructions_of(const gpu& device) {
    std::uint64_t sum = 0;
    for (const auto& c : device.clusters())
        for (unsigned i = 0; i < c->sms(); ++i) sum += c->core(i).counted().warp_instructions;
    return sum;
}

}  // namespace

void launch_sampler::check(const option_values& values) {
    const sampling_options how = sampling_options::of(values);
    if (how.stable)
        values.fail("--sample-stable", "has no effect on programs, whose results are wanted",
                    "--sample");
    if (!how.groups) return;
    if (values.given("--sample-budget"))
        values.fail("--sample-budget", "has no effect on programs, whose launches are not known",
                    "leave it out");
    for (const char* const choice :
         {"--kernels", "--kernel-ids", "--kernel-names", "--skip-kernels", "--max-kernels"})
        if (values.given(choice))
            values.fail(choice, "does not go with --sample, which chooses launches itself",
                        "leave one of them out");
    if (values.number("--gpus", 1, 64) > 1)
        values.fail("--gpus", "does not go with --sample", "leave one of them out");
}

bool launch_sampler::take(const kernel_traits& traits) {
    ++launches_;
    return sampler_.choose_now(sampler_.add(traits));
}

void launch_sampler::executed(std::uint64_t number, std::uint64_t warp_instructions) {
    sampler_.executed(number - 1, static_cast<double>(warp_instructions));
}

void launch_sampler::ended(const gpu& device, const dispatch::finished_kernel& kernel) {
    const std::uint64_t before = instructions_, begin = std::max(kernel.launched_at, end_);
    instructions_ = warp_instructions_of(device);
    overlapped_ = overlapped_ || kernel.launched_at < end_;
    end_ = std::max(end_, kernel.end_cycle + 1);
    sampler_.measured(kernel.list_number - 1, static_cast<double>(end_ - std::min(begin, end_)),
                      static_cast<double>(instructions_ - before));
}

void launch_sampler::write() const {
    if (how_.json.empty()) return;
    kernel::output_file out(how_.json);
    out.write(sampler_.json());
    out.commit();
}

std::string launch_sampler::text() const {
    if (launches_ == 0) return {};
    return sampler_.text() +
           (overlapped_ ? "simtlm: note: kernels of several streams have run at the same time; the "
                          "sum of their cycles is not that of the run "
                          "(-gpgpu_max_concurrent_kernel 1)\n"
                        : "");
}

std::string launch_sampler::summary() const {
    if (launches_ == 0) return {};
    const projection p = sampler_.result();
    return fmt::format("simtlm: {} of {} kernels were simulated; projected: {:.0f} core cycles{}\n",
                       p.simulated, p.kernels, p.cycles,
                       p.error ? fmt::format(" +- {:.0f}", *p.error) : ", error not known");
}

}  // namespace simtlm::platform
