// SPDX-License-Identifier: Apache-2.0
#include "tests/system/random_program.h"

#include <random>

namespace simtlm::test {

namespace {

constexpr unsigned values = 8;  // registers %v0 to %v7

class writer {
public:
    explicit writer(unsigned seed) : random_(seed) {}

    std::string text() {
        line("ld.param.u64 %table, [table];");
        line("ld.param.u64 %list, [list];");
        line("mov.u32 %here, here;");
        line("mov.u32 %thread, %tid.x;");
        line("mov.u32 %block, %ctaid.x;");
        line("mad.lo.u32 %id, %block, 128, %thread;");
        for (unsigned v = 0; v < values; ++v)
            line("mad.lo.u32 %v" + std::to_string(v) + ", %id, " + constant() + ", " + constant() +
                 ";");
        for (unsigned n = 0; n < 6; ++n) part(0);
        for (unsigned v = 1; v < values; ++v)
            line("xor.b32 %v0, %v0, %v" + std::to_string(v) + ";");
        line("mul.wide.u32 %offset, %id, 4;");
        line("add.u64 %address, %list, %offset;");
        line("st.global.u32 [%address], %v0;");
        return body_;
    }

private:
    unsigned draw(unsigned below) {
        return std::uniform_int_distribution<unsigned>(0, below - 1)(random_);
    }
    std::string constant() { return std::to_string(random_() & 0x7fffffff); }
    std::string value() { return "%v" + std::to_string(draw(values)); }
    std::string operand() { return draw(3) == 0 ? constant() : value(); }
    std::string label() { return "$L" + std::to_string(labels_++); }
    void line(const std::string& text) { body_ += "    " + text + "\n"; }

    void part(unsigned depth) {
        switch (draw(depth < 2 ? 6 : 2)) {
            case 0:
                return arithmetic();
            case 1:
                return load();
            case 2:
            case 3:
                return choice(depth);
            case 4:
                return loop(depth);
            default:
                if (depth == 0) exchange();
                return arithmetic();
        }
    }
    void arithmetic() {
        static const char* const two[] = {"add.u32", "sub.u32", "mul.lo.u32", "xor.b32",
                                          "and.b32", "or.b32",  "min.u32",    "max.s32",
                                          "shl.b32", "shr.u32", "rem.u32",    "mul.hi.u32"};
        for (unsigned n = 0; n < 4; ++n) {
            const std::string op = two[draw(12)];
            const std::string right = op == "rem.u32" ? "1009" : operand();
            line(op + " " + value() + ", " + value() + ", " + right + ";");
        }
        line("cvt.rn.f32.u32 %f0, " + value() + ";");
        line("fma.rn.f32 %f0, %f0, 0f3F000000, 0f40000000;");
        line("cvt.rzi.u32.f32 %t, %f0;");
        line("xor.b32 " + value() + ", " + value() + ", %t;");
    }
    void load() {
        line("and.b32 %t, " + value() + ", 255;");
        line("mul.wide.u32 %offset, %t, 4;");
        line("add.u64 %address, %table, %offset;");
        line("ld.global.u32 %t, [%address];");
        line("add.u32 " + value() + ", " + value() + ", %t;");
    }
    void choice(unsigned depth) {
        const std::string other = label(), end = label();
        line("and.b32 %t, " + value() + ", 3;");
        line("setp.eq.u32 %p, %t, 1;");
        line("@%p bra " + other + ";");
        part(depth + 1);
        line("bra " + end + ";");
        body_ += other + ":\n";
        part(depth + 1);
        body_ += end + ":\n";
    }
    void loop(unsigned depth) {
        const std::string counter = "%n" + std::to_string(depth), begin = label();
        line("and.b32 " + counter + ", " + value() + ", 7;");
        body_ += begin + ":\n";
        part(depth + 1);
        line("add.u32 " + counter + ", " + counter + ", -1;");
        line("setp.gt.s32 %p, " + counter + ", 0;");
        line("@%p bra " + begin + ";");
    }
    /// Passes a value to another thread of the block.
    void exchange() {
        line("mad.lo.u32 %t, %thread, 4, %here;");
        line("st.shared.u32 [%t], " + value() + ";");
        line("bar.sync 0;");
        line("xor.b32 %t, %t, " + std::to_string(4 * draw(128)) + ";");
        line("ld.shared.u32 %t, [%t];");
        line("bar.sync 0;");
        line("add.u32 " + value() + ", " + value() + ", %t;");
    }

    std::mt19937 random_;
    std::string body_;
    unsigned labels_ = 0;
};

}  // namespace

std::string random_program(unsigned seed) {
    return R"(.version 6.4
.target sm_70
.address_size 64
.visible .entry drawn(.param .u64 table, .param .u64 list)
{
    .shared .align 4 .b8 here[512];
    .reg .pred %p;
    .reg .f32 %f0;
    .reg .b32 %v<8>;
    .reg .b32 %n<4>;
    .reg .b32 %t, %thread, %block, %id, %here;
    .reg .b64 %table, %list, %offset, %address;
)" + writer(seed).text() +
           "    ret;\n}\n";
}

}  // namespace simtlm::test
