// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/cache_config.h"
#include "modules/core/core_config.h"
#include "modules/interconnect/interconnect_config.h"
#include "modules/memory/memory_config.h"
#include "platform/config/config.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Parsers of the small languages used in option values. Each throws format_error, which describes
/// the error but not its location; the caller knows the option and its origin.
namespace simtlm::platform {

/// An error in the text of an option value, and how to correct it. Thrown by parsers.
struct format_error {
    std::string what;
    std::string remedy;
};

/// Splits a text at every separator.
std::vector<std::string> split(std::string_view text, char separator);

/// Parses between `least` and `most` numbers, such as "1,2,3".
std::vector<unsigned> parse_numbers(std::string_view text, char separator, std::size_t least,
                                    std::size_t most);

/// Parses a cache string; "none" yields a disabled configuration. Strings of GPGPU-Sim 3, which
/// lack the kind and the set index function, are read as normal caches with a linear index.
cache::cache_config parse_cache(std::string_view text);

/// Number of pipeline registers before and after operand collection, for the pipelines (core::pipe)
/// that the option lists, and of write-back registers.
struct pipeline_widths {
    /// Numbers of registers of one pipeline.
    struct registers {
        unsigned id_oc = 0, oc_ex = 0;
    };
    std::map<unsigned, registers> of;
    unsigned ex_wb = 0;
};
/// Parses -gpgpu_pipeline_widths with 7, 11 or 13 values.
pipeline_widths parse_pipeline_widths(std::string_view text);

/// A unit declared by -specialized_unit_*.
struct specialized_unit {
    bool enabled = false;
    unsigned units = 0;
    unsigned id_oc = 0, oc_ex = 0;
    std::string name;
};
specialized_unit parse_specialized_unit(std::string_view text);

/// Parses DRAM timing parameters, named or positional.
memory::dram_timing parse_dram_timing(std::string_view text);

/// Number of address bits that select each resource; the mapping itself is parsed by the address
/// decoder.
struct mapping_shape {
    std::optional<unsigned> channel_position;  ///< value of dramid@
    unsigned channel_bits = 0, bank_bits = 0, row_bits = 0, column_bits = 0, burst_bits = 0;
};
mapping_shape parse_address_mapping(std::string_view text);

/// Parses a scheduler policy with its parameters and returns its canonical spelling.
std::string parse_scheduler(std::string_view text, unsigned max_warps);

/// Parses an interval "FROM:TO"; either end may be omitted.
cycle_window parse_window(std::string_view text);

/// Reads a network description in BookSim syntax: `key = value;` with // comments.
/// @throws support::user_error  with file and line
interconnect::router_config read_router_file(const std::string& path);
interconnect::router_config parse_router_text(const std::string& text, const std::string& file);

}  // namespace simtlm::platform
