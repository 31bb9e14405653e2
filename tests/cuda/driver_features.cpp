// SPDX-License-Identifier: Apache-2.0
// Driver API: virtual memory, linking of several inputs, textures, graphs, other kinds of launches.
#include "driver_subset.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using address = std::uint64_t;

struct properties {
    int kind, handles, location, device;
    void* other;
    unsigned char rest[8];
};
struct access {
    int location, device, flags;
};
struct launch_config {
    unsigned grid[3], block[3], shared;
    void* stream;
    void* attributes;
    unsigned count;
};
struct kernel_node {
    void* function;
    unsigned grid[3], block[3], shared;
    void** arguments;
    void** extra;
};

extern "C" {
int cuModuleGetTexRef(void**, void*, const char*);
int cuMemAddressReserve(address*, std::size_t, std::size_t, address, std::uint64_t);
int cuMemAddressFree(address, std::size_t);
int cuMemGetAllocationGranularity(std::size_t*, const properties*, int);
int cuMemCreate(void**, std::size_t, const properties*, std::uint64_t);
int cuMemRelease(void*);
int cuMemMap(address, std::size_t, std::size_t, void*, std::uint64_t);
int cuMemUnmap(address, std::size_t);
int cuMemSetAccess(address, std::size_t, const access*, std::size_t);
int cuMemGetInfo_v2(std::size_t*, std::size_t*);
int cuLaunchKernelEx(const launch_config*, void*, void**, void**);
int cuFuncGetAttribute(int*, int, void*);
int cuFuncSetBlockShape(void*, int, int, int);
int cuParamSetv(void*, int, void*, unsigned);
int cuParamSetSize(void*, unsigned);
int cuLaunchGrid(void*, int, int);
int cuGraphCreate(void**, unsigned);
int cuGraphAddKernelNode(void**, void*, void* const*, std::size_t, const kernel_node*);
int cuGraphInstantiateWithFlags(void**, void*, unsigned long long);
int cuGraphLaunch(void*, void*);
int cuGraphExecDestroy(void*);
int cuGraphDestroy(void*);
int cuTexObjectCreate(unsigned long long*, const resource*, const texture*, const void*);
int cuTexObjectDestroy(unsigned long long);
int cuTexRefSetFormat(void*, int, int);
int cuTexRefSetFlags(void*, unsigned);
int cuTexRefSetAddress_v2(std::size_t*, void*, address, std::size_t);
int cuIpcOpenMemHandle(address*, void*, unsigned);
}

static char kernels[] = R"(.version 6.3
.target sm_70
.address_size 64
.extern .func (.param .b32 r) bigger(.param .b32 x);
.global .u32 own = 1;
.global .texref reference;
.visible .entry grow(.param .u64 data) {
    .reg .u32 %r<5>;
    .reg .u64 %d<4>;
    ld.param.u64 %d1, [data];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.u64 %d3, %d1, %d2;
    ld.global.u32 %r2, [%d3];
    {
        .param .b32 x;
        .param .b32 r;
        st.param.b32 [x], %r2;
        call.uni (r), bigger, (x);
        ld.param.b32 %r3, [r];
    }
    ld.global.u32 %r4, [own];
    add.u32 %r3, %r3, %r4;
    st.global.u32 [%d3], %r3;
    ret;
}
.visible .entry fetch(.param .u64 data, .param .u64 object) {
    .reg .u32 %r<9>;
    .reg .u64 %d<5>;
    ld.param.u64 %d1, [data];
    ld.param.u64 %d4, [object];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.u64 %d3, %d1, %d2;
    tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%d4, {%r1}];
    tex.1d.v4.u32.s32 {%r6, %r3, %r4, %r5}, [reference, {%r1}];
    add.u32 %r7, %r2, %r6;
    st.global.u32 [%d3], %r7;
    ret;
}
)";
static char library[] = R"(.version 6.0
.target sm_60
.address_size 64
.global .u32 own = 100;
.visible .func (.param .b32 r) bigger(.param .b32 x) {
    .reg .u32 %r<4>;
    ld.param.b32 %r1, [x];
    ld.global.u32 %r2, [own];
    add.u32 %r3, %r1, %r2;
    st.param.b32 [r], %r3;
    ret;
}
)";

constexpr std::size_t granule = 2 << 20;

static void* linked() {
    void *state = nullptr, *image = nullptr, *module = nullptr;
    std::size_t bytes = 0;
    CHECK(cuLinkCreate_v2(0, nullptr, nullptr, &state) == 0);
    CHECK(cuLinkComplete(state, &image, &bytes) == 1);
    CHECK(cuLinkAddData_v2(state, 1, kernels, sizeof kernels, "kernels", 0, nullptr, nullptr) == 0);
    CHECK(cuLinkAddData_v2(state, 1, library, sizeof library, "library", 0, nullptr, nullptr) == 0);
    CHECK(cuLinkComplete(state, &image, &bytes) == 0 && bytes > sizeof kernels);
    CHECK(cuModuleLoadData(&module, image) == 0);
    CHECK(cuLinkDestroy(state) == 0);
    return module;
}

/// Two adjacent mappings, and a copy across both.
static address mapped(void* handles[2]) {
    properties p{};
    p.kind = 1;
    p.location = 1;
    std::size_t granularity = 0;
    CHECK(cuMemGetAllocationGranularity(&granularity, &p, 0) == 0 && granularity == granule);
    address at = 0;
    CHECK(cuMemAddressReserve(&at, granule + 1, 0, 0, 0) == 1);
    CHECK(cuMemAddressReserve(&at, 2 * granule, 0, 0, 0) == 0);
    CHECK(at == 0x200000000000);  // in every run
    for (int i = 0; i < 2; ++i) {
        CHECK(cuMemCreate(&handles[i], granule, &p, 0) == 0);
        CHECK(cuMemMap(at + i * granule, granule, 0, handles[i], 0) == 0);
    }
    CHECK(cuMemMap(at, granule, 0, handles[0], 0) == 1);
    const access all = {1, 0, 3};
    CHECK(cuMemSetAccess(at, 2 * granule, &all, 1) == 0);
    return at;
}

static void read_back(address from, unsigned expected) {
    unsigned back[32];
    CHECK(cuMemcpyDtoH_v2(back, from, sizeof back) == 0);
    for (const unsigned v : back) CHECK(v == expected);
}

/// A kernel with 90 live values in blocks of 1024 threads: the assembler decides on the number of
/// registers, and the launch must succeed as it does on hardware.
static void launch_with_many_registers(address data) {
    std::string code =
        ".version 6.3\n.target sm_70\n.address_size 64\n"
        ".visible .entry many(.param .u64 data) {\n"
        ".reg .u32 %v<91>;\n.reg .u64 %d;\n.reg .pred %p;\n"
        "ld.param.u64 %d, [data];\n";
    for (int i = 0; i < 90; ++i)
        code += "ld.volatile.global.u32 %v" + std::to_string(i) + ", [%d];\n";
    for (int i = 1; i < 90; ++i) code += "add.u32 %v0, %v0, %v" + std::to_string(i) + ";\n";
    code +=
        "bar.sync 0;\nmov.u32 %v90, %tid.x;\nsetp.lt.u32 %p, %v90, 32;\n"
        "mad.wide.u32 %d, %v90, 4, %d;\n@%p st.global.u32 [%d], %v0;\nret;\n}\n";
    void *module = nullptr, *many = nullptr;
    int resident = 0;
    CHECK(cuModuleLoadData(&module, code.c_str()) == 0);
    CHECK(cuModuleGetFunction(&many, module, "many") == 0);
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&resident, many, 1024, 0) == 0);
    CHECK(resident == 1);
    // The estimate for PTX is that 90 registers are live; ptxas adds values as it loads them.
    int registers = 0;
    constexpr int number_of_registers = 4;
    CHECK(cuFuncGetAttribute(&registers, number_of_registers, many) == 0);
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&resident, many, 256, 0) == 0);
    CHECK(resident == (registers > 64 ? 2 : 4));
    void* arguments[] = {&data};
    CHECK(cuLaunchKernel(many, 1, 1, 1, 1024, 1, 1, 0, nullptr, arguments, nullptr) == 0);
    CHECK(cuCtxSynchronize() == 0);
}

int main() {
    void *context = nullptr, *grow = nullptr, *fetch = nullptr, *handles[2];
    int can = 0;
    CHECK(cuInit(0) == 0);
    CHECK(cuDevicePrimaryCtxRetain(&context, 0) == 0 && cuCtxSetCurrent(context) == 0);
    CHECK(cuDeviceGetAttribute(&can, 102, 0) == 0 && can == 1);
    void* const module = linked();
    CHECK(cuModuleGetFunction(&grow, module, "grow") == 0);
    CHECK(cuModuleGetFunction(&fetch, module, "fetch") == 0);

    std::size_t before = 0, after = 0, total = 0;
    CHECK(cuMemGetInfo_v2(&before, &total) == 0);
    const address at = mapped(handles);
    CHECK(cuMemGetInfo_v2(&after, &total) == 0 && before - after == 2 * granule);
    // 16 elements in each mapping.
    const address data = at + granule - 64;
    unsigned start[32];
    for (unsigned& v : start) v = 5;
    CHECK(cuMemcpyHtoD_v2(data, start, sizeof start) == 0);
    address argument = data;
    void* arguments[] = {&argument};
    CHECK(cuLaunchKernel(grow, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr) == 0);
    read_back(data, 106);
    const launch_config config = {{1, 1, 1}, {32, 1, 1}, 0, nullptr, nullptr, 0};
    CHECK(cuLaunchKernelEx(&config, grow, arguments, nullptr) == 0);
    read_back(data, 207);
    CHECK(cuFuncSetBlockShape(grow, 32, 1, 1) == 0 && cuParamSetSize(grow, 8) == 0 &&
          cuParamSetv(grow, 0, &argument, 8) == 0 && cuLaunchGrid(grow, 1, 1) == 0);
    read_back(data, 308);

    void *graph = nullptr, *nodes[2], *exec = nullptr;
    const kernel_node node = {grow, {1, 1, 1}, {32, 1, 1}, 0, arguments, nullptr};
    CHECK(cuGraphCreate(&graph, 0) == 0);
    CHECK(cuGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &node) == 0);
    CHECK(cuGraphAddKernelNode(&nodes[1], graph, nodes, 1, &node) == 0);
    CHECK(cuGraphInstantiateWithFlags(&exec, graph, 0) == 0);
    CHECK(cuGraphLaunch(exec, nullptr) == 0 && cuCtxSynchronize() == 0);
    read_back(data, 510);
    CHECK(cuGraphExecDestroy(exec) == 0 && cuGraphDestroy(graph) == 0);

    launch_with_many_registers(data);
    read_back(data, 90 * 510);

    // The same values through an object and a reference.
    address numbers = 0;
    CHECK(cuMemAlloc_v2(&numbers, sizeof start) == 0);
    CHECK(cuMemcpyHtoD_v2(numbers, start, sizeof start) == 0);
    resource r{};
    r.type = 2;
    r.linear = {numbers, 3, 1, sizeof start};
    texture t{};
    t.flags = 1;
    unsigned long long object = 0;
    CHECK(cuTexObjectCreate(&object, &r, &t, nullptr) == 0);
    void* reference = nullptr;
    CHECK(cuModuleGetTexRef(&reference, module, "reference") == 0);
    CHECK(cuTexRefSetFormat(reference, 3, 1) == 0 && cuTexRefSetFlags(reference, 1) == 0);
    CHECK(cuTexRefSetAddress_v2(nullptr, reference, numbers, sizeof start) == 0);
    void* both[] = {&argument, &object};
    CHECK(cuLaunchKernel(fetch, 1, 1, 1, 32, 1, 1, 0, nullptr, both, nullptr) == 0);
    read_back(data, 10);
    CHECK(cuTexObjectDestroy(object) == 0);

    // Handles of other processes are rejected without side effects.
    char handle[64] = {};
    CHECK(cuIpcOpenMemHandle(&argument, handle, 1) == 801);
    // Memory persists while it is mapped, and a second mapping has the same contents.
    CHECK(cuMemFree_v2(at) == 1);
    CHECK(cuMemUnmap(at + granule, granule) == 0);
    CHECK(cuMemMap(at + granule, granule, 0, handles[0], 0) == 0);
    CHECK(cuMemRelease(handles[0]) == 0 && cuMemRelease(handles[1]) == 0);
    const access all = {1, 0, 3};
    CHECK(cuMemSetAccess(at + granule, granule, &all, 1) == 0);
    unsigned same[16];
    CHECK(cuMemcpyDtoH_v2(same, at + 2 * granule - 64, sizeof same) == 0);
    for (const unsigned v : same) CHECK(v == 10);
    CHECK(cuMemUnmap(at, 2 * granule) == 0);
    CHECK(cuMemAddressFree(at, 2 * granule) == 0);
    CHECK(cuMemGetInfo_v2(&after, &total) == 0 && before - after == 512);
    std::puts("driver_features: passed");
}
