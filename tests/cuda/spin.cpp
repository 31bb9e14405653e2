// SPDX-License-Identifier: Apache-2.0
// A kernel that takes as long as it is told to: spin LOOPS [SIGNAL [HOW]]. With a signal other than
// 0, the program sends it to itself while the kernel runs. HOW:
//   twice     and once more soon after
//   careless  errors and results are not looked at
//   idle      no kernel is launched
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

extern "C" {
int cuInit(unsigned);
int cuDeviceGetCount(int*);
int cuDevicePrimaryCtxRetain(void**, int);
int cuCtxSetCurrent(void*);
int cuCtxSynchronize();
int cuModuleLoadData(void**, const void*);
int cuModuleGetFunction(void**, void*, const char*);
int cuMemAlloc_v2(std::uint64_t*, std::size_t);
int cuMemcpyHtoD_v2(std::uint64_t, const void*, std::size_t);
int cuMemcpyDtoH_v2(void*, std::uint64_t, std::size_t);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void*, void**, void**);
}

#define CHECK(condition)                                                         \
    do {                                                                         \
        if (!(condition)) {                                                      \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                        \
        }                                                                        \
    } while (false)

static const char* const text = R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 sums, .param .u32 loops) {
    .reg .u32 %r<9>;
    .reg .u64 %d<4>;
    .reg .pred %p;
    ld.param.u64 %d1, [sums];
    ld.param.u32 %r1, [loops];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %ctaid.x;
    mad.lo.u32 %r2, %r3, %r4, %r2;
    mul.wide.u32 %d2, %r2, 4;
    add.u64 %d3, %d1, %d2;
    ld.global.u32 %r5, [%d3];
    mov.u32 %r6, 0;
AGAIN:
    add.u32 %r5, %r5, %r6;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p, %r6, %r1;
    @%p bra AGAIN;
    st.global.u32 [%d3], %r5;
    ret;
}
)";

static bool careless = false;

static void run_on(int device, unsigned loops) {
    constexpr unsigned n = 128;
    void *context = nullptr, *module = nullptr, *function = nullptr;
    CHECK(cuDevicePrimaryCtxRetain(&context, device) == 0);
    CHECK(cuCtxSetCurrent(context) == 0);
    CHECK(cuModuleLoadData(&module, text) == 0);
    CHECK(cuModuleGetFunction(&function, module, "spin") == 0);
    unsigned sums[n];
    for (unsigned i = 0; i < n; ++i) sums[i] = i;
    std::uint64_t data = 0;
    CHECK(cuMemAlloc_v2(&data, sizeof sums) == 0);
    CHECK(cuMemcpyHtoD_v2(data, sums, sizeof sums) == 0);
    void* arguments[] = {&data, &loops};
    for (int launch = 0; launch < 2; ++launch) {
        const int launched =
            cuLaunchKernel(function, 2, 1, 1, n / 2, 1, 1, 0, nullptr, arguments, nullptr);
        const int ended = cuCtxSynchronize();
        CHECK(careless || (launched == 0 && ended == 0));
    }
    if (careless) return;
    CHECK(cuMemcpyDtoH_v2(sums, data, sizeof sums) == 0);
    for (unsigned i = 0; i < n; ++i) CHECK(sums[i] == i + loops * (loops - 1));
}

int main(int count, char** arguments) {
    const unsigned loops = count > 1 ? static_cast<unsigned>(std::atol(arguments[1])) : 10;
    int devices = 0;
    CHECK(cuInit(0) == 0);
    CHECK(cuDeviceGetCount(&devices) == 0);
    const std::string how = count > 3 ? arguments[3] : "";
    careless = how == "careless";
    const int signal = count > 2 ? std::atoi(arguments[2]) : 0;
    if (signal != 0)
        std::thread([signal, twice = how == "twice"] {
            std::this_thread::sleep_for(std::chrono::milliseconds(700));
            ::kill(::getpid(), signal);
            if (!twice) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            ::kill(::getpid(), signal);
        }).detach();
    if (how == "idle") devices = 0;
    for (int d = 0; d < devices; ++d) run_on(d, loops);
    std::puts("spin: passed");
}
