// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/constant.h"
#include "modules/ptx/parse_context.h"

#include <cstddef>
#include <cstdint>

namespace simtlm::ptx {

/// Parses the initial value of a variable, after the `=`.
class initialiser_parser {
public:
    initialiser_parser(parse_context& context, variable& v, std::uint32_t index)
        : c_(context), v_(v), index_(index) {}

    /// Parses the initialiser and stores its values in the variable.
    void read();

private:
    void read_list(std::size_t dimension, std::uint64_t begin, unsigned depth);
    void read_element(std::uint64_t at);
    void read_masked_symbol(std::uint64_t mask, std::uint64_t at);
    void read_symbol(std::uint64_t at, std::uint8_t size, std::uint8_t shift);
    void read_addend(relocation& r);
    void resolve(relocation& r, std::string_view name, place where);
    void read_properties();
    void read_property();
    void reserve(std::uint64_t at, std::uint64_t size, place where);
    void store(std::uint64_t at, const constant& c, place where);

    std::uint64_t element_bytes() const { return bytes_of(v_.type); }
    std::uint64_t bytes_of_dimension(std::size_t dimension) const;

    parse_context& c_;
    variable& v_;
    std::uint32_t index_;
};

}  // namespace simtlm::ptx
