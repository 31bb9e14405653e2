// SPDX-License-Identifier: Apache-2.0
// The program of scripts/measure-gpu: a table of benchmarks of a GPU. Compiled with nvcc.
//
//   measure --list            the benchmarks, as JSON
//   measure --device          the properties of the GPU, as JSON
//   measure [--small] [--profile] [--repeat N] NAME...
//                             runs benchmarks and prints a line of JSON for each: its values, or
//                             why there are none
//
// MEASURE_CAPABILITY is the compute capability x 10 for which it is compiled: benchmarks of later
// GPUs are absent.
//
// Cycles are those of the SM's clock. What a kernel costs in addition to the measured code cancels:
// each kernel measures itself by its SM's clock (kernels.cu), or two launches of different sizes
// are compared.
#define ffma ffma_kernel  // the mathematical library of C has a function of this name
#include "kernels.cu"
#undef ffma
#if MEASURE_CAPABILITY >= 80
#include "matrix.cu"
#endif
#if MEASURE_CAPABILITY >= 90
#include "asynchronous.cu"
#endif
#include "gpu.h"
#include "held_out.cu"
#include "probes.cu"

#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>

namespace {

using Measure = std::function<Result(Gpu&)>;

/// A row of the table.
struct Benchmark {
    std::string name, what, unit;
    Measure measure;
};

// ---- latencies and rates of one SM --------------------------------------------------------------

/// Instructions of which a chain of 64 waits: all, or all but the last if scoreboards protect its
/// result, because reading the clock does not wait for it.
constexpr double fixed = 64, variable = 63;

/// Cycles per instruction of a chain of `count`.
template <class T>
Measure chain(void (*kernel)(u32*, T*), double count = fixed) {
    return [=](Gpu& gpu) -> Result {
        u32* const times = gpu.zeros<u32>(64);
        gpu.launch(kernel, 1, 32, times, gpu.zeros<T>(2048));
        return gpu.mean_cycles(times, 1) / count;
    };
}

/// The same of a kernel without operands.
Measure plain(void (*kernel)(u32*), double count, u32 threads = 32) {
    return [=](Gpu& gpu) -> Result {
        u32* const times = gpu.zeros<u32>(64);
        gpu.launch(kernel, 1, threads, times);
        return gpu.mean_cycles(times, 1) / count;
    };
}

/// Mean additional cycles of a block for one more repetition of a kernel that ends its launch with
/// it. `launch(times, repeats)`
template <class Launch>
double cycles_per_repetition(Gpu& gpu, u32 blocks, u32 few, u32 many, Launch launch) {
    u32* const times = gpu.zeros<u32>(2 * blocks + 8);
    double taken[2];
    for (u32 i = 0; i < 2; ++i) {
        launch(times, i == 0 ? few : many);
        taken[i] = gpu.mean_cycles(times, blocks);
    }
    return (taken[1] - taken[0]) / (many - few);
}

/// Operations per cycle of an SM with 1,024 threads. `operations`: of an instruction and thread, or
/// warp
template <class T>
Measure rate(void (*kernel)(u32*, T*, u32), double operations, u32 repeats = 24,
             u32 instructions = 64, u32 instances = 1024) {
    return [=](Gpu& gpu) -> Result {
        T* const values = gpu.zeros<T>(2048);
        return operations * instances * instructions /
               cycles_per_repetition(gpu, 1, repeats / 2, repeats * 3 / 2,
                                     [&](u32* times, u32 count) {
                                         gpu.launch(kernel, 1, 1024, times, values, count);
                                     });
    };
}

// ---- latency of memory --------------------------------------------------------------------------

/// Evicts what is in the L2 by reading other memory. A simulator begins each benchmark with memory
/// that is in no cache.
void evict(Gpu& gpu) {
    if (gpu.small()) return;
    const size_t bytes = 4 * static_cast<size_t>(gpu.properties().l2CacheSize);
    gpu.launch(touch, gpu.sms(), 1024, gpu.zeros<u32>(64), gpu.untouched<char>(bytes), 32,
               bytes / 32);
}

/// Cycles per load of a ring of `count` pointers `stride` bytes apart.
Measure chase(void (*kernel)(u32*, char*), u32 stride, u32 count, bool cold = false) {
    return [=](Gpu& gpu) -> Result {
        u32* const times = gpu.zeros<u32>(64);
        char* const ring = gpu.untouched<char>(static_cast<size_t>(stride) * count);
        if (cold) {
            gpu.link(ring, stride, count);
            evict(gpu);
        } else
            gpu.launch(link_pointers, 1, 128, ring, stride, count);
        gpu.launch(kernel, 1, 1, times, ring);
        return gpu.mean_cycles(times, 1) / variable;
    };
}

/// Loads of `count` lines by one thread on an SM, from the fastest to the slowest.
std::vector<u32> loads_on(Gpu& gpu, u32 sm, const char* data, u32 count, u32 stride) {
    u32* const times = gpu.zeros<u32>(count + 1);
    // One block per SM.
    const size_t shared = gpu.properties().sharedMemPerBlockOptin / 4 * 3;
    gpu.launch_shared(latency_each_on, gpu.sms(), 32, shared, times, data, stride, count, sm);
    if (gpu.read(times, 1)[0] == 0)
        throw std::runtime_error("no block ran on SM " + std::to_string(sm));
    std::vector<u32> cycles = gpu.read(times + 1, count);
    std::sort(cycles.begin(), cycles.end());
    return cycles;
}

/// Quartiles of the latency of single loads. Hit: after another SM has read the lines, for several
/// such SMs; the nearest and the farthest SM are those with the lowest and the highest quartile.
Measure each_load(bool hit, bool far) {
    return [=](Gpu& gpu) -> Result {
        const u32 count = 64, stride = 4352,
                  others = hit ? std::min(gpu.sms(), gpu.small() ? 4u : 12u) : 1;
        std::vector<std::pair<double, double>> curve;
        char* const data = gpu.untouched<char>(static_cast<size_t>(others) * count * stride);
        evict(gpu);
        double value = 0;
        for (u32 i = 0; i < others; ++i) {
            const char* const part = data + static_cast<size_t>(i) * count * stride;
            const u32 other = others > 1 ? i * (gpu.sms() - 1) / (others - 1) : 0;
            if (hit) loads_on(gpu, other, part, count, stride);
            const double cycles = loads_on(gpu, 0, part, count, stride)[count * (far ? 3 : 1) / 4];
            curve.emplace_back(other, cycles);
            value = i == 0 ? cycles : far ? std::max(value, cycles) : std::min(value, cycles);
        }
        return {value, curve};
    };
}

/// The shorter latency of two addresses, in one of which the near partition of the L2 may be.
Result atomic_latency(Gpu& gpu) {
    double best = 1e9;
    u32* const times = gpu.zeros<u32>(64);
    char* const counters = gpu.zeros<char>(1 << 16);
    for (u32 i = 0; i < 4; ++i) {
        gpu.launch(latency_atomic, 1, 1, times, reinterpret_cast<u32*>(counters + i * 4352));
        best = std::min(best, gpu.mean_cycles(times, 1) / 15);
    }
    return best;
}

// ---- bandwidths ---------------------------------------------------------------------------------

/// Bytes per cycle of an SM from the L1 with 64-bit loads.
Result l1_bandwidth(Gpu& gpu) {
    char* const data = gpu.zeros<char>(40 << 10);
    const double cycles = cycles_per_repetition(gpu, 1, 16, 64, [&](u32* times, u32 repeats) {
        gpu.launch(bandwidth_l1, 1, 512, times, data, 2, repeats, 0, 32 << 10, 0);
    });
    return 512 * 64 / cycles;
}

/// Bytes per cycle of an SM from the L1, in one block of 1,024 threads.
Measure l1_block(void (*kernel)(u32*, char*, u32), double bytes_of_warp) {
    return [=](Gpu& gpu) -> Result {
        u32* const times = gpu.zeros<u32>(64);
        const u32 repeats = 256;
        gpu.launch(kernel, 1, 1024, times, gpu.zeros<char>((1 << 16) + 1024), repeats);
        return repeats * 32 * bytes_of_warp / gpu.mean_cycles(times, 1);
    };
}

Measure strided(u32 stride) {
    return [=](Gpu& gpu) -> Result {
        char* const data = gpu.zeros<char>(64 * 4 * stride + 256);
        return cycles_per_repetition(gpu, 1, 8, 40,
                                     [&](u32* times, u32 repeats) {
                                         gpu.launch(strided_l1, 1, 1024, times, data, repeats,
                                                    stride);
                                     }) /
               (8 * 32);
    };
}

Measure shared_bandwidth(void (*kernel)(u32*, u32, u32), double bytes) {
    return [=](Gpu& gpu) -> Result {
        return 1024 * 8 * bytes /
               cycles_per_repetition(gpu, 1, 16, 64, [&](u32* times, u32 repeats) {
                   gpu.launch(kernel, 1, 1024, times, repeats, 0);
               });
    };
}

/// Cycles of a warp's access to shared memory, of one block: kernels with 16 accesses per
/// repetition.
Measure shared_access(void (*kernel)(u32*, u32, u32), u32 stride) {
    return [=](Gpu& gpu) -> Result {
        return cycles_per_repetition(gpu, 1, 4, 12,
                                     [&](u32* times, u32 repeats) {
                                         gpu.launch(kernel, 1, 512, times, repeats, stride);
                                     }) /
               (16 * 16);
    };
}

/// Bytes per cycle from the L2, of the whole GPU or of one SM. One block per SM, which has 64 KiB
/// in flight: misses of two blocks of an SM on the same lines would be merged.
Measure l2_bandwidth(bool one_sm) {
    return [=](Gpu& gpu) -> Result {
        const u32 a_time = 1 << 16;
        u32 window = 1 << 22;
        while (window > a_time && window > static_cast<u32>(gpu.properties().l2CacheSize) / 2)
            window /= 2;
        const u32 blocks = one_sm ? 1 : gpu.sms();
        const u32 few = one_sm ? 2 : gpu.small() ? 1 : 8, many = one_sm ? 8 : gpu.small() ? 4 : 40;
        char* const data = gpu.zeros<char>(window + a_time);
        const auto run = [&](u32* times, u32 repeats) {
            gpu.launch(bandwidth_l2_128, blocks, 512, times, data, 1, repeats, a_time, window,
                       a_time);
        };
        run(gpu.zeros<u32>(2 * blocks), few);
        const double each = cycles_per_repetition(gpu, blocks, few, many, run);
        return static_cast<double>(blocks) * a_time / each;
    };
}

/// Bytes per cycle of a stream through memory that is in no cache: cost of more blocks. `bytes`:
/// per thread; `writes`: some of them are written
template <class Launch>
Measure stream_bandwidth(u32 bytes, bool writes, Launch launch) {
    return [=](Gpu& gpu) -> Result {
        const u32 per_block = 1024 * 16, unit = gpu.small() ? 1 : 32;
        const u32 few = 4 * unit * gpu.sms(), many = (gpu.small() ? 10 : 16 * unit) * gpu.sms();
        if (gpu.small() && writes &&
            static_cast<size_t>(few) * per_block < 2 * size_t(gpu.properties().l2CacheSize))
            throw std::runtime_error("takes too long in a simulator: the L2 holds what is written");
        double taken[2];
        for (u32 i = 0; i < 2; ++i) {
            const u32 grid = i == 0 ? few : many;
            char* const from = gpu.untouched<char>(static_cast<size_t>(grid) * per_block);
            char* const to = gpu.untouched<char>(static_cast<size_t>(grid) * per_block);
            evict(gpu);
            taken[i] = gpu.cycles([&] { launch(gpu, grid, from, to); });
        }
        return static_cast<double>(many - few) * 1024 * bytes / (taken[1] - taken[0]);
    };
}

// ---- contention ---------------------------------------------------------------------------------

/// Cycles of the GPU per atomic of a warp. `blocks`: of 256 threads; 0: two per SM
template <bool Returning>
Measure atomics(Pattern pattern, u32 blocks = 0) {
    return [=](Gpu& gpu) -> Result {
        const u32 grid = blocks != 0 ? blocks : 2 * gpu.sms(), few = 2, many = gpu.small() ? 6 : 34;
        char* const data = gpu.zeros<char>(pattern.modulo + 4096);
        return cycles_per_repetition(gpu, grid, few, many,
                                     [&](u32* times, u32 repeats) {
                                         gpu.launch(global_atomics<Returning>, grid, 256, times,
                                                    data, repeats, pattern);
                                     }) /
               (grid * 8 * 4);
    };
}

/// Cycles of an SM per line to which warps store: 512 threads per SM, of one SM or all.
template <u32 Lanes>
Measure stores(bool one_sm) {
    return [=](Gpu& gpu) -> Result {
        const u32 grid = one_sm ? 1 : gpu.sms(), lines = 32 / Lanes, few = 4,
                  many = gpu.small() ? 12 : 68;
        char* const data = gpu.zeros<char>(static_cast<size_t>(grid) * 16 * lines * 128);
        return cycles_per_repetition(gpu, grid, few, many,
                                     [&](u32* times, u32 repeats) {
                                         gpu.launch(scattered_stores<Lanes>, grid, 512, times, data,
                                                    repeats);
                                     }) /
               (16 * lines);
    };
}

/// Cycles of an SM per sector that warps load from the L2, with 32 lanes `stride` bytes apart.
Measure loads(u32 stride, bool one_sm) {
    return [=](Gpu& gpu) -> Result {
        const u32 grid = one_sm ? 1 : gpu.sms();
        const u32 modulo = 1 << 17;
        char* const data = gpu.zeros<char>(modulo);
        gpu.launch(touch, gpu.sms(), 512, gpu.zeros<u32>(64), data, 32, modulo / 32);
        return cycles_per_repetition(gpu, grid, 2, gpu.small() ? 6 : 34,
                                     [&](u32* times, u32 repeats) {
                                         gpu.launch(scattered_loads, grid, 512, times, data,
                                                    repeats, stride, modulo);
                                     }) /
               (16 * 4 * 32);
    };
}

/// The smallest distance of two lines of different slices of the L2, from the rate of atomics on
/// both.
Result slice_granularity(Gpu& gpu) {
    const u32 grid = 2 * gpu.sms();
    char* const data = gpu.zeros<char>((1 << 20) + 4096);
    std::vector<std::pair<double, double>> curve;
    for (u32 offset :
         {0, 128, 256, 512, 1024, 2048, 3072, 4096, 8192, 12288, 16384, 32768, 65536, 1 << 20})
        curve.emplace_back(
            offset,
            cycles_per_repetition(gpu, grid, 2, gpu.small() ? 6 : 34, [&](u32* times, u32 repeats) {
                gpu.launch(atomics_on_two_lines, grid, 256, times, data, repeats, offset);
            }) / (grid * 8 * 4));
    double best = 1e9;
    for (const auto& point : curve) best = std::min(best, point.second);
    for (const auto& point : curve)
        if (point.second < 0.75 * curve[0].second || point.second <= best * 1.05)
            return {point.first, curve};
    return {0, curve};
}

// ---- capacities ---------------------------------------------------------------------------------

/// The last size at which a curve of latencies has risen by less than a tenth of its range.
double knee(const std::vector<std::pair<double, double>>& curve) {
    const double limit = curve.front().second + 0.1 * (curve.back().second - curve.front().second);
    double size = 0;
    for (const auto& point : curve) {
        if (point.second > limit) break;
        size = point.first;
    }
    return size;
}

/// Mean latency of 64 of `lines` lines that a block has read in order before.
double latency_in_l1(Gpu& gpu, u32 lines, u32 stride) {
    check(cudaFuncSetAttribute(capacity_l1, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    u32* const times = gpu.zeros<u32>(64);
    const u32 step = std::max(1u, lines / 64);
    char* const data = gpu.zeros<char>(static_cast<size_t>(lines) * stride +
                                       65 * step * static_cast<size_t>(stride));
    gpu.launch(link_pointers, 1, 128, data, static_cast<u64>(stride) * step, std::min(lines, 64u));
    gpu.launch(capacity_l1, 1, 128, times, data, stride, lines);
    return gpu.mean_cycles(times, 1) / variable;
}

Result l1_capacity(Gpu& gpu) {
    std::vector<std::pair<double, double>> curve;
    for (u32 kib : {8,   12,  16,  24,  28,  32,  48,  64,  80,  88,  92,  96,  112, 120,
                    124, 128, 160, 176, 184, 188, 192, 224, 240, 248, 252, 256, 384})
        curve.emplace_back(kib, latency_in_l1(gpu, kib * 8, 128));
    return {knee(curve), curve};
}

/// Lines at a distance of 32 KiB that stay in the L1: its ways, if the index is part of the
/// address.
Result l1_ways(Gpu& gpu) {
    std::vector<std::pair<double, double>> curve;
    for (u32 lines : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256})
        curve.emplace_back(lines, latency_in_l1(gpu, lines, 32 << 10));
    return {knee(curve), curve};
}

Result l2_capacity(Gpu& gpu) {
    const double l2 = gpu.properties().l2CacheSize;
    if (gpu.small() && l2 > 8 << 20)
        throw std::runtime_error("takes too long in a simulator: the L2 is too large");
    std::vector<std::pair<double, double>> curve;
    u32* const times = gpu.zeros<u32>(64);
    for (double share :
         {0.125, 0.25, 0.5, 0.625, 0.75, 0.875, 0.94, 1.0, 1.06, 1.25, 1.5, 2.0, 4.0}) {
        const u32 bytes = static_cast<u32>(l2 * share) / 4096 * 4096;
        char* const data = gpu.zeros<char>(bytes);
        gpu.link(data, bytes / 128 / 128 * 128, 128);
        for (u32 i = 0; i < 2; ++i) gpu.launch(touch, gpu.sms(), 1024, times, data, 32, bytes / 32);
        // The second execution is measured: of the first half, which was read earlier.
        gpu.launch(latency_load_l2, 1, 1, times, data + bytes / 128 / 128 * 128 * 64);
        curve.emplace_back(bytes / 1024, gpu.mean_cycles(times, 1) / variable);
        gpu.release();
    }
    return {knee(curve), curve};
}

// ---- launches -----------------------------------------------------------------------------------

/// Cycles from one empty kernel to the next in a stream.
Result launch_interval(Gpu& gpu) {
    const u32 few = 4, many = gpu.small() ? 12 : 1004;
    double taken[2];
    for (u32 i = 0; i < 2; ++i)
        taken[i] = gpu.cycles([&] {
            for (u32 k = 0; k < (i == 0 ? few : many); ++k) gpu.launch(empty, 1, 32);
        });
    return (taken[1] - taken[0]) / (many - few);
}

/// Cycles per block of a whole GPU: cost of more blocks.
template <class Launch>
Result per_block(Gpu& gpu, Launch launch) {
    const u32 few = 8 * gpu.sms(), many = (gpu.small() ? 24 : 1024) * gpu.sms();
    double taken[2];
    launch(few);
    for (u32 i = 0; i < 2; ++i) taken[i] = gpu.cycles([&] { launch(i == 0 ? few : many); });
    return (taken[1] - taken[0]) / (many - few);
}

Measure empty_blocks(u32 threads) {
    return [=](Gpu& gpu) -> Result {
        return per_block(gpu, [&](u32 grid) { gpu.launch(empty, grid, threads); });
    };
}

/// Two blocks per SM, by their shared memory.
Measure storing_blocks(u32 threads) {
    return [=](Gpu& gpu) -> Result {
        const u32 most = (gpu.small() ? 24 : 1024) * gpu.sms();
        double* const values = gpu.zeros<double>(static_cast<size_t>(most) * threads);
        const u32 whole = static_cast<u32>(gpu.properties().sharedMemPerMultiprocessor),
                  fixed = 48000;
        const u32 extra = whole / 2 > fixed + 3072 ? whole / 2 - fixed - 3072 : 0;
        return per_block(gpu, [&](u32 grid) {
            gpu.launch_shared(store_block, grid, threads, extra, values, grid * threads, 0);
        });
    };
}

/// Cycles of an iteration of 128 dependent FFMAs with `n` blocks of 128 threads on each SM.
Measure ffma_loop(u32 n) {
    return [=](Gpu& gpu) -> Result {
        const u32 blocks = n == 1 ? 1 : n * gpu.sms();
        const u32 few = gpu.small() ? 4 : 100, many = gpu.small() ? 12 : 500;
        if (gpu.small() && blocks > 256)
            throw std::runtime_error("takes too long in a simulator: many SMs");
        float* const values = gpu.zeros<float>(64);
        u32* const times = gpu.zeros<u32>(2 * blocks);
        double taken[2];
        gpu.launch(loop_fma_f32, blocks, 128, times, values, few);  // reads the code into the caches
        for (u32 i = 0; i < 2; ++i)
            taken[i] = gpu.cycles(
                [&] { gpu.launch(loop_fma_f32, blocks, 128, times, values, i == 0 ? few : many); });
        return (taken[1] - taken[0]) / (many - few);
    };
}

// ---- sm_90: bulk copies, warpgroup products, clusters ------------------------------------------

#if MEASURE_CAPABILITY >= 90

Result bulk_latency(Gpu& gpu) {
    u32* const times = gpu.zeros<u32>(64);
    gpu.launch(latency_bulk_copy, 1, 1, times, gpu.zeros<char>(128), 32);
    return gpu.mean_cycles(times, 1) / 32;
}

/// Bytes per cycle of all SMs from DRAM, with `blocks` per SM that copy `bytes` at a time.
Measure bulk_bandwidth(u32 bytes, u32 blocks) {
    return [=](Gpu& gpu) -> Result {
        const u32 rounds = 64, grid = blocks * gpu.sms(), unit = gpu.small() ? 1 : 8;
        const u32 few = (bytes < 8192 ? 8 : 4) * unit, many = (bytes < 8192 ? 40 : 20) * unit;
        char* const data = gpu.untouched<char>(static_cast<size_t>(grid) * bytes * rounds);
        evict(gpu);
        const double each = cycles_per_repetition(gpu, grid, few, many, [&](u32* times, u32 count) {
            gpu.launch_shared(bandwidth_bulk_copy, grid, 1, bytes, times, data, bytes, count,
                              rounds);
        });
        return static_cast<double>(grid) * bytes / each;
    };
}

/// Cycles of a warpgroup product that follows others: from groups of 4 and of 16.
Measure products(void (*kernel)(u32*, float*, u32)) {
    return [=](Gpu& gpu) -> Result {
        float* const sums = gpu.zeros<float>(128);
        u32* const times = gpu.zeros<u32>(64);
        double taken[2];
        for (u32 i = 0; i < 4; ++i) {  // twice, so that the code is in the caches
            gpu.launch_shared(kernel, 1, 128, 65536, times, sums, i % 2 == 0 ? 4 : 16);
            taken[i % 2] = gpu.mean_cycles(times, 1);
        }
        return (taken[1] - taken[0]) / 12;
    };
}

Measure cluster_load(u32 rank) {
    return [=](Gpu& gpu) -> Result {
        u32* const times = gpu.zeros<u32>(64);
        gpu.launch(latency_cluster_load, 8, 1, times, rank);
        return gpu.mean_cycles(times, 1) / variable;
    };
}

Result cluster_barrier(Gpu& gpu) {
    u32* const times = gpu.zeros<u32>(64);
    gpu.launch(latency_cluster_barrier, 2, 1, times);
    return gpu.mean_cycles(times, 2) / 64;
}

#endif

// ---- clocks and power ---------------------------------------------------------------------------

/// NVIDIA's management library, if the machine has it.
class Nvml {
public:
    Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
        if (library_ == nullptr) throw std::runtime_error("there is no libnvidia-ml.so.1");
        if (function<int()>("nvmlInit_v2")() != 0 ||
            function<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2")(0, &device_) != 0)
            throw std::runtime_error("NVML does not give access to GPU 0");
    }

    double watts() { return value<unsigned>("nvmlDeviceGetPowerUsage") / 1e3; }
    /// @param kind  1: SM, 2: memory
    double megahertz(int kind) {
        unsigned mhz = 0;
        if (function<int(void*, int, unsigned*)>("nvmlDeviceGetClockInfo")(device_, kind, &mhz) !=
            0)
            throw std::runtime_error("NVML does not give the clock");
        return mhz;
    }

private:
    template <class F>
    F* function(const char* name) {
        void* const f = dlsym(library_, name);
        if (f == nullptr) throw std::runtime_error(std::string("NVML has no ") + name);
        return reinterpret_cast<F*>(f);
    }
    template <class T>
    T value(const char* name) {
        T v{};
        if (function<int(void*, T*)>(name)(device_, &v) != 0)
            throw std::runtime_error(std::string(name) + " is not supported or not allowed");
        return v;
    }

    void* library_;
    void* device_ = nullptr;
};

/// Mean of samples during half a second in which `work` is launched again and again.
double sampled(Gpu& gpu, const std::function<void()>& work,
               const std::function<double(Nvml&)>& sample) {
    Nvml nvml;
    if (gpu.small())
        throw std::runtime_error("needs half a second of a real GPU: not with --small");
    const auto begin = std::chrono::steady_clock::now();
    double sum = 0;
    unsigned count = 0;
    for (;;) {
        work();
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (seconds > 0.2) {  // the first samples are from before
            sum += sample(nvml);
            ++count;
        }
        if (seconds > 0.7) break;
        check(cudaDeviceSynchronize());
    }
    check(cudaDeviceSynchronize());
    return sum / count;
}

/// Power or clock while nothing runs, all SMs multiply, or the DRAM is read.
Measure under_load(const char* load, std::function<double(Nvml&)> sample) {
    return [load = std::string(load), sample](Gpu& gpu) -> Result {
        const u32 blocks = gpu.sms() * 1024;
        u32* const times = gpu.zeros<u32>(2 * blocks);
        float* const values = gpu.zeros<float>(2048);
        char* const data = load == "dram" ? gpu.untouched<char>(size_t(1) << 30) : nullptr;
        return sampled(
            gpu,
            [&] {
                if (load == "fma")
                    gpu.launch(rate_fma_f32, 2 * gpu.sms(), 1024, times, values, 20000);
                else if (load == "dram")
                    for (u32 i = 0; i < 20; ++i) gpu.launch(stream, 1 << 16, 1024, times, data);
                else
                    usleep(10000);
            },
            sample);
    };
}

// ---- programs -----------------------------------------------------------------------------------

/// Cycles of a kernel in launches that follow each other, less the interval of empty kernels.
Result program_cycles(Gpu& gpu, const std::function<void()>& launch) {
    launch();
    if (gpu.profiled()) return 0;
    const u32 count = gpu.small() ? 2 : 20;
    const double cycles = gpu.cycles([&] {
        for (u32 i = 0; i < count; ++i) launch();
    });
    return cycles / count - launch_interval(gpu).value;
}

/// A kernel of two inputs and an output of `elements` each, in blocks of 256 threads.
template <class In, class Out>
Measure program(void (*kernel)(const In*, const In*, Out*, u32), u32 n, u32 threads,
                size_t elements) {
    return [=](Gpu& gpu) -> Result {
        const In *const a = gpu.zeros<In>(elements), *const b = gpu.zeros<In>(elements);
        Out* const c = gpu.zeros<Out>(elements);
        return program_cycles(gpu,
                              [&] { gpu.launch(kernel, (threads + 255) / 256, 256, a, b, c, n); });
    };
}

/// The same of a kernel with one input.
template <class In, class Out>
Measure program(void (*kernel)(const In*, Out*, u32), u32 n, u32 threads, size_t elements) {
    return [=](Gpu& gpu) -> Result {
        const In* const a = gpu.zeros<In>(elements);
        Out* const c = gpu.zeros<Out>(elements);
        return program_cycles(gpu,
                              [&] { gpu.launch(kernel, (threads + 255) / 256, 256, a, c, n); });
    };
}

// ---- the table ----------------------------------------------------------------------------------

using Table = std::vector<Benchmark>;

void add_latencies(Table& table) {
    const auto add = [&](const char* name, const char* what, Measure measure) {
        table.push_back({std::string("latency_") + name, what, "cycles", std::move(measure)});
    };
    add("fma_f32", "dependent FFMA", chain(latency_fma_f32));
    add("alu", "dependent IMNMX and LOP3", chain(latency_alu));
    add("mad_u32", "dependent IMAD", chain(latency_mad_u32));
    add("fma_f16x2", "dependent HFMA2", chain(latency_fma_f16x2));
    add("fma_f64", "dependent DFMA", chain(latency_fma_f64, variable));
    add("ex2", "dependent MUFU", chain(latency_ex2, variable));
    add("shuffle", "dependent SHFL", chain(latency_shuffle_index, variable));
    add("load_shared", "load from shared memory", plain(latency_load_shared, variable, 1));
    add("load_constant", "load from constant memory", plain(latency_load_constant, variable, 1));
    add("load_l1", "64-bit load, L1 hit", chase(latency_load_l1, 128, 16));
    add("load_l2", "64-bit load, L2 hit", chase(latency_load_l2, 128, 64));
    add("load_dram", "64-bit load from DRAM", chase(latency_load_l2, 66 << 10, 192, true));
    add("atomic", "atomic add in the L2", atomic_latency);
    add("near_hit", "load, hit in the near partition of the L2", each_load(true, false));
    add("far_hit", "load, hit in the far partition of the L2", each_load(true, true));
    add("near_miss", "load from DRAM, near partition", each_load(false, false));
    add("far_miss", "load from DRAM, far partition", each_load(false, true));
    add("barrier", "bar.sync of one warp", plain(latency_barrier, 16));
    add("barrier_16_warps", "bar.sync of 16 warps", plain(barriers, 64, 512));
    add("barrier_32_warps", "bar.sync of 32 warps", plain(barriers, 64, 1024));
    add("fence", "membar.gl without stores", plain(latency_fence, 16, 1));
    add("wmma", "wmma 16x16x16, FP32 accumulators", chain(latency_wmma, variable));
#if MEASURE_CAPABILITY >= 80
    add("mma_f16", "mma m16n8k16, FP16 accumulators", chain(latency_mma_f16, variable));
    add("mma_f32", "mma m16n8k16, FP32 accumulators", chain(latency_mma_f32, variable));
#endif
}

void add_rates(Table& table) {
    const auto add = [&](const char* name, const char* what, Measure measure) {
        table.push_back({std::string("rate_") + name, what, "/cycle/SM", std::move(measure)});
    };
    add("fma_f32", "FP32 multiply-add", rate(rate_fma_f32, 1));
    add("alu", "integer minimum and logic", rate(rate_alu, 1));
    add("mad_u32", "integer multiply-add", rate(rate_mad_u32, 1));
    add("fma_f16", "FP16 multiply-add (packed)", rate(rate_fma_f16x2, 2));
    add("fma_f64", "FP64 multiply-add", rate(rate_fma_f64, 1, 4));
    add("ex2", "special function", rate(rate_ex2, 1));
    add("wmma", "wmma FP16 multiply-add, FP32 accumulators",
        rate(rate_wmma, 16 * 16 * 16, 8, 12, 32));
#if MEASURE_CAPABILITY >= 80
    add("mma_f32", "mma FP16 multiply-add, FP32 accumulators",
        rate(rate_mma_f32, 16 * 8 * 16, 8, 8, 32));
    add("mma_f16", "mma FP16 multiply-add, FP16 accumulators",
        rate(rate_mma_f16, 16 * 8 * 16, 8, 8, 32));
    add("mma_tf32", "mma TF32 multiply-add", rate(rate_mma_tf32, 16 * 8 * 8, 8, 8, 32));
    add("mma_s8", "mma 8-bit integer multiply-add", rate(rate_mma_s8, 16 * 8 * 32, 8, 8, 32));
#endif
}

void add_bandwidths(Table& table) {
    const auto add = [&](const char* name, const char* what, const char* unit, Measure measure) {
        table.push_back({name, what, unit, std::move(measure)});
    };
    add("bandwidth_dram", "DRAM, reads of all SMs", "B/cycle",
        stream_bandwidth(16, false, [](Gpu& gpu, u32 grid, char* from, char*) {
            gpu.launch(stream, grid, 1024, reinterpret_cast<u32*>(from), from);
        }));
    add("bandwidth_dram_write", "DRAM, writes of all SMs", "B/cycle",
        stream_bandwidth(16, true, [](Gpu& gpu, u32 grid, char*, char* to) {
            gpu.launch(fill_stream, grid, 1024, to);
        }));
    add("bandwidth_dram_copy", "DRAM, read and written bytes of a copy", "B/cycle",
        stream_bandwidth(32, true, [](Gpu& gpu, u32 grid, char* from, char* to) {
            gpu.launch(copy_stream, grid, 1024, reinterpret_cast<uint4*>(from),
                       reinterpret_cast<uint4*>(to));
        }));
    add("bandwidth_l2", "L2, all SMs", "B/cycle", l2_bandwidth(false));
    add("bandwidth_l2_one_sm", "L2, one SM", "B/cycle", l2_bandwidth(true));
    add("bandwidth_l1", "L1, 64-bit loads, many in flight", "B/cycle/SM", l1_bandwidth);
    add("bandwidth_l1_32", "L1, 32-bit loads of a block", "B/cycle/SM",
        l1_block(bandwidth_l1_32, 512));
    add("bandwidth_l1_64", "L1, 64-bit loads of a block", "B/cycle/SM",
        l1_block(bandwidth_l1_64, 256));
    add("bandwidth_l1_128", "L1, 128-bit loads of a block", "B/cycle/SM",
        l1_block(bandwidth_l1_128, 512));
    add("bandwidth_shared_32", "shared memory, 32-bit loads", "B/cycle/SM",
        shared_bandwidth(bandwidth_shared_32, 4));
    add("bandwidth_shared_128", "shared memory, 128-bit loads", "B/cycle/SM",
        shared_bandwidth(bandwidth_shared_128, 16));
}

void add_launches(Table& table) {
    const auto add = [&](std::string name, std::string what, const char* unit, Measure measure) {
        table.push_back({std::move(name), std::move(what), unit, std::move(measure)});
    };
    add("launch_interval", "empty kernels back to back", "cycles", launch_interval);
    for (u32 threads : {32u, 384u, 832u})
        add("launch_empty_" + std::to_string(threads),
            "empty block of " + std::to_string(threads) + " threads", "cycles/block",
            empty_blocks(threads));
    for (u32 threads : {64u, 192u})
        add("launch_store_" + std::to_string(threads),
            "block of " + std::to_string(threads) + " threads that store", "cycles/block",
            storing_blocks(threads));
    for (u32 n : {1u, 4u, 6u, 8u, 9u, 16u})
        add("iteration_ffma_" + std::to_string(n),
            "128 dependent FFMAs, " + std::to_string(n) + " blocks of 128 per SM", "cycles",
            ffma_loop(n));
}

void add_contention(Table& table) {
    const auto add = [&](std::string name, const char* what, const char* unit, Measure measure) {
        table.push_back({std::move(name), what, unit, std::move(measure)});
    };
    const char* const per_warp = "cycles/warp instruction";
    const Pattern same{0, 0, 4096}, line{4, 0, 4096}, table_of_1k{4, 128, 1024},
        spread{4, 128, 1 << 17}, lanes{128, 4096, 1 << 17};
    add("atomic_line", "reductions into the words of one line", per_warp, atomics<false>(line));
    add("atomic_table", "reductions into 8 lines of one KiB", per_warp,
        atomics<false>(table_of_1k));
    add("atomic_address", "reductions into one word", per_warp, atomics<false>(same));
    add("atomic_spread", "reductions into many lines, one per warp", per_warp,
        atomics<false>(spread));
    add("atomic_lanes", "reductions into many lines, 32 per warp", per_warp, atomics<false>(lanes));
    add("atomic_line_one_block", "reductions of one block into a line", per_warp,
        atomics<false>(line, 1));
    add("atomic_spread_one_block", "reductions of one block, one line per warp", per_warp,
        atomics<false>(spread, 1));
    add("atomic_line_return", "atomics that return, on one line", per_warp, atomics<true>(line));
    add("atomic_address_return", "atomics that return, on one word", per_warp, atomics<true>(same));
    add("atomic_spread_return", "atomics that return, one line per warp", per_warp,
        atomics<true>(spread));
    for (u32 stride : {0u, 1u, 2u, 32u}) {
        const std::string suffix = stride == 0 ? "address" : "stride_" + std::to_string(stride);
        add("shared_atomic_" + suffix, "reductions in shared memory", per_warp,
            shared_access(shared_atomics<false>, stride));
        add("shared_atomic_return_" + suffix, "atomics in shared memory that return", per_warp,
            shared_access(shared_atomics<true>, stride));
    }
    for (u32 stride : {1u, 2u, 4u, 8u, 16u, 32u})
        add("shared_stride_" + std::to_string(stride),
            "loads from shared memory with bank conflicts", per_warp,
            shared_access(shared_conflicts, stride));
    const char *const per_line = "cycles/line/SM", *const per_sector = "cycles/sector/SM";
    add("store_lines_8_bytes", "stores of 8 bytes to each of 16 lines, all SMs", per_line,
        stores<2>(false));
    add("store_lines_4_bytes", "stores of 4 bytes to each of 32 lines, all SMs", per_line,
        stores<1>(false));
    add("store_lines_128_bytes", "stores of whole lines, all SMs", per_line, stores<32>(false));
    add("store_lines_8_bytes_one_sm", "stores of 8 bytes to each of 16 lines, one SM", per_line,
        stores<2>(true));
    add("store_lines_128_bytes_one_sm", "stores of whole lines, one SM", per_line,
        stores<32>(true));
    add("load_sectors_32", "loads of every eighth word from the L2, all SMs", per_sector,
        loads(32, false));
    add("load_sectors_128", "loads of a word of each line from the L2, all SMs", per_sector,
        loads(128, false));
    add("load_sectors_128_one_sm", "loads of a word of each line from the L2, one SM", per_sector,
        loads(128, true));
    for (u32 stride : {1u, 2u, 3u, 5u, 8u, 9u, 15u, 17u, 32u, 33u})
        add("stride_l1_" + std::to_string(stride),
            "32-bit load, L1 hit, lanes this many words apart", "cycles", strided(stride));
}

void add_capacities(Table& table) {
    table.push_back({"capacity_l1", "size of the L1 without shared memory", "KiB", l1_capacity});
    table.push_back({"capacity_l2", "size of the L2 for one SM", "KiB", l2_capacity});
    table.push_back({"ways_l1", "lines 32 KiB apart that stay in the L1", "lines", l1_ways});
    table.push_back({"l2_slice_bytes", "distance of lines in different slices of the L2", "B",
                     slice_granularity});
}

void add_hopper([[maybe_unused]] Table& table) {
#if MEASURE_CAPABILITY >= 90
    const auto add = [&](std::string name, std::string what, const char* unit, Measure measure) {
        table.push_back({std::move(name), std::move(what), unit, std::move(measure)});
    };
    add("latency_bulk_copy", "bulk copy of 16 bytes, L2 hit", "cycles", bulk_latency);
    for (u32 bytes : {1024u, 2048u, 8192u})
        for (u32 blocks : {1u, 2u, 4u})
            add("bandwidth_bulk_" + std::to_string(bytes) + "_" + std::to_string(blocks),
                "bulk copies of " + std::to_string(bytes) + " bytes, " + std::to_string(blocks) +
                    " blocks per SM",
                "B/cycle", bulk_bandwidth(bytes, blocks));
    const auto wgmma = [&](const char* name, const char* what, void (*kernel)(u32*, float*, u32)) {
        add(std::string("iteration_wgmma_") + name, what, "cycles", products(kernel));
    };
    wgmma("f16", "wgmma m64n256k16 of halves", group_f16);
    wgmma("f16_registers", "the same, A in registers", group_f16_registers);
    wgmma("f16_n32", "wgmma m64n32k16 of halves", group_f16_n32);
    wgmma("e4m3", "wgmma m64n256k32 of 8-bit floats", group_e4m3);
    wgmma("tf32", "wgmma m64n256k8 of TF32", group_tf32);
    wgmma("sparse", "wgmma m64n256k32 of halves, sparse", group_sparse);
    add("latency_cluster_near", "load from shared memory of the cluster's second block", "cycles",
        cluster_load(1));
    add("latency_cluster_far", "load from shared memory of the cluster's eighth block", "cycles",
        cluster_load(7));
    add("latency_cluster_barrier", "barrier of a cluster of two blocks", "cycles", cluster_barrier);
#endif
}

void add_power(Table& table) {
    for (const char* load : {"idle", "fma", "dram"}) {
        table.push_back({std::string("power_") + load, "power by NVML", "W",
                         under_load(load, [](Nvml& nvml) { return nvml.watts(); })});
        table.push_back({std::string("clock_") + load, "SM clock by NVML", "MHz",
                         under_load(load, [](Nvml& nvml) { return nvml.megahertz(1); })});
    }
    table.push_back({"clock_memory", "memory clock by NVML under load", "MHz",
                     under_load("dram", [](Nvml& nvml) { return nvml.megahertz(2); })});
}

/// @param large  the sizes for a real GPU only
void add_programs(Table& table, bool large) {
    const auto add = [&](const char* name, u32 n, Measure measure) {
        table.push_back({std::string("program_") + name + "_" + std::to_string(n),
                         "held-out program", "cycles", std::move(measure)});
    };
    using Sizes = std::vector<u32>;
    for (u32 n : large ? Sizes{1 << 20, 1 << 22, 1 << 24} : Sizes{1 << 14, 1 << 16}) {
        add("vector_add", n, program(vector_add, n, n, n));
        add("copy_strided", n, program(copy_strided, n, n, 8 * size_t(n)));
        add("histogram", n, program(histogram_256, n, std::min(n / 8, 1u << 18), n));
        add("reduce", n, program(reduce_sum, n, std::min(n / 8, 1u << 18), n));
        add("scan", n, program(scan_blocks, n, n, n));
        add("collatz", n, program(collatz, n, n, n));
    }
    for (u32 n : large ? Sizes{256, 512, 1024, 2048} : Sizes{64, 128}) {
        const size_t elements = size_t(n) * n;
        add("transpose_direct", n, program(transpose_direct, n, n * n, elements));
        add("transpose_tiled", n, program(transpose_tiled, n, n / 32 * (n / 32) * 256, elements));
        add("gemm_direct", n, program(gemm_direct, n, n * n, elements));
        add("gemm_tiled", n, program(gemm_tiled, n, n * n, elements));
        add("rows_times_vector", n, program(rows_times_vector, n, n, elements));
        add("columns_times_vector", n, program(columns_times_vector, n, n, elements));
        add("convolution", n, program(convolution, n, n * n, elements));
        add("syrk", n, program(syrk, n, n * n, elements));
    }
}

/// All benchmarks, the most valuable first.
Table all_benchmarks() {
    Table table;
    table.push_back({"clock_sm", "SM clock of a waiting kernel", "MHz",
                     [](Gpu& gpu) { return gpu.clock_mhz(); }});
    add_latencies(table);
    add_rates(table);
    add_bandwidths(table);
    add_launches(table);
    add_hopper(table);
    add_contention(table);
    add_programs(table, false);
    add_capacities(table);
    add_power(table);
    add_programs(table, true);
    return table;
}

// ---- output -------------------------------------------------------------------------------------

void print_list(const Table& table) {
    std::printf("[");
    for (const Benchmark& b : table)
        std::printf("%s{\"name\": \"%s\", \"what\": \"%s\", \"unit\": \"%s\"}",
                    &b == &table[0] ? "" : ",\n", b.name.c_str(), b.what.c_str(), b.unit.c_str());
    std::printf("]\n");
}

int attribute(cudaDeviceAttr which) {
    int value = 0;
    cudaDeviceGetAttribute(&value, which, 0);
    return value;
}

void print_device(const Gpu& gpu) {
    const cudaDeviceProp& p = gpu.properties();
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    std::printf(
        "{\"name\": \"%s\", \"compute_capability\": \"%d.%d\", \"sms\": %d, \"memory_bytes\": %zu, "
        "\"l2_bytes\": %d, \"shared_bytes_per_sm\": %zu, \"shared_bytes_per_block\": %zu, "
        "\"shared_bytes_per_block_optin\": %zu, \"registers_per_sm\": %d, \"registers_per_block\": "
        "%d, "
        "\"threads_per_sm\": %d, \"blocks_per_sm\": %d, \"bus_bits\": %d, \"clock_kHz\": %d, "
        "\"memory_clock_kHz\": %d, "
        "\"driver\": %d, \"runtime\": %d}\n",
        p.name, p.major, p.minor, p.multiProcessorCount, p.totalGlobalMem, p.l2CacheSize,
        p.sharedMemPerMultiprocessor, p.sharedMemPerBlock, p.sharedMemPerBlockOptin,
        p.regsPerMultiprocessor, p.regsPerBlock, p.maxThreadsPerMultiProcessor,
        p.maxBlocksPerMultiProcessor, p.memoryBusWidth, attribute(cudaDevAttrClockRate),
        attribute(cudaDevAttrMemoryClockRate), driver, runtime);
}

/// Runs a benchmark and prints its line. Returns false after an error that the process does not
/// survive.
bool run(Gpu& gpu, const Benchmark& benchmark, unsigned repeat) {
    const auto begin = std::chrono::steady_clock::now();
    std::string values, why;
    std::vector<std::pair<double, double>> curve;
    try {
        for (unsigned i = 0; i < repeat; ++i) {
            const Result result = benchmark.measure(gpu);
            gpu.release();
            char text[32];
            std::snprintf(text, sizeof text, "%s%.9g", i == 0 ? "" : ", ", result.value);
            values += text;
            curve = result.curve;
        }
    } catch (const std::exception& error) {
        why = error.what();
        gpu.release();
    }
    std::printf("{\"name\": \"%s\", \"unit\": \"%s\", ", benchmark.name.c_str(),
                benchmark.unit.c_str());
    if (!why.empty())
        std::printf("\"error\": \"%s\"", why.c_str());
    else
        std::printf("\"values\": [%s]", values.c_str());
    if (!curve.empty()) {
        std::printf(", \"curve\": [");
        for (const auto& point : curve)
            std::printf("%s[%.9g, %.9g]", &point == &curve[0] ? "" : ", ", point.first,
                        point.second);
        std::printf("]");
    }
    std::printf(", \"seconds\": %.3f}\n",
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    std::fflush(stdout);
    cudaGetLastError();
    return cudaDeviceSynchronize() == cudaSuccess;
}

int refuse(const std::string& why) {
    std::fprintf(stderr, "measure: %s\n", why.c_str());
    return 2;
}

}  // namespace

double Gpu::clock_mhz() {
    unsigned* times = nullptr;
    check(cudaMalloc(&times, 8));
    launch(wait_for_time, 1, 1, times, small_ ? 20000u : 1000000u);
    const std::vector<unsigned> taken = read(times, 2);
    check(cudaFree(times));
    return 1e3 * taken[1] / taken[0];
}

int main(int count, char** words) {
    const Table table = all_benchmarks();
    bool small = false, profiled = false, device = false;
    unsigned repeat = 3;
    std::vector<const Benchmark*> chosen;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--list") return print_list(table), 0;
        if (word == "--device")
            device = true;
        else if (word == "--small")
            small = true;
        else if (word == "--profile")
            profiled = true;
        else if (word == "--repeat" && i + 1 < count)
            repeat = std::max(1, std::atoi(words[++i]));
        else {
            const auto found = std::find_if(table.begin(), table.end(),
                                            [&](const Benchmark& b) { return b.name == word; });
            if (found == table.end())
                return refuse("there is no benchmark " + word + "; --list prints them");
            chosen.push_back(&*found);
        }
    }
    try {
        Gpu gpu(small, profiled);
        if (device) print_device(gpu);
        for (const Benchmark* benchmark : chosen)
            if (!run(gpu, *benchmark, repeat))
                return refuse(benchmark->name + " has damaged the context");
    } catch (const std::exception& error) {
        return refuse(error.what());
    }
    return 0;
}
