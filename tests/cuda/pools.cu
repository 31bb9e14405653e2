// SPDX-License-Identifier: Apache-2.0
// Memory pools: the current pool of a device, access rights, usage; and several copies by one call.
#include "cuda_subset.h"

#include <cstring>

struct location {
    int type, id;
};
struct access_description {
    location where;
    int flags;
};
struct copy_attributes {
    int order;
    location source, target;
    unsigned flags;
};
/// cudaMemPoolProps
struct pool_properties {
    int type, handles;
    location where;
    char more[72];
};

extern "C" {
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t*, int);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t*, int);
cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t);
cudaError_t cudaMemGetMemPool(cudaMemPool_t*, location*, int);
cudaError_t cudaMemPoolCreate(cudaMemPool_t*, const pool_properties*);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, int, void*);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const access_description*, size_t);
cudaError_t cudaMemPoolGetAccess(int*, cudaMemPool_t, location*);
cudaError_t cudaMemcpyBatchAsync(void* const*, const void* const*, const size_t*, size_t,
                                 copy_attributes*, size_t*, size_t, cudaStream_t);
}

static unsigned long long used(cudaMemPool_t pool) {
    unsigned long long bytes = 0;
    OK(cudaMemPoolGetAttribute(pool, 7, &bytes));  // cudaMemPoolAttrUsedMemCurrent
    return bytes;
}

int main() {
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    cudaMemPool_t own, other, now;
    OK(cudaDeviceGetDefaultMemPool(&own, 0));
    pool_properties p;
    std::memset(&p, 0, sizeof p);
    p.type = 1;
    p.where = {1, 0};
    OK(cudaMemPoolCreate(&other, &p));

    OK(cudaDeviceSetMemPool(0, other));
    OK(cudaDeviceGetMemPool(&now, 0));
    CHECK(now == other);
    location device{1, 0}, host{2, 0};
    OK(cudaMemGetMemPool(&now, &device, 1));
    CHECK(now == other && cudaMemGetMemPool(&now, &host, 1) == 801);
    void *a, *b;
    OK(cudaMallocAsync(&a, 1000, stream));
    CHECK(used(other) == 1000 && used(own) == 0);
    OK(cudaDeviceSetMemPool(0, own));
    OK(cudaMallocAsync(&b, 500, stream));
    CHECK(used(other) == 1000 && used(own) == 500);

    // Both are written and read by one call.
    int from[2][25], back[2][25] = {};
    for (int i = 0; i < 50; ++i) from[i / 25][i % 25] = i + 1;
    void* const to[] = {a, b};
    const void* const sources[] = {from[0], from[1]};
    const size_t sizes[] = {100, 100};
    copy_attributes how{1, {0, 0}, {0, 0}, 0};
    size_t first = 0;
    OK(cudaMemcpyBatchAsync(to, sources, sizes, 2, &how, &first, 1, stream));
    void* const results[] = {back[0], back[1]};
    OK(cudaMemcpyBatchAsync(results, to, sizes, 2, &how, &first, 1, stream));
    OK(cudaStreamSynchronize(stream));
    CHECK(std::memcmp(from, back, sizeof from) == 0);
    CHECK(cudaMemcpyBatchAsync(to, sources, sizes, 0, &how, &first, 1, stream) == 1);
    CHECK(cudaMemcpyBatchAsync(to, sources, sizes, 2, &how, &first, 1, nullptr) == 1);

    OK(cudaFreeAsync(a, stream));
    OK(cudaFreeAsync(b, stream));
    OK(cudaStreamSynchronize(stream));
    CHECK(used(other) == 0 && used(own) == 0);

    int flags = 0;
    OK(cudaMemPoolGetAccess(&flags, other, &device));
    CHECK(flags == 3);
    location elsewhere{1, 5};
    const access_description none{{1, 5}, 3};
    CHECK(cudaMemPoolSetAccess(other, &none, 1) != 0);
    OK(cudaMemPoolGetAccess(&flags, other, &elsewhere));
    CHECK(flags == 0);

    OK(cudaDeviceSetMemPool(0, other));
    OK(cudaMemPoolDestroy(other));
    OK(cudaDeviceGetMemPool(&now, 0));
    CHECK(now == own);
    std::puts("pools: passed");
}
