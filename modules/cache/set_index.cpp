// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/set_index.h"

#include <array>

namespace simtlm::cache {

namespace {

/// Bit i of the hash is the parity of the address bits in row i (a column of the H matrix).
template <std::size_t Bits>
unsigned parities(std::uint64_t bits, const std::array<std::uint32_t, Bits>& rows) {
    unsigned hash = 0;
    for (unsigned i = 0; i < Bits; ++i)
        hash |= static_cast<unsigned>(__builtin_parityll(bits & rows[i])) << i;
    return hash;
}

/// Table-based variant: looks up the hash of the lowest 24 bits byte by byte.
class parity_table {
public:
    template <std::size_t Bits>
    constexpr explicit parity_table(const std::array<std::uint32_t, Bits>& rows) {
        for (unsigned byte = 0; byte < 3; ++byte)
            for (unsigned bit = 0; bit < 8; ++bit) {
                unsigned column = 0;
                for (unsigned i = 0; i < Bits; ++i)
                    column |= (rows[i] >> (8 * byte + bit) & 1u) << i;
                for (unsigned value = 0; value < 256; ++value)
                    if ((value >> bit & 1u) != 0)
                        hash_[byte][value] = static_cast<std::uint8_t>(hash_[byte][value] ^ column);
            }
    }
    unsigned operator()(std::uint64_t bits) const {
        return hash_[0][bits & 255] ^ hash_[1][bits >> 8 & 255] ^ hash_[2][bits >> 16 & 255];
    }

private:
    std::uint8_t hash_[3][256] = {};
};

constexpr parity_table ipoly_16(std::array<std::uint32_t, 4>{0xf59, 0x11eb, 0x3d6, 0x7ac});
constexpr parity_table ipoly_32(std::array<std::uint32_t, 5>{0x3e69, 0x7cd2, 0x47cd, 0xf9a,
                                                             0x1f34});
constexpr parity_table ipoly_64(std::array<std::uint32_t, 6>{0x79461, 0xbca3, 0x17946, 0x2f28c,
                                                             0x5e518, 0x3ca30});

constexpr std::array<std::uint32_t, 5> pae_page = {0x2621, 0x1842, 0x4384, 0xd08, 0x1330};
constexpr std::array<std::uint32_t, 5> pae_bank = {0x08, 0x0c, 0x06, 0x04, 0x13};

constexpr unsigned sectors_log2 = 2;
static_assert(1u << sectors_log2 == sectors_per_line);

unsigned log2_floor(std::uint64_t n) {
    return n < 2 ? 0 : 63u - static_cast<unsigned>(__builtin_clzll(n));
}

}  // namespace

unsigned ipoly_hash(std::uint64_t higher_bits, unsigned index, unsigned buckets) {
    switch (buckets) {
        case 16:
            return (index & 15) ^ ipoly_16(higher_bits);
        case 32:
            return (index & 31) ^ ipoly_32(higher_bits);
        case 64:
            return (index & 63) ^ ipoly_64(higher_bits);
        default:
            return index;
    }
}

unsigned bitwise_hash(std::uint64_t higher_bits, unsigned index, unsigned buckets) {
    return index ^ static_cast<unsigned>(higher_bits & (buckets - 1));
}

unsigned pae_hash(std::uint64_t higher_bits, unsigned index, unsigned buckets) {
    if (buckets != 32) return index;
    return parities(higher_bits, pae_page) ^ parities(index & 31, pae_bank);
}

unsigned fermi_hash(std::uint64_t address, unsigned line_log2, unsigned sets) {
    const auto bit = [address](unsigned from, unsigned to) {
        return static_cast<unsigned>(address >> from & 1u) << to;
    };
    const auto lower = static_cast<unsigned>(address >> line_log2) & 0x1f;
    const unsigned upper = (static_cast<unsigned>(address >> 13) & 0x7) | bit(17, 3) | bit(19, 4);
    return (lower ^ upper) | (sets == 64 ? bit(12, 5) : 0u);
}

unsigned folded(std::uint64_t number, unsigned bits) {
    if (bits == 0) return 0;
    if ((bits & (bits - 1)) == 0) {
        for (unsigned half = 32; half >= bits; half /= 2) number ^= number >> half;
        return static_cast<unsigned>(number) & ((1u << bits) - 1);
    }
    unsigned hash = 0;
    for (; number != 0; number >>= bits) hash ^= static_cast<unsigned>(number) & ((1u << bits) - 1);
    return hash;
}

set_index::set_index(set_index_function function, unsigned buckets, unsigned unit_bytes)
    : function_(function),
      buckets_(buckets),
      unit_log2_(log2_floor(unit_bytes)),
      buckets_log2_(log2_floor(buckets)) {}

unsigned set_index::hashed(std::uint64_t address) const {
    const std::uint64_t higher_bits = address >> (unit_log2_ + buckets_log2_);
    const unsigned index = static_cast<unsigned>(address >> unit_log2_) & (buckets_ - 1);
    switch (function_) {
        case set_index_function::linear:
            return index;
        case set_index_function::bitwise_xor:
            return bitwise_hash(higher_bits, index, buckets_);
        case set_index_function::ipoly:
            return ipoly_hash(higher_bits, index, buckets_);
        case set_index_function::fermi_hash:
            return fermi_hash(address, unit_log2_, buckets_);
        case set_index_function::folded_lines:
            return folded(address >> (unit_log2_ + sectors_log2), buckets_log2_ - sectors_log2)
                       << sectors_log2 |
                   (index & (sectors_per_line - 1));
        case set_index_function::custom:
            return 0;  // placeholder for a user's function, as in GPGPU-Sim
    }
    return index;
}

}  // namespace simtlm::cache
