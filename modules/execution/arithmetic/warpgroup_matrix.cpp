// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/warpgroup_matrix.h"

#include "modules/execution/arithmetic/integer.h"
#include "modules/execution/arithmetic/matrix_lanes.h"

#include <algorithm>
#include <cstring>

namespace simtlm::execution::arithmetic {

namespace {

bool is_eight_bits(matrix_element e) {
    return storage_bits(e) == 8;
}
bool is_integer(matrix_element e) {
    return e == matrix_element::s8 || e == matrix_element::u8 || e == matrix_element::b1;
}

/// Row and column of D that a lane holds in a register, and the bits.
struct place_of_d {
    unsigned row, column;
};
place_of_d place_in_d(unsigned lane, unsigned pair, unsigned element) {
    return {lane / 4 + pair % 2 * 8, pair / 2 * 8 + lane % 4 * 2 + element};
}

}  // namespace

matrix_descriptor matrix_descriptor::decode(std::uint64_t bits) {
    const auto field = [bits](unsigned first, unsigned count) {
        return static_cast<std::uint32_t>(bits >> first & ((1u << count) - 1));
    };
    matrix_descriptor d;
    d.start = field(0, 14) << 4;
    d.leading = field(16, 14) << 4;
    d.stride = field(32, 14) << 4;
    d.phase = field(49, 3);
    constexpr std::uint32_t rows[] = {0, 128, 64, 32};
    d.swizzle = rows[field(62, 2)];
    d.wide_atoms = d.swizzle == 0 && field(61, 1) != 0;
    if (d.wide_atoms) d.swizzle = 128;
    return d;
}

/// 16-byte chunks are permuted according to the number of their 128-byte line.
std::uint32_t matrix_descriptor::swizzled(std::uint32_t address) const {
    if (swizzle == 0) return address;
    if (wide_atoms) return address ^ (((address >> 7) - phase) & 3) << 5;
    return address ^ (((address >> 7) - phase) & (swizzle / 16 - 1)) << 4;
}

std::uint32_t matrix_descriptor::k_major(unsigned row, unsigned k_byte) const {
    if (swizzle == 0)
        return start + row / 8 * stride + row % 8 * 16 + k_byte / 16 * leading + k_byte % 16;
    const unsigned line = row / 8 * stride + row % 8 * swizzle;
    if (continues && start % swizzle + k_byte >= swizzle)
        return swizzled(leading + line + start % swizzle + k_byte - swizzle);
    return swizzled(start + line + k_byte);
}

std::uint32_t matrix_descriptor::mn_major(unsigned row, unsigned k, unsigned bytes) const {
    const unsigned span = (swizzle == 0 ? 16 : swizzle) / bytes;
    if (swizzle == 0)
        return start + row / span * stride + row % span * bytes + k / 8 * leading + k % 8 * 16;
    const unsigned rows = wide_atoms ? 4 : 8;
    return swizzled(start + row / span * leading + row % span * bytes + k / rows * stride +
                    k % rows * swizzle);
}

unsigned warpgroup_description::storage_bits_in_memory() const {
    return storage_bits(a);
}

warpgroup_multiply::warpgroup_multiply(const warpgroup_description& description)
    : description_(description) {
    const unsigned most = is_eight_bits(description.a) ? 16 : 32;
    tile_ = description.n % most == 0 ? most : description.n % 16 == 0 ? 16 : 8;
    product_.shape = {rows, tile_, description.stored_k()};
    product_.a = description.a;
    product_.b = description.b;
    product_.c = product_.d = description.d;
    product_.sum = is_eight_bits(description.a) ? fp8_sum : hopper_sum;
}

void warpgroup_multiply::read_a(const std::uint32_t* const* registers, std::uint32_t* a) const {
    const unsigned bits = storage_bits(description_.a), each = 32 / bits;
    const unsigned k = description_.stored_k();
    const std::uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    for (unsigned r = 0; r < 4; ++r)
        for (unsigned lane = 0; lane < warp_lanes; ++lane)
            for (unsigned e = 0; e < each; ++e) {
                const unsigned row = lane / 4 + r % 2 * 8;
                const unsigned column = r / 2 * 4 * each + lane % 4 * each + e;
                a[row * k + column] = registers[r][lane] >> (e * bits) & mask;
            }
}

namespace {

constexpr unsigned chunk_bytes = 16;  ///< contiguous in every layout

/// Copies the elements of a chunk, `distance` words apart.
template <class Element>
void spread(const std::byte* chunk, std::uint32_t* to, std::size_t distance) {
    for (unsigned i = 0; i < chunk_bytes / sizeof(Element); ++i) {
        Element e;
        std::memcpy(&e, chunk + i * sizeof(Element), sizeof e);
        to[i * distance] = e;
    }
}

/// Reads the rows (of A, or columns of B) of a matrix. @param place  maps (row, k) to the
/// destination
/// @return false: some are outside of the `bytes` of shared memory
template <class Element, class Place>
bool read_matrix(const std::byte* shared, std::uint32_t bytes, const matrix_descriptor& at,
                 bool mn_major, unsigned first_row, unsigned count, unsigned k, Place place) {
    constexpr unsigned each = chunk_bytes / sizeof(Element);
    const auto move = [&](std::uint32_t from, std::uint32_t* to, std::uint32_t* next) {
        if (bytes < chunk_bytes || from > bytes - chunk_bytes) return false;
        spread<Element>(shared + from, to, static_cast<std::size_t>(next - to));
        return true;
    };
    if (mn_major) {
        for (unsigned p = 0; p < k; ++p)
            for (unsigned row = 0; row < count; row += each)
                if (!move(at.mn_major(first_row + row, p), place(row, p), place(row + 1, p)))
                    return false;
        return true;
    }
    for (unsigned row = 0; row < count; ++row)
        for (unsigned p = 0; p < k; p += each) {
            const auto k_byte = static_cast<unsigned>(p * sizeof(Element));
            if (!move(at.k_major(first_row + row, k_byte), place(row, p), place(row, p + 1)))
                return false;
        }
    return true;
}

/// The same for elements of any size.
template <class Place>
bool read_elements(matrix_element element, const std::byte* shared, std::uint32_t bytes,
                   const matrix_descriptor& at, bool mn_major, unsigned first_row, unsigned count,
                   unsigned k, Place place) {
    switch (storage_bits(element)) {
        case 8:
            return read_matrix<std::uint8_t>(shared, bytes, at, mn_major, first_row, count, k,
                                             place);
        case 16:
            return read_matrix<std::uint16_t>(shared, bytes, at, mn_major, first_row, count, k,
                                              place);
        default:
            return read_matrix<std::uint32_t>(shared, bytes, at, mn_major, first_row, count, k,
                                              place);
    }
}

/// Copies the elements of a chunk of any width, `distance` words apart.
void unpack(const std::byte* chunk, unsigned bits, unsigned count, std::uint32_t* to,
            std::size_t distance) {
    switch (bits) {
        case 8:
            return spread<std::uint8_t>(chunk, to, distance);
        case 16:
            return spread<std::uint16_t>(chunk, to, distance);
        case 32:
            return spread<std::uint32_t>(chunk, to, distance);
        default:
            break;
    }
    std::uint64_t words[2];
    std::memcpy(words, chunk, sizeof words);
    for (unsigned i = 0; i < count; ++i) {
        const unsigned first = i * bits, shift = first % 64;
        std::uint64_t value = words[first / 64] >> shift;
        if (shift + bits > 64) value |= words[1] << (64 - shift);
        to[i * distance] = static_cast<std::uint32_t>(value & ((1u << bits) - 1));
    }
}

}  // namespace

bool read_matrix(const std::byte* shared, std::uint32_t bytes, const matrix_descriptor& at,
                 const matrix_storage& storage, unsigned first_row, unsigned count, unsigned k,
                 std::uint32_t* to, unsigned row_distance, unsigned k_distance) {
    const unsigned each = storage.per_chunk();
    const bool mn = storage.mn_major;
    for (unsigned row = 0; row < count; row += mn ? each : 1)
        for (unsigned p = 0; p < k; p += mn ? 1 : each) {
            const std::uint32_t from = mn ? at.mn_major(first_row + row, p, storage.bits / 8)
                                          : at.k_major(first_row + row, p / each * chunk_bytes);
            if (bytes < chunk_bytes || from > bytes - chunk_bytes) return false;
            unpack(shared + from, storage.bits, each, to + row * row_distance + p * k_distance,
                   mn ? row_distance : k_distance);
        }
    return true;
}

bool warpgroup_multiply::read_a(const std::byte* shared, std::uint32_t bytes,
                                const matrix_descriptor& at, unsigned first_row,
                                std::uint32_t* a) const {
    const unsigned k = description_.stored_k();
    return read_elements(description_.a, shared, bytes, at, description_.a_is_mn_major, first_row,
                         rows, k, [=](unsigned row, unsigned p) { return a + row * k + p; });
}

bool warpgroup_multiply::read_b(const std::byte* shared, std::uint32_t bytes,
                                const matrix_descriptor& at, std::uint32_t* b) const {
    // Tiles have at least eight columns, so that a chunk is within one tile.
    const unsigned k = description_.k(), tile = tile_;
    return read_elements(description_.b, shared, bytes, at, description_.b_is_mn_major, 0,
                         description_.n, k, [=](unsigned column, unsigned p) {
                             return b + column / tile * tile * k + p * tile + column % tile;
                         });
}

/// Sums of products fit in 32 bits; only the addition of D can overflow.
void warpgroup_multiply::multiply_integers(const std::uint32_t* a, const std::uint32_t* b,
                                           std::uint32_t* sums) const {
    const unsigned k = description_.stored_k();
    const bool bits = description_.a == matrix_element::b1;
    for (unsigned i = 0; i < rows; ++i)
        for (unsigned j = 0; j < tile_; ++j) {
            std::int32_t product = 0;
            for (unsigned p = 0; p < k && bits; ++p)
                product += __builtin_popcount(a[i * k + p] & b[p * tile_ + j]);
            for (unsigned p = 0; p < k && !bits; ++p)
                product += extended(description_.a, a[i * k + p]) *
                           extended(description_.b, b[p * tile_ + j]);
            std::uint32_t& sum = sums[i * tile_ + j];
            const auto more = static_cast<std::uint32_t>(product);
            sum = description_.saturate ? add<s32, rounding::nearest, sat>::apply(sum, more)
                                        : sum + more;
        }
}

void warpgroup_multiply::apply(const std::uint32_t* a, const std::uint32_t* b, bool adds,
                               std::uint32_t* const* d, const std::uint32_t* metadata) const {
    constexpr unsigned most = rows * 32;
    const matrix_functions& functions = matrix_functions_of_host();
    const bool halves = description_.d == matrix_element::f16;
    // A sparse product consists of two products of half the depth.
    const unsigned k = description_.stored_k(), products = description_.sparse ? 2 : 1;
    const unsigned per_register = halves ? 2 : 1;
    const std::uint32_t sign = description_.negate_a == description_.negate_b
                                   ? 0
                                   : 1u << (storage_bits(description_.a) - 1);
    alignas(64) std::uint32_t factor[2][max_a_registers] = {}, bits[most];
    alignas(64) double sums[most];
    // The product of two negated factors equals that of the original ones.
    for (unsigned row = 0; row < rows; ++row)
        for (unsigned i = 0; i < k; ++i) {
            const unsigned column =
                description_.sparse
                    ? sparse_column(description_.a, 2 * k, description_.selector, metadata, row, i)
                    : i;
            factor[column / k][row * k + column % k] = a[row * k + i] ^ sign;
        }
    for (unsigned first = 0; first < description_.n; first += tile_, b += tile_ * k * products) {
        // Registers of these columns: four (two for f16) per eight columns.
        const unsigned begin = first / 8 * 4 / per_register;
        const unsigned count = tile_ / 8 * 4 / per_register;
        const auto for_elements = [&](auto act) {
            for (unsigned r = 0; r < count; ++r)
                for (unsigned lane = 0; lane < warp_lanes; ++lane)
                    for (unsigned e = 0; e < per_register; ++e) {
                        const unsigned pair = halves ? r : r / 2;
                        const place_of_d at = place_in_d(lane, pair, halves ? e : r % 2);
                        act(d[begin + r][lane], e * 16, bits[at.row * tile_ + at.column]);
                    }
        };
        if (adds)
            for_elements([&](std::uint32_t word, unsigned shift, std::uint32_t& element) {
                element = halves ? word >> shift & 0xffff : word;
            });
        else
            std::fill_n(bits, most, 0u);
        const bool integers = is_integer(description_.a);
        if (!integers) functions.decode(description_.d, bits, rows * tile_, sums);
        for (unsigned p = 0; p < products; ++p) {
            const std::uint32_t* const b_of = b + p * k * tile_;
            if (integers) {
                multiply_integers(factor[p], b_of, bits);
                continue;
            }
            float_product product;
            product.description = &product_;
            product.a = factor[p];
            product.b = b_of;
            product.sums = sums;
            functions.multiply_floats(product);
        }
        if (!integers) functions.encode(description_.d, false, sums, rows * tile_, bits);
        for_elements([&](std::uint32_t& word, unsigned shift, std::uint32_t element) {
            const std::uint32_t mask = halves ? 0xffffu << shift : ~0u;
            word = (word & ~mask) | element << shift;
        });
    }
}

}  // namespace simtlm::execution::arithmetic
