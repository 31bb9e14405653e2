// SPDX-License-Identifier: Apache-2.0
// Bulk copies between global and shared memory, of bytes and of boxes of tensors, and st.async
// (sm_90; PTX manual, "Data Movement and Conversion Instructions: Asynchronous copy").
#pragma once

#include "modules/execution/operations/atomic.h"
#include "modules/execution/state/memory_access.h"
#include "modules/execution/state/tensor_map.h"

#include <vector>

namespace simtlm::execution {

/// An address operand of every lane.
struct lane_place {
    operand_ref source = no_operand;
    std::int64_t immediate = 0;
    std::uint16_t detail = 0;  ///< access_detail

    device_address of(const warp& w, unsigned lane) const;
    space where() const { return static_cast<space>(detail >> access_detail::space_shift & 7); }
};

/// Description of an instruction; operation::immediate points to it.
struct bulk_copy {
    lane_place to, from;  ///< for boxes: the operand that is not a tensor
    lane_place barrier;   ///< mbarrier that is signalled with the number of bytes
    bool has_barrier = false;
    bool is_generic = false;  ///< tensormap.cp_fenceproxy: generic proxy
    lane_place map;           ///< tensor_map, generic
    /// Required mode of the map.
    tensor_map::access_mode mode = tensor_map::access_mode::tiled;
    std::vector<operand_ref> coordinates;  ///< of the box, innermost first; empty: not a tensor
    /// im2col: 16 bits for each dimension except the outer two; im2col::w and im2col::w::128: the
    /// number of halo pixels and the offset in dimension 1.
    std::vector<operand_ref> offsets;
    operand_ref packed_offsets = no_operand;  ///< the same in the low half of a word
    operand_ref bytes = no_operand;           ///< to copy; st.bulk: or units of element_bytes
    operand_ref ranks = no_operand;           ///< .multicast::cluster: a mask of CTAs
    bool to_all = false;                      ///< .multicast::cluster::all
    bool of_pair = false;  ///< .cta_group::2: of a multicast, CTAs of a pair signal the mbarrier of
                           ///< the one whose rank has the lowest bit of the given mbarrier's
    bool gathers = false;  ///< the second coordinate and those after it are four rows
    operand_ref byte_mask = no_operand;  ///< .cp_mask: bytes of every 16 to copy
    element_update update = nullptr;     ///< of reductions
    unsigned element_bytes = 0;          ///< of reductions, st.async, red.async, and st.bulk
    ptx::reduction reduce = ptx::reduction::none;  ///< of a tensor; the map has the type
    std::vector<operand_ref> values;               ///< st.async, red.async: elements to store
};

/// Each executing lane performs a copy. Without timing the copy is complete when the next
/// instruction executes; with timing, warp::transfers reports it to the SM.
/// @throws execution_error  for addresses or sizes that are not multiples of 16, or an invalid
///         mbarrier or tensor map
const operation* copy_bulk(warp& w, const operation* op);
const operation* copy_box_to_shared(warp& w, const operation* op);
const operation* copy_box_to_global(warp& w, const operation* op);
const operation* store_asynchronously(warp& w, const operation* op);
/// clusterlaunchcontrol.try_cancel: writes a launch_response.
const operation* cancel_launch(warp& w, const operation* op);
/// st.bulk: zeros; bytes: 64 bits.
const operation* clear_bulk(warp& w, const operation* op);
/// tcgen05.commit: an arrival at the mbarriers; with timing, when the tensor core has completed
/// what the CTA has given it before.
const operation* commit_tensor_work(warp& w, const operation* op);
/// cp.async.bulk.prefetch and related instructions: reported to the SM's engine, without functional
/// effect.
const operation* prefetch_bulk(warp& w, const operation* op);
const operation* prefetch_box(warp& w, const operation* op);
/// prefetch.tensormap: the map only.
const operation* prefetch_map(warp& w, const operation* op);

}  // namespace simtlm::execution
