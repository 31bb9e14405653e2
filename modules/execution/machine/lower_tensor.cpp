// SPDX-License-Identifier: Apache-2.0
// Lowering of tensor products. Their fragments are those of mma in PTX with the same shape, in
// consecutive registers.
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/machine/machine_lowering.h"
#include "modules/execution/operations/matrix_operations.h"

#include <memory>
#include <optional>

namespace simtlm::execution {

using arithmetic::matrix_element;
using sass::operand_kind;

namespace {

/// The shape of a modifier such as 16816.
struct named_shape {
    std::string_view name;
    arithmetic::matrix_shape shape;
};
constexpr named_shape shapes[] = {
    {"1684", {16, 8, 4}},     {"1688", {16, 8, 8}},   {"16816", {16, 8, 16}},
    {"16832", {16, 8, 32}},   {"16864", {16, 8, 64}}, {"8816", {8, 8, 16}},
    {"8832", {8, 8, 32}},     {"88128", {8, 8, 128}}, {"168128", {16, 8, 128}},
    {"168256", {16, 8, 256}}, {"884", {8, 8, 4}},     {"8x8x4", {8, 8, 4}},
    {"16x8x4", {16, 8, 4}},   {"16x8x8", {16, 8, 8}}, {"16x8x16", {16, 8, 16}},
};

std::optional<arithmetic::matrix_shape> shape_of(const sass::instruction& i) {
    for (const named_shape& s : shapes)
        if (i.has(s.name)) return s.shape;
    return std::nullopt;
}

std::optional<matrix_element> integer_of(std::string_view name) {
    if (name == "U8") return matrix_element::u8;
    if (name == "S8") return matrix_element::s8;
    if (name == "U4") return matrix_element::u4;
    if (name == "S4") return matrix_element::s4;
    return std::nullopt;
}

/// Types, options, and summation of an architecture's tensor cores; nullopt: unsupported.
std::optional<arithmetic::matrix_description> description_of(const sass::instruction& i,
                                                             unsigned architecture) {
    arithmetic::matrix_description d;
    const auto shape = shape_of(i);
    if (!shape) return std::nullopt;
    d.shape = *shape;
    if (i.opcode == "HMMA" && i.has("884")) {
        // Types of D and of C.
        const auto type_of = [](std::string_view m) {
            return m == "F32" ? matrix_element::f32 : matrix_element::f16;
        };
        d.a = d.b = matrix_element::f16;
        d.d = type_of(i.modifiers[1]);
        d.c = type_of(i.modifiers[2]);
        d.saturate = i.has("SATFINITE");
        if (d.d == matrix_element::f16 && d.c == matrix_element::f32) return std::nullopt;
        const auto layout_of = [](const sass::operand& o) {
            return o.suffix == ".COL" ? arithmetic::matrix_layout::column
                                      : arithmetic::matrix_layout::row;
        };
        d.a_layout = layout_of(i.operands[1]);
        d.b_layout = layout_of(i.operands[2]);
        d.sum = architecture < 75 ? arithmetic::volta_sum : arithmetic::turing_sum;
        return d;
    }
    if (i.opcode == "HMMA") {
        d.a = i.has("BF16")   ? matrix_element::bf16
              : i.has("TF32") ? matrix_element::tf32
                              : matrix_element::f16;
        d.b = d.a;
        d.c = d.d = i.has("F32") ? matrix_element::f32 : matrix_element::f16;
        d.saturate = i.has("SATFINITE");
        const bool tf32 = d.a == matrix_element::tf32;
        d.sparse = i.has("SP");
        const unsigned stored = d.sparse ? d.shape.k / 2 : d.shape.k;
        if (tf32 ? stored > 8 : stored < 8) return std::nullopt;
        if (d.sparse && i.operands[2].negate) return std::nullopt;
        if (d.a != matrix_element::f16 && d.c == matrix_element::f16) return std::nullopt;
        d.sum = architecture < 80    ? arithmetic::turing_sum
                : architecture >= 90 ? arithmetic::hopper_sum
                : tf32               ? arithmetic::ampere_tf32_sum
                                     : arithmetic::ampere_sum;
        return d;
    }
    if (i.opcode == "QMMA") {
        // .SHAPE.D.A.B
        d.sparse = i.has("SP");
        const unsigned types = d.sparse ? 2 : 1;
        const auto byte_of = [](std::string_view m) {
            return m == "E5M2" ? matrix_element::e5m2 : matrix_element::e4m3;
        };
        d.a = byte_of(i.modifiers[types + 1]);
        d.b = byte_of(i.modifiers[types + 2]);
        d.c = d.d = i.has("F32") ? matrix_element::f32 : matrix_element::f16;
        if (d.sparse ? d.shape.k != 64 : d.shape.k > 32) return std::nullopt;
        if (i.operands[1].suffix != ".ROW" || i.operands[2].suffix != ".COL") return std::nullopt;
        d.sum = arithmetic::fp8_sum;
        return d;
    }
    if (i.opcode == "IMMA") {
        // .SHAPE.A.B
        const unsigned types = i.has("SP") ? 2 : 1;
        const auto a = integer_of(i.modifiers[types]), b = integer_of(i.modifiers[types + 1]);
        if (!a || !b) return std::nullopt;
        const auto is_byte = [](matrix_element e) {
            return e == matrix_element::u8 || e == matrix_element::s8;
        };
        if (is_byte(*a) != is_byte(*b)) return std::nullopt;
        d.a = *a;
        d.b = *b;
        d.c = d.d = matrix_element::s32;
        d.saturate = i.has("SAT");
        d.sparse = i.has("SP");
        const unsigned bits = (d.sparse ? d.shape.k / 2 : d.shape.k) * (is_byte(*a) ? 8 : 4);
        const bool whole = bits == 128 || (bits == 256 && d.shape.m == 16);
        if (!whole || i.operands[1].suffix != ".ROW" || i.operands[2].suffix != ".COL")
            return std::nullopt;
        return d;
    }
    if (i.opcode == "BMMA") {
        d.a = d.b = matrix_element::b1;
        d.c = d.d = matrix_element::s32;
        d.bit_and = i.has("AND");
        if (i.operands[1].suffix != ".ROW" || i.operands[2].suffix != ".COL") return std::nullopt;
        return d;
    }
    d.a = d.b = d.c = d.d = matrix_element::f64;
    d.f64_rounding = i.has("RM")   ? arithmetic::rounding::down
                     : i.has("RP") ? arithmetic::rounding::up
                     : i.has("RZ") ? arithmetic::rounding::zero
                                   : arithmetic::rounding::nearest;
    return d;
}

}  // namespace

/// HMMA, IMMA, BMMA, QMMA, DMMA; MOVM, which transposes 8 by 8 halves.
bool machine_lowering::lower_tensor() {
    const std::string_view name = now_.opcode;
    if (name == "MOVM") {
        if (!now_.has("MT88")) return false;
        const slot from = low_word(at(1)), to = result_row(at(0));
        operation& op = emit(transpose_matrix);
        op.source[0] = from;
        op.destination = to;
        return true;
    }
    const bool doubles = name == "DMMA";
    if (name != "HMMA" && name != "IMMA" && name != "BMMA" && name != "QMMA" && !doubles)
        return false;
    auto description = description_of(now_, image_.architecture());
    if (!description) return false;
    // After the operands of a product: for 8-bit floats an optional predicate that determines
    // whether C is added; for sparse products metadata and selector.
    slot metadata = no_slot;
    unsigned more = 4;
    const operand* adds = nullptr;
    if (name == "QMMA" && more < now_.operand_count &&
        at(more).kind == operand_kind::uniform_predicate)
        adds = &at(more++);
    if (description->sparse) {
        if (now_.operand_count != more + 2) return false;
        metadata = low_word(at(more));
        description->selector = static_cast<unsigned>(at(more + 1).value);
    }
    for (unsigned n = 1; n < 4; ++n) {
        if (at(n).kind != operand_kind::reg) return false;
        if (!doubles && at(n).absolute) return false;
        if (at(n).negate && !doubles && name != "HMMA") return false;
    }
    if (name == "HMMA") {
        description->negate_a = at(1).negate;
        description->negate_b = at(2).negate;
        description->negate_c = at(3).negate;
    }
    const auto product = std::make_shared<const arithmetic::matrix_multiply>(*description);
    image_.attachments_.push_back(product);
    // Element n of a fragment, whose registers consist of as many words as an element of its
    // results.
    const auto element = [&](const operand& o, unsigned n) {
        operand e = o;
        if (e.index != sass::register_rz)
            e.index = static_cast<std::uint8_t>(e.index + (doubles ? 2 * n : n));
        return e;
    };
    const unsigned results = product->d().registers();
    std::vector<slot> list;
    if (now_.has("884") && !doubles) {
        // One of the steps of mma.m8n8k4: a pair of result registers.
        unsigned step = 0;
        for (const char* which : {"STEP1", "STEP2", "STEP3"}) {
            ++step;
            if (now_.has(which)) break;
            if (step == 3) step = 0;
        }
        if (2 * step + 1 >= results) return false;
        for (unsigned n = 0; n < results; ++n)
            list.push_back(n / 2 == step ? result_row(at(0), n % 2) : machine_frame::discard);
        for (unsigned n = 0; n < product->a().registers(); ++n)
            list.push_back(low_word(element(at(1), n)));
        for (unsigned n = 0; n < product->b().registers(); ++n)
            list.push_back(low_word(element(at(2), n)));
        // Halves added to single-precision sums: two steps share a pair of registers, which
        // contains four of their columns.
        const unsigned count = product->c().registers();
        const unsigned pair = count < results ? step / 2 : step;
        for (unsigned n = 0; n < count; ++n)
            list.push_back(n / 2 == pair ? low_word(element(at(3), n % 2)) : machine_frame::zero);
        slot* const registers = list_of(list);
        operation& op = emit(multiply_matrices);
        op.list = registers;
        op.source[0] = no_slot;
        op.immediate = reinterpret_cast<std::int64_t>(product.get());
        return true;
    }
    for (unsigned n = 0; n < results; ++n)
        list.push_back(doubles ? scratch() : result_row(at(0), n));
    const auto add_sources = [&](const operand& o, unsigned count) {
        for (unsigned n = 0; n < count; ++n)
            list.push_back(doubles ? double_source(element(o, n)) : low_word(element(o, n)));
    };
    add_sources(at(1), product->a().registers());
    add_sources(at(2), product->b().registers());
    if (adds == nullptr) {
        add_sources(at(3), product->c().registers());
    } else {
        for (unsigned n = 0; n < product->c().registers(); ++n) {
            machine_details& d = details();
            source_predicate(d, 0, *adds);
            const slot from = low_word(element(at(3), n)), to = scratch();
            emit_words(lanes_.select, &d, to, {from, machine_frame::zero}, false);
            list.push_back(to);
        }
    }
    slot* const registers = list_of(list);
    operation& op = emit(multiply_matrices, nullptr, !doubles);
    op.list = registers;
    op.source[0] = metadata;
    op.immediate = reinterpret_cast<std::int64_t>(product.get());
    if (doubles)
        for (unsigned n = 0; n < results; ++n) to_pair(element(at(0), n), list[n]);
    return true;
}

}  // namespace simtlm::execution
