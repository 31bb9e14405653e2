// SPDX-License-Identifier: Apache-2.0
// Matrix multiply-accumulate of the fifth-generation tensor core: tcgen05.mma (sm_100a).
#pragma once

#include "modules/execution/arithmetic/matrix.h"
#include "modules/execution/arithmetic/warpgroup_matrix.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::execution::arithmetic {

/// .kind of tcgen05.mma
enum class product_kind : std::uint8_t { f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4 };

/// Whether products of four-bit floats may have a K of 96. @param architecture  103 for sm_103
constexpr bool has_k96(unsigned architecture) {
    return architecture == 103;
}

/// The parameters in the text of an instruction.
struct tensor_core_instruction {
    product_kind kind = product_kind::f16;
    bool pair = false;               ///< .cta_group::2
    bool weight_stationary = false;  ///< .ws
    bool sparse = false;             ///< .sp
    unsigned scales = 0;             ///< scale factors per row, .scale_vec; 0: those of the kind
    bool has_k96 = false;            ///< sm_103: K of mxf4 and mxf4nvf4 may be 96
};

/// The columns of B that tcgen05.mma.ws multiplies as zeros, and the first column (PTX ISA,
/// "Zero-Column Mask Descriptor"). Spans of columns that are used and columns that are zero
/// alternate, in each of the 128 / m parts of D. As in the examples of the manual and on GPUs, "use
/// span" is the length of the former and "skip span" that of the latter, minus one.
struct zero_column_mask {
    static constexpr unsigned max_parts = 4;
    bool has_spans = false;             ///< otherwise no column is zero
    unsigned used = 1, zeros = 1;       ///< length of the spans
    unsigned shift = 0;                 ///< column of B that is the first one
    std::uint8_t skipped[max_parts]{};  ///< columns of the first span that precede the part
    bool begins_with_zeros[max_parts]{};

    /// @param fault  set if a reserved bit is set
    static zero_column_mask decode(std::uint64_t bits, std::string& fault);
    /// Whether a column of D is computed with zeros. @param columns  of a part of D
    bool is_zero(unsigned column, unsigned columns) const;
};

/// A product: the instruction and what its instruction descriptor adds (PTX ISA, "Instruction
/// descriptor"; CUTLASS, UMMA::InstrDescriptor and InstrDescriptorBlockScaled).
struct tensor_core_product {
    tensor_core_instruction text;
    unsigned m = 0, n = 0;  ///< of all CTAs together
    matrix_element a = matrix_element::f16, b = matrix_element::f16, d = matrix_element::f32;
    bool negate_a = false, negate_b = false;
    bool a_is_mn_major = false, b_is_mn_major = false;
    bool saturate = false;                        ///< integers
    unsigned metadata = 0;                        ///< .sp of f16, tf32: column of metadata, 0 or 1
    unsigned max_column_shift = 0;                ///< .ws: of a zero_column_mask
    bool is_k96 = false;                          ///< mxf4, mxf4nvf4: K is 96
    unsigned a_scale_byte = 0, b_scale_byte = 0;  ///< of a column of scale factors
    block_scaling scaling;

    /// Decodes a descriptor. @param fault  set to what is wrong with it, if something is
    static tensor_core_product decode(const tensor_core_instruction& text, std::uint32_t bits,
                                      std::string& fault);

    /// Elements of a row of A as stored, and of a column of B.
    unsigned stored_k() const;
    unsigned k() const { return text.sparse ? 2 * stored_k() : stored_k(); }
    unsigned ctas() const { return text.pair ? 2 : 1; }
    /// Rows of D of each CTA.
    unsigned rows() const { return m / ctas(); }
    matrix_storage storage(matrix_element e, bool mn_major) const;
    bool integers() const { return text.kind == product_kind::i8; }
    /// Columns that are multiplied at a time, and adjacent in B.
    unsigned tile() const;

    /// Lane and column of tensor memory of an element of D, relative to its address.
    struct place {
        unsigned lane, column;
    };
    place place_of_d(unsigned row, unsigned column) const;
    /// Lane of a row of an A in tensor memory.
    unsigned lane_of_a(unsigned row) const { return place_of_d(row, 0).lane; }
    /// Column of B's scale factors for a column of B; their lane.
    place place_of_b_scale(unsigned column) const;
    /// Columns from four scale factors of A, or B, to the next four of the same row (K of 96).
    unsigned columns_of_a_scales() const { return 4; }
    unsigned columns_of_b_scales() const;
    /// Columns of tensor memory that D occupies.
    unsigned columns_of_d() const;
    /// Column (0 or more) and first bit of the metadata of a group of elements of A, and its lane.
    struct metadata_place {
        unsigned lane, column, bit;
    };
    metadata_place place_of_metadata(unsigned row, unsigned group) const;
    /// Stored elements that share metadata.
    unsigned stored_per_group() const;
};

/// The operands of the rows of one CTA.
struct tensor_core_operands {
    std::vector<std::uint32_t> a;          ///< row after row, stored elements
    std::vector<std::uint32_t> b;          ///< tiles of columns, each in row-major order (k x tile)
    std::vector<std::uint16_t> chosen;     ///< .sp: column in the full A of each stored element
    std::vector<double> a_scale, b_scale;  ///< by row, or column, and block
};

/// D = A B, or A B + 2^-scale D if `adds`; D row after row, elements as encoded in tensor memory.
/// Sums are those of Hopper, with 25 bits below the largest product for all floating-point types
/// (Xie et al., "MMA-Sim", arXiv 2511.10909), except that block-scaled products are summed exactly
/// and truncated once. Integers are exact.
void multiply(const tensor_core_product& product, const tensor_core_operands& operands, bool adds,
              unsigned scale, std::uint32_t* d);

}  // namespace simtlm::execution::arithmetic
