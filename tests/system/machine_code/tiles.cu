// SPDX-License-Identifier: Apache-2.0
// Tiles and partitions of cooperative groups: collective operations of a subset of a warp's lanes.
//   nvcc -O2 -std=c++17 -ptx -arch=compute_80 tiles.cu
//   ptxas -arch=sm_N tiles.ptx -o tiles.sm_N.cubin, N: 80, 86, 90
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void tiles(const unsigned* a, int* o, int n) {
    const int t = threadIdx.x;
    const int mine = static_cast<int>(a[t] % 1000);
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    o[t] = cg::reduce(tile, mine, cg::plus<int>());
    o[32 + t] = tile.shfl_down(mine, 3) + static_cast<int>(tile.ballot(mine % 2));
    auto halves = cg::binary_partition(tile, mine % n == 0);
    o[64 + t] = cg::reduce(halves, mine, cg::greater<int>()) + 1000 * halves.size();
    __syncwarp();  // the set of coalesced threads depends on convergence
    if (mine % n != 1) {
        auto some = cg::coalesced_threads();
        o[96 + t] = cg::reduce(some, mine, cg::plus<int>()) + some.thread_rank();
        auto labelled = cg::labeled_partition(some, t / 5);
        o[128 + t] = cg::reduce(labelled, mine, cg::less<int>()) + 1000 * labelled.size();
    }
    // Lanes outside of the mask contribute 0.
    const unsigned few = __ballot_sync(~0u, t < 3);
    if (t < 3) o[192 + t] = mine + __shfl_down_sync(few, mine, 2) + __shfl_xor_sync(few, mine, 8);
    auto wide = cg::tiled_partition<16>(block);
    o[160 + t] = static_cast<int>(wide.match_any(mine % 4)) + wide.any(mine > 990);
}
