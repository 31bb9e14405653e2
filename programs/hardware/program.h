// SPDX-License-Identifier: Apache-2.0
// Host code that the programs of this folder share.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

/// Ends the program with a message if a call of the runtime has failed.
inline void check(cudaError_t result) {
    if (result == cudaSuccess) return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
    std::exit(1);
}

/// Value of an argument given as "-name N"; without it, the program ends with a message.
inline unsigned argument(int count, char** words, const char* name) {
    for (int i = 1; i + 1 < count; ++i)
        if (words[i] == std::string("-") + name)
            return static_cast<unsigned>(std::strtoul(words[i + 1], nullptr, 10));
    std::fprintf(stderr, "%s: argument -%s N is missing\n", words[0], name);
    std::exit(2);
}

/// Device memory of a number of values, 0 or copied from the host.
template <class T>
T* device_values(std::size_t count, const std::vector<T>& content = {}) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, count * sizeof(T)));
    if (content.empty())
        check(cudaMemset(memory, 0, count * sizeof(T)));
    else
        check(
            cudaMemcpy(memory, content.data(), content.size() * sizeof(T), cudaMemcpyHostToDevice));
    return static_cast<T*>(memory);
}

/// Pseudo-random integers from 0 to limit - 1.
inline std::vector<unsigned> random_keys(std::size_t count, unsigned limit) {
    std::vector<unsigned> keys(count);
    std::srand(2009);
    for (unsigned& k : keys) k = static_cast<unsigned>(std::rand()) % limit;
    return keys;
}

/// Pseudo-random numbers from 0 to 1.
inline std::vector<float> random_numbers(std::size_t count) {
    std::vector<float> numbers(count);
    std::srand(2007);
    for (float& n : numbers) n = static_cast<float>(std::rand()) / static_cast<float>(RAND_MAX);
    return numbers;
}

/// Waits for all kernels; ends the program with a message if one has failed.
inline void finish() {
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
}
