// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/instruction_scheduler.h"

#include "modules/ptx/control_flow.h"
#include "modules/ptx/register_uses.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace simtlm::ptx {

namespace {

/// Assumed latency of a result in issue slots, as a compiler uses before it knows what hits.
unsigned latency_of(const operation& o) {
    switch (o.op) {
        case opcode::ld:
        case opcode::ldu:
            return o.space == state_space::param || o.space == state_space::const_ ? 16
                   : o.space == state_space::shared                                ? 24
                                                                                   : 48;
        case opcode::ldmatrix:
        case opcode::shfl:
            return 24;
        case opcode::tex:
        case opcode::tld4:
            return 64;
        case opcode::mma:
        case opcode::mma_sp:
        case opcode::wmma_mma:
            return 24;
        case opcode::wmma_load:
            return 40;
        case opcode::setp:
            return 12;
        case opcode::cvt:
        case opcode::div:
        case opcode::ex2:
        case opcode::lg2:
        case opcode::rcp:
        case opcode::rsqrt:
        case opcode::sqrt:
        case opcode::sin:
        case opcode::cos:
        case opcode::tanh:
        case opcode::popc:
        case opcode::rem:
            return 18;
        default:
            return o.first_type() == type::f64 ? 8 : 4;
    }
}

memory_order order_of(const operation& o) {
    const memory_order of_opcode = record_of(o.op).order;
    if (of_opcode != memory_order::load && of_opcode != memory_order::store) return of_opcode;
    const bool weak = o.order == semantics::none || o.order == semantics::weak;
    if (!weak || o.has(flag::mmio)) return memory_order::fence;
    // Memory read by non-coherent, parameter and constant loads is never written.
    const bool is_constant = o.has(flag::nc) || o.space == state_space::const_;
    return is_constant ? memory_order::none : of_opcode;
}

bool counts(special_register r) {
    return r == special_register::clock || r == special_register::clock_hi ||
           r == special_register::clock64 || r == special_register::globaltimer ||
           r == special_register::globaltimer_lo || r == special_register::globaltimer_hi ||
           r == special_register::pm || r == special_register::pm64;
}

/// State spaces may alias if either is generic, or if they are equal.
bool may_alias(const operation& a, const operation& b) {
    return a.space == b.space || a.space == state_space::generic || b.space == state_space::generic;
}

class block_scheduler {
public:
    block_scheduler(const module& m, function& f) : m_(m), f_(f) {}

    void run() {
        if (f_.code.empty()) return;
        const control_flow flow = analyse_control_flow(m_, f_);
        for (const basic_block& b : flow.blocks)
            if (b.last > b.first + 1 && b.last - b.first < longest_block) schedule(b);
    }

private:
    static constexpr std::uint32_t longest_block = 20'000;
    static constexpr unsigned max_alive = 128;  // 32-bit values; ptxas allocates at most 255
                                                // registers

    struct node {
        std::vector<std::pair<std::uint32_t, std::uint8_t>> next;  // dependent nodes, and latency
        std::uint32_t waits_for = 0;  // number of unscheduled predecessors
        std::uint32_t ready_at = 0;
        std::uint32_t path = 0;  // length of the longest path to the end of the block
    };

    template <class Function>
    void for_reads(const instruction& i, const Function& f) const {
        const operation& o = m_.operation_of(i);
        if (i.guard != no_index) f(i.guard);
        for (unsigned n = 0; n < i.operand_count; ++n) {
            const operand& p = f_.operand_of(i, n);
            // A guarded instruction may keep the previous value of its destination.
            if (n >= i.result_count || p.kind == operand_kind::address_register ||
                i.guard != no_index)
                for_registers(f_, p, f);
        }
        if (o.op == opcode::addc || o.op == opcode::subc || o.op == opcode::madc) f(carry());
    }
    template <class Function>
    void for_writes(const instruction& i, const Function& f) const {
        ptx::for_writes(f_, i, f);
        if (m_.operation_of(i).has(flag::cc)) f(carry());
    }
    std::uint32_t carry() const { return static_cast<std::uint32_t>(f_.registers.size()); }

    memory_order order_of_instruction(const instruction& i) const {
        const memory_order o = order_of(m_.operation_of(i));
        if (o == memory_order::fence) return o;
        for (unsigned n = 0; n < i.operand_count; ++n) {
            const operand& p = f_.operand_of(i, n);
            if (p.kind == operand_kind::special && counts(static_cast<special_register>(p.index)))
                return memory_order::fence;
        }
        return o;
    }

    unsigned words_of(std::uint32_t r) const {
        return r < f_.registers.size() ? (bytes_of(f_.registers[r]) + 3) / 4 : 0;
    }

    void link(std::uint32_t from, std::uint32_t to, unsigned latency) {
        if (from == to) return;
        nodes_[from].next.emplace_back(to, static_cast<std::uint8_t>(std::min(latency, 255u)));
        ++nodes_[to].waits_for;
    }

    /// Builds the dependence graph.
    void find_dependences(std::uint32_t first, std::uint32_t count) {
        struct uses {
            std::uint32_t writer = no_index;
            std::vector<std::uint32_t> readers;
        };
        std::unordered_map<std::uint32_t, uses> of;
        std::vector<std::uint32_t> loads, stores;
        std::uint32_t fence = no_index;
        for (std::uint32_t n = 0; n < count; ++n) {
            const instruction& i = f_.code[first + n];
            const operation& o = m_.operation_of(i);
            for_reads(i, [&](std::uint32_t r) {
                uses& u = of[r];
                if (u.writer != no_index)
                    link(u.writer, n, latency_of(m_.operation_of(f_.code[first + u.writer])));
                u.readers.push_back(n);
            });
            for_writes(i, [&](std::uint32_t r) {
                uses& u = of[r];
                if (u.writer != no_index) link(u.writer, n, 1);
                for (const std::uint32_t reader : u.readers) link(reader, n, 1);
                u.readers.clear();
                u.writer = n;
            });
            const memory_order kind = order_of_instruction(i);
            if (kind == memory_order::fence) {
                for (std::uint32_t k = fence == no_index ? 0 : fence; k < n; ++k) link(k, n, 0);
                fence = n;
                loads.clear();
                stores.clear();
                continue;
            }
            if (fence != no_index) link(fence, n, 0);
            if (kind == memory_order::load || kind == memory_order::store)
                for (const std::uint32_t s : stores)
                    if (may_alias(o, m_.operation_of(f_.code[first + s]))) link(s, n, 1);
            if (kind == memory_order::store)
                for (const std::uint32_t l : loads)
                    if (may_alias(o, m_.operation_of(f_.code[first + l]))) link(l, n, 1);
            if (kind == memory_order::load) loads.push_back(n);
            if (kind == memory_order::store) stores.push_back(n);
        }
    }

    void schedule(const basic_block& b) {
        const std::uint32_t count = b.last - b.first + 1;
        nodes_.assign(count, {});
        find_dependences(b.first, count);
        for (std::uint32_t n = count; n-- > 0;)
            for (const auto& [to, latency] : nodes_[n].next)
                nodes_[n].path = std::max(nodes_[n].path, nodes_[to].path + latency);
        // Remaining reads of each value, for the number of live values.
        std::unordered_map<std::uint32_t, std::uint32_t> reads;
        for (std::uint32_t n = 0; n < count; ++n)
            for_reads(f_.code[b.first + n], [&](std::uint32_t r) { ++reads[r]; });
        unsigned alive = 0;
        std::vector<std::uint32_t> ready, chosen;
        for (std::uint32_t n = 0; n < count; ++n)
            if (nodes_[n].waits_for == 0) ready.push_back(n);
        std::uint32_t now = 0;
        std::vector<instruction> code;
        code.reserve(count);
        while (!ready.empty()) {
            const bool crowded = alive >= max_alive;
            std::size_t best = 0;
            const auto better = [&](std::uint32_t x, std::uint32_t y) {
                if (crowded) return x < y;  // text order needs few registers
                const std::uint32_t tx = std::max(nodes_[x].ready_at, now),
                                    ty = std::max(nodes_[y].ready_at, now);
                if (tx != ty) return tx < ty;
                if (nodes_[x].path != nodes_[y].path) return nodes_[x].path > nodes_[y].path;
                return x < y;
            };
            for (std::size_t k = 1; k < ready.size(); ++k)
                if (better(ready[k], ready[best])) best = k;
            const std::uint32_t n = ready[best];
            ready[best] = ready.back();
            ready.pop_back();
            now = std::max(now, nodes_[n].ready_at) + 1;
            const instruction& i = f_.code[b.first + n];
            code.push_back(i);
            for_reads(i, [&](std::uint32_t r) {
                std::uint32_t& left = reads[r];
                if (--left == 0) alive -= std::min(alive, words_of(r));
            });
            for_writes(i, [&](std::uint32_t r) {
                const auto found = reads.find(r);
                if (found != reads.end() && found->second != 0) alive += words_of(r);
            });
            for (const auto& [to, latency] : nodes_[n].next) {
                nodes_[to].ready_at = std::max(nodes_[to].ready_at, now - 1 + latency);
                if (--nodes_[to].waits_for == 0) ready.push_back(to);
            }
        }
        std::copy(code.begin(), code.end(), f_.code.begin() + b.first);
    }

    const module& m_;
    function& f_;
    std::vector<node> nodes_;
};

}  // namespace

void schedule_instructions(module& m) {
    for (function& f : m.functions)
        if (f.defined && f.alias_of == no_index) block_scheduler(m, f).run();
}

}  // namespace simtlm::ptx
