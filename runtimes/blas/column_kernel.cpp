// SPDX-License-Identifier: Apache-2.0
#include "runtimes/blas/column_kernel.h"

#include "runtimes/blas/ptx_writer.h"

#include <array>
#include <cstddef>

namespace simtlm::blas {

namespace {

class column_writer {
public:
    explicit column_writer(const column_kernel& k)
        : k_(k), w_(k.name(), k.capability, column_kernel::threads, sizeof(gemm_arguments)) {}

    std::string text() {
        const std::string tid = w_.b32_of("mov.u32", "%tid.x");
        batch_ = w_.b64_of("cvt.u64.u32", "{}", w_.b32_of("mov.u32", "%ctaid.z"));
        row_ = w_.b32_of("mad.lo.u32", "{}, {}, {}", w_.b32_of("mov.u32", "%ctaid.x"),
                         k_.rows_per_block(), w_.b32_of("div.u32", "{}, {}", tid, k_.lanes));
        lane_ = w_.b32_of("and.b32", "{}, {}", tid, k_.lanes - 1);
        m_ = w_.parameter_b32(offsetof(gemm_arguments, m));
        n_k_ = w_.parameter_b32(offsetof(gemm_arguments, k));
        arrays_ = w_.predicate_of("setp.ne.s32", "{}, 0",
                                  w_.parameter_b32(offsetof(gemm_arguments, pointer_arrays)));
        const std::string all_a =
            matrix(offsetof(gemm_arguments, a), offsetof(gemm_arguments, stride_a));
        const std::string ld =
            w_.b64_of("mul.lo.u64", "{}, 2", w_.parameter_b64(offsetof(gemm_arguments, lda)));
        b_ = matrix(offsetof(gemm_arguments, b), offsetof(gemm_arguments, stride_b));
        c_ = matrix(offsetof(gemm_arguments, c), offsetof(gemm_arguments, stride_c));
        d_ = matrix(offsetof(gemm_arguments, d), offsetof(gemm_arguments, stride_d));
        alpha_ = scalar(offsetof(gemm_arguments, alpha_address), offsetof(gemm_arguments, alpha));
        beta_ = scalar(offsetof(gemm_arguments, beta_address), offsetof(gemm_arguments, beta));
        // Lanes without a row compute the last one, because all take part in the sum.
        const std::string last = w_.b32_of("sub.u32", "{}, 1", m_);
        const std::string end = w_.b32_of("add.u32", "{}, {}", row_, k_.rows_per_block());
        const std::string next_row = w_.label();
        sum_ = w_.f32();
        w_("{}:", next_row);
        const std::string row =
            w_.b64_of("cvt.u64.u32", "{}", w_.b32_of("min.u32", "{}, {}", row_, last));
        a_ = w_.b64_of("mad.lo.u64", "{}, {}, {}", row, ld, all_a);
        w_("mov.f32 {}, 0f00000000", sum_);
        products();
        for (unsigned distance = k_.lanes / 2; distance != 0; distance /= 2) {
            const std::string other = w_.b32(), value = w_.f32();
            w_("shfl.sync.bfly.b32 {}, {}, {}, 31, -1", other, w_.b32_of("mov.b32", "{}", sum_),
               distance);
            w_("mov.b32 {}, {}", value, other);
            w_("add.f32 {}, {}, {}", sum_, sum_, value);
        }
        finish();
        w_("add.u32 {}, {}, {}", row_, row_, k_.rows_at_a_time());
        w_("@{} bra {}", w_.predicate_of("setp.lt.u32", "{}, {}", row_, end), next_row);
        return w_.text();
    }

private:
    /// The address of a matrix of the batch.
    std::string matrix(std::size_t address, std::size_t stride) {
        const std::string given = w_.parameter_b64(address);
        const std::string to =
            w_.b64_of("mad.lo.u64", "{}, {}, {}", batch_, w_.parameter_b64(stride), given);
        const std::string entry = w_.b64_of("mad.lo.u64", "{}, 8, {}", batch_, given);
        w_("@{} ld.global.b64 {}, [{}]", arrays_, to, entry);
        return to;
    }
    /// Adds the products of the row and b: chunks of 16 bytes if both are aligned, single elements
    /// otherwise and for the remainder.
    void products() {
        const std::string single = w_.label(), together = w_.label(), end = w_.label();
        const std::string low =
            w_.b64_of("and.b64", "{}, 15", w_.b64_of("or.b64", "{}, {}", a_, b_));
        const std::string unaligned = w_.predicate_of("setp.ne.u64", "{}, 0", low);
        const std::string whole = w_.b32_of("and.b32", "{}, {}", n_k_, ~(column_kernel::chunk - 1));
        const std::string at = w_.b32_of("mul.lo.u32", "{}, {}", lane_, column_kernel::chunk);
        const std::string rest = w_.b32();
        w_("selp.b32 {}, 0, {}, {}", rest, whole, unaligned);
        w_("{}:", together);
        w_("@{} bra {}", w_.predicate_of("setp.ge.u32", "{}, {}", at, rest), single);
        {
            const auto a = words(a_, at), b = words(b_, at);
            for (unsigned i = 0; i < a.size(); ++i) add_pair(a[i], b[i]);
        }
        w_("add.u32 {}, {}, {}", at, at, k_.lanes * column_kernel::chunk);
        w_("bra {}", together);
        w_("{}:", single);
        w_("add.u32 {}, {}, {}", rest, rest, lane_);
        const std::string next = w_.label();
        w_("{}:", next);
        w_("@{} bra {}", w_.predicate_of("setp.ge.u32", "{}, {}", rest, n_k_), end);
        {
            const std::string x = w_.f32(), y = w_.f32();
            load(x, w_.b64_of("mad.wide.u32", "{}, 2, {}", rest, a_), k_.type);
            load(y, w_.b64_of("mad.wide.u32", "{}, 2, {}", rest, b_), k_.type);
            w_("fma.rn.f32 {}, {}, {}, {}", sum_, x, y, sum_);
        }
        w_("add.u32 {}, {}, {}", rest, rest, k_.lanes);
        w_("bra {}", next);
        w_("{}:", end);
        w_("bar.warp.sync -1");
    }
    /// Eight elements, as four words.
    std::array<std::string, 4> words(const std::string& base, const std::string& at) {
        const std::array<std::string, 4> v = {w_.b32(), w_.b32(), w_.b32(), w_.b32()};
        w_("ld.global.v4.b32 {{{}, {}, {}, {}}}, [{}]", v[0], v[1], v[2], v[3],
           w_.b64_of("mad.wide.u32", "{}, 2, {}", at, base));
        return v;
    }
    void add_pair(const std::string& a, const std::string& b) {
        const auto x = pair(a), y = pair(b);
        for (unsigned i = 0; i < 2; ++i) w_("fma.rn.f32 {}, {}, {}, {}", sum_, x[i], y[i], sum_);
    }
    std::array<std::string, 2> pair(const std::string& word) {
        const std::array<std::string, 2> v = {w_.f32(), w_.f32()};
        if (k_.type == element::f16) {
            const std::string low = w_.b16(), high = w_.b16();
            w_("mov.b32 {{{}, {}}}, {}", low, high, word);
            w_("cvt.f32.f16 {}, {}", v[0], low);
            w_("cvt.f32.f16 {}, {}", v[1], high);
        } else {
            w_("mov.b32 {}, {}", v[0], w_.b32_of("shl.b32", "{}, 16", word));
            w_("mov.b32 {}, {}", v[1], w_.b32_of("and.b32", "{}, 0xffff0000", word));
        }
        return v;
    }
    void load(const std::string& to, const std::string& address, element type) {
        if (type == element::bf16) return w_.load_bf16(to, address, 0, "");
        if (type == element::f32) return w_("ld.global.f32 {}, [{}]", to, address);
        const std::string h = w_.b16();
        w_("ld.global.b16 {}, [{}]", h, address);
        w_("cvt.f32.f16 {}, {}", to, h);
    }
    /// alpha or beta: from the parameters or from device memory.
    std::string scalar(std::size_t address_offset, std::size_t value_offset) {
        const std::string to = w_.f32(), given = w_.f64(), h = w_.b16();
        const std::string at = w_.parameter_b64(address_offset);
        w_("ld.param.f64 {}, [arguments+{}]", given, value_offset);
        w_("cvt.rn.f32.f64 {}, {}", to, given);
        const std::string here = w_.label();
        w_("@{} bra {}", w_.predicate_of("setp.eq.u64", "{}, 0", at), here);
        const std::string is_half = w_.predicate_of(
            "setp.eq.s32", "{}, {}", w_.parameter_b32(offsetof(gemm_arguments, scalar_type)),
            static_cast<int>(element::f16));
        w_("@{} ld.global.b16 {}, [{}]", is_half, h, at);
        w_("@{} cvt.f32.f16 {}, {}", is_half, to, h);
        w_("@!{} ld.global.f32 {}, [{}]", is_half, to, at);
        w_("{}:", here);
        return to;
    }
    /// The first lane of a row stores its element of D.
    void finish() {
        const std::string end = w_.label(), no_c = w_.label();
        w_("@{} bra {}", w_.predicate_of("setp.ne.u32", "{}, 0", lane_), end);
        w_("@{} bra {}", w_.predicate_of("setp.ge.u32", "{}, {}", row_, m_), end);
        w_("mul.f32 {}, {}, {}", sum_, sum_, alpha_);
        const auto element_of_row = [&](const std::string& column) {
            return w_.b64_of("mad.wide.u32", "{}, {}, {}", row_, bytes_of(k_.d), column);
        };
        w_("@{} bra {}", w_.predicate_of("setp.eq.f32", "{}, 0f00000000", beta_), no_c);
        const std::string c = w_.f32();
        load(c, element_of_row(c_), k_.d);
        w_("fma.rn.f32 {}, {}, {}, {}", sum_, c, beta_, sum_);
        w_("{}:", no_c);
        const std::string to = element_of_row(d_);
        if (k_.d == element::f32) {
            w_("st.global.f32 [{}], {}", to, sum_);
        } else if (k_.d == element::bf16) {
            w_("st.global.b16 [{}], {}", to, w_.bf16_of(sum_));
        } else {
            const std::string h = w_.b16();
            w_("cvt.rn.f16.f32 {}, {}", h, sum_);
            w_("st.global.b16 [{}], {}", to, h);
        }
        w_("{}:", end);
    }

    const column_kernel& k_;
    ptx_writer w_;
    std::string batch_, row_, lane_, m_, n_k_, arrays_, a_, b_, c_, d_, alpha_, beta_, sum_;
};

}  // namespace

unsigned column_kernel::lanes_for(std::int64_t k) {
    unsigned lanes = 4;
    while (lanes < 32 && lanes * chunk < k) lanes *= 2;
    return lanes;
}

std::string column_kernel::name() const {
    return fmt::format("simtlm_blas_column_{}_{}_{}", name_of(type), name_of(d), lanes);
}

std::string column_kernel::ptx() const {
    return column_writer(*this).text();
}

}  // namespace simtlm::blas
