// SPDX-License-Identifier: Apache-2.0
#include "runtimes/opencl/image_pattern.h"

#include "modules/execution/arithmetic/convert.h"
#include "runtimes/opencl/image_format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace simtlm::opencl {

namespace {

template <class T>
void append(std::vector<std::byte>& to, T value) {
    const auto* const b = reinterpret_cast<const std::byte*>(&value);
    to.insert(to.end(), b, b + sizeof value);
}

/// Rounds to nearest and saturates.
template <class T>
T scaled(float v, float by) {
    const float x = std::nearbyint(v * by);
    const auto low = static_cast<float>(std::numeric_limits<T>::min());
    const auto high = static_cast<float>(std::numeric_limits<T>::max());
    return std::isnan(x) ? T{0} : static_cast<T>(std::clamp(x, low, high));
}

std::uint32_t level(float v, std::uint32_t top) {
    return std::min<std::uint32_t>(scaled<std::uint16_t>(v, static_cast<float>(top)), top);
}

template <class T>
T saturated(std::int64_t v) {
    return static_cast<T>(
        std::clamp<std::int64_t>(v, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

/// Channels of a colour in memory order.
template <class T>
std::array<T, 4> ordered(cl_channel_order o, const T* c) {
    switch (o) {
        case CL_A:
            return {c[3], 0, 0, 0};
        case CL_RA:
            return {c[0], c[3], 0, 0};
        case CL_BGRA:
        case CL_sBGRA:
            return {c[2], c[1], c[0], c[3]};
        case CL_ARGB:
            return {c[3], c[0], c[1], c[2]};
        case CL_ABGR:
            return {c[3], c[2], c[1], c[0]};
        case CL_DEPTH:
            return {c[0], 0, 0, 0};
        default:
            return {c[0], c[1], c[2], c[3]};
    }
}

std::uint16_t half_of(float v) {
    using namespace execution::arithmetic;
    std::uint32_t bits = 0;
    std::memcpy(&bits, &v, sizeof bits);
    return cvt<f16, f32>::apply(bits);
}

float srgb_of(float c) {
    if (std::isnan(c) || c < 0) return 0;
    if (c > 1) return 1;
    return c < 0.0031308f ? 12.92f * c : 1.055f * std::pow(c, 1 / 2.4f) - 0.055f;
}

}  // namespace

std::vector<std::byte> image_pattern(const cl_image_format& f, const void* color) {
    std::vector<std::byte> p;
    const unsigned n = channels_of(f.image_channel_order);
    std::array<float, 4> floats{};
    std::array<std::int32_t, 4> ints{};
    std::array<std::uint32_t, 4> uints{};
    const std::size_t given = f.image_channel_order == CL_DEPTH ? 4 : 16;
    std::memcpy(floats.data(), color, given);
    std::memcpy(ints.data(), color, given);
    std::memcpy(uints.data(), color, given);
    if (f.image_channel_order == CL_sRGBA || f.image_channel_order == CL_sBGRA)
        for (unsigned i = 0; i < 3; ++i) floats[i] = srgb_of(floats[i]);
    const auto fl = ordered(f.image_channel_order, floats.data());
    const auto in = ordered(f.image_channel_order, ints.data());
    const auto un = ordered(f.image_channel_order, uints.data());
    switch (f.image_channel_data_type) {
        case CL_UNORM_SHORT_565:
            append(p, static_cast<std::uint16_t>(level(fl[0], 31) << 11 | level(fl[1], 63) << 5 |
                                                 level(fl[2], 31)));
            return p;
        case CL_UNORM_SHORT_555:
            append(p, static_cast<std::uint16_t>(level(fl[0], 31) << 10 | level(fl[1], 31) << 5 |
                                                 level(fl[2], 31)));
            return p;
        case CL_UNORM_INT_101010:
            append(p, level(fl[0], 1023) << 20 | level(fl[1], 1023) << 10 | level(fl[2], 1023));
            return p;
        default:
            break;
    }
    for (unsigned i = 0; i < n; ++i) {
        switch (f.image_channel_data_type) {
            case CL_SNORM_INT8:
                append(p, scaled<std::int8_t>(fl[i], 127));
                break;
            case CL_SNORM_INT16:
                append(p, scaled<std::int16_t>(fl[i], 32767));
                break;
            case CL_UNORM_INT8:
                append(p, scaled<std::uint8_t>(fl[i], 255));
                break;
            case CL_UNORM_INT16:
                append(p, scaled<std::uint16_t>(fl[i], 65535));
                break;
            case CL_HALF_FLOAT:
                append(p, half_of(fl[i]));
                break;
            case CL_SIGNED_INT8:
                append(p, saturated<std::int8_t>(in[i]));
                break;
            case CL_SIGNED_INT16:
                append(p, saturated<std::int16_t>(in[i]));
                break;
            case CL_SIGNED_INT32:
                append(p, in[i]);
                break;
            case CL_UNSIGNED_INT8:
                append(p, saturated<std::uint8_t>(un[i]));
                break;
            case CL_UNSIGNED_INT16:
                append(p, saturated<std::uint16_t>(un[i]));
                break;
            case CL_UNSIGNED_INT32:
                append(p, un[i]);
                break;
            default:
                append(p, fl[i]);
                break;
        }
    }
    return p;
}

}  // namespace simtlm::opencl
