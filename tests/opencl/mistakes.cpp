// SPDX-License-Identifier: Apache-2.0
// Kernels with errors that --check finds: its findings refer to lines of the OpenCL C source.
#include "tests/opencl/host.h"

namespace {

const char* const source = R"(float neighbour(global const float* p, size_t i) {
    return p[i + 64];
}
kernel void reads_outside(global const float* in, global float* out) {
    const size_t i = get_global_id(0);
    out[i] = in[i] +
             neighbour(in, i);
}
kernel void races(global const float* in, global float* out, local float* tile) {
    const size_t i = get_local_id(0);
    tile[i] = in[i];
    out[i] = tile[63 - i];
}
kernel void reads_unwritten(global const float* in, global float* out) {
    local float tile[64];
    const size_t i = get_local_id(0);
    if (i < 32)
        tile[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = 2.0f * tile[i];
}
kernel void reads_unwritten_buffer(global const float* in, global float* out) {
    const size_t i = get_global_id(0);
    out[i] = 1.0f +
             in[i];
}
)";

}  // namespace

/// @param argv  the kernel to run
int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const std::string name = argv[1];
    {
        const host h;
        cl_program p = h.build(source);
        cl_kernel k = h.kernel(p, name.c_str());
        const std::vector<float> values(64, 1.0f);
        cl_int r = 0;
        cl_mem in = name == "reads_unwritten_buffer"
                        ? clCreateBuffer(h.context, CL_MEM_READ_ONLY, 256, nullptr, &r)
                        : h.buffer(values);
        GOOD(r);
        cl_mem out = h.buffer(values);
        set(k, 0, in);
        set(k, 1, out);
        if (name == "races") GOOD(clSetKernelArg(k, 2, 256, nullptr));
        h.run(k, 64, 64);
        GOOD(clFinish(h.queue));
        GOOD(clReleaseMemObject(in));
        GOOD(clReleaseMemObject(out));
        GOOD(clReleaseKernel(k));
        GOOD(clReleaseProgram(p));
    }
    return passed("mistakes");
}
