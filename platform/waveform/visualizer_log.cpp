// SPDX-License-Identifier: Apache-2.0
#include "platform/waveform/visualizer_log.h"

#include "modules/support/output_file.h"
#include "platform/gpu/gpu_blocks.h"

#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::platform {

namespace {

using core::core_statistics;
using memory::dram_statistics;
using protocol::access_type;

/// Compresses text as a complete gzip member; members may be concatenated.
std::string gzip(const std::string& text, unsigned level) {
    namespace io = boost::iostreams;
    std::string out;
    io::filtering_ostream stream;
    stream.push(io::gzip_compressor(io::gzip_params(static_cast<int>(level))));
    stream.push(io::back_inserter(out));
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    stream.reset();
    return out;
}

std::uint64_t per(std::uint64_t a, std::uint64_t b) {
    return b != 0 ? a / b : 0;
}

}  // namespace

/// Mean time of requests in each stage of the memory system, over the replies since the last
/// sample.
class stage_times {
public:
    static constexpr std::size_t stages = 6;

    /// @param now  core cycle in which the reply is sent to its SM
    void add(const tlm::tlm_generic_payload& reply, std::uint64_t now) {
        const protocol::memory_extension& e = protocol::extension(reply);
        const protocol::hop_times& first =
            protocol::is_part(reply) ? protocol::extension(*e.parent).when : e.when;
        const std::array<std::uint32_t, stages + 1> stamps = {first.created,
                                                              e.when.injected,
                                                              e.when.at_l2,
                                                              e.when.at_dram,
                                                              e.when.from_dram,
                                                              e.when.replied,
                                                              protocol::hop_times::stamp(now)};
        std::uint32_t before = stamps[0];
        // A request that skipped a stage spent its time in the preceding one.
        for (std::size_t i = 1; i <= stages; ++i) {
            if (stamps[i] == 0) continue;
            sums_[i - 1] += protocol::hop_times::between(before, stamps[i]);
            before = stamps[i];
        }
        ++replies_;
    }
    std::uint64_t mean(std::size_t stage) const { return per(sums_[stage], replies_); }
    void clear() { *this = {}; }

private:
    std::array<std::uint64_t, stages> sums_{};
    std::uint64_t replies_ = 0;
};

struct visualizer_log::recording : simulation::phase_sequencer::step_observer,
                                   core::reply_observer {
    recording(gpu& d, const run_config& how)
        : device(d), options(how.visualizer), chosen(how.warp_issue_sm), out(options.file) {
        for (const auto& c : device.clusters())
            for (unsigned i = 0; i < c->sms(); ++i) sms.push_back({&c->core(i), {}, {}, {}});
        for (const auto& c : device.clusters()) c->watch_replies(*this);
        issued_before.resize(device.config().cores.sm.max_warps);
        next_sample = options.interval;
        next_snapshot = options.pc_interval;
        device.sequencer().observe(this);
    }

    struct sm_state {
        core::multiprocessor* block;
        core_statistics before;
        /// Lanes by line or PC, since the last sample.
        std::map<std::uint64_t, std::uint64_t> lanes_at;
        std::array<cache::cache_statistics, 3> l1_before;  ///< L1 data, texture and constant caches
    };

    void reply_received(const tlm::tlm_generic_payload& reply, std::uint64_t now) override {
        if (!finished) (reply.is_write() ? stores : loads).add(reply, now);
    }

    void step_ended(unsigned ticked) override {
        if (finished || (ticked & (1u << protocol::core_clock)) == 0) return;
        const std::uint64_t now = device.sequencer().cycle(protocol::core_clock);
        note_issue(sms[chosen]);
        if (options.pc_interval != 0 && now >= next_snapshot) {
            scan_warps();
            next_snapshot = now + options.pc_interval;
        }
        if (now < next_sample) return;
        sample();
        next_sample = now + options.interval;
    }

    template <typename... Arguments>
    void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(text), format, std::forward<Arguments>(arguments)...);
    }

    /// Attributes instructions issued by a slot to its resident warp.
    void note_issue(const sm_state& s) {
        const auto& issued = s.block->statistics().issued_by_slot;
        for (std::size_t w = 0; w < issued_before.size(); ++w) {
            const std::uint64_t n = issued[w] - issued_before[w];
            if (n == 0) continue;
            issued_before[w] = issued[w];
            const std::size_t group = s.block->warps().warp[w].dynamic_id / warps_in_a_group;
            if (group >= issued_by_group.size()) issued_by_group.resize(group + 1);
            issued_by_group[group] += n;
        }
    }

    /// Counts the instruction at which each thread is, by source line if the trace records it.
    void scan_warps() {
        for (sm_state& s : sms) {
            const core::warp_table& warps = s.block->warps();
            for (unsigned w = 0; w < warps.warp.size(); ++w) {
                if ((warps.resident & core::warp_bit(w)) == 0) continue;
                const program::dynamic_instruction* const at = s.block->next_instruction(w);
                if (at == nullptr) continue;
                const std::uint64_t line =
                    at->info->source_line != 0 ? at->info->source_line : at->info->pc;
                s.lanes_at[line] += warps.warp[w].threads;
            }
        }
    }

    void sample() {
        if (options.pc_interval == 0) scan_warps();
        write_places();
        write_channels();
        write_cores();
        write_l2();
        write_totals();
        out.write(gzip(text, options.level));
        text.clear();
    }

    void write_places() {
        for (std::size_t i = 0; i < sms.size(); ++i) {
            print("CFLog{:02}: ", i);
            if (sms[i].lanes_at.empty()) print("0 0 ");
            for (const auto& [line, lanes] : sms[i].lanes_at) print("{} {} ", line, lanes);
            print("\n");
            sms[i].lanes_at.clear();
        }
        print("shdrctacount: ");
        for (const sm_state& s : sms) print("{} ", s.block->resident_ctas());
        print("\n");
    }

    void write_channels() {
        channels.resize(device.channels().size());  // created when elaboration ends
        for (std::size_t c = 0; c < channels.size(); ++c) {
            const dram_statistics& d = device.channels()[c]->statistics();
            dram_statistics& b = channels[c];
            const std::uint64_t cycles = d.cycles - b.cycles;
            const std::uint64_t busy = d.busy_data_cycles - b.busy_data_cycles;
            print("dramncmd: {} {}\n", c, cycles);
            print("dramnop: {} {}\n", c, d.idle_cycles - b.idle_cycles);
            print("dramnact: {} {}\n", c, d.activates - b.activates);
            print("dramnpre: {} {}\n", c, d.precharges - b.precharges);
            print("dramnreq: {} {}\n", c, d.requests - b.requests);
            print("dramavemrqs: {} {}\n", c, per(d.queue_sum - b.queue_sum, cycles));
            print("dramutil: {} {}\n", c, per(100 * busy, cycles));
            print("drameff: {} {}\n", c, per(100 * busy, d.active_cycles - b.active_cycles));
            for (std::size_t bank = 0; bank < d.traffic.size(); ++bank)
                write_bank(c, bank, d.traffic[bank]);
            b = d;
        }
    }

    /// Cumulative values, as in GPGPU-Sim.
    void write_bank(std::size_t channel, std::size_t bank, const dram_statistics::bank_traffic& t) {
        static constexpr std::pair<const char*, access_type> kinds[] = {
            {"dramglobal_acc_r", access_type::global_read},
            {"dramglobal_acc_w", access_type::global_write},
            {"dramlocal_acc_r", access_type::local_read},
            {"dramlocal_acc_w", access_type::local_write},
            {"dramconst_acc_r", access_type::constant_read},
            {"dramtexture_acc_r", access_type::texture_read}};
        for (const auto& [name, type] : kinds)
            print("{}: {} {} {}\n", name, channel, bank, t.by_type[static_cast<unsigned>(type)]);
    }

    void write_cores() {
        core_statistics whole, before, all, all_before;
        for (sm_state& s : sms) {
            const core_statistics& now = s.block->statistics();
            support::add_up(all, now);
            support::add_up(all_before, s.before);
        }
        const bool one = options.warp_distribution_sm >= 0;
        if (one) {
            const sm_state& s = sms[static_cast<std::size_t>(options.warp_distribution_sm)];
            whole = s.block->statistics();
            before = s.before;
        } else {
            whole = all;
            before = all_before;
        }
        const std::uint64_t share = one ? 1 : sms.size();
        print("WarpDivergenceBreakdown: {} {} {}",
              (whole.stall + whole.issued_lanes[0] - before.stall - before.issued_lanes[0]) / share,
              (whole.idle - before.idle) / share, (whole.scoreboard - before.scoreboard) / share);
        std::uint64_t issued = 0;
        for (unsigned lanes = 1; lanes <= 32; ++lanes) {
            issued += whole.issued_lanes[lanes] - before.issued_lanes[lanes];
            if (lanes % 4 != 0) continue;
            print(" {}", issued / share);
            issued = 0;
        }
        print("\nctas_completed: {}\n", all.ctas_completed - all_before.ctas_completed);
        write_issue(sms[chosen]);
        write_groups();
        print("gpgpu_n_l1cache_bkconflict: {}\n", all.l1_bank_conflicts);
        print("gpgpu_n_shmem_bkconflict: {}\n", all.shared_bank_conflicts);
        const auto by_sm = [&](const char* name, std::uint64_t core_statistics::*counter) {
            print("{}:  ", name);
            for (const sm_state& s : sms) print("{} ", s.block->statistics().*counter);
            print("\n");
        };
        by_sm("shaderinsncount", &core_statistics::thread_instructions);
        by_sm("shaderwarpinsncount", &core_statistics::warp_instructions);
        print("shaderwarpdiv: ");
        for (const sm_state& s : sms) {
            std::uint64_t partial = 0;
            const auto& lanes = s.block->statistics().issued_lanes;
            for (unsigned n = 1; n < 32; ++n) partial += lanes[n];
            print("{} ", partial);
        }
        print("\n");
        write_l1();
        write_latency("LDmemlatdist", loads);
        write_latency("STmemlatdist", stores);
        for (sm_state& s : sms) s.before = s.block->statistics();
    }

    void write_groups() {
        print("WarpIssueDynamicIdBreakdown:");
        if (issued_by_group.empty()) print(" 0");
        for (const std::uint64_t n : issued_by_group) print(" {}", n);
        print("\n");
        std::fill(issued_by_group.begin(), issued_by_group.end(), 0);
    }

    void write_latency(const char* name, stage_times& times) {
        print("{}:", name);
        for (std::size_t i = 0; i < stage_times::stages; ++i) print(" {}", times.mean(i));
        print("\n");
        times.clear();
    }

    /// Miss rates of the L1 caches by SM since the last sample, with and without merged misses.
    void write_l1() {
        using core::l1_cache;
        static constexpr std::pair<const char*, l1_cache> kinds[] = {
            {"globallocall1", l1_cache::data},
            {"texturel1", l1_cache::texture},
            {"constl1", l1_cache::constant}};
        for (std::size_t k = 0; k < std::size(kinds); ++k) {
            std::string all, unmerged;
            for (sm_state& s : sms) {
                const cache::cache_statistics* const now = s.block->statistics_of(kinds[k].second);
                std::uint64_t accesses = 0, misses = 0, merged = 0;
                for (unsigned t = 0; now != nullptr && t < protocol::access_type_count; ++t) {
                    const auto type = static_cast<access_type>(t);
                    const auto count = [&](cache::access_outcome o) {
                        return now->count(type, o) - s.l1_before[k].count(type, o);
                    };
                    using cache::access_outcome;
                    const std::uint64_t late = count(access_outcome::hit_reserved);
                    const std::uint64_t missed =
                        count(access_outcome::miss) + count(access_outcome::sector_miss);
                    accesses += count(access_outcome::hit) + late + missed;
                    misses += missed + late;
                    merged += late;
                }
                if (now != nullptr) s.l1_before[k] = *now;
                const auto rate = [&](std::uint64_t n) {
                    return accesses != 0 ? static_cast<double>(n) / static_cast<double>(accesses)
                                         : 0;
                };
                all += fmt::format(" {:.4f}", rate(misses));
                unmerged += fmt::format(" {:.4f}", rate(misses - merged));
            }
            print("CacheMissRate_{}_all:{}\n", kinds[k].first, all);
            print("CacheMissRate_{}_noMgHt:{}\n", kinds[k].first, unmerged);
        }
    }

    void write_issue(const sm_state& s) {
        const core_statistics& now = s.block->statistics();
        print("WarpIssueSlotBreakdown:");
        std::size_t slots = device.config().cores.sm.max_warps;
        while (slots > 1 && now.issued_by_slot[slots - 1] == 0) --slots;
        for (std::size_t w = 0; w < slots; ++w)
            print(" {}", now.issued_by_slot[w] - s.before.issued_by_slot[w]);
        print("\n");
    }

    /// Hits and misses of the L2 since the last sample.
    void write_l2() {
        cache::cache_statistics now;
        for (const auto& p : device.partitions())
            for (unsigned s = 0; s < p->sub_partitions(); ++s)
                if (const cache::cache_statistics* c = p->sub_partition(s).cache_statistics())
                    support::add_up(now, *c);
        const auto count = [&](bool writes, bool misses) {
            std::uint64_t n = 0;
            for (unsigned t = 0; t < protocol::access_type_count; ++t) {
                const auto type = static_cast<access_type>(t);
                const bool write = type == access_type::global_write ||
                                   type == access_type::local_write ||
                                   type == access_type::l1_writeback;
                if (write != writes) continue;
                using cache::access_outcome;
                const std::array<access_outcome, 2> outcomes =
                    misses ? std::array{access_outcome::miss, access_outcome::sector_miss}
                           : std::array{access_outcome::hit, access_outcome::hit_reserved};
                for (const access_outcome o : outcomes)
                    n += now.count(type, o) - l2_before.count(type, o);
            }
            return n;
        };
        print("Ltwowritemiss: {}\nLtwowritehit: {}\n", count(true, true), count(true, false));
        print("Ltworeadmiss: {}\nLtworeadhit: {}\n", count(false, true), count(false, false));
        l2_before = now;
    }

    void write_totals() {
        const memory::memory_counts& m = device.memory_statistics();
        std::uint64_t replies = 0;
        for (const std::uint64_t n : m.round_trip.table) replies += n;
        if (replies != 0) print("averagemflatency: {}\n", m.round_trip.sum / replies);
        std::uint64_t instructions = 0;
        for (const sm_state& s : sms) instructions += s.before.thread_instructions;
        print("globalcyclecount: {}\n", device.core_cycles());
        print("globalinsncount: {}\n", instructions);
        print("globaltotinsncount: {}\n", instructions);
    }

    void finish() {
        if (finished) return;
        finished = true;
        sample();
        out.commit();
    }

    gpu& device;
    const visualizer_config options;
    const unsigned chosen;
    support::output_file out;
    std::string text;
    bool finished = false;
    std::uint64_t next_sample = 0, next_snapshot = 0;
    std::vector<sm_state> sms;
    /// Group size of WarpIssueDynamicIdBreakdown.
    static constexpr std::uint64_t warps_in_a_group = 32;
    std::vector<std::uint64_t> issued_before;    ///< by slot of the selected SM
    std::vector<std::uint64_t> issued_by_group;  ///< since the last sample
    stage_times loads, stores;                   ///< since the last sample
    std::vector<dram_statistics> channels;       // values at the last sample
    cache::cache_statistics l2_before;
};

visualizer_log::visualizer_log(gpu& device, const run_config& how)
    : recording_(std::make_unique<recording>(device, how)) {}

visualizer_log::~visualizer_log() {
    try {
        finish();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "simtlm: %s\n", e.what());
    }
}

void visualizer_log::finish() {
    recording_->finish();
}

std::unique_ptr<visualizer_log> attach_visualizer_log(gpu& device, const run_config& how) {
    if (how.visualizer.file.empty()) return nullptr;
    return std::make_unique<visualizer_log>(device, how);
}

}  // namespace simtlm::platform
