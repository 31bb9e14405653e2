// SPDX-License-Identifier: Apache-2.0
// Ends in different ways after a kernel: process HOW [ARGUMENT].
//   exit, _exit, quick_exit, abrupt   the kernel runs; abrupt: _exit with code 3
//   exec FILE                         executes another program
//   silent                            makes no call
//   chdir FOLDER                      changes its folder before and after the kernel
//   refused, refused_seen             launches only kernels for a newer GPU; without and with a
//   look
//                                     at the error
//   fork                              a child ends by _exit() before the kernel is launched
#include "driver_subset.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

struct dimensions {
    unsigned x, y, z;
};
extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*,
                            void*, int*);
int cudaLaunchKernel(const void*, dimensions, dimensions, void**, std::size_t, void*);
int cudaDeviceSynchronize();
int cudaGetLastError();
}

namespace {

const char text[] =
    ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry empty() { ret; }\n";
const char newer_text[] =
    ".version 8.8\n.target sm_120\n.address_size 64\n.visible .entry newer() { ret; }\n";

void run_kernel() {
    void *context = nullptr, *module = nullptr, *function = nullptr;
    CHECK(cuInit(0) == 0);
    CHECK(cuDevicePrimaryCtxRetain(&context, 0) == 0);
    CHECK(cuCtxSetCurrent(context) == 0);
    CHECK(cuModuleLoadData(&module, text) == 0);
    CHECK(cuModuleGetFunction(&function, module, "empty") == 0);
    CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr) == 0);
    CHECK(cuCtxSynchronize() == 0);
}

/// A fat binary with one PTX text, as nvcc generates it.
std::vector<char> fat_binary(unsigned architecture, const char* code, std::size_t bytes) {
    struct {
        std::uint32_t magic = 0xba55ed50;
        std::uint16_t version = 1, header = 16;
        std::uint64_t bytes = 0;
    } top;
    struct {
        std::uint16_t kind = 1, version = 0x101;
        std::uint32_t header = 64;
        std::uint64_t bytes = 0;
        std::uint32_t packed = 0, unknown[2] = {}, architecture = 0, unknown2[2] = {};
        std::uint64_t flags = 0x11, unknown3 = 0, unpacked = 0;
    } entry;
    entry.bytes = (bytes + 7) / 8 * 8;
    entry.architecture = architecture;
    top.bytes = sizeof entry + entry.bytes;
    std::vector<char> all(sizeof top + sizeof entry + entry.bytes);
    std::memcpy(all.data(), &top, sizeof top);
    std::memcpy(all.data() + sizeof top, &entry, sizeof entry);
    std::memcpy(all.data() + sizeof top + sizeof entry, code, bytes);
    return all;
}

void launch_newer() {
    static const std::vector<char> code = fat_binary(120, newer_text, sizeof newer_text);
    static struct {
        int magic = 0x466243b1, version = 1;
        const void* data = code.data();
        void* unused = nullptr;
    } wrapper;
    static const char kernel = 0;
    void** const handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &kernel, nullptr, "newer", -1, nullptr, nullptr, nullptr,
                           nullptr, nullptr);
    __cudaRegisterFatBinaryEnd(handle);
    for (int i = 0; i < 3; ++i)
        cudaLaunchKernel(&kernel, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr);
    cudaDeviceSynchronize();
}

}  // namespace

int main(int argc, char** argv) {
    const std::string how = argc > 1 ? argv[1] : "";
    if (how == "silent") return 0;
    if (how == "refused" || how == "refused_seen") {
        launch_newer();
        if (how == "refused_seen") {
            CHECK(cudaGetLastError() == 209);
            run_kernel();
        }
        return 0;
    }
    if (how == "fork") {
        CHECK(cuInit(0) == 0);
        const pid_t child = fork();
        if (child == 0) _exit(0);
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    if (how == "chdir") CHECK(chdir(argv[2]) == 0);
    run_kernel();
    if (how == "chdir") CHECK(chdir("/") == 0);
    std::fflush(stdout);
    if (how == "_exit") _exit(0);
    if (how == "abrupt") _exit(3);
    if (how == "quick_exit") std::quick_exit(0);
    if (how == "exec") execl(argv[2], argv[2], nullptr);
    return 0;
}
