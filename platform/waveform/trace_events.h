// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/output_file.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::platform {

/// A file in the JSON array form of the trace-event format, which ui.perfetto.dev and
/// chrome://tracing read. Events are kept in a temporary file and sorted by time at the end, an
/// enclosing slice before the enclosed. Times are given in picoseconds and written in microseconds,
/// so that what ends where something else begins is written with the same digits.
class trace_events {
public:
    /// A row of the viewer.
    struct place {
        std::uint64_t process;
        std::uint64_t thread;
    };

    /// @throws kernel::user_error when the file cannot be created
    explicit trace_events(const std::string& file);

    void name_process(std::uint64_t process, const std::string& name, unsigned order);
    void name_thread(const place& where, const std::string& name);

    /// An interval. @param arguments  more members for `args`: `,"name":value`
    void slice(const char* category, const std::string& name, const place& where,
               std::uint64_t from, std::uint64_t to, const std::string& arguments);
    /// A value that holds from now on.
    void counter(const char* name, const char* unit, std::uint64_t process, std::uint64_t at,
                 double value);
    /// A point of an arrow from slice to slice: its beginning, a slice on its way, its end.
    enum class flow : char { begin = 's', step = 't', end = 'f' };
    void arrow(flow kind, const char* category, std::uint64_t id, const place& where,
               std::uint64_t at);
    /// A note across everything.
    void note(const std::string& text, const place& where, std::uint64_t at);

    /// Sorts and completes the file. @throws kernel::output_error
    void commit();

private:
    struct entry {
        std::uint64_t at;        // ps
        std::uint64_t duration;  // ps, of slices
        std::uint64_t offset;    // in the temporary file
        std::uint32_t bytes;
        std::uint32_t rank;  // at the same time: names, slices, the rest
    };
    struct closer {
        void operator()(std::FILE* f) const { std::fclose(f); }
    };
    void add(std::uint64_t at, std::uint64_t duration, std::uint32_t rank, const std::string& text);

    kernel::output_file out_;
    std::unique_ptr<std::FILE, closer> unsorted_;
    std::vector<entry> entries_;
    std::uint64_t bytes_ = 0;
};

/// A JSON string.
std::string json_quoted(const std::string& text);

}  // namespace simtlm::platform
