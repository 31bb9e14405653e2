// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/waveforms/signal_list.h"

#include <memory>
#include <string>
#include <vector>

namespace simtlm::core {
class simt_cluster;
}  // namespace simtlm::core
namespace simtlm::memory {
class memory_sub_partition;
}  // namespace simtlm::memory

namespace simtlm::power {
class energy_meter;
}  // namespace simtlm::power

namespace simtlm::platform {

class gpu;
using waveforms::display;

/// Registers the signals of a GPU: names, value functions and display attributes, as listed in
/// docs/waveforms.md. Must live as long as the signals are sampled.
class gpu_signals {
public:
    /// Registers the signals that the list selects.
    gpu_signals(gpu& device, waveforms::signal_list& list);
    ~gpu_signals();
    gpu_signals(const gpu_signals&) = delete;
    gpu_signals& operator=(const gpu_signals&) = delete;

private:
    class bank_watch;

    void add_power(gpu& device, power::energy_meter& meter);
    void add_part_power(power::energy_meter& meter, const std::string& name,
                        const std::string& block);
    void add_cluster(gpu& device, core::simt_cluster& cluster, unsigned number);
    void add_partition(gpu& device, unsigned number);
    void add_l2(gpu& device, const memory::memory_sub_partition& sub, const std::string& base);
    void add_dram(gpu& device, unsigned channel, const std::string& base, const std::string& group);
    void add_network_port(gpu& device, const std::string& base, unsigned port, bool of_cluster);

    waveforms::signal_list& list_;
    std::vector<std::unique_ptr<bank_watch>> watches_;
    waveforms::enumeration* row_command_ = nullptr;
    waveforms::enumeration* column_command_ = nullptr;
    waveforms::enumeration* bank_state_ = nullptr;
};

}  // namespace simtlm::platform
