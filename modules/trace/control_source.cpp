// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/control_source.h"

#include <algorithm>

namespace simtlm::trace {

bool control_source::read(block_trace& block, const std::atomic<bool>& stop) {
    if (!blocks_->read(block, stop)) return false;
    const warp_path* before = nullptr;
    for (const block_trace::warp_range& w : block.warps) {
        if (w.count == 0 || (w.path != nullptr && w.path.get() == before)) continue;
        before = w.path.get();
        const program::dynamic_instruction* const first = block.begin_of(w);
        add_path(first, first + w.count);
    }
    if (!found_.empty()) schedule();
    return true;
}

void control_source::connect(unsigned from, unsigned to) {
    if (from == none || to == none) return;
    auto& s = found_[from].successors;
    if (std::find(s.begin(), s.end(), to) == s.end()) s.push_back(to);
}

/// Splits a basic block at an instruction that is the target of a control transfer.
void control_source::split(place where) {
    const auto fresh = static_cast<unsigned>(found_.size());
    const unsigned old = where.block;
    const auto first = static_cast<std::ptrdiff_t>(where.index);
    found_.emplace_back();
    auto& code = found_[old].code;
    found_[fresh].code.assign(code.begin() + first, code.end());
    code.erase(code.begin() + first, code.end());
    found_[fresh].successors.swap(found_[old].successors);
    found_[old].successors = {fresh};
    for (unsigned k = 0; k < found_[fresh].code.size(); ++k)
        place_of_[found_[fresh].code[k]] = {fresh, k};
}

/// Finds the basic blocks on a warp's path that have no control bits yet.
void control_source::add_path(const program::dynamic_instruction* first,
                              const program::dynamic_instruction* last) {
    place at;            // of the previous instruction; none: it has been scheduled before
    bool begins = true;  // whether a basic block begins
    const program::static_instruction* before = nullptr;
    for (const program::dynamic_instruction* d = first; d != last; before = d->info, ++d) {
        const program::static_instruction& i = *d->info;
        if (i.control.present) {
            at = {};
            begins = true;
            continue;
        }
        if (before != nullptr && (before->scheduling == program::scheduling_class::branch ||
                                  i.pc != before->pc + before->code_bytes))
            begins = true;
        if (!begins && at.block != none) {
            const auto& code = found_[at.block].code;
            if (at.index + 1 < code.size() && code[at.index + 1] == &i) {
                ++at.index;
                continue;
            }
        }
        const auto known = place_of_.find(&i);
        if (known != place_of_.end()) {
            if (known->second.index != 0) {
                split(known->second);
                if (at.block != none) at = place_of_.at(before);
            }
            connect(at.block, known->second.block);
            at = known->second;
            begins = false;
            continue;
        }
        if (begins || at.block == none || at.index + 1 != found_[at.block].code.size()) {
            found_.emplace_back();
            const auto fresh = static_cast<unsigned>(found_.size() - 1);
            connect(at.block, fresh);
            at = {fresh, 0};
        } else {
            ++at.index;
        }
        found_[at.block].code.push_back(&i);
        place_of_.emplace(&i, at);
        begins = false;
    }
}

void control_source::schedule() {
    program::control_assigner assigner(program::dependence_latencies::of(header_.binary_version));
    const auto bits = assigner.assign(found_);
    for (std::size_t b = 0; b < found_.size(); ++b)
        for (std::size_t n = 0; n < found_[b].code.size(); ++n)
            // Owned by the reader, and not yet visible to others.
            const_cast<program::static_instruction*>(found_[b].code[n])->control = bits[b][n];
    found_.clear();
    place_of_.clear();
}

}  // namespace simtlm::trace
