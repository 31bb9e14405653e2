// SPDX-License-Identifier: Apache-2.0
// Bulk copies between global and shared memory, of bytes and of boxes of tensors, and st.async
// (sm_90; PTX manual, "Data Movement and Conversion Instructions: Asynchronous copy").
#pragma once

#include "modules/execution/memory_access.h"
#include "modules/execution/operations/atomic.h"

#include <vector>

namespace simtlm::execution {

/// Where an operand points to, lane by lane.
struct lane_place {
    slot source = no_slot;
    std::int64_t immediate = 0;
    std::uint16_t detail = 0;  ///< access_detail

    device_address of(const warp& w, unsigned lane) const;
    space where() const { return static_cast<space>(detail >> access_detail::space_shift & 7); }
};

/// What an instruction says of the mode of its tensor map.
enum class tensor_mode : std::uint8_t { any, tiled, im2col };

/// What an instruction says; operation::immediate points to it.
struct bulk_copy {
    lane_place to, from;  ///< of boxes: the one that is not a tensor
    lane_place barrier;   ///< mbarrier that is told of the bytes
    bool has_barrier = false;
    bool is_generic = false;  ///< tensormap.cp_fenceproxy: not of the asynchronous proxy
    lane_place map;           ///< tensor_map, generic
    tensor_mode mode = tensor_mode::any;  ///< that the map has to have
    std::vector<slot> coordinates;        ///< of the box, innermost first; empty: no tensor
    std::vector<slot> offsets;            ///< im2col: 16 bits for each dimension but the outer two
    slot packed_offsets = no_slot;        ///< the same in the low half of a word
    slot bytes = no_slot;                 ///< to copy
    slot ranks = no_slot;                 ///< .multicast::cluster: a mask of CTAs
    element_update update = nullptr;      ///< of reductions
    unsigned element_bytes = 0;           ///< of reductions and of st.async
    ptx::reduction reduce = ptx::reduction::none;  ///< of a tensor, whose map tells the type
    std::vector<slot> values;                      ///< st.async: elements to store
};

/// Every lane that executes it copies. Without time the copy is complete when the next instruction
/// executes; in timing mode warp::transfers tells the SM what is copied.
/// @throws execution_error  addresses or sizes that are not multiples of 16, an mbarrier or tensor
/// map that is none
const operation* copy_bulk(warp& w, const operation* op);
const operation* copy_box_to_shared(warp& w, const operation* op);
const operation* copy_box_to_global(warp& w, const operation* op);
const operation* store_asynchronously(warp& w, const operation* op);
/// cp.async.bulk.prefetch and its kin: the engine of the SM is told, nothing moves.
const operation* prefetch_bulk(warp& w, const operation* op);
const operation* prefetch_box(warp& w, const operation* op);

}  // namespace simtlm::execution
