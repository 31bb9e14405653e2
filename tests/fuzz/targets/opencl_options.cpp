// SPDX-License-Identifier: Apache-2.0
#include "runtimes/opencl/build_options.h"
#include "runtimes/opencl/error.h"
#include "runtimes/opencl/kernel_signature.h"
#include "tests/fuzz/targets/fuzz_input.h"

#include <string>

/// The first byte selects: the options of a build, whose results are arguments of the compiler, or
/// the description of kernels in a binary.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace simtlm::opencl;
    if (size == 0) return 0;
    const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
    try {
        switch (data[0] % 5) {
            case 3:
                static_cast<void>(to_comments(signatures_of_ptx(text)));
                break;
            case 4:
                static_cast<void>(to_comments(signatures_of_llvm(text)));
                break;
            default: {
                constexpr build_options::stage stages[] = {build_options::stage::build,
                                                           build_options::stage::compile,
                                                           build_options::stage::link};
                const build_options o = build_options::parse(text.c_str(), stages[data[0] % 5]);
                for (const std::string& word : o.front_end) {
                    const std::string kind = word.substr(0, 2);
                    const bool good = kind == "-D" || kind == "-U"
                                          ? word.size() > 2 && word[2] != '@' && word[2] != '-'
                                      : kind == "-I"
                                          ? word.size() > 2 && word[2] == '/'
                                          : word == "-w" || word == "-g" ||
                                                word.compare(0, 4, "-cl-") == 0 || kind == "-W";
                    if (!good) std::abort();
                }
            }
        }
    } catch (const error&) {
    }
    return 0;
}
