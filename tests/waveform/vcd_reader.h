// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace simtlm::test {

/// Reads a value change dump; independent of the writer.
class vcd_reader {
public:
    static constexpr std::uint64_t undriven = ~std::uint64_t{0};

    /// @throws std::runtime_error  with the line that is not VCD
    explicit vcd_reader(const std::string& file);

    struct variable {
        std::string name;  ///< including its scopes
        unsigned width;
    };
    const std::vector<variable>& variables() const { return variables_; }
    const std::string& timescale() const { return timescale_; }
    bool has(const std::string& name) const { return index_.count(name) != 0; }

    /// Calls f(time) after the changes of every time step; value() then returns what a viewer
    /// shows.
    void replay(const std::function<void(std::uint64_t time)>& f);
    std::uint64_t value(const std::string& name) const { return values_[index_.at(name)]; }
    /// The signal was 0 before the changes of this time step and is 1 now (including the first
    /// step).
    bool rose(const std::string& name) const;
    /// Names with a given prefix and suffix.
    std::vector<std::string> matching(const std::string& begin, const std::string& end) const;
    std::uint64_t changes() const { return changes_.size(); }

private:
    struct change {
        std::uint64_t time;
        std::uint32_t variable;
        std::uint64_t value;
    };
    std::string timescale_;
    std::vector<variable> variables_;
    std::map<std::string, std::size_t> index_;
    std::vector<change> changes_;
    std::vector<std::uint64_t> values_, before_;
};

}  // namespace simtlm::test
