// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/parse_context.h"

#include <cstdint>
#include <unordered_map>

namespace simtlm::ptx {

/// Parses `.file` and `.loc`.
class location_parser {
public:
    explicit location_parser(parse_context& context) : c_(context) {}

    /// Parses the rest of `.file`.
    void read_file();
    /// Parses the rest of `.loc`, which becomes the location of the following instructions.
    void read_location();

private:
    std::uint32_t find_or_add(const source_location& l);
    source_location read_place();

    parse_context& c_;
    std::unordered_map<std::uint64_t, std::uint32_t> latest_;  ///< by file, line and column
};

}  // namespace simtlm::ptx
