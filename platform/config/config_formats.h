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

/// Readers of the small languages inside option values. Each throws format_error, which says what
/// is wrong but not where; the caller knows the option and its origin.
namespace simtlm::platform {

struct format_error {
    std::string what;
    std::string remedy;
};

std::vector<std::string> split(std::string_view text, char separator);

/// "1,2,3" with `least` to `most` numbers.
std::vector<unsigned> parse_numbers(std::string_view text, char separator, std::size_t least,
                                    std::size_t most);

/// A cache string; "none" yields a configuration that is not enabled. GPGPU-Sim 3's strings, which
/// lack kind and set index, are read as normal caches with linear index.
cache::cache_config parse_cache(std::string_view text);

/// Registers in front of and behind operand collection, of the pipelines (core::pipe) for which
/// the option has a place, and of write-back.
struct pipeline_widths {
    struct registers {
        unsigned id_oc = 0, oc_ex = 0;
    };
    std::map<unsigned, registers> of;
    unsigned ex_wb = 0;
};
/// -gpgpu_pipeline_widths with 7, 11 or 13 values.
pipeline_widths parse_pipeline_widths(std::string_view text);

/// -specialized_unit_*.
struct specialized_unit {
    bool enabled = false;
    unsigned units = 0;
    unsigned id_oc = 0, oc_ex = 0;
    std::string name;
};
specialized_unit parse_specialized_unit(std::string_view text);

/// Named or positional DRAM timing.
memory::dram_timing parse_dram_timing(std::string_view text);

/// What an address map selects, by number of bits; the mapping itself is read by the decoder.
struct mapping_shape {
    std::optional<unsigned> channel_position;  ///< dramid@
    unsigned channel_bits = 0, bank_bits = 0, row_bits = 0, column_bits = 0, burst_bits = 0;
};
mapping_shape parse_address_mapping(std::string_view text);

/// Scheduler policy with its parameters, in canonical spelling.
std::string parse_scheduler(std::string_view text, unsigned max_warps);

/// An interval "FROM:TO" whose ends may be left out.
cycle_window parse_window(std::string_view text);

/// Reads a network description in BookSim syntax: `key = value;` with // comments.
/// @throws kernel::user_error naming file and line
interconnect::router_config read_router_file(const std::string& path);
interconnect::router_config parse_router_text(const std::string& text, const std::string& file);

}  // namespace simtlm::platform
