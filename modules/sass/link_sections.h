// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/sass/cubin_writer.h"
#include "modules/sass/link_diagnostics.h"
#include "modules/sass/link_functions.h"
#include "modules/sass/link_memory.h"
#include "modules/sass/link_symbols.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace simtlm::sass {

/// A place in a section of the result.
struct output_place {
    std::uint32_t section = 0;
    std::uint64_t offset = 0;
};

/// A section of a file in a section of the result.
struct output_segment {
    in_file section;
    std::uint64_t offset = 0;
};

/// Lays out the sections of the result: combines the data of all files, and adds the code,
/// parameters, constants and shared memory of every function, and the symbols of all of them.
class link_sections {
public:
    /// @param symbols, functions, memory, writer, diagnostics  must outlive the sections
    link_sections(const link_symbols& symbols, const link_functions& functions,
                  const link_memory& memory, cubin_writer& writer, link_diagnostics& diagnostics);

    /// Places variables of global memory and constants that no function owns. Reports constants
    /// that exceed their bank, and common symbols that are not in global memory.
    void place_data();
    /// Adds the sections of kernels and device functions, and the line tables.
    void place_functions();
    /// Adds the symbols of sections, functions and variables. Local ones are first; a local
    /// variable is omitted if a global one has the same name.
    void add_symbols();

    /// Where a section of data or code is; none if the result does not contain it.
    std::optional<output_place> place_of(in_file section) const;
    /// Where a common variable is; none if it is not the definition.
    std::optional<output_place> place_of_common(in_file symbol) const;
    /// Section and symbol of the code of a function.
    std::uint32_t code_section(std::uint32_t function) const { return code_sections_[function]; }
    std::uint32_t function_symbol(std::uint32_t function) const { return symbols_of_[function]; }
    /// What the sections of the result consist of, by section.
    const std::map<std::uint32_t, std::vector<output_segment>>& segments() const {
        return segments_;
    }

private:
    std::uint64_t add_segment(std::uint32_t output, in_file section);
    std::uint64_t add_common(std::uint32_t output, const cubin_symbol& variable);
    void place_common_variables();
    void place_parameters(const linked_function& kernel);
    void place_constants(std::uint32_t kernel);
    void place_shared_memory(std::uint32_t kernel);
    void add_variable(in_file symbol, bool global);

    const link_symbols& symbols_;
    const link_functions& functions_;
    const link_memory& memory_;
    cubin_writer& writer_;
    link_diagnostics& diagnostics_;
    std::map<std::uint32_t, std::vector<output_segment>> segments_;
    std::map<in_file, output_place> placed_;                 ///< by section
    std::map<in_file, output_place> common_;                 ///< by symbol
    std::vector<std::uint32_t> code_sections_, symbols_of_;  ///< by function
};

}  // namespace simtlm::sass
