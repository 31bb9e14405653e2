// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"
#include "modules/program/kernel_descriptor.h"
#include "modules/trace/kernel_trace.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace simtlm::platform {

/// What is known about the execution of a kernel before it runs.
struct kernel_traits {
    std::string name;
    program::dim3 grid, block;
    std::uint32_t shared_memory = 0;  ///< bytes per CTA
    std::uint32_t registers = 0;      ///< per thread
    std::uint64_t stream = 0;         ///< stream recorded in the trace
    /// Values of the arguments other than addresses; only with --sample-skip, which relies on
    /// launches with equal ones executing equal work.
    std::string arguments;
    double instructions = 0;  ///< warp instructions per CTA; 0: unknown
    double longest_warp = 0;  ///< instructions of the longest warp; 0: unknown
    std::array<double, program::op_class_count> mix{};  ///< share of each instruction class
    double footprint = 0;                               ///< bytes of global memory accessed per CTA
    double recorded = 0;                                ///< bytes of its trace text; 0: unknown

    /// Estimated warp instructions of the whole kernel, from the size of its trace or from its
    /// first CTAs. For programs, whose instructions are unknown, the number of threads.
    double work() const;
};

/// The traits that launches of one kernel have in common, whatever their grid: name, block, shared
/// memory, registers. References; a kernel_key holds copies.
inline auto kernel_identity(const kernel_traits& t) {
    return std::tie(t.name, t.block.x, t.block.y, t.block.z, t.shared_memory, t.registers);
}
/// The same, the grid and the arguments, if these are known.
inline auto launch_identity(const kernel_traits& t) {
    return std::tuple_cat(kernel_identity(t), std::tie(t.grid.x, t.grid.y, t.grid.z, t.arguments));
}

namespace detail {
template <class Tuple>
struct values_of;
template <class... T>
struct values_of<std::tuple<T...>> {
    using type = std::tuple<std::decay_t<T>...>;
};
}  // namespace detail
using kernel_key =
    detail::values_of<decltype(kernel_identity(std::declval<kernel_traits>()))>::type;
using launch_key =
    detail::values_of<decltype(launch_identity(std::declval<kernel_traits>()))>::type;

inline bool same_kernel(const kernel_traits& a, const kernel_traits& b) {
    return kernel_identity(a) == kernel_identity(b);
}
inline bool same_launch(const kernel_traits& a, const kernel_traits& b) {
    return launch_identity(a) == launch_identity(b);
}

/// Traits from the header of a traced kernel; its instructions remain unknown.
kernel_traits traits_of_header(const trace::kernel_header& h);

/// Traits of a traced kernel from its header and its first thread blocks.
/// @throws support::user_error
kernel_traits traits_of_trace(const std::string& file, const trace::reader_options& options);

/// A range of device memory: address and size in bytes.
using memory_area = std::pair<std::uint64_t, std::uint64_t>;

/// The memory sectors that a traced kernel accesses, including code, merged into areas sorted by
/// address; nothing if they exceed `max_bytes`. @throws support::user_error
std::optional<std::vector<memory_area>> areas_of_trace(const std::string& file,
                                                       const trace::reader_options& options,
                                                       std::uint64_t max_bytes);

}  // namespace simtlm::platform
