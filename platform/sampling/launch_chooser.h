// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace simtlm::platform {

/// Chooses the launches of a program to simulate. What a launch executes, and thus its group, is
/// known only afterwards. It is predicted within its family, the launches of one kernel with one
/// grid and block: a group that recurs with a constant interval; otherwise the group that last
/// followed the same two groups, or the same one; otherwise the group of the previous launch.
///
/// The launches 1, 2, 5, 10, 21, 42, ... of each group are simulated: consecutive bits of these
/// numbers alternate, so that even and odd launches are sampled equally. A sample missed because of
/// a wrong prediction is taken later. At most a quarter of the launches of a family plus three are
/// simulated.
class launch_chooser {
public:
    /// @param first  simulates this many launches of each family, the first, instead; 0: as above
    explicit launch_chooser(std::size_t first = 0) : first_(first) {}

    /// Adds the next launch of a family. @return whether to simulate it
    /// @param covered  the cycles of the launch can be derived from other families; while the
    ///                 family has few launches, none of them is simulated
    /// @param large  with `first`: one simulated launch suffices
    bool choose(std::size_t family, bool covered = false, bool large = false);
    /// A launch of a family has ended; call in the order of choose(). @param group  of what it
    /// executed
    void observed(std::size_t family, std::size_t group, bool simulated);

private:
    struct group {
        std::size_t launches = 0, samples = 0;
        std::size_t last = 0;      ///< index in the family of its last launch
        std::size_t interval = 0;  ///< launches between its last two occurrences; 0: unknown
    };
    struct family {
        std::size_t launches = 0;  ///< all launches
        std::size_t ended = 0;     ///< ended launches
        std::size_t samples = 0;   ///< chosen launches
        std::size_t open = 0;      ///< chosen launches that have not ended
        std::map<std::size_t, group> groups;
        std::vector<std::size_t> last;  ///< groups of the last two launches
        std::map<std::size_t, std::size_t> after_one;
        std::map<std::pair<std::size_t, std::size_t>, std::size_t> after_two;

        std::optional<std::size_t> predicted() const;
    };

    std::size_t first_;
    std::vector<family> families_;
};

}  // namespace simtlm::platform
