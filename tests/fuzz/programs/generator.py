# SPDX-License-Identifier: Apache-2.0
"""Random CUDA programs without undefined behaviour, data races or dependence on the order of threads.

A program is a kernel with its functions and tables. Its source compiles for the device (device.h)
and for the host (host.h). Statements are kept as a tree, from which parts can be deleted: variables
are declared and initialised before all statements, and what belongs together, such as a store to
shared memory and the barrier after it, is one statement.
"""
import random
import re

CONSTANTS = [0, 1, 2, 3, 5, 7, 8, 10, 15, 16, 17, 24, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256, 1000,
             0x7fff, 0x8000, 0xffff, 0x10000, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001,
             0xfffffffe, 0xffffffff, 0xff00ff00, 0x55555555]
NUMBERS = ["0.0", "-0.0", "1.0", "-1.0", "0.5", "2.0", "3.0", "1.5", "-7.25", "1e-3", "1e10", "1e-30",
           "16777216.0", "0.1"]

# Functions of the bytes or half-words of words, with one, two and three operands. Operands of the last ones are
# not negated words: ptxas 13.0 loses the sign of an operand of VIMNMX3 (sm_90).
PARTS = """__vneg2 __vneg4 __vabs2 __vabs4 __vabsss2 __vabsss4 __vnegss2 __vnegss4""".split()
PAIRS_OF_PARTS = """__vadd2 __vadd4 __vsub2 __vsub4 __vmins2 __vminu2 __vmins4 __vminu4 __vmaxs2 __vmaxu2 __vmaxs4
    __vmaxu4 __vabsdiffu2 __vabsdiffu4 __vabsdiffs2 __vabsdiffs4 __vaddss2 __vaddus2 __vaddss4 __vaddus4 __vsubss2 __vsubus2 __vsubss4
    __vsubus4 __vavgu2 __vavgu4 __vhaddu2 __vhaddu4 __vcmpgts2 __vcmpleu2 __vcmplts4 __vcmpgeu4 __vcmpeq4 __vseteq2 __vsetgts4 __vsetltu2 __vsadu4""".split()
THREE_PARTS = """__viaddmax_s16x2 __viaddmin_u16x2 __viaddmax_s16x2_relu __vimax3_s16x2 __vimin3_u16x2
    __vimin3_s16x2_relu""".split()
THREE_WORDS = "__viaddmax_s32 __viaddmin_s32_relu __vimax3_s32 __vimax3_s32_relu".split()

# Expressions: type: [(how often, feature that the program needs, form)]. In a form {u} is an
# expression of 32 bits, {w} one that is the same in all lanes, {q} of 64 bits, {f} and {d} of floating
# point, {b} a condition; {lut} a table of three bits; {k} a
# constant, {s} an amount of 0 to 31, {p} one of 1 to 3.
EXPRESSIONS = {
    "u": [
        (6, None, "({u} + {u})"), (6, None, "({u} - {u})"), (5, None, "({u} * {u})"),
        (3, None, "({u} * {k})"), (3, None, "({u} & {u})"), (3, None, "({u} | {u})"),
        (5, None, "({u} ^ {u})"), (2, None, "(~{u})"), (2, None, "(0u - {u})"),
        (3, None, "({u} << {s})"), (3, None, "({u} >> {s})"), (2, None, "(u32)((s32){u} >> {s})"),
        (3, None, "({u} << ({u} & 31))"), (3, None, "({u} >> ({u} & 31))"),
        (2, None, "(u32)((s32){u} >> ({u} & 31))"),
        (2, None, "({u} / ({u} | 1))"), (2, None, "({u} % ({u} | 1))"),
        (1, None, "({u} / {k1})"), (1, None, "({u} % {k1})"),
        (1, None, "(u32)((s32){u} / (s32)(({u} & 0xffff) + 1))"),
        (1, None, "(u32)((s32){u} % (s32)(({u} & 0xffff) + 1))"),
        (1, None, "(u32)((s32){u} / {n})"), (1, None, "(u32)((s32){u} % {n})"),
        (3, None, "({b} ? {u} : {u})"), (3, None, "(u32)({b})"),
        (2, None, "min({u}, {u})"), (2, None, "max({u}, {u})"),
        (2, None, "(u32)min((s32){u}, (s32){u})"), (2, None, "(u32)max((s32){u}, (s32){u})"),
        (1, None, "(u32)__popc({u})"), (1, None, "(u32)__clz((s32){u})"),
        (1, None, "(u32)__ffs((s32){u})"), (1, None, "__brev({u})"),
        (1, None, "__umulhi({u}, {u})"), (1, None, "(u32)__mulhi((s32){u}, (s32){u})"),
        (1, None, "(u32)mul24((s32){u}, (s32){u})"), (1, None, "__umul24({u}, {u})"),
        (1, None, "__usad({u}, {u}, {u})"), (1, None, "__sad((s32){u}, (s32){u}, {u})"),
        (1, None, "__uhadd({u}, {u})"), (1, None, "(u32)__hadd((s32){u}, (s32){u})"),
        (1, None, "__byte_perm({u}, {u}, {u} & 0x7777)"), (1, None, "__byte_perm({u}, {u}, {k} & 0x7777)"),
        (1, None, "__funnelshift_l({u}, {u}, {u})"), (1, None, "__funnelshift_r({u}, {u}, {u})"),
        (1, None, "__funnelshift_lc({u}, {u}, {u})"), (1, None, "__funnelshift_rc({u}, {u}, {u})"),
        (1, None, "__dp4a({u}, {u}, {u})"), (1, None, "(u32)__dp4a((s32){u}, (s32){u}, (s32){u})"),
        (2, None, "(u32)(u8){u}"), (1, None, "(u32)(u16){u}"), (2, None, "(u32)(s32)(s8){u}"),
        (1, None, "(u32)(s32)(s16){u}"), (4, None, "in[{u} & 1023]"),
        (2, None, "(({u} & 0xff) << 24 | {u} >> 8)"), (1, None, "(({u} >> {s}) & {k})"),
        (6, "long", "(u32)({q} >> ({u} & 63))"), (4, "long", "(u32){q}"), (2, "long", "(u32)({q} >> 32)"),
        (2, "long", "(u32)__popcll({q})"), (1, "long", "(u32)__clzll((s64){q})"),
        (1, "long", "(u32)__ffsll((s64){q})"),
        (4, "float", "to_s32({f})"), (3, "float", "to_u32({f})"), (5, "float", "bits({f})"),
        (4, "double", "to_s32({d})"), (3, "double", "to_u32({d})"), (2, "double", "(u32)(bits({d}) >> 32)"),
        (12, "array", "m[{u} & 7]"), (8, "bytes", "(u32)((const u8*)m)[{u} & 31]"),
        (4, "bytes", "(u32)(s32)((const s8*)m)[{u} & 31]"),
        (10, "struct", "s.{field}"), (4, "struct", "s.list[{u} & 3]"), (4, "struct", "(u32)s.in.c[{u} & 1]"),
        (8, "union", "un.w[{u} & 3]"), (6, "union", "(u32)un.b[{u} & 15]"),
        (6, "union", "(u32)un.h[{u} & 7]"), (4, "union", "(u32)(s32)un.c[{u} & 15]"),
        (6, "parameters", "par.w[{u} & {last}]"), (4, "parameters", "(u32)par.b[{u} & 3]"),
        (4, "parameters", "(u32)(s32)par.h[{u} & 1]"),
        (8, "table", "{table}[{u} & 15]"), (4, "table", "(u32){table}_b[{u} & 7]"),
        (10, "functions", "{call}"),
        (8, "virtual", "shape->at(in, {u})"), (3, "virtual", "shape->x"),
        (6, "pointers", "pointers_of_P_[{u} & 3][{u} & 7]"), (6, "pointers", "packed_of_P_.to[{u} & 7]"),
        (2, "pointers", "(u32)packed_of_P_.tag"), (2, "pointers", "*packed_of_P_.last"),
        (6, "half", "half_add({u}, {u})"), (3, "half", "half_sub({u}, {u})"), (6, "half", "half_mul({u}, {u})"),
        (6, "half", "half_fma({u}, {u}, {u})"), (3, "half", "half_of((float)(s32)({u} & 0xffff), (float)(s32){u})"),
        (3, "half", "bits(float_of_half({u}))"), (3, "bfloat", "bfloat_fma({u}, {u}, {u})"),
        *((1, "packed", f"{name}({{u}}, {{u}})") for name in PAIRS_OF_PARTS),
        *((1, "packed", f"{name}({{u}}, {{k}})") for name in PAIRS_OF_PARTS[:6]),
        *((1, "packed", f"{name}({{u}})") for name in PARTS),
        *((1, "packed", f"{name}({{u}} | 1u, {{u}} | 1u, {{u}} | 1u)") for name in THREE_PARTS),
        *((1, "packed", f"(u32){name}((s32)({{u}} | 1u), (s32)({{u}} | 1u), (s32)({{u}} | 1u))") for name in THREE_WORDS),
        (1, "packed", "__viaddmin_u32({u} | 1u, {u}, {u})"), (1, "packed", "__vimin3_u32({u} | 1u, {u} | 1u, {u} | 1u)"),
        (3, "packed", "saturating_sum({u}, {u})"), (3, "packed", "saturating_difference({u}, {u})"),
        (2, "packed", "saturating_sum({u}, {k})"), (2, "packed", "saturating_difference({k}, {u})"),
        (8, "carry", "carry_sum({u}, {u}, {u}, {u}, {u}, {u})"), (6, "carry", "borrow_difference({u}, {u}, {u}, {u}, {u}, {u})"),
        (4, "carry", "borrow_difference(0u, 0u, {u}, {u}, {u}, {u})"), (6, "carry", "carry_product({u}, {u}, {u}, {u})"),
        (3, "carry", "carry_sum({u}, {k}, 0u, {u}, {u}, 0u)"),
        (3, "bits", "bits_at({u}, {u}, {u})"), (2, "bits", "bits_at({u}, {s}, {s})"),
        (3, "bits", "signed_bits_at({u}, {u}, {u})"), (2, "bits", "signed_bits_at({u}, {s}, {s})"),
        (3, "bits", "with_bits({u}, {u}, {u}, {u})"), (2, "bits", "with_bits({u}, {u}, {s}, {s})"),
        (6, "bits", "logic<{lut}>({u}, {u}, {u})"), (2, "bits", "logic<{lut}>({u}, {k}, {u})"),
        (2, "bits", "highest_bit({u})"), (2, "bits", "highest_difference({u})"),
        (2, "bits", "sign_extended({u}, {u} & 63)"), (2, "bits", "mask_of({u} & 63, {u} & 63)"),
        (2, "bits", "(u32)((s32)({u} << 28) >> 28)"), (2, "bits", "(({u} >> 4 & 15) * ({u} >> 12 & 15))"),
        (3, "narrow", "(u32)(u16)((u32)(u16){u} * (u16){u})"), (3, "narrow", "(u32)(s32)(s16)({u} + {u})"),
        (3, "narrow", "(u32)(s32)(s8)({u} - {u})"), (2, "narrow", "(u32)((s8){u} >> {p})"),
        (2, "narrow", "(u32)((u8){u} / ((u8){u} | 1))"), (2, "narrow", "(u32)((s16){u} / (((s16){u} & 63) + 1))"),
        (2, "narrow", "(u32)((s16){u} % (((u8){u}) + 1))"), (2, "narrow", "(u32)((u16){u} << {p} >> {p})"),
        (2, "narrow", "(u32)((s8){u} < (s8){u})"), (2, "narrow", "(u32)((u16){u} > (u16){u})"),
        (2, "narrow", "(u32)(s32)min((s16){u}, (s16){u})"), (2, "narrow", "(u32)max((u8){u}, (u8){u})"),
        (3, "narrow", "(u32)((s16){u} * (s16){u})"), (3, "narrow", "((u32)(u8){u} << 16 | (u8){u})"),
        (2, "narrow", "to_s32((float)(s8){u} * 0.75f)"), (2, "narrow", "bits((float)(u8){u} + (float)(s16){u})"),
        (3, "narrow", "(u32)(u8)(s8)to_s32((float)(s32)({u} & 127))"),
        (4, "half", "half_less({u}, {u})"), (3, "half", "half_not_above({u}, {u})"), (2, "half", "half_negated({u})"),
        (2, "half", "int_of_half({u})"), (2, "half", "half_of_int({u})"), (2, "half", "half_mul({u}, half_of_int({u} & 7))"),
        (3, "bfloat", "half_min({u}, {u})"), (3, "bfloat", "half_max({u}, {u})"), (3, "bfloat", "half_fma_relu({u}, {u}, {u})"),
        (2, "bfloat", "bfloat_min({u}, {u})"), (2, "bfloat", "bfloat_max({u}, {u})"),
        (2, "bfloat", "bfloat_fma_relu({u}, {u}, {u})"), (2, "bfloat", "bfloat_fma({u}, 0x3f803f80u, {u})"),
        (2, "bfloat", "bfloat_of((float)(s32){u}, (float)({u} & 1023) * 0.125f)"),
        *((w, "fp8", form.replace("T", t)) for t in ("e4m3", "e5m2") for w, form in (
            (4, "T_of((float)(s32)({u} & 0xffff) * 0.01f, (float)(s32){u})"), (4, "T_of_halves({u})"), (5, "halves_of_T({u})"))),
        (20, "uniform", "{w}"), (4, "uniform", "({u} + {w})"), (3, "uniform", "({w} * {u} + {w})"),
        (2, "uniform", "in[({u} + {w}) & 1023]"), (3, "uniform", "in[{w} & 1023]"),
        (1, None, "__ldg(&in[{u} & 1023])"), (1, None, "__ldcg(&in[{u} & 1023])"),
        (1, None, "__ldcv(&in[{u} & 1023])"),
    ],
    "q": [
        (6, None, "({q} + {q})"), (6, None, "({q} - {q})"), (5, None, "({q} * {q})"),
        (4, None, "({q} ^ {q})"), (2, None, "({q} & {q})"), (2, None, "({q} | {q})"),
        (3, None, "((u64){u} << 32 | {u})"), (6, None, "(u64){u}"), (4, None, "(u64)(s64)(s32){u}"),
        (3, None, "((u64){u} * {u})"), (3, None, "(u64)((s64)(s32){u} * (s32){u})"),
        (3, None, "({q} << ({u} & 63))"), (3, None, "({q} >> ({u} & 63))"),
        (3, None, "(u64)((s64){q} >> ({u} & 63))"), (2, None, "({q} << {s})"), (2, None, "({q} >> {s})"),
        (2, None, "({q} / ({q} | 1))"), (1, None, "({q} % ({q} | 1))"), (1, None, "({q} / {k1})"),
        (1, None, "(u64)((s64){q} / (s64)({u} | 1))"), (1, None, "(u64)((s64){q} % (s64)({u} | 1))"),
        (2, None, "({b} ? {q} : {q})"), (1, None, "(~{q})"), (1, None, "(u64)min((s64){q}, (s64){q})"),
        (1, None, "min({q}, {q})"), (1, None, "max({q}, {q})"), (1, None, "__umul64hi({q}, {q})"),
        (1, None, "(u64)__mul64hi((s64){q}, (s64){q})"), (1, None, "__brevll({q})"),
        (2, "float", "to_s64({f})"), (2, "double", "to_u64({d})"), (3, "double", "bits({d})"),
        (6, "wide", "wide_sum({q}, {q}, {q}, {q})"), (5, "wide", "wide_difference({q}, {q}, {q}, {q})"),
        (3, "wide", "wide_product({q}, {q}, {q})"), (3, "wide", "wide_square({q}, {q})"),
        (3, "wide", "wide_left({q}, {q}, {u})"), (3, "wide", "wide_right({q}, {q}, {u})"),
        (2, "wide", "wide_right({q}, {q}, {s})"), (4, "carry", "carry_sum64({q}, {q}, {q}, {q})"),
        (3, "narrow", "(u64)(s64)(s8){q}"), (2, "narrow", "(u64)(u16){q}"), (2, "narrow", "((u64)(u8){u} << {s} | {q})"),
        (6, "uniform", "((u64){w} * {w} + {q})"), (2, "uniform", "({q} >> ({w} & 63))"),
    ],
    # Of values that all lanes share.
    "w": [
        (6, None, "({w} + {w})"), (4, None, "({w} - {w})"), (4, None, "({w} * {w})"), (3, None, "({w} & {w})"),
        (3, None, "({w} | {k})"), (4, None, "({w} ^ {w})"), (3, None, "({w} << ({w} & 31))"), (3, None, "({w} >> {s})"),
        (2, None, "(u32)((s32){w} >> ({w} & 31))"), (3, None, "(({w} & {k}) != 0 ? {w} : {w})"),
        (2, None, "({w} < {w} ? {w} : {w})"), (2, None, "(u32)((s32){w} >= (s32){w})"), (1, None, "(~{w})"),
        (2, None, "min({w}, {w})"), (2, None, "(u32)max((s32){w}, (s32){w})"), (1, None, "(u32)__popc({w})"),
        (1, None, "(u32)__clz((s32){w})"), (1, None, "__brev({w})"), (1, None, "__umulhi({w}, {w})"),
        (1, None, "__byte_perm({w}, {w}, {k} & 0x7777)"), (1, None, "__funnelshift_l({w}, {w}, {w})"),
        (2, None, "(u32)(s32)(s8){w}"), (2, None, "(u32)(u16){w}"), (1, None, "({w} / {k1})"), (1, None, "({w} % ({w} | 1))"),
        (2, None, "(u32)(((u64){w} << 32 | {w}) >> ({w} & 63))"), (2, None, "(u32)(((u64){w} * {w} + {w}) >> 17)"),
        (1, None, "(u32)((s64)((u64){w} - {w}) < 0)"), (2, None, "to_s32((float)(s32){w} * 0.5f + 3.0f)"),
        (2, None, "bits((float){w} * 1.5f)"), (1, None, "bits(fminf((float)(s32){w}, (float){w}))"),
        (2, None, "(u32)((float){w} < 1000.0f)"), (1, None, "bits(rintf((float)(s32){w} * 0.25f))"),
        (1, None, "to_u32(fabsf((float)(s32){w}))"), (1, None, "bits(__fmaf_rn((float){w}, 0.5f, (float)(s32){w}))"),
        (2, "parameters", "par.w[{w} & {last}]"), (2, "parameters", "(u32)par.b[{p} & 3]"), (2, "half", "half_add({w}, {w})"),
        (1, "half", "half_of((float){w}, (float)(s32){w})"), (2, "table", "{table}[{w} & 15]"),
        (2, "packed", "__vadd2({w}, {w})"), (2, "packed", "__vmaxs4({w}, {w})"), (2, "carry", "carry_sum({w}, {w}, {w}, {w}, {w}, {w})"),
        (2, "bits", "logic<{lut}>({w}, {w}, {w})"), (1, "packed", "saturating_difference({w}, {w})"), (2, "bits", "signed_bits_at({w}, {s}, {s})"),
    ],
    "f": [
        (6, None, "({f} + {f})"), (5, None, "({f} - {f})"), (6, None, "({f} * {f})"),
        (2, None, "({f} / {f})"), (3, None, "__fmaf_rn({f}, {f}, {f})"), (1, None, "sqrtf({f})"),
        (1, None, "fabsf({f})"), (1, None, "(-({f}))"), (2, None, "fminf({f}, {f})"),
        (2, None, "fmaxf({f}, {f})"), (1, None, "floorf({f})"), (1, None, "ceilf({f})"),
        (1, None, "truncf({f})"), (1, None, "rintf({f})"), (3, None, "(float)(s32){u}"),
        (3, None, "(float){u}"), (2, None, "(float)(({u} & 1023) - 512.0f)"),
        (2, None, "({b} ? {f} : {f})"), (2, None, "__uint_as_float({u})"),
        (2, None, "__uint_as_float(({u} & 0x7fffff) | 0x3f800000)"),
        (2, "double", "(float){d}"), (2, "long", "(float){q}"), (1, "long", "(float)(s64){q}"),
    ],
    "d": [
        (6, None, "({d} + {d})"), (5, None, "({d} - {d})"), (6, None, "({d} * {d})"),
        (1, None, "({d} / {d})"), (3, None, "__fma_rn({d}, {d}, {d})"), (1, None, "sqrt({d})"),
        (1, None, "fabs({d})"), (1, None, "(-({d}))"), (1, None, "fmin({d}, {d})"),
        (1, None, "fmax({d}, {d})"), (1, None, "floor({d})"), (1, None, "rint({d})"),
        (3, None, "(double)(s32){u}"), (3, None, "(double){u}"), (2, None, "({b} ? {d} : {d})"),
        (3, "float", "(double){f}"), (2, "long", "(double){q}"), (1, "long", "(double)(s64){q}"),
        (1, "long", "__longlong_as_double((s64){q})"),
    ],
    "b": [
        (4, None, "({u} < {u})"), (3, None, "({u} == {u})"), (3, None, "({u} != {u})"),
        (3, None, "({u} <= {u})"), (4, None, "((s32){u} < (s32){u})"), (2, None, "((s32){u} >= (s32){u})"),
        (5, None, "(({u} & {k}) != 0)"), (3, None, "(({u} >> {s} & 1) == 0)"), (3, None, "({u} > {k})"),
        (2, None, "({b} && {b})"), (2, None, "({b} || {b})"), (1, None, "(!{b})"), (1, None, "({b} != {b})"),
        (4, None, "((tid & {p}) == 0)"), (2, None, "(tid < ({u} & 63))"),
        (3, "wide", "wide_less({q}, {q}, {q}, {q})"), (2, "wide", "wide_below({q}, {q}, {q}, {q})"),
        (4, "uniform", "({w} < {w})"), (3, "uniform", "(({w} & {k}) == 0)"), (3, "uniform", "((s32){u} < (s32){w})"),
        (2, "narrow", "((s8){u} < (s8){u})"), (2, "narrow", "((u16){u} != (u16){u})"),
        (4, "long", "({q} < {q})"), (2, "long", "((s64){q} < (s64){q})"), (2, "long", "({q} == {q})"),
        (4, "float", "({f} < {f})"), (2, "float", "({f} >= {f})"), (1, "float", "({f} == {f})"),
        (1, "float", "({f} != {f})"), (1, "float", "!({f} > {f})"),
        (4, "double", "({d} < {d})"), (1, "double", "({d} <= {d})"), (1, "double", "!({d} >= {d})"),
    ],
}

# Statements of one line. {U}, {Q}, {F}, {D} are variables that are written.
STATEMENTS = [
    (10, None, "{U} = {u};"), (4, None, "{U} += {u};"), (4, None, "{U} ^= {u};"), (2, None, "{U} -= {u};"),
    (2, None, "{U} *= {u} | 1;"), (2, None, "{U} = {U} << {p} ^ {u};"),
    (10, "uniform", "{W} = {w};"), (3, "uniform", "{W} ^= {w};"),
    (8, "long", "{Q} = {q};"), (2, "long", "{Q} += {q};"), (2, "long", "{Q} ^= {q};"),
    (8, "float", "{F} = {f};"), (2, "float", "{F} += {f};"), (8, "double", "{D} = {d};"),
    (2, "double", "{D} -= {d};"),
    (6, "array", "m[{u} & 7] = {u};"), (3, "array", "m[{u} & 7] += {u};"),
    (6, "bytes", "((u8*)m)[{u} & 31] = (u8){u};"), (2, "bytes", "((u8*)m)[{u} & 31] += (u8){u};"),
    (4, "struct", "s.{field} = {u};"), (3, "struct", "s.list[{u} & 3] = {u};"),
    (2, "struct", "s.in.c[{u} & 1] ^= (u16){u};"), (2, "struct", "{ S t = s; t.w += {u}; s = t; }"),
    (2, "struct", "s.q += {u};"), (2, "struct", "s.half = (s16)({u} & 0x7fff);"), (2, "struct", "s.flag = {b};"),
    (4, "union", "un.w[{u} & 3] = {u};"), (4, "union", "un.b[{u} & 15] = (u8){u};"),
    (3, "union", "un.h[{u} & 7] = (u16){u};"), (2, "union", "un.q[{u} & 1] += {u};"),
    (3, "atomics", "atomicAdd(&acc[{u} & 7], {u});"), (1, "atomics", "atomicAdd((s32*)&acc[{u} & 7], (s32){u});"),
    (1, "atomics", "atomicSub(&acc[{u} & 7], {u});"),
    (2, "atomics", "atomicMin(&acc[8], {u});"), (2, "atomics", "atomicMax(&acc[9], {u});"),
    (1, "atomics", "atomicMin((s32*)&acc[10], (s32){u});"), (1, "atomics", "atomicMax((s32*)&acc[11], (s32){u});"),
    (1, "atomics", "atomicAnd(&acc[12], {u} | 0xffff);"), (1, "atomics", "atomicOr(&acc[13], {u} & 0xff0ff);"),
    (2, "atomics", "atomicXor(&acc[14], {u});"), (1, "atomics", "atomicInc(&acc[15], 1000);"),
    (1, "atomics", "atomicAdd((float*)&acc[16], (float)({u} & 255));"),
    (1, "atomics", "atomicAdd((double*)&acc[18], (double)({u} & 255));"),
    (1, "atomics", "atomicAdd((u64*)&acc[20], (u64){u} << 3);"),
    (1, "atomics", "atomicMax((u64*)&acc[22], (u64){u} << 5);"),
    (2, "atomics", "{U} ^= atomicExch(own, {u});"), (2, "atomics", "{U} += atomicAdd(own, {u});"),
    (2, "atomics", "{U} = atomicCAS(own, {u} & 1, {u});"), (1, "atomics", "{U} = atomicInc(own, {u});"),
    (1, "atomics", "{U} -= atomicDec(own, {u});"), (1, "atomics", "{U} += atomicMax(own, {u});"),
    (1, "atomics", "{U} += (u32)atomicMin((s32*)own, (s32){u});"),
]

# Statements in which the lanes of {M}, those that are here, exchange values.
COLLECTIVES = [
    (3, None, "{U} += __shfl_sync({M}, {u}, member({M}, {any}));"),
    (3, None, "{U} ^= __ballot_sync({M}, {b});"),
    (1, None, "{U} += (u32)__any_sync({M}, {b});"), (1, None, "{U} += (u32)__all_sync({M}, {b});"),
    (1, None, "__syncwarp({M});"), (1, None, "{U} ^= __match_any_sync({M}, {u} & {p});"),
    (1, None, "{ int all; {U} ^= __match_all_sync({M}, {u} & {p}, &all); {U} += (u32)all; }"),
    (2, "long", "{Q} ^= __shfl_sync({M}, {q}, member({M}, {any}));"),
    (2, "float", "{F} = __shfl_sync({M}, {f}, member({M}, {any}));"),
    (2, "double", "{D} = __shfl_sync({M}, {d}, member({M}, {any}));"),
    (1, "sm_80", "{U} += __reduce_add_sync({M}, {u});"), (1, "sm_80", "{U} ^= __reduce_min_sync({M}, {u});"),
    (1, "sm_80", "{U} ^= __reduce_max_sync({M}, {u});"), (1, "sm_80", "{U} ^= __reduce_xor_sync({M}, {u});"),
    (1, "sm_80", "{U} ^= __reduce_and_sync({M}, {u});"), (1, "sm_80", "{U} ^= __reduce_or_sync({M}, {u});"),
    (1, "sm_80", "{U} ^= (u32)__reduce_min_sync({M}, (s32){u});"),
    (1, "sm_80", "{U} ^= (u32)__reduce_max_sync({M}, (s32){u});"),
]
# The same with all 32 lanes.
FULL_COLLECTIVES = [
    (3, None, "{U} += __shfl_xor_sync(~0u, {u}, {s});"), (1, None, "{U} ^= __shfl_up_sync(~0u, {u}, {s});"),
    (1, None, "{U} += __shfl_down_sync(~0u, {u}, {s});"), (1, None, "{U} += __shfl_sync(~0u, {u}, (int)({u} & 31));"),
    (1, None, "{U} += __shfl_down_sync(~0u, {u}, {p}, 8);"), (1, None, "{U} += __shfl_xor_sync(~0u, {u}, {p}, 16);"),
    (1, None, "{U} += __shfl_sync(~0u, {u}, (int)({u} & 15), 4);"),
    (1, "float", "{F} += __shfl_xor_sync(~0u, {f}, {s});"),
    (1, "long", "{Q} += __shfl_up_sync(~0u, {q}, {p});"),
]

# Products of matrices: first architecture, rows, columns of A, types of A, B, C and, if it differs, D.
MMA = [
    (75, 8, 4, "f16", "f16", "f16"), (75, 8, 4, "f16", "f16", "f32"), (75, 8, 4, "f16", "f16", "f16", "f32"),
    (75, 16, 8, "f16", "f16", "f16"), (75, 16, 8, "f16", "f16", "f32"), (75, 8, 16, "s8", "u8", "s32"),
    (75, 8, 16, "u8", "u8", "s32"), (75, 8, 16, "s8", "s8", "s32"), (75, 8, 32, "s4", "s4", "s32"),
    (75, 8, 32, "u4", "s4", "s32"), (75, 8, 128, "b1", "b1", "s32"),
    (80, 16, 16, "f16", "f16", "f16"), (80, 16, 16, "f16", "f16", "f32"), (80, 16, 8, "bf16", "bf16", "f32"),
    (80, 16, 16, "bf16", "bf16", "f32"), (80, 16, 4, "tf32", "tf32", "f32"), (80, 16, 8, "tf32", "tf32", "f32"),
    (80, 8, 4, "f64", "f64", "f64"), (80, 16, 16, "s8", "s8", "s32"), (80, 16, 16, "u8", "s8", "s32"),
    (80, 16, 32, "s8", "u8", "s32"), (80, 16, 32, "u8", "u8", "s32"), (80, 16, 32, "s4", "u4", "s32"),
    (80, 16, 32, "s4", "s4", "s32"), (80, 16, 64, "u4", "u4", "s32"), (80, 16, 64, "s4", "u4", "s32"),
    (80, 16, 128, "b1", "b1", "s32"), (80, 16, 256, "b1", "b1", "s32"),
    (89, 16, 32, "e4m3", "e4m3", "f32"), (89, 16, 32, "e5m2", "e4m3", "f32"), (89, 16, 32, "e5m2", "e5m2", "f32"),
    (90, 16, 4, "f64", "f64", "f64"), (90, 16, 8, "f64", "f64", "f64"), (90, 16, 16, "f64", "f64", "f64"),
]
# Half of A is stored, with metadata.
SPARSE = [
    (80, 16, 16, "f16", "f16", "f16"), (80, 16, 16, "f16", "f16", "f32"), (80, 16, 32, "f16", "f16", "f16"),
    (80, 16, 32, "f16", "f16", "f32"), (80, 16, 16, "bf16", "bf16", "f32"), (80, 16, 32, "bf16", "bf16", "f32"),
    (80, 16, 8, "tf32", "tf32", "f32"), (80, 16, 16, "tf32", "tf32", "f32"), (80, 16, 32, "s8", "u8", "s32"),
    (80, 16, 32, "u8", "u8", "s32"), (80, 16, 64, "s8", "s8", "s32"), (80, 16, 64, "u8", "s8", "s32"),
    (80, 16, 64, "s4", "u4", "s32"), (80, 16, 64, "u4", "u4", "s32"), (80, 16, 128, "s4", "s4", "s32"),
    (80, 16, 128, "u4", "s4", "s32"), (89, 16, 64, "e4m3", "e4m3", "f32"), (89, 16, 64, "e5m2", "e4m3", "f32"),
    (89, 16, 64, "e5m2", "e5m2", "f32"),
]
WIDTHS = {"b1": 1, "s4": 4, "u4": 4, "s8": 8, "u8": 8, "e4m3": 8, "e5m2": 8, "f16": 16, "bf16": 16, "f64": 64}
# Operands are 1, 1.5, 2 or 3 with a sign, so that every sum is exact: (random bits that remain, added).
SMALL = {"f16": (0x86008600, 0x3c003c00), "bf16": (0x80c080c0, 0x3f803f80), "tf32": (0x80c00000, 0x3f800000),
         "f32": (0x80c00000, 0x3f800000), "e4m3": (0x8c8c8c8c, 0x38383838), "e5m2": (0x86868686, 0x3c3c3c3c)}


class Product:
    """A form of mma: a function of the program that executes it."""

    def __init__(self, r, form, name):
        self.name = name
        _, self.m, self.k, self.a, self.b, self.c = form[:6]
        self.d = form[-1]
        self.sparse = form in SPARSE
        self.quads = (self.m, self.k, self.a) == (8, 4, "f16")  # four products at once
        self.layouts = [r.choice(["row", "col"]) for _ in "ab"] if self.quads else ["row", "col"]
        self.spelling = r.choice(["", "::ordered_metadata"])
        # Lanes of each four with metadata: one, two or all.
        self.selector = r.randrange(4 // self.lanes_with_metadata()) if self.sparse else 0
        self.saturate = self.c == "s32" and self.a != "b1" and r.random() < .3
        self.operation = r.choice(["and", "xor"]) if self.a == "b1" and form[0] >= 80 else "xor"

    def words(self, which):
        """Registers of an operand."""
        if which == "e":
            return 1 if self.sparse else 0
        rows, columns = {"a": (self.m, self.k // (2 if self.sparse else 1)), "b": (self.k, 8)}.get(which, (self.m, 8))
        return rows * columns * (4 if self.quads else 1) * WIDTHS.get(getattr(self, which), 32) // 1024

    def lanes_with_metadata(self):
        return self.k // {4: 32, 32: 8}.get(WIDTHS.get(self.a, 32), 16)

    def operand(self, which, word, expression):
        """An element of an operand made of a random expression."""
        if which == "e":
            return f"{'pairs' if self.a == 'tf32' else 'quads'}_metadata({expression})"
        kind = getattr(self, which)
        if kind == "f64":
            return "0u" if word % 2 == 0 else f"(({expression}) & 0x80180000u) + 0x3ff00000u"
        keep, add = SMALL.get(kind, (0xffffffff, 0))
        return f"(({expression}) & {keep:#x}u) + {add:#x}u"

    def source(self):
        count = {x: self.words(x) for x in "dabce"}
        wide = self.a == "f64"
        numbers = iter(range(sum(count.values())))

        def registers(which):
            return "{" + ", ".join(f"%{next(numbers)}" for _ in range(count[which] // (2 if wide else 1))) + "}"

        def values(which):
            out, const = ("=", "") if which == "d" else ("", "const ")
            form = f'"{out}d"((({const}double*){which})[%d])' if wide else f'"{out}r"({which}[%d])'
            return [form % i for i in range(count[which] // (2 if wide else 1))]

        sparse = f".sp{self.spelling}" if self.sparse else ""
        bit = f".{self.operation}.popc" if self.a == "b1" else ""
        saturate = ".satfinite" if self.saturate else ""
        text = (f"mma{sparse}.sync.aligned.m{self.m}n8k{self.k}.{'.'.join(self.layouts)}{saturate}"
                f".{self.d}.{self.a}.{self.b}.{self.c}{bit} {', '.join(map(registers, 'dabc'))}")
        if self.sparse:
            text += f", %{next(numbers)}, {self.selector:#x}"
        inputs = "abce" if self.sparse else "abc"
        parameters = ", ".join(f"const u32* {x}" for x in inputs)
        head = f"__device__ inline void {self.name}(u32* d, {parameters}) {{"
        types = ", ".join(f"element::{getattr(self, x)}" for x in "abcd")
        if self.quads:
            host = f"mma_of_quads({types}, {', '.join(str(x == 'row').lower() for x in self.layouts)}, d, a, b, c);"
        else:
            host = (f"mma({{{self.m}, {self.k}, {types}, {str(self.saturate).lower()}, "
                    f"{int(self.operation == 'xor' and self.a == 'b1')}, {self.selector}}}, d, {', '.join(inputs)});")
        return (f"{head}\n#ifdef __CUDACC__\n    asm volatile(\"{text};\" : {', '.join(values('d'))} : "
                f"{', '.join(v for x in inputs for v in values(x))});\n#else\n    {host}\n#endif\n}}")


FEATURES = ["long", "float", "double", "array", "bytes", "struct", "union", "parameters", "table", "functions",
            "recursion", "indirect", "shared", "collectives", "atomics", "exits", "switch",
            "virtual", "pointers", "half", "mma", "sparse", "copies", "mbarrier", "goto", "packed", "carry", "bits", "narrow",
            "wide", "fp8", "uniform"]
RARE = {"mbarrier": .3, "goto": .6, "double": .7}  # expensive to compile or to execute
NEWER = {"fp8": 90, "copies": 80, "mbarrier": 80, "sparse": 80}  # first architecture
NEEDS = {"bytes": "array", "recursion": "functions", "indirect": "functions", "copies": "shared",
         "mbarrier": "shared", "pointers": "table", "wide": "long"}
TYPES = {"u": "u32", "q": "u64", "f": "float", "d": "double"}
BLOCKS = [32, 32, 64, 64, 96, 128, 40, 17]

INPUTS = 1024  # words that all programs read
ACCUMULATORS = 24  # words to which all threads of a program add
WORDS = 4  # results of a thread


# Parameters of a function that takes and returns a structure: more than there are registers for them.
RECORD_PARAMETERS = ["u8 c", "u64 wide", "s16 h", "double number"] + [f"u32 x{i}" for i in range(10)]


class Compound:
    """A statement with bodies: [(text before the body, declarations it makes, body)], text after all."""

    def __init__(self, parts, tail="}"):
        self.parts = parts
        self.tail = tail


class Function:
    def __init__(self, name, kind, start, body, result):
        self.name, self.kind, self.start, self.body, self.result = name, kind, start, body, result
        self.cost = 1

    def declaration(self):
        if self.kind == "record":
            return f"S {self.name}(const u32* in, S s, u32 a0, u32 a1, {', '.join(RECORD_PARAMETERS)})"
        first = {"plain": "", "recursive": "u32 depth, ", "collective": "u32 mask, "}[self.kind]
        return f"u32 {self.name}(const u32* in, {first}u32 a0, u32 a1)"


class Scope:
    """Where a statement is: what it may use."""

    def __init__(self, variables, mask=None, full=False, uniform=False, times=1, breaks=False, depth=0,
                 function=False):
        self.variables = variables
        self.mask = mask  # variable with the lanes that are here, if known
        self.full = full  # whether these are the 32 lanes of the warp
        self.uniform = uniform  # whether all threads of the block that have not exited are here
        self.times = times  # how often the statement is executed, at most
        self.breaks = breaks  # whether break and continue are permitted
        self.depth = depth
        self.function = function

    def inside(self, **changes):
        new = Scope(**self.__dict__)
        new.depth += 1
        new.full = new.full and changes.get("mask", self.mask) == self.mask
        for name, value in changes.items():
            setattr(new, name, value)
        return new


class Program:
    """Source of a program, and how it is launched."""

    def __init__(self, number, features, blocks, threads):
        self.number, self.features, self.blocks, self.threads = number, features, blocks, threads
        self.functions = []
        self.start, self.body, self.end = [], [], []
        self.tables = {}
        self.parameter_words = 0
        self.parameters = []
        self.products = []
        self.methods = []  # what the methods of two classes return

    @property
    def result_words(self):
        return self.blocks * self.threads * (WORDS + 1) + ACCUMULATORS


class Generator:
    def __init__(self, seed, number, target):
        """@param target  architecture of the PTX, which decides what a program may use: 75, 80, 90"""
        self.r = random.Random(f"{seed} {number} {target}")
        r = self.r
        possible = [f for f in FEATURES if NEWER.get(f, 0) <= target and r.random() < RARE.get(f, 1)]
        features = set(r.sample(possible, min(len(possible), r.randint(2, 7))))
        for feature in sorted(features):
            if feature in NEEDS:
                features.add(NEEDS[feature])
        self.program = Program(number, features, r.choice([1, 1, 2, 3]), r.choice(BLOCKS))
        self.features = features | {None} | ({"sm_80"} if target >= 80 else set())
        if "half" in features and target >= 80:
            self.features.add("bfloat")
        self.target = target
        self.names = 0
        self.deepest = r.choice([1, 1, 2, 2, 3])
        self.forms = {}
        self.callable = []
        self.exited = False

    # ---- expressions ----------------------------------------------------------------------------

    def choose(self, forms, features=None):
        key = (id(forms), None if features is None else tuple(sorted(map(str, features))))
        if key not in self.forms:
            have = [f for f in forms if f[1] in (self.features if features is None else features)]
            self.forms[key] = [f[2] for f in have], [f[0] for f in have]
        return self.r.choices(*self.forms[key])[0]

    def constant(self):
        r = self.r
        return f"{r.choice(CONSTANTS) if r.random() < .7 else r.getrandbits(32)}u"

    def leaf(self, kind, s):
        r = self.r
        names = s.variables.get(kind, [])
        if names and r.random() < .75:
            return r.choice(names)
        if kind in "uw":
            return self.constant()
        if kind == "q":
            return f"{r.getrandbits(64)}ull" if r.random() < .5 else f"(u64){self.constant()}"
        if kind == "f":
            return r.choice(NUMBERS) + "f"
        if kind == "d":
            return r.choice(NUMBERS)
        return f"(({r.choice(s.variables['u'])} & {r.choice([1, 2, 4, 0x80, 0x8000])}u) != 0)"

    def expression(self, kind, s, depth):
        if depth <= 0 or self.r.random() < .15:
            return self.leaf(kind, s)
        while True:
            form = self.choose(EXPRESSIONS[kind])
            if form != "{call}":
                return self.fill(form, s, depth - 1)
            call = self.call(s, depth - 1)
            if call:
                return call

    def call(self, s, depth):
        """A call of a function, by name or through a table; None if none is affordable here. Collective
        functions are statements of their own, because all lanes of the mask must call them."""
        fitting = [f for f in self.callable
                   if f.cost * s.times <= 3000 and f.kind in ("plain", "recursive")]
        if not fitting:
            return None
        f = self.r.choice(fitting)
        name, first = f.name, f"{self.r.randint(1, 4)}u, " if f.kind == "recursive" else ""
        plain = [g.name for g in fitting if g.kind == "plain"]
        if "indirect" in self.features and not s.function and plain and self.r.random() < .5:
            table = self.program.tables.setdefault("functions", [self.r.choice(plain) for _ in range(4)])
            if set(table) <= set(plain):
                name, first = f"functions_of_P_[{self.expression('u', s, 0)} & 3]", ""
        a, b = self.expression("u", s, depth), self.expression("u", s, depth)
        return f"{name}(in, {first}{a}, {b})"

    def fill(self, form, s, depth):
        r = self.r

        def word(match):
            what = match.group(1)
            if what in EXPRESSIONS:
                return self.expression(what, s, depth - (r.random() < .3))
            if what in "UQFDW":
                return written.setdefault(what, r.choice(s.variables["w" + what.lower()]))
            return {
                "k": self.constant, "k1": lambda: f"{max(1, r.choice(CONSTANTS))}u",
                "n": lambda: f"{r.choice([-1000, -7, -3, 2, 3, 5, 7, 8, 10, 60, 4096, 65537])}",
                "s": lambda: str(r.randint(0, 31)), "p": lambda: str(r.choice([1, 2, 3, 4, 7])),
                "lut": lambda: str(r.randint(0, 255)), "any": lambda: str(r.randint(0, 31)), "M": lambda: s.mask,
                "field": lambda: r.choice(["w", "w2"]),
                "last": lambda: str(self.program.parameter_words - 1),
                "table": lambda: r.choice(["constants_of_P_", "numbers_of_P_"]),
            }[what]()

        written = {}
        return re.sub(r"\{(\w+)\}", word, form)

    # ---- statements -----------------------------------------------------------------------------

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def simple(self, s):
        return self.fill(self.choose(STATEMENTS), s, self.r.choice([1, 2, 2, 3]))

    def collective(self, s):
        if s.full and self.r.random() < .4:
            return self.fill(self.choose(FULL_COLLECTIVES), s, 2)
        calls = [f for f in self.callable if f.kind == "collective" and f.cost * s.times <= 3000]
        if calls and self.r.random() < .3:
            a, b = self.expression("u", s, 1), self.expression("u", s, 1)
            return (f"{self.r.choice(s.variables['wu'])} ^= {self.r.choice(calls).name}(in, {s.mask}, "
                    f"{a}, {b});")
        return self.fill(self.choose(COLLECTIVES), s, 2)

    def record_call(self, s):
        f = next(f for f in self.callable if f.kind == "record")
        words = ", ".join(self.expression("u", s, r) for r in (1, 1, 1))
        more = ", ".join(self.expression("u", s, 0) for _ in range(10))
        return (f"s = {f.name}(in, s, {words}, (u64){self.expression('u', s, 1)} << 9, "
                f"(s16){self.expression('u', s, 0)}, (double){self.expression('u', s, 0)}, {more});")

    def body(self, s, most=3):
        return [self.statement(s) for _ in range(self.r.choice([1, 1, 2, most]))]

    def branch(self, s):
        c = self.name("c")
        cond = self.expression("b", s, 2)
        if s.mask and self.r.random() < .7:
            # The lanes that take each side are known there.
            m = self.name("m")
            head = f"{{ const bool {c} = {cond}; const u32 {m} = __ballot_sync({s.mask}, {c}); "
            then = s.inside(mask=m, uniform=False)
            parts = [(head + f"if ({c}) {{", None, self.body(then))]
            if self.r.random() < .5:
                other = self.name("m")
                parts.append((f"}} else {{ const u32 {other} = {s.mask} & ~{m};", None,
                              self.body(s.inside(mask=other, uniform=False))))
            return Compound(parts, "} }")
        inner = s.inside(mask=None, uniform=False)
        parts = [(f"if ({cond}) {{", "", self.body(inner))]
        if self.r.random() < .5:
            parts.append(("} else {", "", self.body(inner)))
        if s.breaks and self.r.random() < .3:
            parts[-1][2].append(self.r.choice(["break;", "continue;"]))
        return Compound(parts)

    def loop(self, s):
        r, i = self.r, self.name("i")
        kind = r.random()
        variables = dict(s.variables, u=s.variables["u"] + [i])
        most = r.choice([2, 3, 4, 7])
        if kind < .35:
            # All threads make the same number of steps.
            unroll = r.choice(["", "\n#pragma unroll 1\n"])
            inner = s.inside(variables=variables, times=s.times * most, breaks=False)
            return Compound([(f"{unroll}for (u32 {i} = 0; {i} < {most}; ++{i}) {{", f"u32 {i} = 0;",
                              self.body(inner))])
        bound = f"({self.expression('u', s, 1)} & {r.choice([1, 3, 7])})"
        if s.mask and kind < .6:
            # The lanes that are still in the loop are known.
            m, n = self.name("m"), self.name("n")
            inner = s.inside(variables=variables, mask=m, uniform=False, times=s.times * 7, breaks=False)
            return Compound([(
                f"{{ u32 {m} = {s.mask}; const u32 {n} = {bound}; for (u32 {i} = 0;; ++{i}) {{ "
                f"{m} = __ballot_sync({m}, {i} < {n}); if ({i} >= {n}) break;", None, self.body(inner))],
                "} }")
        inner = s.inside(variables=variables, mask=None, uniform=False, times=s.times * 7, breaks=True)
        if kind < .8:
            n = self.name("n")
            return Compound([(f"for (u32 {i} = 0, {n} = {bound}; {i} < {n}; ++{i}) {{", f"u32 {i} = 0;",
                              self.body(inner))])
        if kind < .9:
            n = self.name("n")
            return Compound([(f"{{ u32 {i} = 0; const u32 {n} = {bound}; do {{", None, self.body(inner))],
                            f"}} while (++{i} < {n}); }}")
        cond = self.expression("b", inner, 2)
        return Compound([(f"for (u32 {i} = 0; {i} < 6 && {cond}; ++{i}) {{", f"u32 {i} = 0;",
                          self.body(inner))])

    def switch(self, s):
        r = self.r
        inner = s.inside(mask=None, uniform=False, breaks=False)
        count = r.choice([3, 3, 6])
        head = f"switch ({self.expression('u', s, 2)} % {count + r.randint(0, 2)}) {{\n"
        parts = []
        for case in range(count):
            fall = "" if case == 0 or r.random() < .2 else "break; "
            label = "default" if case == count - 1 and r.random() < .5 else f"case {case}"
            parts.append((head + f"{label}: {{", None, [self.simple(inner)]))
            head = "} " + fall
        return Compound(parts, "} }")

    def shared(self, s):
        """What threads of the block exchange through shared memory, between barriers."""
        b = self.program.threads
        u = self.r.choice(s.variables["wu"])
        value, index = self.expression("u", s, 2), self.expression("u", s, 1)
        return self.r.choice([
            f"tile[tid] = {value}; __syncthreads(); {u} += tile[({index}) % {b}u]; __syncthreads();",
            f"tile[tid] = {value}; __syncthreads(); {u} ^= tile[(tid + {self.r.randint(1, 31)}) % {b}u]; "
            "__syncthreads();",
            f"{u} += (u32)__syncthreads_count({self.expression('b', s, 2)});",
            f"if (tid < 8) sum[tid] = 0; __syncthreads(); atomicAdd(&sum[{index} & 7], {value}); "
            f"__syncthreads(); {u} ^= sum[{self.expression('u', s, 1)} & 7]; __syncthreads();",
            f"((u8*)tile)[tid * 4 + 1] = (u8)({value}); __syncthreads(); "
            f"{u} += ((const u8*)tile)[({index}) % {4 * b}u]; __syncthreads();"])

    def copies(self, s):
        """Asynchronous copies to shared memory, whole or partial, in one or two groups."""
        r, b = self.r, self.program.threads
        u = r.choice(s.variables["wu"])
        size = r.choice([4, 8, 16])
        partial = r.choice(["", f", {self.expression('u', s, 1)} & {size - 1}u", f", {r.randint(0, size)}u"])
        text = (f"copy_async<{size}>(&copied[tid * 4], &in[({self.expression('u', s, 1)} & 255) * 4]{partial}); "
                "commit_copies(); ")
        two = r.random() < .4
        if two:
            text += (f"copy_async<4>(&copied[{4 * b} + tid], &in[{self.expression('u', s, 1)} & 1023]); "
                     "commit_copies(); wait_for_copies<1>(); "
                     f"{u} += copied[tid * 4 + {r.randint(0, size // 4 - 1)}]; ")
        text += f"wait_for_copies<0>(); __syncthreads(); {u} += copied[({self.expression('u', s, 1)}) % {4 * b}u]; "
        if two:
            text += f"{u} ^= copied[{4 * b} + ({self.expression('u', s, 1)}) % {b}u]; "
        return text + "__syncthreads();"

    def arrivals(self, s):
        """Exchanges through shared memory that an mbarrier orders: a phase for writes, one for reads."""
        r, b = self.r, self.program.threads
        u, i, arrive = r.choice(s.variables["wu"]), self.name("i"), "barrier_arrive(&gate); "
        times = r.choice([1, 1, 2])
        inner = s.inside(variables=dict(s.variables, u=s.variables["u"] + [i]))
        return (f"if (tid == 0) barrier_init(&gate, {b * times}); __syncthreads(); "
                f"for (u32 {i} = 0; {i} < {r.choice([1, 2, 3])}; ++{i}) {{ "
                f"tile[tid] = {self.expression('u', inner, 2)}; "
                f"{arrive * times}barrier_wait(&gate, 0); {u} += tile[({self.expression('u', inner, 1)}) % {b}u]; "
                f"{arrive * times}barrier_wait(&gate, 1); }} __syncthreads();")

    def product(self, s):
        """A product of matrices by the 32 lanes."""
        r, p = self.r, self.program
        if len(p.products) < 3:
            forms = (MMA if "mma" in self.features else []) + (SPARSE if "sparse" in self.features else [])
            form = r.choice([f for f in forms if f[0] <= self.target])
            p.products.append(Product(r, form, f"product{len(p.products)}_of_P_"))
        product = r.choice(p.products)
        s = s.inside(variables=dict(s.variables, u=s.variables["u"] + ["lane"]))

        def words(which):
            forms = ["{u} * 0x9e3779b1u", "{u} ^ lane * 0x85ebca6bu", "in[({u} + lane) & 1023]"]
            return ", ".join(product.operand(which, i, self.fill(r.choice(forms), s, 0))
                             for i in range(product.words(which)))

        d = product.words("d")
        inputs = "abce" if product.sparse else "abc"
        if product.d == "f64":
            used = " ^ ".join(f"(u32)(bits(((const double*)d)[{i}]) >> {20 + i})" for i in range(d // 2))
        else:
            used = " ^ ".join(f"d[{i}] * {2 * i + 1}u" for i in range(d))
        operands = " ".join(f"__align__(8) const u32 {x}[] = {{{words(x)}}};" for x in inputs)
        return (f"{{ const u32 lane = tid & 31; (void)lane; {operands} __align__(8) u32 d[{d}]; "
                f"{product.name}(d, {', '.join(inputs)}); {r.choice(s.variables['wu'])} ^= {used}; }}")

    def again(self, s):
        """A loop made of a jump backwards, and a jump out of it."""
        i, label, out = self.name("i"), self.name("again"), self.name("out")
        inner = s.inside(variables=dict(s.variables, u=s.variables["u"] + [i]), mask=None, uniform=False,
                         times=s.times * 5, breaks=False)
        body = self.body(inner)
        if self.r.random() < .5:
            body.append(f"if ({self.expression('b', inner, 1)}) goto {out};")
            body += self.body(inner, 2)
        body.append(f"if (++{i} < 5 && {self.expression('b', inner, 2)}) goto {label};")
        return Compound([(f"{{ u32 {i} = 0; {label}: ;", None, body)], f"{out}: ; }}")

    def leave(self, s):
        """Some threads exit."""
        c = self.name("c")
        return (f"{{ const bool {c} = {self.expression('b', s, 2)}; live = __ballot_sync(live, !{c}); "
                f"if ({c}) {{ result[0] = {self.expression('u', s, 2)}; return; }} }}")

    def statement(self, s):
        r = self.r
        kinds, weights = [self.simple], [10]

        def add(weight, kind, if_it):
            if if_it:
                kinds.append(kind)
                weights.append(weight)

        deeper = s.depth < self.deepest and s.times < 300
        add(4, self.branch, deeper)
        add(3, self.loop, deeper)
        add(2, self.switch, deeper and "switch" in self.features)
        add(4, self.collective, s.mask is not None and "collectives" in self.features)
        add(3, self.shared, s.uniform and "shared" in self.features)
        add(3, self.record_call, s.times <= 50 and any(f.kind == "record" for f in self.callable))
        add(3, self.copies, s.uniform and "copies" in self.features)
        add(3, self.arrivals, s.uniform and "mbarrier" in self.features and not self.exited)
        add(4, self.product, s.full and self.features & {"mma", "sparse"} and s.times < 30)
        add(2, self.again, deeper and "goto" in self.features)
        add(1, self.leave, s.uniform and s.depth == 0 and "exits" in self.features)
        chosen = r.choices(kinds, weights)[0]
        if chosen == self.leave:
            s.full = False
            self.exited = True
        return chosen(s)

    # ---- functions and kernel -------------------------------------------------------------------

    def variables(self, kernel):
        """Declarations of the variables of a function, and the variables by type."""
        r, features = self.r, self.features
        names = {"u": ["a0", "a1", "a2"] + (["a3", "a4"] if kernel else []), "q": [], "f": [], "d": []}
        start = []
        for n in names["u"][2:]:
            start.append(f"u32 {n} = {r.choice(['a0', 'a1', 'tid'])} * {self.constant()};")
        for kind, feature, form in (("q", "long", "(u64)a0 * {}u + a1"), ("f", "float", "(float)(s32)a0 * {}.0f"),
                                    ("d", "double", "(double)(s32)a1 * {}.0")):
            if feature in features:
                for i in range(2 if kernel else 1):
                    names[kind].append(f"{kind}{i}")
                    start.append(f"{TYPES[kind]} {kind}{i} = {form.format(r.choice([3, 17, 1001]))};")
        names["w"] = []
        if "uniform" in features:
            names["w"] = ["w0", "w1", "w2"]
            values = ["blockIdx.x", "blockDim.x"] + ["par.w[0]", "par.w[1]"] * ("parameters" in features)
            start += [f"u32 {n} = {r.choice(values)} * {self.constant()} + {r.choice(values)};" for n in names["w"]]
        if "array" in features:
            start.append("u32 m[8]; for (u32 i = 0; i < 8; ++i) m[i] = a0 * i + a1;")
        if "struct" in features:
            start.append("S s = {(u8)a0, a1, (s16)a0, a0 + a1, {{(u16)a0, 7}, a1}, {a0, a1, 1, 2}, a0, true};")
        if "union" in features:
            start.append("U un; un.w[0] = a0; un.w[1] = a1; un.w[2] = a0 ^ a1; un.w[3] = 1;")
        if "virtual" in features:
            start.append("const First_of_P_ first(a0); const Second_of_P_ second(a1, a0); const Shape_of_P_* shape = "
                         f"(a0 & {r.choice([1, 2, 4])}) != 0 ? (const Shape_of_P_*)&first : &second;")
        for kind in "uqfdw":
            names["w" + kind] = list(names[kind])
        names["u"] = names["u"] + ["tid"]
        return start, names

    def without(self, features):
        """Excludes features that a function has not."""
        self.forms = {}
        self.features = self.features - features

    def function(self, kind):
        had = self.features
        self.without({"parameters", "atomics", "shared", "exits", "mma", "sparse", "copies", "mbarrier", "virtual", "uniform"} | ({"functions"} if not self.callable else set()))
        start, names = self.variables(False)
        start.insert(0, "const u32 tid = threadIdx.x;")
        if kind == "record":
            start = [line for line in start if not line.startswith("S s =")]
            start.insert(0, "a0 += c + (u32)(s32)h; a1 ^= (u32)(wide >> 3) + to_u32(number); "
                         "a0 ^= " + " + ".join(f"{2 * i + 1}u * x{i}" for i in range(10)) + ";")
        f = Function(f"f{len(self.callable)}_of_P_", kind, start, [], None)
        s = Scope(names, mask="mask" if kind == "collective" else None, depth=1, times=1, function=True)
        f.body = self.body(s)
        inner = {"a": self.expression("u", s, 1), "b": self.expression("u", s, 1)}
        if kind == "recursive":
            c = self.expression("b", s, 1)
            form = self.r.choice([
                f"if (depth != 0 && {c}) a2 += {f.name}(in, depth - 1, {inner['a']}, {inner['b']});",
                f"if (depth != 0) {{ if ({c}) a2 += {f.name}(in, depth - 1, {inner['a']}, a1); "
                f"else a2 ^= {f.name}(in, depth - 1, a0, {inner['b']}); }}"])
            f.body.append(form)
        f.result = " + ".join(["a0", "(a1 << 1)", "(a2 ^ 5u)"] + [f"(u32)({n} >> 7)" for n in names["q"]] +
                              [f"bits({n})" for n in names["f"]] + [f"(u32)(bits({n}) >> 20)" for n in names["d"]] +
                              (["m[3]"] if "array" in self.features else []) +
                              (["s.w"] if "struct" in self.features else []) +
                              (["un.w[1]"] if "union" in self.features else []))
        if kind == "record":
            f.body += ["s.w += a0;", "s.q ^= (u64)a1 << 20 | a2;"]
            f.result = "s"
        f.cost = 60 * (5 if kind == "recursive" else 1)
        self.features = had
        self.forms = {}
        return f

    def generate(self):
        p, r = self.program, self.r
        if "parameters" in self.features:
            p.parameter_words = r.choice([2, 4, 16, 64, 64, 1000, 1100, 4000])
            p.parameters = [r.getrandbits(32) for _ in range(p.parameter_words + 2)]
        if "table" in self.features:
            p.tables["numbers"] = [r.getrandbits(32) for _ in range(20)]
        if "virtual" in self.features:
            had = self.features
            self.without(self.features - {None, "long", "float", "double", "half"})
            for members in (["a", "x"], ["a", "x", "y"]):
                s = Scope({"u": members, "q": [], "f": [], "d": [], "w": []})
                p.methods.append(self.fill("({u} * {u} + {u})", s, 2))
            self.features, self.forms = had, {}
        if "functions" in self.features:
            kinds = ["plain"] * (4 if "indirect" in self.features else r.randint(1, 2))
            kinds += ["recursive"] * ("recursion" in self.features)
            kinds += ["record"] * ("struct" in self.features)
            kinds += ["collective"] * ("collectives" in self.features)
            for kind in kinds:
                self.callable.append(self.function(kind))
        start, names = self.variables(True)
        if p.threads % 32:
            live, full = f"warp_of(tid, {p.threads}u)", False
        else:
            live, full = "0xffffffffu", True
        rows = f"blockIdx.x * {p.threads}u + tid"
        p.start = [
            "const u32 tid = threadIdx.x;",
            f"u32* const result = out + ({rows}) * {WORDS}u;",
            f"u32* const acc = out + {p.blocks * p.threads * WORDS}u;",
            f"u32* const own = acc + {ACCUMULATORS}u + ({rows});",
            f"u32 live = {live}; (void)live; (void)acc; (void)own;",
            f"u32 a0 = in[({rows}) & 1023], a1 = in[({rows}) * 7 + 13 & 1023];"] + start
        if "shared" in self.features:
            p.start.append(f"__shared__ u32 tile[{p.threads}]; __shared__ u32 sum[8]; "
                           "tile[tid] = a0; if (tid < 8) sum[tid] = tid; __syncthreads();")
        if "copies" in self.features:
            p.start.append(f"__shared__ __align__(16) u32 copied[{5 * p.threads}]; "
                           f"for (u32 i = tid; i < {5 * p.threads}; i += {p.threads}) copied[i] = i; "
                           "__syncthreads();")
        if "mbarrier" in self.features:
            p.start.append("__shared__ u64 gate;")
        s = Scope(names, mask="live", full=full, uniform=True)
        p.body = [self.statement(s) for _ in range(r.choice([2, 2, 3, 3, 4, 4, 5, 7]))]
        p.functions = self.callable
        words = ["a0", "a1", "a2", "a3", "a4"]
        if "array" in self.features:
            words += [f"m[{i}]" for i in range(8)]
        if "struct" in self.features:
            words += ["(u32)s.tag", "s.w", "(u32)s.half", "s.q", "(u32)s.in.c[0]", "(u32)s.in.c[1]", "s.in.z",
                      "s.list[0]", "s.list[3]", "s.w2", "(u32)s.flag"]
        if "union" in self.features:
            words += [f"un.w[{i}]" for i in range(4)]
        words += names["w"] + names["q"] + [f"bits({n})" for n in names["f"] + names["d"]]
        groups = [words[i::WORDS] for i in range(WORDS)]
        for i, group in enumerate(groups):
            text = "1u"
            for w in group:
                text = f"mix({text}, {w})"
            p.end.append(f"result[{i}] = {text};")
        return p


# ---- source ---------------------------------------------------------------------------------------

TYPES_TEXT = """struct S {
    u8 tag;
    u32 w;
    s16 half;
    u64 q;
    struct {
        u16 c[2];
        u32 z;
    } in;
    u32 list[4];
    u32 w2;
    bool flag;
};
union U {
    u32 w[4];
    u8 b[16];
    s8 c[16];
    u16 h[8];
    u64 q[2];
};
"""


def lines(body, indent):
    for statement in body:
        if isinstance(statement, str):
            yield "    " * indent + statement
            continue
        for head, _, inner in statement.parts:
            yield "    " * indent + head
            yield from lines(inner, indent + 1)
        yield "    " * indent + statement.tail


def text_of(body, indent=1):
    return "\n".join(lines(body, indent)) + "\n"


def used_functions(p):
    """Functions that the kernel reaches, callees first."""
    used, text = [], text_of(p.body)
    if "functions_of_P_" in text:
        text += " ".join(n + "(" for n in p.tables["functions"])
    for f in reversed(p.functions):
        if f.name + "(" in text:
            used.insert(0, f)
            text += text_of(f.body)
    return used


def source(p, name, part="whole"):
    """@param part  whole: one file; kernel: without the bodies of functions; functions: only these"""
    functions = used_functions(p)
    out = []
    if part != "functions" and "numbers" in p.tables:
        numbers = p.tables["numbers"]
        for memory, table in (("__constant__", "constants"), ("__device__", "numbers")):
            shift = 0 if table == "constants" else 4
            out.append(f"{memory} u32 {table}_of_P_[16] = {{" + ", ".join(
                f"{n}u" for n in numbers[shift:shift + 16]) + "};")
            out.append(f"{memory} u8 {table}_of_P__b[8] = {{" + ", ".join(
                str(n & 255) for n in numbers[:8]) + "};")
    elif part == "functions" and "numbers" in p.tables:
        for memory, table in (("__constant__", "constants"), ("__device__", "numbers")):
            out.append(f"extern {memory} u32 {table}_of_P_[16]; extern {memory} u8 {table}_of_P__b[8];")
    if part != "functions" and "virtual" in p.features:
        first, second = p.methods
        head = "METHOD u32 at(const u32* in, u32 a) const"
        out.append(
            f"struct Shape_of_P_ {{ u32 x; __device__ Shape_of_P_(u32 n) : x(n) {{}} {head} = 0; }};\n"
            "struct First_of_P_ : Shape_of_P_ { __device__ First_of_P_(u32 n) : Shape_of_P_(n) {} "
            f"{head} {{ const u32 tid = threadIdx.x; return {first}; }} }};\n"
            "struct Second_of_P_ : Shape_of_P_ { u32 y; "
            "__device__ Second_of_P_(u32 n, u32 m) : Shape_of_P_(n), y(m) {} "
            f"{head} {{ const u32 tid = threadIdx.x; return {second}; }} }};")
    if "pointers" in p.features:
        out.append("struct __attribute__((packed)) Packed_of_P_ {\n"
                   "    u8 tag; const u32* to; u16 pad; const u32* last;\n};\n"
                   "extern __device__ const u32* const pointers_of_P_[4];\n"
                   "extern __device__ Packed_of_P_ packed_of_P_;")
        if part != "functions":
            at = [n % 9 for n in p.tables["numbers"]]
            out.append("__device__ const u32* const pointers_of_P_[4] = {" + ", ".join(
                f"&numbers_of_P_[{n}]" for n in at[:4]) + "};")
            out.append(f"__device__ Packed_of_P_ packed_of_P_ = {{{at[4]}, &numbers_of_P_[{at[5]}], 7, "
                       f"&numbers_of_P_[{at[6]}]}};")
    if part != "functions":
        out += [product.source() for product in p.products]
    for f in functions:
        if part == "whole":
            out.append("FUNCTION " + f.declaration() + ";")
        else:
            out.append("extern FUNCTION " + f.declaration() + ";")
    if part != "kernel":
        for f in functions:
            out.append(f"FUNCTION {f.declaration()} {{\n" + text_of(f.start + f.body) +
                       f"    return {f.result};\n}}")
    if part != "functions":
        if "functions_of_P_" in text_of(p.body):
            out.append("typedef u32 (*function_of_P_)(const u32*, u32, u32);")
            out.append("__device__ function_of_P_ functions_of_P_[4] = {" + ", ".join(p.tables["functions"]) + "};")
        parameter = ""
        if p.parameter_words:
            out.append(f"struct Q_of_P_ {{ u8 b[4]; u32 w[{p.parameter_words}]; s16 h[2]; }};")
            parameter = ", const Q_of_P_ par"
        out.append(f"KERNEL P_(const u32* in, u32* out{parameter}) {{\n" + text_of(p.start + p.body + p.end) + "}")
    return re.sub(r"P_\b|P_(?=_b)", name, "\n".join(out)) + "\n"
