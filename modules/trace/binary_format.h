// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

// The layout of a binary kernel trace; modules/trace/README.md tells it in words.
namespace simtlm::trace {

inline constexpr char binary_magic[8] = {'\x89', 's', 'i', 'm', 't', 'l', 'm', '\n'};
inline constexpr std::uint32_t binary_version = 1;
inline constexpr std::uint32_t binary_byte_order = 0x01020304;
inline constexpr const char* binary_suffix = ".simtlm";

/// The first bytes of a file.
struct binary_head {
    char magic[8] = {};
    std::uint32_t version = 0;
    std::uint32_t byte_order = 0;
};
static_assert(sizeof(binary_head) == 16);

/// Thread blocks follow the head one after the other; this is where one of them ends.
struct binary_block_entry {
    std::uint64_t end = 0;  ///< in the file
    std::uint64_t checksum = 0;
};
static_assert(sizeof(binary_block_entry) == 16);

/// The last bytes of a file. Sections lie between the blocks and it, without gaps.
struct binary_tail {
    std::uint64_t header_at = 0;   ///< header lines as text
    std::uint64_t statics_at = 0;  ///< the different instructions
    std::uint64_t index_at = 0;    ///< a binary_block_entry per thread block
    std::uint64_t static_count = 0;
    std::uint64_t block_count = 0;
    std::uint64_t header_checksum = 0;
    std::uint64_t statics_checksum = 0;
    std::uint64_t index_checksum = 0;
    std::uint64_t file_bytes = 0;
    std::uint64_t checksum = 0;  ///< of what is in front of it
};
static_assert(sizeof(binary_tail) == 80);

inline constexpr std::size_t tail_bytes_checked = sizeof(binary_tail) - sizeof(std::uint64_t);

/// How an execution is written: a byte, and after it, in this order, what the byte says.
namespace execution_tag {
inline constexpr unsigned next = 1;        ///< the instruction after the last one; else a signed
inline constexpr unsigned same_mask = 2;   ///< the mask of the last one; else four bytes
inline constexpr unsigned mode_shift = 2;  ///< two bits: a recorded_mode
/// Without addresses: four bits, how many executions follow that are the next instruction with the
/// same mask and no addresses; 15: a number follows, to be added.
inline constexpr unsigned run_shift = 4;
inline constexpr unsigned long_run = 15;
inline constexpr unsigned longest_run = 1023;  ///< bounds what a short file can ask for
/// With addresses: those bits are 0 but for this one: stride, or distances of the lanes, are those
/// that the same instruction had last in this block.
inline constexpr unsigned same_shape = 16;
}  // namespace execution_tag

/// Every step can be undone, so that a change of up to eight bytes in a row never goes unseen.
inline std::uint64_t checksum_of(const void* data, std::size_t n) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15ull;
    std::uint64_t h = n * odd;
    const auto add = [&h](std::uint64_t word) {
        h = (h ^ word) * odd;
        h ^= h >> 32;
    };
    for (; n >= 8; n -= 8, bytes += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes, 8);
        add(word);
    }
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, n);
    add(word);
    return h;
}

/// Signed numbers near zero become small ones.
constexpr std::uint64_t folded(std::uint64_t value) {
    return (value << 1) ^ (0 - (value >> 63));
}
constexpr std::uint64_t unfolded(std::uint64_t value) {
    return (value >> 1) ^ (0 - (value & 1));
}

/// Seven bits a byte, the low ones first; the high bit tells that more follow.
inline void put_number(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
    out.push_back(static_cast<char>(value));
}
inline void put_signed(std::string& out, std::uint64_t value) {
    put_number(out, folded(value));
}

}  // namespace simtlm::trace
