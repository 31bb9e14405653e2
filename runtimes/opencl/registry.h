// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/opencl/error.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace simtlm::opencl {

/// The table of entry points that a loader (ICD) calls through.
extern const cl_icd_dispatch dispatch_table;

/// What a handle points to. The dispatch table comes first: loaders look for it there.
struct object {
    const cl_icd_dispatch* dispatch = &dispatch_table;
    std::atomic<cl_uint> references{1};  ///< of the program
};

/// Objects that the program holds, by handle. A handle that is not in it is not valid. The library
/// itself holds objects by shared_ptr, so that one that is released lives until it is not used.
template <class T>
class registry {
public:
    explicit registry(cl_int invalid) : invalid_(invalid) {}

    /// @return the handle
    T* add(std::shared_ptr<T> object) {
        T* const raw = object.get();
        const std::lock_guard<std::mutex> lock(mutex_);
        objects_[raw] = std::move(object);
        return raw;
    }
    /// @throws error  no such object
    std::shared_ptr<T> get(const T* handle) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto at = objects_.find(handle);
        if (at == objects_.end()) throw error(invalid_, "an invalid handle");
        return at->second;
    }
    /// @return the object, or nothing
    std::shared_ptr<T> find(const T* handle) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto at = objects_.find(handle);
        return at == objects_.end() ? nullptr : at->second;
    }
    /// Takes an object out, whatever its reference count.
    void remove(const T* handle) {
        std::shared_ptr<T> last;  // its destructor may take locks: it goes after ours
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto at = objects_.find(handle);
        if (at == objects_.end()) return;
        last = std::move(at->second);
        objects_.erase(at);
    }
    void retain(const T* handle) { ++get(handle)->references; }
    void release(const T* handle) {
        std::shared_ptr<T> last;  // its destructor may take locks: it goes after ours
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto at = objects_.find(handle);
        if (at == objects_.end()) throw error(invalid_, "an invalid handle");
        if (--at->second->references != 0) return;
        last = std::move(at->second);
        objects_.erase(at);
    }

private:
    mutable std::mutex mutex_;
    std::unordered_map<const T*, std::shared_ptr<T>> objects_;
    cl_int invalid_;
};

}  // namespace simtlm::opencl
