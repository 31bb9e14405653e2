// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/memory_unit.h"

#include "modules/cache/request_packets.h"
#include "modules/cache/unit_port.h"
#include "modules/protocol/phases.h"

#include <algorithm>
#include <utility>

namespace simtlm::core::sub_core_pipeline {

using program::memory_space;
using protocol::extension;

namespace {

constexpr unsigned link_bytes = 128;
constexpr std::uint64_t l1d_line_bytes = cache::sectors_per_line * cache::sector_bytes;
constexpr unsigned max_tag_banks = 32;

}  // namespace

memory_unit::memory_unit(const sc_core::sc_module_name& name,
                         simulation::phase_sequencer& sequencer, const sm_config& config,
                         const sub_core_config& timing, const load_store_blocks& sm,
                         std::vector<sub_core*> sub_cores)
    : load_store_unit(name, config, sm, link_bytes),
      timing_(timing),
      l1d_stages_(l1d_stages(timing)),
      sub_cores_(std::move(sub_cores)),
      arbiter_(static_cast<unsigned>(sub_cores_.size()), timing.memory_queue.accept_interval),
      tag_bank_of_(cache::set_index_function::folded_lines,
                   timing.l1_tag_banks * cache::sectors_per_line, cache::sector_bytes),
      link_free_at_(sub_cores_.size(), 0),
      respond_process_("respond", sequencer, protocol::phase::core_units,
                       simulation::on_edge<&memory_unit::respond>(this)),
      access_process_("access", sequencer, protocol::phase::core_access,
                      simulation::on_edge<&memory_unit::access>(this)),
      accept_process_("accept", sequencer, protocol::phase::core_dispatch,
                      simulation::on_edge<&memory_unit::accept>(this)) {
    l1d.register_nb_transport_bw(this, &memory_unit::cache_responds, to_l1d);
    l1c.register_nb_transport_bw(this, &memory_unit::cache_responds, to_l1c);
    l1t.register_nb_transport_bw(this, &memory_unit::cache_responds, to_l1t);
}

unsigned memory_unit::l1d_stages(const sub_core_config& timing) {
    constexpr unsigned access = 1;
    const unsigned around = timing.memory_queue.stages + timing.memory_queue.address_cycles +
                            access + timing.link_cycles;
    const unsigned whole = timing.memory.raw(memory_kind::global_load, false, 4);
    return whole > around ? whole - around : 1;
}

bool memory_unit::idle() const {
    for (const latch& l : latch_)
        if (l.inst != nullptr) return false;
    return copies_.idle() && sm_.port.idle();
}

// ---- acceptance --------------------------------------------------------------------------------

int memory_unit::target_of(const warp_instruction& inst) const {
    if (!inst.info->is_memory()) return -1;
    switch (inst.space) {
        case memory_space::shared:
        case memory_space::none:
            return -1;
        case memory_space::constant:
            return to_l1c;
        case memory_space::texture:
            return to_l1t;
        default:
            return inst.bypass_l1 ? past_l1d : to_l1d;
    }
}

/// First cycle from `now` on in which an instruction may be accepted, as far as this is known;
/// never: not before its latch is empty.
std::uint64_t memory_unit::space_at(const sub_core::memory_entry& e, std::uint64_t now) const {
    if (cta_cluster_unit::is_prepared(*e.inst) && !cta_clusters_->has_space()) return now + 1;
    const int t = target_of(*e.inst);
    if (t >= 0 && latch_[static_cast<unsigned>(t)].inst != nullptr) return never;
    std::uint64_t start = now + 1;  // one cycle after it has been accepted
    if (t == to_l1c) start = std::max(start, constants_free_at_);
    if (t < 0 || reads_l1_data(*e.inst)) start = std::max(start, banks_free_at_);
    return start - 1;
}

bool memory_unit::reads_l1_data(const warp_instruction& inst) {
    if (!inst.info->is_load || inst.info->is_atomic || inst.bypass_l1) return false;
    switch (inst.space) {
        case memory_space::global:
        case memory_space::local:
            return true;
        default:
            return false;
    }
}

void memory_unit::accept() {
    const std::uint64_t now = accept_process_.now();
    bool idle = true;
    if (arbiter_.free(now)) {
        const int s = arbiter_.choose([&](unsigned q) {
            auto& queue = sub_cores_[q]->memory();
            return queue.ready_at() <= now && space_at(queue.head(), now) <= now;
        });
        if (s >= 0) {
            arbiter_.taken(static_cast<unsigned>(s), now);
            take(sub_cores_[static_cast<unsigned>(s)]->take_memory(now), now);
            idle = false;
        }
    }
    if (idle) accept_process_.note_idle();
    std::uint64_t next = never;
    for (sub_core* const s : sub_cores_) {
        const auto& queue = s->memory();
        if (!queue.empty())
            next = std::min(next, std::max(queue.ready_at(), space_at(queue.head(), now)));
    }
    if (next == never)
        accept_process_.sleep();
    else
        accept_process_.sleep_until(std::max(next, arbiter_.free_at()));
}

void memory_unit::take(const sub_core::memory_entry& e, std::uint64_t now) {
    warp_instruction& inst = *e.inst;
    count_memory_instruction(sm_.statistics, inst);
    sub_cores_[inst.scheduler]->reads_operands(inst, now + e.read_extra);
    if (cta_cluster_unit::is_prepared(inst)) return start_remote(inst, now);
    const int t = target_of(inst);
    if (t < 0) return start_local(e, now);
    if (reads_l1_data(inst)) read_l1_data(inst, now);
    if (t == to_l1c) read_constants(inst, now);
    if (t == to_l1d) order_by_tag_bank(inst);
    latch& l = latch_[static_cast<unsigned>(t)];
    load_store_unit::accept(l, inst);
    inst.delay = e.data_extra;
    access_process_.wake();
}

/// The banks read the words of a load, while the tags are looked up.
void memory_unit::read_l1_data(warp_instruction& inst, std::uint64_t now) {
    const unsigned wavefronts = std::max<unsigned>(inst.delay, 1);
    const std::uint64_t start = std::max(banks_free_at_, now + 1);
    banks_free_at_ = start + wavefronts;
    inst.banks_done = start + wavefronts - 1 + l1d_stages_;
    sm_.statistics.l1_data_wavefronts += wavefronts;
}

/// Lines of the same tag bank are looked up in rounds, one line per bank and round: reorders the
/// accesses, which start from the last one, accordingly.
void memory_unit::order_by_tag_bank(warp_instruction& inst) {
    std::array<std::uint8_t, max_tag_banks> lines{};
    rounds_.clear();
    std::uint64_t line = ~std::uint64_t{0};
    std::uint8_t round = 0;
    unsigned rounds = 0;
    bool in_order = true;
    for (std::size_t i = inst.accesses.size(); i-- > 0;) {
        const memory_access& a = inst.accesses[i];
        if (a.address / l1d_line_bytes != line) {
            line = a.address / l1d_line_bytes;
            const std::uint8_t next = lines[tag_bank_of_(a.address) / cache::sectors_per_line]++;
            in_order = in_order && next >= round;
            round = next;
            rounds = std::max(rounds, round + 1u);
        }
        rounds_.push_back(round);
    }
    if (in_order) return;
    ordered_.clear();
    for (unsigned r = rounds; r-- > 0;)
        for (std::size_t i = 0; i < inst.accesses.size(); ++i)
            if (rounds_[inst.accesses.size() - 1 - i] == r) ordered_.push_back(inst.accesses[i]);
    inst.accesses.swap(ordered_);
}

/// The constant cache looks up one address after the other.
void memory_unit::read_constants(warp_instruction& inst, std::uint64_t now) {
    const unsigned more = (std::max<unsigned>(inst.delay, 1) - 1) * timing_.constant_interval;
    const std::uint64_t start = std::max(constants_free_at_, now + 1);
    constants_free_at_ = start + more + 1;
    inst.banks_done = start + more;
    sm_.statistics.constant_port_conflicts += more;
}

/// Starts an access to shared memory, or a shuffle, which cannot stall.
void memory_unit::start_local(const sub_core::memory_entry& e, std::uint64_t now) {
    constexpr unsigned overlapped = 2;  // rows covered by the latency of an access
    warp_instruction& inst = *e.inst;
    const unsigned rows = std::max<unsigned>(inst.delay, 1);
    const std::uint64_t start = std::max(banks_free_at_, now + 1);
    banks_free_at_ = start + rows;
    if (inst.space == memory_space::shared) {
        sm_.statistics.shared_accesses += inst.delay;
        const unsigned bytes = inst.active_lanes() * inst.data_size;
        const unsigned least = std::max(1u, (bytes + link_bytes - 1) / link_bytes);
        if (rows > least) sm_.statistics.shared_bank_conflicts += rows - least;
    }
    // The latency table includes wide accesses without conflicts.
    const unsigned wide = std::max(1u, (32u * inst.data_size + link_bytes - 1) / link_bytes);
    std::uint64_t done = start - 1 + e.data_extra;
    if (rows > std::max(wide, overlapped)) done += rows - std::max(wide, overlapped);
    if (inst.info->is_store || e.data_extra == 0) done = std::max(done, start + rows);
    std::uint64_t& link = link_free_at_[inst.scheduler];
    if (inst.info->n_dst > 0) {
        done = std::max(done, link + 1);
        link = done;
    }
    if (inst.info->is_atomic && inst.active_mask != 0 &&
        sm_.warps.warp[inst.warp].executor != nullptr)
        sm_.warps.atomics_finished(inst.warp, inst.active_lanes());
    sub_cores_[inst.scheduler]->writes_result(inst, done);
}

/// Starts an access to shared memory of other SMs, and of this SM if some lanes address it.
void memory_unit::start_remote(warp_instruction& inst, std::uint64_t now) {
    if (inst.delay != 0) {
        banks_free_at_ = std::max(banks_free_at_, now + 1) + inst.delay;
        sm_.statistics.shared_accesses += inst.delay;
    }
    cta_clusters_->start(inst, now);
}

// ---- accesses ----------------------------------------------------------------------------------

void memory_unit::count_until(std::uint64_t last) {
    if (next_refused_ > last) return;
    count_stall(*latch_[past_l1d].inst, memory_stall::network_full, last + 1 - next_refused_);
    next_refused_ = last + 1;
}

void memory_unit::access() {
    const std::uint64_t now = access_process_.now();
    if (next_refused_ < now) count_until(now - 1);
    next_refused_ = never;
    stall_ = memory_stall::none;
    bool busy = false, idle = true;
    for (unsigned t = 0; t < latches; ++t) {
        latch& l = latch_[t];
        if (l.inst == nullptr) continue;
        const std::size_t left = l.inst->accesses.size();
        const bool all = start_accesses(l, static_cast<target>(t));
        idle = idle && !all && l.inst->accesses.size() == left;
        if (all)
            leave(l);
        else if (t == past_l1d && uncached.blocked())
            next_refused_ = now + 1;  // until request_ended()
        else
            busy = true;
    }
    if (idle) access_process_.note_idle();
    if (!busy) access_process_.sleep();
}

/// @return whether all accesses have started
bool memory_unit::start_accesses(latch& l, target which) {
    warp_instruction& inst = *l.inst;
    if (which == past_l1d) return start_uncached_accesses(l);
    auto& cache = which == to_l1d ? l1d : which == to_l1c ? l1c : l1t;
    const unsigned at_most = which == to_l1d ? timing_.l1_tag_banks * cache::sectors_per_line : 1;
    std::uint64_t line = ~std::uint64_t{0};
    std::uint32_t busy = 0;  // tag banks
    for (unsigned n = 0; n < at_most && !inst.accesses.empty(); ++n) {
        const std::uint64_t address = inst.accesses.back().address;
        if (which == to_l1d && address / l1d_line_bytes != line) {
            line = address / l1d_line_bytes;
            const std::uint32_t bank = 1u << tag_bank_of_(address) / cache::sectors_per_line;
            if ((busy & bank) != 0) break;
            busy |= bank;
        }
        if (!start(cache, l, access_process_.now())) return false;
    }
    return all_started(inst);
}

/// As many accesses as fit in the packets of a cycle. @return whether all have started
bool memory_unit::start_uncached_accesses(latch& l) {
    warp_instruction& inst = *l.inst;
    cache::request_packets packets(timing_.request_packets, timing_.request_lines);
    const bool reads = inst.info->is_load && !inst.info->is_atomic;
    while (!inst.accesses.empty() && packets.add(inst.accesses.back().address, reads))
        if (!start_uncached(l, access_process_.now())) return false;
    return all_started(inst);
}

void memory_unit::leave(latch& l) {
    warp_instruction& inst = *l.inst;
    l.inst = nullptr;
    accept_process_.wake();
    inst.in_unit = false;
    sm_.pool.accesses_sent(inst);
    if (!inst.info->is_load)
        sub_cores_[inst.scheduler]->writes_result(inst, access_process_.now() + 2);
    else if (inst.pending == 0)
        complete(inst);
}

// ---- responses ---------------------------------------------------------------------------------

tlm::tlm_sync_enum memory_unit::cache_responds(int /*id*/, tlm::tlm_generic_payload& p,
                                               tlm::tlm_phase&, sc_core::sc_time&) {
    answered(p);
    return tlm::TLM_COMPLETED;
}

void memory_unit::respond() {
    const std::uint64_t now = respond_process_.now();
    copies_.advance(now);
    for (unsigned n = 0; n < timing_.network_packets && sm_.port.has_response(); ++n) {
        sm_.port.deliver();
        if (uncached_ != nullptr) arrived(take_uncached());
    }
    if (sm_.port.has_response()) return;
    if (copies_.idle())
        respond_process_.sleep();
    else
        respond_process_.sleep_until(copies_.next());
}

void memory_unit::arrived(warp_instruction& inst) {
    if (inst.first_data == 0) inst.first_data = access_process_.now();
    if (--inst.pending == 0 && !inst.in_unit) complete(inst);
}

void memory_unit::complete(warp_instruction& inst) {
    const std::uint64_t now = access_process_.now();
    if (inst.copy_group != no_copy) {
        const std::uint64_t written = copies_.write(inst, now);
        respond_process_.wake_at(written);
        sub_cores_[inst.scheduler]->writes_result(inst, written + 1);
        return;
    }
    std::uint64_t done = std::max(now, inst.banks_done) + timing_.link_cycles;
    if (inst.info->n_dst > 0) {
        const unsigned bytes = std::max(1u, inst.active_lanes() * inst.data_size);
        const unsigned beats = (bytes + link_bytes - 1) / link_bytes;
        std::uint64_t& link = link_free_at_[inst.scheduler];
        const std::uint64_t first = inst.first_data != 0 ? inst.first_data : now;
        done = std::max(done, std::max(link, first) + std::uint64_t{beats} * timing_.link_cycles);
        link = done;
    }
    // A constant cache answers immediately: its latency is in the table.
    if (inst.space == memory_space::constant && inst.delay > 1)
        done = std::max(done, std::max(inst.first_data, inst.banks_done) + inst.delay - 1);
    sub_cores_[inst.scheduler]->writes_result(inst, done);
}

}  // namespace simtlm::core::sub_core_pipeline
