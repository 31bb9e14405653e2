// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/functional/functional.h"

#include "modules/execution/common/execution_error.h"
#include "modules/execution/operations/asynchronous.h"
#include "modules/execution/ptx/control.h"
#include "modules/execution/state/block_cluster.h"
#include "modules/execution/state/program_image.h"
#include "modules/execution/state/thread_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace simtlm::execution {

namespace {

constexpr std::int64_t jumps_per_quantum = 1 << 16;
constexpr unsigned quanta_per_visit = 16;  ///< before another CTA may begin
constexpr std::uint64_t max_resident = 2048;

// Blocks of a cooperative launch wait for each other, so quanta are short.
constexpr std::int64_t cooperative_jumps_per_quantum = 1 << 10;
constexpr unsigned cooperative_quanta_per_visit = 2;

/// Whether a warp sleeps since it has found the phase of an mbarrier incomplete.
bool waits_at_mbarrier(const warp& w) {
    return w.has_waited && w.status == warp_status::sleeping;
}

const operation* begin_quantum(warp& w, std::int64_t jumps) {
    if (waits_at_mbarrier(w)) --w.block->warps_at_mbarriers;
    w.status = warp_status::ready;
    w.quantum = jumps;
    w.come(w.next);
    return w.next;
}
void end_quantum(warp& w) {
    if (waits_at_mbarrier(w)) ++w.block->warps_at_mbarriers;
}

/// Executes a warp until it stops. @param jumps  number after which other warps run
void run_quantum(warp& w, std::int64_t jumps) {
    const operation* op = begin_quantum(w, jumps);
    do op = op->execute(w, op);
    while (op != nullptr);
    end_quantum(w);
}

/// The same with an observer.
void run_quantum(warp& w, std::int64_t jumps, execution_observer& observer) {
    const operation* op = begin_quantum(w, jumps);
    do {
        const bool again = op == std::exchange(w.retried, nullptr);
        if (op->counted && !op->moves_control && !again) observer.about_to_execute(w, *op);
        op = op->execute(w, op);
    } while (op != nullptr);
    end_quantum(w);
}

bool runnable(const warp& w) {
    return w.status == warp_status::ready || w.status == warp_status::preempted ||
           w.status == warp_status::sleeping;
}

/// Detects warps that loop without progress: the same registers at the same place, repeatedly.
class circle_detector {
public:
    /// Called after a visit of a CTA. @return whether every running warp is in a state that it has
    /// had before
    bool circling(const thread_block& b) {
        std::vector<std::uint64_t>& past = past_[&b];
        std::uint64_t now = 0;
        for (const warp& w : const_cast<thread_block&>(b).warps())
            if (runnable(w)) now = now * 31 + w.state();
        const bool known = std::find(past.begin(), past.end(), now) != past.end();
        if (past.size() == remembered) past.erase(past.begin());
        past.push_back(now);
        return known;
    }
    void drop(const thread_block& b) { past_.erase(&b); }

private:
    static constexpr std::size_t remembered = 64;  // alternating lanes of a warp, twice
    std::map<const thread_block*, std::vector<std::uint64_t>> past_;
};

/// State shared by the host threads of a launch.
class shared_progress {
public:
    explicit shared_progress(unsigned threads) : quiet_at_(threads, in_motion) {}

    unsigned threads() const { return static_cast<unsigned>(quiet_at_.size()); }

    /// A thread's CTAs have made no progress since `changes` had the given value. One thread's lack
    /// of progress is not sufficient: another thread may hold the resource for which they wait, and
    /// not have had a processor since.
    /// @return whether the same is true of every thread with CTAs
    bool quiet(unsigned thread, std::uint64_t since) {
        const std::lock_guard<std::mutex> lock(guard_);
        quiet_at_[thread] = since;
        return changes == since &&
               std::all_of(quiet_at_.begin(), quiet_at_.end(),
                           [since](std::uint64_t at) { return at == since || at == finished; });
    }

    /// A thread has no CTA left.
    void finish(unsigned thread) {
        const std::lock_guard<std::mutex> lock(guard_);
        quiet_at_[thread] = finished;
    }

    std::atomic<std::uint64_t> next{0};     ///< next cluster of CTAs to begin
    std::uint64_t end = 0;                  ///< cluster after the last one to begin
    std::atomic<bool> stop{false};          ///< after a fault
    std::atomic<std::uint64_t> changes{0};  ///< number of rounds with progress
    const std::atomic<bool>* give_up = nullptr;
    execution_observer* observer = nullptr;
    std::chrono::milliseconds host_timeout{0};

private:
    static constexpr std::uint64_t in_motion = ~std::uint64_t{0}, finished = in_motion - 1;

    std::mutex guard_;
    std::vector<std::uint64_t> quiet_at_;  ///< by thread: `changes` at that time
};

/// A host thread that executes CTAs. CTAs that cancel the launch of others do their work: a thread
/// then begins groups of consecutive clusters, and a CTA cancels launches of its group only, so
/// that what is executed does not depend on the number of host threads.
class worker : private pending_ctas {
public:
    worker(launch_context& l, shared_progress& shared, unsigned thread)
        : launch_(l), next_(shared.next), stop_(shared.stop), shared_(shared), thread_(thread) {
        state.counts.resize(l.image.code().size());
        state.hits.resize(l.image.code().size());
        state.generation = l.memory.generation();
        if (l.image.cancels_launches() && !l.what.cooperative) {
            state.not_begun = this;
            group_size_ = clusters_per_group;
        }
    }

    void run() {
        const std::uint64_t all = shared_.end;
        const bool together = launch_.what.cooperative;
        // All blocks of a cooperative launch are resident; every thread executes an equal number of
        // them.
        const std::uint64_t most =
            together ? (launch_.what.grid.volume() + shared_.threads() - 1) / shared_.threads()
                     : max_resident;
        for (bool stalled = true; !stop_;) {
            while (resident_.empty() || ((stalled || together) && resident_.size() < most)) {
                if (group_next_ == group_end_ && !begin_group()) break;
                begin(group_next_++);
                if (!together) break;
            }
            if (resident_.empty()) return shared_.finish(thread_);
            stalled = true;
            const std::uint64_t changes = shared_.changes;
            bool circling = true;
            for (std::size_t i = 0; i < resident_.size();) {
                if (given_up()) return;
                if (!visit(*resident_[i])) {
                    circling &= circles_.circling(*resident_[i]);
                    ++i;
                    continue;
                }
                stalled = circling = false;
                circles_.drop(*resident_[i]);
                idle_.push_back(std::move(resident_[i]));
                resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(i));
            }
            if (!circling) {
                ++shared_.changes;
                rounds_in_circles_ = quanta_passed_ = 0;
            } else if (shared_.changes != changes || next_ < all || group_next_ < group_end_) {
                rounds_in_circles_ = 0;
            } else {
                if (++rounds_in_circles_ == retry_limit) {
                    if (quanta_passed_++ < retry_limit && let_other_lanes_run()) {
                        rounds_in_circles_ = 0;
                        continue;
                    }
                    stuck_since_ = std::chrono::steady_clock::now();
                }
                if (rounds_in_circles_ >= retry_limit && shared_.quiet(thread_, changes)) {
                    // The host may write what the warps wait for.
                    if (std::chrono::steady_clock::now() - stuck_since_ >= shared_.host_timeout)
                        report_livelock();
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
                std::this_thread::yield();  // to threads on which this one may depend
            }
        }
    }

    worker_state state;

private:
    bool given_up() const { return shared_.give_up != nullptr && *shared_.give_up; }

    /// Takes the clusters to begin next, usually one. @return whether there are any
    bool begin_group() {
        group_begin_ = next_.fetch_add(group_size_);
        if (group_begin_ >= shared_.end) return false;
        group_next_ = group_begin_;
        group_end_ = std::min(group_begin_ + group_size_, shared_.end);
        return true;
    }

    std::optional<std::uint64_t> cancel(std::uint64_t requester) override {
        const program::dim3 &grid = launch_.what.grid, &shape = launch_.cluster();
        const std::uint64_t own = cluster_of_block(grid, shape, requester);
        if (own < group_begin_ || own >= group_next_ || group_next_ == group_end_)
            return std::nullopt;
        return block_of_cluster(grid, shape, group_next_++, 0);
    }

    /// Starts all CTAs of a cluster, usually only one.
    void begin(std::uint64_t number) {
        const program::dim3& shape = launch_.cluster();
        if (shape.volume() == 1) return begin_block(number, nullptr);
        const auto cluster = std::make_shared<block_cluster>(shape);
        for (std::uint32_t rank = 0; rank < shape.volume(); ++rank)
            begin_block(block_of_cluster(launch_.what.grid, shape, number, rank), cluster);
    }

    void begin_block(std::uint64_t number, std::shared_ptr<block_cluster> cluster) {
        if (idle_.empty()) idle_.push_back(std::make_unique<thread_block>(launch_, state));
        resident_.push_back(std::move(idle_.back()));
        idle_.pop_back();
        resident_.back()->start(number,
                                static_cast<unsigned>(number % std::max(launch_.world.sms, 1u)),
                                std::move(cluster));
    }

    /// Runs the warps of a CTA for some quanta. @return whether it has finished
    bool visit(thread_block& b) {
        const bool together = launch_.what.cooperative;
        const unsigned quanta = together ? cooperative_quanta_per_visit : quanta_per_visit;
        const std::int64_t jumps = together ? cooperative_jumps_per_quantum : jumps_per_quantum;
        std::int64_t passed_quanta = 0;
        for (unsigned quantum = 0; quantum < quanta && !stop_ && !given_up();) {
            bool ran = false, passed = false;
            for (warp& w : b.warps()) {
                if (!runnable(w)) continue;
                passed |= run_warp(w, jumps);
                ran = true;
            }
            if (b.done()) return true;
            if (!ran) report_deadlock(b);
            // Quanta are short if lanes wait for other lanes.
            if (!passed || ++passed_quanta % warp_control::branches_per_quantum == 0) ++quantum;
        }
        return false;
    }

    /// Executes a warp for a number of jumps, or until it waits for another thread.
    /// @return whether other lanes of the warp have replaced those that wait
    bool run_warp(warp& w, std::int64_t jumps) {
        for (std::int64_t left = w.circles ? warp_control::branches_per_quantum : jumps;
             left > 0;) {
            const std::int64_t most =
                w.control->groups() > 1 ? std::min(left, warp_control::branches_per_quantum) : left;
            if (shared_.observer == nullptr)
                run_quantum(w, most);
            else
                run_quantum(w, most, *shared_.observer);
            w.circles = false;
            if (has_slept(w) && w.control->groups() > 1) w.control->yield_groups(w, true);
            if (w.status != warp_status::preempted) return false;
            const warp_control::progress how = w.control->yield_groups(w, false);
            w.circles = how != warp_control::progress::moves;
            if (w.circles) return how == warp_control::progress::passed;
            left -= most;
        }
        return false;
    }

    /// Lets other lanes of warps run that wait for an mbarrier, on which those may have to act.
    /// @return whether there are any
    bool let_other_lanes_run() {
        bool passed = false;
        for (const auto& b : resident_)
            for (warp& w : b->warps())
                passed |= w.status == warp_status::sleeping && w.control->groups() > 1 &&
                          w.control->yield_groups(w, true) == warp_control::progress::passed;
        return passed;
    }

    [[noreturn]] void report_deadlock(thread_block& b) {
        for (const warp& w : b.warps())
            if (w.status == warp_status::barrier) {
                const operation* const at = w.next - 1;
                b.fail(w, at, static_cast<unsigned>(__builtin_ctz(w.active)),
                       "waits for ever at a barrier that other warps of its block do not come to",
                       "barriers must be reached by all threads that they count");
            }
        throw execution_error({}, "no warp can run");
    }

    /// Reports that all warps loop without progress, and none can end this.
    [[noreturn]] void report_livelock() {
        const warp* found = nullptr;
        for (const auto& b : resident_)
            for (const warp& w : b->warps())
                if (runnable(w) &&
                    (found == nullptr || w.control->groups() > found->control->groups()))
                    found = &w;
        if (found == nullptr) throw execution_error({}, "no warp makes progress");
        const auto lane = static_cast<unsigned>(__builtin_ctz(found->active));
        if (found->control->groups() > 1 && !found->control->schedules_lanes_independently())
            found->block->fail(*found, found->next, lane,
                               "waits for ever for another lane of its own warp: a lock among the "
                               "lanes of a warp, which diverged lanes that run one group after "
                               "the other cannot pass",
                               "such programs need independent thread scheduling, which PTX for "
                               "sm_70 and newer is executed with; or take the lock once per warp");
        if (const std::string phase = incomplete_phase(); !phase.empty())
            found->block->fail(*found, found->next, lane,
                               "waits for ever: no warp of the launch makes progress, and nobody "
                               "completes " +
                                   phase,
                               "every phase needs as many arrivals as mbarrier.init expects, and "
                               "exactly the bytes that expect_tx has announced");
        found->block->fail(*found, found->next, lane,
                           "waits for ever: no warp of the launch makes progress",
                           "thread blocks that wait for each other need a cooperative launch");
    }

    /// Describes what the first warp at an mbarrier waits for, with its block and number; empty if
    /// none does. A failed try_wait stops the warp after it, so that it sleeps there.
    std::string incomplete_phase() const {
        for (const auto& b : resident_)
            for (warp& w : b->warps()) {
                if (w.status != warp_status::sleeping || w.next == launch_.image.code().data())
                    continue;
                const operation* const before = w.next - 1;
                const std::string phase = describe_mbarrier_wait(w, before, w.lanes_of(before));
                if (!phase.empty())
                    return fmt::format("{} (block ({},{},{}), warp {})", phase, b->index()[0],
                                       b->index()[1], b->index()[2], &w - b->warps().data());
            }
        return {};
    }

    static constexpr unsigned retry_limit = 16;  ///< rounds
    static constexpr std::uint64_t clusters_per_group = 8;

    launch_context& launch_;
    std::atomic<std::uint64_t>& next_;
    std::atomic<bool>& stop_;
    shared_progress& shared_;
    const unsigned thread_;
    std::uint64_t group_size_ = 1;  ///< clusters
    std::uint64_t group_begin_ = 0;
    std::uint64_t group_next_ = 0, group_end_ = 0;  ///< clusters of the group that have not begun
    circle_detector circles_;
    unsigned rounds_in_circles_ = 0;
    unsigned quanta_passed_ = 0;  ///< without progress since
    std::chrono::steady_clock::time_point stuck_since_;
    std::deque<std::unique_ptr<thread_block>> resident_;
    std::vector<std::unique_ptr<thread_block>> idle_;
};

void run_all(std::vector<std::unique_ptr<worker>>& workers, shared_progress& shared) {
    if (workers.size() == 1) return workers[0]->run();
    std::exception_ptr fault;
    std::mutex guard;
    std::vector<std::thread> threads;
    for (auto& w : workers)
        threads.emplace_back([&] {
            try {
                w->run();
            } catch (...) {
                const std::lock_guard<std::mutex> lock(guard);
                if (!fault) fault = std::current_exception();
                shared.stop = true;
            }
        });
    for (std::thread& t : threads) t.join();
    if (fault) std::rethrow_exception(fault);
}

execution_summary summarise(const launch_context& l,
                            const std::vector<std::unique_ptr<worker>>& workers) {
    execution_summary s;
    s.blocks = l.what.grid.volume();
    std::map<std::string, execution_summary::opcode_count> by_name, by_class;
    const std::vector<operation>& code = l.image.code();
    std::vector<const worker_state*> states;
    for (const auto& w : workers) {
        states.push_back(&w->state);
        std::int64_t warps = 0, lanes = 0;
        for (std::size_t i = 0; i < code.size(); ++i) {
            warps += w->state.counts.warps[i];
            lanes += w->state.counts.lanes[i];
            if (warps == 0 || !code[i].counted) continue;
            s.by_instruction.push_back({code[i].instruction, static_cast<std::uint64_t>(warps)});
            const instruction_name name = l.image.name_of(code[i]);
            for (auto* const count : {&by_name[name.opcode], &by_class[name.group]}) {
                count->warps += static_cast<std::uint64_t>(warps);
                count->threads += static_cast<std::uint64_t>(lanes);
            }
        }
    }
    for (auto& [name, count] : by_name) {
        count.opcode = name;
        s.warp_instructions += count.warps;
        s.thread_instructions += count.threads;
        s.by_opcode.push_back(count);
    }
    for (auto& [name, count] : by_class) {
        count.opcode = name;
        s.by_class.push_back(count);
    }
    s.allocated_bytes = accessed_allocations(states);
    return s;
}

void add_counts(std::vector<execution_summary::opcode_count>& to,
                const std::vector<execution_summary::opcode_count>& more) {
    std::map<std::string, execution_summary::opcode_count> all;
    using counts = std::vector<execution_summary::opcode_count>;
    for (const counts* const list : std::initializer_list<const counts*>{&to, &more})
        for (const execution_summary::opcode_count& c : *list) {
            execution_summary::opcode_count& sum = all[c.opcode];
            sum.opcode = c.opcode;
            sum.warps += c.warps;
            sum.threads += c.threads;
        }
    to.clear();
    for (auto& [name, count] : all) to.push_back(count);
}

}  // namespace

execution_observer::~execution_observer() = default;

void execution_summary::add(const execution_summary& other) {
    warp_instructions += other.warp_instructions;
    thread_instructions += other.thread_instructions;
    blocks += other.blocks;
    seconds += other.seconds;
    add_counts(by_opcode, other.by_opcode);
    add_counts(by_class, other.by_class);
}

std::uint64_t accessed_allocations(const std::vector<const worker_state*>& workers) {
    std::map<device_address, device_address> allocations;  // from, to
    for (const worker_state* const w : workers)
        for (const allocation_hit& hit : w->hits)
            if (hit.end != 0) allocations.emplace(hit.begin, hit.end);
    std::uint64_t bytes = 0;
    for (const auto& [from, to] : allocations) bytes += to - from;
    return bytes;
}

execution_summary run(const launch& what, device_memory& memory, const services& world,
                      const functional_options& options) {
    const auto begin = std::chrono::steady_clock::now();
    launch_context context(what, memory, world);
    const std::uint64_t blocks = what.grid.volume();
    const auto count = static_cast<unsigned>(
        options.observer != nullptr
            ? 1
            : std::clamp<std::uint64_t>(blocks, 1, std::max(options.host_threads, 1u)));
    context.concurrent = count > 1;
    shared_progress shared(count);
    shared.give_up = options.give_up;
    shared.observer = options.observer;
    shared.host_timeout = options.host_timeout;
    const std::uint64_t first = options.first_block / context.cluster().volume();
    const std::uint64_t left = blocks / context.cluster().volume() - first;
    shared.next = first;
    shared.end = first + std::min(left, options.blocks / context.cluster().volume());
    std::vector<std::unique_ptr<worker>> workers;
    for (unsigned i = 0; i < count; ++i)
        workers.push_back(std::make_unique<worker>(context, shared, i));
    run_all(workers, shared);
    execution_summary s = summarise(context, workers);
    s.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return s;
}

}  // namespace simtlm::execution
