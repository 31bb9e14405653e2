// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/kernel_header.h"

#include "modules/kernel/error.h"
#include "modules/trace/binary_file.h"
#include "modules/trace/scanner.h"

namespace simtlm::trace {

namespace {

constexpr std::uint32_t most_registers = 255;
constexpr std::uint32_t most_shared_memory = 256 * 1024;
constexpr std::uint32_t most_threads = 1024;
constexpr std::uint32_t largest_grid_x = 2147483647;
constexpr std::uint32_t largest_grid_yz = 65535;

/// Reads header lines into a kernel_header; knows which of them came.
class header_reader {
public:
    header_reader(line_source& source, kernel_header& header, std::vector<std::string>& warnings)
        : source_(source), header_(header), warnings_(warnings) {}

    /// One line "-key = value".
    void read(const line_source::line& line) {
        const std::string_view text{line.begin, static_cast<std::size_t>(line.end - line.begin)};
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) fail("a header line without '='");
        const std::string_view key = trim(text.substr(1, equals - 1));
        line_source::line value{line.begin + equals + 1, line.end};
        scanner in(value);
        in.skip_blanks();
        if (key == "kernel name") {
            header_.name = trim(text.substr(equals + 1));
        } else if (key == "kernel id") {
            number(in, key, header_.id);
        } else if (key == "grid dim") {
            header_.grid = dimensions(in, key);
            has_grid_ = true;
        } else if (key == "block dim") {
            header_.block = dimensions(in, key);
            has_block_ = true;
        } else if (key == "shmem") {
            number(in, key, header_.shared_memory);
        } else if (key == "nregs") {
            number(in, key, header_.registers);
        } else if (key == "binary version") {
            std::uint64_t v = 0;
            if (!in.take_decimal(v) || v > 9999) fail("the binary version is no number");
            header_.binary_version = static_cast<std::uint32_t>(v);
            has_version_ = true;
        } else if (key == "cuda stream id") {
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
            header_.tracer_version = static_cast<std::uint32_t>(v);
        } else if (key == "enable lineinfo") {
            std::uint64_t v = 0;
            if (!in.take_decimal(v) || v > 1) fail("'enable lineinfo' is neither 0 nor 1");
            header_.line_info = v == 1;
        }
        // Other keys are for other tools: newer tracers add some.
    }

    /// After the last line: what must be there, and be possible.
    void check() {
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
        if (b.x > most_threads || b.y > most_threads || b.z > most_threads ||
            b.volume() > most_threads) {
            fail("a thread block of more than 1024 threads");
        }
        if (header_.registers > most_registers) {
            warn("nregs = " + std::to_string(header_.registers) + " is not possible (at most 255)");
        }
        const std::uint32_t shared = header_.shared_memory;
        if (shared > most_shared_memory || (shared > 0 && shared < 4)) {
            warn("shmem = " + std::to_string(shared) + " bytes is not plausible");
        }
    }

private:
    static std::string_view trim(std::string_view text) {
        while (!text.empty() && scanner::is_blank(text.front())) text.remove_prefix(1);
        while (!text.empty() && scanner::is_blank(text.back())) text.remove_suffix(1);
        return text;
    }

    void number(scanner& in, std::string_view key, std::uint32_t& out) {
        std::uint64_t v = 0;
        if (in.take_decimal(v) && v <= UINT32_MAX) {
            out = static_cast<std::uint32_t>(v);
        } else {
            corrupt(key);
        }
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

    void corrupt(std::string_view key) {
        warn("the value of '" + std::string{key} + "' cannot be read; taken as 0");
    }

    void warn(const std::string& what) { warnings_.push_back(source_.where() + ": " + what); }

    [[noreturn]] void fail(const std::string& what, const std::string& remedy = {}) {
        throw kernel::user_error(source_.where(), what, remedy);
    }

    line_source& source_;
    kernel_header& header_;
    std::vector<std::string>& warnings_;
    bool has_grid_ = false;
    bool has_block_ = false;
    bool has_version_ = false;
};

}  // namespace

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
            throw kernel::user_error(source.where(), "neither a header line nor '#'",
                                     "is this a kernel trace (.traceg)?");
        }
    }
    reader.check();
    return false;
}

kernel_header read_kernel_header(const std::string& file, std::vector<std::string>& warnings) {
    if (is_binary_trace(file)) return binary_file(file).read_header(warnings);
    line_source source(file);
    kernel_header header;
    read_kernel_header(source, header, warnings);
    return header;
}

}  // namespace simtlm::trace
