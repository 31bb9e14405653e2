// SPDX-License-Identifier: Apache-2.0
// What host copies leave in the L2, measured by the latency of a load: copies [elsewhere]
// [accel-sim] MODE. With accel-sim, the quirks of Accel-Sim are expected; with elsewhere, the usual
// address range of device memory is occupied.
#include "cuda_subset.h"

#include <sys/mman.h>

#include <cstring>

__device__ int variable[32];

/// Cycles of one load through the L2.
__global__ void load(const int* from, int* cycles) {
    int value, before, after;
    asm volatile(
        "mov.u32 %0, %%clock;\n\t"
        "ld.volatile.global.u32 %1, [%3];\n\t"
        "add.u32 %1, %1, %0;\n\t"
        "xor.b32 %1, %1, %1;\n\t"
        "mov.u32 %2, %%clock;\n\t"
        "add.u32 %2, %2, %1;\n\t"
        : "=&r"(before), "=&r"(value), "=&r"(after)
        : "l"(from)
        : "memory");
    *cycles = after - before;
}

static int* counter = nullptr;

static int cycles_of(const void* from) {
    load<<<1, 1>>>(static_cast<const int*>(from), counter);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    return *counter;
}

template <class T>
static T* allocated(std::size_t bytes) {
    void* p = nullptr;
    OK(cudaMalloc(&p, bytes));
    return static_cast<T*>(p);
}

int main(int count, char** arguments) {
    const bool accel_sim = count > 2 && std::strcmp(arguments[count - 2], "accel-sim") == 0;
    if (count > 2 && std::strcmp(arguments[1], "elsewhere") == 0)
        mmap(reinterpret_cast<void*>(0xc0000000), 4096, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    const bool timed = std::strcmp(arguments[count - 1], "timed") == 0;
    OK(cudaMallocManaged(reinterpret_cast<void**>(&counter), sizeof *counter, 1));
    const int host[64] = {1, 2, 3};
    int back[64];

    int* const copied = allocated<int>(4096);
    int* const never = allocated<int>(4096);
    int* const read = allocated<int>(4096);
    char* const pitched = allocated<char>(4096);
    cycles_of(allocated<int>(4096));  // warms the instruction caches

    OK(cudaMemcpy(copied, host, sizeof host, cudaMemcpyHostToDevice));
    const int hit = cycles_of(copied), miss = cycles_of(never);
    if (timed) CHECK(hit > 20 && miss > hit + 20);
    const auto is_hit = [&](const void* from) { return cycles_of(from) < (hit + miss) / 2; };

    OK(cudaMemcpy2D(pitched, 1024, host, 64, 64, 3, cudaMemcpyHostToDevice));
    for (int row = 0; row < 4; ++row)
        if (timed) CHECK(is_hit(pitched + 1024 * row) == (row < 3));

    OK(cudaMemcpyToSymbol(static_cast<const void*>(variable), host, sizeof variable, 0,
                          cudaMemcpyHostToDevice));
    void* symbol = nullptr;
    OK(cudaGetSymbolAddress(&symbol, static_cast<const void*>(variable)));
    if (timed) CHECK(is_hit(symbol) == !accel_sim);

    OK(cudaMemcpy(back, read, sizeof back, cudaMemcpyDeviceToHost));
    if (timed) CHECK(is_hit(read) == accel_sim);
    std::puts("copies: passed");
}
