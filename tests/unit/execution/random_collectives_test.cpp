// SPDX-License-Identifier: Apache-2.0
// Random programs whose lanes reach the same sequence of collective instructions in different
// branches and functions, compared with lanes that proceed together from one to the next.
#include "tests/unit/execution/machine.h"

#include <array>
#include <memory>
#include <random>

namespace simtlm::execution {
namespace {

enum class collective { sum, exchange, ballot };

/// Code that changes a lane's value and executes a range of the program's collective instructions.
struct node {
    enum class kind { change, sequence, branch, call, collective };
    kind is = kind::change;
    std::uint32_t factor = 1, addend = 0;      ///< of a change; of a collective: the addend
    std::uint32_t mask = 0;                    ///< a branch: lanes that take it
    unsigned number = 0;                       ///< of a function, or a collective instruction
    std::vector<std::unique_ptr<node>> parts;  ///< of a sequence; of a branch or function
};

class random_program {
public:
    explicit random_program(unsigned seed) : random_(seed) {
        for (unsigned n = 2 + draw(5); n > 0; --n)
            kinds_.push_back(static_cast<collective>(draw(3)));
        root_ = make(0, static_cast<unsigned>(kinds_.size()), 0);
    }

    std::string text() {
        const std::string body = code_of(*root_);
        return functions_ + R"(
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<4>;
  mov.u32 %r0, %tid.x; mul.lo.u32 %r1, %r0, 7;
)" + body + R"(
  ld.param.u64 %rd0, [out]; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1;
  st.global.u32 [%rd0], %r1; ret;
}
)";
    }

    /// The values of lanes in lockstep.
    std::vector<std::uint32_t> expected() const {
        std::array<std::vector<const node*>, 32> paths;
        for (unsigned lane = 0; lane < 32; ++lane) flatten(*root_, lane, paths[lane]);
        std::vector<std::uint32_t> value(32);
        std::array<std::size_t, 32> next{};
        for (unsigned lane = 0; lane < 32; ++lane) value[lane] = 7 * lane;
        for (std::size_t step = 0; step <= kinds_.size(); ++step) {
            for (unsigned lane = 0; lane < 32; ++lane) {
                const auto& path = paths[lane];
                for (; next[lane] < path.size(); ++next[lane]) {
                    const node& n = *path[next[lane]];
                    if (n.is == node::kind::collective) break;
                    value[lane] = value[lane] * n.factor + n.addend;
                }
                if (step < kinds_.size()) value[lane] += path[next[lane]++]->addend;
            }
            if (step < kinds_.size()) combine(kinds_[step], value);
        }
        return value;
    }

private:
    unsigned draw(unsigned below) { return static_cast<unsigned>(random_() % below); }

    static void combine(collective kind, std::vector<std::uint32_t>& value) {
        const std::vector<std::uint32_t> before = value;
        std::uint32_t sum = 0, votes = 0;
        for (unsigned lane = 0; lane < 32; ++lane) {
            sum += before[lane];
            votes |= (before[lane] & 1) << lane;
        }
        for (unsigned lane = 0; lane < 32; ++lane)
            value[lane] += kind == collective::sum        ? sum
                           : kind == collective::exchange ? before[lane ^ 1]
                                                          : votes;
    }

    std::unique_ptr<node> change() {
        auto n = std::make_unique<node>();
        n->factor = 2 * draw(5) + 1;
        n->addend = draw(256);
        return n;
    }

    /// Code with `count` collective instructions, from number `first` on.
    std::unique_ptr<node> make(unsigned first, unsigned count, unsigned depth) {
        auto n = std::make_unique<node>();
        const unsigned choice = draw(100);
        constexpr unsigned deepest = 6;
        if (depth < deepest && choice < 45) {
            n->is = node::kind::branch;
            n->mask = draw(2) != 0 ? static_cast<std::uint32_t>(random_())
                                   : 0xaaaaaaaau >> draw(2) << draw(3);
            n->parts.push_back(make(first, count, depth + 1));
            n->parts.push_back(make(first, count, depth + 1));
        } else if (depth < deepest && choice < 65) {
            n->is = node::kind::call;
            n->parts.push_back(make(first, count, depth + 1));
        } else if (count > 1) {
            const unsigned half = 1 + draw(count - 1);
            n->is = node::kind::sequence;
            n->parts.push_back(make(first, half, depth));
            n->parts.push_back(change());
            n->parts.push_back(make(first + half, count - half, depth));
        } else {
            n->is = node::kind::collective;
            n->number = first;
            n->addend = draw(64);
        }
        return n;
    }

    static void flatten(const node& n, unsigned lane, std::vector<const node*>& path) {
        if (n.is == node::kind::branch)
            return flatten(*n.parts[(n.mask >> lane & 1) != 0 ? 0 : 1], lane, path);
        if (n.parts.empty()) path.push_back(&n);
        for (const auto& part : n.parts) flatten(*part, lane, path);
    }

    /// %r0: lane; %r1: value.
    std::string code_of(const node& n) {
        const std::string register_name = "%r" + std::to_string(5 + draw(3));
        const auto number = [](std::uint32_t v) { return std::to_string(v); };
        std::string code;
        switch (n.is) {
            case node::kind::change:
                return "mad.lo.u32 %r1, %r1, " + number(n.factor) + ", " + number(n.addend) + ";\n";
            case node::kind::sequence:
                for (const auto& part : n.parts) code += code_of(*part);
                return code;
            case node::kind::branch: {
                const std::string label = number(++labels_);
                code = "shr.u32 %r9, " + number(n.mask) + ", %r0; and.b32 %r9, %r9, 1;\n";
                code += "setp.eq.u32 %p1, %r9, 0; @%p1 bra ELSE" + label + ";\n";
                code += code_of(*n.parts[0]) + "bra.uni MEET" + label + ";\nELSE" + label + ":\n";
                return code + code_of(*n.parts[1]) + "MEET" + label + ":\n";
            }
            case node::kind::call: {
                const std::string name = "f" + number(++functions_made_);
                const std::string body = code_of(*n.parts[0]);
                functions_ += ".func (.param .b32 r) " + name + R"((.param .b32 v, .param .b32 l)
{
  .reg .pred %p<4>; .reg .b32 %r<12>;
  ld.param.u32 %r0, [l]; ld.param.u32 %r1, [v];
)" + body + "st.param.b32 [r+0], %r1; ret;\n}\n";
                return "{ .param .b32 a; .param .b32 l; .param .b32 b; st.param.b32 [a+0], %r1;\n"
                       "st.param.b32 [l+0], %r0; call (b), " +
                       name + ", (a, l); ld.param.b32 %r1, [b+0]; }\n";
            }
            default:
                break;
        }
        code = "add.u32 " + register_name + ", %r1, " + number(n.addend) + ";\n";
        switch (kinds_[n.number]) {
            case collective::sum:
                code += "redux.sync.add.u32 %r8, " + register_name + ", -1;\n";
                break;
            case collective::exchange:
                code += "shfl.sync.bfly.b32 %r8, " + register_name + ", 1, 31, -1;\n";
                break;
            default:
                code += "and.b32 %r8, " + register_name + ", 1; setp.ne.u32 %p2, %r8, 0;\n" +
                        "vote.sync.ballot.b32 %r8, %p2, -1;\n";
        }
        return code + "add.u32 %r1, " + register_name + ", %r8;\n";
    }

    std::mt19937 random_;
    std::vector<collective> kinds_;
    std::unique_ptr<node> root_;
    std::string functions_;
    unsigned labels_ = 0, functions_made_ = 0;
};

TEST(RandomCollectives, ComputeTheValuesOfLockstepInDivergentBranchesAndFunctions) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        random_program program(seed);
        machine m(program.text());
        const auto out = m.buffer(std::vector<std::uint32_t>(32));
        m.run("k", {1, 1, 1}, {32, 1, 1}, out);
        ASSERT_EQ(m.read<std::uint32_t>(out, 32), program.expected()) << seed;
    }
}

}  // namespace
}  // namespace simtlm::execution
