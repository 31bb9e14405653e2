// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/waveform.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace simtlm::kernel {

/// How a signal is shown in a viewer's save file.
enum class display : std::uint8_t { bit, decimal, hexadecimal, named, level };

/// Where blocks register the signals that a waveform can record of them. Signals are read between
/// steps by const accessors; what a block registers must live as long as the simulation.
class signal_list {
public:
    using reader = std::function<std::uint64_t()>;

    virtual ~signal_list() = default;

    /// Whether anything below a hierarchical name is recorded: saves registering the rest.
    virtual bool wants(const std::string& name) const = 0;
    /// Where the signals registered from now on stand in the save file, '/' between levels.
    virtual void group(const std::string& path) = 0;
    /// The blocks that change the signals registered from now on, by hierarchical name; without
    /// any, signals are read after every edge. @param moving  they may change without an active
    /// block
    virtual void changed_by(const std::vector<std::string>& blocks,
                            std::function<bool()> moving = {}) = 0;
    /// The names of values, one list for all blocks that ask for it by the same name. A name may
    /// begin with a colour between question marks, as GTKWave has it.
    virtual enumeration& names(const std::string& name,
                               const std::vector<std::string>& values = {}) = 0;
    /// A value. @param domains  bit d: may change at edges of clock domain d
    virtual void level(const std::string& name, unsigned width, unsigned domains, display shown,
                       reader read, enumeration* names = nullptr) = 0;
    /// A count that is shown as its growth per cycle of one domain.
    virtual void events(const std::string& name, unsigned width, unsigned domain, reader read) = 0;
};

/// Bits for the values 0 .. most.
inline unsigned bits_for(std::uint64_t most) {
    return most == 0 ? 1 : 64 - static_cast<unsigned>(__builtin_clzll(most));
}

/// Whether a counter has grown since the last question: the reader of what comes with an event. The
/// first question is answered no: what came with earlier events may be gone.
struct has_grown {
    bool asked = false;
    std::uint64_t last = 0;
    bool operator()(std::uint64_t count) {
        const bool yes = asked && count != last;
        asked = true;
        last = count;
        return yes;
    }
};

}  // namespace simtlm::kernel
