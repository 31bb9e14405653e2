// SPDX-License-Identifier: Apache-2.0
#include "modules/support/nearest_name.h"
#include "platform/config/format_tools.h"
#include "platform/options/options.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace simtlm::platform {

memory::dram_timing parse_dram_timing(std::string_view text) {
    memory::dram_timing t;
    const std::map<std::string, unsigned memory::dram_timing::*> fields = {
        {"nbk", &memory::dram_timing::nbk},     {"CCD", &memory::dram_timing::tCCD},
        {"RRD", &memory::dram_timing::tRRD},    {"RCD", &memory::dram_timing::tRCD},
        {"RAS", &memory::dram_timing::tRAS},    {"RP", &memory::dram_timing::tRP},
        {"RC", &memory::dram_timing::tRC},      {"CL", &memory::dram_timing::CL},
        {"WL", &memory::dram_timing::WL},       {"CDLR", &memory::dram_timing::tCDLR},
        {"WR", &memory::dram_timing::tWR},      {"nbkgrp", &memory::dram_timing::nbkgrp},
        {"CCDL", &memory::dram_timing::tCCDL},  {"RTPL", &memory::dram_timing::tRTPL},
        {"REFI", &memory::dram_timing::tREFI},  {"RFC", &memory::dram_timing::tRFC},
        {"RFCSB", &memory::dram_timing::tRFCSB}};
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
                throw format_error{fmt::format("'{}' is not a DRAM timing parameter", sides[0]),
                                   "did you mean " + support::nearest_name(sides[0], names) + "?"};
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
        throw format_error{
            fmt::format("{} bank groups of {} banks", t.nbkgrp, t.nbk),
            "the number of groups must be a power of two and divide the number of banks"};
    if (t.tCCD == 0 || t.CL == 0) throw format_error{"CCD and CL must not be zero", ""};
    if (t.tRC < t.tRAS)
        throw format_error{fmt::format("RC {} is shorter than RAS {}", t.tRC, t.tRAS),
                           "RC is about RAS + RP"};
    const unsigned duration = std::max(t.tRFC, t.tRFCSB);
    if ((t.tREFI == 0) != (duration == 0) || (t.tREFI != 0 && duration >= t.tREFI))
        throw format_error{fmt::format("refreshes of {} cycles every {}", duration, t.tREFI),
                           "give both REFI and RFC or RFCSB, or none, and REFI greater than RFC"};
    if (t.tRFC != 0 && t.tRFCSB != 0)
        throw format_error{"refreshes of all banks (RFC) and of one bank (RFCSB)", "give one"};
    if (t.tRFCSB != 0 && t.tREFI < t.nbk)
        throw format_error{fmt::format("{} banks are refreshed in {} cycles", t.nbk, t.tREFI),
                           "REFI of at least nbk"};
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
                throw format_error{fmt::format("'{}' is not an address bit", c),
                                   "one of R, B, C, S, D, 0"};
        }
    }
    if (bits != 64) throw format_error{fmt::format("maps {} bits", bits), "an address has 64"};
    if (shape.row_bits == 0 || shape.column_bits + shape.burst_bits == 0)
        throw format_error{"has no row or no column bits", ""};
    return shape;
}

}  // namespace simtlm::platform
