// SPDX-License-Identifier: Apache-2.0
// Errors of the driver API: invalid arguments, calls during captures, and inputs that cannot be
// linked. Every result must be a value of CUresult.
#include "driver_subset.h"

#include <cstring>
#include <string>

extern "C" {
int cuGetErrorName(int, const char**);
int cuStreamCreate(void**, unsigned);
int cuStreamDestroy_v2(void*);
int cuStreamQuery(void*);
int cuStreamSynchronize(void*);
int cuStreamWaitEvent(void*, void*, unsigned);
int cuStreamBeginCapture_v2(void*, int);
int cuStreamEndCapture(void*, void**);
int cuStreamIsCapturing(void*, int*);
int cuEventQuery(void*);
int cuEventDestroy_v2(void*);
int cuMemAllocManaged(std::uint64_t*, std::size_t, unsigned);
int cuMemAllocPitch_v2(std::uint64_t*, std::size_t*, std::size_t, std::size_t, unsigned);
int cuMemAllocAsync(std::uint64_t*, std::size_t, void*);
int cuMemFreeHost(void*);
int cuMemPoolDestroy(void*);
int cuLibraryUnload(void*);
int cuMemsetD32Async(std::uint64_t, unsigned, std::size_t, void*);
int cuMemcpy2D_v2(const void*);
int cuMemcpy3D_v2(const void*);
int cuArrayCreate_v2(void**, const void*);
int cuFuncGetAttribute(int*, int, void*);
int cuFuncSetAttribute(void*, int, int);
int cuFuncSetBlockShape(void*, int, int, int);
int cuLaunchCooperativeKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                              unsigned, void*, void**);
int cuModuleGetGlobal_v2(std::uint64_t*, std::size_t*, void*, const char*);
int cuTexObjectDestroy(unsigned long long);
int cuGraphGetNodes(void*, void**, std::size_t*);
}

namespace {

constexpr int invalid_value = 1, invalid_ptx = 218, invalid_source = 300, invalid_handle = 400,
              illegal_state = 401, not_found = 500, capture_unsupported = 900,
              capture_invalidated = 901, capture_merge = 902, capture_unmatched = 903,
              capture_unjoined = 904, capture_isolation = 905, capture_implicit = 906,
              captured_event = 907;

bool failed = false;

void expect(int line, const char* call, int wanted, int result) {
    const char* name = nullptr;
    if (cuGetErrorName(result, &name) != 0 || name == nullptr) name = "not a CUresult";
    if (result == wanted) return;
    std::fprintf(stderr, "line %d: %s returns %d (%s), not %d\n", line, call, result, name, wanted);
    failed = true;
}
#define EXPECT(wanted, call) expect(__LINE__, #call, wanted, call)

constexpr const char* head = ".version 6.0\n.target sm_60\n.address_size 64\n";
const std::string text = std::string(head) + ".visible .entry k(.param .u64 p) { ret; }\n";

struct place {
    std::size_t x, y;
    unsigned kind;
    const void* host;
    std::uint64_t device;
    void* array;
    std::size_t pitch;
};
struct copy_2d {
    place from, to;
    std::size_t width, height;
};
struct place_3d {
    std::size_t x, y, z, level;
    unsigned kind;
    const void* host;
    std::uint64_t device;
    void *array, *reserved;
    std::size_t pitch, height;
};
struct copy_3d {
    place_3d from, to;
    std::size_t width, height, depth;
};
struct array_description {
    std::size_t width, height;
    int format;
    unsigned channels;
};

void check_launches(void* f) {
    std::uint64_t p = 0;
    void* arguments[] = {&p};
    char other[64] = {};
    const auto launch = [&](void* function, unsigned grid, unsigned rows, unsigned block,
                            unsigned shared) {
        return cuLaunchKernel(function, grid, rows, 1, block, 1, 1, shared, nullptr, arguments,
                              nullptr);
    };
    EXPECT(invalid_value, launch(f, 0, 1, 1, 0));
    EXPECT(invalid_value, launch(f, 1, 70000, 1, 0));
    EXPECT(invalid_value, launch(f, 1, 1, 2048, 0));
    EXPECT(invalid_value, launch(f, 1, 1, 1, 1 << 20));
    EXPECT(invalid_handle, launch(nullptr, 1, 1, 1, 0));
    EXPECT(invalid_handle, launch(other, 1, 1, 1, 0));
    EXPECT(invalid_value, cuLaunchCooperativeKernel(f, 0, 1, 1, 1, 1, 1, 0, nullptr, arguments));
    EXPECT(invalid_value, cuFuncSetBlockShape(f, 2000, 1, 1));
    int value = 0;
    EXPECT(invalid_handle, cuFuncGetAttribute(&value, 0, nullptr));
    EXPECT(invalid_value, cuFuncSetAttribute(f, 99, 1));
    EXPECT(invalid_value, cuFuncSetAttribute(f, 8, 1 << 24));
}

void check_memory(void* module) {
    std::uint64_t p = 0, data = 0;
    std::size_t pitch = 0;
    char host[256] = {};
    CHECK(cuMemAlloc_v2(&data, 256) == 0);
    EXPECT(invalid_value, cuMemAlloc_v2(&p, 0));
    EXPECT(invalid_value, cuMemAllocPitch_v2(&p, &pitch, 0, 4, 4));
    EXPECT(invalid_value, cuMemAllocPitch_v2(&p, &pitch, 16, 4, 3));
    EXPECT(0, cuMemAllocPitch_v2(&p, &pitch, 16, 4, 8));
    EXPECT(invalid_value, cuMemAllocManaged(&p, 16, 9));
    void* pinned = nullptr;
    EXPECT(invalid_value, cuMemHostAlloc(&pinned, 16, 0x800));
    EXPECT(invalid_value, cuMemFree_v2(12345));
    EXPECT(invalid_value, cuMemFreeHost(host));
    EXPECT(not_found, cuModuleGetGlobal_v2(&p, &pitch, module, "missing"));
    EXPECT(invalid_value, cuTexObjectDestroy(999));

    constexpr unsigned of_host = 1, of_device = 2;
    copy_2d two{};
    two.from = {0, 0, of_host, host, 0, nullptr, 8};
    two.to = {0, 0, of_device, nullptr, data, nullptr, 8};
    two.width = 16;
    two.height = 2;
    EXPECT(invalid_value, cuMemcpy2D_v2(&two));
    two.from.pitch = two.to.pitch = 16;
    EXPECT(0, cuMemcpy2D_v2(&two));
    two.from.x = 4;
    EXPECT(invalid_value, cuMemcpy2D_v2(&two));
    two.from.x = 0;
    two.from.kind = 9;
    EXPECT(invalid_value, cuMemcpy2D_v2(&two));
    copy_3d three{};
    three.from = {0, 0, 0, 0, of_host, host, 0, nullptr, nullptr, 4, 1};
    three.to = {0, 0, 0, 0, of_device, nullptr, data, nullptr, nullptr, 4, 1};
    three.width = 8;
    three.height = three.depth = 1;
    EXPECT(invalid_value, cuMemcpy3D_v2(&three));
    three.from.pitch = three.to.pitch = 8;
    EXPECT(0, cuMemcpy3D_v2(&three));
    three.depth = 2;
    three.height = 2;
    EXPECT(invalid_value, cuMemcpy3D_v2(&three));

    constexpr int floats = 0x20;
    void* array = nullptr;
    const array_description three_channels = {16, 0, floats, 3}, none = {0, 0, floats, 1};
    EXPECT(invalid_value, cuArrayCreate_v2(&array, &three_channels));
    EXPECT(invalid_value, cuArrayCreate_v2(&array, &none));
    // A copy must remain inside an array.
    const array_description small = {16, 0, floats, 1};
    CHECK(cuArrayCreate_v2(&array, &small) == 0);
    two.from.kind = of_host;
    two.to = {4, 0, 3, nullptr, 0, array, 0};
    two.width = 64;
    two.height = 1;
    two.from.pitch = 64;
    EXPECT(invalid_value, cuMemcpy2D_v2(&two));
    two.to.x = 0;
    EXPECT(0, cuMemcpy2D_v2(&two));
}

void check_streams_and_events() {
    void *stream = nullptr, *event = nullptr;
    char other[64] = {};
    EXPECT(invalid_value, cuStreamCreate(&stream, 0x99));
    EXPECT(invalid_handle, cuStreamDestroy_v2(other));
    EXPECT(invalid_handle, cuStreamDestroy_v2(reinterpret_cast<void*>(2)));  // per thread
    EXPECT(invalid_handle, cuStreamQuery(other));
    EXPECT(invalid_value, cuMemPoolDestroy(other));
    EXPECT(invalid_handle, cuLibraryUnload(other));
    EXPECT(invalid_value, cuEventCreate(&event, 0x9999));
    EXPECT(invalid_value, cuEventCreate(&event, 4));  // between processes, with timing
    EXPECT(invalid_handle, cuEventDestroy_v2(other));
    EXPECT(invalid_handle, cuEventRecord(nullptr, nullptr));
}

constexpr int global = 0, relaxed = 2;

void* stream_of(unsigned flags) {
    void* s = nullptr;
    CHECK(cuStreamCreate(&s, flags) == 0);
    return s;
}

int state_of(void* stream) {
    int state = -1;
    EXPECT(0, cuStreamIsCapturing(stream, &state));
    return state;
}

/// A call that is not permitted invalidates the capture.
template <class Call>
void check_invalidates(int line, void* stream, int wanted, const char* name, Call call) {
    CHECK(cuStreamBeginCapture_v2(stream, global) == 0);
    expect(line, name, wanted, call());
    expect(line, "cuStreamIsCapturing", 2, state_of(stream));
    void* graph = nullptr;
    expect(line, "cuStreamEndCapture", capture_invalidated, cuStreamEndCapture(stream, &graph));
    expect(line, "cuStreamIsCapturing", 0, state_of(stream));
}
#define INVALIDATES(stream, wanted, call) \
    check_invalidates(__LINE__, stream, wanted, #call, [&] { return call; })

void check_captures(void* f) {
    void *s = stream_of(0), *t = stream_of(0), *independent = stream_of(1), *graph = nullptr;
    void *event = nullptr, *outside = nullptr;
    CHECK(cuEventCreate(&event, 0) == 0 && cuEventCreate(&outside, 0) == 0);
    std::uint64_t p = 0, data = 0;
    char host[16] = {};
    void *pinned = nullptr, *arguments[] = {&p};
    CHECK(cuMemAlloc_v2(&data, 64) == 0);
    const auto launch = [&](void* on) {
        return cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, on, arguments, nullptr);
    };

    INVALIDATES(s, capture_unsupported, cuMemAlloc_v2(&p, 64));
    INVALIDATES(s, capture_unsupported, cuMemFree_v2(data));
    INVALIDATES(s, capture_unsupported, cuMemHostAlloc(&pinned, 64, 0));
    INVALIDATES(s, capture_unsupported, cuStreamQuery(s));
    INVALIDATES(s, capture_unsupported, cuStreamSynchronize(s));
    INVALIDATES(s, capture_unsupported, cuCtxSynchronize());
    INVALIDATES(s, capture_implicit, cuMemcpyDtoH_v2(host, data, 16));
    INVALIDATES(s, capture_implicit, launch(nullptr));
    CHECK(cuEventRecord(outside, t) == 0);
    INVALIDATES(s, capture_isolation, cuStreamWaitEvent(s, outside, 0));
    const auto of_captured = [&](auto call) {
        const int r = cuEventRecord(event, s);
        return r != 0 ? r : call(event);
    };
    INVALIDATES(s, captured_event, of_captured(cuEventSynchronize));
    INVALIDATES(s, captured_event, of_captured(cuEventQuery));

    // Permitted.
    CHECK(cuStreamBeginCapture_v2(s, relaxed) == 0);
    EXPECT(0, cuMemAlloc_v2(&p, 64));
    EXPECT(0, cuStreamEndCapture(s, &graph));
    CHECK(cuStreamBeginCapture_v2(s, global) == 0);
    EXPECT(0, cuMemAllocAsync(&p, 64, s));
    EXPECT(0, cuMemsetD32Async(data, 0, 4, s));
    EXPECT(0, cuStreamEndCapture(s, &graph));
    std::size_t count = 0;
    EXPECT(0, cuGraphGetNodes(graph, nullptr, &count));
    EXPECT(2, static_cast<int>(count));
    CHECK(cuStreamBeginCapture_v2(independent, global) == 0);
    EXPECT(0, launch(nullptr));
    EXPECT(0, cuStreamEndCapture(independent, &graph));

    // Other streams.
    EXPECT(capture_unsupported, cuStreamBeginCapture_v2(nullptr, global));
    EXPECT(illegal_state, cuStreamEndCapture(s, &graph));
    CHECK(cuStreamBeginCapture_v2(s, global) == 0);
    EXPECT(illegal_state, cuStreamBeginCapture_v2(s, global));
    EXPECT(illegal_state, cuStreamEndCapture(t, &graph));
    CHECK(cuEventRecord(event, s) == 0 && cuStreamWaitEvent(t, event, 0) == 0);
    EXPECT(capture_unmatched, cuStreamEndCapture(t, &graph));
    EXPECT(0, launch(t));
    EXPECT(capture_unjoined, cuStreamEndCapture(s, &graph));
    EXPECT(0, cuStreamSynchronize(t));
    CHECK(cuStreamBeginCapture_v2(s, global) == 0 && cuStreamBeginCapture_v2(t, global) == 0);
    CHECK(cuEventRecord(event, s) == 0);
    EXPECT(capture_merge, cuStreamWaitEvent(t, event, 0));
    EXPECT(capture_invalidated, cuStreamEndCapture(s, &graph));
    EXPECT(capture_invalidated, cuStreamEndCapture(t, &graph));
}

/// Links texts; the result of the first call that fails, and what the log says.
struct linked {
    int result = 0;
    std::string log;
    bool in_complete = false;
};
linked link(std::initializer_list<std::string> texts) {
    char log[2000] = {};
    const int options[] = {5, 6};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    void* state = nullptr;
    CHECK(cuLinkCreate_v2(2, options, values, &state) == 0);
    linked l;
    char name[] = "a";
    for (std::string t : texts) {
        values[1] = reinterpret_cast<void*>(sizeof log);
        constexpr int ptx = 1;
        l.result = cuLinkAddData_v2(state, ptx, t.data(), t.size() + 1, name, 0, nullptr, nullptr);
        if (l.result != 0) break;
        ++name[0];
    }
    void* image = nullptr;
    std::size_t bytes = 0;
    values[1] = reinterpret_cast<void*>(sizeof log);
    const int completed = cuLinkComplete(state, &image, &bytes);
    l.in_complete = l.result == 0;
    if (l.in_complete) l.result = completed;
    l.log = log;  // that of a failed step remains after the following ones
    CHECK(cuLinkDestroy(state) == 0);
    return l;
}

void check_linking() {
    const std::string f = std::string(head) + ".visible .func f() { ret; }";
    const std::string calls_ext =
        std::string(head) + ".extern .func ext(); .visible .entry k() { call ext; ret; }";
    const std::string calls_f =
        std::string(head) + ".extern .func f(); .visible .entry k() { call f; ret; }";
    const std::string bad = std::string(head) + ".visible .func g() { foo; }";
    const std::string differs =
        std::string(head) +
        ".extern .func (.reg .u32 r) f(.reg .u32 a); .visible .entry k() { .reg .u32 %r; "
        "mov.u32 %r,1; call (%r),f,(%r); ret; }";
    EXPECT(0, link({f, calls_f}).result);
    for (const linked& l : {link({f, calls_ext}), link({calls_ext})}) {
        EXPECT(invalid_source, l.result);
        CHECK(l.in_complete && l.log.find("'ext'") != std::string::npos);
    }
    const linked twice = link({f, f});
    EXPECT(invalid_source, twice.result);
    CHECK(!twice.in_complete && twice.log.find("'f'") != std::string::npos);
    for (const linked& l : {link({f, bad}), link({bad}), link({"bad"})}) {
        EXPECT(invalid_ptx, l.result);
        CHECK(!l.in_complete && !l.log.empty());
    }
    const linked other = link({f, differs});
    EXPECT(invalid_source, other.result);
    CHECK(!other.log.empty());
}

}  // namespace

int main() {
    void *context = nullptr, *module = nullptr, *function = nullptr;
    CHECK(cuInit(0) == 0);
    CHECK(cuDevicePrimaryCtxRetain(&context, 0) == 0);
    CHECK(cuCtxSetCurrent(context) == 0);
    CHECK(cuModuleLoadData(&module, text.c_str()) == 0);
    CHECK(cuModuleGetFunction(&function, module, "k") == 0);
    check_launches(function);
    check_memory(module);
    check_streams_and_events();
    check_captures(function);
    check_linking();
    CHECK(!failed);
    std::puts("driver_errors: passed");
}
