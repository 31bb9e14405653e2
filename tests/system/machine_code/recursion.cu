// SPDX-License-Identifier: Apache-2.0
// Functions that call themselves and each other, and stacks that grow by alloca. The results of the
// kernel `shallow` need no more stack than a thread has by default.
//   nvcc -O2 -std=c++17 -ptx -arch=compute_75 recursion.cu
//   ptxas -arch=sm_N recursion.ptx -o recursion.sm_N.cubin, N: 75, 80, 86, 90
//   ptxas -g -suppress-debug-info -arch=sm_N recursion.ptx -o recursion_debug.sm_N.cubin, N: 75, 90
namespace {

__device__ __noinline__ unsigned fibonacci(unsigned n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ unsigned odd(unsigned n, unsigned steps);
__device__ __noinline__ unsigned even(unsigned n, unsigned steps) {
    return n == 0 ? steps : odd(n - 1, steps * 3 + 1) ^ n;
}
__device__ __noinline__ unsigned odd(unsigned n, unsigned steps) {
    return n == 0 ? ~steps : even(n - 1, steps + 5) + n;
}

struct link {
    const link* next;
    unsigned value;
};
/// A list whose links are stored in the stack frames of the calls.
__device__ unsigned walk(const link* list, unsigned n, const unsigned* values) {
    link here{list, values[n]};
    if (n != 0) return walk(&here, n - 1, values) ^ here.value;
    unsigned sum = 0, weight = 1;
    for (const link* l = &here; l != nullptr; l = l->next) sum += l->value * weight++;
    return sum;
}

__device__ void sort(unsigned* a, int first, int last) {
    if (first >= last) return;
    const unsigned pivot = a[(first + last) / 2];
    int i = first, j = last;
    while (i <= j) {
        while (a[i] < pivot) ++i;
        while (a[j] > pivot) --j;
        if (i > j) continue;
        const unsigned moved = a[i];
        a[i++] = a[j];
        a[j--] = moved;
    }
    sort(a, first, j);
    sort(a, i, last);
}

__device__ __noinline__ unsigned grow(unsigned level, unsigned n, const unsigned* before) {
    unsigned* const own = static_cast<unsigned*>(__builtin_alloca(n * sizeof(unsigned)));
    for (unsigned i = 0; i < n; ++i) own[i] = before[i % 4] * 5 + level;
    if (level == 0) {
        unsigned sum = 0;
        for (unsigned i = 0; i < n; ++i) sum = sum * 3 + own[i];
        return sum;
    }
    return grow(level - 1, n + 1, own) + own[n - 1];
}

}  // namespace

extern "C" __global__ void shallow(const unsigned* a, unsigned* o, int n) {
    const unsigned t = threadIdx.x;
    o[t] = fibonacci(t % 7 + n);
    o[32 + t] = ackermann(1, t % 3);
    o[64 + t] = walk(nullptr, t % 6 + n, a);
}

extern "C" __global__ void recursion(const unsigned* a, unsigned* o, int n) {
    const unsigned t = threadIdx.x;
    o[t] = fibonacci(t % 11 + n);
    o[32 + t] = ackermann(2, t % 5 + n);
    o[64 + t] = even(t * 3, t) + odd(t + n, 2 * t);
    o[96 + t] = walk(nullptr, t * 4 + n, a);
    const unsigned first[4] = {a[t], a[t + 1], t, t * t};
    o[128 + t] = grow(t + 20 * n, 8 + n, first);
    for (unsigned i = 0; i < 16; ++i) o[160 + 16 * t + i] = a[16 * t + i];
    sort(o + 160 + 16 * t, 0, 15);
}
