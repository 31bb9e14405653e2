// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/arithmetic/surface.h"
#include "modules/execution/arithmetic/texture.h"
#include "modules/execution/state/device_memory.h"

#include <cstdint>
#include <unordered_map>

namespace simtlm::execution {

/// A texture or surface: an image in device memory, and its sampler state.
struct texture_binding {
    arithmetic::texture_image image;
    arithmetic::sampler_state sampler;
    device_address base = 0;
};

/// Textures, samplers and surfaces by handle: the value of a texture object, or the address of a
/// `.texref`, `.samplerref` or `.surfref` variable of a module.
class texture_table {
public:
    /// Binds a handle to a texture, sampler or surface.
    void bind(std::uint64_t handle, texture_binding binding) {
        bindings_[handle] = std::move(binding);
        ++changes_;
    }
    void release(std::uint64_t handle) { changes_ += bindings_.erase(handle); }
    /// Changes whenever bindings() does.
    std::uint64_t changes() const { return changes_; }
    const texture_binding* find(std::uint64_t handle) const {
        const auto at = bindings_.find(handle);
        return at == bindings_.end() ? nullptr : &at->second;
    }
    /// All bindings by handle, in no particular order.
    const std::unordered_map<std::uint64_t, texture_binding>& bindings() const { return bindings_; }
    /// @return an unused handle
    std::uint64_t new_handle() { return ++last_; }

private:
    std::unordered_map<std::uint64_t, texture_binding> bindings_;
    std::uint64_t last_ = 0, changes_ = 0;
};

}  // namespace simtlm::execution
