// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace simtlm::host_threads {

/// Calls `act` with 0 to `count` - 1, each once, by up to `jobs` threads including the caller's.
/// After an exception no further call begins; when all calls have ended, the one with the smallest
/// number is rethrown.
template <class Act>
void parallel_for(unsigned jobs, std::size_t count, const Act& act) {
    std::vector<std::exception_ptr> errors(count);
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    const auto work = [&] {
        for (std::size_t i = next++; i < count && !failed; i = next++) {
            try {
                act(i);
            } catch (...) {
                errors[i] = std::current_exception();
                failed = true;
            }
        }
    };
    std::vector<std::thread> others;
    for (unsigned n = 1; n < std::min<std::size_t>(jobs, count); ++n) others.emplace_back(work);
    work();
    for (std::thread& t : others) t.join();
    for (const std::exception_ptr& e : errors)
        if (e) std::rethrow_exception(e);
}

}  // namespace simtlm::host_threads
