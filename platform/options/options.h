// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/nearest_name.h"

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

/// How the value of an option is written; checked as soon as it is read, so that a message names
/// the line it came from.
enum class option_type : std::uint8_t {
    boolean,  ///< 0 or 1; the value may be left out, which means 1
    integer,  ///< decimal, 0x hexadecimal, or octal with a leading 0; may be negative
    natural,  ///< the same, never negative
    real,     ///< decimal fraction
    text,     ///< one word, or several in double quotes
    path,     ///< a file; relative to the file that names it, if it exists there
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
    modern,
    l1,
    l2,
    dram,
    interconnect,
    elsewhere,  ///< options of other simulators that have no meaning here
};

/// One row of the table from which parsing, --help, --dump-config and docs/options.md are made.
struct option_info {
    std::string name;  ///< with its dashes
    option_type type;
    std::string syntax;        ///< of the value, for people; empty for a switch
    std::string default_text;  ///< in option syntax
    option_group group;
    std::string unit;  ///< of the value; empty when it has none
    std::string description;
    std::string no_meaning;  ///< why the option is accepted without meaning; empty: it is effective
    std::string depends_on;  ///< the switch without which the option is refused; empty: none
    bool repeatable = false;  ///< values add up instead of replacing one another
    bool action = false;      ///< asks the executable for something; not part of a configuration

    bool effective() const { return no_meaning.empty(); }
};

/// All options, in order of groups.
const std::vector<option_info>& option_table();

/// The row of `name`, which may be an older spelling of it; nullptr if there is none.
const option_info* find_option(std::string_view name);

/// Older spellings and the option each stands for.
const std::map<std::string, std::string, std::less<>>& option_aliases();

/// The known option whose name takes the fewest edits to reach from `name`.
std::string nearest_option(std::string_view name);

using kernel::nearest_name;

const char* group_title(option_group group);

/// A departure of Accel-Sim from the hardware that --quirk switches on; --compat accel-sim is all.
struct quirk_info {
    const char* name;
    const char* description;
};
/// All quirks: the names and descriptions of the table in platform/config/quirks.cpp, which knows
/// what each switches.
const std::vector<quirk_info>& quirk_table();

// ---- values and where they came from ----------------------------------------------------------

/// Where a value was given.
struct option_origin {
    enum class source : std::uint8_t { default_value, preset, file, command_line, program };
    source kind = source::default_value;
    std::string file;  ///< preset and file
    unsigned line = 0;
    std::string preset;  ///< name of the preset that loaded the file

    /// "default", "command line", "my.config:12", "preset QV100 (gpgpusim.config:3)", "program".
    std::string text() const;
    /// What a message starts with: "file:line", or "command line".
    std::string where() const;
};

struct option_value {
    std::string text;
    option_origin origin;
};

/// The values of all options: defaults, overridden in order of reading. Later wins; repeatable
/// options collect.
class option_values {
public:
    /// Finds the files of a preset, by name, in loading order; throws kernel::user_error when there
    /// is none.
    using preset_finder = std::function<std::vector<std::string>(const std::string& name)>;

    option_values();
    explicit option_values(preset_finder presets);

    /// Reads arguments as the executable got them, without the program's name. Options may be
    /// written -name value, --name value (our own) and --name=value.
    /// @throws kernel::user_error
    void parse_command_line(const std::vector<std::string>& arguments);
    void parse_command_line(int argc, const char* const* argv);

    /// Reads a file in option syntax. @throws kernel::user_error naming file and line
    void load_file(const std::string& path);
    /// Reads text in option syntax as if it stood in `file`.
    void load_text(const std::string& text, const std::string& file);
    /// Reads the files of a preset at this point: what was given before is overridden.
    void load_preset(const std::string& name);
    /// Sets one option. @throws kernel::user_error
    void set(const std::string& name, const std::string& value,
             const option_origin& origin = {option_origin::source::program, {}, 0, {}});

    /// True when the option was given anywhere.
    bool given(std::string_view name) const;
    /// The value in force; the last one of a repeatable option, or the default.
    const option_value& value(std::string_view name) const;
    /// All values of a repeatable option, in order.
    const std::vector<option_value>& all(std::string_view name) const;

    const std::string& text(std::string_view name) const { return value(name).text; }
    bool flag(std::string_view name) const;
    std::int64_t integer(std::string_view name) const;
    std::uint64_t natural(std::string_view name) const;
    /// A natural that fits 32 bits and lies within [low, high]; a user_error otherwise.
    unsigned number(std::string_view name, unsigned low = 0, unsigned high = 0xffffffffu) const;
    double real(std::string_view name) const;

    /// Ends with a user_error that names the option's origin, the option and its value.
    [[noreturn]] void fail(std::string_view name, const std::string& what,
                           const std::string& remedy = {}) const;

    /// Names of the presets that were loaded, in order.
    const std::vector<std::string>& presets() const { return presets_; }
    /// Configuration files that were read, those of presets included, in order.
    const std::vector<std::string>& files() const { return files_; }

    /// One line for each reason why given options have no meaning here.
    std::vector<std::string> notes() const;

private:
    struct token;
    struct reading;
    void read_tokens(const std::vector<token>& tokens, const reading& context);
    void read_text(const std::string& text, const std::string& file, const std::string& preset);
    void read_file(const std::string& path, const std::string& preset,
                   const option_origin& asked_from);
    void store(const option_info& option, const std::string& text, const option_origin& origin,
               const std::string& folder);
    const option_info& known(std::string_view name) const;

    preset_finder find_preset_;
    std::map<std::string, std::vector<option_value>, std::less<>> given_;
    std::map<std::string, option_value, std::less<>> defaults_;
    std::vector<std::string> presets_;
    std::vector<std::string> files_;
    std::vector<std::string> open_files_;  ///< being read, outermost first
    std::vector<option_value> none_;       ///< stays empty
};

/// The number a text stands for in option syntax; nothing when it is none.
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<double> parse_real(std::string_view text);

// ---- texts made from the table ----------------------------------------------------------------

/// --help: every option, by group.
void write_help(std::ostream& out, const std::string& program);
/// docs/options.md.
void write_options_markdown(std::ostream& out);
/// --dump-config: the configuration in force in option syntax, each value followed by its origin in
/// a comment. Reading it back yields the same configuration.
void write_config(std::ostream& out, const option_values& values);

}  // namespace simtlm::platform
