// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/kernel_header.h"

#include "modules/program/cta_cluster_source.h"
#include "modules/support/display_text.h"
#include "modules/support/error.h"
#include "modules/trace/binary_file.h"
#include "modules/trace/scanner.h"

#include <charconv>
#include <filesystem>
#include <set>

namespace simtlm::trace {

namespace {

constexpr std::uint32_t newest_tracer = 6;
constexpr std::size_t longest_key_shown = 60;
constexpr std::uint32_t max_registers = 255;
constexpr std::uint32_t max_shared_memory = 256 * 1024;
constexpr std::uint32_t max_block_threads = 1024;
constexpr std::uint32_t largest_grid_x = 2147483647;
constexpr std::uint32_t largest_grid_yz = 65535;

/// Parses header lines into a kernel_header; keeps track of the keys.
class header_reader {
public:
    header_reader(line_source& source, kernel_header& header, std::vector<std::string>& warnings)
        : source_(source), header_(header), warnings_(warnings) {}

    /// Parses a line "-key = value".
    void read(const line_source::line& line) {
        const std::string_view text{line.begin, static_cast<std::size_t>(line.end - line.begin)};
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) fail("a header line without '='");
        const std::string_view key = trim(text.substr(1, equals - 1));
        line_source::line value{line.begin + equals + 1, line.end};
        scanner in(value);
        in.skip_blanks();
        if (!keys_.emplace(key).second) {
            fail("a second '" + std::string{key.substr(0, longest_key_shown)} + "' in the header",
                 "a file holds one kernel");
        }
        if (key == "kernel name") {
            header_.name = support::printable(trim(text.substr(equals + 1)));
        } else if (key == "kernel id") {
            check_sign(in, key);
            if (!number(in, header_.id)) corrupt(key);
        } else if (key == "grid dim") {
            header_.grid = dimensions(in, key);
            has_grid_ = true;
        } else if (key == "block dim") {
            header_.block = dimensions(in, key);
            has_block_ = true;
        } else if (key == "cluster dim") {
            cluster_ = dimensions(in, key);
        } else if (key == "shmem") {
            if (!number(in, header_.shared_memory))
                header_.shared_memory = kernel_header::unspecified;
        } else if (key == "nregs") {
            if (!number(in, header_.registers)) header_.registers = kernel_header::unspecified;
        } else if (key == "barriers" || key == "carveout") {
            // Of machine code recorded during execution; tracers know neither.
            std::uint32_t v = 0;
            if (!number(in, v) || v > 100) corrupt(key);
            if (key == "barriers")
                header_.barriers = v;
            else
                header_.carve_out = static_cast<std::int32_t>(v);
        } else if (key == "binary version") {
            std::uint64_t v = 0;
            if (!in.take_decimal(v) || v > 9999) fail("the binary version is no number");
            header_.binary_version = static_cast<std::uint32_t>(v);
            has_version_ = true;
        } else if (key == "cuda stream id") {
            check_sign(in, key);
            if (!in.take_decimal(header_.stream)) corrupt(key);
        } else if (key == "shmem base_addr") {
            if (!in.take_hexadecimal(header_.shared_base)) corrupt(key);
        } else if (key == "local mem base_addr") {
            if (!in.take_hexadecimal(header_.local_base)) corrupt(key);
        } else if (key == "nvbit version") {
            header_.nvbit_version = trim(text.substr(equals + 1));
        } else if (key == "accelsim tracer version") {
            std::uint64_t v = 0;
            if (!in.scan_decimal(v) || v > 1000) fail("the tracer version is no number");
            if (v > newest_tracer) {
                fail("tracer version " + std::to_string(v) + " is not known",
                     "versions up to " + std::to_string(newest_tracer) + " are read");
            }
            header_.tracer_version = static_cast<std::uint32_t>(v);
        } else if (key == "enable lineinfo") {
            std::uint64_t v = 0;
            if (!in.take_decimal(v) || v > 1) fail("'enable lineinfo' is neither 0 nor 1");
            header_.line_info = v == 1;
        } else if (key == "execution") {
            std::uint64_t v = 0;
            if (!in.take_decimal(v) || v != 1)
                fail("an execution recorded in another form", "record it again");
            code_ = std::make_shared<executed_code>();
        } else if (code_ && (starts_with(key, "function ") || starts_with(key, "instruction "))) {
            if (!code_->take(key, text.substr(equals + 1)))
                fail("an entry of the code that cannot be read", "record the trace again");
        } else if (starts_with(key, "control ")) {
            read_control(key.substr(8), text.substr(equals + 1));
        }
        // Other keys are ignored: newer tracers add some for other tools.
    }

    /// After the last line: checks that required values are present and possible.
    void check() {
        if (keys_.empty()) fail("no header of a kernel trace", "is the file empty?");
        if (!has_grid_) fail("no grid dimension in the header", "is this a kernel trace?");
        if (!has_block_) fail("no block dimension in the header", "is this a kernel trace?");
        if (!has_version_) fail("no binary version in the header", "add e.g. -binary version = 70");
        if (header_.grid.volume() == 0) fail("a grid of no thread blocks");
        if (header_.block.volume() == 0) fail("a thread block of no threads");
        if (header_.grid.x > largest_grid_x || header_.grid.y > largest_grid_yz ||
            header_.grid.z > largest_grid_yz) {
            fail("a grid larger than CUDA allows");
        }
        const dim3& b = header_.block;
        if (b.x > max_block_threads || b.y > max_block_threads || b.z > max_block_threads ||
            b.volume() > max_block_threads) {
            fail("a thread block of more than 1024 threads");
        }
        if (code_) {
            if (!code_->seal())
                fail("the code in the header is incomplete", "record the trace again");
            header_.code = code_;
            check_cta_cluster();
        }
        if (keys_.count("nregs") == 0) header_.registers = kernel_header::unspecified;
        if (keys_.count("shmem") == 0) header_.shared_memory = kernel_header::unspecified;
        if (header_.registers > max_registers && header_.registers != kernel_header::unspecified) {
            warn("nregs = " + std::to_string(header_.registers) + " is not possible (at most 255)");
        }
        const std::uint32_t shared = header_.shared_memory;
        if (shared == kernel_header::unspecified) return;
        if (shared > max_shared_memory || (shared > 0 && shared < 4)) {
            warn("shmem = " + std::to_string(shared) + " bytes is not plausible");
        }
    }

private:
    /// Sets the shape of the clusters. Without the code blocks are replayed one by one.
    void check_cta_cluster() {
        const dim3& c = cluster_;
        const dim3& g = header_.grid;
        if (c.volume() == 0 || c.volume() > program::max_ctas_per_cluster ||
            c.x > program::max_ctas_per_cluster || c.y > program::max_ctas_per_cluster ||
            c.z > program::max_ctas_per_cluster)
            fail("clusters of " + std::to_string(c.volume()) + " thread blocks",
                 "1 to 16 are possible");
        if (g.x % c.x != 0 || g.y % c.y != 0 || g.z % c.z != 0)
            fail("a grid that is no multiple of its clusters");
        header_.cluster = c;
    }

    static std::string_view trim(std::string_view text) {
        while (!text.empty() && scanner::is_blank(text.front())) text.remove_prefix(1);
        while (!text.empty() && scanner::is_blank(text.back())) text.remove_suffix(1);
        return text;
    }

    static bool starts_with(std::string_view text, std::string_view what) {
        return text.substr(0, what.size()) == what;
    }

    static bool number(scanner& in, std::uint32_t& out) {
        std::uint64_t v = 0;
        if (!in.take_decimal(v) || v >= kernel_header::unspecified || !in.at_end()) return false;
        out = static_cast<std::uint32_t>(v);
        return true;
    }

    dim3 dimensions(scanner& in, std::string_view key) {
        std::uint64_t v[3] = {};
        const char* const between[] = {"(", ",", ","};
        for (int i = 0; i < 3; ++i) {
            in.skip_blanks();
            if (!in.take(between[i]) || !in.scan_decimal(v[i]) || v[i] > UINT32_MAX) {
                fail("'" + std::string{key} + "' is not of the form (x,y,z)");
            }
        }
        return {static_cast<std::uint32_t>(v[0]), static_cast<std::uint32_t>(v[1]),
                static_cast<std::uint32_t>(v[2])};
    }

    void read_control(std::string_view pc, std::string_view bits) {
        constexpr std::uint32_t most = (1u << 21) - 1;
        std::uint64_t at = 0, word = 0;
        if (!hexadecimal(pc, at) || !hexadecimal(bits, word) || word > most)
            fail("control bits that are not of the form '-control PC = BITS'",
                 "both are hexadecimal, the bits below 0x200000");
        header_.control[at] = program::control_bits::decode(static_cast<std::uint32_t>(word));
    }

    static bool hexadecimal(std::string_view text, std::uint64_t& out) {
        text = trim(text);
        if (text.substr(0, 2) == "0x") text.remove_prefix(2);
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, 16);
        return error == std::errc() && end == text.data() + text.size() && !text.empty();
    }

    /// Negative kernel or stream numbers are implausible: tracers count from 0.
    void check_sign(scanner& in, std::string_view key) {
        in.skip_blanks();
        if (in.at_end() || *in.position() != '-' || !header_.implausible.empty()) return;
        header_.implausible = "a negative '" + std::string{key} + "'";
        header_.implausible_where = source_.where();
    }

    void corrupt(std::string_view key) {
        warn("the value of '" + std::string{key} + "' cannot be read; taken as 0");
    }

    void warn(const std::string& what) { warnings_.push_back(source_.where() + ": " + what); }

    [[noreturn]] void fail(const std::string& what, const std::string& remedy = {}) {
        throw support::user_error(source_.where(), what, remedy);
    }

    line_source& source_;
    kernel_header& header_;
    std::vector<std::string>& warnings_;
    std::set<std::string, std::less<>> keys_;
    bool has_grid_ = false;
    bool has_block_ = false;
    bool has_version_ = false;
    dim3 cluster_{1, 1, 1};
    std::shared_ptr<executed_code> code_;
};

}  // namespace

void kernel_header::check_plausible() const {
    if (!implausible.empty())
        throw support::user_error(implausible_where, implausible,
                                  "record the trace again, or replay it as it is with "
                                  "--no-validate");
}

bool read_kernel_header(line_source& source, kernel_header& header,
                        std::vector<std::string>& warnings) {
    header.origin = source.file();
    header_reader reader(source, header, warnings);
    line_source::line line;
    while (source.next(line)) {
        scanner in(line);
        if (in.at_end()) continue;
        line.begin = in.position();
        if (*line.begin == '-') {
            reader.read(line);
        } else if (*line.begin == '#') {
            reader.check();
            return in.take("#BEGIN_TB");
        } else {
            throw support::user_error(source.where(), "neither a header line nor '#'",
                                      "is this a kernel trace (.traceg)?");
        }
    }
    reader.check();
    return false;
}

bool apply_options(kernel_header& header, const reader_options& options, bool begun) {
    const bool as_reference = options.quirks.base_delta_swallow && options.quirks.base_stride_gap &&
                              options.quirks.generic_windows;
    if (as_reference && header.code && header.code->is_machine_code()) {
        header.code.reset();
        header.cluster = {1, 1, 1};
    }
    if (header.code) header.code->set_latencies(options.latencies);
    return begun;
}

void check_is_file(const std::string& file) {
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status) || std::filesystem::is_directory(status)) return;
    if (!std::filesystem::is_regular_file(status)) {
        throw support::user_error(file, "is no regular file, and a kernel trace is read twice",
                                  "write what comes from there into a file");
    }
}

kernel_header read_kernel_header(const std::string& file, std::vector<std::string>& warnings) {
    check_is_file(file);
    if (is_binary_trace(file)) return binary_file(file).read_header(warnings);
    line_source source(file);
    kernel_header header;
    read_kernel_header(source, header, warnings);
    return header;
}

}  // namespace simtlm::trace
