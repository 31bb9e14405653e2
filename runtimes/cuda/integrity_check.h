// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace simtlm::cuda {

using digest = std::array<unsigned char, 16>;

/// MD2 (RFC 1319).
digest md2(std::string_view message);
/// HMAC (RFC 2104) with MD2, for keys of 16 bytes.
digest hmac_md2(const digest& key, std::string_view message);

/// What NVIDIA's runtime asks a driver when it begins, to learn whether both see the same process,
/// the same tables of functions and the same GPUs.
struct integrity_question {
    unsigned driver_version = 0;   ///< of cuDriverGetVersion
    unsigned runtime_version = 0;  ///< of the caller; its last digit counts the questions
    unsigned process = 0;
    unsigned thread = 0;  ///< the low half of pthread_self()
    const void* runtime_table = nullptr;
    const void* check_table = nullptr;
    const void* check_function = nullptr;
    std::uint64_t seconds = 0;  ///< since 1970
    struct gpu {
        std::array<char, 16> uuid;
        int pci_domain, pci_bus, pci_device;
    };
    std::vector<gpu> gpus;
};

/// The answer that NVIDIA's runtime 13.0 expects. What is known of it was published by the ZLUDA
/// project.
digest integrity_answer(const integrity_question& q);

}  // namespace simtlm::cuda
