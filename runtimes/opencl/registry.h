// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/opencl/error.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace simtlm::opencl {

/// Table of entry points that a loader (ICD) calls through.
extern const cl_icd_dispatch dispatch_table;

/// Base of objects behind handles. The dispatch table must come first, where loaders expect it.
struct object {
    const cl_icd_dispatch* dispatch = &dispatch_table;
    std::atomic<cl_uint> references{1};  ///< reference count of the program
};

/// Objects by handle. A handle is valid as long as the program or another object holds its object;
/// for example, a queue keeps its context, which the program may have released and can still query.
/// A handle that is not in the registry is invalid.
template <class T>
class registry {
public:
    explicit registry(cl_int invalid) : invalid_(invalid) {}

    /// @return the handle, which the program owns
    T* add(std::shared_ptr<T> object) {
        T* const raw = object.get();
        // Remove the handle from the registry before the memory of the object can be reused.
        std::shared_ptr<T> held(raw, [this, own = std::move(object)](T* handle) mutable {
            drop(handle);
            own.reset();
        });
        const std::lock_guard<std::mutex> lock(mutex_);
        objects_[raw] = {held, held};
        return raw;
    }
    /// @throws error  if there is no such object
    std::shared_ptr<T> get(const T* handle) const {
        std::shared_ptr<T> found = find(handle);
        if (found == nullptr) throw error(invalid_, "an invalid handle");
        return found;
    }
    /// @return the object, or nullptr
    std::shared_ptr<T> find(const T* handle) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto at = objects_.find(handle);
        return at == objects_.end() ? nullptr : at->second.object.lock();
    }
    /// Releases the program's reference to an object, whatever its reference count.
    void remove(const T* handle) {
        // Its destructor may take locks, so it must run after our lock is released.
        std::shared_ptr<T> last;
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto at = objects_.find(handle);
        if (at != objects_.end()) last = std::move(at->second.held);
    }
    void retain(const T* handle) {
        std::shared_ptr<T> object = get(handle);
        const std::lock_guard<std::mutex> lock(mutex_);
        if (object->references++ == 0) objects_.at(handle).held = std::move(object);
    }
    void release(const T* handle) {
        // Its destructor may take locks, so it must run after our lock is released.
        std::shared_ptr<T> last = get(handle);
        const std::lock_guard<std::mutex> lock(mutex_);
        if (last->references == 0) throw error(invalid_, "a handle released too often");
        if (--last->references == 0) objects_.at(handle).held.reset();
    }

private:
    struct entry {
        std::shared_ptr<T> held;  ///< reference of the program; empty after release
        std::weak_ptr<T> object;
    };

    void drop(const T* handle) {
        const std::lock_guard<std::mutex> lock(mutex_);
        objects_.erase(handle);
    }

    mutable std::mutex mutex_;
    std::unordered_map<const T*, entry> objects_;
    cl_int invalid_;
};

}  // namespace simtlm::opencl
