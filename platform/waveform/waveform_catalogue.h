// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/signal_list.h"
#include "modules/memory/dram_command.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::core {
class simt_cluster;
}  // namespace simtlm::core
namespace simtlm::memory {
class memory_sub_partition;
}  // namespace simtlm::memory

namespace simtlm::platform {

class gpu;

using kernel::display;

/// The signals of a GPU: their names, what they read, and how they are shown.
class waveform_catalogue final : public kernel::signal_list {
public:
    /// Adds all signals of a GPU to a waveform, which keeps those in its scope.
    waveform_catalogue(gpu& device, kernel::waveform& wave);
    ~waveform_catalogue() override;

    /// Where a recorded signal stands in the save file.
    struct entry {
        std::size_t signal;  ///< index among the waveform's
        std::string group;   ///< of the save file, '/' between levels
        display shown;
    };
    const std::vector<entry>& entries() const { return entries_; }
    const std::vector<std::unique_ptr<kernel::enumeration>>& enumerations() const {
        return enumerations_;
    }
    /// Names of the recorded clocks.
    const std::vector<std::string>& clocks() const { return clocks_; }

    // ---- for blocks that register their own ----
    bool wants(const std::string& name) const override { return wave_.wants(name); }
    void group(const std::string& path) override { group_ = path; }
    void changed_by(const std::vector<std::string>& blocks,
                    std::function<bool()> moving = {}) override {
        activity_ = wave_.group(blocks, std::move(moving));
    }
    kernel::enumeration& names(const std::string& name,
                               const std::vector<std::string>& values = {}) override;
    void level(const std::string& name, unsigned width, unsigned domains, display shown,
               reader read, kernel::enumeration* names = nullptr) override;
    void events(const std::string& name, unsigned width, unsigned domain, reader read) override;

private:
    class bank_watch;

    void add(kernel::waveform::signal s, display shown);

    void add_clocks(gpu& device);
    void add_cluster(gpu& device, core::simt_cluster& cluster, unsigned number);
    void add_partition(gpu& device, unsigned number);
    void add_l2(gpu& device, const memory::memory_sub_partition& sub, const std::string& base);
    void add_dram(gpu& device, unsigned channel, const std::string& base);
    void add_network_port(gpu& device, const std::string& base, unsigned port, bool of_cluster);

    kernel::waveform& wave_;
    std::vector<entry> entries_;
    std::vector<std::string> clocks_;
    std::vector<std::unique_ptr<kernel::enumeration>> enumerations_;
    std::vector<std::unique_ptr<bank_watch>> watches_;
    std::string group_;
    unsigned activity_ = 0;  // of the signals added now, see changed_by()
    kernel::enumeration* row_command_ = nullptr;
    kernel::enumeration* column_command_ = nullptr;
    kernel::enumeration* bank_state_ = nullptr;
};

}  // namespace simtlm::platform
