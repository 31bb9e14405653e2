// SPDX-License-Identifier: Apache-2.0
#include "platform/study/sweep_plan.h"

#include "modules/support/display_text.h"
#include "modules/support/error.h"
#include "modules/support/fnv1a.h"
#include "modules/support/nearest_name.h"
#include "modules/support/text_file.h"
#include "platform/options/options.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

namespace simtlm::platform::study {

namespace {

namespace fs = std::filesystem;

using assignment = std::pair<std::string, std::string>;  ///< option and value

constexpr std::size_t max_runs = 100'000;
constexpr const char* flag_value = "\1";  ///< of a switch without a value
constexpr char folder_mark = '\2';        ///< in patterns: placeholder for the folder of the run

std::string slug(const std::string& text) {
    std::string out;
    for (const char c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_')
            out += c;
        else if (!out.empty() && out.back() != '-')
            out += '-';
    constexpr std::size_t most = 80;
    return out.substr(0, most);
}

class spec_reader {
public:
    spec_reader(std::string file, std::string simtlm, const std::vector<std::string>& statistics,
                unsigned shards)
        : file_(std::move(file)),
          simtlm_(std::move(simtlm)),
          known_statistics_(statistics),
          shards_(shards) {
        base_ = fs::absolute(file_).parent_path();
    }

    sweep_plan read(const std::string& text) {
        try {
            return plan_of(YAML::Load(text));
        } catch (const YAML::Exception& e) {
            throw support::user_error(fmt::format("{}:{}", file_, e.mark.line + 1), e.msg,
                                      "see simtlm-sweep --help");
        }
    }

private:
    struct workload {
        std::string name;
        /// The options of the preset are inserted between these.
        std::vector<std::string> before, after;
        std::vector<std::string> reads;
        std::vector<assignment> options;
        std::map<std::string, std::string> environment;
        std::string folder;
        bool host = false;  ///< a CUDA or OpenCL program
        unsigned shards = 0, warm_up = 0;
    };
    struct configuration {
        std::string name;
        std::vector<std::string> files;
        std::vector<assignment> options;
    };
    struct preset {
        std::string name;                ///< in tables and plots
        std::string given;               ///< value of --preset
        std::vector<std::string> reads;  ///< files of a preset of the user
    };

    [[noreturn]] void refuse(const YAML::Node& at, const std::string& what,
                             const std::string& remedy = {}) const {
        throw support::user_error(fmt::format("{}:{}", file_, at.Mark().line + 1), what, remedy);
    }

    void check_keys(const YAML::Node& map, const std::vector<std::string>& keys,
                    const char* what) const {
        if (!map.IsMap()) refuse(map, fmt::format("{} is not a map", what));
        std::set<std::string> seen;
        for (const auto& entry : map) {
            const std::string key = text_of(entry.first, fmt::format("a key of {}", what));
            if (std::find(keys.begin(), keys.end(), key) == keys.end())
                refuse(entry.first, fmt::format("{} has no '{}'", what, key),
                       fmt::format("did you mean {}?", support::nearest_name(key, keys)));
            if (!seen.insert(key).second) refuse(entry.first, fmt::format("'{}' comes twice", key));
        }
    }

    // Readers of values. @param what  name of the value in messages, with its member

    std::string text_of(const YAML::Node& n, const std::string& what) const {
        if (!n.IsScalar()) refuse(n, fmt::format("{} is {} instead of a text", what, type_of(n)));
        if (n.Scalar().find('\0') != std::string::npos)
            refuse(n, fmt::format("{} contains a NUL character", what));
        return n.Scalar();
    }

    /// A text that is printed and part of file names.
    std::string name_of(const YAML::Node& n, const std::string& what) const {
        std::string name = text_of(n, what);
        if (name.empty()) refuse(n, fmt::format("{} is empty", what));
        if (support::printable(name) != name)
            refuse(n, fmt::format("{} '{}' contains control characters", what, name),
                   "use printable characters");
        return name;
    }

    std::vector<YAML::Node> elements_of(const YAML::Node& n, const std::string& what) const {
        if (!n.IsDefined() || n.IsNull()) return {};
        if (!n.IsSequence()) refuse(n, fmt::format("{} is {} instead of a list", what, type_of(n)));
        std::vector<YAML::Node> elements;
        for (const YAML::Node& e : n) elements.push_back(e);
        return elements;
    }

    using entry = std::pair<YAML::Node, YAML::Node>;
    std::vector<entry> entries_of(const YAML::Node& n, const std::string& what) const {
        if (!n.IsDefined() || n.IsNull()) return {};
        if (!n.IsMap()) refuse(n, fmt::format("{} is {} instead of a map", what, type_of(n)));
        std::vector<entry> entries;
        std::set<std::string> seen;
        for (const auto& e : n) {
            const std::string key = text_of(e.first, "a key of " + what);
            if (!seen.insert(key).second)
                refuse(e.first, fmt::format("'{}' comes twice in {}", key, what));
            entries.emplace_back(e.first, e.second);
        }
        return entries;
    }

    /// A list of texts, or a single one.
    std::vector<std::string> list_of(const YAML::Node& n, const std::string& what) const {
        if (!n.IsDefined() || n.IsNull()) return {};
        if (n.IsScalar()) return {text_of(n, what)};
        std::vector<std::string> list;
        for (const YAML::Node& e : elements_of(n, what))
            list.push_back(text_of(e, fmt::format("{}[{}]", what, list.size())));
        return list;
    }

    /// A positive number, which is compared with numbers of cycles.
    double positive(const YAML::Node& n, const std::string& what) const {
        constexpr double most = 9e15;
        const std::optional<double> number = parse_real(text_of(n, what));
        if (!number || !(*number > 0) || *number > most)
            refuse(n, fmt::format("{} '{}' is not a positive number up to {}", what, n.Scalar(),
                                  most));
        return *number;
    }

    std::string existing(const YAML::Node& n, const std::string& what) const {
        const std::string name = text_of(n, what);
        fs::path p = name;
        if (p.is_relative()) p = base_ / p;
        std::error_code error;
        if (!fs::exists(p, error))
            refuse(n, fmt::format("'{}' does not exist", name),
                   "paths are relative to the specification");
        return p.lexically_normal().string();
    }

    /// The path of a file that an option reads: relative to the specification if it is there.
    std::string input(const std::string& name) const {
        const fs::path p = base_ / name;
        std::error_code error;
        const bool there = !name.empty() && fs::is_regular_file(p, error);
        return there ? p.lexically_normal().string() : name;
    }

    static const char* type_of(const YAML::Node& n) {
        return n.IsMap() ? "a map" : n.IsSequence() ? "a list" : n.IsNull() ? "empty" : "a text";
    }

    /// Rejects unknown options, and options that the sweep sets itself or would discard.
    std::string option_name(const YAML::Node& key) const {
        const std::string name = text_of(key, "the name of an option");
        const option_info* info = find_option(name);
        if (info == nullptr)
            refuse(key, fmt::format("unknown option {}", name),
                   platform::unknown_option_remedy(name));
        static const std::map<std::string, const char*> own = {
            {"-trace", "workloads define the traces: one in 'options' or an axis would be ignored"},
            {"--ptx", "workloads define the programs"},
            {"--cubin", "workloads define the programs"},
            {"--launch", "workloads define the launches"},
            {"--preset", "'presets' defines them"},
            {"-config", "'files' of a configuration defines them"},
            {"--stats-json", "every run writes its own"},
            {"--progress", "the sweep shows its own progress"}};
        if (const auto at = own.find(info->name); at != own.end())
            refuse(key, fmt::format("{} cannot be set: {}", info->name, at->second), "omit it");
        if (info->action) refuse(key, fmt::format("{} runs nothing", info->name), "omit it");
        return info->name;
    }

    std::string value_of(const std::string& name, const YAML::Node& value) const {
        const option_info* info = find_option(name);
        if (value.IsNull()) return flag_value;
        const std::string text = text_of(value, name);
        if (info->syntax.empty() && text == "true") return flag_value;
        if (info->group == option_group::output && info->type == option_type::path &&
            text.find("{run}") == std::string::npos)
            refuse(value, fmt::format("every run would write {} to '{}'", name, text),
                   "put {run} into the path, which stands for the folder of the run");
        return text;
    }

    std::vector<assignment> options_of(const YAML::Node& map) const {
        std::vector<assignment> options;
        for (const auto& [key, value] : entries_of(map, "'options'")) {
            const std::string name = option_name(key);
            if (value.IsSequence())
                for (const YAML::Node& v : elements_of(value, name))
                    options.emplace_back(name, value_of(name, v));
            else
                options.emplace_back(name, value_of(name, value));
        }
        return options;
    }

    workload workload_of(const YAML::Node& n) const {
        check_keys(n,
                   {"name", "trace", "ptx", "cubin", "cuda", "opencl", "launch", "arguments",
                    "options", "environment", "folder", "shards", "warm-up"},
                   "a workload");
        workload w;
        std::string kind;
        for (const char* k : {"trace", "ptx", "cubin", "cuda", "opencl"})
            if (n[k]) {
                if (!kind.empty())
                    refuse(n[k], fmt::format("a workload cannot have both {} and {}", kind, k));
                kind = k;
            }
        if (kind.empty()) refuse(n, "a workload has none of trace, ptx, cubin, cuda, opencl");
        const std::string path = existing(n[kind], "'" + kind + "'");
        w.reads.push_back(path);
        fs::path stem = fs::path(path).filename();
        if (stem == "kernelslist.g") stem = fs::path(path).parent_path().filename();
        w.name = n["name"] ? name_of(n["name"], "the name of a workload")
                           : support::printable(stem.stem().string());
        const bool program = kind == "ptx" || kind == "cubin",
                   host = kind == "cuda" || kind == "opencl";
        if (program != static_cast<bool>(n["launch"]))
            refuse(n, program ? "a program needs its 'launch' file"
                              : "'launch' applies to ptx and cubin");
        if (!host && n["arguments"]) refuse(n["arguments"], "'arguments' apply to cuda and opencl");
        w.host = host;
        w.shards = n["shards"] ? count_of(n["shards"], "'shards'") : shards_;
        if (n["warm-up"]) {
            w.warm_up = count_of(n["warm-up"], "'warm-up'");
            if (w.shards == 0)
                refuse(n["warm-up"], "'warm-up' applies to sharded runs",
                       "set shards: N, or --shards");
        }
        if (kind == "trace") w.after = {"-trace", path};
        if (program) {
            const std::string launch = existing(n["launch"], "'launch'");
            w.reads.push_back(launch);
            w.after = {"--" + kind, path, "--launch", launch};
        }
        if (host) {
            w.before = {"run"};
            w.after = {"--", path};
            for (const std::string& a : list_of(n["arguments"], "'arguments'"))
                w.after.push_back(a);
        }
        w.options = options_of(n["options"]);
        for (const auto& [key, value] : entries_of(n["environment"], "'environment'"))
            w.environment[text_of(key, "a variable")] =
                text_of(value, "environment." + key.Scalar());
        if (n["folder"]) w.folder = existing(n["folder"], "'folder'");
        return w;
    }

    unsigned count_of(const YAML::Node& n, const char* what, int least = 1,
                      int most = 100'000) const {
        const std::optional<std::int64_t> count = parse_integer(text_of(n, what));
        if (!count || *count < least || *count > most)
            refuse(n, fmt::format("{} is not a number from {} to {}", what, least, most));
        return static_cast<unsigned>(*count);
    }

    configuration configuration_of(const YAML::Node& n) const {
        check_keys(n, {"name", "files", "options"}, "a configuration");
        if (!n["name"]) refuse(n, "a configuration lacks a name");
        configuration c;
        c.name = name_of(n["name"], "the name of a configuration");
        if (n["files"] && n["files"].IsScalar())
            c.files.push_back(existing(n["files"], "'files'"));
        else
            for (const YAML::Node& f : elements_of(n["files"], "'files'"))
                c.files.push_back(existing(f, "an element of 'files'"));
        c.options = options_of(n["options"]);
        return c;
    }

    /// A level of an axis, or a combination of levels of several axes.
    struct level {
        std::vector<assignment> labels;   ///< axis and level
        std::vector<assignment> options;  ///< with --preset for a DRAM technology
    };

    /// Options of a named level: a map, or a list of "-option value".
    std::vector<assignment> options_of_level(const YAML::Node& n) const {
        if (!n.IsSequence()) return options_of(n);
        YAML::Node map(YAML::NodeType::Map);
        for (const YAML::Node& e : n) {
            const std::string text = text_of(e, "an option of a level");
            const std::size_t space = text.find(' ');
            const std::string name = text.substr(0, space);
            if (find_option(name) == nullptr)
                refuse(e, fmt::format("unknown option {}", name), unknown_option_remedy(name));
            map[name] = space == std::string::npos ? "true" : text.substr(space + 1);
        }
        return options_of(map);
    }

    /// Levels of an axis: values of an option; DRAM technologies (`dram`); or named sets of
    /// options.
    std::vector<level> levels_of(const std::string& axis, const YAML::Node& n) const {
        const bool option = axis[0] == '-', dram = axis == "dram";
        std::vector<level> levels;
        const auto add = [&](const std::string& name, std::vector<assignment> options) {
            if (dram) options.insert(options.begin(), {"--preset", "dram/" + name});
            levels.push_back({{{axis, name}}, std::move(options)});
        };
        if (n.IsMap() && n.size() != 0) {
            for (const auto& [key, value] : entries_of(n, axis)) {
                const std::string name = name_of(key, "a level of " + axis);
                if (option)
                    add(name, {{axis, value_of(axis, value)}});
                else
                    add(name, options_of_level(value));
            }
            return levels;
        }
        if (!option && !dram)
            refuse(n, fmt::format("{} has no named levels", axis),
                   fmt::format("{}: {{small: {{-option: value}}, large: {{...}}}}", axis));
        if (!n.IsSequence() || n.size() == 0)
            refuse(n, fmt::format("{} has no list of values", axis));
        for (const YAML::Node& v : n) {
            const std::string value = option ? value_of(axis, v) : name_of(v, "a DRAM technology");
            add(value, option ? std::vector<assignment>{{axis, value}} : std::vector<assignment>{});
        }
        return levels;
    }

    /// The name of an axis: an option, or a name for sets of options.
    std::string axis_name(const YAML::Node& key, sweep_plan& plan) const {
        std::string name = name_of(key, "the name of an axis");
        if (name[0] == '-') name = option_name(key);
        if (std::find(plan.axes.begin(), plan.axes.end(), name) != plan.axes.end())
            refuse(key, fmt::format("{} is an axis twice", name));
        plan.axes.push_back(name);
        return name;
    }

    /// Points of the axes: the Cartesian product of their levels; the axes of one element of
    /// 'paired' change together.
    std::vector<level> points_of(const YAML::Node& root, sweep_plan& plan) const {
        std::vector<level> points(1);
        const auto append = [](level& to, const level& more) {
            to.labels.insert(to.labels.end(), more.labels.begin(), more.labels.end());
            to.options.insert(to.options.end(), more.options.begin(), more.options.end());
        };
        const auto cross = [&](const YAML::Node& key, const std::vector<level>& levels) {
            if (points.size() * levels.size() > max_runs)
                refuse(key, fmt::format("the axes have more than {} points", max_runs));
            std::vector<level> next;
            for (const level& p : points)
                for (const level& l : levels) {
                    next.push_back(p);
                    append(next.back(), l);
                }
            points = std::move(next);
        };
        for (const auto& [key, list] : entries_of(root["axes"], "'axes'"))
            cross(key, levels_of(axis_name(key, plan), list));
        for (const YAML::Node& group : elements_of(root["paired"], "'paired'")) {
            std::vector<level> together;
            for (const auto& [key, list] : entries_of(group, "an element of 'paired'")) {
                const std::string name = axis_name(key, plan);
                const std::vector<level> levels = levels_of(name, list);
                if (together.empty()) together.resize(levels.size());
                if (together.size() != levels.size())
                    refuse(key, fmt::format("{} has {} values, others of its pair have {}", name,
                                            levels.size(), together.size()));
                for (std::size_t i = 0; i < levels.size(); ++i) append(together[i], levels[i]);
            }
            if (!together.empty()) cross(group, together);
        }
        return points;
    }

    void read_statistics(const YAML::Node& root, sweep_plan& plan) const {
        plan.statistics = {"gpu_tot_sim_cycle", "gpu_tot_sim_insn", "gpu_tot_ipc"};
        for (const YAML::Node& n : elements_of(root["statistics"], "'statistics'"))
            add_statistic(n, name_of(n, "an element of 'statistics'"), plan);
        for (const YAML::Node& n : elements_of(root["plots"], "'plots'"))
            plan.plots.push_back(curve_of(n, "a plot", plan));
        if (root["pareto"]) plan.pareto = curve_of(root["pareto"], "'pareto'", plan);
        const std::string metric = root["metric"] ? text_of(root["metric"], "'metric'") : "time";
        if (metric == "total-time")
            plan.metric = sweep_metric::total_time;
        else if (metric == "cycles")
            plan.metric = sweep_metric::cycles;
        else if (metric != "time")
            refuse(root["metric"], fmt::format("'metric' cannot be '{}'", metric),
                   "time, total-time or cycles");
    }

    void add_statistic(const YAML::Node& n, const std::string& name, sweep_plan& plan) const {
        const bool known = std::any_of(known_statistics_.begin(), known_statistics_.end(),
                                       [&](const std::string& form) {
                                           std::string glob;
                                           int depth = 0;
                                           for (const char c : form) {
                                               if (c == '{' && depth++ == 0) glob += '*';
                                               if (depth == 0) glob += c;
                                               if (c == '}') --depth;
                                           }
                                           return glob_matches(glob, name);
                                       });
        if (!known)
            refuse(n, fmt::format("unknown statistic '{}'", name),
                   fmt::format("did you mean {}? simtlm --help-statistics lists them all",
                               support::nearest_name(name, known_statistics_)));
        if (std::find(plan.statistics.begin(), plan.statistics.end(), name) ==
            plan.statistics.end())
            plan.statistics.push_back(name);
    }

    sweep_curve curve_of(const YAML::Node& n, const std::string& what, sweep_plan& plan) const {
        check_keys(n, {"x", "y"}, what.c_str());
        const auto quantity = [&](const char* key) {
            if (!n[key]) refuse(n, fmt::format("{} has no '{}'", what, key));
            const std::string name = name_of(n[key], fmt::format("'{}' of {}", key, what));
            const bool axis =
                std::find(plan.axes.begin(), plan.axes.end(), name) != plan.axes.end();
            if (!axis && name != "time_us" && name != "launch_us")
                add_statistic(n[key], name, plan);
            return name;
        };
        return {quantity("x"), quantity("y")};
    }

    void read_measured(const YAML::Node& root, const std::set<std::string>& workloads,
                       sweep_plan& plan) const {
        for (const auto& [key, cycles] : entries_of(root["measured"], "'measured'")) {
            const std::string name = key.Scalar();
            if (workloads.count(name) == 0) refuse(key, fmt::format("unknown workload '{}'", name));
            plan.measured[name] = positive(cycles, "measured." + name);
        }
    }

    std::string state_of_file(const std::string& name) const {
        std::error_code error;
        const fs::path p =
            fs::is_directory(name, error) ? fs::path(name) / "kernelslist.g" : fs::path(name);
        const auto bytes = fs::file_size(p, error);
        const auto when = fs::last_write_time(p, error).time_since_epoch().count();
        return fmt::format("{} {} {}\n", p.string(), bytes, when);
    }

    /// The files that options of a command read, such as a checkpoint.
    std::string state_of_inputs(const std::vector<std::string>& command) const {
        std::string state;
        for (std::size_t i = 0; i + 1 < command.size(); ++i)
            if (const option_info* const o = find_option(command[i]);
                o != nullptr && o->files == file_use::input)
                state += state_of_file(command[i + 1]);
        return state;
    }

    /// Functional mode produces no statistics.
    static bool is_functional(const std::vector<std::string>& command) {
        const auto at = std::find(command.begin(), command.end(), "-gpgpu_ptx_sim_mode");
        return at != command.end() && at + 1 != command.end() && *(at + 1) != "0";
    }

    /// Options that select or combine kernels conflict with shards, which do so themselves.
    void check_goes_with_shards(const YAML::Node& at, const std::string& option) const {
        static const std::set<std::string> none = {
            "--kernels",      "--kernel-ids", "--kernel-names", "--skip-kernels",
            "--max-kernels",  "--gpus",       "--sample",       "--sample-stable",
            "--record-trace", "--debug",      "--sample-json"};
        if (none.count(option) != 0)
            refuse(at, fmt::format("{} cannot be combined with shards", option),
                   "omit one of them");
    }

    sweep_run run_of(const workload& w, const preset& gpu, const configuration& c,
                     const level& point, const std::vector<assignment>& common,
                     const sweep_plan& plan, const YAML::Node& root) const {
        sweep_run r;
        r.workload = w.name;
        r.preset = gpu.name;
        r.configuration = c.name;
        r.axes = point.labels;
        for (const std::string& part : {gpu.name, c.name})
            if (!part.empty()) r.series += (r.series.empty() ? "" : " ") + part;
        for (const auto& [name, value] : point.labels)
            r.series += fmt::format("{}{} {}", r.series.empty() ? "" : " ", name,
                                    value == flag_value ? "1" : value);
        if (r.series.empty()) r.series = "all";
        const std::string identity = w.name + "\n" + r.series;
        r.id = fmt::format("{}-{:08x}", slug(w.name + " " + r.series),
                           static_cast<std::uint32_t>(support::fnv1a(identity)));
        r.folder = (fs::path(plan.folder) / "runs" / r.id).string();
        r.environment = w.environment;
        r.working_folder = w.folder;
        std::vector<std::string>& words = r.pattern;
        words = {simtlm_};
        words.insert(words.end(), w.before.begin(), w.before.end());
        if (!gpu.name.empty()) words.insert(words.end(), {"--preset", gpu.given});
        for (const auto& [name, value] : point.options)
            if (name == "--preset") words.insert(words.end(), {name, value});
        for (const std::string& f : c.files) words.insert(words.end(), {"-config", f});
        r.counting = words;
        std::map<std::string, const char*> given;
        const auto add = [&](const std::vector<assignment>& options, const char* by) {
            for (const auto& [name, value] : options) {
                if (name == "--preset") continue;
                const option_info* info = find_option(name);
                const auto [at, fresh] = given.emplace(name, by);
                if (!fresh && !info->repeatable)
                    refuse(root,
                           fmt::format("{} is set by {} and by {}, one of which would be ignored",
                                       name, at->second, by),
                           "set it once");
                if (w.shards != 0) check_goes_with_shards(root, name);
                std::vector<std::string> option = {name};
                if (value != flag_value) {
                    std::string text = value;
                    for (std::size_t p; (p = text.find("{run}")) != std::string::npos;)
                        text.replace(p, 5, 1, folder_mark);
                    option.push_back(info->files == file_use::input ? input(text) : text);
                } else if (!info->syntax.empty()) {
                    option.emplace_back("1");
                }
                words.insert(words.end(), option.begin(), option.end());
                const run_kind counts = w.host ? functional_host : functional_program;
                if ((info->runs & counts) != 0)
                    r.counting.insert(r.counting.end(), option.begin(), option.end());
            }
        };
        add(common, "'options'");
        add(c.options, "its configuration");
        add(w.options, "its workload");
        add(point.options, "an axis");
        r.wants_statistics = !is_functional(words);
        if (w.shards != 0 && !r.wants_statistics)
            refuse(root,
                   fmt::format("{} is split into shards, but runs in functional mode", w.name),
                   "omit -gpgpu_ptx_sim_mode");
        r.choice_at = words.size();
        r.counting.insert(r.counting.end(), {"-gpgpu_ptx_sim_mode", "1"});
        if (r.wants_statistics)
            words.insert(words.end(),
                         {"--stats-json", folder_mark + std::string("/statistics.json")});
        // All runs of a host program would write the same report file.
        if (w.host && given.count("--stats-file") == 0)
            for (std::vector<std::string>* command : {&words, &r.counting})
                command->insert(command->end(),
                                {"--stats-file", folder_mark + std::string("/reports")});
        for (std::vector<std::string>* command : {&words, &r.counting})
            command->insert(command->end(), w.after.begin(), w.after.end());
        r.command = sweep_command(words, r.folder);
        r.shards = w.shards;
        r.warm_up = w.warm_up;
        if (w.after.front() == "-trace") r.trace = w.after.back();
        std::string state = state_of_file(simtlm_);
        for (const std::string& word : r.command) state += word + "\n";
        for (const auto& [name, value] : w.environment) state += name + "=" + value + "\n";
        for (const std::string& f : w.reads) state += state_of_file(f);
        for (const std::string& f : c.files) state += state_of_file(f);
        for (const std::string& f : gpu.reads) state += state_of_file(f);
        state += state_of_inputs(r.command);
        r.fingerprint = fmt::format("{:016x}", support::fnv1a(state));
        if (r.shards != 0) r.fingerprint += fmt::format("-shards-{}-{}", r.shards, r.warm_up);
        return r;
    }

    /// Presets of GPUs; paths of those of the user are relative to the specification.
    std::vector<preset> presets_of(const YAML::Node& n) const {
        std::vector<preset> presets;
        for (const std::string& name : list_of(n, "'presets'")) {
            if (name.compare(0, 5, "dram/") == 0)
                refuse(n, fmt::format("{} configures the memory of a GPU, but no GPU", name),
                       fmt::format("name a GPU, and the memory as an axis: axes: {{dram: [{}]}}",
                                   name.substr(5)));
            preset p = {name, name, {}};
            if (name[0] == '.' || name[0] == '/') {
                const fs::path folder = name[0] == '/' ? fs::path(name) : base_ / name;
                p.given = folder.lexically_normal().string();
                p.name = folder.lexically_normal().filename().string();
                for (const char* file : {"gpgpusim.config", "trace.config"})
                    p.reads.push_back((folder / file).lexically_normal().string());
            }
            presets.push_back(std::move(p));
        }
        return presets;
    }

    /// Names of the series for plots, without the preset, the configuration and the levels that all
    /// runs have in common.
    static void label_series(sweep_plan& plan) {
        const sweep_run& first = plan.runs.front();
        bool presets = false, configurations = false;
        std::vector<bool> axes(first.axes.size(), false);
        for (const sweep_run& r : plan.runs) {
            presets = presets || r.preset != first.preset;
            configurations = configurations || r.configuration != first.configuration;
            for (std::size_t a = 0; a < axes.size(); ++a)
                axes[a] = axes[a] || r.axes[a].second != first.axes[a].second;
        }
        for (sweep_run& r : plan.runs) {
            const auto add = [&](const std::string& part) {
                r.label += (r.label.empty() || part.empty() ? "" : " ") + part;
            };
            if (presets) add(r.preset);
            if (configurations) add(r.configuration);
            for (std::size_t a = 0; a < axes.size(); ++a)
                if (axes[a])
                    add(r.axes[a].first + " " +
                        (r.axes[a].second == flag_value ? "1" : r.axes[a].second));
            if (r.label.empty()) r.label = r.series;
        }
    }

    sweep_plan plan_of(const YAML::Node& root) {
        check_keys(root,
                   {"output", "workloads", "presets", "configurations", "axes", "paired", "options",
                    "statistics", "baseline", "measured", "timeout", "slurm", "shards", "warm-up",
                    "metric", "plots", "pareto"},
                   "the specification");
        if (root["shards"] && shards_ == 0) shards_ = count_of(root["shards"], "'shards'");
        if (root["warm-up"]) warm_up_ = count_of(root["warm-up"], "'warm-up'");
        sweep_plan plan;
        fs::path folder = root["output"] ? fs::path(name_of(root["output"], "'output'"))
                                         : fs::path(fs::path(file_).stem().string() + ".results");
        plan.folder = (folder.is_relative() ? base_ / folder : folder).lexically_normal().string();
        const std::vector<YAML::Node> listed = elements_of(root["workloads"], "'workloads'");
        if (listed.empty()) refuse(root, "there are no workloads");
        std::vector<workload> workloads;
        std::set<std::string> names;
        for (const YAML::Node& n : listed) {
            workloads.push_back(workload_of(n));
            if (!names.insert(workloads.back().name).second)
                refuse(n, fmt::format("two workloads are called '{}'", workloads.back().name),
                       "give one a name");
        }
        std::vector<preset> presets = presets_of(root["presets"]);
        std::vector<configuration> configurations;
        if (root["configurations"]) {
            std::set<std::string> seen;
            for (const YAML::Node& n : elements_of(root["configurations"], "'configurations'")) {
                configurations.push_back(configuration_of(n));
                if (!seen.insert(configurations.back().name).second)
                    refuse(n, fmt::format("two configurations are called '{}'",
                                          configurations.back().name));
            }
        }
        if (presets.empty() && configurations.empty())
            refuse(root, "no GPU is configured", "name one: presets: [QV100]");
        if (presets.empty()) presets.emplace_back();
        if (configurations.empty()) configurations = {configuration{}};
        const std::vector<assignment> common = options_of(root["options"]);
        const auto points = points_of(root, plan);
        for (const auto& [name, value] : common)
            if (name == "--threads") plan.processors = std::max(1, std::atoi(value.c_str()));
        read_statistics(root, plan);
        read_measured(root, names, plan);
        if (root["timeout"])
            plan.timeout = count_of(root["timeout"], "'timeout'", 0, 1'000'000'000);
        plan.slurm = list_of(root["slurm"], "'slurm'");
        if (workloads.size() * presets.size() > max_runs ||
            workloads.size() * presets.size() * configurations.size() > max_runs ||
            workloads.size() * presets.size() * configurations.size() * points.size() > max_runs)
            refuse(root, fmt::format("there are more than {} runs", max_runs));
        plan.inputs.push_back(file_);
        for (const workload& w : workloads)
            plan.inputs.insert(plan.inputs.end(), w.reads.begin(), w.reads.end());
        for (const configuration& c : configurations)
            plan.inputs.insert(plan.inputs.end(), c.files.begin(), c.files.end());
        std::set<std::string> folders;
        for (const workload& w : workloads)
            for (const preset& p : presets)
                for (const configuration& c : configurations)
                    for (const level& point : points) {
                        plan.runs.push_back(run_of(w, p, c, point, common, plan, root));
                        const sweep_run& r = plan.runs.back();
                        if (!folders.insert(r.folder).second)
                            refuse(root, fmt::format("{} {} comes twice", r.workload, r.series),
                                   "list each preset, and each value of an axis, once");
                    }
        label_series(plan);
        plan.baseline =
            root["baseline"] ? text_of(root["baseline"], "'baseline'") : plan.runs.front().series;
        if (std::none_of(plan.runs.begin(), plan.runs.end(),
                         [&](const sweep_run& r) { return r.series == plan.baseline; })) {
            std::vector<std::string> all;
            for (const sweep_run& r : plan.runs) all.push_back(r.series);
            refuse(root["baseline"], fmt::format("no runs are called '{}'", plan.baseline),
                   fmt::format("did you mean '{}'?", support::nearest_name(plan.baseline, all)));
        }
        return plan;
    }

    std::string file_, simtlm_;
    const std::vector<std::string>& known_statistics_;
    unsigned shards_, warm_up_ = 0;
    fs::path base_;
};

}  // namespace

std::vector<std::string> sweep_command(const std::vector<std::string>& pattern,
                                       const std::string& folder) {
    std::vector<std::string> command = pattern;
    for (std::string& word : command)
        for (std::size_t at; (at = word.find(folder_mark)) != std::string::npos;)
            word.replace(at, 1, folder);
    return command;
}

sweep_plan read_sweep(const std::string& file, const std::string& simtlm,
                      const std::vector<std::string>& statistics, unsigned shards) {
    return parse_sweep(support::read_text_file(file, "name a specification in YAML"), file, simtlm,
                       statistics, shards);
}

sweep_plan parse_sweep(const std::string& text, const std::string& file, const std::string& simtlm,
                       const std::vector<std::string>& statistics, unsigned shards) {
    return spec_reader(file, simtlm, statistics, shards).read(text);
}

}  // namespace simtlm::platform::study
