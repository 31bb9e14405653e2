// SPDX-License-Identifier: Apache-2.0
// Program of one of the tools: SIMTLM_TOOL is its name in tools.h.
#include "sc_main/tools.h"

/// Nothing is simulated, but the SystemC library, with which they are linked, requires this
/// symbol.
extern "C" int sc_main(int argc, char** argv) {
    return simtlm::tools::SIMTLM_TOOL(argc, argv);
}

/// Replaces main() of SystemC, which would print a banner.
int main(int argc, char** argv) {
    return sc_main(argc, argv);
}
