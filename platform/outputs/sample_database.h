// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/output_target.h"

#include <cstdint>
#include <memory>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace simtlm::platform {

/// The SQLite database of --interval-db. Tables: units (what was sampled), statistics (what of
/// it), samples (when), and data, a value per sample, unit and statistic; the view named_data has
/// the names in place of the numbers. Built beside its place and given its name by commit().
class sample_database {
public:
    /// @throws kernel::user_error when it cannot be created
    explicit sample_database(const std::string& file);
    /// What has not been committed is removed.
    ~sample_database();
    sample_database(const sample_database&) = delete;
    sample_database& operator=(const sample_database&) = delete;

    void add_unit(std::uint64_t id, const std::string& name, const std::string& kind);
    void add_statistic(std::uint64_t id, const std::string& name, const std::string& unit,
                       const std::string& meaning);
    /// @param launch  of the kernel that was running; 0: none
    void begin_sample(std::uint64_t id, std::uint64_t cycle, std::uint64_t cycles,
                      std::uint64_t launch, const std::string& kernel);
    /// A value of the sample begun last.
    void add(std::uint64_t unit, std::uint64_t statistic, double value);
    /// @throws kernel::output_error
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

    kernel::output_target target_;
    std::string draft_;
    sqlite3* database_ = nullptr;
    statement unit_, statistic_, sample_, value_;
    std::uint64_t current_ = 0;
    std::string failed_;  ///< the first error; what comes after it is not written
};

}  // namespace simtlm::platform
