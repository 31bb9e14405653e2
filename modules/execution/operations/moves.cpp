// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/moves.h"

#include "modules/execution/state/lanes.h"

namespace simtlm::execution {

namespace {

template <class From, class To>
struct extend {
    static constexpr To apply(From a) { return static_cast<To>(a); }
};

template <class To, class From>
const operation* extension(warp& w, const operation* op) {
    // Uses only the source's own bits; those above are undefined.
    struct convert_bits {
        static To apply(std::make_unsigned_t<From> a) {
            return static_cast<To>(static_cast<From>(a));
        }
    };
    return map<convert_bits, To, std::make_unsigned_t<From>>(w, op);
}

template <class Bits>
struct sum {
    static constexpr Bits apply(Bits a, Bits b) { return a + b; }
};
template <class Bits>
struct copy {
    static constexpr Bits apply(Bits a) { return a; }
};

template <class Bits>
const operation* frame_address(warp& w, const operation* op) {
    auto* const to = lanes_at<Bits>(w, op->destination);
    const auto value = static_cast<Bits>(static_cast<std::uint64_t>(op->immediate) + w.local_base);
    for (unsigned i = 0; i < warp_size; ++i) to[i] = value;  // into a temporary
    return op + 1;
}

/// Bits of an element of a lane.
std::uint64_t element_of(const warp& w, operand_ref s, unsigned lane, unsigned bits) {
    if (bits > 32) return lanes_at<std::uint64_t>(w, s)[lane];
    const std::uint64_t mask = bits == 32 ? 0xffffffff : (1u << bits) - 1;
    return lanes_at<std::uint32_t>(w, s)[lane] & mask;
}

template <class Total>
const operation* pack(warp& w, const operation* op) {
    const unsigned bits = op->detail;
    const auto count = static_cast<unsigned>(op->immediate);
    auto* const to = lanes_at<Total>(w, op->destination);
    for_lanes(w.lanes_of(op), [&](unsigned i) {
        std::uint64_t value = 0;
        for (unsigned e = 0; e < count; ++e)
            value |= element_of(w, op->list[e], i, bits) << (e * bits);
        to[i] = static_cast<Total>(value);
    });
    return op + 1;
}

template <class Total>
const operation* unpack(warp& w, const operation* op) {
    const unsigned bits = op->detail;
    const auto count = static_cast<unsigned>(op->immediate);
    const lane_mask lanes = w.lanes_of(op);
    alignas(64) lane_type<Total> from[warp_size];  // an element may alias the source
    std::memcpy(from, w.at(op->source[0]), sizeof from);
    const std::uint32_t mask = bits >= 32 ? ~0u : (1u << bits) - 1;
    for (unsigned e = 0; e < count; ++e) {
        if (op->list[e] == no_operand) continue;
        auto* const to = lanes_at<std::uint32_t>(w, op->list[e]);
        alignas(64) lane_type<std::uint32_t> part[warp_size];
        for (unsigned i = 0; i < warp_size; ++i)
            part[i] = static_cast<std::uint32_t>(from[i] >> (e * bits)) & mask;
        blend(to, part, lanes);
    }
    return op + 1;
}

/// The usual case: two words form a double word.
const operation* pack_two_words(warp& w, const operation* op) {
    const auto* const low = lanes_at<std::uint32_t>(w, op->list[0]);
    const auto* const high = lanes_at<std::uint32_t>(w, op->list[1]);
    alignas(64) lane_type<std::uint64_t> both[warp_size];
    for (unsigned i = 0; i < warp_size; ++i)
        both[i] = low[i] | static_cast<std::uint64_t>(high[i]) << 32;
    blend(lanes_at<std::uint64_t>(w, op->destination), both, w.lanes_of(op));
    return op + 1;
}

}  // namespace

const operation* negate_mask(warp& w, const operation* op) {
    w.mask_at(op->destination) = ~w.mask_at(op->source[0]);
    return op + 1;
}
const operation* frame_address32(warp& w, const operation* op) {
    return frame_address<std::uint32_t>(w, op);
}
const operation* frame_address64(warp& w, const operation* op) {
    return frame_address<std::uint64_t>(w, op);
}
const operation* add32(warp& w, const operation* op) {
    return map<sum<std::uint32_t>, std::uint32_t, std::uint32_t, std::uint32_t>(w, op);
}
const operation* add64(warp& w, const operation* op) {
    return map<sum<std::uint64_t>, std::uint64_t, std::uint64_t, std::uint64_t>(w, op);
}
const operation* move32(warp& w, const operation* op) {
    return map<copy<std::uint32_t>, std::uint32_t, std::uint32_t>(w, op);
}
const operation* move64(warp& w, const operation* op) {
    return map<copy<std::uint64_t>, std::uint64_t, std::uint64_t>(w, op);
}

handler extension_handler(unsigned from, unsigned to, bool is_signed) {
    const bool wide = to > 32;
    switch (from) {
        case 8:
            if (is_signed)
                return wide ? extension<std::uint64_t, std::int8_t>
                            : extension<std::uint32_t, std::int8_t>;
            return wide ? extension<std::uint64_t, std::uint8_t>
                        : extension<std::uint32_t, std::uint8_t>;
        case 16:
            if (is_signed)
                return wide ? extension<std::uint64_t, std::int16_t>
                            : extension<std::uint32_t, std::int16_t>;
            return wide ? extension<std::uint64_t, std::uint16_t>
                        : extension<std::uint32_t, std::uint16_t>;
        case 64:
            return wide ? move64 : extension<std::uint32_t, std::uint64_t>;
        default:
            if (!wide) return move32;
            return is_signed ? extension<std::uint64_t, std::int32_t>
                             : extension<std::uint64_t, std::uint32_t>;
    }
}

const operation* pack_word(warp& w, const operation* op) {
    return pack<std::uint32_t>(w, op);
}
const operation* pack_double(warp& w, const operation* op) {
    return op->detail == 32 ? pack_two_words(w, op) : pack<std::uint64_t>(w, op);
}
const operation* unpack_word(warp& w, const operation* op) {
    return unpack<std::uint32_t>(w, op);
}
const operation* unpack_double(warp& w, const operation* op) {
    return unpack<std::uint64_t>(w, op);
}

std::int64_t value_of_true(ptx::type t) {
    switch (t) {
        case ptx::type::f32:
            return 0x3f800000;
        case ptx::type::f16:
            return 0x3c00;
        case ptx::type::bf16:
            return 0x3f80;
        case ptx::type::f16x2:
            return 0x3c003c00;
        case ptx::type::bf16x2:
            return 0x3f803f80;
        case ptx::type::u16:
        case ptx::type::s16:
            return 0xffff;
        default:
            return 0xffffffff;
    }
}

}  // namespace simtlm::execution
