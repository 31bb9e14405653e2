// SPDX-License-Identifier: Apache-2.0
#include "runtimes/blas/vector_kernels.h"

#include "runtimes/blas/ptx_writer.h"

#include <cstddef>

namespace simtlm::blas {

namespace {

constexpr unsigned block_threads = 256, reduction_threads = 512, warp_threads = 32;
constexpr unsigned solver_threads = 64;

class vector_writer {
public:
    vector_writer(const vector_kernel& k, unsigned capability)
        : k_(k),
          w_(k.name(), capability, k.threads(), sizeof(vector_arguments)),
          wide_(k.type == element::f64),
          bytes_(bytes_of(k.type)) {
        tid_ = w_.b32_of("mov.u32", "%tid.x");
        block_ = w_.b32_of("mov.u32", "%ctaid.x");
        batch_ = w_.b32_of("mov.u32", "%ctaid.z");
        index_ = w_.b32_of("mad.lo.u32", "{}, {}, {}", block_, k.threads(), tid_);
        m_ = w_.parameter_b32(offsetof(vector_arguments, m));
        n_ = w_.parameter_b32(offsetof(vector_arguments, n));
    }

    std::string text() {
        switch (k_.operation) {
            case vector_operation::axpy:
            case vector_operation::scal:
            case vector_operation::copy:
            case vector_operation::swap:
                elementwise();
                break;
            case vector_operation::dot:
            case vector_operation::nrm2:
            case vector_operation::asum:
            case vector_operation::column_sums:
                reduction();
                break;
            case vector_operation::iamax:
            case vector_operation::iamin:
                index_of_extreme();
                break;
            case vector_operation::gemv_n:
                gemv_rows();
                break;
            case vector_operation::gemv_t:
                gemv_columns();
                break;
            case vector_operation::geam:
                geam();
                break;
            case vector_operation::trsm:
                trsm();
                break;
        }
        return w_.text();
    }

private:
    const char* type() const { return wide_ ? "f64" : "f32"; }
    const char* fma() const { return wide_ ? "fma.rn.f64" : "fma.rn.f32"; }
    const char* zero() const { return wide_ ? "0d0000000000000000" : "0f00000000"; }
    std::string value() { return wide_ ? w_.f64() : w_.f32(); }

    std::string scalar(std::size_t address_offset, std::size_t value_offset) {
        const std::string to = value(), given = w_.f64(), at = w_.parameter_b64(address_offset);
        w_("ld.param.f64 {}, [arguments+{}]", given, value_offset);
        w_(wide_ ? "mov.f64 {}, {}" : "cvt.rn.f32.f64 {}, {}", to, given);
        const std::string there = w_.predicate_of("setp.ne.u64", "{}, 0", at);
        w_("@{} ld.global.{} {}, [{}]", there, type(), to, at);
        return to;
    }
    std::string alpha() {
        return scalar(offsetof(vector_arguments, alpha_address), offsetof(vector_arguments, alpha));
    }
    std::string beta() {
        return scalar(offsetof(vector_arguments, beta_address), offsetof(vector_arguments, beta));
    }

    /// A vector of this batch, or a matrix: address of its first element, bytes between elements
    /// (or columns).
    struct array {
        std::string base, step;
    };
    /// @param length  elements of a vector, whose increment may be negative; empty for a matrix
    array argument(std::size_t address, std::size_t stride, std::size_t increment,
                   const std::string& length) {
        array a;
        const std::string batch = w_.b64_of("cvt.u64.u32", "{}", batch_);
        const std::string offset =
            w_.b64_of("mul.lo.s64", "{}, {}", w_.parameter_b64(stride), bytes_);
        const std::string given = w_.parameter_b64(address);
        a.base = w_.b64_of("mad.lo.s64", "{}, {}, {}", batch, offset, given);
        a.step = w_.b64_of("mul.lo.s64", "{}, {}", w_.parameter_b64(increment), bytes_);
        if (length.empty()) return a;
        const std::string last =
            w_.b64_of("cvt.s64.s32", "{}", w_.b32_of("sub.s32", "1, {}", length));
        const std::string reversed = w_.b64_of("mad.lo.s64", "{}, {}, {}", last, a.step, a.base);
        const std::string negative = w_.predicate_of("setp.lt.s64", "{}, 0", a.step);
        a.base = w_.b64_of("selp.b64", "{}, {}, {}", reversed, a.base, negative);
        return a;
    }
    array x(const std::string& length = "") {
        return argument(offsetof(vector_arguments, x), offsetof(vector_arguments, stride_x),
                        offsetof(vector_arguments, inc_x), length);
    }
    array y(const std::string& length = "") {
        return argument(offsetof(vector_arguments, y), offsetof(vector_arguments, stride_y),
                        offsetof(vector_arguments, inc_y), length);
    }
    array z(const std::string& length = "") {
        return argument(offsetof(vector_arguments, z), offsetof(vector_arguments, stride_z),
                        offsetof(vector_arguments, inc_z), length);
    }
    std::string at(const array& a, const std::string& i) {
        return w_.b64_of("mad.lo.s64", "{}, {}, {}", w_.b64_of("cvt.s64.s32", "{}", i), a.step,
                         a.base);
    }
    /// Address of element (row, column).
    std::string at(const array& a, const std::string& row, const std::string& column) {
        return w_.b64_of("mad.wide.s32", "{}, {}, {}", row, bytes_, at(a, column));
    }
    std::string load(const std::string& address) {
        const std::string v = value();
        load_element(v, address);
        return v;
    }
    void load_element(const std::string& to, const std::string& address) {
        if (k_.type == element::f16) {
            const std::string h = w_.b16();
            w_("ld.global.b16 {}, [{}]", h, address);
            w_("cvt.f32.f16 {}, {}", to, h);
        } else if (k_.type == element::bf16) {
            w_.load_bf16(to, address, 0, "");
        } else {
            w_("ld.global.{} {}, [{}]", type(), to, address);
        }
    }
    void store(const std::string& address, const std::string& v) {
        if (k_.type == element::f16) {
            const std::string h = w_.b16();
            w_("cvt.rn.f16.f32 {}, {}", h, v);
            w_("st.global.b16 [{}], {}", address, h);
        } else if (k_.type == element::bf16) {
            w_("st.global.b16 [{}], {}", address, w_.bf16_of(v));
        } else {
            w_("st.global.{} [{}], {}", type(), address, v);
        }
    }
    void return_from(const std::string& i, const std::string& limit) {
        w_("@{} ret", w_.predicate_of("setp.ge.s32", "{}, {}", i, limit));
    }

    void elementwise() {
        return_from(index_, n_);
        const std::string in_x = at(x(n_), index_);
        const std::string v = load(in_x);
        if (k_.operation == vector_operation::scal) {
            w_("mul.{} {}, {}, {}", type(), v, v, alpha());
            store(in_x, v);
            return;
        }
        const std::string in_y = at(y(n_), index_);
        if (k_.operation == vector_operation::axpy) {
            const std::string old = load(in_y);
            w_("{} {}, {}, {}, {}", fma(), v, v, alpha(), old);
        } else if (k_.operation == vector_operation::swap) {
            store(in_x, load(in_y));
        }
        store(in_y, v);
    }

    /// Adds the values of the threads of the block; the sum is in thread 0.
    void add_threads(const std::string& sum) {
        const std::string tiles = w_.b32_of("mov.u32", "{}", "tiles");
        const unsigned size = wide_ ? 8 : 4;
        const std::string mine = w_.b32_of("mad.lo.u32", "{}, {}, {}", tid_, size, tiles);
        w_("st.shared.{} [{}], {}", type(), mine, sum);
        for (unsigned half = k_.threads() / 2; half > 0; half /= 2) {
            w_("bar.sync 0");
            const std::string skip = w_.label(), other = value();
            w_("@{} bra {}", w_.predicate_of("setp.ge.u32", "{}, {}", tid_, half), skip);
            w_("ld.shared.{} {}, [{}+{}]", type(), other, mine, half * size);
            w_("add.{} {}, {}, {}", type(), sum, sum, other);
            w_("st.shared.{} [{}], {}", type(), mine, sum);
            w_("{}:", skip);
        }
    }

    /// One block adds over all elements; one block per row or column for column_sums.
    void reduction() {
        const bool columns = k_.operation == vector_operation::column_sums;
        const std::string sum = value();
        w_("mov.{} {}, {}", type(), sum, zero());
        // column_sums: m elements for each of n results, the distances are inc_x and inc_y.
        const std::string length = columns ? m_ : n_;
        array first = x(columns ? "" : n_);
        if (columns) {
            const std::string distance =
                w_.b64_of("mul.lo.s64", "{}, {}",
                          w_.parameter_b64(offsetof(vector_arguments, inc_y)), bytes_);
            first.base = w_.b64_of("mad.lo.s64", "{}, {}, {}",
                                   w_.b64_of("cvt.s64.s32", "{}", block_), distance, first.base);
        }
        const array second = k_.operation == vector_operation::dot ? y(n_) : first;
        const std::string i = w_.b32_of("mov.u32", "{}", tid_);
        const std::string loop = w_.label(), end = w_.label();
        w_("{}:", loop);
        w_("@{} bra {}", w_.predicate_of("setp.ge.s32", "{}, {}", i, length), end);
        const std::string v = load(at(first, i));
        if (k_.operation == vector_operation::asum || columns) {
            if (!columns) w_("abs.{} {}, {}", type(), v, v);
            w_("add.{} {}, {}, {}", type(), sum, sum, v);
        } else {
            const std::string u = k_.operation == vector_operation::dot ? load(at(second, i)) : v;
            w_("{} {}, {}, {}, {}", fma(), sum, v, u, sum);
        }
        w_("add.u32 {}, {}, {}", i, i, k_.threads());
        w_("bra {}", loop);
        w_("{}:", end);
        add_threads(sum);
        w_("@{} ret", w_.predicate_of("setp.ne.u32", "{}, 0", tid_));
        if (k_.operation == vector_operation::nrm2) w_("sqrt.rn.{} {}, {}", type(), sum, sum);
        std::string to = w_.parameter_b64(offsetof(vector_arguments, result));
        if (columns) to = w_.b64_of("mad.wide.u32", "{}, {}, {}", block_, bytes_, to);
        store(to, sum);
    }

    void index_of_extreme() {
        const bool largest = k_.operation == vector_operation::iamax;
        const array a = x(n_);
        const std::string best = value(), best_index = w_.b32_of("mov.u32", "{}", 2147483647);
        w_("mov.{} {}, {}", type(), best,
           wide_ ? (largest ? "0dBFF0000000000000" : "0d7FF0000000000000")
                 : (largest ? "0fBF800000" : "0f7F800000"));
        const std::string i = w_.b32_of("mov.u32", "{}", tid_);
        const std::string loop = w_.label(), end = w_.label();
        const char* const compare = largest ? "gt" : "lt";
        w_("{}:", loop);
        w_("@{} bra {}", w_.predicate_of("setp.ge.s32", "{}, {}", i, n_), end);
        const std::string v = load(at(a, i));
        w_("abs.{} {}, {}", type(), v, v);
        const std::string none = w_.predicate_of("setp.eq.u32", "{}, 2147483647", best_index);
        const std::string better = w_.predicate();
        w_("setp.{}.or.{} {}, {}, {}, {}", compare, type(), better, v, best, none);
        w_("@{} mov.{} {}, {}", better, type(), best, v);
        w_("@{} mov.u32 {}, {}", better, best_index, i);
        w_("add.u32 {}, {}, {}", i, i, k_.threads());
        w_("bra {}", loop);
        w_("{}:", end);
        const std::string tiles = w_.b32_of("mov.u32", "{}", "tiles");
        const unsigned size = wide_ ? 8 : 4, indices = k_.threads() * size;
        const std::string mine = w_.b32_of("mad.lo.u32", "{}, {}, {}", tid_, size, tiles);
        const std::string my_index = w_.b32_of("mad.lo.u32", "{}, 4, {}", tid_, tiles);
        w_("st.shared.{} [{}], {}", type(), mine, best);
        w_("st.shared.u32 [{}+{}], {}", my_index, indices, best_index);
        for (unsigned half = k_.threads() / 2; half > 0; half /= 2) {
            w_("bar.sync 0");
            const std::string skip = w_.label(), other = value(), other_index = w_.b32();
            w_("@{} bra {}", w_.predicate_of("setp.ge.u32", "{}, {}", tid_, half), skip);
            w_("ld.shared.{} {}, [{}+{}]", type(), other, mine, half * size);
            w_("ld.shared.u32 {}, [{}+{}]", other_index, my_index, indices + half * 4);
            const std::string equal =
                w_.predicate_of(fmt::format("setp.eq.{}", type()), "{}, {}", other, best);
            const std::string earlier = w_.predicate();
            w_("setp.lt.and.u32 {}, {}, {}, {}", earlier, other_index, best_index, equal);
            const std::string take = w_.predicate();
            w_("setp.{}.or.{} {}, {}, {}, {}", compare, type(), take, other, best, earlier);
            w_("@{} mov.{} {}, {}", take, type(), best, other);
            w_("@{} mov.u32 {}, {}", take, best_index, other_index);
            w_("st.shared.{} [{}], {}", type(), mine, best);
            w_("st.shared.u32 [{}+{}], {}", my_index, indices, best_index);
            w_("{}:", skip);
        }
        w_("@{} ret", w_.predicate_of("setp.ne.u32", "{}, 0", tid_));
        const std::string from_one = w_.b32_of("add.u32", "{}, 1", best_index);
        w_("st.global.u32 [{}], {}", w_.parameter_b64(offsetof(vector_arguments, result)),
           from_one);
    }

    /// y = alpha sum + beta y
    void finish_gemv(const std::string& to, const std::string& sum) {
        const std::string b = beta(), v = value();
        w_("mul.{} {}, {}, {}", type(), v, sum, alpha());
        const std::string skip = w_.label();
        w_("@{} bra {}", w_.predicate_of(fmt::format("setp.eq.{}", type()), "{}, {}", b, zero()),
           skip);
        w_("{} {}, {}, {}, {}", fma(), v, load(to), b, v);
        w_("{}:", skip);
        store(to, v);
    }

    /// A thread per row, which follows the columns; a warp reads 32 consecutive elements of a
    /// column.
    void gemv_rows() {
        return_from(index_, m_);
        const array a = x(), vector = y(n_), to = z(m_);
        const std::string sum = value();
        w_("mov.{} {}, {}", type(), sum, zero());
        const std::string in_a = w_.b64_of("mad.wide.u32", "{}, {}, {}", index_, bytes_, a.base);
        const std::string in_x = w_.b64_of("mov.b64", "{}", vector.base);
        const std::string j = w_.b32_of("mov.u32", "{}", 0), loop = w_.label(), end = w_.label();
        w_("{}:", loop);
        w_("@{} bra {}", w_.predicate_of("setp.ge.s32", "{}, {}", j, n_), end);
        w_("{} {}, {}, {}, {}", fma(), sum, load(in_a), load(in_x), sum);
        w_("add.s64 {}, {}, {}", in_a, in_a, a.step);
        w_("add.s64 {}, {}, {}", in_x, in_x, vector.step);
        w_("add.u32 {}, {}, 1", j, j);
        w_("bra {}", loop);
        w_("{}:", end);
        finish_gemv(at(to, index_), sum);
    }

    /// A warp per column.
    void gemv_columns() {
        const std::string column = w_.b32_of("shr.u32", "{}, 5", index_);
        const std::string lane = w_.b32_of("and.b32", "{}, 31", tid_);
        return_from(column, n_);
        const array a = x(), vector = y(m_), to = z(n_);
        const std::string sum = value();
        w_("mov.{} {}, {}", type(), sum, zero());
        const std::string i = w_.b32_of("mov.u32", "{}", lane), loop = w_.label(), end = w_.label();
        const std::string base = at(a, column);
        w_("{}:", loop);
        w_("@{} bra {}", w_.predicate_of("setp.ge.s32", "{}, {}", i, m_), end);
        const std::string in_a = w_.b64_of("mad.wide.u32", "{}, {}, {}", i, bytes_, base);
        w_("{} {}, {}, {}, {}", fma(), sum, load(in_a), load(at(vector, i)), sum);
        w_("add.u32 {}, {}, {}", i, i, warp_threads);
        w_("bra {}", loop);
        w_("{}:", end);
        for (unsigned distance = warp_threads / 2; distance > 0; distance /= 2) {
            const std::string other = value();
            if (wide_) {
                const std::string low = w_.b32(), high = w_.b32(), low2 = w_.b32(),
                                  high2 = w_.b32();
                w_("mov.b64 {{{}, {}}}, {}", low, high, sum);
                w_("shfl.sync.bfly.b32 {}, {}, {}, 31, 0xffffffff", low2, low, distance);
                w_("shfl.sync.bfly.b32 {}, {}, {}, 31, 0xffffffff", high2, high, distance);
                w_("mov.b64 {}, {{{}, {}}}", other, low2, high2);
            } else {
                w_("shfl.sync.bfly.b32 {}, {}, {}, 31, 0xffffffff", other, sum, distance);
            }
            w_("add.{} {}, {}, {}", type(), sum, sum, other);
        }
        w_("@{} ret", w_.predicate_of("setp.ne.u32", "{}, 0", lane));
        finish_gemv(at(to, column), sum);
    }

    std::string flag(const std::string& flags, std::int32_t which) {
        return w_.predicate_of("setp.ne.u32", "{}, 0",
                               w_.b32_of("and.b32", "{}, {}", flags, which));
    }

    /// A thread per element of C.
    void geam() {
        const std::string row = w_.b32_of("rem.u32", "{}, {}", index_, m_),
                          column = w_.b32_of("div.u32", "{}, {}", index_, m_);
        return_from(column, n_);
        const std::string flags = w_.parameter_b32(offsetof(vector_arguments, flags));
        const array a = x(), b = y(), c = z();
        const std::string sum = value();
        w_("mov.{} {}, {}", type(), sum, zero());
        const auto add = [&](const array& from, std::int32_t transposed,
                             const std::string& factor) {
            const std::string skip = w_.label(), p = flag(flags, transposed);
            w_("@{} bra {}",
               w_.predicate_of(fmt::format("setp.eq.{}", type()), "{}, {}", factor, zero()), skip);
            const std::string i = w_.b32_of("selp.b32", "{}, {}, {}", column, row, p);
            const std::string j = w_.b32_of("selp.b32", "{}, {}, {}", row, column, p);
            w_("{} {}, {}, {}, {}", fma(), sum, load(at(from, i, j)), factor, sum);
            w_("{}:", skip);
        };
        add(a, flag_transpose_a, alpha());
        add(b, flag_transpose_b, beta());
        store(at(c, row, column), sum);
    }

    /// A thread per right-hand side: a column of B, or a row if A is on the right. Unknown i is
    /// B[i] - sum of A[i][j] X[j] over the unknowns j that are known, divided by A[i][i]. X (m x n)
    /// replaces B.
    void trsm() {
        const std::string flags = w_.parameter_b32(offsetof(vector_arguments, flags));
        const std::string right = flag(flags, flag_right), upper = flag(flags, flag_upper),
                          transposed = flag(flags, flag_transpose_a),
                          unit = flag(flags, flag_unit_diagonal);
        const std::string unknowns = w_.b32_of("selp.b32", "{}, {}, {}", n_, m_, right);
        const std::string sides = w_.b32_of("selp.b32", "{}, {}, {}", m_, n_, right);
        return_from(index_, sides);
        array a = x(), b = y();
        const std::string arrays = w_.predicate_of(
            "setp.ne.s32", "{}, 0", w_.parameter_b32(offsetof(vector_arguments, pointer_arrays)));
        for (auto [matrix, offset] : {std::pair{&a, offsetof(vector_arguments, x)},
                                      std::pair{&b, offsetof(vector_arguments, y)}}) {
            const std::string entry =
                w_.b64_of("mad.wide.u32", "{}, 8, {}", batch_, w_.parameter_b64(offset));
            w_("@{} ld.global.b64 {}, [{}]", arrays, matrix->base, entry);
        }
        // A row of op(A), or a column if A is on the right: distances between elements of A.
        const std::string size = w_.b64_of("mov.b64", "{}", bytes_);
        const std::string swapped = w_.predicate();
        w_("xor.pred {}, {}, {}", swapped, right, transposed);
        const std::string step_i = w_.b64_of("selp.b64", "{}, {}, {}", a.step, size, swapped);
        const std::string step_j = w_.b64_of("selp.b64", "{}, {}, {}", size, a.step, swapped);
        const std::string b_side = w_.b64_of("selp.b64", "{}, {}, {}", size, b.step, right);
        const std::string b_step = w_.b64_of("selp.b64", "{}, {}, {}", b.step, size, right);
        const std::string mine = w_.b64_of("mad.lo.s64", "{}, {}, {}",
                                           w_.b64_of("cvt.s64.s32", "{}", index_), b_side, b.base);
        // The first unknown is the last one if the matrix of the rows is upper triangular.
        const std::string backward = w_.predicate();
        w_("xor.pred {}, {}, {}", backward, upper, swapped);
        const std::string last = w_.b32_of("sub.s32", "{}, 1", unknowns);
        const std::string factor = alpha();
        const std::string count = w_.b32_of("mov.u32", "{}", 0), outer = w_.label(),
                          end = w_.label();
        w_("{}:", outer);
        w_("@{} bra {}", w_.predicate_of("setp.ge.s32", "{}, {}", count, unknowns), end);
        const auto unknown = [&](const std::string& nth) {
            return w_.b64_of("cvt.s64.s32", "{}",
                             w_.b32_of("selp.b32", "{}, {}, {}",
                                       w_.b32_of("sub.s32", "{}, {}", last, nth), nth, backward));
        };
        const std::string i = unknown(count);
        const std::string in_b = w_.b64_of("mad.lo.s64", "{}, {}, {}", i, b_step, mine);
        const std::string row = w_.b64_of("mad.lo.s64", "{}, {}, {}", i, step_i, a.base);
        const std::string v = load(in_b);
        w_("mul.{} {}, {}, {}", type(), v, v, factor);
        const std::string known = w_.b32_of("mov.u32", "{}", 0), inner = w_.label(),
                          inner_end = w_.label();
        w_("{}:", inner);
        w_("@{} bra {}", w_.predicate_of("setp.ge.s32", "{}, {}", known, count), inner_end);
        const std::string j = unknown(known);
        const std::string element_of_a =
            load(w_.b64_of("mad.lo.s64", "{}, {}, {}", j, step_j, row));
        w_("neg.{} {}, {}", type(), element_of_a, element_of_a);
        w_("{} {}, {}, {}, {}", fma(), v, element_of_a,
           load(w_.b64_of("mad.lo.s64", "{}, {}, {}", j, b_step, mine)), v);
        w_("add.u32 {}, {}, 1", known, known);
        w_("bra {}", inner);
        w_("{}:", inner_end);
        const std::string no_division = w_.label();
        w_("@{} bra {}", unit, no_division);
        w_("div.rn.{} {}, {}, {}", type(), v, v,
           load(w_.b64_of("mad.lo.s64", "{}, {}, {}", i, step_j, row)));
        w_("{}:", no_division);
        store(in_b, v);
        w_("add.u32 {}, {}, 1", count, count);
        w_("bra {}", outer);
        w_("{}:", end);
    }

    const vector_kernel& k_;
    ptx_writer w_;
    bool wide_;
    unsigned bytes_;
    std::string tid_, block_, batch_, index_, m_, n_;
};

}  // namespace

std::string vector_kernel::name() const {
    constexpr const char* names[] = {"axpy",  "scal",  "copy",   "swap",   "dot",  "nrm2", "asum",
                                     "iamax", "iamin", "gemv_n", "gemv_t", "geam", "trsm", "sums"};
    return fmt::format("simtlm_blas_{}_{}", names[static_cast<unsigned>(operation)], name_of(type));
}

unsigned vector_kernel::threads() const {
    switch (operation) {
        case vector_operation::dot:
        case vector_operation::nrm2:
        case vector_operation::asum:
        case vector_operation::iamax:
        case vector_operation::iamin:
            return reduction_threads;
        case vector_operation::trsm:
            return solver_threads;
        default:
            return block_threads;
    }
}

std::uint64_t vector_kernel::blocks(const vector_arguments& a) const {
    const auto up = [](std::uint64_t x, std::uint64_t by) { return (x + by - 1) / by; };
    const auto m = static_cast<std::uint64_t>(a.m), n = static_cast<std::uint64_t>(a.n);
    switch (operation) {
        case vector_operation::dot:
        case vector_operation::nrm2:
        case vector_operation::asum:
        case vector_operation::iamax:
        case vector_operation::iamin:
            return 1;
        case vector_operation::gemv_n:
            return up(m, threads());
        case vector_operation::gemv_t:
            return up(n * warp_threads, threads());
        case vector_operation::geam:
            return up(m * n, threads());
        case vector_operation::trsm:
            return up((a.flags & flag_right) != 0 ? m : n, threads());
        case vector_operation::column_sums:
            return n;
        default:
            return up(n, threads());
    }
}

std::string vector_kernel::ptx(unsigned capability) const {
    return vector_writer(*this, capability).text();
}

}  // namespace simtlm::blas
