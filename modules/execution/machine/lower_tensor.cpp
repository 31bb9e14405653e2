// SPDX-License-Identifier: Apache-2.0
// Lowering of tensor products. Their fragments are those of mma in PTX with the same shape, in
// consecutive registers.
#include "modules/execution/machine/lowering_table.h"
#include "modules/execution/machine/machine_lowering.h"
#include "modules/execution/operations/asynchronous.h"
#include "modules/execution/operations/matrix_operations.h"

#include <memory>
#include <optional>

namespace simtlm::execution {

using arithmetic::matrix_element;
using sass::modifier;
using sass::operand_kind;

namespace {

/// The shape of a modifier such as 16816.
struct named_shape {
    modifier name;
    arithmetic::matrix_shape shape;
};
constexpr named_shape shapes[] = {
    {modifier::_1684, {16, 8, 4}},     {modifier::_1688, {16, 8, 8}},
    {modifier::_16816, {16, 8, 16}},   {modifier::_16832, {16, 8, 32}},
    {modifier::_16864, {16, 8, 64}},   {modifier::_8816, {8, 8, 16}},
    {modifier::_8832, {8, 8, 32}},     {modifier::_88128, {8, 8, 128}},
    {modifier::_168128, {16, 8, 128}}, {modifier::_168256, {16, 8, 256}},
    {modifier::_884, {8, 8, 4}},       {modifier::_8x8x4, {8, 8, 4}},
    {modifier::_16x8x4, {16, 8, 4}},   {modifier::_16x8x8, {16, 8, 8}},
    {modifier::_16x8x16, {16, 8, 16}},
};

std::optional<arithmetic::matrix_shape> shape_of(const machine_lowering& l) {
    for (const named_shape& s : shapes)
        if (l.has(s.name)) return s.shape;
    return std::nullopt;
}

std::optional<matrix_element> integer_of(modifier name) {
    if (name == modifier::U8) return matrix_element::u8;
    if (name == modifier::S8) return matrix_element::s8;
    if (name == modifier::U4) return matrix_element::u4;
    if (name == modifier::S4) return matrix_element::s4;
    return std::nullopt;
}

using description = arithmetic::matrix_description;

/// Whether A is stored by rows and B by columns, as the modifiers of all newer products state.
bool is_row_by_column(const machine_lowering& l) {
    // Blackwell's have no other layout, and no suffix.
    if (l.is(isa::opcode::QMMA) && l.architecture() >= sass::blackwell) return true;
    return l.is(isa::opcode::OMMA) ||
           (l.suffix_of(l.at(1)) == ".ROW" && l.suffix_of(l.at(2)) == ".COL");
}

/// HMMA.884: types of D and of C.
bool describe_step(const machine_lowering& l, description& d) {
    const auto type_of = [](modifier m) {
        return m == modifier::F32 ? matrix_element::f32 : matrix_element::f16;
    };
    const auto layout_of = [&l](const sass::operand& o) {
        return l.suffix_of(o) == ".COL" ? arithmetic::matrix_layout::column
                                        : arithmetic::matrix_layout::row;
    };
    d.a = d.b = matrix_element::f16;
    d.d = type_of(l.modifier_at(1).id);
    d.c = type_of(l.modifier_at(2).id);
    d.saturate = l.has(modifier::SATFINITE);
    d.a_layout = layout_of(l.at(1));
    d.b_layout = layout_of(l.at(2));
    d.sum = l.architecture() < 75 ? arithmetic::volta_sum : arithmetic::turing_sum;
    return d.d != matrix_element::f16 || d.c != matrix_element::f32;
}

bool describe_halves(const machine_lowering& l, description& d) {
    d.a = d.b = l.has(modifier::BF16)   ? matrix_element::bf16
                : l.has(modifier::TF32) ? matrix_element::tf32
                                        : matrix_element::f16;
    d.c = d.d = l.has(modifier::F32) ? matrix_element::f32 : matrix_element::f16;
    d.saturate = l.has(modifier::SATFINITE);
    const bool tf32 = d.a == matrix_element::tf32;
    d.sparse = l.has(modifier::SP);
    d.sum = l.architecture() < 80    ? arithmetic::turing_sum
            : l.architecture() >= 90 ? arithmetic::hopper_sum
            : tf32                   ? arithmetic::ampere_tf32_sum
                                     : arithmetic::ampere_sum;
    const unsigned stored = d.sparse ? d.shape.k / 2 : d.shape.k;
    if (tf32 ? stored > 8 : stored < 8) return false;
    if (d.sparse && l.at(2).negate) return false;
    return d.a == matrix_element::f16 || d.c != matrix_element::f16;
}

/// QMMA.SHAPE.D.A.B, QMMA.SF and OMMA.SF: with a scale factor for each block of elements of a row.
bool describe_narrow_floats(const machine_lowering& l, description& d) {
    d.sparse = l.has(modifier::SP);
    const bool scaled = l.has(modifier::SF), packed = l.is(isa::opcode::OMMA);
    const unsigned types = 1u + (d.sparse ? 1 : 0) + (scaled ? 1 : 0);
    // Numbers of four bits as bytes are in bits 2 to 5: they are those of E2M3.
    const auto byte_of = [packed](modifier m) {
        return m == modifier::E5M2   ? matrix_element::e5m2
               : m == modifier::E3M2 ? matrix_element::e3m2
               : m == modifier::E2M3 ? matrix_element::e2m3
               : m == modifier::E2M1 ? packed ? matrix_element::e2m1 : matrix_element::e2m3
                                     : matrix_element::e4m3;
    };
    if (scaled) {
        d.scaling.ue4m3 = packed && l.has(modifier::UE4M3);
        d.scaling.block = d.shape.k / (d.scaling.ue4m3 ? 4 : packed ? 2 : 1);
    }
    d.a = byte_of(l.modifier_at(types + 1).id);
    d.b = byte_of(l.modifier_at(types + 2).id);
    d.c = d.d = l.has(modifier::F32) ? matrix_element::f32 : matrix_element::f16;
    // As in PTX: the sums of sm_120 have not been published.
    d.sum = l.architecture() >= sass::blackwell ? arithmetic::hopper_sum : arithmetic::fp8_sum;
    const unsigned stored = d.sparse ? d.shape.k / 2 : d.shape.k;
    const bool known = packed ? stored == 64 : d.sparse ? stored == 32 : stored <= 32;
    return known && is_row_by_column(l);
}

/// IMMA.SHAPE.A.B
bool describe_integers(const machine_lowering& l, description& d) {
    d.sparse = l.has(modifier::SP);
    const unsigned types = d.sparse ? 2 : 1;
    const auto a = integer_of(l.modifier_at(types).id), b = integer_of(l.modifier_at(types + 1).id);
    if (!a || !b) return false;
    const auto is_byte = [](matrix_element e) {
        return e == matrix_element::u8 || e == matrix_element::s8;
    };
    if (is_byte(*a) != is_byte(*b)) return false;
    d.a = *a;
    d.b = *b;
    d.c = d.d = matrix_element::s32;
    d.saturate = l.has(modifier::SAT);
    const unsigned bits = (d.sparse ? d.shape.k / 2 : d.shape.k) * (is_byte(*a) ? 8 : 4);
    return (bits == 128 || (bits == 256 && d.shape.m == 16)) && is_row_by_column(l);
}

/// Types, options, and summation of an architecture's tensor cores; nullopt: unsupported.
std::optional<description> description_of(const machine_lowering& l) {
    description d;
    const auto shape = shape_of(l);
    if (!shape) return std::nullopt;
    for (unsigned n = 1; n < 4; ++n) l.reads_sign(l.at(n));
    d.shape = *shape;
    bool supported = true;
    switch (l.now().opcode) {
        case isa::opcode::HMMA:
            supported = l.has(modifier::_884) ? describe_step(l, d) : describe_halves(l, d);
            break;
        case isa::opcode::QMMA:
        case isa::opcode::OMMA:
            supported = describe_narrow_floats(l, d);
            break;
        case isa::opcode::IMMA:
            supported = describe_integers(l, d);
            break;
        case isa::opcode::BMMA:
            d.a = d.b = matrix_element::b1;
            d.c = d.d = matrix_element::s32;
            d.bit_and = l.has(modifier::AND);
            l.ignore(modifier::XOR);
            l.ignore(modifier::POPC);
            supported = is_row_by_column(l);
            break;
        default:  // DMMA
            d.a = d.b = d.c = d.d = matrix_element::f64;
            d.f64_rounding = l.has(modifier::RM)   ? arithmetic::rounding::down
                             : l.has(modifier::RP) ? arithmetic::rounding::up
                             : l.has(modifier::RZ) ? arithmetic::rounding::zero
                                                   : arithmetic::rounding::nearest;
            break;
    }
    return supported ? std::make_optional(d) : std::nullopt;
}

/// The n-th element of a fragment, whose registers consist of as many words as an element of its
/// results. @param words  1 or 2
sass::operand element_of(const sass::operand& o, unsigned n, unsigned words) {
    sass::operand e = o;
    if (e.index != sass::register_rz) e.index = static_cast<std::uint8_t>(e.index + words * n);
    return e;
}

/// The operands of a product: registers, of which few opcodes can change the sign.
bool are_supported_factors(const machine_lowering& l) {
    const bool doubles = l.is(isa::opcode::DMMA), halves = l.is(isa::opcode::HMMA);
    for (unsigned n = 1; n < 4; ++n) {
        const sass::operand& o = l.at(n);
        if (o.kind != operand_kind::reg) return false;
        if (!doubles && o.absolute) return false;
        if (o.negate && !doubles && !halves) return false;
    }
    return true;
}

void emit_product(machine_lowering& l, std::int64_t product, const std::vector<operand_ref>& list,
                  operand_ref metadata, bool guarded) {
    operand_ref* const registers = l.list_of(list);
    operation& op = l.emit(multiply_matrices, guarded);
    op.list = registers;
    op.source[0] = metadata;
    op.immediate = product;
}

/// HMMA.884: one of the steps of mma.m8n8k4, which computes a pair of result registers.
bool lower_step(machine_lowering& l, const arithmetic::matrix_multiply& product,
                std::int64_t kept) {
    const unsigned step = l.has(modifier::STEP1)   ? 1
                          : l.has(modifier::STEP2) ? 2
                          : l.has(modifier::STEP3) ? 3
                                                   : 0;
    const unsigned results = product.d().registers();
    if (2 * step + 1 >= results) return false;
    std::vector<operand_ref> list;
    for (unsigned n = 0; n < results; ++n)
        list.push_back(n / 2 == step ? l.result_row(l.at(0), n % 2)
                                     : operand_ref{machine_frame::discard});
    for (unsigned n = 0; n < product.a().registers(); ++n)
        list.push_back(l.low_word(element_of(l.at(1), n, 1)));
    for (unsigned n = 0; n < product.b().registers(); ++n)
        list.push_back(l.low_word(element_of(l.at(2), n, 1)));
    // Halves added to single-precision sums: two steps share a pair of registers, which contains
    // four of their columns.
    const unsigned count = product.c().registers();
    const unsigned pair = count < results ? step / 2 : step;
    for (unsigned n = 0; n < count; ++n)
        list.push_back(n / 2 == pair ? l.low_word(element_of(l.at(3), n % 2, 1))
                                     : operand_ref{machine_frame::zero});
    emit_product(l, kept, list, no_operand, true);
    return true;
}

/// C, or zeros in lanes where a predicate is false.
void add_sums(machine_lowering& l, unsigned count, const sass::operand& adds,
              std::vector<operand_ref>& list) {
    for (unsigned n = 0; n < count; ++n) {
        const operand_ref from = l.low_word(element_of(l.at(3), n, 1)), to = l.scratch();
        l.emit_selection(l.predicate_of(adds), to, from, machine_frame::zero, false);
        list.push_back(to);
    }
}

/// The bytes and lanes with the first scale factors of A and of B, which a uniform register holds.
void add_selectors(machine_lowering& l, const sass::operand& selectors,
                   std::vector<operand_ref>& list) {
    constexpr struct { unsigned first, bits; } fields[] = {{0, 2}, {2, 1}, {3, 2}, {5, 2}};
    for (const auto& f : fields) {
        const operand_ref shifted = l.scratch(), field = l.scratch();
        l.emit_words(l.lanes().shift, {}, shifted,
                     {l.low_word(selectors), l.number(f.first), machine_frame::zero}, false);
        l.emit_words(l.lanes().extend, {}, field, {shifted, l.number(f.bits)}, false);
        list.push_back(field);
    }
}

}  // namespace

/// HMMA, IMMA, BMMA, QMMA, DMMA, OMMA.
bool lower_matrix_multiply(machine_lowering& l) {
    auto description = description_of(l);
    if (!description) return false;
    // After the operands of a product: for 8-bit floats an optional predicate that determines
    // whether C is added; for sparse products metadata and selector.
    operand_ref metadata = no_operand;
    unsigned more = 4;
    const sass::operand* adds = nullptr;
    if (l.is(isa::opcode::QMMA) && more < l.operand_count() &&
        l.at(more).kind == operand_kind::uniform_predicate)
        adds = &l.at(more++);
    const bool scaled = description->scaling.block != 0;
    // Of a block-scaled sparse product the register after the metadata has the scale factors of A.
    operand_ref scales[2] = {no_operand, no_operand};
    if (description->sparse && scaled) {
        metadata = l.low_word(l.at(more));
        scales[0] = l.low_word(element_of(l.at(more), 1, 1));
        scales[1] = l.low_word(l.at(more + 1));
    } else if (scaled) {
        for (unsigned n = 0; n < 2; ++n) scales[n] = l.low_word(l.at(more + n));
    } else if (description->sparse) {
        if (l.operand_count() != more + 2) return false;
        metadata = l.low_word(l.at(more));
        description->selector = static_cast<unsigned>(l.at(more + 1).value);
    }
    if (!are_supported_factors(l)) return false;
    if (l.is(isa::opcode::HMMA)) {
        description->negate_a = l.at(1).negate;
        description->negate_b = l.at(2).negate;
        description->negate_c = l.at(3).negate;
    }
    const auto product = std::make_shared<const arithmetic::matrix_multiply>(*description);
    const std::int64_t kept = l.keep(product);
    const bool doubles = l.is(isa::opcode::DMMA);
    if (l.has(modifier::_884) && !doubles) return lower_step(l, *product, kept);
    const unsigned words = doubles ? 2 : 1, results = product->d().registers();
    std::vector<operand_ref> list;
    for (unsigned n = 0; n < results; ++n)
        list.push_back(doubles ? l.scratch() : l.result_row(l.at(0), n));
    const auto add_sources = [&](const sass::operand& o, unsigned count) {
        for (unsigned n = 0; n < count; ++n) {
            const sass::operand e = element_of(o, n, words);
            list.push_back(doubles ? l.double_source(e) : l.low_word(e));
        }
    };
    add_sources(l.at(1), product->a().registers());
    add_sources(l.at(2), product->b().registers());
    if (adds == nullptr)
        add_sources(l.at(3), product->c().registers());
    else
        add_sums(l, product->c().registers(), *adds, list);
    if (scaled) add_selectors(l, l.at(6), list);
    emit_product(l, kept, list, metadata, !doubles);
    for (unsigned n = 0; scaled && n < 2; ++n) l.last_operation().source[1 + n] = scales[n];
    if (doubles)
        for (unsigned n = 0; n < results; ++n) l.to_pair(element_of(l.at(0), n, words), list[n]);
    return true;
}

/// MOVM, which transposes 8 by 8 halves, or expands 8 by 32 numbers of four bits to bytes.
bool lower_transpose_matrix(machine_lowering& l) {
    if (l.has(modifier::U4TO8) && l.has(modifier::M832)) {
        const operand_ref to[] = {l.result_row(l.at(0)), l.result_row(l.at(0), 1)};
        const operand_ref from = l.low_word(l.at(1));
        operation& op = l.emit(machine_expand_matrix);
        op.destination = to[0];
        op.destination2 = to[1];
        op.source[0] = from;
        return true;
    }
    if (!l.has(modifier::MT88)) return false;
    l.ignore(modifier::_16);
    l.emit_words(transpose_matrix, l.result_row(l.at(0)), {l.low_word(l.at(1))});
    return true;
}

// ---- matrices in shared memory ----

namespace {

/// Number of matrices of LDSM and STSM.
unsigned matrices_of(const machine_lowering& l) {
    return l.has(modifier::_4) ? 4 : l.has(modifier::_2) ? 2 : 1;
}

/// How LDSM distributes rows; matrices of 16 x 16 bytes (.MT1616) take two registers each.
/// @return empty if no compiled code has this combination
std::optional<matrix_rows> rows_of(const machine_lowering& l) {
    const bool bytes = l.has(modifier::MT1616);
    if (bytes && l.has(modifier::_4)) return {};
    if (l.has(modifier::B4X16_P64) || l.has(modifier::B6X16_P32)) {
        const bool of_4 = l.has(modifier::B4X16_P64);
        if (bytes) return of_4 ? matrix_rows::bytes_packed4 : matrix_rows::bytes_packed6;
        if (!l.has(modifier::M816)) return {};
        return of_4 ? matrix_rows::packed4 : matrix_rows::packed6;
    }
    if (l.has(modifier::_8)) return bytes ? std::optional(matrix_rows::bytes) : std::nullopt;
    if (l.has(modifier::MT88)) return matrix_rows::transposed;
    return l.has(modifier::M88) ? std::optional(matrix_rows::plain) : std::nullopt;
}

/// LDSM, STSM: matrices of 16-bit elements or bytes; every lane has the address of a row of 16
/// bytes. @param h  loads or stores one register of each lane per operand
void emit_matrix_access(machine_lowering& l, handler h, const sass::operand& address,
                        const std::vector<operand_ref>& refs, matrix_rows rows) {
    l.ignore(modifier::_16);
    const machine_lowering::address_place p = l.place_of(address, space::shared);
    l.emit_segment_check(h == machine_store_matrices ? segment_access::store_matrices
                                                     : segment_access::load_matrices);
    operation& op = l.emit(h);
    op.detail = p.detail;
    op.source[0] = p.source;
    op.source[3] = static_cast<operand_ref>(rows);
    op.destination2 = static_cast<operand_ref>(refs.size());
    op.immediate = p.offset;
    op.list = l.list_of(refs);
}

}  // namespace

/// LDSM.
bool lower_load_matrices(machine_lowering& l) {
    const std::optional<matrix_rows> rows = rows_of(l);
    if (!rows) return false;
    const unsigned registers = matrices_of(l) * (l.has(modifier::MT1616) ? 2 : 1);
    std::vector<operand_ref> refs;
    for (unsigned i = 0; i < registers; ++i) refs.push_back(l.result_row(l.at(0), i));
    emit_matrix_access(l, machine_load_matrices, l.at(1), refs, *rows);
    return true;
}

/// STSM.
bool lower_store_matrices(machine_lowering& l) {
    const bool bytes = l.has(modifier::MT816);
    if (l.has(modifier::_8) != bytes) return false;
    std::vector<operand_ref> refs;
    for (unsigned i = 0; i < matrices_of(l); ++i) refs.push_back(l.following_register(l.at(1), i));
    emit_matrix_access(l, machine_store_matrices, l.at(0), refs,
                       bytes                   ? matrix_rows::bytes
                       : l.has(modifier::MT88) ? matrix_rows::transposed
                                               : matrix_rows::plain);
    return true;
}

}  // namespace simtlm::execution
