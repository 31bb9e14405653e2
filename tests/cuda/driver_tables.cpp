// SPDX-License-Identifier: Apache-2.0
// The driver API as used by NVIDIA's runtime: functions by name and version, tables of functions by
// UUID, values that libraries store in contexts, and the context of a thread that calls the
// runtime.
#include "driver_subset.h"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

using id = std::array<unsigned char, 16>;
using slot = const void*;

extern "C" {
int cuGetExportTable(const slot**, const id*);
int cuGetProcAddress_v2(const char*, void**, int, std::uint64_t, int*);
int cuCtxCreate_v2(void**, unsigned, int);
int cuCtxDestroy_v2(void*);
int cuCtxGetCurrent(void**);
int cuCtxGetDevice(int*);
int cuCtxGetDevice_v2(int*, void*);
int cuCtxGetId(void*, unsigned long long*);
int cuCtxGetLimit(std::size_t*, int);
int cuCtxPopCurrent_v2(void**);
int cuDevicePrimaryCtxReset_v2(int);
int cudaFree(void*);
}

static constexpr id runtime_interface = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                         0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};
static constexpr id tools_thread = {0x42, 0xd8, 0x5a, 0x81, 0x23, 0xf6, 0xcb, 0x47,
                                    0x82, 0x98, 0xf6, 0xe7, 0x8a, 0x3a, 0xec, 0xdc};
static constexpr id tools_context = {0x21, 0x31, 0x8c, 0x60, 0x97, 0x14, 0x32, 0x48,
                                     0x8c, 0xa6, 0x41, 0xff, 0x73, 0x24, 0xc8, 0xf2};
static constexpr id tools_module = {0x6e, 0x16, 0x3f, 0xbe, 0xb9, 0x58, 0x44, 0x4d,
                                    0x83, 0x5c, 0xe1, 0x82, 0xaf, 0xf1, 0x99, 0x1e};
static constexpr id context_storage = {0xc6, 0x93, 0x33, 0x6e, 0x11, 0x21, 0xdf, 0x11,
                                       0xa8, 0xc3, 0x68, 0xf3, 0x55, 0xd8, 0x95, 0x93};
static constexpr id integrity = {0xd4, 0x08, 0x20, 0x55, 0xbd, 0xe6, 0x70, 0x4b,
                                 0x8d, 0x34, 0xba, 0x12, 0x3c, 0x66, 0xe1, 0xf2};

static char text[] =
    ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n";

template <class... Arguments>
static int call(const id& table, std::size_t which, Arguments... arguments) {
    const slot* slots = nullptr;
    CHECK(cuGetExportTable(&slots, &table) == 0 && slots != nullptr);
    return reinterpret_cast<int (*)(Arguments...)>(reinterpret_cast<std::uintptr_t>(slots[which]))(
        arguments...);
}

static void* function(const char* name, int version, std::uint64_t flags = 0) {
    void* to = nullptr;
    int found = 1;
    CHECK(cuGetProcAddress_v2(name, &to, version, flags, &found) == 0 && found == 0);
    return to;
}

static void functions_follow_the_requested_version() {
    CHECK(function("cuCtxGetDevice", 12090) != function("cuCtxGetDevice", 13000));
    CHECK(function("cuCtxGetDevice", 13000) == function("cuCtxGetDevice_v2", 13000));
    CHECK(function("cuStreamBeginCapture", 10000) != function("cuStreamBeginCapture", 10010));
    void* const first = function("cuStreamGetCaptureInfo", 11020);
    void* const second = function("cuStreamGetCaptureInfo", 11030);
    void* const third = function("cuStreamGetCaptureInfo", 12030);
    CHECK(first != second && second != third && first != third);
    CHECK(function("cuStreamGetCaptureInfo", 13000) == third);

    constexpr std::uint64_t per_thread = 2;
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    CHECK(library != nullptr);
    CHECK(function("cuMemcpyHtoD", 7000, per_thread) == dlsym(library, "cuMemcpyHtoD_v2_ptds"));
    CHECK(function("cuMemAllocAsync", 11020, per_thread) == dlsym(library, "cuMemAllocAsync_ptsz"));
    CHECK(function("cuMemAlloc", 3020, per_thread) == function("cuMemAlloc", 3020));

    void* to = text;
    int found = 0;
    CHECK(cuGetProcAddress_v2("cuNothing", &to, 13000, 0, &found) == 500 && found == 1);
    CHECK(cuGetProcAddress_v2(nullptr, &to, 13000, 0, &found) == 1);
}

static int ended = 0;
static void* ended_value = nullptr;
static void end(void*, void* key, void* value) {
    CHECK(key == &ended);
    ++ended;
    ended_value = value;
}

static int put(void* context, void* key, void* value) {
    return call(context_storage, 0, context, key, value, &end);
}
static int get(void** to, void* context, void* key) {
    return call(context_storage, 2, to, context, key);
}

static void libraries_keep_values_in_contexts(void* primary) {
    void *found = nullptr, *other = nullptr;
    int one = 1, two = 2;
    CHECK(get(&found, nullptr, &ended) == 400);
    CHECK(put(nullptr, &ended, &one) == 0);
    CHECK(get(&found, primary, &ended) == 0 && found == &one);
    CHECK(cuCtxCreate_v2(&other, 0, 0) == 0);
    CHECK(get(&found, nullptr, &ended) == 400);
    CHECK(put(other, &ended, &two) == 0);
    CHECK(cuCtxDestroy_v2(other) == 0 && ended == 1 && ended_value == &two);
    CHECK(put(other, &ended, &two) == 201);

    CHECK(cuCtxSetCurrent(primary) == 0);
    CHECK(cuDevicePrimaryCtxReset_v2(0) == 0 && ended == 2 && ended_value == &one);
    CHECK(get(&found, primary, &ended) == 400);
    CHECK(put(primary, &ended, &one) == 0);
    CHECK(call(context_storage, 1, primary, static_cast<void*>(&ended)) == 0);
    CHECK(get(&found, primary, &ended) == 400);
}

static void contexts_have_numbers_that_are_not_used_again(void* primary) {
    void *current = nullptr, *context = nullptr;
    CHECK(call(tools_thread, 2, &current) == 0 && current == primary);
    unsigned long long first = 0, second = 0, third = 0, same = 0;
    int device = -1;
    CHECK(cuCtxGetDevice_v2(&device, nullptr) == 0 && device == 0);
    CHECK(cuCtxGetId(primary, &first) == 0 && first != 0);
    CHECK(call(tools_context, 4, primary, &same) == 0 && same == first);
    CHECK(cuCtxCreate_v2(&context, 0, 0) == 0 && cuCtxGetId(context, &second) == 0);
    CHECK(cuCtxDestroy_v2(context) == 0);
    CHECK(cuCtxCreate_v2(&context, 0, 0) == 0 && cuCtxGetId(context, &third) == 0);
    CHECK(cuCtxDestroy_v2(context) == 0);
    CHECK(first != second && second != third && first != third);
    CHECK(cuCtxSetCurrent(primary) == 0);
}

static void collect(void** to, void* function, std::uint64_t) {
    *to = function;
}

static void tables_hold_what_is_known_and_refuse_the_rest(void* primary) {
    const slot* slots = nullptr;
    const id nothing{};
    CHECK(cuGetExportTable(&slots, &nothing) == 500);
    CHECK(cuGetExportTable(&slots, nullptr) == 1);
    CHECK(cuGetExportTable(&slots, &runtime_interface) == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(slots[0]) >= 13 * sizeof(slot));
    CHECK(call(runtime_interface, 3) == 801);

    void *context = nullptr, *module = nullptr, *kernel = nullptr;
    CHECK(call(runtime_interface, 2, &context, 0) == 0 && context == primary);
    CHECK(call(runtime_interface, 1, &module, text) == 0);
    CHECK(cuModuleGetFunction(&kernel, module, "k") == 0);
    void* collected = nullptr;
    CHECK(call(tools_module, 7, context, module, &collect, &collected) == 1 && collected == kernel);

    std::uint64_t one[2] = {}, other[2] = {};
    constexpr int not_supported = 801;
    // No key is configured.
    CHECK(call(integrity, 1, 13000u, std::uint64_t{1}, one) == not_supported);
    CHECK(setenv("SIMTLM_INTEGRITY_KEY", "no key", 1) == 0);
    CHECK(call(integrity, 1, 13000u, std::uint64_t{1}, one) == not_supported);
    CHECK(setenv("SIMTLM_INTEGRITY_KEY", "000102030405060708090a0b0c0d0e0f", 1) == 0);
    CHECK(call(integrity, 1, 13000u, std::uint64_t{1}, one) == 0);
    CHECK(call(integrity, 1, 13001u, std::uint64_t{1}, other) == 0);
    CHECK(std::memcmp(one, other, sizeof one) != 0);

    std::size_t value = 1;
    CHECK(cuCtxGetLimit(&value, 8) == 0 && value == 0);
    CHECK(cuCtxGetLimit(&value, 10) == 1);
}

static void calls_of_the_runtime_make_the_primary_context_current(void* primary) {
    std::thread([&] {
        void* current = primary;
        int device = -1;
        CHECK(cuCtxGetCurrent(&current) == 0 && current == nullptr);
        CHECK(cuCtxGetDevice(&device) == 201);
        CHECK(cudaFree(nullptr) == 0);
        CHECK(cuCtxGetCurrent(&current) == 0 && current == primary);
        CHECK(cuCtxGetDevice(&device) == 0 && device == 0);
        CHECK(cuCtxPopCurrent_v2(&current) == 0 && current == primary);
        CHECK(cuCtxGetCurrent(&current) == 0 && current == nullptr);
    }).join();
}

int main() {
    void* context = nullptr;
    CHECK(cuInit(0) == 0);
    CHECK(call(tools_thread, 2, &context) == 0 && context == nullptr);
    CHECK(get(&context, nullptr, &ended) == 201);
    CHECK(cuDevicePrimaryCtxRetain(&context, 0) == 0);
    CHECK(cuCtxSetCurrent(context) == 0);
    functions_follow_the_requested_version();
    libraries_keep_values_in_contexts(context);
    contexts_have_numbers_that_are_not_used_again(context);
    tables_hold_what_is_known_and_refuse_the_rest(context);
    calls_of_the_runtime_make_the_primary_context_current(context);
    std::puts("driver_tables: passed");
}
