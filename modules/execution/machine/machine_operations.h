// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/operation.h"

#include <cstdint>

// Operations of machine code that do not exist in PTX. Operands are rows of 32 words;
// operation::immediate points to machine_details.
namespace simtlm::execution {

/// Details of an operation in addition to its rows.
struct machine_details {
    bool uniform = false;  ///< on the uniform datapath: executes once, regardless of active lanes
    // Modifiers: a source is ((x & keep) ^ flip) + add.
    std::uint32_t keep[3] = {~0u, ~0u, ~0u};
    std::uint32_t flip[3] = {0, 0, 0};
    std::uint32_t add[3] = {0, 0, 0};
    slot predicate[3] = {frame_layout::always, frame_layout::always, frame_layout::always};
    lane_mask predicate_flip[3] = {0, 0, 0};
    slot result[2] = {0, 0};                ///< predicates to be written
    std::uint32_t number = 0, number2 = 0;  ///< shift, table, mask, ...
    bool is_signed = false, extended = false, high = false, wraps = false, left = false;
    unsigned width = 32;
    unsigned combination = 0;  ///< of comparisons: 0 and, 1 or, 2 xor
    unsigned comparison = 0;   ///< bit 0: less, 1: equal, 2: greater
    std::uint64_t bank = 0;    ///< LDC with an index: of the constant bank, for the timing model
};

/// Lane-wise operations, compiled for one instruction set of the host. source[0..2]: A, B, C;
/// destination: row.
struct machine_lane_operations {
    handler modify;             ///< applies the modifiers of A
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
    /// Converts pairs of rows (source[0], source[1]: low, high) to a row of double words.
    handler pack;
    /// destination, destination2: low, high; source[0]: double words.
    handler unpack;
    /// Adds a uniform row or pair (source[2], source[3]) to a pair (source[0], source[1]), as
    /// addresses.
    handler address;
    /// The same for generic addresses of Hopper: those with the upper word `number` are mapped to
    /// address_windows::shared, or to other CTAs of the cluster, and number2 is subtracted.
    handler generic_address;
    /// Adds words of a register, a scaled uniform register (`number` is the shift) and number2; the
    /// result is masked with keep[0].
    handler shared_address;
    handler copy;           ///< copies a row, not on the uniform datapath
    handler load_constant;  ///< LDC with an index
    // Double precision, rounded to nearest. list: low and high row of every source, with modifiers
    // for the high words; destination, destination2: low, high.
    handler double_add;
    handler double_multiply;
    handler double_multiply_add;
};

/// Tables of machine_logic_predicates (machine_details::number): functions of up to three source
/// predicates, of which the first one selects the upper half of the table.
namespace predicate_table {
inline constexpr std::uint32_t first = 0xf0, not_first = 0x0f, first_and_second = 0xc0,
                               always = 0xff;
}  // namespace predicate_table

// Integer operations on all lanes at once.
const operation* machine_logic_predicates(warp& w, const operation* op);        ///< PLOP3
const operation* machine_predicates_to_register(warp& w, const operation* op);  ///< P2R
const operation* machine_register_to_predicates(warp& w, const operation* op);  ///< R2P

// Floating point.
/// predicate[0]: result of a comparison (a mask), combined with predicate[1] into result[].
const operation* machine_combine(warp& w, const operation* op);
/// DSETP.MIN, DSETP.MAX (left: the minimum): whether the first operand is the result; whether both
/// are NaN
const operation* machine_double_extremum(warp& w, const operation* op);
const operation* machine_reciprocal_check(warp& w, const operation* op);  ///< FCHK
const operation* machine_sine(warp& w, const operation* op);  ///< argument in revolutions
const operation* machine_cosine(warp& w, const operation* op);
const operation* machine_reciprocal_high(warp& w, const operation* op);  ///< MUFU.RCP64H
const operation* machine_root_high(warp& w, const operation* op);        ///< MUFU.RSQ64H

// Conversion between pairs of rows and rows of double words; source[0], source[1]: low, high.
/// Precedes an atomic whose result is not written directly to its destination: 64-bit atomics
/// (width) write to destination and destination2, low and high; CAST.SPIN (extended) writes 1 if it
/// has exchanged the value, 0 if memory held another value. Executes both operations, because the
/// result may arrive late.
const operation* machine_atomic_result(warp& w, const operation* op);
/// QSPC: result[0]: lanes whose address (source[0] plus number) is in shared (width 0), local (1),
/// global (2) or cluster shared memory (3).
const operation* machine_query_space(warp& w, const operation* op);
/// ELECT: result[0]: the lowest executing lane, whose number is written to a uniform row.
const operation* machine_elect(warp& w, const operation* op);

// Warp-wide operations.
const operation* machine_vote(warp& w, const operation* op);  ///< VOTE, VOTEU
/// R2UR: the value of the first lane; result[0]: lanes with a different value, or (number: all
/// bits) that have predicate[0] already
const operation* machine_to_uniform(warp& w, const operation* op);
const operation* machine_load_constant(warp& w, const operation* op);  ///< LDC with an index

// Operations on quads: groups of four lanes whose first lane is a multiple of four.
/// MOV in the lanes of each quad that `number` selects
const operation* machine_move_in_quads(warp& w, const operation* op);
/// FSWZADD: `number` selects the operation of each lane of a quad, starting with the upper bits: A
/// + B (0), B - A (1), A - B (2), or B (3). wraps: subnormal numbers are flushed to zero
const operation* machine_add_in_quads(warp& w, const operation* op);
/// BMOV from and to MACTIVE: saves the mask of active lanes in a barrier register and changes it;
/// high: to all lanes of the quads that contain active lanes
const operation* machine_keep_active(warp& w, const operation* op);
const operation* machine_set_active(warp& w, const operation* op);

// Control flow. source[0]: target, an operation of the program.
const operation* machine_branch(warp& w, const operation* op);
const operation* machine_exit(warp& w, const operation* op);
/// BSSY. source[1]: stack pointers, by which lanes are separated, or no_slot
const operation* machine_set_barrier(warp& w, const operation* op);
const operation* machine_wait_barrier(warp& w, const operation* op);   ///< BSYNC
const operation* machine_break_barrier(warp& w, const operation* op);  ///< BREAK
const operation* machine_read_barrier(warp& w, const operation* op);   ///< BMOV to a register
const operation* machine_write_barrier(warp& w, const operation* op);  ///< BMOV from a register
const operation* machine_gather_at_barrier(warp& w, const operation* op);
/// WARPSYNC. source[1]: masks; left: lanes with different masks diverge; source[0]: where the
/// section of .COLLECTIVE ends, or no_slot; high: lanes in different sections execute one of them
const operation* machine_warp_sync(warp& w, const operation* op);
const operation* machine_end_collective(warp& w, const operation* op);
const operation* machine_yield(warp& w, const operation* op);
/// RET, BRX: source[0]: offsets from position `number` of the section that begins at operation
/// source[1]; list: operation of each of its instructions; number2: their number
const operation* machine_branch_register(warp& w, const operation* op);
/// BRA.DIV, BRA.CONV (left): whether the lanes that take it according to the guard differ from, or
/// equal, the expected lanes. With .DIV all executing lanes branch. source[1]: expected lanes, or
/// no_slot: all live lanes
const operation* machine_branch_divergent(warp& w, const operation* op);
/// CALL.ABS, RET.ABS. source[0], source[1]: address, low and high; number: number of runtime
/// functions that follow; list: first operation of each instruction of the program
const operation* machine_call(warp& w, const operation* op);

/// An unsupported instruction, or the end of the code: a fault. immediate: the message, a
/// std::string
const operation* machine_refuse(warp& w, const operation* op);

// Half precision: two values per word.
/// Replicates one half of the source (number: 1 the low one, 2 the high one) or exchanges the
/// halves and negates the one that becomes the low half (3: .H0_NH1, for complex numbers), with
/// modifiers.
const operation* machine_half_source(warp& w, const operation* op);
/// HADD2 (combination: 0), HMUL2 (1) and HFMA2 (2). left: a product with a zero factor is zero;
/// wraps: subnormal numbers are flushed to zero; high: .RELU; is_signed: no .SAT; extended: bf16
const operation* machine_mixed_half(warp& w, const operation* op);
/// HSETP2: compares halves (comparison: as FSETP's, of both words' bits), combines results with
/// predicate[0]; high: both halves must be true; extended: bf16; wraps: subnormals are treated as
/// zeros
const operation* machine_half_compare(warp& w, const operation* op);
/// HSET2: number if a half's comparison is true, otherwise 0; operands as for HSETP2
const operation* machine_half_set(warp& w, const operation* op);

// Packed integers.
const operation* machine_dot_product(warp& w, const operation* op);  ///< IDP
const operation* machine_differences(warp& w, const operation* op);  ///< VABSDIFF, VABSDIFF4
/// I2IP: {C, A, B} from high to low, A and B of `width` bits (8, or 16 without C); is_signed:
/// signed results; extended: signed sources; wraps: no saturation
const operation* machine_pack_integers(warp& w, const operation* op);
const operation* machine_extremum16(warp& w, const operation* op);      ///< VIMNMX.S16x2
const operation* machine_add16(warp& w, const operation* op);           ///< VIADD.16x2
const operation* machine_clamp_negative(warp& w, const operation* op);  ///< .RELU
// Hopper.
/// result[0]: the lowest executing lane only.
const operation* machine_first_lane(warp& w, const operation* op);
/// Copies a double word of the first lane (source[0]) to a pair of uniform rows.
const operation* machine_spread_pair(warp& w, const operation* op);
/// Decodes a word of UBLKCP or UTMALDG (source[0]): bytes / 16 in bits 15:0 (destination: bytes),
/// CTAs of a multicast above (destination2).
const operation* machine_bulk_size(warp& w, const operation* op);
/// Converts addresses of shared::cluster, a register plus a uniform register (source[0], source[1])
/// with the rank of a CTA in bits 24 and above, to those of operations: offsets for the CTA's own
/// shared memory, otherwise addresses in address_windows::cluster. `number` is added to the offset.
const operation* machine_cluster_address(warp& w, const operation* op);
/// Converts matrix descriptors in a pair of rows; `number` units of 16 bytes are subtracted.
const operation* machine_matrix_descriptor(warp& w, const operation* op);
/// STSM: store_matrices, and reports the addresses of its rows.
const operation* machine_store_matrices(warp& w, const operation* op);
/// BRA.U.ANY: all executing lanes branch if any of them does.
const operation* machine_branch_any(warp& w, const operation* op);
/// LDSM: load_matrices, and reports the addresses of its rows.
const operation* machine_load_matrices(warp& w, const operation* op);

}  // namespace simtlm::execution
