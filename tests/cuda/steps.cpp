// SPDX-License-Identifier: Apache-2.0
// A program whose behaviour depends on data read from the GPU: steps LAUNCHES [WORD...]. Each
// launch
// uses the results of the previous one and a parameter that the host computes from results; the
// program prints results and event times. Words:
//   clock    kernels store the clock: results differ between timing and functional mode
//   pinned   the host polls a flag in pinned memory that kernels write
//   streams  kernels run in two streams, and the host polls their completion
//   grow     a separate allocation for every launch
//   other    the first launch has another argument
//   filled   the data are filled by memset; FILL is the value in the environment
//   later    a copy inside the GPU has another source
//   copied   data of another size are copied inside the GPU
#include "driver_subset.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

extern "C" {
int cuMemcpyDtoD_v2(std::uint64_t, std::uint64_t, std::size_t);
int cuStreamCreate(void**, unsigned);
int cuStreamQuery(void*);
int cuStreamSynchronize(void*);
int cuEventCreate(void**, unsigned);
int cuEventRecord(void*, void*);
int cuEventSynchronize(void*);
int cuEventElapsedTime(float*, void*, void*);
}

static const char* const text = R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry step(.param .u64 values, .param .u32 factor, .param .u32 clocked,
                     .param .u64 flag) {
    .reg .u32 %r<9>;
    .reg .u64 %d<5>;
    .reg .pred %p<3>;
    ld.param.u64 %d1, [values];
    ld.param.u32 %r1, [factor];
    ld.param.u32 %r7, [clocked];
    ld.param.u64 %d4, [flag];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %ctaid.x;
    mad.lo.u32 %r2, %r3, %r4, %r2;
    mul.wide.u32 %d2, %r2, 4;
    add.u64 %d3, %d1, %d2;
    ld.global.u32 %r5, [%d3];
    mad.lo.u32 %r5, %r5, %r1, %r2;
    setp.eq.u32 %p1, %r7, 0;
    @%p1 bra STORE;
    mov.u32 %r6, %clock;
    add.u32 %r5, %r5, %r6;
STORE:
    st.global.u32 [%d3], %r5;
    setp.ne.u64 %p2, %d4, 0;
    @%p2 st.global.u32 [%d4], %r1;
    ret;
}
)";

int main(int count, char** arguments) {
    const int launches = count > 1 ? std::atoi(arguments[1]) : 8;
    const std::set<std::string> words(arguments + std::min(count, 2), arguments + count);
    const auto is = [&](const char* word) { return words.count(word) != 0; };
    constexpr unsigned n = 256;
    void *context = nullptr, *module = nullptr, *function = nullptr;
    CHECK(cuInit(0) == 0);
    CHECK(cuDevicePrimaryCtxRetain(&context, 0) == 0 && cuCtxSetCurrent(context) == 0);
    CHECK(cuModuleLoadData(&module, text) == 0);
    CHECK(cuModuleGetFunction(&function, module, "step") == 0);
    unsigned values[n];
    for (unsigned i = 0; i < n; ++i) values[i] = i;
    std::uint64_t data[2] = {};
    for (std::uint64_t& d : data) {
        CHECK(cuMemAlloc_v2(&d, sizeof values) == 0);
        CHECK(cuMemcpyHtoD_v2(d, values, sizeof values) == 0);
    }
    if (is("filled")) {
        const char* const value = std::getenv("FILL");
        CHECK(cuMemsetD32_v2(data[1], value != nullptr ? std::atoi(value) : 0, n) == 0);
    }
    if (is("later") || is("copied"))
        CHECK(cuMemcpyDtoD_v2(data[1], data[0] + (is("later") ? 4 : 0), is("copied") ? 8 : 16) ==
              0);
    unsigned* flag = nullptr;
    if (is("pinned")) {
        CHECK(cuMemHostAlloc(reinterpret_cast<void**>(&flag), sizeof *flag, 2) == 0);
        *flag = 0;
    }
    void* streams[2] = {};
    if (is("streams"))
        for (void*& s : streams) CHECK(cuStreamCreate(&s, 1) == 0);
    void* events[2] = {};
    for (void*& e : events) CHECK(cuEventCreate(&e, 0) == 0);

    unsigned factor = is("other") ? 4 : 3, clocked = is("clock") ? 1 : 0;
    unsigned asked = 0;
    for (int l = 0; l < launches; ++l) {
        const int side = is("streams") ? l % 2 : 0;
        void* parameters[] = {&data[side], &factor, &clocked, &flag};
        CHECK(cuEventRecord(events[0], streams[side]) == 0);
        CHECK(cuLaunchKernel(function, n / 64, 1, 1, 64, 1, 1, 0, streams[side], parameters,
                             nullptr) == 0);
        CHECK(cuEventRecord(events[1], streams[side]) == 0);
        if (is("streams") && side == 0) continue;  // the next one runs concurrently
        if (is("streams"))
            while (cuStreamQuery(streams[side]) != 0) ++asked;
        CHECK(cuCtxSynchronize() == 0);
        CHECK(cuMemcpyDtoH_v2(values, data[side], sizeof values) == 0);
        if (flag != nullptr) CHECK(*flag == factor);
        float ms = 0;
        CHECK(cuEventElapsedTime(&ms, events[0], events[1]) == 0);
        std::printf("%d: factor %u, values %u %u, %.6f ms\n", l, factor, values[1], values[n - 1],
                    static_cast<double>(ms));
        factor = 2 + values[7] % 5;
        if (is("grow")) {
            std::uint64_t more = 0;
            CHECK(cuMemAlloc_v2(&more, 1000 * (factor + 1)) == 0);
            CHECK(cuMemsetD32_v2(more, factor, 100) == 0);
        }
    }
    std::printf("asked %u times\nsteps: passed\n", asked);
}
