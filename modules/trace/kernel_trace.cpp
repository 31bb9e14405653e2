// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/kernel_trace.h"

#include "modules/host_threads/spin_lock.h"
#include "modules/isa/opcode_tables.h"
#include "modules/support/error.h"
#include "modules/trace/block_source.h"
#include "modules/trace/warp_path.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace simtlm::trace {

namespace {

constexpr std::size_t max_spare_blocks = 32;
constexpr std::size_t always_ahead = 2;            // blocks, regardless of their size
constexpr std::size_t max_bytes_ahead = 4u << 20;  // bytes, unless always_ahead blocks exceed it
/// Iterations for which the simulation spins for a block before it sleeps: consecutive blocks take
/// less time than a wake-up.
constexpr unsigned spins_before_sleep = 2000;

std::size_t bytes_of(const block_trace& b) {
    return b.instructions.size() * sizeof b.instructions[0] +
           b.addresses.size() * sizeof b.addresses[0] + b.warps.size() * sizeof b.warps[0];
}

}  // namespace

/// The decoder thread owns `blocks`; all members below `mutex` are shared.
struct kernel_trace::implementation {
    implementation(const std::string& file, const reader_options& options, unsigned ahead)
        : blocks(open_block_source(file, options, header, warnings,
                                   [this](std::string text) {
                                       const std::lock_guard<std::mutex> lock(mutex);
                                       warnings.push_back(std::move(text));
                                   })),
          lookahead(ahead) {
        header.shared_memory = options.shared_memory.value_or(header.shared_memory);
        header.registers = options.registers.value_or(header.registers);
        if (options.validate) header.check_plausible();
        if (options.opcodes == nullptr) throw std::invalid_argument("reader_options::opcodes");
        if (!options.opcodes->knows_version(header.binary_version)) {
            throw support::user_error(
                file, "unknown binary version " + std::to_string(header.binary_version),
                "known are " + options.opcodes->versions() + "; an opcode file can add it");
        }
    }

    ~implementation() {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            stop.store(true);
        }
        room.notify_all();
        if (decoder.joinable()) decoder.join();
    }
    implementation(const implementation&) = delete;
    implementation& operator=(const implementation&) = delete;

    void start() {
        if (lookahead > 0 && !decoder.joinable()) decoder = std::thread([this] { decode_ahead(); });
    }

    void decode_ahead() {
        std::unique_lock<std::mutex> lock(mutex);
        for (;;) {
            if (full()) room.wait(lock, [this] { return stop.load() || low(); });
            if (stop.load() || finished) return;
            std::unique_ptr<block_trace> block = take_spare();
            lock.unlock();
            std::exception_ptr thrown;
            bool more = false;
            try {
                more = blocks->read(*block, stop);
            } catch (...) {
                thrown = std::current_exception();
            }
            lock.lock();
            if (more) {
                bytes_ready += bytes_of(*block);
                ready.push_back(std::move(block));
            } else {
                finished = true;
                error = thrown;
            }
            block_ready.store(true, std::memory_order_release);
            filled.notify_one();
        }
    }

    /// Whether the decoder must stop. It resumes when about half of the blocks have been taken,
    /// because waking it for every block takes longer than decoding a small one.
    bool full() const {
        return ready.size() >= lookahead ||
               (ready.size() >= always_ahead && bytes_ready >= max_bytes_ahead);
    }
    bool low() const {
        return ready.size() <= lookahead / 2 &&
               (ready.size() < always_ahead || bytes_ready <= max_bytes_ahead / 2);
    }

    std::unique_ptr<block_trace> next() {
        if (lookahead == 0) return decode_now();
        start();
        for (unsigned spin = 0; spin < spins_before_sleep; ++spin) {
            if (block_ready.load(std::memory_order_acquire)) break;
            host_threads::relax_processor();
        }
        std::unique_lock<std::mutex> lock(mutex);
        filled.wait(lock, [this] { return finished || !ready.empty(); });
        if (ready.empty()) {
            if (error) std::rethrow_exception(error);
            return nullptr;
        }
        std::unique_ptr<block_trace> block = std::move(ready.front());
        ready.pop_front();
        bytes_ready -= bytes_of(*block);
        if (ready.empty() && !finished) block_ready.store(false, std::memory_order_relaxed);
        const bool more_wanted = low();
        lock.unlock();
        if (more_wanted) room.notify_one();
        return block;
    }

    std::unique_ptr<block_trace> decode_now() {
        if (error) std::rethrow_exception(error);
        if (finished) return nullptr;
        std::unique_ptr<block_trace> block = take_spare();
        try {
            if (blocks->read(*block, stop)) return block;
            finished = true;
        } catch (...) {
            error = std::current_exception();
            throw;
        }
        return nullptr;
    }

    std::unique_ptr<block_trace> take_spare() {
        if (spare.empty()) return std::make_unique<block_trace>();
        std::unique_ptr<block_trace> block = std::move(spare.back());
        spare.pop_back();
        return block;
    }

    kernel_header header;
    std::vector<std::string> warnings;
    std::mutex mutex;
    const std::unique_ptr<block_source> blocks;
    const unsigned lookahead;

    std::condition_variable room;    ///< signals the decoder that a block was taken
    std::condition_variable filled;  ///< signals the simulation that a block is ready, or that none
                                     ///< will be
    std::deque<std::unique_ptr<block_trace>> ready;
    std::size_t bytes_ready = 0;
    std::atomic<bool> block_ready{false};  ///< or the decoder has finished
    std::vector<std::unique_ptr<block_trace>> spare;
    bool finished = false;
    std::exception_ptr error;
    std::atomic<bool> stop{false};
    std::thread decoder;
};

kernel_trace::kernel_trace(const std::string& file, const reader_options& options,
                           unsigned lookahead)
    : impl_(std::make_unique<implementation>(file, options, lookahead)) {}

kernel_trace::~kernel_trace() = default;

const kernel_header& kernel_trace::header() const {
    return impl_->header;
}

void kernel_trace::start() {
    impl_->start();
}

std::unique_ptr<block_trace> kernel_trace::next_block() {
    return impl_->next();
}

program::warp_code block_trace::warp(unsigned w) {
    if (w >= warps.size()) return {};
    const program::dynamic_instruction* first = begin_of(warps[w]);
    program::warp_code code{{first, first + warps[w].count}, addresses_of(warps[w]), nullptr};
    if (has_details && !code.window.empty()) {
        executors.emplace_back(code, barriers, !in_cluster);
        code.executor = &executors.back();
    }
    return code;
}

const program::dynamic_instruction* block_trace::begin_of(const warp_range& warp) const {
    return warp.path ? warp.path->instructions.data() : instructions.data() + warp.first;
}

void kernel_trace::recycle(std::unique_ptr<program::cta> block) {
    if (!block) return;
    std::unique_ptr<block_trace> own(static_cast<block_trace*>(block.release()));
    const std::lock_guard<std::mutex> lock(impl_->mutex);
    if (impl_->spare.size() < max_spare_blocks) impl_->spare.push_back(std::move(own));
}

std::vector<std::string> kernel_trace::take_warnings() {
    const std::lock_guard<std::mutex> lock(impl_->mutex);
    return std::exchange(impl_->warnings, {});
}

}  // namespace simtlm::trace
