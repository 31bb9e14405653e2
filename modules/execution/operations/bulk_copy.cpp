// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/bulk_copy.h"

#include "modules/execution/operations/launch_response.h"
#include "modules/execution/operations/pending_request.h"
#include "modules/execution/state/block_checks.h"
#include "modules/execution/state/block_cluster.h"
#include "modules/execution/state/lane_addresses.h"
#include "modules/execution/state/lanes.h"
#include "modules/execution/state/tensor_map.h"
#include "modules/program/mbarrier_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace simtlm::execution {

namespace {

constexpr std::uint64_t cluster_window = address_windows::cluster - address_windows::shared;

/// Converts an address of shared memory to one without the generic window.
device_address in_shared_space(device_address a) {
    return address_windows::in_shared(a) || address_windows::in_cluster(a)
               ? a - address_windows::shared
               : a;
}
/// The same offset in the CTA of a rank.
device_address in_rank(device_address a, unsigned rank) {
    if (a >= cluster_window) a = (a - cluster_window) % address_windows::cluster_stride;
    return cluster_window + rank * address_windows::cluster_stride + a;
}

/// A copy of one lane.
struct lane_copy {
    warp& w;
    const operation* op;
    unsigned lane;
    const bulk_copy& what;

    [[noreturn]] void fail(const std::string& why, const std::string& remedy = {}) const {
        w.block->fail(w, op, lane, why, remedy);
    }
    void demand_aligned(device_address a, std::uint32_t bytes) const {
        if (a % bytes != 0) misaligned(w, op, lane, a, bytes);
    }
    std::uint32_t word(operand_ref s) const { return lanes_at<std::uint32_t>(w, s)[lane]; }

    std::byte* at(space s, device_address a, std::uint32_t bytes, bool writes) const {
        std::byte* const host = range_of(w, op, lane, s, a, bytes, writes).at(a);
        if (writes) note_written(s, a, bytes);
        return host;
    }

    /// For checks: records written data.
    void note_written(space s, device_address a, std::uint32_t bytes) const {
        if (w.block->checks() == nullptr) return;
        const device_address offset = in_shared_space(a);
        const bool shared = s == space::shared || offset != a;
        if (!shared) {
            if (written_map* const map = w.block->checks()->global()) map->mark(a, bytes);
            return;
        }
        thread_block* owner = w.block;
        if (offset >= cluster_window)
            owner = owner->block_of_rank(
                static_cast<unsigned>((offset - cluster_window) / address_windows::cluster_stride));
        if (owner == nullptr || owner->checks() == nullptr) return;
        if (auto* const map = owner->checks()->shared())
            map->mark(offset >= cluster_window
                          ? (offset - cluster_window) % address_windows::cluster_stride
                          : offset,
                      bytes);
    }

    /// For checks: records the start of a copy.
    void note_start(device_address to, std::uint32_t count) const {
        block_checks* const checks = w.block->checks();
        if (checks == nullptr || what.is_generic) return;
        for_destinations(to, [&](device_address a, device_address barrier) {
            checks->copy_starts(w, op, lane, a, count, barrier, what.update != nullptr);
        });
    }
    void note_source(device_address from, std::uint32_t count) const {
        block_checks* const checks = w.block->checks();
        if (checks == nullptr || what.is_generic) return;
        checks->read_starts(w, op, lane, async_proxy::engine::bulk_copy, in_shared_space(from),
                            count);
    }

    /// The host address of an mbarrier.
    std::byte* barrier_at(device_address barrier) const {
        demand_aligned(barrier, 8);
        return range_of(w, op, lane, space::shared, barrier, 8, true).at(barrier);
    }
    /// Rank of the CTA to which an address of shared memory belongs.
    unsigned rank_of(device_address a) const {
        return a < cluster_window
                   ? w.block->rank()
                   : static_cast<unsigned>((a - cluster_window) / address_windows::cluster_stride);
    }

    /// Calls act(destination, mbarrier) for the CTAs that receive the data.
    template <class Act>
    void for_destinations(device_address to, Act act) const {
        to = in_shared_space(to);
        const device_address barrier = in_shared_space(what.barrier.of(w, lane));
        if (what.ranks == no_operand && !what.to_all) return act(to, barrier);
        const std::uint32_t ranks =
            what.to_all ? (1u << w.block->cluster().size()) - 1 : word(what.ranks) & 0xffff;
        const unsigned parity = rank_of(barrier) & 1;
        for (unsigned rank = 0; rank < address_windows::cluster_ranks; ++rank)
            if ((ranks >> rank & 1) != 0)
                act(in_rank(to, rank),
                    in_rank(barrier, what.of_pair ? (rank & ~1u) | parity : rank));
    }

    tensor_map map() const {
        const device_address a = what.map.of(w, lane);
        // The alignment of parameters is determined by the compiler.
        if (!address_windows::in_param(a)) demand_aligned(a, 64);
        const std::optional<tensor_map> m =
            tensor_map::decode(at(what.map.where(), a, tensor_map::bytes, false));
        if (!m || !m->fault().empty())
            fail("the tensor map is none", "cuTensorMapEncodeTiled makes them");
        constexpr unsigned gathered_rows = 4;
        const std::size_t extra = what.gathers ? gathered_rows - 1 : 0;
        if (m->rank + extra != what.coordinates.size())
            fail(fmt::format("a tensor map of {} dimensions", m->rank));
        if (m->mode != what.mode)
            fail(fmt::format("the tensor map is of {} mode", name_of(m->mode)),
                 "instruction and tensor map name the same mode");
        if (m->packed() > 1 && word(what.coordinates[0]) % m->packed() != 0)
            fail(
                fmt::format("the first coordinate of numbers of four or six bits is no multiple "
                            "of {}",
                            m->packed()));
        std::optional<tensor_map> box = m->in_bytes();
        if (what.gathers) {
            if (m->box[1] != 1) fail("copies four rows of a tensor map with boxes of several rows");
            box->box[1] = gathered_rows;
        }
        if (m->is_wide()) box->halo = static_cast<std::uint16_t>(checked_halo().pixels);
        return *box;
    }

    /// Operands of im2col::w and im2col::w::128.
    struct halo_operands {
        unsigned pixels, offset;  ///< the offset is that in dimension 1
    };
    halo_operands halo() const {
        if (what.packed_offsets == no_operand) {
            const auto operand = [this](unsigned n) -> unsigned {
                return lanes_at<std::uint16_t>(w, what.offsets[n])[lane];
            };
            return {operand(0), operand(1)};
        }
        // As ptxas 13.0 compiles them for sm_100a.
        constexpr unsigned pixel_bits = 11, offset_bits = 5;
        const std::uint32_t both = word(what.packed_offsets);
        return {both & ((1U << pixel_bits) - 1), both >> pixel_bits & ((1U << offset_bits) - 1)};
    }
    halo_operands checked_halo() const {
        constexpr unsigned max_pixels = 511, max_pixels_of_chunk = 31, max_offset = 31;
        const bool in_chunks = what.mode == tensor_map::access_mode::im2col_w_128;
        const halo_operands h = halo();
        if (h.pixels > (in_chunks ? max_pixels_of_chunk : max_pixels) || h.offset > max_offset)
            fail(fmt::format("a halo of {} pixels with an offset of {}", h.pixels, h.offset),
                 "a halo has at most 511 pixels, 31 with im2col::w::128, and offsets are at most "
                 "31");
        return h;
    }
};

/// The rows of a box along its innermost dimension: location in the tensor, and elements inside of
/// it.
class box_rows {
public:
    box_rows(const lane_copy& copy, const tensor_map& m) : m_(m) {
        for (unsigned d = 0; d < m.rank; ++d)
            start_[d] = static_cast<std::int32_t>(copy.word(copy.what.coordinates[d]));
        start_[0] /= static_cast<std::int32_t>(m.coordinate_unit);
        for (unsigned i = 0; copy.what.gathers && i < gathered_.size(); ++i)
            gathered_[i] = static_cast<std::int32_t>(copy.word(copy.what.coordinates[1 + i]));
        gathers_ = copy.what.gathers;
        if (m.mode == tensor_map::access_mode::tiled) return;
        std::copy(start_.begin(), start_.end(), pixel_.begin());
        if (m.is_wide())
            offset_[0] = copy.halo().offset;
        else
            for (unsigned d = 0; d < m.spatial(); ++d) offset_[d] = offset_of(copy, d);
    }

    /// Size of a row in shared memory.
    std::uint32_t bytes() const { return m_.box_elements(0) * m_.shared_bytes(); }
    bool done() const { return done_; }
    /// Distance of the row from the beginning of the box in shared memory.
    std::uint32_t place() const {
        if (m_.mode != tensor_map::access_mode::im2col_w_128) return row_ * bytes();
        // The position of halo pixels is that of a public emulator that is compared with GPUs; the
        // PTX manual shows it in figures.
        constexpr unsigned each = tensor_map::chunk_pixels, chunks = tensor_map::chunks;
        const unsigned chunk = row_ / (each + m_.halo), i = row_ % (each + m_.halo);
        return (i < each ? chunk * each + i : chunks * each + (i - each) * chunks + chunk) *
               bytes();
    }
    void next() {
        ++row_;
        if (m_.mode != tensor_map::access_mode::tiled) return next_pixel();
        for (unsigned d = 1; d < m_.rank; ++d) {
            if (++at_[d] < m_.box_elements(d)) return;
            at_[d] = 0;
        }
        done_ = true;
    }
    /// Whether the row is inside in the outer dimensions; sets the address of its coordinate 0.
    bool address(device_address& a) const {
        a = m_.address;
        for (unsigned d = 1; d < m_.rank; ++d) {
            const std::int64_t c = m_.mode != tensor_map::access_mode::tiled
                                       ? coordinate_of_pixel(d)
                                   : gathers_ ? gathered_[at_[d]]
                                              : coordinate(d, at_[d]);
            if (c < 0 || c > m_.last[d]) return false;
            a += static_cast<std::uint64_t>(c) * m_.strides[d - 1];
        }
        return true;
    }
    /// Calls act(first element in the row, elements, coordinate) for contiguous elements of the
    /// tensor.
    template <class Act>
    void for_elements(Act act) const {
        const unsigned count = m_.box_elements(0);
        if (m_.step[0] == 1) {
            const std::int64_t first = std::max<std::int64_t>(start_[0], 0);
            const std::int64_t end = std::min<std::int64_t>(std::int64_t{start_[0]} + count,
                                                            std::int64_t{m_.last[0]} + 1);
            if (first < end)
                act(static_cast<unsigned>(first - start_[0]), static_cast<unsigned>(end - first),
                    static_cast<std::uint64_t>(first));
            return;
        }
        for (unsigned i = 0; i < count; ++i) {
            const std::int64_t c = coordinate(0, i);
            if (c >= 0 && c <= m_.last[0]) act(i, 1u, static_cast<std::uint64_t>(c));
        }
    }

private:
    std::int64_t coordinate(unsigned d, unsigned i) const {
        return std::int64_t{start_[d]} + std::int64_t{i} * m_.step[d];
    }
    /// Channels and images have no offset.
    std::int64_t coordinate_of_pixel(unsigned d) const {
        return pixel_[d] + (d <= m_.spatial() ? offset_[d - 1] : 0);
    }
    /// Advances to the next pixel; of im2col::w::128, after the halo of a chunk, to the pixel that
    /// follows the chunk.
    void next_pixel() {
        if (row_ == m_.column_pixels()) {
            done_ = true;
            return;
        }
        advance();
        if (m_.mode != tensor_map::access_mode::im2col_w_128 || m_.halo == 0) return;
        const unsigned i = row_ % (tensor_map::chunk_pixels + m_.halo);
        if (i == tensor_map::chunk_pixels) next_chunk_ = pixel_;
        if (i == 0) pixel_ = next_chunk_;
    }
    /// Advances along the dimensions of the bounding box, first dimension fastest, and then to the
    /// next image.
    void advance() {
        for (unsigned d = 1; d <= m_.bounded(); ++d) {
            pixel_[d] += m_.step[d];
            if (pixel_[d] <= std::int64_t{m_.last[d]} + m_.upper_corner[d - 1]) return;
            pixel_[d] = m_.lower_corner[d - 1];
        }
        pixel_[m_.rank - 1U] += m_.step[m_.rank - 1U];
    }
    /// Offsets are unsigned. Machine code has all of them in 16 bits.
    unsigned offset_of(const lane_copy& copy, unsigned d) const {
        const unsigned bits = m_.offset_bits(), mask = (1U << bits) - 1;
        if (copy.what.packed_offsets != no_operand)
            return copy.word(copy.what.packed_offsets) >> bits * d & mask;
        if (copy.what.offsets.empty()) return 0;
        return lanes_at<std::uint16_t>(copy.w, copy.what.offsets[d])[copy.lane] & mask;
    }

    const tensor_map& m_;
    std::array<std::int32_t, tensor_map::max_dimensions> start_{};
    std::array<unsigned, tensor_map::max_dimensions> at_{};
    bool done_ = false;
    std::array<std::int32_t, 4> gathered_{};  ///< rows, of .tile::gather4
    bool gathers_ = false;
    unsigned row_ = 0;  ///< number of preceding rows
    // For im2col modes: the current pixel without offsets.
    std::array<std::int64_t, tensor_map::max_dimensions> pixel_{}, next_chunk_{};
    std::array<unsigned, tensor_map::max_spatial> offset_{};
};

constexpr unsigned max_row_bytes = 256 * 8;

/// Elements outside of the tensor: zeros, or the half-word 0x7ff7, which is a NaN in each format
/// when it is repeated (reported for sm_120).
void fill_outside(const tensor_map& m, std::byte* row, std::uint32_t bytes) {
    std::memset(row, m.fills_with_nan ? 0xf7 : 0, bytes);
    for (std::uint32_t i = 1; m.fills_with_nan && i < bytes; i += 2) row[i] = std::byte{0x7f};
}

/// Rounds floats in place to tf32, to nearest even; every NaN becomes 0x7fffe000 (reported for
/// sm_120). Copies to shared memory do so, also those of the type with flushed subnormals, which
/// remain.
void round_to_tf32(std::byte* at, unsigned count) {
    constexpr std::uint32_t infinity = 0x7f800000, nan = 0x7fffe000, dropped = 0x1fff;
    for (; count != 0; --count, at += sizeof(std::uint32_t)) {
        std::uint32_t bits;
        std::memcpy(&bits, at, sizeof bits);
        const std::uint32_t is_odd = bits >> 13 & 1;
        bits = (bits & ~0x80000000u) > infinity ? nan : (bits + dropped / 2 + is_odd) & ~dropped;
        std::memcpy(at, &bits, sizeof bits);
    }
}

/// The type of reductions on a tensor.
ptx::type type_of(tensor_map::element e) {
    using element = tensor_map::element;
    switch (e) {
        case element::u32:
            return ptx::type::u32;
        case element::s32:
            return ptx::type::s32;
        case element::u64:
            return ptx::type::u64;
        case element::s64:
            return ptx::type::s64;
        case element::f16:
            return ptx::type::f16;
        case element::bf16:
            return ptx::type::bf16;
        case element::f32:
        case element::f32_ftz:
            return ptx::type::f32;
        case element::f64:
            return ptx::type::f64;
        default:
            return ptx::type::none;
    }
}

/// Moves a row from or to shared memory, chunk by chunk if it is swizzled.
template <class Move>
void move_row(const tensor_map& m, device_address shared, std::uint32_t bytes, Move move) {
    if (m.swizzle == tensor_map::swizzle_mode::none) return move(shared, 0u, bytes);
    const std::uint32_t chunk = m.atomicity == tensor_map::atom::bytes_32_flip_8 ? 8 : 16;
    for (std::uint32_t i = 0; i < bytes; i += chunk) {
        const std::uint64_t rank = shared & ~(address_windows::cluster_stride - 1);
        move(rank | swizzled(shared - rank + i, m.swizzle, m.atomicity), i, chunk);
    }
}

void update_elements(const lane_copy& c, element_update update, unsigned each, std::byte* to,
                     const std::byte* from, std::uint32_t bytes) {
    const bool concurrent = c.w.launch->concurrent;
    for (std::uint32_t i = 0; i < bytes; i += each) update(to + i, from + i, concurrent);
}

/// Copies elements whose distances, in bytes, are not those of adjacent ones if the tensor has
/// gaps.
void copy_elements(std::byte* to, unsigned to_distance, const std::byte* from,
                   unsigned from_distance, unsigned count, unsigned bytes) {
    if (to_distance == from_distance) {
        std::memcpy(to, from, std::size_t{count} * bytes);
        return;
    }
    for (unsigned i = 0; i < count; ++i, to += to_distance, from += from_distance)
        std::memcpy(to, from, bytes);
}

using transfer = program::bulk_transfer;

/// Adds a contiguous range of global memory to a transfer.
void add_range(transfer& t, device_address a, std::uint32_t bytes) {
    if (!t.ranges.empty() && t.ranges.back().address + t.ranges.back().bytes == a)
        t.ranges.back().bytes += bytes;
    else
        t.ranges.push_back({a, bytes});
}

// Kinds of copies. Each has: bytes(), read or written in shared memory; move(), which moves the
// data; describe(), for the engine of an SM.

/// cp.async.bulk and cp.reduce.async.bulk
struct byte_copy {
    const lane_copy& c;

    std::uint32_t bytes() const {
        const std::uint32_t n = c.word(c.what.bytes);
        if (n % 16 != 0) c.fail(fmt::format("{} bytes, not a multiple of 16", n));
        return n;
    }
    device_address from() const {
        const device_address a = c.what.from.of(c.w, c.lane);
        c.demand_aligned(a, 16);
        return a;
    }
    device_address to() const {
        const device_address a = c.what.to.of(c.w, c.lane);
        c.demand_aligned(a, 16);
        return a;
    }
    void move() const {
        const std::uint32_t n = bytes();
        if (n == 0) return;
        const std::byte* const source = c.at(c.what.from.where(), from(), n, false);
        const auto move_to = [&](std::byte* destination) {
            if (c.what.update != nullptr)
                update_elements(c, c.what.update, c.what.element_bytes, destination, source, n);
            else if (c.what.byte_mask != no_operand)
                copy_masked(destination, source, n);
            else
                std::memmove(destination, source, n);
        };
        if (!c.what.has_barrier) return move_to(c.at(c.what.to.where(), to(), n, true));
        c.for_destinations(to(), [&](device_address a, device_address) {
            move_to(c.at(space::shared, a, n, true));
        });
    }
    void copy_masked(std::byte* to, const std::byte* from, std::uint32_t n) const {
        const std::uint32_t mask = lanes_at<std::uint32_t>(c.w, c.what.byte_mask)[c.lane];
        for (std::uint32_t i = 0; i < n; ++i)
            if ((mask >> i % 16 & 1) != 0) to[i] = from[i];
    }
    void note() const {
        if (what_is_shared(c.what.from)) c.note_source(from(), bytes());
        if (c.what.has_barrier) c.note_start(to(), bytes());
    }
    static bool what_is_shared(const lane_place& p) { return p.where() == space::shared; }
    void describe(transfer& t) const {
        const bool from_global = c.what.from.where() == space::global;
        t.what = !c.what.has_barrier
                     ? c.what.update != nullptr ? transfer::kind::reduction : transfer::kind::store
                 : from_global ? transfer::kind::load
                               : transfer::kind::send;
        if (t.what != transfer::kind::send) add_range(t, from_global ? from() : to(), bytes());
    }
};

/// cp.async.bulk.tensor to shared memory
struct box_load {
    const lane_copy& c;

    std::uint32_t bytes() const { return c.map().box_bytes(); }
    device_address to() const {
        const device_address a = c.what.to.of(c.w, c.lane);
        c.demand_aligned(a, 128);
        return a;
    }
    void move() const {
        const tensor_map m = c.map();
        if (m.has_gaps() && m.atomicity == tensor_map::atom::bytes_64)
            c.fail("chunks of 64 bytes of numbers with gaps are only stored");
        const unsigned each = m.element_bytes(), shared_each = m.shared_bytes();
        const bool rounds =
            m.type == tensor_map::element::tf32 || m.type == tensor_map::element::tf32_ftz;
        c.for_destinations(to(), [&](device_address shared, device_address) {
            for (box_rows rows(c, m); !rows.done(); rows.next()) {
                std::byte row[max_row_bytes];
                fill_outside(m, row, rows.bytes());
                device_address a;
                if (rows.address(a))
                    rows.for_elements([&](unsigned first, unsigned count, std::uint64_t at) {
                        const std::byte* const from =
                            c.at(space::global, a + at * each, count * each, false);
                        std::byte* const to = row + first * shared_each;
                        copy_elements(to, shared_each, from, each, count, each);
                        if (rounds) round_to_tf32(to, count);
                    });
                move_row(m, shared + rows.place(), rows.bytes(),
                         [&](device_address s, std::uint32_t i, std::uint32_t n) {
                             std::memcpy(c.at(space::shared, s, n, true), row + i, n);
                         });
            }
        });
    }
    void note() const { c.note_start(to(), bytes()); }
    void describe(transfer& t) const { describe_box(c, t, transfer::kind::load); }

    static void describe_box(const lane_copy& c, transfer& t, transfer::kind kind) {
        const tensor_map m = c.map();
        t.what = kind;
        t.tensor_map = c.what.map.of(c.w, c.lane);
        for (box_rows rows(c, m); !rows.done(); rows.next()) {
            device_address a;
            if (rows.address(a))
                rows.for_elements([&](unsigned, unsigned count, std::uint64_t at) {
                    add_range(t, a + at * m.element_bytes(), count * m.element_bytes());
                });
        }
    }
};

/// cp.async.bulk.tensor and cp.reduce.async.bulk.tensor to global memory
struct box_store {
    const lane_copy& c;

    std::uint32_t bytes() const { return c.map().box_bytes(); }
    void move() const {
        const tensor_map m = c.map();
        if (m.atomicity == tensor_map::atom::bytes_32_flip_8)
            c.fail(
                "a swizzle that exchanges halves of 16 bytes is only for copies to shared memory");
        const device_address shared = in_shared_space(c.what.from.of(c.w, c.lane));
        c.demand_aligned(shared, 128);
        const unsigned each = m.element_bytes(), shared_each = m.shared_bytes();
        element_update update = nullptr;
        if (c.what.reduce != ptx::reduction::none) {
            update = element_update_of(c.what.reduce, type_of(m.type));
            if (update == nullptr) c.fail("elements of the tensor map have no such reduction");
        }
        for (box_rows rows(c, m); !rows.done(); rows.next()) {
            std::byte row[max_row_bytes];
            move_row(m, shared + rows.place(), rows.bytes(),
                     [&](device_address s, std::uint32_t i, std::uint32_t n) {
                         std::memcpy(row + i, c.at(space::shared, s, n, false), n);
                     });
            device_address a;
            if (!rows.address(a)) continue;
            rows.for_elements([&](unsigned first, unsigned count, std::uint64_t at) {
                std::byte* const to = c.at(space::global, a + at * each, count * each, true);
                if (update != nullptr)
                    update_elements(c, update, each, to, row + first * each, count * each);
                else
                    copy_elements(to, each, row + first * shared_each, shared_each, count, each);
            });
        }
    }
    void note() const { c.note_source(c.what.from.of(c.w, c.lane), bytes()); }
    void describe(transfer& t) const {
        box_load::describe_box(c, t,
                               c.what.reduce != ptx::reduction::none ? transfer::kind::reduction
                                                                     : transfer::kind::store);
    }
};

/// st.async
struct asynchronous_store {
    const lane_copy& c;

    std::uint32_t bytes() const {
        return static_cast<std::uint32_t>(c.what.element_bytes * c.what.values.size());
    }
    device_address to() const { return in_shared_space(c.what.to.of(c.w, c.lane)); }
    void move() const {
        const std::uint32_t each = c.what.element_bytes;
        c.demand_aligned(to(), bytes());
        std::byte* host = c.at(space::shared, to(), bytes(), true);
        for (const operand_ref s : c.what.values) {
            const std::byte* const value = c.w.at(s) + std::size_t{c.lane} * each;
            if (c.what.update != nullptr)
                c.what.update(host, value, c.w.launch->concurrent);
            else
                std::memcpy(host, value, each);
            host += each;
        }
    }
    void note() const { c.note_start(to(), bytes()); }
    void describe(transfer& t) const { t.what = transfer::kind::send; }
};

/// clusterlaunchcontrol.try_cancel
struct cancel_response {
    const lane_copy& c;

    static std::uint32_t bytes() { return 16; }
    device_address to() const {
        const device_address a = c.what.to.of(c.w, c.lane);
        c.demand_aligned(a, bytes());
        return a;
    }
    void move() const {
        const launch_response response = request();
        c.for_destinations(to(), [&](device_address a, device_address) {
            std::memcpy(c.at(space::shared, a, bytes(), true), &response, bytes());
        });
    }
    void note() const { c.note_start(to(), bytes()); }
    void describe(transfer& t) const { t.what = transfer::kind::send; }

private:
    launch_response request() const {
        pending_ctas* const others = c.w.worker->not_begun;
        if (others == nullptr) return {};
        const std::optional<std::uint64_t> first = others->cancel(c.w.block->number());
        return first ? launch_response::of(c.w.launch->what.grid, *first) : launch_response();
    }
};

/// cp.async.bulk.prefetch
struct byte_prefetch {
    const lane_copy& c;

    std::uint32_t bytes() const { return byte_copy{c}.bytes(); }
    void describe(transfer& t) const {
        t.what = transfer::kind::prefetch;
        add_range(t, byte_copy{c}.from(), bytes());
    }
};

/// cp.async.bulk.prefetch.tensor
struct box_prefetch {
    const lane_copy& c;

    std::uint32_t bytes() const { return c.map().box_bytes(); }
    void describe(transfer& t) const { box_load::describe_box(c, t, transfer::kind::prefetch); }
};

/// prefetch.tensormap
struct map_prefetch {
    const lane_copy& c;

    std::uint32_t bytes() const { return tensor_map::bytes; }
    void describe(transfer& t) const {
        t.what = transfer::kind::prefetch;
        t.tensor_map = c.what.map.of(c.w, c.lane);
    }
};

const bulk_copy& copy_of(const operation* op) {
    return *reinterpret_cast<const bulk_copy*>(op->immediate);
}

template <class Kind>
void move_lanes(warp& w, const memory_request& r) {
    for_lanes(r.lanes, [&](unsigned i) {
        const lane_copy c{w, r.op, i, copy_of(r.op)};
        Kind{c}.move();
    });
}

/// Calls act(bytes, mbarrier, its address) for every mbarrier that a lane's copy signals.
template <class Kind, class Act>
void for_barriers(const lane_copy& c, Act act) {
    if (!c.what.has_barrier) return;
    const std::uint32_t bytes = Kind{c}.bytes();
    if (bytes != 0)
        c.for_destinations(0, [&](device_address, device_address barrier) {
            act(bytes, c.barrier_at(barrier), barrier);
        });
}

/// Without timing a copy is complete immediately. With timing its data move in the memory phase of
/// the cycle, and mbarriers are signalled when the engine of the SM is done.
template <class Kind>
const operation* carry_out(warp& w, const operation* op) {
    memory_request own;
    memory_request* const r = begin_request(w, op, own);
    if (r == nullptr) return op + 1;
    if (w.block->checks() != nullptr)
        for_lanes(r->lanes, [&](unsigned i) {
            const lane_copy c{w, op, i, copy_of(op)};
            Kind{c}.note();
        });
    if (w.pending == nullptr) {
        for_lanes(r->lanes, [&](unsigned i) {
            const lane_copy c{w, op, i, copy_of(op)};
            Kind{c}.move();
            for_barriers<Kind>(c, [](std::uint32_t bytes, std::byte* at, device_address) {
                program::complete_transaction(at, bytes);
            });
        });
        return op + 1;
    }
    for_lanes(r->lanes, [&](unsigned i) {
        const lane_copy c{w, op, i, copy_of(op)};
        transfer t;
        Kind{c}.describe(t);
        t.bytes = Kind{c}.bytes();
        t.rank = w.block->rank();
        for_barriers<Kind>(c, [&](std::uint32_t bytes, std::byte* at, device_address barrier) {
            t.arrivals.push_back({c.rank_of(barrier),
                                  [at, bytes] { program::complete_transaction(at, bytes); },
                                  address_windows::offset_in_block(barrier), bytes});
        });
        if (t.bytes != 0) w.transfers->push_back(std::move(t));
    });
    r->perform = move_lanes<Kind>;
    return op + 1;
}

template <class Kind>
const operation* prefetch(warp& w, const operation* op) {
    if (w.pending == nullptr) return op + 1;
    for_lanes(w.lanes_of(op), [&](unsigned i) {
        const lane_copy c{w, op, i, copy_of(op)};
        transfer t;
        Kind{c}.describe(t);
        t.bytes = Kind{c}.bytes();
        if (t.bytes != 0) w.transfers->push_back(std::move(t));
    });
    return op + 1;
}

}  // namespace

device_address lane_place::of(const warp& w, unsigned lane) const {
    return lane_address(w, source, detail, immediate, lane);
}

const operation* copy_bulk(warp& w, const operation* op) {
    return carry_out<byte_copy>(w, op);
}

const operation* copy_box_to_shared(warp& w, const operation* op) {
    return carry_out<box_load>(w, op);
}

const operation* copy_box_to_global(warp& w, const operation* op) {
    return carry_out<box_store>(w, op);
}

const operation* store_asynchronously(warp& w, const operation* op) {
    return carry_out<asynchronous_store>(w, op);
}

const operation* cancel_launch(warp& w, const operation* op) {
    return carry_out<cancel_response>(w, op);
}

const operation* clear_bulk(warp& w, const operation* op) {
    for_lanes(w.lanes_of(op), [&](unsigned i) {
        const lane_copy c{w, op, i, copy_of(op)};
        const unsigned unit = c.what.element_bytes;
        const std::uint64_t bytes = unit != 0 ? std::uint64_t{unit} * c.word(c.what.bytes)
                                              : lanes_at<std::uint64_t>(w, c.what.bytes)[i];
        const device_address a = c.what.to.of(w, i);
        if (bytes % 8 != 0 || bytes > ~std::uint32_t{0})
            c.fail(fmt::format("{} bytes, not a multiple of 8", bytes));
        c.demand_aligned(a, 8);
        const auto n = static_cast<std::uint32_t>(bytes);
        if (n != 0) std::memset(c.at(c.what.to.where(), a, n, true), 0, n);
    });
    return op + 1;
}

const operation* commit_tensor_work(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    for_lanes(lanes & (~lanes + 1), [&](unsigned i) {  // one instruction of a warp acts once
        const lane_copy c{w, op, i, copy_of(op)};
        program::tensor_core_work work;
        work.what = program::tensor_core_work::kind::commit;
        c.for_destinations(0, [&](device_address, device_address barrier) {
            std::byte* const at = c.barrier_at(barrier);
            if (w.pending == nullptr) return program::arrive_once(at);
            work.arrivals.push_back({c.rank_of(barrier), [at] { program::arrive_once(at); },
                                     address_windows::offset_in_block(barrier), 0});
        });
        if (w.pending != nullptr) w.tensor_work->push_back(std::move(work));
    });
    return op + 1;
}

const operation* prefetch_bulk(warp& w, const operation* op) {
    return prefetch<byte_prefetch>(w, op);
}

const operation* prefetch_box(warp& w, const operation* op) {
    return prefetch<box_prefetch>(w, op);
}

const operation* prefetch_map(warp& w, const operation* op) {
    return prefetch<map_prefetch>(w, op);
}

}  // namespace simtlm::execution
