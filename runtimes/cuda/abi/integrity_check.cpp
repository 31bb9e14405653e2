// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/abi/integrity_check.h"

#include "modules/sass/byte_writer.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

namespace simtlm::cuda {

namespace {

using simtlm::sass::append;

constexpr std::size_t block_bytes = 16;

/// The permutation of RFC 1319, derived from the digits of pi.
constexpr unsigned char substitution[256] = {
    41,  46,  67,  201, 162, 216, 124, 1,   61,  54,  84,  161, 236, 240, 6,   19,  98,  167, 5,
    243, 192, 199, 115, 140, 152, 147, 43,  217, 188, 76,  130, 202, 30,  155, 87,  60,  253, 212,
    224, 22,  103, 66,  111, 24,  138, 23,  229, 18,  190, 78,  196, 214, 218, 158, 222, 73,  160,
    251, 245, 142, 187, 47,  238, 122, 169, 104, 121, 145, 21,  178, 7,   63,  148, 194, 16,  137,
    11,  34,  95,  33,  128, 127, 93,  154, 90,  144, 50,  39,  53,  62,  204, 231, 191, 247, 151,
    3,   255, 25,  48,  179, 72,  165, 181, 209, 215, 94,  146, 42,  172, 86,  170, 198, 79,  184,
    56,  210, 150, 164, 125, 182, 118, 252, 107, 226, 156, 116, 4,   241, 69,  157, 112, 89,  100,
    113, 135, 32,  134, 91,  207, 101, 230, 45,  168, 2,   27,  96,  37,  173, 174, 176, 185, 246,
    28,  70,  97,  105, 52,  64,  126, 15,  85,  71,  163, 35,  221, 81,  175, 58,  195, 92,  249,
    206, 186, 197, 234, 38,  44,  83,  13,  110, 133, 40,  132, 9,   211, 223, 205, 244, 65,  129,
    77,  82,  106, 220, 55,  200, 108, 193, 171, 250, 36,  225, 123, 8,   12,  189, 177, 74,  120,
    136, 149, 139, 227, 99,  232, 109, 233, 203, 213, 254, 59,  0,   29,  57,  242, 239, 183, 14,
    102, 88,  208, 228, 166, 119, 114, 248, 235, 117, 75,  10,  49,  68,  80,  180, 143, 237, 31,
    26,  219, 153, 141, 51,  159, 17,  131, 20};

}  // namespace

digest md2(std::string_view message) {
    std::string padded(message);
    const std::size_t pad = block_bytes - padded.size() % block_bytes;
    padded.append(pad, static_cast<char>(pad));

    digest checksum{};
    unsigned last = 0;
    for (std::size_t at = 0; at < padded.size(); at += block_bytes)
        for (std::size_t i = 0; i < block_bytes; ++i) {
            const auto c = static_cast<unsigned char>(padded[at + i]);
            checksum[i] = static_cast<unsigned char>(checksum[i] ^ substitution[c ^ last]);
            last = checksum[i];
        }
    append(padded, checksum);

    constexpr unsigned rounds = 18;
    std::array<unsigned char, 3 * block_bytes> state{};
    for (std::size_t at = 0; at < padded.size(); at += block_bytes) {
        for (std::size_t i = 0; i < block_bytes; ++i) {
            state[block_bytes + i] = static_cast<unsigned char>(padded[at + i]);
            state[2 * block_bytes + i] =
                static_cast<unsigned char>(state[i] ^ state[block_bytes + i]);
        }
        unsigned t = 0;
        for (unsigned round = 0; round < rounds; ++round) {
            for (unsigned char& s : state) {
                s = static_cast<unsigned char>(s ^ substitution[t]);
                t = s;
            }
            t = (t + round) % 256;
        }
    }
    digest d;
    std::copy_n(state.begin(), d.size(), d.begin());
    return d;
}

digest hmac_md2(const digest& key, std::string_view message) {
    std::string inner, outer;
    for (const unsigned char k : key) {
        inner += static_cast<char>(k ^ 0x36);
        outer += static_cast<char>(k ^ 0x5c);
    }
    inner.append(message);
    append(outer, md2(inner));
    return md2(outer);
}

digest integrity_answer(const integrity_question& q, const digest& key) {
    std::string message;
    append(message, q.driver_version);
    append(message, q.runtime_version);
    append(message, q.process);
    append(message, q.thread);
    append(message, q.runtime_table);
    append(message, q.check_table);
    append(message, q.check_function);
    append(message, q.seconds);
    for (const integrity_question::gpu& g : q.gpus) {
        append(message, g.uuid);
        append(message, g.pci_domain);
        append(message, g.pci_bus);
        append(message, g.pci_device);
    }
    return hmac_md2(key, message);
}

std::optional<digest> read_integrity_key(std::string_view text) {
    digest key{};
    if (text.size() != 2 * key.size()) return {};
    for (std::size_t i = 0; i < key.size(); ++i) {
        const char* const from = text.data() + 2 * i;
        const auto [end, error] = std::from_chars(from, from + 2, key[i], 16);
        if (error != std::errc() || end != from + 2) return {};
    }
    return key;
}

}  // namespace simtlm::cuda
