// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

// The format of a binary kernel trace; described in modules/trace/README.md.
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

/// End of a thread block. Blocks follow the head without gaps.
struct binary_block_entry {
    std::uint64_t end = 0;  ///< offset in the file
    std::uint64_t checksum = 0;
};
static_assert(sizeof(binary_block_entry) == 16);

/// The last bytes of a file. Sections are between the blocks and the tail, without gaps.
struct binary_tail {
    std::uint64_t header_at = 0;   ///< offset of the header lines (text)
    std::uint64_t statics_at = 0;  ///< offset of the table of instructions
    std::uint64_t index_at = 0;    ///< offset of a binary_block_entry per thread block
    std::uint64_t static_count = 0;
    std::uint64_t block_count = 0;
    std::uint64_t header_checksum = 0;
    std::uint64_t statics_checksum = 0;
    std::uint64_t index_checksum = 0;
    std::uint64_t file_bytes = 0;
    std::uint64_t checksum = 0;  ///< of the preceding fields
};
static_assert(sizeof(binary_tail) == 80);

inline constexpr std::size_t tail_bytes_checked = sizeof(binary_tail) - sizeof(std::uint64_t);

/// Encoding of an execution: a byte with these fields, followed by the optional fields in this
/// order.
namespace execution_tag {
inline constexpr unsigned next = 1;  ///< the instruction after the previous one; otherwise a signed
                                     ///< number follows
inline constexpr unsigned same_mask = 2;   ///< the mask of the previous execution; otherwise four
                                           ///< bytes follow
inline constexpr unsigned mode_shift = 2;  ///< two bits: a recorded_mode
/// Without addresses: four bits with the number of further executions that are each the next
/// instruction with the same mask and without addresses; 15: a number to be added follows.
inline constexpr unsigned run_shift = 4;
inline constexpr unsigned long_run = 15;
inline constexpr unsigned longest_run = 1023;  ///< limits the expansion of a small file
/// With addresses: these bits are 0 except this one: the stride, or the distances of the lanes, are
/// the same as at the previous execution of the instruction in this block.
inline constexpr unsigned same_shape = 16;
}  // namespace execution_tag

/// Every step is reversible, so that any change of up to eight consecutive bytes is detected.
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

/// Zigzag encoding: maps signed numbers close to zero to small unsigned ones.
constexpr std::uint64_t folded(std::uint64_t value) {
    return (value << 1) ^ (0 - (value >> 63));
}
constexpr std::uint64_t unfolded(std::uint64_t value) {
    return (value >> 1) ^ (0 - (value & 1));
}

/// Appends a number with seven bits per byte, low bits first; the high bit is set if more bytes
/// follow.
inline void put_number(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
    out.push_back(static_cast<char>(value));
}
inline void put_signed(std::string& out, std::uint64_t value) {
    put_number(out, folded(value));
}

}  // namespace simtlm::trace
