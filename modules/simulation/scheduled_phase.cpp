// SPDX-License-Identifier: Apache-2.0
#include "modules/simulation/scheduled_phase.h"

#include "modules/simulation/process_state.h"

#include <algorithm>

namespace simtlm::simulation {

void sub_phase::make_lines(unsigned lines) {
    constexpr unsigned words_a_line = 8;
    memory.assign((lines + 1) * words_a_line, 0);
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data()) / sizeof(std::uint64_t);
    words = memory.data() + (words_a_line - address % words_a_line) % words_a_line;
    n_words = lines;
    stride = words_a_line;
}

unsigned scheduled_phase::join(process_state& p, unsigned sub_phases_wanted) {
    p.place = static_cast<unsigned>(members.size());
    members.push_back(&p);
    if (sub_phases.size() < sub_phases_wanted) sub_phases.resize(sub_phases_wanted);
    for (sub_phase& t : sub_phases) t.reserve(static_cast<unsigned>(members.size()));
    for (unsigned i = 0; i < members.size(); ++i) {
        members[i]->index = i;
        members[i]->join_sub_phase(members[i]->selected);
    }
    return static_cast<unsigned>(members.size() - 1);
}

template <class Rearrange>
void scheduled_phase::rearrange(Rearrange how) {
    std::vector<process_state*> awake;
    for (process_state* p : members)
        if (p->is_awake()) awake.push_back(p);
    for (process_state* p : awake) p->clear_awake();
    how();
    for (unsigned i = 0; i < members.size(); ++i) {
        if (members[i] == nullptr) continue;
        members[i]->index = i;
        members[i]->join_sub_phase(members[i]->selected);
    }
    for (process_state* p : awake) p->wake();
}

void scheduled_phase::shuffle(std::mt19937_64& random) {
    rearrange([&] { std::shuffle(members.begin(), members.end(), random); });
}

void scheduled_phase::lay_out_by_chunk(unsigned threads, unsigned chunks_per_thread) {
    sc_assert(sub_phases.size() == 1);
    std::vector<std::vector<process_state*>> by_chunk(chunks_per_thread * threads);
    for (process_state* p : members) by_chunk[p->chunk].push_back(p);
    for (const auto& some : by_chunk)
        words_per_thread = std::max(words_per_thread, static_cast<unsigned>(some.size()));
    rearrange([&] {
        members.assign(std::size_t{64} * words_per_thread * threads, nullptr);
        for (unsigned chunk = 0; chunk < by_chunk.size(); ++chunk) {
            unsigned word = chunk / chunks_per_thread * words_per_thread;
            for (process_state* p : by_chunk[chunk])
                members[64 * word++ + chunk % chunks_per_thread] = p;
        }
        sub_phases[0].make_lines(words_per_thread * threads);
    });
}

void scheduled_phase::find_processes() {
    processes = this;
    for (const process_state* p : members) uses_shared_processes |= p->run_by != nullptr;
    if (!uses_shared_processes) return;
    scheduled_phase* const runners =
        members.front()->run_by != nullptr ? &members.front()->run_by->phase_entry : this;
    if (runners == this || runners->members.size() != members.size()) return;
    for (unsigned i = 0; i < members.size(); ++i)
        if (members[i]->run_by != runners->members[i]) return;
    processes = runners;
    runners->shares_processes = true;
}

void scheduled_phase::complete(unsigned number) {
    constexpr unsigned max_sub_phases = 1u << 16;
    sc_assert(sub_phases.size() < max_sub_phases);
    for (unsigned k = 0; k < sub_phases.size(); ++k)
        sub_phases[k].place = number * max_sub_phases + k + 1;
    actions.reserve(members.size());
    starts.reserve(members.size());
    for (process_state* p : members) {
        if (p != nullptr) p->first_place = sub_phases[0].place;
        actions.push_back(p != nullptr ? p->action : edge_action{nullptr, nullptr});
        starts.push_back(p != nullptr ? p->start_event() : nullptr);
    }
}

}  // namespace simtlm::simulation
