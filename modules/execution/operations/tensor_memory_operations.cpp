// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/tensor_memory_operations.h"

#include "modules/execution/operations/pending_request.h"
#include "modules/execution/state/block_checks.h"
#include "modules/execution/state/block_cluster.h"
#include "modules/execution/state/lane_addresses.h"
#include "modules/execution/state/lanes.h"
#include "modules/program/mbarrier_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace simtlm::execution {

namespace {

using arithmetic::matrix_descriptor;
using arithmetic::product_kind;
using arithmetic::tensor_core_operands;
using arithmetic::tensor_core_product;
using work_kind = program::tensor_core_work::kind;

/// An operation as its first lane executes it.
struct first_lane {
    warp& w;
    const operation* op;
    unsigned lane;

    first_lane(warp& of, const operation* o)
        : w(of), op(o), lane(static_cast<unsigned>(__builtin_ctz(of.lanes_of(o)))) {}
    [[noreturn]] void fail(const std::string& what, const std::string& remedy = {}) const {
        w.block->fail(w, op, lane, what, remedy);
    }
    std::uint32_t word(operand_ref s) const { return lanes_at<std::uint32_t>(w, s)[lane]; }
    std::uint64_t double_word(operand_ref s) const { return lanes_at<std::uint64_t>(w, s)[lane]; }
    std::uint32_t address(const lane_place& p) const {
        return static_cast<std::uint32_t>(p.of(w, lane));
    }
    /// The CTA of a rank of a pair: of the warp's CTA and the one with the other lowest bit.
    thread_block& of_pair(unsigned rank) const {
        thread_block* const b = w.block->block_of_rank((w.block->rank() & ~1u) + rank);
        if (b == nullptr) fail("the other CTA of the pair has ended or does not exist");
        return *b;
    }
    void demand_columns(thread_block& b, std::uint32_t address, unsigned count) const {
        const unsigned column = tensor_memory::column_of(address);
        if (!b.tensors().is_allocated(column, count))
            fail(fmt::format("columns {} to {} of tensor memory are not allocated", column,
                             column + count - 1),
                 "tcgen05.alloc");
    }
};

struct register_place {
    unsigned row, column;
};

/// The lane (from the address on) and the column of 32 bits of a register (CUTLASS, Copy_Traits of
/// SM100_TMEM_LOAD).
register_place register_place_of(const tensor_access& a, unsigned lane, unsigned r) {
    switch (a.lanes) {
        case tensor_lanes::s16x64b:
            return {lane / 4 + lane % 2 * 8, lane / 2 % 2 + r * 2};
        case tensor_lanes::s16x128b:
            return {lane / 4 + r % 2 * 8, lane % 4 + r / 2 * 4};
        case tensor_lanes::s16x256b:
            return {lane / 4 + r / 2 % 2 * 8, lane % 4 * 2 + r % 2 + r / 4 * 8};
        case tensor_lanes::s16x32bx2:
            return {lane % 16, r};
        default:
            return {lane, r};
    }
}

/// Calls act(register, lane, first of one or two columns) for all registers of a warp.
template <class Act>
void for_registers(const first_lane& f, const tensor_access& a, Act act) {
    constexpr unsigned lanes_of_warp = 32, half_lanes = 16;
    const std::uint32_t address = f.address(a.at);
    const unsigned base = tensor_memory::lane_of(address);
    const unsigned column = tensor_memory::column_of(address), each = a.halves ? 2 : 1;
    const unsigned height = a.lanes == tensor_lanes::s32x32b ? lanes_of_warp : half_lanes;
    if (base / lanes_of_warp != f.w.index % 4 || base % lanes_of_warp + height > lanes_of_warp)
        f.fail(fmt::format("warp {} accesses lanes {} to {} of tensor memory", f.w.index,
                           f.w.index % 4 * lanes_of_warp, f.w.index % 4 * lanes_of_warp + 31),
               "an address in these lanes");
    if (f.w.lanes_of(f.op) != all_lanes) f.fail("accesses tensor memory with some of its lanes");
    unsigned last = 0;
    for (unsigned r = 0; r < a.registers; ++r)
        for (unsigned lane = a.first_lane; lane <= a.last_lane; ++lane) {
            const register_place p = register_place_of(a, lane, r);
            last = std::max(last, p.column * each + lane / half_lanes * a.split + each);
        }
    f.demand_columns(*f.w.block, address, last);
    for (unsigned r = 0; r < a.registers; ++r)
        for (unsigned lane = a.first_lane; lane <= a.last_lane; ++lane) {
            const register_place p = register_place_of(a, lane, r);
            std::uint32_t* const row = f.w.block->tensors().row(base + p.row);
            act(lanes_at<std::uint32_t>(f.w, f.op->list[r])[lane],
                row + column + p.column * each + lane / half_lanes * a.split);
        }
}

template <class Op, bool Magnitude = false>
std::uint32_t extremum_of(std::uint32_t a, std::uint32_t b) {
    constexpr std::uint32_t mask = Magnitude ? arithmetic::f32::magnitude_mask : ~0u;
    return Op::apply(a & mask, b & mask);
}
template <class Op>
tensor_reducer reducer_of_floats(const ptx::operation& o) {
    return o.has(ptx::flag::magnitude) ? extremum_of<Op, true> : extremum_of<Op>;
}

const tensor_multiply& product_of(const operation* op) {
    return *reinterpret_cast<const tensor_multiply*>(op->immediate);
}

tensor_core_product described(const first_lane& f, const tensor_multiply& what) {
    std::string fault;
    const std::uint32_t bits = f.word(what.instruction_descriptor);
    arithmetic::tensor_core_instruction text = what.text;
    if (what.descriptor_completes) {
        constexpr std::uint32_t sparse = 4, type_of_a = 7u << 7, tf32 = 2u << 7;
        text.sparse = (bits & sparse) != 0;
        if (text.kind == product_kind::f16 && (bits & type_of_a) == tf32)
            text.kind = product_kind::tf32;
    }
    const tensor_core_product p = tensor_core_product::decode(text, bits, fault);
    if (!fault.empty()) f.fail(fmt::format("instruction descriptor {:#x}: {}", bits, fault));
    if (text.sparse && p.rows() != 128 && !what.text.weight_stationary)
        f.fail("sparse products of 64 rows are not supported");
    return p;
}

arithmetic::zero_column_mask zero_columns_of(const first_lane& f, const tensor_multiply& what,
                                             const tensor_core_product& p) {
    if (what.zero_columns == no_operand) return {};
    std::string fault;
    const auto mask = arithmetic::zero_column_mask::decode(f.double_word(what.zero_columns), fault);
    constexpr unsigned few_rows = 32, max_shift_of_few_rows = 16;
    const unsigned most =
        p.m == few_rows ? std::min(p.max_column_shift, max_shift_of_few_rows) : p.max_column_shift;
    if (mask.shift > most)
        fault = fmt::format("columns are shifted by {}, the instruction descriptor allows {}",
                            mask.shift, most);
    if (!fault.empty()) f.fail(fault);
    return mask;
}

/// Reads a matrix in shared memory of a CTA.
void read_shared(const first_lane& f, thread_block& b, std::uint64_t descriptor,
                 const arithmetic::matrix_storage& storage, unsigned first, unsigned count,
                 unsigned k, std::uint32_t* to, unsigned row_distance, unsigned k_distance) {
    matrix_descriptor at = matrix_descriptor::decode(descriptor);
    constexpr unsigned k96 = 96, line = 128;
    at.continues = (descriptor >> 52 & 1) != 0;
    if (at.continues && (k != k96 || at.swizzle != line || at.wide_atoms))
        f.fail("a matrix descriptor with an absolute leading offset",
               "a product with K of 96 and a swizzle of 128 bytes");
    if (!arithmetic::read_matrix(b.shared(), b.shared_bytes(), at, storage, first, count, k, to,
                                 row_distance, k_distance))
        f.fail(
            fmt::format("a matrix descriptor leads outside of shared memory ({:#x} bytes): it "
                        "begins at {:#x}, offsets {:#x} and {:#x}",
                        b.shared_bytes(), at.start, at.leading, at.stride));
}

/// The elements of A of one CTA.
void read_a(const first_lane& f, const tensor_multiply& what, const tensor_core_product& p,
            thread_block& b, tensor_core_operands& operands) {
    const unsigned k = p.stored_k();
    operands.a.resize(std::size_t{p.rows()} * k);
    const arithmetic::matrix_storage storage = p.storage(p.a, p.a_is_mn_major);
    if (what.a_descriptor != no_operand)
        return read_shared(f, b, f.double_word(what.a_descriptor), storage, 0, p.rows(), k,
                           operands.a.data(), k, 1);
    const std::uint32_t address = f.address(what.a);
    // Numbers of 6 bits are in the low bits of a byte, those of 4 bits in bits 2 to 5, where
    // tcgen05.cp unpacks them to.
    const unsigned bits = storage.padded ? 8 : storage.bits, per_column = 32 / bits;
    const unsigned first_bit = storage.padded && storage.bits == 4 ? 2 : 0;
    const std::uint32_t mask = storage.bits == 32 ? ~0u : (1u << storage.bits) - 1;
    f.demand_columns(b, address, k / per_column);
    for (unsigned row = 0; row < p.rows(); ++row) {
        const unsigned lane = tensor_memory::lane_of(address) + p.lane_of_a(row);
        if (lane >= tensor_memory::lanes) f.fail("A lies beyond the lanes of tensor memory");
        const std::uint32_t* const from = b.tensors().row(lane) + tensor_memory::column_of(address);
        for (unsigned i = 0; i < k; ++i)
            operands.a[std::size_t{row} * k + i] =
                from[i / per_column] >> (i % per_column * bits + first_bit) & mask;
    }
}

/// B: each CTA of a pair holds half of its columns.
void read_b(const first_lane& f, const tensor_multiply& what, const tensor_core_product& p,
            tensor_core_operands& operands) {
    const unsigned k = p.k(), tile = p.tile(), half = p.n / p.ctas();
    operands.b.resize(std::size_t{p.n} * k);
    const arithmetic::matrix_storage storage = p.storage(p.b, p.b_is_mn_major);
    const arithmetic::zero_column_mask mask = zero_columns_of(f, what, p);
    const unsigned part = p.columns_of_d();
    // Contiguous columns are read in whole chunks.
    const unsigned step = p.b_is_mn_major ? storage.per_chunk() : 1;
    std::vector<std::uint32_t> rows(std::size_t{step} * k);
    for (unsigned rank = 0; rank < p.ctas(); ++rank) {
        thread_block& owner = p.text.pair ? f.of_pair(rank) : *f.w.block;
        for (unsigned source = mask.shift / step * step; source < half + mask.shift;
             source += step) {
            const auto column_of = [&](unsigned c) {
                return rank * half + source + c - mask.shift;
            };
            if (step == 1 && mask.is_zero(column_of(0), part)) continue;
            read_shared(f, owner, f.double_word(what.b_descriptor), storage, source, step, k,
                        rows.data(), k, 1);
            for (unsigned c = 0; c < step; ++c) {
                if (source + c < mask.shift || source + c >= half + mask.shift) continue;
                const unsigned at = column_of(c);
                if (mask.is_zero(at, part)) continue;
                std::uint32_t* const to =
                    operands.b.data() + std::size_t{at / tile * tile} * k + at % tile;
                for (unsigned i = 0; i < k; ++i) to[std::size_t{i} * tile] = rows[c * k + i];
            }
        }
    }
}

/// Scale factors of rows, or columns, in tensor memory of a CTA.
/// @param distance  columns to the next four factors of a row or column
std::vector<double> read_scales(const first_lane& f, const tensor_core_product& p, thread_block& b,
                                std::uint32_t address, unsigned byte, unsigned count,
                                unsigned distance) {
    const unsigned blocks = p.k() / p.scaling.block;
    std::vector<double> scales;
    f.demand_columns(b, address, (count + 31) / 32 + (byte + blocks - 1) / 4 * distance);
    for (unsigned i = 0; i < count; ++i) {
        const auto at = p.place_of_b_scale(i);
        const unsigned lane = tensor_memory::lane_of(address) % 32 + at.lane;
        const std::uint32_t* const words =
            b.tensors().row(lane % 128) + tensor_memory::column_of(address) + at.column;
        for (unsigned q = byte; q < byte + blocks; ++q)
            scales.push_back(p.scaling.value(words[q / 4 * distance] >> q % 4 * 8 & 0xff));
    }
    return scales;
}

/// The columns of the full A in which stored elements are.
void read_metadata(const first_lane& f, const tensor_multiply& what, const tensor_core_product& p,
                   thread_block& b, tensor_core_operands& operands) {
    const unsigned k = p.stored_k(), each = p.stored_per_group();
    const std::uint32_t address = f.address(what.metadata);
    f.demand_columns(b, address, k > 16 ? 2 : 1 + p.metadata);
    const unsigned bits = each == 1 ? 32 : each == 4 ? 4 : 16;
    operands.chosen.resize(operands.a.size());
    for (unsigned row = 0; row < p.rows(); ++row)
        for (unsigned i = 0; i < k; ++i) {
            const auto at = p.place_of_metadata(row, i / each);
            const unsigned lane = tensor_memory::lane_of(address) + at.lane;
            const std::uint32_t word = b.tensors().row(
                lane % tensor_memory::lanes)[tensor_memory::column_of(address) + at.column];
            operands.chosen[std::size_t{row} * k + i] = static_cast<std::uint16_t>(
                i / each * each * 2 +
                arithmetic::sparse_position(bits, word >> at.bit & 15, i % each));
        }
}

/// Multiplies the rows of a CTA, and changes D in its tensor memory.
void multiply_rows(const first_lane& f, const tensor_multiply& what, const tensor_core_product& p,
                   unsigned rank, tensor_core_operands& operands) {
    thread_block& b = p.text.pair ? f.of_pair(rank) : *f.w.block;
    read_a(f, what, p, b, operands);
    if (p.text.sparse) read_metadata(f, what, p, b, operands);
    if (p.scaling.block != 0) {
        operands.a_scale = read_scales(f, p, b, f.address(what.a_scales), p.a_scale_byte, p.rows(),
                                       p.columns_of_a_scales());
        operands.b_scale = read_scales(f, p, b, f.address(what.b_scales), p.b_scale_byte, p.n,
                                       p.columns_of_b_scales());
    }
    const std::uint32_t address = f.address(what.d);
    f.demand_columns(b, address, p.columns_of_d());
    const unsigned first_lane_of_d = tensor_memory::lane_of(address);
    const bool adds = (f.w.mask_at(what.adds) >> f.lane & 1) != 0;
    std::vector<std::uint32_t> d(std::size_t{p.rows()} * p.n);
    const auto for_elements = [&](auto act) {
        for (unsigned row = 0; row < p.rows(); ++row)
            for (unsigned column = 0; column < p.n; ++column) {
                const auto at = p.place_of_d(row, column);
                const unsigned lane = first_lane_of_d + at.lane;
                if (lane >= tensor_memory::lanes)
                    f.fail("D lies beyond the lanes of tensor memory");
                act(lane, b.tensors().row(lane)[tensor_memory::column_of(address) + at.column],
                    d[std::size_t{row} * p.n + column]);
            }
    };
    const bool halves = p.d == arithmetic::matrix_element::f16;
    if (adds)
        for_elements([&](unsigned, std::uint32_t word, std::uint32_t& element) {
            element = halves ? word & 0xffff : word;
        });
    arithmetic::multiply(p, operands, adds, what.scale, d.data());
    std::uint32_t disabled[4] = {};
    for (unsigned i = 0; i < 4 && !what.disabled.empty(); ++i)
        disabled[i] = f.word(what.disabled[what.disabled.size() == 8 ? rank * 4 + i : i]);
    for_elements([&](unsigned lane, std::uint32_t& word, std::uint32_t element) {
        if ((disabled[lane / 32] >> lane % 32 & 1) == 0) word = element;
    });
}

/// Moves the rows of eight columns of tensor memory down by one. As on a B200, each quarter of 32
/// lanes is shifted by itself, and keeps its last row.
void shift_rows(const first_lane& f, thread_block& b, std::uint32_t address) {
    constexpr unsigned columns = 8, quarter = 32;
    if (tensor_memory::lane_of(address) != 0)
        f.fail(fmt::format("shifts rows from lane {} on", tensor_memory::lane_of(address)),
               "an address in lane 0: what others shift is not documented");
    f.demand_columns(b, address, columns);
    const unsigned column = tensor_memory::column_of(address);
    for (unsigned lane = 0; lane < tensor_memory::lanes; ++lane)
        if (lane % quarter != quarter - 1)
            std::copy_n(b.tensors().row(lane + 1) + column, columns,
                        b.tensors().row(lane) + column);
}

void perform_shift(warp& w, const memory_request& r) {
    const first_lane f(w, r.op);
    const auto& what = *reinterpret_cast<const tensor_shift*>(r.op->immediate);
    for (unsigned rank = 0; rank < (what.pair ? 2u : 1u); ++rank)
        shift_rows(f, what.pair ? f.of_pair(rank) : *w.block, f.address(what.at));
}

void perform_product(warp& w, const memory_request& r) {
    const first_lane f(w, r.op);
    const tensor_multiply& what = product_of(r.op);
    const tensor_core_product p = described(f, what);
    tensor_core_operands operands;
    read_b(f, what, p, operands);
    for (unsigned rank = 0; rank < p.ctas(); ++rank) {
        multiply_rows(f, what, p, rank, operands);
        if (what.shifts_a)
            shift_rows(f, p.text.pair ? f.of_pair(rank) : *w.block, f.address(what.a));
    }
}

const tensor_copy& tensor_copy_of(const operation* op) {
    return *reinterpret_cast<const tensor_copy*>(op->immediate);
}

/// The lanes to which a row is copied: four rows go to one each of the four quarters, 32 and 64 are
/// repeated.
std::vector<unsigned> lanes_of_row(const tensor_copy& what, unsigned row) {
    switch (what.rows) {
        case 4:
            return {row * 32};
        case 32:
            return {row, row + 32, row + 64, row + 96};
        case 64:
            if (!what.alternate) return {row, row + 64};
            return {row / 32 * 64 + row % 32, row / 32 * 64 + row % 32 + 32};
        default:
            return {row};
    }
}

/// Words of four numbers each, which begin at a bit of their byte.
void join_bytes(const std::vector<std::uint32_t>& numbers, unsigned first_bit,
                std::vector<std::uint32_t>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = 0;
        for (unsigned byte = 0; byte < 4; ++byte)
            words[i] |= numbers[4 * i + byte] << (8 * byte + first_bit);
    }
}

void perform_copy_in(warp& w, const memory_request& r) {
    const first_lane f(w, r.op);
    const tensor_copy& what = tensor_copy_of(r.op);
    const unsigned words = what.bytes / 4;
    const std::uint32_t address = f.address(what.to);
    const bool unpacks = what.unpacked_bits != 0;
    const arithmetic::matrix_storage storage{unpacks ? what.unpacked_bits : 32, unpacks, false};
    std::vector<std::uint32_t> source(std::size_t{what.rows} * words);
    std::vector<std::uint32_t> numbers(unpacks ? source.size() * 4 : 0);
    for (unsigned rank = 0; rank < (what.pair ? 2u : 1u); ++rank) {
        thread_block& b = what.pair ? f.of_pair(rank) : *f.w.block;
        f.demand_columns(b, address, words);
        read_shared(f, b, f.double_word(what.descriptor), storage, 0, what.rows,
                    unpacks ? what.bytes : words, unpacks ? numbers.data() : source.data(),
                    unpacks ? what.bytes : words, 1);
        if (unpacks) join_bytes(numbers, what.unpacked_bits == 4 ? 2 : 0, source);
        for (unsigned row = 0; row < what.rows; ++row)
            for (const unsigned lane : lanes_of_row(what, row)) {
                const unsigned at = tensor_memory::lane_of(address) + lane;
                if (at >= tensor_memory::lanes) f.fail("a copy beyond the lanes of tensor memory");
                std::copy_n(&source[std::size_t{row} * words], words,
                            b.tensors().row(at) + tensor_memory::column_of(address));
            }
    }
}

/// With timing: reports an access to tensor memory, or an allocation.
void report(const warp& w, work_kind what, unsigned columns) {
    if (w.pending == nullptr) return;
    program::tensor_core_work work;
    work.what = what;
    work.columns = static_cast<std::uint16_t>(columns);
    w.tensor_work->push_back(std::move(work));
}

/// Columns of 32 lanes that an access takes in the port of tensor memory.
unsigned columns_of(const tensor_access& a) {
    return (a.registers * (a.last_lane - a.first_lane + 1) + warp_size - 1) / warp_size;
}

/// Allocates columns for a CTA. @return their address; nullopt: there are not enough
std::optional<std::uint32_t> allocate(const first_lane& f, thread_block& b, std::uint32_t n) {
    tensor_memory& memory = b.tensors();
    if (!tensor_memory::is_size(n))
        f.fail(fmt::format("{} columns of tensor memory", n), "a power of two from 32 to 512");
    if (!memory.may_allocate) f.fail("allocates tensor memory after relinquishing the permit");
    const std::optional<std::uint32_t> address = memory.allocate(n);
    if (address) report(f.w, work_kind::allocate, n);
    return address;
}

/// Allocates for the other CTA of the pair what the CTA of the warp has allocated. address: number
/// of columns, first column
void allocate_in_pair(warp& w, const memory_request& r) {
    const first_lane f(w, r.op);
    const auto n = static_cast<std::uint32_t>(r.address[0]);
    if (f.of_pair(1 - (w.block->rank() & 1)).tensors().allocate(n) != r.address[1])
        f.fail("the CTAs of a pair have allocated different columns of tensor memory");
}

void release(const first_lane& f, std::uint32_t address, std::uint32_t n) {
    if (!f.w.block->tensors().free(address, n))
        f.fail(fmt::format("{} columns of tensor memory have not been allocated at {:#x}", n,
                           address));
    report(f.w, work_kind::release, n);
}

/// Lets the memory phase of the cycle perform the operation, as other CTAs see its effects.
const operation* begin(warp& w, const operation* op, memory_effect perform,
                       program::tensor_core_work work) {
    memory_request own;
    memory_request* const r = begin_request(w, op, own);
    if (r == nullptr) return op + 1;
    if (w.pending == nullptr) {
        perform(w, *r);
    } else {
        r->perform = perform;
        w.tensor_work->push_back(std::move(work));
    }
    return op + 1;
}

}  // namespace

const operation* allocate_tensor_memory(warp& w, const operation* op) {
    if (w.lanes_of(op) == 0) return op + 1;
    const first_lane f(w, op);
    const std::uint32_t n = f.word(op->source[1]);
    const std::optional<std::uint32_t> address = allocate(f, *w.block, n);
    if (!address) {
        if (!w.block->sm_holds_barriers) return w.retry(op);
        f.fail(
            fmt::format("waits for {} columns of tensor memory while its CTA has {}", n,
                        w.block->tensors().allocated()),
            "tcgen05.dealloc before it; with timing, warps of a CTA do not wait for each other's "
            "columns");
    }
    const device_address to = lane_address(w, op->source[0], op->detail,
                                           static_cast<std::int64_t>(op->immediate), f.lane);
    std::memcpy(range_of(w, op, f.lane, access_detail::space_of(op), to, 4, true).at(to), &*address,
                sizeof *address);
    if (block_checks* const checks = w.block->checks(); checks != nullptr)
        if (auto* const map = checks->shared()) map->mark(address_windows::offset_in_block(to), 4);
    return op + 1;
}

const operation* free_tensor_memory(warp& w, const operation* op) {
    if (w.lanes_of(op) == 0) return op + 1;
    const first_lane f(w, op);
    release(f, f.word(op->source[0]), f.word(op->source[1]));
    return op + 1;
}

const operation* find_tensor_units(warp& w, const operation* op) {
    if (w.lanes_of(op) == 0) return op + 1;
    const first_lane f(w, op);
    const std::uint32_t n = f.word(op->source[0]) * tensor_memory::min_columns;
    const std::optional<std::uint32_t> address = allocate(f, *w.block, n);
    auto* const units = lanes_at<std::uint32_t>(w, op->destination);
    std::fill_n(units, warp_size, address.value_or(0) / tensor_memory::min_columns);
    w.mask_at(op->destination2) = address ? all_lanes : 0;
    if (!address || op->immediate == 0) return op + 1;
    memory_request own;
    memory_request* const r = begin_request(w, op, own);
    r->address[0] = n;
    r->address[1] = *address;
    if (w.pending == nullptr)
        allocate_in_pair(w, *r);
    else
        r->perform = allocate_in_pair;
    return op + 1;
}

const operation* release_tensor_units(warp& w, const operation* op) {
    if (w.lanes_of(op) == 0) return op + 1;
    constexpr std::uint32_t all_units =
        (1u << tensor_memory::columns / tensor_memory::min_columns) - 1;
    const first_lane f(w, op);
    const std::uint32_t units = ~f.word(op->source[0]) & all_units;
    if (units != 0)
        release(f, static_cast<std::uint32_t>(__builtin_ctz(units)) * tensor_memory::min_columns,
                static_cast<std::uint32_t>(__builtin_popcount(units)) * tensor_memory::min_columns);
    return op + 1;
}

const operation* relinquish_tensor_memory(warp& w, const operation* op) {
    if (w.lanes_of(op) != 0) w.block->tensors().may_allocate = false;
    return op + 1;
}

void initialise_pair_allocation(std::byte* record, unsigned rank) {
    constexpr unsigned mbarrier = 0x8, phase_word = 0x10;
    program::mbarrier_state one;
    one.expected = one.pending = 1;
    one.store(record + mbarrier);
    const std::uint32_t phase = rank % 2 == 0 ? 1 : 0;
    std::memcpy(record + phase_word, &phase, sizeof phase);
}

tensor_reducer tensor_reducer_of(const ptx::operation& o) {
    using namespace arithmetic;
    const bool least = o.reduce == ptx::reduction::min;
    if (o.first_type() == ptx::type::u32)
        return least ? extremum_of<min<u32>> : extremum_of<max<u32>>;
    if (o.first_type() == ptx::type::s32)
        return least ? extremum_of<min<s32>> : extremum_of<max<s32>>;
    if (o.has(ptx::flag::nan))
        return least ? reducer_of_floats<min<f32, nan>>(o) : reducer_of_floats<max<f32, nan>>(o);
    return least ? reducer_of_floats<min<f32>>(o) : reducer_of_floats<max<f32>>(o);
}

const operation* load_tensor_memory(warp& w, const operation* op) {
    if (w.lanes_of(op) == 0) return op + 1;
    const auto& a = *reinterpret_cast<const tensor_access*>(op->immediate);
    for_registers(first_lane(w, op), a, [&](std::uint32_t& value, const std::uint32_t* from) {
        value = a.halves ? (from[0] & 0xffff) | from[1] << 16 : from[0];
    });
    for (unsigned lane = a.first_lane; lane <= a.last_lane && a.reduce != nullptr; ++lane) {
        const auto word = [&](unsigned r) -> std::uint32_t& {
            return lanes_at<std::uint32_t>(w, op->list[r])[lane];
        };
        // The first word by itself: its magnitude, or the canonical NaN.
        std::uint32_t extremum = a.reduce(word(0), word(0));
        for (unsigned r = 1; r < a.registers; ++r) extremum = a.reduce(extremum, word(r));
        word(a.registers) = extremum;
    }
    report(w, work_kind::load, columns_of(a));
    return op + 1;
}

const operation* store_tensor_memory(warp& w, const operation* op) {
    if (w.lanes_of(op) == 0) return op + 1;
    const auto& a = *reinterpret_cast<const tensor_access*>(op->immediate);
    for_registers(first_lane(w, op), a, [&](std::uint32_t value, std::uint32_t* to) {
        to[0] = a.halves ? value & 0xffff : value;
        if (a.halves) to[1] = value >> 16;
    });
    report(w, work_kind::store, columns_of(a));
    return op + 1;
}

const operation* copy_to_tensor_memory(warp& w, const operation* op) {
    const tensor_copy& what = tensor_copy_of(op);
    program::tensor_core_work work;
    work.what = work_kind::copy;
    work.pair = what.pair;
    work.a_bytes = what.rows * what.bytes;
    return begin(w, op, perform_copy_in, std::move(work));
}

const operation* shift_tensor_rows(warp& w, const operation* op) {
    program::tensor_core_work work;
    work.what = work_kind::shift;
    work.pair = reinterpret_cast<const tensor_shift*>(op->immediate)->pair;
    return begin(w, op, perform_shift, std::move(work));
}

const operation* multiply_tensors(warp& w, const operation* op) {
    if (w.lanes_of(op) == 0) return op + 1;
    const tensor_multiply& what = product_of(op);
    const first_lane f(w, op);
    const tensor_core_product p = described(f, what);
    if (what.shifts_a && p.m < 128) f.fail("a product of 64 rows cannot shift A");
    if (p.text.pair) f.of_pair(1 - (w.block->rank() & 1));
    constexpr unsigned row_bytes = 32;
    program::tensor_core_work work;
    work.pair = p.text.pair;
    work.block_scaled = p.scaling.block != 0;
    work.columns = static_cast<std::uint16_t>(p.columns_of_d());
    work.folded = p.columns_of_d() < p.n;
    work.a_bytes = what.a_descriptor != no_operand ? p.rows() * row_bytes : 0;
    work.b_bytes = p.n / p.ctas() * row_bytes * (p.text.sparse ? 2 : 1);
    return begin(w, op, perform_product, std::move(work));
}

}  // namespace simtlm::execution
