// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/output_recorder.h"

#include "modules/simulation/step_observer.h"
#include "modules/support/output_target.h"
#include "platform/options/presets.h"
#include "platform/outputs/gpu_files.h"

#include <cstdint>
#include <exception>
#include <utility>

namespace simtlm::platform {

namespace {

option_values values_of(const std::vector<std::string>& options, const std::string& folder) {
    const preset_folders folders =
        folder.empty() ? preset_folders() : preset_folders(std::vector<std::string>{folder});
    option_values values(folders.finder());
    values.parse_command_line(options, "output_recorder");
    return values;
}

provenance origin(const std::vector<std::string>& options, const option_values& values,
                  const gpu_config& config) {
    std::vector<std::string> line = {"platform"};
    line.insert(line.end(), options.begin(), options.end());
    return provenance_of({SIMTLM_VERSION, "unknown", ""}, std::move(line), values, config, {});
}

}  // namespace

class output_recorder::recording : private simulation::step_observer {
public:
    recording(gpu& device, const std::vector<std::string>& options, const std::string& folder)
        : device_(device),
          values_(values_of(options, folder)),
          reporter_(device),
          files_(device, values_, origin(options, values_, device.config())) {
        device.sequencer().observe(this);
    }

    void finish(const std::string& ended) {
        if (std::exchange(finished_, true)) return;
        take();
        if (const auto kernel = record_of_unfinished(device_))
            add(&*kernel);
        else if (reported_cycles_ != device_.core_cycles())
            add(nullptr);
        support::output_attempts attempt;
        attempt([&] { files_.write(ended); });
        attempt([&] { files_.finish_recordings(); });
        attempt.finish();
    }

private:
    void step_ended(unsigned /*ticked*/) override {
        if (device_.commands().kernels_done() != kernels_ && !finished_) take();
    }
    void take() {
        kernels_ = device_.commands().kernels_done();
        for (const dispatch::finished_kernel& k : device_.commands().take_finished()) {
            const kernel_record record = record_of(k, device_);
            add(&record);
        }
    }
    void add(const kernel_record* kernel) {
        files_.add(reporter_.make(kernel != nullptr ? &kernel->subject : nullptr), kernel);
        reported_cycles_ = device_.core_cycles();
    }

    gpu& device_;
    const option_values values_;
    reporter reporter_;
    gpu_files files_;
    std::uint64_t kernels_ = 0, reported_cycles_ = 0;
    bool finished_ = false;
};

output_recorder::output_recorder(gpu& device, const std::vector<std::string>& options,
                                 const std::string& config_folder)
    : recording_(std::make_unique<recording>(device, options, config_folder)) {}

output_recorder::~output_recorder() {
    try {
        recording_->finish("finished");
    } catch (const std::exception& e) {
        SC_REPORT_WARNING("simtlm/outputs", e.what());
    }
}

void output_recorder::finish(const std::string& ended) {
    recording_->finish(ended);
}

}  // namespace simtlm::platform
