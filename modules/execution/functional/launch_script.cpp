// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/functional/launch_script.h"

#include "modules/execution/functional/script_values.h"
#include "modules/execution/state/block_cluster.h"
#include "modules/support/error.h"
#include "modules/support/output_file.h"
#include "modules/support/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

namespace simtlm::execution {

namespace {

/// The words of a statement, consumed from the left.
class statement {
public:
    statement(std::string where, std::vector<std::string> words)
        : where_(std::move(where)), words_(std::move(words)) {}

    bool empty() const { return at_ == words_.size(); }
    const std::string& peek() const { return words_[at_]; }
    std::string next(const char* what) {
        if (empty()) fail(fmt::format("{} is missing", what));
        return words_[at_++];
    }
    bool take(const char* word) {
        if (empty() || words_[at_] != word) return false;
        ++at_;
        return true;
    }
    /// @param most  maximum value
    std::uint64_t number(const char* what, std::uint64_t most) {
        const std::uint64_t n = number(what);
        if (n > most) fail(fmt::format("{} {} is too large: at most {}", n, what, most));
        return n;
    }
    std::uint64_t number(const char* what) { return number_in(next(what), what); }
    std::uint64_t number_in(const std::string& word, const char* what) const {
        if (const auto n = script_unsigned(word)) return *n;
        fail(fmt::format("'{}' is not a number ({})", word, what));
    }
    /// A finite real number, as text.
    std::string real(const char* what) {
        const std::string word = next(what);
        if (!script_number(word)) fail(fmt::format("'{}' is not a number ({})", word, what));
        return word;
    }
    [[noreturn]] void fail(const std::string& what, const std::string& remedy = {}) const {
        throw support::user_error(where_, what, remedy);
    }

private:
    std::string where_;
    std::vector<std::string> words_;
    std::size_t at_ = 0;
};

/// Limits of buffer sizes: so that sizes cannot wrap, and for buffers initialised by the host.
constexpr std::uint64_t max_bytes = std::uint64_t{1} << 48;
constexpr std::uint64_t max_filled_bytes = std::uint64_t{4} << 30;

ptx::type type_of(statement& s, const std::string& word) {
    const ptx::type t = script_type(word);
    if (t == ptx::type::none)
        s.fail("'" + word + "' is not a type", "u8 u16 u32 u64 s8 s16 s32 s64 f32 f64");
    return t;
}

program::dim3 size_of(statement& s, const char* what) {
    const std::string word = s.next(what);
    program::dim3 d;
    std::uint32_t* const to[3] = {&d.x, &d.y, &d.z};
    std::size_t begin = 0;
    for (unsigned i = 0; begin <= word.size(); ++i) {
        if (i == 3) s.fail(fmt::format("'{}': three numbers are the most", word));
        const std::string part = word.substr(begin, word.find(',', begin) - begin);
        begin += part.size() + 1;
        if (part.empty() || part.find_first_not_of("0123456789") != std::string::npos ||
            part.size() > 10 || std::stoull(part) > std::numeric_limits<std::uint32_t>::max())
            s.fail(fmt::format("'{}' is not a size", word), "X, X,Y or X,Y,Z");
        *to[i] = static_cast<std::uint32_t>(std::stoull(part));
    }
    return d;
}

launch_script::contents contents_of(statement& s, bool expected) {
    using source = launch_script::source;
    launch_script::contents c;
    const std::string kind = s.next("what it holds");
    if (kind == "file" || (kind == "buffer" && expected)) {
        c.from = kind == "file" ? source::file : source::buffer;
        c.words = {s.next(kind == "file" ? "path" : "buffer")};
    } else if (kind == "values") {
        c.from = source::values;
        do c.words.push_back(s.next("value"));
        while (!s.empty() && s.peek() != "tolerance");
    } else if (!expected && (kind == "zero" || kind == "unwritten")) {
        c.from = kind == "zero" ? source::zero : source::unwritten;
    } else if (!expected && kind == "ramp") {
        c.from = source::ramp;
        while (!s.empty() && c.words.size() < 2)
            c.words.push_back(s.real(c.words.empty() ? "START" : "STEP"));
    } else if (!expected && kind == "random") {
        c.from = source::random;
        if (!s.empty()) {
            c.words.push_back(s.next("SEED"));
            s.number_in(c.words[0], "SEED");
        }
        if (!s.empty()) {
            c.words.push_back(s.real("LOW"));
            c.words.push_back(s.real("HIGH"));
            if (*script_number(c.words[1]) >= *script_number(c.words[2]))
                s.fail(fmt::format("'{}' is not less than '{}'", c.words[1], c.words[2]),
                       "random SEED LOW HIGH");
        }
    } else {
        s.fail(
            fmt::format("'{}' is not known here", kind),
            expected ? "file, values or buffer" : "zero, ramp, random, file, values or unwritten");
    }
    return c;
}

launch_script::argument argument_of(statement& s) {
    launch_script::argument a;
    const std::string word = s.next("argument");
    const std::size_t colon = word.find(':');
    if (colon != std::string::npos && word.compare(0, colon, "file") == 0) {
        a.file = word.substr(colon + 1);
        if (a.file.empty()) s.fail("file: without a path");
        return a;
    }
    if (colon != std::string::npos) {
        a.type = type_of(s, word.substr(0, colon));
        a.value = word.substr(colon + 1);
        return a;
    }
    const std::size_t plus = word.find('+');
    a.buffer = word.substr(0, plus);
    if (plus != std::string::npos) a.offset = s.number_in(word.substr(plus + 1), "offset");
    return a;
}

launch_script::launch_step launch_of(statement& s, unsigned line) {
    launch_script::launch_step l;
    l.line = line;
    l.kernel = s.next("kernel");
    std::vector<std::string> given;
    while (!s.empty()) {
        if (std::find(given.begin(), given.end(), s.peek()) != given.end())
            s.fail(fmt::format("'{}' is given twice", s.peek()));
        given.push_back(s.peek());
        if (s.take("grid"))
            l.grid = size_of(s, "grid");
        else if (s.take("block"))
            l.block = size_of(s, "block");
        else if (s.take("cluster"))
            l.cluster = size_of(s, "cluster");
        else if (s.take("shared"))
            l.shared = static_cast<std::uint32_t>(
                s.number("bytes of shared memory", address_windows::size));
        else if (s.take("stream"))
            l.stream = s.number("stream");
        else if (s.take("cooperative"))
            l.cooperative = true;
        else if (s.take("args"))
            while (!s.empty()) l.arguments.push_back(argument_of(s));
        else
            s.fail(fmt::format("'{}' is not known here", s.peek()),
                   "grid, block, cluster, shared, stream, cooperative, args");
    }
    return l;
}

void add_statement(launch_script& script, statement s, unsigned line) {
    const std::string verb = s.next("statement");
    if (verb == "buffer" || verb == "set") {
        launch_script::buffer b;
        b.line = line;
        b.name = s.next("name");
        b.type = type_of(s, s.next("type"));
        if (verb == "buffer") b.count = s.number("elements", max_bytes / ptx::bytes_of(b.type));
        b.data = contents_of(s, false);
        using source = launch_script::source;
        const bool filled = b.data.from != source::zero && b.data.from != source::unwritten;
        if (filled && b.count > max_filled_bytes / ptx::bytes_of(b.type))
            s.fail(fmt::format("{} elements of type {} are too many to be filled on the host",
                               b.count, ptx::name_of(b.type)),
                   fmt::format("at most {} bytes; zero and unwritten may have more",
                               max_filled_bytes));
        (verb == "buffer" ? script.buffers : script.variables).push_back(std::move(b));
    } else if (verb == "launch") {
        script.launches.push_back(launch_of(s, line));
    } else if (verb == "output" || verb == "expect") {
        launch_script::result r;
        r.line = line;
        r.compares = verb == "expect";
        r.buffer = s.next("buffer");
        if (r.compares)
            r.data = contents_of(s, true);
        else
            r.data = {launch_script::source::file, {s.next("path")}};
        if (r.compares && s.take("tolerance")) {
            const std::string word = s.next("tolerance");
            r.tolerance = script_number(word).value_or(-1);
            if (r.tolerance < 0) s.fail(fmt::format("'{}' is not a tolerance", word));
        }
        script.results.push_back(std::move(r));
    } else {
        s.fail(fmt::format("'{}' is not a statement", verb),
               "buffer, set, launch, output or expect");
    }
    if (!s.empty()) s.fail(fmt::format("'{}' is too much", s.peek()));
}

/// Splits a line into words; ignores a comment.
void add_words(const std::string& line, std::vector<std::string>& words) {
    std::istringstream in(line.substr(0, line.find('#')));
    for (std::string w; in >> w;) words.push_back(w);
}

}  // namespace

launch_script launch_script::parse(const std::string& text, const std::string& file) {
    launch_script script;
    script.file = file;
    std::istringstream in(text);
    std::vector<std::string> words;
    unsigned number = 0, begin = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (words.empty()) begin = number;
        if (!line.empty() && line.back() == '\r') line.pop_back();
        const bool continues = !line.empty() && line.back() == '\\';
        if (continues) line.pop_back();
        add_words(line, words);
        if (continues || words.empty()) continue;
        add_statement(script, statement(fmt::format("{}:{}", file, begin), std::move(words)),
                      begin);
        words.clear();
    }
    if (!words.empty())
        throw support::user_error(fmt::format("{}:{}", file, begin),
                                  "the file ends within a statement", "its last line ends with \\");
    if (script.launches.empty())
        throw support::user_error(file, "launches nothing", "add a launch statement");
    return script;
}

launch_script launch_script::read(const std::string& path) {
    return parse(support::read_text_file(path, "name a launch file"), path);
}

script_run::script_run(const launch_script& script, const program_image& image,
                       device_memory& memory)
    : script_(script), image_(image), memory_(memory) {
    for (const launch_script::buffer& b : script.buffers) {
        const std::uint64_t bytes = b.count * ptx::bytes_of(b.type);
        if (!buffers_.try_emplace(b.name, placed{&b, 0, bytes}).second)
            throw support::user_error(where(b.line), "buffer " + b.name + " is there already");
        device_address a = 0;
        try {
            a = memory.allocate(bytes, 256, b.name);
        } catch (const support::user_error& e) {
            throw support::user_error(where(b.line),
                                      fmt::format("buffer {}: {}", b.name, e.what()));
        }
        buffers_.at(b.name).address = a;
        if (b.data.from == launch_script::source::unwritten) continue;
        if (b.data.from == launch_script::source::zero) {
            memory.note_written(a, bytes);  // new memory is zeroed
            continue;
        }
        const auto data = data_of(b.data, b.type, b.count, b.line);
        memory.write(a, data.data(), data.size());
    }
    for (const launch_script::buffer& v : script.variables) {
        const auto [address, bytes] = image.find_variable(v.name);
        if (address == 0)
            throw support::user_error(where(v.line), "the module has no variable " + v.name);
        const auto data = data_of(v.data, v.type, bytes / ptx::bytes_of(v.type), v.line);
        memory.write(address, data.data(), std::min<std::uint64_t>(data.size(), bytes));
    }
}

std::vector<script_run::placed> script_run::buffers() const {
    std::vector<placed> all;
    for (const auto& [name, buffer] : buffers_) all.push_back(buffer);
    return all;
}

std::string script_run::where(unsigned line) const {
    return fmt::format("{}:{}", script_.file, line);
}

const script_run::placed& script_run::find(const std::string& name, unsigned line) const {
    const auto at = buffers_.find(name);
    if (at == buffers_.end()) throw support::user_error(where(line), "there is no buffer " + name);
    return at->second;
}

std::string launch_script::path_of(const std::string& relative) const {
    const std::size_t slash = file.rfind('/');
    if (slash == std::string::npos || relative.front() == '/') return relative;
    return file.substr(0, slash + 1) + relative;
}

std::vector<launch_script::named_file> launch_script::outputs() const {
    std::vector<named_file> files;
    for (const result& r : results)
        if (!r.compares)
            files.push_back({path_of(r.data.words[0]), fmt::format("{}:{}", file, r.line)});
    return files;
}

std::vector<launch_script::named_file> launch_script::inputs() const {
    std::vector<named_file> files;
    const auto add = [&](const contents& c, unsigned line) {
        if (c.from == source::file)
            files.push_back({path_of(c.words[0]), fmt::format("{}:{}", file, line)});
    };
    for (const buffer& b : buffers) add(b.data, b.line);
    for (const buffer& b : variables) add(b.data, b.line);
    for (const launch_step& l : launches)
        for (const argument& a : l.arguments)
            if (!a.file.empty()) add({source::file, {a.file}}, l.line);
    for (const result& r : results)
        if (r.compares) add(r.data, r.line);
    return files;
}

std::string script_run::path(const std::string& relative) const {
    return script_.path_of(relative);
}

std::vector<std::byte> script_run::data_of(const launch_script::contents& c, ptx::type t,
                                           std::uint64_t count, unsigned line) const {
    using source = launch_script::source;
    const unsigned width = ptx::bytes_of(t);
    std::vector<std::byte> data(count * width);
    const auto value = [&](std::uint64_t i, const std::string& word) {
        if (!write_script_value(t, word, data.data() + i * width))
            throw support::user_error(
                where(line), fmt::format("'{}' is not a value of type {}", word, ptx::name_of(t)));
    };
    const auto fits = [&](bool good) {
        if (!good)
            throw support::user_error(
                where(line),
                fmt::format("{} elements of type {} cannot hold '{} {}'", count, ptx::name_of(t),
                            c.from == source::ramp ? "ramp" : "random", fmt::join(c.words, " ")));
    };
    switch (c.from) {
        case source::zero:
        case source::unwritten:
            break;
        case source::ramp:
            fits(fill_ramp(t, data, c.words));
            break;
        case source::random: {
            const auto bound = [&](std::size_t i) {
                return c.words.size() < 3 ? 0 : *script_number(c.words[i]);
            };
            fits(fill_random(t, data, c.words.empty() ? 0 : *script_unsigned(c.words[0]), bound(1),
                             bound(2)));
            break;
        }
        case source::values:
            if (c.words.size() > count)
                throw support::user_error(
                    where(line), fmt::format("{} values for {} elements", c.words.size(), count));
            for (std::size_t i = 0; i < c.words.size(); ++i) value(i, c.words[i]);
            break;
        case source::file: {
            std::ifstream in(path(c.words[0]), std::ios::binary);
            if (!in) throw support::user_error(path(c.words[0]), "cannot be read");
            in.read(reinterpret_cast<char*>(data.data()),
                    static_cast<std::streamsize>(data.size()));
            if (static_cast<std::size_t>(in.gcount()) != data.size())
                throw support::user_error(
                    path(c.words[0]),
                    fmt::format("has {} bytes; {} are needed", in.gcount(), data.size()));
            if (in.peek() != std::ifstream::traits_type::eof())
                throw support::user_error(
                    path(c.words[0]),
                    fmt::format("has more than the {} bytes of {} elements", data.size(), count));
            break;
        }
        case source::buffer: {
            const placed& other = find(c.words[0], line);
            if (other.bytes != data.size())
                throw support::user_error(
                    where(line), fmt::format("buffer {} has {} bytes; {} are needed", c.words[0],
                                             other.bytes, data.size()));
            memory_.read(data.data(), other.address, data.size());
            break;
        }
    }
    return data;
}

launch script_run::make(const launch_script::launch_step& step) const {
    launch l;
    l.image = &image_;
    l.kernel = image_.find_kernel(step.kernel);
    if (l.kernel == nullptr) {
        std::string names;
        for (const kernel_image& k : image_.kernels()) names += (names.empty() ? "" : " ") + k.name;
        throw support::user_error(where(step.line), "the module has no kernel " + step.kernel,
                                  names);
    }
    constexpr std::uint64_t max_block_threads = 1024;
    // The product of three numbers may wrap to 0.
    for (const program::dim3& d : {step.grid, step.block, step.cluster})
        if (d.x == 0 || d.y == 0 || d.z == 0)
            throw support::user_error(where(step.line),
                                      "grid, block and cluster must not be empty");
    constexpr std::uint32_t max_x = 2147483647, max_yz = 65535;
    if (step.grid.x > max_x || step.grid.y > max_yz || step.grid.z > max_yz)
        throw support::user_error(
            where(step.line),
            fmt::format("a grid of {},{},{} blocks", step.grid.x, step.grid.y, step.grid.z),
            fmt::format("{},{},{} is the largest", max_x, max_yz, max_yz));
    const std::uint32_t longest = std::max({step.block.x, step.block.y, step.block.z});
    if (longest > max_block_threads)
        throw support::user_error(where(step.line), fmt::format("a block of {} threads", longest),
                                  "1024 are the most");
    if (step.block.volume() > max_block_threads)
        throw support::user_error(where(step.line),
                                  fmt::format("a block of {} threads", step.block.volume()),
                                  "1024 are the most");
    l.grid = step.grid;
    l.block = step.block;
    complete_shape(*l.kernel, l.grid, l.block);
    l.cluster = step.cluster;
    for (const std::string& fault :
         {block_fault(*l.kernel, l.block),
          cluster_fault(*l.kernel, l.grid, cluster_of(*l.kernel, l.cluster))})
        if (!fault.empty())
            throw support::user_error(where(step.line),
                                      fmt::format("launching {}: {}", step.kernel, fault));
    l.dynamic_shared = step.shared;
    l.cooperative = step.cooperative;
    l.stream = step.stream;
    const auto& parameters = l.kernel->parameters;
    if (step.arguments.size() != parameters.size())
        throw support::user_error(where(step.line),
                                  fmt::format("{} arguments; {} takes {}", step.arguments.size(),
                                              step.kernel, parameters.size()));
    l.parameters.resize(l.kernel->parameter_bytes);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const launch_script::argument& a = step.arguments[i];
        std::byte* const to = l.parameters.data() + parameters[i].offset;
        if (!a.file.empty()) {
            const auto data = data_of({launch_script::source::file, {a.file}}, ptx::type::u8,
                                      parameters[i].size, step.line);
            std::copy(data.begin(), data.end(), to);
            continue;
        }
        std::byte value[8] = {};
        unsigned bytes = 8;
        if (!a.buffer.empty()) {
            const device_address address = find(a.buffer, step.line).address + a.offset;
            std::memcpy(value, &address, sizeof address);
        } else {
            bytes = ptx::bytes_of(a.type);
            if (!write_script_value(a.type, a.value, value))
                throw support::user_error(
                    where(step.line),
                    fmt::format("'{}' is not a value of type {}", a.value, ptx::name_of(a.type)));
        }
        // Integers may be narrower; addresses of 32-bit modules have four bytes.
        const bool is_float = ptx::class_of(a.type) == ptx::type_class::floating;
        const bool fits = !a.buffer.empty() ? parameters[i].size >= 4
                          : is_float        ? bytes == parameters[i].size
                                            : bytes <= parameters[i].size;
        if (!fits)
            throw support::user_error(
                where(step.line), fmt::format("argument {} has {} bytes; {} takes {}", i + 1, bytes,
                                              parameters[i].name, parameters[i].size));
        std::memcpy(to, value, std::min(bytes, parameters[i].size));
    }
    return l;
}

std::vector<launch> script_run::launches() const {
    std::vector<launch> all;
    for (const launch_script::launch_step& step : script_.launches) {
        const std::uint64_t before =
            all.empty()
                ? 1
                : all.back().first_thread + all.back().grid.volume() * all.back().block.volume();
        all.push_back(make(step));
        all.back().grid_id = all.size();
        all.back().first_thread = before;
    }
    return all;
}

std::string script_run::compare(const launch_script::result& r) const {
    const placed& p = find(r.buffer, r.line);
    if (r.data.from == launch_script::source::values && r.data.words.size() != p.what->count)
        throw support::user_error(where(r.line),
                                  fmt::format("{} values are expected of the {} elements of {}",
                                              r.data.words.size(), p.what->count, r.buffer),
                                  "give one for each");
    const auto want = data_of(r.data, p.what->type, p.what->count, r.line);
    std::vector<std::byte> got(p.bytes);
    memory_.read(got.data(), p.address, p.bytes);
    const unsigned width = ptx::bytes_of(p.what->type);
    std::uint64_t wrong = 0, first = 0;
    for (std::uint64_t i = 0; i < p.what->count; ++i)
        if (!is_close(p.what->type, got.data() + i * width, want.data() + i * width, r.tolerance) &&
            wrong++ == 0)
            first = i;
    if (wrong == 0) return {};
    return fmt::format(
        "{}: {} of {} elements of {} are wrong; the first, {}[{}], is {} instead "
        "of {}",
        where(r.line), wrong, p.what->count, r.buffer, r.buffer, first,
        script_value_text(p.what->type, got.data() + first * width),
        script_value_text(p.what->type, want.data() + first * width));
}

std::vector<std::string> script_run::finish(support::output_attempts& attempt) {
    std::vector<std::string> wrong;
    for (const launch_script::result& r : script_.results) {
        if (r.compares) {
            std::string text = compare(r);
            if (!text.empty()) wrong.push_back(std::move(text));
            continue;
        }
        const placed& p = find(r.buffer, r.line);
        std::vector<char> data(p.bytes);
        memory_.read(data.data(), p.address, p.bytes);
        attempt([&] {
            support::output_file out(path(r.data.words[0]));
            out.write({data.data(), data.size()});
            out.commit();
        });
    }
    return wrong;
}

}  // namespace simtlm::execution
