// SPDX-License-Identifier: Apache-2.0
// STREAM_CALLS(NAME, session& s, const submission& how, parameters...) { ... } defines two entry
// points: NAME, and NAMEAsync, which has a stream as its last parameter.
#pragma once

#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/memory/memory.h"

namespace simtlm::cuda {

/// The two calls that `Call::run` implements.
template <class Call, class Run = decltype(Call::run)>
struct stream_calls;
template <class Call, class... Parameters>
struct stream_calls<Call, void(session&, const submission&, Parameters...)> {
    struct waiting : Call {
        static void run(session& s, Parameters... arguments) { Call::run(s, {}, arguments...); }
    };
    struct asynchronous : Call {
        static constexpr const char* name = Call::asynchronous_name;
        static void run(session& s, Parameters... arguments, void* stream) {
            Call::run(s, {stream, true}, arguments...);
        }
    };
};

#define STREAM_CALLS(symbol, ...)                                                            \
    namespace {                                                                              \
    struct symbol##_call {                                                                   \
        static constexpr const char *name = #symbol, *asynchronous_name = #symbol "Async";   \
        static constexpr bool is_about_graphs = false;                                       \
        static void run(__VA_ARGS__);                                                        \
    };                                                                                       \
    }                                                                                        \
    SIMTLM_EXPORT(symbol, entry_of<stream_calls<symbol##_call>::waiting>::enter)             \
    SIMTLM_EXPORT(symbol##Async, entry_of<stream_calls<symbol##_call>::asynchronous>::enter) \
    void symbol##_call::run(__VA_ARGS__)

}  // namespace simtlm::cuda
