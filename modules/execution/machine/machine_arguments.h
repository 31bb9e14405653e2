// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"

#include <cstdint>

// Arguments of the handlers of machine code in addition to the rows of an operation: one structure
// per family of handlers (machine_operations.h).
namespace simtlm::execution {

// ---- members that several families have ----

/// Modifiers of a source of 32 bits: ((x & keep) ^ flip) + add.
struct source_modifiers {
    std::uint32_t keep = ~0u, flip = 0, add = 0;
};

/// A predicate that an operation reads; initially true.
struct source_predicate {
    operand_ref mask = frame_layout::always;
    lane_mask flip = 0;  ///< all_lanes: it is negated
};

/// A function of two predicates.
enum class combination { all_of, any_of, one_of };

/// The result of a comparison, combined with a predicate.
struct combined_result {
    combination how = combination::all_of;
    source_predicate with;
    operand_ref result = 0, result_of_opposite = 0;  ///< predicates to be written; 0: none
};

/// Of operations that exist on the uniform datapath as well.
struct datapath_arguments {
    bool uniform = false;  ///< executes once, regardless of active lanes
};

// ---- integers ----

/// Operations of one source.
struct unary_arguments : datapath_arguments {
    source_modifiers source;
};
/// IADD3, VIADD.
struct sum_arguments : datapath_arguments {
    source_modifiers source[3];
    bool extended = false;  ///< .X: carries are added
    source_predicate carry_in[2];
    operand_ref carry_out[2] = {0, 0};  ///< whether there is a carry; whether there are two
};
/// IMAD.
struct product_arguments : datapath_arguments {
    bool is_signed = false;
    source_modifiers addend;
    bool extended = false;  ///< .X: a carry is added
    source_predicate carry_in;
    operand_ref carry_out = 0;
};
/// LEA: a shifted source plus an addend.
struct scaled_sum_arguments : datapath_arguments {
    unsigned shift = 0;
    bool high_word = false;     ///< .HI: of the shifted pair of A and C
    bool sign_extends = false;  ///< .SX32: the high word of the pair is A's sign
    source_modifiers shifted, addend;
    bool extended = false;  ///< .X: a carry is added
    source_predicate carry_in;
    operand_ref carry_out = 0;
};
/// IMNMX, VIMNMX.
struct extremum_arguments : datapath_arguments {
    bool is_signed = false;
    source_predicate minimum;  ///< lanes that compute the minimum
};
/// ISETP.
struct comparison_arguments : datapath_arguments {
    static constexpr unsigned less = 1, equal = 2, greater = 4;
    unsigned holds_if = 0;  ///< bits of the above
    bool is_signed = false;
    bool extended = false;       ///< .EX: of high words
    source_predicate low_words;  ///< with .EX: result of the comparison of low words
    combined_result outcome;
};
/// LOP3.
struct logic_arguments : datapath_arguments {
    std::uint32_t table = 0;  ///< by bits of A, B, C: result
    combined_result nonzero;  ///< whether the result differs from zero
};
/// SHF.
struct shift_arguments : datapath_arguments {
    bool to_left = false;
    bool high_word = false;  ///< the result is the high word of the pair of A and C
    bool is_signed = false;
    bool wraps = false;   ///< the amount is taken modulo the width; otherwise it saturates
    unsigned width = 32;  ///< of the values: 32 or 64
};
/// SGXT, BMSK: a field of a word.
struct field_arguments : datapath_arguments {
    bool is_signed = false;
    bool wraps = false;  ///< positions and lengths are taken modulo 32
};
/// FLO.
struct find_arguments : datapath_arguments {
    source_modifiers source;
    bool is_signed = false;  ///< finds the first bit that differs from the sign
    bool as_shift = false;   ///< .SH: the result is the left shift that moves it to bit 31
    operand_ref found = 0;
};
/// PRMT.
struct permutation_arguments : datapath_arguments {
    unsigned mode = 0;  ///< 0: bytes by index; otherwise F4E, B4E, RC8, ECL, ECR, RC16, from 1
};
/// SEL, FSEL.
struct selection_arguments : datapath_arguments {
    source_modifiers source[2];
    source_predicate first;  ///< lanes that select the first source
};

// ---- packed integers ----

/// IDP.
struct dot_product_arguments {
    bool a_signed = false, b_signed = false;
    unsigned width = 8;       ///< of A's elements: 8 or 16
    bool high_bytes = false;  ///< halves are multiplied by the high bytes of B
    source_modifiers addend;
};
/// VABSDIFF, VABSDIFF4.
struct difference_arguments {
    unsigned width = 32;  ///< of the elements: 8 or 32
    bool is_signed = false;
    bool sums = false;  ///< .ACC: the differences of bytes are added to C
};
/// I2IP.
struct packing_arguments {
    unsigned width = 16;  ///< of the packed integers
    bool is_signed = false;
    bool saturates = false;
};
/// .RELU.
struct clamp_arguments {
    unsigned width = 32;  ///< 16 or 32
};

// ---- predicates ----

/// PLOP3: functions of up to three source predicates, of which the first one selects the upper half
/// of a table.
struct predicate_logic_arguments : datapath_arguments {
    static constexpr std::uint32_t never = 0, first = 0xf0, not_first = 0x0f,
                                   first_and_second = 0xc0, always = 0xff;
    source_predicate source[3];
    std::uint32_t table[2] = {0, 0};
    operand_ref result[2] = {0, 0};
};
/// P2R, R2P.
struct predicate_byte_arguments : datapath_arguments {
    unsigned first_bit = 0;  ///< of the register's byte that holds predicates
};
/// Combines a mask, the result of a comparison, with a predicate.
struct combination_arguments : datapath_arguments {
    source_predicate hit;
    combined_result outcome;
};
/// ELECT.
struct election_arguments {
    operand_ref elected = 0;  ///< predicate or mask of the lowest executing lane
};
/// VOTE, VOTEU.
struct vote_arguments {
    bool to_uniform = false;  ///< results are uniform
    enum class mode { all, any, equal } holds_for = mode::all;
    source_predicate source;
    operand_ref result = 0;
};
/// R2UR.
struct to_uniform_arguments {
    operand_ref differs = 0;  ///< lanes whose value is not the uniform one
    bool keeps_set = false;   ///< .OR: and lanes that have the predicate already
};

// ---- floating point ----

/// Modifiers of double-precision sources, which affect their high words.
struct double_arguments {
    source_modifiers high[3];
};
/// DSETP.MIN, DSETP.MAX.
struct double_extremum_arguments {
    bool minimum = false;
    operand_ref first_selected = 0, both_nan = 0;
};
/// FCHK.
struct reciprocal_check_arguments {
    source_modifiers source[2];
    operand_ref needs_slow_path = 0;
};
/// Selects halves of a packed operand.
struct half_source_arguments {
    /// crossed: .H0_NH1, for complex numbers: the halves are exchanged, and that which becomes the
    /// low half is negated.
    enum class half { both, low, high, crossed } selected = half::both;
    source_modifiers modifiers;
};
/// HADD2, HMUL2, HFMA2.
struct mixed_half_arguments {
    enum class form { sum, product, product_sum } computes = form::sum;
    bool bfloat = false;
    bool zero_dominates = false;  ///< .FMZ: a product with a zero factor is zero
    bool flushes = false;         ///< subnormal numbers are flushed to zero
    bool saturates = false;
    bool clamps_negative = false;  ///< .RELU
};
/// HSETP2, HSET2.
struct half_comparison_arguments {
    unsigned holds_if = 0;  ///< as for ISETP; 8: also if either number is NaN
    bool bfloat = false;
    bool flushes = false;          ///< subnormal numbers are treated as zeros
    bool both_halves = false;      ///< .H_AND: the result is whether both comparisons are true
    combined_result outcome;       ///< results: of the low halves, of the high halves
    std::uint32_t true_value = 0;  ///< HSET2: halves of the result if a comparison is true
};

// ---- addresses and memory ----

/// Generic addresses of Hopper: those in the shared window are mapped to address_windows::shared,
/// or to other CTAs of the cluster.
struct generic_address_arguments {
    std::uint32_t window_high = 0;   ///< upper word of the window's addresses
    std::uint32_t window_begin = 0;  ///< offset of the CTA's own shared memory in it
};
/// Shared addresses.
struct shared_address_arguments {
    unsigned scale = 0;               ///< shift of the register
    std::uint32_t offset = 0;         ///< added
    std::uint32_t offset_bits = ~0u;  ///< above them is the rank of a CTA of the cluster
};
/// Addresses of shared::cluster.
struct cluster_address_arguments {
    std::uint32_t offset = 0;  ///< added
};
/// Matrix descriptors.
struct matrix_descriptor_arguments {
    std::uint32_t window_begin = 0;  ///< of the own shared memory, in units of 16 bytes
};
/// LDC with an index.
struct indexed_constant_arguments : datapath_arguments {
    std::uint32_t offset = 0;      ///< added to the index
    std::uint32_t bank_bytes = 0;  ///< size of the bank
    unsigned width = 32;           ///< 8 to 64
    bool is_signed = false;
    std::uint64_t bank_address = 0;  ///< of the bank, for the timing model
};
/// Results of atomics.
struct atomic_result_arguments {
    unsigned width = 32;           ///< 32, 64, or 128: four contiguous rows
    bool reports_success = false;  ///< CAST.SPIN: the result is whether the value was exchanged
};
/// QSPC.
struct space_query_arguments {
    enum class kind { shared, local, global, cluster_shared } queried = kind::global;
    std::uint32_t offset = 0;  ///< of the address
    operand_ref result = 0;
};

// ---- quads: groups of four lanes whose first lane is a multiple of four ----

/// MOV in some lanes of each quad.
struct quad_move_arguments {
    lane_mask lanes = 0;  ///< of the first quad
};
/// FSWZADD.
struct quad_sum_arguments {
    source_modifiers source[2];
    /// By lane of a quad, starting with the upper bits: A + B (0), B - A (1), A - B (2), B (3).
    std::uint32_t operations = 0;
    bool flushes = false;  ///< subnormal numbers are flushed to zero
};

// ---- control flow ----

/// Instructions of control flow: executed by the lanes whose guard and condition are true.
struct control_arguments {
    source_predicate condition;
};
/// BSYNC.
struct barrier_wait_arguments : control_arguments {
    unsigned barrier = 0;
};
/// BMOV to a register.
struct barrier_read_arguments {
    bool clears = false;
};
/// BMOV to MACTIVE.
struct active_mask_arguments {
    bool whole_quads = false;  ///< .PQUAD: all lanes of quads that contain active lanes
};
/// WARPSYNC.
struct warp_sync_arguments : control_arguments {
    bool separates = false;    ///< lanes with different masks diverge
    bool one_section = false;  ///< lanes in different sections execute one of them
};
/// BRX, RET.REL, CALL.REL: a branch to a register.
struct register_branch_arguments : control_arguments {
    std::uint32_t offset = 0;        ///< added to the register, in bytes
    std::uint32_t instructions = 0;  ///< of the function
};
/// BRA.DIV, BRA.CONV.
struct divergent_branch_arguments : control_arguments {
    bool if_converged = false;  ///< BRA.CONV: taken if the lanes are equal to the expected ones
    source_modifiers expected;  ///< of the mask of expected lanes
};
/// CALL.ABS, RET.ABS.
struct call_arguments : control_arguments {
    std::uint32_t runtime_functions = 0;  ///< number of operations that follow
};

}  // namespace simtlm::execution
