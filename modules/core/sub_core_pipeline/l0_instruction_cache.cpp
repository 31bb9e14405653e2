// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/l0_instruction_cache.h"

#include <algorithm>

namespace simtlm::core::sub_core_pipeline {

l0_instruction_cache::entry* l0_instruction_cache::find(std::uint64_t line) {
    const std::size_t set = line / config_.line_bytes % config_.sets;
    entry* const first = &lines_[set * config_.ways];
    for (entry* e = first; e != first + config_.ways; ++e)
        if (e->line == line) return e;
    return nullptr;
}

void l0_instruction_cache::fill(std::uint64_t line) {
    const std::size_t set = line / config_.line_bytes % config_.sets;
    entry* const first = &lines_[set * config_.ways];
    entry* victim = first;
    for (entry* e = first; e != first + config_.ways; ++e)
        if (e->line == none || e->used < victim->used) {
            victim = e;
            if (e->line == none) break;
        }
    if (victim->line == latest_) latest_ = none;
    *victim = {line, ++uses_};
}

l0_instruction_cache::answer l0_instruction_cache::fetch(std::uint64_t address) {
    ++statistics_.fetches;
    const std::uint64_t line = line_of(address);
    if (config_.perfect || line == latest_) {
        ++statistics_.hits;
        return answer::hit;
    }
    if (entry* const e = find(line)) {
        e->used = ++uses_;
        latest_ = line;
        ++statistics_.hits;
        return answer::hit;
    }
    if (std::find(awaited_.begin(), awaited_.end(), line) != awaited_.end()) return answer::miss;
    switch (stream_.find(line)) {
        case stream_buffer::look_up::hit:
            ++statistics_.stream_hits;
            fill(line);
            latest_ = line;
            return answer::hit;
        case stream_buffer::look_up::waiting:
            return answer::miss;
        case stream_buffer::look_up::miss:
            break;
    }
    ++statistics_.misses;
    // The line may be in flight to a stream buffer that is about to restart, so it is requested
    // again.
    awaited_.push_back(line);
    missed_.push_back(line);
    stream_.restart(line);
    return answer::miss;
}

std::uint64_t l0_instruction_cache::take_request() {
    if (missed_.empty()) {
        ++statistics_.prefetches;
        return stream_.ask();
    }
    const std::uint64_t line = missed_.front();
    missed_.erase(missed_.begin());
    return line;
}

void l0_instruction_cache::arrived(std::uint64_t line) {
    const auto asked = std::find(awaited_.begin(), awaited_.end(), line);
    if (asked != awaited_.end()) {
        awaited_.erase(asked);
        fill(line);
        return;
    }
    stream_.arrived(line);
}

void l0_instruction_cache::invalidate() {
    for (entry& e : lines_) e = {};
    latest_ = none;
    awaited_.clear();
    missed_.clear();
    stream_.flush();
}

}  // namespace simtlm::core::sub_core_pipeline
