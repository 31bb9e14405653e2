// SPDX-License-Identifier: Apache-2.0
#include "host.h"

#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace host {

index thread, block, block_size, grid_size;

namespace {

enum class state { runs, waits_for_lanes, waits_for_block, exited };

struct fiber {
    ucontext_t context;
    std::vector<char> stack = std::vector<char>(256 << 10);
    state now = state::exited;
    // of the collective or barrier for which it waits
    exchange what = exchange::sync;
    unsigned mask = 0;
    std::uint64_t value = 0;
    unsigned source = 0;
    std::uint64_t result = 0;
    std::uint64_t gathered[32] = {};
};

std::vector<fiber> fibers;
unsigned running;
ucontext_t scheduler;
void (*body)(void*);
void* arguments;

void switch_out() {
    swapcontext(&fibers[running].context, &scheduler);
}

void begin() {
    body(arguments);
    fibers[running].now = state::exited;
    switch_out();
}

bool is_signed(exchange what) {
    return what == exchange::smin || what == exchange::smax;
}

std::uint64_t combine(exchange what, std::uint64_t a, std::uint64_t b) {
    const bool less = is_signed(what) ? std::int64_t(a) < std::int64_t(b) : a < b;
    switch (what) {
        case exchange::add:
            return a + b;
        case exchange::min:
        case exchange::smin:
            return less ? a : b;
        case exchange::max:
        case exchange::smax:
            return less ? b : a;
        case exchange::band:
            return a & b;
        case exchange::bor:
            return a | b;
        default:
            return a ^ b;
    }
}

/// Releases the lanes of `mask` in the warp of thread `first` if all that have not exited wait.
void release_lanes(unsigned first, unsigned mask) {
    std::vector<fiber*> members;
    unsigned ballot = 0;
    for (unsigned i = 0; i < 32; ++i) {
        if ((mask >> i & 1) == 0 || first + i >= fibers.size()) continue;
        fiber& f = fibers[first + i];
        if (f.now == state::exited) continue;
        if (f.now != state::waits_for_lanes || f.mask != mask) return;
        members.push_back(&f);
        ballot |= unsigned(f.value != 0) << i;
    }
    for (fiber* f : members) {
        f->result = members[0]->value;
        if (f->what == exchange::ballot) {
            f->result = ballot;
        } else if (f->what == exchange::shfl) {
            f->result = fibers[first + f->source].value;
        } else if (f->what == exchange::match) {
            f->result = 0;
            for (fiber* other : members)
                if (other->value == f->value) f->result |= 1ull << ((other - &fibers[0]) & 31);
        } else if (f->what == exchange::gather) {
            for (fiber* other : members) f->gathered[(other - &fibers[0]) & 31] = other->value;
            f->result = (std::uint64_t)f->gathered;
        } else if (f->what != exchange::sync) {
            for (std::size_t i = 1; i < members.size(); ++i)
                f->result = combine(f->what, f->result, members[i]->value);
        }
    }
    for (fiber* f : members) f->now = state::runs;
}

/// Releases the threads at the block barrier if all that have not exited wait there.
void release_block() {
    unsigned count = 0;
    for (const fiber& f : fibers) {
        if (f.now == state::exited) continue;
        if (f.now != state::waits_for_block) return;
        count += f.value != 0;
    }
    for (fiber& f : fibers) {
        f.result = count;
        if (f.now != state::exited) f.now = state::runs;
    }
}

void run_block(const char* kernel) {
    for (fiber& f : fibers) {
        f.now = state::runs;
        getcontext(&f.context);
        f.context.uc_stack.ss_sp = f.stack.data();
        f.context.uc_stack.ss_size = f.stack.size();
        f.context.uc_link = nullptr;
        makecontext(&f.context, begin, 0);
    }
    for (bool alive = true; alive;) {
        alive = false;
        bool progress = false;
        for (running = 0; running < fibers.size(); ++running) {
            fiber& f = fibers[running];
            alive = alive || f.now != state::exited;
            if (f.now != state::runs) continue;
            progress = true;
            thread = {running, 0, 0};
            swapcontext(&scheduler, &f.context);
            if (f.now == state::exited) release_block();
        }
        if (alive && !progress) {
            std::fprintf(stderr, "%s: no thread of block %u can go on\n", kernel, block.x);
            std::exit(1);
        }
    }
}

}  // namespace

std::uint64_t collective(exchange what, unsigned mask, std::uint64_t value, unsigned source) {
    fiber& f = fibers[running];
    f.what = what;
    f.mask = mask;
    f.value = value;
    f.source = source;
    f.now = state::waits_for_lanes;
    release_lanes(running & ~31u, mask);
    if (f.now != state::runs) switch_out();
    return f.result;
}

unsigned barrier(bool value) {
    fiber& f = fibers[running];
    f.value = value;
    f.now = state::waits_for_block;
    release_block();
    if (f.now != state::runs) switch_out();
    return (unsigned)f.result;
}

void yield() {
    switch_out();
}

void run(const char* kernel, unsigned blocks, unsigned threads, void (*code)(void*), void* with) {
    if (fibers.size() != threads) fibers = std::vector<fiber>(threads);
    body = code;
    arguments = with;
    block_size = {threads, 1, 1};
    grid_size = {blocks, 1, 1};
    for (unsigned b = 0; b < blocks; ++b) {
        block = {b, 0, 0};
        run_block(kernel);
    }
}

}  // namespace host
