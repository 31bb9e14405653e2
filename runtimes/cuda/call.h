// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/common/call_span.h"
#include "runtimes/cuda/session.h"
#include "runtimes/cuda/status.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

namespace simtlm::cuda {

/// Which library a call came through: the runtime remembers errors, the driver does not.
enum class library_kind { runtime, driver };

/// What a call may do after a device has faulted.
enum class after_fault { refused, allowed };

namespace detail {
/// Some failures cannot be understood from their number.
inline void explain(const char* name, status code, const std::exception& e) {
    const bool needs_words =
        code == status::not_supported || code == status::invalid_ptx ||
        code == status::no_binary_for_gpu || code == status::launch_out_of_resources ||
        code == status::cooperative_launch_too_large || code == status::unknown;
    static const bool always = std::getenv("SIMTLM_VERBOSE") != nullptr;
    if (needs_words || always) std::fprintf(stderr, "simtlm: %s: %s\n", name, e.what());
}
}  // namespace detail

/// Carries out a call of a program: exceptions become its result, and nothing else ever leaves.
template <library_kind Kind, class Act>
result call(const char* name, after_fault faults, Act&& act) noexcept {
    result r = 0;
    try {
        session& s = session::get();
        if (Kind == library_kind::runtime && !session::thread().through_driver)
            session::thread().uses_runtime = true;
        const runtime::call_span span(s, name);
        if (faults == after_fault::refused) {
            const status fault = status_of(s.work().fault(s.current_device()));
            if (fault != status::success) r = static_cast<result>(fault);
        }
        if (r == 0) r = static_cast<result>(act(s));
    } catch (const simtlm::kernel::user_error& e) {
        r = static_cast<result>(status_of(e));
        detail::explain(name, status_of(e), e);
    } catch (const std::bad_alloc&) {
        r = static_cast<result>(status::out_of_memory);
    } catch (const std::exception& e) {
        r = static_cast<result>(status::unknown);
        std::fprintf(stderr, "simtlm: %s: %s\n", name, e.what());
    }
    thread_state& t = session::thread();
    // That something is still under way is no error to remember.
    const bool failed = r != 0 && r != static_cast<result>(status::not_ready);
    if (Kind == library_kind::runtime && !t.through_driver && failed) t.last_error = r;
    t.through_driver = false;
    t.per_thread_default = false;
    return r;
}

/// A call of the runtime API.
template <class Act>
result runtime_call(const char* name, Act&& act) noexcept {
    return call<library_kind::runtime>(name, after_fault::refused, [&](session& s) {
        act(s);
        return status::success;
    });
}

/// Refuses what the program passes.
inline void require(bool good, status otherwise, const char* why) {
    if (!good) throw failure(otherwise, why);
}
/// Sizes that a program passes, multiplied or added: what does not fit into 64 bits is refused.
inline std::uint64_t checked_product(std::uint64_t a, std::uint64_t b,
                                     status otherwise = status::invalid_value) {
    std::uint64_t product = 0;
    require(!__builtin_mul_overflow(a, b, &product), otherwise, "a size beyond 64 bits");
    return product;
}
inline std::uint64_t checked_sum(std::uint64_t a, std::uint64_t b,
                                 status otherwise = status::invalid_value) {
    std::uint64_t sum = 0;
    require(!__builtin_add_overflow(a, b, &sum), otherwise, "a size beyond 64 bits");
    return sum;
}
inline void require_pointer(const void* p) {
    require(p != nullptr, status::invalid_value, "a null pointer");
}

}  // namespace simtlm::cuda
