// SPDX-License-Identifier: Apache-2.0
#include "platform/study/profile/kernel_profile.h"
#include "platform/study/sqlite_database.h"

#include <fmt/format.h>

#include <set>

namespace simtlm::platform::study {

namespace {

constexpr const char* wanted_database =
    "export it by 'nsys export --type sqlite REPORT' (docs/profiles.md)";

}  // namespace

kernel_profile kernel_profile::read_database(const std::string& file) {
    kernel_profile profile;
    profile.file = file;
    profile.kind = "Nsight Systems, database";
    sqlite_database d(file, wanted_database);
    const std::string table = "CUPTI_ACTIVITY_KIND_KERNEL";
    std::set<std::string> columns;
    d.each("PRAGMA table_info(" + table + ")",
           [&](sqlite3_stmt* s) { columns.insert(sqlite_database::text(s, 1)); });
    if (columns.empty())
        throw support::user_error(file, "has no table " + table + ": no kernel was traced",
                                  "profile with 'nsys profile --trace=cuda'");
    const auto name_column = columns.count("demangledName") != 0 ? "demangledName" : "shortName";
    const auto column = [&](const char* name) {
        return columns.count(name) != 0 ? std::string("k.") + name : std::string("NULL");
    };
    const std::string sql = fmt::format(
        "SELECT s.value, k.\"end\" - k.start, {}, {}, {}, {}, {}, {}, {} FROM {} k "
        "LEFT JOIN StringIds s ON s.id = k.{} ORDER BY k.start",
        column("gridX"), column("gridY"), column("gridZ"), column("blockX"), column("blockY"),
        column("blockZ"), column("registersPerThread"), table, name_column);
    d.each(sql, [&](sqlite3_stmt* s) {
        measured_launch l;
        l.name = sqlite_database::text(s, 0);
        if (l.name.empty())
            throw support::user_error(file, "has a kernel without a name in StringIds",
                                      wanted_database);
        const auto known = [&](int c) { return sqlite3_column_type(s, c) != SQLITE_NULL; };
        const auto extent = [&](int first) {
            if (!known(first) || !known(first + 1) || !known(first + 2)) return std::string();
            return fmt::format("{} x {} x {}", sqlite3_column_int64(s, first),
                               sqlite3_column_int64(s, first + 1),
                               sqlite3_column_int64(s, first + 2));
        };
        constexpr int grid = 2, block = 5, registers = 8;
        constexpr double nanosecond = 1e-9;
        l.grid = extent(grid);
        l.block = extent(block);
        profile.set(l, "gpu__time_duration.sum", sqlite3_column_double(s, 1) * nanosecond);
        if (known(registers))
            profile.set(l, "launch__registers_per_thread", sqlite3_column_double(s, registers));
        profile.launches.push_back(std::move(l));
    });
    if (profile.launches.empty())
        throw support::user_error(file, "has no kernels",
                                  "profile with 'nsys profile --trace=cuda'");
    return profile;
}

}  // namespace simtlm::platform::study
