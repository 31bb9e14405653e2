// SPDX-License-Identifier: Apache-2.0
#include "runtimes/opencl/image_format.h"

#include <algorithm>

namespace simtlm::opencl {

namespace {

std::size_t channel_bytes(cl_channel_type t) {
    switch (t) {
        case CL_SNORM_INT8:
        case CL_UNORM_INT8:
        case CL_SIGNED_INT8:
        case CL_UNSIGNED_INT8:
            return 1;
        case CL_SNORM_INT16:
        case CL_UNORM_INT16:
        case CL_SIGNED_INT16:
        case CL_UNSIGNED_INT16:
        case CL_HALF_FLOAT:
            return 2;
        case CL_SIGNED_INT32:
        case CL_UNSIGNED_INT32:
        case CL_FLOAT:
            return 4;
        default:
            return 0;
    }
}

std::vector<cl_image_format> make_formats() {
    constexpr cl_channel_type numbers[] = {CL_SNORM_INT8,     CL_SNORM_INT16,   CL_UNORM_INT8,
                                           CL_UNORM_INT16,    CL_SIGNED_INT8,   CL_SIGNED_INT16,
                                           CL_SIGNED_INT32,   CL_UNSIGNED_INT8, CL_UNSIGNED_INT16,
                                           CL_UNSIGNED_INT32, CL_HALF_FLOAT,    CL_FLOAT};
    std::vector<cl_image_format> all;
    for (const cl_channel_order o : {CL_RGBA, CL_R, CL_RG, CL_A, CL_RA})
        for (const cl_channel_type t : numbers) all.push_back({o, t});
    for (const cl_channel_order o : {CL_INTENSITY, CL_LUMINANCE})
        for (const cl_channel_type t : {CL_UNORM_INT8, CL_UNORM_INT16, CL_SNORM_INT8,
                                        CL_SNORM_INT16, CL_HALF_FLOAT, CL_FLOAT})
            all.push_back({o, static_cast<cl_channel_type>(t)});
    for (const cl_channel_order o : {CL_BGRA, CL_ARGB})
        for (const cl_channel_type t :
             {CL_UNORM_INT8, CL_SNORM_INT8, CL_SIGNED_INT8, CL_UNSIGNED_INT8})
            all.push_back({o, static_cast<cl_channel_type>(t)});
    for (const cl_channel_type t : {CL_UNORM_SHORT_565, CL_UNORM_SHORT_555, CL_UNORM_INT_101010})
        all.push_back({CL_RGB, static_cast<cl_channel_type>(t)});
    all.push_back({CL_DEPTH, CL_UNORM_INT16});
    all.push_back({CL_DEPTH, CL_FLOAT});
    all.push_back({CL_sRGBA, CL_UNORM_INT8});
    return all;
}

}  // namespace

unsigned channels_of(cl_channel_order order) {
    switch (order) {
        case CL_RG:
        case CL_RA:
        case CL_RGx:
            return 2;
        case CL_RGB:
        case CL_RGBx:
        case CL_sRGB:
            return 3;
        case CL_RGBA:
        case CL_BGRA:
        case CL_ARGB:
        case CL_ABGR:
        case CL_sRGBA:
        case CL_sBGRA:
        case CL_sRGBx:
            return 4;
        default:
            return 1;
    }
}

std::size_t element_bytes(const cl_image_format& f) {
    switch (f.image_channel_data_type) {
        case CL_UNORM_SHORT_565:
        case CL_UNORM_SHORT_555:
            return 2;
        case CL_UNORM_INT_101010:
            return 4;
        default:
            return channels_of(f.image_channel_order) * channel_bytes(f.image_channel_data_type);
    }
}

std::vector<cl_image_format> supported_formats(cl_mem_object_type type, cl_mem_flags flags) {
    static const std::vector<cl_image_format> all = make_formats();
    std::vector<cl_image_format> good;
    for (const cl_image_format& f : all) {
        const bool flat = type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
        if (f.image_channel_order == CL_DEPTH && !flat) continue;
        // sRGB images can be read but not written.
        const bool writes = (flags & (CL_MEM_WRITE_ONLY | CL_MEM_KERNEL_READ_AND_WRITE)) != 0 ||
                            ((flags & CL_MEM_READ_WRITE) != 0);
        if (f.image_channel_order == CL_sRGBA && (writes || type == CL_MEM_OBJECT_IMAGE1D_BUFFER))
            continue;
        good.push_back(f);
    }
    return good;
}

bool is_supported(const cl_image_format& f, cl_mem_object_type type, cl_mem_flags flags) {
    const std::vector<cl_image_format> good = supported_formats(type, flags);
    return std::any_of(good.begin(), good.end(), [&](const cl_image_format& g) {
        return g.image_channel_order == f.image_channel_order &&
               g.image_channel_data_type == f.image_channel_data_type;
    });
}

}  // namespace simtlm::opencl
