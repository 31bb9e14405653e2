// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/waveforms/waveform.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace simtlm::waveforms {

/// How a waveform viewer's save file displays a signal.
enum class display : std::uint8_t { bit, decimal, hexadecimal, named, level, real };

/// The lists of value names that blocks of a GPU share. Each has a file beside the dump.
enum class value_names : std::uint8_t {
    opcode,
    issue,
    stall,
    stall_reason,
    bank_state,
    row_command,
    column_command,
};
/// Their names, by value_names: parts of the files' names.
inline constexpr const char* value_list_names[] = {
    "opcode", "issue", "stall", "stall_reason", "bank_state", "row_command", "column_command"};

/// Interface with which blocks register the signals that a waveform can record. Signals are read
/// between steps by const accessors; the objects that they read must live as long as the
/// simulation.
class signal_list {
public:
    using reader = std::function<std::uint64_t()>;

    virtual ~signal_list() = default;

    /// Whether anything below a hierarchical name is recorded; otherwise its signals need not be
    /// registered.
    virtual bool wants(const std::string& name) const = 0;
    /// Sets the group in the save file of signals registered from now on, with '/' between levels.
    virtual void group(const std::string& path) = 0;
    /// Sets the blocks, by hierarchical name, that change the signals registered from now on;
    /// without any, the signals are read after every edge.
    /// @param moving  returns whether the signals may change although none of the blocks is active
    virtual void changed_by(const std::vector<std::string>& blocks,
                            std::function<bool()> moving = {}) = 0;
    /// @return a list of value names, shared by all blocks that request it. A value name may begin
    ///         with a colour between question marks, as in GTKWave
    enumeration& names(value_names which, const std::vector<std::string>& values = {}) {
        const char* const name = value_list_names[static_cast<unsigned>(which)];
        for (enumeration& e : enumerations_)
            if (e.name() == name) return e;
        return enumerations_.emplace_back(name, values);
    }
    /// The lists that have been requested.
    const std::deque<enumeration>& enumerations() const { return enumerations_; }
    /// Registers a value.
    /// @param width    bits
    /// @param domains  bit d: may change at edges of clock domain d
    /// @param names    names of its values, or nullptr
    virtual void level(const std::string& name, unsigned width, unsigned domains, display shown,
                       reader read, enumeration* names = nullptr) = 0;
    /// Registers a counter, which is displayed as its increment per cycle of one domain.
    virtual void events(const std::string& name, unsigned width, unsigned domain, reader read) = 0;
    /// Registers a real number.
    /// @param domains  bit d: may change at edges of clock domain d
    virtual void real(const std::string& name, unsigned domains, std::function<double()> read) = 0;

private:
    std::deque<enumeration> enumerations_;  // a deque, because addresses must stay valid
};

/// @return the number of bits that represent the values 0 .. most
inline unsigned bits_for(std::uint64_t most) {
    return most == 0 ? 1 : 64 - static_cast<unsigned>(__builtin_clzll(most));
}

/// Returns whether a counter has grown since the previous call, for signals that are valid in the
/// cycle of an event. The first call returns false, because the data of earlier events may no
/// longer be available.
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

}  // namespace simtlm::waveforms
