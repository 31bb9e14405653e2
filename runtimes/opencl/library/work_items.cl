// SPDX-License-Identifier: Apache-2.0
// Work-item functions that libclc lacks or implements without a global offset. The runtime passes
// the offset in environment registers: 3 to 5 its low words by dimension, 9 to 11 its high words;
// register 8 contains the number of dimensions.

#define OVERLOAD __attribute__((overloadable))
#define PURE __attribute__((overloadable, const))

#define ENVIRONMENT(n)                                                                             \
    ({                                                                                             \
        uint value_;                                                                               \
        __asm__("mov.u32 %0, %%envreg" #n ";" : "=r"(value_));                                     \
        value_;                                                                                    \
    })

PURE uint get_work_dim(void) {
    return ENVIRONMENT(8);
}

PURE size_t get_global_offset(uint d) {
    switch (d) {
        case 0:
            return upsample(ENVIRONMENT(9), ENVIRONMENT(3));
        case 1:
            return upsample(ENVIRONMENT(10), ENVIRONMENT(4));
        case 2:
            return upsample(ENVIRONMENT(11), ENVIRONMENT(5));
        default:
            return 0;
    }
}

PURE size_t get_local_id(uint d) {
    switch (d) {
        case 0:
            return (size_t)(uint)__nvvm_read_ptx_sreg_tid_x();
        case 1:
            return (size_t)(uint)__nvvm_read_ptx_sreg_tid_y();
        case 2:
            return (size_t)(uint)__nvvm_read_ptx_sreg_tid_z();
        default:
            return 0;
    }
}

PURE size_t get_group_id(uint d) {
    switch (d) {
        case 0:
            return (size_t)(uint)__nvvm_read_ptx_sreg_ctaid_x();
        case 1:
            return (size_t)(uint)__nvvm_read_ptx_sreg_ctaid_y();
        case 2:
            return (size_t)(uint)__nvvm_read_ptx_sreg_ctaid_z();
        default:
            return 0;
    }
}

PURE size_t get_local_size(uint d) {
    switch (d) {
        case 0:
            return (size_t)(uint)__nvvm_read_ptx_sreg_ntid_x();
        case 1:
            return (size_t)(uint)__nvvm_read_ptx_sreg_ntid_y();
        case 2:
            return (size_t)(uint)__nvvm_read_ptx_sreg_ntid_z();
        default:
            return 1;
    }
}

PURE size_t get_num_groups(uint d) {
    switch (d) {
        case 0:
            return (size_t)(uint)__nvvm_read_ptx_sreg_nctaid_x();
        case 1:
            return (size_t)(uint)__nvvm_read_ptx_sreg_nctaid_y();
        case 2:
            return (size_t)(uint)__nvvm_read_ptx_sreg_nctaid_z();
        default:
            return 1;
    }
}

PURE size_t get_global_size(uint d) {
    return get_num_groups(d) * get_local_size(d);
}

PURE size_t get_global_id(uint d) {
    return get_group_id(d) * get_local_size(d) + get_local_id(d) + get_global_offset(d);
}

PURE size_t get_enqueued_local_size(uint d) {
    return get_local_size(d);
}

PURE size_t get_local_linear_id(void) {
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) +
           get_local_id(0);
}

PURE size_t get_global_linear_id(void) {
    const size_t x = get_global_id(0) - get_global_offset(0);
    const size_t y = get_global_id(1) - get_global_offset(1);
    const size_t z = get_global_id(2) - get_global_offset(2);
    return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

// ---- barriers, fences ----

// Inline assembly, because LLVM 14 moves loads from local memory across the intrinsics for barriers
// (llvm.nvvm.barrier0, llvm.nvvm.membar), which it treats as read-only.
#define BARRIER() __asm__ volatile("bar.sync 0;" ::: "memory")
#define FENCE_DEVICE() __asm__ volatile("membar.gl;" ::: "memory")
#define FENCE_GROUP() __asm__ volatile("membar.cta;" ::: "memory")

OVERLOAD __attribute__((convergent)) void barrier(cl_mem_fence_flags flags) {
    BARRIER();
}
OVERLOAD __attribute__((convergent)) void work_group_barrier(cl_mem_fence_flags flags) {
    BARRIER();
}
OVERLOAD __attribute__((convergent)) void work_group_barrier(cl_mem_fence_flags flags,
                                                             memory_scope scope) {
    BARRIER();
}

static void fence(cl_mem_fence_flags flags) {
    if (flags & ~CLK_LOCAL_MEM_FENCE)
        FENCE_DEVICE();
    else
        FENCE_GROUP();
}
OVERLOAD void mem_fence(cl_mem_fence_flags flags) {
    fence(flags);
}
OVERLOAD void read_mem_fence(cl_mem_fence_flags flags) {
    fence(flags);
}
OVERLOAD void write_mem_fence(cl_mem_fence_flags flags) {
    fence(flags);
}
OVERLOAD void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order,
                                     memory_scope scope) {
    if (order != memory_order_relaxed) fence(flags);
}

static bool is_shared(const void* p) {
    uint yes;
    __asm__("{ .reg .pred %%p1; isspacep.shared %%p1, %1; selp.u32 %0, 1, 0, %%p1; }"
            : "=r"(yes)
            : "l"(p));
    return yes != 0;
}
OVERLOAD cl_mem_fence_flags get_fence(const void* p) {
    return is_shared(p) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}
OVERLOAD cl_mem_fence_flags get_fence(void* p) {
    return is_shared(p) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}

// to_global and related functions, to which clang generates calls. Inline assembly, because LLVM 14
// fails on a cast from one named address space to another.
#define TO_SPACE(name, space, ptx)                                                                 \
    space void* __to_##name(void* p) {                                                             \
        space void* r;                                                                             \
        __asm__(                                                                                   \
            "{ .reg .pred yes_; .reg .b64 at_; isspacep." ptx " yes_, %1; cvta.to." ptx            \
            ".u64 at_, %1; selp.b64 %0, at_, 0, yes_; }"                                           \
            : "=l"(r)                                                                              \
            : "l"(p));                                                                             \
        return r;                                                                                  \
    }
TO_SPACE(global, __global, "global")
TO_SPACE(local, __local, "shared")
// On this target, generic pointers are used for private memory.
__private void* __to_private(void* p) {
    __private void* r;
    __asm__("{ .reg .pred yes_; isspacep.local yes_, %1; selp.b64 %0, %1, 0, yes_; }"
            : "=l"(r)
            : "l"(p));
    return r;
}

// ---- work-group copies ----

#define COPY_SPACES(type, to_space, from_space)                                                    \
    OVERLOAD event_t async_work_group_copy(to_space type* to, const from_space type* from,         \
                                           size_t n, event_t e) {                                  \
        const size_t step = get_local_size(0) * get_local_size(1) * get_local_size(2);             \
        for (size_t i = get_local_linear_id(); i < n; i += step) to[i] = from[i];                  \
        return e;                                                                                  \
    }

#define COPIES_OF(type)                                                                            \
    COPY_SPACES(type, __local, __global)                                                           \
    COPY_SPACES(type, __global, __local)                                                           \
    OVERLOAD event_t async_work_group_strided_copy(__local type* to, const __global type* from,    \
                                                   size_t n, size_t stride, event_t e) {           \
        const size_t step = get_local_size(0) * get_local_size(1) * get_local_size(2);             \
        for (size_t i = get_local_linear_id(); i < n; i += step) to[i] = from[i * stride];         \
        return e;                                                                                  \
    }                                                                                              \
    OVERLOAD event_t async_work_group_strided_copy(__global type* to, const __local type* from,    \
                                                   size_t n, size_t stride, event_t e) {           \
        const size_t step = get_local_size(0) * get_local_size(1) * get_local_size(2);             \
        for (size_t i = get_local_linear_id(); i < n; i += step) to[i * stride] = from[i];         \
        return e;                                                                                  \
    }

#define COPIES_OF_SIZES(type)                                                                      \
    COPIES_OF(type)                                                                                \
    COPIES_OF(type##2)                                                                             \
    COPIES_OF(type##3)                                                                             \
    COPIES_OF(type##4)                                                                             \
    COPIES_OF(type##8)                                                                             \
    COPIES_OF(type##16)
COPIES_OF_SIZES(char)
COPIES_OF_SIZES(uchar)
COPIES_OF_SIZES(short)
COPIES_OF_SIZES(ushort)
COPIES_OF_SIZES(int)
COPIES_OF_SIZES(uint)
COPIES_OF_SIZES(long)
COPIES_OF_SIZES(ulong)
COPIES_OF_SIZES(float)
COPIES_OF_SIZES(double)

#define PREFETCH_OF(type)                                                                          \
    OVERLOAD void prefetch(const __global type* p, size_t n) {                                     \
    }
PREFETCH_OF(char3)
PREFETCH_OF(uchar3)
PREFETCH_OF(short3)
PREFETCH_OF(ushort3)
PREFETCH_OF(int3)
PREFETCH_OF(uint3)
PREFETCH_OF(long3)
PREFETCH_OF(ulong3)
PREFETCH_OF(float3)
PREFETCH_OF(double3)

OVERLOAD __attribute__((convergent)) void wait_group_events(int n, __private event_t* events) {
    BARRIER();
}

// ---- printf: a macro of prelude.h packs the arguments ----

int vprintf(const char* format, const void* arguments);

__attribute__((convergent)) int __simtlm_print(const __constant char* format,
                                               const void* arguments) {
    ulong address;
    __asm__("cvta.const.u64 %0, %1;" : "=l"(address) : "l"((ulong)format));
    vprintf((const char*)address, arguments);
    return 0;
}
ulong __simtlm_string(const __constant char* text) {
    ulong address;
    __asm__("cvta.const.u64 %0, %1;" : "=l"(address) : "l"((ulong)text));
    return address;
}
