// SPDX-License-Identifier: Apache-2.0
// The loops of matrix_multiply that compilers turn into SIMD: compiled for several instruction sets
// of the host, one of which is chosen when the program starts.
#pragma once

#include "modules/execution/arithmetic/matrix.h"

#include <cstdint>

namespace simtlm::execution::arithmetic {

/// A and B of one instruction, row by row, as their registers hold the elements, and the sums.
struct float_product {
    const matrix_description* description = nullptr;
    unsigned batches = 1;
    const std::uint32_t* a = nullptr;
    const std::uint32_t* b = nullptr;
    double* sums = nullptr;  ///< C before, D after
};

struct matrix_functions {
    /// to[i] = words[word[i]] >> shift[i] & mask
    void (*gather)(const std::int32_t* word, const std::uint32_t* shift, std::uint32_t mask,
                   unsigned count, const std::uint32_t* words, std::uint32_t* to);
    /// Elements of C, as numbers.
    void (*decode)(matrix_element element, const std::uint32_t* bits, unsigned count, double* to);
    /// Adds the products of A and B as a tensor core does.
    void (*multiply_floats)(const float_product& product);
    /// Sums as the elements of D.
    void (*encode)(matrix_element element, bool saturate, const double* sums, unsigned count,
                   std::uint32_t* to);
};

/// Those that suit the processor this program runs on.
const matrix_functions& matrix_functions_of_host();

}  // namespace simtlm::execution::arithmetic
