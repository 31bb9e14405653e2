// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
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

/// The answer that NVIDIA's runtime 13.0 expects: HMAC-MD2 of the question's words. What is known
/// of it was published by the ZLUDA project.
/// @param key  of NVIDIA's driver; simtlm has none of its own
digest integrity_answer(const integrity_question& q, const digest& key);
/// A key written as 32 hexadecimal digits, none: it is not written so.
std::optional<digest> read_integrity_key(std::string_view text);

}  // namespace simtlm::cuda
