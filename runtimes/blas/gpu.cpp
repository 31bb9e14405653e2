// SPDX-License-Identifier: Apache-2.0
#include "runtimes/blas/gpu.h"

#include "runtimes/blas/driver.h"
#include "runtimes/blas/types.h"

#include <memory>

namespace simtlm::blas {

namespace {

// CUdevice_attribute and CUfunction_attribute.
constexpr int multiprocessor_count = 16, capability_major = 75, capability_minor = 76;
constexpr int max_dynamic_shared = 8;

void check(int result, status otherwise) {
    if (result != 0) throw failure{otherwise};
}

int attribute(int which, int device) {
    int value = 0;
    check(cuDeviceGetAttribute(&value, which, device), not_initialized);
    return value;
}

}  // namespace

gpu& gpu::current() {
    void* context = nullptr;
    check(cuInit(0), not_initialized);
    check(cuCtxGetCurrent(&context), not_initialized);
    if (context == nullptr) {
        check(cuDevicePrimaryCtxRetain(&context, 0), not_initialized);
        check(cuCtxSetCurrent(context), not_initialized);
    }
    static std::mutex mutex;
    static std::map<void*, std::unique_ptr<gpu>> gpus;  // a context lives as long as the process
    const std::lock_guard<std::mutex> lock(mutex);
    std::unique_ptr<gpu>& entry = gpus[context];
    if (entry == nullptr) {
        int device = 0;
        check(cuCtxGetDevice(&device), not_initialized);
        entry = std::make_unique<gpu>();
        entry->capability_ = static_cast<unsigned>(10 * attribute(capability_major, device) +
                                                   attribute(capability_minor, device));
        entry->multiprocessors_ = static_cast<unsigned>(attribute(multiprocessor_count, device));
    }
    return *entry;
}

void* gpu::function(const std::string& name, const std::function<std::string()>& ptx,
                    unsigned shared_bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    void*& entry = functions_[name];
    if (entry == nullptr) {
        void *module = nullptr, *function = nullptr;
        check(cuModuleLoadData(&module, ptx().c_str()), internal_error);
        check(cuModuleGetFunction(&function, module, name.c_str()), internal_error);
        constexpr unsigned without_opting_in = 48 * 1024;
        if (shared_bytes > without_opting_in)
            check(cuFuncSetAttribute(function, max_dynamic_shared, static_cast<int>(shared_bytes)),
                  internal_error);
        entry = function;
    }
    return entry;
}

void gpu::launch(const std::string& name, const std::function<std::string()>& ptx, const grid& size,
                 void* stream, const void* arguments) {
    constexpr std::uint64_t largest_x = 2147483647, largest = 65535;
    require(size.x <= largest_x && size.y <= largest && size.z <= largest, not_supported);
    void* const kernel = function(name, ptx, size.shared_bytes);
    void* parameters[] = {const_cast<void*>(arguments)};
    check(cuLaunchKernel(kernel, static_cast<unsigned>(size.x), static_cast<unsigned>(size.y),
                         static_cast<unsigned>(size.z), size.threads, 1, 1, size.shared_bytes,
                         stream, parameters, nullptr),
          execution_failed);
}

std::uint64_t gpu::allocate(std::size_t bytes) {
    std::uint64_t address = 0;
    check(cuMemAlloc_v2(&address, bytes), allocation_failed);
    return address;
}

void gpu::release(std::uint64_t address) {
    if (address != 0) cuMemFree_v2(address);
}

void gpu::read(void* to, std::uint64_t from, std::size_t bytes, void* stream) {
    check(cuMemcpyDtoHAsync_v2(to, from, bytes, stream), execution_failed);
    check(cuStreamSynchronize(stream), execution_failed);
}

}  // namespace simtlm::blas
