// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/cuda/abi/status.h"
#include "runtimes/cuda/session.h"

#include <cstdint>
#include <mutex>
#include <type_traits>

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

/// The library that a function belongs to, by its name.
constexpr library_kind kind_of(const char* name) {
    return name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z'
               ? library_kind::driver
               : library_kind::runtime;
}

/// Executes a call of either API; `act(session)` returns its status.
template <library_kind Kind, class Act>
result call(const char* name, after_fault faults, Act&& act) noexcept {
    return carry_out(Kind, name, faults, call_body(act));
}

/// Executes a call of the driver API that is not an entry point by name.
template <class Act>
result driver_call(const char* name, Act&& act) noexcept {
    return call<library_kind::driver>(name, after_fault::refused, [&](session& s) {
        act(s);
        return status::success;
    });
}

/// An entry point of the binary interface: calls `Call::run` with the session of the process and
/// the arguments of the program, and converts its status or exception.
template <class Call, class Run = decltype(Call::run)>
struct entry_of;
template <class Call, class Status, class... Parameters>
struct entry_of<Call, Status(session&, Parameters...)> {
    static result enter(Parameters... arguments) noexcept {
        return call<kind_of(Call::name)>(Call::name, after_fault::refused, [&](session& s) {
            const auto lock = Call::is_about_graphs ? s.captures.lock()
                                                    : std::unique_lock<std::recursive_mutex>();
            if constexpr (!std::is_void_v<Status>) return Call::run(s, arguments...);
            Call::run(s, arguments...);
            return status::success;
        });
    }
};

/// Any function, as the stubs jump to it.
using any_function = void (*)();

// An entry point NAME is defined by one of
//   CALL(NAME, session& s, parameters...) { ... }        returns nothing, or throws a failure
//   QUERY(NAME, session& s, parameters...) { ... }       returns a status
//   GRAPH_CALL(NAME, session& s, parameters...) { ... }  as CALL; such calls are serialised
//   FUNCTION(type, NAME, parameters...) { ... }          called without a session, in any state
// and CALL_AS, GRAPH_CALL_AS, which have as second parameter the name for messages and timelines.
// NAME_call::run calls it from others. The stubs of the libraries jump to the address
// simtlm_rt_NAME.
#define SIMTLM_EXPORT(symbol, function)                          \
    extern "C" {                                                 \
    extern __attribute__((visibility("default")))                \
    const simtlm::cuda::any_function simtlm_rt_##symbol;         \
    const simtlm::cuda::any_function simtlm_rt_##symbol =        \
        reinterpret_cast<simtlm::cuda::any_function>(&function); \
    }
#define SIMTLM_CALL(adapter, Status, graphs, symbol, called, ...) \
    namespace {                                                   \
    struct symbol##_call {                                        \
        static constexpr const char* name = called;               \
        static constexpr bool is_about_graphs = graphs;           \
        static Status run(__VA_ARGS__);                           \
    };                                                            \
    }                                                             \
    SIMTLM_EXPORT(symbol, adapter<symbol##_call>::enter)          \
    Status symbol##_call::run(__VA_ARGS__)
#define CALL(symbol, ...) \
    SIMTLM_CALL(simtlm::cuda::entry_of, void, false, symbol, #symbol, __VA_ARGS__)
#define CALL_AS(symbol, called, ...) \
    SIMTLM_CALL(simtlm::cuda::entry_of, void, false, symbol, called, __VA_ARGS__)
#define QUERY(symbol, ...) \
    SIMTLM_CALL(simtlm::cuda::entry_of, simtlm::cuda::status, false, symbol, #symbol, __VA_ARGS__)
#define GRAPH_CALL(symbol, ...) \
    SIMTLM_CALL(simtlm::cuda::entry_of, void, true, symbol, #symbol, __VA_ARGS__)
#define GRAPH_CALL_AS(symbol, called, ...) \
    SIMTLM_CALL(simtlm::cuda::entry_of, void, true, symbol, called, __VA_ARGS__)
#define FUNCTION(type, symbol, ...)             \
    static type symbol##_function(__VA_ARGS__); \
    SIMTLM_EXPORT(symbol, symbol##_function)    \
    static type symbol##_function(__VA_ARGS__)

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
template <class... Pointer>
void require_pointer(const Pointer*... p) {
    require(((p != nullptr) && ...), status::invalid_value, "a null pointer");
}
/// The value at a pointer of the program. @throws failure  if it is nullptr
template <class T>
T& value_at(T* p) {
    require_pointer(p);
    return *p;
}

}  // namespace simtlm::cuda
