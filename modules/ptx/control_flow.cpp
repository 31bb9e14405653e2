// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/control_flow.h"

#include <algorithm>
#include <utility>

namespace simtlm::ptx {

namespace {

class analyser {
public:
    analyser(const module& m, const function& f) : m_(m), f_(f) {}

    control_flow run() {
        find_blocks();
        connect();
        mark_reachable();
        find_aborts();
        give_endless_loops_an_exit();
        find_post_dominators();
        set_reconvergence();
        return std::move(flow_);
    }

private:
    opcode op_of(const instruction& i) const { return m_.operation_of(i).op; }

    static bool leaves(opcode o) { return o == opcode::ret || o == opcode::exit; }
    static bool branches(opcode o) { return o == opcode::bra || o == opcode::brx_idx; }

    bool ends_block(const instruction& i) const {
        const opcode o = op_of(i);
        return leaves(o) || branches(o) || (o == opcode::call && i.guard != no_index);
    }

    void find_blocks() {
        const auto count = static_cast<std::uint32_t>(f_.code.size());
        std::vector<bool> leads(count + 1, false);
        leads[0] = true;
        for (const named_label& l : f_.labels) leads[l.instruction] = true;
        for (std::uint32_t i = 0; i < count; ++i) {
            if (ends_block(f_.code[i])) leads[i + 1] = true;
        }
        flow_.block_of.resize(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            if (leads[i]) {
                flow_.blocks.emplace_back();
                flow_.blocks.back().first = i;
            }
            flow_.blocks.back().last = i;
            flow_.block_of[i] = static_cast<std::uint32_t>(flow_.blocks.size() - 1);
        }
        end_ = static_cast<std::uint32_t>(flow_.blocks.size());
    }

    /// The block of an instruction, or the end of the function.
    std::uint32_t block_at(std::uint32_t instruction) const {
        return instruction < flow_.block_of.size() ? flow_.block_of[instruction] : end_;
    }

    void add_target(basic_block& b, std::uint32_t block) {
        if (std::find(b.successors.begin(), b.successors.end(), block) == b.successors.end()) {
            b.successors.push_back(block);
        }
    }

    void connect() {
        for (basic_block& b : flow_.blocks) {
            const instruction& last = f_.code[b.last];
            const opcode o = op_of(last);
            if (o == opcode::bra) add_target(b, block_at(f_.operand_of(last, 0).index));
            if (o == opcode::brx_idx) {
                for (const std::uint32_t t :
                     f_.branch_targets[f_.operand_of(last, 1).index].targets) {
                    add_target(b, block_at(t));
                }
            }
            if (leaves(o)) add_target(b, end_);
            const bool always_goes = leaves(o) || branches(o);
            if (!always_goes || last.guard != no_index) add_target(b, block_at(b.last + 1));
        }
    }

    void mark_reachable() {
        std::vector<std::uint32_t> work;
        const auto visit = [&](std::uint32_t b) {
            if (b == end_ || flow_.blocks[b].reachable) return;
            flow_.blocks[b].reachable = true;
            work.push_back(b);
        };
        if (end_ > 0) visit(0);
        while (!work.empty()) {
            const std::uint32_t b = work.back();
            work.pop_back();
            for (const std::uint32_t s : flow_.blocks[b].successors) visit(s);
        }
    }

    /// Whether an instruction aborts the whole launch: a trap or a failed assertion.
    bool ends_launch(const instruction& i) const {
        if (i.guard != no_index) return false;
        if (op_of(i) == opcode::trap) return true;
        if (op_of(i) != opcode::call) return false;
        const operand& target = f_.operand_of(i, 1);
        return target.kind == operand_kind::function &&
               m_.functions[target.index].name == "__assertfail";
    }

    /// Finds the blocks after which no lane continues.
    void find_aborts() {
        aborts_.assign(end_ + 1, false);
        for (std::uint32_t b = 0; b < end_; ++b)
            for (std::uint32_t i = flow_.blocks[b].first; i <= flow_.blocks[b].last; ++i)
                if (ends_launch(f_.code[i])) aborts_[b] = true;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::uint32_t b = end_; b-- > 0;) {
                const auto& next = flow_.blocks[b].successors;
                const bool all = !next.empty() && std::all_of(next.begin(), next.end(),
                                                              [&](auto s) { return aborts_[s]; });
                if (aborts_[b] || !all) continue;
                aborts_[b] = changed = true;
            }
        }
    }

    /// Successors of a block at which lanes may reconverge, excluding those that abort.
    std::vector<std::uint32_t> continuations(std::uint32_t b) const {
        if (aborts_[b]) return {end_};
        std::vector<std::uint32_t> list;
        for (const std::uint32_t s : flow_.blocks[b].successors)
            if (!aborts_[s]) list.push_back(s);
        return list;
    }

    std::vector<std::vector<std::uint32_t>> predecessors() const {
        std::vector<std::vector<std::uint32_t>> list(end_ + 1);
        for (std::uint32_t b = 0; b < end_; ++b) {
            for (const std::uint32_t s : continuations(b)) list[s].push_back(b);
        }
        for (const std::uint32_t b : extra_exits_) list[end_].push_back(b);
        return list;
    }

    void give_endless_loops_an_exit() {
        const auto before = predecessors();
        std::vector<bool> reaches(end_ + 1, false);
        std::vector<std::uint32_t> work;
        const auto flood = [&](std::uint32_t from) {
            reaches[from] = true;
            work.push_back(from);
            while (!work.empty()) {
                const std::uint32_t b = work.back();
                work.pop_back();
                for (const std::uint32_t p : before[b]) {
                    if (reaches[p]) continue;
                    reaches[p] = true;
                    work.push_back(p);
                }
            }
        };
        flood(end_);
        for (std::uint32_t b = end_; b-- > 0;) {
            if (reaches[b]) continue;
            extra_exits_.push_back(b);
            flood(b);
        }
    }

    /// Blocks in post-order of a backward traversal from the end.
    std::vector<std::uint32_t> backward_post_order(
        const std::vector<std::vector<std::uint32_t>>& before) const {
        std::vector<std::uint32_t> order;
        std::vector<bool> seen(end_ + 1, false);
        std::vector<std::pair<std::uint32_t, std::size_t>> stack{{end_, 0}};
        seen[end_] = true;
        while (!stack.empty()) {
            auto& [block, next] = stack.back();
            if (next == before[block].size()) {
                order.push_back(block);
                stack.pop_back();
                continue;
            }
            const std::uint32_t p = before[block][next++];
            if (seen[p]) continue;
            seen[p] = true;
            stack.emplace_back(p, 0);
        }
        return order;
    }

    /// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed graph.
    void find_post_dominators() {
        const std::vector<std::uint32_t> order = backward_post_order(predecessors());
        std::vector<std::uint32_t> rank(end_ + 1, 0);
        for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
        std::vector<std::uint32_t> dominator(end_ + 1, no_index);
        dominator[end_] = end_;
        const auto common_post_dominator = [&](std::uint32_t a, std::uint32_t b) {
            while (a != b) {
                while (rank[a] < rank[b]) a = dominator[a];
                while (rank[b] < rank[a]) b = dominator[b];
            }
            return a;
        };
        std::vector<bool> leaves_extra(end_ + 1, false);
        for (const std::uint32_t b : extra_exits_) leaves_extra[b] = true;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t i = order.size() - 1; i-- > 0;) {
                const std::uint32_t b = order[i];
                std::uint32_t found = leaves_extra[b] ? end_ : no_index;
                for (const std::uint32_t s : continuations(b)) {
                    if (dominator[s] == no_index) continue;
                    found = found == no_index ? s : common_post_dominator(found, s);
                }
                if (found == dominator[b]) continue;
                dominator[b] = found;
                changed = true;
            }
        }
        for (std::uint32_t b = 0; b < end_; ++b) {
            flow_.blocks[b].post_dominator = dominator[b] == end_ ? no_index : dominator[b];
        }
    }

    void set_reconvergence() {
        flow_.reconvergence.assign(f_.code.size(), no_index);
        for (const basic_block& b : flow_.blocks) {
            const instruction& last = f_.code[b.last];
            const opcode o = op_of(last);
            if (o == opcode::call && last.guard != no_index)
                flow_.reconvergence[b.last] = b.last + 1;
            if (!branches(o) || b.post_dominator == no_index) continue;
            flow_.reconvergence[b.last] = flow_.blocks[b.post_dominator].first;
        }
    }

    const module& m_;
    const function& f_;
    control_flow flow_;
    std::uint32_t end_ = 0;  ///< number of the virtual block that represents the end of the
                             ///< function
    std::vector<std::uint32_t> extra_exits_;
    std::vector<bool> aborts_;  ///< by block
};

}  // namespace

control_flow analyse_control_flow(const module& m, const function& f) {
    return f.code.empty() ? control_flow() : analyser(m, f).run();
}

}  // namespace simtlm::ptx
