// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/operation.h"
#include "modules/ptx/types.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::ptx {

/// An index that means "none".
constexpr std::uint32_t no_index = 0xffffffffU;

/// A position in the PTX text; both count from 1.
struct place {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

/// Kind of an operand. Operands have fixed positions per signature: an optional operand that is
/// missing is `none`, so that position i has the same meaning in every instruction of an opcode.
enum class operand_kind : std::uint8_t {
    none,              ///< optional and absent
    sink,              ///< `_`
    reg,               ///< index: the function's register
    immediate,         ///< value: the bits, of the width of `type`; integers are sign-extended
    special,           ///< index: special_register; count: component (0 to 3) or number
    variable,          ///< address of a variable: index into module.variables, value: byte offset
    function,          ///< index into module.functions (call target, address of a function)
    label,             ///< index: instruction of this function (may be one past the last)
    vector,            ///< elements [index, index + count) of function.elements
    address_register,  ///< [reg + value]
    address_variable,  ///< [variable + value]
    address_absolute,  ///< [value]
    branch_targets,    ///< index into function.branch_targets
    call_targets,      ///< index into function.call_targets
    prototype,         ///< index into function.prototypes
};

/// Byte or half-word selectors of video instructions, `.b0`, `.h10`, `.b3210`; also the byte mask
/// of a destination. Lane i (least significant first) selects lanes[i].
struct selector {
    std::uint8_t unit = 0;   ///< 0: none, 8: bytes, 16: half-words
    std::uint8_t count = 0;  ///< one for scalar selectors
    std::array<std::uint8_t, 4> lanes{};
};

/// An operand of an instruction, or an element of a vector operand.
struct operand {
    operand_kind kind = operand_kind::none;
    ptx::type type = type::none;  ///< declared type of a register; required type of an immediate
    bool negated = false;         ///< `!p`, or `-a` in vmad
    selector select;
    std::uint32_t index = no_index;
    std::uint32_t count = 0;
    std::int64_t value = 0;
};

/// An instruction; its operation and operands are in separate tables.
struct instruction {
    std::uint32_t operation = 0;      ///< index into module.operations
    std::uint32_t first_operand = 0;  ///< index into function.operands
    std::uint8_t operand_count = 0;
    std::uint8_t result_count = 0;      ///< leading operands that are written, including `none`
    bool guard_negated = false;         ///< @!p
    std::uint32_t guard = no_index;     ///< predicate register, or no_index
    std::uint32_t location = no_index;  ///< index into module.locations (`.loc`)
    place where;                        ///< in the PTX text
};

/// Registers declared together: `.reg .b32 %r<100>;`, `.reg .v4 .f32 v;`.
struct register_range {
    std::string name;         ///< "%r" of %r<100>; the whole name of a single register
    std::uint32_t first = 0;  ///< index of the first
    std::uint32_t count = 1;
    std::uint32_t first_number = 0;  ///< number of the first: %r<100> counts from 0
    ptx::type type = type::none;
    bool numbered = false;    ///< declared with <n>
    std::uint8_t vector = 1;  ///< elements of a vector are consecutive registers v.x v.y …
};

/// Source location of an instruction, `.loc`. A chain of inlined_at leads to the outermost caller.
struct source_location {
    std::uint32_t file = 0;  ///< number of the `.file`
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::uint32_t inlined_at = no_index;  ///< index into module.locations
    std::string function;                 ///< label of the inlined function's name; may be empty
};

/// `.file`: a source file, referred to by the number in `.loc`.
struct source_file {
    std::uint32_t number = 0;
    std::string name;
};

/// A property set by the declaration of a texture, sampler or surface reference (`{ filter_mode =
/// linear, addr_mode_0 = wrap }`).
struct opaque_property {
    std::string name;
    std::string word;  ///< "linear"; empty if the value is a number
    std::uint64_t value = 0;
};

/// An address in initialised data, to be set when addresses are known.
struct relocation {
    std::uint64_t offset = 0;  ///< position in the data
    std::uint8_t size = 8;     ///< bytes to store
    bool generic = false;      ///< generic(sym): the address in the generic space
    bool function = false;     ///< symbol is an index into module.functions, otherwise into
                               ///< module.variables
    std::uint32_t symbol = no_index;
    std::int64_t addend = 0;
    std::uint8_t shift = 0;  ///< `0xff00(sym)`: the address is first shifted right by 8
};

/// Initial data of a variable. Bytes beyond the end of `bytes` are zero.
struct initialiser {
    std::vector<std::uint8_t> bytes;
    std::vector<relocation> relocations;
};

/// `.ptr` of a kernel parameter: properties of the memory to which it points.
struct pointer_attribute {
    bool present = false;
    state_space space = state_space::generic;
    std::uint32_t alignment = 4;
};

/// A variable in memory: of a module (.global, .const, .shared, .tex and references), of a function
/// (.local, .shared, .param), or a parameter.
struct variable {
    std::string name;
    state_space space = state_space::global;
    ptx::type type = type::none;  ///< of an element
    std::uint8_t vector = 1;
    std::uint8_t bank = 0;  ///< `.const[n]`
    bool array = false;
    bool unsized = false;    ///< `x[]`: extern shared, variadic parameter
    bool managed = false;    ///< .attribute(.managed)
    bool parameter = false;  ///< part of a function's signature rather than its body
    linkage link = linkage::internal;
    std::uint32_t alignment = 0;            ///< bytes; default: natural alignment
    std::vector<std::uint64_t> dimensions;  ///< 0 for an unsized one
    std::uint64_t size = 0;                 ///< bytes; 0 if unsized
    std::uint32_t owner = no_index;         ///< index of the function, or no_index
    pointer_attribute pointer;
    initialiser data;
    bool initialised = false;
    std::vector<opaque_property> properties;  ///< of texref, samplerref, surfref
    place where;
};

/// A parameter or result of a function: a `.param` variable, or a register (`.func (.reg .u32 r)`).
/// A vector register counts as several parameters, here and in calls.
struct parameter {
    bool in_register = false;
    std::uint32_t index = no_index;  ///< into module.variables, or into the function's registers
};

/// `.callprototype`: signature of an indirect call.
struct prototype {
    /// A result or parameter.
    struct item {
        ptx::type type = type::none;
        bool in_register = false;
        bool array = false;
        std::uint32_t alignment = 0;
        std::uint64_t size = 0;  ///< bytes; 0 if unsized
    };
    std::string name;
    std::vector<item> results;
    std::vector<item> parameters;
    bool noreturn = false;
};

/// `.branchtargets`: possible targets of brx.idx.
struct branch_target_list {
    std::string name;
    std::vector<std::uint32_t> targets;
};

/// `.calltargets`: possible targets of an indirect call, indices into module.functions.
struct call_target_list {
    std::string name;
    std::vector<std::uint32_t> functions;
};

/// Performance and cluster directives of an entry; 0 if absent.
struct performance_directives {
    std::array<std::uint32_t, 3> maxntid{};
    std::array<std::uint32_t, 3> reqntid{};
    std::uint32_t minnctapersm = 0;
    std::uint32_t maxnctapersm = 0;
    std::uint32_t maxnreg = 0;
    std::array<std::uint32_t, 3> reqnctapercluster{};
    std::uint32_t maxclusterrank = 0;
    bool explicitcluster = false;
    bool blocksareclusters = false;
};

/// A label, and the instruction that follows it.
struct named_label {
    std::string name;
    std::uint32_t instruction = 0;
};

/// A kernel (`.entry`) or device function (`.func`).
struct function {
    std::string name;
    bool entry = false;
    bool defined = false;  ///< false: only declared; linked by name, or built in (vprintf, malloc)
    bool noreturn = false;
    linkage link = linkage::internal;
    std::uint32_t alias_of = no_index;  ///< `.alias`: the function with the body
    std::vector<parameter> results;
    std::vector<parameter> parameters;
    bool variadic = false;  ///< the last parameter is an unsized array
    performance_directives directives;
    std::vector<std::string> pragmas;
    place where;

    std::vector<instruction> code;
    std::vector<operand> operands;
    std::vector<operand> elements;               ///< of vector operands
    std::vector<ptx::type> registers;            ///< type of each register
    std::vector<register_range> register_names;  ///< ascending by first
    std::vector<std::uint32_t> variables;  ///< declared in the body, indices into module.variables
    std::vector<named_label> labels;       ///< ascending by instruction
    std::vector<branch_target_list> branch_targets;
    std::vector<call_target_list> call_targets;
    std::vector<prototype> prototypes;

    /// Operand i of an instruction.
    const operand& operand_of(const instruction& i, unsigned n) const {
        return operands[i.first_operand + n];
    }
    /// Element i of a vector operand.
    const operand& element_of(const operand& o, unsigned n) const { return elements[o.index + n]; }

    /// Name such as "%r12", for messages.
    std::string register_name(std::uint32_t index) const;
};

/// A parsed and checked PTX module. Immutable for its users; independent of the text from which it
/// was parsed.
struct module {
    std::string file;  ///< name used in messages
    unsigned version_major = 0;
    unsigned version_minor = 0;
    std::string target;                       ///< "sm_70"
    unsigned architecture = 0;                ///< 70; 0 if the target has no number
    std::vector<std::string> target_options;  ///< "debug", "texmode_independent", …
    unsigned address_size = 64;
    std::vector<std::string> pragmas;
    std::vector<operation> operations;
    std::vector<variable> variables;  ///< including those of functions
    std::vector<function> functions;
    std::vector<source_file> files;
    std::vector<source_location> locations;

    const operation& operation_of(const instruction& i) const { return operations[i.operation]; }

    /// The function with a name, or nullptr.
    const function* find_function(std::string_view name) const;
    /// The module-scope variable with a name, or nullptr.
    const variable* find_variable(std::string_view name) const;
    /// The name of a `.file`, or "".
    std::string_view file_name(std::uint32_t number) const;
    /// The types of a function's parameters or results, as a prototype describes them.
    std::vector<prototype::item> items_of(const function& f,
                                          const std::vector<parameter>& list) const;
    /// "kernel.ptx:12:3", for messages.
    std::string where(place p) const;
    /// The text of an instruction, for debug output.
    std::string text_of(const function& f, const instruction& i) const;
};

}  // namespace simtlm::ptx
