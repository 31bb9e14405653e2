// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/cuda/abi/status.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace simtlm::cuda {

/// The objects behind the handles of one kind. A handle is the address of its object. Thread-safe.
template <class T, class Owner = std::unique_ptr<T>>
class handle_table {
public:
    /// @param code, why  the failure if a handle is unknown
    handle_table(status code, const char* why) : code_(code), why_(why) {}

    T* insert(Owner object) {
        T* const handle = object.get();
        const std::lock_guard<std::mutex> lock(mutex_);
        objects_[handle] = std::move(object);
        return handle;
    }
    /// @throws failure  for an unknown handle; so do the functions below
    T& get(const void* handle) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return *at(handle)->second;
    }
    /// The object, to be shared with its other owners.
    Owner share(const void* handle) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return at(handle)->second;
    }
    Owner erase(const void* handle) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = at(handle);
        Owner object = std::move(const_cast<Owner&>(found->second));
        objects_.erase(found);
        return object;
    }
    bool contains(const void* handle) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return objects_.count(handle) != 0;
    }
    /// Whether `holds(object)` for any object.
    template <class Predicate>
    bool any_of(Predicate&& holds) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return std::any_of(objects_.begin(), objects_.end(),
                           [&](const auto& o) { return holds(*o.second); });
    }

private:
    auto at(const void* handle) const {
        const auto found = objects_.find(handle);
        if (found == objects_.end()) throw failure(code_, why_);
        return found;
    }

    const status code_;
    const char* const why_;
    mutable std::mutex mutex_;
    std::unordered_map<const void*, Owner> objects_;
};

/// Values by key. Thread-safe.
template <class Key, class Value>
class value_table {
public:
    void set(const Key& key, Value value) {
        const std::lock_guard<std::mutex> lock(mutex_);
        values_[key] = std::move(value);
    }
    std::optional<Value> find(const Key& key) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = values_.find(key);
        return found != values_.end() ? std::optional<Value>(found->second) : std::nullopt;
    }
    /// @return false if there was no value
    bool erase(const Key& key) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return values_.erase(key) != 0;
    }
    /// Removes and returns all values.
    std::map<Key, Value> clear() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return std::exchange(values_, {});
    }

private:
    mutable std::mutex mutex_;
    std::map<Key, Value> values_;
};

}  // namespace simtlm::cuda
