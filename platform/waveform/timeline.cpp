// SPDX-License-Identifier: Apache-2.0
#include "platform/waveform/timeline.h"

#include "modules/core/engine_watcher.h"
#include "modules/support/display_text.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/waveform/trace_events.h"
#include "platform/waveform/waveform.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

namespace simtlm::platform {

namespace {

using core::warp_wait;

/// Process numbers of the tracks in the viewer; SM n is process first_sm + n.
enum track : std::uint64_t {
    counters_track = 1,
    kernels_track = 2,
    memory_track = 3,
    host_track = 4,
    first_sm = 10
};
/// Thread number of warp 0 of an SM; lower numbers are its CTA slots and engine rows.
constexpr unsigned first_warp = 1000;
constexpr unsigned tensor_core_row = 800;
constexpr unsigned first_copy_row = 801;

/// Label of a warpgroup matrix product: its shape and types, "m64n128k16.f32.f16.f16".
std::string_view product_name(std::string_view opcode) {
    const std::size_t shape = opcode.find(".m64");
    return shape == std::string_view::npos ? opcode : opcode.substr(shape + 1);
}

const char* copy_name(program::bulk_transfer::kind what) {
    constexpr const char* names[] = {"load", "store", "reduction", "send", "prefetch"};
    return names[static_cast<unsigned>(what)];
}

}  // namespace

struct timeline_writer::recording : simulation::phase_sequencer::step_observer,
                                    core::cta_watcher,
                                    core::reply_observer,
                                    core::engine_watcher,
                                    power::energy_meter::window_watcher {
    recording(gpu& d, const run_config& how)
        : device(d),
          window(how.timeline_window),
          interval(std::max<std::uint64_t>(how.timeline_sample, 1)),
          request_interval(std::max<std::uint64_t>(interval / requests_per_interval, 1)),
          step(interval),
          picoseconds(1e12 / d.config().clocks.core),
          file(how.timeline),
          out(file) {
        out.name_process(counters_track, "counters", 0);
        out.name_thread(notes, "notes");
        out.name_process(kernels_track, "kernels", 1);
        out.name_process(memory_track, "memory requests", 2);
        for (const auto& c : device.clusters()) {
            for (unsigned i = 0; i < c->sms(); ++i) {
                c->core(i).watch(static_cast<core::cta_watcher&>(*this));
                c->core(i).watch(static_cast<core::engine_watcher&>(*this));
                sms.push_back({&c->core(i), {}, {}, {}, false});
            }
            c->watch_replies(*this);
        }
        next_sample = window.from + interval;
        device.sequencer().observe(this);
        if (device.power() != nullptr) device.power()->watch(*this);
    }
    ~recording() override {
        if (device.power() != nullptr) device.power()->unwatch(*this);
    }

    // ---- running kernels, CTAs and warps ----

    struct kernel_run {
        std::uint64_t launch = 0, stream = 0, launched_at = 0, start = 0, ctas = 0;
        std::string name;
        bool seen = false;
    };
    struct cta_run {
        std::uint64_t start = 0, launch = 0;
        program::dim3 index;
    };
    struct warp_run {
        warp_wait why = warp_wait::nothing;
        std::uint64_t since = 0, pc = 0;
    };
    struct sm_state {
        core::multiprocessor* block;
        std::map<unsigned, cta_run> ctas;  // by slot
        std::vector<warp_run> warps;
        std::vector<std::uint64_t> copy_rows;  // end of the last copy, by row of the copy engine
        bool named;
    };
    struct totals {
        std::uint64_t instructions = 0, threads = 0, l2_accesses = 0, l2_misses = 0, dram_busy = 0,
                      dram_cycles = 0;
    };

    // ---- observers ----

    void step_ended(unsigned ticked) override {
        if (finished || (ticked & 1u) == 0) return;
        now = device.sequencer().cycle(protocol::core_clock);
        follow_kernels();
        if (now < window.from) {
            if (now + 1 == window.from) before = count();
        } else if (now >= next_sample && now < window.to) {
            sample();
            step = std::min(2 * step, interval);
            next_sample = now + step;
        }
    }

    void cta_started(const core::multiprocessor& where, unsigned slot,
                     const core::kernel_context& kernel, const program::cta& block) override {
        sms[where.id()].ctas[slot] = {core_cycle(), kernel.launch, block.index};
    }

    void cta_ended(const core::multiprocessor& where, unsigned slot) override {
        sm_state& s = sms[where.id()];
        const auto at = s.ctas.find(slot);
        if (at == s.ctas.end() || finished) return;
        write_cta(s, slot, at->second, core_cycle());
        s.ctas.erase(at);
    }

    void reply_received(const tlm::tlm_generic_payload& reply, std::uint64_t core_now) override {
        if (finished || core_now < window.from || core_now >= window.to ||
            core_now < next_request || requests >= max_requests)
            return;
        next_request = core_now + request_interval;
        ++requests;
        write_request(reply, core_now);
    }

    void copy_ended(unsigned sm, unsigned warp, const program::bulk_transfer& what,
                    const copy_times& when) override {
        if (finished || !in_window(when.begun, when.complete) || ++engine_events > max_engine)
            return;
        sm_state& s = sms[sm];
        // Concurrent copies are placed in different rows, so that slices do not overlap.
        std::size_t r = 0;
        while (r < s.copy_rows.size() && s.copy_rows[r] > when.begun) ++r;
        if (r == s.copy_rows.size()) s.copy_rows.push_back(0);
        s.copy_rows[r] = when.complete;
        const auto thread = static_cast<unsigned>(first_copy_row + r);
        const std::uint64_t number = process_of(s);
        if (named_slots.insert({{s.block->id(), thread}, true}).second)
            out.name_thread({number, thread}, r == 0 ? std::string("bulk copies (TMA)")
                                                     : fmt::format("bulk copies ({})", r + 1));
        slice("bulk copy", fmt::format("{} {} B", copy_name(what.what), what.bytes),
              {number, thread}, when.begun, when.complete,
              fmt::format(R"(,"warp":{},"issued":{},"tensor_map":"{:#x}","blocks":{})", warp,
                          when.issued, what.tensor_map, what.arrivals.size()));
    }

    void product_queued(unsigned sm, unsigned warp, const char* opcode,
                        const product_times& when) override {
        if (finished || !in_window(when.begun, when.end) || ++engine_events > max_engine) return;
        sm_state& s = sms[sm];
        const std::uint64_t number = process_of(s);
        if (named_slots.insert({{s.block->id(), tensor_core_row}, true}).second)
            out.name_thread({number, tensor_core_row}, "tensor cores (warpgroups)");
        slice("product", fmt::format("warps {} to {}", warp, warp + 3), {number, tensor_core_row},
              when.begun, when.end,
              fmt::format(R"(,"product":"{}","sums_in_registers":{})", product_name(opcode),
                          when.sums));
    }

    std::uint64_t core_cycle() const { return device.sequencer().cycle(protocol::core_clock); }

    // ---- events ----

    /// Start time of a core cycle, ps.
    std::uint64_t time(std::uint64_t cycle) const {
        const bool changes = device.config().power.limit.has_value();
        const double each = changes ? 1e12 / device.core_hertz(0, cycle) : picoseconds;
        return static_cast<std::uint64_t>(static_cast<double>(cycle) * each + 0.5);
    }
    bool in_window(std::uint64_t from, std::uint64_t to) const {
        return to >= window.from && from < window.to;
    }
    void slice(const char* category, const std::string& name, const trace_events::place& where,
               std::uint64_t from, std::uint64_t to, const std::string& arguments) {
        out.slice(category, name, where, time(from), time(to),
                  fmt::format(R"("from":{},"to":{}{})", from, to, arguments));
    }

    std::uint64_t process_of(sm_state& s) {
        const std::uint64_t number = first_sm + s.block->id();
        if (!s.named) {
            s.named = true;
            out.name_process(number, s.block->name(), static_cast<unsigned>(number));
        }
        return number;
    }

    void write_cta(sm_state& s, unsigned slot, const cta_run& c, std::uint64_t end) {
        if (!in_window(c.start, end)) return;
        const std::uint64_t number = process_of(s);
        if (named_slots.insert({{s.block->id(), slot}, true}).second)
            out.name_thread({number, slot}, fmt::format("CTA slot {}", slot));
        slice("cta", fmt::format("CTA {},{},{}", c.index.x, c.index.y, c.index.z), {number, slot},
              c.start, end, fmt::format(R"(,"launch":{})", c.launch));
    }

    void write_wait(sm_state& s, unsigned w, const warp_run& run, std::uint64_t end) {
        if (run.why == warp_wait::nothing || end <= run.since) return;
        if (++waits > max_waits) return;
        const std::uint64_t number = process_of(s);
        if (named_slots.insert({{s.block->id(), first_warp + w}, true}).second)
            out.name_thread({number, first_warp + w}, fmt::format("warp {} waits for", w));
        slice("stall", core::warp_wait_name(run.why), {number, first_warp + w}, run.since, end,
              fmt::format(R"(,"after_pc":"{:#x}")", run.pc));
    }

    void write_kernel(const kernel_run& k, std::uint64_t end) {
        if (k.start == never || !in_window(k.launched_at, end)) return;
        const trace_events::place row = row_of_stream(k.stream);
        if (k.start > k.launched_at)
            slice("launch", "launch " + k.name, row, k.launched_at, k.start, "");
        slice("kernel", k.name, row, k.start, end,
              fmt::format(R"(,"launch":{},"ctas":{},"stream":{})", k.launch, k.ctas, k.stream));
    }

    /// Streams are numbered in order of appearance, because a traced number may be an address.
    trace_events::place row_of_stream(std::uint64_t stream) {
        const auto [at, is_new] = streams.try_emplace(stream, streams.size());
        const trace_events::place row{kernels_track, at->second};
        if (is_new) out.name_thread(row, fmt::format("stream {}", at->second));
        return row;
    }

    // ---- host ----

    void write_command(const host_activity& a) {
        const std::uint64_t first = time(window.from), end = last_time();
        if (a.to < first || a.from >= end) return;
        const std::string bytes = a.bytes != 0 ? fmt::format(R"("bytes":{},)", a.bytes) : "";
        out.slice("command", a.name, row_of_stream(a.row), a.from, a.to,
                  fmt::format(R"({}"stream":{})", bytes, a.row));
    }

    /// Calls arrive from any thread and are few compared to GPU events, so they are buffered until
    /// the end.
    void note_call(const host_activity& a) {
        const std::lock_guard<std::mutex> lock(calls_mutex);
        if (++calls_made <= max_calls) calls.push_back(a);
    }

    void write_calls() {
        const std::lock_guard<std::mutex> lock(calls_mutex);
        if (calls.empty()) return;
        out.name_process(host_track, "host", 3);
        std::map<std::uint64_t, bool> named;
        const std::uint64_t first = time(window.from), end = last_time();
        for (const host_activity& a : calls) {
            if (a.to < first || a.from >= end) continue;
            const trace_events::place row{host_track, a.row};
            if (named.insert({a.row, true}).second)
                out.name_thread(row, fmt::format("thread {}", a.row));
            out.slice("call", a.name, row, a.from, a.to, "");
        }
    }
    /// End of the window, ps.
    std::uint64_t last_time() const { return window.to >= never / 2 ? never : time(window.to); }

    void write_request(const tlm::tlm_generic_payload& reply, std::uint64_t end) {
        const protocol::memory_extension& e = protocol::extension(reply);
        const auto cycle = [end](std::uint32_t stamp) {
            return stamp == 0 ? 0 : end - protocol::hop_times::between(stamp, end);
        };
        const std::uint64_t injected = cycle(e.when.injected), at_l2 = cycle(e.when.at_l2),
                            at_dram = cycle(e.when.at_dram), from_dram = cycle(e.when.from_dram),
                            replied = cycle(e.when.replied), received = cycle(e.when.received);
        // Chunks of a split request are created on the way in the L2; the parent request holds the
        // start time.
        const std::uint64_t begin =
            cycle(protocol::is_part(reply) ? protocol::extension(*e.parent).when.created
                                           : e.when.created);
        const std::uint64_t leaves_l2 = at_dram != 0 ? at_dram : replied;
        const hop hops[hop_kinds] = {
            {begin, injected},
            {injected, at_l2},
            {at_l2, leaves_l2},
            {at_dram, from_dram},
            {from_dram, at_dram != 0 ? replied : 0},
            {replied, received},
            {received, end},
        };
        write_hops(hops,
                   fmt::format(R"(,"request":{},"what":"{}","address":"{:#x}","sm":{},"warp":{})",
                               requests, protocol::access_type_name(e.type), reply.get_address(),
                               e.sm, e.warp));
    }

    struct hop {
        std::uint64_t from, to;
    };
    static constexpr unsigned hop_kinds = 7;
    static constexpr const char* hop_names[hop_kinds] = {
        "SM", "request network", "L2", "DRAM", "L2 fill", "reply network", "cluster"};

    /// Writes the hops of a request, each as a slice in a row of its kind, with flows between
    /// them.
    void write_hops(const hop (&hops)[hop_kinds], const std::string& arguments) {
        const auto shown = [&](const hop& h) {
            return h.from != 0 && h.to > h.from && in_window(h.from, h.to);
        };
        unsigned last = 0;
        for (unsigned h = 0; h < hop_kinds; ++h)
            if (shown(hops[h])) last = h;
        bool first = true;
        for (unsigned h = 0; h < hop_kinds; ++h) {
            if (!shown(hops[h])) continue;
            const trace_events::place row = row_of(h, hops[h]);
            slice("memory", hop_names[h], row, hops[h].from, hops[h].to, arguments);
            using flow = trace_events::flow;
            const flow kind = first ? flow::begin : h == last ? flow::end : flow::step;
            if (!first || h != last) out.arrow(kind, "request", requests, row, time(hops[h].from));
            first = false;
        }
    }
    /// Returns a row in which nothing overlaps the hop.
    trace_events::place row_of(unsigned kind, const hop& h) {
        std::vector<std::uint64_t>& rows = hop_rows[kind];
        std::size_t r = 0;
        while (r < rows.size() && rows[r] > h.from) ++r;
        const trace_events::place row{memory_track, 1000 * kind + r};
        if (r == rows.size()) {
            rows.push_back(0);
            out.name_thread(
                row, r == 0 ? hop_names[kind] : fmt::format("{} ({})", hop_names[kind], r + 1));
        }
        rows[r] = h.to;
        return row;
    }

    // ---- sampling ----

    void follow_kernels() {
        for (kernel_run& k : kernels) k.seen = false;
        bool all = true;
        for (const auto& r : device.commands().ctas().running()) {
            if (!r) continue;
            auto k = std::find_if(kernels.begin(), kernels.end(), [&](const kernel_run& x) {
                return x.launch == r->context.launch;
            });
            if (k == kernels.end()) {
                kernel_run fresh;
                fresh.launch = r->context.launch;
                fresh.stream = r->descriptor.stream;
                fresh.launched_at = r->launched_at;
                fresh.start = never;
                fresh.ctas = r->descriptor.grid.volume();
                fresh.name = support::demangled(r->descriptor.name);
                k = kernels.insert(kernels.end(), std::move(fresh));
                hurry();
            }
            k->seen = true;
            if (k->start == never && (r->ctas_running != 0 || r->ctas_completed != 0)) {
                k->start = r->start_cycle;
                hurry();
            }
        }
        for (const kernel_run& k : kernels) all = all && k.seen;
        if (all) return;
        if (now >= window.from && now < window.to && now > last_sample) sample();
        for (const kernel_run& k : kernels)
            if (!k.seen) write_kernel(k, now);
        kernels.erase(std::remove_if(kernels.begin(), kernels.end(),
                                     [](const kernel_run& k) { return !k.seen; }),
                      kernels.end());
    }

    /// Starts sampling at short intervals that then increase, so that short kernels are visible.
    void hurry() {
        step = std::max<std::uint64_t>(interval / first_samples, 1);
        next_sample = std::max(window.from, now) + step;
    }

    totals count() const {
        totals t;
        for (const sm_state& s : sms) {
            t.instructions += s.block->counted().warp_instructions;
            t.threads += s.block->counted().thread_instructions;
        }
        for (const auto& p : device.partitions())
            for (unsigned b = 0; b < p->sub_partitions(); ++b)
                if (const cache::data_cache* l2 = std::as_const(*p).sub_partition(b).engine()) {
                    t.l2_accesses += l2->statistics().accesses;
                    t.l2_misses += l2->statistics().misses;
                }
        for (const auto& c : device.channels()) t.dram_busy += c->counted().busy_data_cycles;
        t.dram_cycles = device.sequencer().cycle(protocol::dram_clock) * device.channels().size();
        return t;
    }

    void counter(const char* name, const char* unit, double value) {
        out.counter(name, unit, counters_track, time(now), value);
    }

    void window_ended(const power::energy_meter::window& w) override {
        if (finished || w.to <= window.from || w.from >= window.to) return;
        const auto watts = [&](const std::string& name, double value) {
            out.counter(name.c_str(), "W", counters_track, time(w.from), value);
        };
        watts("power", w.watts());
        for (unsigned g = 0; g < power::component_groups; ++g) {
            const auto group = static_cast<power::component_group>(g);
            watts(fmt::format("power ({})", power::group_name(group)), w.watts(group));
        }
    }

    void sample() {
        const totals t = count();
        const auto per = [](std::uint64_t a, std::uint64_t b) {
            return b != 0 ? static_cast<double>(a) / static_cast<double>(b) : 0;
        };
        const std::uint64_t cycles = now - last_sample;
        counter("warp instructions per cycle", "IPC",
                per(t.instructions - before.instructions, cycles));
        counter("thread instructions per cycle", "IPC", per(t.threads - before.threads, cycles));
        const std::uint64_t accesses = t.l2_accesses - before.l2_accesses;
        counter("L2 hit rate", "%",
                accesses != 0 ? 100 - 100 * per(t.l2_misses - before.l2_misses, accesses) : 0);
        counter("DRAM utilisation", "%",
                100 * per(t.dram_busy - before.dram_busy, t.dram_cycles - before.dram_cycles));
        std::uint64_t ctas = 0, warps = 0;
        for (sm_state& s : sms) {
            const core::warp_table& table = s.block->warps();
            ctas += s.block->resident_ctas();
            warps += static_cast<unsigned>(__builtin_popcountll(table.resident));
            if (table.resident == 0 && s.warps.empty()) continue;
            s.warps.resize(table.warp.size());
            for (unsigned w = 0; w < table.warp.size(); ++w) {
                const bool resident = (table.resident & core::warp_bit(w)) != 0;
                const warp_wait why = resident ? s.block->why_waiting(w) : warp_wait::nothing;
                warp_run& run = s.warps[w];
                if (why == run.why) continue;
                write_wait(s, w, run, now);
                run = {why, now, table.warp[w].last_pc};
            }
        }
        counter("resident CTAs", "CTAs", static_cast<double>(ctas));
        counter("resident warps", "warps", static_cast<double>(warps));
        before = t;
        last_sample = now;
    }

    void finish() {
        if (finished) return;
        now = device.core_cycles();  // first cycle that has not been simulated
        follow_kernels();
        finished = true;
        for (const kernel_run& k : kernels) write_kernel(k, now);
        for (sm_state& s : sms) {
            for (const auto& [slot, cta] : s.ctas) write_cta(s, slot, cta, now);
            for (unsigned w = 0; w < s.warps.size(); ++w)
                write_wait(s, w, s.warps[w], std::min(now, window.to));
        }
        write_calls();
        if (waits > max_waits || requests >= max_requests || calls_made > max_calls ||
            engine_events > max_engine)
            out.note(fmt::format("{} stall intervals, {} calls, {} events of engines and some "
                                 "requests are missing: "
                                 "choose a larger --timeline-sample or a --timeline-window",
                                 waits - std::min(waits, max_waits),
                                 calls_made - std::min(calls_made, max_calls),
                                 engine_events - std::min(engine_events, max_engine)),
                     notes, time(now));
        out.commit();
    }

    std::string remark() const {
        if (window.from < now) return {};
        return beyond_the_end("--timeline-window", file, window.from, now);
    }

    static constexpr std::uint64_t never = ~std::uint64_t{0};
    static constexpr std::uint64_t requests_per_interval = 32;
    /// The first sample of a kernel is taken after this fraction of an interval.
    static constexpr std::uint64_t first_samples = 64;
    static constexpr trace_events::place notes{counters_track, 0};
    // Viewers load some hundred megabytes: about 130 bytes per stall and 2 KB per request.
    static constexpr std::uint64_t max_waits = 1000000;
    static constexpr std::uint64_t max_requests = 50000;
    static constexpr std::uint64_t max_calls = 200000;
    static constexpr std::uint64_t max_engine = 500000;

    gpu& device;
    cycle_window window;
    std::uint64_t interval, request_interval;
    std::uint64_t step;  // core cycles until the next sample
    double picoseconds;  // period of the core clock
    const std::string file;
    trace_events out;
    bool finished = false;
    std::uint64_t now = 0;
    std::uint64_t next_sample = 0, last_sample = window.from, next_request = 0;
    std::uint64_t waits = 0, requests = 0;
    std::uint64_t engine_events = 0;
    totals before;
    std::vector<kernel_run> kernels;  // running
    std::vector<sm_state> sms;
    std::map<std::uint64_t, std::size_t> streams;
    std::mutex calls_mutex;  // protects the following two members
    std::vector<host_activity> calls;
    std::uint64_t calls_made = 0;
    std::array<std::vector<std::uint64_t>, hop_kinds> hop_rows;  // end time of the last hop, by row
    std::map<std::pair<unsigned, unsigned>, bool> named_slots;
};

timeline_writer::timeline_writer(gpu& device, const run_config& how)
    : recording_(std::make_unique<recording>(device, how)) {}

timeline_writer::~timeline_writer() {
    try {
        finish();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "simtlm: %s\n", e.what());
    }
}

void timeline_writer::add(const host_activity& activity) {
    if (activity.what == host_activity::kind::call) return recording_->note_call(activity);
    if (!recording_->finished) recording_->write_command(activity);
}

void timeline_writer::finish() {
    recording_->finish();
}

std::string timeline_writer::remark() const {
    return recording_->remark();
}

std::unique_ptr<timeline_writer> attach_timeline(gpu& device, const run_config& how) {
    if (how.timeline.empty()) return nullptr;
    return std::make_unique<timeline_writer>(device, how);
}

}  // namespace simtlm::platform
