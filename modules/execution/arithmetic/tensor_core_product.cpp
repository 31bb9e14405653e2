// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/tensor_core_product.h"

#include "modules/execution/arithmetic/convert.h"
#include "modules/execution/arithmetic/integer.h"
#include "modules/execution/arithmetic/matrix_lanes.h"

#include <algorithm>
#include <cmath>

namespace simtlm::execution::arithmetic {

namespace {

unsigned field(std::uint32_t bits, unsigned first, unsigned count) {
    return bits >> first & ((1u << count) - 1);
}

/// The type of A or B by its number in a descriptor. @return false: there is none
bool set_element(product_kind kind, unsigned number, matrix_element& e) {
    constexpr matrix_element floats[] = {matrix_element::e4m3, matrix_element::e5m2,
                                         matrix_element::f64,  matrix_element::e2m3,
                                         matrix_element::e3m2, matrix_element::e2m1};
    switch (kind) {
        case product_kind::f16:
            e = number == 0 ? matrix_element::f16 : matrix_element::bf16;
            return number <= 1;
        case product_kind::tf32:
            e = matrix_element::tf32;
            return number == 2;
        case product_kind::i8:
            e = number == 0 ? matrix_element::u8 : matrix_element::s8;
            return number <= 1;
        case product_kind::f8f6f4:
        case product_kind::mxf8f6f4:
            if (number > 5 || number == 2) return false;
            e = floats[number];
            return true;
        default:
            e = matrix_element::e2m1;
            return number == 1;
    }
}

bool is_block_scaled(product_kind k) {
    return k >= product_kind::mxf8f6f4;
}

std::string shape_fault(const tensor_core_product& p) {
    const auto& t = p.text;
    const bool block = is_block_scaled(t.kind);
    bool m_is_valid = t.pair ? p.m == 256 || p.m == 128 : p.m == 128 || (p.m == 64 && !block);
    bool n_is_valid = p.n >= (t.pair ? 16u : 8u) && p.n <= 256 && p.n % (t.pair ? 16 : 8) == 0;
    if (t.kind == product_kind::i8 && p.n > 32) n_is_valid = n_is_valid && p.n % 16 == 0;
    if (t.weight_stationary) {
        m_is_valid = p.m == 32 || p.m == 64 || p.m == 128;
        n_is_valid = p.n == 64 || p.n == 128 || p.n == 256;
    }
    return m_is_valid && n_is_valid ? ""
                                    : "a product of m" + std::to_string(p.m) + "n" +
                                          std::to_string(p.n) + " does not exist";
}

}  // namespace

zero_column_mask zero_column_mask::decode(std::uint64_t bits, std::string& fault) {
    constexpr std::uint64_t reserved = std::uint64_t{7} << 36 | std::uint64_t{3} << 62;
    constexpr unsigned first_spans = 32, enable = 39, skip_span = 40, use_span = 48, shifts = 56;
    if ((bits & reserved) != 0) fault = "reserved bits of the mask of zero columns are set";
    zero_column_mask m;
    m.has_spans = (bits >> enable & 1) != 0;
    m.zeros = static_cast<unsigned>(bits >> skip_span & 0xff) + 1;
    m.used = static_cast<unsigned>(bits >> use_span & 0xff) + 1;
    m.shift = static_cast<unsigned>(bits >> shifts & 0x3f);
    for (unsigned part = 0; part < max_parts; ++part) {
        m.begins_with_zeros[part] = (bits >> (first_spans + part) & 1) != 0;
        // A span keeps at least one column.
        const unsigned most = (m.begins_with_zeros[part] ? m.zeros : m.used) - 1;
        m.skipped[part] = static_cast<std::uint8_t>(
            std::min(static_cast<unsigned>(bits >> 8 * part & 0xff), most));
    }
    return m;
}

bool zero_column_mask::is_zero(unsigned column, unsigned columns) const {
    if (!has_spans) return false;
    const unsigned part = column / columns;
    const unsigned at = (column % columns + skipped[part]) % (used + zeros);
    return begins_with_zeros[part] ? at < zeros : at >= used;
}

tensor_core_product tensor_core_product::decode(const tensor_core_instruction& text,
                                                std::uint32_t bits, std::string& fault) {
    tensor_core_product p;
    p.text = text;
    const bool block = is_block_scaled(text.kind);
    const bool small = text.kind == product_kind::mxf4 || text.kind == product_kind::mxf4nvf4;
    if (!set_element(text.kind, field(bits, 7, 3), p.a) ||
        !set_element(text.kind, field(bits, 10, 3), p.b))
        fault = "no such type of A or B";
    p.negate_a = field(bits, 13, 1) != 0;
    p.negate_b = field(bits, 14, 1) != 0;
    p.a_is_mn_major = field(bits, 15, 1) != 0;
    p.b_is_mn_major = field(bits, 16, 1) != 0;
    p.n = field(bits, 17, 6) * 8;
    p.m = field(bits, 24, 5) * 16;
    // Block-scaled kinds ignore the selector.
    p.metadata = text.sparse && !block ? field(bits, 0, 2) : 0;
    if ((field(bits, 2, 1) != 0) != text.sparse) fault = "sparsity differs from the instruction's";
    if (block) {
        p.b_scale_byte = field(bits, 4, 2);
        p.a_scale_byte = field(bits, 29, 2);
        p.scaling.ue4m3 = field(bits, 23, 1) == 0;
        const unsigned standard = small ? 2 : 1;
        p.scaling.block = p.k() / (text.scales != 0 ? text.scales : standard);
        p.is_k96 = field(bits, 31, 1) != 0;
        if (p.is_k96 && (!text.has_k96 || !small || text.sparse))
            fault = "K of 96 exists on sm_103, for dense products of mxf4 and mxf4nvf4";
    } else {
        const unsigned type = field(bits, 4, 2);
        p.d = type == 0   ? matrix_element::f16
              : type == 1 ? matrix_element::f32
                          : matrix_element::s32;
        p.saturate = field(bits, 3, 1) != 0;
        if (const unsigned shift = field(bits, 30, 2); shift != 0 && text.weight_stationary)
            p.max_column_shift = 4u << shift;
        if ((type == 2) != p.integers() || type == 3 ||
            (type == 0 && text.kind == product_kind::tf32))
            fault = "no such type of D";
    }
    const auto has_mn = [&](matrix_element e) {
        return storage_bits(e) >= 8 && e != matrix_element::e2m3 && e != matrix_element::e3m2;
    };
    if ((p.a_is_mn_major && !has_mn(p.a)) || (p.b_is_mn_major && !has_mn(p.b)))
        fault = "elements of 4 or 6 bits are K-major";
    const bool selects = text.kind == product_kind::f16 || text.kind == product_kind::tf32;
    if (p.metadata > (selects ? 1 : 0)) fault = "no such selector of metadata";
    if (std::string shape = shape_fault(p); fault.empty()) fault = std::move(shape);
    return p;
}

unsigned tensor_core_product::stored_k() const {
    switch (text.kind) {
        case product_kind::f16:
            return 16;
        case product_kind::tf32:
            return 8;
        case product_kind::mxf4:
        case product_kind::mxf4nvf4:
            return is_k96 ? 96 : 64;
        default:
            return 32;
    }
}

matrix_storage tensor_core_product::storage(matrix_element e, bool mn_major) const {
    const bool bytes = text.kind == product_kind::f8f6f4 || text.kind == product_kind::mxf8f6f4;
    matrix_storage s;
    s.bits = e == matrix_element::e2m3 || e == matrix_element::e3m2 ? 6 : storage_bits(e);
    s.padded = bytes && s.bits < 8;
    s.mn_major = mn_major;
    return s;
}

unsigned tensor_core_product::tile() const {
    const unsigned most = stored_k() == 16 || stored_k() == 8 ? 32 : 16;
    return n % most == 0 ? most : n % 16 == 0 ? 16 : 8;
}

// CUTLASS, tmem_frg and tmem_frg_ws.
tensor_core_product::place tensor_core_product::place_of_d(unsigned row, unsigned column) const {
    const unsigned lanes = rows();
    if (lanes == 128) return {row, column};
    if (!text.pair && !text.weight_stationary) return {row / 16 * 32 + row % 16, column};
    const unsigned each = n / (128 / lanes);
    return {row + column / each * lanes, column % each};
}

unsigned tensor_core_product::columns_of_d() const {
    return place_of_d(0, n - 1).column + 1;
}

// CUTLASS, tmem_sf_frg.
tensor_core_product::place tensor_core_product::place_of_b_scale(unsigned column) const {
    if (!text.pair || rows() == 128) return {column % 32, column / 32};
    const unsigned half = n / 2;  // as those of D
    return {column % half % 32 + column / half * 64, column % half / 32};
}

unsigned tensor_core_product::columns_of_b_scales() const {
    const unsigned columns = (n + 127) / 128 * 4;
    return text.pair && rows() != 128 ? columns / 2 : columns;
}

unsigned tensor_core_product::stored_per_group() const {
    const bool packed = text.kind == product_kind::mxf4 || text.kind == product_kind::mxf4nvf4;
    return text.kind == product_kind::tf32 ? 1 : packed ? 4 : 2;
}

// CUTLASS, tmem_e_frg.
tensor_core_product::metadata_place tensor_core_product::place_of_metadata(unsigned row,
                                                                           unsigned group) const {
    const unsigned groups_per_column = 8;  // four bits each
    if (stored_k() > 16) {
        return {lane_of_a(row), group / groups_per_column, group % groups_per_column * 4};
    }
    // Rows i and i + 8 share a lane; the upper half of the groups is eight lanes above.
    const unsigned half = k() / (2 * stored_per_group()) / 2;
    return {row % 8 + row / 16 * 16 + group / half * 8, metadata,
            row / 8 % 2 * 16 + group % half * 4};
}

namespace {

/// The rows of A with all k columns: elements that are not stored are zero.
std::vector<std::uint32_t> full_rows(const tensor_core_product& p, const tensor_core_operands& o) {
    const unsigned stored = p.stored_k(), k = p.k();
    const std::uint32_t sign =
        p.negate_a != p.negate_b ? 1u << (p.storage(p.a, false).bits - 1) : 0;
    std::vector<std::uint32_t> full(std::size_t{p.rows()} * k);
    for (std::size_t i = 0; i < o.a.size(); ++i) {
        const std::size_t at = o.chosen.empty() ? i % stored : o.chosen[i];
        full[i / stored * k + at] = o.a[i] ^ sign;
    }
    return full;
}

void multiply_integers(const tensor_core_product& p, const tensor_core_operands& o, bool adds,
                       std::uint32_t* d) {
    const unsigned k = p.k(), tile = p.tile();
    const std::vector<std::uint32_t> a = full_rows(p, o);
    std::vector<std::int32_t> b(o.b.size());
    std::transform(o.b.begin(), o.b.end(), b.begin(),
                   [&](std::uint32_t bits) { return extended(p.b, bits); });
    std::vector<std::int32_t> sums(tile);
    for (unsigned row = 0; row < p.rows(); ++row)
        for (unsigned first = 0; first < p.n; first += tile) {
            std::fill(sums.begin(), sums.end(), 0);
            const std::int32_t* factor = b.data() + std::size_t{first} * k;
            for (unsigned q = 0; q < k; ++q, factor += tile) {
                const std::int32_t x = extended(p.a, a[std::size_t{row} * k + q]);
                for (unsigned j = 0; j < tile; ++j) sums[j] += x * factor[j];
            }
            for (unsigned j = 0; j < tile; ++j) {
                std::uint32_t& to = d[std::size_t{row} * p.n + first + j];
                const auto sum = static_cast<std::uint32_t>(sums[j]);
                const std::uint32_t before = adds ? to : 0;
                to = p.saturate ? add<s32, rounding::nearest, sat>::apply(before, sum)
                                : before + sum;
            }
        }
}

void multiply_blocks(const tensor_core_product& p, const tensor_core_operands& o, bool adds,
                     std::uint32_t* d) {
    const matrix_functions& functions = matrix_functions_of_host();
    const unsigned k = p.k(), tile = p.tile(), block = p.scaling.block, blocks = k / block;
    const std::vector<std::uint32_t> bits = full_rows(p, o);
    std::vector<double> a(bits.size()), b(o.b.size());
    functions.decode(p.a, bits.data(), static_cast<unsigned>(bits.size()), a.data());
    functions.decode(p.b, o.b.data(), static_cast<unsigned>(b.size()), b.data());
    std::vector<double> sums(tile), partial(tile);
    for (unsigned row = 0; row < p.rows(); ++row)
        for (unsigned first = 0; first < p.n; first += tile) {
            std::fill(sums.begin(), sums.end(), 0.0);
            const double* factor = b.data() + std::size_t{first} * k;
            for (unsigned q = 0; q < blocks; ++q) {
                std::fill(partial.begin(), partial.end(), 0.0);
                for (unsigned i = 0; i < block; ++i, factor += tile) {
                    const double x = a[std::size_t{row} * k + q * block + i];
                    for (unsigned j = 0; j < tile; ++j) partial[j] += x * factor[j];
                }
                for (unsigned j = 0; j < tile; ++j)
                    sums[j] += partial[j] * o.a_scale[std::size_t{row} * blocks + q] *
                               o.b_scale[std::size_t{first + j} * blocks + q];
            }
            for (unsigned j = 0; j < tile; ++j) {
                std::uint32_t& to = d[std::size_t{row} * p.n + first + j];
                if (adds) sums[j] += as_float(to);
                to = cvt<f32, f64, rounding::zero>::apply(as_bits(sums[j]));
            }
        }
}

void multiply_floats(const tensor_core_product& p, const tensor_core_operands& o, bool adds,
                     unsigned scale, std::uint32_t* d) {
    constexpr unsigned rows = 16;
    const matrix_functions& functions = matrix_functions_of_host();
    // A sparse product consists of two of half the depth.
    const unsigned stored = p.stored_k(), k = p.k(), tile = p.tile();
    const std::vector<std::uint32_t> full = full_rows(p, o);
    matrix_description description;
    description.shape = {rows, tile, stored};
    description.a = p.a;
    description.b = p.b;
    description.c = description.d = p.d;
    description.sum = {stored, hopper_sum.extra_bits};
    std::vector<std::uint32_t> a(std::size_t{rows} * stored), bits(std::size_t{rows} * tile);
    alignas(64) double sums[rows * 32];
    const double factor = std::ldexp(1.0, -static_cast<int>(scale));
    for (unsigned top = 0; top < p.rows(); top += rows)
        for (unsigned first = 0; first < p.n; first += tile) {
            std::fill(bits.begin(), bits.end(), 0u);
            for (unsigned i = 0; adds && i < rows; ++i)
                std::copy_n(d + std::size_t{top + i} * p.n + first, tile, &bits[i * tile]);
            functions.decode(p.d, bits.data(), rows * tile, sums);
            if (scale != 0)
                for (unsigned i = 0; i < rows * tile; ++i) sums[i] *= factor;
            for (unsigned part = 0; part < k; part += stored) {
                for (unsigned i = 0; i < rows; ++i)
                    std::copy_n(&full[std::size_t{top + i} * k + part], stored, &a[i * stored]);
                float_product product;
                product.description = &description;
                product.a = a.data();
                product.b = o.b.data() + std::size_t{first} * k + std::size_t{part} * tile;
                product.sums = sums;
                functions.multiply_floats(product);
            }
            functions.encode(p.d, false, sums, rows * tile, bits.data());
            for (unsigned i = 0; i < rows; ++i)
                std::copy_n(&bits[i * tile], tile, d + std::size_t{top + i} * p.n + first);
        }
}

}  // namespace

void multiply(const tensor_core_product& product, const tensor_core_operands& operands, bool adds,
              unsigned scale, std::uint32_t* d) {
    if (product.integers())
        multiply_integers(product, operands, adds, d);
    else if (product.scaling.block != 0)
        multiply_blocks(product, operands, adds, d);
    else
        multiply_floats(product, operands, adds, scale, d);
}

}  // namespace simtlm::execution::arithmetic
