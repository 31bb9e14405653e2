// SPDX-License-Identifier: Apache-2.0
#include "platform/report/report_writer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace simtlm::platform {

namespace {

using memory::dram_statistics;

/// Whether all counters of two channels are equal.
bool equal(const dram_statistics& a, const dram_statistics& b) {
    static_assert(std::is_standard_layout_v<dram_statistics>);
    const auto same = [](const auto& x, const auto& y) {
        using element = typename std::decay_t<decltype(x)>::value_type;
        static_assert(std::has_unique_object_representations_v<element>);
        return x.size() == y.size() &&
               std::memcmp(x.data(), y.data(), x.size() * sizeof(element)) == 0;
    };
    return std::memcmp(&a, &b, offsetof(dram_statistics, banks)) == 0 && same(a.banks, b.banks) &&
           same(a.traffic, b.traffic);
}

/// Writes a table by channel and bank, one line per channel. A line that shows the same as the one
/// before is copied.
/// @param cell   returns what the table shows of a channel and a bank
/// @param print  prints it
template <typename Cell, typename Print>
void write_banks(report_writer& out, const channel_counts& channels, const char* title, Cell cell,
                 Print print) {
    out.print("{}:\n", title);
    std::vector<decltype(cell(0u, 0u))> values, before;
    std::size_t from = 0, to = 0;  // text of the line before
    for (unsigned c = 0; c < channels.size(); ++c) {
        out.labelled("dram[", c);
        out.text("]: ");
        values.resize(channels[c]->banks.size());
        for (unsigned b = 0; b < values.size(); ++b) values[b] = cell(c, b);
        if (to != 0 && values == before) {
            out.repeat(from, to);
            continue;
        }
        from = out.printed();
        for (const auto& v : values) print(v);
        out.text("\n");
        to = out.printed();
        values.swap(before);
    }
}

/// Writes a number of a table.
void write_cell(report_writer& out, std::uint64_t value) {
    out.number(value, 9);
    out.text(" ");
}

struct extremes {
    std::uint64_t least = ~std::uint64_t{0};
    std::uint64_t most = 0;
    void add(std::uint64_t v) {
        least = std::min(least, v);
        most = std::max(most, v);
    }
};

void write_skew(report_writer& out, const char* what, const extremes& e) {
    if (e.least != 0)
        out.print("{} skew: {}/{} = {:4.2f}\n", what, e.most, e.least, ratio(e.most, e.least));
    else
        out.print("min_{}_accesses = 0!\n", what);
}

/// Writes decoded accesses by channel and bank.
/// @param of  what to count  @param total  prints the sum
template <typename Of, typename Total>
void write_accesses(report_writer& out, const channel_counts& channels, const char* title, Of of,
                    Total total) {
    extremes bank, chip;
    std::uint64_t sum = 0;
    for (const dram_statistics* d : channels) {
        std::uint64_t of_channel = 0;
        for (const auto& b : d->traffic) {
            bank.add(of(b));
            of_channel += of(b);
        }
        chip.add(of_channel);
        sum += of_channel;
    }
    write_banks(
        out, channels, title, [&](unsigned c, unsigned b) { return of(channels[c]->traffic[b]); },
        [&](std::uint64_t n) { write_cell(out, n); });
    total(sum);
    write_skew(out, "bank", bank);
    write_skew(out, "chip", chip);
}

template <typename Table>
void write_histogram(report_writer& out, const char* name, const Table& table, std::size_t n) {
    out.print("{}:", name);
    for (std::size_t i = 0; i < n; ++i) {
        out.number(table[i]);
        out.text(" \t");
    }
    out.text("\n");
    out.add_row(name, {table.begin(), table.begin() + static_cast<std::ptrdiff_t>(n)});
}

/// Writes the timing parameters of a channel.
void write_timing(report_writer& out, const memory::dram_config& config, unsigned number) {
    const memory::dram_timing& t = config.timing;
    out.labelled("DRAM[", number);
    out.labelled("]: ", t.nbk);
    out.labelled(" bks, busW=", config.bus_width_bytes);
    out.labelled(" BL=", config.burst_length);
    out.labelled(" CL=", t.CL);
    out.labelled(", tRRD=", t.tRRD);
    out.labelled(" tCCD=", t.tCCD);
    out.labelled(", tRCD=", t.tRCD);
    out.labelled(" tRAS=", t.tRAS);
    out.labelled(" tRP=", t.tRP);
    out.labelled(" tRC=", t.tRC);
    out.text("\n");
}

/// Writes the counters of a channel.
void write_channel(report_writer& out, const dram_statistics& d) {
    out.labelled("n_cmd=", d.cycles);
    out.labelled(" n_nop=", d.idle_cycles);
    out.labelled(" n_act=", d.activates);
    out.labelled(" n_pre=", d.precharges);
    out.labelled(" n_ref_event=", d.refreshes);
    out.labelled(" n_req=", d.requests);
    out.labelled(" n_rd=", d.reads);
    out.labelled(" n_rd_L2_A=", d.allocate_reads);
    out.labelled(" n_write=", d.writes);
    out.labelled(" n_wr_bk=", d.write_backs);
    out.print(FMT_COMPILE(" bw_util={:.4g}\n"), d.bandwidth_utilisation());
    out.labelled("n_activity=", d.active_cycles);
    out.print(FMT_COMPILE(" dram_eff={:.4g}\n"), d.efficiency());
    for (unsigned b = 0; b < d.banks.size(); ++b) {
        out.labelled("bk", b);
        out.labelled(": ", d.banks[b].reads);
        out.labelled("a ", d.banks[b].idle);
        out.text("i ");
    }
    static const std::string rule(72, '-');
    out.text("\n\n");
    out.text(rule);
    out.text("\n");
    const auto value = [&](std::string_view name, double v) {
        out.text(name);
        out.text(" = ");
        out.fixed(v);
    };
    value("\nRow_Buffer_Locality", d.row_locality());
    value("\nRow_Buffer_Locality_read", ratio(d.row_hits_read, d.read_accesses));
    value("\nRow_Buffer_Locality_write", ratio(d.row_hits_write, d.write_accesses));
    value("\nBank_Level_Parallism", d.bank_parallelism());
    value("\nBank_Level_Parallism_Col", d.bank_parallelism_column());
    value("\nBank_Level_Parallism_Ready", d.bank_parallelism_ready());
    value("\nwrite_to_read_ratio_blp_rw_average", d.write_share());
    value("\nGrpLevelPara", d.group_parallelism());
    out.text(" \n");
    value("\nBW Util details:\nbwutil", d.bandwidth_utilisation());
    out.text(" \n");
    const auto line = [&](std::string_view name, std::uint64_t v) {
        out.text(name);
        out.labelled(" = ", v);
        out.text(" \n");
    };
    line("total_CMD", d.cycles);
    line("util_bw", d.utilised);
    line("Wasted_Col", d.wasted_column);
    line("Wasted_Row", d.wasted_row);
    line("Idle", d.unused);
    out.text("\nBW Util Bottlenecks: \n");
    line("RCDc_limit", d.limit_rcd);
    line("RCDWRc_limit", d.limit_rcd_write);
    line("WTRc_limit", d.limit_wtr);
    line("RTWc_limit", d.limit_rtw);
    line("CCDLc_limit", d.limit_ccdl);
    line("rwq", d.limit_pipeline);
    line("CCDLc_limit_alone", d.limit_ccdl_alone);
    line("WTRc_limit_alone", d.limit_wtr_alone);
    line("RTWc_limit_alone", d.limit_rtw_alone);
    out.text("\nCommands details: \n");
    line("total_CMD", d.cycles);
    line("n_nop", d.idle_cycles);
    line("Read", d.reads);
    line("Write", d.writes);
    line("L2_Alloc", d.allocate_reads);
    line("L2_WB", d.write_backs);
    line("n_act", d.activates);
    line("n_pre", d.precharges);
    line("n_ref", d.refreshes);
    line("n_req", d.requests);
    line("total_req", d.reads + d.writes + d.allocate_reads + d.write_backs);
    out.text("\nDual Bus Interface Util: \n");
    line("issued_total_row", d.row_commands);
    line("issued_total_col", d.column_commands);
    const auto share = [&](std::string_view name, std::uint64_t a, std::uint64_t b) {
        value(name, ratio(a, b));
        out.text(" \n");
    };
    share("Row_Bus_Util", d.row_commands, d.cycles);
    share("CoL_Bus_Util", d.column_commands, d.cycles);
    share("Either_Row_CoL_Bus_Util", d.command_cycles, d.cycles);
    share("Issued_on_Two_Bus_Simul_Util", d.dual_commands, d.cycles);
    share("issued_two_Eff", d.dual_commands, d.command_cycles);
    share("queue_avg", d.queue_sum, d.cycles);
    out.text("\ndram_util_bins: 0 0 0 0 0 0 0 0 0 0\ndram_eff_bins: 0 0 0 0 0 0 0 0 0 0");
    out.labelled("\nmrqq: max=", d.queue_max);
    out.print(FMT_COMPILE(" avg={:g}\n"), d.average_queue());
}

}  // namespace

channel_counts counts_of_channels(gpu& device) {
    channel_counts all;
    for (const auto& c : device.channels()) all.push_back(&c->statistics());
    return all;
}

dram_statistics sum_of_channels(const channel_counts& channels) {
    dram_statistics sum;
    for (const dram_statistics* d : channels) support::add_up(sum, *d);
    return sum;
}

void write_memory(report_writer& out, gpu& device, const channel_counts& channels,
                  const dram_statistics& all) {
    const memory::memory_statistics& m = device.memory_statistics();
    out.count("maxmflatency", m.round_trip.max);
    out.count("max_icnt2mem_latency", m.request_network.max);
    out.count("maxmrqlatency", all.latency_max);
    out.count("max_icnt2sh_latency", m.reply_network.max);
    if (m.counted_num != 0) {
        out.count("averagemflatency", m.average_round_trip());
        out.count("avg_icnt2mem_latency", m.average_request_network());
        if (all.latency_num != 0) out.count("avg_mrq_latency", all.latency_sum / all.latency_num);
        out.count("avg_icnt2sh_latency", m.average_reply_network());
    }
    constexpr std::size_t network_buckets = 24;
    constexpr std::array<std::uint64_t, 32> never{};
    write_histogram(out, "mrq_lat_table", all.latency_table, all.latency_table.size());
    write_histogram(out, "dq_lat_table", never, never.size());
    write_histogram(out, "mf_lat_table", m.round_trip.table, m.round_trip.table.size());
    write_histogram(out, "icnt2mem_lat_table", m.request_network.table, network_buckets);
    write_histogram(out, "icnt2sh_lat_table", m.reply_network.table, network_buckets);
    write_histogram(out, "mf_lat_pw_table", m.window_table, m.window_table.size());

    const auto cell = [&](std::uint64_t n) { write_cell(out, n); };
    write_banks(
        out, channels, "maximum concurrent accesses to same row",
        [&](unsigned c, unsigned b) { return channels[c]->banks[b].max_same_row; }, cell);
    write_banks(
        out, channels, "maximum service time to same row",
        [&](unsigned c, unsigned b) { return channels[c]->banks[b].max_row_service; }, cell);
    std::uint64_t accesses = 0, switches = 0;
    write_banks(
        out, channels, "average row accesses per activate",
        [&](unsigned c, unsigned b) {
            const dram_statistics::bank& of = channels[c]->banks[b];
            accesses += of.row_accesses;
            switches += of.row_switches;
            return ratio(of.row_accesses, of.row_switches);
        },
        [&](double average) {
            out.fixed(average, 9);
            out.text(" ");
        });
    out.print("average row locality = {}/{} = {:f}\n", accesses, switches,
              ratio(accesses, switches));
    out.add("average row locality", ratio(accesses, switches));

    using traffic = dram_statistics::bank_traffic;
    write_accesses(
        out, channels, "number of total memory accesses made",
        [](const traffic& b) { return b.reads + b.writes; },
        [&](std::uint64_t n) { out.print("total accesses: {}\n", n); });
    write_accesses(
        out, channels, "number of total read accesses", [](const traffic& b) { return b.reads; },
        [&](std::uint64_t n) { out.count("total dram reads", n); });
    write_accesses(
        out, channels, "number of total write accesses", [](const traffic& b) { return b.writes; },
        [&](std::uint64_t n) { out.count("total dram writes", n); });

    const auto by_bank = [&](unsigned c, unsigned b) -> const auto& {
        return m.by_bank[std::size_t{c} * (m.by_bank.size() / channels.size()) + b];
    };
    constexpr std::uint64_t none = ~std::uint64_t{0};
    write_banks(
        out, channels, "average mf latency per bank",
        [&](unsigned c, unsigned b) {
            const auto& of = by_bank(c, b);
            return of.replies != 0 ? of.sum / of.replies : none;
        },
        [&](std::uint64_t average) {
            if (average != none)
                out.number(average, 10);
            else
                out.text("    none  ");
        });
    write_banks(
        out, channels, "maximum mf latency per bank",
        [&](unsigned c, unsigned b) { return by_bank(c, b).max; },
        [&](std::uint64_t latency) { out.number(latency, 10); });
}

void write_channels(report_writer& out, gpu& device, const channel_counts& channels,
                    const dram_statistics& all) {
    std::size_t from = 0, to = 0;  // text of the channel before, without its number
    for (unsigned c = 0; c < channels.size(); ++c) {
        out.labelled("Memory Partition ", c);
        out.text(": \n");
        write_timing(out, device.config().memory.partition.dram, c);
        if (c != 0 && equal(*channels[c], *channels[c - 1])) {
            out.repeat(from, to);
            continue;
        }
        from = out.printed();
        write_channel(out, *channels[c]);
        to = out.printed();
    }
    // Scripts read the last channel under these names. A run interrupted before the simulation
    // begins has no channels yet.
    const dram_statistics none;
    const dram_statistics& last = channels.empty() ? none : *channels.back();
    out.add("n_nop", last.idle_cycles);
    out.add("n_act", last.activates);
    out.add("n_pre", last.precharges);
    out.add("n_ref", last.refreshes);
    out.add("n_req", last.requests);

    out.print("\n========= DRAM, all channels =========\n");
    out.count("dram_cycles", all.cycles);
    out.count("dram_n_nop", all.idle_cycles);
    out.count("dram_n_act", all.activates);
    out.count("dram_n_pre", all.precharges);
    out.count("dram_n_ref", all.refreshes);
    out.count("dram_n_req", all.requests);
    out.count("dram_n_rd", all.reads);
    out.count("dram_n_rd_L2_A", all.allocate_reads);
    out.count("dram_n_write", all.writes);
    out.count("dram_n_wr_bk", all.write_backs);
    out.real("dram_bw_util", all.bandwidth_utilisation());
    out.real("dram_eff", all.efficiency());
    out.real("dram_row_locality", all.row_locality());
    out.real("dram_bank_parallelism", all.bank_parallelism());
    out.real("dram_queue_avg", all.average_queue());
}

}  // namespace simtlm::platform
