// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/power_log.h"

#include "modules/power/hardware_counters.h"
#include "modules/support/error.h"
#include "modules/support/output_file.h"
#include "modules/support/output_target.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/report/report.h"

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace simtlm::platform {

namespace {

using power::activity;
using power::activity_counts;
using power::component;
using power::energies;
using window = power::energy_meter::window;

/// Components and counters of AccelWattch's files; those of further counters come after them.
constexpr unsigned listed_components = static_cast<unsigned>(component::other);

/// The label of a component in AccelWattch's files, where most end with a comma.
std::string component_text(unsigned c) {
    const std::string name(power::component_name(static_cast<component>(c)));
    return name + (c < static_cast<unsigned>(component::constant) ? "," : "");
}
/// The label of a counter there.
std::string counter_text(unsigned a) {
    switch (static_cast<activity>(a)) {
        case activity::fp32:
            return "FPU_ACC,";
        case activity::fp64:
            return "DPU_ACC,";
        case activity::cycles:
            return "constant_power";  // has no counts
        default:
            return std::string(power::activity_name(static_cast<activity>(a))) + ",";
    }
}

/// A file that is compressed as a whole.
class compressed_file {
public:
    compressed_file(std::string name, unsigned level) : file_(std::move(name)), level_(level) {}
    void write(const std::string& text) { text_ += text; }
    void commit() {
        std::ostringstream packed;
        {
            boost::iostreams::filtering_ostream stream;
            stream.push(boost::iostreams::gzip_compressor(
                boost::iostreams::gzip_params(static_cast<int>(level_))));
            stream.push(packed);
            stream << text_;
        }
        file_.write(packed.str());
        file_.commit();
    }

private:
    support::output_file file_;
    unsigned level_;
    std::string text_;
};

}  // namespace

class power_log::recording : public simulation::phase_sequencer::step_observer,
                             private power::energy_meter::window_watcher {
public:
    explicit recording(gpu& device)
        : device_(device),
          meter_(*device.power()),
          how_(device.config().power),
          report_(device.config().run.power.report),
          next_(how_.window) {
        const power_files& files = device.config().run.power;
        if (!files.trace.empty()) {
            power_trace_.emplace(files.trace, how_.trace_level);
            metric_trace_.emplace(files.metrics, how_.trace_level);
            write_heads();
        }
        if (!files.steady_states.empty()) {
            steady_.emplace(files.steady_states, how_.trace_level);
            steady_->write("start,end,power,IPC," + counters_head() + "\n");
        }
        call_at(1);
        meter_.watch(*this);
    }
    ~recording() override { meter_.unwatch(*this); }

    void step_ended(unsigned ticked) override {
        const std::uint64_t now = device_.core_cycles();
        if ((ticked & (1u << protocol::core_clock)) == 0) return call_at(now + 1);
        if (!meter_.is_bound() && !bind()) return;
        if (now >= next_) {
            update_counters(device_);
            meter_.end_window(now);
            next_ = now - now % how_.window + how_.window;
        }
        call_at(next_);
    }

    void kernel_ended(const kernel_record& kernel) {
        if (windows_.empty()) return;
        end_steady_state();
        if (how_.mode != power_mode::simulation) use_hardware(kernel);
        report_.write(fmt::format("kernel_name = {}\nkernel_launch_uid = {}\n\n",
                                  kernel.subject.name, kernel.subject.launch));
        write_means();
        write_extreme("Maximum", "max", *extreme(true));
        write_extreme("Minimum", "min", *extreme(false));
        report_.write(
            fmt::format("\nAccumulative Power Statistics Over Previous Kernels:\n"
                        "gpu_tot_avg_power = {:g}\ngpu_tot_max_power = {:g}\n"
                        "gpu_tot_min_power = {:g}\n\n\n",
                        run_.watts(), highest_, lowest_));
        report_.flush();
        windows_.clear();
    }

    void finish() {
        if (std::exchange(finished_, true)) return;
        end_steady_state();
        support::output_attempts attempt;
        attempt([&] { report_.commit(); });
        for (std::optional<compressed_file>* const file : {&power_trace_, &metric_trace_, &steady_})
            attempt([&] {
                if (*file) (*file)->commit();
            });
        attempt.finish();
    }

private:
    /// @param cycle  number of core cycles
    void call_at(std::uint64_t cycle) { device_.sequencer().observe_at(this, cycle); }
    /// A table with an unknown counter ends the run in its first step.
    bool bind() {
        if (failed_) return false;
        try {
            update_counters(device_);
            const std::uint64_t now = device_.core_cycles();
            next_ = now - now % how_.window + how_.window;
        } catch (const support::user_error&) {
            failed_ = true;
            device_.sequencer().fail(std::current_exception());
        }
        return !failed_;
    }
    void window_ended(const window& w) override {
        windows_.push_back(w);
        if (how_.mode == power_mode::simulation) count(w);
        if (how_.dumps_windows) write_window(w);
        if (power_trace_) write_traces(w);
        if (steady_) follow_steady_state(w);
    }

    /// Counts a window, or a kernel with counters of hardware, in the figures of the run.
    void count(const window& w) {
        add(run_, w);
        const double watts = w.watts();
        highest_ = std::max(highest_, watts);
        lowest_ = lowest_ == 0 ? watts : std::min(lowest_, watts);
    }
    static void add(window& sum, const window& w) {
        for (unsigned c = 0; c < power::components; ++c) sum.picojoules[c] += w.picojoules[c];
        sum.activity += w.activity;
        sum.seconds += w.seconds;
        sum.to = w.to;
    }
    window kernel() const {
        window sum;
        sum.from = windows_.front().from;
        for (const window& w : windows_) add(sum, w);
        return sum;
    }

    /// Replaces the windows of a kernel by one with counters of hardware.
    void use_hardware(const kernel_record& of) {
        window k = kernel();
        activity_counts own = k.activity;
        if (how_.accumulates) {
            constexpr auto first = static_cast<unsigned>(activity::integer),
                           last = static_cast<unsigned>(activity::texture);
            for (const unsigned a : {static_cast<unsigned>(activity::instructions),
                                     static_cast<unsigned>(activity::scheduled)})
                k.activity.of[a] = so_far_.of[a] += own.of[a];
            for (unsigned a = first; a <= last; ++a) k.activity.of[a] = so_far_.of[a] += own.of[a];
            k.activity.unit_lanes = so_far_.unit_lanes += own.unit_lanes;
            k.activity.unit_warps = so_far_.unit_warps += own.unit_warps;
        }
        const power::hardware_counts counts = power::find_hardware_counts(
            how_.hardware_file, how_.hardware_benchmark, of.subject.name);
        const power::gpu_parameters& parameters = meter_.parameters();
        power::replace_counts(k.activity, counts, how_.simulated, parameters.sms);
        constexpr auto voltage = power::hardware_counter::voltage;
        const bool simulated = how_.simulated[static_cast<unsigned>(voltage)];
        power::operating_point at = meter_.now();
        if (at.volts > 0 && !simulated) at.volts = counts[voltage];
        const std::vector<double> also(meter_.table().terms.size());
        k.picojoules = power::energy_of(meter_.table(), parameters, k.activity, also, at);
        k.seconds = k.activity[activity::cycles] / at.hertz;
        windows_ = {k};
        count(k);
    }

    /// The counters of a window as AccelWattch prints them.
    std::array<double, power::activities> counters_of(const window& w) const {
        std::array<double, power::activities> c = w.activity.of;
        for (unsigned a = 0; a < power::activities; ++a) c[a] *= meter_.table().report_scale[a];
        const double cycles = w.activity[activity::cycles];
        const auto per_cycle = [&](activity a, double over) {
            c[static_cast<unsigned>(a)] = cycles > 0 ? w.activity[a] / (cycles * over) : 0;
        };
        per_cycle(activity::pipeline_duty, meter_.parameters().sms);
        per_cycle(activity::idle_sms, 1);
        c[static_cast<unsigned>(activity::cycles)] = 0;
        return c;
    }
    static double lanes_of(const window& w) {
        return w.activity.unit_warps > 0 ? w.activity.unit_lanes / w.activity.unit_warps : 0;
    }

    void write_means() {
        const window k = kernel();
        const auto n = static_cast<double>(windows_.size());
        std::string text =
            fmt::format("Kernel Average Power Data:\nkernel_avg_power = {:g}\n", k.watts());
        for (unsigned c = 0; c < listed_components; ++c)
            text += fmt::format("gpu_avg_{} = {:g}\n", component_text(c),
                                k.watts(static_cast<component>(c)));
        std::array<double, power::activities> total{};
        for (const window& w : windows_) {
            const auto counters = counters_of(w);
            for (unsigned a = 0; a < power::activities; ++a) total[a] += counters[a];
        }
        for (unsigned a = 0; a < power::activities; ++a)
            text += fmt::format("gpu_avg_{} = {:g}\n", counter_text(a), total[a] / n);
        text += fmt::format("gpu_avg_threads_per_warp = {:g}\n", lanes_of(k));
        for (unsigned a = 0; a < power::activities; ++a)
            text += fmt::format("gpu_tot_{} = {:g}\n", counter_text(a), total[a]);
        report_.write(text);
    }

    const window* extreme(bool highest) const {
        const window* found = &windows_.front();
        for (const window& w : windows_)
            if (highest ? w.watts() > found->watts() : w.watts() < found->watts()) found = &w;
        return found;
    }
    void write_extreme(const char* title, const char* name, const window& w) {
        std::string text = fmt::format("\nKernel {} Power Data:\nkernel_{}_power = {:g}\n", title,
                                       name, w.watts());
        for (unsigned c = 0; c < listed_components; ++c)
            text += fmt::format("gpu_{}_{} = {:g}\n", name, component_text(c),
                                w.watts(static_cast<component>(c)));
        const auto counters = counters_of(w);
        for (unsigned a = 0; a < power::activities; ++a)
            text += fmt::format("gpu_{}_{} = {:g}\n", name, counter_text(a), counters[a]);
        report_.write(text);
    }

    void write_window(const window& w) {
        std::string text = fmt::format("cycles {} to {}: power = {:g}", w.from, w.to, w.watts());
        for (unsigned c = 0; c < power::components; ++c)
            text += fmt::format(", {} = {:g}", power::component_name(static_cast<component>(c)),
                                w.watts(static_cast<component>(c)));
        report_.write(text + "\n");
    }

    static std::string counters_head() {
        std::string text;
        for (unsigned a = 0; a < power::activities; ++a) text += counter_text(a);
        return text;
    }
    static std::string counters_row(const std::array<double, power::activities>& counters) {
        std::string text;
        for (const double c : counters) text += fmt::format("{:f},", c);
        return text;
    }
    void write_heads() {
        std::string text = "power,";
        for (unsigned c = 0; c < listed_components; ++c) text += component_text(c);
        power_trace_->write(text + "\n");
        metric_trace_->write(counters_head() + "\n");
    }
    void write_traces(const window& w) {
        std::string text = fmt::format("{:f},", w.watts());
        for (unsigned c = 0; c < listed_components; ++c)
            text += fmt::format("{:f},", w.watts(static_cast<component>(c)));
        power_trace_->write(text + "\n");
        metric_trace_->write(counters_row(counters_of(w)) + "\n");
    }

    /// Adds a window to the steady state, or ends that and begins another one.
    void follow_steady_state(const window& w) {
        if (!steady_windows_.empty()) {
            double mean = 0;
            for (const window& s : steady_windows_) mean += s.watts();
            mean /= static_cast<double>(steady_windows_.size());
            if (std::abs(w.watts() - mean) >= how_.steady_deviation) end_steady_state();
        }
        steady_windows_.push_back(w);
    }
    void end_steady_state() {
        const std::vector<window> windows = std::exchange(steady_windows_, {});
        if (windows.size() <= how_.steady_windows) return;
        const auto n = static_cast<double>(windows.size());
        double watts = 0, instructions = 0, cycles = 0;
        std::array<double, power::activities> mean{};
        for (const window& w : windows) {
            watts += w.watts() / n;
            instructions +=
                w.activity[activity::pipeline_duty] * 32 * meter_.parameters().result_buses;
            cycles += w.activity[activity::cycles];
            const auto counters = counters_of(w);
            for (unsigned a = 0; a < power::activities; ++a) mean[a] += counters[a] / n;
        }
        steady_->write(fmt::format("{},{},{:f},{:f},{}\n", windows.front().from, windows.back().to,
                                   watts, instructions / cycles, counters_row(mean)));
    }

    gpu& device_;
    power::energy_meter& meter_;
    const power_config& how_;
    support::output_file report_;
    std::optional<compressed_file> power_trace_, metric_trace_, steady_;
    std::uint64_t next_;           ///< end of the current window, core cycle
    std::vector<window> windows_;  ///< of the kernel
    std::vector<window> steady_windows_;
    window run_;                       ///< all windows of the run
    activity_counts so_far_;           ///< instructions of all kernels, with -aggregate_power_stats
    double highest_ = 0, lowest_ = 0;  ///< watts
    bool finished_ = false, failed_ = false;
};

power_log::power_log(gpu& device) : recording_(std::make_unique<recording>(device)) {}

power_log::~power_log() = default;

void power_log::kernel_ended(const kernel_record& kernel) {
    recording_->kernel_ended(kernel);
}

void power_log::finish() {
    recording_->finish();
}

std::unique_ptr<power_log> attach_power_log(gpu& device) {
    return device.power() != nullptr ? std::make_unique<power_log>(device) : nullptr;
}

}  // namespace simtlm::platform
