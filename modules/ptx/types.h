// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace simtlm::ptx {

/// The types of PTX: fundamental, packed, alternate floating point, sub-byte and opaque.
enum class type : std::uint8_t {
    none,
    pred,
    b1,
    b4,
    b8,
    b16,
    b32,
    b64,
    b128,
    u2,
    u4,
    u8,
    u16,
    u32,
    u64,
    s2,
    s4,
    s8,
    s16,
    s32,
    s64,
    u16x2,
    s16x2,
    f16,
    f16x2,
    bf16,
    bf16x2,
    tf32,
    f32,
    f32x2,
    f64,
    e4m3,
    e5m2,
    e4m3x2,
    e5m2x2,
    e2m1,
    e2m3,
    e3m2,
    e2m1x2,
    e2m3x2,
    e3m2x2,
    ue8m0x2,
    e4m3x4,
    e5m2x4,
    e2m1x4,
    e2m3x4,
    e3m2x4,
    texref,
    samplerref,
    surfref,
};

/// Interpretation of a type's bits; `bits` are untyped.
enum class type_class : std::uint8_t {
    none,
    predicate,
    bits,
    unsigned_integer,
    signed_integer,
    floating,
    opaque
};

/// Width in bits: 1 for pred and b1, 64 for references, 0 for none.
unsigned width_of(type t);

/// Width in whole bytes, at least 1 except for none.
inline unsigned bytes_of(type t) {
    return (width_of(t) + 7) / 8;
}

type_class class_of(type t);

/// Name without a dot, e.g. "u32".
std::string_view name_of(type t);

/// State spaces. `generic` is an address without a space. The windows of shared memory and of
/// parameters are distinguished by `space_window`.
enum class state_space : std::uint8_t {
    generic,
    reg,
    sreg,
    const_,
    global,
    local,
    param,
    shared,
    tex
};

std::string_view name_of(state_space s);

/// The window of `.shared` or `.param`, as in `.shared::cta`, `.param::entry`.
enum class space_window : std::uint8_t { none, cta, cluster, entry, func };

/// Linkage of a variable or function. `internal`: without any of the directives.
enum class linkage : std::uint8_t { internal, visible, external, weak, common };

/// Special registers. For those with components (%tid.x) the operand has the component; for `pm` (0
/// to 7), `pm64` (%pm0_64 …) and `envreg` (0 to 31) it has the number.
enum class special_register : std::uint8_t {
    tid,
    ntid,
    laneid,
    warpid,
    nwarpid,
    ctaid,
    nctaid,
    smid,
    nsmid,
    gridid,
    is_explicit_cluster,
    clusterid,
    nclusterid,
    cluster_ctaid,
    cluster_nctaid,
    cluster_ctarank,
    cluster_nctarank,
    lanemask_eq,
    lanemask_le,
    lanemask_lt,
    lanemask_ge,
    lanemask_gt,
    clock,
    clock_hi,
    clock64,
    pm,
    pm64,
    envreg,
    globaltimer,
    globaltimer_lo,
    globaltimer_hi,
    reserved_smem_offset_begin,
    reserved_smem_offset_end,
    reserved_smem_offset_cap,
    reserved_smem_offset_0,
    reserved_smem_offset_1,
    total_smem_size,
    aggr_smem_size,
    dynamic_smem_size,
    current_graph_exec,
};

/// Name without component or number, e.g. "%tid".
std::string_view name_of(special_register s);

/// The type of a special register (u32 or u64; u32 per component for those with components).
type type_of(special_register s);

/// Whether a special register has components .x .y .z .w (%tid, %ntid, %ctaid …).
bool has_components(special_register s);

}  // namespace simtlm::ptx
