// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/timed/executed_kernel.h"

#include "modules/execution/common/execution_error.h"
#include "modules/execution/operations/asynchronous.h"
#include "modules/execution/operations/cluster_operations.h"
#include "modules/execution/operations/remote_lanes.h"
#include "modules/execution/ptx/control.h"
#include "modules/execution/state/block_cluster.h"
#include "modules/execution/state/collectives.h"
#include "modules/execution/state/hardware_addresses.h"
#include "modules/execution/state/memory_access.h"
#include "modules/execution/state/state_history.h"
#include "modules/execution/timed/timing_addresses.h"
#include "modules/program/generic_windows.h"
#include "modules/program/wait_describer.h"
#include "modules/program/warp_inspector.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <limits>
#include <set>
#include <string>
#include <utility>

namespace simtlm::execution {

std::string untimed_part(const kernel_image& kernel, const instruction_descriptors& instructions) {
    const std::string part = instructions.untimed_in(kernel.function);
    return part.empty() ? part : "launching " + kernel.name + ": " + part + " cannot be timed yet";
}

/// A warp with the interface for SMs.
class executed_kernel::executor : public program::clustered_executor,
                                  public program::warp_inspector,
                                  public program::wait_describer {
public:
    executor(executed_kernel& kernel, warp& w) : kernel_(kernel), warp_(w) {}

    void start() {
        deferred_.clear();
        asleep_ = 0;
        sleeps_ = false;
        reads_ = nullptr;
        for (auto& r : remote_)
            if (r != nullptr) free_.push_back(std::move(r));
        move_to_instruction(warp_.next);
    }
    program::instruction_window window() const {
        if (warp_.next == nullptr) return {};
        return kernel_.instructions_->window_from(warp_.next->instruction);
    }

    void issue(const program::dynamic_instruction& instruction, std::uint64_t now,
               program::issue_effects& effects, program::lane_addresses& addresses) override {
        // Every SM writes the same value in a cycle.
        if (kernel_.now_.load(std::memory_order_relaxed) != now)
            kernel_.now_.store(now, std::memory_order_relaxed);
        if (kernel_.ends_early_) return end(effects, addresses);
        if (!guarded([&] { execute(instruction, now, effects, addresses); }))
            end(effects, addresses);
    }

    void apply_memory() override {
        if (deferred_.empty()) return;
        warp_.worker = &kernel_.workers_[0].state;
        auto request = std::move(deferred_.front());
        deferred_.pop_front();
        guarded([&] { perform(*request); });
        free_.push_back(std::move(request));
    }

    void perform_atomic(std::uint32_t lanes) override {
        if (atomic_ == nullptr) return;
        warp_.worker = &kernel_.workers_[0].state;
        if (!guarded([&] { perform_part(*atomic_, lanes); })) atomic_->lanes &= ~lanes;
        if (atomic_->lanes == 0) free_.push_back(std::move(atomic_));
    }

    std::vector<program::bulk_transfer> take_transfers() override {
        seen_.replace(transfers_);
        return std::move(transfers_);
    }

    std::vector<program::tensor_core_work> take_tensor_work() override {
        return std::move(tensor_work_);
    }

    const std::vector<program::mbarrier_operation>& mbarrier_operations() const override {
        return mbarrier_operations_;
    }

    bool retry_wait() override {
        const lane_mask active = warp_.active;
        warp_.worker = &kernel_.worker_of_this_thread().state;
        warp_.active = wait_.active;
        warp_.mask_at(wait_.op->guard) = wait_.guard;  // the result may have overwritten the guard
        warp_.wait_failed = false;
        mbarrier_operations_.clear();
        wait_.op->execute(warp_, wait_.op);
        warp_.active = active;
        return !warp_.wait_failed;
    }

    std::string awaited() const override {
        return describe_mbarrier_wait(warp_, wait_.op,
                                      wait_.active & (wait_.guard ^ wait_.op->guard_flip));
    }

    const program::cta_cluster_effects& effects_on_cta_cluster() const override { return cluster_; }
    void perform_remote(std::uint32_t number, std::uint32_t lanes) override {
        timed_request& r = *remote_[number];
        r.remote &= ~lanes;
        r.lanes = lanes;
        progress().note_change();
        warp_.worker = &kernel_.workers_[0].state;
        guarded([&] { r.perform(warp_, r); });
        if (r.remote == 0) free_.push_back(std::move(remote_[number]));
    }

    /// See progress_monitor.
    bool is_stuck(std::uint32_t round) const {
        return warp_.next == nullptr || history_.repeats(round) ||
               (history_.is_idle(round) && !sleeps_);
    }
    bool repeats(std::uint32_t round) const { return history_.repeats(round); }
    /// Reports that it does so for ever. @param others  number of warps that do so, too
    [[noreturn]] void fail(std::size_t others) const {
        const auto lane = static_cast<unsigned>(__builtin_ctz(warp_.active));
        std::string what = "waits for ever: it repeats the same states in a loop";
        if (reads_ != nullptr) what += fmt::format(" that reads address {:#x}", read_);
        if (others != 0) what += fmt::format(", as others do ({} warps)", others);
        warp_.block->fail(
            warp_, reads_ != nullptr ? reads_ : warp_.next, lane,
            what + ", and no warp of the running kernels changes memory",
            "a flag that nobody sets, or thread blocks that wait for each other without a "
            "cooperative launch; -gpgpu_deadlock_detect 0 lets it run");
    }

    // ---- for a debugger ----

    std::string where(const program::static_instruction& i) const override {
        return image().where(operation_of(i));
    }
    std::string text(const program::static_instruction& i) const override {
        return image().text_of(operation_of(i));
    }
    std::vector<program::code_line> listing(const program::static_instruction& i, unsigned before,
                                            unsigned after) const override {
        std::vector<program::code_line> lines;
        const instruction_descriptors& all = *kernel_.instructions_;
        const std::uint32_t at = index_of(i);
        const auto* const end = all.window_from(at).end;
        std::uint32_t first = at - std::min(at, before);
        while (all.window_from(first).end != end) ++first;
        for (std::uint32_t k = first; k <= at + after; ++k) {
            const program::static_instruction& one = all.of(k);
            lines.push_back({one.pc, where(one), text(one)});
            if (all.window_from(k).next + 1 == end) break;
        }
        return lines;
    }
    std::string registers(unsigned lane) const override {
        if (warp_.next == nullptr) return {};
        return image().registers_text(*warp_.next, warp_.banks[static_cast<unsigned>(bank::frame)],
                                      lane);
    }
    bool read(program::memory_space space, unsigned lane, std::uint64_t address, std::size_t bytes,
              std::byte* to) const override {
        if (space == program::memory_space::shared) {
            if (address > warp_.block->shared_bytes() ||
                bytes > warp_.block->shared_bytes() - address)
                return false;
            std::memcpy(to, warp_.block->shared() + address, bytes);
            return true;
        }
        if (space == program::memory_space::local) {
            if (warp_.local == nullptr || address > warp_.local_bytes ||
                bytes > warp_.local_bytes - address)
                return false;
            for (std::size_t k = 0; k < bytes; ++k)
                to[k] = warp_.local[128 * ((address + k) / 4) + 4 * lane + (address + k) % 4];
            return true;
        }
        const device_memory::range* const in = kernel_.context_.memory.find(address);
        if (in == nullptr || bytes > in->end - address) return false;
        std::memcpy(to, kernel_.context_.memory.host(address), bytes);
        return true;
    }

private:
    const program_image& image() const { return *kernel_.what_.image; }
    std::uint32_t index_of(const program::static_instruction& i) const {
        return static_cast<std::uint32_t>(&i - &kernel_.instructions_->of(0));
    }
    /// An operation that identifies an instruction to the image.
    operation operation_of(const program::static_instruction& i) const {
        operation op;
        op.instruction = index_of(i);
        return op;
    }

    /// Performs an action of the program. @return false: it has caused a fault, which is reported
    template <class Action>
    bool guarded(Action action) {
        if (!kernel_.world_.fault) {
            action();
            return true;
        }
        try {
            action();
            return true;
        } catch (const execution_error&) {
            kernel_.world_.fault(std::current_exception());
            return false;
        }
    }

    /// Executes an instruction that issues.
    void execute(const program::dynamic_instruction& instruction, std::uint64_t now,
                 program::issue_effects& effects, program::lane_addresses& addresses) {
        issue_worker& worker = kernel_.worker_of_this_thread();
        kernel_.discard_freed_memory(worker.state);
        warp_.worker = &worker.state;
        const std::uint32_t index = kernel_.instructions_->index_of(instruction);
        ++worker.issued[index];
        const lane_mask before = warp_.control->live_lanes();
        auto request = take_request();
        request->op = nullptr;
        request->perform = nullptr;
        request->lanes = 0;
        request->remote = 0;
        request->words = 1;
        request->asleep = 0;
        warp_.pending = request.get();
        warp_.transfers = &transfers_;
        warp_.wait_failed = false;
        transfers_.clear();
        warp_.tensor_work = &tensor_work_;
        tensor_work_.clear();
        warp_.mbarrier_operations = &mbarrier_operations_;
        mbarrier_operations_.clear();
        const operation* const main = main_operation(index);
        effects.active_mask = warp_.lanes_of(main);
        const bool watched = progress().listens();
        if (watched) watch_before(*instruction.info);
        const wait_state wait{main, warp_.active, warp_.mask_at(main->guard)};
        note_barrier(main, instruction, effects);
        if (kernel_.what_.image->isa() == instruction_set::ptx)
            note_addresses(warp_, main, instruction, effects, addresses);
        else
            addresses.lanes = 0;  // instructions with addresses leave a request
        execute(index);
        if (watched) watch_after(*instruction.info, before);
        note_sleep(*request, now);
        warp_.pending = nullptr;
        if (request->op != nullptr && (instruction.info->is_memory() || request->remote != 0))
            note_request(*request, effects, addresses);
        if (instruction.info->is_atomic && request->perform != nullptr && request->remote == 0)
            perform_part(*request, split_off_shared_lanes(*request, effects, addresses));
        seen_.replace(addresses);
        if (warp_.wait_failed && effects.can_suspend) {
            effects.suspended = true;
            // The wait may depend on diverged lanes of the warp, or on the warp itself.
            constexpr std::uint32_t long_limit = 20000;  // ns
            effects.has_time_limit =
                (warp_.wait_nanoseconds != 0 && warp_.wait_nanoseconds < long_limit) ||
                (warp_.control->groups() > 1 && warp_.control->schedules_lanes_independently());
            wait_ = wait;
        }
        effects.sleep = take_sleep(now);
        sleeps_ = effects.sleep != 0;
        effects.warp_ended = warp_.next == nullptr;
        effects.lanes_ended = warp_.control->live_lanes() != before;
        effects.next = window();
        if (kernel_.in_cta_clusters()) {
            note_cluster(main, before, effects.active_mask);
            if (request->remote != 0) {
                cluster_.remote_lanes = request->remote;
                std::copy_n(request->rank, warp_size, cluster_.rank.begin());
                cluster_.request = keep_remote(std::move(request));
                return;
            }
        }
        if (request->perform == nullptr)
            free_.push_back(std::move(request));
        else if (instruction.info->is_atomic)
            atomic_ = std::move(request);
        else {
            effects.memory_deferred = true;
            deferred_.push_back(std::move(request));
        }
    }

    /// Ends the warp without executing an instruction.
    void end(program::issue_effects& effects, program::lane_addresses& addresses) {
        warp_.next = nullptr;
        effects.active_mask = 0;
        effects.lanes_ended = effects.warp_ended = true;
        effects.suspended = effects.memory_deferred = false;
        addresses.lanes = 0;
        mbarrier_operations_.clear();
        transfers_.clear();
        tensor_work_.clear();
        cluster_ = {};
        warp_.pending = nullptr;
        progress().note_change();
    }

    // ---- for the progress monitor ----

    progress_monitor& progress() const { return kernel_.context_.memory.progress(); }
    static bool writes(const program::static_instruction& i) { return i.is_store || i.is_atomic; }
    /// Whether an instruction has effects on other threads beyond those of stores and atomics.
    static bool acts_on_others(const program::static_instruction& i) {
        switch (i.special) {
            case program::special_op::ldgsts:
            case program::special_op::mbarrier_update:
            case program::special_op::bulk_copy:
            case program::special_op::tensor_work:
            case program::special_op::remote_store:
            case program::special_op::launch_dependents:
                return true;
            default:
                return i.barrier == program::barrier_kind::reduction;
        }
    }
    void copy_own_memory() {
        copy_.clear();
        copy_.add(warp_.block->shared(), warp_.block->shared_bytes());
        copy_.add(warp_.local, std::size_t{warp_.local_bytes} * warp_size);
    }
    void watch_before(const program::static_instruction& i) {
        if (progress().compares())
            history_.add(warp_, progress().round(), static_cast<std::uint64_t>(branches_));
        if (acts_on_others(i))
            progress().note_change();
        else if (writes(i))
            copy_own_memory();
    }
    /// @param live  lanes before the instruction
    void watch_after(const program::static_instruction& i, lane_mask live) {
        if ((writes(i) && copy_.differs()) || warp_.control->live_lanes() != live)
            progress().note_change();
        const memory_request& r = *warp_.pending;
        if (!i.is_load || r.op == nullptr || r.lanes == 0) return;
        reads_ = r.op;
        read_ = r.address[__builtin_ctz(r.lanes)];
    }
    /// Performs a request, and notes whether memory changes.
    void perform(timed_request& r) {
        if (r.op == nullptr) progress().note_change();
        if (!progress().listens() || !writes(kernel_.instructions_->of(r.op->instruction)))
            return r.perform(warp_, r);
        const device_memory& memory = kernel_.context_.memory;
        constexpr std::uint64_t most = sizeof(std::uint64_t) * max_elements;
        copy_own_memory();
        for (lane_mask m = r.lanes; m != 0; m &= m - 1) {
            const device_address a = r.address[__builtin_ctz(m)];
            if (const auto* const in = memory.find(a); in != nullptr)
                copy_.add(memory.host(a), std::min(most, in->end - a));
            else if (address_windows::in_global(a))
                progress().note_change();
        }
        r.perform(warp_, r);
        if (copy_.differs()) progress().note_change();
    }

    /// Performs a request for some of its lanes, which are removed from it.
    void perform_part(timed_request& r, lane_mask lanes) {
        const lane_mask all = r.lanes;
        r.lanes = all & lanes;
        if (r.lanes != 0) perform(r);
        r.lanes = all & ~lanes;
    }

    std::unique_ptr<timed_request> take_request() {
        if (free_.empty()) return std::make_unique<timed_request>();
        auto r = std::move(free_.back());
        free_.pop_back();
        return r;
    }

    /// The operation that represents the instruction.
    const operation* main_operation(std::uint32_t index) const {
        const operation* op = warp_.next;
        while (op->instruction == index && !op->counted) ++op;
        return op;
    }

    /// Executes the remaining operations of an instruction.
    void execute(std::uint32_t index) {
        warp_.quantum = std::numeric_limits<std::int64_t>::max();
        warp_.status = warp_status::ready;
        const operation* op = warp_.next;
        const operation* next = op;
        do {
            op = next;
            next = op->execute(warp_, op);
            if (next == nullptr && warp_.status != warp_status::done) next = warp_.next;
        } while (next > op && next->instruction == index);
        move_to_instruction(next);
        // Lanes that sleep at a reconvergence point have already given way.
        if ((static_cast<const timed_request*>(warp_.pending)->asleep & warp_.active) != 0)
            yield_groups(true);
        else if (next != op + 1 && ++branches_ == warp_control::timed_branches_per_quantum)
            yield_groups(false);
    }

    /// Notes when the lanes that an instruction has put to sleep wake up.
    void note_sleep(const timed_request& r, std::uint64_t now) {
        if (r.asleep == 0) return;
        const auto cycles =
            static_cast<std::uint64_t>(r.sleep * kernel_.world_.cycles_per_nanosecond);
        asleep_ |= r.asleep;
        for (lane_mask m = r.asleep; m != 0; m &= m - 1) wakes_[__builtin_ctz(m)] = now + cycles;
    }

    /// Core cycles until the lanes that execute next are awake.
    std::uint64_t take_sleep(std::uint64_t now) {
        std::uint64_t until = now;
        for (lane_mask m = asleep_ & warp_.active; m != 0; m &= m - 1)
            until = std::max(until, wakes_[__builtin_ctz(m)]);
        asleep_ &= ~warp_.active;
        return until - now;
    }

    /// Lets other lanes of the warp continue if lanes wait for them in a loop, or sleep.
    void yield_groups(bool sleeps) {
        branches_ = 0;
        if (warp_.next != nullptr && warp_.control->groups() > 1 &&
            warp_.control->yield_groups(warp_, sleeps) == warp_control::progress::passed)
            move_to_instruction(warp_.next);
    }

    /// Executes operations that are not instructions of their own: reconvergence points, entries
    /// and ends of functions.
    void move_to_instruction(const operation* op) {
        while (op != nullptr && op->moves_control) op = op->execute(warp_, op);
        warp_.next = op;
    }

    void note_barrier(const operation* op, const program::dynamic_instruction& instruction,
                      program::issue_effects& effects) const {
        if (instruction.info->barrier == program::barrier_kind::none || effects.active_mask == 0)
            return;
        const barrier_operands named = barrier_operands_of(warp_, op, effects.active_mask);
        effects.barrier_id = static_cast<std::int32_t>(named.number);
        effects.barrier_threads = static_cast<std::int32_t>(named.threads);
    }

    /// The state at the execution of an mbarrier wait that has failed.
    struct wait_state {
        const operation* op = nullptr;
        lane_mask active = 0;
        lane_mask guard = 0;
    };

    /// Reports whether the last live lanes have arrived at the cluster barrier, or wait there.
    /// @param before  lanes that were live before the instruction
    void note_cluster(const operation* op, lane_mask before, lane_mask active) {
        const lane_mask live = warp_.control->live_lanes();
        const bool complete = live != 0 && (live & ~warp_.cluster_arrived) == 0;
        const bool arrives = op->execute == arrive_at_cluster && active != 0;
        const bool others_ended = live != before && (before & ~warp_.cluster_arrived) != 0;
        cluster_.arrived = complete && (arrives || others_ended);
        // Whether the barrier is complete is for the SM to decide: a recorded trace must also wait
        // where the execution did not.
        cluster_.waits = op->execute == wait_for_cluster && active != 0 &&
                         (complete ? (warp_.cluster_arrived & active) != 0 : active == live);
        cluster_.remote_lanes = 0;
    }

    std::uint32_t keep_remote(std::unique_ptr<timed_request> request) {
        const auto place = std::find(remote_.begin(), remote_.end(), nullptr);
        const auto number = static_cast<std::uint32_t>(place - remote_.begin());
        if (place == remote_.end()) remote_.emplace_back();
        remote_[number] = std::move(request);
        return number;
    }

    executed_kernel& kernel_;
    warp& warp_;
    hardware_addresses seen_{kernel_.context_.memory};
    wait_state wait_;
    std::vector<program::bulk_transfer> transfers_;
    std::vector<program::tensor_core_work> tensor_work_;
    std::vector<program::mbarrier_operation> mbarrier_operations_;
    std::vector<std::unique_ptr<timed_request>> remote_;  // by number, or nullptr
    program::cta_cluster_effects cluster_;
    std::deque<std::unique_ptr<timed_request>> deferred_;
    std::unique_ptr<timed_request> atomic_;
    std::vector<std::unique_ptr<timed_request>> free_;
    state_history history_;
    memory_copy copy_;
    const operation* reads_ = nullptr;  ///< the last load while it was watched
    device_address read_ = 0;           ///< its address
    bool sleeps_ = false;               ///< since its last instruction
    std::int64_t branches_ = 0;         ///< since the last call of yield_groups()
    lane_mask asleep_ = 0;              ///< lanes that have not executed since a nanosleep
    std::array<std::uint64_t, warp_size> wakes_{};  ///< core cycle, of these lanes
};

/// A CTA with the interface for SMs.
class executed_kernel::block : public program::clustered_cta {
public:
    explicit block(executed_kernel& kernel)
        : kernel_(kernel), threads_(kernel.context_, kernel.workers_[0].state) {
        threads_.sm_holds_barriers = true;
        for (execution::warp& w : threads_.warps()) executors_.emplace_back(kernel, w);
    }

    void start(std::uint64_t number, std::shared_ptr<block_cluster> cluster) {
        threads_.start(number, 0, std::move(cluster));
        index = {threads_.index()[0], threads_.index()[1], threads_.index()[2]};
        for (executor& e : executors_) e.start();
    }
    void placed(const program::cta_place& where) override { threads_.placed(where.sm, where.sms); }
    std::uint64_t number() const { return threads_.number(); }
    const std::deque<executor>& executors() const { return executors_; }
    void cta_cluster_barrier_completed() override { block_cluster::complete(threads_); }
    program::warp_code warp(unsigned w) override {
        program::warp_code code;
        code.window = executors_[w].window();
        code.executor = &executors_[w];
        return code;
    }

private:
    executed_kernel& kernel_;
    thread_block threads_;
    std::deque<executor> executors_;
};

executed_kernel::executed_kernel(launch what, device_memory& memory, services world,
                                 std::shared_ptr<const instruction_descriptors> descriptor,
                                 std::uint32_t id)
    : world_(std::move(world)),
      what_(std::move(what)),
      context_(what_, memory, world_),
      instructions_(std::move(descriptor)),
      workers_(std::max(world_.host_threads, 1u)) {
    context_.timed = true;
    const std::string untimed = untimed_part(*what_.kernel, *instructions_);
    if (!untimed.empty()) throw support::user_error("", untimed, untimed_remedy);
    if (!world_.clock) world_.clock = [this] { return now_.load(std::memory_order_relaxed); };
    const std::size_t operations = what_.image->code().size();
    for (issue_worker& w : workers_) {
        w.state.counts.resize(operations);
        w.state.hits.resize(operations);
        w.issued.resize(instructions_->size() + 1);
        w.state.not_begun = this;
    }
    kernel_.origin = what_.image->name();
    kernel_.name = what_.kernel->name;
    kernel_.id = id;
    kernel_.grid = what_.grid;
    kernel_.block = what_.block;
    kernel_.shared_memory =
        static_cast<std::uint32_t>(what_.kernel->allocated_shared(what_.dynamic_shared));
    kernel_.registers = what_.kernel->registers;
    kernel_.barriers = what_.kernel->barriers;
    kernel_.carve_out = what_.carve_out;
    kernel_.local_memory = context_.local_bytes();
    kernel_.stream = what_.stream;
    kernel_.register_numbers = instructions_->register_numbers();
    static_assert(address_windows::shared == program::generic_windows::shared &&
                  address_windows::local == program::generic_windows::local);
    if (what_.image->isa() == instruction_set::sass)
        kernel_.binary_version = what_.image->architecture();
    memory.progress().enter(*this);
}

executed_kernel::~executed_kernel() {
    context_.memory.progress().leave(*this);
}

bool executed_kernel::is_stuck(std::uint32_t round) const {
    for (const auto& [number, b] : resident_)
        for (const executor& e : b->executors())
            if (!e.is_stuck(round)) return false;
    return true;
}

void executed_kernel::report() const {
    const std::uint32_t round = context_.memory.progress().round();
    const executor* first = nullptr;
    std::size_t count = 0;
    for (const auto& [number, b] : resident_)
        for (const executor& e : b->executors()) {
            if (!e.repeats(round)) continue;
            if (count++ == 0) first = &e;
        }
    if (first != nullptr) first->fail(count - 1);
}

std::vector<std::string> executed_kernel::take_notes() {
    std::set<std::string> names;
    for (const auto& hint : instructions_->ignored_hints())
        if (issues_of(hint.instruction) != 0) names.insert(hint.name);
    if (names.empty()) return {};
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return {"without effect on time: " + list +
            " (docs/execution.md, \"Instructions that only affect time\")"};
}

bool executed_kernel::issues_on_several_threads() const {
    if (workers_.size() == 1 || world_.checker != nullptr || world_.log != nullptr) return false;
    if (!in_cta_clusters()) return true;
    const auto uses_tensor_memory = [](const program::dynamic_instruction& i) {
        return i.info->special == program::special_op::tensor_work;
    };
    const std::vector<program::instruction_window> functions = code();
    return std::none_of(functions.begin(), functions.end(), [&](const auto& f) {
        return std::any_of(f.next, f.end, uses_tensor_memory);
    });
}

execution_summary executed_kernel::executed() const {
    execution_summary s;
    s.blocks = next_;
    for (std::size_t i = 0; i < workers_[0].issued.size(); ++i) {
        const std::uint64_t warps = issues_of(i);
        if (warps == 0) continue;
        s.warp_instructions += warps;
        s.by_instruction.push_back({static_cast<std::uint32_t>(i), warps});
    }
    std::vector<const worker_state*> states;
    for (const issue_worker& w : workers_) states.push_back(&w.state);
    s.allocated_bytes = std::max(executed_bytes_, accessed_allocations(states));
    return s;
}

/// Warp executions of an instruction so far.
std::uint64_t executed_kernel::issues_of(std::size_t instruction) const {
    std::uint64_t sum = 0;
    for (const issue_worker& w : workers_) sum += w.issued[instruction];
    return sum;
}

void executed_kernel::execute_rest(const functional_options& how) {
    if (next_ == what_.grid.volume()) return;
    functional_options rest = how;
    rest.first_block = std::exchange(next_, what_.grid.volume());
    const execution_summary s = run(what_, context_.memory, world_, rest);
    for (const auto& count : s.by_instruction)
        if (count.instruction < workers_[0].issued.size())
            workers_[0].issued[count.instruction] += count.warps;
    executed_bytes_ = s.allocated_bytes;
}

bool executed_kernel::end_early() {
    const auto expects_others = [](const program::dynamic_instruction& i) {
        const program::special_op s = i.info->special;
        return i.info->barrier == program::barrier_kind::arrive ||
               (program::is_asynchronous(s) && s != program::special_op::launch_dependents &&
                s != program::special_op::dependency_wait);
    };
    if (in_cta_clusters() || what_.cooperative || kernel_.barriers > 1) return false;
    for (const program::instruction_window& function : code())
        if (std::any_of(function.next, function.end, expects_others)) return false;
    ends_early_ = true;
    return true;
}

std::optional<std::uint64_t> executed_kernel::instructions_of(std::uint64_t block,
                                                              const functional_options& how) {
    functional_options one = how;
    one.first_block = block;
    one.blocks = 1;
    try {
        return run(what_, context_.memory, world_, one).warp_instructions;
    } catch (const execution_error&) {
        return std::nullopt;
    }
}

/// Discards cached allocations after memory has been freed.
void executed_kernel::discard_freed_memory(worker_state& worker) const {
    if (worker.generation == context_.memory.generation()) return;
    worker.generation = context_.memory.generation();
    worker.hits.assign(worker.hits.size(), {});
}

std::unique_ptr<program::cta> executed_kernel::next_cta() {
    if (next_ == what_.grid.volume()) return nullptr;
    if (idle_.empty()) idle_.push_back(std::make_unique<block>(*this));
    auto next = std::move(idle_.back());
    idle_.pop_back();
    const std::uint64_t number = number_of(next_++);
    auto& threads = static_cast<block&>(*next);
    threads.start(number, cluster_);
    resident_.emplace(number, &threads);
    context_.memory.progress().note_change();
    return next;
}

/// The index in the grid of the n-th CTA: CTAs of a cluster are consecutive.
std::uint64_t executed_kernel::number_of(std::uint64_t n) {
    if (!in_cta_clusters()) return n;
    const program::dim3& shape = context_.cluster();
    const auto rank = static_cast<std::uint32_t>(n % shape.volume());
    if (rank == 0) cluster_ = std::make_shared<block_cluster>(shape);
    return block_of_cluster(what_.grid, shape, n / shape.volume(), rank);
}

std::optional<std::uint64_t> executed_kernel::cancel(std::uint64_t /*requester*/) {
    if (!can_cancel_ || ends_early_ || what_.cooperative || next_ == what_.grid.volume())
        return std::nullopt;
    const std::uint64_t first = in_cta_clusters() ? block_of_cluster(what_.grid, context_.cluster(),
                                                                     next_ / cta_cluster_size(), 0)
                                                  : next_;
    next_ += cta_cluster_size();
    cancelled_ += cta_cluster_size();
    context_.memory.progress().note_change();
    return first;
}

void executed_kernel::recycle(std::unique_ptr<program::cta> finished) {
    resident_.erase(static_cast<const block&>(*finished).number());
    context_.memory.progress().note_change();
    idle_.push_back(std::move(finished));
}

}  // namespace simtlm::execution
