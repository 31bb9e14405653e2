// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/arithmetic/surface.h"
#include "modules/execution/arithmetic/texture.h"
#include "modules/execution/common/operation.h"
#include "modules/execution/state/texture_table.h"
#include "modules/ptx/operation.h"

#include <vector>

namespace simtlm::execution {

/// Description of a texture or surface instruction; operation::immediate points to it.
struct texture_description {
    arithmetic::texture_geometry geometry = arithmetic::texture_geometry::two;
    bool gathers = false;    ///< tld4
    unsigned component = 0;  ///< of tld4
    bool integer_coordinates = false;
    bool has_level = false, has_gradient = false;
    /// The level of detail is derived from the coordinates of the quad: the differences of the
    /// second and the third lane to the first.
    bool has_quad_gradient = false;
    bool formatted = false;      ///< suld.p, sust.p
    unsigned element_bytes = 4;  ///< of surface accesses
    unsigned elements = 4;
    arithmetic::surface_clamp clamp = arithmetic::surface_clamp::trap;
    ptx::mode query = ptx::mode::none;
    ptx::reduction reduce = ptx::reduction::none;
    bool reduces_signed = false;
    operand_ref texture = no_operand, sampler = no_operand;  ///< handles, 64 bits
    operand_ref predicate = no_operand;                      ///< set if the fetch has succeeded
    std::vector<operand_ref> results;                        ///< registers to write, or to store
    /// What is written to registers: the value of a component, or it rounded to f16, or two of them
    /// rounded to f16, the first in the lower half.
    enum class form : std::uint8_t { word, half, pair_of_halves };
    form result_form = form::word;
    std::vector<unsigned> paired;          ///< components in the halves of the results
    std::vector<operand_ref> coordinates;  ///< the layer first, if there is one
    operand_ref level = no_operand;
    std::vector<operand_ref> dx, dy;
    /// Texel offsets: one register per dimension, or one register with a field per dimension; the
    /// first field begins at bit `offset_shift`, and fields are `offset_stride` bits apart. An
    /// offset is the signed value of the lowest `offset_bits` bits of its register or field.
    std::vector<operand_ref> offsets;
    operand_ref packed_offsets = no_operand;
    unsigned offset_shift = 0, offset_stride = 4, offset_bits = 4;
    bool has_offsets() const { return !offsets.empty() || packed_offsets != no_operand; }
};

/// The texture or surface bound to a lane's handle. @throws execution_error  if there is none
const texture_binding& binding_of(warp& w, const operation* op, operand_ref handle, unsigned lane);

/// suld, sust, sured
const operation* load_surface(warp& w, const operation* op);
const operation* store_surface(warp& w, const operation* op);
const operation* reduce_surface(warp& w, const operation* op);
/// txq, suq. Has one result; `level` is used for width, height and depth.
const operation* query_texture(warp& w, const operation* op);

}  // namespace simtlm::execution
