// SPDX-License-Identifier: Apache-2.0
// Tensor memory and the fifth-generation tensor core (sm_100a; PTX ISA, "TensorCore 5th Generation
// Instructions"). Addresses, descriptors and sizes are the same in all lanes: those of the first
// lane that executes are used, and one instruction of a warp acts once.
#pragma once

#include "modules/execution/arithmetic/tensor_core_product.h"
#include "modules/execution/operations/bulk_copy.h"

#include <vector>

namespace simtlm::execution {

/// The lanes and columns that tcgen05.ld and tcgen05.st access: 16 or 32 lanes, and 32, 64, 128 or
/// 256 bits of each at a time.
enum class tensor_lanes : std::uint8_t { s32x32b, s16x64b, s16x128b, s16x256b, s16x32bx2 };

/// Minimum or maximum of two words.
using tensor_reducer = std::uint32_t (*)(std::uint32_t, std::uint32_t);
/// The reduction of tcgen05.ld.red, by the operation's reduction, type and flags.
tensor_reducer tensor_reducer_of(const ptx::operation& o);

/// tcgen05.ld or tcgen05.st; operation::list has the registers, and that of the reduction if there
/// is one: of the words that a lane loads.
struct tensor_access {
    lane_place at;
    tensor_lanes lanes = tensor_lanes::s32x32b;
    unsigned registers = 1;
    unsigned split = 0;   ///< s16x32bx2: columns between the two halves
    bool halves = false;  ///< a register has the low halves of two columns
    /// Of the warp; machine code accesses the halves of s16x32bx2 one after the other.
    unsigned first_lane = 0, last_lane = warp_size - 1;
    tensor_reducer reduce = nullptr;
};

/// tcgen05.cp
struct tensor_copy {
    lane_place to;
    operand_ref descriptor = no_operand;  ///< of the source in shared memory
    unsigned rows = 128, bytes = 32;      ///< bytes of a row
    bool pair = false;                    ///< both CTAs copy
    bool alternate = false;  ///< rows that fit in 64 lanes: .warpx2::01_23 instead of 02_13
    /// Bits of the numbers, 4 or 6, of which 16 are at the beginning of 16 bytes in shared memory,
    /// and which are unpacked to bytes (.b4x16_p64, .b6x16_p32); 0: data are not changed.
    unsigned unpacked_bits = 0;
};

/// tcgen05.shift
struct tensor_shift {
    lane_place at;
    bool pair = false;  ///< rows of both CTAs
};

/// tcgen05.mma
struct tensor_multiply {
    arithmetic::tensor_core_instruction text;
    /// Machine code: whether it is sparse, and of kind f16 or tf32, is in the instruction
    /// descriptor.
    bool descriptor_completes = false;
    lane_place d, a, metadata, a_scales, b_scales;  ///< in tensor memory
    operand_ref a_descriptor = no_operand;          ///< if A is in shared memory
    operand_ref b_descriptor = no_operand;
    operand_ref instruction_descriptor = no_operand;
    operand_ref adds = no_operand;      ///< the mask of enable-input-d
    std::vector<operand_ref> disabled;  ///< disable-output-lane
    unsigned scale = 0;                 ///< scale-input-d
    operand_ref zero_columns = no_operand;
    /// .ashift: after the product, the rows of A in tensor memory are shifted as by tcgen05.shift.
    bool shifts_a = false;
};

/// tcgen05.alloc: operation::source[1]: columns; the address is stored to shared memory
/// (source[0]). Waits until there are enough columns. detail of the operations as for loads.
const operation* allocate_tensor_memory(warp& w, const operation* op);
/// tcgen05.dealloc: source[0]: address, source[1]: columns.
const operation* free_tensor_memory(warp& w, const operation* op);
const operation* relinquish_tensor_memory(warp& w, const operation* op);
/// UTCATOMSWS.FIND_AND_SET, to which tcgen05.alloc is compiled: source[0]: units of 32 columns;
/// destination: the first unit, destination2: mask, whether there are enough; immediate: whether
/// the other CTA of the pair allocates them, too.
const operation* find_tensor_units(warp& w, const operation* op);
/// UTCATOMSWS.AND: frees the units whose bit in source[0] is 0.
const operation* release_tensor_units(warp& w, const operation* op);
/// Initialises what CTAs of a pair use in reserved shared memory (compiled code of tcgen05.alloc).
/// The even CTA allocates and sends the address to the odd one, which signals that it has received
/// it: each through an mbarrier of the receiver, whose next phase is in a word. There is nothing to
/// wait for before the first allocation.
/// @param record  of the CTA's allocations
void initialise_pair_allocation(std::byte* record, unsigned rank);
/// immediate: a tensor_access
const operation* load_tensor_memory(warp& w, const operation* op);
const operation* store_tensor_memory(warp& w, const operation* op);
/// immediate: a tensor_copy
const operation* copy_to_tensor_memory(warp& w, const operation* op);
/// immediate: a tensor_shift
const operation* shift_tensor_rows(warp& w, const operation* op);
/// immediate: a tensor_multiply. Complete when the next instruction executes; with timing,
/// warp::tensor_work reports it.
/// @throws execution_error  for descriptors that are not valid, columns that are not allocated,
///         matrices outside of shared memory
const operation* multiply_tensors(warp& w, const operation* op);

}  // namespace simtlm::execution
