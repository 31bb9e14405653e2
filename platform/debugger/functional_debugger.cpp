// SPDX-License-Identifier: Apache-2.0
#include "platform/debugger/functional_debugger.h"

#include "modules/execution/state/program_image.h"
#include "modules/execution/state/thread_block.h"
#include "platform/debugger/instruction_text.h"
#include "platform/debugger/interrupt_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

namespace simtlm::platform {

using execution::bank;
using execution::operation;
using execution::program_image;
using execution::thread_block;

/// Used only by the thread that executes the program.
class functional_debugger::target final : public debug_target {
public:
    target(const execution::device_memory& memory,
           std::function<std::optional<memory_range>(const std::string&)> symbol,
           std::unique_ptr<command_input> input, debugger::services how)
        : memory_(memory),
          symbol_(std::move(symbol)),
          debugger_(*this, std::move(input), std::move(how)),
          guard_(debugger_) {}

    debugger& session() { return debugger_; }

    void launch_begins(const execution::launch& l, std::uint64_t number) {
        launch_ = &l;
        number_ = number;
        first_thread_ = threads_ + 1;
        threads_ += l.grid.volume() * l.block.volume();
        describe(*l.image);
        since_ = executed_;
        debugger_.kernel_launched(view());
    }
    void launch_ended() {
        debugger_.kernel_ended(view());
        launch_ = nullptr;
        blocks_.clear();
    }

    void about_to_execute(execution::warp& w, const operation& op) {
        if (debugger_.detached()) return;
        note_block(*w.block);
        at_ = &op;
        running_ = &w;
        const warp_id id = id_of(w);
        debugger_.select(id);
        if (debugger_.follows_instructions()) report_step(w, op, id);
        debugger_.tick();
        ++executed_;
        running_ = nullptr;
    }

    // ---- debug_target ----

    std::uint64_t time() const override { return executed_; }
    const char* time_unit() const override { return "instruction"; }
    bool sequential() const override { return true; }
    unsigned sms() const override {
        return launch_ != nullptr ? static_cast<unsigned>(launch_->grid.volume()) : 1;
    }

    std::vector<kernel_view> kernels() const override {
        if (launch_ == nullptr) return {};
        return {view()};
    }

    std::vector<warp_view> warps(std::optional<unsigned> cta) const override {
        std::vector<warp_view> all;
        for (thread_block* const b : blocks_) {
            if (b->done() || (cta && b->number() != *cta)) continue;
            for (execution::warp& w : b->warps())
                if (w.status != execution::warp_status::done) all.push_back(view_of(w));
        }
        return all;
    }
    std::optional<warp_view> warp(warp_id id) const override {
        execution::warp* const w = find(id);
        if (w == nullptr) return std::nullopt;
        return view_of(*w);
    }

    std::string where(const instruction_event& e) const override { return where(e.code); }
    std::string text(const instruction_event& e) const override { return text(e.code); }
    std::string where(const warp_view& w) const override { return where(w.code); }
    std::string text(const warp_view& w) const override { return text(w.code); }

    std::vector<std::string> listing(const warp_view& w, unsigned around) const override {
        std::vector<std::string> lines;
        if (w.code == nullptr || launch_ == nullptr) return lines;
        const std::size_t at = index_of(*w.code);
        const std::size_t end = std::min(code_.size(), at + around + 1);
        for (std::size_t k = at - std::min<std::size_t>(at, around); k < end; ++k) {
            const program::static_instruction& i = code_[k];
            if (*i.opcode == '\0') continue;  // padding without an instruction
            lines.push_back(fmt::format("{} {:#06x}  {:<48}  {}", k == at ? "=>" : "  ", i.pc,
                                        text(&i), where(&i)));
        }
        return lines;
    }

    std::string registers(warp_id id, unsigned lane) const override {
        execution::warp* const w = find(id);
        if (w == nullptr) return {};
        const operation* const op = place_of(*w);
        if (op == nullptr) return {};
        return launch_->image->registers_text(*op, w->banks[static_cast<unsigned>(bank::frame)],
                                              lane);
    }

    bool read(program::memory_space space, warp_id id, unsigned lane, std::uint64_t address,
              std::size_t bytes, std::byte* to) const override {
        if (space == program::memory_space::global) {
            const auto* const in = memory_.find(address);
            if (in == nullptr || bytes > in->end - address) return false;
            std::memcpy(to, memory_.host(address), bytes);
            return true;
        }
        execution::warp* const w = find(id);
        if (w == nullptr) return false;
        const bool shared = space == program::memory_space::shared;
        const std::uint64_t room = shared ? w->block->shared_bytes() : w->local_bytes;
        if (address > room || bytes > room - address || (!shared && w->local == nullptr))
            return false;
        for (std::size_t k = 0; k < bytes; ++k)
            to[k] = shared ? w->block->shared()[address + k]
                           : w->local[128 * ((address + k) / 4) + 4 * lane + (address + k) % 4];
        return true;
    }

    std::optional<memory_range> symbol(const std::string& name) const override {
        return symbol_ ? symbol_(name) : std::nullopt;
    }
    std::optional<long double> variable(const std::string& name) const override {
        if (name == "instructions" || name == "cycle") return executed_;
        return std::nullopt;
    }

    std::string pipeline(unsigned) const override {
        throw command_error("there is no pipeline in functional mode");
    }
    std::string partition(unsigned) const override {
        throw command_error("there are no memory partitions in functional mode");
    }
    std::string waits() const override {
        std::string all;
        for (const warp_view& w : warps(std::nullopt))
            if (!w.state.empty())
                all += fmt::format("  CTA {} warp {} waits for {}\n", w.id.sm, w.id.warp, w.state);
        return all.empty() ? "nobody waits\n" : all;
    }

private:
    /// Computes location and opcode of every instruction; functional mode needs no other fields.
    void describe(const program_image& image) {
        if (described_ == &image) return;
        described_ = &image;
        code_.clear();
        opcodes_.clear();
        const unsigned bytes = execution::instruction_bytes(image.isa());
        for (const operation& op : image.code()) {
            if (op.instruction >= code_.size()) code_.resize(op.instruction + 1);
            if (!op.counted || op.moves_control) continue;
            program::static_instruction& i = code_[op.instruction];
            i.pc = std::uint64_t{op.instruction} * bytes;
            i.opcode = opcodes_.emplace_back(image.name_of(op).opcode).c_str();
        }
    }

    void note_block(thread_block& b) {
        const auto known = std::find(blocks_.begin(), blocks_.end(), &b);
        const auto place = static_cast<std::size_t>(known - blocks_.begin());
        if (known == blocks_.end()) {
            blocks_.push_back(&b);
            numbers_.resize(blocks_.size());
        } else if (numbers_[place] == b.number()) {
            return;
        }
        numbers_[place] = b.number();
        const warp_owner owner = owner_of(b.warps().front());
        debugger_.cta_started(id_of(b.warps().front()), owner);
    }

    void report_step(execution::warp& w, const operation& op, warp_id id) {
        instruction_event e;
        const warp_owner owner = owner_of(w);
        const program::static_instruction& i = code_[op.instruction];
        e.id = id;
        e.owner = &owner;
        e.pc = i.pc;
        e.active_mask = w.lanes_of(&op);
        e.opcode = i.opcode;
        e.identity = &i;
        e.code = &i;
        debugger_.instruction(e);
    }

    static warp_id id_of(const execution::warp& w) {
        return {static_cast<unsigned>(w.block->number()), w.index};
    }
    warp_owner owner_of(const execution::warp& w) const {
        warp_owner o;
        o.launch = number_;
        o.kernel = launch_->kernel->name;
        o.cta = w.block->number();
        for (unsigned d = 0; d < 3; ++d) o.cta_index[d] = w.block->index()[d];
        o.warp_in_cta = w.index;
        o.first_thread =
            first_thread_ + o.cta * launch_->block.volume() + std::uint64_t{32} * w.index;
        return o;
    }
    execution::warp* find(warp_id id) const {
        for (thread_block* const b : blocks_)
            if (!b->done() && b->number() == id.sm && id.warp < b->warps().size() &&
                b->warps()[id.warp].status != execution::warp_status::done)
                return &b->warps()[id.warp];
        return nullptr;
    }
    const operation* place_of(const execution::warp& w) const {
        return &w == running_ ? at_ : w.next;
    }
    warp_view view_of(execution::warp& w) const {
        warp_view v;
        v.id = id_of(w);
        v.owner = owner_of(w);
        if (const operation* const op = place_of(w)) {
            v.code = &code_[op->instruction];
            v.pc = v.code->pc;
            v.active_mask = w.lanes_of(op);
        }
        if (w.status == execution::warp_status::barrier) v.state = "barrier";
        if (w.status == execution::warp_status::sleeping) v.state = "other warps (nanosleep)";
        return v;
    }
    kernel_view view() const {
        kernel_view k;
        k.launch = number_;
        k.name = launch_->kernel->name;
        k.grid = {launch_->grid.x, launch_->grid.y, launch_->grid.z};
        k.block = {launch_->block.x, launch_->block.y, launch_->block.z};
        k.ctas = launch_->grid.volume();
        for (thread_block* const b : blocks_)
            if (!b->done()) ++k.ctas_running;
        k.since = since_;
        return k;
    }

    std::uint32_t index_of(const program::static_instruction& i) const {
        return static_cast<std::uint32_t>(&i - code_.data());
    }
    /// Builds the operation that identifies an instruction to the program image.
    operation operation_of(const program::static_instruction& i) const {
        operation op;
        op.instruction = index_of(i);
        return op;
    }
    std::string where(const program::static_instruction* i) const {
        return i != nullptr && launch_ != nullptr ? launch_->image->where(operation_of(*i)) : "";
    }
    std::string text(const program::static_instruction* i) const {
        return i != nullptr && launch_ != nullptr
                   ? without_end(launch_->image->text_of(operation_of(*i)))
                   : "";
    }

    const execution::device_memory& memory_;
    std::function<std::optional<memory_range>(const std::string&)> symbol_;
    debugger debugger_;
    interrupt_guard guard_;
    const execution::launch* launch_ = nullptr;  // the launch in progress
    std::uint64_t number_ = 0;
    std::uint64_t first_thread_ = 1, threads_ = 0;
    const program_image* described_ = nullptr;
    std::vector<program::static_instruction> code_;  // indexed by operation::instruction
    std::deque<std::string> opcodes_;
    std::vector<thread_block*> blocks_;   // blocks of this launch that have run
    std::vector<std::uint64_t> numbers_;  // CTA number that each block object held last
    const operation* at_ = nullptr;
    const execution::warp* running_ = nullptr;
    std::uint64_t executed_ = 0, since_ = 0;
};

functional_debugger::functional_debugger(
    const execution::device_memory& memory,
    std::function<std::optional<memory_range>(const std::string& name)> symbol,
    std::unique_ptr<command_input> input, debugger::services how)
    : target_(
          std::make_unique<target>(memory, std::move(symbol), std::move(input), std::move(how))) {}
functional_debugger::~functional_debugger() = default;

void functional_debugger::begin() {
    target_->session().begin("functional mode: cycles are warp instructions; nothing has run yet");
}
void functional_debugger::launch_begins(const execution::launch& l, std::uint64_t launch) {
    target_->launch_begins(l, launch);
}
void functional_debugger::launch_ended() {
    target_->launch_ended();
}
void functional_debugger::end() {
    target_->session().end();
}
void functional_debugger::about_to_execute(execution::warp& w, const execution::operation& op) {
    target_->about_to_execute(w, op);
}

}  // namespace simtlm::platform
