// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/command_list.h"

#include "tests/fuzz/targets/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace simtlm;
    static const std::string header =
        "-kernel name = _Z1kPf\n-kernel id = 3\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
        "-shmem = 0\n-nregs = 8\n-binary version = 70\n";
    fuzz::file_of("kernel-1.traceg", reinterpret_cast<const std::uint8_t*>(header.data()),
                  header.size());
    const std::string list = fuzz::file_of("kernelslist.g", data, size);
    fuzz::allow_user_error([&] { trace::read_command_list(list); });
    return 0;
}
