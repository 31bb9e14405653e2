// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/opencl/session.h"

#include <cstring>
#include <string>
#include <vector>

namespace simtlm::opencl {

/// SIMTLM_VERBOSE: print the reason of every failing call.
bool is_verbose();

/// Type-erased body of a call: a function and its context object, so that the code around it is
/// compiled once instead of for each call.
class call_body {
public:
    template <class Act>
    explicit call_body(Act& act)
        : object_(&act), run_([](void* object, session& s) { (*static_cast<Act*>(object))(s); }) {}
    void operator()(session& s) const { run_(object_, s); }

private:
    void* object_;
    void (*run_)(void*, session&);
};

/// Executes a call of the program and converts exceptions to its result; no exception leaves it.
/// @param name  of the function; must have static storage duration
cl_int carry_out(const char* name, call_body body) noexcept;

/// Executes a call that returns a status.
template <class Act>
cl_int call(const char* name, Act&& act) noexcept {
    return carry_out(name, call_body(act));
}

/// The same for calls that return an object, and the result through a pointer.
template <class Act>
auto make(const char* name, cl_int* result, Act&& act) noexcept {
    using handle = decltype(act(session::get()));
    handle made{};
    const cl_int r = call(name, [&](session& s) { made = act(s); });
    if (result != nullptr) *result = r;
    return r == CL_SUCCESS ? made : handle{};
}

/// Destination of the result of a clGet...Info call.
class answer {
public:
    answer(std::size_t room, void* to, std::size_t* size) : room_(room), to_(to), size_(size) {}

    void bytes(const void* from, std::size_t n) const {
        if (to_ != nullptr) {
            require(room_ >= n, CL_INVALID_VALUE, "the buffer is too small for the result");
            if (n != 0) std::memcpy(to_, from, n);
        }
        if (size_ != nullptr) *size_ = n;
    }
    template <class T>
    void value(const T& v) const {
        static_assert(std::is_trivially_copyable_v<T>);
        bytes(&v, sizeof v);
    }
    void text(const std::string& t) const { bytes(t.c_str(), t.size() + 1); }
    template <class T>
    void list(const std::vector<T>& l) const {
        bytes(l.data(), l.size() * sizeof(T));
    }

private:
    std::size_t room_;
    void* to_;
    std::size_t* size_;
};

/// Copies a list of properties including its terminating 0; empty for a null pointer.
template <class T>
std::vector<T> copy_list(const T* list) {
    std::vector<T> all;
    if (list == nullptr) return all;
    for (; *list != 0; list += 2) {
        all.push_back(list[0]);
        all.push_back(list[1]);
    }
    all.push_back(0);
    return all;
}

}  // namespace simtlm::opencl
