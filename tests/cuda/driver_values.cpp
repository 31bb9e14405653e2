// SPDX-License-Identifier: Apache-2.0
// Driver API: streams that wait for values in memory, concurrent atomics of host and GPU,
// attributes of addresses, compilation logs.
#include "driver_subset.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

using address = std::uint64_t;

struct memory_operation {
    unsigned what;
    address at;
    std::uint64_t value;
    unsigned flags;
    std::uint64_t reserved[2];
};

extern "C" {
int cuCtxGetDevice_v2(int*, void*);
int cuCtxSynchronize_v2(void*);
int cuMemHostGetFlags(unsigned*, void*);
int cuStreamCreate(void**, unsigned);
int cuStreamQuery(void*);
int cuStreamSynchronize(void*);
int cuStreamWaitValue32_v2(void*, address, unsigned, unsigned);
int cuStreamWaitValue64_v2(void*, address, std::uint64_t, unsigned);
int cuStreamWriteValue32_v2(void*, address, unsigned, unsigned);
int cuStreamBatchMemOp_v2(void*, unsigned, const memory_operation*, unsigned);
int cuPointerGetAttribute(void*, int, address);
int cuPointerGetAttributes(unsigned, const int*, void**, address);
}

static char text[] = R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry count(.param .u64 counter, .param .u32 rounds) {
    .reg .u32 %r<3>;
    .reg .u64 %d<2>;
    .reg .pred %p;
    ld.param.u64 %d1, [counter];
    ld.param.u32 %r1, [rounds];
AGAIN:
    red.sys.global.add.u32 [%d1], 1;
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p, %r1, 0;
    @%p bra AGAIN;
    ret;
}
.visible .entry await(.param .u64 flag) {
    .reg .u32 %r<2>;
    .reg .u64 %d<2>;
    .reg .pred %p;
    ld.param.u64 %d1, [flag];
AGAIN:
    atom.sys.global.add.u32 %r1, [%d1], 0;
    setp.eq.u32 %p, %r1, 0;
    @%p bra AGAIN;
    st.global.u32 [%d1+4], %r1;
    ret;
}
)";

static address address_of(void* p) {
    return reinterpret_cast<address>(p);
}

static void wait_for_values() {
    unsigned* flags = nullptr;
    CHECK(cuMemHostAlloc(reinterpret_cast<void**>(&flags), 64, 2) == 0);
    std::memset(flags, 0, 64);
    unsigned how = 0;
    CHECK(cuMemHostGetFlags(&how, flags) == 0 && (how & 2) != 0);
    void *first = nullptr, *second = nullptr;
    CHECK(cuStreamCreate(&first, 1) == 0 && cuStreamCreate(&second, 1) == 0);
    const address at = address_of(flags);
    // The first stream waits for the host, the second for the first.
    CHECK(cuStreamWaitValue32_v2(second, at + 4, 5, 0) == 0);
    CHECK(cuStreamWriteValue32_v2(second, at + 8, 9, 0) == 0);
    CHECK(cuStreamWaitValue32_v2(first, at, 1, 1) == 0);
    CHECK(cuStreamWriteValue32_v2(first, at + 4, 6, 0) == 0);
    for (int i = 0; i < 20; ++i) CHECK(flags[1] == 0 && flags[2] == 0);
    __atomic_store_n(&flags[0], 1u, __ATOMIC_RELEASE);
    CHECK(cuStreamSynchronize(second) == 0);
    CHECK(flags[1] == 6 && flags[2] == 9);
    CHECK(cuStreamSynchronize(first) == 0 && cuStreamQuery(first) == 0);

    // In sequence: bits of a 64-bit word, and the nor condition.
    constexpr unsigned wait_64 = 4, write_64 = 5, write_32 = 2, wait_32 = 1, any_bit = 2, nor = 3;
    const memory_operation several[] = {{write_64, at + 16, 1ull << 40, 0, {}},
                                        {wait_64, at + 16, 3ull << 40, any_bit, {}},
                                        {wait_32, at + 24, 0xffff0000, nor, {}},
                                        {write_32, at + 28, 3, 0, {}}};
    CHECK(cuStreamBatchMemOp_v2(first, 4, several, 0) == 0);
    CHECK(cuStreamSynchronize(first) == 0 && flags[7] == 3);
    CHECK(cuStreamWaitValue32_v2(first, at + 2, 0, 0) == 1);
    CHECK(cuStreamWaitValue64_v2(first, at, 0, 1 << 20) == 1);
}

static void count_at_the_same_time(void* function) {
    unsigned* counter = nullptr;
    CHECK(cuMemHostAlloc(reinterpret_cast<void**>(&counter), 4, 2) == 0);
    *counter = 0;
    unsigned rounds = 300, own = 0;
    void* arguments[] = {&counter, &rounds};
    CHECK(cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr) == 0);
    bool done = false;
    std::thread adding([&] {
        for (; !__atomic_load_n(&done, __ATOMIC_ACQUIRE); ++own)
            __atomic_fetch_add(counter, 1u, __ATOMIC_SEQ_CST);
    });
    CHECK(cuStreamSynchronize(nullptr) == 0);
    __atomic_store_n(&done, true, __ATOMIC_RELEASE);
    adding.join();
    CHECK(*counter == 2 * 64 * rounds + own);
}

static void report_addresses(void* context) {
    address data = 0;
    CHECK(cuMemAlloc_v2(&data, 1000) == 0);
    const int which[] = {2, 8, 9, 11, 12};
    unsigned kind = 0, managed = 7;
    int device = -1;
    address begin = 0;
    std::size_t bytes = 0;
    void* to[] = {&kind, &managed, &device, &begin, &bytes};
    CHECK(cuPointerGetAttributes(5, which, to, data + 100) == 0);
    CHECK(kind == 2 && managed == 0 && device == 0 && begin == data && bytes == 1000);
    int of_the_stack = 0;
    CHECK(cuPointerGetAttributes(1, which, to, address_of(&of_the_stack)) == 0 && kind == 0);
    CHECK(cuPointerGetAttribute(&kind, 2, address_of(&of_the_stack)) == 1);
    CHECK(cuMemFree_v2(data) == 0);
    CHECK(cuCtxGetDevice_v2(&device, context) == 0 && device == 0);
    CHECK(cuCtxSynchronize_v2(context) == 0 && cuCtxSynchronize_v2(&device) == 201);
}

/// The logs of a compilation, with buffers of a given size.
struct compilation_log {
    char errors[200], information[20];
    int options[5] = {2, 3, 4, 5, 6};
    void* values[5];

    compilation_log() {
        std::memset(errors, 'x', sizeof errors);
        std::memset(information, 'x', sizeof information);
        values[0] = nullptr;
        values[1] = information;
        values[2] = reinterpret_cast<void*>(sizeof information);
        values[3] = errors;
        values[4] = reinterpret_cast<void*>(sizeof errors);
    }
};

static void report_compilations(void** module) {
    compilation_log bad, good, linked;
    CHECK(cuModuleLoadDataEx(module, ".version 6.3\n.target sm_70\nnonsense", 5, bad.options,
                             bad.values) == 218);
    const std::size_t length = std::strlen(bad.errors);
    CHECK(length > 10 && length < sizeof bad.errors && bad.information[0] == 0);
    CHECK(bad.values[4] == reinterpret_cast<void*>(length) && bad.values[2] == nullptr);
    CHECK(cuModuleLoadDataEx(module, text, 5, good.options, good.values) == 0);
    CHECK(good.errors[0] == 0 && good.information[0] == 0);
    void *linker = nullptr, *code = nullptr;
    CHECK(cuLinkCreate_v2(5, linked.options, linked.values, &linker) == 0);
    CHECK(cuLinkAddData_v2(linker, 1, text, sizeof text, "count", 0, nullptr, nullptr) == 0);
    CHECK(cuLinkComplete(linker, &code, nullptr) == 0 && code != nullptr);
    CHECK(linked.errors[0] == 0 && linked.information[0] == 0);
    CHECK(cuLinkAddData_v2(linker, 0, text, sizeof text, "code", 0, nullptr, nullptr) == 200);
    CHECK(cuLinkAddData_v2(linker, 3, text, sizeof text, "object", 0, nullptr, nullptr) == 200);
    CHECK(cuLinkAddData_v2(linker, 5, text, sizeof text, "bitcode", 0, nullptr, nullptr) == 801);
    CHECK(cuLinkDestroy(linker) == 0);
}

/// A kernel waits for a value that the host writes while it runs.
static void host_releases_kernel(void* module_of_kernels) {
    void *kernel = nullptr, *memory = nullptr;
    CHECK(cuModuleGetFunction(&kernel, module_of_kernels, "await") == 0);
    CHECK(cuMemHostAlloc(&memory, 8, 2) == 0);
    auto* const flag = static_cast<volatile unsigned*>(memory);
    flag[0] = flag[1] = 0;
    address at = address_of(memory);
    void* parameters[] = {&at};
    CHECK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr) == 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    flag[0] = 5;
    CHECK(cuCtxSynchronize() == 0);
    CHECK(flag[1] == 5);
}

int main() {
    void *context = nullptr, *module = nullptr, *function = nullptr;
    int can = 0;
    CHECK(cuInit(0) == 0);
    CHECK(cuDeviceGetAttribute(&can, 122, 0) == 0 && can == 1);
    CHECK(cuDevicePrimaryCtxRetain(&context, 0) == 0);
    CHECK(cuCtxSetCurrent(context) == 0);
    wait_for_values();
    report_compilations(&module);
    CHECK(cuModuleGetFunction(&function, module, "count") == 0);
    count_at_the_same_time(function);
    report_addresses(context);
    void* module_that_waits = nullptr;
    CHECK(cuModuleLoadData(&module_that_waits, text) == 0);
    host_releases_kernel(module_that_waits);
    std::puts("driver_values: passed");
}
