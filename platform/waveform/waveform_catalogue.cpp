// SPDX-License-Identifier: Apache-2.0
#include "platform/waveform/waveform_catalogue.h"

#include "platform/gpu/gpu_blocks.h"

#include <utility>

namespace simtlm::platform {

using waveforms::waveform;

waveform_catalogue::waveform_catalogue(gpu& device, waveform& wave) : wave_(wave) {
    add_clocks(device);
    signals_.emplace(device, *this);
}

void waveform_catalogue::add(waveform::signal s, display shown) {
    const std::size_t index = wave_.signals();
    s.group = activity_;
    if (wave_.add(std::move(s))) entries_.push_back({index, group_, shown});
}

void waveform_catalogue::level(const std::string& name, unsigned width, unsigned domains,
                               display shown, reader read, waveforms::enumeration* names) {
    waveform::signal s;
    s.name = name;
    s.width = width;
    s.domains = domains;
    s.read = std::move(read);
    s.names = names;
    add(std::move(s), shown);
}

void waveform_catalogue::events(const std::string& name, unsigned width, unsigned domain,
                                reader read) {
    waveform::signal s;
    s.name = name;
    s.width = width;
    s.what = waveform::kind::counter;
    s.domains = 1u << domain;
    s.read = std::move(read);
    add(std::move(s), width == 1 ? display::bit : display::decimal);
}

void waveform_catalogue::real(const std::string& name, unsigned domains,
                              std::function<double()> read) {
    waveform::signal s;
    s.name = name;
    s.what = waveform::kind::real;
    s.domains = domains;
    s.read = [read = std::move(read)] { return waveform::bits_of(read()); };
    add(std::move(s), display::real);
}

void waveform_catalogue::add_clocks(gpu& device) {
    const std::string base = std::string(device.name()) + ".clocks.";
    const clock_config& f = device.config().clocks;
    const std::pair<const char*, double> clocks[] = {
        {"core", f.core}, {"icnt", f.network}, {"l2", f.l2}, {"dram", f.dram}};
    for (unsigned d = 0; d < protocol::clock_domains; ++d) {
        clocks_.push_back(base + clocks[d].first);
        wave_.add_clock(d, clocks_.back(),
                        sc_core::sc_time(1.0 / clocks[d].second, sc_core::SC_SEC));
    }
}

}  // namespace simtlm::platform
