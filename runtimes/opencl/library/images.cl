// SPDX-License-Identifier: Apache-2.0
// Images and samplers: addressing, filtering, conversion as defined by the standard (OpenCL C 3.0,
// 6.15.15 and 8). An image is a descriptor in global memory; a sampler is given by its flags.

/// Descriptor written by the runtime for every image; image_descriptor.h has the same structure.
typedef struct {
    ulong base;
    ulong row_pitch, slice_pitch;  // bytes; the slice pitch also applies to layers
    uint width, height, depth;     // 1 for a dimension that does not exist
    uint layers;                   // 0: not an array
    uint order, type;              // cl_channel_order, cl_channel_type
    uint element_bytes;
    uint dimensions;
} simtlm_image;

#define ORDER_R 0x10B0
#define ORDER_A 0x10B1
#define ORDER_RG 0x10B2
#define ORDER_RA 0x10B3
#define ORDER_RGB 0x10B4
#define ORDER_RGBA 0x10B5
#define ORDER_BGRA 0x10B6
#define ORDER_ARGB 0x10B7
#define ORDER_INTENSITY 0x10B8
#define ORDER_LUMINANCE 0x10B9
#define ORDER_RX 0x10BA
#define ORDER_RGX 0x10BB
#define ORDER_RGBX 0x10BC
#define ORDER_DEPTH 0x10BD
#define ORDER_SRGB 0x10BF
#define ORDER_SRGBX 0x10C0
#define ORDER_SRGBA 0x10C1
#define ORDER_SBGRA 0x10C2
#define ORDER_ABGR 0x10C3

#define TYPE_SNORM_INT8 0x10D0
#define TYPE_SNORM_INT16 0x10D1
#define TYPE_UNORM_INT8 0x10D2
#define TYPE_UNORM_INT16 0x10D3
#define TYPE_UNORM_SHORT_565 0x10D4
#define TYPE_UNORM_SHORT_555 0x10D5
#define TYPE_UNORM_INT_101010 0x10D6
#define TYPE_SIGNED_INT8 0x10D7
#define TYPE_SIGNED_INT16 0x10D8
#define TYPE_SIGNED_INT32 0x10D9
#define TYPE_UNSIGNED_INT8 0x10DA
#define TYPE_UNSIGNED_INT16 0x10DB
#define TYPE_UNSIGNED_INT32 0x10DC
#define TYPE_HALF_FLOAT 0x10DD
#define TYPE_FLOAT 0x10DE
#define TYPE_UNORM_INT24 0x10DF

__constant void* __translate_sampler_initializer(int flags) {
    return (__constant void*)(ulong)(uint)flags;
}

// ---- single elements ----

static uint channels_of(uint order) {
    switch (order) {
        case ORDER_RG:
        case ORDER_RA:
        case ORDER_RGX:
            return 2;
        case ORDER_RGB:
        case ORDER_RGBX:
        case ORDER_SRGB:
            return 3;
        case ORDER_RGBA:
        case ORDER_BGRA:
        case ORDER_ARGB:
        case ORDER_ABGR:
        case ORDER_SRGBX:
        case ORDER_SRGBA:
        case ORDER_SBGRA:
            return 4;
        default:
            return 1;
    }
}

/// Channels in memory order to red, green, blue, alpha. `one` replaces a missing alpha.
#define FROM_MEMORY(name, type4, one)                                                              \
    static type4 name(uint order, type4 c) {                                                       \
        switch (order) {                                                                           \
            case ORDER_A:                                                                          \
                return (type4)(0, 0, 0, c.x);                                                      \
            case ORDER_RG:                                                                         \
            case ORDER_RGX:                                                                        \
                return (type4)(c.x, c.y, 0, one);                                                  \
            case ORDER_RA:                                                                         \
                return (type4)(c.x, 0, 0, c.y);                                                    \
            case ORDER_RGB:                                                                        \
            case ORDER_RGBX:                                                                       \
            case ORDER_SRGB:                                                                       \
            case ORDER_SRGBX:                                                                      \
                return (type4)(c.x, c.y, c.z, one);                                                \
            case ORDER_RGBA:                                                                       \
            case ORDER_SRGBA:                                                                      \
                return c;                                                                          \
            case ORDER_BGRA:                                                                       \
            case ORDER_SBGRA:                                                                      \
                return c.zyxw;                                                                     \
            case ORDER_ARGB:                                                                       \
                return c.yzwx;                                                                     \
            case ORDER_ABGR:                                                                       \
                return c.wzyx;                                                                     \
            case ORDER_INTENSITY:                                                                  \
                return c.xxxx;                                                                     \
            case ORDER_LUMINANCE:                                                                  \
                return (type4)(c.x, c.x, c.x, one);                                                \
            default:                                                                               \
                return (type4)(c.x, 0, 0, one);                                                    \
        }                                                                                          \
    }
FROM_MEMORY(ordered_float, float4, 1.0f)
FROM_MEMORY(ordered_int, int4, 1)
FROM_MEMORY(ordered_uint, uint4, 1u)

#define TO_MEMORY(name, type4)                                                                     \
    static type4 name(uint order, type4 c) {                                                       \
        switch (order) {                                                                           \
            case ORDER_A:                                                                          \
                return c.wwww;                                                                     \
            case ORDER_RA:                                                                         \
                return c.xwww;                                                                     \
            case ORDER_BGRA:                                                                       \
            case ORDER_SBGRA:                                                                      \
                return c.zyxw;                                                                     \
            case ORDER_ARGB:                                                                       \
                return c.wxyz;                                                                     \
            case ORDER_ABGR:                                                                       \
                return c.wzyx;                                                                     \
            default:                                                                               \
                return c;                                                                          \
        }                                                                                          \
    }
TO_MEMORY(memory_float, float4)
TO_MEMORY(memory_int, int4)
TO_MEMORY(memory_uint, uint4)

static bool is_srgb(uint order) {
    return order >= ORDER_SRGB && order <= ORDER_SBGRA;
}

static float linear_of(float c) {
    return c <= 0.04045f ? c / 12.92f : pow((c + 0.055f) / 1.055f, 2.4f);
}
static float srgb_of(float c) {
    if (isnan(c) || c < 0.0f) return 0.0f;
    if (c > 1.0f) return 1.0f;
    return c < 0.0031308f ? 12.92f * c : 1.055f * pow(c, 1.0f / 2.4f) - 0.055f;
}

static float4 border_of(uint order) {
    switch (order) {
        case ORDER_R:
        case ORDER_RG:
        case ORDER_RGB:
        case ORDER_LUMINANCE:
        case ORDER_DEPTH:
        case ORDER_SRGB:
            return (float4)(0, 0, 0, 1);
        default:
            return (float4)(0);
    }
}

static float float_channel(const __global uchar* at, uint type, uint i) {
    switch (type) {
        case TYPE_SNORM_INT8:
            return fmax(((const __global char*)at)[i] / 127.0f, -1.0f);
        case TYPE_SNORM_INT16:
            return fmax(((const __global short*)at)[i] / 32767.0f, -1.0f);
        case TYPE_UNORM_INT8:
            return at[i] / 255.0f;
        case TYPE_UNORM_INT16:
            return ((const __global ushort*)at)[i] / 65535.0f;
        case TYPE_UNORM_INT24:
            return (*(const __global uint*)at >> 8) / 16777215.0f;
        case TYPE_HALF_FLOAT:
            return vload_half(i, (const __global half*)at);
        default:
            return ((const __global float*)at)[i];
    }
}

static float4 load_float(const __global simtlm_image* d, ulong at) {
    const __global uchar* p = (const __global uchar*)at;
    const uint type = d->type, order = d->order;
    float4 c = (float4)(0);
    if (type == TYPE_UNORM_SHORT_565) {
        const uint v = *(const __global ushort*)p;
        c = (float4)((v >> 11) / 31.0f, ((v >> 5) & 63) / 63.0f, (v & 31) / 31.0f, 0);
    } else if (type == TYPE_UNORM_SHORT_555) {
        const uint v = *(const __global ushort*)p;
        c = (float4)(((v >> 10) & 31) / 31.0f, ((v >> 5) & 31) / 31.0f, (v & 31) / 31.0f, 0);
    } else if (type == TYPE_UNORM_INT_101010) {
        const uint v = *(const __global uint*)p;
        c = (float4)(((v >> 20) & 1023) / 1023.0f, ((v >> 10) & 1023) / 1023.0f,
                     (v & 1023) / 1023.0f, 0);
    } else {
        const uint n = channels_of(order);
        c.x = float_channel(p, type, 0);
        if (n > 1) c.y = float_channel(p, type, 1);
        if (n > 2) c.z = float_channel(p, type, 2);
        if (n > 3) c.w = float_channel(p, type, 3);
    }
    c = ordered_float(order, c);
    if (is_srgb(order)) c.xyz = (float3)(linear_of(c.x), linear_of(c.y), linear_of(c.z));
    return c;
}

static int int_channel(const __global uchar* p, uint type, uint i) {
    switch (type) {
        case TYPE_SIGNED_INT8:
            return ((const __global char*)p)[i];
        case TYPE_SIGNED_INT16:
            return ((const __global short*)p)[i];
        default:
            return ((const __global int*)p)[i];
    }
}

static uint uint_channel(const __global uchar* p, uint type, uint i) {
    switch (type) {
        case TYPE_UNSIGNED_INT8:
            return p[i];
        case TYPE_UNSIGNED_INT16:
            return ((const __global ushort*)p)[i];
        default:
            return ((const __global uint*)p)[i];
    }
}

static int4 load_int(const __global simtlm_image* d, ulong at) {
    const __global uchar* p = (const __global uchar*)at;
    const uint n = channels_of(d->order);
    int4 c = (int4)(0);
    c.x = int_channel(p, d->type, 0);
    if (n > 1) c.y = int_channel(p, d->type, 1);
    if (n > 2) c.z = int_channel(p, d->type, 2);
    if (n > 3) c.w = int_channel(p, d->type, 3);
    return ordered_int(d->order, c);
}

static uint4 load_uint(const __global simtlm_image* d, ulong at) {
    const __global uchar* p = (const __global uchar*)at;
    const uint n = channels_of(d->order);
    uint4 c = (uint4)(0);
    c.x = uint_channel(p, d->type, 0);
    if (n > 1) c.y = uint_channel(p, d->type, 1);
    if (n > 2) c.z = uint_channel(p, d->type, 2);
    if (n > 3) c.w = uint_channel(p, d->type, 3);
    return ordered_uint(d->order, c);
}

static void store_float_channel(__global uchar* p, uint type, uint i, float v) {
    switch (type) {
        case TYPE_SNORM_INT8:
            ((__global char*)p)[i] = convert_char_sat_rte(v * 127.0f);
            break;
        case TYPE_SNORM_INT16:
            ((__global short*)p)[i] = convert_short_sat_rte(v * 32767.0f);
            break;
        case TYPE_UNORM_INT8:
            p[i] = convert_uchar_sat_rte(v * 255.0f);
            break;
        case TYPE_UNORM_INT16:
            ((__global ushort*)p)[i] = convert_ushort_sat_rte(v * 65535.0f);
            break;
        case TYPE_UNORM_INT24:
            *(__global uint*)p = min(convert_uint_sat_rte(v * 16777215.0f), 0xffffffu) << 8;
            break;
        case TYPE_HALF_FLOAT:
            vstore_half_rte(v, i, (__global half*)p);
            break;
        default:
            ((__global float*)p)[i] = v;
            break;
    }
}

static uint level(float v, uint top) {
    return min(convert_uint_sat_rte(v * (float)top), top);
}

static void store_float(const __global simtlm_image* d, ulong at, float4 v) {
    __global uchar* p = (__global uchar*)at;
    const uint type = d->type, order = d->order;
    if (is_srgb(order)) v.xyz = (float3)(srgb_of(v.x), srgb_of(v.y), srgb_of(v.z));
    if (type == TYPE_UNORM_SHORT_565) {
        *(__global ushort*)p = level(v.x, 31) << 11 | level(v.y, 63) << 5 | level(v.z, 31);
    } else if (type == TYPE_UNORM_SHORT_555) {
        *(__global ushort*)p = level(v.x, 31) << 10 | level(v.y, 31) << 5 | level(v.z, 31);
    } else if (type == TYPE_UNORM_INT_101010) {
        *(__global uint*)p = level(v.x, 1023) << 20 | level(v.y, 1023) << 10 | level(v.z, 1023);
    } else {
        const float4 c = memory_float(order, v);
        const uint n = channels_of(order);
        store_float_channel(p, type, 0, c.x);
        if (n > 1) store_float_channel(p, type, 1, c.y);
        if (n > 2) store_float_channel(p, type, 2, c.z);
        if (n > 3) store_float_channel(p, type, 3, c.w);
    }
}

static void store_int_channel(__global uchar* p, uint type, uint i, int v) {
    switch (type) {
        case TYPE_SIGNED_INT8:
            ((__global char*)p)[i] = convert_char_sat(v);
            break;
        case TYPE_SIGNED_INT16:
            ((__global short*)p)[i] = convert_short_sat(v);
            break;
        default:
            ((__global int*)p)[i] = v;
            break;
    }
}

static void store_uint_channel(__global uchar* p, uint type, uint i, uint v) {
    switch (type) {
        case TYPE_UNSIGNED_INT8:
            p[i] = convert_uchar_sat(v);
            break;
        case TYPE_UNSIGNED_INT16:
            ((__global ushort*)p)[i] = convert_ushort_sat(v);
            break;
        default:
            ((__global uint*)p)[i] = v;
            break;
    }
}

static void store_int(const __global simtlm_image* d, ulong at, int4 v) {
    __global uchar* p = (__global uchar*)at;
    const int4 c = memory_int(d->order, v);
    const uint n = channels_of(d->order);
    store_int_channel(p, d->type, 0, c.x);
    if (n > 1) store_int_channel(p, d->type, 1, c.y);
    if (n > 2) store_int_channel(p, d->type, 2, c.z);
    if (n > 3) store_int_channel(p, d->type, 3, c.w);
}

static void store_uint(const __global simtlm_image* d, ulong at, uint4 v) {
    __global uchar* p = (__global uchar*)at;
    const uint4 c = memory_uint(d->order, v);
    const uint n = channels_of(d->order);
    store_uint_channel(p, d->type, 0, c.x);
    if (n > 1) store_uint_channel(p, d->type, 1, c.y);
    if (n > 2) store_uint_channel(p, d->type, 2, c.z);
    if (n > 3) store_uint_channel(p, d->type, 3, c.w);
}

// ---- addressing ----

#define FLAG_NORMALISED 1
#define FLAG_ADDRESS 0xe
#define ADDRESS_CLAMP_TO_EDGE 2
#define ADDRESS_CLAMP 4
#define ADDRESS_REPEAT 6
#define ADDRESS_MIRRORED_REPEAT 8
#define FLAG_LINEAR 0x20

/// Element by integer coordinates including the layer; ~0: the border.
static ulong element(const __global simtlm_image* d, int x, int y, int z) {
    const uint rows = d->height, slices = d->layers != 0 ? d->layers : d->depth;
    if ((uint)x >= d->width || (uint)y >= rows || (uint)z >= slices) return ~0ul;
    return d->base + (ulong)(uint)z * d->slice_pitch + (ulong)(uint)y * d->row_pitch +
           (ulong)(uint)x * d->element_bytes;
}

static int nearest(float s, int size, uint flags) {
    const uint mode = flags & FLAG_ADDRESS;
    if (mode == ADDRESS_REPEAT) {
        const int i = convert_int_sat(floor((s - floor(s)) * size));
        return i > size - 1 ? i - size : i;
    }
    if (mode == ADDRESS_MIRRORED_REPEAT) {
        const float t = fabs(s - 2.0f * rint(0.5f * s));
        return min(convert_int_sat(floor(t * size)), size - 1);
    }
    const float u = flags & FLAG_NORMALISED ? s * size : s;
    const int i = convert_int_sat(floor(u));
    return mode == ADDRESS_CLAMP ? clamp(i, -1, size) : clamp(i, 0, size - 1);
}

static int nearest_int(int i, int size, uint flags) {
    return (flags & FLAG_ADDRESS) == ADDRESS_CLAMP ? clamp(i, -1, size) : clamp(i, 0, size - 1);
}

typedef struct {
    int first, second;
    float weight;  // of the second element
} neighbours;

static neighbours linear(float s, int size, uint flags) {
    const uint mode = flags & FLAG_ADDRESS;
    neighbours n;
    float u;
    if (mode == ADDRESS_REPEAT) {
        u = (s - floor(s)) * size;
        n.first = convert_int_sat(floor(u - 0.5f));
        n.second = n.first + 1;
        if (n.first < 0) n.first += size;
        if (n.second > size - 1) n.second -= size;
    } else if (mode == ADDRESS_MIRRORED_REPEAT) {
        u = fabs(s - 2.0f * rint(0.5f * s)) * size;
        n.first = convert_int_sat(floor(u - 0.5f));
        n.second = min(n.first + 1, size - 1);
        n.first = max(n.first, 0);
    } else {
        u = flags & FLAG_NORMALISED ? s * size : s;
        const float low = clamp(floor(u - 0.5f), -2.0f, 1.0f + size);
        n.first = (int)low;
        n.second = n.first + 1;
        if (mode == ADDRESS_CLAMP) {
            n.first = clamp(n.first, -1, size);
            n.second = clamp(n.second, -1, size);
        } else {
            n.first = clamp(n.first, 0, size - 1);
            n.second = clamp(n.second, 0, size - 1);
        }
    }
    n.weight = (u - 0.5f) - floor(u - 0.5f);
    return n;
}

static float4 texel(const __global simtlm_image* d, int x, int y, int z) {
    const ulong at = element(d, x, y, z);
    return at == ~0ul ? border_of(d->order) : load_float(d, at);
}

static int layer_of(const __global simtlm_image* d, float l) {
    return clamp(convert_int_sat(rint(l)), 0, (int)d->layers - 1);
}

/// Element selected by nearest filtering. The layer has been selected.
static ulong find(const __global simtlm_image* d, uint flags, float x, float y, float z,
                  int layer) {
    const uint n = d->dimensions;
    const int i = nearest(x, d->width, flags);
    const int j = n > 1 ? nearest(y, d->height, flags) : 0;
    const int k = n > 2 ? nearest(z, d->depth, flags) : layer;
    return element(d, i, j, k);
}

static ulong find_int(const __global simtlm_image* d, uint flags, int x, int y, int z, int layer) {
    const uint n = d->dimensions;
    const int i = nearest_int(x, d->width, flags);
    const int j = n > 1 ? nearest_int(y, d->height, flags) : 0;
    const int k = n > 2 ? nearest_int(z, d->depth, flags) : layer;
    return element(d, i, j, k);
}

static float4 at_or_border(const __global simtlm_image* d, ulong at) {
    return at == ~0ul ? border_of(d->order) : load_float(d, at);
}

static float4 sample(const __global simtlm_image* d, uint flags, float x, float y, float z,
                     int layer) {
    if ((flags & FLAG_LINEAR) == 0) return at_or_border(d, find(d, flags, x, y, z, layer));
    const uint n = d->dimensions;
    const neighbours i = linear(x, d->width, flags);
    const float a = i.weight;
    if (n == 1)
        return (1 - a) * texel(d, i.first, 0, layer) + a * texel(d, i.second, 0, layer);
    const neighbours j = linear(y, d->height, flags);
    const float b = j.weight;
    if (n == 2)
        return (1 - a) * (1 - b) * texel(d, i.first, j.first, layer) +
               a * (1 - b) * texel(d, i.second, j.first, layer) +
               (1 - a) * b * texel(d, i.first, j.second, layer) +
               a * b * texel(d, i.second, j.second, layer);
    const neighbours k = linear(z, d->depth, flags);
    const float c = k.weight;
    return (1 - a) * (1 - b) * (1 - c) * texel(d, i.first, j.first, k.first) +
           a * (1 - b) * (1 - c) * texel(d, i.second, j.first, k.first) +
           (1 - a) * b * (1 - c) * texel(d, i.first, j.second, k.first) +
           a * b * (1 - c) * texel(d, i.second, j.second, k.first) +
           (1 - a) * (1 - b) * c * texel(d, i.first, j.first, k.second) +
           a * (1 - b) * c * texel(d, i.second, j.first, k.second) +
           (1 - a) * b * c * texel(d, i.first, j.second, k.second) +
           a * b * c * texel(d, i.second, j.second, k.second);
}

static int4 int_border(const __global simtlm_image* d) {
    return convert_int4(border_of(d->order));
}
static uint4 uint_border(const __global simtlm_image* d) {
    return convert_uint4(border_of(d->order));
}
static int4 int_at(const __global simtlm_image* d, ulong at) {
    return at == ~0ul ? int_border(d) : load_int(d, at);
}
static uint4 uint_at(const __global simtlm_image* d, ulong at) {
    return at == ~0ul ? uint_border(d) : load_uint(d, at);
}

// ---- the functions of OpenCL C ----

#define DESCRIPTOR(image) ((const __global simtlm_image*)__builtin_astype(image, ulong))
#define FLAGS(sampler) ((uint)__builtin_astype(sampler, ulong))
#define READ __attribute__((overloadable, pure))

// Coordinates x, y, z and layer by kind of image: F for floats, I for integers.
#define COORD_1D(c) c, 0, 0
#define LAYER_1D(d, c) 0
#define COORD_1DA(c) (c).x, 0, 0
#define LAYER_1DA_float(d, c) layer_of(d, (c).y)
#define LAYER_1DA_int(d, c) clamp((c).y, 0, (int)(d)->layers - 1)
#define COORD_2D(c) (c).x, (c).y, 0
#define COORD_2DA(c) (c).x, (c).y, 0
#define LAYER_2DA_float(d, c) layer_of(d, (c).z)
#define LAYER_2DA_int(d, c) clamp((c).z, 0, (int)(d)->layers - 1)
#define COORD_3D(c) (c).x, (c).y, (c).z
#define NO_LAYER(d, c) 0

/// Reads with a sampler, for read-only images.
#define SAMPLED(kind, fcoord, icoord, COORD, FLAYER, ILAYER)                                       \
    READ float4 read_imagef(read_only kind image, sampler_t s, fcoord c) {                         \
        const __global simtlm_image* d = DESCRIPTOR(image);                                        \
        return sample(d, FLAGS(s), COORD(c), FLAYER(d, c));                                        \
    }                                                                                              \
    READ float4 read_imagef(read_only kind image, sampler_t s, icoord c) {                         \
        const __global simtlm_image* d = DESCRIPTOR(image);                                        \
        return at_or_border(d, find_int(d, FLAGS(s), COORD(c), ILAYER(d, c)));                     \
    }                                                                                              \
    READ int4 read_imagei(read_only kind image, sampler_t s, fcoord c) {                           \
        const __global simtlm_image* d = DESCRIPTOR(image);                                        \
        return int_at(d, find(d, FLAGS(s), COORD(c), FLAYER(d, c)));                               \
    }                                                                                              \
    READ int4 read_imagei(read_only kind image, sampler_t s, icoord c) {                           \
        const __global simtlm_image* d = DESCRIPTOR(image);                                        \
        return int_at(d, find_int(d, FLAGS(s), COORD(c), ILAYER(d, c)));                           \
    }                                                                                              \
    READ uint4 read_imageui(read_only kind image, sampler_t s, fcoord c) {                         \
        const __global simtlm_image* d = DESCRIPTOR(image);                                        \
        return uint_at(d, find(d, FLAGS(s), COORD(c), FLAYER(d, c)));                              \
    }                                                                                              \
    READ uint4 read_imageui(read_only kind image, sampler_t s, icoord c) {                         \
        const __global simtlm_image* d = DESCRIPTOR(image);                                        \
        return uint_at(d, find_int(d, FLAGS(s), COORD(c), ILAYER(d, c)));                          \
    }
SAMPLED(image1d_t, float, int, COORD_1D, NO_LAYER, NO_LAYER)
SAMPLED(image1d_array_t, float2, int2, COORD_1DA, LAYER_1DA_float, LAYER_1DA_int)
SAMPLED(image2d_t, float2, int2, COORD_2D, NO_LAYER, NO_LAYER)
SAMPLED(image2d_array_t, float4, int4, COORD_2DA, LAYER_2DA_float, LAYER_2DA_int)
SAMPLED(image3d_t, float4, int4, COORD_3D, NO_LAYER, NO_LAYER)

#define SAMPLED_DEPTH(kind, fcoord, icoord, COORD, FLAYER, ILAYER)                                 \
    READ float read_imagef(read_only kind image, sampler_t s, fcoord c) {                          \
        const __global simtlm_image* d = DESCRIPTOR(image);                                        \
        return sample(d, FLAGS(s), COORD(c), FLAYER(d, c)).x;                                      \
    }                                                                                              \
    READ float read_imagef(read_only kind image, sampler_t s, icoord c) {                          \
        const __global simtlm_image* d = DESCRIPTOR(image);                                        \
        return at_or_border(d, find_int(d, FLAGS(s), COORD(c), ILAYER(d, c))).x;                   \
    }
SAMPLED_DEPTH(image2d_depth_t, float2, int2, COORD_2D, NO_LAYER, NO_LAYER)
SAMPLED_DEPTH(image2d_array_depth_t, float4, int4, COORD_2DA, LAYER_2DA_float, LAYER_2DA_int)

#define FETCHED(access, kind, icoord, COORD, ILAYER)                                               \
    READ float4 read_imagef(access kind image, icoord c) {                                         \
        const __global simtlm_image* d = DESCRIPTOR(image);                                        \
        return at_or_border(d, find_int(d, ADDRESS_CLAMP, COORD(c), ILAYER(d, c)));                \
    }                                                                                              \
    READ int4 read_imagei(access kind image, icoord c) {                                           \
        const __global simtlm_image* d = DESCRIPTOR(image);                                        \
        return int_at(d, find_int(d, ADDRESS_CLAMP, COORD(c), ILAYER(d, c)));                      \
    }                                                                                              \
    READ uint4 read_imageui(access kind image, icoord c) {                                         \
        const __global simtlm_image* d = DESCRIPTOR(image);                                        \
        return uint_at(d, find_int(d, ADDRESS_CLAMP, COORD(c), ILAYER(d, c)));                     \
    }
#define WRITTEN(access, kind, icoord, COORD, RAW_LAYER)                                            \
    OVERLOAD void write_imagef(access kind image, icoord c, float4 v) {                            \
        const __global simtlm_image* d = DESCRIPTOR(image);                                        \
        const ulong at = find_int(d, ADDRESS_CLAMP, COORD(c), RAW_LAYER(d, c));                    \
        if (at != ~0ul) store_float(d, at, v);                                                     \
    }                                                                                              \
    OVERLOAD void write_imagei(access kind image, icoord c, int4 v) {                              \
        const __global simtlm_image* d = DESCRIPTOR(image);                                        \
        const ulong at = find_int(d, ADDRESS_CLAMP, COORD(c), RAW_LAYER(d, c));                    \
        if (at != ~0ul) store_int(d, at, v);                                                       \
    }                                                                                              \
    OVERLOAD void write_imageui(access kind image, icoord c, uint4 v) {                            \
        const __global simtlm_image* d = DESCRIPTOR(image);                                        \
        const ulong at = find_int(d, ADDRESS_CLAMP, COORD(c), RAW_LAYER(d, c));                    \
        if (at != ~0ul) store_uint(d, at, v);                                                      \
    }
#define RAW_LAYER_1DA(d, c) (c).y
#define RAW_LAYER_2DA(d, c) (c).z
#define FETCHED_DEPTH(access, kind, icoord, COORD, ILAYER)                                         \
    READ float read_imagef(access kind image, icoord c) {                                          \
        const __global simtlm_image* d = DESCRIPTOR(image);                                        \
        return at_or_border(d, find_int(d, ADDRESS_CLAMP, COORD(c), ILAYER(d, c))).x;              \
    }
#define WRITTEN_DEPTH(access, kind, icoord, COORD, RAW_LAYER)                                      \
    OVERLOAD void write_imagef(access kind image, icoord c, float v) {                             \
        const __global simtlm_image* d = DESCRIPTOR(image);                                        \
        const ulong at = find_int(d, ADDRESS_CLAMP, COORD(c), RAW_LAYER(d, c));                    \
        if (at != ~0ul) store_float(d, at, (float4)(v));                                           \
    }

#define FETCHES(access)                                                                            \
    FETCHED(access, image1d_t, int, COORD_1D, NO_LAYER)                                            \
    FETCHED(access, image1d_buffer_t, int, COORD_1D, NO_LAYER)                                     \
    FETCHED(access, image1d_array_t, int2, COORD_1DA, LAYER_1DA_int)                               \
    FETCHED(access, image2d_t, int2, COORD_2D, NO_LAYER)                                           \
    FETCHED(access, image2d_array_t, int4, COORD_2DA, LAYER_2DA_int)                               \
    FETCHED(access, image3d_t, int4, COORD_3D, NO_LAYER)                                           \
    FETCHED_DEPTH(access, image2d_depth_t, int2, COORD_2D, NO_LAYER)                               \
    FETCHED_DEPTH(access, image2d_array_depth_t, int4, COORD_2DA, LAYER_2DA_int)
FETCHES(read_only)
FETCHES(read_write)

#define WRITES(access)                                                                             \
    WRITTEN(access, image1d_t, int, COORD_1D, NO_LAYER)                                            \
    WRITTEN(access, image1d_buffer_t, int, COORD_1D, NO_LAYER)                                     \
    WRITTEN(access, image1d_array_t, int2, COORD_1DA, RAW_LAYER_1DA)                               \
    WRITTEN(access, image2d_t, int2, COORD_2D, NO_LAYER)                                           \
    WRITTEN(access, image2d_array_t, int4, COORD_2DA, RAW_LAYER_2DA)                               \
    WRITTEN(access, image3d_t, int4, COORD_3D, NO_LAYER)                                           \
    WRITTEN_DEPTH(access, image2d_depth_t, int2, COORD_2D, NO_LAYER)                               \
    WRITTEN_DEPTH(access, image2d_array_depth_t, int4, COORD_2DA, RAW_LAYER_2DA)
WRITES(write_only)
WRITES(read_write)

#define QUERIES(access, kind)                                                                      \
    PURE int get_image_width(access kind image) {                                                  \
        return DESCRIPTOR(image)->width;                                                           \
    }                                                                                              \
    PURE int get_image_channel_data_type(access kind image) {                                      \
        return DESCRIPTOR(image)->type;                                                            \
    }                                                                                              \
    PURE int get_image_channel_order(access kind image) {                                          \
        return DESCRIPTOR(image)->order;                                                           \
    }
#define QUERIES_2D(access, kind)                                                                   \
    PURE int get_image_height(access kind image) {                                                 \
        return DESCRIPTOR(image)->height;                                                          \
    }                                                                                              \
    PURE int2 get_image_dim(access kind image) {                                                   \
        return (int2)(DESCRIPTOR(image)->width, DESCRIPTOR(image)->height);                        \
    }
#define QUERIES_LAYERS(access, kind)                                                               \
    PURE size_t get_image_array_size(access kind image) {                                          \
        return DESCRIPTOR(image)->layers;                                                          \
    }
#define ALL_QUERIES(access)                                                                        \
    QUERIES(access, image1d_t)                                                                     \
    QUERIES(access, image1d_buffer_t)                                                              \
    QUERIES(access, image1d_array_t)                                                               \
    QUERIES(access, image2d_t)                                                                     \
    QUERIES(access, image2d_array_t)                                                               \
    QUERIES(access, image3d_t)                                                                     \
    QUERIES(access, image2d_depth_t)                                                               \
    QUERIES(access, image2d_array_depth_t)                                                         \
    QUERIES_2D(access, image2d_t)                                                                  \
    QUERIES_2D(access, image2d_array_t)                                                            \
    QUERIES_2D(access, image2d_depth_t)                                                            \
    QUERIES_2D(access, image2d_array_depth_t)                                                      \
    QUERIES_LAYERS(access, image1d_array_t)                                                        \
    QUERIES_LAYERS(access, image2d_array_t)                                                        \
    QUERIES_LAYERS(access, image2d_array_depth_t)                                                  \
    PURE int get_image_height(access image3d_t image) {                                            \
        return DESCRIPTOR(image)->height;                                                          \
    }                                                                                              \
    PURE int get_image_depth(access image3d_t image) {                                             \
        return DESCRIPTOR(image)->depth;                                                           \
    }                                                                                              \
    PURE int4 get_image_dim(access image3d_t image) {                                              \
        const __global simtlm_image* d = DESCRIPTOR(image);                                        \
        return (int4)(d->width, d->height, d->depth, 0);                                           \
    }
ALL_QUERIES(read_only)
ALL_QUERIES(write_only)
ALL_QUERIES(read_write)
