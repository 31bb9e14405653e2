// SPDX-License-Identifier: Apache-2.0
#include "platform/report/report_writer.h"

namespace simtlm::platform {

using cache::access_outcome;
using protocol::access_type;

void write_cache(report_writer& out, const std::string& name, const cache::cache_statistics& s,
                 const char* indent) {
    out.count(name + "_total_cache_accesses", s.accesses, indent);
    out.count(name + "_total_cache_misses", s.misses, indent);
    if (s.accesses != 0) {
        const double rate = ratio(s.misses, s.accesses);
        out.print("{}{}_total_cache_miss_rate = {:.4f}\n", indent, name, rate);
        out.add(name + "_total_cache_miss_rate", rate);
    }
    out.count(name + "_total_cache_pending_hits", s.pending_hits, indent);
    out.count(name + "_total_cache_reservation_fails", s.reservation_fails, indent);
}

void write_breakdown(report_writer& out, const std::string& name,
                     const cache::cache_statistics& s) {
    std::array<std::uint64_t, protocol::access_type_count> total{};
    for (unsigned t = 0; t < protocol::access_type_count; ++t)
        for (unsigned o = 0; o < cache::access_outcome_count; ++o) {
            const auto outcome = static_cast<access_outcome>(o);
            const std::uint64_t n = s.count(static_cast<access_type>(t), outcome);
            out.count(fmt::format("{}[{}][{}]", name, access_type_name(static_cast<access_type>(t)),
                                  access_outcome_name(outcome)),
                      n, "\t");
            if (outcome != access_outcome::reservation_fail && outcome != access_outcome::mshr_hit)
                total[t] += n;
        }
    for (unsigned t = 0; t < protocol::access_type_count; ++t)
        if (total[t] != 0)
            out.count(fmt::format("{}[{}][TOTAL_ACCESS]", name,
                                  access_type_name(static_cast<access_type>(t))),
                      total[t], "\t");
}

void write_fail_breakdown(report_writer& out, const std::string& name,
                          const cache::cache_statistics& s) {
    for (unsigned t = 0; t < protocol::access_type_count; ++t)
        for (unsigned r = 0; r < cache::fail_reason_count; ++r) {
            const auto type = static_cast<access_type>(t);
            const auto reason = static_cast<cache::fail_reason>(r);
            if (s.count(type, reason) != 0)
                out.count(fmt::format("{}[{}][{}]", name, access_type_name(type),
                                      fail_reason_name(reason)),
                          s.count(type, reason), "\t");
        }
}

void write_ports(report_writer& out, const std::string& name, const cache::cache_statistics& s,
                 const char* indent) {
    const auto port = [&](const char* which, std::uint64_t busy) {
        const double used = ratio(busy, s.port_cycles);
        out.print("{}{}_{}_port_util = {:.3f}\n", indent, name, which, used);
        out.add(fmt::format("{}_{}_port_util", name, which), used);
    };
    port("data", s.data_port_busy);
    port("fill", s.fill_port_busy);
}

}  // namespace simtlm::platform
