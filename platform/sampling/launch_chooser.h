// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace simtlm::platform {

/// Chooses which launches of a program are simulated. What a launch executes, and so its group, is
/// known only behind it; before, the group is predicted within its family, the launches of one
/// kernel with one grid and block: a group that comes again after as many launches as last time;
/// else the group of the launch that came behind the same two groups last time, else behind the
/// same one, else the group of the launch before.
///
/// Of each group the launches 1, 2, 5, 10, 21, 42, ... are due: every bit of these numbers differs
/// from the next, so that odd and even ones take turns. A sample that was missed because of a wrong
/// prediction is made up for. At most a quarter of the launches of a family, and three more, are
/// simulated.
class launch_chooser {
public:
    /// The next launch of a family. @return whether it is simulated
    bool choose(std::size_t family);
    /// A launch of a family has ended, in the order of choose(). @param group  of what it executed
    void observed(std::size_t family, std::size_t group, bool simulated);

private:
    struct group {
        std::size_t launches = 0, samples = 0;
        std::size_t last = 0;      ///< number of its last launch in the family
        std::size_t interval = 0;  ///< launches from the one before to that; 0: not known
    };
    struct family {
        std::size_t launches = 0;  ///< chosen or not
        std::size_t ended = 0;     ///< of them
        std::size_t samples = 0;   ///< chosen
        std::size_t open = 0;      ///< chosen, and not observed yet
        std::map<std::size_t, group> groups;
        std::vector<std::size_t> last;  ///< groups of the last two launches
        std::map<std::size_t, std::size_t> behind_one;
        std::map<std::pair<std::size_t, std::size_t>, std::size_t> behind_two;

        std::optional<std::size_t> predicted() const;
    };

    std::vector<family> families_;
};

}  // namespace simtlm::platform
