// SPDX-License-Identifier: Apache-2.0
// The extension module simtlm._simtlm: one simulation, as the executable `simtlm` runs it.
// runtimes/python/simtlm is the package that users import.
#include "modules/simulation/finish_instant.h"
#include "modules/simulation/spawn.h"
#include "modules/support/output_target.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/options/presets.h"
#include "platform/outputs/gpu_files.h"
#include "platform/outputs/version.h"
#include "platform/report/interval_counters.h"
#include "sc_main/program_run.h"
#include "sc_main/standard_streams.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace simtlm {

namespace {

namespace py = pybind11;

platform::preset_folders folders_of(const std::vector<std::string>& names) {
    return names.empty() ? platform::preset_folders() : platform::preset_folders(names);
}

template <class T>
py::array_t<T> array_of(const std::vector<T>& values) {
    return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::tuple tuple_of(const program::dim3& d) {
    return py::make_tuple(d.x, d.y, d.z);
}

py::dict dict_of(const std::vector<platform::report_value>& values) {
    py::dict d;
    for (const platform::report_value& v : values)
        d[v.name.c_str()] = v.whole ? py::object(py::int_(static_cast<long long>(v.value)))
                                    : py::object(py::float_(v.value));
    return d;
}

/// Pauses the simulation when a kernel has ended or the GPU has failed.
class pause_at_events : public sc_core::sc_module {
public:
    pause_at_events(const sc_core::sc_module_name& name, platform::gpu& device) : sc_module(name) {
        simulation::spawn_method("pause", [] { sc_core::sc_pause(); },
                                 {device.commands().progress(), device.sequencer().failed()});
    }
    const char* kind() const override { return "pause_at_events"; }
};

/// One simulation: a GPU with a list of traces, or a program with its launches.
class session {
public:
    /// @param options  as on the command line of simtlm
    /// @param folders  of the presets; empty: those of the build
    session(const std::vector<std::string>& options, const std::vector<std::string>& folders)
        : values_(folders_of(folders).finder()) {
        if (!sc_core::sc_get_top_level_objects().empty())
            throw support::user_error("Simulation",
                                      "this process has had its simulation, and SystemC allows one",
                                      "use simtlm.run() or simtlm.sweep(), whose simulations have "
                                      "processes of their own");
        located([&] { begin(options); });
    }

    /// Runs for about `cycles` core cycles, or until a kernel ends. 0: no limit.
    /// @return the kernels that have ended, as dictionaries
    py::list advance(std::uint64_t cycles) {
        py::list ended;
        located([&] {
            const std::uint64_t until =
                cycles != 0 ? gpu_->core_cycles() + cycles : ~std::uint64_t{0};
            while (ended_.empty() && ended.empty() && gpu_->core_cycles() < until) {
                if (PyErr_CheckSignals() != 0) throw py::error_already_set();
                const std::uint64_t before = gpu_->core_cycles();
                run(std::min(until - before, slice_));
                take_finished(ended);
                find_end();
                if (cycles != 0 && gpu_->core_cycles() == before) break;  // clocks are gated
            }
        });
        return ended;
    }

    /// Why the run has ended ("finished", an option's name, "deadlock"); empty: it has not.
    const std::string& ended() const { return ended_; }
    std::uint64_t cycles() const { return gpu_->core_cycles(); }
    /// Of the core clock, in seconds.
    double period() const { return 1 / gpu_->config().clocks.core; }
    /// All statistics now. @return values and rows by name
    py::tuple statistics() {
        const platform::report& r = reporter_->make(nullptr);
        py::dict rows;
        for (const platform::value_row& row : r.rows) rows[row.name.c_str()] = array_of(row.values);
        return py::make_tuple(dict_of(r.report_values), rows);
    }
    /// The names of the counters of all blocks.
    std::vector<std::string> counter_names() {
        std::vector<std::string> names;
        for (const auto& c : intervals().counters()) names.push_back(c.name());
        return names;
    }
    /// Increase of the counters since the last call. @return from, to, values
    py::tuple interval() {
        const auto& i = intervals().take();
        return py::make_tuple(i.from, i.to, array_of(i.values));
    }
    /// The contents of a buffer of the launch file, or of a variable of the program.
    py::bytes buffer(const std::string& name) const {
        if (program_) {
            const platform::program_access access = program_->access();
            if (const auto range = access.symbol(name)) {
                std::string bytes(range->bytes, '\0');
                access.read(range->address, bytes.size(),
                            reinterpret_cast<std::byte*>(bytes.data()));
                return py::bytes(bytes);
            }
        }
        throw support::user_error(name, "no such buffer", "the launch file names the buffers");
    }
    /// The effective options, in option syntax.
    std::string options() const {
        std::ostringstream text;
        platform::write_config(text, values_);
        return text.str();
    }
    /// Writes the files that the options request, and compares results as the launch file asks.
    /// @return messages about what could not be written, and the exit code of simtlm
    py::tuple finish() {
        support::output_attempts attempt;
        if (const auto kernel = platform::record_of_unfinished(*gpu_))
            files_->add(reporter_->make(&kernel->subject), &*kernel);
        attempt([&] { files_->write(ended_.empty() ? "quit" : ended_); });
        attempt([&] { files_->finish_recordings(); });
        const int code = program_ && ended_ == "finished" ? program_->finish(attempt) : 0;
        flush_out();
        return py::make_tuple(attempt.messages(), code);
    }

private:
    static constexpr std::uint64_t slice_ = 50000;  // core cycles between checks for Ctrl-C

    /// Runs an action; an error in the value of an option names the option's origin.
    template <class Action>
    void located(Action action) {
        try {
            action();
        } catch (const support::user_error& e) {
            throw values_.located(e);
        }
    }
    void begin(const std::vector<std::string>& options) {
        values_.parse_command_line(options, "options");
        const bool executes = !values_.text("--ptx").empty() || !values_.text("--cubin").empty();
        platform::check_effects(values_, executes ? platform::timed_program : platform::replay);
        if (values_.presets().empty() && values_.files().empty())
            throw support::user_error("Simulation", "no GPU is configured",
                                      "name a preset, such as \"QV100\"");
        if (!executes && values_.text("-trace").empty())
            throw support::user_error("Simulation", "there is nothing to run",
                                      "give it a trace, or ptx or cubin with a launch");
        platform::gpu_config config = platform::make_gpu_config(values_);
        if (executes) program_ = std::make_unique<loaded_program>(values_, &config);
        workload work = executes ? workload_of(*program_, config, nullptr) : read_workload(config);
        if (!work.refusals.empty()) throw support::user_error("", work.refusals.front());
        warnings_ = config.warnings;
        warnings_.insert(warnings_.end(), work.warnings.begin(), work.warnings.end());
        next_ = std::move(work.next);
        sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
        gpu_ = std::make_unique<platform::gpu>("gpu", std::move(config));
        gpu_->gate_idle_clocks([] { return ~std::uint64_t{0}; });
        gpu_->decouple_dram();
        std::vector<std::string> line = {"simtlm (Python)"};
        line.insert(line.end(), options.begin(), options.end());
        files_ = std::make_unique<platform::gpu_files>(
            *gpu_, values_,
            platform::provenance_of({platform::version, platform::commit(), ""}, std::move(line),
                                    values_, gpu_->config(),
                                    executes ? program_->inputs()
                                             : std::vector<platform::provenance::file>{
                                                   {"command list", gpu_->config().run.trace}}));
        reporter_ = std::make_unique<platform::reporter>(*gpu_);
        pause_ = std::make_unique<pause_at_events>("pause", *gpu_);
        submit(work.commands);
    }
    bool submit(const std::vector<dispatch::host_command>& commands) {
        for (const dispatch::host_command& c : commands) gpu_->commands().submit(c);
        if (!commands.empty()) gpu_->commands().proceed();
        return !commands.empty();
    }
    void run(std::uint64_t cycles) {
        const py::gil_scoped_release others;
        gpu_->sequencer().rethrow_failure();
        sc_core::sc_start(sc_core::sc_time(static_cast<double>(cycles) / gpu_->config().clocks.core,
                                           sc_core::SC_SEC));
        simulation::finish_instant(gpu_->sequencer());
        if (program_) gpu_->check_progress(program_->memory(), {});
        gpu_->sequencer().rethrow_failure();
    }
    void take_finished(py::list& into) {
        for (const dispatch::finished_kernel& f : gpu_->commands().take_finished()) {
            const platform::kernel_record k = platform::record_of(f, *gpu_);
            const platform::report& r = reporter_->make(&k.subject);
            files_->add(r, &k);
            py::dict d;
            d["name"] = k.subject.demangled;
            d["launch"] = k.subject.launch;
            d["stream"] = k.subject.stream;
            d["grid"] = tuple_of(k.grid);
            d["block"] = tuple_of(k.block);
            d["registers"] = k.registers;
            d["shared_memory"] = k.shared_memory;
            d["launched_at"] = k.launched_at;
            d["start_cycle"] = k.start_cycle;
            d["end_cycle"] = k.end_cycle;
            d["statistics"] = dict_of(r.report_values);
            into.append(d);
        }
        for (std::string& w : gpu_->commands().take_warnings()) warnings_.push_back(std::move(w));
    }
    void find_end() {
        dispatch::command_processor& commands = gpu_->commands();
        if (commands.deadlocked())
            throw support::user_error("deadlock",
                                      "no instruction was completed in the last " +
                                          std::to_string(gpu_->config().dispatch.deadlock_window) +
                                          " cycles; waiting units:\n" + gpu_->describe());
        if (commands.stopped())
            ended_ = commands.stop_reason();
        else if (commands.idle() && (!next_ || !submit(next_())))
            ended_ = "finished";
    }
    platform::interval_counters& intervals() {
        if (!intervals_) intervals_ = std::make_unique<platform::interval_counters>(*gpu_);
        return *intervals_;
    }

    platform::option_values values_;
    std::unique_ptr<loaded_program> program_;  // outlives its kernels in the GPU
    std::unique_ptr<platform::gpu> gpu_;
    std::unique_ptr<platform::gpu_files> files_;
    std::unique_ptr<platform::reporter> reporter_;
    std::unique_ptr<platform::interval_counters> intervals_;
    std::unique_ptr<pause_at_events> pause_;
    std::function<std::vector<dispatch::host_command>()> next_;
    std::string ended_;

public:
    std::vector<std::string> warnings_;
};

/// The option table, for checks of names and for completion.
py::list option_rows() {
    py::list rows;
    for (const platform::option_info& o : platform::option_table()) {
        py::dict d;
        d["name"] = o.name;
        d["default"] = o.default_text;
        d["unit"] = o.unit;
        d["group"] = platform::group_title(o.group);
        d["description"] = o.description;
        rows.append(d);
    }
    return rows;
}

}  // namespace

}  // namespace simtlm

PYBIND11_MODULE(_simtlm, m) {
    using simtlm::session;
    namespace py = pybind11;
    py::register_exception<simtlm::support::user_error>(m, "Error", PyExc_RuntimeError);
    m.attr("version") = simtlm::platform::version;
    m.def("option_rows", &simtlm::option_rows);
    m.def("presets", [] {
        std::vector<std::pair<std::string, std::string>> rows;
        for (const auto& p : simtlm::platform::preset_table()) rows.emplace_back(p.name, p.gpu);
        return rows;
    });
    py::class_<session>(m, "Session")
        .def(py::init<const std::vector<std::string>&, const std::vector<std::string>&>())
        .def("advance", &session::advance)
        .def("statistics", &session::statistics)
        .def("counter_names", &session::counter_names)
        .def("interval", &session::interval)
        .def("buffer", &session::buffer)
        .def("options", &session::options)
        .def("finish", &session::finish)
        .def_readonly("warnings", &session::warnings_)
        .def_property_readonly("ended", &session::ended)
        .def_property_readonly("cycles", &session::cycles)
        .def_property_readonly("period", &session::period);
}
