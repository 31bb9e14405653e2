// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/phase_sequencer.h"

#include "modules/kernel/clocked_module.h"
#include "modules/kernel/clocked_process.h"
#include "modules/kernel/process_group.h"
#include "modules/kernel/spawn.h"
#include "modules/kernel/worker_pool.h"

#include <algorithm>
#include <utility>

namespace simtlm::kernel {

namespace {
/// Calls act with each of a phase's members that is awake in a sub-phase, in their order.
template <class Turn, class Members, class Action>
void for_each_awake(const Turn& t, const Members& all, Action act) {
    for (unsigned first = 0; first < all.size(); first += 64)
        for (std::uint64_t bits = *t.word(first); bits != 0; bits &= bits - 1)
            act(all[first + static_cast<unsigned>(__builtin_ctzll(bits))]);
}
}  // namespace

phase_sequencer::phase_sequencer(const sc_core::sc_module_name& name, unsigned domains,
                                 std::vector<phase> phases, const options& opts)
    : sc_module(name), clock("clock", domains), options_(opts), domains_(domains) {
    sc_assert(domains <= max_domains);
    slots_.reserve(phases.size());
    for (const phase& p : phases) {
        slot s;
        s.what = p;
        s.sequencer = this;
        s.start_all = std::make_unique<sc_core::sc_event>((std::string(p.name) + "_start").c_str());
        slots_.push_back(std::move(s));
    }
    activity_.activations.assign(slots_.size(), 0);
    std::vector<trigger> edges;
    for (unsigned d = 0; d < domains; ++d) edges.emplace_back(clock[d].pos());
    spawn_method(
        "on_edge", [this] { on_edge(); }, edges);
    spawn_method("step", [this] { step(); }, {step_event_});
    if (opts.host_threads > 1 && !opts.clocked_threads) {
        workers_ = std::make_unique<worker_pool>(opts.host_threads);
        deferred_updates_.resize(opts.host_threads);
        one_thread_ = false;
        for (unsigned p = 0; p < slots_.size(); ++p) slots_[p].shared = phases[p].group_kind != 0;
    }
}

phase_sequencer::~phase_sequencer() = default;

unsigned phase_sequencer::slot::join(clocked_process& p, unsigned sub_phases_wanted) {
    p.place_ = static_cast<unsigned>(members.size());
    members.push_back(&p);
    if (sub_phases.size() < sub_phases_wanted) sub_phases.resize(sub_phases_wanted);
    for (sub_phase& t : sub_phases) t.make_room(static_cast<unsigned>(members.size()));
    for (unsigned i = 0; i < members.size(); ++i) {
        members[i]->index_ = i;
        members[i]->join_sub_phase(members[i]->selected_);
    }
    return static_cast<unsigned>(members.size() - 1);
}

/// Gives the members other places.
template <class Rearrange>
void phase_sequencer::slot::rearrange(Rearrange how) {
    std::vector<clocked_process*> awake;
    for (clocked_process* p : members)
        if (p->awake()) awake.push_back(p);
    for (clocked_process* p : awake) p->clear_awake();
    how();
    for (unsigned i = 0; i < members.size(); ++i) {
        if (members[i] == nullptr) continue;
        members[i]->index_ = i;
        members[i]->join_sub_phase(members[i]->selected_);
    }
    for (clocked_process* p : awake) p->wake();
}

void phase_sequencer::slot::shuffle(std::mt19937_64& random) {
    rearrange([&] { std::shuffle(members.begin(), members.end(), random); });
}

/// Words that lie in a cache line each.
void phase_sequencer::sub_phase::make_lines(unsigned lines) {
    constexpr unsigned words_a_line = 8;
    memory.assign((lines + 1) * words_a_line, 0);
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data()) / sizeof(std::uint64_t);
    words = memory.data() + (words_a_line - address % words_a_line) % words_a_line;
    n_words = lines;
    stride = words_a_line;
}

/// The number of a part's piece, among those of all host threads: each has a row of them, first
/// those of large parts, then those of small ones.
unsigned phase_sequencer::chunk_of(unsigned partition, unsigned partitions,
                                   partition_size size) const {
    if (workers_ == nullptr) return 0;
    constexpr unsigned for_large = 24;
    const unsigned threads = options_.host_threads;
    const unsigned thread = partition * threads / partitions;
    const auto first_of = [&](unsigned t) { return (t * partitions + threads - 1) / threads; };
    const unsigned begin = size == partition_size::large ? 0 : for_large;
    const unsigned places =
        size == partition_size::large ? for_large : chunks_per_thread - for_large;
    const unsigned nth = partition - first_of(thread), of = first_of(thread + 1) - first_of(thread);
    return thread * chunks_per_thread + begin + nth * places / of;
}

/// Has the members that one host thread mostly runs in words, and thereby cache lines, of their
/// own, those of a piece in words that follow one another.
void phase_sequencer::slot::lay_out_by_chunk(unsigned threads) {
    sc_assert(sub_phases.size() == 1);
    std::vector<std::vector<clocked_process*>> by_chunk(chunks_per_thread * threads);
    for (clocked_process* p : members) by_chunk[p->chunk_].push_back(p);
    for (const auto& some : by_chunk)
        words_per_thread = std::max(words_per_thread, static_cast<unsigned>(some.size()));
    rearrange([&] {
        members.assign(std::size_t{64} * words_per_thread * threads, nullptr);
        for (unsigned chunk = 0; chunk < by_chunk.size(); ++chunk) {
            unsigned word = chunk / chunks_per_thread * words_per_thread;
            for (clocked_process* p : by_chunk[chunk])
                members[64 * word++ + chunk % chunks_per_thread] = p;
        }
        sub_phases[0].make_lines(words_per_thread * threads);
    });
}

/// Whose processes run the members: its own, or those of the members of another slot at the same
/// places.
void phase_sequencer::slot::find_processes() {
    processes = this;
    for (const clocked_process* p : members) has_guests |= p->run_by_ != nullptr;
    if (!has_guests) return;
    slot* const runners =
        members.front()->run_by_ != nullptr ? &members.front()->run_by_->slot_ : this;
    if (runners == this || runners->members.size() != members.size()) return;
    for (unsigned i = 0; i < members.size(); ++i)
        if (members[i]->run_by_ != runners->members[i]) return;
    processes = runners;
    runners->has_followers = true;
}

void phase_sequencer::slot::complete(unsigned number) {
    constexpr unsigned most_sub_phases = 1u << 16;
    sc_assert(sub_phases.size() < most_sub_phases);
    for (unsigned k = 0; k < sub_phases.size(); ++k)
        sub_phases[k].place = number * most_sub_phases + k + 1;
    for (clocked_process* p : members) {
        if (p != nullptr) p->first_place_ = sub_phases[0].place;
        actions.push_back(p != nullptr ? p->action_ : edge_action{nullptr, nullptr});
        starts.push_back(p != nullptr ? p->start_event() : nullptr);
    }
}

void phase_sequencer::end_of_elaboration() {
    std::mt19937_64 random(options_.shuffle_seed);
    for (slot& s : slots_) s.find_processes();
    if (options_.shuffle_seed != 0)
        for (slot& s : slots_) {
            // Those of one process keep the same place in all phases.
            std::mt19937_64 same(options_.shuffle_seed);
            s.shuffle(s.processes != &s || s.has_followers ? same : random);
        }
    for (process_group* g : groups_) g->complete(options_.shuffle_seed != 0 ? &random : nullptr);
    find_watched_blocks();
    check_clocks();
    for (slot& s : slots_) {
        s.shared = s.shared && s.sub_phases.size() <= 1;  // those of others act one after the other
        if (!s.shared || s.members.empty()) continue;
        s.lay_out_by_chunk(options_.host_threads);
        s.shared_number = static_cast<unsigned>(shared_slots_.size());
        shared_slots_.push_back(&s);
    }
    sc_assert(shared_slots_.size() <= max_shared);
    for (unsigned p = 0; p < slots_.size(); ++p) {
        slots_[p].complete(p);
        for (sub_phase& t : slots_[p].sub_phases)
            for (unsigned set = 0; set < with_deferred; ++set)
                if ((set >> slots_[p].what.domain & 1u) != 0)
                    order_[set].push_back({&t, &slots_[p], slots_[p].actions.data()});
    }
    if (source_.decouples() && !find_deferred_slot()) source_.couple();
}

bool phase_sequencer::find_deferred_slot() {
    std::size_t members = 0, groups = 0;
    for (const slot& s : slots_)
        if (s.what.domain == source_.decoupled_domain())
            members += static_cast<std::size_t>(
                std::count_if(s.members.begin(), s.members.end(), [](auto* p) { return p; }));
    for (const process_group* g : groups_) {
        if (g->domain_ != source_.decoupled_domain()) continue;
        if (deferred_slot_ != nullptr && deferred_slot_ != &slots_[g->first_]) return false;
        deferred_slot_ = &slots_[g->first_];
        ++groups;
    }
    if (groups == 0 || groups != members) return false;
    for (const edge_action& a : deferred_slot_->actions)
        replay_actions_.push_back(
            kernel::on_edge<&process_group::replay>(static_cast<process_group*>(a.self)));
    for (unsigned set = 0; set < with_deferred; ++set) {
        auto& order = order_[with_deferred + set];
        order = order_[set];
        // Deferred edges come before the edges of the step. Phases in which processes touch nothing
        // beyond their own partition may precede the replay, which then takes place where its
        // processes run for the first time, so that they need not run twice.
        const auto first = std::find_if(order.begin(), order.end(), [this](const visit& v) {
            return v.of->processes == deferred_slot_->processes || v.of->what.group_kind == 0;
        });
        const bool joins =
            first != order.end() && first->of->processes == deferred_slot_->processes;
        order.insert(joins ? first : order.begin(),
                     {&deferred_slot_->sub_phases[0], deferred_slot_, replay_actions_.data()});
    }
    return true;
}

std::uint64_t phase_sequencer::activations(phase_index p) const {
    std::uint64_t sum = activity_.activations[p];
    for (const process_group* g : groups_) sum += g->activations(p);
    return sum;
}

phase_sequencer::activity phase_sequencer::observed() const {
    activity a = activity_;
    a.edges = source_.edges();
    for (const process_group* g : groups_) a.groups += g->visits_;
    for (unsigned p = 0; p < slots_.size(); ++p) a.activations[p] = activations(p);
    return a;
}

void phase_sequencer::on_edge() {
    for (unsigned d = 0; d < domains_; ++d)
        if (clock[d].posedge()) pending_ |= 1u << d;
    if (stepping_ || failure_ || goes_on_) return;
    // Others that run on this edge come first, so that it does not matter in which order they do.
    if (sc_core::sc_pending_activity_at_current_time()) return go_on_in_next_delta();
    goes_on_ = true;
    step();
}

void phase_sequencer::go_on_in_next_delta() {
    goes_on_ = true;
    step_event_.notify(sc_core::SC_ZERO_TIME);
}

/// After a step in which nobody ran.
void phase_sequencer::gate_clocks() {
    for (const slot& s : slots_)
        for (const sub_phase& t : s.sub_phases)
            if (t.awake != 0) return;
    source_.gate_until_timer(timers_);
}

void phase_sequencer::set_timer(clocked_process& p, unsigned domain, std::uint64_t at) {
    if (p.group_ != nullptr) return p.group_->set_timer(p.number_, at);
    if (parallel_) return updates_of_this_thread().alarms.push_back({at, &p, domain});
    timers_[domain].set(at, p);
}

/// @param ended  the process that runs now, if it is one of a phase
/// @return whether there was another phase with something to do
bool phase_sequencer::start_next_phase(const clocked_process* ended) {
    const std::vector<visit>& order = *visits_;
    for (; position_ < order.size(); ++position_) {
        const visit& v = order[position_];
        if (v.who->awake == 0) continue;
        visiting_ = v.who->place;
        visited_ = true;
        if (!one_thread_ && v.of->shared && share_phases()) return true;
        if (ended != nullptr && (&ended->slot_ == v.of->processes || v.of->starts_guests())) {
            goes_on_ = true;  // no process can trigger itself
            step_event_.notify();
            return true;
        }
        ++activity_.deltas;
        activity_.activations[number_of(*v.of)] += v.who->awake;
        if (follows_blocks()) mark_active(*v.of, *v.who);
        const std::size_t end = end_of_processes(position_);
        begin_ = &v;
        end_ = order.data() + end;
        own_actions_ =
            end_ - begin_ == 1 && v.of->processes == v.of && v.actions == v.of->actions.data();
        start_processes(v);
        position_ = end;
        return true;
    }
    return false;
}

/// Phases that follow one another are run by the same processes, back to back, where these are
/// those of modules that touch nothing but themselves in all of them.
std::size_t phase_sequencer::end_of_processes(std::size_t first) const {
    const std::vector<visit>& order = *visits_;
    std::size_t end = first + 1;
    const slot* const processes = order[first].of->processes;
    if (!processes->has_followers || follows_blocks()) return end;
    while (end < order.size() && order[end].of->processes == processes) ++end;
    return end;
}

/// Triggers the processes of those who are awake, whoever wakes or sleeps meanwhile.
void phase_sequencer::start_processes(const visit& v) {
    const sub_phase& t = *v.who;
    const std::size_t members = v.of->starts.size();
    if (started_.size() < t.n_words) started_.resize(t.n_words);
    unsigned awake = 0;
    for (unsigned w = 0; w < t.n_words; ++w) {
        std::uint64_t bits = 0;
        for (const visit* also = begin_; also != end_; ++also)
            bits |= also->who->words[w * t.stride];
        started_[w] = bits;
        awake += static_cast<unsigned>(__builtin_popcountll(bits));
    }
    // To trigger all at once costs less for each, the others included, who then do nothing.
    if (8 * awake >= 5 * members && members > 1 && !v.of->shared && !v.of->starts_guests()) {
        running_ = static_cast<unsigned>(members);
        v.of->processes->start_all->notify();
        return;
    }
    running_ = awake;
    for (unsigned w = 0; w < t.n_words; ++w)
        for (std::uint64_t bits = started_[w]; bits != 0; bits &= bits - 1) {
            const unsigned member = 64 * w + static_cast<unsigned>(__builtin_ctzll(bits));
            if (v.of->starts_guests()) v.of->members[member]->have_run();
            v.of->starts[member]->notify();
        }
}

void phase_sequencer::run(clocked_process& runner) {
    const clocked_process* p = &runner;
    if (runner.has_guest_) {
        runner.has_guest_ = false;
        p = runner.guest_;
    }
    if ((started_[p->index_ / 64] >> p->bit_ & 1u) != 0) {
        running_process_ = p;
        running_visit_ = begin_;
        if (own_actions_)
            act(p->action_);
        else
            run_phases_of(*p);
    }
    if (--running_ == 0) phase_ended(runner);
}

/// What a process does where phases that follow one another are run by the same processes: those of
/// them in which it has something to do.
void phase_sequencer::run_phases_of(const clocked_process& p) {
    for (const visit* v = begin_; v != end_; ++v) {
        if ((v->who->words[p.index_ / 64 * v->who->stride] >> p.bit_ & 1u) == 0) continue;
        running_visit_ = v;
        act(v->actions[p.index_]);
        if (v == begin_) continue;  // has been counted
        ++activity_.activations[number_of(*v->of)];
        if (v->of->shared) ++groups_run_;
    }
}

/// The processes of a phase have run. @param last  that has: the one that runs now
void phase_sequencer::phase_ended(const clocked_process& last) {
    running_process_ = nullptr;
    // Whoever else has something to do at this instant sees each phase in a delta cycle of its own.
    if (sc_core::sc_pending_activity_at_current_time()) return go_on_in_next_delta();
    go_on(&last);
}

/// Whether host threads share phases of the step that begins.
void phase_sequencer::decide_on_parallel() {
    constexpr unsigned worth_counting = 2 * least_groups;  // how steps of fewer are done is all one
    constexpr unsigned soon_again = 64;  // steps; after more of them the others are left asleep
    const auto first_domain = [](unsigned ticking) { return (ticking & 1u) != 0; };
    const bool counts = groups_run_ >= worth_counting;
    if (first_domain(last_)) steps_since_counted_ = counts ? 0 : steps_since_counted_ + 1;
    std::optional<parallel_autotuner::clock::time_point> now;
    if (step_began_) now = parallel_autotuner::clock::now();
    parallel_autotuner& ended = autotuners_[first_domain(last_) ? 0 : 1];
    if (counts && !ended.trying())
        ended.step_ended({}, groups_run_);
    else if (counts && step_began_)
        ended.step_ended(*now - *step_began_, groups_run_);
    groups_run_ = 0;
    const parallel_autotuner& next = autotuners_[first_domain(current_) ? 0 : 1];
    const bool asked =
        steps_since_counted_ <= soon_again && (first_domain(current_) || autotuners_[0].pays());
    step_began_.reset();
    if (asked && next.trying()) step_began_ = now ? *now : parallel_autotuner::clock::now();
    sharing_ = asked && next.shared();
}

/// The phase that the sequencer has come to and those that can be gone through with it, on several
/// host threads where that pays. Each begins with its part of the design, whose state its processor
/// has in its caches. What concerns other parts is done when all are done, or by one at a time.
/// @return whether they have been
bool phase_sequencer::share_phases() {
    const std::vector<visit>& order = *visits_;
    if (order[position_].of->one_thread || follows_blocks()) return false;
    unsigned among = 1;
    std::size_t end = position_;
    if (shares_step()) {
        unsigned awake = 0;
        for (; end < order.size(); ++end) {
            const slot& s = *order[end].of;
            if (!s.shared || s.one_thread || (end != position_ && s.what.barrier_before)) break;
            awake += order[end].who->awake;
        }
        const unsigned each =
            options_.groups_a_thread != 0 ? options_.groups_a_thread : least_groups;
        among = std::min(workers_->threads(), awake / each);
    }
    if (among < 2) {
        groups_run_ += order[position_].who->awake;
        return false;
    }
    shared_ = &order[position_];
    n_shared_ = static_cast<unsigned>(end - position_);
    ++activity_.shared;
    parallel_ = true;
    const auto begin = [](void* self, unsigned unit) {
        return static_cast<const phase_sequencer*>(self)->awake_chunks(unit);
    };
    const auto go = [](void* self, unsigned unit, unsigned chunk) {
        static_cast<phase_sequencer*>(self)->run_chunk(unit, chunk);
    };
    workers_->run({this, begin, go}, among);
    parallel_ = false;
    position_ = end;
    apply_deferred_updates();
    return true;
}

void phase_sequencer::do_in_parallel(unsigned chunks, void (*work)(void*, unsigned),
                                     void* context) {
    if (!shares_step() || chunks > workers_->threads()) {
        for (unsigned i = 0; i < chunks; ++i) work(context, i);
        return;
    }
    struct units {
        unsigned count;
        void (*work)(void*, unsigned);
        void* context;
    } all{chunks, work, context};
    const auto begin = [](void* of, unsigned unit) {
        return std::uint64_t{unit < static_cast<const units*>(of)->count};
    };
    const auto go = [](void* of, unsigned unit, unsigned) {
        const units& s = *static_cast<const units*>(of);
        s.work(s.context, unit);
    };
    workers_->run({&all, begin, go}, chunks);
}

/// Of the pieces that a host thread begins with, those with somebody awake in the phases that are
/// shared.
std::uint64_t phase_sequencer::awake_chunks(unsigned unit) const {
    std::uint64_t chunks = 0;
    for (unsigned k = 0; k < n_shared_; ++k) {
        const unsigned words = shared_[k].of->words_per_thread;
        for (unsigned w = 0; w < words; ++w) chunks |= shared_[k].who->awake_in(unit * words + w);
    }
    return chunks;
}

/// Who is awake of a piece of the design, phase after phase.
void phase_sequencer::run_chunk(unsigned unit, unsigned chunk) {
    deferred_updates& mine = updates_of_this_thread();
    for (unsigned k = 0; k < n_shared_; ++k) {
        const visit& v = shared_[k];
        const unsigned first = unit * v.of->words_per_thread;
        unsigned ran = 0;
        for (unsigned word = first; word < first + v.of->words_per_thread; ++word) {
            if ((v.who->awake_in(word) >> chunk & 1u) == 0) continue;
            const unsigned member = 64 * word + chunk;
            mine.visited = &v;
            mine.running = v.of->members[member];
            act(v.actions[member]);
            ++ran;
        }
        if (ran != 0) mine.ran[v.of->shared_number] += ran;
    }
}

/// What host threads have noted while they shared phases.
void phase_sequencer::apply_deferred_updates() {
    deferred_updates* failed = nullptr;
    for (std::size_t i = 0; i < shared_slots_.size(); ++i) {
        slot& s = *shared_slots_[i];
        unsigned ran = 0;
        int awoken = 0;
        for (deferred_updates& n : deferred_updates_) {
            ran += std::exchange(n.ran[i], 0);
            awoken += std::exchange(n.awoken[i], std::int16_t{0});
        }
        s.sub_phases[0].awake += static_cast<unsigned>(awoken);
        if (ran == 0) continue;
        ++activity_.deltas;
        activity_.activations[number_of(s)] += ran;
        groups_run_ += ran;
    }
    for (deferred_updates& n : deferred_updates_) {
        for (clocked_process* p : n.woken) p->wake();
        for (const deferred_updates::alarm& a : n.alarms) set_timer(*a.who, a.domain, a.at);
        n.woken.clear();
        n.alarms.clear();
        if (n.failure && (failed == nullptr || n.failed < failed->failed)) failed = &n;
    }
    if (failed == nullptr) return;
    fail(failed->failure);
    for (deferred_updates& n : deferred_updates_) n.failure = nullptr;
}

process_group* phase_sequencer::group_of_new(phase_index p) const {
    const auto found = std::find_if(open_groups_.begin(), open_groups_.end(),
                                    [p](const process_group* g) { return g->has(p); });
    return found != open_groups_.end() ? *found : nullptr;
}

void phase_sequencer::stay_on_one_thread(phase_index p) {
    const unsigned kind = slots_[p].what.group_kind;
    for (slot& s : slots_) s.one_thread |= kind != 0 && s.what.group_kind == kind;
}

phase_sequencer::deferred_updates& phase_sequencer::updates_of_this_thread() {
    return deferred_updates_[worker_pool::this_thread()];
}

/// While other threads may do the same to other processes.
void phase_sequencer::wake_in_parallel(clocked_process& p) {
    if (!p.slot_.shared) return updates_of_this_thread().woken.push_back(&p);
    if ((__atomic_fetch_or(p.word_, p.mask(), __ATOMIC_RELAXED) & p.mask()) == 0)
        ++updates_of_this_thread().awoken[p.slot_.shared_number];
}

void phase_sequencer::sleep_in_parallel(clocked_process& p) {
    sc_assert(p.slot_.shared);
    if ((__atomic_fetch_and(p.word_, ~p.mask(), __ATOMIC_RELAXED) & p.mask()) != 0)
        --updates_of_this_thread().awoken[p.slot_.shared_number];
}

std::uint64_t phase_sequencer::order_of(const visit& v, const clocked_process& p) const {
    constexpr unsigned most_members = 1u << 24;
    return static_cast<std::uint64_t>(&v - visits_->data()) * most_members + p.place_;
}

void phase_sequencer::fail(std::exception_ptr why) {
    if (parallel_) {
        deferred_updates& mine = updates_of_this_thread();
        const std::uint64_t order = order_of(*mine.visited, *mine.running);
        if (mine.failure && mine.failed <= order) return;
        mine.failure = std::move(why);
        mine.failed = order;
        return;
    }
    const std::uint64_t order =
        running_process_ != nullptr ? order_of(*running_visit_, *running_process_) : 0;
    if (failure_ && (failed_in_ != activity_.steps || order >= failed_at_)) return;
    if (!failure_) failed_.notify(sc_core::SC_ZERO_TIME);
    failure_ = std::move(why);
    failed_in_ = activity_.steps;
    failed_at_ = order;
}

void phase_sequencer::find_watched_blocks() {
    if (!follows_blocks()) return;
    for_each_slot([this](slot& s) {
        for (clocked_process* p : s.members)
            if (p->block_ != nullptr) p->watched_ = activity_of_blocks_.found(p->block_->name());
    });
}

unsigned phase_sequencer::domains_of(sc_core::sc_in<bool>& input) {
    unsigned found = 0;
    for (unsigned d = 0; d < domains_; ++d)
        found |= unsigned{clock[d].get_interface() == input.get_interface()} << d;
    return found;
}

/// Blocks act in phases of domains whose clocks they are bound to: those of a group on the clocks
/// of its module.
void phase_sequencer::check_clocks() {
    for (const slot& s : slots_) {
        for (const clocked_process* p : s.members) {
            const sc_core::sc_object* o = p->owner_;
            const clocked_module* block = nullptr;
            for (; o != nullptr && block == nullptr; o = o->get_parent_object())
                block = dynamic_cast<const clocked_module*>(o);
            if (block == nullptr || (block->clock_domains() >> s.what.domain & 1u) != 0) continue;
            const auto* clock_of_phase =
                dynamic_cast<const sc_core::sc_object*>(clock[s.what.domain].get_interface());
            const std::string why =
                std::string(block->name()) + " acts in phase " + s.what.name + ", on edges of " +
                (clock_of_phase != nullptr ? clock_of_phase->name() : "another clock") +
                ", to which none of its clock inputs is bound";
            SC_REPORT_ERROR("simtlm/clock", why.c_str());
        }
    }
}

/// Those of the sequencer itself and of its groups.
template <class Action>
void phase_sequencer::for_each_slot(Action act_on) {
    for (slot& s : slots_) act_on(s);
    for (process_group* g : groups_)
        for (slot& s : g->slots_) act_on(s);
}

/// The blocks of the processes that are awake in one sub-phase of a phase.
void phase_sequencer::mark_active(const slot& s, const sub_phase& t) {
    for_each_awake(t, s.members, [this](const clocked_process* p) {
        activity_of_blocks_.mark(p->watched_, activity_.steps);
    });
}

void phase_sequencer::finish_step() {
    if (follows_blocks()) {
        for (const slot& s : slots_)
            for (const sub_phase& t : s.sub_phases)
                if (t.awake != 0) mark_active(s, t);
        for (process_group* g : groups_)
            for (unsigned k = g->next_ready(0); k < process_group::max_sub_phases;
                 k = g->next_ready(k + 1))
                mark_active(g->slot_in(*g->sub_phases_[k]), *g->sub_phases_[k]);
    }
    for (step_observer* o : observers_) o->step_ended(last_);
    activity_of_blocks_.clear();
}

/// An edge of a domain in the step that begins.
void phase_sequencer::count_edge(unsigned domain) {
    source_.count_edge(domain);
    timers_[domain].expire(source_.cycle(domain), [](clocked_process& p) { p.wake(); });
}

void phase_sequencer::synchronize() {
    if (!source_.decouples() || stepping_ || failure_ || pending_ != 0) return;
    const std::uint64_t time = sc_core::sc_time_stamp().value();
    if (source_.has_edges_before(time)) source_.count_cycles();
    source_.defer_before(time, [this](unsigned domain) { count_edge(domain); });
    if (source_.deferred() != 0)
        for_each_awake(deferred_slot_->sub_phases[0], replay_actions_,
                       [this](const edge_action& replay) { act(replay); });
    source_.end_lag();
}

/// @pre an edge has come
/// @return whether it is one that is not put off
bool phase_sequencer::begin_step() {
    if (last_ != 0 && !observers_.empty()) finish_step();
    source_.count_cycles();
    if (source_.decouples() && !source_.take(sc_core::sc_time_stamp().value(), pending_, defers(),
                                             [this](unsigned domain) { count_edge(domain); }))
        return false;
    current_ = std::exchange(pending_, 0u);
    if (!observers_.empty()) step_time_ = sc_core::sc_time_stamp();
    visits_ = &order_[current_ | (source_.deferred() != 0 ? with_deferred : 0)];
    position_ = 0;
    visiting_ = 0;
    visited_ = false;
    ++activity_.steps;
    if (!one_thread_ && options_.groups_a_thread == 0) decide_on_parallel();
    for (unsigned d = 0; d < domains_; ++d)
        if ((current_ >> d & 1u) != 0) count_edge(d);
    return true;
}

void phase_sequencer::step() {
    if (!std::exchange(goes_on_, false)) return;
    if (!stepping_) {
        stepping_ = begin_step();
        if (!stepping_) {
            if (source_.gates()) gate_clocks();
            return;
        }
    }
    go_on(nullptr);
}

/// To the next phase with something to do. @param ended  see start_next_phase()
void phase_sequencer::go_on(const clocked_process* ended) {
    while (start_next_phase(ended)) {
        if (running_ != 0 || goes_on_) return;
        // Host threads have been through it.
        if (sc_core::sc_pending_activity_at_current_time()) return go_on_in_next_delta();
    }
    end_step();
}

void phase_sequencer::end_step() {
    stepping_ = false;
    source_.end_lag();
    last_ = current_;
    source_.end_step(last_);
    for (step_observer* o : observers_) o->phases_ended(last_);
    if (pending_ != 0)
        go_on_in_next_delta();
    else if (!visited_ && source_.gates() && observers_.empty())
        gate_clocks();
}

}  // namespace simtlm::kernel
