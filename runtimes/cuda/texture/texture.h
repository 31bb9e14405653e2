// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/cuda/abi/abi.h"

#include <cstdint>

namespace simtlm::cuda {

class session;

/// The descriptions that a texture or surface object was created from.
struct texture_object {
    resource_description resource;
    texture_description texture;
    resource_view view;
    bool has_view = false;
};

/// CUDA_TEXTURE_DESC
struct driver_texture {
    int address_mode[3];
    int filter;
    unsigned flags, anisotropy;
    int mip_filter;
    float mip_bias, mip_minimum, mip_maximum;
    float border[4];
    int reserved[12];
};

/// Converts the driver's description for a resource. @throws failure  so do the functions below
/// @param v  nullptr: the whole resource with its own format
texture_description plain(session& s, const driver_texture& d, const resource_description& r,
                          const resource_view* v);
/// @param t  nullptr: a surface
/// @param v  levels, layers and format of an array; nullptr: all, and its own format
/// @return the handle of the object
std::uint64_t make_texture(session& s, const resource_description& r, const texture_description* t,
                           const resource_view* v);
void remove_texture(session& s, std::uint64_t handle);
/// Binds a texture or surface reference of a module, by its handle, like an object.
void bind_reference(session& s, std::uint64_t handle, const resource_description& r,
                    const texture_description* t);

}  // namespace simtlm::cuda
