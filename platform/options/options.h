// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/error.h"
#include "modules/support/nearest_name.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::platform {

// ---- the option table ----------------------------------------------------------------------

/// Syntax of an option value; checked when it is read, so that the error message contains the line.
enum class option_type : std::uint8_t {
    boolean,  ///< 0 or 1; an omitted value means 1
    integer,  ///< decimal, 0x hexadecimal, or octal with a leading 0; may be negative
    natural,  ///< same syntax, never negative
    real,     ///< decimal fraction
    text,     ///< one word, or several words in double quotes
    path,     ///< a file name, relative to the file that contains it if it exists there
};

/// Sections of --help and docs/options.md, in this order.
enum class option_group : std::uint8_t {
    run,
    output,
    trace,
    fidelity,
    chip,
    launch,
    core,
    operands,
    units,
    sub_cores,
    l1,
    l2,
    dram,
    interconnect,
    power,
    elsewhere,  ///< options of other simulators without effect in this one
};

/// Kinds of runs, which can be combined.
enum run_kind : std::uint8_t {
    replay = 1 << 0,              ///< of traces
    timed_program = 1 << 1,       ///< --ptx or --cubin
    functional_program = 1 << 2,  ///< the same without timing
    timed_host = 1 << 3,          ///< a CUDA or OpenCL program
    functional_host = 1 << 4,     ///< the same without timing
};
inline constexpr std::uint8_t timed_runs = replay | timed_program | timed_host;
inline constexpr std::uint8_t functional_runs = functional_program | functional_host;
inline constexpr std::uint8_t program_runs = timed_program | functional_program;
inline constexpr std::uint8_t host_runs = timed_host | functional_host;
inline constexpr std::uint8_t all_runs = timed_runs | functional_runs;

/// How a run uses the file that an option names.
enum class file_use : std::uint8_t {
    none,
    input,
    output,
    output_folder,  ///< a folder that is created, or is empty
};

/// One row of the option table, the source for parsing, --help, --dump-config and docs/options.md.
struct option_info {
    std::string name;  ///< including the dashes
    option_type type;
    std::string syntax;        ///< description of the value; empty for a switch
    std::string default_text;  ///< in option syntax
    option_group group;
    std::string unit;  ///< of the value; empty if it has none
    std::string description;
    /// Why the option is accepted but has no effect; empty: it is effective.
    std::string no_meaning;
    /// The option has an effect only if one of these is enabled: a switch that is on, a file that
    /// is named, a number that is not the default. Empty: always.
    std::vector<std::string> depends_on = {};
    std::uint8_t runs = all_runs;  ///< kinds of runs in which the option has an effect
    file_use files = file_use::none;
    bool repeatable = false;  ///< values accumulate instead of replacing one another
    bool action = false;      ///< requests an action of the executable; not part of a configuration

    bool effective() const { return no_meaning.empty(); }
};

/// All options, ordered by group.
const std::vector<option_info>& option_table();

/// Returns the row of an option, by its name or an alias; nullptr if there is none.
const option_info* find_option(std::string_view name);

/// Aliases (older spellings) and their options.
const std::map<std::string, std::string, std::less<>>& option_aliases();

/// Options of earlier versions of GPGPU-Sim and of Accel-Sim that are not accepted, with what to do
/// instead.
const std::map<std::string, std::string, std::less<>>& former_options();

/// What to do instead of giving an option that does not exist: its successor or the nearest name.
std::string unknown_option_remedy(std::string_view name);

/// The known option name with the smallest edit distance to `name`.
std::string nearest_option(std::string_view name);

using support::nearest_name;

class option_values;

/// Whether an option has a value that enables something: a switch that is on, a named file, any
/// value but the default.
bool is_enabled(const option_values& values, std::string_view name);

/// Rejects options of the command line, and options of this simulator in configuration files (other
/// than presets), that have no effect on a kind of run or without another option.
/// @throws support::user_error
void check_effects(const option_values& values, run_kind kind);

/// Heading of a group in --help and docs/options.md.
const char* group_title(option_group group);

/// A behaviour of Accel-Sim that deviates from hardware; --quirk enables it, --compat accel-sim
/// enables all.
struct quirk_info {
    const char* name;
    const char* description;
};
/// All quirks with name and description; defined in platform/config/quirks.cpp together with the
/// switches.
const std::vector<quirk_info>& quirk_table();

// ---- values and their origin -------------------------------------------------------------------

/// Where a value was given.
struct option_origin {
    enum class source : std::uint8_t { default_value, preset, file, command_line, program };
    source kind = source::default_value;
    std::string file;  ///< of preset and file; what stands for a command line, if it is none
    unsigned line = 0;
    std::string preset;  ///< preset that loaded the file

    /// "default", "command line", "my.config:12", "preset QV100 (gpgpusim.config:3)", "program".
    std::string text() const;
    /// Prefix of error messages: "file:line" or "command line".
    std::string where() const;
};

/// The text of an option value, and where it was given.
struct option_value {
    std::string text;
    option_origin origin;
};

/// The values of all options: defaults, overridden in order of reading. Later values replace
/// earlier ones; those of repeatable options accumulate.
class option_values {
public:
    /// Returns the files of a preset in loading order; throws support::user_error for an unknown
    /// name. With `reference`, the files that reproduce the reference simulator, if the preset has
    /// any.
    using preset_finder =
        std::function<std::vector<std::string>(const std::string& name, bool reference)>;

    option_values();
    explicit option_values(preset_finder presets);

    /// Parses the arguments of the executable, without the program name. Options may be written
    /// -name value, --name value (options of this simulator) and --name=value.
    /// @param where  what messages call them instead of "command line"
    /// @throws support::user_error
    void parse_command_line(const std::vector<std::string>& arguments,
                            const std::string& where = {});
    void parse_command_line(int argc, const char* const* argv);

    /// Reads a file in option syntax. @throws support::user_error  with file and line
    void load_file(const std::string& path);
    /// Reads text in option syntax as if it were the content of `file`.
    void load_text(const std::string& text, const std::string& file);
    /// Reads the files of a preset; they override values given before. With --compat accel-sim,
    /// those that reproduce Accel-Sim.
    void load_preset(const std::string& name);
    /// Sets one option. @throws support::user_error
    void set(const std::string& name, const std::string& value,
             const option_origin& origin = {option_origin::source::program, {}, 0, {}});

    /// Returns whether the option was given explicitly.
    bool given(std::string_view name) const;
    /// The effective value: the last one of a repeatable option, or the default.
    const option_value& value(std::string_view name) const;
    /// All values of a repeatable option, in order.
    const std::vector<option_value>& all(std::string_view name) const;

    const std::string& text(std::string_view name) const { return value(name).text; }
    bool flag(std::string_view name) const;
    std::int64_t integer(std::string_view name) const;
    std::uint64_t natural(std::string_view name) const;
    /// A natural number within [low, high]; throws user_error otherwise.
    unsigned number(std::string_view name, unsigned low = 0, unsigned high = 0xffffffffu) const;
    double real(std::string_view name) const;

    /// Throws a user_error with the option's origin, name and value.
    [[noreturn]] void fail(std::string_view name, const std::string& what,
                           const std::string& remedy = {}) const;

    /// The same error; if its place is the name of an option, with the option's origin and value.
    /// For checks of blocks, which do not know where their configuration comes from.
    support::user_error located(const support::user_error& error) const;

    /// Whether a preset has files of its own for --compat accel-sim.
    bool has_reference_files(const std::string& preset) const;
    /// Names of the loaded presets, in order.
    const std::vector<std::string>& presets() const { return presets_; }
    /// All configuration files read, including those of presets, in order.
    const std::vector<std::string>& files() const { return files_; }

    /// Rejects a DRAM technology (--preset dram/NAME) with which the GPU has another width of
    /// memory, unless the number of channels was given for it. @throws support::user_error
    void check_replaced_memory() const;

    /// One line for each given option without effect, with the reason.
    std::vector<std::string> notes() const;

private:
    /// The memory of a GPU that a preset of a DRAM technology replaces.
    struct replaced_memory {
        std::string by;           ///< name of the preset
        std::uint64_t bytes;      ///< width of all channels
        std::string channels_of;  ///< where the number of channels was given
    };
    /// Width in bytes of all memory channels.
    std::uint64_t memory_bus_bytes() const;
    /// Gives a technology that replaces the memory of a GPU as many channels as keep the width of
    /// all, if the slices of the L2 can be divided evenly among them.
    void keep_memory_width();
    void set_dram_clock(const std::string& megahertz, const option_origin& origin);
    struct token;
    struct reading;
    void read_tokens(const std::vector<token>& tokens, const reading& context);
    void read_text(const std::string& text, const std::string& file, const std::string& preset);
    void read_file(const std::string& path, const std::string& preset,
                   const option_origin& asked_from);
    /// The file that -config names in a file of a folder. A copy of a preset finds what it includes
    /// from beside it, `../dram/HBM2.config`, among the presets.
    std::string included_file(const std::string& folder, const std::string& name) const;
    void store(const option_info& option, const std::string& text, const option_origin& origin,
               const std::string& folder);
    const option_info& known(std::string_view name) const;
    void check_compat_is_first(const option_origin& origin, const std::string& compat) const;

    preset_finder find_preset_;
    std::map<std::string, std::vector<option_value>, std::less<>> given_;
    std::map<std::string, option_value, std::less<>> defaults_;
    std::vector<std::string> presets_;
    std::vector<std::string> files_;
    std::vector<std::string> open_files_;  ///< files being read, outermost first
    std::vector<option_value> none_;       ///< always empty
    std::optional<replaced_memory> replaced_memory_;
};

/// Parse a number in option syntax; nothing if the text is not a number.
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<double> parse_real(std::string_view text);

// ---- texts generated from the table
// --------------------------------------------------------------

/// Writes --help: every option, by group.
void write_help(std::ostream& out, const std::string& program);
/// Writes --help TOPIC: the options of a group (a part of its heading), those whose names contain
/// the topic, or those whose descriptions do. @throws support::user_error  if there are none
void write_help_on(std::ostream& out, const std::string& topic);
/// Writes simtlm run --help: the options that concern CUDA and OpenCL programs.
void write_help_on_run(std::ostream& out);
/// Writes docs/options.md.
void write_options_markdown(std::ostream& out);
/// Writes --dump-config: the effective configuration in option syntax, each value followed by its
/// origin in a comment. Reading it back yields the same configuration.
void write_config(std::ostream& out, const option_values& values);

}  // namespace simtlm::platform
