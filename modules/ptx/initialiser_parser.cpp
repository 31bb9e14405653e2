// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/initialiser_parser.h"

#include <string>
#include <string_view>
#include <utility>

namespace simtlm::ptx {

namespace {

constexpr unsigned deepest_list = 64;
constexpr std::uint64_t max_bytes = std::uint64_t{1} << 29;

/// The shift that turns `mask` into 0xff; 64 if there is none.
unsigned shift_of_mask(std::uint64_t mask) {
    unsigned shift = 0;
    while (shift < 64 && mask != std::uint64_t{0xff} << shift) shift += 8;
    return shift;
}

}  // namespace

void initialiser_parser::read() {
    v_.initialised = true;
    if (class_of(v_.type) == type_class::opaque) {
        read_properties();
    } else if (c_.in.peek() == '{') {
        read_list(0, 0, 0);
    } else {
        read_element(0);
    }
    if (!v_.unsized) return;
    v_.size = v_.data.bytes.size();
    v_.dimensions.front() = v_.size / bytes_of_dimension(1);
    v_.unsized = false;
}

std::uint64_t initialiser_parser::bytes_of_dimension(std::size_t dimension) const {
    std::uint64_t bytes =
        dimension > v_.dimensions.size() ? element_bytes() : element_bytes() * v_.vector;
    for (std::size_t i = dimension; i < v_.dimensions.size(); ++i) bytes *= v_.dimensions[i];
    return bytes;
}

void initialiser_parser::read_list(std::size_t dimension, std::uint64_t begin, unsigned depth) {
    if (depth > deepest_list) c_.in.fail(c_.in.here(), "an initial value is nested too deeply");
    c_.in.expect('{');
    const std::uint64_t step = bytes_of_dimension(dimension + 1);
    std::uint64_t at = begin;
    while (c_.in.peek() != '}') {
        if (c_.in.peek() == '{') {
            if (step != 0) at = begin + (at - begin + step - 1) / step * step;
            read_list(dimension + 1, at, depth + 1);
            at += step;
        } else {
            read_element(at);
            at += element_bytes();
        }
        if (!c_.in.take(',')) break;
    }
    c_.in.expect('}');
}

void initialiser_parser::reserve(std::uint64_t at, std::uint64_t size, place where) {
    if (!v_.unsized && at + size > v_.size) {
        c_.in.fail(where, "too many initial values for '" + v_.name + "'",
                   "it has " + std::to_string(v_.size) + " bytes");
    }
    if (v_.data.bytes.size() >= at + size) return;
    c_.initialised_bytes += at + size - v_.data.bytes.size();
    if (c_.initialised_bytes > max_bytes) {
        c_.in.fail(where, "the module's initial values are too large",
                   "at most " + std::to_string(max_bytes) + " bytes");
    }
    v_.data.bytes.resize(at + size);
}

void initialiser_parser::store(std::uint64_t at, const constant& c, place where) {
    const auto size = static_cast<unsigned>(element_bytes());
    std::int64_t bits = 0;
    if (!constant_as(c, v_.type, bits)) {
        c_.in.fail(where, "an initial value of another type",
                   "'" + v_.name + "' is ." + std::string(name_of(v_.type)));
    }
    reserve(at, size, where);
    for (unsigned i = 0; i < size && i < 8; ++i) {
        v_.data.bytes[at + i] =
            static_cast<std::uint8_t>(static_cast<std::uint64_t>(bits) >> (8 * i));
    }
}

void initialiser_parser::read_element(std::uint64_t at) {
    const place where = c_.in.here();
    if (!starts_constant(c_.in)) {
        read_symbol(at, static_cast<std::uint8_t>(element_bytes()), 0);
        return;
    }
    const constant c = read_constant(c_.in);
    if (c_.in.peek() == '(' && c.is_integer()) {
        read_masked_symbol(c.bits, at);
    } else {
        store(at, c, where);
    }
}

void initialiser_parser::read_masked_symbol(std::uint64_t mask, std::uint64_t at) {
    const place where = c_.in.here();
    const unsigned shift = shift_of_mask(mask);
    if (shift == 64)
        c_.in.fail(where, "a mask of an address", "expected 0xff, 0xff00, 0xff0000 ...");
    c_.in.expect('(');
    read_symbol(at, 1, static_cast<std::uint8_t>(shift));
    c_.in.expect(')');
}

void initialiser_parser::read_addend(relocation& r) {
    while (c_.in.peek() == '+' || c_.in.peek() == '-') {
        const bool minus = c_.in.take('-');
        if (!minus) c_.in.expect('+');
        const auto value = static_cast<std::int64_t>(read_constant(c_.in).bits);
        r.addend = static_cast<std::int64_t>(static_cast<std::uint64_t>(r.addend) +
                                             static_cast<std::uint64_t>(minus ? 0 : value) -
                                             static_cast<std::uint64_t>(minus ? value : 0));
    }
}

void initialiser_parser::read_symbol(std::uint64_t at, std::uint8_t size, std::uint8_t shift) {
    relocation r;
    r.offset = at;
    r.size = size;
    r.shift = shift;
    place where = c_.in.here();
    std::string_view name = c_.in.expect_name("a constant or the name of a variable or function");
    if (name == "generic" && c_.in.take('(')) {
        r.generic = true;
        where = c_.in.here();
        name = c_.in.expect_name("the name of a variable");
        read_addend(r);
        c_.in.expect(')');
    }
    if (class_of(v_.type) == type_class::floating) {
        c_.in.fail(where, "an address as initial value of a floating-point variable");
    }
    reserve(at, size, where);
    read_addend(r);
    resolve(r, name, where);
    v_.data.relocations.push_back(r);
}

void initialiser_parser::resolve(relocation& r, std::string_view name, place where) {
    const symbol* s = c_.symbols.find(name);
    if (s == nullptr) {
        c_.unresolved.push_back({index_, v_.data.relocations.size(), name, where});
        return;
    }
    if (s->what != symbol::kind::variable && s->what != symbol::kind::function) {
        c_.in.fail(where, "'" + std::string(name) + "' has no address",
                   "expected a variable or a function");
    }
    r.symbol = s->index;
    r.function = s->what == symbol::kind::function;
}

void initialiser_parser::read_property() {
    opaque_property p;
    p.name = c_.in.expect_name("a property such as filter_mode");
    c_.in.expect('=');
    if (starts_constant(c_.in)) {
        p.value = read_constant(c_.in).bits;
    } else {
        p.word = c_.in.expect_name("a value");
    }
    v_.properties.push_back(std::move(p));
}

void initialiser_parser::read_properties() {
    c_.in.expect('{');
    while (c_.in.peek() != '}') {
        if (c_.in.take('{')) {  // element of an array of references
            c_.in.skip_to_brace();
        } else {
            read_property();
        }
        if (!c_.in.take(',')) break;
    }
    c_.in.expect('}');
}

}  // namespace simtlm::ptx
