// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/opcode.h"
#include "modules/ptx/types.h"

#include <array>
#include <cstdint>
#include <string>

namespace simtlm::ptx {

/// Rounding: `.rn` … of floating point, `.rni` … to an integral value, `.rna` (ties away, tf32),
/// `.rs` (stochastic). `none`: the instruction's default.
enum class rounding : std::uint8_t { none, rn, rz, rm, rp, rni, rzi, rmi, rpi, rna, rs };

/// Comparison of set, setp, vset; `lo ls hi hs` are unsigned; `equ … geu` are true for NaN.
enum class comparison : std::uint8_t {
    none,
    eq,
    ne,
    lt,
    le,
    gt,
    ge,
    lo,
    ls,
    hi,
    hs,
    equ,
    neu,
    ltu,
    leu,
    gtu,
    geu,
    num,
    nan
};

/// The part of a product returned by mul and mad.
enum class product : std::uint8_t { none, lo, hi, wide };

/// The operation of atom, red, redux, bar.red, sured, the boolean operation of set and setp, the
/// secondary operation of video instructions, and one-bit mma.
enum class reduction : std::uint8_t {
    none,
    and_,
    or_,
    xor_,
    popc,
    cas,
    exch,
    add,
    inc,
    dec,
    min,
    max
};

/// Cache operator of ld, st, prefetch.
enum class cache_operator : std::uint8_t { none, ca, cg, cs, lu, cv, wb, wt };

/// Eviction priority of a cache level (`.L1::…`, `.L2::…`).
enum class eviction : std::uint8_t { none, normal, unchanged, first, last, no_allocate };

/// Memory consistency of ld, st, atom, red, fence, mbarrier. `none`: the instruction's default
/// (weak for ld and st, relaxed for atom and red).
enum class semantics : std::uint8_t {
    none,
    weak,
    relaxed,
    acquire,
    release,
    acq_rel,
    sc,
    volatile_
};

/// Scope of a memory operation. membar's `.gl` is gpu.
enum class scope : std::uint8_t { none, cta, cluster, gpu, sys };

// clang-format off
/// Variants that are not covered by the enumerations above.
enum class mode : std::uint8_t {
    none,
    up, down, bfly, idx,                                      // shfl
    all, any, uni, ballot,                                    // vote; all, any: match
    f4e, b4e, rc8, ecl, ecr, rc16,                            // prmt
    finite, infinite, number, notanumber, normal, subnormal,  // testp
    left, right,                                              // shf
    width, height, depth, channel_data_type, channel_order,   // txq, suq
    normalized_coords, force_unnormalized_coords, filter_mode, addr_mode_0, addr_mode_1,
    addr_mode_2, array_size, num_mipmap_levels, num_samples, memory_layout,
    tex_r, tex_g, tex_b, tex_a,                               // tld4
    alias,                                                    // fence.proxy
    fractional, range,                                        // createpolicy
    l1, l2,                                                   // prefetch, discard, applypriority
    map_address, map_rank, map_box, map_size, map_stride, map_step,  // tensormap.replace
    map_type, map_interleave, map_swizzle, map_atomicity, map_fill,
    kind_f8f6f4, kind_mxf8f6f4, kind_mxf4, kind_mxf4nvf4,    // mma of sm_120, tcgen05.mma
    kind_f16, kind_tf32, kind_i8,                             // tcgen05.mma
    lanes_32x32b, lanes_16x64b, lanes_16x128b, lanes_16x256b, lanes_16x32bx2,  // tcgen05.ld, st
    packed_4, packed_6,                                       // ldmatrix
    cta_x, cta_y, cta_z,                                      // clusterlaunchcontrol.query_cancel
    im2col, im2col_w, im2col_w_128,                           // cp.async.bulk.tensor
};
// clang-format on

/// Geometry of textures and surfaces; `a…` are arrays (layered), `…ms` multi-sampled.
enum class geometry : std::uint8_t { none, d1, d2, d3, a1d, a2d, cube, acube, d2ms, a2dms };

/// Behaviour of a surface access that is out of bounds.
enum class bounds : std::uint8_t { none, trap, clamp, zero };

/// Fragment of wmma.load and wmma.store.
enum class fragment : std::uint8_t { none, a, b, c, d };

enum class layout : std::uint8_t { none, row, col };

/// Shape of a matrix operation, as in `.m16n8k16`; for ldmatrix and movmatrix only m and n.
struct matrix_shape {
    std::uint16_t m = 0;
    std::uint16_t n = 0;
    std::uint16_t k = 0;
};

// clang-format off
/// Modifiers without a value.
enum class flag : std::uint8_t {
    ftz, sat, satfinite, relu, approx, full, noftz, xorsign_abs,
    nan,             ///< min.NaN, max.NaN
    cc,              ///< writes the carry flag
    uni,             ///< bra.uni, call.uni: not divergent
    sync, aligned,
    trans,           ///< ldmatrix, movmatrix
    clamp, wrap,     ///< shf, szext, bmsk, vshl, vshr
    po,              ///< vmad: plus one
    shiftamt,        ///< bfind
    to,              ///< cvta.to
    nc,              ///< ld.global.nc
    cache_hint,      ///< .L2::cache_hint: followed by a policy operand
    prefetch_64, prefetch_128, prefetch_256,  ///< .L2::64B …
    base, level, grad,  ///< tex: mipmap level implicit, given by an operand, or by gradients
    bytes,           ///< suld.b, sust.b, sured.b: unformatted
    formatted,       ///< sust.p, sured.p
    noinc,           ///< cp.async.mbarrier.arrive.noinc
    parity,          ///< mbarrier.test_wait.parity
    no_complete,     ///< mbarrier.arrive.noComplete
    expect_tx,       ///< mbarrier.arrive.expect_tx
    ordered_metadata,  ///< mma.sp::ordered_metadata
    mmio,              ///< ld.mmio, st.mmio
    multicast,         ///< .multicast::cluster of bulk copies
    read,              ///< cp.async.bulk.wait_group.read
    wait,              ///< griddepcontrol.wait, barrier.cluster.wait
    magnitude,         ///< min.abs, max.abs, redux.abs: of magnitudes
    ue4m3,             ///< mma: scale factors are not ue8m0
    cta_pair,          ///< .cta_group::2
    weight_stationary, ///< tcgen05.mma.ws
    sparse,            ///< tcgen05.mma.sp
    a_shift,           ///< tcgen05.mma.ashift
    halves,            ///< tcgen05.ld.pack::16b, st.unpack::16b
    warps_02_13, warps_01_23,  ///< tcgen05.cp.warpx2
    gathers,    ///< bulk tensor copies of four rows: .tile::gather4, .tile::scatter4
    to_all_ctas,  ///< .multicast::cluster::all
};
// clang-format on

/// The shape of a tcgen05.cp: rows and bits per row.
enum class cp_shape : std::uint8_t { none, s128x256b, s4x256b, s128x128b, s64x128b, s32x128b };

/// A full opcode with its modifiers, "ld.global.v4.f32", resolved once per distinct text and shared
/// by all instructions of a module with the same text.
struct operation {
    std::string text;  ///< as written, used in messages
    opcode op = opcode::later;
    std::uint16_t signature = 0;  ///< row of the signature table; see signature.h
    std::array<type, 4> types{};  ///< in the order written: destination first
    std::uint8_t type_count = 0;
    rounding round = rounding::none;
    comparison compare = comparison::none;
    product part = product::none;
    reduction reduce = reduction::none;
    state_space space = state_space::generic;
    space_window window = space_window::none;
    state_space source_space = state_space::generic;  ///< cp.async and related instructions: the
                                                      ///< second space
    cache_operator cache = cache_operator::none;
    eviction evict_l1 = eviction::none;
    eviction evict_l2 = eviction::none;
    semantics order = semantics::none;
    scope visible_to = scope::none;
    std::uint8_t vector = 1;  ///< .v2, .v4, .v8
    mode variant = mode::none;
    geometry texture = geometry::none;
    bounds surface_bounds = bounds::none;
    fragment part_of = fragment::none;
    layout layout_a = layout::none;  ///< the first layout written
    layout layout_b = layout::none;  ///< the second
    matrix_shape shape;
    std::uint8_t count = 0;  ///< ldmatrix .x1 .x2 .x4; vmad .shr7 .shr15; dimensions of a tensor;
                             ///< mma .scale_vec;
                             ///< tcgen05.ld .xN; tcgen05.cp: a shape, as in cp_shape
    std::uint64_t flags = 0;

    bool has(flag f) const { return ((flags >> static_cast<unsigned>(f)) & 1U) != 0; }

    /// The first type, which is usually the type of the operation.
    type first_type() const { return types[0]; }
    /// The last type written; the type of the sources if destination and sources differ.
    type last_type() const { return types[type_count == 0 ? 0 : type_count - 1U]; }
};

}  // namespace simtlm::ptx
