// SPDX-License-Identifier: Apache-2.0
// cuBLASLt: products of matrices with an epilogue, described by objects. The objects are those of
// the interface, whose memory the program may own: plain structures of less than 88 bytes.
#include "runtimes/blas/gpu.h"
#include "runtimes/blas/handle.h"
#include "runtimes/blas/vector_kernels.h"

#include <algorithm>
#include <cstring>

using namespace simtlm::blas;

namespace {

/// cublasLtMatrixLayout_t.
struct layout {
    std::uint64_t rows = 0, columns = 0;
    std::int64_t ld = 0, stride = 0;
    std::int32_t type = 0, order = 0, batches = 1, batch_mode = 0;
};
static_assert(sizeof(layout) <= 64);

/// cublasLtMatmulDesc_t.
struct description {
    std::int16_t compute = 0, scale_type = 0, pointer_mode = 0, transpose_a = 0, transpose_b = 0,
                 transpose_c = 0;
    std::int16_t epilogue = 1, fill = 0, bias_type = -1, auxiliary_type = -1, sm_count = 0,
                 flags = 0;
    const void* bias = nullptr;
    void* auxiliary = nullptr;
    std::int64_t bias_stride = 0, ld_auxiliary = 0, auxiliary_stride = 0;
};
static_assert(sizeof(description) <= 88);

/// cublasLtMatmulPreference_t.
struct preference {
    std::uint64_t workspace_bytes = 0;
    std::uint32_t values[10] = {};
};
static_assert(sizeof(preference) <= 64);

/// cublasLtMatmulAlgo_t: there is one algorithm, which selects its kernel itself.
struct algorithm {
    std::uint64_t data[8];
};
constexpr std::uint64_t algorithm_mark = 0x51a7b1a5;

/// cublasLtMatmulHeuristicResult_t.
struct heuristic_result {
    algorithm algo;
    std::size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
};

enum order : std::int32_t { by_column = 0, by_row = 1 };

// Bits of cublasLtEpilogue_t.
constexpr int epilogue_default = 1, epilogue_relu = 2, epilogue_bias = 4, epilogue_gelu = 32,
              epilogue_gelu_gradient = 64 | 128;
constexpr int epilogue_auxiliary = 128, epilogue_sums_of_a = 256, epilogue_sums_of_b = 512;

template <class T>
T& object(T* p) {
    require(p != nullptr);
    return *p;
}

/// Copies an attribute to or from a member.
template <class T, class As = T>
struct member_copy {
    static void set(T& to, const void* from, std::size_t bytes) {
        require(from != nullptr && bytes >= sizeof(As));
        As value;
        std::memcpy(&value, from, sizeof value);
        to = static_cast<T>(value);
    }
    static void get(const T& from, void* to, std::size_t bytes, std::size_t* written) {
        if (written != nullptr) *written = sizeof(As);
        if (bytes == 0) return;
        require(to != nullptr && bytes >= sizeof(As));
        const As value = static_cast<As>(from);
        std::memcpy(to, &value, sizeof value);
    }
};

/// Applies `visit` to the member of an attribute, with the type that the interface gives it.
/// @return false for an attribute that is not known
template <class Visit>
bool layout_member(layout& l, int attribute, Visit&& visit) {
    switch (attribute) {
        case 0:
            visit(l.type, std::int32_t{});
            return true;
        case 1:
            visit(l.order, std::int32_t{});
            return true;
        case 2:
            visit(l.rows, std::uint64_t{});
            return true;
        case 3:
            visit(l.columns, std::uint64_t{});
            return true;
        case 4:
            visit(l.ld, std::int64_t{});
            return true;
        case 5:
            visit(l.batches, std::int32_t{});
            return true;
        case 6:
            visit(l.stride, std::int64_t{});
            return true;
        case 8:
            visit(l.batch_mode, std::int32_t{});
            return true;
        default:
            return false;
    }
}

template <class Visit>
bool description_member(description& d, int attribute, Visit&& visit) {
    switch (attribute) {
        case 0:
            visit(d.compute, std::int32_t{});
            return true;
        case 1:
            visit(d.scale_type, std::int32_t{});
            return true;
        case 2:
            visit(d.pointer_mode, std::int32_t{});
            return true;
        case 3:
            visit(d.transpose_a, std::int32_t{});
            return true;
        case 4:
            visit(d.transpose_b, std::int32_t{});
            return true;
        case 5:
            visit(d.transpose_c, std::int32_t{});
            return true;
        case 6:
            visit(d.fill, std::int32_t{});
            return true;
        case 7:
            visit(d.epilogue, std::int32_t{});
            return true;
        case 8:
            visit(d.bias, static_cast<const void*>(nullptr));
            return true;
        case 10:
            visit(d.bias_stride, std::int64_t{});
            return true;
        case 11:
            visit(d.auxiliary, static_cast<void*>(nullptr));
            return true;
        case 12:
            visit(d.ld_auxiliary, std::int64_t{});
            return true;
        case 13:
            visit(d.auxiliary_stride, std::int64_t{});
            return true;
        case 15:
            visit(d.sm_count, std::int32_t{});
            return true;
        case 22:
            visit(d.auxiliary_type, std::int32_t{});
            return true;
        case 26:
            visit(d.bias_type, std::int32_t{});
            return true;
        default:
            return false;
    }
}

template <class Object, class Members>
void set_attribute(Object& o, int attribute, const void* from, std::size_t bytes,
                   Members&& members) {
    const bool known = members(o, attribute, [&](auto& member, auto as) {
        member_copy<std::decay_t<decltype(member)>, decltype(as)>::set(member, from, bytes);
    });
    require(known, not_supported);
}
template <class Object, class Members>
void get_attribute(Object& o, int attribute, void* to, std::size_t bytes, std::size_t* written,
                   Members&& members) {
    const bool known = members(o, attribute, [&](auto& member, auto as) {
        member_copy<std::decay_t<decltype(member)>, decltype(as)>::get(member, to, bytes, written);
    });
    require(known, not_supported);
}

const auto layout_members = [](layout& l, int a, auto&& v) { return layout_member(l, a, v); };
const auto description_members = [](description& d, int a, auto&& v) {
    return description_member(d, a, v);
};

matrix matrix_of(const layout& l, const void* at) {
    const std::optional<element> e = element_of(l.type);
    require(e.has_value(), not_supported);
    require(l.order == by_column || l.order == by_row, not_supported);
    return {*e, at, l.ld, l.batches > 1 ? l.stride : 0};
}

element type_or(std::int16_t given, element otherwise) {
    if (given < 0) return otherwise;
    const std::optional<element> e = element_of(given);
    require(e.has_value(), not_supported);
    return *e;
}

/// A product as the library computes it, and what it does not: the sums of rows or columns of an
/// operand.
struct matmul {
    gemm_problem product;
    bool sums_of_a = false, sums_of_b = false;
    bool sum_over_columns = false;  ///< the summed operand's k is its column
    std::int64_t sum_length = 0, sum_count = 0;
    matrix summed;
    element sum_type = element::f32;
};

/// @throws failure  with not_supported for what the kernels do not do
matmul matmul_of(const description& d, const layout& a, const layout& b, const layout& c,
                 const layout& to, const void* at_a, const void* at_b, const void* at_c,
                 void* at_d) {
    matmul x;
    gemm_problem& p = x.product;
    require(d.transpose_c == 0 && d.fill == 0 && d.pointer_mode <= 1 && d.flags == 0,
            not_supported);
    p.a = matrix_of(a, at_a);
    p.b = matrix_of(b, at_b);
    p.c = matrix_of(c, at_c);
    p.d = matrix_of(to, at_d);
    require(p.c.type == p.d.type, not_supported);
    p.transpose_a = (d.transpose_a != 0) != (a.order == by_row);
    p.transpose_b = (d.transpose_b != 0) != (b.order == by_row);
    const auto extent = [](const layout& l, bool second) {
        return static_cast<std::int64_t>(second ? l.columns : l.rows);
    };
    p.m = extent(a, d.transpose_a != 0);
    p.k = extent(a, d.transpose_a == 0);
    p.n = extent(b, d.transpose_b == 0);
    require(extent(b, d.transpose_b != 0) == p.k);
    require(static_cast<std::int64_t>(to.rows) == p.m &&
            static_cast<std::int64_t>(to.columns) == p.n);
    require(c.rows == to.rows && c.columns == to.columns);
    require(c.order == to.order, not_supported);
    p.batches = to.batches;
    require(a.batches == to.batches && b.batches == to.batches && c.batches == to.batches,
            not_supported);
    p.pointer_arrays = to.batch_mode == 1;
    p.compute = d.compute;
    p.allow_tf32 = d.compute == compute_32f_fast_tf32 || d.compute == compute_32f_fast_16f ||
                   d.compute == compute_32f_fast_16bf;
    const std::optional<element> scale = element_of(d.scale_type);
    require(scale.has_value(), not_supported);
    p.scalar_type = *scale;

    const bool by_rows = to.order == by_row;
    const int epilogue = d.epilogue;
    int rest = epilogue & ~epilogue_default;
    const auto take = [&](int bits) {
        if ((rest & bits) != bits) return false;
        rest &= ~bits;
        return true;
    };
    if (take(epilogue_gelu_gradient)) {
        p.act = activation::gelu_gradient;
    } else {
        if (take(epilogue_gelu))
            p.act = activation::gelu;
        else if (take(epilogue_relu))
            p.act = activation::relu;
        // The mask of ReLU is one bit per element.
        require(!((rest & epilogue_auxiliary) != 0 && p.act != activation::gelu), not_supported);
        take(epilogue_auxiliary);
    }
    if ((epilogue & epilogue_auxiliary) != 0) {
        require(d.auxiliary != nullptr);
        require(type_or(d.auxiliary_type, p.d.type) == p.d.type, not_supported);
        p.auxiliary = d.auxiliary;
        p.ld_auxiliary = d.ld_auxiliary;
        p.auxiliary_stride = d.auxiliary_stride;
    }
    if (take(epilogue_bias)) {
        require(d.bias != nullptr);
        require(!by_rows, not_supported);
        p.bias = d.bias;
        p.bias_type = type_or(d.bias_type, p.d.type);
        p.bias_stride = d.bias_stride;
    }
    x.sums_of_a = take(epilogue_sums_of_a);
    x.sums_of_b = take(epilogue_sums_of_b);
    require(rest == 0, not_supported);
    if (x.sums_of_a || x.sums_of_b) {
        require(d.bias != nullptr);
        require(!(x.sums_of_a && x.sums_of_b) && p.batches == 1 && !by_rows, not_supported);
        x.summed = x.sums_of_a ? p.a : p.b;
        x.sum_over_columns = x.sums_of_a ? !p.transpose_a : p.transpose_b;
        x.sum_count = x.sums_of_a ? p.m : p.n;
        x.sum_length = p.k;
        x.sum_type = type_or(d.bias_type, p.d.type);
        require(x.sum_type == x.summed.type, not_supported);
        require(x.summed.type != element::s8 && x.summed.type != element::s32, not_supported);
    }
    if (by_rows) {  // D^T = op(B)^T op(A)^T
        std::swap(p.a, p.b);
        std::swap(p.m, p.n);
        const bool transpose_a = p.transpose_a;
        p.transpose_a = !p.transpose_b;
        p.transpose_b = !transpose_a;
    }
    check_types(p);
    return x;
}

constexpr std::size_t workspace_used = 32U << 20;

}  // namespace

// ---- the library ----

BLAS(cublasLtCreate)(void** to) {
    return call([&] {
        require(to != nullptr);
        *to = create_handle();
    });
}
BLAS(cublasLtDestroy)(void* h) {
    return call([&] { destroy_handle(&handle_of(h)); });
}
extern "C" __attribute__((visibility("default"))) std::size_t simtlm_blas_cublasLtGetVersion() {
    return version;
}
extern "C" __attribute__((visibility("default"))) std::size_t
simtlm_blas_cublasLtGetCudartVersion() {
    return 13000;
}
extern "C" __attribute__((visibility("default"))) const char* simtlm_blas_cublasLtGetStatusName(
    int s) {
    return status_name(s);
}
extern "C" __attribute__((visibility("default"))) const char* simtlm_blas_cublasLtGetStatusString(
    int s) {
    return status_text(s);
}
BLAS(cublasLtGetProperty)(int which, int* to) {
    return call([&] {
        require(to != nullptr);
        *to = version_part(which);
    });
}
BLAS(cublasLtHeuristicsCacheGetCapacity)(std::size_t* to) {
    return call([&] {
        require(to != nullptr);
        *to = 0;
    });
}
BLAS(cublasLtHeuristicsCacheSetCapacity)(std::size_t) {
    return success;
}
BLAS(cublasLtLoggerSetCallback)(void*) {
    return success;
}
BLAS(cublasLtLoggerSetFile)(void*) {
    return success;
}
BLAS(cublasLtLoggerOpenFile)(const char*) {
    return success;
}
BLAS(cublasLtLoggerSetLevel)(int) {
    return success;
}
BLAS(cublasLtLoggerSetMask)(int) {
    return success;
}
BLAS(cublasLtLoggerForceDisable)() {
    return success;
}

// ---- objects ----

BLAS(cublasLtMatrixLayoutInit_internal)
(layout* to, std::size_t bytes, int type, std::uint64_t rows, std::uint64_t columns,
 std::int64_t ld) {
    return call([&] {
        require(to != nullptr && bytes >= sizeof(layout));
        *to = layout{rows, columns, ld, 0, type, by_column, 1, 0};
    });
}
BLAS(cublasLtMatrixLayoutCreate)
(layout** to, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t ld) {
    return call([&] { object(to) = new layout{rows, columns, ld, 0, type, by_column, 1, 0}; });
}
BLAS(cublasLtMatrixLayoutDestroy)(layout* l) {
    delete l;
    return success;
}
BLAS(cublasLtMatrixLayoutSetAttribute)
(layout* l, int attribute, const void* from, std::size_t bytes) {
    return call([&] { set_attribute(object(l), attribute, from, bytes, layout_members); });
}
BLAS(cublasLtMatrixLayoutGetAttribute)
(layout* l, int attribute, void* to, std::size_t bytes, std::size_t* written) {
    return call([&] { get_attribute(object(l), attribute, to, bytes, written, layout_members); });
}
BLAS(cublasLtMatmulDescInit_internal)
(description* to, std::size_t bytes, int compute, int scale_type) {
    return call([&] {
        require(to != nullptr && bytes >= sizeof(description));
        *to = description{};
        to->compute = static_cast<std::int16_t>(compute);
        to->scale_type = static_cast<std::int16_t>(scale_type);
    });
}
BLAS(cublasLtMatmulDescCreate)(description** to, int compute, int scale_type) {
    return call([&] {
        auto* const d = new description;
        d->compute = static_cast<std::int16_t>(compute);
        d->scale_type = static_cast<std::int16_t>(scale_type);
        object(to) = d;
    });
}
BLAS(cublasLtMatmulDescDestroy)(description* d) {
    delete d;
    return success;
}
BLAS(cublasLtMatmulDescSetAttribute)
(description* d, int attribute, const void* from, std::size_t bytes) {
    return call([&] {
        constexpr int a_scale = 17, d_scale = 20, amax = 21, auxiliary_scale = 23,
                      auxiliary_amax = 24, fast_accumulation = 25;
        const bool scales = (attribute >= a_scale && attribute <= d_scale) || attribute == amax ||
                            attribute == auxiliary_scale || attribute == auxiliary_amax;
        if (scales) {  // of 8-bit floats
            const void* value = nullptr;
            require(from != nullptr && bytes >= sizeof value);
            std::memcpy(&value, from, sizeof value);
            if (value != nullptr) object(d).flags = 1;
            return;
        }
        if (attribute == fast_accumulation) return;
        set_attribute(object(d), attribute, from, bytes, description_members);
    });
}
BLAS(cublasLtMatmulDescGetAttribute)
(description* d, int attribute, void* to, std::size_t bytes, std::size_t* written) {
    return call(
        [&] { get_attribute(object(d), attribute, to, bytes, written, description_members); });
}
BLAS(cublasLtMatmulPreferenceInit_internal)(preference* to, std::size_t bytes) {
    return call([&] {
        require(to != nullptr && bytes >= sizeof(preference));
        *to = preference{};
    });
}
BLAS(cublasLtMatmulPreferenceCreate)(preference** to) {
    return call([&] { object(to) = new preference; });
}
BLAS(cublasLtMatmulPreferenceDestroy)(preference* p) {
    delete p;
    return success;
}
BLAS(cublasLtMatmulPreferenceSetAttribute)
(preference* p, int attribute, const void* from, std::size_t bytes) {
    return call([&] {
        constexpr int max_workspace = 1;
        require(p != nullptr && from != nullptr);
        if (attribute == max_workspace)
            member_copy<std::uint64_t>::set(p->workspace_bytes, from, bytes);
        else if (attribute >= 0 && attribute < 10 && bytes <= sizeof(std::uint32_t))
            std::memcpy(&p->values[attribute], from, bytes);
    });
}
BLAS(cublasLtMatmulPreferenceGetAttribute)
(preference* p, int attribute, void* to, std::size_t bytes, std::size_t* written) {
    return call([&] {
        constexpr int max_workspace = 1;
        require(p != nullptr && attribute >= 0 && attribute < 10);
        if (attribute == max_workspace)
            member_copy<std::uint64_t>::get(p->workspace_bytes, to, bytes, written);
        else
            member_copy<std::uint32_t>::get(p->values[attribute], to, bytes, written);
    });
}

// ---- algorithms ----

BLAS(cublasLtMatmulAlgoGetHeuristic)
(void* h, const description* d, const layout* a, const layout* b, const layout* c, const layout* to,
 const preference* p, int requested, heuristic_result* results, int* found) {
    return call([&] {
        handle_of(h);
        require(requested > 0 && results != nullptr && found != nullptr && d != nullptr &&
                a != nullptr && b != nullptr && c != nullptr && to != nullptr);
        *found = 0;
        // Which kernel it will be depends on addresses; a supported product is supported at all of
        // them.
        description checked = *d;
        static const int placeholder = 0;
        if (checked.bias == nullptr) checked.bias = &placeholder;
        if (checked.auxiliary == nullptr) checked.auxiliary = const_cast<int*>(&placeholder);
        matmul_of(checked, *a, *b, *c, *to, nullptr, nullptr, nullptr, nullptr);
        results[0] = heuristic_result{};
        results[0].algo.data[0] = algorithm_mark;
        results[0].workspace_bytes =
            p == nullptr ? 0 : std::min<std::size_t>(p->workspace_bytes, workspace_used);
        results[0].waves = 1;
        *found = 1;
    });
}
BLAS(cublasLtMatmulAlgoGetIds)
(void* h, int, int, int, int, int, int, int requested, int* ids, int* found) {
    return call([&] {
        handle_of(h);
        require(requested > 0 && ids != nullptr && found != nullptr);
        ids[0] = 0;
        *found = 1;
    });
}
BLAS(cublasLtMatmulAlgoInit)(void* h, int, int, int, int, int, int, int id, algorithm* to) {
    return call([&] {
        handle_of(h);
        require(to != nullptr && id == 0);
        *to = algorithm{};
        to->data[0] = algorithm_mark;
    });
}
BLAS(cublasLtMatmulAlgoCheck)
(void* h, const description* d, const layout* a, const layout* b, const layout* c, const layout* to,
 const algorithm* algo, heuristic_result* result) {
    return call([&] {
        handle_of(h);
        require(d != nullptr && a != nullptr && b != nullptr && c != nullptr && to != nullptr &&
                algo != nullptr && result != nullptr);
        require(algo->data[0] == algorithm_mark);
        matmul_of(*d, *a, *b, *c, *to, nullptr, nullptr, nullptr, nullptr);
        *result = heuristic_result{};
        result->algo = *algo;
        result->waves = 1;
    });
}
BLAS(cublasLtMatmulAlgoConfigSetAttribute)(algorithm* a, int, const void*, std::size_t) {
    return call([&] { require(a != nullptr); });
}
BLAS(cublasLtMatmulAlgoConfigGetAttribute)
(const algorithm* a, int, void* to, std::size_t bytes, std::size_t* written) {
    return call([&] {
        require(a != nullptr);
        member_copy<std::uint32_t>::get(0, to, bytes, written);
    });
}

// ---- products ----

BLAS(cublasLtMatmul)
(void* h, const description* d, const void* alpha, const void* a, const layout* layout_a,
 const void* b, const layout* layout_b, const void* beta, const void* c, const layout* layout_c,
 void* to, const layout* layout_d, const algorithm*, void* workspace, std::size_t workspace_bytes,
 void* stream) {
    return call([&] {
        const handle& owner = handle_of(h);
        require(d != nullptr && layout_a != nullptr && layout_b != nullptr && layout_c != nullptr &&
                layout_d != nullptr);
        matmul x = matmul_of(*d, *layout_a, *layout_b, *layout_c, *layout_d, a, b,
                             c == nullptr ? to : c, to);
        gemm_problem& p = x.product;
        p.alpha = {alpha, d->pointer_mode == 1};
        p.beta = {beta, d->pointer_mode == 1};
        p.stream = stream;
        p.workspace = workspace == nullptr ? owner.own_workspace
                                           : reinterpret_cast<std::uintptr_t>(workspace);
        p.workspace_bytes = workspace == nullptr ? 0 : workspace_bytes;
        gemm(p);
        if (!x.sums_of_a && !x.sums_of_b) return;
        vector_arguments sums;
        sums.x = reinterpret_cast<std::uintptr_t>(x.summed.at);
        sums.inc_x = x.sum_over_columns ? x.summed.ld : 1;
        sums.inc_y = x.sum_over_columns ? 1 : x.summed.ld;
        sums.result = reinterpret_cast<std::uintptr_t>(d->bias);
        sums.m = static_cast<std::int32_t>(x.sum_length);
        sums.n = static_cast<std::int32_t>(x.sum_count);
        const vector_kernel k{vector_operation::column_sums, x.summed.type};
        gpu& g = gpu::current();
        constexpr unsigned bytes_of_a_thread = 8;
        g.launch(
            k.name(), [&] { return k.ptx(g.capability()); },
            {k.blocks(sums), 1, 1, k.threads(), k.threads() * bytes_of_a_thread}, stream, &sums);
    });
}
