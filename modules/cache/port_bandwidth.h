// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm::cache {

/// Bandwidth of the data port and the fill port of a cache: each moves a number of bytes per cycle,
/// and is busy while a transfer takes place.
class port_bandwidth {
public:
    explicit port_bandwidth(unsigned bytes_per_cycle) : width_(bytes_per_cycle) {}

    /// Occupies the data port for a hit; the last beat may be partly filled.
    void use_data_port(unsigned bytes) { data_ += (bytes + width_ - 1) / width_; }
    /// Occupies the data port for an evicted line, in full beats.
    void use_data_port_for_eviction(unsigned bytes) { data_ += bytes / width_; }
    void use_fill_port(unsigned bytes) { fill_ += bytes / width_; }
    /// Starts the next cycle.
    void replenish() {
        data_ -= data_ != 0 ? 1 : 0;
        fill_ -= fill_ != 0 ? 1 : 0;
    }
    bool data_port_free() const { return data_ == 0; }
    bool fill_port_free() const { return fill_ == 0; }

    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(data_, fill_);
    }

private:
    unsigned width_;
    unsigned data_ = 0;  // cycles
    unsigned fill_ = 0;  // cycles
};

}  // namespace simtlm::cache
