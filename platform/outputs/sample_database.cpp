// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/sample_database.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace simtlm::platform {

namespace {

constexpr const char* schema = R"(
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE units(id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL);
CREATE TABLE statistics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, unit TEXT NOT NULL,
                        meaning TEXT NOT NULL);
CREATE TABLE samples(id INTEGER PRIMARY KEY, cycle INTEGER NOT NULL, cycles INTEGER NOT NULL,
                     launch_uid INTEGER, kernel TEXT);
CREATE TABLE data(sample INTEGER NOT NULL REFERENCES samples(id),
                  unit INTEGER NOT NULL REFERENCES units(id),
                  statistic INTEGER NOT NULL REFERENCES statistics(id),
                  value REAL NOT NULL,
                  PRIMARY KEY(sample, unit, statistic)) WITHOUT ROWID;
CREATE VIEW named_data AS
  SELECT samples.cycle, samples.cycles, samples.launch_uid, samples.kernel, units.name AS unit,
         units.kind, statistics.name AS statistic, data.value
  FROM data JOIN samples ON samples.id = data.sample JOIN units ON units.id = data.unit
            JOIN statistics ON statistics.id = data.statistic;
BEGIN;
)";

void bind(sqlite3_stmt* s, int place, const std::string& text) {
    sqlite3_bind_text(s, place, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

void bind(sqlite3_stmt* s, int place, std::uint64_t number) {
    sqlite3_bind_int64(s, place, static_cast<sqlite3_int64>(number));
}

}  // namespace

void sample_database::statement_deleter::operator()(sqlite3_stmt* s) const {
    sqlite3_finalize(s);
}

sample_database::sample_database(const std::string& file) : target_(file) {
    if (target_.in_place())
        throw support::user_error(file, "is not a regular file, as required for a database",
                                  "name another file: --interval-db FILE");
    ::close(target_.open(draft_));
    if (sqlite3_open(draft_.c_str(), &database_) != SQLITE_OK) {
        const std::string why = sqlite3_errmsg(database_);
        close();
        std::remove(draft_.c_str());
        throw support::user_error(file, "cannot be written: " + why, "name another file");
    }
    execute(schema);
    unit_ = prepare("INSERT INTO units VALUES(?, ?, ?)");
    statistic_ = prepare("INSERT INTO statistics VALUES(?, ?, ?, ?)");
    sample_ = prepare("INSERT INTO samples VALUES(?, ?, ?, ?, ?)");
    value_ = prepare("INSERT INTO data VALUES(?, ?, ?, ?)");
}

sample_database::~sample_database() {
    close();
    if (!draft_.empty()) std::remove(draft_.c_str());
}

void sample_database::close() {
    unit_.reset();
    statistic_.reset();
    sample_.reset();
    value_.reset();
    sqlite3_close(database_);
    database_ = nullptr;
}

sample_database::statement sample_database::prepare(const char* sql) {
    sqlite3_stmt* s = nullptr;
    if (failed_.empty() && sqlite3_prepare_v2(database_, sql, -1, &s, nullptr) != SQLITE_OK)
        failed_ = sqlite3_errmsg(database_);
    return statement(s);
}

void sample_database::execute(const char* sql) {
    if (failed_.empty() && sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
        failed_ = sqlite3_errmsg(database_);
}

void sample_database::run(sqlite3_stmt* s) {
    if (failed_.empty() && sqlite3_step(s) != SQLITE_DONE) failed_ = sqlite3_errmsg(database_);
    sqlite3_reset(s);
}

void sample_database::add_unit(std::uint64_t id, const std::string& name, const std::string& kind) {
    if (!failed_.empty()) return;
    bind(unit_.get(), 1, id);
    bind(unit_.get(), 2, name);
    bind(unit_.get(), 3, kind);
    run(unit_.get());
}

void sample_database::add_statistic(std::uint64_t id, const std::string& name,
                                    const std::string& unit, const std::string& meaning) {
    if (!failed_.empty()) return;
    bind(statistic_.get(), 1, id);
    bind(statistic_.get(), 2, name);
    bind(statistic_.get(), 3, unit);
    bind(statistic_.get(), 4, meaning);
    run(statistic_.get());
}

void sample_database::begin_sample(std::uint64_t id, std::uint64_t cycle, std::uint64_t cycles,
                                   std::uint64_t launch, const std::string& kernel) {
    current_ = id;
    if (!failed_.empty()) return;
    bind(sample_.get(), 1, id);
    bind(sample_.get(), 2, cycle);
    bind(sample_.get(), 3, cycles);
    if (launch != 0) {
        bind(sample_.get(), 4, launch);
        bind(sample_.get(), 5, kernel);
    } else {
        sqlite3_bind_null(sample_.get(), 4);
        sqlite3_bind_null(sample_.get(), 5);
    }
    run(sample_.get());
}

void sample_database::add(std::uint64_t unit, std::uint64_t statistic, double value) {
    if (!failed_.empty()) return;
    bind(value_.get(), 1, current_);
    bind(value_.get(), 2, unit);
    bind(value_.get(), 3, statistic);
    sqlite3_bind_double(value_.get(), 4, value);
    run(value_.get());
}

void sample_database::commit() {
    execute("COMMIT");
    close();
    const std::string draft = std::exchange(draft_, {});
    if (failed_.empty()) return target_.replace_by(draft);
    std::remove(draft.c_str());
    throw support::output_error(target_.name(), "cannot be written: " + failed_,
                                "name a file in a folder that exists and can be written");
}

}  // namespace simtlm::platform
