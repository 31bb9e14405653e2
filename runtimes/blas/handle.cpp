// SPDX-License-Identifier: Apache-2.0
#include "runtimes/blas/handle.h"

#include "runtimes/blas/gpu.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <unordered_set>

namespace simtlm::blas {

namespace {

constexpr std::uint64_t workspace_bytes = 32U << 20;

struct handles {
    std::mutex mutex;
    std::unordered_set<void*> all;
};
handles& known() {
    static handles h;
    return h;
}

}  // namespace

handle* create_handle() {
    static std::atomic<bool> said{false};
    gpu::current();
    auto* const h = new handle;
    h->own_workspace = gpu::allocate(workspace_bytes);
    h->workspace = h->own_workspace;
    h->workspace_bytes = workspace_bytes;
    if (!said.exchange(true))
        std::fputs(
            "simtlm: note: simtlm's own BLAS kernels (simtlm_blas_*) run in place of NVIDIA's "
            "cuBLAS, which "
            "needs a key (docs/cuda.md); their times are not those of the vendor's kernels\n",
            stderr);
    const std::lock_guard<std::mutex> lock(known().mutex);
    known().all.insert(h);
    return h;
}

void destroy_handle(handle* h) {
    {
        const std::lock_guard<std::mutex> lock(known().mutex);
        known().all.erase(h);
    }
    gpu::release(h->own_workspace);
    delete h;
}

handle& handle_of(void* h) {
    const std::lock_guard<std::mutex> lock(known().mutex);
    require(known().all.count(h) != 0, not_initialized);
    return *static_cast<handle*>(h);
}

int version_part(int which) {
    require(which >= 0 && which <= 2);
    const int parts[] = {version / 10000, version / 100 % 100, version % 100};
    return parts[which];
}

const char* status_name(int status) {
    switch (status) {
        case success:
            return "CUBLAS_STATUS_SUCCESS";
        case not_initialized:
            return "CUBLAS_STATUS_NOT_INITIALIZED";
        case allocation_failed:
            return "CUBLAS_STATUS_ALLOC_FAILED";
        case invalid_value:
            return "CUBLAS_STATUS_INVALID_VALUE";
        case architecture_mismatch:
            return "CUBLAS_STATUS_ARCH_MISMATCH";
        case execution_failed:
            return "CUBLAS_STATUS_EXECUTION_FAILED";
        case internal_error:
            return "CUBLAS_STATUS_INTERNAL_ERROR";
        case not_supported:
            return "CUBLAS_STATUS_NOT_SUPPORTED";
        default:
            return "CUBLAS_STATUS_UNKNOWN";
    }
}

const char* status_text(int status) {
    switch (status) {
        case success:
            return "success";
        case not_initialized:
            return "the library was not initialized";
        case allocation_failed:
            return "the resource allocation failed";
        case invalid_value:
            return "an unsupported value or parameter was passed to the function";
        case architecture_mismatch:
            return "the function requires a feature absent from the architecture";
        case execution_failed:
            return "the GPU program failed to execute";
        case internal_error:
            return "an internal operation failed";
        case not_supported:
            return "the function is not supported";
        default:
            return "unknown status";
    }
}

namespace {

void write_refusal(const char* name, const char* reason) {
    std::fprintf(stderr,
                 "simtlm: %s %s simtlm's own BLAS library; NVIDIA's runs with "
                 "SIMTLM_INTEGRITY_KEY (docs/cuda.md)\n",
                 name, reason);
}

}  // namespace

void name_unsupported(const char* symbol) noexcept {
    static std::mutex lock;
    static std::unordered_set<std::string> named;
    constexpr std::size_t prefix = sizeof "simtlm_blas_" - 1;
    try {
        const std::lock_guard guard(lock);
        if (!named.insert(symbol + prefix).second) return;
    } catch (const std::exception&) {
        return;
    }
    write_refusal(symbol + prefix, "does not support these types or sizes in");
}

}  // namespace simtlm::blas

/// An entry point that is not implemented.
extern "C" __attribute__((visibility("default"))) int simtlm_blas_refuse(const char* name) {
    using namespace simtlm::blas;
    write_refusal(name, "is not implemented in");
    return not_supported;
}
