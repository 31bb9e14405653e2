// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/signal_trace.h"

#include "modules/waveforms/waveform.h"
#include "platform/gpu/gpu_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace simtlm::platform {

namespace {
std::uint64_t largest_of(unsigned width) {
    return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}
}  // namespace

signal_trace::signal_trace(gpu& device, sc_core::sc_trace_file& file, std::string scope)
    : file_(file), scope_(std::move(scope)) {
    signals_.emplace(device, *this);
    if (signals() != 0) device.sequencer().observe(this);
}

void signal_trace::level(const std::string& name, unsigned width, unsigned domains, display,
                         reader read, waveforms::enumeration*) {
    add(name, width, {std::move(read), domains, 0, false, 0, 0});
}

void signal_trace::events(const std::string& name, unsigned width, unsigned domain, reader read) {
    add(name, width, {std::move(read), 1u << domain, 0, true, 0, 0});
}

void signal_trace::real(const std::string& name, unsigned domains, std::function<double()> read) {
    if (!is_below(name, scope_)) return;
    real_entries_.push_back({std::move(read), domains, 0});
    sc_core::sc_trace(&file_, real_entries_.back().value, name);
}

void signal_trace::add(const std::string& name, unsigned width, entry e) {
    if (!is_below(name, scope_)) return;
    e.largest = largest_of(width);
    if (e.counter) e.counted = e.read();
    entries_.push_back(std::move(e));
    sc_core::sc_trace(&file_, entries_.back().value, name, static_cast<int>(width));
}

void signal_trace::phases_ended(unsigned ticked) {
    for (entry& e : entries_) {
        if ((e.domains & ticked) == 0) continue;
        std::uint64_t value = e.read();
        if (e.counter) value -= std::exchange(e.counted, value);
        e.value = value == waveforms::waveform::undriven ? value : std::min(value, e.largest);
    }
    for (real_entry& e : real_entries_)
        if ((e.domains & ticked) != 0) e.value = e.read();
}

void gpu_tracer::trace(sc_core::sc_trace_file& file, const sc_core::sc_object& block) {
    const request what{&file, block.name()};
    elaborated_ ? start(what) : requests_.push_back(what);
}

void gpu_tracer::elaborated() {
    elaborated_ = true;
    for (const request& what : requests_) start(what);
}

/// The signals of a DRAM channel are named after its partition.
std::string gpu_tracer::scope_of(const std::string& block) const {
    for (unsigned c = 0; c < device_.channels().size(); ++c)
        if (block == device_.channels()[c]->name())
            return std::string(device_.partitions()[c]->name()) + ".dram";
    return block;
}

void gpu_tracer::start(const request& what) {
    traces_.emplace_back(device_, *what.file, scope_of(what.block));
    if (traces_.back().signals() != 0) return;
    traces_.pop_back();
    SC_REPORT_WARNING("simtlm/trace",
                      fmt::format("{} has no signals (docs/waveforms.md)", what.block).c_str());
}

}  // namespace simtlm::platform
