// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/replacement_policy.h"
#include "platform/config/format_tools.h"

#include <algorithm>

namespace simtlm::platform {

namespace {

// Limits that bound the host memory needed for a cache; every SM or partition has its own copy.
constexpr std::uint64_t max_lines = 1 << 20;
constexpr unsigned largest_line = 4096;
constexpr unsigned max_entries = 1 << 16;

/// [N|S:]SETS:LINE:WAYS
void parse_geometry(const std::string& text, cache::cache_config& c) {
    std::vector<std::string> geometry = split(text, ':');
    if (geometry.size() == 4) {
        c.kind = letter<cache::cache_kind>(
            geometry[0], "kind of cache",
            {{'N', cache::cache_kind::normal}, {'S', cache::cache_kind::sector}});
        geometry.erase(geometry.begin());
    }
    if (geometry.size() != 3)
        throw format_error{fmt::format("'{}' is not a cache geometry", text),
                           "[N|S:]SETS:LINE:WAYS"};
    c.sets = parse_number(geometry[0], "number of sets");
    c.line_bytes = parse_number(geometry[1], "line size");
    c.ways = parse_number(geometry[2], "number of ways");
}

/// REPL:WRITE:ALLOC:WALLOC[:INDEX]
void parse_policies(const std::string& text, cache::cache_config& c) {
    const std::vector<std::string> policies = split(text, ':');
    if (policies.size() != 4 && policies.size() != 5)
        throw format_error{
            fmt::format("'{}' has {} policies instead of 4 or 5", text, policies.size()),
            "REPL:WRITE:ALLOC:WALLOC[:INDEX]"};
    c.replacement = letter(policies[0], "replacement policy", cache::replacement_policies());
    c.write = letter<cache::write_policy>(policies[1], "write policy",
                                          {{'R', cache::write_policy::read_only},
                                           {'B', cache::write_policy::write_back},
                                           {'T', cache::write_policy::write_through},
                                           {'E', cache::write_policy::write_evict},
                                           {'L', cache::write_policy::local_wb_global_wt}});
    c.allocation = letter<cache::allocation_policy>(policies[2], "allocation policy",
                                                    {{'m', cache::allocation_policy::on_miss},
                                                     {'f', cache::allocation_policy::on_fill},
                                                     {'s', cache::allocation_policy::streaming}});
    c.write_allocate = letter<cache::write_allocate_policy>(
        policies[3], "write allocation policy",
        {{'N', cache::write_allocate_policy::no_write_allocate},
         {'W', cache::write_allocate_policy::write_allocate},
         {'F', cache::write_allocate_policy::fetch_on_write},
         {'L', cache::write_allocate_policy::lazy_fetch_on_read}});
    if (policies.size() == 5)
        c.set_index =
            letter<cache::set_index_function>(policies[4], "set index function",
                                              {{'L', cache::set_index_function::linear},
                                               {'X', cache::set_index_function::bitwise_xor},
                                               {'P', cache::set_index_function::ipoly},
                                               {'H', cache::set_index_function::fermi_hash},
                                               {'C', cache::set_index_function::custom}});
}

/// Conditions that no cache may violate.
void check_cache(const cache::cache_config& c) {
    if (!power_of_two(c.sets))
        throw format_error{fmt::format("{} sets", c.sets),
                           "the number of sets must be a power of two"};
    if (!power_of_two(c.line_bytes))
        throw format_error{fmt::format("lines of {} bytes", c.line_bytes),
                           "the line size must be a power of two"};
    if (std::uint64_t{c.sets} * c.ways > max_lines || c.line_bytes > largest_line)
        throw format_error{
            fmt::format("a cache of {} sets, {} ways and lines of {} bytes", c.sets, c.ways,
                        c.line_bytes),
            fmt::format("at most {} lines of at most {} bytes", max_lines, largest_line)};
    if (std::max({c.mshr_entries, c.mshr_max_merge, c.miss_queue_size, c.result_fifo_entries}) >
        max_entries)
        throw format_error{"too many MSHR or queue entries",
                           fmt::format("at most {}", max_entries)};
    if (c.ways == 0) throw format_error{"no ways", "a cache must have at least one way"};
    if (c.mshr_entries == 0 || c.mshr_max_merge == 0)
        throw format_error{"the number of MSHR entries or of merged requests is zero",
                           "both must be at least 1"};
    if (c.miss_queue_size == 0) throw format_error{"a miss queue without entries", "at least 1"};
    if (c.texture_fifo && c.result_fifo_entries == 0)
        throw format_error{"a texture FIFO without result FIFO entries", "write MISSQ:FIFO"};
    if (c.kind == cache::cache_kind::sector &&
        c.line_bytes != cache::sector_bytes * cache::sectors_per_line)
        throw format_error{fmt::format("a sector cache with lines of {} bytes", c.line_bytes),
                           fmt::format("a line is {} sectors of {} bytes", cache::sectors_per_line,
                                       cache::sector_bytes)};
    if (c.line_bytes % c.port_bytes() != 0)
        throw format_error{
            fmt::format("a port of {} bytes with lines of {}", c.port_bytes(), c.line_bytes),
            "the port width must divide the line size"};
    const bool on_fill = c.allocation != cache::allocation_policy::on_miss;
    if (on_fill && c.write == cache::write_policy::write_back)
        throw format_error{
            "a write-back cache that allocates on fill can deadlock: a fill would wait "
            "for the write-back of its victim",
            "allocate on miss (m)"};
    if (on_fill && (c.write_allocate == cache::write_allocate_policy::fetch_on_write ||
                    c.write_allocate == cache::write_allocate_policy::lazy_fetch_on_read))
        throw format_error{"write allocation F or L needs the line before it is filled",
                           "allocate on miss (m), or do not allocate on writes (N)"};
    if (c.set_index == cache::set_index_function::fermi_hash && c.sets != 32 && c.sets != 64)
        throw format_error{fmt::format("Fermi's hash with {} sets", c.sets),
                           "it is defined for 32 and 64"};
    if (c.set_index == cache::set_index_function::ipoly && c.sets != 16 && c.sets != 32 &&
        c.sets != 64)
        throw format_error{fmt::format("the polynomial hash with {} sets", c.sets),
                           "it is defined for 16, 32 and 64"};
}

}  // namespace

cache::cache_config parse_cache(std::string_view text) {
    cache::cache_config c;
    const std::string whole = trimmed(text);
    if (whole == "none") {
        c.enabled = false;
        return c;
    }
    const std::vector<std::string> parts = split(whole, ',');
    if (parts.size() != 4 && parts.size() != 5)
        throw format_error{
            fmt::format("has {} parts between commas instead of 4 or 5", parts.size()),
            "geometry, policies, MSHR, miss queue, port width"};

    parse_geometry(parts[0], c);
    parse_policies(parts[1], c);
    const std::vector<std::string> mshr = split(parts[2], ':');
    if (mshr.size() != 3)
        throw format_error{fmt::format("'{}' is not an MSHR description", parts[2]),
                           "KIND:ENTRIES:MERGE"};
    c.texture_fifo = letter<bool>(mshr[0], "kind of MSHR",
                                  {{'A', false}, {'S', false}, {'F', true}, {'T', true}});
    c.mshr_entries = parse_number(mshr[1], "number of MSHR entries");
    c.mshr_max_merge = parse_number(mshr[2], "number of merged requests");

    const std::vector<unsigned> queues = parse_numbers(parts[3], ':', 1, 2);
    c.miss_queue_size = queues[0];
    if (queues.size() == 2) c.result_fifo_entries = queues[1];
    if (parts.size() == 5) c.data_port_bytes = parse_number(parts[4], "port width");
    check_cache(c);
    return c;
}

}  // namespace simtlm::platform
