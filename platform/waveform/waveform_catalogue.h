// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/waveforms/signal_list.h"
#include "platform/gpu/gpu_signals.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::platform {

class gpu;

using waveforms::display;

/// The signals of a GPU in a waveform: the recorded ones and their display attributes.
class waveform_catalogue final : public waveforms::signal_list {
public:
    /// Adds all signals of a GPU to a waveform, which keeps those in its scope.
    waveform_catalogue(gpu& device, waveforms::waveform& wave);

    /// Position of a recorded signal in the save file.
    struct entry {
        std::size_t signal;  ///< index in the waveform
        std::string group;   ///< group in the save file; '/' separates levels
        display shown;
    };
    const std::vector<entry>& entries() const { return entries_; }
    /// Names of the recorded clocks.
    const std::vector<std::string>& clocks() const { return clocks_; }

    // ---- waveforms::signal_list, called by blocks that register their signals ----
    bool wants(const std::string& name) const override { return wave_.wants(name); }
    void group(const std::string& path) override { group_ = path; }
    void changed_by(const std::vector<std::string>& blocks,
                    std::function<bool()> moving = {}) override {
        activity_ = wave_.group(blocks, std::move(moving));
    }
    void level(const std::string& name, unsigned width, unsigned domains, display shown,
               reader read, waveforms::enumeration* names = nullptr) override;
    void events(const std::string& name, unsigned width, unsigned domain, reader read) override;
    void real(const std::string& name, unsigned domains, std::function<double()> read) override;

private:
    void add(waveforms::waveform::signal s, display shown);

    void add_clocks(gpu& device);

    waveforms::waveform& wave_;
    std::vector<entry> entries_;
    std::vector<std::string> clocks_;
    std::string group_;
    unsigned activity_ = 0;               // of the signals being added, see changed_by()
    std::optional<gpu_signals> signals_;  // owns what the signals read
};

}  // namespace simtlm::platform
