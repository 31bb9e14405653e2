// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/system/simulator.h"

#include <map>
#include <string>
#include <vector>

namespace simtlm::test {

/// Text of a valid kernel trace: `blocks` blocks of two warps with a few instructions each. Its
/// parts can be modified before it is written.
struct small_trace {
    std::map<std::string, std::string> header = {{"kernel name", "small"},
                                                 {"kernel id", "1"},
                                                 {"grid dim", "(2,1,1)"},
                                                 {"block dim", "(64,1,1)"},
                                                 {"shmem", "0"},
                                                 {"nregs", "16"},
                                                 {"binary version", "70"},
                                                 {"cuda stream id", "0"},
                                                 {"shmem base_addr", "0x00007f0000000000"},
                                                 {"local mem base_addr", "0x00007f0002000000"},
                                                 {"nvbit version", "1.7"},
                                                 {"accelsim tracer version", "5"},
                                                 {"enable lineinfo", "0"}};
    unsigned blocks = 2;
    /// Instructions of warps 0 and 1 of every block.
    std::vector<std::vector<std::string>> warps = {std::vector<std::string>(usual()),
                                                   std::vector<std::string>(usual())};

    static std::vector<std::string> usual() {
        return {"0000 ffffffff 1 R1 MOV 0 0 0", "0010 ffffffff 1 R4 IMAD.WIDE 2 R0 R9 0 0",
                "0020 ffffffff 1 R12 LDG.E.SYS 1 R4 4 1 0x7f5800000000 4 0",
                "0030 ffffffff 1 R12 FADD 2 R12 R1 0 0", "0040 ffffffff 0 EXIT 0 0 0"};
    }

    std::string text() const {
        std::string t;
        for (const char* key :
             {"kernel name", "kernel id", "grid dim", "block dim", "shmem", "nregs",
              "binary version", "cuda stream id", "shmem base_addr", "local mem base_addr",
              "nvbit version", "accelsim tracer version", "enable lineinfo"})
            if (header.count(key) != 0) t += std::string("-") + key + " = " + header.at(key) + "\n";
        for (unsigned b = 0; b < blocks; ++b) {
            t += "\n#BEGIN_TB\n\nthread block = " + std::to_string(b) + ",0,0\n";
            for (std::size_t w = 0; w < warps.size(); ++w) {
                t += "\nwarp = " + std::to_string(w) +
                     "\ninsts = " + std::to_string(warps[w].size()) + "\n";
                for (const std::string& line : warps[w]) t += line + "\n";
            }
            t += "\n#END_TB\n";
        }
        return t;
    }

    /// Writes the trace, or a different text in its place, and a list that refers to it.
    std::string write(const scratch_folder& folder, const std::string& other = {}) const {
        folder.write("kernel-1.traceg", other.empty() ? text() : other);
        return folder.write("kernelslist.g", "kernel-1.traceg\n");
    }
};

inline std::string replaced(std::string text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    if (at != std::string::npos) text.replace(at, what.size(), with);
    return text;
}

}  // namespace simtlm::test
