// SPDX-License-Identifier: Apache-2.0
// Matrix multiply-accumulate of a warpgroup: wgmma.mma_async (sm_90a); each warp computes 16 of the
// 64 rows. Matrices in shared memory, of tcgen05.mma as well.
#pragma once

#include "modules/execution/arithmetic/matrix.h"

#include <cstddef>
#include <cstdint>

namespace simtlm::execution::arithmetic {

/// Location of a matrix in shared memory: a matrix descriptor (PTX manual, "Matrix Descriptor
/// Format"). Bytes, except `phase`.
struct matrix_descriptor {
    std::uint32_t start = 0;
    std::uint32_t leading = 0;  ///< leading dimension byte offset
    std::uint32_t stride = 0;   ///< stride dimension byte offset
    std::uint32_t phase = 0;    ///< base offset: rows of 128 bytes at which the swizzle begins
    std::uint32_t swizzle = 0;  ///< bytes per row: 0 (none), 32, 64, 128
    bool wide_atoms = false;    ///< sm_100: the swizzle of 128 bytes permutes 32 bytes at a time
    /// sm_103: a row of 128 bytes continues at the address `leading` (PTX ISA, "Leading dimension
    /// stride mode"; CUTLASS, SM103::mma_unpack).
    bool continues = false;

    static matrix_descriptor decode(std::uint64_t bits);

    /// Offset in shared memory of an element of a matrix with contiguous k ("K-major").
    /// @param row     of A, or column of B
    /// @param k_byte  byte offset from k = 0
    std::uint32_t k_major(unsigned row, unsigned k_byte) const;
    /// The same for contiguous rows of A, or columns of B ("MN-major"). CUTLASS, make_umma_desc.
    /// @param bytes  of an element
    std::uint32_t mn_major(unsigned row, unsigned k, unsigned bytes = 2) const;

private:
    std::uint32_t swizzled(std::uint32_t address) const;
};

/// The value of an integer element.
inline std::int32_t extended(matrix_element e, std::uint32_t bits) {
    return e == matrix_element::s8 ? static_cast<std::int8_t>(bits)
                                   : static_cast<std::int32_t>(bits);
}

/// Elements of a matrix in the memory that a descriptor describes.
struct matrix_storage {
    unsigned bits = 16;   ///< of an element
    bool padded = false;  ///< 16 elements of 4 or 6 bits are at the beginning of 16 bytes
    bool mn_major = false;

    /// Elements in a chunk of 16 bytes.
    unsigned per_chunk() const { return padded ? 16 : 128 / bits; }
};
/// Reads `count` rows (of A, or columns of B) of k elements: (row, k) goes to
/// to[row * row_distance + k * k_distance].
/// @return false: some are outside of the `bytes` of shared memory
bool read_matrix(const std::byte* shared, std::uint32_t bytes, const matrix_descriptor& at,
                 const matrix_storage& storage, unsigned first_row, unsigned count, unsigned k,
                 std::uint32_t* to, unsigned row_distance, unsigned k_distance);

/// The parameters in the text of an instruction. With single-bit elements, an element is a 32-bit
/// word, and the product of two is the number of bits that are set in both (.and.popc).
struct warpgroup_description {
    unsigned n = 8;  ///< columns, a multiple of 8 up to 256
    matrix_element a = matrix_element::f16, b = matrix_element::f16, d = matrix_element::f32;
    bool negate_a = false, negate_b = false;            ///< imm-scale-a, imm-scale-b
    bool a_is_mn_major = false, b_is_mn_major = false;  ///< imm-trans-a, imm-trans-b
    bool saturate = false;                              ///< .satfinite for integers
    bool sparse = false;                                ///< .sp: half of A is stored, with metadata
    unsigned selector = 0;  ///< of .sp: the lanes of each group of four that hold metadata

    /// Columns of A as stored, and rows of B.
    unsigned stored_k() const { return 256 / storage_bits_in_memory(); }
    unsigned k() const { return sparse ? 2 * stored_k() : stored_k(); }
    /// Bits of an element of A and B in shared memory.
    unsigned storage_bits_in_memory() const;
    /// Number of registers of D per lane.
    unsigned registers() const { return n / (d == matrix_element::f16 ? 4 : 2); }
};

/// The rows of one warp: elements of A (16 x stored k) and B (k x n) as encoded in memory, and D as
/// encoded in registers.
class warpgroup_multiply {
public:
    explicit warpgroup_multiply(const warpgroup_description& description);

    const warpgroup_description& description() const { return description_; }

    /// Reads elements of A from four registers of 32 lanes, with the layout of mma.m16n8.
    void read_a(const std::uint32_t* const* registers, std::uint32_t* a) const;
    /// Reads elements from shared memory. @param first_row  of the warp's 16
    /// @return false: some are outside of its `bytes`
    bool read_a(const std::byte* shared, std::uint32_t bytes, const matrix_descriptor& at,
                unsigned first_row, std::uint32_t* a) const;
    /// @param b  tiles of columns(), each in row-major order
    bool read_b(const std::byte* shared, std::uint32_t bytes, const matrix_descriptor& at,
                std::uint32_t* b) const;
    /// Calls act(offset in shared memory) for every 16 bytes of the operands.
    template <class Act>
    void for_chunks_of_a(const matrix_descriptor& at, unsigned first_row, Act act) const {
        for_chunks(at, description_.a_is_mn_major, first_row, rows, description_.stored_k(), act);
    }
    template <class Act>
    void for_chunks_of_b(const matrix_descriptor& at, Act act) const {
        for_chunks(at, description_.b_is_mn_major, 0, description_.n, description_.k(), act);
    }
    /// Columns per tile of B.
    unsigned columns() const { return tile_; }

    /// D = A * B, or A * B + D if `adds`. d[r] points to the 32 lanes of register r.
    /// @param metadata  of .sp, 32 lanes
    void apply(const std::uint32_t* a, const std::uint32_t* b, bool adds, std::uint32_t* const* d,
               const std::uint32_t* metadata = nullptr) const;

    static constexpr unsigned rows = 16;
    static constexpr unsigned max_a_registers = rows * 32,
                              max_b_registers = 64 * 256;  ///< elements

private:
    template <class Act>
    void for_chunks(const matrix_descriptor& at, bool mn_major, unsigned first_row, unsigned count,
                    unsigned k, Act act) const {
        const unsigned bytes = description_.storage_bits_in_memory() / 8, each = 16 / bytes;
        for (unsigned row = 0; row < count; row += mn_major ? each : 1)
            for (unsigned p = 0; p < k; p += mn_major ? 1 : each)
                act(mn_major ? at.mn_major(first_row + row, p)
                             : at.k_major(first_row + row, p * bytes));
    }
    void multiply_integers(const std::uint32_t* a, const std::uint32_t* b,
                           std::uint32_t* sums) const;

    warpgroup_description description_;
    unsigned tile_;  ///< columns multiplied at a time
    matrix_description product_;
};

}  // namespace simtlm::execution::arithmetic
