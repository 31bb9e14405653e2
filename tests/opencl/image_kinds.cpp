// SPDX-License-Identifier: Apache-2.0
// Images of every kind, 1D to 3D and arrays, compared with a model on the host: writes and reads of
// regions with pitches, copies between images and with buffers, fills, maps, queries, and kernels
// that write and read them.
#include "tests/opencl/host.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace {

using triple = std::array<std::size_t, 3>;

/// A kind of image and its extent: pixels, rows and slices. Layers of arrays count as rows (1D) or
/// slices (2D), as in regions.
struct kind {
    const char* name;
    cl_mem_object_type type;
    triple extent;
    const char* parameter;  ///< type name in OpenCL C
    const char* coordinate;
};

const kind kinds[] = {
    {"1D", CL_MEM_OBJECT_IMAGE1D, {13, 1, 1}, "image1d_t", "(int)x"},
    {"1D array", CL_MEM_OBJECT_IMAGE1D_ARRAY, {7, 5, 1}, "image1d_array_t", "(int2)(x, y)"},
    {"2D", CL_MEM_OBJECT_IMAGE2D, {9, 6, 1}, "image2d_t", "(int2)(x, y)"},
    {"2D array", CL_MEM_OBJECT_IMAGE2D_ARRAY, {5, 4, 3}, "image2d_array_t", "(int4)(x, y, z, 0)"},
    {"3D", CL_MEM_OBJECT_IMAGE3D, {6, 5, 4}, "image3d_t", "(int4)(x, y, z, 0)"},
};

struct format {
    cl_image_format as_cl;
    std::size_t bytes;  ///< per pixel
};
const format formats[] = {
    {{CL_R, CL_UNSIGNED_INT8}, 1},
    {{CL_RG, CL_SIGNED_INT16}, 4},
    {{CL_RGBA, CL_UNSIGNED_INT16}, 8},
    {{CL_RGBA, CL_FLOAT}, 16},
};

/// Contents of an image, row by row without gaps.
struct pixels {
    triple extent;
    std::size_t bytes;
    std::vector<unsigned char> data;

    pixels(triple e, std::size_t pixel_bytes)
        : extent(e), bytes(pixel_bytes), data(e[0] * e[1] * e[2] * pixel_bytes) {}
    unsigned char* at(std::size_t x, std::size_t y, std::size_t z) {
        return data.data() + ((z * extent[1] + y) * extent[0] + x) * bytes;
    }
};

pixels numbered(triple extent, std::size_t bytes, unsigned from) {
    pixels p(extent, bytes);
    for (std::size_t i = 0; i < p.data.size(); ++i)
        p.data[i] = static_cast<unsigned char>(from + 7 * i);
    return p;
}

/// Copies a region between models.
void copy(pixels& from, triple source, pixels& to, triple target, triple region) {
    for (std::size_t z = 0; z < region[2]; ++z)
        for (std::size_t y = 0; y < region[1]; ++y)
            std::memcpy(to.at(target[0], target[1] + y, target[2] + z),
                        from.at(source[0], source[1] + y, source[2] + z), region[0] * from.bytes);
}

cl_mem create(const host& h, const kind& k, const cl_image_format& f, const void* data) {
    cl_image_desc d{};
    d.image_type = k.type;
    d.image_width = k.extent[0];
    if (k.type == CL_MEM_OBJECT_IMAGE1D_ARRAY) d.image_array_size = k.extent[1];
    if (k.type == CL_MEM_OBJECT_IMAGE2D || k.type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
        k.type == CL_MEM_OBJECT_IMAGE3D)
        d.image_height = k.extent[1];
    if (k.type == CL_MEM_OBJECT_IMAGE2D_ARRAY) d.image_array_size = k.extent[2];
    if (k.type == CL_MEM_OBJECT_IMAGE3D) d.image_depth = k.extent[2];
    cl_int r = 0;
    const cl_mem_flags flags =
        CL_MEM_READ_WRITE | (data != nullptr ? CL_MEM_COPY_HOST_PTR : cl_mem_flags{0});
    const cl_mem m = clCreateImage(h.context, flags, &f, &d, const_cast<void*>(data), &r);
    GOOD(r);
    return m;
}

/// The whole image, read back without gaps.
std::vector<unsigned char> contents(const host& h, cl_mem m, const kind& k, std::size_t bytes) {
    pixels p(k.extent, bytes);
    const triple zero{};
    GOOD(clEnqueueReadImage(h.queue, m, CL_TRUE, zero.data(), k.extent.data(), 0, 0, p.data.data(),
                            0, nullptr, nullptr));
    return p.data;
}

void expect(const host& h, cl_mem m, const kind& k, const pixels& model, const char* after) {
    if (contents(h, m, k, model.bytes) == model.data) return;
    std::printf("%s image of %zu bytes a pixel differs after %s\n", k.name, model.bytes, after);
    ++failures;
}

/// The inner region of an image: without the first pixel, row and slice in dimensions larger than
/// one.
void inner(const kind& k, triple& origin, triple& region) {
    for (unsigned i = 0; i < 3; ++i) {
        origin[i] = k.extent[i] > 1 ? 1 : 0;
        region[i] = k.extent[i] > 2 ? k.extent[i] - 2 : 1;
    }
}

void moves_regions(const host& h, const kind& k, const format& f) {
    pixels model = numbered(k.extent, f.bytes, 1);
    const cl_mem m = create(h, k, f.as_cl, model.data.data());
    expect(h, m, k, model, "creation");
    triple origin{}, region{};
    inner(k, origin, region);
    const triple zero{};

    // Writes with gaps between rows and slices.
    const std::size_t row = region[0] * f.bytes + 16;
    const bool sliced = k.type == CL_MEM_OBJECT_IMAGE3D || k.type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    // The slice pitch of a 1D array is the distance between its layers.
    const bool layered = k.type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const std::size_t slice = sliced ? row * region[1] + 32 : layered ? row : 0;
    pixels part = numbered(region, f.bytes, 99);
    std::vector<unsigned char> spaced(row * region[1] * region[2] + 32 * region[2], 0xee);
    const auto line = [&](std::size_t y, std::size_t z) {
        return spaced.data() + z * (sliced ? slice : 0) + y * row;
    };
    for (std::size_t z = 0; z < region[2]; ++z)
        for (std::size_t y = 0; y < region[1]; ++y)
            std::memcpy(line(y, z), part.at(0, y, z), region[0] * f.bytes);
    GOOD(clEnqueueWriteImage(h.queue, m, CL_TRUE, origin.data(), region.data(), row, slice,
                             spaced.data(), 0, nullptr, nullptr));
    copy(part, zero, model, origin, region);
    expect(h, m, k, model, "a write");

    // Reads do not modify the gaps.
    std::fill(spaced.begin(), spaced.end(), 0xee);
    GOOD(clEnqueueReadImage(h.queue, m, CL_TRUE, origin.data(), region.data(), row, slice,
                            spaced.data(), 0, nullptr, nullptr));
    for (std::size_t z = 0; z < region[2]; ++z)
        for (std::size_t y = 0; y < region[1]; ++y) {
            CHECK(std::memcmp(line(y, z), part.at(0, y, z), region[0] * f.bytes) == 0);
            CHECK(line(y, z)[region[0] * f.bytes] == 0xee);
        }

    // Copies between images, and through a buffer.
    pixels other = numbered(k.extent, f.bytes, 200);
    const cl_mem n = create(h, k, f.as_cl, other.data.data());
    GOOD(clEnqueueCopyImage(h.queue, m, n, origin.data(), zero.data(), region.data(), 0, nullptr,
                            nullptr));
    copy(model, origin, other, zero, region);
    expect(h, n, k, other, "a copy of an image");
    const cl_mem b = h.buffer(std::vector<unsigned char>(part.data.size() + 16, 5));
    GOOD(clEnqueueCopyImageToBuffer(h.queue, n, b, zero.data(), region.data(), 16, 0, nullptr,
                                    nullptr));
    const auto stored = h.read<unsigned char>(b, part.data.size() + 16);
    CHECK(stored[15] == 5 && std::equal(part.data.begin(), part.data.end(), stored.begin() + 16));
    const pixels first = numbered(region, f.bytes, 33);
    GOOD(clEnqueueWriteBuffer(h.queue, b, CL_TRUE, 16, first.data.size(), first.data.data(), 0,
                              nullptr, nullptr));
    GOOD(clEnqueueCopyBufferToImage(h.queue, b, n, 16, origin.data(), region.data(), 0, nullptr,
                                    nullptr));
    pixels from_buffer = first;
    copy(from_buffer, zero, other, origin, region);
    expect(h, n, k, other, "a copy of a buffer");

    // Maps.
    std::size_t mapped_row = 0, mapped_slice = 0;
    cl_int r = 0;
    auto* p = static_cast<unsigned char*>(clEnqueueMapImage(
        h.queue, n, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin.data(), region.data(), &mapped_row,
        k.type == CL_MEM_OBJECT_IMAGE1D || k.type == CL_MEM_OBJECT_IMAGE2D ? nullptr
                                                                           : &mapped_slice,
        0, nullptr, nullptr, &r));
    GOOD(r);
    const std::size_t last = (region[2] - 1) * mapped_slice +
                             (region[1] - 1) * (layered ? mapped_slice : mapped_row) +
                             (region[0] - 1) * f.bytes;
    CHECK(p[last] == *from_buffer.at(region[0] - 1, region[1] - 1, region[2] - 1));
    p[last] = 77;
    GOOD(clEnqueueUnmapMemObject(h.queue, n, p, 0, nullptr, nullptr));
    *other.at(origin[0] + region[0] - 1, origin[1] + region[1] - 1, origin[2] + region[2] - 1) = 77;
    expect(h, n, k, other, "a map");
    for (const cl_mem x : {m, n, b}) GOOD(clReleaseMemObject(x));
}

/// Fills convert a colour to the format, and only within a region.
void fills_regions(const host& h, const kind& k) {
    triple origin{}, region{};
    inner(k, origin, region);
    const auto fill = [&](const cl_image_format& f, std::size_t bytes, const void* color,
                          const void* pixel) {
        pixels model = numbered(k.extent, bytes, 3);
        const cl_mem m = create(h, k, f, model.data.data());
        GOOD(clEnqueueFillImage(h.queue, m, color, origin.data(), region.data(), 0, nullptr,
                                nullptr));
        for (std::size_t z = 0; z < region[2]; ++z)
            for (std::size_t y = 0; y < region[1]; ++y)
                for (std::size_t x = 0; x < region[0]; ++x)
                    std::memcpy(model.at(origin[0] + x, origin[1] + y, origin[2] + z), pixel,
                                bytes);
        expect(h, m, k, model, "a fill");
        GOOD(clReleaseMemObject(m));
    };
    const float half_red[4] = {0.5f, 2.0f, -1.0f, 1.0f};
    const unsigned char as_bytes[4] = {128, 255, 0, 255};
    fill({CL_RGBA, CL_UNORM_INT8}, 4, half_red, as_bytes);
    const unsigned char swapped[4] = {0, 255, 128, 255};
    fill({CL_BGRA, CL_UNORM_INT8}, 4, half_red, swapped);
    const cl_int numbers[4] = {-5, 70000, 3, 4};
    const cl_short narrowed[2] = {-5, 32767};
    fill({CL_RG, CL_SIGNED_INT16}, 4, numbers, narrowed);
    const cl_uint large[4] = {4000000000u, 1, 2, 3};
    fill({CL_R, CL_UNSIGNED_INT32}, 4, large, large);
}

void describes_itself(const host& h, const kind& k) {
    const cl_mem m = create(h, k, {CL_RG, CL_SIGNED_INT16}, nullptr);
    const auto get = [&](cl_image_info what) {
        std::size_t v = 99;
        GOOD(clGetImageInfo(m, what, sizeof v, &v, nullptr));
        return v;
    };
    const bool rows = k.type != CL_MEM_OBJECT_IMAGE1D && k.type != CL_MEM_OBJECT_IMAGE1D_ARRAY;
    CHECK(get(CL_IMAGE_WIDTH) == k.extent[0]);
    CHECK(get(CL_IMAGE_HEIGHT) == (rows ? k.extent[1] : 0));
    CHECK(get(CL_IMAGE_DEPTH) == (k.type == CL_MEM_OBJECT_IMAGE3D ? k.extent[2] : 0));
    const std::size_t layers = k.type == CL_MEM_OBJECT_IMAGE1D_ARRAY   ? k.extent[1]
                               : k.type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? k.extent[2]
                                                                       : 0;
    CHECK(get(CL_IMAGE_ARRAY_SIZE) == layers);
    CHECK(get(CL_IMAGE_ELEMENT_SIZE) == 4);
    CHECK(get(CL_IMAGE_ROW_PITCH) >= k.extent[0] * 4);
    cl_image_format f{};
    GOOD(clGetImageInfo(m, CL_IMAGE_FORMAT, sizeof f, &f, nullptr));
    CHECK(f.image_channel_order == CL_RG && f.image_channel_data_type == CL_SIGNED_INT16);
    cl_uint levels = 9;
    GOOD(clGetImageInfo(m, CL_IMAGE_NUM_MIP_LEVELS, sizeof levels, &levels, nullptr));
    CHECK(levels == 0);
    cl_mem_object_type type = 0;
    GOOD(clGetMemObjectInfo(m, CL_MEM_TYPE, sizeof type, &type, nullptr));
    CHECK(type == k.type);
    GIVES(CL_INVALID_VALUE, clGetImageInfo(m, 0x9999, 0, nullptr, nullptr));
    // A region must lie inside of the image.
    triple beyond{k.extent[0], 0, 0};
    const triple one{1, 1, 1};
    int v[4] = {};
    GIVES(CL_INVALID_VALUE, clEnqueueReadImage(h.queue, m, CL_TRUE, beyond.data(), one.data(), 0, 0,
                                               v, 0, nullptr, nullptr));
    GOOD(clReleaseMemObject(m));
}

/// A kernel writes an image; another one copies it through reads with and without a sampler.
void kernels_write_and_read(const host& h, const kind& k) {
    const std::string p = k.parameter, c = k.coordinate;
    const std::string ids =
        "const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n";
    const std::string source =
        "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
        "kernel void put(write_only " +
        p + " to) {\n" + ids + "write_imageui(to, " + c +
        ", (uint4)(x, 10 * y, 20 * z, x + y + z)); }\n"
        "kernel void copy(read_only " +
        p + " from, write_only " + p + " to) {\n" + ids +
        "const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | "
        "CLK_FILTER_NEAREST;\n"
        "write_imageui(to, " +
        c + ", read_imageui(from, " + c + ") + read_imageui(from, s, " + c + ")); }\n";
    const cl_program g = h.build(source.c_str());
    const cl_kernel put = h.kernel(g, "put"), twice = h.kernel(g, "copy");
    const cl_image_format f{CL_RGBA, CL_UNSIGNED_INT16};
    const cl_mem a = create(h, k, f, nullptr), b = create(h, k, f, nullptr);
    set(put, 0, a);
    set(twice, 0, a);
    set(twice, 1, b);
    for (const cl_kernel one : {put, twice})
        GOOD(clEnqueueNDRangeKernel(h.queue, one, 3, nullptr, k.extent.data(), nullptr, 0, nullptr,
                                    nullptr));
    pixels model(k.extent, 8);
    for (std::size_t z = 0; z < k.extent[2]; ++z)
        for (std::size_t y = 0; y < k.extent[1]; ++y)
            for (std::size_t x = 0; x < k.extent[0]; ++x) {
                const cl_ushort v[4] = {
                    static_cast<cl_ushort>(2 * x), static_cast<cl_ushort>(20 * y),
                    static_cast<cl_ushort>(40 * z), static_cast<cl_ushort>(2 * (x + y + z))};
                std::memcpy(model.at(x, y, z), v, sizeof v);
            }
    expect(h, b, k, model, "a kernel");
    for (const cl_mem m : {a, b}) GOOD(clReleaseMemObject(m));
    for (const cl_kernel one : {put, twice}) GOOD(clReleaseKernel(one));
    GOOD(clReleaseProgram(g));
}

/// Read-write images of OpenCL 2.0.
void reads_what_it_writes(const host& h) {
    const cl_program g = h.build(
        "kernel void add(read_write image2d_t i) {\n"
        "const int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
        "write_imagei(i, c, read_imagei(i, c) + (int4)(1, 2, 0, 0));\n"
        "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, "
        "memory_scope_work_item);\n"
        "write_imagei(i, c, 3 * read_imagei(i, c)); }\n",
        "-cl-std=CL3.0");
    const kind k{"2D", CL_MEM_OBJECT_IMAGE2D, {4, 3, 1}, "", ""};
    std::vector<cl_int> data(2 * 12);
    std::iota(data.begin(), data.end(), -5);
    const cl_mem m = create(h, k, {CL_RG, CL_SIGNED_INT32}, data.data());
    const cl_kernel add = h.kernel(g, "add");
    set(add, 0, m);
    GOOD(clEnqueueNDRangeKernel(h.queue, add, 2, nullptr, k.extent.data(), nullptr, 0, nullptr,
                                nullptr));
    pixels model(k.extent, 8);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = 3 * (data[i] + (i % 2 == 0 ? 1 : 2));
    std::memcpy(model.data.data(), data.data(), model.data.size());
    expect(h, m, k, model, "a kernel that reads and writes it");
    GOOD(clReleaseMemObject(m));
    GOOD(clReleaseKernel(add));
    GOOD(clReleaseProgram(g));
}

/// An image created from a buffer shows the contents of the buffer, and vice versa.
void lies_on_a_buffer(const host& h) {
    std::vector<cl_uint> data(64);
    std::iota(data.begin(), data.end(), 0u);
    const cl_mem b = h.buffer(data);
    cl_image_desc d{};
    d.image_type = CL_MEM_OBJECT_IMAGE2D;
    d.image_width = 8;
    d.image_height = 4;
    d.image_row_pitch = 64;
    d.mem_object = b;
    const cl_image_format f{CL_R, CL_UNSIGNED_INT32};
    cl_int r = 0;
    const cl_mem m = clCreateImage(h.context, CL_MEM_READ_WRITE, &f, &d, nullptr, &r);
    GOOD(r);
    const triple origin{2, 3, 0}, region{3, 1, 1};
    cl_uint got[3] = {};
    GOOD(clEnqueueReadImage(h.queue, m, CL_TRUE, origin.data(), region.data(), 0, 0, got, 0,
                            nullptr, nullptr));
    CHECK(got[0] == 50 && got[2] == 52);
    const cl_uint color[4] = {1000, 0, 0, 0};
    GOOD(clEnqueueFillImage(h.queue, m, color, origin.data(), region.data(), 0, nullptr, nullptr));
    CHECK(h.read<cl_uint>(b, 64)[51] == 1000);
    cl_mem on = nullptr;
    GOOD(clGetMemObjectInfo(m, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof on, &on, nullptr));
    CHECK(on == b);
    GOOD(clReleaseMemObject(m));
    GOOD(clReleaseMemObject(b));
}

}  // namespace

int main() {
    {
        const host h;
        for (const kind& k : kinds) {
            for (const format& f : formats) moves_regions(h, k, f);
            fills_regions(h, k);
            describes_itself(h, k);
            kernels_write_and_read(h, k);
        }
        reads_what_it_writes(h);
        lies_on_a_buffer(h);
    }
    return passed("image_kinds");
}
