// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/memory_transaction.h"
#include "platform/gpu/external_memory.h"

#include <array>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>

namespace simtlm::platform {

/// Data and byte enables of the requests to an external memory (external_memory::data).
class payload_data {
public:
    /// Source of device memory contents for memory_data::values. @return false if there are none
    using contents = std::function<bool(std::uint64_t address, unsigned bytes, unsigned char* to)>;

    explicit payload_data(memory_data what) : what_(what) {}
    void set_contents(contents c) { contents_ = std::move(c); }

    /// Sets up data and byte enables of a request; valid until the payload is reused.
    void prepare(tlm::tlm_generic_payload& payload, std::uint64_t device_address);

private:
    struct buffer {
        std::array<unsigned char, 128> data, enables;
    };

    const memory_data what_;
    contents contents_;
    std::array<unsigned char, 128> disabled_{}, zeros_{};
    std::array<unsigned char, 128> ignored_{};                       // sink for read data
    std::unordered_map<tlm::tlm_generic_payload*, buffer> buffers_;  // if the contents matter
};

}  // namespace simtlm::platform
