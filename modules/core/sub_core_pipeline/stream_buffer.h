// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/archive_fwd.h"
#include "modules/support/ring_buffer.h"

#include <cstdint>

namespace simtlm::core::sub_core_pipeline {

/// The instruction prefetcher of a sub-core (Jouppi's stream buffer, which Huerta et al., section
/// 5.2, found in Ampere): a queue of consecutive lines after the last miss of the L0 instruction
/// cache. A miss can only hit at the head of the queue; otherwise the buffer restarts after the
/// missed line. One line is requested per cycle.
class stream_buffer {
public:
    /// Result of a look-up.
    enum class look_up : std::uint8_t {
        miss,     ///< the head is another line
        waiting,  ///< the head is the line, which has not arrived yet
        hit,      ///< the line has arrived and leaves the buffer
    };

    /// @param lines  0: no prefetcher
    stream_buffer(unsigned lines, unsigned line_bytes) : line_bytes_(line_bytes), queue_(lines) {}

    bool enabled() const { return queue_.capacity() != 0; }
    /// Looks up a line that missed in the L0. @param line  address of its first byte
    look_up find(std::uint64_t line) {
        if (queue_.empty() || queue_.front().line != line) return look_up::miss;
        if (!queue_.front().arrived) return look_up::waiting;
        queue_.pop();
        return look_up::hit;
    }
    /// Restarts after a line that missed here, too.
    void restart(std::uint64_t line) {
        queue_.clear();
        next_ = line + line_bytes_;
        running_ = enabled();
    }
    /// A kernel has ended: discards all lines and requests.
    void flush() {
        queue_.clear();
        running_ = false;
    }
    bool wants_line() const { return running_ && !queue_.full(); }
    /// The line to be requested in this cycle. @pre wants_line()
    std::uint64_t ask() {
        const std::uint64_t line = next_;
        queue_.push({line, false});
        next_ += line_bytes_;
        return line;
    }
    /// Whether a line has been requested for the buffer.
    bool expects(std::uint64_t line) const {
        for (std::size_t i = 0; i < queue_.size(); ++i)
            if (queue_[i].line == line) return !queue_[i].arrived;
        return false;
    }
    /// A requested line has arrived. @return false: it is no longer needed
    bool arrived(std::uint64_t line) {
        for (std::size_t i = 0; i < queue_.size(); ++i)
            if (queue_[i].line == line && !queue_[i].arrived) return queue_[i].arrived = true;
        return false;
    }
    std::size_t lines() const { return queue_.size(); }
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);

private:
    struct entry {
        std::uint64_t line = 0;
        bool arrived = false;
    };
    unsigned line_bytes_;
    std::uint64_t next_ = 0;
    bool running_ = false;
    support::ring_buffer<entry> queue_;
};

}  // namespace simtlm::core::sub_core_pipeline
