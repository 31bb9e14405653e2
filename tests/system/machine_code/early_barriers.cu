// SPDX-License-Identifier: Apache-2.0
// Mbarriers in shared memory and copies that arrive at them, in the format of sm_80 to sm_89.
//   nvcc -O2 -std=c++17 -ptx -arch=compute_80 early_barriers.cu
//   ptxas -arch=sm_N early_barriers.ptx -o early_barriers.sm_N.cubin, N: 80, 86
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

extern "C" __global__ void early_barriers(const unsigned* a, unsigned* o, int n) {
    __shared__ unsigned s[2][64];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const auto block = cg::this_thread_block();
    const unsigned t = threadIdx.x;
    if (t == 0) init(&bar, blockDim.x);
    block.sync();
    for (int i = 0; i < n; ++i) {
        cuda::memcpy_async(block, s[0], a + 64 * i, sizeof s[0], bar);
        bar.arrive_and_wait();
        o[64 * i + t] = s[0][63 - t] + s[0][t] * i;
        auto token = bar.arrive();
        bar.wait(std::move(token));
    }
    // Fewer threads participate.
    if (t >= 24) {
        bar.arrive_and_drop();
    } else {
        s[1][t] = a[t] * 3;
        bar.arrive_and_wait();
        o[192 + t] = s[1][23 - t];
        bar.arrive_and_wait();
    }
    block.sync();
    auto pipe = cuda::make_pipeline(block, &state);
    unsigned sum = 0;
    for (int i = 0; i < 4; ++i) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, s[i % 2], a + 128 * i, sizeof s[0], pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        sum = sum * 5 + s[i % 2][63 - 2 * t];
        pipe.consumer_release();
    }
    o[224 + t] = sum;
}
