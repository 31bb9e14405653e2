// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/kernel_trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::trace {

/// Which kernels of a command list run, and which of their thread blocks: given on the command
/// line, or by lines of the list itself. All that is given must hold.
struct kernel_choice {
    /// Items with blanks or commas between them, one of which must hold: N, A-B, A-, -B, @REGEX,
    /// A-B@REGEX (as in the tracer's DYNAMIC_KERNEL_RANGE). Numbers count the list's kernels, from
    /// 1.
    std::optional<std::string> kernels;
    /// The same; numbers are the tracer's, "kernel id" of the header.
    std::optional<std::string> ids;
    /// A regular expression that is found in the name, as it stands in the header or demangled.
    std::optional<std::string> names;
    std::optional<std::uint64_t> skip;  ///< so many kernels of the list do not run
    std::optional<std::uint64_t> most;  ///< so many run, and then the list ends
    std::optional<cta_range> ctas;

    /// Needs to know headers.
    bool looks_into_headers() const;
    /// Takes over what `other` says and this does not.
    void add(const kernel_choice& other);
};

/// Sets one of the choices by the name of its option ("--kernels", ...).
/// @returns whether there is such an option @throws kernel::user_error about the value
bool set_choice(kernel_choice& choice, const std::string& option, const std::string& value,
                const std::string& where);

/// Names of the options that set_choice() knows.
const std::vector<std::string>& choice_options();

/// Decides kernel after kernel of a list.
class kernel_selector {
public:
    /// @throws kernel::user_error
    explicit kernel_selector(const kernel_choice& choice);
    ~kernel_selector();

    /// The next kernel of the list runs. @param header  when the choice looks into headers
    bool take(const kernel_header& header);
    /// No further kernel will run.
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
