// SPDX-License-Identifier: Apache-2.0
#include "platform/waveform/trace_events.h"

#include "modules/support/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>

namespace simtlm::platform {

namespace {

enum rank : std::uint32_t { names, slices, points };

/// Formats picoseconds as microseconds.
std::string microseconds(std::uint64_t ps) {
    return fmt::format("{}.{:06}", ps / 1000000, ps % 1000000);
}

}  // namespace

std::string json_quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out += c;
    }
    return out + '"';
}

trace_events::trace_events(const std::string& file) : out_(file), unsorted_(std::tmpfile()) {
    if (!unsorted_)
        throw support::user_error(file, std::string("its temporary file: ") + std::strerror(errno),
                                  "see TMPDIR");
}

void trace_events::add(std::uint64_t at, std::uint64_t duration, std::uint32_t rank,
                       const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), unsorted_.get());
    entries_.push_back({at, duration, bytes_, static_cast<std::uint32_t>(text.size()), rank});
    bytes_ += text.size();
}

void trace_events::name_process(std::uint64_t process, const std::string& name, unsigned order) {
    add(0, 0, names,
        fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", process,
                    json_quoted(name)));
    add(0, 0, names,
        fmt::format(
            R"({{"ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}}}})",
            process, order));
}

void trace_events::name_thread(const place& where, const std::string& name) {
    add(0, 0, names,
        fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                    where.process, where.thread, json_quoted(name)));
}

void trace_events::slice(const char* category, const std::string& name, const place& where,
                         std::uint64_t from, std::uint64_t to, const std::string& arguments) {
    add(from, to - from, slices,
        fmt::format(
            R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
            category, json_quoted(name), where.process, where.thread, microseconds(from),
            microseconds(to - from), arguments));
}

void trace_events::counter(const char* name, const char* unit, std::uint64_t process,
                           std::uint64_t at, double value) {
    add(at, 0, points,
        fmt::format(R"({{"ph":"C","name":"{}","pid":{},"ts":{},"args":{{"{}":{:.4f}}}}})", name,
                    process, microseconds(at), unit, value));
}

void trace_events::arrow(flow kind, const char* category, std::uint64_t id, const place& where,
                         std::uint64_t at) {
    // Bind the end of a flow to the enclosing slice, not to the next one.
    add(at, 0, points,
        fmt::format(R"({{"ph":"{}","cat":"{}","name":"{}","id":{},"pid":{},"tid":{},"ts":{}{}}})",
                    static_cast<char>(kind), category, category, id, where.process, where.thread,
                    microseconds(at), kind == flow::end ? R"(,"bp":"e")" : ""));
}

void trace_events::note(const std::string& text, const place& where, std::uint64_t at) {
    add(at, 0, points,
        fmt::format(R"({{"ph":"I","s":"g","name":{},"pid":{},"tid":{},"ts":{}}})",
                    json_quoted(text), where.process, where.thread, microseconds(at)));
}

void trace_events::commit() {
    const auto order = [](const entry& e) {
        return std::make_tuple(e.rank != names, e.at, e.rank, ~e.duration, e.offset);
    };
    std::sort(entries_.begin(), entries_.end(),
              [&](const entry& a, const entry& b) { return order(a) < order(b); });
    std::string text;
    const char* separator = "[\n";
    bool whole = std::fflush(unsorted_.get()) == 0 && std::ferror(unsorted_.get()) == 0;
    for (const entry& e : entries_) {
        text.resize(e.bytes);
        whole = whole && ::fseeko(unsorted_.get(), static_cast<off_t>(e.offset), SEEK_SET) == 0 &&
                std::fread(text.data(), 1, e.bytes, unsorted_.get()) == e.bytes;
        out_.write(separator);
        out_.write(text);
        separator = ",\n";
    }
    if (!whole) {
        out_.discard();
        throw support::user_error(out_.name(), "its temporary file could not be written",
                                  "free some space, or see TMPDIR");
    }
    out_.write(entries_.empty() ? "[\n]\n" : "\n]\n");
    out_.commit();
}

}  // namespace simtlm::platform
