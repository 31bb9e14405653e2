// SPDX-License-Identifier: Apache-2.0
// Tiles of several warps, which cooperative groups synchronise through reserved shared memory.
//   nvcc -O2 -std=c++17 -ptx -arch=compute_80 warp_tiles.cu
//   nvcc -O2 -std=c++17 -cubin -arch=sm_N warp_tiles.cu -o warp_tiles.sm_N.cubin, N: 80, 90
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__shared__ unsigned words[256];
extern __shared__ unsigned dynamic_words[];

extern "C" __global__ void warp_tiles(const unsigned* a, unsigned* o, unsigned n) {
    const unsigned i = threadIdx.x;
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<64>(block);
    const unsigned v = a[i];
    words[i] = v;
    dynamic_words[i] = v * n;
    block.sync();
    o[i] = tile.shfl(v, 3) + words[255 - i] + dynamic_words[i ^ 7];
    tile.sync();
    o[256 + i] = tile.shfl(v * 3, 37) + tile.meta_group_rank() + tile.any(v == n);
}
