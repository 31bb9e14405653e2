// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace simtlm::blas {

/// Writes the text of one PTX kernel: allocates virtual registers and labels, and appends
/// instructions. The kernel has one parameter, the array of bytes `arguments`, and dynamic shared
/// memory, `tiles`.
class ptx_writer {
public:
    /// @param capability  compute capability of the target times ten, e.g. 80
    ptx_writer(std::string name, unsigned capability, unsigned threads, unsigned parameter_bytes)
        : name_(std::move(name)),
          capability_(capability),
          threads_(threads),
          parameter_bytes_(parameter_bytes) {}

    // A new virtual register of a type.
    std::string b16() { return fmt::format("%h{}", b16_++); }
    std::string b32() { return fmt::format("%r{}", b32_++); }
    std::string b64() { return fmt::format("%d{}", b64_++); }
    std::string f32() { return fmt::format("%f{}", f32_++); }
    std::string f64() { return fmt::format("%g{}", f64_++); }
    std::string predicate() { return fmt::format("%p{}", predicates_++); }
    /// A new label.
    std::string label() { return fmt::format("$L{}", labels_++); }

    /// Appends an instruction, or a label followed by ':'.
    template <class... Parts>
    void operator()(fmt::format_string<Parts...> format, Parts&&... parts) {
        body_ += "    ";
        fmt::format_to(std::back_inserter(body_), format, std::forward<Parts>(parts)...);
        body_ += body_.back() == ':' ? "\n" : ";\n";
    }

    /// Loads a parameter at a byte offset. @return the register
    std::string parameter_b32(std::size_t offset) {
        const std::string to = b32();
        (*this)("ld.param.b32 {}, [arguments+{}]", to, offset);
        return to;
    }
    std::string parameter_b64(std::size_t offset) {
        const std::string to = b64();
        (*this)("ld.param.b64 {}, [arguments+{}]", to, offset);
        return to;
    }
    /// A new 32-bit register with the result of an instruction, `operation` without its
    /// destination.
    template <class... Parts>
    std::string b32_of(std::string_view operation, fmt::format_string<Parts...> operands,
                       Parts&&... parts) {
        const std::string to = b32();
        (*this)("{} {}, {}", operation, to, fmt::format(operands, std::forward<Parts>(parts)...));
        return to;
    }
    /// The same for 64 bits.
    template <class... Parts>
    std::string b64_of(std::string_view operation, fmt::format_string<Parts...> operands,
                       Parts&&... parts) {
        const std::string to = b64();
        (*this)("{} {}, {}", operation, to, fmt::format(operands, std::forward<Parts>(parts)...));
        return to;
    }
    /// The same for a predicate.
    template <class... Parts>
    std::string predicate_of(std::string_view operation, fmt::format_string<Parts...> operands,
                             Parts&&... parts) {
        const std::string to = predicate();
        (*this)("{} {}, {}", operation, to, fmt::format(operands, std::forward<Parts>(parts)...));
        return to;
    }

    /// A new 16-bit register with an f32 value rounded to the nearest bf16, ties to even; NaN
    /// remains NaN. GPUs before 8.0 have no instruction for it.
    std::string bf16_of(const std::string& value) {
        const std::string to = b16();
        if (capability_ >= 80) {
            (*this)("cvt.rn.bf16.f32 {}, {}", to, value);
            return to;
        }
        const std::string bits = b32_of("mov.b32", "{}", value);
        const std::string odd = b32_of("bfe.u32", "{}, 16, 1", bits);
        const std::string sum =
            b32_of("add.u32", "{}, {}", b32_of("add.u32", "{}, 32767", bits), odd);
        const std::string nan = predicate_of("setp.nan.f32", "{}, {}", value, value);
        const std::string top =
            b32_of("selp.b32", "32767, {}, {}", b32_of("shr.u32", "{}, 16", sum), nan);
        (*this)("cvt.u16.u32 {}, {}", to, top);
        return to;
    }
    /// Loads a bf16 element as f32. @param guard  "@%p " or empty
    void load_bf16(const std::string& to, const std::string& address, unsigned offset,
                   const std::string& guard) {
        const std::string bits = b32();
        (*this)("{}ld.global.u16 {}, [{}+{}]", guard, bits, address, offset);
        (*this)("{}shl.b32 {}, {}, 16", guard, bits, bits);
        (*this)("{}mov.b32 {}, {}", guard, to, bits);
    }

    /// The whole module.
    std::string text() const {
        const std::string target = fmt::format("sm_{}", capability_ >= 90   ? 90
                                                        : capability_ >= 80 ? 80
                                                                            : capability_);
        std::string out = fmt::format(
            ".version {}\n.target {}\n.address_size 64\n"
            ".extern .shared .align 16 .b8 tiles[];\n",
            capability_ >= 90 ? "7.8" : "7.0", target);
        out += fmt::format(
            ".visible .entry {}(.param .align 8 .b8 arguments[{}])\n.maxntid {}, 1, 1\n{{\n", name_,
            parameter_bytes_, threads_);
        const auto declare = [&](const char* type, const char* prefix, unsigned count) {
            if (count != 0) out += fmt::format("    .reg .{} %{}<{}>;\n", type, prefix, count);
        };
        declare("pred", "p", predicates_);
        declare("b16", "h", b16_);
        declare("b32", "r", b32_);
        declare("b64", "d", b64_);
        declare("f32", "f", f32_);
        declare("f64", "g", f64_);
        return out + body_ + "    ret;\n}\n";
    }
    const std::string& name() const { return name_; }

private:
    std::string name_;
    unsigned capability_, threads_, parameter_bytes_;
    unsigned b16_ = 0, b32_ = 0, b64_ = 0, f32_ = 0, f64_ = 0, predicates_ = 0, labels_ = 0;
    std::string body_;
};

}  // namespace simtlm::blas
