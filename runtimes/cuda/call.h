// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/cuda/session.h"
#include "runtimes/cuda/status.h"

#include <cstdint>

namespace simtlm::cuda {

/// The library that a call belongs to: the runtime records the last error, the driver does not.
enum class library_kind { runtime, driver };

/// Whether a call is permitted after a fault of the device.
enum class after_fault { refused, allowed };

/// Type-erased body of a call: a function and its context object, so that the code around it is
/// compiled once instead of for each of a thousand calls.
class call_body {
public:
    template <class Act>
    explicit call_body(Act& act)
        : object_(&act),
          run_([](void* object, session& s) { return (*static_cast<Act*>(object))(s); }) {}
    status operator()(session& s) const { return run_(object_, s); }

private:
    void* object_;
    status (*run_)(void*, session&);
};

/// Executes a call of a program and converts its status, or an exception, to the number that the
/// API uses for it; no exception leaves it.
/// @param name  of the function; must have static storage duration
result carry_out(library_kind kind, const char* name, after_fault faults, call_body body) noexcept;

/// Executes a call of either API; `act` returns its status.
template <library_kind Kind, class Act>
result call(const char* name, after_fault faults, Act&& act) noexcept {
    return carry_out(Kind, name, faults, call_body(act));
}

/// Executes a call of the runtime API.
template <class Act>
result runtime_call(const char* name, Act&& act) noexcept {
    return call<library_kind::runtime>(name, after_fault::refused, [&](session& s) {
        act(s);
        return status::success;
    });
}

[[noreturn]] void refuse(status otherwise, const char* why);
/// Throws a failure for an invalid argument of the program.
inline void require(bool good, status otherwise, const char* why) {
    if (!good) refuse(otherwise, why);
}
/// Multiply or add sizes passed by a program; overflow of 64 bits is a failure.
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
