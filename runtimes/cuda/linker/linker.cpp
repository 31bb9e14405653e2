// SPDX-License-Identifier: Apache-2.0
// Driver API: the linker of PTX, cubins, fat binaries, object files and libraries.
#include "modules/sass/linker.h"

#include "modules/sass/cubin.h"
#include "modules/sass/link_members.h"
#include "platform/device/ptx_symbols.h"
#include "runtimes/cuda/abi/abi.h"
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/linker/toolkit_linker.h"
#include "runtimes/cuda/module/compilation_log.h"
#include "runtimes/cuda/module/fat_binary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace simtlm::cuda;
using simtlm::device::code_preference;
using simtlm::device::gpu_architecture;
using simtlm::sass::fat_binary_entry;
using simtlm::sass::link_member;

namespace {

/// CUjitInputType.
enum class input_type : int { cubin, ptx, fat_binary, object, library };

struct linker {
    std::vector<link_member> members;
    std::vector<std::string> inputs;    ///< bytes of the inputs
    std::vector<toolkit_input> unread;  ///< the inputs, for the toolkit's linker
    /// Where each symbol is defined, of the code that will be linked.
    std::map<std::string, std::string> definitions;
    std::string faults;  ///< of all steps: text of the error log
    std::string linked;  ///< valid after completion
    std::vector<int> options;
    void** values = nullptr;   ///< array of the program; read and written
    std::vector<void*> given;  ///< the values when the linker was created

    /// The log of the next step. The sizes of its buffers are those at creation: the previous step
    /// has replaced them by the sizes of its texts.
    compilation_log log() const {
        constexpr int information_size = 4, error_size = 6;
        for (std::size_t i = 0; i < options.size(); ++i)
            if (options[i] == information_size || options[i] == error_size) values[i] = given[i];
        return {static_cast<unsigned>(options.size()), options.data(), values};
    }
};

using kind = fat_binary_entry::kind;

bool runs_on(const fat_binary_entry& e, gpu_architecture gpu) {
    return e.what == kind::ptx
               ? simtlm::sass::ptx_runs_on(e.architecture, e.suffix, gpu.ptx)
               : simtlm::sass::machine_code_runs_on(e.architecture, e.suffix, gpu.machine_code);
}

const fat_binary_entry* newest(const link_member& m, kind what, gpu_architecture gpu) {
    const fat_binary_entry* best = nullptr;
    for (const fat_binary_entry& e : m.forms) {
        if (e.what == what && !e.contents.empty() && runs_on(e, gpu) &&
            (best == nullptr || e.architecture > best->architecture))
            best = &e;
    }
    return best;
}

/// Whether all inputs have code of a form. Members of libraries without it are omitted.
bool all_have(const linker& l, kind what, gpu_architecture gpu) {
    return std::all_of(l.members.begin(), l.members.end(), [&](const link_member& m) {
        return m.on_demand || newest(m, what, gpu) != nullptr;
    });
}

/// @throws failure  if a PTX text is not valid
simtlm::device::ptx_symbols checked_ptx(const std::string& text, const std::string& name) {
    try {
        return simtlm::device::symbols_of_ptx(text, name);
    } catch (const simtlm::support::user_error& e) {
        throw failure(status::invalid_ptx, e.what());
    }
}

/// Reads an input. @throws user_error
std::vector<link_member> read_input(input_type type, const void* data, std::size_t bytes,
                                    const std::string& name, gpu_architecture gpu) {
    const auto wanted = [&](const fat_binary_entry& e) { return runs_on(e, gpu); };
    std::string contents(static_cast<const char*>(data), bytes);
    require(type != input_type::cubin || simtlm::sass::cubin::has_cubin_header(contents),
            status::invalid_image, "the input is no cubin");
    if (type == input_type::ptx) {
        link_member m;
        m.name = name;
        m.forms.push_back({kind::ptx, 0, contents.substr(0, contents.find('\0'))});
        return {std::move(m)};
    }
    try {
        auto members = simtlm::sass::link_members_of(std::move(contents), name, wanted);
        const bool text = std::any_of(members.begin(), members.end(), [&](const link_member& m) {
            return m.forms.size() == 1 && m.forms[0].what == kind::ptx &&
                   m.forms[0].architecture == 0;
        });
        require(!text, status::invalid_image, "the input has no code for GPUs");
        return members;
    } catch (const failure&) {
        throw;
    } catch (const simtlm::support::user_error& e) {
        throw failure(status::invalid_image, e.what());
    }
}

/// Adds the definitions of an input. @throws link_error  if another input has the same
void define(linker& l, const link_member& m, const std::vector<std::string>& names) {
    std::string reasons;
    for (const std::string& name : names) {
        const auto [at, fresh] = l.definitions.emplace(name, m.name);
        if (!fresh)
            reasons += fmt::format("{}Multiple definition of '{}' in '{}', first defined in '{}'",
                                   reasons.empty() ? "" : "\n", name, m.name, at->second);
    }
    if (!reasons.empty()) throw simtlm::sass::link_error(m.name, reasons);
}

/// The text of a form. The driver reads PTX up to the first zero.
std::string text_of(const fat_binary_entry& e) {
    return e.contents.substr(0, e.contents.find('\0'));
}

/// Refuses code of another architecture, invalid PTX, and functions and variables defined twice.
/// @throws failure, link_error
void check_member(linker& l, const link_member& m, gpu_architecture gpu,
                  code_preference preference) {
    const bool has_code = std::any_of(m.forms.begin(), m.forms.end(),
                                      [](const auto& e) { return e.what == kind::cubin; });
    const fat_binary_entry* const code =
        preference != code_preference::ptx ? newest(m, kind::cubin, gpu) : nullptr;
    const fat_binary_entry* const text = newest(m, kind::ptx, gpu);
    if (has_code && code == nullptr && text == nullptr)
        throw failure(status::no_binary_for_gpu,
                      fmt::format("error   : Input file '{}' arch does not match target 'sm_{}'",
                                  m.name, gpu.machine_code));
    if (m.on_demand) return;
    if (code != nullptr)
        define(l, m, simtlm::sass::strong_definitions(simtlm::sass::cubin(code->contents, m.name)));
    else if (text != nullptr)
        define(l, m, checked_ptx(text_of(*text), m.name).definitions);
}

std::string link_ptx(const linker& l, gpu_architecture gpu) {
    std::vector<simtlm::device::module_source> texts;
    for (const link_member& m : l.members) {
        const fat_binary_entry* const e = newest(m, kind::ptx, gpu);
        if (e == nullptr) continue;
        simtlm::device::module_source s;
        s.name = m.name;
        s.code = text_of(*e);
        texts.push_back(std::move(s));
    }
    std::string linked = link(texts, "linked").code;
    // Each text is valid; together they are not if one declares differently what another defines.
    simtlm::device::ptx_symbols symbols;
    try {
        symbols = simtlm::device::symbols_of_ptx(linked, "linked");
    } catch (const simtlm::support::user_error& e) {
        throw simtlm::sass::link_error("linked", e.what());
    }
    std::string reasons;
    for (const std::string& name : symbols.undefined)
        reasons += fmt::format("{}Undefined reference to '{}'", reasons.empty() ? "" : "\n", name);
    if (!reasons.empty()) throw simtlm::sass::link_error("linked", reasons);
    return linked;
}

std::string link_machine_code(const linker& l, gpu_architecture gpu) {
    const auto objects = simtlm::sass::objects_for(l.members, gpu.machine_code);
    if (objects.size() == 1 && !objects[0].file->is_relocatable())
        return std::string(objects[0].file->bytes());
    return simtlm::sass::link(objects, "linked");
}

std::string complete(const linker& l, const simtlm::device::system_config& c) {
    const gpu_architecture gpu = c.architecture();
    const bool has_ptx = all_have(l, kind::ptx, gpu);
    if (c.code == code_preference::ptx) {
        require(has_ptx, status::no_binary_for_gpu,
                "an input has machine code only, which requires --code auto or sass");
        return link_ptx(l, gpu);
    }
    const bool has_code = all_have(l, kind::cubin, gpu);
    if (has_code) return link_machine_code(l, gpu);
    if (has_ptx) return link_ptx(l, gpu);
    return link_with_toolkit(l.unread, gpu.machine_code);
}

/// Executes a step of linking, and writes the log, which keeps the errors of earlier steps.
/// @throws failure
template <class Act>
void step_of(linker& l, Act&& act) {
    try {
        act();
    } catch (const simtlm::support::user_error& e) {
        if (!l.faults.empty() && l.faults.back() != '\n') l.faults += '\n';
        l.faults += logged(e);
        l.log().write_all(l.faults);
        if (dynamic_cast<const simtlm::sass::link_error*>(&e) != nullptr)
            throw failure(status::invalid_source, e.what());
        throw;
    }
    l.log().write_all(l.faults);
}

}  // namespace

CALL(cuLinkCreate, session&, unsigned count, const int* options, void** values, linker** to) {
    require_pointer(to);
    auto fresh = std::make_unique<linker>();
    if (count != 0) fresh->options.assign(options, options + count);
    fresh->values = values;
    if (count != 0) fresh->given.assign(values, values + count);
    *to = fresh.release();
}
CALL(cuLinkAddData, session& s, linker* l, int type, void* data, std::size_t bytes,
     const char* name, unsigned, void*, void**) {
    require_pointer(l, data);
    require(type >= 0 && type <= static_cast<int>(input_type::library), status::not_supported,
            "bitcode cannot be linked; link PTX, cubins, fat binaries, objects or libraries");
    const auto what = static_cast<input_type>(type);
    const void* from = data;
    if (what == input_type::fat_binary && form_of(data) == code_form::fat_wrapper) {
        fat_binary_wrapper w;
        std::memcpy(&w, data, sizeof w);
        from = w.data;
    }
    if (from != data || (what == input_type::fat_binary && bytes == 0))
        bytes = simtlm::sass::fat_binary_bytes(from);
    require(what != input_type::cubin || s.config().code != code_preference::ptx,
            status::no_binary_for_gpu,
            "a cubin is machine code, which requires --code auto or sass");
    const std::string called =
        name != nullptr ? name : fmt::format("input {}", l->inputs.size() + 1);
    step_of(*l, [&] {
        const gpu_architecture gpu = s.config().architecture();
        auto members = read_input(what, from, bytes, called, gpu);
        for (const link_member& m : members) check_member(*l, m, gpu, s.config().code);
        for (link_member& m : members) l->members.push_back(std::move(m));
    });
    l->inputs.emplace_back(static_cast<const char*>(from), bytes);
    constexpr toolkit_input::kind kinds[] = {
        toolkit_input::kind::cubin, toolkit_input::kind::ptx, toolkit_input::kind::fat_binary,
        toolkit_input::kind::object, toolkit_input::kind::library};
    l->unread.push_back({kinds[type], called, {}});
}
CALL(cuLinkAddFile, session& s, linker* l, int type, const char* path, unsigned count,
     void* options, void** values) {
    std::string text = read_code_file(path);
    cuLinkAddData_call::run(s, l, type, text.data(), text.size(), path, count, options, values);
}
/// The linker's output is PTX or a cubin, as accepted by cuModuleLoadData.
CALL(cuLinkComplete, session& s, linker* l, void** to, std::size_t* bytes) {
    require_pointer(l);
    require(!l->inputs.empty(), status::invalid_value, "nothing to link");
    for (std::size_t i = 0; i < l->inputs.size(); ++i) l->unread[i].bytes = l->inputs[i];
    step_of(*l, [&] { l->linked = complete(*l, s.config()); });
    const bool is_cubin = simtlm::sass::cubin::has_cubin_header(l->linked);
    if (to != nullptr) *to = l->linked.data();
    if (bytes != nullptr) *bytes = l->linked.size() + (is_cubin ? 0 : 1);
}
FUNCTION(result, cuLinkDestroy, linker* l) {
    delete l;
    return 0;
}
