// SPDX-License-Identifier: Apache-2.0
#include "modules/program/control_assigner.h"

#include <algorithm>
#include <string_view>

namespace simtlm::program {

namespace {

using sc = scheduling_class;

std::string_view base_of(const static_instruction& i) {
    const std::string_view text = i.opcode;
    return text.substr(0, text.find('.'));
}

bool writes_predicates(const static_instruction& i) {
    const std::string_view b = base_of(i);
    return b == "setp" || b == "ISETP" || b == "FSETP" || b == "PLOP3" || b == "HSETP2" ||
           b == "PSETP" || b == "DSETP" || b == "testp" || b == "isspacep";
}

/// Whether a source is the guard: in PTX, the last source without a bank.
bool is_guard(const static_instruction& i, unsigned source) {
    return source + 1u == i.n_src && (i.uncollected >> source & 1u) != 0;
}

bool ends_block(sc c) {
    return c == sc::branch;
}

}  // namespace

dependence_latencies::row dependence_latencies::row_of(scheduling_class reader) {
    switch (reader) {
        case sc::fp32:
        case sc::imad:
            return row::fma;
        case sc::imad_wide:
            return row::wide;
        case sc::half:
            return row::half;
        case sc::uniform:
            return row::uniform;
        case sc::fp64:
            return row::fp64;
        case sc::mma:
            return row::mma;
        case sc::xu:
        case sc::xu64:
        case sc::special:
        case sc::branch:
            return row::decoupled;
        case sc::barrier:
        case sc::memory:
        case sc::shuffle:
            return row::address;
        default:
            return row::alu;
    }
}

dependence_latencies dependence_latencies::of(unsigned binary_version) {
    dependence_latencies l;
    // Writers:     alu 64 fp32 imad wide half uniform
    l.raw_ = {{{4, 6, 5, 5, 5, 5, 6},    // alu
               {5, 6, 4, 4, 4, 5, 6},    // fma
               {5, 6, 4, 4, 6, 5, 6},    // wide
               {5, 6, 5, 5, 5, 5, 6},    // half
               {6, 6, 6, 6, 6, 6, 4},    // uniform
               {4, 4, 4, 4, 4, 4, 9},    // decoupled
               {5, 5, 5, 5, 5, 5, 9},    // with address
               {6, 6, 6, 6, 6, 6, 9},    // FP64
               {7, 7, 7, 7, 7, 7, 9}}};  // matrix
    if (binary_version >= 70 && binary_version < 80) {
        for (auto& r : l.raw_) r[static_cast<unsigned>(sc::half)] = 8;
        l.raw_[static_cast<unsigned>(row::half)] = {8, 8, 8, 8, 8, 6, 8};
        l.raw_[static_cast<unsigned>(row::decoupled)] = {6, 6, 6, 6, 6, 8, 9};
        l.raw_[static_cast<unsigned>(row::address)] = {6, 6, 6, 6, 6, 8, 9};
        l.raw_[static_cast<unsigned>(row::fp64)] = {9, 9, 9, 9, 9, 9, 9};
        l.raw_[static_cast<unsigned>(row::mma)] = {8, 8, 8, 8, 8, 8, 9};
    }
    // 4.2 cycles measured on an RTX 4090 (GPU_Microbenchmark).
    if (binary_version == 89)
        l.raw_[static_cast<unsigned>(row::half)][static_cast<unsigned>(sc::half)] = 4;
    return l;
}

std::vector<std::vector<control_bits>> control_assigner::assign(
    const std::vector<scheduled_block>& blocks) {
    std::uint32_t registers = 0;
    for (const scheduled_block& b : blocks)
        for (const static_instruction* i : b.code) {
            for (unsigned d = 0; d < i->n_dst; ++d)
                if (i->dst[d] != register_zero) registers = std::max(registers, i->dst[d] + 1u);
            for (unsigned s = 0; s < i->n_src; ++s)
                if (i->src[s] != register_zero) registers = std::max(registers, i->src[s] + 1u);
        }
    written_by_.assign(registers, 0);
    read_by_.assign(registers, 0);
    active_.clear();

    std::vector<std::vector<control_bits>> bits(blocks.size());
    unsigned next_counter = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        bits[b].resize(blocks[b].code.size());
        for (control_bits& c : bits[b]) c.present = true;
        allocate(blocks[b], bits[b], next_counter);
        next_counter = (next_counter + 1) % control_bits::barriers;
    }
    // The pending accesses at the start of a block only grow, so this terminates.
    std::vector<state> in(blocks.size());
    std::vector<bool> queued(blocks.size(), true);
    std::vector<unsigned> work(blocks.size());
    for (unsigned b = 0; b < work.size(); ++b) work[b] = static_cast<unsigned>(work.size()) - 1 - b;
    while (!work.empty()) {
        const unsigned b = work.back();
        work.pop_back();
        queued[b] = false;
        const state out = flow(blocks[b], bits[b], in[b]);
        for (const unsigned s : blocks[b].successors) {
            state merged;
            bool grown = false;
            auto at = in[s].begin();
            for (const pending& p : out) {
                for (; at != in[s].end() && at->reg < p.reg; ++at) merged.push_back(*at);
                pending sum = p;
                if (at != in[s].end() && at->reg == p.reg) {
                    sum.written_by |= at->written_by;
                    sum.read_by |= at->read_by;
                    grown |= sum.written_by != at->written_by || sum.read_by != at->read_by;
                    ++at;
                } else {
                    grown = true;
                }
                merged.push_back(sum);
            }
            if (!grown) continue;
            merged.insert(merged.end(), at, in[s].end());
            in[s] = std::move(merged);
            if (!queued[s]) {
                queued[s] = true;
                work.push_back(s);
            }
        }
    }
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        set_stalls(blocks[b], bits[b]);
        set_reuse(blocks[b], bits[b]);
    }
    return bits;
}

void control_assigner::touch(std::uint16_t reg) {
    if (written_by_[reg] == 0 && read_by_[reg] == 0) active_.push_back(reg);
}

void control_assigner::wait_for(std::uint8_t counters) {
    if (counters == 0) return;
    const auto keep = static_cast<std::uint8_t>(~counters);
    std::size_t left = 0;
    for (const std::uint16_t r : active_) {
        written_by_[r] &= keep;
        read_by_[r] &= keep;
        if (written_by_[r] != 0 || read_by_[r] != 0) active_[left++] = r;
    }
    active_.resize(left);
}

void control_assigner::load(const state& in) {
    for (const std::uint16_t r : active_) written_by_[r] = read_by_[r] = 0;
    active_.clear();
    for (const pending& p : in) {
        written_by_[p.reg] = p.written_by;
        read_by_[p.reg] = p.read_by;
        active_.push_back(p.reg);
    }
}

control_assigner::state control_assigner::save() const {
    state out;
    for (const std::uint16_t r : active_) out.push_back({r, written_by_[r], read_by_[r]});
    std::sort(out.begin(), out.end(),
              [](const pending& a, const pending& b) { return a.reg < b.reg; });
    return out;
}

/// Assigns counters to the results and operands of variable-latency instructions.
void control_assigner::allocate(const scheduled_block& block, std::vector<control_bits>& bits,
                                unsigned first) {
    load({});
    unsigned next = first;
    unsigned latest = control_bits::no_barrier;
    const auto choose = [&](std::uint8_t taken) {
        std::uint8_t in_use = taken;
        for (const std::uint16_t r : active_)
            in_use = static_cast<std::uint8_t>(in_use | written_by_[r] | read_by_[r]);
        for (unsigned i = 0; i < control_bits::barriers; ++i) {
            const unsigned b = (next + i) % control_bits::barriers;
            if ((in_use >> b & 1u) == 0) {
                next = (b + 1) % control_bits::barriers;
                return b;
            }
        }
        return latest != control_bits::no_barrier ? latest : next;
    };
    for (std::size_t n = 0; n < block.code.size(); ++n) {
        const static_instruction& i = *block.code[n];
        const sc c = i.scheduling;
        std::uint8_t waits = 0;
        for (unsigned s = 0; s < i.n_src; ++s)
            if (i.src[s] != register_zero) waits |= written_by_[i.src[s]];
        for (unsigned d = 0; d < i.n_dst; ++d)
            if (i.dst[d] != register_zero) waits |= written_by_[i.dst[d]] | read_by_[i.dst[d]];
        wait_for(waits);
        if (has_fixed_latency(c) || c == sc::branch || c == sc::barrier) continue;
        bool writes = false, reads = false;
        for (unsigned d = 0; d < i.n_dst; ++d) writes |= i.dst[d] != register_zero;
        for (unsigned s = 0; s < i.n_src; ++s) reads |= i.src[s] != register_zero;
        std::uint8_t taken = 0;
        if (writes) {
            const unsigned b = choose(taken);
            taken = static_cast<std::uint8_t>(1u << b);
            bits[n].write_barrier = static_cast<std::uint8_t>(b);
            latest = b;
            for (unsigned d = 0; d < i.n_dst; ++d) {
                if (i.dst[d] == register_zero) continue;
                touch(i.dst[d]);
                written_by_[i.dst[d]] |= taken;
            }
        }
        // Operands are only read late in the memory pipeline.
        if (reads && (c == sc::memory || c == sc::shuffle) && !writes) {
            const unsigned b = choose(taken);
            bits[n].read_barrier = static_cast<std::uint8_t>(b);
            latest = b;
        } else if (reads && (c == sc::memory || c == sc::shuffle)) {
            // A load needs a separate counter for an operand that the following instructions
            // overwrite before they wait for its result.
            for (std::size_t k = n + 1;
                 k < block.code.size() && bits[n].read_barrier == control_bits::no_barrier; ++k) {
                const static_instruction& later = *block.code[k];
                bool uses_result = false;
                for (unsigned s = 0; s < later.n_src; ++s)
                    for (unsigned d = 0; d < i.n_dst; ++d)
                        uses_result |= later.src[s] == i.dst[d] && i.dst[d] != register_zero;
                if (uses_result) break;
                for (unsigned d = 0; d < later.n_dst; ++d)
                    for (unsigned s = 0; s < i.n_src; ++s)
                        if (later.dst[d] == i.src[s] && i.src[s] != register_zero &&
                            bits[n].read_barrier == control_bits::no_barrier)
                            bits[n].read_barrier = static_cast<std::uint8_t>(choose(taken));
            }
        }
        if (bits[n].read_barrier != control_bits::no_barrier)
            for (unsigned s = 0; s < i.n_src; ++s) {
                if (i.src[s] == register_zero) continue;
                touch(i.src[s]);
                read_by_[i.src[s]] |= static_cast<std::uint8_t>(1u << bits[n].read_barrier);
            }
    }
}

/// Processes a block given the accesses pending at its start: determines the counters for which
/// each instruction waits.
/// @return the accesses pending at its end
control_assigner::state control_assigner::flow(const scheduled_block& block,
                                               std::vector<control_bits>& bits, const state& in) {
    load(in);
    for (std::size_t n = 0; n < block.code.size(); ++n) {
        const static_instruction& i = *block.code[n];
        std::uint8_t waits = bits[n].wait_mask;
        for (unsigned s = 0; s < i.n_src; ++s)
            if (i.src[s] != register_zero) waits |= written_by_[i.src[s]];
        for (unsigned d = 0; d < i.n_dst; ++d)
            if (i.dst[d] != register_zero) waits |= written_by_[i.dst[d]] | read_by_[i.dst[d]];
        bits[n].wait_mask = waits;
        wait_for(waits);
        if (bits[n].write_barrier != control_bits::no_barrier)
            for (unsigned d = 0; d < i.n_dst; ++d) {
                if (i.dst[d] == register_zero) continue;
                touch(i.dst[d]);
                written_by_[i.dst[d]] |= static_cast<std::uint8_t>(1u << bits[n].write_barrier);
            }
        if (bits[n].read_barrier != control_bits::no_barrier)
            for (unsigned s = 0; s < i.n_src; ++s) {
                if (i.src[s] == register_zero) continue;
                touch(i.src[s]);
                read_by_[i.src[s]] |= static_cast<std::uint8_t>(1u << bits[n].read_barrier);
            }
    }
    return save();
}

/// Sets the stall counts: each instruction issues as early as its fixed-latency operands allow.
void control_assigner::set_stalls(const scheduled_block& block,
                                  std::vector<control_bits>& bits) const {
    struct write {
        std::uint16_t reg;
        sc by;
        bool predicate;
        unsigned at;
    };
    constexpr unsigned max_stall = 15, longest = 16;
    std::vector<write> writes;  // recent fixed-latency writes, latest last
    unsigned at = 0;
    unsigned unnamed_predicate = 0;  // cycle of the last write to an unnamed predicate, + 1
    for (std::size_t n = 0; n < block.code.size(); ++n) {
        const static_instruction& i = *block.code[n];
        const sc c = i.scheduling;
        unsigned earliest = n == 0 ? 0 : at + 1;
        if (n > 0) {
            const control_bits& before = bits[n - 1];
            // A counter is incremented in the cycle after issue.
            const auto mine = [&](std::uint8_t b) {
                return b != control_bits::no_barrier && (bits[n].wait_mask >> b & 1u) != 0;
            };
            if (mine(before.write_barrier) || mine(before.read_barrier)) earliest = at + 2;
            if (block.code[n - 1]->special == special_op::depbar)
                earliest = std::max(earliest, at + 4);
        }
        for (unsigned s = 0; s < i.n_src; ++s) {
            if (i.src[s] == register_zero) continue;
            const auto w = std::find_if(writes.rbegin(), writes.rend(),
                                        [&](const write& x) { return x.reg == i.src[s]; });
            if (w == writes.rend()) continue;
            const unsigned l =
                w->predicate ? latencies_.predicate(c, is_guard(i, s)) : latencies_.raw(c, w->by);
            earliest = std::max(earliest, w->at + l);
        }
        if (unnamed_predicate != 0 && ends_block(c))
            earliest = std::max(earliest, unnamed_predicate - 1 + latencies_.predicate(c, true));
        if (n > 0) {
            const unsigned stall = std::min(earliest - at, max_stall);
            bits[n - 1].stall = static_cast<std::uint8_t>(stall);
            // A stall above 11 requires the yield bit to take effect.
            bits[n - 1].yield = stall > 11;
            at += stall;
        }
        if (has_fixed_latency(c)) {
            const bool predicate = writes_predicates(i);
            for (unsigned d = 0; d < i.n_dst; ++d)
                if (i.dst[d] != register_zero) writes.push_back({i.dst[d], c, predicate, at});
            if (predicate && i.n_dst == 0) unnamed_predicate = at + 1;
            while (!writes.empty() && writes.front().at + longest < at)
                writes.erase(writes.begin());
        }
    }
    if (block.code.empty()) return;
    // The next instruction is in another block and may read the last written results.
    unsigned end = at + 1;
    for (const write& w : writes)
        if (!w.predicate) end = std::max(end, w.at + latencies_.raw(sc::alu, w.by));
    bits.back().stall = static_cast<std::uint8_t>(std::min(end - at, 11u));
}

/// Sets the reuse bit of operands that the next fixed-latency instruction reads in the same slot.
void control_assigner::set_reuse(const scheduled_block& block, std::vector<control_bits>& bits) {
    constexpr unsigned slots = 3;
    const auto cached = [](sc c) {
        return (has_fixed_latency(c) && c != sc::uniform) || c == sc::mma || c == sc::fp64;
    };
    for (std::size_t n = 0; n + 1 < block.code.size(); ++n) {
        const static_instruction &a = *block.code[n], &b = *block.code[n + 1];
        if (!cached(a.scheduling) || !cached(b.scheduling)) continue;
        for (unsigned s = 0; s < slots && s < a.n_src && s < b.n_src; ++s)
            if (a.src[s] != register_zero && a.src[s] == b.src[s] && (a.uncollected >> s & 1u) == 0)
                bits[n].reuse = static_cast<std::uint8_t>(bits[n].reuse | 1u << s);
    }
}

}  // namespace simtlm::program
