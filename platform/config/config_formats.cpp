// SPDX-License-Identifier: Apache-2.0
#include "platform/config/config_formats.h"

#include "modules/core/scheduling_policy.h"
#include "modules/kernel/error.h"
#include "platform/options/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>

namespace simtlm::platform {

namespace {

std::string trimmed(std::string_view text) {
    const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return std::string(text);
}

unsigned parse_number(std::string_view text, const std::string& what) {
    const auto number = parse_integer(trimmed(text));
    if (!number || *number < 0 || *number > 0xffffffffLL)
        throw format_error{fmt::format("'{}' is no {}", text, what), ""};
    return static_cast<unsigned>(*number);
}

bool power_of_two(unsigned n) {
    return n != 0 && (n & (n - 1)) == 0;
}

/// The meaning of a one-letter policy.
template <typename T>
T letter(const std::string& text, const std::string& what,
         const std::vector<std::pair<char, T>>& meanings) {
    std::string known;
    for (const auto& [c, meaning] : meanings) {
        if (text.size() == 1 && text[0] == c) return meaning;
        known += known.empty() ? "" : ", ";
        known += c;
    }
    throw format_error{fmt::format("'{}' is no {}", text, what), "one of " + known};
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == separator)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

std::vector<unsigned> parse_numbers(std::string_view text, char separator, std::size_t least,
                                    std::size_t most) {
    const std::vector<std::string> parts = split(text, separator);
    if (parts.size() < least || parts.size() > most)
        throw format_error{fmt::format("has {} values instead of {}", parts.size(),
                                       least == most ? fmt::format("{}", least)
                                                     : fmt::format("{} to {}", least, most)),
                           ""};
    std::vector<unsigned> numbers;
    for (const std::string& part : parts) numbers.push_back(parse_number(part, "number"));
    return numbers;
}

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

    std::vector<std::string> geometry = split(parts[0], ':');
    if (geometry.size() == 4) {
        c.kind = letter<cache::cache_kind>(
            geometry[0], "kind of cache",
            {{'N', cache::cache_kind::normal}, {'S', cache::cache_kind::sector}});
        geometry.erase(geometry.begin());
    }
    if (geometry.size() != 3)
        throw format_error{fmt::format("'{}' is no cache geometry", parts[0]),
                           "[N|S:]SETS:LINE:WAYS"};
    c.sets = parse_number(geometry[0], "number of sets");
    c.line_bytes = parse_number(geometry[1], "line size");
    c.ways = parse_number(geometry[2], "number of ways");

    const std::vector<std::string> policies = split(parts[1], ':');
    if (policies.size() != 4 && policies.size() != 5)
        throw format_error{
            fmt::format("'{}' has {} policies instead of 4 or 5", parts[1], policies.size()),
            "REPL:WRITE:ALLOC:WALLOC[:INDEX]"};
    c.replacement = letter<cache::replacement_policy>(policies[0], "replacement policy",
                                                      {{'L', cache::replacement_policy::lru},
                                                       {'F', cache::replacement_policy::fifo},
                                                       {'R', cache::replacement_policy::random}});
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

    const std::vector<std::string> mshr = split(parts[2], ':');
    if (mshr.size() != 3)
        throw format_error{fmt::format("'{}' is no MSHR description", parts[2]),
                           "KIND:ENTRIES:MERGE"};
    c.texture_fifo = letter<bool>(mshr[0], "kind of MSHR",
                                  {{'A', false}, {'S', false}, {'F', true}, {'T', true}});
    c.mshr_entries = parse_number(mshr[1], "number of MSHR entries");
    c.mshr_max_merge = parse_number(mshr[2], "number of merged requests");

    const std::vector<unsigned> queues = parse_numbers(parts[3], ':', 1, 2);
    c.miss_queue_size = queues[0];
    if (queues.size() == 2) c.result_fifo_entries = queues[1];
    if (parts.size() == 5) c.data_port_bytes = parse_number(parts[4], "port width");

    // What no cache can be.
    if (!power_of_two(c.sets))
        throw format_error{fmt::format("{} sets", c.sets), "the number of sets is a power of two"};
    if (!power_of_two(c.line_bytes))
        throw format_error{fmt::format("lines of {} bytes", c.line_bytes),
                           "the line size is a power of two"};
    if (c.ways == 0) throw format_error{"no ways", "a cache has at least one way"};
    if (c.mshr_entries == 0 || c.mshr_max_merge == 0)
        throw format_error{"no MSHR entries or no requests to merge", "both are at least 1"};
    if (c.miss_queue_size == 0) throw format_error{"a miss queue of no entries", "at least 1"};
    if (c.texture_fifo && c.result_fifo_entries == 0)
        throw format_error{"a texture FIFO without result FIFO entries", "write MISSQ:FIFO"};
    if (c.kind == cache::cache_kind::sector &&
        c.line_bytes != cache::sector_bytes * cache::sectors_per_line)
        throw format_error{fmt::format("a sector cache with lines of {} bytes", c.line_bytes),
                           fmt::format("a line is {} sectors of {} bytes", cache::sectors_per_line,
                                       cache::sector_bytes)};
    if (c.line_bytes % c.port_bytes() != 0)
        throw format_error{
            fmt::format("a port of {} bytes at lines of {}", c.port_bytes(), c.line_bytes),
            "the port width divides the line size"};
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
    return c;
}

core::pipeline_widths parse_pipeline_widths(std::string_view text) {
    const std::vector<unsigned> w = parse_numbers(text, ',', 7, 13);
    core::pipeline_widths p;
    if (w.size() == 7) {
        p.id_oc_sp = w[0], p.id_oc_dp = 0, p.id_oc_int = 0, p.id_oc_sfu = w[1], p.id_oc_mem = w[2];
        p.oc_ex_sp = w[3], p.oc_ex_dp = 0, p.oc_ex_int = 0, p.oc_ex_sfu = w[4], p.oc_ex_mem = w[5];
        p.ex_wb = w[6];
        return p;
    }
    if (w.size() != 11 && w.size() != 13)
        throw format_error{fmt::format("has {} widths", w.size()),
                           "7, 11, or 13 with tensor cores"};
    p.id_oc_sp = w[0], p.id_oc_dp = w[1], p.id_oc_int = w[2], p.id_oc_sfu = w[3],
    p.id_oc_mem = w[4];
    p.oc_ex_sp = w[5], p.oc_ex_dp = w[6], p.oc_ex_int = w[7], p.oc_ex_sfu = w[8],
    p.oc_ex_mem = w[9];
    p.ex_wb = w[10];
    if (w.size() == 13) p.id_oc_tensor = w[11], p.oc_ex_tensor = w[12];
    return p;
}

core::specialized_unit_config parse_specialized_unit(std::string_view text) {
    const std::vector<std::string> parts = split(text, ',');
    if (parts.size() != 6)
        throw format_error{fmt::format("has {} parts instead of 6", parts.size()),
                           "ENABLED,UNITS,LATENCY,ID_OC,OC_EX,NAME"};
    core::specialized_unit_config unit;
    const unsigned enabled = parse_number(parts[0], "0 or 1");
    if (enabled > 1) throw format_error{fmt::format("'{}' is no 0 or 1", parts[0]), ""};
    unit.enabled = enabled == 1;
    unit.units = parse_number(parts[1], "number of units");
    unit.max_latency = parse_number(parts[2], "latency");
    unit.id_oc_width = parse_number(parts[3], "width");
    unit.oc_ex_width = parse_number(parts[4], "width");
    unit.name = trimmed(parts[5]);
    if (unit.enabled && (unit.units == 0 || unit.max_latency == 0 || unit.id_oc_width == 0 ||
                         unit.oc_ex_width == 0 || unit.name.empty()))
        throw format_error{"an enabled unit has units, a latency, widths and a name",
                           "start with 0 to disable it"};
    return unit;
}

memory::dram_timing parse_dram_timing(std::string_view text) {
    memory::dram_timing t;
    const std::map<std::string, unsigned memory::dram_timing::*> fields = {
        {"nbk", &memory::dram_timing::nbk},    {"CCD", &memory::dram_timing::tCCD},
        {"RRD", &memory::dram_timing::tRRD},   {"RCD", &memory::dram_timing::tRCD},
        {"RAS", &memory::dram_timing::tRAS},   {"RP", &memory::dram_timing::tRP},
        {"RC", &memory::dram_timing::tRC},     {"CL", &memory::dram_timing::CL},
        {"WL", &memory::dram_timing::WL},      {"CDLR", &memory::dram_timing::tCDLR},
        {"WR", &memory::dram_timing::tWR},     {"nbkgrp", &memory::dram_timing::nbkgrp},
        {"CCDL", &memory::dram_timing::tCCDL}, {"RTPL", &memory::dram_timing::tRTPL},
        {"REFI", &memory::dram_timing::tREFI}, {"RFC", &memory::dram_timing::tRFC}};
    if (text.find('=') == std::string_view::npos) {
        using timing = memory::dram_timing;
        constexpr unsigned timing::*order[] = {
            &timing::nbk, &timing::tCCD,   &timing::tRRD,  &timing::tRCD, &timing::tRAS,
            &timing::tRP, &timing::tRC,    &timing::CL,    &timing::WL,   &timing::tCDLR,
            &timing::tWR, &timing::nbkgrp, &timing::tCCDL, &timing::tRTPL};
        const std::vector<unsigned> numbers = parse_numbers(text, ':', 11, 14);
        for (std::size_t i = 0; i < numbers.size(); ++i) t.*order[i] = numbers[i];
    } else {
        std::string flat(text);
        for (char& c : flat)
            if (c == ';' || std::isspace(static_cast<unsigned char>(c)) != 0) c = ':';
        std::map<std::string, bool> seen;
        for (const std::string& pair : split(flat, ':')) {
            if (pair.empty()) continue;
            const std::vector<std::string> sides = split(pair, '=');
            if (sides.size() != 2)
                throw format_error{fmt::format("'{}' is not NAME=VALUE", pair), ""};
            const auto field = fields.find(sides[0]);
            if (field == fields.end()) {
                std::vector<std::string> names;
                for (const auto& [name, member] : fields) names.push_back(name);
                throw format_error{fmt::format("'{}' is no DRAM timing parameter", sides[0]),
                                   "did you mean " + nearest_name(sides[0], names) + "?"};
            }
            t.*(field->second) = parse_number(sides[1], "number of cycles");
            seen[sides[0]] = true;
        }
        for (const char* name :
             {"nbk", "CCD", "RRD", "RCD", "RAS", "RP", "RC", "CL", "WL", "CDLR", "WR"})
            if (!seen[name])
                throw format_error{fmt::format("lacks {}", name),
                                   "add " + std::string(name) + "=N"};
    }
    if (!power_of_two(t.nbk)) throw format_error{fmt::format("{} banks", t.nbk), "a power of two"};
    if (!power_of_two(t.nbkgrp) || t.nbk % t.nbkgrp != 0)
        throw format_error{fmt::format("{} bank groups of {} banks", t.nbkgrp, t.nbk),
                           "the number of groups is a power of two and divides the banks"};
    if (t.tCCD == 0 || t.CL == 0) throw format_error{"CCD and CL must not be zero", ""};
    if (t.tRC < t.tRAS)
        throw format_error{fmt::format("RC {} is shorter than RAS {}", t.tRC, t.tRAS),
                           "RC is about RAS + RP"};
    if ((t.tREFI == 0) != (t.tRFC == 0) || (t.tREFI != 0 && t.tRFC >= t.tREFI))
        throw format_error{fmt::format("refreshes of {} cycles every {}", t.tRFC, t.tREFI),
                           "give both REFI and RFC, or neither, and REFI greater than RFC"};
    return t;
}

mapping_shape parse_address_mapping(std::string_view text) {
    mapping_shape shape;
    std::string_view map = text;
    const std::size_t semicolon = text.find(';');
    if (semicolon != std::string_view::npos) {
        const std::string_view head = text.substr(0, semicolon);
        constexpr std::string_view key = "dramid@";
        if (head.substr(0, key.size()) != key)
            throw format_error{fmt::format("'{}' is not dramid@BIT", head), ""};
        const unsigned bit = parse_number(head.substr(key.size()), "bit position");
        if (bit > 56)
            throw format_error{fmt::format("dramid@{} lies outside an address", bit), "0 to 56"};
        shape.channel_position = bit;
        map = text.substr(semicolon + 1);
    }
    unsigned bits = 0;
    for (const char c : map) {
        ++bits;
        switch (std::tolower(static_cast<unsigned char>(c))) {
            case 'r':
                ++shape.row_bits;
                break;
            case 'b':
                ++shape.bank_bits;
                break;
            case 'c':
                ++shape.column_bits;
                break;
            case 's':
                ++shape.burst_bits;
                break;
            case 'd':
                if (shape.channel_position)
                    throw format_error{"has both dramid@ and D bits", "use one of them"};
                ++shape.channel_bits;
                break;
            case '0':
                break;
            case '.':
            case '|':
            case ' ':
                --bits;
                break;
            default:
                throw format_error{fmt::format("'{}' is no address bit", c),
                                   "one of R, B, C, S, D, 0"};
        }
    }
    if (bits != 64) throw format_error{fmt::format("maps {} bits", bits), "an address has 64"};
    if (shape.row_bits == 0 || shape.column_bits + shape.burst_bits == 0)
        throw format_error{"has no row or no column bits", ""};
    return shape;
}

std::string parse_scheduler(std::string_view text, unsigned max_warps) {
    const std::vector<std::string> parts = split(trimmed(text), ':');
    static constexpr const char* plain[] = {"lrr", "gto", "rrr", "oldest"};
    const std::string name = parts[0] == "old" || parts[0] == "oldest_first" ? "oldest" : parts[0];
    for (const char* known : plain)
        if (name == known && parts.size() != 1)
            throw format_error{fmt::format("{} takes no parameters", name), ""};
    const std::vector<std::string> names = core::scheduling_policy_names();
    if (std::find(names.begin(), names.end(), name) == names.end())
        throw format_error{fmt::format("there is no warp scheduler '{}'", name),
                           "did you mean " + nearest_name(name, names) + "?"};
    const bool two_level = name == "two_level_active";
    const bool limiting = name == "warp_limiting";
    if (!two_level && !limiting)  // a policy checks parameters of its own
        return parts.size() == 1 ? name : trimmed(text);
    if (parts.size() != (two_level ? 4 : 3))
        throw format_error{
            fmt::format("{} takes {} parameters", name, two_level ? 3 : 2),
            two_level ? "two_level_active:WARPS:INNER:OUTER" : "warp_limiting:PRIORITY:WARPS"};
    for (std::size_t i = 1; i < parts.size(); ++i) parse_number(parts[i], "number");
    // The orders that exist, there as here.
    const auto only = [&](std::size_t i, const char* parameter, const char* value,
                          const char* meaning) {
        if (parse_number(parts[i], "number") != parse_number(value, "number"))
            throw format_error{fmt::format("{} {} is not there", parameter, parts[i]),
                               fmt::format("{} is {}, {}", parameter, value, meaning)};
    };
    if (two_level) {
        only(2, "INNER", "0", "round robin among the active warps");
        only(3, "OUTER", "1", "the warp that has waited longest becomes active");
    } else {
        only(1, "PRIORITY", "2", "greedy, then the oldest warp");
    }
    const unsigned warps = parse_number(parts[two_level ? 1 : 2], "number of warps");
    if (warps == 0 || warps > max_warps)
        throw format_error{fmt::format("{} of {} warps", warps, max_warps),
                           "at least one warp, and no more than an SM holds"};
    return trimmed(text);
}

cycle_window parse_window(std::string_view text) {
    const std::vector<std::string> ends = split(text, ':');
    if (ends.size() != 2)
        throw format_error{"is no interval", "FROM:TO; either end may be left out"};
    cycle_window w;
    const auto end = [](const std::string& side, std::uint64_t open) {
        if (side.empty()) return open;
        const auto number = parse_integer(side);
        if (!number || *number < 0)
            throw format_error{fmt::format("'{}' is no number of cycles", side), ""};
        return static_cast<std::uint64_t>(*number);
    };
    w.from = end(ends[0], w.from);
    w.to = end(ends[1], w.to);
    if (w.from >= w.to) throw format_error{"is an empty interval", "FROM is less than TO"};
    return w;
}

interconnect::router_config parse_router_text(const std::string& text, const std::string& file) {
    interconnect::router_config router;
    router.file = file;
    unsigned line = 1;
    std::size_t i = 0;
    const auto wrong = [&](unsigned where, const std::string& what, const std::string& remedy) {
        throw kernel::user_error(fmt::format("{}:{}", file, where), what, remedy);
    };
    while (i < text.size()) {
        // One statement, up to its semicolon, comments removed.
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
        if (!ended) wrong(start, "'" + statement.substr(0, 40) + "' does not end", "end it with ;");
        const std::size_t equals = statement.find('=');
        if (equals == std::string::npos)
            wrong(start, "'" + statement.substr(0, 40) + "' assigns nothing", "key = value;");
        const std::string key = trimmed(std::string_view(statement).substr(0, equals));
        const std::string value = trimmed(std::string_view(statement).substr(equals + 1));
        const bool name = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        });
        if (!name) wrong(start, "'" + key + "' is no name of a parameter", "key = value;");
        if (value.empty()) wrong(start, key + " has no value", "key = value;");
        if (value.find('=') != std::string::npos)
            wrong(start, key + " is assigned twice", "a ; is missing");
        if (std::count(value.begin(), value.end(), '{') !=
            std::count(value.begin(), value.end(), '}'))
            wrong(start, key + ": braces do not match", "");
        router.values[key] = value;
    }
    return router;
}

interconnect::router_config read_router_file(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw kernel::user_error(path, "cannot be read", "");
    std::ostringstream text;
    text << in.rdbuf();
    return parse_router_text(text.str(), path);
}

}  // namespace simtlm::platform
