// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/output_file.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::platform {

/// Writes a file in the JSON array form of the trace-event format, as read by ui.perfetto.dev and
/// chrome://tracing. Events are kept in a temporary file and sorted by time at the end, enclosing
/// slices first. Times are integers in picoseconds and written in microseconds, so that adjacent
/// slices have identical digits at their common boundary.
class trace_events {
public:
    /// A row in the viewer.
    struct place {
        std::uint64_t process;
        std::uint64_t thread;
    };

    /// @throws support::user_error  if the file cannot be created
    explicit trace_events(const std::string& file);

    void name_process(std::uint64_t process, const std::string& name, unsigned order);
    void name_thread(const place& where, const std::string& name);

    /// Adds an interval. @param arguments  additional members for `args`: `,"name":value`
    void slice(const char* category, const std::string& name, const place& where,
               std::uint64_t from, std::uint64_t to, const std::string& arguments);
    /// Sets the value of a counter from this time on.
    void counter(const char* name, const char* unit, std::uint64_t process, std::uint64_t at,
                 double value);
    /// A point of a flow between slices: its start, an intermediate slice, its end.
    enum class flow : char { begin = 's', step = 't', end = 'f' };
    void arrow(flow kind, const char* category, std::uint64_t id, const place& where,
               std::uint64_t at);
    /// Adds a note across all rows.
    void note(const std::string& text, const place& where, std::uint64_t at);

    /// Sorts and completes the file. @throws support::output_error
    void commit();

private:
    struct entry {
        std::uint64_t at;        // ps
        std::uint64_t duration;  // ps, of slices
        std::uint64_t offset;    // in the temporary file
        std::uint32_t bytes;
        std::uint32_t rank;  // order at equal times: names, slices, others
    };
    struct closer {
        void operator()(std::FILE* f) const { std::fclose(f); }
    };
    void add(std::uint64_t at, std::uint64_t duration, std::uint32_t rank, const std::string& text);

    support::output_file out_;
    std::unique_ptr<std::FILE, closer> unsorted_;
    std::vector<entry> entries_;
    std::uint64_t bytes_ = 0;
};

/// Returns text as a JSON string.
std::string json_quoted(const std::string& text);

}  // namespace simtlm::platform
