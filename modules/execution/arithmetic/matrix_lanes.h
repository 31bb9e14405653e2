// SPDX-License-Identifier: Apache-2.0
// The vectorisable loops of matrix_multiply, compiled for several instruction sets of the host, one
// of which is selected at program start.
#pragma once

#include "modules/execution/arithmetic/matrix.h"

#include <cstdint>

namespace simtlm::execution::arithmetic {

/// A and B of an instruction in row-major order, with elements encoded as in registers, and the
/// sums.
struct float_product {
    const matrix_description* description = nullptr;
    unsigned batches = 1;
    const std::uint32_t* a = nullptr;
    const std::uint32_t* b = nullptr;
    double* sums = nullptr;  ///< in: C, out: D
};

/// The loops, compiled for one instruction set.
struct matrix_functions {
    /// to[i] = words[word[i]] >> shift[i] & mask
    void (*gather)(const std::int32_t* word, const std::uint32_t* shift, std::uint32_t mask,
                   unsigned count, const std::uint32_t* words, std::uint32_t* to);
    /// Converts elements of C to numbers.
    void (*decode)(matrix_element element, const std::uint32_t* bits, unsigned count, double* to);
    /// Adds the products of A and B as a tensor core does.
    void (*multiply_floats)(const float_product& product);
    /// Converts sums to elements of D.
    void (*encode)(matrix_element element, bool saturate, const double* sums, unsigned count,
                   std::uint32_t* to);
};

/// The functions for the processor on which this program runs.
const matrix_functions& matrix_functions_of_host();

}  // namespace simtlm::execution::arithmetic
