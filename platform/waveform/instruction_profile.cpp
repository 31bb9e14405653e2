// SPDX-License-Identifier: Apache-2.0
#include "platform/waveform/instruction_profile.h"

#include "modules/core/instruction_watcher.h"
#include "modules/kernel/output_file.h"
#include "platform/gpu/gpu.h"
#include "platform/waveform/warp_wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace simtlm::platform {

namespace {

/// Core cycles between two looks at what warps wait for.
constexpr std::uint64_t wait_interval = 64;

/// The instructions of one launch.
struct kernel_profile {
    std::vector<instruction_profile::row> rows;
    std::unordered_map<std::uint64_t, std::uint32_t> by_pc;

    std::uint32_t place_of(const program::static_instruction& info) {
        const auto [at, fresh] = by_pc.emplace(info.pc, static_cast<std::uint32_t>(rows.size()));
        if (fresh) rows.push_back({info.pc, info.source_line, info.opcode, {}});
        return at->second;
    }
};

/// An instruction under way.
struct watched {
    kernel_profile* kernel = nullptr;
    std::uint32_t row = 0;
    std::uint64_t issued = 0;   // core cycle
    std::uint64_t exposed = 0;  // cycles without an issue of the SM until then
};

}  // namespace

struct instruction_profile::recording : kernel::phase_sequencer::step_observer,
                                        core::reply_observer {
    explicit recording(gpu& d) : device(d) {
        for (const auto& c : device.clusters()) {
            for (unsigned i = 0; i < c->sms(); ++i) {
                sms.push_back(std::make_unique<sm_watcher>(*this, c->core(i)));
                c->core(i).watch(*sms.back());
            }
            c->watch_replies(*this);
        }
        device.sequencer().observe(this);
    }

    struct sm_watcher : core::instruction_watcher {
        sm_watcher(recording& a, core::sm& b) : all(a), block(b), flights(1) {}

        void issued(core::warp_instruction& inst) override {
            const std::uint64_t now = all.now();
            if (now > last_issue + 1) exposed += now - last_issue - 1;
            last_issue = now;
            kernel_profile* kernel = kernel_of(inst.warp);
            if (kernel == nullptr) return;
            const std::uint32_t row = kernel->place_of(*inst.info);
            count_issue(kernel->rows[row].counts, inst);
            if (free.empty()) {
                free.push_back(static_cast<std::uint32_t>(flights.size()));
                flights.emplace_back();
            }
            inst.watched = free.back();
            free.pop_back();
            flights[inst.watched] = {kernel, row, now, exposed};
        }

        void count_issue(instruction_counts& counts, const core::warp_instruction& inst) {
            ++counts.issues;
            counts.threads += inst.active_lanes();
            if (inst.active_lanes() < block.warps().warp[inst.warp].threads) ++counts.divergent;
            if (inst.space == program::memory_space::shared) {
                ++counts.shared_issues;
                counts.shared_cycles += inst.delay;
            } else if (!inst.accesses.empty()) {
                ++counts.memory_issues;
                counts.transactions += inst.accesses.size();
            }
        }

        void completed(const core::warp_instruction& inst) override {
            if (inst.watched == 0) return;
            const watched& w = flights[inst.watched];
            instruction_counts& counts = w.kernel->rows[w.row].counts;
            const std::uint64_t now = all.now();
            counts.latency += now - w.issued;
            if (inst.info->is_memory()) {
                const std::uint64_t idle = now > last_issue ? now - last_issue - 1 : 0;
                counts.exposed_latency += exposed + idle - w.exposed;
            }
            free.push_back(inst.watched);
        }

        kernel_profile* kernel_of(unsigned warp) {
            const core::kernel_context* context = block.kernel_of(warp);
            if (context == nullptr) return nullptr;
            if (known == nullptr || context->launch != known_launch) {
                known_launch = context->launch;
                known = &all.kernels[known_launch];
            }
            return known;
        }

        void look_at_warps() {
            const core::warp_table& warps = block.warps();
            if (warps.resident == 0) return;
            for (unsigned w = 0; w < warps.warp.size(); ++w) {
                if ((warps.resident & core::warp_bit(w)) == 0) continue;
                const program::dynamic_instruction* next = warps.warp[w].ibuffer.head();
                kernel_profile* kernel = kernel_of(w);
                if (next == nullptr || kernel == nullptr) continue;
                const auto why = static_cast<unsigned>(why_waiting(block, w));
                kernel->rows[kernel->place_of(*next->info)].counts.waits[why] += wait_interval;
            }
        }

        recording& all;
        core::sm& block;
        std::uint64_t last_issue = 0, exposed = 0;
        std::vector<watched> flights;     // [0] stays unused
        std::vector<std::uint32_t> free;  // places in flights
        kernel_profile* known = nullptr;
        std::uint64_t known_launch = 0;
    };

    std::uint64_t now() const { return device.sequencer().cycle(protocol::core_clock); }

    void step_ended(unsigned ticked) override {
        if ((ticked & (1u << protocol::core_clock)) == 0 || now() < next_look) return;
        for (const auto& sm : sms) sm->look_at_warps();
        next_look = now() + wait_interval;
    }

    void reply_received(const tlm::tlm_generic_payload& reply, std::uint64_t) override {
        const protocol::memory_extension& e = protocol::extension(reply);
        if (e.instruction == nullptr || !reply.is_read()) return;
        const auto& inst = *static_cast<const core::warp_instruction*>(e.instruction);
        if (inst.watched == 0) return;
        const watched& w = sms[e.sm]->flights[inst.watched];
        instruction_counts& counts = w.kernel->rows[w.row].counts;
        ++counts.l1_misses;
        ++(e.when.at_dram != 0 ? counts.dram_requests : counts.l2_hits);
    }

    gpu& device;
    std::map<std::uint64_t, kernel_profile> kernels;  // running, by launch
    /// Of launches that have ended, by kernel and line (or PC).
    std::map<std::pair<std::string, std::uint64_t>, instruction_counts> lines;
    std::vector<std::unique_ptr<sm_watcher>> sms;  // by number
    std::uint64_t next_look = wait_interval;
};

instruction_profile::instruction_profile(gpu& device)
    : recording_(std::make_unique<recording>(device)) {}
instruction_profile::~instruction_profile() = default;

std::vector<instruction_profile::row> instruction_profile::take(std::uint64_t launch,
                                                                const std::string& name) {
    const auto found = recording_->kernels.find(launch);
    if (found == recording_->kernels.end()) return {};
    std::vector<row> rows = std::move(found->second.rows);
    recording_->kernels.erase(found);
    for (const auto& sm : recording_->sms) sm->known = nullptr;
    std::sort(rows.begin(), rows.end(), [](const row& a, const row& b) { return a.pc < b.pc; });
    for (const row& r : rows)
        kernel::add_up(recording_->lines[{name, r.line != 0 ? r.line : r.pc}], r.counts);
    return rows;
}

void instruction_profile::write(const std::string& file) const {
    kernel::output_file out(file);
    out.write(
        "kernel line : count latency dram_traffic smem_bk_conflicts smem_warp "
        "gmem_access_generated gmem_warp exposed_latency warp_divergence\n");
    for (const auto& [where, c] : recording_->lines)
        out.write(fmt::format("{} {} : {} {} {} {} {} {} {} {} {} \n", where.first, where.second,
                              c.threads, c.latency, c.dram_requests, c.shared_cycles,
                              c.shared_issues, c.transactions, c.memory_issues, c.exposed_latency,
                              c.divergent));
    out.commit();
}

std::unique_ptr<instruction_profile> attach_instruction_profile(gpu& device,
                                                                const run_config& how) {
    if (how.line_stats.empty()) return nullptr;
    return std::make_unique<instruction_profile>(device);
}

}  // namespace simtlm::platform
