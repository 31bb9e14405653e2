// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/matrix_operations.h"

#include "modules/execution/state/lane_addresses.h"
#include "modules/execution/state/lanes.h"
#include "modules/execution/state/memory_access.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace simtlm::execution {

namespace {

using arithmetic::matrix_fragment;
using arithmetic::matrix_multiply;

constexpr unsigned max_registers = 32;  ///< per fragment

template <class T>
const T& attachment(const operation* op) {
    return *reinterpret_cast<const T*>(op->immediate);
}

/// The registers of one operand of a product.
template <class Bits>
struct fragment_registers {
    const Bits* of[max_registers];

    fragment_registers(const warp& w, const operand_ref* list, unsigned count) {
        for (unsigned i = 0; i < count; ++i) of[i] = reinterpret_cast<const Bits*>(w.at(list[i]));
    }
};

template <class Bits>
void multiply(warp& w, const operation* op, const matrix_multiply& m) {
    const lane_mask lanes = w.lanes_of(op);
    const operand_ref* list = op->list;
    const unsigned results = m.d().registers();
    Bits* to[max_registers];
    alignas(64) Bits scratch[max_registers][warp_size];
    for (unsigned i = 0; i < results; ++i)
        to[i] = lanes == all_lanes ? reinterpret_cast<Bits*>(w.at(list[i])) : scratch[i];
    const fragment_registers<Bits> a(w, list + results, m.a().registers());
    const fragment_registers<Bits> b(w, list + results + m.a().registers(), m.b().registers());
    const fragment_registers<Bits> c(w, list + results + m.a().registers() + m.b().registers(),
                                     m.c().registers());
    if constexpr (sizeof(Bits) == 8) {
        m.apply(a.of, b.of, c.of, to);
    } else {
        const auto words = [&](operand_ref r) {
            return r == no_operand ? nullptr : reinterpret_cast<const Bits*>(w.at(r));
        };
        arithmetic::scale_registers scales;
        if (m.description().scaling.block != 0) {
            const operand_ref* const given =
                list + 2 * results + m.a().registers() + m.b().registers();
            scales.a = words(op->source[1]);
            scales.b = words(op->source[2]);
            unsigned* const selectors[] = {&scales.a_byte, &scales.a_lane, &scales.b_byte,
                                           &scales.b_lane};
            for (unsigned i = 0; i < 4; ++i) *selectors[i] = words(given[i])[0] & 3;
        }
        m.apply(a.of, b.of, c.of, to, words(op->source[0]), scales);
    }
    if (lanes == all_lanes) return;
    for (unsigned i = 0; i < results; ++i)
        blend(lanes_at<Bits>(w, list[i]), reinterpret_cast<const lane_type<Bits>*>(scratch[i]),
              lanes);
}

std::uint64_t address_of(const warp& w, const operation* op, unsigned lane, std::uint64_t offset) {
    return lane_address(w, op->source[0], op->detail, static_cast<std::int64_t>(offset), lane);
}

/// Calls f(lane, element, address, bytes) for each part of a fragment that is contiguous in memory.
template <class Function>
void for_addresses(const warp& w, const operation* op, Function f) {
    const auto& access = attachment<fragment_access>(op);
    const matrix_fragment& fragment = access.fragment;
    // Elements of less than a byte are moved as whole registers.
    const unsigned step = fragment.bits() >= 8 ? 1 : fragment.per_register();
    const unsigned bytes = fragment.bits() * step / 8;
    for_lanes(w.lanes_of(op), [&](unsigned lane) {
        const std::uint64_t base = address_of(w, op, lane, op->source[2]);
        const std::uint64_t stride =
            (op->source[1] == no_operand ? access.default_stride
                                         : lanes_at<std::uint32_t>(w, op->source[1])[lane]) /
            access.packed;
        for (unsigned e = 0; e < fragment.per_lane(); e += step) {
            const std::size_t index =
                arithmetic::matrix_offset(fragment.place(lane, e), access.layout, stride);
            f(lane, e, base + index * fragment.bits() / 8, bytes);
        }
    });
}

/// Calls f(host address, register, lane, first bit in it, bytes) for each of them.
template <class Function>
void for_segments(warp& w, const operation* op, bool stores, Function f) {
    const matrix_fragment& fragment = attachment<fragment_access>(op).fragment;
    const space s = access_detail::space_of(op);
    mapped_range range;
    for_addresses(w, op, [&](unsigned lane, unsigned e, device_address a, std::uint32_t bytes) {
        if (a % bytes != 0) misaligned(w, op, lane, a, bytes);
        if (!range.holds(a, bytes)) range = range_of(w, op, lane, s, a, bytes, stores);
        f(range.at(a), e / fragment.per_register(), lane,
          e % fragment.per_register() * fragment.bits(), bytes);
    });
}

/// Moves a fragment whose registers are contiguous in memory, if all lanes name the same matrix as
/// PTX requires: word by word. @return false: not applicable, nothing has been moved
template <bool Store>
bool move_fragment(warp& w, const operation* op) {
    const auto& access = attachment<fragment_access>(op);
    if (access.line.empty() || w.lanes_of(op) != all_lanes) return false;
    std::uint64_t differs = 0;
    const std::uint64_t base = address_of(w, op, 0, op->source[2]);
    for (unsigned i = 1; i < warp_size; ++i) differs |= address_of(w, op, i, op->source[2]) ^ base;
    std::uint32_t stride = access.default_stride;
    if (op->source[1] != no_operand) {
        const auto* const strides = lanes_at<std::uint32_t>(w, op->source[1]);
        stride = strides[0];
        for (unsigned i = 1; i < warp_size; ++i) differs |= strides[i] ^ stride;
    }
    const unsigned bits = access.fragment.bits();
    if (stride % access.packed != 0) return false;
    stride /= access.packed;
    const std::uint64_t line_bytes = std::uint64_t{stride} * bits / 8;
    if (differs != 0 || ((base | line_bytes) & 3) != 0 || stride * bits % 8 != 0) return false;
    const std::uint64_t end = access.last_line * line_bytes + access.last_element * bits / 8 + 4;
    const mapped_range range = range_of(w, op, 0, access_detail::space_of(op), base, 4, Store);
    if (end > ~std::uint32_t{0} || !range.holds(base, end)) return false;
    std::byte* const first = range.at(base);
    const unsigned registers = access.fragment.registers();
    for (unsigned r = 0; r < registers; ++r) {
        std::byte* const words = w.at(op->list[r]);
        const std::uint32_t* const line = &access.line[r * warp_size];
        const std::uint32_t* const element = &access.element[r * warp_size];
        for (unsigned lane = 0; lane < warp_size; ++lane) {
            std::byte* const at = first + line[lane] * line_bytes + element[lane] * bits / 8;
            if constexpr (Store)
                std::memcpy(at, words + lane * 4, 4);
            else
                std::memcpy(words + lane * 4, at, 4);
        }
    }
    return true;
}

}  // namespace

fragment_access::fragment_access(arithmetic::matrix_fragment f, arithmetic::matrix_layout l)
    : fragment(std::move(f)), layout(l) {
    const bool by_row = layout == arithmetic::matrix_layout::row;
    const unsigned per_register = fragment.per_register();
    if (fragment.bits() > 32) return;
    for (unsigned r = 0; r < fragment.registers(); ++r) {
        for (unsigned lane = 0; lane < warp_size; ++lane) {
            const auto line_of = [&](unsigned i) -> std::uint32_t {
                const arithmetic::matrix_place& at = fragment.place(lane, r * per_register + i);
                return by_row ? at.row : at.column;
            };
            const auto element_of = [&](unsigned i) -> std::uint32_t {
                const arithmetic::matrix_place& at = fragment.place(lane, r * per_register + i);
                return by_row ? at.column : at.row;
            };
            for (unsigned i = 1; i < per_register; ++i) {
                if (line_of(i) == line_of(0) && element_of(i) == element_of(0) + i) continue;
                line.clear();
                element.clear();
                return;
            }
            line.push_back(line_of(0));
            element.push_back(element_of(0));
            last_line = std::max(last_line, line_of(0));
            last_element = std::max(last_element, element_of(0));
        }
    }
}

const operation* multiply_matrices(warp& w, const operation* op) {
    if (w.lanes_of(op) == 0) return op + 1;
    const auto& m = attachment<matrix_multiply>(op);
    if (m.description().d == arithmetic::matrix_element::f64)
        multiply<std::uint64_t>(w, op, m);
    else
        multiply<std::uint32_t>(w, op, m);
    return op + 1;
}

const operation* load_fragment(warp& w, const operation* op) {
    if (move_fragment<false>(w, op)) return op + 1;
    const unsigned lane_bytes = attachment<fragment_access>(op).is_wide ? 8 : 4;
    for_segments(
        w, op, false,
        [&](const std::byte* from, unsigned r, unsigned lane, unsigned bit, unsigned bytes) {
            std::memcpy(w.at(op->list[r]) + lane * lane_bytes + bit / 8, from, bytes);
        });
    return op + 1;
}

const operation* store_fragment(warp& w, const operation* op) {
    if (move_fragment<true>(w, op)) return op + 1;
    const unsigned lane_bytes = attachment<fragment_access>(op).is_wide ? 8 : 4;
    for_segments(w, op, true,
                 [&](std::byte* to, unsigned r, unsigned lane, unsigned bit, unsigned bytes) {
                     std::memcpy(to, w.at(op->list[r]) + lane * lane_bytes + bit / 8, bytes);
                 });
    return op + 1;
}

namespace {

/// Sixteen elements of less than a byte, of which the first is in the lowest bits, as bytes.
void expand_row(const std::byte* row, unsigned bits, std::byte* to) {
    std::uint64_t word = 0;
    unsigned available = 0, next = 0;
    for (unsigned i = 0; i < 16; ++i) {
        for (; available < bits; available += 8)
            word |= std::to_integer<std::uint64_t>(row[next++]) << available;
        to[i] = static_cast<std::byte>(word & ((1u << bits) - 1));
        word >>= bits;
        available -= bits;
    }
}

}  // namespace

namespace {

/// Bits of an element in a row that is packed; 0: it is not.
unsigned packed_bits(matrix_rows form) {
    switch (form) {
        case matrix_rows::packed4:
        case matrix_rows::bytes_packed4:
            return 4;
        case matrix_rows::packed6:
        case matrix_rows::bytes_packed6:
            return 6;
        default:
            return 0;
    }
}

/// The lane with the address of a row, and the byte of it that a lane has in a register (CUTLASS,
/// Copy_Traits of SM100_U8x16_LDSM_T and SM100_U8x16_STSM_T).
arithmetic::ldmatrix_source byte_place(unsigned lane, unsigned r, unsigned byte, bool loads) {
    const unsigned column = lane / 4 + byte / 2 * 8;
    if (loads) return {byte % 2 + r % 2 * 2 + lane % 4 * 4 + r / 2 * 16, column};
    return {lane % 4 * 2 + byte % 2 + r * 8, column};
}

}  // namespace

const operation* load_matrices(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    const unsigned registers = op->destination2;
    const matrix_rows form = static_cast<matrix_rows>(op->source[3]);
    const bool transposed = form == matrix_rows::transposed;
    const space s = access_detail::space_of(op);
    const std::byte* rows[warp_size];
    std::byte expanded[warp_size][16];
    for (unsigned i = 0; i < registers * 8; ++i) {
        const device_address a = address_of(w, op, i, static_cast<std::uint64_t>(op->immediate));
        if (a % 16 != 0) misaligned(w, op, i, a, 16);
        rows[i] = range_of(w, op, i, s, a, 16, false).at(a);
        if (packed_bits(form) == 0) continue;
        expand_row(rows[i], packed_bits(form), expanded[i]);
        rows[i] = expanded[i];
    }
    for (unsigned r = 0; r < registers; ++r) {
        auto* const to = lanes_at<std::uint32_t>(w, op->list[r]);
        if (form >= matrix_rows::bytes) {
            for_lanes(lanes, [&](unsigned lane) {
                std::uint32_t word = 0;
                for (unsigned byte = 0; byte < 4; ++byte) {
                    const auto place = byte_place(lane, r, byte, true);
                    word |= static_cast<std::uint32_t>(rows[place.address_lane][place.element])
                            << 8 * byte;
                }
                to[lane] = word;
            });
            continue;
        }
        for_lanes(lanes, [&](unsigned lane) {
            std::uint16_t half[2];
            for (unsigned h = 0; h < 2; ++h) {
                const auto place = arithmetic::ldmatrix_place(lane, r, h, transposed);
                std::memcpy(&half[h], rows[place.address_lane] + 2 * place.element, 2);
            }
            to[lane] = arithmetic::make_pair(half[0], half[1]);
        });
    }
    return op + 1;
}

const operation* store_matrices(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    const unsigned registers = op->destination2;
    const matrix_rows form = static_cast<matrix_rows>(op->source[3]);
    const bool transposed = form == matrix_rows::transposed, bytes = form == matrix_rows::bytes;
    const space s = access_detail::space_of(op);
    std::byte* rows[warp_size];
    for (unsigned i = 0; i < registers * 8; ++i) {
        const device_address a = address_of(w, op, i, static_cast<std::uint64_t>(op->immediate));
        if (a % 16 != 0) misaligned(w, op, i, a, 16);
        rows[i] = range_of(w, op, i, s, a, 16, true).at(a);
    }
    for (unsigned r = 0; r < registers; ++r) {
        const auto* const from = lanes_at<std::uint32_t>(w, op->list[r]);
        for_lanes(lanes, [&](unsigned lane) {
            for (unsigned byte = 0; byte < 4 && bytes; ++byte) {
                const auto place = byte_place(lane, r, byte, false);
                rows[place.address_lane][place.element] =
                    static_cast<std::byte>(from[lane] >> 8 * byte);
            }
            for (unsigned h = 0; h < 2 && !bytes; ++h) {
                const auto place = arithmetic::ldmatrix_place(lane, r, h, transposed);
                const auto half = static_cast<std::uint16_t>(from[lane] >> 16 * h);
                std::memcpy(rows[place.address_lane] + 2 * place.element, &half, 2);
            }
        });
    }
    return op + 1;
}

void visit_fragment(const warp& w, const operation* op, const range_visitor& f) {
    for_addresses(w, op, [&](unsigned lane, unsigned, device_address a, std::uint32_t bytes) {
        f(lane, a, bytes);
    });
}

void visit_matrix_rows(const warp& w, const operation* op, const range_visitor& f) {
    for (unsigned i = 0; i < op->destination2 * 8; ++i)
        f(i, address_of(w, op, i, static_cast<std::uint64_t>(op->immediate)), 16);
}

const operation* transpose_matrix(warp& w, const operation* op) {
    alignas(64) std::uint32_t result[warp_size];
    arithmetic::movmatrix(reinterpret_cast<const std::uint32_t*>(w.at(op->source[0])), result);
    blend(lanes_at<std::uint32_t>(w, op->destination),
          reinterpret_cast<const lane_type<std::uint32_t>*>(result), w.lanes_of(op));
    return op + 1;
}

}  // namespace simtlm::execution
