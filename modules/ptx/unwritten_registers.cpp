// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/unwritten_registers.h"

#include "modules/ptx/register_uses.h"

namespace simtlm::ptx {

namespace {

/// Computes the registers that are written on every path to a point, for those that some block
/// reads before it writes them.
class analysis {
public:
    analysis(const function& f, const control_flow& flow)
        : f_(f), flow_(flow), number_(f.registers.size(), no_index) {}

    unwritten_registers run() {
        unwritten_registers found;
        found.may_read.assign(f_.code.size(), false);
        number_candidates();
        if (candidates_.empty()) return found;
        solve();
        std::vector<bool> unwritten(candidates_.size(), false);
        for (std::size_t b = 0; b < flow_.blocks.size(); ++b)
            if (flow_.blocks[b].reachable)
                walk(b, in_[b], [&](std::uint32_t instruction, std::uint32_t candidate) {
                    found.may_read[instruction] = true;
                    unwritten[candidate] = true;
                });
        for (std::uint32_t r = 0; r < number_.size(); ++r)
            if (number_[r] != no_index && unwritten[number_[r]]) found.registers.push_back(r);
        return found;
    }

private:
    using set = std::vector<bool>;

    /// A guarded instruction may leave a register unwritten.
    template <class Action>
    void for_sure_writes(const instruction& i, const Action& act) const {
        if (i.guard == no_index) for_writes(f_, i, act);
    }

    void number_candidates() {
        std::vector<std::uint32_t> written_in(f_.registers.size(), no_index);
        set given(f_.registers.size(), false);
        for (const parameter& p : f_.parameters)
            if (p.in_register) given[p.index] = true;
        for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
            if (!flow_.blocks[b].reachable) continue;
            for (std::uint32_t i = flow_.blocks[b].first; i <= flow_.blocks[b].last; ++i) {
                for_reads(f_, f_.code[i], [&](std::uint32_t r) {
                    if (given[r] || written_in[r] == b || number_[r] != no_index) return;
                    number_[r] = static_cast<std::uint32_t>(candidates_.size());
                    candidates_.push_back(r);
                });
                for_sure_writes(f_.code[i], [&](std::uint32_t r) { written_in[r] = b; });
            }
        }
    }

    /// Traverses a block. @param read  called for each instruction that reads a candidate which may
    /// not have been written
    template <class Function>
    void walk(std::size_t b, set written, Function read) {
        for (std::uint32_t i = flow_.blocks[b].first; i <= flow_.blocks[b].last; ++i) {
            for_reads(f_, f_.code[i], [&](std::uint32_t r) {
                const std::uint32_t n = number_[r];
                if (n != no_index && !written[n]) read(i, n);
            });
            for_sure_writes(f_.code[i], [&](std::uint32_t r) {
                if (number_[r] != no_index) written[number_[r]] = true;
            });
        }
    }

    set written_in(std::size_t b) const {
        set written(candidates_.size(), false);
        for (std::uint32_t i = flow_.blocks[b].first; i <= flow_.blocks[b].last; ++i)
            for_sure_writes(f_.code[i], [&](std::uint32_t r) {
                if (number_[r] != no_index) written[number_[r]] = true;
            });
        return written;
    }

    /// Computes the largest solution: a block's input is the intersection over all its
    /// predecessors.
    void solve() {
        const std::size_t blocks = flow_.blocks.size();
        in_.assign(blocks, set(candidates_.size(), true));
        in_[0].assign(candidates_.size(), false);
        std::vector<set> writes;
        for (std::size_t b = 0; b < blocks; ++b) writes.push_back(written_in(b));
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t b = 0; b < blocks; ++b) {
                if (!flow_.blocks[b].reachable) continue;
                for (const std::uint32_t s : flow_.blocks[b].successors)
                    if (s < blocks) changed |= narrow(in_[s], in_[b], writes[b]);
            }
        }
    }

    /// to = to & (in | writes). @return whether it has changed
    static bool narrow(set& to, const set& in, const set& writes) {
        bool changed = false;
        for (std::size_t n = 0; n < to.size(); ++n)
            if (to[n] && !in[n] && !writes[n]) {
                to[n] = false;
                changed = true;
            }
        return changed;
    }

    const function& f_;
    const control_flow& flow_;
    std::vector<std::uint32_t> number_;  ///< index of a register in the candidates
    std::vector<std::uint32_t> candidates_;
    std::vector<set> in_;
};

}  // namespace

unwritten_registers find_unwritten_registers(const function& f, const control_flow& flow) {
    if (f.code.empty()) return {{}, {}};
    return analysis(f, flow).run();
}

}  // namespace simtlm::ptx
