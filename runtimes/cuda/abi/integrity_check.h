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
/// HMAC (RFC 2104) with MD2, for 16-byte keys.
digest hmac_md2(const digest& key, std::string_view message);

/// Query of NVIDIA's runtime at its start, to verify that runtime and driver use the same process,
/// tables of functions and GPUs.
struct integrity_question {
    unsigned driver_version = 0;   ///< as returned by cuDriverGetVersion
    unsigned runtime_version = 0;  ///< of the caller; the last digit counts the queries
    unsigned process = 0;
    unsigned thread = 0;  ///< low half of pthread_self()
    const void* runtime_table = nullptr;
    const void* check_table = nullptr;
    const void* check_function = nullptr;
    std::uint64_t seconds = 0;  ///< since 1970
    /// A GPU as the runtime identifies it.
    struct gpu {
        std::array<char, 16> uuid;
        int pci_domain, pci_bus, pci_device;
    };
    std::vector<gpu> gpus;
};

/// The answer expected by NVIDIA's runtime 13.0: HMAC-MD2 of the words of the query. The algorithm
/// was published by the ZLUDA project.
/// @param key  of NVIDIA's driver; this project does not include one
digest integrity_answer(const integrity_question& q, const digest& key);
/// Parses a key of 32 hexadecimal digits; nothing if the text has another form.
std::optional<digest> read_integrity_key(std::string_view text);

}  // namespace simtlm::cuda
