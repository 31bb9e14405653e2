// SPDX-License-Identifier: Apache-2.0
// The GPU that measure.cu measures: memory, launches, clocks and events.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// What a benchmark gives: one value, and the points of which it is derived, if any.
struct Result {
    double value;
    std::vector<std::pair<double, double>> curve{};
    Result(double v) : value(v) {}
    Result(double v, std::vector<std::pair<double, double>> points)
        : value(v), curve(std::move(points)) {}
};

/// @throws std::runtime_error if a call failed
inline void check(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

/// One device. Memory is freed by release(), after each benchmark.
class Gpu {
public:
    /// @param small  sizes with which a simulator ends in minutes
    /// @param profiled  programs are launched once and not timed, for a profiler
    Gpu(bool small, bool profiled) : small_(small), profiled_(profiled) {
        check(cudaGetDeviceProperties(&properties_, 0));
        check(cudaEventCreate(&begin_));
        check(cudaEventCreate(&end_));
    }

    const cudaDeviceProp& properties() const { return properties_; }
    bool small() const { return small_; }
    bool profiled() const { return profiled_; }
    unsigned sms() const { return static_cast<unsigned>(properties_.multiProcessorCount); }

    /// Memory that has not been accessed by a kernel.
    template <class T>
    T* untouched(size_t count) {
        void* p = nullptr;
        check(cudaMalloc(&p, count * sizeof(T)));
        owned_.push_back(p);
        return static_cast<T*>(p);
    }

    template <class T>
    T* zeros(size_t count) {
        T* const p = untouched<T>(count);
        check(cudaMemset(p, 0, count * sizeof(T)));
        return p;
    }

    template <class T>
    std::vector<T> read(const T* from, size_t count) {
        std::vector<T> values(count);
        check(cudaMemcpy(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }

    /// Links pointers `stride` bytes apart to a ring, by a copy, which leaves no modified line in
    /// an L2.
    void link(char* ring, size_t stride, size_t count) {
        std::vector<char*> next(count);
        for (size_t i = 0; i < count; ++i) next[i] = ring + (i + 1) % count * stride;
        check(cudaMemcpy2D(ring, stride, next.data(), 8, 8, count, cudaMemcpyHostToDevice));
    }

    template <class... Parameters, class... Arguments>
    void launch_shared(void (*kernel)(Parameters...), unsigned grid, unsigned block, size_t shared,
                       Arguments... arguments) {
        if (shared != 0)
            check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(shared)));
        kernel<<<grid, block, shared>>>(static_cast<Parameters>(arguments)...);
        check(cudaGetLastError());
    }

    template <class... Parameters, class... Arguments>
    void launch(void (*kernel)(Parameters...), unsigned grid, unsigned block,
                Arguments... arguments) {
        launch_shared(kernel, grid, block, 0, arguments...);
    }

    /// Mean cycles between the two clocks that each block of a launch has written.
    double mean_cycles(const unsigned* times, unsigned blocks) {
        const std::vector<unsigned> clocks = read(times, 2 * blocks);
        double sum = 0;
        for (unsigned i = 0; i < blocks; ++i) sum += clocks[2 * i + 1] - clocks[2 * i];
        return sum / blocks;
    }

    /// Milliseconds of what `work` launches.
    double milliseconds(const std::function<void()>& work) {
        check(cudaDeviceSynchronize());
        check(cudaEventRecord(begin_));
        work();
        check(cudaEventRecord(end_));
        check(cudaEventSynchronize(end_));
        float ms = 0;
        check(cudaEventElapsedTime(&ms, begin_, end_));
        return ms;
    }

    /// The SM clock in MHz, measured now: implemented in measure.cu.
    double clock_mhz();

    /// SM cycles of what `work` launches, at the clock after it.
    double cycles(const std::function<void()>& work) {
        const double ms = milliseconds(work);
        return ms * 1e3 * clock_mhz();
    }

    /// Frees the memory of a benchmark. A simulator starts each one with other addresses instead:
    /// its caches are not emptied.
    void release() {
        if (small_) return;
        for (void* p : owned_) cudaFree(p);
        owned_.clear();
    }

private:
    bool small_, profiled_;
    cudaDeviceProp properties_{};
    cudaEvent_t begin_{}, end_{};
    std::vector<void*> owned_{};
};
