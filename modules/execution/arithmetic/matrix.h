// SPDX-License-Identifier: Apache-2.0
// Matrix multiply-accumulate of a warp: mma.sync, mma.sp and wmma.mma for all types up to sm_80.
#pragma once

#include "modules/execution/arithmetic/matrix_layout.h"
#include "modules/execution/arithmetic/types.h"

#include <array>

namespace simtlm::execution::arithmetic {

/// How a tensor core sums floating-point products, which PTX does not specify (measured by Fasi et
/// al., "Numerical behavior of NVIDIA tensor cores", 2021).
///
/// Products are exact. A group of `products` of them and the accumulator are added at once: each is
/// truncated at the last bit of an f32 whose exponent is that of the largest of them (by the sum of
/// exponents of its factors), plus `extra_bits`; the sum is truncated to f32, and is the
/// accumulator of the next group. An f16 result is rounded to nearest once, at the end.
struct tensor_core_sum {
    unsigned products = 8;
    int extra_bits = 1;
};
constexpr tensor_core_sum volta_sum{4, 0};
constexpr tensor_core_sum turing_sum{4, 1};
constexpr tensor_core_sum ampere_sum{8, 1};
constexpr tensor_core_sum ampere_tf32_sum{4, 1};
constexpr tensor_core_sum hopper_sum{16, 2};
/// Products of 8-bit floats, of Ada and of wgmma, keep about 14 bits (DeepSeek-AI, "DeepSeek-V3
/// Technical Report", 2024, section 3.5.2; Zhang et al., "SageAttention2", 2024).
constexpr tensor_core_sum fp8_sum{32, -10};

/// The column of the full A that corresponds to a stored column of a row of a sparse A. Invalid
/// metadata select an arbitrary column, but never one outside the matrix.
/// @param k         columns of the full A
/// @param selector  the lanes of each group of four that hold metadata
/// @param metadata  of 32 lanes
unsigned sparse_column(matrix_element a, unsigned k, unsigned selector,
                       const std::uint32_t* metadata, unsigned row, unsigned stored);

/// The position that a code of metadata gives to an element of a group of columns (four columns;
/// two of 32 bits, eight of 4 bits). @param code    the four bits of the group @param within  index
/// of the stored element in the group
unsigned sparse_position(unsigned bits, unsigned code, unsigned within);

/// The scale factors of a block-scaled product (mma.sync with .block_scale, sm_120): one for each
/// `block` elements of a row of A and of a column of B; 0: none. The factors of row r are bytes of
/// lane r % 8 * 4 + r / 8 or two lanes above, those of column c of one of the lanes c * 4 to c * 4
/// + 3 (PTX ISA, "Block Scaling for mma.sync"; CUTLASS, SFALayout and SFBLayout).
struct block_scaling {
    unsigned block = 0;
    bool ue4m3 = false;  ///< instead of ue8m0: powers of two

    /// The number that a byte encodes.
    double value(std::uint32_t byte) const;
};
/// Scale factors, and the first byte and lane in which they are.
struct scale_registers {
    const std::uint32_t* a = nullptr;  ///< of 32 lanes
    const std::uint32_t* b = nullptr;
    unsigned a_byte = 0, a_lane = 0, b_byte = 0, b_lane = 0;
};

/// The parameters in the text of an instruction.
struct matrix_description {
    matrix_shape shape;
    matrix_element a = matrix_element::f16, b = matrix_element::f16;
    matrix_element c = matrix_element::f32, d = matrix_element::f32;
    matrix_layout a_layout = matrix_layout::row, b_layout = matrix_layout::column;
    bool wmma = false;      ///< fragments of wmma instead of mma.sync
    bool saturate = false;  ///< .satfinite: integers are clamped; f16 and f32 stay finite
    bool bit_and = false;   ///< .and.popc instead of .xor.popc
    bool sparse = false;    ///< mma.sp: half of A is stored, with metadata
    /// -A, -B, -C of machine code, floating point: negated are registers, that is of two halves the
    /// upper one.
    bool negate_a = false, negate_b = false, negate_c = false;
    unsigned selector = 0;  ///< of mma.sp: the lanes of each group of four that hold metadata
    rounding f64_rounding = rounding::nearest;
    tensor_core_sum sum = ampere_sum;
    /// Products of one machine instruction, if an instruction of PTX is several of them: an f16
    /// accumulator is rounded after each. 0: all products.
    unsigned step = 0;
    block_scaling scaling;
};

/// A matrix instruction: constructed once, applied to registers of warps.
///
/// f64 is a chain of fused multiply-adds in the order of k. Integers are exact, and wrap around
/// unless saturated. Single-bit products are counted. Block-scaled products are summed exactly and
/// truncated once (PTX does not specify it). Invalid metadata of sparse matrices select
/// arbitrary elements, but never outside the matrix.
class matrix_multiply {
public:
    explicit matrix_multiply(const matrix_description& description);

    const matrix_description& description() const { return description_; }
    const matrix_fragment& a() const { return a_; }
    const matrix_fragment& b() const { return b_; }
    const matrix_fragment& c() const { return c_; }
    const matrix_fragment& d() const { return d_; }

    /// 32-bit registers: a[r] points to the 32 lanes of register r of A, etc.; metadata to those of
    /// operand e of mma.sp. D may alias any source.
    void apply(const std::uint32_t* const* a, const std::uint32_t* const* b,
               const std::uint32_t* const* c, std::uint32_t* const* d,
               const std::uint32_t* metadata = nullptr, const scale_registers& scales = {}) const;

    /// The same for f64, with 64-bit registers.
    void apply(const std::uint64_t* const* a, const std::uint64_t* const* b,
               const std::uint64_t* const* c, std::uint64_t* const* d) const;

private:
    /// Location of the elements of a matrix, in row-major order and by batch, in the registers of a
    /// warp: word 32 r + l is register r of lane l.
    struct element_places {
        std::vector<std::int32_t> word;
        std::vector<std::uint32_t> shift;  ///< bits
        std::uint32_t mask = 0;

        unsigned count() const { return static_cast<unsigned>(word.size()); }
    };
    struct operands;

    static element_places places_of(const matrix_fragment& fragment, unsigned rows,
                                    unsigned columns, unsigned batches);
    void place_sparse(const std::uint32_t* metadata, const std::uint32_t* stored,
                      std::uint32_t* whole) const;
    void multiply_floats(operands& values) const;
    void multiply_blocks(operands& values, const scale_registers& scales) const;
    void multiply_integers(operands& values) const;
    void multiply_bits(operands& values) const;
    void scatter(const std::uint32_t* results, std::uint32_t* const* d) const;

    matrix_description description_;
    matrix_fragment a_, b_, c_, d_;
    unsigned batches_ = 1, k_ = 0;  ///< in stored elements of B
    element_places a_places_, b_places_, c_places_;
    std::vector<std::uint16_t> d_index_;  ///< index of the matrix element of each element of D's
                                          ///< registers
};

}  // namespace simtlm::execution::arithmetic
