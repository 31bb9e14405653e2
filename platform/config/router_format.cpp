// SPDX-License-Identifier: Apache-2.0
#include "modules/support/error.h"
#include "modules/support/text_file.h"
#include "platform/config/format_tools.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace simtlm::platform {

interconnect::router_config parse_router_text(const std::string& text, const std::string& file) {
    interconnect::router_config router;
    router.file = file;
    unsigned line = 1;
    std::size_t i = 0;
    const auto wrong = [&](unsigned where, const std::string& what, const std::string& remedy) {
        throw support::user_error(fmt::format("{}:{}", file, where), what, remedy);
    };
    while (i < text.size()) {
        // Collects one statement up to its semicolon, without comments.
        std::string statement;
        unsigned start = 0;
        bool ended = false;
        while (i < text.size() && !ended) {
            if (text.compare(i, 2, "//") == 0) {
                while (i < text.size() && text[i] != '\n') ++i;
                continue;
            }
            const char c = text[i++];
            if (c == ';') {
                ended = true;
            } else {
                const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
                if (!space && start == 0) start = line;
                statement += space ? ' ' : c;
            }
            if (c == '\n') ++line;
        }
        statement = trimmed(statement);
        if (statement.empty()) continue;
        if (!ended)
            wrong(start, "'" + statement.substr(0, 40) + "' is not terminated", "end it with ;");
        const std::size_t equals = statement.find('=');
        if (equals == std::string::npos)
            wrong(start, "'" + statement.substr(0, 40) + "' assigns nothing", "key = value;");
        const std::string key = trimmed(std::string_view(statement).substr(0, equals));
        const std::string value = trimmed(std::string_view(statement).substr(equals + 1));
        const bool name = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        });
        if (!name) wrong(start, "'" + key + "' is not a parameter name", "key = value;");
        if (value.empty()) wrong(start, key + " has no value", "key = value;");
        if (value.find('=') != std::string::npos)
            wrong(start, key + " is assigned twice", "a ; is missing");
        if (std::count(value.begin(), value.end(), '{') !=
            std::count(value.begin(), value.end(), '}'))
            wrong(start, key + ": braces do not match", "");
        router.values[key] = value;
        router.lines[key] = start;
    }
    return router;
}

interconnect::router_config read_router_file(const std::string& path) {
    return parse_router_text(
        support::read_text_file(path, "-inter_config_file requires a network description"), path);
}

}  // namespace simtlm::platform
