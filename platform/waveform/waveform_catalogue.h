// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/cache_statistics.h"
#include "modules/kernel/waveform.h"
#include "modules/memory/dram_command.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::core {
class sm;
class simt_cluster;
}  // namespace simtlm::core
namespace simtlm::memory {
class memory_sub_partition;
}  // namespace simtlm::memory

namespace simtlm::platform {

class gpu;

/// How a signal is shown in the save file.
enum class display : std::uint8_t { bit, decimal, hexadecimal, named, level };

/// The signals of a GPU: their names, what they read, and how they are shown.
class waveform_catalogue {
public:
    /// Adds all signals of a GPU to a waveform, which keeps those in its scope.
    waveform_catalogue(gpu& device, kernel::waveform& wave);
    ~waveform_catalogue();

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

private:
    class bank_watch;
    using reader = std::function<std::uint64_t()>;

    kernel::enumeration& make_enumeration(const std::string& name,
                                          std::vector<std::string> names = {});
    void level(const std::string& name, unsigned width, unsigned domains, display shown,
               reader read, kernel::enumeration* names = nullptr);
    /// A count that is shown as its growth per cycle of one domain.
    void events(const std::string& name, unsigned width, unsigned domain, reader read);
    void add(kernel::waveform::signal s, display shown);
    /// The blocks that change the signals added from now on, in all ways that these signals show.
    void changed_by(const std::vector<std::string>& blocks, std::function<bool()> moving = {}) {
        activity_ = wave_.group(blocks, std::move(moving));
    }

    void add_clocks(gpu& device);
    void add_cluster(gpu& device, core::simt_cluster& cluster, unsigned number);
    void add_sm(gpu& device, core::sm& sm);
    void add_front_end(core::sm& sm, const std::string& base);
    void add_schedulers(gpu& device, core::sm& sm, const std::string& base);
    void add_execution(core::sm& sm, const std::string& base);
    void add_load_store(core::sm& sm, const std::string& base, const std::string& network);
    void add_partition(gpu& device, unsigned number);
    void add_l2(gpu& device, const memory::memory_sub_partition& sub, const std::string& base);
    void add_dram(gpu& device, unsigned channel, const std::string& base);
    void add_network_port(gpu& device, const std::string& base, unsigned port, bool of_cluster);
    void add_cache(const std::string& base, unsigned domain, const cache::cache_statistics& s);

    kernel::waveform& wave_;
    std::vector<entry> entries_;
    std::vector<std::string> clocks_;
    std::vector<std::unique_ptr<kernel::enumeration>> enumerations_;
    std::vector<std::unique_ptr<bank_watch>> watches_;
    std::string group_;
    unsigned activity_ = 0;  // of the signals added now, see changed_by()
    kernel::enumeration* opcode_ = nullptr;
    kernel::enumeration* issue_state_ = nullptr;
    kernel::enumeration* stall_ = nullptr;
    kernel::enumeration* row_command_ = nullptr;
    kernel::enumeration* column_command_ = nullptr;
    kernel::enumeration* bank_state_ = nullptr;
};

}  // namespace simtlm::platform
