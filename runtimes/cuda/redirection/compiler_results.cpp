// SPDX-License-Identifier: Apache-2.0
// Programs that compile kernels at run time may request machine code from NVIDIA's compiler library
// (libnvrtc). `simtlm run` preloads this library, so that they get PTX instead, which the driver
// API accepts in the same places, unless machine code is executed (--code sass, --code auto).
#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

template <class F>
F* next(const char* name) {
    return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

constexpr int internal_error = 11;

/// Returns whether `simtlm run` was requested to execute machine code.
bool runs_machine_code() {
    const char* const code = std::getenv("SIMTLM_CODE");
    return code != nullptr && std::strcmp(code, "ptx") != 0;
}

/// Converts --gpu-architecture=sm_75 to --gpu-architecture=compute_75, also in its other spellings.
std::string for_ptx(const std::string& option) {
    const std::size_t at = option.find("sm_");
    const std::string before = option.substr(0, at);
    const bool names_one =
        at != std::string::npos &&
        (before.empty() || before == "--gpu-architecture=" || before == "-arch=");
    return names_one ? before + "compute_" + option.substr(at + 3) : option;
}

}  // namespace

extern "C" {

#pragma GCC visibility push(default)

int nvrtcCompileProgram(void* program, int count, const char* const* options) {
    auto* const compile = next<int(void*, int, const char* const*)>("nvrtcCompileProgram");
    if (compile == nullptr) return internal_error;
    if (runs_machine_code()) return compile(program, count, options);
    std::vector<std::string> changed;
    for (int i = 0; i < count; ++i) changed.push_back(for_ptx(options[i]));
    std::vector<const char*> words;
    for (const std::string& c : changed) words.push_back(c.c_str());
    return compile(program, count, words.data());
}

int nvrtcGetCUBINSize(void* program, std::size_t* bytes) {
    auto* const size = next<int(void*, std::size_t*)>(runs_machine_code() ? "nvrtcGetCUBINSize"
                                                                          : "nvrtcGetPTXSize");
    return size == nullptr ? internal_error : size(program, bytes);
}

int nvrtcGetCUBIN(void* program, char* code) {
    auto* const get =
        next<int(void*, char*)>(runs_machine_code() ? "nvrtcGetCUBIN" : "nvrtcGetPTX");
    return get == nullptr ? internal_error : get(program, code);
}

#pragma GCC visibility pop
}
