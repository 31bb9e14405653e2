// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/device_launches.h"

#include <algorithm>

namespace simtlm::execution {

device_address device_launches::prepare(device_launch what, error& why) {
    const auto volume = [](const program::dim3& d) {
        return std::uint64_t{d.x} * std::uint64_t{d.y} * d.z;
    };
    const std::uint64_t threads = volume(what.block);
    why = depth_ >= deepest                                          ? too_deep
          : what.kernel == nullptr                                   ? not_a_function
          : volume(what.grid) == 0 || threads == 0 || threads > 1024 ? invalid_configuration
                                                                     : no_error;
    if (why != no_error) return 0;
    const device_address a = buffers_->allocate(std::max(what.kernel->parameter_bytes, 1u));
    if (a == 0) {
        why = pool_exhausted;
        return 0;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    prepared_[a] = std::move(what);
    return a;
}

device_launches::error device_launches::launch(device_address buffer, std::uint64_t stream,
                                               std::uint64_t by_block,
                                               const device_memory& memory) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = prepared_.find(buffer);
    if (at == prepared_.end()) return invalid_value;
    device_launch l = std::move(at->second);
    prepared_.erase(at);
    l.parameters.resize(l.kernel->parameter_bytes);
    if (!l.parameters.empty()) memory.read(l.parameters.data(), buffer, l.parameters.size());
    buffers_->release(buffer);
    l.stream = stream;
    l.by_block = by_block;
    launched_.push_back(std::move(l));
    return no_error;
}

void device_launches::add(device_launch what) {
    const std::lock_guard<std::mutex> lock(mutex_);
    launched_.push_back(std::move(what));
}

std::uint64_t device_launches::new_handle() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return ++handles_;
}

void device_launches::use_events() {
    const std::lock_guard<std::mutex> lock(mutex_);
    uses_events_ = true;
}

void device_launches::set_error(std::uint64_t thread, error e) {
    if (e == no_error) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    errors_[thread] = e;
}

device_launches::error device_launches::last_error(std::uint64_t thread, bool reset) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = errors_.find(thread);
    if (at == errors_.end()) return no_error;
    const error e = at->second;
    if (reset) errors_.erase(at);
    return e;
}

std::vector<device_launch> device_launches::take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [address, unused] : prepared_) buffers_->release(address);
    prepared_.clear();
    std::vector<device_launch> all = std::move(launched_);
    launched_.clear();
    std::stable_sort(all.begin(), all.end(), [](const device_launch& a, const device_launch& b) {
        return a.by_block < b.by_block;
    });
    return all;
}

bool device_launches::is_needed_for(const std::string& function) {
    return function == "__cudaCDP2LaunchDeviceV2" || function == "cudaLaunchDeviceV2";
}

}  // namespace simtlm::execution
