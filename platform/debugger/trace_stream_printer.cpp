// SPDX-License-Identifier: Apache-2.0
#include "platform/debugger/trace_stream_printer.h"

#include "platform/debugger/instruction_text.h"
#include "platform/gpu/gpu_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <utility>

namespace simtlm::platform {

struct trace_stream_printer::recording : simulation::phase_sequencer::step_observer,
                                         core::cta_watcher,
                                         core::reply_observer {
    recording(gpu& d, const stream_config& w, std::function<void(std::string_view)> to)
        : device(d), what(w), write(std::move(to)) {
        watch_cores();
        watch_partitions();
        if (!what.has(trace_stream::liveness)) return;
        device.sequencer().observe(this);
    }

    template <class... Arguments>
    void line(trace_stream s, const std::string& where, fmt::format_string<Arguments...> text,
              Arguments&&... arguments) {
        write(fmt::format("GPGPU-Sim Cycle {}: {} - {} - {}\n", device.core_cycles(),
                          trace_stream_name(s), where,
                          fmt::format(text, std::forward<Arguments>(arguments)...)));
    }

    /// Streams WARP_SCHEDULER and SCOREBOARD of an SM.
    struct core_watch final : core::instruction_watcher {
        core_watch(recording& r, unsigned sm) : of(r), where(fmt::format("Core {}", sm)) {}
        void issued(core::warp_instruction& i) override {
            if (of.what.has(trace_stream::warp_scheduler))
                of.line(trace_stream::warp_scheduler, where,
                        "scheduler {} issues warp {}: {:#06x} {}, mask {:08x}", i.scheduler, i.warp,
                        i.info->pc, instruction_text(*i.info), i.active_mask);
            scores(i, "reserved");
        }
        void completed(const core::warp_instruction& i) override { scores(i, "released"); }
        void scores(const core::warp_instruction& i, const char* how) {
            if (!of.what.has(trace_stream::scoreboard)) return;
            for (unsigned d = 0; d < i.info->n_dst; ++d)
                if (i.info->dst[d] != program::register_zero)
                    of.line(trace_stream::scoreboard, where, "warp {} register {} is {}", i.warp,
                            i.info->dst[d], how);
        }
        recording& of;
        std::string where;
    };
    /// Stream MEMORY_PARTITION_UNIT of a channel.
    struct channel_watch final : memory::command_observer {
        channel_watch(recording& r, unsigned c) : of(r), where(std::to_string(c)) {}
        void command(std::uint64_t cycle, memory::dram_command kind, unsigned bank,
                     std::uint32_t row, std::uint32_t column) override {
            constexpr const char* names[] = {"activate", "precharge", "read", "write", "refresh"};
            of.line(trace_stream::memory_partition_unit, where,
                    "DRAM cycle {}: {} bank {} row {} column {}", cycle,
                    names[static_cast<unsigned>(kind)], bank, row, column);
        }
        recording& of;
        std::string where;
    };
    /// Stream MEMORY_SUBPARTITION_UNIT of an L2 slice.
    struct slice_watch final : cache::access_observer {
        slice_watch(recording& r, unsigned s) : of(r), where(std::to_string(s)) {}
        void accessed(const tlm::tlm_generic_payload& p, cache::access_outcome outcome) override {
            const auto* const e = p.get_extension<protocol::memory_extension>();
            of.line(trace_stream::memory_subpartition_unit, where,
                    "L2 access {} {:#x} of SM {} warp {}: {}",
                    e != nullptr ? protocol::access_type_name(e->type) : "external",
                    p.get_address(), e != nullptr ? e->sm : 0, e != nullptr ? e->warp : 0,
                    cache::access_outcome_name(outcome));
        }
        recording& of;
        std::string where;
    };

    void watch_cores() {
        const bool instructions =
            what.has(trace_stream::warp_scheduler) || what.has(trace_stream::scoreboard);
        for (const auto& c : device.clusters()) {
            if (what.has(trace_stream::interconnect)) c->watch_replies(*this);
            for (unsigned i = 0; i < c->sms(); ++i) {
                core::multiprocessor& m = c->core(i);
                if (what.has(trace_stream::liveness))
                    m.watch(static_cast<core::cta_watcher&>(*this));
                if (!instructions || (what.core >= 0 && static_cast<int>(m.id()) != what.core))
                    continue;
                cores.emplace_back(*this, m.id());
                m.watch(cores.back());
            }
        }
    }

    void watch_partitions() {
        for (unsigned p = 0; p < device.partitions().size(); ++p) {
            if (what.partition >= 0 && static_cast<int>(p) != what.partition) continue;
            if (what.has(trace_stream::memory_partition_unit)) {
                channels.emplace_back(*this, p);
                device.observe_commands(p, channels.back());
            }
            if (!what.has(trace_stream::memory_subpartition_unit)) continue;
            memory::memory_partition& partition = *device.partitions()[p];
            for (unsigned s = 0; s < partition.sub_partitions(); ++s) {
                slices.emplace_back(*this, partition.sub_partition(s).number());
                partition.sub_partition(s).observe(slices.back());
            }
            device.sequencer().stay_on_one_thread();
        }
    }

    // ---- INTERCONNECT ----
    void reply_received(const tlm::tlm_generic_payload& reply, std::uint64_t now) override {
        const auto* const e = reply.get_extension<protocol::memory_extension>();
        if (e == nullptr || (what.core >= 0 && e->sm != what.core)) return;
        line(trace_stream::interconnect, fmt::format("Core {}", e->sm),
             "reply {} {:#x} to warp {}: {} cycles after its creation, {} of them to the memory "
             "partition",
             protocol::access_type_name(e->type), reply.get_address(), e->warp,
             protocol::hop_times::between(e->when.created, now),
             protocol::hop_times::between(e->when.created, e->when.at_l2));
    }

    // ---- LIVENESS ----
    void cta_started(const core::multiprocessor& where, unsigned slot,
                     const core::kernel_context& kernel, const program::cta& block) override {
        line(trace_stream::liveness, fmt::format("Core {}", where.id()),
             "CTA ({},{},{}) of kernel {} begins in slot {}", block.index.x, block.index.y,
             block.index.z, kernel.launch, slot);
    }
    void cta_ended(const core::multiprocessor& where, unsigned slot) override {
        line(trace_stream::liveness, fmt::format("Core {}", where.id()),
             "the CTA of slot {} has ended", slot);
    }
    void step_ended(unsigned /*ticked*/) override {
        std::set<std::uint64_t> now;
        for (const auto& k : device.commands().ctas().running())
            if (k) now.insert(k->context.launch);
        if (now == kernels) return;
        for (const std::uint64_t launch : now)
            if (kernels.count(launch) == 0)
                line(trace_stream::liveness, "GPU", "kernel {} is launched", launch);
        for (const std::uint64_t launch : kernels)
            if (now.count(launch) == 0)
                line(trace_stream::liveness, "GPU", "kernel {} has ended", launch);
        kernels = std::move(now);
    }

    gpu& device;
    const stream_config what;
    const std::function<void(std::string_view)> write;
    std::deque<core_watch> cores;
    std::deque<channel_watch> channels;
    std::deque<slice_watch> slices;
    std::set<std::uint64_t> kernels;  // running launches
};

trace_stream_printer::trace_stream_printer(gpu& device, const stream_config& what,
                                           std::function<void(std::string_view)> write)
    : recording_(std::make_unique<recording>(device, what, std::move(write))) {}
trace_stream_printer::~trace_stream_printer() = default;

void trace_stream_printer::finish() {
    if (recording_->what.has(trace_stream::liveness)) recording_->step_ended(1);
}

std::unique_ptr<trace_stream_printer> attach_trace_streams(
    gpu& device, const stream_config& what, std::function<void(std::string_view)> write) {
    if (what.streams == 0) return nullptr;
    return std::make_unique<trace_stream_printer>(device, what, std::move(write));
}

}  // namespace simtlm::platform
