// SPDX-License-Identifier: Apache-2.0
// Both APIs: settings of contexts and streams, attributes of addresses and of ranges of managed
// memory, PCI identifiers, and calls with null pointers.
#include "driver_subset.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using address = std::uint64_t;

struct location {
    int kind, id;
};
struct array_description {
    std::size_t width, height;
    int format;
    unsigned channels;
};
struct channel {
    int x, y, z, w, kind;
};

extern "C" {
int cuCtxSetCacheConfig(int);
int cuCtxGetCacheConfig(int*);
int cuCtxGetFlags(unsigned*);
int cuCtxSetLimit(int, std::size_t);
int cuCtxGetLimit(std::size_t*, int);
int cuCtxCreate_v2(void**, unsigned, int);
int cuCtxDestroy_v2(void*);
int cuCtxPushCurrent_v2(void*);
int cuDevicePrimaryCtxRetain(void**, int);
int cuDeviceGetByPCIBusId(int*, const char*);
int cuMemGetInfo_v2(std::size_t*, std::size_t*);
int cuMemAllocManaged(address*, std::size_t, unsigned);
int cuMemAllocAsync(address*, std::size_t, void*);
int cuMemAdvise_v2(address, std::size_t, int, location);
int cuMemPrefetchAsync_v2(address, std::size_t, location, unsigned, void*);
int cuMemRangeGetAttribute(void*, std::size_t, int, address, std::size_t);
int cuMemRangeGetAttributes(void**, std::size_t*, int*, std::size_t, address, std::size_t);
int cuDeviceGetDefaultMemPool(void**, int);
int cuPointerGetAttribute(void*, int, address);
int cuPointerGetAttributes(unsigned, const int*, void**, address);
int cuPointerSetAttribute(const void*, int, address);
int cuStreamCreate(void**, unsigned);
int cuStreamSynchronize(void*);
int cuStreamGetAttribute(void*, int, void*);
int cuStreamSetAttribute(void*, int, const void*);
int cuStreamCopyAttributes(void*, void*);
int cuArrayCreate_v2(void**, const array_description*);
int cudaMemcpyToArray(void*, std::size_t, std::size_t, const void*, std::size_t, int);
int cudaMemcpyFromArray(void*, const void*, std::size_t, std::size_t, std::size_t, int);
int cudaMemcpyArrayToArray(void*, std::size_t, std::size_t, const void*, std::size_t, std::size_t,
                           std::size_t, int);
}

static constexpr int invalid_value = 1, invalid_device = 101, not_supported = 801;

static void contexts(void* context) {
    int preference = -1;
    OK(cuCtxSetCacheConfig(2));
    OK(cuCtxGetCacheConfig(&preference));
    CHECK(preference == 2);
    unsigned flags = 99;
    OK(cuCtxGetFlags(&flags));
    CHECK(flags == 4);  // as it was created
    std::size_t bytes = 0;
    OK(cuCtxSetLimit(1, 123456));  // the buffer of printf
    OK(cuCtxGetLimit(&bytes, 1));
    CHECK(bytes == 123456);
    OK(cuMemGetInfo_v2(nullptr, &bytes));
    CHECK(bytes != 0);
    // Memory belongs to the context in which it was allocated.
    address mine = 0;
    OK(cuMemAlloc_v2(&mine, 64));
    void *owner = nullptr, *primary = nullptr;
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    OK(cuCtxPushCurrent_v2(primary));
    address other = 0;
    OK(cuMemAlloc_v2(&other, 64));
    OK(cuPointerGetAttribute(&owner, 1, mine));
    CHECK(owner == context && owner != primary);
    OK(cuPointerGetAttribute(&owner, 1, other));
    CHECK(owner == primary);
    OK(cuCtxDestroy_v2(context));
    OK(cuPointerGetAttribute(&owner, 1, other));
    CHECK(owner == primary);
}

static void bus_identifiers() {
    int device = -1;
    for (const char* id : {"0000:01:00.0", "0:1:0.0", "0:1:0", "01:00.0", "1:0.0"}) {
        device = -1;
        OK(cuDeviceGetByPCIBusId(&device, id));
        CHECK(device == 0);
    }
    CHECK(cuDeviceGetByPCIBusId(&device, "0:2:0") == invalid_device);
    CHECK(cuDeviceGetByPCIBusId(&device, "1:1:0") == invalid_device);
    CHECK(cuDeviceGetByPCIBusId(&device, "0:1:0.0.0") == invalid_value);
    CHECK(cuDeviceGetByPCIBusId(&device, "") == invalid_value);
}

static void streams() {
    void *a = nullptr, *b = nullptr;
    OK(cuStreamCreate(&a, 0));
    OK(cuStreamCreate(&b, 0));
    unsigned char value[64] = {};
    int policy = 0;
    OK(cuStreamGetAttribute(a, 3, &policy));
    CHECK(policy == 1);
    policy = 3;
    OK(cuStreamSetAttribute(a, 3, &policy));
    policy = 9;
    CHECK(cuStreamSetAttribute(a, 3, &policy) == invalid_value);
    std::memset(value, 7, 32);
    OK(cuStreamSetAttribute(a, 1, value));
    OK(cuStreamCopyAttributes(b, a));
    OK(cuStreamGetAttribute(b, 3, &policy));
    CHECK(policy == 3);
    std::memset(value, 1, sizeof value);
    OK(cuStreamGetAttribute(b, 1, value));
    CHECK(value[0] == 7 && value[31] == 7 && value[32] == 1);
    CHECK(cuStreamGetAttribute(b, 2, value) == invalid_value);
}

static void addresses() {
    address gpu = 0, managed = 0, pooled = 0;
    OK(cuMemAlloc_v2(&gpu, 100));
    OK(cuMemAllocManaged(&managed, 100, 1));
    OK(cuMemAllocAsync(&pooled, 100, nullptr));
    void *host = &host, *pool = nullptr, *default_pool = nullptr;
    CHECK(cuPointerGetAttribute(&host, 4, gpu) == invalid_value);
    OK(cuPointerGetAttribute(&host, 4, managed));
    CHECK(host == reinterpret_cast<void*>(managed));
    host = &host;
    const int kinds[] = {4};
    void* to[] = {&host};
    OK(cuPointerGetAttributes(1, kinds, to, gpu));
    CHECK(host == nullptr);
    OK(cuDeviceGetDefaultMemPool(&default_pool, 0));
    OK(cuPointerGetAttribute(&pool, 17, pooled + 4));
    CHECK(pool == default_pool);
    OK(cuPointerGetAttribute(&pool, 17, gpu));
    CHECK(pool == nullptr);
    std::size_t bytes = 0;
    OK(cuPointerGetAttribute(&bytes, 18, gpu + 8));
    CHECK(bytes >= 100);
    unsigned synchronous = 1;
    OK(cuPointerGetAttribute(&synchronous, 6, gpu));
    CHECK(synchronous == 0);
    synchronous = 1;
    OK(cuPointerSetAttribute(&synchronous, 6, gpu));
    synchronous = 0;
    OK(cuPointerGetAttribute(&synchronous, 6, gpu + 4));
    CHECK(synchronous == 1);
    CHECK(cuPointerGetAttribute(&bytes, 99, gpu) == invalid_value);
}

static int attribute(int which, address p, std::size_t bytes) {
    int value = 99;
    OK(cuMemRangeGetAttribute(&value, sizeof value, which, p, bytes));
    return value;
}

static void managed_ranges() {
    constexpr std::size_t page = 4096;
    constexpr int nowhere = -2, host = -1;
    address p = 0, gpu = 0;
    OK(cuMemAllocManaged(&p, 4 * page, 1));
    OK(cuMemAlloc_v2(&gpu, page));
    for (const int which : {2, 4}) CHECK(attribute(which, p, 4 * page) == nowhere);
    CHECK(attribute(1, p, 4 * page) == 0);
    OK(cuMemAdvise_v2(p + page, page, 1, {0, 0}));
    CHECK(attribute(1, p, 4 * page) == 0 && attribute(1, p + page, page) == 1 &&
          attribute(1, p + 2 * page, page) == 0);
    OK(cuMemAdvise_v2(p, 2 * page, 3, {1, 0}));
    CHECK(attribute(2, p, 2 * page) == 0 && attribute(2, p, 3 * page) == nowhere);
    CHECK(attribute(5, p, 2 * page) == 1 && attribute(6, p, 2 * page) == 0);
    OK(cuMemAdvise_v2(p, 4 * page, 5, {2, 0}));
    OK(cuMemAdvise_v2(p, 2 * page, 5, {1, 0}));
    int users[3] = {};
    OK(cuMemRangeGetAttribute(users, sizeof users, 3, p, 2 * page));
    CHECK(users[0] == host && users[1] == 0 && users[2] == nowhere);
    OK(cuMemRangeGetAttribute(users, sizeof users, 3, p, 4 * page));
    CHECK(users[0] == host && users[1] == nowhere);
    OK(cuMemPrefetchAsync_v2(p, page, {1, 0}, 0, nullptr));
    OK(cuMemPrefetchAsync_v2(p + page, page, {2, 0}, 0, nullptr));
    CHECK(attribute(4, p, page) == 0 && attribute(4, p + page, page) == host &&
          attribute(4, p, 2 * page) == nowhere);
    OK(cuMemAdvise_v2(p, 4 * page, 2, {0, 0}));
    CHECK(attribute(1, p + page, page) == 0);
    int read_mostly = 9, preferred = 9;
    void* to[] = {&read_mostly, &preferred};
    std::size_t sizes[] = {4, 4};
    int which[] = {1, 2};
    OK(cuMemRangeGetAttributes(to, sizes, which, 2, p, page));
    CHECK(read_mostly == 0 && preferred == 0);
    CHECK(cuMemRangeGetAttribute(&read_mostly, 8, 1, p, page) == invalid_value);
    CHECK(cuMemRangeGetAttribute(&read_mostly, 4, 77, p, page) == invalid_value);
    CHECK(cuMemRangeGetAttribute(&read_mostly, 4, 1, gpu, page) == invalid_value);
    CHECK(cuMemAdvise_v2(p, 5 * page, 1, {0, 0}) == invalid_value);
    CHECK(cuMemAdvise_v2(p, page, 3, {1, 7}) == invalid_device);
    CHECK(cuMemAdvise_v2(p, page, 7, {1, 0}) == invalid_value);
}

/// A copy between arrays of different widths fills their rows.
static void arrays() {
    void *wide = nullptr, *narrow = nullptr;
    const array_description of_wide{6, 4, 1, 1}, of_narrow{4, 6, 1, 1};  // unsigned bytes
    OK(cuArrayCreate_v2(&wide, &of_wide));
    OK(cuArrayCreate_v2(&narrow, &of_narrow));
    unsigned char data[24], back[24] = {};
    for (unsigned char i = 0; i < 24; ++i) data[i] = i;
    OK(cudaMemcpyToArray(wide, 0, 0, data, 24, 1));
    OK(cudaMemcpyToArray(narrow, 0, 0, back, 24, 1));
    OK(cudaMemcpyArrayToArray(narrow, 1, 0, wide, 2, 1, 15, 3));
    OK(cudaMemcpyFromArray(back, narrow, 0, 0, 24, 2));
    CHECK(back[0] == 0);
    for (unsigned char i = 0; i < 15; ++i) CHECK(back[1 + i] == 8 + i);
    CHECK(back[16] == 0);
}

/// Every entry point of the driver exists, and rejects null pointers instead of crashing.
static void null_pointers() {
    constexpr unsigned driver = 8;
    constexpr struct {
        unsigned libraries;
        const char* name;
    } functions[] = {
#define ENTRY(libraries, name) {libraries, #name},
#define ALIAS(libraries, name, function) {libraries, #name},
#define MISSING(libraries, name) {libraries, #name},
#define SHARED(libraries, name, function, called) {libraries, #name},
#define THREAD(libraries, name, function) {libraries, #name},
#define SHARED_THREAD(libraries, name, function, called) {libraries, #name},
#include "runtimes/cuda/abi/entry_points.def"
    };
    unsigned count = 0;
    unsigned unsupported = 0;
    for (const auto& [libraries, name] : functions) {
        if ((libraries & driver) == 0) continue;
        ++count;
        using function = int (*)(long, long, long, long, long, long, long, long, long, long);
        const auto call = reinterpret_cast<function>(dlsym(RTLD_DEFAULT, name));
        if (call == nullptr) std::printf("%s is not exported\n", name);
        CHECK(call != nullptr);
        const int r = call(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        if (std::strcmp(name, "cuGLInit") == 0) CHECK(r == not_supported);
        if (std::strcmp(name, "cuMemGetAddressRange") != 0 && r == not_supported) ++unsupported;
    }
    CHECK(unsupported > 10 && unsupported < count / 2);
}

int main() {
    OK(cuInit(0));
    void* context = nullptr;
    OK(cuCtxCreate_v2(&context, 4, 0));
    bus_identifiers();
    streams();
    addresses();
    managed_ranges();
    arrays();
    contexts(context);
    null_pointers();
    std::puts("driver_attributes: passed");
    return 0;
}
