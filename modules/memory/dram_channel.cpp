// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_channel.h"

#include "modules/cache/set_index.h"
#include "modules/kernel/error.h"
#include "modules/protocol/phases.h"

#include <algorithm>

namespace simtlm::memory {

namespace {

constexpr std::uint32_t none = dram_request_table::none;
constexpr std::size_t default_return_queue = 1024;  // of the reference, for 0

std::uint64_t bit(unsigned b) {
    return std::uint64_t{1} << b;
}

/// Cycles of [from, to) that lie before `end`.
std::uint64_t cycles_before(std::uint64_t end, std::uint64_t from, std::uint64_t to) {
    return std::clamp(end, from, to) - from;
}
/// Cycles of [from, to) that lie before `end` and not before `start`.
std::uint64_t cycles_between(std::uint64_t start, std::uint64_t end, std::uint64_t from,
                             std::uint64_t to) {
    return cycles_before(end, std::clamp(start, from, to), to);
}

std::size_t requests_expected(const dram_config& c) {
    const std::size_t queued = c.scheduler == dram_scheduler_kind::fifo ? 2
                               : c.scheduler_queue_size != 0            ? c.scheduler_queue_size
                                                                        : 64;
    return queued + (c.separate_write_queue ? c.write_queue_size : 0u) + c.timing.nbk +
           c.timing.CL + 2;
}

unsigned log2_bucket(std::uint64_t v) {
    return v == 0 ? 0u : std::min(31u, 63u - static_cast<unsigned>(__builtin_clzll(v)));
}

}  // namespace

dram_channel::dram_channel(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
                           const dram_config& config, const address_mapping& mapping)
    : sc_module(name),
      port("port"),
      sequencer_(sequencer),
      config_(config),
      mapping_(mapping),
      process_("controller", sequencer, protocol::phase::dram_channel,
               kernel::on_edge<&dram_channel::cycle>(this)),
      banks_(config),
      requests_(requests_expected(config)),
      request_of_(config.timing.nbk, none),
      group_mask_(config.timing.nbkgrp, 0),
      all_banks_(config.timing.nbk == 64 ? ~std::uint64_t{0} : bit(config.timing.nbk) - 1),
      pipeline_(config.timing.CL + 1),
      return_queue_(config.return_queue_size != 0 ? config.return_queue_size
                                                  : default_return_queue),
      free_since_(config.timing.nbk, 0),
      refresh_due_(config.timing.tREFI != 0 ? config.timing.tREFI : never) {
    if (config.timing.WL > config.timing.CL)
        throw kernel::user_error("-gpgpu_dram_timing_opt", "WL must not exceed CL");
    if (config.atom_bytes() == 0)
        throw kernel::user_error("-gpgpu_dram_burst_length", "a burst must move at least one byte");
    pipeline_.set_stages(config.timing.CL);
    statistics_.banks.resize(config.timing.nbk);
    statistics_.traffic.resize(config.timing.nbk);
    for (unsigned b = 0; b < config.timing.nbk; ++b) group_mask_[banks_.group_of(b)] |= bit(b);
    scheduler_ = config.scheduler == dram_scheduler_kind::fifo
                     ? make_fifo_scheduler(requests_)
                     : make_fr_fcfs_scheduler(config_, requests_, statistics_);
    if (config.check_timing) {
        checker_ = std::make_unique<dram_timing_checker>(this->name(), config, true);
        observers_.push_back(checker_.get());
    }
    port.register_nb_transport_fw(this, &dram_channel::nb_transport_fw, 0);
    if (refresh_due_ != never) process_.wake();
}

// Requests and responses.

tlm::tlm_sync_enum dram_channel::nb_transport_fw(int, tlm::tlm_generic_payload& payload,
                                                 tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase == tlm::BEGIN_REQ) {
        enqueue(payload);
        process_.wake();
        if (scheduler_->full(payload.is_write())) {
            withheld_[config_.separate_write_queue && payload.is_write() ? 1 : 0] = &payload;
            return tlm::TLM_ACCEPTED;
        }
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    if (phase == tlm::END_RESP) {
        sc_assert(presented_ && &payload == return_queue_.front());
        if (return_queue_.full()) process_.wake();
        return_queue_.pop();
        --in_channel_;
        presented_ = false;
        present();
        return tlm::TLM_COMPLETED;
    }
    SC_REPORT_ERROR("simtlm/dram", "phase of another protocol than the TLM-2.0 base protocol");
    return tlm::TLM_COMPLETED;
}

unsigned dram_channel::bank_index(const protocol::dram_location& where) const {
    const unsigned banks = config_.timing.nbk;
    switch (config_.bank_index) {
        case bank_indexing::bitwise_xor:
            return cache::bitwise_hash(where.row, where.bank, banks) % banks;
        case bank_indexing::ipoly:
            return cache::ipoly_hash(where.row, where.bank, banks) % banks;
        case bank_indexing::linear:
        case bank_indexing::custom:
            break;
    }
    return where.bank % banks;
}

void dram_channel::enqueue(tlm::tlm_generic_payload& payload) {
    const auto* e = payload.get_extension<protocol::memory_extension>();
    const protocol::dram_location where =
        e != nullptr && e->located ? e->location : mapping_.decode(payload.get_address());
    const std::uint32_t number = requests_.take();
    dram_request& r = requests_[number];
    r = dram_request();
    r.payload = &payload;
    r.bank = static_cast<std::uint16_t>(bank_index(where));
    r.row = where.row;
    r.column = where.column;
    r.write = payload.is_write();
    r.bytes = e != nullptr ? e->data_bytes : payload.get_data_length();
    if (e != nullptr)
        r.type = e->type;
    else if (r.write)
        r.type = protocol::access_type::global_write;
    r.posted = e != nullptr && protocol::is_posted(e->type);
    r.arrived = sequencer_.cycle(protocol::core_clock);
    r.order = arrivals_++;

    statistics_.queue_max_push = std::max<std::uint64_t>(
        statistics_.queue_max_push, scheduler_->pending() + (scheduler_->by_row() ? 0u : 1u));
    ++statistics_.requests;
    ++(r.write ? statistics_.scheduled_writes : statistics_.scheduled_reads);
    const std::uint64_t atoms = r.bytes / config_.atom_bytes();
    auto& traffic = statistics_.traffic[where.bank % config_.timing.nbk];
    (r.write ? traffic.writes : traffic.reads) += atoms;
    traffic.by_type[static_cast<unsigned>(r.type)] += atoms;
    ++in_channel_;
    scheduler_->add(number);
}

void dram_channel::present() {
    while (!presented_ && !return_queue_.empty()) {
        presented_ = true;
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        const auto answer = port->nb_transport_bw(*return_queue_.front(), phase, delay);
        const bool taken =
            answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP);
        if (!taken) return;
        if (return_queue_.full()) process_.wake();
        return_queue_.pop();
        --in_channel_;
        presented_ = false;
    }
}

void dram_channel::release_requests() {
    for (auto*& payload : withheld_) {
        if (payload == nullptr || scheduler_->full(payload->is_write())) continue;
        tlm::tlm_generic_payload& p = *payload;
        payload = nullptr;
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        port->nb_transport_bw(p, phase, delay);
    }
}

// A cycle.

void dram_channel::cycle() {
    const std::uint64_t now = process_.now();
    account_slept(now);
    if (!return_queue_.full()) {
        pipeline_.shift(1);
        if (pipeline_.ready()) move_data();
    }
    schedule(now);
    const std::uint64_t pending = scheduler_->pending();
    statistics_.queue_sum += pending;
    statistics_.queue_max = std::max(statistics_.queue_max, pending);

    sample_waiting(1);
    const issued done = now >= refresh_due_          ? issue_refresh(now)
                        : config_.dual_bus_interface ? issue_dual(now)
                                                     : issue_single(now);
    ++statistics_.cycles;
    if (done.row || done.column) {
        ++statistics_.active_cycles;
        ++statistics_.command_cycles;
        statistics_.row_commands += done.row ? 1u : 0u;
        statistics_.column_commands += done.column ? 1u : 0u;
        statistics_.dual_commands += done.row && done.column ? 1u : 0u;
    } else {
        ++statistics_.idle_cycles;
        if (waiting_ != 0 || now < banks_.quiet_at()) ++statistics_.active_cycles;
    }
    if (waiting_ != 0) ++statistics_.waiting_cycles_after;
    sample_limits(now, now + 1, done.column);
    accounted_ = now + 1;

    if (withheld_[0] != nullptr || withheld_[1] != nullptr) release_requests();
    slept_blocked_ = return_queue_.full();
    slept_pending_ = scheduler_->pending();
    const std::uint64_t next = next_event(now);
    if (next == never)
        process_.sleep();
    else
        process_.sleep_until(next);
}

void dram_channel::move_data() {
    const std::uint32_t number = pipeline_.pop();
    dram_request& r = requests_[number];
    r.moved += config_.atom_bytes();
    if (r.moved >= r.bytes) finish(number);
}

void dram_channel::finish(std::uint32_t number) {
    tlm::tlm_generic_payload& payload = *requests_[number].payload;
    const bool posted = requests_[number].posted;
    requests_.give_back(number);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (!posted) {
        return_queue_.push(&payload);
        present();
        return;
    }
    --in_channel_;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    port->nb_transport_bw(payload, phase, delay);
}

void dram_channel::schedule(std::uint64_t now) {
    const std::uint64_t core_now = sequencer_.cycle(protocol::core_clock);
    const std::uint32_t number =
        scheduler_->choose(all_banks_ & ~waiting_, priority_, banks_, core_now - kernel_start_);
    if (number == none) return;
    dram_request& r = requests_[number];
    const unsigned b = r.bank;
    request_of_[b] = number;
    waiting_ |= bit(b);
    statistics_.banks[b].idle += now - free_since_[b];
    refresh_open(b);
    if (scheduler_->by_row()) {
        const std::uint64_t latency = core_now - r.arrived;
        statistics_.latency_sum += latency;
        ++statistics_.latency_num;
        ++statistics_.latency_table[log2_bucket(latency)];
        statistics_.latency_max = std::max(statistics_.latency_max, latency);
    }
}

void dram_channel::refresh_open(unsigned b) {
    open_read_ &= ~bit(b);
    open_write_ &= ~bit(b);
    if ((waiting_ & bit(b)) == 0 || !banks_.active(b)) return;
    const dram_request& r = requests_[request_of_[b]];
    if (r.row == banks_.row(b)) (r.write ? open_write_ : open_read_) |= bit(b);
}

std::uint64_t dram_channel::ready_columns(std::uint64_t now) const {
    if (now < banks_.column_any() || (open_read_ | open_write_) == 0 || pipeline_.full()) return 0;
    std::uint64_t ready = 0;
    if (now >= banks_.read_any())
        for (std::uint64_t m = open_read_; m != 0; m &= m - 1) {
            const auto b = static_cast<unsigned>(__builtin_ctzll(m));
            if (now >= banks_.read_at(b)) ready |= bit(b);
        }
    if (now >= banks_.write_any())
        for (std::uint64_t m = open_write_; m != 0; m &= m - 1) {
            const auto b = static_cast<unsigned>(__builtin_ctzll(m));
            if (now >= banks_.write_at(b)) ready |= bit(b);
        }
    return ready;
}

std::uint64_t dram_channel::ready_rows(std::uint64_t now) const {
    std::uint64_t ready = 0;
    for (std::uint64_t m = waiting_ & ~(open_read_ | open_write_); m != 0; m &= m - 1) {
        const auto b = static_cast<unsigned>(__builtin_ctzll(m));
        const std::uint64_t at = banks_.active(b) ? banks_.precharge_at(b) : banks_.activate_at(b);
        if (now >= at) ready |= bit(b);
    }
    return ready;
}

namespace {
/// The first bank of a mask from `from` on, cyclically; and how far it is.
struct found_bank {
    unsigned bank;
    unsigned distance;
};
found_bank first_from(std::uint64_t mask, unsigned from, unsigned banks) {
    const std::uint64_t upper = mask & (~std::uint64_t{0} << from);
    const auto b = static_cast<unsigned>(__builtin_ctzll(upper != 0 ? upper : mask));
    return {b, b >= from ? b - from : b + banks - from};
}
}  // namespace

dram_channel::issued dram_channel::issue_dual(std::uint64_t now) {
    issued done;
    const unsigned banks = config_.timing.nbk;
    if (const std::uint64_t ready = ready_columns(now); ready != 0) {
        statistics_.banks_ready += static_cast<unsigned>(__builtin_popcountll(ready));
        ++statistics_.ready_cycles;
        issue_column(first_from(ready, priority_, banks).bank, now);
        done.column = true;
    }
    if (const std::uint64_t ready = ready_rows(now); ready != 0) {
        issue_row(first_from(ready, priority_, banks).bank, now);
        done.row = true;
    }
    return done;
}

dram_channel::issued dram_channel::issue_single(std::uint64_t now) {
    // The reference walks the banks once, from the one with priority on: a column command ends the
    // walk; a row command moves the priority, so that the walk goes on elsewhere, and a column
    // command may still follow in the same cycle.
    issued done;
    const unsigned banks = config_.timing.nbk;
    const std::uint64_t columns = ready_columns(now);
    const std::uint64_t rows = ready_rows(now);
    if (columns != 0) {
        statistics_.banks_ready += static_cast<unsigned>(__builtin_popcountll(columns));
        ++statistics_.ready_cycles;
    }
    if ((columns | rows) == 0) return done;
    const auto first = first_from(columns | rows, priority_, banks);
    if ((columns & bit(first.bank)) != 0) {
        issue_column(first.bank, now);
        done.column = true;
        return done;
    }
    const unsigned start = priority_;
    issue_row(first.bank, now);
    done.row = true;
    for (unsigned i = first.distance + 1; i < banks; ++i) {
        const unsigned regular = (start + i) % banks;
        const unsigned visited = (priority_ + i) % banks;
        if ((waiting_ & bit(regular)) == 0) --statistics_.banks[regular].idle;
        if (!done.column && (columns & bit(visited)) != 0) {
            issue_column(visited, now);
            done.column = true;
        }
        if ((waiting_ & bit(visited)) == 0) ++statistics_.banks[visited].idle;
    }
    return done;
}

dram_channel::issued dram_channel::issue_refresh(std::uint64_t now) {
    // All banks are closed, one per cycle, then the whole channel refreshes.
    issued done;
    bool open = false;
    for (unsigned b = 0; b < config_.timing.nbk; ++b) {
        if (!banks_.active(b)) continue;
        open = true;
        if (now < banks_.precharge_at(b)) continue;
        banks_.precharge(b, now);
        notify(now, dram_command::precharge, b, banks_.row(b), 0);
        refresh_open(b);
        ++statistics_.precharges;
        done.row = true;
        return done;
    }
    if (open || now < banks_.refresh_at()) return done;
    banks_.refresh(now);
    notify(now, dram_command::refresh, 0, 0, 0);
    ++statistics_.refreshes;
    refresh_due_ += config_.timing.tREFI;
    done.row = true;
    return done;
}

void dram_channel::issue_column(unsigned b, std::uint64_t now) {
    const std::uint32_t number = request_of_[b];
    dram_request& r = requests_[number];
    if (writing_ != r.write) {
        writing_ = r.write;
        pipeline_.set_stages(r.write ? config_.timing.WL : config_.timing.CL);
    }
    pipeline_.push(number);
    if (!observers_.empty())
        notify(now, r.write ? dram_command::write : dram_command::read, b, r.row,
               r.column + r.commanded);
    if (r.write) {
        banks_.write(b, now);
        ++(r.type == protocol::access_type::l2_writeback ? statistics_.write_backs
                                                         : statistics_.writes);
    } else {
        banks_.read(b, now);
        ++(r.type == protocol::access_type::l2_write_allocate_read ? statistics_.allocate_reads
                                                                   : statistics_.reads);
        ++statistics_.banks[b].reads;
    }
    statistics_.busy_data_cycles += banks_.derived().burst;
    r.commanded += config_.atom_bytes();
    if (r.commanded < r.bytes) return;
    request_of_[b] = none;
    waiting_ &= ~bit(b);
    free_since_[b] = now;
    refresh_open(b);
}

void dram_channel::issue_row(unsigned b, std::uint64_t now) {
    if (banks_.active(b)) {
        notify(now, dram_command::precharge, b, banks_.row(b), 0);
        banks_.precharge(b, now);
        ++statistics_.precharges;
    } else {
        const std::uint32_t row = requests_[request_of_[b]].row;
        notify(now, dram_command::activate, b, row, 0);
        banks_.activate(b, row, now);
        ++statistics_.activates;
        refresh_open(b);
    }
    priority_ = b + 1 == config_.timing.nbk ? 0 : b + 1;
}

void dram_channel::notify(std::uint64_t now, dram_command kind, unsigned bank, std::uint32_t row,
                          std::uint32_t column) {
    for (command_observer* o : observers_) o->command(now, kind, bank, row, column);
}

std::uint64_t dram_channel::next_event(std::uint64_t now) const {
    const std::uint64_t next_cycle = now + 1;
    if (scheduler_->may_choose(all_banks_ & ~waiting_)) return next_cycle;
    if (next_cycle >= refresh_due_) return next_cycle;
    std::uint64_t next = refresh_due_;
    const bool blocked = return_queue_.full();
    const bool pipeline_full = pipeline_.full();
    if (!blocked && !pipeline_.empty()) {
        if (pipeline_full) return next_cycle;
        next = std::min(next, now + pipeline_.remaining());
    }
    for (std::uint64_t m = waiting_; m != 0 && next > next_cycle; m &= m - 1) {
        const auto b = static_cast<unsigned>(__builtin_ctzll(m));
        if ((open_read_ & bit(b)) != 0) {
            if (!pipeline_full) next = std::min(next, banks_.read_at(b));
        } else if ((open_write_ & bit(b)) != 0) {
            if (!pipeline_full) next = std::min(next, banks_.write_at(b));
        } else {
            next =
                std::min(next, banks_.active(b) ? banks_.precharge_at(b) : banks_.activate_at(b));
        }
    }
    return std::max(next, next_cycle);
}

// Statistics.

void dram_channel::account_slept(std::uint64_t until) {
    if (until <= accounted_) return;
    const std::uint64_t from = accounted_;
    const std::uint64_t cycles = until - from;
    accounted_ = until;
    if (!slept_blocked_) pipeline_.shift(cycles);
    statistics_.cycles += cycles;
    statistics_.idle_cycles += cycles;
    statistics_.active_cycles +=
        waiting_ != 0 ? cycles : cycles_before(banks_.quiet_at(), from, until);
    statistics_.queue_sum += slept_pending_ * cycles;
    statistics_.queue_max = std::max<std::uint64_t>(statistics_.queue_max, slept_pending_);
    sample_waiting(cycles);
    if (waiting_ != 0) statistics_.waiting_cycles_after += cycles;
    sample_limits(from, until, false);
}

void dram_channel::sample_waiting(std::uint64_t cycles) {
    if (waiting_ == 0) return;
    statistics_.banks_waiting += cycles * static_cast<unsigned>(__builtin_popcountll(waiting_));
    statistics_.waiting_cycles += cycles;
    const std::uint64_t open = open_read_ | open_write_;
    if (open == 0) return;
    const auto banks = static_cast<unsigned>(__builtin_popcountll(open));
    statistics_.banks_open += cycles * banks;
    statistics_.open_cycles += cycles;
    statistics_.writing_of_open[banks] +=
        cycles * static_cast<unsigned>(__builtin_popcountll(open_write_));
    unsigned groups = 0;
    for (const std::uint64_t mask : group_mask_) groups += (mask & open) != 0 ? 1u : 0u;
    statistics_.open_groups += cycles * groups;
}

void dram_channel::sample_limits(std::uint64_t from, std::uint64_t to, bool column_issued) {
    if (column_issued) {
        statistics_.utilised += to - from;
        return;
    }
    const std::uint64_t moving = cycles_before(banks_.column_any(), from, to);
    statistics_.utilised += moving;
    from += moving;
    if (from == to) return;
    if (waiting_ == 0) {
        statistics_.unused += to - from;
        return;
    }
    if ((open_read_ | open_write_) == 0) {
        statistics_.wasted_row += to - from;
        return;
    }
    statistics_.wasted_column += to - from;
    const bool full = pipeline_.full();
    for (std::uint64_t m = open_read_ | open_write_; m != 0; m &= m - 1) {
        const auto b = static_cast<unsigned>(__builtin_ctzll(m));
        const bool write = (open_write_ & bit(b)) != 0;
        const std::uint64_t activated =
            write ? banks_.activated_write(b) : banks_.activated_read(b);
        const std::uint64_t turned = write ? banks_.write_any() : banks_.read_any();
        const std::uint64_t group = banks_.column_of_group(b);
        (write ? statistics_.limit_rcd_write : statistics_.limit_rcd) +=
            cycles_before(activated, from, to);
        (write ? statistics_.limit_rtw : statistics_.limit_wtr) += cycles_before(turned, from, to);
        statistics_.limit_ccdl += cycles_before(group, from, to);
        statistics_.limit_ccdl_alone += cycles_between(turned, group, from, to);
        (write ? statistics_.limit_rtw_alone : statistics_.limit_wtr_alone) +=
            cycles_between(group, turned, from, to);
        if (full) statistics_.limit_pipeline += to - from;
    }
}

const dram_statistics& dram_channel::statistics() {
    const std::uint64_t edges = sequencer_.observed().edges[protocol::dram_clock];
    account_slept(edges);
    for (unsigned b = 0; b < config_.timing.nbk; ++b) {
        if ((waiting_ & bit(b)) != 0 || free_since_[b] >= edges) continue;
        statistics_.banks[b].idle += edges - free_since_[b];
        free_since_[b] = edges;
    }
    return statistics_;
}

void dram_channel::begin_kernel() {
    kernel_start_ = sequencer_.cycle(protocol::core_clock);
}

}  // namespace simtlm::memory
