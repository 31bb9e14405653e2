// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/memory_sub_partition.h"

#include "modules/protocol/atomic_effect.h"
#include "modules/protocol/describe.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::memory {

namespace {

constexpr unsigned line_bytes = 128;
constexpr unsigned parts_of_line = 4;
constexpr unsigned interval_scale = 1000;  // of partition_config::atomic_interval
}  // namespace

memory_sub_partition::memory_sub_partition(const sc_core::sc_module_name& name,
                                           simulation::phase_sequencer& sequencer,
                                           const partition_config& config,
                                           const address_mapping& mapping,
                                           protocol::transaction_pool& pool,
                                           memory_statistics& shared, unsigned number)
    : clocked_module(name, sequencer, protocol::l2_clock),
      icnt_clk("icnt_clk"),
      core_clk("core_clk"),
      port("port"),
      to_memory("L2_to_dram", config.l2_to_dram),
      from_memory("dram_to_L2", config.dram_to_l2),
      sequencer_(sequencer),
      config_(config),
      mapping_(mapping),
      pool_(pool.of_block()),
      shared_(shared),
      number_(number),
      process_("cache", sequencer, protocol::phase::l2_slice,
               simulation::on_edge<&memory_sub_partition::cycle>(this)),
      reply_process_("reply", sequencer, protocol::phase::reply_inject,
                     simulation::on_edge<&memory_sub_partition::send_replies>(this)),
      rop_timer_("rop_timer", sequencer, process_),
      to_cache_("icnt_to_L2", config.icnt_to_l2),
      to_network_("L2_to_icnt", config.l2_to_icnt),
      rop_(config.rop_latency, config.atomic_latency, config.far_latency),
      copies_(config.far_latency, config.far_interval) {
    if (config.l2.enabled && !config.ideal_l2)
        engine_ = std::make_unique<l2_slice>("l2", config.l2, pool_);
    add_clock(icnt_clk, protocol::icnt_clock);
    add_clock(core_clk, protocol::core_clock);
    port.register_nb_transport_fw(this, &memory_sub_partition::nb_transport_fw, 0);
    port.register_transport_dbg(this, &memory_sub_partition::transport_dbg, 0);
    to_memory.set_writer(process_);
    from_memory.set_reader(process_);
    to_network_.set_reader(reply_process_);
    to_network_.set_writer(process_);
    for (const named_queue& q : queues()) q.of->measure(process_);
}

// Network side.

tlm::tlm_sync_enum memory_sub_partition::nb_transport_fw(int, tlm::tlm_generic_payload& payload,
                                                         tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase == tlm::BEGIN_REQ) {
        const std::uint64_t first = payload.get_address();
        const unsigned bytes = payload.get_data_length();
        if (bytes == 0 || bytes > line_bytes ||
            first / line_bytes != (first + bytes - 1) / line_bytes) {
            payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
            return tlm::TLM_COMPLETED;
        }
        protocol::prefetch(payload);
        process_.wake();
        return port.accept_request(payload, phase, false);
    }
    if (phase == tlm::END_RESP) {
        port.response_ended();
        reply_process_.wake();
        return tlm::TLM_COMPLETED;
    }
    SC_REPORT_ERROR("simtlm/l2", "phase of another protocol than the TLM-2.0 base protocol");
    return tlm::TLM_COMPLETED;
}

void memory_sub_partition::send_replies() {
    const std::uint64_t now = reply_process_.now();
    if (stalled_) {
        counters_.stalled_reply += now - stalled_since_;
        stalled_ = false;
    }
    if (to_network_.empty()) return reply_process_.sleep();
    if (port.response_pending()) {
        stalled_ = true;
        stalled_since_ = now;
        return reply_process_.sleep();
    }
    tlm::tlm_generic_payload& payload = *to_network_.pop();
    protocol::memory_extension& e = protocol::extension(payload);
    const bool part = e.pending_parts == protocol::part_mark;
    e.when.replied = protocol::hop_times::stamp(core_now());
    // Parts of a warp's atomic may leave several partitions at once.
    if (e.is_atomic) {
        const simulation::phase_sequencer::exclusive alone(sequencer_);
        protocol::atomic_effect::perform(payload);
    }
    if (is_external(payload)) release_external(payload);
    ++counters_.replies;
    shared_.reply_sent();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    port.respond(payload);
    if (!part) payload.release();
    if (to_network_.empty())
        reply_process_.sleep();
    else
        protocol::prefetch(*to_network_.front());
}

void memory_sub_partition::reply(tlm::tlm_generic_payload& payload) {
    if (!external_.empty() && protocol::is_part(payload)) {
        tlm::tlm_generic_payload& parent = *protocol::extension(payload).parent;
        if (is_external(parent)) {
            payload.release();
            if (--protocol::extension(parent).pending_parts == 0) to_network_.push(&parent);
            return;
        }
    }
    to_network_.push(&payload);
}

void memory_sub_partition::answer_posted(tlm::tlm_generic_payload& payload) {
    if (protocol::is_part(payload)) {
        tlm::tlm_generic_payload& parent = *protocol::extension(payload).parent;
        payload.release();
        if (--protocol::extension(parent).pending_parts == 0) answer_posted(parent);
        return;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    protocol::begin_response(port, payload);
    payload.release();
}

void memory_sub_partition::consumed(tlm::tlm_generic_payload& write) {
    if (protocol::extension(write).type == protocol::access_type::l2_writeback)
        write.release();
    else
        answer_posted(write);
}

// Requests of initiators without the GPU's extension.

void memory_sub_partition::register_external(tlm::tlm_generic_payload& request) {
    external_.push_back({&request, std::make_unique<protocol::memory_extension>()});
    protocol::memory_extension& e = *external_.back().extension;
    const auto offset = static_cast<unsigned>(request.get_address() % line_bytes);
    const unsigned bytes = request.get_data_length();
    e.type = request.is_write() ? protocol::access_type::global_write
                                : protocol::access_type::global_read;
    e.bytes.set(offset, bytes);
    const unsigned first = offset / cache::sector_bytes;
    const unsigned last = (offset + bytes - 1) / cache::sector_bytes;
    for (unsigned s = first; s <= last; ++s) e.sectors |= static_cast<std::uint8_t>(1u << s);
    e.data_bytes = static_cast<std::uint16_t>((last - first + 1) * cache::sector_bytes);
    e.when.created = protocol::hop_times::stamp(core_now());
    request.set_extension(&e);
}

bool memory_sub_partition::is_external(const tlm::tlm_generic_payload& request) const {
    return std::any_of(external_.begin(), external_.end(),
                       [&](const external_request& f) { return f.payload == &request; });
}

void memory_sub_partition::release_external(tlm::tlm_generic_payload& request) {
    const auto f = std::find_if(external_.begin(), external_.end(),
                                [&](const external_request& r) { return r.payload == &request; });
    request.clear_extension(f->extension.get());
    external_.erase(f);
}

// Request entry.

void memory_sub_partition::locate(const tlm::tlm_generic_payload& request,
                                  protocol::memory_extension& e) const {
    if (!e.located) e.location = mapping_.decode(request.get_address());
    e.location.sub_partition = static_cast<std::uint16_t>(number_);
    e.location.channel = static_cast<std::uint16_t>(number_ / config_.sub_partitions);
    e.located = true;
}

void memory_sub_partition::take_request() {
    // Requires room for all parts of a request, even if there is no request.
    if (to_cache_.size() + parts_of_line - 1 >= to_cache_.depth()) {
        ++counters_.stalled_full;
        return;
    }
    if (!request_waits()) return;
    tlm::tlm_generic_payload& request = *port.withheld();
    request.acquire();
    port.end_request();
    if (protocol::find_extension(request) == nullptr) register_external(request);
    protocol::memory_extension& e = protocol::extension(request);
    locate(request, e);
    e.when.at_l2 = protocol::hop_times::stamp(core_now());
    ++counters_.requests;
    shared_.request_taken(request, core_now(), process_.now());
    if (config_.l2.kind == cache::cache_kind::sector)
        split(request, e);
    else
        delay(request, e);
}

void memory_sub_partition::split(tlm::tlm_generic_payload& request, protocol::memory_extension& e) {
    unsigned sectors = e.sectors & 0xfu;
    if (e.data_bytes == cache::sector_bytes && __builtin_popcount(sectors) == 1)
        return delay(request, e);
    if (e.data_bytes == line_bytes)
        sectors = 0xf;
    else if (e.data_bytes == 64 && (sectors == 0 || sectors == 0xf))
        sectors = request.get_address() % line_bytes == 0 ? 0x3 : 0xc;
    if (sectors == 0) return delay(request, e);  // smaller than a sector

    e.pending_parts = static_cast<std::uint16_t>(__builtin_popcount(sectors));
    const bool keep = protocol::is_posted(e.type) || is_external(request);
    for (unsigned s = 0; s < parts_of_line; ++s)
        if ((sectors >> s & 1u) != 0) add_part(request, e, s);
    if (!keep) request.release();
}

void memory_sub_partition::add_part(tlm::tlm_generic_payload& request,
                                    const protocol::memory_extension& e, unsigned sector) {
    const std::uint64_t address =
        request.get_address() / line_bytes * line_bytes + sector * cache::sector_bytes;
    tlm::tlm_generic_payload& part =
        pool_.acquire(request.get_command(), address, cache::sector_bytes, e.type);
    protocol::memory_extension& p = protocol::extension(part);
    p = e;
    p.parent = &request;
    p.pending_parts = protocol::part_mark;
    p.sectors = static_cast<std::uint8_t>(1u << sector);
    p.data_bytes = cache::sector_bytes;
    p.bytes = {};
    p.bytes.set_sector(sector, e.bytes.sector(sector));
    p.located = false;
    p.when.created = protocol::hop_times::stamp(core_now());
    locate(part, p);
    delay(part, p);
}

void memory_sub_partition::delay(tlm::tlm_generic_payload& request,
                                 const protocol::memory_extension& e) {
    if (e.type == protocol::access_type::texture_read) return to_cache_.push(&request);
    const bool far = config_.far_latency != 0 && crosses(request, e);
    if (far && copies_.limited() && !request.is_write() && !e.is_atomic)
        return rop_.push(
            request, entry_delay::far_copy,
            copies_.departure(request.get_address() / cache::sector_bytes, core_now()));
    const bool atomic = e.is_atomic && config_.atomic_latency != 0;
    rop_.push(request,
              far ? (atomic ? entry_delay::far_atomic : entry_delay::far)
                  : (atomic ? entry_delay::atomic : entry_delay::plain),
              core_now());
}

/// Whether a request crosses from the other half of the GPU; updates the copies.
bool memory_sub_partition::crosses(const tlm::tlm_generic_payload& request,
                                   const protocol::memory_extension& e) {
    const std::uint64_t sector = request.get_address() / cache::sector_bytes;
    const bool reads = !request.is_write() && !e.is_atomic;
    if (!reads && engine_) engine_->drop_copy(request);
    const bool divided = config_.slices > config_.sub_partitions;  // more than one channel
    const auto half =
        config_.half_bits != 0
            ? static_cast<unsigned>(__builtin_parityll(request.get_address() & config_.half_bits))
            : number_ / config_.sub_partitions % 2;
    const auto& halves = config_.half_of_sm;
    const unsigned own = halves.empty() ? e.sm * 2u / config_.sms : halves[e.sm];
    if (!divided || own == half) return false;
    if (reads && engine_) {
        if (!engine_->read_copy(request, core_now() + memcpy_offset_))
            copies_.leave(sector, core_now());
        else if (copies_.arrived(sector, core_now())) {
            ++counters_.near_copies;
            return false;
        }
    }
    ++counters_.far_requests;
    return true;
}

// Action of a cycle.

void memory_sub_partition::cycle() {
    if (engine_) {
        if (process_.now() > accounted_) engine_->skip(process_.now() - accounted_);
        accounted_ = process_.now() + 1;
    }
    const auto entries = [this] {
        return std::array<std::uint64_t, 7>{counters_.requests,
                                            rop_.size(),
                                            to_cache_.size(),
                                            from_memory.size(),
                                            to_network_.size(),
                                            to_memory.size(),
                                            engine_ ? engine_->changes() : 0};
    };
    const auto before = entries();
    prefetch_heads();
    take_request();
    if (engine_) take_ready_access();
    take_from_memory();
    if (engine_) engine_->cycle(sink_);
    access();
    const std::uint64_t now = core_now();
    if (now >= rop_.next() && !to_cache_.full()) to_cache_.push(&rop_.pop());
    if (entries() == before) process_.note_idle();
    sleep_if_idle(now);
}

/// Prefetches the transactions that this cycle may process: after a long wait they are no longer in
/// the host's caches.
void memory_sub_partition::prefetch_heads() const {
    if (!from_memory.empty()) protocol::prefetch(*from_memory.front());
    if (!to_cache_.empty()) protocol::prefetch(*to_cache_.front());
    if (engine_ && engine_->access_ready()) protocol::prefetch(engine_->ready_access());
}

void memory_sub_partition::sleep_if_idle(std::uint64_t now) {
    if (request_waits() || !to_cache_.empty() || !from_memory.empty()) return;
    if (engine_ && (!engine_->idle() || engine_->access_ready())) return;
    if (!rop_.empty()) {
        if (rop_.next() < now + core_timer::worth_sleeping) return;
        rop_timer_.set(rop_.next());
    }
    process_.sleep();
}

void memory_sub_partition::take_ready_access() {
    if (!engine_->access_ready() || to_network_.full()) return;
    tlm::tlm_generic_payload& payload = engine_->next_access();
    const protocol::memory_extension& e = protocol::extension(payload);
    if (e.is_prefetch) return payload.release();
    if (e.type != protocol::access_type::l2_write_allocate_read) return reply(payload);
    if (config_.l2.write_allocate == cache::write_allocate_policy::fetch_on_write &&
        e.parent != nullptr)
        reply(*e.parent);
    payload.release();
}

void memory_sub_partition::take_from_memory() {
    if (from_memory.empty()) return;
    tlm::tlm_generic_payload& payload = *from_memory.front();
    if (engine_ && engine_->waiting_for_fill(payload)) {
        if (!engine_->fill_port_free()) return;
        engine_->fill(payload, core_now() + memcpy_offset_);
        from_memory.pop();
        payload.release();
    } else if (!to_network_.full()) {
        from_memory.pop();
        reply(payload);
    }
}

bool memory_sub_partition::cached(const tlm::tlm_generic_payload& request) const {
    return (engine_ || config_.ideal_l2) &&
           (!config_.l2_texture_only ||
            protocol::extension(request).type == protocol::access_type::texture_read);
}

void memory_sub_partition::access() {
    if (to_memory.full() || to_cache_.empty()) return;
    tlm::tlm_generic_payload& request = *to_cache_.front();
    if (!cached(request)) {
        if (protocol::extension(request).is_prefetch) {  // there is no cache to fetch data into
            if (to_network_.full()) return;
            to_cache_.pop();
            return reply(request);
        }
        to_cache_.pop();
        to_memory.push(&request);
        ++counters_.to_memory;
        return;
    }
    if (to_network_.full()) return;
    if (engine_) {
        const bool waits = protocol::extension(request).is_atomic && !atomic_unit_free();
        if (!waits && engine_->data_port_free()) access_cache(request);
        return;
    }
    to_cache_.pop();
    if (protocol::is_posted(protocol::extension(request).type))
        answer_posted(request);
    else
        reply(request);
}

/// Whether the unit that performs atomics can take one in this cycle.
bool memory_sub_partition::atomic_unit_free() {
    if (atomic_unit_free_ < (process_.now() + 1) * interval_scale) return true;
    ++counters_.atomic_waits;
    return false;
}

void memory_sub_partition::access_cache(tlm::tlm_generic_payload& request) {
    using cache::access_outcome;
    const protocol::memory_extension& e = protocol::extension(request);
    if (e.is_prefetch) return prefetch(request);
    const bool posted = protocol::is_posted(e.type);
    const bool write = request.is_write();
    // The cache changes the address of a request that misses.
    const std::uint64_t address = request.get_address();
    const unsigned block = fetched_bytes(e);
    const cache::access_result result = engine_->access(request, core_now() + memcpy_offset_);
    if (result.outcome == access_outcome::reservation_fail) return;
    if (e.is_atomic)
        atomic_unit_free_ =
            std::max(atomic_unit_free_, process_.now() * interval_scale) + config_.atomic_interval;
    to_cache_.pop();
    if (block > config_.l2.atom_bytes() && result.read_sent) fetch_block(request, address, block);

    // A write is acknowledged as soon as it is in the L2, unless memory will acknowledge it.
    bool answered = false;
    if (result.outcome == access_outcome::hit) {
        answered = !result.write_sent;
    } else if (write && !result.write_allocate_sent) {
        const auto allocate = config_.l2.write_allocate;
        const bool merged = allocate == cache::write_allocate_policy::fetch_on_write ||
                            allocate == cache::write_allocate_policy::lazy_fetch_on_read;
        answered = merged && (posted || config_.l2.write == cache::write_policy::write_back);
    }
    if (!answered)
        request.release();  // the cache has its own reference
    else if (posted)
        answer_posted(request);
    else
        reply(request);
}

/// Size of the aligned block that a read fetches if it misses: the larger of that of its
/// instruction and that of the L2.
unsigned memory_sub_partition::fetched_bytes(const protocol::memory_extension& e) const {
    return std::max(config_.fetch_granularity, cache::sector_bytes << e.l2_block);
}

/// A prefetch of an SM: is answered at once, without data.
void memory_sub_partition::prefetch(tlm::tlm_generic_payload& request) {
    const std::uint64_t address = request.get_address();
    if (!fetch(request, address)) return;  // retried in the next cycle
    to_cache_.pop();
    const unsigned block = fetched_bytes(protocol::extension(request));
    if (block > config_.l2.atom_bytes()) fetch_block(request, address, block);
    reply(request);
}

/// Reads a sector, or a line if the cache has no sectors, for which nothing waits.
/// @return false: it has to be retried
bool memory_sub_partition::fetch(const tlm::tlm_generic_payload& cause, std::uint64_t address) {
    const protocol::memory_extension& c = protocol::extension(cause);
    const unsigned bytes = config_.l2.atom_bytes();
    address = address / bytes * bytes;
    const auto offset = static_cast<unsigned>(address % line_bytes);
    tlm::tlm_generic_payload& own = pool_.acquire(tlm::TLM_READ_COMMAND, address, bytes, c.type);
    protocol::memory_extension& e = protocol::extension(own);
    e.is_prefetch = true;
    e.sm = c.sm;
    e.cluster = c.cluster;
    e.warp = c.warp;
    e.lanes = c.lanes;
    e.profiled = c.profiled;
    e.bytes.set(offset, bytes);
    for (unsigned at = offset; at < offset + bytes; at += cache::sector_bytes)
        e.sectors = static_cast<std::uint8_t>(e.sectors | 1u << at / cache::sector_bytes);
    e.data_bytes = static_cast<std::uint16_t>(bytes);
    e.when.created = protocol::hop_times::stamp(core_now());
    locate(own, e);
    const bool done = engine_->access(own, core_now() + memcpy_offset_).outcome !=
                      cache::access_outcome::reservation_fail;
    own.release();  // the cache has its own reference
    return done;
}

/// Fetches the other sectors of an aligned block, as far as they are in this slice and the cache
/// can take the misses. @param first  address of a sector that is being read
void memory_sub_partition::fetch_block(const tlm::tlm_generic_payload& cause, std::uint64_t first,
                                       unsigned bytes) {
    const std::uint64_t begin = first / bytes * bytes;
    for (std::uint64_t a = begin; a < begin + bytes; a += config_.l2.atom_bytes()) {
        if (first - a < config_.l2.atom_bytes()) continue;
        if (mapping_.decode(a).sub_partition != number_) continue;
        if (!fetch(cause, a)) return;
    }
}

bool memory_sub_partition::memory_sink::try_send(tlm::tlm_generic_payload& request) {
    if (owner.to_memory.full()) return false;
    protocol::memory_extension& e = protocol::extension(request);
    if (e.type != protocol::access_type::l2_writeback) request.acquire();
    owner.locate(request, e);
    owner.to_memory.push(&request);
    ++owner.counters_.to_memory;
    return true;
}

// Host side.

void memory_sub_partition::warm(std::uint64_t address, std::uint64_t core_cycle) {
    if (!engine_) return;
    const std::uint64_t index = mapping_.partition_address(address);
    const unsigned sector = static_cast<unsigned>(address / cache::sector_bytes) % parts_of_line;
    if (config_.far_latency != 0) engine_->drop_copy(address, index, sector);
    engine_->force_tag_access(address, index, core_cycle + memcpy_offset_, sector,
                              config_.copies_modify);
    ++memcpy_offset_;
}

void memory_sub_partition::flush() {
    if (engine_) engine_->flush();
}
void memory_sub_partition::invalidate() {
    if (engine_) engine_->invalidate();
}

bool memory_sub_partition::idle() const {
    return !request_waits() && rop_.empty() && to_cache_.empty() && to_memory.empty() &&
           from_memory.empty() && to_network_.empty() && external_.empty() &&
           (!engine_ || !engine_->busy());
}

const memory_sub_partition::counters& memory_sub_partition::statistics() {
    const std::uint64_t edges = sequencer_.edges(protocol::icnt_clock);
    if (stalled_ && edges > stalled_since_) {
        counters_.stalled_reply += edges - stalled_since_;
        stalled_since_ = edges;
    }
    for (const named_queue& q : queues()) q.of->count_to(sequencer_.edges(protocol::l2_clock));
    return counters_;
}

const cache::cache_statistics* memory_sub_partition::cache_statistics() {
    if (!engine_) return nullptr;
    const std::uint64_t edges = sequencer_.edges(protocol::l2_clock);
    if (edges > accounted_) {
        engine_->skip(edges - accounted_);
        accounted_ = edges;
    }
    return &engine_->statistics();
}

std::string memory_sub_partition::describe() {
    if (idle()) return {};
    std::string text;
    const auto add = [&](const std::string& what) {
        text += fmt::format("  {}: {}\n", name(), what);
    };
    for (const named_queue& q : queues())
        if (!q.of->empty())
            add(fmt::format("{}: {} of {}{}, first {}", q.name, q.of->size(), q.of->depth(),
                            q.of->full() ? " (full)" : "", protocol::describe(*q.of->front())));
    if (request_waits()) add("no room for " + protocol::describe(*port.withheld()));
    if (!rop_.empty())
        add(fmt::format("{} requests delayed before the L2, first {}", rop_.size(),
                        protocol::describe(rop_.first())));
    if (port.response_pending()) add("the network has not taken its last reply");
    if (engine_ && engine_->busy()) add("L2: " + engine_->describe());
    return text;
}

}  // namespace simtlm::memory
