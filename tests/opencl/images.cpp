// SPDX-License-Identifier: Apache-2.0
// Images: transfers, formats, samplers, reads and writes by kernels.
#include "tests/opencl/host.h"

#include <cmath>

namespace {

cl_mem image(const host& h, cl_image_format f, const cl_image_desc& d, const void* data,
             cl_mem_flags flags = CL_MEM_READ_WRITE) {
    cl_int r = 0;
    const cl_mem m =
        clCreateImage(h.context, flags | (data != nullptr ? CL_MEM_COPY_HOST_PTR : cl_mem_flags{0}),
                      &f, &d, const_cast<void*>(data), &r);
    GOOD(r);
    return m;
}

cl_image_desc shape(cl_mem_object_type type, std::size_t w, std::size_t y = 0, std::size_t z = 0,
                    std::size_t layers = 0) {
    cl_image_desc d{};
    d.image_type = type;
    d.image_width = w;
    d.image_height = y;
    d.image_depth = z;
    d.image_array_size = layers;
    return d;
}

const char* const source = R"(
kernel void sampled(read_only image2d_t i, sampler_t s, global const float2* at, global float4* out) {
    out[get_global_id(0)] = read_imagef(i, s, at[get_global_id(0)]);
}
kernel void negate(read_only image2d_t from, write_only image2d_t to) {
    const int2 c = (int2)(get_global_id(0), get_global_id(1));
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    write_imagef(to, c, 1.0f - read_imagef(from, s, c));
}
kernel void layers(read_only image2d_array_t i, read_only image1d_array_t j, read_only image3d_t k,
                   read_only image1d_buffer_t b, global int4* out) {
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    out[0] = read_imagei(i, s, (int4)(1, 1, 1, 0));
    out[1] = read_imagei(j, s, (int2)(2, 1));
    out[2] = read_imagei(k, s, (int4)(1, 0, 1, 0));
    out[3] = read_imagei(b, 3);
    out[4] = (int4)(get_image_width(i), get_image_height(i), get_image_array_size(i), get_image_depth(k));
    out[5] = (int4)(get_image_channel_order(i) == CLK_R, get_image_channel_data_type(i) == CLK_SIGNED_INT32, 0, 0);
}
)";

void moves_regions(const host& h) {
    std::vector<unsigned char> data(4 * 4 * 4);
    for (unsigned i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i);
    const cl_mem m =
        image(h, {CL_RGBA, CL_UNORM_INT8}, shape(CL_MEM_OBJECT_IMAGE2D, 4, 4), data.data());
    const std::size_t origin[3] = {1, 2, 0}, region[3] = {2, 2, 1}, zero[3] = {0, 0, 0};
    std::vector<unsigned char> got(16);
    GOOD(clEnqueueReadImage(h.queue, m, CL_TRUE, origin, region, 0, 0, got.data(), 0, nullptr,
                            nullptr));
    CHECK(got[0] == 36 && got[8] == 52 && got[15] == 59);
    const float color[4] = {1, 0.5f, 0, 1};
    GOOD(clEnqueueFillImage(h.queue, m, color, zero, region, 0, nullptr, nullptr));
    std::size_t row = 0;
    cl_int r = 0;
    auto* p = static_cast<unsigned char*>(
        clEnqueueMapImage(h.queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, zero, region, &row,
                          nullptr, 0, nullptr, nullptr, &r));
    GOOD(r);
    CHECK(row >= 16 && p[0] == 255 && p[1] == 128 && p[row + 3] == 255);
    p[2] = 9;
    GOOD(clEnqueueUnmapMemObject(h.queue, m, p, 0, nullptr, nullptr));
    GOOD(clEnqueueReadImage(h.queue, m, CL_TRUE, zero, region, 0, 0, got.data(), 0, nullptr,
                            nullptr));
    CHECK(got[2] == 9);
    const cl_mem b = h.buffer(std::vector<unsigned char>(64, 0));
    GOOD(clEnqueueCopyImageToBuffer(h.queue, m, b, origin, region, 8, 0, nullptr, nullptr));
    CHECK(h.read<unsigned char>(b, 64)[8] == 36);
    GOOD(clEnqueueCopyBufferToImage(h.queue, b, m, 8, zero, region, 0, nullptr, nullptr));
    GOOD(clEnqueueReadImage(h.queue, m, CL_TRUE, zero, region, 0, 0, got.data(), 0, nullptr,
                            nullptr));
    CHECK(got[0] == 36);
    const std::size_t beyond[3] = {3, 3, 0};
    GIVES(CL_INVALID_VALUE, clEnqueueReadImage(h.queue, m, CL_TRUE, beyond, region, 0, 0,
                                               got.data(), 0, nullptr, nullptr));
    GOOD(clReleaseMemObject(m));
    GOOD(clReleaseMemObject(b));
}

void samples(const host& h, cl_program g) {
    const std::vector<float> data{0, 1, 2, 3, 10, 11, 12, 13};
    const cl_mem m = image(h, {CL_R, CL_FLOAT}, shape(CL_MEM_OBJECT_IMAGE2D, 4, 2), data.data());
    const cl_kernel k = h.kernel(g, "sampled");
    struct sample {
        cl_bool normalised;
        cl_addressing_mode mode;
        cl_filter_mode filter;
        float x, y, red, alpha;
    };
    const sample all[] = {
        {CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, 1.7f, 1.2f, 11, 1},
        {CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, -0.5f, 0.5f, 0, 1},
        {CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, 9, 9, 13, 1},
        {CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, 2, 1, 6.5f, 1},
        {CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, 0, 0, 0, 1},
        {CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, 1.3f, -0.2f, 11, 1},
        {CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST, 1.1f, 0.2f, 3, 1},
        {CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, 0, 0.25f, 1.5f, 1},
    };
    for (const sample& s : all) {
        cl_int r = 0;
        const cl_sampler sampler = clCreateSampler(h.context, s.normalised, s.mode, s.filter, &r);
        GOOD(r);
        const cl_mem at = h.buffer(std::vector<float>{s.x, s.y});
        const cl_mem out = h.buffer(std::vector<float>(4, -1));
        set(k, 0, m);
        set(k, 1, sampler);
        GIVES(CL_INVALID_SAMPLER, clSetKernelArg(k, 1, sizeof sampler, nullptr));
        set(k, 2, at);
        set(k, 3, out);
        h.run(k, 1);
        const auto v = h.read<float>(out, 4);
        if (std::abs(v[0] - s.red) > 1e-5f || v[3] != s.alpha) {
            std::printf("sample %d %x %x at %g, %g: %g %g\n", s.normalised, s.mode, s.filter, s.x,
                        s.y, v[0], v[3]);
            ++failures;
        }
        GOOD(clReleaseMemObject(at));
        GOOD(clReleaseMemObject(out));
        GOOD(clReleaseSampler(sampler));
    }
    GOOD(clReleaseKernel(k));
    GOOD(clReleaseMemObject(m));
}

void converts_formats(const host& h, cl_program g) {
    const cl_kernel k = h.kernel(g, "negate");
    const std::vector<unsigned char> bgra{0, 51, 255, 102};
    const cl_mem from =
        image(h, {CL_BGRA, CL_UNORM_INT8}, shape(CL_MEM_OBJECT_IMAGE2D, 1, 1), bgra.data());
    const cl_mem to =
        image(h, {CL_RGBA, CL_HALF_FLOAT}, shape(CL_MEM_OBJECT_IMAGE2D, 1, 1), nullptr);
    set(k, 0, from);
    set(k, 1, to);
    const std::size_t n[2] = {1, 1}, zero[3] = {0, 0, 0}, region[3] = {1, 1, 1};
    GOOD(clEnqueueNDRangeKernel(h.queue, k, 2, nullptr, n, nullptr, 0, nullptr, nullptr));
    unsigned short got[4] = {};
    GOOD(clEnqueueReadImage(h.queue, to, CL_TRUE, zero, region, 0, 0, got, 0, nullptr, nullptr));
    // 0, 0.8, 1, 0.6 as halves.
    CHECK(got[0] == 0 && got[1] == 0x3a66 && got[2] == 0x3c00 && got[3] == 0x38cd);
    GOOD(clReleaseMemObject(from));
    GOOD(clReleaseMemObject(to));
    GOOD(clReleaseKernel(k));
}

void reads_every_kind(const host& h, cl_program g) {
    const cl_image_format f{CL_R, CL_SIGNED_INT32};
    const std::vector<int> data{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const cl_mem a = image(h, f, shape(CL_MEM_OBJECT_IMAGE2D_ARRAY, 2, 2, 0, 3), data.data());
    const cl_mem b = image(h, f, shape(CL_MEM_OBJECT_IMAGE1D_ARRAY, 4, 0, 0, 3), data.data());
    const cl_mem c = image(h, f, shape(CL_MEM_OBJECT_IMAGE3D, 2, 2, 3), data.data());
    cl_image_desc on_buffer = shape(CL_MEM_OBJECT_IMAGE1D_BUFFER, 12);
    on_buffer.mem_object = h.buffer(data);
    const cl_mem d = image(h, f, on_buffer, nullptr);
    const cl_mem out = h.buffer(std::vector<int>(24, -1));
    const cl_kernel k = h.kernel(g, "layers");
    set(k, 0, a);
    set(k, 1, b);
    set(k, 2, c);
    set(k, 3, d);
    set(k, 4, out);
    h.run(k, 1);
    const auto v = h.read<int>(out, 24);
    CHECK(v[0] == 7 && v[3] == 1);
    CHECK(v[4] == 6);
    CHECK(v[8] == 5);
    CHECK(v[12] == 3);
    CHECK(v[16] == 2 && v[17] == 2 && v[18] == 3 && v[19] == 3);
    CHECK(v[20] == 1 && v[21] == 1);
    GIVES(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 0, sizeof out, &out));
    GIVES(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 0, sizeof out, nullptr));
    GIVES(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 4, sizeof a, &a));
    // Images whose type differs from that of the argument: 2D arrays and 3D images are not
    // interchangeable.
    GIVES(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 0, sizeof c, &c));
    GIVES(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 2, sizeof a, &a));
    GIVES(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 3, sizeof b, &b));
    for (const cl_mem m : {a, b, c, d, out, on_buffer.mem_object}) GOOD(clReleaseMemObject(m));
    GOOD(clReleaseKernel(k));
}

void lists_formats(const host& h) {
    cl_uint n = 0;
    GOOD(clGetSupportedImageFormats(h.context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, nullptr,
                                    &n));
    CHECK(n >= 40);
    cl_int r = 0;
    const cl_image_format f{CL_RGBA, CL_UNORM_SHORT_565};
    const cl_image_desc d = shape(CL_MEM_OBJECT_IMAGE2D, 4, 4);
    CHECK(clCreateImage(h.context, 0, &f, &d, nullptr, &r) == nullptr);
    GIVES(CL_IMAGE_FORMAT_NOT_SUPPORTED, r);
}

}  // namespace

int main() {
    {
        const host h;
        const cl_program g = h.build(source);
        moves_regions(h);
        samples(h, g);
        converts_formats(h, g);
        reads_every_kind(h, g);
        lists_formats(h);
        GOOD(clReleaseProgram(g));
    }
    return passed("images");
}
