// SPDX-License-Identifier: Apache-2.0
// Kernels: arguments, local memory, work items, queries; native kernels.
#include "tests/opencl/host.h"

namespace {

const char* const source = R"(
typedef struct { char c; float4 v; short s[3]; } record;
constant int table[4] = {10, 20, 30, 40};
kernel void arguments(global int* out, record r, char c, float3 f, constant int* k, local int* l,
                      ulong big) {
    const size_t i = get_global_id(0);
    l[get_local_id(0)] = (int)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = l[get_local_size(0) - 1 - get_local_id(0)] + r.c + (int)r.v.w + r.s[2] + c +
             (int)f.z + k[i & 1] + table[i & 3] + (int)(big >> 40);
}
kernel void items(global uint* out) {
    const size_t i = get_global_id(0) - get_global_offset(0), j = get_global_id(1) - get_global_offset(1);
    global uint* o = out + 8 * (j * get_global_size(0) + i);
    o[0] = get_work_dim(); o[1] = get_global_id(0); o[2] = get_global_id(1); o[3] = get_group_id(1);
    o[4] = get_num_groups(0); o[5] = get_local_size(1); o[6] = get_global_offset(1); o[7] = get_global_id(2);
}
kernel __attribute__((reqd_work_group_size(8, 2, 1))) void demands(global int* p) {
    local int shared[64];
    shared[8 * get_local_id(1) + get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    p[0] = shared[15 - 8 * get_local_id(1) - get_local_id(0)];
}
/* An item of the second warp writes, and those of the first read after the barrier. */
kernel void passes_on(global const int* in, global int* out) {
    local int word;
    const size_t i = get_local_id(0);
    if (i == 40) word = in[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = word;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 50) word = in[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[64 + i] = word;
}
__attribute__((noinline)) int is_aligned(void) {
    volatile long16 wide = 0;
    volatile uintptr_t address = (uintptr_t)&wide;
    return (address & 127) == 0 && wide.s7 == 0;
}
kernel void aligns(global int* out) {
    volatile int odd = 0;
    *out = is_aligned() + 2 * odd;
}
kernel void flushes(global float* p) {
    p[1] = p[0] * 0.5f;
}
kernel void inline_ptx(global uint* p) {
    uint lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("mad.lo.u32 %0, %1, 3, 7;" : "=r"(p[get_global_id(0)]) : "r"(lane));
}
kernel void two_locals(local int* a, local long* b, global long* out) {
    const size_t i = get_local_id(0);
    a[i] = i; b[i] = 100 * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[get_local_size(0) - 1 - i] + b[i];
}
kernel void is_null_argument(global int* out, local int* first, local int* second) {
    out[0] = first == 0;
    out[1] = second == 0;
}
kernel void is_null_variable(global int* out, int pick) {
    local int word;
    word = 7;
    local int* p = pick ? &word : 0;
    out[0] = p == 0;
    if (p) out[1] = *p;
}
)";

/// Null pointers of the local and the generic address space, in OpenCL C 3.0.
const char* const generic_source = R"(
kernel void converts_null(global int* out, local int* argument, int pick) {
    local int* named = pick ? argument : 0;
    int* any = named;
    int* other = pick ? 0 : (int*)out;
    out[0] = any == 0;
    out[1] = (local int*)any == 0;
    out[2] = any == argument;
    if (any) out[3] = *any = 5;
    out[4] = other == 0;
}
kernel void compares_null(global int* out) {
    int* any = 0;
    local int* in_local = 0;
    global int* in_global = 0;
    any = in_local;
    *out = (in_global == any) + 2 * (in_local == any);
}
)";

void takes_arguments_of_every_kind(const host& h, cl_program g) {
    const cl_kernel k = h.kernel(g, "arguments");
    struct alignas(16) record {
        char c;
        alignas(16) float v[4];
        short s[3];
    };
    record r{};
    r.c = 1;
    r.v[3] = 2;
    r.s[2] = 3;
    const cl_mem out = h.buffer(std::vector<int>(32, 0));
    const cl_mem constants = h.buffer(std::vector<int>{1000, 2000}, CL_MEM_READ_ONLY);
    const cl_float4 f{{0, 0, 5, 0}};
    GIVES(CL_INVALID_KERNEL_ARGS, [&] {
        const std::size_t n = 32;
        return clEnqueueNDRangeKernel(h.queue, k, 1, nullptr, &n, nullptr, 0, nullptr, nullptr);
    }());
    set(k, 0, out);
    set(k, 1, r);
    set(k, 2, char{4});
    set(k, 3, f);
    set(k, 4, constants);
    GOOD(clSetKernelArg(k, 5, 8 * sizeof(int), nullptr));
    set(k, 6, cl_ulong{6} << 40);
    GIVES(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 2, 4, &r));
    GIVES(CL_INVALID_ARG_INDEX, clSetKernelArg(k, 7, 4, &r));
    GIVES(CL_INVALID_ARG_VALUE, clSetKernelArg(k, 5, 4, &r));
    h.run(k, 32, 8);
    const auto v = h.read<int>(out, 32);
    for (int i = 0; i < 32; ++i)
        CHECK(v[static_cast<unsigned>(i)] == i / 8 * 8 + 7 - i % 8 + 1 + 2 + 3 + 4 + 5 +
                                                 (i % 2 + 1) * 1000 + (i % 4 + 1) * 10 + 6);
    GOOD(clReleaseMemObject(out));
    GOOD(clReleaseMemObject(constants));
    GOOD(clReleaseKernel(k));
}

void counts_work_items(const host& h, cl_program g) {
    const cl_kernel k = h.kernel(g, "items");
    const cl_mem out = h.buffer(std::vector<cl_uint>(8 * 8 * 4, 99));
    set(k, 0, out);
    const std::size_t offset[2] = {100, 7}, global[2] = {8, 4}, local[2] = {4, 2};
    GOOD(clEnqueueNDRangeKernel(h.queue, k, 2, offset, global, local, 0, nullptr, nullptr));
    const auto v = h.read<cl_uint>(out, 8 * 8 * 4);
    for (unsigned j = 0; j < 4; ++j)
        for (unsigned i = 0; i < 8; ++i) {
            const cl_uint* o = v.data() + 8 * (j * 8 + i);
            CHECK(o[0] == 2 && o[1] == 100 + i && o[2] == 7 + j && o[3] == j / 2 && o[4] == 2 &&
                  o[5] == 2 && o[6] == 7 && o[7] == 0);
        }
    GOOD(clReleaseMemObject(out));
    GOOD(clReleaseKernel(k));
}

void queries_itself(const host& h, cl_program g) {
    const cl_kernel k = h.kernel(g, "demands");
    std::size_t sizes[3] = {};
    GOOD(clGetKernelWorkGroupInfo(k, h.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof sizes,
                                  sizes, nullptr));
    CHECK(sizes[0] == 8 && sizes[1] == 2 && sizes[2] == 1);
    cl_ulong local = 0;
    GOOD(clGetKernelWorkGroupInfo(k, h.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local,
                                  nullptr));
    CHECK(local == 256);
    char text[64];
    GOOD(clGetKernelInfo(k, CL_KERNEL_ATTRIBUTES, sizeof text, text, nullptr));
    CHECK(std::string(text) == "reqd_work_group_size(8,2,1)");
    const cl_mem out = h.buffer(std::vector<int>{0});
    set(k, 0, out);
    const std::size_t n[2] = {8, 2}, half[2] = {4, 2}, odd[2] = {3, 2};
    GIVES(CL_INVALID_WORK_GROUP_SIZE,
          clEnqueueNDRangeKernel(h.queue, k, 2, nullptr, n, half, 0, nullptr, nullptr));
    GIVES(CL_INVALID_WORK_GROUP_SIZE,
          clEnqueueNDRangeKernel(h.queue, k, 2, nullptr, n, odd, 0, nullptr, nullptr));
    // With the group size that the kernel requires, or with none.
    for (const std::size_t* const group : {n, static_cast<const std::size_t*>(nullptr)}) {
        const int zero = 0;
        GOOD(clEnqueueFillBuffer(h.queue, out, &zero, 4, 0, 4, 0, nullptr, nullptr));
        GOOD(clEnqueueNDRangeKernel(h.queue, k, 2, nullptr, n, group, 0, nullptr, nullptr));
        CHECK(h.read<int>(out, 1)[0] == 1);
    }
    GIVES(CL_INVALID_WORK_GROUP_SIZE,
          clEnqueueNDRangeKernel(h.queue, k, 2, nullptr, odd, nullptr, 0, nullptr, nullptr));
    cl_kernel a = h.kernel(g, "arguments");
    cl_kernel_arg_address_qualifier space = 0;
    GIVES(CL_KERNEL_ARG_INFO_NOT_AVAILABLE,
          clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, 0, nullptr, nullptr));
    GOOD(clReleaseKernel(a));
    const cl_program program = h.build(source, "-cl-kernel-arg-info");
    a = h.kernel(program, "arguments");
    GOOD(clGetKernelArgInfo(a, 4, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, nullptr));
    CHECK(space == CL_KERNEL_ARG_ADDRESS_CONSTANT);
    GOOD(clGetKernelArgInfo(a, 3, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, nullptr));
    CHECK(std::string(text) == "float3");
    GOOD(clGetKernelArgInfo(a, 6, CL_KERNEL_ARG_NAME, sizeof text, text, nullptr));
    CHECK(std::string(text) == "big");
    GOOD(clReleaseKernel(a));
    GOOD(clReleaseProgram(program));
    GOOD(clReleaseMemObject(out));
    GOOD(clReleaseKernel(k));
}

/// Stack frames of functions are aligned for their variables.
void aligns_variables_of_functions(const host& h, cl_program g) {
    const cl_kernel k = h.kernel(g, "aligns");
    const cl_mem out = h.buffer(std::vector<int>{7});
    set(k, 0, out);
    h.run(k, 1);
    CHECK(h.read<int>(out, 1)[0] == 1);
    GOOD(clReleaseMemObject(out));
    GOOD(clReleaseKernel(k));
}

void lets_barriers_order_local_memory(const host& h, cl_program g) {
    const cl_kernel k = h.kernel(g, "passes_on");
    const cl_mem in = h.buffer(std::vector<int>{7, 9});
    const cl_mem out = h.buffer(std::vector<int>(128, -1));
    set(k, 0, in);
    set(k, 1, out);
    h.run(k, 64, 64);
    const auto v = h.read<int>(out, 128);
    for (unsigned i = 0; i < 128; ++i) CHECK(v[i] == (i < 64 ? 7 : 9));
    for (const cl_mem m : {in, out}) GOOD(clReleaseMemObject(m));
    GOOD(clReleaseKernel(k));
}

/// Since OpenCL 2.1 a launch without work items does nothing, without an error.
void runs_no_work_items(const host& h, cl_program g) {
    const cl_kernel k = h.kernel(g, "aligns");
    const cl_mem m = h.buffer(std::vector<int>{7});
    set(k, 0, m);
    const std::size_t empty[2] = {4, 0}, most[1] = {~std::size_t{0}};
    for (const std::size_t* const global : {static_cast<const std::size_t*>(nullptr), empty}) {
        cl_event e = nullptr;
        GOOD(clEnqueueNDRangeKernel(h.queue, k, 2, nullptr, global, nullptr, 0, nullptr, &e));
        GOOD(clWaitForEvents(1, &e));
        cl_int status = -1;
        GOOD(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr));
        CHECK(status == CL_COMPLETE);
        GOOD(clReleaseEvent(e));
    }
    CHECK(h.read<int>(m, 1)[0] == 7);
    GIVES(CL_INVALID_GLOBAL_OFFSET,
          clEnqueueNDRangeKernel(h.queue, k, 1, most, empty, nullptr, 0, nullptr, nullptr));
    GOOD(clReleaseMemObject(m));
    GOOD(clReleaseKernel(k));
}

void flushes_denormals_where_it_is_asked_to(const host& h, cl_program g) {
    const cl_program flushing = h.build(source, "-cl-denorms-are-zero");
    const cl_mem p = h.buffer(std::vector<float>{1.5e-38f, 1});
    for (const cl_program one : {g, flushing}) {
        const cl_kernel k = h.kernel(one, "flushes");
        set(k, 0, p);
        h.run(k, 1);
        CHECK((h.read<float>(p, 2)[1] == 0) == (one == flushing));
        GOOD(clReleaseKernel(k));
    }
    GOOD(clReleaseMemObject(p));
    GOOD(clReleaseProgram(flushing));
}

void gives_each_local_argument_its_own_memory(const host& h, cl_program g) {
    const cl_kernel k = h.kernel(g, "two_locals");
    const cl_mem out = h.buffer(std::vector<cl_long>(16, 0));
    GOOD(clSetKernelArg(k, 0, 16 * 4, nullptr));
    GOOD(clSetKernelArg(k, 1, 16 * 8, nullptr));
    set(k, 2, out);
    cl_int r = 0;
    const cl_kernel copy = clCloneKernel(k, &r);
    GOOD(r);
    h.run(copy, 16, 16);
    const auto v = h.read<cl_long>(out, 16);
    for (int i = 0; i < 16; ++i) CHECK(v[static_cast<unsigned>(i)] == 15 - i + 100 * i);
    GOOD(clReleaseKernel(copy));
    GOOD(clReleaseKernel(k));
    GOOD(clReleaseMemObject(out));
}

void gives_no_local_memory_the_address_of_null(const host& h, cl_program g) {
    const cl_mem out = h.buffer(std::vector<int>(8, 9));
    const cl_kernel arguments = h.kernel(g, "is_null_argument");
    set(arguments, 0, out);
    GOOD(clSetKernelArg(arguments, 1, 4, nullptr));
    GOOD(clSetKernelArg(arguments, 2, 4, nullptr));
    h.run(arguments, 1, 1);
    CHECK((h.read<int>(out, 2) == std::vector<int>{0, 0}));
    GOOD(clReleaseKernel(arguments));

    const cl_kernel variable = h.kernel(g, "is_null_variable");
    set(variable, 0, out);
    for (const int pick : {0, 1}) {
        set(variable, 1, pick);
        h.run(variable, 1, 1);
        CHECK((h.read<int>(out, 2) == std::vector<int>{1 - pick, pick == 0 ? 0 : 7}));
    }
    cl_ulong bytes = 0;
    GOOD(clGetKernelWorkGroupInfo(variable, h.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes,
                                  &bytes, nullptr));
    CHECK(bytes == 4);
    GOOD(clReleaseKernel(variable));

    const cl_program p = h.build(generic_source, "-cl-std=CL3.0");
    const cl_kernel converts = h.kernel(p, "converts_null");
    set(converts, 0, out);
    GOOD(clSetKernelArg(converts, 1, 4, nullptr));
    for (const int pick : {0, 1}) {
        set(converts, 2, pick);
        h.run(converts, 1, 1);
        const std::vector<int> v = h.read<int>(out, 5);
        CHECK(v[0] == 1 - pick && v[1] == 1 - pick && v[2] == pick && v[4] == pick);
        CHECK(pick == 0 || v[3] == 5);
    }
    GOOD(clReleaseKernel(converts));
    const cl_kernel compares = h.kernel(p, "compares_null");
    set(compares, 0, out);
    h.run(compares, 1, 1);
    CHECK(h.read<int>(out, 1)[0] == 3);
    GOOD(clReleaseKernel(compares));
    GOOD(clReleaseProgram(p));
    GOOD(clReleaseMemObject(out));
}

/// One argument can use all the local memory that the device reports.
void gives_a_kernel_all_local_memory(const host& h, cl_program g) {
    cl_ulong all = 0;
    GOOD(clGetDeviceInfo(h.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof all, &all, nullptr));
    const cl_kernel k = h.kernel(g, "two_locals");
    const cl_mem out = h.buffer(std::vector<cl_long>(16, 0));
    GOOD(clSetKernelArg(k, 0, 128, nullptr));
    GOOD(clSetKernelArg(k, 1, all - 128, nullptr));
    set(k, 2, out);
    h.run(k, 16, 16);
    CHECK(h.read<cl_long>(out, 16)[3] == 12 + 300);
    GOOD(clReleaseKernel(k));
    GOOD(clReleaseMemObject(out));
}

void accepts_ptx_in_asm(const host& h, cl_program g) {
    const cl_kernel k = h.kernel(g, "inline_ptx");
    const cl_mem m = h.buffer(std::vector<cl_uint>(64));
    set(k, 0, m);
    h.run(k, 64, 64);
    CHECK(h.read<cl_uint>(m, 64)[33] == 10);
    GOOD(clReleaseKernel(k));
    GOOD(clReleaseMemObject(m));
}

void CL_CALLBACK count(cl_mem, void* p) {
    ++*static_cast<int*>(p);
}

/// An argument does not retain a memory object that the program releases.
void releases_memory_that_is_an_argument(const host& h, cl_program g) {
    const cl_kernel k = h.kernel(g, "inline_ptx");
    const cl_mem m = h.buffer(std::vector<cl_uint>(32));
    int gone = 0;
    GOOD(clSetMemObjectDestructorCallback(m, count, &gone));
    set(k, 0, m);
    GOOD(clReleaseMemObject(m));
    CHECK(gone == 1);
    const std::size_t n = 32;
    GIVES(CL_INVALID_MEM_OBJECT,
          clEnqueueNDRangeKernel(h.queue, k, 1, nullptr, &n, nullptr, 0, nullptr, nullptr));
    GOOD(clReleaseKernel(k));
}

void CL_CALLBACK native(void* p) {
    struct {
        int* memory;
        int value;
    } a;
    std::memcpy(&a, p, sizeof a);
    a.memory[1] = a.value;
}

void runs_native_kernels(const host& h) {
    const cl_mem m = h.buffer(std::vector<int>{1, 2});
    struct {
        cl_mem memory;
        int value;
    } a{m, 77};
    const void* place = &a.memory;
    GOOD(clEnqueueNativeKernel(h.queue, native, &a, sizeof a, 1, &m, &place, 0, nullptr, nullptr));
    CHECK(h.read<int>(m, 2)[1] == 77);
    GOOD(clReleaseMemObject(m));
}

}  // namespace

int main() {
    {
        const host h;
        const cl_program g = h.build(source);
        takes_arguments_of_every_kind(h, g);
        counts_work_items(h, g);
        queries_itself(h, g);
        gives_each_local_argument_its_own_memory(h, g);
        gives_no_local_memory_the_address_of_null(h, g);
        gives_a_kernel_all_local_memory(h, g);
        aligns_variables_of_functions(h, g);
        lets_barriers_order_local_memory(h, g);
        runs_no_work_items(h, g);
        flushes_denormals_where_it_is_asked_to(h, g);
        accepts_ptx_in_asm(h, g);
        releases_memory_that_is_an_argument(h, g);
        runs_native_kernels(h);
        GOOD(clReleaseProgram(g));
    }
    return passed("kernels");
}
