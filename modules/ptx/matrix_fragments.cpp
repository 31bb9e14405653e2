// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/signature.h"

namespace simtlm::ptx {

namespace {

constexpr unsigned lanes = 32;

/// Type at a position d, a, b, c; f16 products may specify d and c only.
type type_at(const operation& o, unsigned position) {
    if (position == 0) return o.types[0];
    if (position == 3) return o.last_type();
    if (o.type_count == 2) return type::f16;
    return o.types[position];
}

bool is_shape(const operation& o, unsigned m, unsigned n, unsigned k) {
    return o.shape.m == m && o.shape.n == n && o.shape.k == k;
}

/// Whether a type's mma exists with these m and k; see the PTX manual's table of mma shapes.
bool mma_shape_exists(type t, unsigned m, unsigned k) {
    const bool small = m == 8;
    const bool large = m == 16;
    switch (t) {
        case type::f16:
            return (small && k == 4) || (large && (k == 8 || k == 16));
        case type::bf16:
            return large && (k == 8 || k == 16);
        case type::tf32:
            return large && (k == 4 || k == 8);
        case type::f64:
            return (small && k == 4) || (large && (k == 4 || k == 8 || k == 16));
        case type::u8:
        case type::s8:
            return (small && k == 16) || (large && (k == 16 || k == 32));
        case type::u4:
        case type::s4:
            return (small && k == 32) || (large && (k == 32 || k == 64));
        case type::b1:
            return (small && k == 128) || (large && (k == 128 || k == 256));
        case type::e4m3:
        case type::e5m2:
            return large && (k == 16 || k == 32);
        default:
            return false;
    }
}

/// A sparse product stores half of a's elements; its k is twice that of the dense one.
bool sparse_shape_exists(type t, const matrix_shape& s) {
    const bool eight_bits = t == type::e4m3 || t == type::e5m2;
    const bool shallow = (t == type::tf32 && s.k == 8) || (eight_bits && s.k != 64);
    if (shallow) return t == type::tf32;
    return s.m == 16 && mma_shape_exists(t, s.m, s.k / 2U);
}

bool layouts_exist(const operation& o) {
    const bool any = o.op == opcode::mma && is_shape(o, 8, 8, 4) && o.types[1] == type::f16;
    return any || (o.layout_a == layout::row && o.layout_b == layout::col);
}

/// mma of numbers of up to eight bits, which occupy a byte each, or of blocks of e2m1 (sm_120).
bool is_narrow_kind(const operation& o) {
    return o.variant == mode::kind_f8f6f4 || o.variant == mode::kind_mxf8f6f4 ||
           o.variant == mode::kind_mxf4 || o.variant == mode::kind_mxf4nvf4;
}

bool mma_exists(const operation& o) {
    if (o.shape.n != 8 || !layouts_exist(o)) return false;
    if (is_narrow_kind(o)) return o.types[0] == o.types[3];  // the table has the shapes
    return o.op == opcode::mma_sp ? sparse_shape_exists(o.types[1], o.shape)
                                  : mma_shape_exists(o.types[1], o.shape.m, o.shape.k);
}

/// Products of sub-byte types only exist with row and column layout.
bool wmma_layouts_exist(const operation& o, type t) {
    const bool narrow = t == type::u4 || t == type::s4 || t == type::b1;
    if (!narrow) return true;
    if (o.op == opcode::wmma_mma) return o.layout_a == layout::row && o.layout_b == layout::col;
    if (o.part_of == fragment::a) return o.layout_a == layout::row;
    return o.part_of != fragment::b || o.layout_a == layout::col;
}

/// Whether wmma exists for a shape and the type of a and b.
bool wmma_exists(type t, const operation& o) {
    const bool full = is_shape(o, 16, 16, 16) || is_shape(o, 32, 8, 16) || is_shape(o, 8, 32, 16);
    switch (t) {
        case type::f16:
        case type::bf16:
        case type::u8:
        case type::s8:
            return full;
        case type::tf32:
            return is_shape(o, 16, 16, 8);
        case type::f64:
            return is_shape(o, 8, 8, 4);
        case type::u4:
        case type::s4:
            return is_shape(o, 8, 8, 32);
        case type::b1:
            return is_shape(o, 8, 8, 128);
        case type::f32:
            return full || is_shape(o, 16, 16, 8);
        case type::s32:
            return full || is_shape(o, 8, 8, 32) || is_shape(o, 8, 8, 128);
        default:
            return false;
    }
}

unsigned elements_in(const matrix_shape& s, unsigned position) {
    if (position == 1) return s.m * s.k;
    if (position == 2) return s.k * s.n;
    return s.m * s.n;
}

unsigned registers_for(unsigned elements, type t) {
    if (t == type::f64) return elements / lanes;
    return elements * width_of(t) / 32 / lanes;
}

/// The type that has the size of a factor in registers.
type stored_type(const operation& o, unsigned position, type t) {
    const bool factor = position == 1 || position == 2;
    const bool bytes = o.variant == mode::kind_f8f6f4 || o.variant == mode::kind_mxf8f6f4;
    return factor && bytes ? type::b8 : t;
}

/// wmma replicates f16 elements of a and b in two lanes each.
unsigned wmma_registers(const operation& o, type t, unsigned position) {
    const unsigned plain = registers_for(elements_in(o.shape, position), t);
    const bool repeated = t == type::f16 && (position == 1 || position == 2);
    if (!repeated) return plain;
    return 8;
}

/// D of a warpgroup, 64 x n: each of its four warps holds 16 rows.
unsigned warpgroup_registers(const operation& o) {
    unsigned k = 16;
    if (o.types[1] == type::tf32) k = 8;
    if (width_of(o.types[1]) == 8) k = 32;
    if (o.types[1] == type::b1) k = 256;
    if (o.op == opcode::wgmma_mma_async_sp) k *= 2;
    return o.shape.k == k ? o.shape.n * width_of(o.types[0]) / 64U : 0;
}

}  // namespace

unsigned fragment_registers(const operation& o, unsigned position) {
    if (o.op == opcode::wmma_load || o.op == opcode::wmma_store) {
        const type t = o.types[0];
        unsigned part = 0;
        if (o.part_of == fragment::a) part = 1;
        if (o.part_of == fragment::b) part = 2;
        return wmma_exists(t, o) && wmma_layouts_exist(o, t) ? wmma_registers(o, t, part) : 0;
    }
    if (o.op == opcode::wgmma_mma_async || o.op == opcode::wgmma_mma_async_sp)
        return position == 0 ? warpgroup_registers(o) : 0;
    const type t = type_at(o, position);
    if (o.op == opcode::wmma_mma) {
        const type factor = type_at(o, 1);
        const bool exists = wmma_exists(factor, o) && wmma_layouts_exist(o, factor);
        return exists ? wmma_registers(o, t, position) : 0;
    }
    if (!mma_exists(o)) return 0;
    if (is_shape(o, 8, 8, 4) && o.types[1] == type::f16) {  // four quads, each with a product of
                                                            // its own
        return position == 1 || position == 2 ? 2 : t == type::f16 ? 4 : 8;
    }
    const unsigned all = registers_for(elements_in(o.shape, position), stored_type(o, position, t));
    return o.op == opcode::mma_sp && position == 1 ? all / 2 : all;
}

unsigned tensor_memory_registers(const operation& o) {
    const unsigned each = o.variant == mode::lanes_16x256b   ? 4
                          : o.variant == mode::lanes_16x128b ? 2
                                                             : 1;
    return each * o.count;
}

}  // namespace simtlm::ptx
