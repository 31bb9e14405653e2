// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/output_target.h"

#include <cstdint>
#include <memory>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace simtlm::platform {

/// The SQLite database of --interval-db. Tables: units (the sampled blocks), statistics (the
/// sampled metrics), samples (times), and data (one value per sample, unit and statistic); the view
/// named_data replaces the numbers by names. The file is built under a temporary name and renamed
/// by commit().
class sample_database {
public:
    /// @throws support::user_error  if it cannot be created
    explicit sample_database(const std::string& file);
    /// Removes the file unless it has been committed.
    ~sample_database();
    sample_database(const sample_database&) = delete;
    sample_database& operator=(const sample_database&) = delete;

    void add_unit(std::uint64_t id, const std::string& name, const std::string& kind);
    void add_statistic(std::uint64_t id, const std::string& name, const std::string& unit,
                       const std::string& meaning);
    /// @param launch  launch number of the running kernel; 0: none
    void begin_sample(std::uint64_t id, std::uint64_t cycle, std::uint64_t cycles,
                      std::uint64_t launch, const std::string& kernel);
    /// Adds a value to the current sample.
    void add(std::uint64_t unit, std::uint64_t statistic, double value);
    /// @throws support::output_error
    void commit();

private:
    struct statement_deleter {
        void operator()(sqlite3_stmt* s) const;
    };
    using statement = std::unique_ptr<sqlite3_stmt, statement_deleter>;

    statement prepare(const char* sql);
    void execute(const char* sql);
    void run(sqlite3_stmt* s);
    void close();

    support::output_target target_;
    std::string draft_;
    sqlite3* database_ = nullptr;
    statement unit_, statistic_, sample_, value_;
    std::uint64_t current_ = 0;
    std::string failed_;  ///< first error; nothing is written after it
};

}  // namespace simtlm::platform
