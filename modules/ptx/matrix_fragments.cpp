// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/signature.h"

namespace simtlm::ptx {

namespace {

constexpr unsigned lanes = 32;

/// Types by position d, a, b, c; products of f16 may name d and c only.
type type_at(const operation& o, unsigned position) {
    if (position == 0) return o.types[0];
    if (position == 3) return o.last_type();
    if (o.type_count == 2) return type::f16;
    return o.types[position];
}

bool is_shape(const operation& o, unsigned m, unsigned n, unsigned k) {
    return o.shape.m == m && o.shape.n == n && o.shape.k == k;
}

/// Depths (k) that a type's mma exists with; see the PTX manual's table of mma shapes.
bool mma_depth_exists(type t, const matrix_shape& s, bool sparse) {
    const unsigned k = sparse ? s.k / 2U : s.k;
    switch (t) {
        case type::f16:
            return k == 8 || k == 16 || (s.m == 8 && k == 4);
        case type::bf16:
            return k == 8 || k == 16;
        case type::tf32:
            return k == 4 || k == 8;
        case type::f64:
            return (s.m == 8 && k == 4) || (s.m == 16 && (k == 4 || k == 8 || k == 16));
        case type::u8:
        case type::s8:
            return k == 16 || (k == 32 && s.m == 16);
        case type::u4:
        case type::s4:
            return k == 32 || (k == 64 && s.m == 16);
        case type::b1:
            return k == 128 || (k == 256 && s.m == 16);
        case type::e4m3:
        case type::e5m2:
            return k == 16 || k == 32;
        default:
            return false;
    }
}

bool mma_exists(const operation& o) {
    const bool sparse = o.op == opcode::mma_sp;
    if (o.shape.n != 8 || (sparse && o.shape.m != 16)) return false;
    return mma_depth_exists(o.types[1], o.shape, sparse);
}

/// Shapes of wmma by the type of a and b.
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

/// wmma repeats f16 elements of a and b in two lanes each.
unsigned wmma_registers(const operation& o, type t, unsigned position) {
    const unsigned plain = registers_for(elements_in(o.shape, position), t);
    const bool repeated = t == type::f16 && (position == 1 || position == 2);
    if (!repeated) return plain;
    return 8;
}

}  // namespace

unsigned fragment_registers(const operation& o, unsigned position) {
    if (o.op == opcode::wmma_load || o.op == opcode::wmma_store) {
        const type t = o.types[0];
        unsigned part = 0;
        if (o.part_of == fragment::a) part = 1;
        if (o.part_of == fragment::b) part = 2;
        return wmma_exists(t, o) ? wmma_registers(o, t, part) : 0;
    }
    const type t = type_at(o, position);
    if (o.op == opcode::wmma_mma) {
        return wmma_exists(type_at(o, 1), o) ? wmma_registers(o, t, position) : 0;
    }
    if (!mma_exists(o)) return 0;
    if (is_shape(o, 8, 8, 4) && o.types[1] == type::f16) {  // four quads, each a product of its own
        return position == 1 || position == 2 ? 2 : t == type::f16 ? 4 : 8;
    }
    const unsigned all = registers_for(elements_in(o.shape, position), t);
    return o.op == opcode::mma_sp && position == 1 ? all / 2 : all;
}

}  // namespace simtlm::ptx
