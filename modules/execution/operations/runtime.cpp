// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/runtime.h"

#include "modules/execution/state/device_heap.h"
#include "modules/execution/state/device_launches.h"
#include "modules/execution/state/device_print.h"
#include "modules/execution/state/lanes.h"
#include "modules/execution/state/memory_access.h"

#include <fmt/format.h>
#include <fmt/printf.h>

#include <algorithm>
#include <cstring>

namespace simtlm::execution {

namespace {

struct argument {
    bool in_memory, in_rows;
    operand_ref where;
    std::uint32_t bytes;
};
argument argument_of(const operation* op, unsigned n) {
    const operand_ref kind = op->list[3 * n];
    return {kind == runtime_argument::memory, kind == runtime_argument::rows, op->list[3 * n + 1],
            op->list[3 * n + 2]};
}
/// Bytes of a row of words.
constexpr operand_ref row_bytes = 4 * warp_size;

std::uint64_t read_argument(const warp& w, const operation* op, unsigned n, unsigned lane) {
    const argument a = argument_of(op, n);
    std::uint64_t value = 0;
    if (a.in_memory)
        read_local(w, lane, w.local_base + a.where, &value, std::min(a.bytes, 8u));
    else if (a.in_rows && a.bytes > 4)
        value = lanes_at<std::uint32_t>(w, a.where)[lane] |
                std::uint64_t{lanes_at<std::uint32_t>(w, a.where + row_bytes)[lane]} << 32;
    else if (a.bytes > 4)
        value = lanes_at<std::uint64_t>(w, a.where)[lane];
    else
        value = lanes_at<std::uint32_t>(w, a.where)[lane];
    return value;
}

/// Reads an argument of three words, passed by value.
program::dim3 read_dimensions(const warp& w, const operation* op, unsigned n, unsigned lane) {
    const argument a = argument_of(op, n);
    std::uint32_t words[3] = {};
    if (a.in_memory)
        read_local(w, lane, w.local_base + a.where, words, sizeof words);
    else
        for (operand_ref word = 0; word < 3; ++word)
            words[word] = lanes_at<std::uint32_t>(w, a.where + word * row_bytes)[lane];
    return {words[0], words[1], words[2]};
}

void write_result(const warp& w, const operation* op, unsigned lane, std::uint64_t value) {
    if (op->immediate == 0) return;
    const argument a = argument_of(op, op->detail);
    if (a.in_memory)
        write_local(w, lane, w.local_base + a.where, &value, std::min(a.bytes, 8u));
    else if (a.in_rows && a.bytes > 4) {
        lanes_at<std::uint32_t>(w, a.where)[lane] = static_cast<std::uint32_t>(value);
        lanes_at<std::uint32_t>(w, a.where + row_bytes)[lane] =
            static_cast<std::uint32_t>(value >> 32);
    } else if (a.bytes > 4)
        lanes_at<std::uint64_t>(w, a.where)[lane] = value;
    else
        lanes_at<std::uint32_t>(w, a.where)[lane] = static_cast<std::uint32_t>(value);
}

/// vprintf(format, arguments)
void print(warp& w, const operation* op, lane_mask lanes) {
    for_lanes(lanes, [&](unsigned lane) {
        const std::string format = read_lane_string(w, op, lane, read_argument(w, op, 0, lane));
        const device_address values = op->detail > 1 ? read_argument(w, op, 1, lane) : 0;
        const formatted_text text = format_device_text(
            format,
            [&](std::uint64_t offset, void* to, std::uint32_t bytes) {
                read_lane_bytes(w, op, lane, values + offset, to, bytes);
            },
            [&](device_address a) { return read_lane_string(w, op, lane, a); });
        w.launch->print(text.text);
        write_result(w, op, lane, static_cast<std::uint64_t>(text.arguments));
    });
}

/// __assertfail(message, file, line, function, size of a character)
void assertion_failed(warp& w, const operation* op, lane_mask lanes) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const auto text = [&](unsigned n) {
        return read_lane_string(w, op, lane, read_argument(w, op, n, lane));
    };
    w.block->fail(w, op, lane,
                  fmt::format("assertion `{}` failed at {}:{} in {}", text(0), text(1),
                              static_cast<std::uint32_t>(read_argument(w, op, 2, lane)), text(3)),
                  {}, fault_kind::assertion);
}

void allocate(warp& w, const operation* op, lane_mask lanes) {
    for_lanes(lanes, [&](unsigned lane) {
        device_heap* const heap = w.launch->world.heap;
        write_result(w, op, lane,
                     heap == nullptr ? 0 : heap->allocate(read_argument(w, op, 0, lane)));
    });
}

void release(warp& w, const operation* op, lane_mask lanes) {
    for_lanes(lanes, [&](unsigned lane) {
        const device_address a = read_argument(w, op, 0, lane);
        device_heap* const heap = w.launch->world.heap;
        if (a != 0 && (heap == nullptr || !heap->release(a)))
            w.block->fail(w, op, lane, fmt::format("free of {:#x}, which malloc did not give", a));
    });
}

/// memcpy and memmove
void copy_memory(warp& w, const operation* op, lane_mask lanes) {
    for_lanes(lanes, [&](unsigned lane) {
        const device_address to = read_argument(w, op, 0, lane);
        std::vector<std::byte> bytes(read_argument(w, op, 2, lane));
        read_lane_bytes(w, op, lane, read_argument(w, op, 1, lane), bytes.data(),
                        static_cast<std::uint32_t>(bytes.size()));
        write_lane_bytes(w, op, lane, to, bytes.data(), static_cast<std::uint32_t>(bytes.size()));
        write_result(w, op, lane, to);
    });
}

void set_memory(warp& w, const operation* op, lane_mask lanes) {
    for_lanes(lanes, [&](unsigned lane) {
        const device_address to = read_argument(w, op, 0, lane);
        const std::vector<std::byte> bytes(read_argument(w, op, 2, lane),
                                           static_cast<std::byte>(read_argument(w, op, 1, lane)));
        write_lane_bytes(w, op, lane, to, bytes.data(), static_cast<std::uint32_t>(bytes.size()));
        write_result(w, op, lane, to);
    });
}

/// cudaGraphSetConditional(handle, value): the handle is the address of the value.
void set_condition(warp& w, const operation* op, lane_mask lanes) {
    for_lanes(lanes, [&](unsigned lane) {
        const auto value = static_cast<std::uint32_t>(read_argument(w, op, 1, lane));
        write_lane_bytes(w, op, lane, read_argument(w, op, 0, lane), &value, sizeof value);
    });
}

// ---- launches by kernels (dynamic parallelism) ----

device_launches& launches_of(warp& w, const operation* op, lane_mask lanes) {
    device_launches* const l = w.launch->world.launches.get();
    if (l == nullptr)
        w.block->fail(w, op, static_cast<unsigned>(__builtin_ctz(lanes)),
                      "a kernel launches a kernel, which requires a CUDA program",
                      "use simtlm run");
    return *l;
}

std::uint64_t thread_number(const warp& w, unsigned lane) {
    return w.block->number() * 1024 + w.index * warp_size + lane;
}

/// cudaGetParameterBufferV2(kernel, grid, block, shared memory): the address for the parameters
void get_parameter_buffer(warp& w, const operation* op, lane_mask lanes) {
    device_launches& all = launches_of(w, op, lanes);
    for_lanes(lanes, [&](unsigned lane) {
        device_launch l;
        l.kernel = w.launch->image.kernel_at(read_argument(w, op, 0, lane));
        l.grid = read_dimensions(w, op, 1, lane);
        l.block = read_dimensions(w, op, 2, lane);
        l.dynamic_shared = static_cast<std::uint32_t>(read_argument(w, op, 3, lane));
        auto why = device_launches::no_error;
        const device_address a = all.prepare(std::move(l), why);
        all.set_error(thread_number(w, lane), why);
        write_result(w, op, lane, a);
    });
}

/// cudaLaunchDeviceV2(parameters, stream)
void launch_kernel(warp& w, const operation* op, lane_mask lanes) {
    device_launches& all = launches_of(w, op, lanes);
    for_lanes(lanes, [&](unsigned lane) {
        const auto e = all.launch(read_argument(w, op, 0, lane), read_argument(w, op, 1, lane),
                                  w.block->number(), w.launch->memory);
        all.set_error(thread_number(w, lane), e);
        write_result(w, op, lane, e);
    });
}

/// cudaStreamCreateWithFlags(stream, flags), cudaEventCreateWithFlags(event, flags)
void create_handle(warp& w, const operation* op, lane_mask lanes) {
    device_launches& all = launches_of(w, op, lanes);
    for_lanes(lanes, [&](unsigned lane) {
        const std::uint64_t handle = all.new_handle();
        write_lane_bytes(w, op, lane, read_argument(w, op, 0, lane), &handle, sizeof handle);
        write_result(w, op, lane, 0);
    });
}

/// cudaMemcpyAsync(to, from, bytes, kind, stream)
void copy_in_stream(warp& w, const operation* op, lane_mask lanes) {
    device_launches& all = launches_of(w, op, lanes);
    for_lanes(lanes, [&](unsigned lane) {
        device_launch l;
        l.by_block = w.block->number();
        l.stream = read_argument(w, op, 4, lane);
        l.effect = [&memory = w.launch->memory, to = read_argument(w, op, 0, lane),
                    from = read_argument(w, op, 1, lane), bytes = read_argument(w, op, 2, lane)] {
            std::vector<std::byte> moved(bytes);
            memory.read(moved.data(), from, bytes);
            memory.write(to, moved.data(), bytes);
        };
        all.add(std::move(l));
        write_result(w, op, lane, 0);
    });
}

/// cudaMemsetAsync(to, value, bytes, stream)
void fill_in_stream(warp& w, const operation* op, lane_mask lanes) {
    device_launches& all = launches_of(w, op, lanes);
    for_lanes(lanes, [&](unsigned lane) {
        device_launch l;
        l.by_block = w.block->number();
        l.stream = read_argument(w, op, 3, lane);
        l.effect = [&memory = w.launch->memory, to = read_argument(w, op, 0, lane),
                    value = static_cast<std::byte>(read_argument(w, op, 1, lane)),
                    bytes = read_argument(w, op, 2, lane)] {
            const std::vector<std::byte> values(bytes, value);
            memory.write(to, values.data(), bytes);
        };
        all.add(std::move(l));
        write_result(w, op, lane, 0);
    });
}

/// cudaMalloc(pointer, bytes)
void allocate_to(warp& w, const operation* op, lane_mask lanes) {
    constexpr int out_of_memory = 2;
    for_lanes(lanes, [&](unsigned lane) {
        device_heap* const heap = w.launch->world.heap;
        const device_address a =
            heap == nullptr ? 0 : heap->allocate(read_argument(w, op, 1, lane));
        write_lane_bytes(w, op, lane, read_argument(w, op, 0, lane), &a, sizeof a);
        write_result(w, op, lane, a != 0 ? 0 : out_of_memory);
    });
}

/// Functions without effect: streams and events need not be destroyed.
void succeed(warp& w, const operation* op, lane_mask lanes) {
    for_lanes(lanes, [&](unsigned lane) { write_result(w, op, lane, 0); });
}

/// cudaEventRecord(event, stream), cudaStreamWaitEvent(stream, event, flags)
void relate_streams(warp& w, const operation* op, lane_mask lanes) {
    launches_of(w, op, lanes).use_events();
    succeed(w, op, lanes);
}

template <bool Reset>
void return_last_error(warp& w, const operation* op, lane_mask lanes) {
    device_launches& all = launches_of(w, op, lanes);
    for_lanes(lanes, [&](unsigned lane) {
        write_result(w, op, lane, all.last_error(thread_number(w, lane), Reset));
    });
}

/// cudaFree(pointer)
void release_and_succeed(warp& w, const operation* op, lane_mask lanes) {
    release(w, op, lanes);
    succeed(w, op, lanes);
}

/// cudaGetDevice(device): kernels are launched on the same GPU, which is device 0 to them
void return_device(warp& w, const operation* op, lane_mask lanes) {
    for_lanes(lanes, [&](unsigned lane) {
        constexpr int device = 0;
        write_lane_bytes(w, op, lane, read_argument(w, op, 0, lane), &device, sizeof device);
        write_result(w, op, lane, 0);
    });
}

/// A call of the runtime. With timing, shared state (heap, output, memory) changes in the memory
/// phase, so that the order of SMs is independent of the order of execution.
template <void (*Function)(warp&, const operation*, lane_mask)>
const operation* runtime_call(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    if (w.pending == nullptr) {
        Function(w, op, lanes);
        return op + 1;
    }
    w.pending->op = op;
    w.pending->lanes = lanes;
    w.pending->perform = [](warp& of, const memory_request& r) { Function(of, r.op, r.lanes); };
    return op + 1;
}

}  // namespace

handler runtime_function(const std::string& name) {
    if (name == "vprintf") return runtime_call<print>;
    if (name == "__assertfail" || name == "__assert_fail") return runtime_call<assertion_failed>;
    if (name == "malloc") return runtime_call<allocate>;
    if (name == "free") return runtime_call<release>;
    if (name == "memcpy" || name == "memmove") return runtime_call<copy_memory>;
    if (name == "memset") return runtime_call<set_memory>;
    if (name == "cudaGraphSetConditional") return runtime_call<set_condition>;
    // The device runtime: since CUDA 12, and before.
    const bool is_new = name.rfind("__cudaCDP2", 0) == 0;
    if (!is_new && name.rfind("cuda", 0) != 0) return nullptr;
    const std::string call = name.substr(is_new ? 10 : 4);
    if (call == "GetParameterBufferV2") return runtime_call<get_parameter_buffer>;
    if (call == "LaunchDeviceV2") return runtime_call<launch_kernel>;
    if (call == "StreamCreateWithFlags") return runtime_call<create_handle>;
    if (call == "EventCreateWithFlags") return runtime_call<create_handle>;
    if (call == "StreamDestroy" || call == "EventDestroy") return runtime_call<succeed>;
    if (call == "EventRecord" || call == "StreamWaitEvent") return runtime_call<relate_streams>;
    if (call == "GetLastError") return runtime_call<return_last_error<true>>;
    if (call == "PeekAtLastError") return runtime_call<return_last_error<false>>;
    if (call == "MemcpyAsync") return runtime_call<copy_in_stream>;
    if (call == "MemsetAsync") return runtime_call<fill_in_stream>;
    if (call == "Malloc") return runtime_call<allocate_to>;
    if (call == "Free") return runtime_call<release_and_succeed>;
    if (call == "GetDevice") return runtime_call<return_device>;
    return nullptr;
}

}  // namespace simtlm::execution
