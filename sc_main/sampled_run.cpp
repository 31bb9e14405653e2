// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sampled_run.h"

#include "modules/support/error.h"
#include "modules/support/output_file.h"
#include "platform/sampling/trace_survey.h"
#include "sc_main/standard_streams.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace simtlm {

namespace {

using dispatch::host_command;

/// Traces of the same instructions differ in their addresses, which hardly changes their size;
/// their sizes must therefore be closer than the traits of kernels in a group.
constexpr double sizes_to_similarity = 10;

std::uint64_t l2_bytes(const platform::gpu_config& c) {
    const auto& l2 = c.memory.partition.l2;
    return std::uint64_t{l2.sets} * l2.ways * l2.line_bytes * c.sub_partitions();
}

host_command copy_of(const platform::memory_area& area) {
    host_command c;
    c.what = host_command::kind::copy_in;
    c.address = area.first;
    c.bytes = area.second;
    return c;
}

}  // namespace

sampled_run::sampled_run(const platform::sampling_options& how, const platform::gpu_config& config,
                         workload& work)
    : how_(how), sampler_(how, config.dispatch.kernel_launch_latency, config.sms()) {
    const isa::opcode_tables opcodes = platform::load_opcode_tables(config);
    const trace::reader_options reading = platform::reader_options_of(config, opcodes);
    platform::trace_survey survey(reading, how.similarity / sizes_to_similarity);
    std::set<std::uint64_t> streams;
    for (const host_command& c : work.commands) {
        if (c.what != host_command::kind::launch) continue;
        const platform::kernel_traits& traits = survey.of(c.file, work.headers[c.file]);
        streams.insert(traits.stream);
        number_[c.list_number] = sampler_.add(traits);
    }
    if (streams.size() > 1 && config.dispatch.max_concurrent_kernels > 1)
        throw support::user_error(
            config.run.trace,
            fmt::format("has kernels of {} streams, which may run concurrently; --sample adds up "
                        "the cycles of kernels that run sequentially",
                        streams.size()),
            "-gpgpu_max_concurrent_kernel 1");
    if (!how.groups) {
        sampler_.choose_all();
        return;
    }
    sampler_.choose();
    std::vector<host_command> chosen;
    work.kernels = 0;
    work.ctas = 0;
    for (host_command& c : work.commands) {
        if (c.what == host_command::kind::launch) {
            const std::size_t n = number_[c.list_number];
            if (!sampler_.simulated(n)) continue;
            ++work.kernels;
            work.ctas += survey.of(c.file, work.headers[c.file]).grid.volume();
            const bool kept = sampler_.bytes_since_last(n) <= static_cast<double>(l2_bytes(config));
            if (sampler_.is_repeated(n) && kept)
                if (const auto areas =
                        platform::areas_of_trace(c.file, reading, l2_bytes(config))) {
                    // Copies do not wait for earlier kernels without a synchronisation.
                    host_command wait;
                    wait.what = host_command::kind::synchronize;
                    chosen.push_back(wait);
                    for (const platform::memory_area& a : *areas) chosen.push_back(copy_of(a));
                }
        }
        chosen.push_back(std::move(c));
    }
    work.commands = std::move(chosen);
}

void sampled_run::attach(platform::gpu& device) {
    device_ = &device;
    if (how_.stable)
        monitor_ = std::make_unique<platform::rate_monitor>("rate_monitor", device, how_.spread);
}

void sampled_run::kernel_ended(const dispatch::finished_kernel& kernel) {
    const std::uint64_t cycles = device_->core_cycles();
    platform::rate_monitor::remainder rest;
    if (monitor_) rest = monitor_->take(kernel.launch);
    sampler_.measured(number_.at(kernel.list_number),
                      static_cast<double>(cycles - std::exchange(cycles_, cycles)), 0, rest.cycles,
                      rest.uncertain);
}

std::string sampled_run::text() const {
    return sampler_.text();
}

void sampled_run::write() const {
    if (how_.json.empty()) return;
    support::output_file out(how_.json);
    out.write(sampler_.json());
    out.commit();
}

}  // namespace simtlm
