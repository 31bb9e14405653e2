// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iostream>
#include <string>

namespace platform_example {

/// Counts failed expectations; the test's exit code.
struct expectations {
    int failed = 0;
    void operator()(bool holds, const std::string& what) {
        std::cout << (holds ? "  ok    " : "  FAILED ") << what << '\n';
        failed += holds ? 0 : 1;
    }
};

}  // namespace platform_example
