// SPDX-License-Identifier: Apache-2.0
// Kernels that launch kernels: recursion, streams, the tail stream, copies and fills, errors.
// Argument: the kernels (device_launches.ptx), as PTX or machine code.
#include "driver_subset.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

static void* module_of_kernels = nullptr;
static std::uint64_t data = 0;

/// Runs a kernel on zeroed data and reads the first four words.
static void run(const char* name, unsigned threads, unsigned (&words)[4]) {
    void* kernel = nullptr;
    OK(cuModuleGetFunction(&kernel, module_of_kernels, name));
    OK(cuMemsetD32_v2(data, 0, 4));
    unsigned value = 0;
    void* parameters[] = {&data, &value};
    OK(cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, nullptr, parameters, nullptr));
    OK(cuMemcpyDtoH_v2(words, data, sizeof words));
}

int main(int count, char** arguments) {
    CHECK(count > 1);
    module_of_kernels = load_module(arguments[1]);
    OK(cuMemAlloc_v2(&data, 64));
    unsigned words[4] = {};
    run("grow", 32, words);
    for (unsigned depth = 0; depth < 4; ++depth) CHECK(words[depth] == 32u << depth);
    run("order", 1, words);
    CHECK(words[0] == 1239);
    run("copies", 1, words);
    CHECK(words[1] == 7 && words[2] == 7);
    run("errors", 1, words);
    CHECK(words[0] == 9 && words[1] == 98);
    std::puts("driver_launches: passed");
    return 0;
}
