// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/kernel_trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::trace {

/// Selects the kernels of a command list that run, and the thread blocks of them, by command-line
/// options or by lines of the list. All given criteria must be met.
struct kernel_choice {
    /// Items separated by blanks or commas, one of which must match: N, A-B, A-, -B, @REGEX,
    /// A-B@REGEX (as in the tracer's DYNAMIC_KERNEL_RANGE). Numbers are positions in the list, from
    /// 1.
    std::optional<std::string> kernels;
    /// The same with the tracer's numbers, "kernel id" in the header.
    std::optional<std::string> ids;
    /// A regular expression searched for in the name, as in the header or demangled.
    std::optional<std::string> names;
    std::optional<std::uint64_t> skip;  ///< number of kernels at the start of the list that do not
                                        ///< run
    std::optional<std::uint64_t> most;  ///< maximum number of kernels that run
    std::optional<cta_range> ctas;

    /// Whether kernel headers are needed for the decision.
    bool needs_headers() const;
    /// Uses the criteria of `other` that are not set here.
    void add(const kernel_choice& other);
};

/// Sets a criterion by the name of its option ("--kernels", ...).
/// @returns whether the option exists @throws support::user_error if the value is invalid
bool set_choice(kernel_choice& choice, const std::string& option, const std::string& value,
                const std::string& where);

/// Names of the options that set_choice() accepts.
const std::vector<std::string>& choice_options();

/// Selects the kernels of a list, in order.
class kernel_selector {
public:
    /// @throws support::user_error
    explicit kernel_selector(const kernel_choice& choice);
    ~kernel_selector();

    /// Whether the next kernel of the list runs. @param header  if needs_headers()
    bool take(const kernel_header& header);
    /// Whether no further kernel will run.
    bool full() const;

private:
    struct item;
    struct items;
    const kernel_choice choice_;
    std::unique_ptr<items> items_;
    std::uint64_t seen_ = 0;
    std::uint64_t taken_ = 0;
};

}  // namespace simtlm::trace
