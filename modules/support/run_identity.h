// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>

namespace simtlm::support {

/// A run of `simtlm run`, as its processes pass it on (environment variable SIMTLM_RUN).
struct run_identity {
    long process = 0;        ///< the first process
    std::int64_t start = 0;  ///< ns since 1970

    /// A run that begins now with this process. Times of files are at most the present time, and at
    /// least that of a coarse clock: returns when the latter is later than the beginning, so that
    /// all files written from then on are newer.
    static run_identity of_this_process() {
        const std::int64_t start = now(CLOCK_REALTIME);
        while (now(CLOCK_REALTIME_COARSE) <= start) ::usleep(100);
        return {::getpid(), start};
    }
    /// @param text  from text(); all values are 0 if it has another form
    static run_identity parse(const char* text) {
        run_identity run;
        char* end = nullptr;
        run.process = std::strtol(text, &end, 10);
        if (*end == ':') run.start = std::strtoll(end + 1, nullptr, 10);
        return run;
    }
    std::string text() const { return std::to_string(process) + ":" + std::to_string(start); }

    /// Whether a regular file with this status was written since the run began.
    bool has_written(const struct stat& file) const {
        return S_ISREG(file.st_mode) && nanoseconds(file.st_mtim) > start;
    }

private:
    static std::int64_t nanoseconds(const timespec& t) {
        return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
    }
    static std::int64_t now(clockid_t clock) {
        timespec time{};
        clock_gettime(clock, &time);
        return nanoseconds(time);
    }
};

}  // namespace simtlm::support
