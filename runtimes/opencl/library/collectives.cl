// SPDX-License-Identifier: Apache-2.0
// Work-group functions, called by every work item of the group.

#define TOGETHER __attribute__((overloadable, convergent))

__attribute__((convergent)) __local ulong* __simtlm_scratch(void);

static uint work_items(void) {
    return (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
}

#define VOTE(function, operation)                                                                  \
    TOGETHER int function(int predicate) {                                                         \
        int all;                                                                                   \
        __asm__ volatile(                                                                          \
            "{ .reg .pred %%p1, %%p2; setp.ne.s32 %%p1, %1, 0; bar.red." operation                 \
            ".pred %%p2, 0, %%p1; selp.s32 %0, 1, 0, %%p2; }"                                      \
            : "=r"(all)                                                                            \
            : "r"(predicate)                                                                       \
            : "memory");                                                                           \
        return all;                                                                                \
    }
VOTE(work_group_all, "and")
VOTE(work_group_any, "or")

#define BROADCAST(type)                                                                            \
    static __attribute__((convergent)) type broadcast_##type(type v, bool mine) {                  \
        __local type* words = (__local type*)__simtlm_scratch();                                   \
        BARRIER();                                                                                 \
        if (mine) words[0] = v;                                                                    \
        BARRIER();                                                                                 \
        const type r = words[0];                                                                   \
        BARRIER();                                                                                 \
        return r;                                                                                  \
    }                                                                                              \
    TOGETHER type work_group_broadcast(type v, size_t x) {                                         \
        return broadcast_##type(v, get_local_id(0) == x);                                          \
    }                                                                                              \
    TOGETHER type work_group_broadcast(type v, size_t x, size_t y) {                               \
        return broadcast_##type(v, get_local_id(0) == x && get_local_id(1) == y);                  \
    }                                                                                              \
    TOGETHER type work_group_broadcast(type v, size_t x, size_t y, size_t z) {                     \
        return broadcast_##type(                                                                   \
            v, get_local_id(0) == x && get_local_id(1) == y && get_local_id(2) == z);              \
    }

/// Inclusive scan in log2(n) steps; the reduction is its last value.
#define SCAN(type, name, neutral, combine)                                                         \
    static __attribute__((convergent)) type scan_##name##_##type(type v, uint* last) {             \
        __local type* words = (__local type*)__simtlm_scratch();                                   \
        const uint me = (uint)get_local_linear_id(), n = work_items();                             \
        BARRIER();                                                                                 \
        words[me] = v;                                                                             \
        BARRIER();                                                                                 \
        for (uint step = 1; step < n; step <<= 1) {                                                \
            const type other = me >= step ? words[me - step] : (type)(neutral);                    \
            BARRIER();                                                                             \
            const type mine = words[me];                                                           \
            words[me] = combine(other, mine);                                                      \
            BARRIER();                                                                             \
        }                                                                                          \
        *last = n - 1;                                                                             \
        return words[me];                                                                          \
    }                                                                                              \
    TOGETHER type work_group_reduce_##name(type v) {                                               \
        uint last;                                                                                 \
        scan_##name##_##type(v, &last);                                                            \
        const type r = ((__local type*)__simtlm_scratch())[last];                                  \
        BARRIER();                                                                                 \
        return r;                                                                                  \
    }                                                                                              \
    TOGETHER type work_group_scan_inclusive_##name(type v) {                                       \
        uint last;                                                                                 \
        const type r = scan_##name##_##type(v, &last);                                             \
        BARRIER();                                                                                 \
        return r;                                                                                  \
    }                                                                                              \
    TOGETHER type work_group_scan_exclusive_##name(type v) {                                       \
        uint last;                                                                                 \
        scan_##name##_##type(v, &last);                                                            \
        const uint me = (uint)get_local_linear_id();                                               \
        const type r =                                                                             \
            me == 0 ? (type)(neutral) : ((__local type*)__simtlm_scratch())[me - 1];               \
        BARRIER();                                                                                 \
        return r;                                                                                  \
    }

#define SUM(a, b) ((a) + (b))
#define COLLECTIVES(type, lowest, highest)                                                         \
    BROADCAST(type)                                                                                \
    SCAN(type, add, 0, SUM)                                                                        \
    SCAN(type, min, highest, min)                                                                  \
    SCAN(type, max, lowest, max)
COLLECTIVES(int, INT_MIN, INT_MAX)
COLLECTIVES(uint, 0, UINT_MAX)
COLLECTIVES(long, LONG_MIN, LONG_MAX)
COLLECTIVES(ulong, 0, ULONG_MAX)
COLLECTIVES(float, -INFINITY, INFINITY)
COLLECTIVES(double, -INFINITY, INFINITY)
