// SPDX-License-Identifier: Apache-2.0
// Generates the kernels of matrix products. A kernel computes the transpose of a tile of D, whose
// rows are the columns n of D and whose columns are the rows m: stored by columns, D has
// consecutive m, and so have the accumulators of a thread. The left operand ("rows") is thus op(B),
// the right one
// ("columns") op(A). Operands pass through shared memory, in stages; an operand whose k is
// contiguous is stored as [n or m][k], another one as [k][n or m].
#include "runtimes/blas/gemm_kernel.h"

#include "runtimes/blas/ptx_writer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace simtlm::blas {

unsigned bytes_of(element e) {
    switch (e) {
        case element::s8:
            return 1;
        case element::f16:
        case element::bf16:
            return 2;
        case element::f64:
            return 8;
        default:
            return 4;
    }
}

const char* name_of(element e) {
    constexpr const char* names[] = {"f16", "bf16", "f32", "f64", "s8", "s32"};
    return names[static_cast<unsigned>(e)];
}

namespace {

constexpr unsigned chunk_bytes = 16;
using registers = std::vector<std::string>;

bool is_tensor(arithmetic unit) {
    return unit == arithmetic::half_tensor || unit == arithmetic::tf32_tensor ||
           unit == arithmetic::f64_tensor;
}

unsigned stages_of(const gemm_kernel& k) {
    return k.capability >= 80 && k.aligned ? 3 : 2;
}

/// Bytes between two rows of an operand in shared memory. The padding spreads the lanes of a
/// fragment over the banks.
unsigned pitch_of(const gemm_kernel& k, bool contiguous_k) {
    const unsigned bytes = bytes_of(k.a);
    if (!is_tensor(k.unit)) {
        const unsigned sum_bytes = k.unit == arithmetic::f64 ? 8 : 4;
        return k.tile() * sum_bytes + chunk_bytes;
    }
    if (contiguous_k) return k.tile_k() * bytes + chunk_bytes * (bytes == 8 ? 2 : 1);
    return k.tile() * bytes + chunk_bytes * (bytes == 2 ? 1 : 2);
}

/// Bytes of an operand's part of a stage.
unsigned part_of(const gemm_kernel& k, bool contiguous_k) {
    return pitch_of(k, contiguous_k) * (contiguous_k && is_tensor(k.unit) ? k.tile() : k.tile_k());
}

constexpr unsigned scratch_pitch = 24;                      ///< f32 words between rows of 16
constexpr unsigned scratch_bytes = 16 * scratch_pitch * 4;  ///< of a warp, for one fragment

class gemm_writer {
public:
    gemm_writer(const gemm_kernel& kernel, std::string name, unsigned threads)
        : k_(kernel),
          w_(std::move(name), kernel.capability, threads, sizeof(gemm_arguments)),
          tile_(kernel.tile()),
          tile_k_(kernel.tile_k()),
          threads_(threads) {}

    std::string product() {
        begin();
        coordinates();
        for (operand* o : {&rows_, &columns_}) o->element_bytes = bytes_of(o->type);
        if (is_tensor(k_.unit))
            tensor();
        else
            simt();
        return w_.text();
    }

    /// The kernel that adds the parts of a split product.
    std::string reduction() {
        begin();
        batch_ = w_.b32_of("mov.u32", "%ctaid.z");
        const std::string block = w_.b32_of("mov.u32", "%ctaid.x");
        const std::string id = w_.b32_of("mad.lo.u32", "{}, 256, {}", block, tid_);
        std::string pairs = w_.b32_of("add.u32", "{}, 1", m_);
        pairs = w_.b32_of("shr.u32", "{}, 1", pairs);
        const std::string n = w_.b32_of("div.u32", "{}, {}", id, pairs);
        std::string m = w_.b32_of("rem.u32", "{}, {}", id, pairs);
        m = w_.b32_of("shl.b32", "{}, 1", m);
        const std::string outside = w_.predicate_of("setp.ge.s32", "{}, {}", n, n_);
        w_("@{} ret", outside);
        const std::string second = second_valid(m);
        std::string at = w_.b64_of("mul.wide.u32", "{}, {}",
                                   w_.b32_of("mad.lo.u32", "{}, {}, {}", batch_, n_, n), m_);
        at = w_.b64_of("add.u64", "{}, {}", at, w_.b64_of("cvt.u64.u32", "{}", m));
        at = w_.b64_of("shl.b64", "{}, 2", at);
        at =
            w_.b64_of("add.u64", "{}, {}", at, w_.parameter_b64(offsetof(gemm_arguments, partial)));
        std::string step = w_.b64_of("mul.wide.u32", "{}, {}",
                                     w_.b32_of("mul.lo.u32", "{}, {}", n_,
                                               w_.parameter_b32(offsetof(gemm_arguments, batches))),
                                     m_);
        step = w_.b64_of("shl.b64", "{}, 2", step);
        const std::string sum0 = w_.f32(), sum1 = w_.f32(), part = w_.f32(), count = w_.b32();
        w_("mov.f32 {}, 0f00000000", sum0);
        w_("mov.f32 {}, 0f00000000", sum1);
        w_("mov.u32 {}, {}", count, w_.parameter_b32(offsetof(gemm_arguments, splits)));
        const std::string loop = w_.label();
        w_("{}:", loop);
        w_("ld.global.f32 {}, [{}]", part, at);
        w_("add.f32 {}, {}, {}", sum0, sum0, part);
        w_("@{} ld.global.f32 {}, [{}+4]", second, part, at);
        w_("@{} add.f32 {}, {}, {}", second, sum1, sum1, part);
        w_("add.u64 {}, {}, {}", at, at, step);
        w_("sub.u32 {}, {}, 1", count, count);
        w_("@{} bra {}", w_.predicate_of("setp.ne.u32", "{}, 0", count), loop);
        prepare_finish();
        finish(n, m, {sum0, sum1});
        return w_.text();
    }

private:
    /// A matrix on its way to the products.
    struct operand {
        element type = element::f32;
        bool contiguous_k = false;
        unsigned element_bytes = 4;
        std::string base, ld;            ///< address of the matrix, bytes of a column
        std::string origin, limit;       ///< first index of the tile in n or m, and their number
        unsigned shared = 0, pitch = 0;  ///< bytes: offset in a stage, distance of two rows there
        // The copy of a thread: chunks in rows `row`, `row + row_step`, ...
        unsigned chunks = 0, row_step = 0, chunk_elements = 0;
        std::string from, step, advance, left, inner, to;
        registers valid;
        std::vector<registers> loaded;
        std::string lane;  ///< shared memory address of the lane's part of fragments, in stage 0
    };

    /// Thread, extents of the problem.
    void begin() {
        tid_ = w_.b32_of("mov.u32", "%tid.x");
        m_ = w_.parameter_b32(offsetof(gemm_arguments, m));
        n_ = w_.parameter_b32(offsetof(gemm_arguments, n));
    }

    /// Tile, batch, split, operands.
    void coordinates() {
        rows_.type = k_.b;
        columns_.type = k_.a;
        rows_.contiguous_k = !k_.transpose_b;
        columns_.contiguous_k = k_.transpose_a;
        columns_.limit = m_;
        rows_.limit = n_;
        const auto origin = [&](const char* id) {
            return w_.b32_of("mul.lo.u32", "{}, {}", w_.b32_of("mov.u32", "{}", id), tile_);
        };
        columns_.origin = origin("%ctaid.x");
        rows_.origin = origin("%ctaid.y");
        const std::string z = w_.b32_of("mov.u32", "%ctaid.z");
        const std::string k = w_.parameter_b32(offsetof(gemm_arguments, k));
        if (k_.split) {
            const std::string splits = w_.parameter_b32(offsetof(gemm_arguments, splits));
            const std::string extent = w_.parameter_b32(offsetof(gemm_arguments, k_split));
            batch_ = w_.b32_of("div.u32", "{}, {}", z, splits);
            split_ = w_.b32_of("rem.u32", "{}, {}", z, splits);
            k_begin_ = w_.b32_of("mul.lo.u32", "{}, {}", split_, extent);
            k_end_ =
                w_.b32_of("min.s32", "{}, {}", w_.b32_of("add.u32", "{}, {}", k_begin_, extent), k);
        } else {
            batch_ = z;
            k_begin_ = w_.b32_of("mov.u32", "{}", 0);
            k_end_ = k;
        }
        columns_.base = matrix(offsetof(gemm_arguments, a), offsetof(gemm_arguments, stride_a));
        rows_.base = matrix(offsetof(gemm_arguments, b), offsetof(gemm_arguments, stride_b));
        columns_.ld = leading(offsetof(gemm_arguments, lda), k_.a);
        rows_.ld = leading(offsetof(gemm_arguments, ldb), k_.b);
    }

    /// Address of this batch's matrix.
    std::string matrix(std::size_t address, std::size_t stride) {
        const std::string to = w_.b64();
        const std::string given = w_.parameter_b64(address);
        if (arrays_.empty())
            arrays_ = w_.predicate_of("setp.ne.s32", "{}, 0",
                                      w_.parameter_b32(offsetof(gemm_arguments, pointer_arrays)));
        const std::string batch = w_.b64_of("cvt.u64.u32", "{}", batch_);
        w_("mad.lo.u64 {}, {}, {}, {}", to, batch, w_.parameter_b64(stride), given);
        const std::string entry = w_.b64_of("mad.lo.u64", "{}, 8, {}", batch, given);
        w_("@{} ld.global.b64 {}, [{}]", arrays_, to, entry);
        return to;
    }
    /// Bytes of a column.
    std::string leading(std::size_t offset, element e) {
        return w_.b64_of("mul.lo.u64", "{}, {}", w_.parameter_b64(offset), bytes_of(e));
    }
    /// An address: base + row * ld + bytes.
    std::string address(const std::string& base, const std::string& row, const std::string& ld,
                        const std::string& column, unsigned element_bytes) {
        const std::string r = w_.b64_of("cvt.u64.u32", "{}", row);
        const std::string at = w_.b64_of("mad.lo.u64", "{}, {}, {}", r, ld, base);
        return w_.b64_of("add.u64", "{}, {}", at,
                         w_.b64_of("mul.wide.u32", "{}, {}", column, element_bytes));
    }

    // ---- tensor cores ----

    unsigned stages() const { return stages_of(k_); }
    bool asynchronous() const { return k_.capability >= 80 && k_.aligned; }
    bool warp_matrices() const { return k_.capability < 80; }  ///< wmma instead of mma

    void tensor() {
        for (operand* o : {&rows_, &columns_}) o->pitch = pitch_of(k_, o->contiguous_k);
        columns_.shared = part_of(k_, rows_.contiguous_k);
        stage_bytes_ = columns_.shared + part_of(k_, columns_.contiguous_k);
        const std::string tiles = w_.b32_of("mov.u32", "{}", "tiles");
        for (operand* o : {&rows_, &columns_}) prepare_copy(*o, tiles);

        const std::string lane = w_.b32_of("and.b32", "{}, 31", tid_);
        const std::string warp = w_.b32_of("shr.u32", "{}, 5", tid_);
        // Warps of a large tile compute 64 (n) x 32 (m), of a small one 32 x 32.
        warp_n_ = k_.large ? 64 : 32;
        warp_m_ = 32;
        const unsigned across = tile_ / warp_m_;
        const std::string in_m = w_.b32_of("mul.lo.u32", "{}, {}",
                                           w_.b32_of("rem.u32", "{}, {}", warp, across), warp_m_);
        const std::string in_n = w_.b32_of("mul.lo.u32", "{}, {}",
                                           w_.b32_of("div.u32", "{}, {}", warp, across), warp_n_);
        prepare_fragments(lane, in_n, in_m, tiles);

        const unsigned count = accumulators();
        for (unsigned i = 0; i < count; ++i) {
            sums_.push_back(k_.unit == arithmetic::f64_tensor ? w_.f64() : w_.f32());
            if (k_.unit == arithmetic::f64_tensor)
                w_("mov.f64 {}, 0d0000000000000000", sums_.back());
            else
                w_("mov.f32 {}, 0f00000000", sums_.back());
        }
        pipeline();
        prepare_finish();
        const std::string n0 = w_.b32_of("add.u32", "{}, {}", rows_.origin, in_n);
        const std::string m0 = w_.b32_of("add.u32", "{}, {}", columns_.origin, in_m);
        if (warp_matrices())
            finish_warp_matrices(warp, lane, n0, m0, tiles);
        else
            finish_fragments(lane, n0, m0);
    }

    unsigned accumulators() const { return warp_n_ * warp_m_ / 32; }

    void prepare_copy(operand& o, const std::string& tiles) {
        const unsigned bytes = o.element_bytes;
        o.chunk_elements = chunk_bytes / bytes;
        const unsigned per_row = (o.contiguous_k ? tile_k_ : tile_) / o.chunk_elements;
        const unsigned row_count = o.contiguous_k ? tile_ : tile_k_;
        o.row_step = threads_ / per_row;
        o.chunks = row_count / o.row_step;
        const std::string column =
            w_.b32_of("mul.lo.u32", "{}, {}", w_.b32_of("rem.u32", "{}, {}", tid_, per_row),
                      o.chunk_elements);
        const std::string row = w_.b32_of("div.u32", "{}, {}", tid_, per_row);
        const std::string length = w_.b32_of("sub.s32", "{}, {}", k_end_, k_begin_);
        o.step = w_.b64_of("mul.lo.u64", "{}, {}", o.ld, o.row_step);
        o.left = w_.b32();
        o.advance = w_.b64();
        if (o.contiguous_k) {
            const std::string index = w_.b32_of("add.u32", "{}, {}", o.origin, row);
            o.from = address(o.base, index, o.ld, w_.b32_of("add.u32", "{}, {}", k_begin_, column),
                             bytes);
            for (unsigned i = 0; i < o.chunks; ++i)
                o.valid.push_back(w_.predicate_of(
                    "setp.lt.s32", "{}, {}", w_.b32_of("add.u32", "{}, {}", index, i * o.row_step),
                    o.limit));
            w_("sub.s32 {}, {}, {}", o.left, length, column);
            w_("mul.lo.s32 {}, {}, {}", o.left, o.left, bytes);
            w_("mov.b64 {}, {}", o.advance, tile_k_ * bytes);
        } else {
            const std::string index = w_.b32_of("add.u32", "{}, {}", o.origin, column);
            o.from =
                address(o.base, w_.b32_of("add.u32", "{}, {}", k_begin_, row), o.ld, index, bytes);
            o.inner = clamped(w_.b32_of("mul.lo.s32", "{}, {}",
                                        w_.b32_of("sub.s32", "{}, {}", o.limit, index), bytes));
            w_("sub.s32 {}, {}, {}", o.left, length, row);
            w_("mul.lo.u64 {}, {}, {}", o.advance, o.ld, tile_k_);
        }
        o.to = w_.b32_of("mad.lo.u32", "{}, {}, {}", row, o.pitch, tiles);
        o.to = w_.b32_of("mad.lo.u32", "{}, {}, {}", column, bytes, o.to);
        o.to = w_.b32_of("add.u32", "{}, {}", o.to, o.shared);
        if (!asynchronous())
            for (unsigned i = 0; i < o.chunks; ++i)
                o.loaded.push_back({w_.b32(), w_.b32(), w_.b32(), w_.b32()});
    }

    /// A number of bytes, limited to those of a chunk.
    std::string clamped(const std::string& bytes) {
        return w_.b32_of("min.s32", "{}, {}", w_.b32_of("max.s32", "{}, 0", bytes), chunk_bytes);
    }

    /// Loads a thread's chunks of the next tile: into the stage at `stage`, or into registers.
    void load(operand& o, const std::string& stage) {
        const std::string to = asynchronous() ? w_.b32_of("add.u32", "{}, {}", o.to, stage) : "";
        const std::string inner = o.contiguous_k ? clamped(o.left) : o.inner;
        std::string from = o.from;
        for (unsigned i = 0; i < o.chunks; ++i) {
            const std::string valid =
                o.contiguous_k ? o.valid[i]
                               : w_.predicate_of("setp.gt.s32", "{}, {}", o.left, i * o.row_step);
            const std::string bytes = w_.b32_of("selp.b32", "{}, 0, {}", inner, valid);
            if (asynchronous()) {
                const std::string any = w_.predicate_of("setp.ne.s32", "{}, 0", bytes);
                const std::string at = w_.b64_of("selp.b64", "{}, {}, {}", from, o.base, any);
                w_("cp.async.cg.shared.global [{}+{}], [{}], 16, {}", to, i * o.row_step * o.pitch,
                   at, bytes);
            } else {
                load_chunk(o, o.loaded[i], from, bytes);
            }
            if (i + 1 < o.chunks) from = w_.b64_of("add.u64", "{}, {}", from, o.step);
        }
        w_("add.u64 {}, {}, {}", o.from, o.from, o.advance);
        w_("sub.s32 {}, {}, {}", o.left, o.left, tile_k_ * (o.contiguous_k ? o.element_bytes : 1));
    }

    /// Loads the first `bytes` bytes of a chunk; the others are 0.
    void load_chunk(const operand& o, const registers& to, const std::string& from,
                    const std::string& bytes) {
        const std::string done = w_.label(), part = w_.label();
        if (k_.aligned) {
            w_("@{} bra {}", w_.predicate_of("setp.ne.s32", "{}, {}", bytes, chunk_bytes), part);
            w_("ld.global.v4.b32 {{{}}}, [{}]", fmt::join(to, ", "), from);
            w_("bra {}", done);
            w_("{}:", part);
        }
        for (const std::string& r : to) w_("mov.b32 {}, 0", r);
        const auto within = [&](unsigned at) {
            return w_.predicate_of("setp.gt.s32", "{}, {}", bytes, at);
        };
        if (o.element_bytes == 2) {
            for (unsigned i = 0; i < 4; ++i) {
                const std::string low = w_.b16(), high = w_.b16();
                for (unsigned half = 0; half < 2; ++half) {
                    const std::string& h = half == 0 ? low : high;
                    w_("mov.b16 {}, 0", h);
                    w_("@{} ld.global.b16 {}, [{}+{}]", within(4 * i + 2 * half), h, from,
                       4 * i + 2 * half);
                }
                w_("mov.b32 {}, {{{}, {}}}", to[i], low, high);
            }
        } else {
            for (unsigned i = 0; i < 4; ++i)
                w_("@{} ld.global.b32 {}, [{}+{}]",
                   within(4 * i / o.element_bytes * o.element_bytes), to[i], from, 4 * i);
        }
        if (k_.aligned) w_("{}:", done);
    }

    /// Stores the loaded chunks into a stage.
    void store(operand& o, const std::string& stage) {
        const std::string to = w_.b32_of("add.u32", "{}, {}", o.to, stage);
        for (unsigned i = 0; i < o.chunks; ++i)
            w_("st.shared.v4.b32 [{}+{}], {{{}}}", to, i * o.row_step * o.pitch,
               fmt::join(o.loaded[i], ", "));
    }

    /// The loop over tiles in k: the loads of later tiles overlap the products of the present one.
    void pipeline() {
        const unsigned all = stages() * stage_bytes_;
        const std::string length = w_.b32_of("sub.s32", "{}, {}", k_end_, k_begin_);
        const std::string tiles = w_.b32_of(
            "div.s32", "{}, {}", w_.b32_of("add.s32", "{}, {}", length, tile_k_ - 1), tile_k_);
        const std::string it = w_.b32_of("mov.u32", "{}", 0), read = w_.b32_of("mov.u32", "{}", 0),
                          write = w_.b32_of("mov.u32", "{}", 0);
        const std::string end = w_.label(), loop = w_.label();
        w_("@{} bra {}", w_.predicate_of("setp.le.s32", "{}, 0", tiles), end);
        const auto next = [&](const std::string& stage) {
            w_("add.u32 {}, {}, {}", stage, stage, stage_bytes_);
            const std::string over = w_.predicate_of("setp.eq.u32", "{}, {}", stage, all);
            w_("@{} mov.u32 {}, 0", over, stage);
        };
        for (unsigned i = 0; i + 1 < stages(); ++i) {
            const std::string skip = w_.label();
            w_("@{} bra {}", w_.predicate_of("setp.le.s32", "{}, {}", tiles, i), skip);
            for (operand* o : {&rows_, &columns_}) load(*o, write);
            if (!asynchronous())
                for (operand* o : {&rows_, &columns_}) store(*o, write);
            w_("{}:", skip);
            if (asynchronous()) w_("cp.async.commit_group");
            next(write);
        }
        w_("{}:", loop);
        if (asynchronous()) w_("cp.async.wait_group {}", stages() - 2);
        w_("bar.sync 0");
        const std::string ahead = w_.b32_of("add.u32", "{}, {}", it, stages() - 1);
        const std::string more = w_.predicate_of("setp.lt.s32", "{}, {}", ahead, tiles);
        const std::string no_load = w_.label();
        w_("@!{} bra {}", more, no_load);
        for (operand* o : {&rows_, &columns_}) load(*o, write);
        w_("{}:", no_load);
        if (asynchronous()) w_("cp.async.commit_group");
        multiply(read);
        if (!asynchronous()) {
            const std::string no_store = w_.label();
            w_("@!{} bra {}", more, no_store);
            for (operand* o : {&rows_, &columns_}) store(*o, write);
            w_("{}:", no_store);
        }
        next(write);
        next(read);
        w_("add.u32 {}, {}, 1", it, it);
        w_("@{} bra {}", w_.predicate_of("setp.lt.s32", "{}, {}", it, tiles), loop);
        w_("{}:", end);
        if (asynchronous()) w_("cp.async.wait_group 0");
    }

    /// Addresses of a lane's elements in fragments.
    void prepare_fragments(const std::string& lane, const std::string& in_n,
                           const std::string& in_m, const std::string& tiles) {
        const auto at = [&](operand& o, const std::string& index, const std::string& k) {
            const std::string& major = o.contiguous_k ? index : k;
            const std::string& minor = o.contiguous_k ? k : index;
            const std::string row = w_.b32_of("mad.lo.u32", "{}, {}, {}", major, o.pitch, tiles);
            const std::string element =
                w_.b32_of("mad.lo.u32", "{}, {}, {}", minor, o.element_bytes, row);
            o.lane = w_.b32_of("add.u32", "{}, {}", element, o.shared);
        };
        if (k_.unit != arithmetic::half_tensor) {
            const std::string group = w_.b32_of("shr.u32", "{}, 2", lane);
            const std::string in_group = w_.b32_of("and.b32", "{}, 3", lane);
            at(rows_, w_.b32_of("add.u32", "{}, {}", in_n, group), in_group);
            at(columns_, w_.b32_of("add.u32", "{}, {}", in_m, group), in_group);
            return;
        }
        if (warp_matrices()) {
            const std::string zero = w_.b32_of("mov.u32", "{}", 0);
            at(rows_, in_n, zero);
            at(columns_, in_m, zero);
            return;
        }
        // ldmatrix.x4: each lane gives the address of a row of 8 elements of one of four matrices.
        const std::string in_matrix = w_.b32_of("and.b32", "{}, 7", lane);
        const std::string bit3 = w_.b32_of("and.b32", "{}, 8", lane);
        const std::string bit4 =
            w_.b32_of("shr.u32", "{}, 1", w_.b32_of("and.b32", "{}, 16", lane));
        const auto sum = [&](const std::string& x, const std::string& y) {
            return w_.b32_of("add.u32", "{}, {}", x, y);
        };
        // Of rows: (n 0-7, k 0-7), (n 8-15, k 0-7), (n 0-7, k 8-15), (n 8-15, k 8-15).
        if (rows_.contiguous_k)
            at(rows_, sum(in_n, sum(bit3, in_matrix)), bit4);
        else
            at(rows_, sum(in_n, bit3), sum(bit4, in_matrix));
        // Of columns: (m 0-7, k 0-7), (m 0-7, k 8-15), (m 8-15, k 0-7), (m 8-15, k 8-15).
        if (columns_.contiguous_k)
            at(columns_, sum(in_m, sum(bit4, in_matrix)), bit3);
        else
            at(columns_, sum(in_m, bit4), sum(bit3, in_matrix));
    }

    /// Offset of an element in an operand's part of a stage.
    static unsigned offset(const operand& o, unsigned index, unsigned k) {
        return o.contiguous_k ? index * o.pitch + k * o.element_bytes
                              : k * o.pitch + index * o.element_bytes;
    }

    /// The products of one tile.
    void multiply(const std::string& stage) {
        const std::string rows = w_.b32_of("add.u32", "{}, {}", rows_.lane, stage);
        const std::string columns = w_.b32_of("add.u32", "{}, {}", columns_.lane, stage);
        if (k_.unit == arithmetic::tf32_tensor)
            multiply_tf32(rows, columns);
        else if (k_.unit == arithmetic::f64_tensor)
            multiply_f64(rows, columns);
        else if (warp_matrices())
            multiply_warp_matrices(rows, columns);
        else
            multiply_half(rows, columns);
    }

    void multiply_half(const std::string& rows, const std::string& columns) {
        const char* const type = name_of(k_.a);
        const auto fragments = [&](const operand& o, const std::string& lane, unsigned extent,
                                   unsigned k) {
            std::vector<registers> out;
            for (unsigned i = 0; i < extent; i += 16) {
                out.push_back({w_.b32(), w_.b32(), w_.b32(), w_.b32()});
                w_("ldmatrix.sync.aligned.m8n8.x4{}.shared.b16 {{{}}}, [{}+{}]",
                   o.contiguous_k ? "" : ".trans", fmt::join(out.back(), ", "), lane,
                   offset(o, i, k));
            }
            return out;
        };
        for (unsigned k = 0; k < tile_k_; k += 16) {
            const std::vector<registers> left = fragments(rows_, rows, warp_n_, k);
            const std::vector<registers> right = fragments(columns_, columns, warp_m_, k);
            for (unsigned i = 0; i < warp_n_ / 16; ++i)
                for (unsigned j = 0; j < warp_m_ / 8; ++j) {
                    const std::string sums = sum_list(i, j, 4);
                    w_("mma.sync.aligned.m16n8k16.row.col.f32.{0}.{0}.f32 {{{1}}}, {{{2}}}, {{{3}, "
                       "{4}}}, {{{1}}}",
                       type, sums, fmt::join(left[i], ", "), right[j / 2][j % 2 * 2],
                       right[j / 2][j % 2 * 2 + 1]);
                }
        }
    }

    void multiply_tf32(const std::string& rows, const std::string& columns) {
        const auto rounded = [&](const operand& o, const std::string& lane, unsigned index,
                                 unsigned k) {
            const std::string value = w_.f32(), to = w_.b32();
            w_("ld.shared.f32 {}, [{}+{}]", value, lane, offset(o, index, k));
            w_("cvt.rna.tf32.f32 {}, {}", to, value);
            return to;
        };
        for (unsigned k = 0; k < tile_k_; k += 8) {
            std::vector<registers> left, right;
            for (unsigned i = 0; i < warp_n_; i += 16)
                left.push_back({rounded(rows_, rows, i, k), rounded(rows_, rows, i + 8, k),
                                rounded(rows_, rows, i, k + 4),
                                rounded(rows_, rows, i + 8, k + 4)});
            for (unsigned j = 0; j < warp_m_; j += 8)
                right.push_back(
                    {rounded(columns_, columns, j, k), rounded(columns_, columns, j, k + 4)});
            for (unsigned i = 0; i < left.size(); ++i)
                for (unsigned j = 0; j < right.size(); ++j)
                    w_("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {{{0}}}, {{{1}}}, "
                       "{{{2}}}, {{{0}}}",
                       sum_list(i, j, 4), fmt::join(left[i], ", "), fmt::join(right[j], ", "));
        }
    }

    void multiply_f64(const std::string& rows, const std::string& columns) {
        const auto value = [&](const operand& o, const std::string& lane, unsigned index,
                               unsigned k) {
            const std::string to = w_.f64();
            w_("ld.shared.f64 {}, [{}+{}]", to, lane, offset(o, index, k));
            return to;
        };
        for (unsigned k = 0; k < tile_k_; k += 4) {
            registers left, right;
            for (unsigned i = 0; i < warp_n_; i += 8) left.push_back(value(rows_, rows, i, k));
            for (unsigned j = 0; j < warp_m_; j += 8)
                right.push_back(value(columns_, columns, j, k));
            for (unsigned i = 0; i < left.size(); ++i)
                for (unsigned j = 0; j < right.size(); ++j)
                    w_("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {{{0}}}, {{{1}}}, {{{2}}}, "
                       "{{{0}}}",
                       sum_list(i, j, 2), left[i], right[j]);
        }
    }

    void multiply_warp_matrices(const std::string& rows, const std::string& columns) {
        const char* const row_layout = rows_.contiguous_k ? "row" : "col";
        const char* const column_layout = columns_.contiguous_k ? "col" : "row";
        const auto fragments = [&](const operand& o, char matrix, const char* layout,
                                   const std::string& at, unsigned extent, unsigned k) {
            std::vector<registers> out;
            for (unsigned i = 0; i < extent; i += 16) {
                registers r;
                for (unsigned j = 0; j < 8; ++j) r.push_back(w_.b32());
                w_("wmma.load.{}.sync.aligned.{}.m16n16k16.shared.f16 {{{}}}, [{}+{}], {}", matrix,
                   layout, fmt::join(r, ", "), at, offset(o, i, k), o.pitch / 2);
                out.push_back(std::move(r));
            }
            return out;
        };
        for (unsigned k = 0; k < tile_k_; k += 16) {
            const std::vector<registers> left = fragments(rows_, 'a', row_layout, rows, warp_n_, k);
            const std::vector<registers> right =
                fragments(columns_, 'b', column_layout, columns, warp_m_, k);
            for (unsigned i = 0; i < left.size(); ++i)
                for (unsigned j = 0; j < right.size(); ++j)
                    w_("wmma.mma.sync.aligned.{0}.{1}.m16n16k16.f32.f32 {{{2}}}, {{{3}}}, {{{4}}}, "
                       "{{{2}}}",
                       row_layout, column_layout, sum_list(i, j, 8), fmt::join(left[i], ", "),
                       fmt::join(right[j], ", "));
        }
    }

    /// The accumulators of fragment (i, j), `size` registers each.
    unsigned first_sum(unsigned i, unsigned j, unsigned size) const {
        const unsigned extent_m = size == 8 ? 16 : 8;
        return (i * (warp_m_ / extent_m) + j) * size;
    }
    std::string sum_list(unsigned i, unsigned j, unsigned size) const {
        const auto from = sums_.begin() + first_sum(i, j, size);
        return fmt::format("{}", fmt::join(from, from + size, ", "));
    }

    void finish_fragments(const std::string& lane, const std::string& n0, const std::string& m0) {
        const std::string in_group = w_.b32_of("and.b32", "{}, 3", lane);
        const std::string n =
            w_.b32_of("add.u32", "{}, {}", n0, w_.b32_of("shr.u32", "{}, 2", lane));
        const std::string m = w_.b32_of("mad.lo.u32", "{}, 2, {}", in_group, m0);
        const bool wide = k_.unit == arithmetic::f64_tensor;
        const unsigned size = wide ? 2 : 4, extent = wide ? 8 : 16;
        for (unsigned i = 0; i < warp_n_ / extent; ++i)
            for (unsigned half = 0; half < size / 2; ++half) {
                const std::string row = w_.b32_of("add.u32", "{}, {}", n, i * extent + half * 8);
                for (unsigned j = 0; j < warp_m_ / 8; ++j) {
                    const unsigned first = first_sum(i, j, size) + 2 * half;
                    finish(row, w_.b32_of("add.u32", "{}, {}", m, j * 8),
                           {sums_[first], sums_[first + 1]});
                }
            }
    }

    /// The layout of accumulators is that of the architecture: they pass through shared memory.
    void finish_warp_matrices(const std::string& warp, const std::string& lane,
                              const std::string& n0, const std::string& m0,
                              const std::string& tiles) {
        w_("bar.sync 0");
        const std::string scratch =
            w_.b32_of("mad.lo.u32", "{}, {}, {}", warp, scratch_bytes, tiles);
        const std::string column =
            w_.b32_of("shl.b32", "{}, 1", w_.b32_of("and.b32", "{}, 7", lane));
        const std::string row = w_.b32_of("shr.u32", "{}, 3", lane);
        std::string at = w_.b32_of("mad.lo.u32", "{}, {}, {}", row, scratch_pitch * 4, scratch);
        at = w_.b32_of("mad.lo.u32", "{}, 4, {}", column, at);
        const std::string n = w_.b32_of("add.u32", "{}, {}", n0, row);
        const std::string m = w_.b32_of("add.u32", "{}, {}", m0, column);
        for (unsigned i = 0; i < warp_n_ / 16; ++i)
            for (unsigned j = 0; j < warp_m_ / 16; ++j) {
                w_("bar.warp.sync 0xffffffff");
                w_("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [{}], {{{}}}, {}", scratch,
                   sum_list(i, j, 8), scratch_pitch);
                w_("bar.warp.sync 0xffffffff");
                const std::string column_of = w_.b32_of("add.u32", "{}, {}", m, j * 16);
                for (unsigned q = 0; q < 4; ++q) {
                    const std::string v0 = w_.f32(), v1 = w_.f32();
                    w_("ld.shared.v2.f32 {{{}, {}}}, [{}+{}]", v0, v1, at,
                       q * 4 * scratch_pitch * 4);
                    finish(w_.b32_of("add.u32", "{}, {}", n, i * 16 + q * 4), column_of, {v0, v1});
                }
            }
    }

    // ---- multiply-adds ----

    char kind() const {
        return k_.unit == arithmetic::f64 || k_.unit == arithmetic::f64_tensor ? 'd'
               : k_.unit == arithmetic::s32                                    ? 'i'
                                                                               : 'f';
    }
    const char* sum_type() const { return kind() == 'd' ? "f64" : kind() == 'i' ? "s32" : "f32"; }
    std::string sum_register() {
        return kind() == 'd' ? w_.f64() : kind() == 'i' ? w_.b32() : w_.f32();
    }
    /// Type of a move, load or store of a sum.
    const char* word_type() const { return kind() == 'i' ? "b32" : sum_type(); }
    void clear(const std::string& r) {
        w_("mov.{} {}, {}", word_type(), r,
           kind() == 'd'   ? "0d0000000000000000"
           : kind() == 'i' ? "0"
                           : "0f00000000");
    }

    // Instructions by type of the sums.
    std::string operation(const char* integer, const char* real) const {
        return kind() == 'i' ? std::string(integer) : fmt::format("{}.{}", real, sum_type());
    }
    std::string multiply_add() const { return operation("mad.lo.s32", "fma.rn"); }

    unsigned sum_bytes() const { return kind() == 'd' ? 8 : 4; }
    unsigned per_thread() const { return tile_ / 16; }  ///< rows and columns of a thread's sums
    unsigned vector() const { return chunk_bytes / sum_bytes(); }  ///< adjacent ones of them

    /// 256 threads compute (tile / 16) x (tile / 16) elements each, of operands converted to the
    /// type of the sums and stored as [k][n] and [k][m].
    void simt() {
        const std::string tiles = w_.b32_of("mov.u32", "{}", "tiles");
        const std::string length = w_.b32_of("sub.s32", "{}, {}", k_end_, k_begin_);
        columns_.shared = part_of(k_, false);
        for (operand* o : {&rows_, &columns_}) prepare_elements(*o, tiles, length);
        const std::string tx = w_.b32_of("and.b32", "{}, 15", tid_),
                          ty = w_.b32_of("shr.u32", "{}, 4", tid_);
        rows_.lane = w_.b32_of("mad.lo.u32", "{}, {}, {}", ty, chunk_bytes, tiles);
        columns_.lane = w_.b32_of("mad.lo.u32", "{}, {}, {}", tx, chunk_bytes, tiles);
        for (unsigned i = 0; i < per_thread() * per_thread(); ++i) {
            sums_.push_back(sum_register());
            clear(sums_.back());
        }
        double_buffer(length);
        prepare_finish();
        finish_elements(tx, ty);
    }

    /// The part of a thread in the copy of a tile: consecutive threads load consecutive elements.
    void prepare_elements(operand& o, const std::string& tiles, const std::string& length) {
        const unsigned inner = o.contiguous_k ? tile_k_ : tile_;
        const std::string low = w_.b32_of("rem.u32", "{}, {}", tid_, inner);
        const std::string high = w_.b32_of("div.u32", "{}, {}", tid_, inner);
        o.row_step = threads_ / inner;
        o.chunks = tile_ * tile_k_ / threads_;
        o.pitch = pitch_of(k_, false);
        const std::string &k = o.contiguous_k ? low : high, &index = o.contiguous_k ? high : low;
        const std::string global = w_.b32_of("add.u32", "{}, {}", o.origin, index);
        const std::string in_k = w_.b32_of("add.u32", "{}, {}", k_begin_, k);
        o.from = o.contiguous_k ? address(o.base, global, o.ld, in_k, o.element_bytes)
                                : address(o.base, in_k, o.ld, global, o.element_bytes);
        o.step = w_.b64_of("mul.lo.u64", "{}, {}", o.ld, o.row_step);
        o.advance = o.contiguous_k ? w_.b64_of("mov.b64", "{}", tile_k_ * o.element_bytes)
                                   : w_.b64_of("mul.lo.u64", "{}, {}", o.ld, tile_k_);
        o.left = w_.b32_of("sub.s32", "{}, {}", length, k);
        for (unsigned i = 0; i < o.chunks; ++i) {
            o.valid.push_back(w_.predicate_of(
                "setp.lt.s32", "{}, {}",
                w_.b32_of("add.u32", "{}, {}", global, o.contiguous_k ? i * o.row_step : 0),
                o.limit));
            o.loaded.push_back({sum_register()});
        }
        o.to = w_.b32_of("mad.lo.u32", "{}, {}, {}", k, o.pitch, tiles);
        o.to = w_.b32_of("mad.lo.u32", "{}, {}, {}", index, sum_bytes(), o.to);
        o.to = w_.b32_of("add.u32", "{}, {}", o.to, o.shared);
    }

    void load_elements(operand& o) {
        std::string from = o.from;
        for (unsigned i = 0; i < o.chunks; ++i) {
            const std::string& to = o.loaded[i].front();
            clear(to);
            const std::string in_k = w_.predicate_of("setp.gt.s32", "{}, {}", o.left,
                                                     o.contiguous_k ? 0 : i * o.row_step);
            const std::string p = w_.predicate_of("and.pred", "{}, {}", in_k, o.valid[i]);
            load_element(to, o.type, from, 0, p);
            if (i + 1 < o.chunks) from = w_.b64_of("add.u64", "{}, {}", from, o.step);
        }
        w_("add.u64 {}, {}, {}", o.from, o.from, o.advance);
        w_("sub.s32 {}, {}, {}", o.left, o.left, tile_k_);
    }

    void store_elements(const operand& o, const std::string& stage) {
        const std::string to = w_.b32_of("add.u32", "{}, {}", o.to, stage);
        for (unsigned i = 0; i < o.chunks; ++i)
            w_("st.shared.{} [{}+{}], {}", word_type(), to,
               i * o.row_step * (o.contiguous_k ? sum_bytes() : o.pitch), o.loaded[i].front());
    }

    /// The loop over tiles in k: the loads of the next tile overlap the products of the present
    /// one.
    void double_buffer(const std::string& length) {
        const std::string count = w_.b32_of(
            "div.s32", "{}, {}", w_.b32_of("add.s32", "{}, {}", length, tile_k_ - 1), tile_k_);
        const std::string read = w_.b32_of("mov.u32", "{}", 0), it = w_.b32_of("mov.u32", "{}", 0);
        const std::string end = w_.label(), loop = w_.label();
        w_("@{} bra {}", w_.predicate_of("setp.le.s32", "{}, 0", count), end);
        for (operand* o : {&rows_, &columns_}) load_elements(*o);
        for (operand* o : {&rows_, &columns_}) store_elements(*o, read);
        w_("{}:", loop);
        w_("bar.sync 0");
        w_("add.u32 {}, {}, 1", it, it);
        const std::string more = w_.predicate_of("setp.lt.s32", "{}, {}", it, count);
        const std::string no_load = w_.label(), no_store = w_.label();
        w_("@!{} bra {}", more, no_load);
        for (operand* o : {&rows_, &columns_}) load_elements(*o);
        w_("{}:", no_load);
        multiply_elements(read);
        w_("sub.u32 {}, {}, {}", read, 2 * columns_.shared, read);
        w_("@!{} bra {}", more, no_store);
        for (operand* o : {&rows_, &columns_}) store_elements(*o, read);
        w_("{}:", no_store);
        w_("@{} bra {}", more, loop);
        w_("{}:", end);
    }

    void multiply_elements(const std::string& stage) {
        const std::string row_stage = w_.b32_of("add.u32", "{}, {}", rows_.lane, stage);
        const std::string column_stage = w_.b32_of("add.u32", "{}, {}", columns_.lane, stage);
        const unsigned n = per_thread();
        for (unsigned k = 0; k < tile_k_; ++k) {
            registers left, right;
            for (unsigned i = 0; i < n; i += vector())
                for (registers* r : {&left, &right}) {
                    const std::size_t first = r->size();
                    for (unsigned v = 0; v < vector(); ++v) r->push_back(sum_register());
                    w_("ld.shared.v{}.{} {{{}}}, [{}+{}]", vector(), word_type(),
                       fmt::join(r->begin() + static_cast<std::ptrdiff_t>(first), r->end(), ", "),
                       r == &left ? row_stage : column_stage,
                       k * rows_.pitch + i * 16 * sum_bytes() +
                           (r == &right ? columns_.shared : 0));
                }
            for (unsigned i = 0; i < n; ++i)
                for (unsigned j = 0; j < n; ++j) {
                    const std::string& s = sums_[i * n + j];
                    w_("{} {}, {}, {}, {}", multiply_add(), s, left[i], right[j], s);
                }
        }
    }

    /// @param tx  column of the thread in the block @param ty  its row
    void finish_elements(const std::string& tx, const std::string& ty) {
        const unsigned adjacent = vector();
        const std::string n = w_.b32_of("mad.lo.u32", "{}, {}, {}", ty, adjacent, rows_.origin);
        const std::string m = w_.b32_of("mad.lo.u32", "{}, {}, {}", tx, adjacent, columns_.origin);
        const auto index = [&](unsigned i) { return i / adjacent * 16 * adjacent + i % adjacent; };
        for (unsigned i = 0; i < per_thread(); ++i) {
            const std::string row = w_.b32_of("add.u32", "{}, {}", n, index(i));
            for (unsigned j = 0; j < per_thread(); j += 2) {
                const unsigned sum = i * per_thread() + j;
                finish(row, w_.b32_of("add.u32", "{}, {}", m, index(j)),
                       {sums_[sum], sums_[sum + 1]});
            }
        }
    }

    /// Loads an element and converts it to the type of the sums.
    /// @param p  predicate of the load; empty: always
    void load_element(const std::string& to, element type, const std::string& from, unsigned offset,
                      const std::string& p) {
        const std::string guard = p.empty() ? "" : "@" + p + " ";
        switch (type) {
            case element::f16: {
                const std::string h = w_.b16();
                w_("{}ld.global.b16 {}, [{}+{}]", guard, h, from, offset);
                w_("{}cvt.f32.f16 {}, {}", guard, to, h);
                break;
            }
            case element::bf16:
                w_.load_bf16(to, from, offset, guard);
                break;
            case element::s8:
            case element::s32: {
                const std::string r = kind() == 'i' ? to : w_.b32();
                w_("{}ld.global.{} {}, [{}+{}]", guard, name_of(type), r, from, offset);
                if (kind() == 'f') w_("{}cvt.rn.f32.s32 {}, {}", guard, to, r);
                break;
            }
            case element::f64:
            case element::f32:
                w_("{}ld.global.{} {}, [{}+{}]", guard, name_of(type), to, from, offset);
                break;
        }
    }

    // ---- from sums to D ----

    std::string second_valid(const std::string& m) {
        return w_.predicate_of("setp.lt.s32", "{}, {}", w_.b32_of("add.u32", "{}, 1", m), m_);
    }

    /// A scalar, alpha or beta, of the type of the sums.
    std::string scalar(std::size_t address_offset, std::size_t value_offset) {
        const std::string value = w_.f64(), address = w_.parameter_b64(address_offset),
                          to = sum_register();
        const std::string here = w_.label(), done = w_.label();
        w_("@{} bra {}", w_.predicate_of("setp.eq.u64", "{}, 0", address), here);
        if (kind() == 'f') {
            const std::string type = w_.parameter_b32(offsetof(gemm_arguments, scalar_type));
            const std::string is_half =
                w_.predicate_of("setp.eq.s32", "{}, {}", type, static_cast<int>(element::f16));
            const std::string h = w_.b16();
            w_("@{} ld.global.b16 {}, [{}]", is_half, h, address);
            w_("@{} cvt.f32.f16 {}, {}", is_half, to, h);
            w_("@!{} ld.global.f32 {}, [{}]", is_half, to, address);
        } else {
            w_("ld.global.{} {}, [{}]", sum_type(), to, address);
        }
        w_("bra {}", done);
        w_("{}:", here);
        w_("ld.param.f64 {}, [arguments+{}]", value, value_offset);
        if (kind() == 'f')
            w_("cvt.rn.f32.f64 {}, {}", to, value);
        else if (kind() == 'i')
            w_("cvt.rni.s32.f64 {}, {}", to, value);
        else
            w_("mov.f64 {}, {}", to, value);
        w_("{}:", done);
        return to;
    }

    void prepare_finish() {
        if (k_.split && !split_.empty()) {
            partial_ = w_.parameter_b64(offsetof(gemm_arguments, partial));
            const std::string batches = w_.parameter_b32(offsetof(gemm_arguments, batches));
            const std::string slot = w_.b32_of("mad.lo.u32", "{}, {}, {}", split_, batches, batch_);
            const std::string matrix_bytes =
                w_.b64_of("shl.b64", "{}, 2", w_.b64_of("mul.wide.u32", "{}, {}", m_, n_));
            partial_ = w_.b64_of("mad.lo.u64", "{}, {}, {}", w_.b64_of("cvt.u64.u32", "{}", slot),
                                 matrix_bytes, partial_);
            partial_ld_ = w_.b64_of("mul.wide.u32", "{}, 4", m_);
            return;
        }
        alpha_ = scalar(offsetof(gemm_arguments, alpha_address), offsetof(gemm_arguments, alpha));
        beta_ = scalar(offsetof(gemm_arguments, beta_address), offsetof(gemm_arguments, beta));
        has_beta_ = w_.predicate_of(operation("setp.ne.s32", "setp.neu"), "{}, {}", beta_,
                                    kind() == 'i'   ? "0"
                                    : kind() == 'd' ? "0d0000000000000000"
                                                    : "0f00000000");
        c_ = matrix(offsetof(gemm_arguments, c), offsetof(gemm_arguments, stride_c));
        d_ = matrix(offsetof(gemm_arguments, d), offsetof(gemm_arguments, stride_d));
        ldc_ = leading(offsetof(gemm_arguments, ldc), k_.d);
        ldd_ = leading(offsetof(gemm_arguments, ldd), k_.d);
        const auto strided = [&](std::size_t address, std::size_t stride) {
            const std::string batch = w_.b64_of("cvt.u64.u32", "{}", batch_);
            return w_.b64_of("mad.lo.u64", "{}, {}, {}", batch, w_.parameter_b64(stride),
                             w_.parameter_b64(address));
        };
        if (k_.bias)
            bias_ = strided(offsetof(gemm_arguments, bias), offsetof(gemm_arguments, stride_bias));
        if (k_.auxiliary || k_.act == activation::gelu_gradient) {
            auxiliary_ = strided(offsetof(gemm_arguments, auxiliary),
                                 offsetof(gemm_arguments, stride_auxiliary));
            ld_auxiliary_ = leading(offsetof(gemm_arguments, ld_auxiliary), k_.d);
        }
    }

    /// Completes the elements (n, m) and (n, m + 1) from their sums.
    void finish(const std::string& n, const std::string& m, std::array<std::string, 2> sums) {
        const std::string skip = w_.label();
        const std::string in_n = w_.predicate_of("setp.ge.s32", "{}, {}", n, n_);
        w_("@{} bra {}", in_n, skip);
        w_("@{} bra {}", w_.predicate_of("setp.ge.s32", "{}, {}", m, m_), skip);
        const std::string both = second_valid(m);
        if (!partial_ld_.empty()) {
            const std::string at = address(partial_, n, partial_ld_, m, 4);
            w_("st.global.f32 [{}], {}", at, sums[0]);
            w_("@{} st.global.f32 [{}+4], {}", both, at, sums[1]);
            w_("{}:", skip);
            return;
        }
        std::array<std::string, 2> v = {sum_register(), sum_register()};
        for (unsigned i = 0; i < 2; ++i)
            w_("{} {}, {}, {}", operation("mul.lo.s32", "mul"), v[i], sums[i], alpha_);
        const std::string no_c = w_.label();
        w_("@!{} bra {}", has_beta_, no_c);
        {
            const std::array<std::string, 2> c =
                load_pair(address(c_, n, ldc_, m, bytes_of(k_.d)), k_.d, both, k_.pairs);
            for (unsigned i = 0; i < 2; ++i)
                w_("{} {}, {}, {}, {}", multiply_add(), v[i], c[i], beta_, v[i]);
        }
        w_("{}:", no_c);
        if (k_.bias) {
            const std::string at =
                w_.b64_of("mad.wide.u32", "{}, {}, {}", m, bytes_of(k_.bias_type), bias_);
            const std::array<std::string, 2> b = load_pair(at, k_.bias_type, both, false);
            for (unsigned i = 0; i < 2; ++i) w_("add.f32 {}, {}, {}", v[i], v[i], b[i]);
        }
        if (k_.auxiliary)
            store_pair(address(auxiliary_, n, ld_auxiliary_, m, bytes_of(k_.d)), v, both, false);
        if (k_.act == activation::relu)
            for (const std::string& x : v) w_("max.f32 {}, {}, 0f00000000", x, x);
        if (k_.act == activation::gelu)
            for (const std::string& x : v) gelu(x);
        if (k_.act == activation::gelu_gradient) {
            const std::array<std::string, 2> x = load_pair(
                address(auxiliary_, n, ld_auxiliary_, m, bytes_of(k_.d)), k_.d, both, false);
            for (unsigned i = 0; i < 2; ++i) gelu_gradient(v[i], x[i]);
        }
        store_pair(address(d_, n, ldd_, m, bytes_of(k_.d)), v, both, k_.pairs);
        w_("{}:", skip);
    }

    /// Two elements as values of the type of the sums; the second one only where `both` is true.
    std::array<std::string, 2> load_pair(const std::string& at, element type,
                                         const std::string& both, bool together) {
        std::array<std::string, 2> to = {sum_register(), sum_register()};
        clear(to[1]);
        const unsigned bytes = bytes_of(type);
        if (together && bytes >= 4 &&
            ((kind() == 'f' && type == element::f32) || (kind() == 'd' && type == element::f64))) {
            w_("@{} ld.global.v2.{} {{{}, {}}}, [{}]", both, name_of(type), to[0], to[1], at);
            const std::string one = w_.predicate();
            w_("not.pred {}, {}", one, both);
            load_element(to[0], type, at, 0, one);
            return to;
        }
        load_element(to[0], type, at, 0, "");
        load_element(to[1], type, at, bytes, both);
        return to;
    }

    /// A value of the type of the sums as an element of D, in a register that can be stored.
    std::string converted(const std::string& v) {
        switch (k_.d) {
            case element::f16: {
                const std::string h = w_.b16();
                w_("cvt.rn.f16.f32 {}, {}", h, v);
                return h;
            }
            case element::bf16:
                return w_.bf16_of(v);
            case element::s32: {
                if (kind() == 'i') return v;
                return w_.b32_of("cvt.rni.s32.f32", "{}", v);
            }
            case element::f32: {
                if (kind() == 'f') return v;
                const std::string f = w_.f32();
                w_("cvt.rn.f32.{} {}, {}", kind() == 'i' ? "s32" : "f64", f, v);
                return f;
            }
            default:
                return v;
        }
    }

    void store_pair(const std::string& at, const std::array<std::string, 2>& v,
                    const std::string& both, bool together) {
        const unsigned bytes = bytes_of(k_.d);
        const std::string first = converted(v[0]), second = converted(v[1]);
        const char* const type = bytes == 2             ? "b16"
                                 : bytes == 8           ? "f64"
                                 : k_.d == element::f32 ? "f32"
                                                        : "b32";
        if (!together) {
            w_("st.global.{} [{}], {}", type, at, first);
            w_("@{} st.global.{} [{}+{}], {}", both, type, at, bytes, second);
            return;
        }
        w_("@{} st.global.v2.{} [{}], {{{}, {}}}", both, type, at, first, second);
        w_("@!{} st.global.{} [{}], {}", both, type, at, first);
    }

    /// tanh(u) as 1 - 2 / (exp(2 u) + 1).
    std::string tanh(const std::string& u) {
        const std::string e = w_.f32();
        w_("mul.f32 {}, {}, 0f4038AA3B", e, u);  // 2 log2(e)
        w_("ex2.approx.f32 {}, {}", e, e);
        w_("add.f32 {}, {}, 0f3F800000", e, e);
        w_("rcp.approx.f32 {}, {}", e, e);
        w_("fma.rn.f32 {}, {}, 0fC0000000, 0f3F800000", e, e);
        return e;
    }
    /// u = sqrt(2 / pi) (x + 0.044715 x^3), with x^2 in `square`.
    std::string gelu_argument(const std::string& x, const std::string& square) {
        const std::string u = w_.f32();
        w_("mul.f32 {}, {}, {}", square, x, x);
        w_("fma.rn.f32 {}, {}, 0f3D372713, 0f3F800000", u, square);
        w_("mul.f32 {}, {}, {}", u, u, x);
        w_("mul.f32 {}, {}, 0f3F4C422A", u, u);
        return u;
    }
    /// The Gaussian error linear unit by its approximation with tanh, as cublasLt computes it.
    void gelu(const std::string& x) {
        const std::string t = tanh(gelu_argument(x, w_.f32()));
        w_("fma.rn.f32 {}, {}, 0f3F000000, 0f3F000000", t, t);
        w_("mul.f32 {}, {}, {}", x, x, t);
    }
    /// Multiplies by the derivative of gelu() at x.
    void gelu_gradient(const std::string& v, const std::string& x) {
        const std::string square = w_.f32();
        const std::string t = tanh(gelu_argument(x, square));
        // 0.5 (1 + t) + 0.5 x (1 - t^2) sqrt(2 / pi) (1 + 3 0.044715 x^2)
        const std::string inner = w_.f32(), rest = w_.f32();
        w_("fma.rn.f32 {}, {}, 0f3E095D4F, 0f3F800000", inner, square);
        w_("mul.f32 {}, {}, 0f3F4C422A", inner, inner);
        w_("mul.f32 {}, {}, {}", rest, t, t);
        w_("sub.f32 {}, 0f3F800000, {}", rest, rest);
        w_("mul.f32 {}, {}, {}", inner, inner, rest);
        w_("fma.rn.f32 {}, {}, {}, 0f3F800000", inner, inner, x);
        w_("add.f32 {}, {}, {}", inner, inner, t);
        w_("mul.f32 {}, {}, 0f3F000000", inner, inner);
        w_("mul.f32 {}, {}, {}", v, v, inner);
    }

    const gemm_kernel& k_;
    ptx_writer w_;
    unsigned tile_, tile_k_, threads_;
    operand rows_, columns_;
    unsigned stage_bytes_ = 0, warp_n_ = 0, warp_m_ = 0;
    registers sums_;
    std::string tid_, m_, n_, batch_, split_, k_begin_, k_end_, arrays_;
    std::string alpha_, beta_, has_beta_, c_, d_, ldc_, ldd_, bias_, auxiliary_, ld_auxiliary_;
    std::string partial_, partial_ld_;
};

}  // namespace

unsigned gemm_kernel::tile_k() const {
    switch (unit) {
        case arithmetic::half_tensor:
            return 32;
        case arithmetic::tf32_tensor:
            return 16;
        case arithmetic::f64_tensor:
            return 8;
        default:
            return large ? 8 : 16;
    }
}

unsigned gemm_kernel::shared_bytes() const {
    const unsigned stage = part_of(*this, !transpose_b) + part_of(*this, transpose_a);
    const unsigned all = stage * (is_tensor(unit) ? stages_of(*this) : 2);
    const bool warp_matrices = unit == arithmetic::half_tensor && capability < 80;
    return warp_matrices ? std::max(all, threads() / 32 * scratch_bytes) : all;
}

unsigned gemm_kernel::threads() const {
    return is_tensor(unit) && !large ? 128 : 256;
}

std::string gemm_kernel::name() const {
    constexpr const char* units[] = {"tensor", "tf32", "f64_tensor", "f32", "f64", "s32"};
    std::string out = fmt::format("simtlm_blas_gemm_{}_{}_{}", units[static_cast<unsigned>(unit)],
                                  name_of(a), name_of(d));
    if (b != a) out += fmt::format("_b{}", name_of(b));
    out += fmt::format("_{}x{}_{}{}", tile(), tile(), transpose_a ? 't' : 'n',
                       transpose_b ? 't' : 'n');
    if (!aligned && is_tensor(unit)) out += "_unaligned";
    if (!pairs) out += "_single";
    if (split) out += "_splitk";
    if (bias) out += fmt::format("_bias_{}", name_of(bias_type));
    if (auxiliary) out += "_aux";
    constexpr const char* acts[] = {"", "_relu", "_gelu", "_dgelu"};
    return out + acts[static_cast<unsigned>(act)];
}

std::string gemm_kernel::ptx() const {
    return gemm_writer(*this, name(), threads()).product();
}

std::string gemm_kernel::reduce_ptx() const {
    return gemm_writer(*this, reduce_name(), 256).reduction();
}

}  // namespace simtlm::blas
