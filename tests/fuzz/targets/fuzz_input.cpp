// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/targets/fuzz_input.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

namespace simtlm::fuzz {

namespace {

struct own_folder {
    own_folder() {
        const bool memory = access("/dev/shm", W_OK) == 0;
        path = (memory ? "/dev/shm" : "/tmp") + std::string("/simtlm-fuzz-") +
               std::to_string(getpid());
        mkdir(path.c_str(), 0700);
    }
    ~own_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    std::string path;
};

}  // namespace

std::string file_of(const std::string& name, const std::uint8_t* data, std::size_t size) {
    static const own_folder folder;
    std::string path = folder.path + "/" + name;
    std::FILE* out = std::fopen(path.c_str(), "wb");
    if (out == nullptr || std::fwrite(data, 1, size, out) != size || std::fclose(out) != 0)
        std::abort();
    return path;
}

}  // namespace simtlm::fuzz

/// Required by the SystemC library.
extern "C" int sc_main(int, char**) {
    return 0;
}
