// SPDX-License-Identifier: Apache-2.0
#include "platform/waveform/instruction_profile.h"

#include "modules/core/instruction_text.h"
#include "modules/core/instruction_watcher.h"
#include "modules/support/output_file.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/waveform/instruction_energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace simtlm::platform {

namespace {

/// Core cycles between samples of the wait reasons; a prime, to avoid aliasing with loops.
constexpr std::uint64_t wait_interval = 61;

/// Cycles since a recorded time, modulo 2^32.
std::uint64_t since(std::uint32_t noted, std::uint64_t now) {
    return static_cast<std::uint32_t>(now - noted);
}

/// Profile rows of the running launches, by number. Numbers are not reused, because requests and
/// instructions may outlive their launch.
class numbered_rows {
public:
    std::uint32_t add(const program::static_instruction& info, core::instruction_text text) {
        instruction_profile::row row{info.pc,
                                     info.source_line,
                                     info.opcode,
                                     std::move(text.text),
                                     std::move(text.source),
                                     {},
                                     {}};
        rows_.push_back({std::move(row), info, true});
        return first_ + static_cast<std::uint32_t>(rows_.size() - 1);
    }
    /// Returns the counts of a row, or nullptr if there is none. Rows of an ended launch are
    /// ignored by callers.
    instruction_counts* find(std::uint32_t number) {
        const std::uint32_t place = number - first_;
        return place < rows_.size() ? &rows_[place].row.counts : nullptr;
    }
    /// @param energy  nullptr: unknown
    instruction_profile::row take(std::uint32_t number, instruction_energy* energy) {
        numbered& n = rows_[number - first_];
        n.wanted = false;
        if (energy != nullptr)
            for (const double e : energy->of(n.info, n.row.counts))
                n.row.picojoules.push_back(static_cast<std::uint64_t>(e + 0.5));
        return std::move(n.row);
    }
    /// Frees the oldest rows that have been taken.
    void drop() {
        for (; !rows_.empty() && !rows_.front().wanted; rows_.pop_front()) ++first_;
    }

private:
    struct numbered {
        instruction_profile::row row;
        program::static_instruction info;
        bool wanted;
    };
    std::deque<numbered> rows_;
    std::uint32_t first_ = 1;  // number of the oldest row; 0 is invalid
};

/// Row numbers of a launch's instructions.
using kernel_rows = std::unordered_map<std::uint64_t, std::uint32_t>;  // by PC

/// A file name that AerialVision accepts as a PTX file.
std::string file_name_of(const std::string& kernel) {
    std::string name;
    for (const char c : kernel)
        name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name = '_' + name;
    return name + ".ptx";
}

}  // namespace

struct instruction_profile::recording : simulation::phase_sequencer::step_observer,
                                        memory::channel_observer {
    explicit recording(gpu& d) : device(d), l1(*this), l2(*this) {
        for (const auto& c : device.clusters())
            for (unsigned i = 0; i < c->sms(); ++i) watch(c->core(i));
        for (const auto& p : device.partitions()) {
            p->observe(*this);
            for (unsigned s = 0; s < p->sub_partitions(); ++s) p->sub_partition(s).observe(l2);
        }
        device.sequencer().observe(this);
        if (device.power() != nullptr)
            energy.emplace(*device.power(), device.config().core != "classic");
    }

    struct sm_watcher;
    void watch(core::multiprocessor& sm) {
        sms.push_back(std::make_unique<sm_watcher>(*this, sm));
        sm.watch(*sms.back());
        sm.observe_caches(l1);
    }

    /// Counts accesses to the caches of one level.
    template <auto Outcomes>
    struct cache_watcher : cache::access_observer {
        explicit cache_watcher(recording& a) : all(a) {}
        void accessed(const tlm::tlm_generic_payload& p, cache::access_outcome outcome) override {
            if (instruction_counts* counts = all.counts_of(p))
                ++(counts->*Outcomes)[static_cast<unsigned>(outcome)];
        }
        recording& all;
    };

    void request_sent(const tlm::tlm_generic_payload& request) override {
        if (instruction_counts* counts = counts_of(request)) {
            ++counts->dram_requests;
            counts->dram_bytes += request.get_data_length();
        }
    }

    instruction_counts* counts_of(const tlm::tlm_generic_payload& p) {
        const std::uint32_t number = protocol::extension(p).profiled;
        return number != 0 ? rows.find(number) : nullptr;
    }

    struct sm_watcher : core::instruction_watcher {
        sm_watcher(recording& a, core::multiprocessor& b)
            : all(a), block(b), warps(b.warps().warp.size()), producers(b.warps().warp.size()) {}

        void issued(core::warp_instruction& inst) override {
            const std::uint64_t now = all.now();
            if (now > last_issue + 1) idle += now - last_issue - 1;
            last_issue = now;
            inst.note.number = number_of(inst.warp, *inst.info);
            inst.note.issued = static_cast<std::uint32_t>(now);
            inst.note.idle = static_cast<std::uint32_t>(idle);
            if (instruction_counts* counts = all.rows.find(inst.note.number)) {
                count_issue(*counts, inst);
                follow_warp(*counts, inst, now);
            }
            note_results(inst, now);
        }

        /// Records the instruction as the producer of its destination registers until it completes.
        void note_results(const core::warp_instruction& inst, std::uint64_t now) {
            std::vector<producer>& registers = producers[inst.warp];
            for (unsigned d = 0; d < inst.info->n_dst; ++d) {
                const unsigned r = inst.info->dst[d];
                if (r >= registers.size()) registers.resize(r + 1);
                registers[r] = {inst.note.number, now, inst.info->is_memory()};
            }
        }

        void discard_results(const core::warp_instruction& inst) {
            std::vector<producer>& registers = producers[inst.warp];
            for (unsigned d = 0; d < inst.info->n_dst; ++d) {
                const unsigned r = inst.info->dst[d];
                if (r < registers.size() && registers[r].number == inst.note.number)
                    registers[r].number = 0;
            }
        }

        /// Finds the producer that an instruction of a warp waits for: among the instructions in
        /// flight
        /// that write its registers, memory accesses take precedence over others, and younger ones
        /// over older.
        /// @return its row number; 0: none
        std::uint32_t producer_of(unsigned warp, const program::static_instruction& waiting) const {
            const std::vector<producer>& registers = producers[warp];
            producer last;
            const auto consider = [&](unsigned r) {
                if (r >= registers.size() || registers[r].number == 0) return;
                const producer& p = registers[r];
                if (last.number == 0 ||
                    std::pair(p.memory, p.issued) > std::pair(last.memory, last.issued))
                    last = p;
            };
            for (unsigned i = 0; i < waiting.n_src; ++i) consider(waiting.src[i]);
            for (unsigned i = 0; i < waiting.n_dst; ++i) consider(waiting.dst[i]);
            return last.number;
        }

        void count_issue(instruction_counts& counts, const core::warp_instruction& inst) {
            ++counts.issues;
            counts.threads += inst.active_lanes();
            if (inst.active_lanes() < block.warps().warp[inst.warp].threads) ++counts.partial;
            if (inst.space == program::memory_space::shared) {
                if (inst.active_mask == 0) return;
                ++counts.shared_issues;
                counts.shared_cycles += inst.delay;
                counts.bank_conflicts += inst.delay - 1u;
            } else if (!inst.accesses.empty()) {
                ++counts.memory_issues;
                counts.transactions += inst.accesses.size();
            }
        }

        /// Derives waiting time and divergence from the previous instruction of the warp.
        void follow_warp(instruction_counts& counts, const core::warp_instruction& inst,
                         std::uint64_t now) {
            warp_past& past = warps[inst.warp];
            const std::uint64_t who = block.warps().warp[inst.warp].dynamic_id;
            if (past.who == who) {
                if (now > past.issued) counts.waited += now - past.issued - 1;
                const bool fewer = (inst.active_mask & ~past.mask) == 0 && inst.active_mask != 0 &&
                                   inst.active_mask != past.mask;
                if (past.branch && fewer)
                    if (instruction_counts* branch = all.rows.find(past.number))
                        ++branch->divergences;
            }
            past = {who, now, inst.note.number, inst.active_mask,
                    inst.info->cls == program::op_class::branch};
        }

        void completed(const core::warp_instruction& inst) override {
            discard_results(inst);
            instruction_counts* counts = all.rows.find(inst.note.number);
            if (counts == nullptr) return;
            const std::uint64_t now = all.now(), latency = since(inst.note.issued, now);
            counts->latency += latency;
            counts->thread_latency += latency * inst.active_lanes();
            if (!inst.info->is_memory()) return;
            const std::uint64_t lately = now > last_issue ? now - last_issue - 1 : 0;
            counts->exposed_latency += since(inst.note.idle, idle + lately);
        }

        /// Returns the row number of an instruction; 0 if it belongs to no kernel.
        std::uint32_t number_of(unsigned warp, const program::static_instruction& info) {
            const core::kernel_context* context = block.kernel_of(warp);
            if (context == nullptr) return 0;
            known& k =
                recent[(reinterpret_cast<std::uintptr_t>(&info) / sizeof(info)) % recent.size()];
            if (k.info != &info || k.launch != context->launch)
                k = {&info, context->launch, all.number_of(context->launch, info, [&] {
                         return core::text_of(block, warp, info);
                     })};
            return k.number;
        }

        void scan_warps() {
            const core::warp_table& table = block.warps();
            for (core::warp_mask left = table.resident; left != 0; left &= left - 1) {
                const auto w = static_cast<unsigned>(__builtin_ctzll(left));
                const program::dynamic_instruction* const next = block.next_instruction(w);
                if (next == nullptr) continue;
                const core::warp_wait why = block.why_waiting(w);
                if (instruction_counts* counts = all.rows.find(number_of(w, *next->info)))
                    counts->waits[static_cast<unsigned>(why)] += wait_interval;
                if (why == core::warp_wait::memory || why == core::warp_wait::scoreboard)
                    if (instruction_counts* counts = all.rows.find(producer_of(w, *next->info)))
                        counts->awaited += wait_interval;
            }
        }

        struct warp_past {
            std::uint64_t who = ~std::uint64_t{0};  ///< dynamic warp id
            std::uint64_t issued = 0;
            std::uint32_t number = 0;
            std::uint32_t mask = 0;
            bool branch = false;
        };
        /// The producer of a register.
        struct producer {
            std::uint32_t number = 0;  ///< its row number; 0: none
            std::uint64_t issued = 0;  ///< core cycle of issue
            bool memory = false;
        };
        struct known {
            const program::static_instruction* info = nullptr;
            std::uint64_t launch = 0;
            std::uint32_t number = 0;
        };

        recording& all;
        core::multiprocessor& block;
        /// Of the SM: last issue, and cycles without an issue so far.
        std::uint64_t last_issue = 0, idle = 0;
        std::vector<warp_past> warps;
        std::vector<std::vector<producer>> producers;  ///< by warp and register
        /// Cache of row numbers by instruction address and launch.
        std::array<known, 512> recent{};
    };

    /// @param text  called for an instruction that the launch has not executed before
    template <class Text>
    std::uint32_t number_of(std::uint64_t launch, const program::static_instruction& info,
                            Text text) {
        const auto [at, fresh] = kernels[launch].emplace(info.pc, 0);
        if (fresh) at->second = rows.add(info, text());
        return at->second;
    }

    std::uint64_t now() const { return device.sequencer().cycle(protocol::core_clock); }

    void step_ended(unsigned ticked) override {
        if ((ticked & (1u << protocol::core_clock)) == 0 || now() < next_check) return;
        for (const auto& sm : sms) sm->scan_warps();
        next_check = now() + wait_interval;
    }

    gpu& device;
    numbered_rows rows;
    std::map<std::uint64_t, kernel_rows> kernels;  ///< running kernels, by launch
    /// Counts of ended launches, by kernel and line (or PC).
    std::map<std::pair<std::string, std::uint64_t>, instruction_counts> lines;
    std::vector<std::unique_ptr<sm_watcher>> sms;  ///< by number
    cache_watcher<&instruction_counts::l1> l1;
    cache_watcher<&instruction_counts::l2> l2;
    std::uint64_t next_check = wait_interval;
    std::optional<instruction_energy> energy;
};

instruction_profile::instruction_profile(gpu& device)
    : recording_(std::make_unique<recording>(device)) {}
instruction_profile::~instruction_profile() = default;

std::vector<instruction_profile::row> instruction_profile::take(std::uint64_t launch,
                                                                const std::string& name) {
    const auto found = recording_->kernels.find(launch);
    if (found == recording_->kernels.end()) return {};
    std::vector<row> rows;
    for (const auto& [pc, number] : found->second)
        rows.push_back(
            recording_->rows.take(number, recording_->energy ? &*recording_->energy : nullptr));
    recording_->kernels.erase(found);
    recording_->rows.drop();
    std::sort(rows.begin(), rows.end(), [](const row& a, const row& b) { return a.pc < b.pc; });
    for (const row& r : rows)
        support::add_up(recording_->lines[{name, r.line != 0 ? r.line : r.pc}], r.counts);
    return rows;
}

void instruction_profile::write(const std::string& file) const {
    support::output_file out(file);
    out.write(
        "kernel line : count latency dram_traffic smem_bk_conflicts smem_warp "
        "gmem_access_generated gmem_warp exposed_latency warp_divergence\n");
    for (const auto& [where, c] : recording_->lines)
        out.write(fmt::format("{} {} : {} {} {} {} {} {} {} {} {} \n", file_name_of(where.first),
                              where.second, c.threads, c.thread_latency, c.dram_bytes,
                              c.shared_cycles, c.shared_issues, c.transactions, c.memory_issues,
                              c.exposed_latency, c.divergences));
    out.commit();
}

std::unique_ptr<instruction_profile> attach_instruction_profile(gpu& device,
                                                                const run_config& how) {
    if (!how.profile_instructions) return nullptr;
    return std::make_unique<instruction_profile>(device);
}

}  // namespace simtlm::platform
