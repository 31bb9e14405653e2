// SPDX-License-Identifier: Apache-2.0
// Atomics: 64-bit atomics for OpenCL 1.2, and those of OpenCL C 2.0 in every address space.

// clang considers no atomic of NVPTX lock-free, so its own built-ins would become calls.
#define ATOMIC_2(tag, text, space, type, name, instruction, constraint)                            \
    static type name##_##tag##_##type(volatile space type* p, type v) {                            \
        type r;                                                                                    \
        __asm__ volatile("atom" text "." instruction " %0, [%1], %2;"                              \
                         : "=" constraint(r)                                                       \
                         : "l"(p), constraint(v)                                                   \
                         : "memory");                                                              \
        return r;                                                                                  \
    }
#define ATOMICS_BITS(tag, text, space, type, bits, constraint)                                     \
    ATOMIC_2(tag, text, space, type, exchange, "exch.b" bits, constraint)                          \
    static type compare_##tag##_##type(volatile space type* p, type expected, type v) {            \
        type r;                                                                                    \
        __asm__ volatile("atom" text ".cas.b" bits " %0, [%1], %2, %3;"                            \
                         : "=" constraint(r)                                                       \
                         : "l"(p), constraint(expected), constraint(v)                             \
                         : "memory");                                                              \
        return r;                                                                                  \
    }
#define ATOMICS(tag, text, space, type, sign, bits, constraint)                                    \
    ATOMICS_BITS(tag, text, space, type, bits, constraint)                                         \
    ATOMIC_2(tag, text, space, type, fetch_add, "add.u" bits, constraint)                          \
    ATOMIC_2(tag, text, space, type, fetch_and, "and.b" bits, constraint)                          \
    ATOMIC_2(tag, text, space, type, fetch_or, "or.b" bits, constraint)                            \
    ATOMIC_2(tag, text, space, type, fetch_xor, "xor.b" bits, constraint)                          \
    ATOMIC_2(tag, text, space, type, fetch_min, "min." sign bits, constraint)                      \
    ATOMIC_2(tag, text, space, type, fetch_max, "max." sign bits, constraint)                      \
    static type fetch_sub_##tag##_##type(volatile space type* p, type v) {                         \
        return fetch_add_##tag##_##type(p, -v);                                                    \
    }
#define ATOMICS_OF_SPACE(tag, text, space)                                                         \
    ATOMICS(tag, text, space, int, "s", "32", "r")                                                 \
    ATOMICS(tag, text, space, uint, "u", "32", "r")                                                \
    ATOMICS(tag, text, space, long, "s", "64", "l")                                                \
    ATOMICS(tag, text, space, ulong, "u", "64", "l")                                               \
    ATOMICS_BITS(tag, text, space, float, "32", "f")                                               \
    ATOMICS_BITS(tag, text, space, double, "64", "d")
ATOMICS_OF_SPACE(global, ".global", __global)
ATOMICS_OF_SPACE(local, ".shared", __local)
ATOMICS_OF_SPACE(flat, "", )

// ---- cl_khr_int64_base_atomics, cl_khr_int64_extended_atomics ----

#define ATOM_64(tag, space, type)                                                                  \
    OVERLOAD type atom_add(volatile space type* p, type v) {                                       \
        return fetch_add_##tag##_##type(p, v);                                                     \
    }                                                                                              \
    OVERLOAD type atom_sub(volatile space type* p, type v) {                                       \
        return fetch_sub_##tag##_##type(p, v);                                                     \
    }                                                                                              \
    OVERLOAD type atom_xchg(volatile space type* p, type v) {                                      \
        return exchange_##tag##_##type(p, v);                                                      \
    }                                                                                              \
    OVERLOAD type atom_min(volatile space type* p, type v) {                                       \
        return fetch_min_##tag##_##type(p, v);                                                     \
    }                                                                                              \
    OVERLOAD type atom_max(volatile space type* p, type v) {                                       \
        return fetch_max_##tag##_##type(p, v);                                                     \
    }                                                                                              \
    OVERLOAD type atom_and(volatile space type* p, type v) {                                       \
        return fetch_and_##tag##_##type(p, v);                                                     \
    }                                                                                              \
    OVERLOAD type atom_or(volatile space type* p, type v) {                                        \
        return fetch_or_##tag##_##type(p, v);                                                      \
    }                                                                                              \
    OVERLOAD type atom_xor(volatile space type* p, type v) {                                       \
        return fetch_xor_##tag##_##type(p, v);                                                     \
    }                                                                                              \
    OVERLOAD type atom_inc(volatile space type* p) {                                               \
        return fetch_add_##tag##_##type(p, (type)1);                                               \
    }                                                                                              \
    OVERLOAD type atom_dec(volatile space type* p) {                                               \
        return fetch_add_##tag##_##type(p, (type)-1);                                              \
    }                                                                                              \
    OVERLOAD type atom_cmpxchg(volatile space type* p, type expected, type v) {                    \
        return compare_##tag##_##type(p, expected, v);                                             \
    }
ATOM_64(global, __global, long)
ATOM_64(global, __global, ulong)
ATOM_64(local, __local, long)
ATOM_64(local, __local, ulong)

// ---- OpenCL C 2.0 ----

static void before(memory_order order) {
    if (order == memory_order_release || order == memory_order_acq_rel ||
        order == memory_order_seq_cst)
        FENCE_DEVICE();
}
static void after(memory_order order) {
    if (order == memory_order_acquire || order == memory_order_acq_rel ||
        order == memory_order_seq_cst)
        FENCE_DEVICE();
}

/// The three forms of a modifying function: plain, with an order, with order and scope.
#define CHANGE(tag, space, type, name, function, operand)                                          \
    OVERLOAD type name##_explicit(volatile space atomic_##type* p, operand v, memory_order order,  \
                                    memory_scope scope) {                                          \
        before(order);                                                                             \
        const type r = function##_##tag##_##type((volatile space type*)p, (type)v);                \
        after(order);                                                                              \
        return r;                                                                                  \
    }                                                                                              \
    OVERLOAD type name##_explicit(volatile space atomic_##type* p, operand v, memory_order order) {\
        return name##_explicit(p, v, order, memory_scope_device);                                  \
    }                                                                                              \
    OVERLOAD type name(volatile space atomic_##type* p, operand v) {                               \
        return name##_explicit(p, v, memory_order_seq_cst, memory_scope_device);                   \
    }

/// Values are compared as bits.
#define as_same_int(x) (x)
#define as_same_uint(x) (x)
#define as_same_long(x) (x)
#define as_same_ulong(x) (x)
#define as_same_float(x) as_int(x)
#define as_same_double(x) as_long(x)

#define COMPARE(tag, space, expected_space, type, strength)                                        \
    OVERLOAD bool atomic_compare_exchange_##strength##_explicit(                                   \
        volatile space atomic_##type* p, expected_space type* expected, type v,                    \
        memory_order success, memory_order failure, memory_scope scope) {                          \
        const type e = *expected;                                                                  \
        before(success);                                                                           \
        const type found = compare_##tag##_##type((volatile space type*)p, e, v);                  \
        const bool r = as_same_##type(found) == as_same_##type(e);                                 \
        after(success);                                                                            \
        if (!r) *expected = found;                                                                 \
        return r;                                                                                  \
    }                                                                                              \
    OVERLOAD bool atomic_compare_exchange_##strength##_explicit(                                   \
        volatile space atomic_##type* p, expected_space type* expected, type v,                    \
        memory_order success, memory_order failure) {                                              \
        return atomic_compare_exchange_##strength##_explicit(p, expected, v, success, failure,     \
                                                             memory_scope_device);                 \
    }                                                                                              \
    OVERLOAD bool atomic_compare_exchange_##strength(                                              \
        volatile space atomic_##type* p, expected_space type* expected, type v) {                  \
        return atomic_compare_exchange_##strength##_explicit(                                      \
            p, expected, v, memory_order_seq_cst, memory_order_seq_cst, memory_scope_device);      \
    }

#define VALUES(tag, space, type)                                                                   \
    OVERLOAD void atomic_init(volatile space atomic_##type* p, type v) {                           \
        *(volatile space type*)p = v;                                                              \
    }                                                                                              \
    OVERLOAD void atomic_store_explicit(volatile space atomic_##type* p, type v,                   \
                                        memory_order order, memory_scope scope) {                  \
        before(order);                                                                             \
        *(volatile space type*)p = v;                                                              \
        if (order == memory_order_seq_cst) after(order);                                           \
    }                                                                                              \
    OVERLOAD void atomic_store_explicit(volatile space atomic_##type* p, type v,                   \
                                        memory_order order) {                                      \
        atomic_store_explicit(p, v, order, memory_scope_device);                                   \
    }                                                                                              \
    OVERLOAD void atomic_store(volatile space atomic_##type* p, type v) {                          \
        atomic_store_explicit(p, v, memory_order_seq_cst, memory_scope_device);                    \
    }                                                                                              \
    OVERLOAD type atomic_load_explicit(volatile space atomic_##type* p, memory_order order,        \
                                       memory_scope scope) {                                       \
        if (order == memory_order_seq_cst) before(order);                                          \
        const type r = *(volatile space type*)p;                                                   \
        after(order);                                                                              \
        return r;                                                                                  \
    }                                                                                              \
    OVERLOAD type atomic_load_explicit(volatile space atomic_##type* p, memory_order order) {      \
        return atomic_load_explicit(p, order, memory_scope_device);                                \
    }                                                                                              \
    OVERLOAD type atomic_load(volatile space atomic_##type* p) {                                   \
        return atomic_load_explicit(p, memory_order_seq_cst, memory_scope_device);                 \
    }                                                                                              \
    CHANGE(tag, space, type, atomic_exchange, exchange, type)                                      \
    COMPARE(tag, space, __global, type, strong)                                                    \
    COMPARE(tag, space, __local, type, strong)                                                     \
    COMPARE(tag, space, __private, type, strong)                                                   \
    COMPARE(tag, space, __global, type, weak)                                                      \
    COMPARE(tag, space, __local, type, weak)                                                       \
    COMPARE(tag, space, __private, type, weak)

#define INTEGERS(tag, space, type)                                                                 \
    VALUES(tag, space, type)                                                                       \
    CHANGE(tag, space, type, atomic_fetch_add, fetch_add, type)                                    \
    CHANGE(tag, space, type, atomic_fetch_sub, fetch_sub, type)                                    \
    CHANGE(tag, space, type, atomic_fetch_or, fetch_or, type)                                      \
    CHANGE(tag, space, type, atomic_fetch_xor, fetch_xor, type)                                    \
    CHANGE(tag, space, type, atomic_fetch_and, fetch_and, type)                                    \
    CHANGE(tag, space, type, atomic_fetch_min, fetch_min, type)                                    \
    CHANGE(tag, space, type, atomic_fetch_max, fetch_max, type)

/// Operands of different signedness: atomic_uintptr_t with ptrdiff_t; min and max as declared in
/// the header.
#define MIXED(tag, space, type, operand)                                                           \
    CHANGE(tag, space, type, atomic_fetch_add, fetch_add, operand)                                 \
    CHANGE(tag, space, type, atomic_fetch_sub, fetch_sub, operand)                                 \
    CHANGE(tag, space, type, atomic_fetch_or, fetch_or, operand)                                   \
    CHANGE(tag, space, type, atomic_fetch_xor, fetch_xor, operand)                                 \
    CHANGE(tag, space, type, atomic_fetch_and, fetch_and, operand)                                 \
    CHANGE(tag, space, type, atomic_fetch_min, fetch_min, operand)                                 \
    CHANGE(tag, space, type, atomic_fetch_max, fetch_max, operand)

#define FLAGS_OF(tag, space)                                                                       \
    OVERLOAD bool atomic_flag_test_and_set_explicit(volatile space atomic_flag* p,                 \
                                                    memory_order order, memory_scope scope) {      \
        before(order);                                                                             \
        const bool r = exchange_##tag##_int((volatile space int*)p, 1) != 0;                       \
        after(order);                                                                              \
        return r;                                                                                  \
    }                                                                                              \
    OVERLOAD bool atomic_flag_test_and_set_explicit(volatile space atomic_flag* p,                 \
                                                    memory_order order) {                          \
        return atomic_flag_test_and_set_explicit(p, order, memory_scope_device);                   \
    }                                                                                              \
    OVERLOAD bool atomic_flag_test_and_set(volatile space atomic_flag* p) {                        \
        return atomic_flag_test_and_set_explicit(p, memory_order_seq_cst, memory_scope_device);    \
    }                                                                                              \
    OVERLOAD void atomic_flag_clear_explicit(volatile space atomic_flag* p, memory_order order,    \
                                             memory_scope scope) {                                 \
        before(order);                                                                             \
        exchange_##tag##_int((volatile space int*)p, 0);                                           \
        after(order);                                                                              \
    }                                                                                              \
    OVERLOAD void atomic_flag_clear_explicit(volatile space atomic_flag* p, memory_order order) {  \
        atomic_flag_clear_explicit(p, order, memory_scope_device);                                 \
    }                                                                                              \
    OVERLOAD void atomic_flag_clear(volatile space atomic_flag* p) {                               \
        atomic_flag_clear_explicit(p, memory_order_seq_cst, memory_scope_device);                  \
    }

#define SPACE(tag, space)                                                                          \
    INTEGERS(tag, space, int)                                                                      \
    INTEGERS(tag, space, uint)                                                                     \
    INTEGERS(tag, space, long)                                                                     \
    INTEGERS(tag, space, ulong)                                                                    \
    MIXED(tag, space, uint, int)                                                                   \
    MIXED(tag, space, long, ulong)                                                                 \
    MIXED(tag, space, ulong, long)                                                                 \
    VALUES(tag, space, float)                                                                      \
    VALUES(tag, space, double)                                                                     \
    FLAGS_OF(tag, space)
SPACE(global, __global)
SPACE(local, __local)
SPACE(flat, )
