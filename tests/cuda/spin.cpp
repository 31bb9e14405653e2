// SPDX-License-Identifier: Apache-2.0
// A kernel with a given number of loop iterations: spin LOOPS [SIGNAL [HOW]]. If the signal is not
// 0, the program sends it to itself while the kernel runs, after the kernel has reported its
// 2,000th iteration. HOW:
//   twice     sends the signal a second time immediately
//   careless  ignores errors and results
//   idle      launches no kernel
//   repeat    40 launches instead of two, every other one with twice the loops
//   many      2,000 thread blocks in each launch instead of two
//   events    prints the nanoseconds between events around the launches
#include "driver_subset.h"

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

static const char* const text = R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 sums, .param .u32 loops, .param .u64 progress) {
    .reg .u32 %r<9>;
    .reg .u64 %d<5>;
    .reg .pred %p;
    ld.param.u64 %d1, [sums];
    ld.param.u32 %r1, [loops];
    ld.param.u64 %d4, [progress];
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
    setp.eq.u32 %p, %r6, 2000;
    @%p st.volatile.global.u32 [%d4], %r6;
    setp.lt.u32 %p, %r6, %r1;
    @%p bra AGAIN;
    st.global.u32 [%d3], %r5;
    ret;
}
)";

/// The text of the kernel: the contents of the file that SPIN_PTX names, if set.
static std::string code() {
    const char* const file = std::getenv("SPIN_PTX");
    if (file == nullptr) return text;
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

static bool careless = false;
static bool events = false;
static unsigned launches = 2;
static unsigned blocks = 2;
static unsigned* progress = nullptr;  ///< written by the kernel: mapped host memory

static void run_on(int device, unsigned loops) {
    constexpr unsigned threads = 64;
    const unsigned n = threads * blocks;
    void *context = nullptr, *module = nullptr, *function = nullptr;
    CHECK(cuDevicePrimaryCtxRetain(&context, device) == 0);
    CHECK(cuCtxSetCurrent(context) == 0);
    CHECK(cuModuleLoadData(&module, code().c_str()) == 0);
    CHECK(cuModuleGetFunction(&function, module, "spin") == 0);
    std::vector<unsigned> sums(n);
    for (unsigned i = 0; i < n; ++i) sums[i] = i;
    std::uint64_t data = 0;
    CHECK(cuMemAlloc_v2(&data, 4 * n) == 0);
    CHECK(cuMemcpyHtoD_v2(data, sums.data(), 4 * n) == 0);
    unsigned now = loops, added = 0;
    void* arguments[] = {&data, &now, &progress};
    void *begin = nullptr, *end = nullptr;
    CHECK(cuEventCreate(&begin, 0) == 0 && cuEventCreate(&end, 0) == 0);
    if (events) CHECK(cuEventRecord(begin, nullptr) == 0);
    for (unsigned launch = 0; launch < launches; ++launch) {
        now = launches > 2 && launch % 2 == 1 ? 2 * loops : loops;
        added += now * (now - 1) / 2;
        const int launched =
            cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr);
        const int ended = cuCtxSynchronize();
        CHECK(careless || (launched == 0 && ended == 0));
    }
    if (events) {
        float milliseconds = -1;
        CHECK(cuEventRecord(end, nullptr) == 0 && cuEventSynchronize(end) == 0);
        CHECK(cuEventElapsedTime(&milliseconds, begin, end) == 0);
        std::printf("%.0f ns\n", static_cast<double>(milliseconds) * 1e6);
    }
    if (careless) return;
    CHECK(cuMemcpyDtoH_v2(sums.data(), data, 4 * n) == 0);
    for (unsigned i = 0; i < n; ++i) CHECK(sums[i] == i + added);
}

int main(int count, char** arguments) {
    const unsigned loops = count > 1 ? static_cast<unsigned>(std::atol(arguments[1])) : 10;
    int devices = 0;
    CHECK(cuInit(0) == 0);
    CHECK(cuDeviceGetCount(&devices) == 0);
    const std::string how = count > 3 ? arguments[3] : "";
    careless = how == "careless";
    events = how == "events";
    if (how == "repeat") launches = 40;
    if (how == "many") blocks = 2000;
    const int signal = count > 2 ? std::atoi(arguments[2]) : 0;
    void* context = nullptr;
    CHECK(cuDevicePrimaryCtxRetain(&context, 0) == 0 && cuCtxSetCurrent(context) == 0);
    CHECK(cuMemHostAlloc(reinterpret_cast<void**>(&progress), sizeof *progress, 2) == 0);
    *progress = 0;
    if (signal != 0)
        std::thread([signal, twice = how == "twice"] {
            while (__atomic_load_n(progress, __ATOMIC_ACQUIRE) == 0) std::this_thread::yield();
            ::kill(::getpid(), signal);
            if (twice) ::kill(::getpid(), signal);
        }).detach();
    if (how == "idle") devices = 0;
    for (int d = 0; d < devices; ++d) run_on(d, loops);
    std::puts("spin: passed");
}
