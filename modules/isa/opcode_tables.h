// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::isa {

/// Properties of a base opcode (the text before the first dot).
struct opcode_entry {
    program::op_class cls = program::op_class::alu;
    program::memory_space space = program::memory_space::none;
    program::special_op special = program::special_op::none;
    bool atomic = false;  ///< read-modify-write in memory; never served by an L1
    bool half = false;    ///< packed half precision: half the initiation interval
};

/// Opcodes by architecture, and architectures by binary version (the 70 of sm_70).
///
/// The tables are data: the built-in ones and a user's file share one syntax, line by line:
///
///     # comment
///     [blackwell : hopper] 100 120    # a new architecture: parent after the colon, its versions
///     sp: FADD2 FMUL2                 # class [attributes]: opcodes
///     load global: LDGX
///     [ampere]                        # reopens an architecture to add or replace opcodes
///     spec3: XMMA
///
/// Classes: alu sp int dp sfu tensor load store branch call ret barrier fence exit spec1..spec8.
/// Attributes: global local shared constant generic (the memory space; loads and stores only),
/// atomic, half, ldgsts, ldgdepbar, depbar, ldsm, warp_sync.
class opcode_tables {
public:
    /// The built-in tables: Kepler to Blackwell.
    static opcode_tables builtin();

    /// Adds a user's file to the tables; its entries replace existing ones.
    /// @throws support::user_error naming file and line
    void load(const std::string& file);

    /// Adds a text in the syntax above.
    /// @param where  name of the text in messages
    /// @throws support::user_error naming `where` and line
    void load_text(std::string_view text, const std::string& where);

    /// The entry of an opcode, looked up in the architecture and then in its ancestors, or nullptr.
    const opcode_entry* find(unsigned binary_version, std::string_view base_opcode) const;

    /// Whether there is a table for a binary version.
    bool knows_version(unsigned binary_version) const;

    /// The architecture of a version, e.g. "ampere" for 80; empty if unknown.
    std::string architecture_of(unsigned binary_version) const;

    /// All versions, "35 37 50 …", for messages.
    std::string versions() const;

    std::vector<std::string> architecture_names() const;

private:
    struct architecture {
        std::string name;
        int parent = -1;
        std::map<std::string, opcode_entry, std::less<>> opcodes;
    };

    int index_of(std::string_view name) const;

    std::vector<architecture> architectures_;
    std::map<unsigned, int> by_version_;
};

}  // namespace simtlm::isa
