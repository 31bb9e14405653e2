// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/register_allocation.h"

#include "modules/ptx/register_uses.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace simtlm::ptx {

namespace {

constexpr std::size_t largest_live_sets = std::size_t{1} << 28;  ///< bytes of live sets

/// First and last instruction at which a register holds a live value.
struct interval {
    std::uint32_t first = no_index;
    std::uint32_t last = 0;

    bool used() const { return first != no_index; }
    void add(std::uint32_t at) {
        first = std::min(first, at);
        last = std::max(last, at);
    }
};

class interval_builder {
public:
    interval_builder(const function& f, const control_flow& flow)
        : f_(f), flow_(flow), intervals_(f.registers.size()), read_(f.registers.size(), false) {}

    /// @return empty if the function is too large to be analysed
    std::vector<interval> run() {
        number_globals();
        words_ = (globals_.size() + 63) / 64;
        if (words_ * 8 * flow_.blocks.size() * 3 > largest_live_sets) return {};
        solve();
        for (std::uint32_t i = 0; i < f_.code.size(); ++i) add_mentions(i);
        for (std::size_t b = 0; b < flow_.blocks.size(); ++b) {
            add_set(in_[b], flow_.blocks[b].first);
            add_set(live_out(b), flow_.blocks[b].last);
        }
        const auto end = static_cast<std::uint32_t>(f_.code.size());
        const auto keep = [&](std::uint32_t r) { intervals_[r] = {0, end + written_early}; };
        for (std::uint32_t r = 0; r < intervals_.size(); ++r)
            if (intervals_[r].used() && (!read_[r] || is_in(in_[0], r))) keep(r);
        for (const auto* list : {&f_.parameters, &f_.results})
            for (const parameter& p : *list)
                if (p.in_register) keep(p.index);
        return std::move(intervals_);
    }

private:
    using set = std::vector<std::uint64_t>;

    /// In the timing model a load writes its registers at the end of the cycle, when another
    /// instruction may have issued.
    static constexpr std::uint32_t written_early = 2;

    /// Only registers that occur in several blocks can be live between blocks, and those that a
    /// block may read before it writes them.
    void number_globals() {
        number_.assign(f_.registers.size(), no_index);
        std::vector<std::uint32_t> seen(f_.registers.size(), no_index);
        std::vector<bool> written(f_.registers.size(), false);
        const auto make_global = [&](std::uint32_t r) {
            if (number_[r] != no_index) return;
            number_[r] = static_cast<std::uint32_t>(globals_.size());
            globals_.push_back(r);
        };
        for (std::uint32_t i = 0; i < f_.code.size(); ++i) {
            const std::uint32_t b = flow_.block_of[i];
            const auto mention = [&](std::uint32_t r) {
                if (seen[r] != no_index && seen[r] != b) make_global(r);
                seen[r] = b;
            };
            for_reads(f_, f_.code[i], [&](std::uint32_t r) {
                if (!written[r]) make_global(r);
                mention(r);
            });
            for_writes(f_, f_.code[i], [&](std::uint32_t r) {
                if (f_.code[i].guard == no_index) written[r] = true;
                mention(r);
            });
        }
    }

    void solve() {
        const std::size_t blocks = flow_.blocks.size();
        in_.assign(blocks, set(words_, 0));
        std::vector<set> uses(blocks, set(words_, 0)), defines(blocks, set(words_, 0));
        for (std::size_t b = 0; b < blocks; ++b) summarise(b, uses[b], defines[b]);
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t b = blocks; b-- > 0;) {
                const set out = live_out(b);
                for (std::size_t w = 0; w < words_; ++w) {
                    const std::uint64_t next = uses[b][w] | (out[w] & ~defines[b][w]);
                    changed = changed || next != in_[b][w];
                    in_[b][w] = next;
                }
            }
        }
    }

    void summarise(std::size_t b, set& uses, set& defines) const {
        const auto bit = [](std::uint32_t n) { return std::uint64_t{1} << n % 64; };
        for (std::uint32_t i = flow_.blocks[b].last + 1; i-- > flow_.blocks[b].first;) {
            const instruction& each = f_.code[i];
            if (each.guard == no_index)
                for_writes(f_, each, [&](std::uint32_t r) {
                    if (number_[r] == no_index) return;
                    defines[number_[r] / 64] |= bit(number_[r]);
                    uses[number_[r] / 64] &= ~bit(number_[r]);
                });
            for_reads(f_, each, [&](std::uint32_t r) {
                if (number_[r] != no_index) uses[number_[r] / 64] |= bit(number_[r]);
            });
        }
    }

    set live_out(std::size_t b) const {
        set out(words_, 0);
        for (const std::uint32_t s : flow_.blocks[b].successors)
            if (s < in_.size())
                for (std::size_t w = 0; w < words_; ++w) out[w] |= in_[s][w];
        return out;
    }

    bool is_in(const set& s, std::uint32_t r) const {
        return number_[r] != no_index && (s[number_[r] / 64] >> number_[r] % 64 & 1) != 0;
    }
    void add_set(const set& s, std::uint32_t at) {
        for (std::size_t w = 0; w < words_; ++w)
            for (std::uint64_t left = s[w]; left != 0; left &= left - 1)
                intervals_[globals_[w * 64 + static_cast<unsigned>(__builtin_ctzll(left))]].add(at);
    }
    void add_mentions(std::uint32_t i) {
        for_reads(f_, f_.code[i], [&](std::uint32_t r) {
            read_[r] = true;
            intervals_[r].add(i);
        });
        for_writes(f_, f_.code[i], [&](std::uint32_t r) {
            intervals_[r].add(i);
            intervals_[r].add(i + written_early);
        });
    }

    const function& f_;
    const control_flow& flow_;
    std::vector<interval> intervals_;
    std::vector<bool> read_;
    std::vector<std::uint32_t> number_;   ///< index of a register in globals_
    std::vector<std::uint32_t> globals_;  ///< registers
    std::size_t words_ = 0;               ///< words in a set
    std::vector<set> in_;
};

/// Assigns positions of one kind, lowest free position first.
class interval_allocator {
public:
    std::uint32_t take(const interval& i) {
        while (!busy_.empty() && busy_.top().first < i.first) {
            free_.push(busy_.top().second);
            busy_.pop();
        }
        std::uint32_t index = count_;
        if (free_.empty()) {
            ++count_;
        } else {
            index = free_.top();
            free_.pop();
        }
        busy_.push({i.last, index});
        return index;
    }
    std::uint32_t count() const { return count_; }

private:
    template <class T>
    using smallest_first = std::priority_queue<T, std::vector<T>, std::greater<T>>;
    smallest_first<std::pair<std::uint32_t, std::uint32_t>> busy_;  // last instruction, position
    smallest_first<std::uint32_t> free_;
    std::uint32_t count_ = 0;
};

}  // namespace

register_allocation::kind register_allocation::kind_of(type t) {
    const unsigned width = width_of(t);
    return t == type::pred ? predicate : width <= 32 ? word : width <= 64 ? double_word : quad_word;
}

register_allocation allocate_registers(const function& f, const control_flow& flow, bool share) {
    register_allocation result;
    const auto count = static_cast<std::uint32_t>(f.registers.size());
    result.index_of.assign(count, 0);
    std::vector<interval> intervals;
    if (share && !f.code.empty()) intervals = interval_builder(f, flow).run();
    const bool analysed = !intervals.empty();
    std::vector<std::uint32_t> order;
    for (std::uint32_t r = 0; r < count; ++r)
        if (!analysed || intervals[r].used()) order.push_back(r);
    if (analysed)
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return intervals[a].first < intervals[b].first;
        });
    interval_allocator allocators[register_allocation::kinds];
    for (const std::uint32_t r : order) {
        interval_allocator& of_kind = allocators[register_allocation::kind_of(f.registers[r])];
        result.index_of[r] = of_kind.take(analysed ? intervals[r] : interval{0, 0});
    }
    for (std::uint32_t r = 0; r < count; ++r) {
        const register_allocation::kind k = register_allocation::kind_of(f.registers[r]);
        result.registers[k] = std::max(allocators[k].count(), 1U);
    }
    return result;
}

}  // namespace simtlm::ptx
