// SPDX-License-Identifier: Apache-2.0
#include "tests/waveform/gpu_run.h"

#include "modules/trace/command_list.h"
#include "platform/options/presets.h"

#include <fmt/format.h>
#include <unistd.h>

namespace simtlm::test {

scratch_folder::scratch_folder() {
    path_ = std::filesystem::temp_directory_path() /
            fmt::format("simtlm-waveform-{}", static_cast<long>(getpid()));
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
}

scratch_folder::~scratch_folder() {
    std::filesystem::remove_all(path_);
}

gpu_run::gpu_run(const std::string& trace, std::vector<std::string> arguments,
                 core::multiprocessor_maker core) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    const platform::preset_folders folders(std::vector<std::string>{SIMTLM_TEST_CONFIG_DIR});
    platform::option_values values(folders.finder());
    const std::string list = std::string(SIMTLM_TEST_TRACES_DIR) + "/" + trace + "/kernelslist.g";
    arguments.insert(arguments.begin(),
                     {"--preset", "TINY", "-trace", list, "--any-binary-version"});
    values.parse_command_line(arguments);
    platform::gpu_config config = platform::make_gpu_config(values);
    if (core) config.cores.make = std::move(core);
    device_ = std::make_unique<platform::gpu>("gpu", std::move(config));
    for (const trace::command& c : trace::read_command_list(list)) {
        if (c.what != trace::command::kind::kernel) continue;
        dispatch::host_command h;
        h.what = dispatch::host_command::kind::launch;
        h.file = c.file;
        h.where = c.where;
        device_->commands().submit(h);
    }
}

void gpu_run::run(double microseconds) {
    device_->commands().proceed();
    const sc_core::sc_time slice(1, sc_core::SC_US);
    for (double t = 0; microseconds == 0 || t < microseconds; t += 1) {
        sc_core::sc_start(slice);
        device_->sequencer().rethrow_failure();
        if (device_->commands().idle() || device_->commands().stopped()) return;
    }
}

std::vector<core::simt_pipeline::simt_sm*> gpu_run::sms() {
    std::vector<core::simt_pipeline::simt_sm*> all;
    for (const auto& c : device_->clusters())
        for (unsigned i = 0; i < c->sms(); ++i)
            all.push_back(&dynamic_cast<core::simt_pipeline::simt_sm&>(c->core(i)));
    return all;
}

std::uint64_t gpu_run::issued(core::simt_pipeline::simt_sm& sm) {
    std::uint64_t sum = 0;
    for (const std::uint64_t n : sm.statistics().issued_lanes) sum += n;
    return sum;
}

std::string gpu_run::statistics() {
    std::string text = fmt::format("cycles {}\n", device_->core_cycles());
    const auto words = [&](const char* what, const auto& counters) {
        const auto* p = reinterpret_cast<const std::uint64_t*>(&counters);
        text += what;
        for (std::size_t i = 0; i < sizeof counters / sizeof *p; ++i)
            text += fmt::format(" {}", p[i]);
        text += '\n';
    };
    for (core::simt_pipeline::simt_sm* sm : sms()) {
        words(sm->name(), sm->statistics());
        words("l1d", sm->caches().data.statistics());
        words("l1i", sm->caches().instruction.statistics());
        words("l1c", sm->caches().constant.statistics());
    }
    for (const auto& p : device_->partitions())
        for (unsigned b = 0; b < p->sub_partitions(); ++b) {
            words(p->sub_partition(b).name(), p->sub_partition(b).statistics());
            words("l2", *p->sub_partition(b).cache_statistics());
        }
    for (const auto& c : device_->channels()) {
        const memory::dram_statistics& s = c->statistics();
        text += fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}\n", c->name(), s.cycles,
                            s.idle_cycles, s.active_cycles, s.activates, s.precharges, s.requests,
                            s.row_hits, s.busy_data_cycles, s.banks_waiting, s.queue_sum,
                            s.latency_sum, s.limit_ccdl);
    }
    for (const auto& f : device_->network().report_values())
        text += fmt::format("{} {}\n", f.name, f.value);
    return text;
}

}  // namespace simtlm::test
