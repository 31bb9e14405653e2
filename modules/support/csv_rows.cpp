// SPDX-License-Identifier: Apache-2.0
#include "modules/support/csv_rows.h"

namespace simtlm::support {

csv_row csv_row_at(std::string_view text, std::size_t begin, char separator, bool one_line) {
    csv_row row;
    row.cells.emplace_back();
    std::size_t at = begin;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '\n' && (!row.open_quote || one_line)) break;
        if (c == '"' && row.open_quote && at + 1 < text.size() && text[at + 1] == '"')
            row.cells.back() += text[++at];
        else if (c == '"')
            row.open_quote = !row.open_quote;
        else if (c == separator && !row.open_quote)
            row.cells.emplace_back();
        else
            row.cells.back() += c;
    }
    std::string& last = row.cells.back();
    if (!last.empty() && last.back() == '\r') last.pop_back();
    row.end = at < text.size() ? at + 1 : at;
    return row;
}

}  // namespace simtlm::support
