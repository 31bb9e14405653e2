// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"
#include "modules/execution/machine/machine_arguments.h"

#include <cstdint>

// Operations of machine code that do not exist in PTX. Operands are rows of 32 words.
namespace simtlm::execution {

/// A handler whose operation::immediate points to its arguments.
template <class Arguments>
struct machine_handler {
    handler execute = nullptr;
};
template <class Arguments>
const Arguments& arguments_of(const operation* op) {
    return *reinterpret_cast<const Arguments*>(op->immediate);
}

/// Converts a function of an operation and its arguments to a machine_handler.
template <auto Function>
struct handler_of {
    template <class Arguments>
    constexpr operator machine_handler<Arguments>() const {
        return {[](warp& w, const operation* op) {
            return Function(w, op, arguments_of<Arguments>(op));
        }};
    }
};

/// Lane-wise operations, compiled for one instruction set of the host. source[0..2]: A, B, C;
/// destination: row.
struct machine_lane_operations {
    machine_handler<unary_arguments> modify;  ///< applies the modifiers of A
    machine_handler<sum_arguments> add3;      ///< IADD3
    machine_handler<product_arguments> multiply_add;
    machine_handler<product_arguments> multiply_add_wide;  ///< IMAD.WIDE, .HI: rows of pairs
    machine_handler<scaled_sum_arguments> shift_add;       ///< LEA
    machine_handler<extremum_arguments> minmax;            ///< IMNMX
    machine_handler<comparison_arguments> compare;         ///< ISETP
    machine_handler<logic_arguments> logic;                ///< LOP3
    machine_handler<shift_arguments> shift;                ///< SHF
    machine_handler<permutation_arguments> permute;        ///< PRMT
    machine_handler<selection_arguments> select;           ///< SEL, FSEL
    machine_handler<datapath_arguments> absolute;          ///< IABS
    machine_handler<unary_arguments> count;                ///< POPC
    machine_handler<find_arguments> find;                  ///< FLO
    machine_handler<datapath_arguments> reverse;           ///< BREV
    machine_handler<field_arguments> extend;               ///< SGXT
    machine_handler<field_arguments> field_mask;           ///< BMSK
    /// Converts pairs of rows (source[0], source[1]: low, high) to a row of double words.
    machine_handler<double_arguments> pack;
    /// destination, destination2: low, high; source[0]: double words.
    machine_handler<datapath_arguments> unpack;
    /// Adds a uniform row or pair (source[2], source[3]) to a pair (source[0], source[1]), as
    /// addresses.
    handler address;
    machine_handler<generic_address_arguments> generic_address;
    /// Adds words of a scaled register and of a uniform register.
    machine_handler<shared_address_arguments> shared_address;
    handler copy;  ///< copies a row, not on the uniform datapath
    machine_handler<indexed_constant_arguments> load_constant;
    // Double precision, rounded to nearest. list: low and high row of every source; destination,
    // destination2: low, high.
    machine_handler<double_arguments> double_add, double_multiply, double_multiply_add;
};

// Predicates.
extern const machine_handler<predicate_logic_arguments> machine_logic_predicates;       ///< PLOP3
extern const machine_handler<predicate_byte_arguments> machine_predicates_to_register;  ///< P2R
extern const machine_handler<predicate_byte_arguments> machine_register_to_predicates;  ///< R2P
extern const machine_handler<combination_arguments> machine_combine;

// Floating point.
extern const machine_handler<double_extremum_arguments> machine_double_extremum;
extern const machine_handler<reciprocal_check_arguments> machine_reciprocal_check;  ///< FCHK
extern const machine_handler<unary_arguments> machine_sine;  ///< argument in revolutions
extern const machine_handler<unary_arguments> machine_cosine;
extern const machine_handler<unary_arguments> machine_reciprocal_high;  ///< MUFU.RCP64H
extern const machine_handler<unary_arguments> machine_root_high;        ///< MUFU.RSQ64H

// Memory.
/// Precedes an atomic whose result is not written directly to its destination: 64-bit atomics write
/// to destination and destination2, low and high. Executes both operations, because the result may
/// arrive late.
extern const machine_handler<atomic_result_arguments> machine_atomic_result;
/// QSPC: lanes whose address (source[0]) is in a space.
extern const machine_handler<space_query_arguments> machine_query_space;
/// LDC with an index (source[0]); source[1]: start of the bank's bytes.
const operation* machine_load_constant(warp& w, const operation* op,
                                       const indexed_constant_arguments& a);

// Warp-wide operations.
/// ELECT. The number of the lane is written to a uniform row.
extern const machine_handler<election_arguments> machine_elect;
extern const machine_handler<vote_arguments> machine_vote;
extern const machine_handler<to_uniform_arguments> machine_to_uniform;  ///< value of the first lane

// Operations on quads.
extern const machine_handler<quad_move_arguments> machine_move_in_quads;
extern const machine_handler<quad_sum_arguments> machine_add_in_quads;
/// BMOV from and to MACTIVE: saves the mask of active lanes in a barrier register and changes it.
const operation* machine_keep_active(warp& w, const operation* op);
extern const machine_handler<active_mask_arguments> machine_set_active;

// Control flow. source[0]: target, an operation of the program.
extern const machine_handler<control_arguments> machine_branch;
/// BRA.U.ANY: all executing lanes branch if any of them does.
extern const machine_handler<control_arguments> machine_branch_any;
extern const machine_handler<control_arguments> machine_exit;
/// BSSY. source[1]: stack pointers, by which lanes are separated, or no_operand
extern const machine_handler<control_arguments> machine_set_barrier;
extern const machine_handler<barrier_wait_arguments> machine_wait_barrier;  ///< BSYNC
extern const machine_handler<control_arguments> machine_break_barrier;      ///< BREAK
extern const machine_handler<barrier_read_arguments> machine_read_barrier;  ///< BMOV to a register
const operation* machine_write_barrier(warp& w, const operation* op);  ///< BMOV from a register
const operation* machine_gather_at_barrier(warp& w, const operation* op);
/// WARPSYNC. source[1]: masks; source[0]: where the section of .COLLECTIVE ends, or no_operand
extern const machine_handler<warp_sync_arguments> machine_warp_sync;
extern const machine_handler<control_arguments> machine_end_collective;
extern const machine_handler<control_arguments> machine_yield;
/// RET, BRX: source[0]: offsets; list: operation of each instruction of the function
extern const machine_handler<register_branch_arguments> machine_branch_register;
/// BRA.DIV, BRA.CONV: whether the lanes that take it according to the guard differ from, or equal,
/// the expected lanes. With .DIV all executing lanes branch. source[1]: expected lanes, or
/// no_operand: all live lanes
extern const machine_handler<divergent_branch_arguments> machine_branch_divergent;
/// CALL.ABS, RET.ABS. source[0], source[1]: address, low and high; list: first operation of each
/// instruction of the program
extern const machine_handler<call_arguments> machine_call;

/// An unsupported instruction, or the end of the code: a fault. immediate: the message, a
/// std::string
const operation* machine_refuse(warp& w, const operation* op);

// Half precision: two values per word.
/// Replicates or exchanges halves of the source, with modifiers.
extern const machine_handler<half_source_arguments> machine_half_source;
extern const machine_handler<mixed_half_arguments> machine_mixed_half;
extern const machine_handler<half_comparison_arguments> machine_half_compare;  ///< HSETP2
extern const machine_handler<half_comparison_arguments> machine_half_set;      ///< HSET2

// Packed integers.
extern const machine_handler<dot_product_arguments> machine_dot_product;
extern const machine_handler<difference_arguments> machine_differences;
/// I2IP: {C, A, B} from high to low; without C if A and B have 16 bits.
extern const machine_handler<packing_arguments> machine_pack_integers;
extern const machine_handler<extremum_arguments> machine_extremum16;  ///< VIMNMX.S16x2
extern const machine_handler<extremum_arguments> machine_extremum8;   ///< VIMNMX.S8x4
extern const machine_handler<sum_arguments> machine_add16;            ///< VIADD.16x2
extern const machine_handler<sum_arguments> machine_add8;             ///< VIADD.U8x4, .S8x4
extern const machine_handler<clamp_arguments> machine_clamp_negative;

// Hopper.
extern const machine_handler<election_arguments> machine_first_lane;
/// Copies a double word of the first lane (source[0]) to a pair of uniform rows.
const operation* machine_spread_pair(warp& w, const operation* op);
/// Decodes a word of UBLKCP or UTMALDG (source[0]): bytes / 16 in bits 15:0 (destination: bytes),
/// CTAs of a multicast above (destination2).
const operation* machine_bulk_size(warp& w, const operation* op);
/// Converts addresses of shared::cluster, a register plus a uniform register (source[0], source[1])
/// with the rank of a CTA in bits 24 and above, to those of operations: offsets for the CTA's own
/// shared memory, otherwise addresses in address_windows::cluster.
extern const machine_handler<cluster_address_arguments> machine_cluster_address;
/// Converts matrix descriptors in a pair of rows.
extern const machine_handler<matrix_descriptor_arguments> machine_matrix_descriptor;
/// LDSM, STSM: load_matrices and store_matrices, and reports the addresses of their rows.
const operation* machine_load_matrices(warp& w, const operation* op);
const operation* machine_store_matrices(warp& w, const operation* op);
/// MOVM.U4TO8.M832: expands numbers of four bits, 8 rows of 32, to bytes. A lane has eight of row
/// lane / 4 in source[0], and then four of columns 0 to 15 (destination) and of 16 to 31
/// (destination2), as for IMMA. Derived from ptxas' code for products of single bits, in which all
/// numbers are 0 or 1; faults for numbers above 7, whose extension is not known.
const operation* machine_expand_matrix(warp& w, const operation* op);

}  // namespace simtlm::execution
