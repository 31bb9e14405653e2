// SPDX-License-Identifier: Apache-2.0
// Buffers: transfers, rectangles, fills, maps, sub-buffers, shared virtual memory.
#include "tests/opencl/host.h"

#include <numeric>

namespace {

std::vector<int> count_up(std::size_t n, int from = 0) {
    std::vector<int> v(n);
    std::iota(v.begin(), v.end(), from);
    return v;
}

void moves_bytes(const host& h) {
    const cl_mem a = h.buffer(count_up(64)), b = h.buffer(count_up(64, 1000));
    GOOD(clEnqueueCopyBuffer(h.queue, a, b, 16 * 4, 8 * 4, 4 * 4, 0, nullptr, nullptr));
    const auto v = h.read<int>(b, 64);
    CHECK(v[7] == 1007 && v[8] == 16 && v[11] == 19 && v[12] == 1012);
    GIVES(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(h.queue, a, a, 0, 8, 16, 0, nullptr, nullptr));
    GIVES(CL_INVALID_VALUE, clEnqueueCopyBuffer(h.queue, a, b, 0, 250, 16, 0, nullptr, nullptr));
    const short pattern[2] = {-1, 7};
    GOOD(clEnqueueFillBuffer(h.queue, a, pattern, 4, 8, 16, 0, nullptr, nullptr));
    const auto f = h.read<short>(a, 128);
    CHECK(f[2] == 1 && f[4] == -1 && f[5] == 7 && f[10] == -1 && f[12] == 6);
    GIVES(CL_INVALID_VALUE, clEnqueueFillBuffer(h.queue, a, pattern, 3, 0, 3, 0, nullptr, nullptr));
    GOOD(clReleaseMemObject(a));
    GOOD(clReleaseMemObject(b));
}

void moves_rectangles(const host& h) {
    // 4 slices of 4 rows of 8 bytes.
    std::vector<unsigned char> all(128);
    std::iota(all.begin(), all.end(), 0);
    const cl_mem m = h.buffer(all);
    const std::size_t from[3] = {2, 1, 1}, to[3] = {0, 0, 0}, region[3] = {3, 2, 2};
    std::vector<unsigned char> got(12, 0);
    GOOD(clEnqueueReadBufferRect(h.queue, m, CL_TRUE, from, to, region, 8, 32, 0, 0, got.data(), 0,
                                 nullptr, nullptr));
    for (unsigned z = 0; z < 2; ++z)
        for (unsigned y = 0; y < 2; ++y)
            for (unsigned x = 0; x < 3; ++x)
                CHECK(got[z * 6 + y * 3 + x] == (z + 1) * 32 + (y + 1) * 8 + x + 2);
    const std::size_t corner[3] = {5, 2, 2};
    GOOD(clEnqueueWriteBufferRect(h.queue, m, CL_TRUE, corner, to, region, 8, 32, 0, 0, got.data(),
                                  0, nullptr, nullptr));
    const std::size_t origin[3] = {0, 0, 0};
    GOOD(clEnqueueCopyBufferRect(h.queue, m, m, corner, origin, region, 8, 32, 8, 32, 0, nullptr,
                                 nullptr));
    const auto v = h.read<unsigned char>(m, 128);
    CHECK(v[2 * 32 + 2 * 8 + 5] == got[0] && v[3 * 32 + 3 * 8 + 7] == got[11]);
    CHECK(v[0] == got[0] && v[32 + 8 + 2] == got[11]);
    const std::size_t beyond[3] = {6, 3, 3};
    GIVES(CL_INVALID_VALUE, clEnqueueReadBufferRect(h.queue, m, CL_TRUE, beyond, to, region, 8, 32,
                                                    0, 0, got.data(), 0, nullptr, nullptr));
    GOOD(clReleaseMemObject(m));
}

void maps(const host& h) {
    const cl_mem m = h.buffer(count_up(32));
    cl_int r = 0;
    auto* p = static_cast<int*>(clEnqueueMapBuffer(h.queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                                   16, 32, 0, nullptr, nullptr, &r));
    GOOD(r);
    CHECK(p[0] == 4 && p[7] == 11);
    p[0] = -4;
    GOOD(clEnqueueUnmapMemObject(h.queue, m, p, 0, nullptr, nullptr));
    GIVES(CL_INVALID_VALUE, clEnqueueUnmapMemObject(h.queue, m, p, 0, nullptr, nullptr));
    const auto v = h.read<int>(m, 32);
    CHECK(v[3] == 3 && v[4] == -4 && v[5] == 5);
    GOOD(clReleaseMemObject(m));
    // With a host pointer, regions are mapped in place.
    std::vector<int> own = count_up(16, 50);
    const cl_mem u = clCreateBuffer(h.context, CL_MEM_USE_HOST_PTR, 64, own.data(), &r);
    GOOD(r);
    const int seven = 7;
    GOOD(clEnqueueFillBuffer(h.queue, u, &seven, 4, 0, 8, 0, nullptr, nullptr));
    p = static_cast<int*>(
        clEnqueueMapBuffer(h.queue, u, CL_TRUE, CL_MAP_READ, 0, 64, 0, nullptr, nullptr, &r));
    CHECK(p == own.data() && own[1] == 7 && own[2] == 52);
    GOOD(clEnqueueUnmapMemObject(h.queue, u, p, 0, nullptr, nullptr));
    GOOD(clReleaseMemObject(u));
}

void divides_buffers(const host& h) {
    const cl_mem m = h.buffer(count_up(512));
    cl_int r = 0;
    cl_buffer_region region{1024, 256};
    const cl_mem s = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &r);
    GOOD(r);
    GOOD(clReleaseMemObject(m));  // the sub-buffer retains it
    CHECK(h.read<int>(s, 64)[0] == 256);
    region.origin = 4;
    CHECK(clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &r) == nullptr);
    GIVES(CL_MISALIGNED_SUB_BUFFER_OFFSET, r);
    region.origin = 0;
    CHECK(clCreateSubBuffer(s, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &r) == nullptr);
    GIVES(CL_INVALID_MEM_OBJECT, r);
    std::size_t offset = 0;
    GOOD(clGetMemObjectInfo(s, CL_MEM_OFFSET, sizeof offset, &offset, nullptr));
    CHECK(offset == 1024);
    GOOD(clReleaseMemObject(s));
}

void CL_CALLBACK note(cl_mem, void* p) {
    ++*static_cast<int*>(p);
}

void rejects_and_reports(const host& h) {
    cl_int r = 0;
    CHECK(clCreateBuffer(h.context, 0, 0, nullptr, &r) == nullptr);
    GIVES(CL_INVALID_BUFFER_SIZE, r);
    CHECK(clCreateBuffer(h.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, nullptr, &r) ==
          nullptr);
    GIVES(CL_INVALID_VALUE, r);
    CHECK(clCreateBuffer(h.context, CL_MEM_COPY_HOST_PTR, 4, nullptr, &r) == nullptr);
    GIVES(CL_INVALID_HOST_PTR, r);
    const cl_mem m = clCreateBuffer(h.context, CL_MEM_HOST_NO_ACCESS, 4, nullptr, &r);
    int v = 0, called = 0;
    GIVES(CL_INVALID_OPERATION,
          clEnqueueReadBuffer(h.queue, m, CL_TRUE, 0, 4, &v, 0, nullptr, nullptr));
    GOOD(clSetMemObjectDestructorCallback(m, note, &called));
    GOOD(clEnqueueMigrateMemObjects(h.queue, 1, &m, 0, 0, nullptr, nullptr));
    GOOD(clFinish(h.queue));
    GOOD(clReleaseMemObject(m));
    CHECK(called == 1);
    GIVES(CL_INVALID_MEM_OBJECT, clReleaseMemObject(m));
}

void shares_virtual_memory(const host& h) {
    auto* p = static_cast<int*>(clSVMAlloc(h.context, CL_MEM_READ_WRITE, 256, 0));
    CHECK(p != nullptr);
    GOOD(clEnqueueSVMMap(h.queue, CL_TRUE, CL_MAP_WRITE, p, 256, 0, nullptr, nullptr));
    for (int i = 0; i < 64; ++i) p[i] = i;
    GOOD(clEnqueueSVMUnmap(h.queue, p, 0, nullptr, nullptr));
    const cl_program g = h.build("kernel void twice(global int* p) { p[get_global_id(0)] *= 2; }");
    const cl_kernel k = h.kernel(g, "twice");
    GOOD(clSetKernelArgSVMPointer(k, 0, p));
    h.run(k, 64);
    GOOD(clFinish(h.queue));
    CHECK(p[63] == 126);
    const int one = 1;
    GOOD(clEnqueueSVMMemFill(h.queue, p, &one, 4, 16, 0, nullptr, nullptr));
    GOOD(clEnqueueSVMMemcpy(h.queue, CL_TRUE, p + 8, p, 16, 0, nullptr, nullptr));
    CHECK(p[8] == 1 && p[12] == 24);
    clSVMFree(h.context, p);
    GOOD(clReleaseKernel(k));
    GOOD(clReleaseProgram(g));
}

void CL_CALLBACK free_them(cl_command_queue, cl_uint n, void** pointers, void* context) {
    for (cl_uint i = 0; i < n; ++i) clSVMFree(static_cast<cl_context>(context), pointers[i]);
}

/// A kernel accesses memory through a pointer stored in memory, declared by clSetKernelExecInfo.
void reaches_memory_through_pointers(const host& h) {
    auto* list = static_cast<int**>(clSVMAlloc(h.context, CL_MEM_READ_WRITE, 64, 0));
    auto* numbers = static_cast<int*>(
        clSVMAlloc(h.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0));
    CHECK(list != nullptr && numbers != nullptr);
    numbers[3] = 5;
    GOOD(clEnqueueSVMMemcpy(h.queue, CL_TRUE, list, &numbers, sizeof numbers, 0, nullptr, nullptr));
    const cl_program g =
        h.build("kernel void through(global int* global* p) { p[0][3] *= 7; }", "-cl-std=CL3.0");
    const cl_kernel k = h.kernel(g, "through");
    GOOD(clSetKernelArgSVMPointer(k, 0, list));
    void* reached[] = {numbers};
    GOOD(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, reached));
    h.run(k, 1);
    GOOD(clFinish(h.queue));
    CHECK(numbers[3] == 35);
    GOOD(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, nullptr));
    GIVES(CL_INVALID_VALUE, clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, nullptr));
    const void* moved[] = {list, numbers};
    GOOD(clEnqueueSVMMigrateMem(h.queue, 2, moved, nullptr, 0, 0, nullptr, nullptr));
    GIVES(CL_INVALID_VALUE,
          clEnqueueSVMMigrateMem(h.queue, 0, nullptr, nullptr, 0, 0, nullptr, nullptr));
    void* first[] = {list};
    GOOD(clEnqueueSVMFree(h.queue, 1, first, nullptr, nullptr, 0, nullptr, nullptr));
    void* second[] = {numbers};
    GOOD(clEnqueueSVMFree(h.queue, 1, second, free_them, h.context, 0, nullptr, nullptr));
    GOOD(clFinish(h.queue));
    GOOD(clReleaseKernel(k));
    GOOD(clReleaseProgram(g));
}

/// A buffer or image created from shared virtual memory uses that memory in place.
void makes_objects_of_shared_memory(const host& h) {
    auto* const p = static_cast<int*>(
        clSVMAlloc(h.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 512, 0));
    CHECK(p != nullptr);
    for (int i = 0; i < 128; ++i) p[i] = i;
    cl_int r = 0;
    CHECK(clCreateBuffer(h.context, CL_MEM_USE_HOST_PTR, 260, p + 64, &r) == nullptr);
    GIVES(CL_INVALID_BUFFER_SIZE, r);
    const cl_mem m = clCreateBuffer(h.context, CL_MEM_USE_HOST_PTR, 256, p + 64, &r);
    GOOD(r);
    cl_bool uses = CL_FALSE;
    GOOD(clGetMemObjectInfo(m, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, nullptr));
    CHECK(uses == CL_TRUE);
    cl_image_desc d{};
    d.image_type = CL_MEM_OBJECT_IMAGE2D;
    d.image_width = 4;
    d.image_height = 2;
    d.image_row_pitch = 32;
    const cl_image_format f{CL_R, CL_SIGNED_INT32};
    const cl_mem image = clCreateImage(h.context, CL_MEM_USE_HOST_PTR, &f, &d, p, &r);
    GOOD(r);
    const cl_program g = h.build(
        "kernel void twice(global int* p, global int* q, write_only image2d_t t) {"
        "p[get_global_id(0)] *= 2; q[get_global_id(0)] *= 2;"
        "write_imagei(t, (int2)(3, 1), (int4)(77)); }");
    const cl_kernel k = h.kernel(g, "twice");
    set(k, 0, m);
    GOOD(clSetKernelArgSVMPointer(k, 1, p + 64));
    set(k, 2, image);
    h.run(k, 64);
    GOOD(clFinish(h.queue));
    CHECK(p[64 + 5] == 69 * 4);
    CHECK(p[8 + 3] == 77);
    CHECK(clEnqueueMapBuffer(h.queue, m, CL_TRUE, CL_MAP_READ, 4, 4, 0, nullptr, nullptr, &r) ==
          p + 65);
    GOOD(r);
    GOOD(clEnqueueUnmapMemObject(h.queue, m, p + 65, 0, nullptr, nullptr));
    GOOD(clFinish(h.queue));
    GOOD(clReleaseMemObject(m));
    GOOD(clReleaseMemObject(image));
    clSVMFree(h.context, p);
    GOOD(clReleaseKernel(k));
    GOOD(clReleaseProgram(g));
}

}  // namespace

int main() {
    {
        const host h;
        moves_bytes(h);
        moves_rectangles(h);
        maps(h);
        divides_buffers(h);
        rejects_and_reports(h);
        shares_virtual_memory(h);
        reaches_memory_through_pointers(h);
        makes_objects_of_shared_memory(h);
    }
    return passed("buffers");
}
