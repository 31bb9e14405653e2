// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The tools beside the simulator, by name: `diff` is simtlm-diff. One library contains all of
/// them, so that the headers of Boost and JSON are compiled once; tool_entry.cpp makes a program of
/// each. All take the arguments of main() and return the exit code.
namespace simtlm::tools {

int diff(int argc, char** argv);
int merge(int argc, char** argv);
int report(int argc, char** argv);
int sass(int argc, char** argv);
int sweep(int argc, char** argv);
int trace(int argc, char** argv);

}  // namespace simtlm::tools
