// SPDX-License-Identifier: Apache-2.0
#include "platform/debugger/gpu_debugger.h"

#include "modules/core/multiprocessor.h"
#include "modules/program/warp_inspector.h"
#include "modules/support/statistics.h"
#include "modules/waveforms/waveform.h"
#include "platform/debugger/instruction_text.h"
#include "platform/debugger/interrupt_guard.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <utility>

namespace simtlm::platform {

namespace {

using program::static_instruction;

/// Formats the current values of the waveform signals that a block registers.
class signal_snapshot final : public waveforms::signal_list {
public:
    bool wants(const std::string&) const override { return true; }
    void group(const std::string&) override {}
    void changed_by(const std::vector<std::string>&, std::function<bool()>) override {}
    void level(const std::string& name, unsigned, unsigned, waveforms::display shown, reader read,
               waveforms::enumeration* names) override {
        signals_.push_back({name, shown, std::move(read), names});
    }
    void events(const std::string&, unsigned, unsigned, reader) override {}
    void real(const std::string&, unsigned, std::function<double()>) override {}

    /// One line per signal; names are relative to `base`.
    std::string text(const std::string& base) const {
        std::string all;
        for (const signal& s : signals_) {
            const std::string name = s.name.compare(0, base.size() + 1, base + ".") == 0
                                         ? s.name.substr(base.size() + 1)
                                         : s.name;
            all += fmt::format("  {:<40} {}\n", name, s.value());
        }
        return all;
    }

private:
    struct signal {
        std::string name;
        waveforms::display shown;
        reader read;
        const waveforms::enumeration* names;

        std::string value() const {
            const std::uint64_t v = read();
            if (v == waveforms::waveform::undriven) return "-";
            if (names != nullptr && v < names->names().size()) {
                const std::string& n = names->names()[v];
                const std::size_t colour = n.rfind('?');  // "?DarkGreen?read"
                return colour == std::string::npos ? n : n.substr(colour + 1);
            }
            return shown == waveforms::display::hexadecimal ? fmt::format("{:#x}", v)
                                                            : std::to_string(v);
        }
    };
    std::vector<signal> signals_;
};

std::array<std::uint32_t, 3> index_of(const program::dim3& d) {
    return {d.x, d.y, d.z};
}

/// Byte ranges that an instruction accesses; adjacent bytes are merged.
void find_ranges(const core::warp_instruction& inst, std::vector<memory_range>& out) {
    constexpr unsigned line = 128;
    out.clear();
    for (const core::memory_access& a : inst.accesses) {
        const std::uint64_t base = a.address & ~std::uint64_t{line - 1};
        for (unsigned b = 0; b < line; ++b) {
            if (!a.bytes.test(b)) continue;
            if (!out.empty() && out.back().address + out.back().bytes == base + b)
                ++out.back().bytes;
            else
                out.push_back({base + b, 1});
        }
    }
}

}  // namespace

class gpu_debugger::target final : public debug_target,
                                   private simulation::phase_sequencer::step_observer,
                                   private core::cta_watcher {
public:
    target(gpu& device, std::unique_ptr<command_input> input, debugger::services how,
           program_access programs)
        : device_(device),
          programs_(std::move(programs)),
          debugger_(*this, std::move(input), std::move(how)),
          guard_(debugger_) {
        for (const auto& c : device.clusters())
            for (unsigned i = 0; i < c->sms(); ++i) {
                core::multiprocessor& m = c->core(i);
                sms_.emplace_back(*this, m);
                m.watch(static_cast<core::cta_watcher&>(*this));
                m.watch(static_cast<core::instruction_watcher&>(sms_.back()));
            }
        device.sequencer().observe(this);
    }

    void begin() {
        debugger_.begin(fmt::format("{} SMs, {} memory partitions; nothing has run yet",
                                    sms_.size(), device_.partitions().size()));
    }
    void end() {
        note_kernels();
        debugger_.end();
    }

    // ---- debug_target ----

    std::uint64_t time() const override { return device_.core_cycles(); }
    const char* time_unit() const override { return "core cycle"; }
    unsigned sms() const override { return static_cast<unsigned>(sms_.size()); }

    std::vector<kernel_view> kernels() const override {
        std::vector<kernel_view> all;
        for (const auto& k : device_.commands().ctas().running())
            if (k && !k->finished()) all.push_back(view_of(*k));
        return all;
    }

    std::vector<warp_view> warps(std::optional<unsigned> sm) const override {
        std::vector<warp_view> all;
        for (unsigned s = sm.value_or(0); s < (sm ? std::min(*sm + 1, sms()) : sms()); ++s)
            for (unsigned w = 0; w < sms_[s].block->warps().warp.size(); ++w)
                if (auto v = warp({s, w})) all.push_back(std::move(*v));
        return all;
    }

    std::optional<warp_view> warp(warp_id id) const override {
        const core::warp_state* const state = state_of(id);
        if (state == nullptr) return std::nullopt;
        const watched_sm& s = sms_[id.sm];
        warp_view v;
        v.id = id;
        v.owner = owner_of(s, id.warp);
        v.pc = state->last_pc;
        if (const issue* const last = s.last_of(id.warp)) {
            v.active_mask = last->mask;
            v.code = last->code;
        }
        v.state = core::warp_wait_name(s.block->why_waiting(id.warp));
        return v;
    }

    std::string where(const instruction_event& e) const override { return where(e.id, e.code); }
    std::string text(const instruction_event& e) const override { return text(e.id, e.code); }
    std::string where(const warp_view& w) const override { return where(w.id, w.code); }
    std::string text(const warp_view& w) const override {
        return w.code != nullptr ? text(w.id, w.code) : "(nothing has issued)";
    }

    std::vector<std::string> listing(const warp_view& w, unsigned around) const override {
        const core::warp_state* const state = state_of(w.id);
        if (state == nullptr) return {};
        const program::dynamic_instruction* next = sms_[w.id.sm].block->next_instruction(w.id.warp);
        if (next == nullptr && !state->code.empty()) next = state->code.next;
        const static_instruction* const at = w.code != nullptr ? w.code
                                             : next != nullptr ? next->info
                                                               : nullptr;
        std::vector<std::string> lines;
        if (const auto* const values = inspector(w.id); values != nullptr && at != nullptr) {
            for (const program::code_line& l : values->listing(*at, around, around))
                lines.push_back(line_of(l.pc == at->pc, l.pc, without_end(l.text), l.where));
            return lines;
        }
        return recorded_listing(w, *state, around);
    }

    std::string registers(warp_id id, unsigned lane) const override {
        const auto* const values = inspector(id);
        return values != nullptr ? values->registers(lane) : "";
    }

    bool read(program::memory_space space, warp_id id, unsigned lane, std::uint64_t address,
              std::size_t bytes, std::byte* to) const override {
        if (space == program::memory_space::global && programs_.read)
            return programs_.read(address, bytes, to);
        const auto* const values = inspector(id);
        return values != nullptr && values->read(space, lane, address, bytes, to);
    }

    std::optional<memory_range> symbol(const std::string& name) const override {
        return programs_.symbol ? programs_.symbol(name) : std::nullopt;
    }

    std::optional<long double> variable(const std::string& name) const override {
        if (name == "cycle") return device_.core_cycles();
        if (name == "instructions") return device_.commands().ctas().thread_instructions();
        if (name == "warp_instructions") {
            std::uint64_t sum = 0;
            for (const watched_sm& s : sms_) sum += s.block->counted().warp_instructions;
            return sum;
        }
        if (name == "kernels_done") return device_.commands().kernels_done();
        if (name == "ctas_done") return device_.commands().ctas().ctas_completed();
        return statistic(name);
    }

    std::string pipeline(unsigned number) const override {
        const watched_sm& s = sms_[number];
        std::string all = fmt::format("{}: {} CTAs, {} instructions in flight\n", s.block->name(),
                                      s.block->resident_ctas(), s.block->instructions_in_flight());
        for (const warp_view& w : warps(number)) {
            const core::warp_state& state = s.block->warps().warp[w.id.warp];
            all += fmt::format("  warp {:>2} CTA {} after {:#06x} {}{}", w.id.warp, w.owner.cta,
                               w.pc, text(w), w.state.empty() ? "" : ", waits for " + w.state);
            for (const auto* const i : state.ibuffer.entry)
                if (i != nullptr)
                    all += fmt::format("; buffered {:#06x} {}", i->info->pc, i->info->opcode);
            all += '\n';
        }
        auto& signals = signals_[number];
        if (!signals) {
            signals = std::make_unique<signal_snapshot>();
            s.block->register_signals(*signals, device_.network().name());
        }
        return all + signals->text(s.block->name()) + s.block->describe();
    }

    std::string partition(unsigned number) const override {
        if (number >= device_.partitions().size())
            throw command_error(fmt::format("there is no partition {}: there are {}", number,
                                            device_.partitions().size()));
        memory::memory_partition& p = *device_.partitions()[number];
        memory::memory_channel& c = *device_.channels()[number];
        std::string all = fmt::format("{}\n", p.name());
        for (unsigned i = 0; i < device_.config().memory.partition.sub_partitions; ++i) {
            memory::memory_sub_partition& sub = p.sub_partition(i);
            all += fmt::format("  {}: {} requests delayed", sub.name(), sub.requests_delayed());
            for (const auto& q : sub.queues()) all += fmt::format(", {} {}", q.name, q.of->size());
            all += '\n' + sub.describe();
        }
        return all + fmt::format("  {}: {} requests inside, {} replies wait\n", c.name(),
                                 c.requests_inside(), c.replies_queued());
    }

    std::string waits() const override { return device_.describe(); }

private:
    static constexpr unsigned remembered = 16;  ///< instructions kept per warp

    struct issue {
        const static_instruction* code = nullptr;
        std::uint32_t mask = 0;
        std::uint64_t cycle = 0;
    };
    /// An SM: the last instructions of each warp, and the owners of its warps.
    struct watched_sm final : core::instruction_watcher {
        watched_sm(target& t, core::multiprocessor& m)
            : of(t), block(&m), history(m.warps().warp.size()), counts(history.size()) {}

        void issued(core::warp_instruction& inst) override {
            const unsigned w = inst.warp;
            history[w][counts[w]++ % remembered] = {inst.info, inst.active_mask,
                                                    of.device_.core_cycles()};
            if (of.debugger_.follows_instructions()) of.issued(*this, inst);
        }
        void completed(const core::warp_instruction&) override {}

        const issue* last_of(unsigned w) const {
            return counts[w] == 0 ? nullptr : &history[w][(counts[w] - 1) % remembered];
        }

        struct slot {
            warp_owner owner;
        };
        target& of;
        core::multiprocessor* block;
        std::vector<std::array<issue, remembered>> history;  // by warp
        std::vector<std::uint64_t> counts;
        std::map<unsigned, slot> slots;  // resident CTAs by slot
    };

    // ---- events ----

    void cta_started(const core::multiprocessor& where, unsigned number,
                     const core::kernel_context& kernel, const program::cta& block) override {
        watched_sm& s = sms_[where.id()];
        watched_sm::slot& slot = s.slots[number];
        const program::kernel_descriptor& d = *kernel.descriptor;
        slot.owner.launch = kernel.launch;
        slot.owner.kernel = d.name;
        slot.owner.cta_index = {block.index.x, block.index.y, block.index.z};
        slot.owner.cta =
            block.index.x +
            std::uint64_t{d.grid.x} * (block.index.y + std::uint64_t{d.grid.y} * block.index.z);
        note_kernels();
        slot.owner.first_thread =
            first_thread_[kernel.launch] + slot.owner.cta * d.threads_per_block();
        const core::warp_table& table = where.warps();
        unsigned first_warp = 0;
        for (unsigned w = 0; w < table.warp.size(); ++w) {
            if ((table.resident & core::warp_bit(w)) == 0 || table.warp[w].cta != number) continue;
            if (table.warp[w].number == 0) first_warp = w;
            s.counts[w] = 0;  // instructions of an ended kernel may have been freed
        }
        debugger_.cta_started({where.id(), first_warp}, slot.owner);
    }
    void cta_ended(const core::multiprocessor&, unsigned) override {}

    void issued(const watched_sm& s, const core::warp_instruction& inst) {
        instruction_event e;
        e.id = {s.block->id(), inst.warp};
        const warp_owner owner = owner_of(s, inst.warp);
        e.owner = &owner;
        e.pc = inst.info->pc;
        e.active_mask = inst.active_mask;
        e.opcode = inst.info->opcode;
        e.identity = inst.info;
        e.code = inst.info;
        if (inst.info->is_memory()) {
            e.is_load = inst.info->is_load;
            e.is_store = inst.info->is_store || inst.info->is_atomic;
            find_ranges(inst, ranges_);
            e.ranges = &ranges_;
        }
        debugger_.instruction(e);
    }

    void step_ended(unsigned ticked) override {
        constexpr unsigned core = 1u << protocol::core_clock;
        if ((ticked & core) == 0 || debugger_.detached()) return;
        note_kernels();
        if (!reported_deadlock_ && device_.commands().deadlocked()) {
            reported_deadlock_ = true;
            debugger_.notify(
                "deadlock: no instruction has been completed for a long time; i wait shows what "
                "blocks wait for");
        }
        if (!reported_failure_ && device_.sequencer().has_failed()) {
            reported_failure_ = true;
            try {
                device_.sequencer().rethrow_failure();
            } catch (const std::exception& e) {
                debugger_.notify(e.what());
            }
        }
        debugger_.tick();
    }

    /// Reports kernels that have started or ended.
    void note_kernels() {
        const auto& running = device_.commands().ctas().running();
        std::size_t n = 0;
        bool same = true;
        for (const auto& k : running)
            if (k) {
                same = same && n < known_.size() && known_[n].launch == k->context.launch;
                ++n;
            }
        if (same && n == known_.size()) return;
        std::vector<kernel_view> now;
        for (const auto& k : running)
            if (k) now.push_back(view_of(*k));
        const auto has = [](const std::vector<kernel_view>& in, std::uint64_t launch) {
            return std::any_of(in.begin(), in.end(),
                               [&](const kernel_view& k) { return k.launch == launch; });
        };
        const std::vector<kernel_view> before = std::exchange(known_, now);
        for (const kernel_view& k : before)
            if (!has(now, k.launch)) debugger_.kernel_ended(k);
        std::sort(now.begin(), now.end(),
                  [](const kernel_view& a, const kernel_view& b) { return a.launch < b.launch; });
        for (const kernel_view& k : now) {
            if (has(before, k.launch)) continue;
            first_thread_[k.launch] = threads_ + 1;
            threads_ += std::uint64_t{k.block[0]} * k.block[1] * k.block[2] * k.ctas;
            debugger_.kernel_launched(k);
        }
    }

    // ---- queries ----

    static kernel_view view_of(const dispatch::running_kernel& k) {
        kernel_view v;
        v.launch = k.context.launch;
        v.name = k.descriptor.name;
        v.grid = index_of(k.descriptor.grid);
        v.block = index_of(k.descriptor.block);
        v.ctas = k.descriptor.grid.volume();
        v.ctas_done = k.ctas_completed;
        v.ctas_running = k.ctas_running;
        v.since = k.launched_at;
        return v;
    }

    /// Returns the state of a warp, or nullptr if the slot is empty.
    const core::warp_state* state_of(warp_id id) const {
        if (id.sm >= sms_.size()) return nullptr;
        const core::warp_table& table = sms_[id.sm].block->warps();
        if (id.warp >= table.warp.size() || (table.resident & core::warp_bit(id.warp)) == 0)
            return nullptr;
        return &table.warp[id.warp];
    }

    warp_owner owner_of(const watched_sm& s, unsigned w) const {
        const auto slot = s.slots.find(s.block->warps().warp[w].cta);
        if (slot == s.slots.end()) return {};
        warp_owner o = slot->second.owner;
        o.warp_in_cta = s.block->warps().warp[w].number;
        o.first_thread += 32 * o.warp_in_cta;
        return o;
    }

    /// Returns the inspector of a warp, or nullptr if its values are unknown.
    const program::warp_inspector* inspector(warp_id id) const {
        const core::warp_state* const state = state_of(id);
        return state == nullptr || state->executor == nullptr
                   ? nullptr
                   : dynamic_cast<const program::warp_inspector*>(state->executor);
    }

    std::string where(warp_id id, const static_instruction* code) const {
        if (code == nullptr) return "";
        if (const auto* const values = inspector(id)) return values->where(*code);
        return "";
    }
    std::string text(warp_id id, const static_instruction* code) const {
        if (code == nullptr) return "";
        if (const auto* const values = inspector(id)) return without_end(values->text(*code));
        return instruction_text(*code);
    }

    static std::string line_of(bool here, std::uint64_t pc, const std::string& text,
                               const std::string& where) {
        const char* const mark = here ? "=>" : "  ";
        return where.empty() ? fmt::format("{} {:#06x}  {}", mark, pc, text)
                             : fmt::format("{} {:#06x}  {:<48}  {}", mark, pc, text, where);
    }

    /// Listing for a traced warp: its last issued and its next instructions.
    std::vector<std::string> recorded_listing(const warp_view& w, const core::warp_state& state,
                                              unsigned around) const {
        const watched_sm& s = sms_[w.id.sm];
        const auto line = [](bool here, const static_instruction& i) {
            return line_of(here, i.pc, instruction_text(i),
                           i.source_line != 0 ? fmt::format("line {}", i.source_line) : "");
        };
        std::vector<std::string> lines;
        const std::uint64_t count = s.counts[w.id.warp];
        for (std::uint64_t n = std::min<std::uint64_t>({count, remembered, around + 1u}); n > 0;
             --n)
            lines.push_back(line(n == 1, *s.history[w.id.warp][(count - n) % remembered].code));
        unsigned left = around;
        for (unsigned k = 0; k < 2 && left > 0; ++k)
            if (const auto* const i = state.ibuffer.entry[(state.ibuffer.next + k) % 2]) {
                lines.push_back(line(false, *i->info));
                --left;
            }
        for (const auto* i = state.code.next; i != state.code.end && left > 0; ++i, --left)
            lines.push_back(line(false, *i->info));
        return lines;
    }

    /// Looks up "BLOCK:COUNTER" or "BLOCK:COUNTER.CELL".
    std::optional<long double> statistic(const std::string& name) const {
        const std::size_t colon = name.find(':');
        if (colon == std::string::npos) return std::nullopt;
        if (statistics_.blocks().empty()) list_statistics(device_, statistics_);
        auto found = cells_.find(name);
        if (found == cells_.end()) {
            const std::uint64_t* value = nullptr;
            for (const support::statistics::block& b : statistics_.blocks()) {
                if (name.compare(0, colon, b.name) != 0) continue;
                for (const support::statistics::cell& c : b.cells) {
                    const std::string cell = c.label.empty() ? "" : "." + c.label;
                    if (name.compare(colon + 1, std::string::npos, c.of->name + cell) == 0)
                        value = c.value;
                }
            }
            found = cells_.emplace(name, value).first;
        }
        if (found->second == nullptr) return std::nullopt;
        update_counters(device_);
        return *found->second;
    }

    gpu& device_;
    program_access programs_;
    debugger debugger_;
    interrupt_guard guard_;
    std::deque<watched_sm> sms_;
    std::vector<kernel_view> known_;                       // running kernels, in slot order
    std::map<std::uint64_t, std::uint64_t> first_thread_;  // number of the first thread, by launch
    std::uint64_t threads_ = 0;                            // threads of all launches so far
    std::vector<memory_range> ranges_;
    bool reported_deadlock_ = false, reported_failure_ = false;
    mutable std::map<unsigned, std::unique_ptr<signal_snapshot>> signals_;  // by SM
    mutable support::statistics statistics_;
    mutable std::map<std::string, const std::uint64_t*> cells_;
};

gpu_debugger::gpu_debugger(gpu& device, std::unique_ptr<command_input> input,
                           debugger::services how, program_access programs)
    : target_(std::make_unique<target>(device, std::move(input), std::move(how),
                                       std::move(programs))) {}
gpu_debugger::~gpu_debugger() = default;

void gpu_debugger::begin() {
    target_->begin();
}
void gpu_debugger::end() {
    target_->end();
}

}  // namespace simtlm::platform
