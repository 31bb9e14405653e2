// SPDX-License-Identifier: Apache-2.0
// y = a x + y in OpenCL, with verification: the example of docs/opencl.md.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char* source =
    "__kernel void saxpy(float a, __global const float* x, __global float* y) {\n"
    "    const size_t i = get_global_id(0);\n"
    "    y[i] = a * x[i] + y[i];\n"
    "}\n";

int main(void) {
    const size_t n = 65536;
    float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), a = 2;
    for (size_t i = 0; i < n; ++i) { x[i] = i % 100; y[i] = 1; }
    cl_platform_id platform;
    cl_device_id device;
    char name[64];
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL) != CL_SUCCESS) {
        fprintf(stderr, "no OpenCL device\n");
        return 1;
    }
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "the kernel cannot be built:\n%s\n", log);
        return 1;
    }
    cl_kernel kernel = clCreateKernel(program, "saxpy", NULL);
    cl_mem dx = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, n * sizeof *x, x, NULL);
    cl_mem dy = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, n * sizeof *y, y, NULL);
    clSetKernelArg(kernel, 0, sizeof a, &a);
    clSetKernelArg(kernel, 1, sizeof dx, &dx);
    clSetKernelArg(kernel, 2, sizeof dy, &dy);
    cl_event event;
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, &event);
    clEnqueueReadBuffer(queue, dy, CL_TRUE, 0, n * sizeof *y, y, 0, NULL, NULL);
    cl_ulong from, to;
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL);
    size_t wrong = 0;
    for (size_t i = 0; i < n; ++i) wrong += y[i] != a * (i % 100) + 1;
    printf("%zu elements, %zu wrong, %lu ns on %s\n", n, wrong, (unsigned long)(to - from), name);
    return wrong != 0;
}
