// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/error.h"

#include <sqlite3.h>

#include <memory>
#include <string>
#include <utility>

namespace simtlm::platform::study {

/// An SQLite file that is only read.
class sqlite_database {
public:
    /// @param remedy  says which file is expected
    /// @throws support::user_error  if it cannot be opened
    sqlite_database(std::string file, std::string remedy)
        : file_(std::move(file)), remedy_(std::move(remedy)) {
        sqlite3* d = nullptr;
        const int opened = sqlite3_open_v2(file_.c_str(), &d, SQLITE_OPEN_READONLY, nullptr);
        connection_.reset(d);
        if (opened != SQLITE_OK) fail();
    }
    /// Calls act(statement) for every row of a query.
    /// @throws support::user_error  if the query fails
    template <typename Act>
    void each(const std::string& sql, Act&& act) {
        sqlite3_stmt* raw = nullptr;
        if (sqlite3_prepare_v2(connection_.get(), sql.c_str(), -1, &raw, nullptr) != SQLITE_OK)
            fail();
        const std::unique_ptr<sqlite3_stmt, statement_closer> s(raw);
        int step = sqlite3_step(raw);
        for (; step == SQLITE_ROW; step = sqlite3_step(raw)) act(raw);
        if (step != SQLITE_DONE) fail();
    }
    /// Text of a column of the current row; empty for NULL.
    static std::string text(sqlite3_stmt* s, int column) {
        const auto* t = reinterpret_cast<const char*>(sqlite3_column_text(s, column));
        return t != nullptr ? t : "";
    }

private:
    struct database_closer {
        void operator()(sqlite3* d) const { sqlite3_close(d); }
    };
    struct statement_closer {
        void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
    };
    [[noreturn]] void fail() const {
        throw support::user_error(
            file_, std::string("cannot be read: ") + sqlite3_errmsg(connection_.get()), remedy_);
    }
    std::string file_, remedy_;
    std::unique_ptr<sqlite3, database_closer> connection_;
};

}  // namespace simtlm::platform::study
