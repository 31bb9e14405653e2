// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/command_list.h"

#include "modules/support/error.h"
#include "modules/trace/binary_format.h"
#include "modules/trace/kernel_header.h"
#include "modules/trace/line_source.h"

#include <boost/algorithm/string/join.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

namespace simtlm::trace {

namespace {

namespace fs = std::filesystem;

/// Main file of a trace recorded by the tracer of Huerta et al. (MICRO 2025).
constexpr const char* protobuf_trace = "dynamic_trace.pb";
constexpr std::string_view archive_suffixes[] = {".xz", ".gz", ".zst", ".bz2"};

bool ends_with(std::string_view text, std::string_view suffix) {
    return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

std::string_view trim(std::string_view text) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

/// Finds the file named by a list: itself, or the same trace compressed, decompressed or compressed
/// differently.
std::string find_kernel_file(const fs::path& folder, const std::string& name) {
    const fs::path exact = folder / name;
    if (is_file(exact)) return exact.string();
    std::string bare = name;
    for (std::string_view suffix : archive_suffixes) {
        if (ends_with(bare, suffix)) {
            bare.resize(bare.size() - suffix.size());
            break;
        }
    }
    if (is_file(folder / bare)) return (folder / bare).string();
    for (std::string_view suffix : archive_suffixes) {
        const fs::path packed = folder / (bare + std::string{suffix});
        if (is_file(packed)) return packed.string();
    }
    return {};
}

/// Consumes the field before the next comma of "A,B,C".
std::string_view take_field(std::string_view& text) {
    const std::size_t comma = text.find(',');
    const std::string_view field = trim(text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    return field;
}

bool parse_number(std::string_view text, unsigned base, std::uint64_t& value) {
    if (base == 16 && (text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X")) {
        text.remove_prefix(2);
    }
    if (text.empty()) return false;
    value = 0;
    for (char c : text) {
        const int lower = std::tolower(static_cast<unsigned char>(c));
        unsigned digit = 99;
        if (lower >= '0' && lower <= '9') digit = static_cast<unsigned>(lower - '0');
        if (lower >= 'a' && lower <= 'f') digit = static_cast<unsigned>(lower - 'a') + 10;
        if (digit >= base || value > (UINT64_MAX - digit) / base) return false;
        value = value * base + digit;
    }
    return true;
}

bool names_synchronization(std::string_view word) {
    std::string lower{word};
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower.find("synchronize") != std::string::npos;
}

/// Whether a file is a raw tracer output, in which the instructions of all warps are mixed and not
/// yet grouped by thread block.
bool is_raw_trace(const std::string& file) {
    line_source source(file);
    line_source::line line;
    while (source.next(line)) {
        const std::string_view text =
            trim({line.begin, static_cast<std::size_t>(line.end - line.begin)});
        if (text.substr(0, 9) == "#BEGIN_TB") return false;
        if (!text.empty() && text.front() != '-' && text.front() != '#') return true;
    }
    return true;
}

bool is_kernel_line(std::string_view line) {
    return line.substr(0, 6) == "kernel" || line.find(".trace") != std::string_view::npos ||
           ends_with(line, binary_suffix);
}

}  // namespace

namespace {

/// Parses "--kernels 3-5" or "--kernels=3-5".
bool read_choice(std::string_view line, kernel_choice& choice, const std::string& where) {
    if (line.substr(0, 2) != "--") return false;
    const std::size_t end = std::min(line.find_first_of(" \t="), line.size());
    const std::string option{line.substr(0, end)};
    const std::string value{trim(line.substr(std::min(end + 1, line.size())))};
    if (set_choice(choice, option, value, where)) return true;
    throw support::user_error(where, "'" + option + "' is no option of a command list",
                              "--kernels, --kernel-ids, --kernel-names, --skip-kernels, "
                              "--max-kernels or --ctas");
}

/// Refuses a trace of another simulator, given by its file or its folder.
void check_is_not_protobuf(const std::string& file) {
    const fs::path path(file);
    const bool named = path.filename() == protobuf_trace;
    std::error_code ignored;
    if (!named && (fs::exists(path, ignored) || !is_file(path.parent_path() / protobuf_trace)))
        return;
    const std::string folder = path.parent_path().empty() ? "." : path.parent_path().string();
    throw support::user_error(
        (path.parent_path() / protobuf_trace).string(),
        "is a trace in protocol buffers, which is not replayed directly",
        "convert it with simtlm-trace import " + folder + " NEW_FOLDER, and replay NEW_FOLDER");
}

}  // namespace

command_list read_whole_command_list(const std::string& file) {
    check_is_not_protobuf(file);
    command_list list;
    line_source source(file);
    const fs::path folder = fs::path(file).parent_path();
    line_source::line raw;
    while (source.next(raw)) {
        const std::string_view line =
            trim({raw.begin, static_cast<std::size_t>(raw.end - raw.begin)});
        if (line.empty() || line.front() == '#') continue;
        if (read_choice(line, list.choice, source.where())) continue;
        const auto fail = [&](const std::string& what, const std::string& remedy) {
            throw support::user_error(source.where(), what, remedy);
        };
        command c;
        c.where = source.where();
        std::string_view rest = line;
        const std::string_view verb = take_field(rest);
        if (verb == "MemcpyHtoD" || verb == "MemcpyDtoH") {
            c.what = verb == "MemcpyHtoD" ? command::kind::copy_host_to_device
                                          : command::kind::copy_device_to_host;
            if (!parse_number(take_field(rest), 16, c.address) ||
                !parse_number(take_field(rest), 10, c.bytes) || !trim(rest).empty()) {
                fail("a copy that cannot be read",
                     "write " + std::string{verb} + ",ADDRESS,BYTES with a hexadecimal address");
            }
            if (c.bytes != 0 && c.address > UINT64_MAX - (c.bytes - 1))
                fail("a copy that wraps around the address space",
                     "record the trace again, or remove the line");
        } else if (names_synchronization(verb)) {
            c.what = command::kind::synchronize;
        } else if (is_kernel_line(line)) {
            const std::string name{line};
            if (name.find('\0') != std::string::npos) fail("a file name with a zero byte", {});
            c.file = find_kernel_file(folder, name);
            if (c.file.empty() && ends_with(name, ".trace") &&
                !find_kernel_file(folder, name + "g").empty()) {
                fail("this list names raw traces (" + name + ")",
                     "use kernelslist.g, which names the processed ones");
            }
            if (!c.file.empty() && ends_with(name, ".trace") && is_raw_trace(c.file)) {
                fail("this list names raw traces (" + name + ")",
                     "run the tracer's post-traces-processing on the list, and name the "
                     "kernelslist.g that it makes");
            }
            if (c.file.empty()) {
                fail("kernel trace " + name + " is missing",
                     "put it, or its .xz, .gz, .zst or .bz2, beside the list");
            }
        } else {
            fail("'" + std::string{line.substr(0, 60)} + "' is no command",
                 "MemcpyHtoD, MemcpyDtoH, a synchronisation or the name of a kernel trace");
        }
        list.commands.push_back(std::move(c));
    }
    if (list.commands.empty())
        throw support::user_error(file, "a command list without a command",
                                  "it names kernel traces and copies, a line each");
    return list;
}

std::vector<command> read_command_list(const std::string& file, kernel_choice& choice) {
    command_list list = read_whole_command_list(file);
    choice.add(list.choice);
    kernel_selector selector(choice);
    std::vector<command> chosen;
    bool kernels = false, any = false;
    std::vector<std::string> ignored;
    std::uint64_t number = 0;
    for (command& c : list.commands) {
        if (selector.full()) break;
        if (c.what == command::kind::kernel) {
            c.number = ++number;
            kernels = true;
            kernel_header header;
            if (choice.needs_headers()) header = read_kernel_header(c.file, ignored);
            if (!selector.take(header)) continue;
            any = true;
        }
        chosen.push_back(std::move(c));
    }
    if (kernels && !any)
        throw support::user_error(file, "none of its kernels is chosen",
                                  "see " + boost::algorithm::join(choice_options(), ", "));
    return chosen;
}

std::vector<command> read_command_list(const std::string& file) {
    kernel_choice none;
    return read_command_list(file, none);
}

}  // namespace simtlm::trace
