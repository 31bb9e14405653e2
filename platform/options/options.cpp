// SPDX-License-Identifier: Apache-2.0
#include "platform/options/options.h"

#include "modules/support/error.h"
#include "modules/support/number_text.h"
#include "modules/support/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <ostream>
#include <sstream>
#include <utility>

// Boost.Program_options is not used: it does not support values with an origin, files included at
// the position where they are named, one ordering over files and command line, or long names with a
// single dash and colons. These options need all four.

namespace simtlm::platform {

namespace {

namespace fs = std::filesystem;
using support::user_error;

/// Returns whether a word starts an option; a negative number does not.
bool is_option_word(const std::string& word) {
    if (word.size() < 2 || word[0] != '-') return false;
    return word[1] == '-' || std::isalpha(static_cast<unsigned char>(word[1])) != 0;
}

bool is_switch_value(const std::string& word) {
    return word == "0" || word == "1";
}

/// Returns whether a list continues in the next word after this one.
bool continues(const std::string& word) {
    return !word.empty() && (word.back() == ',' || word.back() == ':' || word.back() == ';');
}

std::string quoted_if_needed(const std::string& text) {
    const bool plain = !text.empty() && text.find_first_of(" \t#\"") == std::string::npos;
    return plain ? text : '"' + text + '"';
}

/// The path of a file that an option names: relative to the folder of the file in which it is
/// given, if there is one and it has such a file.
std::string found_beside(const std::string& folder, const std::string& name) {
    std::error_code ignored;
    const fs::path path(name);
    if (folder.empty() || name.empty() || !path.is_relative() ||
        !fs::exists(fs::path(folder) / path, ignored))
        return name;
    return (fs::path(folder) / path).lexically_normal().string();
}

/// Whether a preset is that of a DRAM technology.
bool is_memory(const std::string& preset) {
    return preset.compare(0, 5, "dram/") == 0;
}

/// Returns whether the value is valid but stands for "not set".
bool is_unset(const option_info& option, const std::string& text) {
    return text.empty() && option.type != option_type::boolean;
}

}  // namespace

// ---- table look-ups -----------------------------------------------------------------------------

const option_info* find_option(std::string_view name) {
    static const std::map<std::string, const option_info*, std::less<>> by_name = [] {
        std::map<std::string, const option_info*, std::less<>> index;
        for (const option_info& option : option_table()) index.emplace(option.name, &option);
        for (const auto& [older, current] : option_aliases())
            index.emplace(older, index.at(current));
        return index;
    }();
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second;
}

std::string nearest_option(std::string_view name) {
    std::vector<std::string> names;
    for (const option_info& option : option_table()) names.push_back(option.name);
    for (const auto& [older, current] : option_aliases()) names.push_back(older);
    return nearest_name(name, names);
}

// ---- origins ------------------------------------------------------------------------------------

std::string option_origin::text() const {
    switch (kind) {
        case source::default_value:
            return "default";
        case source::preset:
            return fmt::format("preset {} ({}:{})", preset, fs::path(file).filename().string(),
                               line);
        case source::file:
            return fmt::format("{}:{}", file, line);
        case source::command_line:
            return file.empty() ? "command line" : file;
        case source::program:
            return "program";
    }
    return {};
}

std::string option_origin::where() const {
    return kind == source::preset ? fmt::format("{}:{}", file, line) : text();
}

// ---- values -------------------------------------------------------------------------------------

std::optional<std::int64_t> parse_integer(std::string_view text) {
    const std::string copy(text);
    if (copy.empty() || std::isspace(static_cast<unsigned char>(copy[0])) != 0) return std::nullopt;
    char* end = nullptr;
    errno = 0;
    const long long value = std::strtoll(copy.c_str(), &end, 0);
    if (errno != 0 || end != copy.c_str() + copy.size()) return std::nullopt;
    return value;
}

std::optional<double> parse_real(std::string_view text) {
    const std::string copy(text);
    if (copy.empty() || std::isspace(static_cast<unsigned char>(copy[0])) != 0) return std::nullopt;
    char* end = nullptr;
    const double value = support::read_double(copy.c_str(), &end);
    if (end != copy.c_str() + copy.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

/// A word of a file or of the command line.
struct option_values::token {
    std::string text;
    unsigned line = 0;
    bool quoted = false;
};

/// Context of the words being read.
struct option_values::reading {
    option_origin origin;  ///< the line is set for each word
    std::string folder;    ///< folder that relative paths are resolved against first; empty: none
    option_origin at(const token& word) const {
        option_origin here = origin;
        here.line = word.line;
        return here;
    }
};

option_values::option_values() : option_values(preset_finder{}) {}

option_values::option_values(preset_finder presets) : find_preset_(std::move(presets)) {
    for (const option_info& option : option_table())
        defaults_.emplace(option.name, option_value{option.default_text, {}});
}

const option_info& option_values::known(std::string_view name) const {
    const option_info* option = find_option(name);
    if (option == nullptr) throw std::logic_error(fmt::format("no option {} in the table", name));
    return *option;
}

bool option_values::given(std::string_view name) const {
    return given_.find(known(name).name) != given_.end();
}

const option_value& option_values::value(std::string_view name) const {
    const option_info& option = known(name);
    const auto found = given_.find(option.name);
    return found == given_.end() ? defaults_.find(option.name)->second : found->second.back();
}

const std::vector<option_value>& option_values::all(std::string_view name) const {
    const auto found = given_.find(known(name).name);
    return found == given_.end() ? none_ : found->second;
}

bool option_values::flag(std::string_view name) const {
    return value(name).text == "1";
}

std::int64_t option_values::integer(std::string_view name) const {
    const auto number = parse_integer(text(name));
    if (!number) fail(name, "is not an integer");
    return *number;
}

std::uint64_t option_values::natural(std::string_view name) const {
    const std::int64_t number = integer(name);
    if (number < 0) fail(name, "must not be negative");
    return static_cast<std::uint64_t>(number);
}

unsigned option_values::number(std::string_view name, unsigned low, unsigned high) const {
    const std::uint64_t wide = natural(name);
    if (wide < low || wide > high) {
        if (low == 1 && wide == 0) fail(name, "must not be zero");
        fail(name, fmt::format("must lie between {} and {}", low, high));
    }
    return static_cast<unsigned>(wide);
}

double option_values::real(std::string_view name) const {
    const auto number = parse_real(text(name));
    if (!number) fail(name, "is not a number");
    return *number;
}

void option_values::fail(std::string_view name, const std::string& what,
                         const std::string& remedy) const {
    throw located({std::string(name), what, remedy});
}

user_error option_values::located(const user_error& error) const {
    const option_info* const option = find_option(error.where());
    if (option == nullptr) return error;
    const option_value& current = value(option->name);
    if (current.text.empty() && !given(option->name)) return error;
    return {current.origin.where(),
            fmt::format("{} {}: {}", option->name, quoted_if_needed(current.text), error.fault()),
            error.remedy()};
}

void option_values::store(const option_info& option, const std::string& text,
                          const option_origin& origin, const std::string& folder) {
    const auto wrong = [&](const std::string& what, const std::string& remedy) {
        throw user_error(origin.where(),
                         fmt::format("{} {}: {}", option.name, quoted_if_needed(text), what),
                         remedy);
    };
    std::string kept = text;
    switch (option.type) {
        case option_type::boolean: {
            const auto number = parse_integer(text);
            if (!number || (*number != 0 && *number != 1)) wrong("is neither 0 nor 1", "");
            kept = *number == 1 ? "1" : "0";
            break;
        }
        case option_type::integer:
            if (!parse_integer(text)) wrong("is not an integer", "syntax: " + option.syntax);
            break;
        case option_type::natural: {
            const auto number = parse_integer(text);
            if (!number) wrong("is not an integer", "syntax: " + option.syntax);
            if (*number < 0) wrong("must not be negative", "");
            break;
        }
        case option_type::real:
            if (!parse_real(text)) wrong("is not a number", "syntax: " + option.syntax);
            break;
        case option_type::text:
            break;
        case option_type::path:
            kept = found_beside(folder, text);
            break;
    }
    if (option.name == "--compat") check_compat_is_first(origin, kept);
    std::vector<option_value>& values = given_[option.name];
    if (!option.repeatable) values.clear();
    values.push_back({kept, origin});
}

void option_values::set(const std::string& name, const std::string& value,
                        const option_origin& origin) {
    const option_info* option = find_option(name);
    if (option == nullptr)
        throw user_error(origin.where(), "unknown option " + name, unknown_option_remedy(name));
    store(*option, value, origin, {});
}

void option_values::read_tokens(const std::vector<token>& tokens, const reading& context) {
    // --compat selects files of presets, wherever it stands among these words.
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const std::string& word = tokens[i].text;
        if (tokens[i].quoted || word.compare(0, 8, "--compat") != 0) continue;
        if (word.size() > 8 && word[8] == '=')
            store(known("--compat"), word.substr(9), context.at(tokens[i]), context.folder);
        else if (word.size() == 8 && i + 1 < tokens.size())
            store(known("--compat"), tokens[i + 1].text, context.at(tokens[i]), context.folder);
    }
    for (std::size_t i = 0; i < tokens.size();) {
        const token& word = tokens[i];
        const option_origin here = context.at(word);
        if (word.quoted || !is_option_word(word.text))
            throw user_error(
                here.where(), fmt::format("'{}' is not an option", word.text),
                "an option starts with - and takes one value; quote a value of several "
                "words");
        std::string name = word.text;
        std::optional<std::string> value;
        const option_info* option = find_option(name);
        const std::size_t equals = name.find('=');
        if (option == nullptr && equals != std::string::npos) {
            value = name.substr(equals + 1);
            name.resize(equals);
            option = find_option(name);
        }
        if (option == nullptr)
            throw user_error(here.where(), "unknown option " + name, unknown_option_remedy(name));
        ++i;
        if (!value) {
            const bool has_next = i < tokens.size();
            if (option->type == option_type::boolean) {
                // A switch consumes the next word only if it is 0 or 1; any other word is a
                // separate argument.
                if (has_next &&
                    (is_switch_value(tokens[i].text) || !is_option_word(tokens[i].text)))
                    value = tokens[i++].text;
                else
                    value = "1";
            } else {
                if (!has_next || (!tokens[i].quoted && is_option_word(tokens[i].text)))
                    throw user_error(here.where(), name + " lacks a value",
                                     "syntax: " + name + " " + option->syntax);
                value = tokens[i].text;
                bool open = !tokens[i].quoted && option->type == option_type::text;
                ++i;
                while (open && continues(*value) && i < tokens.size() && !tokens[i].quoted &&
                       !is_option_word(tokens[i].text)) {
                    *value += tokens[i++].text;
                }
            }
        }
        if (option->name == "-config") {
            read_file(included_file(context.folder, *value), context.origin.preset, here);
        } else {
            // A folder of the user may be relative to the file that names it.
            if (option->name == "--preset") {
                const std::string file = found_beside(context.folder, *value);
                if (value->compare(0, 1, ".") == 0 && file != *value) *value = fs::absolute(file);
                load_preset(*value);
            }
            if (option->name == "-dram_clock") {
                // A GPU that includes the file of a technology has a clock of its own.
                const option_origin::source kind = context.origin.kind;
                if (kind == option_origin::source::command_line || is_memory(context.origin.preset))
                    set_dram_clock(*value, here);
                continue;
            }
            store(*option, *value, here, context.folder);
        }
    }
}

std::string option_values::included_file(const std::string& folder, const std::string& name) const {
    const std::string file = found_beside(folder, name);
    std::error_code ignored;
    if (!find_preset_ || fs::exists(file, ignored) || name.compare(0, 3, "../") != 0) return file;
    try {
        return find_preset_(fs::path(name.substr(3)).replace_extension().string(), false).front();
    } catch (const user_error&) {
        return file;  // its absence is reported
    }
}

void option_values::read_file(const std::string& path, const std::string& preset,
                              const option_origin& asked_from) {
    const std::string where =
        asked_from.kind == option_origin::source::program ? std::string{} : asked_from.where();
    // Compare file identities: ./a and a, symbolic links to files and folders.
    const auto is_this = [&](const std::string& open) {
        std::error_code none;
        return open == path || fs::equivalent(open, path, none);
    };
    if (std::any_of(open_files_.begin(), open_files_.end(), is_this))
        throw user_error(where, path + " is included by itself", "remove the -config line");
    std::string text;
    try {
        text = support::read_text_file(path, "-config requires a file in option syntax");
    } catch (const user_error& e) {
        throw user_error(where, std::string("configuration file ") + e.what());
    }
    open_files_.push_back(path);
    files_.push_back(path);
    try {
        read_text(text, path, preset);
    } catch (...) {
        open_files_.pop_back();
        throw;
    }
    open_files_.pop_back();
}

void option_values::read_text(const std::string& text, const std::string& file,
                              const std::string& preset) {
    std::vector<token> tokens;
    unsigned line = 1;
    std::size_t i = 0;
    while (i < text.size()) {
        const char c = text[i];
        if (c == '\n') {
            ++line;
            ++i;
        } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            ++i;
        } else if (c == '#') {
            while (i < text.size() && text[i] != '\n') ++i;
        } else if (c == '"') {
            token word{{}, line, true};
            ++i;
            while (i < text.size() && text[i] != '"') {
                if (text[i] == '\n') ++line;
                const bool space = std::isspace(static_cast<unsigned char>(text[i])) != 0;
                // A line break with surrounding white space counts as one space.
                if (!space)
                    word.text += text[i];
                else if (!word.text.empty() && word.text.back() != ' ')
                    word.text += ' ';
                ++i;
            }
            if (i == text.size())
                throw user_error(fmt::format("{}:{}", file, word.line),
                                 "a quoted value is not terminated", "close it with \"");
            ++i;
            tokens.push_back(std::move(word));
        } else {
            token word{{}, line, false};
            while (i < text.size() && text[i] != '#' &&
                   std::isspace(static_cast<unsigned char>(text[i])) == 0)
                word.text += text[i++];
            tokens.push_back(std::move(word));
        }
    }
    reading context;
    context.origin.kind =
        preset.empty() ? option_origin::source::file : option_origin::source::preset;
    context.origin.file = file;
    context.origin.preset = preset;
    context.folder = fs::path(file).parent_path().string();
    read_tokens(tokens, context);
}

void option_values::load_file(const std::string& path) {
    read_file(path, {}, {option_origin::source::program, {}, 0, {}});
}

void option_values::load_text(const std::string& text, const std::string& file) {
    read_text(text, file, {});
}

std::uint64_t option_values::memory_bus_bytes() const {
    return natural("-gpgpu_n_mem") * natural("-gpgpu_n_mem_per_ctrlr") *
           natural("-gpgpu_dram_buswidth");
}

void option_values::set_dram_clock(const std::string& megahertz, const option_origin& origin) {
    const std::string& clocks = text("-gpgpu_clock_domains");
    set("-gpgpu_clock_domains", clocks.substr(0, clocks.rfind(':') + 1) + megahertz, origin);
}

void option_values::check_replaced_memory() const {
    const option_origin& origin = value("-gpgpu_n_mem").origin;
    if (!replaced_memory_ || origin.kind == option_origin::source::command_line ||
        origin.kind == option_origin::source::program ||
        origin.text() != replaced_memory_->channels_of)
        return;
    const std::uint64_t bytes = memory_bus_bytes(), channels = natural("-gpgpu_n_mem"),
                        slices = channels * natural("-gpgpu_n_sub_partition_per_mchannel");
    if (bytes == replaced_memory_->bytes || bytes == 0) return;
    const std::uint64_t fitting = replaced_memory_->bytes * channels / bytes;
    std::string remedy = fmt::format("-gpgpu_n_mem {} keeps the channels", channels);
    if (fitting != 0)
        remedy = fmt::format(
                     "-gpgpu_n_mem {}{} keeps the width, ", fitting,
                     slices % fitting == 0
                         ? fmt::format(" -gpgpu_n_sub_partition_per_mchannel {}", slices / fitting)
                         : "") +
                 remedy;
    throw user_error("--preset " + replaced_memory_->by,
                     fmt::format("{} channels of this technology have a bus of {} bytes; that of "
                                 "the GPU has {}",
                                 channels, bytes, replaced_memory_->bytes),
                     "state the number of channels: " + remedy);
}

void option_values::keep_memory_width() {
    const option_value channels = value("-gpgpu_n_mem");
    const std::uint64_t bytes = memory_bus_bytes(), before = natural("-gpgpu_n_mem"),
                        slices = before * natural("-gpgpu_n_sub_partition_per_mchannel");
    if (channels.origin.text() != replaced_memory_->channels_of || bytes == 0) return;
    const std::uint64_t fitting = replaced_memory_->bytes * before / bytes;
    if (fitting == before || fitting == 0 || slices % fitting != 0 ||
        fitting * bytes != replaced_memory_->bytes * before)
        return;
    // The banks of a channel are divided among its slices.
    const std::string& timing = text("-gpgpu_dram_timing_opt");
    const std::size_t banks = timing.find("nbk=");
    if (banks == std::string::npos ||
        std::strtoul(timing.c_str() + banks + 4, nullptr, 10) % (slices / fitting) != 0)
        return;
    const option_origin origin = value("-gpgpu_dram_buswidth").origin;
    set("-gpgpu_n_mem", std::to_string(fitting), origin);
    set("-gpgpu_n_sub_partition_per_mchannel", std::to_string(slices / fitting), origin);
    replaced_memory_->channels_of = origin.text();
}

void option_values::load_preset(const std::string& name) {
    if (!find_preset_)
        throw user_error("--preset " + name, "there are no shipped configurations to look in");
    if (is_memory(name) && !given("-gpgpu_n_mem"))
        throw user_error("--preset " + name, "configures the memory of a GPU, but no GPU",
                         "name a GPU before it: --preset QV100 --preset " + name);
    if (is_memory(name) && !replaced_memory_)
        replaced_memory_ = {name, memory_bus_bytes(), value("-gpgpu_n_mem").origin.text()};
    else if (!is_memory(name))
        replaced_memory_.reset();
    for (const std::string& file : find_preset_(name, text("--compat") == "accel-sim"))
        read_file(file, name, {option_origin::source::program, {}, 0, {}});
    if (is_memory(name)) keep_memory_width();
    presets_.push_back(name);
}

bool option_values::has_reference_files(const std::string& preset) const {
    return find_preset_(preset, true) != find_preset_(preset, false);
}

void option_values::check_compat_is_first(const option_origin& origin,
                                          const std::string& compat) const {
    if ((compat == "accel-sim") == (text("--compat") == "accel-sim")) return;
    for (const std::string& preset : presets_)
        if (has_reference_files(preset))
            throw user_error(origin.where(),
                             fmt::format("--compat {} selects other files of preset {}, which has "
                                         "already been read",
                                         compat, preset),
                             "give --compat before --preset or on the same command line");
}

void option_values::parse_command_line(const std::vector<std::string>& arguments,
                                       const std::string& where) {
    std::vector<token> tokens;
    for (const std::string& argument : arguments)
        tokens.push_back({argument, 0, argument.find(' ') != std::string::npos});
    reading context;
    context.origin.kind = option_origin::source::command_line;
    context.origin.file = where;
    read_tokens(tokens, context);
}

void option_values::parse_command_line(int argc, const char* const* argv) {
    std::vector<std::string> arguments;
    for (int i = 1; i < argc; ++i) arguments.emplace_back(argv[i]);
    parse_command_line(arguments);
}

std::vector<std::string> option_values::notes() const {
    std::vector<std::string> lines;
    std::vector<std::string> reasons;
    std::map<std::string, std::string> names;
    for (const option_info& option : option_table()) {
        if (option.effective() || !given(option.name)) continue;
        std::string& list = names[option.no_meaning];
        if (list.empty()) reasons.push_back(option.no_meaning);
        list += (list.empty() ? "" : ", ") + option.name;
    }
    for (const std::string& reason : reasons)
        lines.push_back(fmt::format("accepted without effect: {} ({})", names[reason], reason));
    return lines;
}

// ---- effects ------------------------------------------------------------------------------------

bool is_enabled(const option_values& values, std::string_view name) {
    if (!values.given(name)) return false;
    const option_info& option = *find_option(name);
    const std::string& text = values.text(name);
    return option.type == option_type::path || text != option.default_text;
}

namespace {

/// Whether one of the options is enabled that the option requires.
bool is_usable(const option_values& values, const option_info& option) {
    return option.depends_on.empty() ||
           std::any_of(option.depends_on.begin(), option.depends_on.end(),
                       [&](const std::string& other) { return is_enabled(values, other); });
}

/// Why an option has no effect in a kind of run, and the remedy.
std::pair<std::string, std::string> reason(std::uint8_t runs, run_kind kind) {
    const bool functional = (kind & functional_runs) != 0;
    std::uint8_t same_work = program_runs;
    if ((kind & host_runs) != 0)
        same_work = host_runs;
    else if (kind == replay)
        same_work = replay;
    if ((runs & same_work) != 0 && functional)
        return {"in functional mode", "omit it, or give -gpgpu_ptx_sim_mode 0"};
    if ((runs & same_work) != 0) return {"with timing", "omit it, or give -gpgpu_ptx_sim_mode 1"};
    if ((kind & host_runs) != 0)
        return {"with simtlm run", "omit it; the kernels are those of the program"};
    if ((runs & ~host_runs) == 0)
        return {"except for CUDA and OpenCL programs (simtlm run)", "omit it"};
    return {kind == replay ? "on traces" : "on programs", "omit it"};
}

}  // namespace

void check_effects(const option_values& values, run_kind kind) {
    using source = option_origin::source;
    for (const option_info& option : option_table()) {
        if (!option.effective() || option.action || !values.given(option.name)) continue;
        const option_origin& from = values.value(option.name).origin;
        // Properties of a GPU are no requests to a run.
        const bool own = option.name.compare(0, 2, "--") == 0 && option.group != option_group::chip;
        // A file that --dump-config has written contains all defaults.
        const bool counts = from.kind == source::command_line ||
                            (own && from.kind == source::file && is_enabled(values, option.name));
        if (!counts) continue;
        // Scripts switch off what is on in other simulators.
        if (option.type == option_type::boolean && !values.flag(option.name)) continue;
        if (option.type == option_type::path && values.text(option.name).empty()) continue;
        const auto refuse = [&](const std::string& why, const std::string& remedy) {
            throw user_error(from.where(), fmt::format("{} has no effect {}", option.name, why),
                             remedy);
        };
        if ((option.runs & kind) == 0) {
            const auto [why, remedy] = reason(option.runs, kind);
            refuse(why, remedy);
        }
        if (!is_usable(values, option)) {
            const std::string needed = fmt::format("{}", fmt::join(option.depends_on, " or "));
            refuse("without " + needed, "give it, or omit " + option.name);
        }
    }
}

// ---- texts --------------------------------------------------------------------------------------

const char* group_title(option_group group) {
    switch (group) {
        case option_group::run:
            return "Running";
        case option_group::output:
            return "Output";
        case option_group::trace:
            return "Traces and instruction latencies";
        case option_group::fidelity:
            return "Fidelity";
        case option_group::chip:
            return "Chip and clocks";
        case option_group::launch:
            return "Kernel launch and limits";
        case option_group::core:
            return "SM: occupancy, fetch and issue";
        case option_group::operands:
            return "SM: register file and operand collectors";
        case option_group::units:
            return "SM: functional units";
        case option_group::sub_cores:
            return "SM: the sub-core pipeline";
        case option_group::l1:
            return "SM: caches and shared memory";
        case option_group::l2:
            return "Memory partition and L2";
        case option_group::dram:
            return "DRAM";
        case option_group::interconnect:
            return "Interconnect";
        case option_group::power:
            return "Power and energy";
        case option_group::elsewhere:
            return "Accepted options without effect";
    }
    return "";
}

namespace {

constexpr option_group all_groups[] = {
    option_group::run,   option_group::output,       option_group::trace, option_group::fidelity,
    option_group::chip,  option_group::launch,       option_group::core,  option_group::operands,
    option_group::units, option_group::sub_cores,    option_group::l1,    option_group::l2,
    option_group::dram,  option_group::interconnect, option_group::power, option_group::elsewhere,
};

/// Section in which an option is listed; options without effect are listed together at the end.
option_group shown_in(const option_info& option) {
    return option.effective() ? option.group : option_group::elsewhere;
}

/// Wraps text into lines of at most `width` characters.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
    std::vector<std::string> lines;
    std::istringstream words(text);
    std::string word, line;
    while (words >> word) {
        if (!line.empty() && line.size() + 1 + word.size() > width) {
            lines.push_back(line);
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
    }
    if (!line.empty()) lines.push_back(line);
    return lines;
}

std::string described(const option_info& option) {
    std::string text = option.description;
    if (!option.effective())
        text += (text.empty() ? "" : " ") + ("No effect: " + option.no_meaning) + ".";
    std::string notes;
    if (!option.unit.empty()) notes = option.unit;
    if (!option.default_text.empty() && !option.action) {
        const bool switched_off = option.syntax.empty() && option.default_text == "0";
        if (!switched_off)
            notes += (notes.empty() ? "" : "; ") + ("default " + option.default_text);
    }
    if (option.repeatable) notes += std::string(notes.empty() ? "" : "; ") + "repeatable";
    if (!notes.empty()) text += " [" + notes + "]";
    return text;
}

std::string for_table(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c;
    }
    return out;
}

}  // namespace

namespace {

/// Writes the options that a filter selects, by group. @return whether there are any
bool write_selected(std::ostream& out, const std::function<bool(const option_info&)>& selects) {
    bool any = false;
    for (const option_group group : all_groups) {
        bool headed = false;
        for (const option_info& option : option_table()) {
            if (shown_in(option) != group || !selects(option)) continue;
            if (!headed) out << (any ? "\n" : "") << group_title(group) << ":\n";
            any = headed = true;
            out << "  " << option.name << (option.syntax.empty() ? "" : " ") << option.syntax
                << '\n';
            for (const std::string& line : wrapped(described(option), 90))
                out << "      " << line << '\n';
        }
    }
    return any;
}

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

}  // namespace

void write_help_on(std::ostream& out, const std::string& topic) {
    const std::string wanted = lower_case(topic);
    const auto contains = [&](const std::string& text) {
        return lower_case(text).find(wanted) != std::string::npos;
    };
    const std::function<bool(const option_info&)> ways[] = {
        [&](const option_info& o) { return contains(group_title(shown_in(o))); },
        [&](const option_info& o) { return contains(o.name); },
        [&](const option_info& o) { return contains(o.description); }};
    for (const auto& selects : ways)
        if (write_selected(out, selects)) return;
    std::vector<std::string> titles;
    for (const option_group group : all_groups) titles.emplace_back(group_title(group));
    throw user_error("--help " + topic, "no option concerns this topic",
                     fmt::format("a word of a name or of these: {}", fmt::join(titles, "; ")));
}

void write_help_on_run(std::ostream& out) {
    out << "usage: simtlm run --preset GPU [options] -- PROGRAM [arguments]\n\n"
           "Runs a compiled CUDA or OpenCL program on the simulated GPU (docs/cuda.md, "
           "docs/opencl.md).\nKernel reports are written to simtlm-stats.txt (--stats-file). "
           "simtlm --help lists the options\nof the simulated GPU as well.\n\n";
    write_selected(out, [](const option_info& o) {
        return (o.runs & host_runs) != 0 && o.effective() &&
               (o.group == option_group::run || o.group == option_group::output ||
                o.group == option_group::fidelity);
    });
}

void write_help(std::ostream& out, const std::string& program) {
    out << "usage: " << program << " --preset GPU -trace FILE [options]\n\n"
        << "Simulates a GPU cycle by cycle, from traces (-trace) or programs (--ptx, --cubin, "
           "simtlm run).\nOptions are read in order from the command line and from files (-config "
           "FILE); later values\noverride earlier ones.\n";
    out << '\n';
    write_selected(out, [](const option_info&) { return true; });
    out << "\nAliases:\n";
    for (const auto& [older, current] : option_aliases())
        out << "  " << older << " stands for " << current << '\n';
}

void write_options_markdown(std::ostream& out) {
    out << "# Options\n\n<!-- Generated from the option table "
           "(platform/options/options_table.cpp); do not edit. -->\n\nThis page lists all options "
           "of simtlm. They have the names and the syntax of GPGPU-Sim and Accel-Sim,\nso that "
           "configuration files of these simulators can be used unchanged. Options that exist only "
           "in\nsimtlm start with two dashes, except parameters of the modelled hardware (such as "
           "`-modern_*`).\n\n- An option has the form `-name value`. Enclose values of several "
           "words in double quotes. A list may\n  be continued on the next line after `,` `:` or "
           "`;`. `#` begins a comment.\n- Options may be given on the command line and in files "
           "(`-config FILE`), which may include other\n  files. Later values override earlier "
           "ones.\n- A relative file name in a configuration file is first looked up in the folder "
           "of that file.\n- `--dump-config` prints the effective configuration with the origin of "
           "each value.\n";
    for (const option_group group : all_groups) {
        out << "\n## " << group_title(group) << "\n\n";
        if (group == option_group::elsewhere) {
            out << "These options of GPGPU-Sim and Accel-Sim are accepted so that existing "
                   "configuration files can be\nused. If any of them is set, the run prints a note "
                   "that lists them.\n\n| option | reason |\n|---|---|\n";
            for (const option_info& option : option_table())
                if (shown_in(option) == group)
                    out << "| `" << option.name << "` | " << for_table(option.no_meaning) << " |\n";
            continue;
        }
        out << "| option | value | default | unit | meaning |\n|---|---|---|---|---|\n";
        for (const option_info& option : option_table()) {
            if (shown_in(option) != group) continue;
            const auto code = [](const std::string& text) {
                return text.empty() ? std::string{} : '`' + for_table(text) + '`';
            };
            out << "| `" << option.name << "` | " << code(option.syntax) << " | "
                << (option.action ? std::string{} : code(option.default_text)) << " | "
                << option.unit << " | " << for_table(option.description)
                << (option.repeatable ? " Repeatable." : "") << " |\n";
        }
    }
    out << "\n## Aliases\n\n| alias | option |\n|---|---|\n";
    for (const auto& [older, current] : option_aliases())
        out << "| `" << older << "` | `" << current << "` |\n";
}

void write_config(std::ostream& out, const option_values& values) {
    const auto line = [&](const option_info& option, const option_value& value) {
        std::string text = option.name;
        if (!option.syntax.empty() || value.text != "1") text += ' ' + quoted_if_needed(value.text);
        out << fmt::format("{:<64} # {}\n", text, value.origin.text());
    };
    out << "# The effective configuration; a comment gives the origin of each value.\n";
    for (const std::string& preset : values.presets()) out << "# loaded: preset " << preset << '\n';
    for (const option_group group : all_groups) {
        bool headed = false;
        for (const option_info& option : option_table()) {
            if (option.action || shown_in(option) != group) continue;
            const bool given = values.given(option.name);
            if (!option.effective() && !given) continue;
            if (!headed) out << "\n# " << group_title(group) << '\n';
            headed = true;
            if (option.repeatable) {
                for (const option_value& value : values.all(option.name)) line(option, value);
                if (!given)
                    out << fmt::format("{:<64} # default\n", "# " + option.name + " (none)");
            } else if (!given && !option.depends_on.empty() && !is_usable(values, option)) {
                const std::string value = quoted_if_needed(values.text(option.name));
                out << fmt::format("{:<64} # default; takes effect with {}\n",
                                   "# " + option.name + ' ' + value,
                                   fmt::join(option.depends_on, " or "));
            } else if (is_unset(option, values.text(option.name)) && !given) {
                out << fmt::format("{:<64} # default\n", "# " + option.name + " (not set)");
            } else {
                line(option, values.value(option.name));
            }
        }
    }
}

}  // namespace simtlm::platform
