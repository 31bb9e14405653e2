// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/operation.h"

#include <cstdint>

// What instructions of machine code do that PTX has no instruction for. Operands are rows of 32
// words, as everywhere; operation::immediate points to machine_details.
namespace simtlm::execution {

/// What an operation has beyond its rows.
struct machine_details {
    bool uniform = false;  ///< of the uniform datapath: executes once, whatever lanes are active
    // Sources are ((x & keep) ^ flip) + add.
    std::uint32_t keep[3] = {~0u, ~0u, ~0u};
    std::uint32_t flip[3] = {0, 0, 0};
    std::uint32_t add[3] = {0, 0, 0};
    slot predicate[3] = {frame_layout::always, frame_layout::always, frame_layout::always};
    lane_mask predicate_flip[3] = {0, 0, 0};
    slot result[2] = {0, 0};                ///< predicates that are written
    std::uint32_t number = 0, number2 = 0;  ///< shift, table, mask, ...
    bool is_signed = false, extended = false, high = false, wraps = false, left = false;
    unsigned width = 32;
    unsigned combination = 0;  ///< of comparisons: 0 and, 1 or, 2 xor
    unsigned comparison = 0;   ///< bit 0 less, 1 equal, 2 greater
    int depth_change = 0;      ///< of calls: 1; of returns: -1
};

/// What is done lane by lane, compiled for one instruction set of the host. source[0..2]: A, B, C;
/// destination: row.
struct machine_lane_operations {
    handler modify;             ///< A with its modifiers
    handler add3;               ///< IADD3
    handler multiply_add;       ///< IMAD
    handler multiply_add_wide;  ///< IMAD.WIDE, .HI: rows of pairs
    handler shift_add;          ///< LEA
    handler minmax;             ///< IMNMX
    handler compare;            ///< ISETP
    handler logic;              ///< LOP3
    handler shift;              ///< SHF
    handler permute;            ///< PRMT
    handler select;             ///< SEL, FSEL
    handler absolute;           ///< IABS
    handler count;              ///< POPC
    handler find;               ///< FLO
    handler reverse;            ///< BREV
    handler extend;             ///< SGXT
    handler field_mask;         ///< BMSK
    /// Pairs of rows (source[0], source[1]: low, high) to a row of double words.
    handler pack;
    /// destination, destination2: low, high; source[0]: double words.
    handler unpack;
    /// A pair (source[0], source[1]) plus a uniform row or pair (source[2], source[3]) as
    /// addresses.
    handler address;
    /// The same of generic addresses of Hopper: those whose upper word is `number` become those of
    /// address_windows::shared, or of other CTAs of the cluster, less number2.
    handler generic_address;
    /// Words of the register plus a uniform one, scaled (number is the shift), plus number2; of the
    /// sum those bits that are in keep[0].
    handler shared_address;
    handler copy;           ///< of a row, not of the uniform datapath
    handler load_constant;  ///< LDC with an index
    // Of doubles, rounded to nearest. list: low and high row of every source, whose high words have
    // modifiers; destination, destination2: low, high.
    handler double_add;
    handler double_multiply;
    handler double_multiply_add;
};

// Integer, for all lanes at once.
const operation* machine_logic_predicates(warp& w, const operation* op);        ///< PLOP3
const operation* machine_predicates_to_register(warp& w, const operation* op);  ///< P2R
const operation* machine_register_to_predicates(warp& w, const operation* op);  ///< R2P

// Floating point.
/// predicate[0]: result of a comparison (a mask), combined with predicate[1] into result[].
const operation* machine_combine(warp& w, const operation* op);
/// DSETP.MIN, DSETP.MAX (left: the smaller one): whether the first is the result; whether both are
/// no numbers
const operation* machine_double_extremum(warp& w, const operation* op);
const operation* machine_reciprocal_check(warp& w, const operation* op);  ///< FCHK
const operation* machine_sine(warp& w, const operation* op);              ///< of revolutions
const operation* machine_cosine(warp& w, const operation* op);
const operation* machine_reciprocal_high(warp& w, const operation* op);  ///< MUFU.RCP64H
const operation* machine_root_high(warp& w, const operation* op);        ///< MUFU.RSQ64H

// Pairs of rows and rows of double words; source[0], source[1]: low, high.
/// The next operation is an atomic whose result goes elsewhere than where it writes it: of 64 bits
/// (width), to destination and destination2, low and high; of CAST.SPIN (extended), 1 where it has
/// exchanged, 0 where memory held another value. Both are executed here, since the result may come
/// late.
const operation* machine_atomic_result(warp& w, const operation* op);
/// QSPC: result[0]: lanes whose address (source[0] plus number) lies in shared (width 0), local (1)
/// or global memory (2), or in that of the cluster (3).
const operation* machine_query_space(warp& w, const operation* op);
/// ELECT: result[0]: the lowest lane that executes; its number goes to a uniform row.
const operation* machine_elect(warp& w, const operation* op);

// Warp-wide.
const operation* machine_vote(warp& w, const operation* op);  ///< VOTE, VOTEU
/// R2UR: the value of the first lane; result[0]: lanes that have another one, or (number: all bits)
/// that have predicate[0] already
const operation* machine_to_uniform(warp& w, const operation* op);
const operation* machine_load_constant(warp& w, const operation* op);  ///< LDC with an index

// Of quads, the four lanes from a multiple of four on.
/// MOV in the lanes of each quad whose bits in `number` are set
const operation* machine_move_in_quads(warp& w, const operation* op);
/// FSWZADD: `number` tells for each lane of a quad, from the upper bits on, whether it adds (0),
/// subtracts A (1) or B (2), or moves B (3). wraps: subnormal numbers are 0
const operation* machine_add_in_quads(warp& w, const operation* op);
/// BMOV from and to MACTIVE: the lanes that execute, kept in a barrier register, and changed; high:
/// to all lanes of the quads of these
const operation* machine_keep_active(warp& w, const operation* op);
const operation* machine_set_active(warp& w, const operation* op);

// Control. source[0]: target, an operation of the program.
const operation* machine_branch(warp& w, const operation* op);
const operation* machine_exit(warp& w, const operation* op);
const operation* machine_set_barrier(warp& w, const operation* op);    ///< BSSY
const operation* machine_wait_barrier(warp& w, const operation* op);   ///< BSYNC
const operation* machine_break_barrier(warp& w, const operation* op);  ///< BREAK
const operation* machine_read_barrier(warp& w, const operation* op);   ///< BMOV to a register
const operation* machine_write_barrier(warp& w, const operation* op);  ///< BMOV from a register
const operation* machine_gather_at_barrier(warp& w, const operation* op);
/// WARPSYNC. source[1]: masks; left: lanes with different masks go on apart; high: .COLLECTIVE,
/// which ends at source[0]
const operation* machine_warp_sync(warp& w, const operation* op);
const operation* machine_end_collective(warp& w, const operation* op);
const operation* machine_yield(warp& w, const operation* op);
/// RET, BRX: source[0]: offsets from the place `number` of the section that begins at operation
/// source[1]; list: operation of each instruction of it, number2: how many
const operation* machine_branch_register(warp& w, const operation* op);
/// BRA.DIV, BRA.CONV (left): whether the lanes that are guarded to take it are others than, or
/// just, those that are to. By .DIV all that execute branch. source[1]: lanes that are to execute,
/// or no_slot: all that live
const operation* machine_branch_divergent(warp& w, const operation* op);
/// CALL.ABS, RET.ABS. source[0], source[1]: address, low and high; number: how many functions of
/// the runtime follow; list: first operation of each instruction of the program
const operation* machine_call(warp& w, const operation* op);

// Half precision: two in a word.
/// A half of the source in both halves (number: 1 the low one, 2 the high one), with modifiers.
const operation* machine_half_source(warp& w, const operation* op);
/// HSETP2: halves compared (comparison: as FSETP's, of both words' bits), results combined with
/// predicate[0]; high: both have to hold; extended: bf16; wraps: subnormal numbers are zeros
const operation* machine_half_compare(warp& w, const operation* op);
/// HSET2: number where a half holds, 0 elsewhere; else as HSETP2
const operation* machine_half_set(warp& w, const operation* op);

// Packed integers.
const operation* machine_dot_product(warp& w, const operation* op);  ///< IDP
const operation* machine_differences(warp& w, const operation* op);  ///< VABSDIFF, VABSDIFF4
/// I2IP: {C, A, B} from high to low, A and B of `width` bits (8, or 16 without C); is_signed: so
/// are the results; extended: so are the sources; wraps: no saturation
const operation* machine_pack_integers(warp& w, const operation* op);
const operation* machine_extremum16(warp& w, const operation* op);      ///< VIMNMX.S16x2
const operation* machine_add16(warp& w, const operation* op);           ///< VIADD.16x2
const operation* machine_clamp_negative(warp& w, const operation* op);  ///< .RELU
// Hopper.
/// result[0]: the lowest of the lanes that execute, alone.
const operation* machine_first_lane(warp& w, const operation* op);
/// A double word of the first lane (source[0]) to a pair of uniform rows.
const operation* machine_spread_pair(warp& w, const operation* op);
/// A word of UBLKCP or UTMALDG (source[0]): bytes / 16 below bit 16 (destination: bytes), CTAs of a
/// multicast above it (destination2).
const operation* machine_bulk_size(warp& w, const operation* op);
/// Addresses of shared::cluster of a register plus a uniform one (source[0], source[1]), the rank
/// of a CTA from bit 24 on, as operations take them: those of the CTA's own shared memory as
/// offsets, others behind address_windows::cluster. number is added to the offset.
const operation* machine_cluster_address(warp& w, const operation* op);
/// Matrix descriptors of a pair of rows; `number` units of 16 bytes less.
const operation* machine_matrix_descriptor(warp& w, const operation* op);
/// STSM: store_matrices, which tells the addresses of its rows.
const operation* machine_store_matrices(warp& w, const operation* op);
/// BRA.U.ANY: all lanes that execute branch where one of them is to.
const operation* machine_branch_any(warp& w, const operation* op);
/// CALL of a function in the same section
const operation* machine_call_within(warp& w, const operation* op);
/// LDSM: load_matrices, which tells the addresses of its rows.
const operation* machine_load_matrices(warp& w, const operation* op);

}  // namespace simtlm::execution
