// SPDX-License-Identifier: Apache-2.0
#include "runtimes/opencl/compiler.h"

#include "runtimes/common/compiler_process.h"
#include "runtimes/opencl/library_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

namespace simtlm::opencl {

using runtime::compiler_process;
using runtime::digest_of;
using runtime::identity_of;

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    if (in) text << in.rdbuf();
    return text.str();
}

fs::path named_by(const char* variable) {
    const char* const value = std::getenv(variable);
    return value != nullptr ? value : "";
}

/// Absolute paths are never an option or @FILE.
fs::path absolute_path(const fs::path& path) {
    std::error_code failed;
    const fs::path full = path.empty() ? path : fs::absolute(path, failed);
    return failed ? fs::path() : full;
}

/// The newest architecture known to clang that does not exceed the GPU's compute capability.
unsigned architecture_for(unsigned capability) {
    unsigned best = 60;  // 64-bit atomics of all kinds
    for (const unsigned sm : {61u, 62u, 70u, 72u, 75u, 80u, 86u})
        if (sm <= capability) best = sm;
    return best;
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

/// LLVM's PTX back end implements 64-bit rotations with shifts by the full amount, which may be
/// negative or exceed 63. PTX clamps shift amounts, so the result would be 0. The amount is
/// therefore masked.
void mend_rotations(std::string& ptx) {
    constexpr std::string_view rest = "sub.u32 \t%amt2, 64, ";
    std::string patched;
    std::size_t done = 0;
    for (std::size_t at = ptx.find(rest); at != std::string::npos; at = ptx.find(rest, at + 1)) {
        // Preceded by "shl.b64 \t%lhs, %rd1, %r1;\n\t", or shr.
        const std::size_t amount_end = ptx.find(';', at);
        const std::string amount = ptx.substr(at + rest.size(), amount_end - at - rest.size());
        const std::size_t line = ptx.rfind("sh", at);
        const std::string shift = ptx.substr(line, at - line);
        const std::size_t comma = shift.rfind(", ");
        if (comma == std::string::npos || shift.find("%lhs") == std::string::npos ||
            shift.compare(comma + 2, amount.size() + 1, amount + ";") != 0)
            continue;
        patched.append(ptx, done, line - done);
        patched += "and.b32 \t%amt2, " + amount + ", 63;\n\t" + shift.substr(0, comma) +
                   ", %amt2;\n\tsub.u32 \t%amt2, 64, %amt2";
        done = amount_end;
    }
    if (done == 0) return;
    patched.append(ptx, done);
    ptx = std::move(patched);
}

/// libclc reads byte tables 16 bytes at a time and assumes that they are aligned accordingly; in
/// PTX they have byte alignment and follow the constants of the program.
void align_constant_tables(std::string& ptx) {
    constexpr std::string_view before = ".const .align ", after = " .b8 ";
    for (std::size_t at = ptx.find(before); at != std::string::npos;
         at = ptx.find(before, at + 1)) {
        const std::size_t number = at + before.size(), end = ptx.find(' ', number);
        if (end == std::string::npos || ptx.compare(end, after.size(), after) != 0) continue;
        if (std::strtoul(ptx.c_str() + number, nullptr, 10) < 16)
            ptx.replace(number, end - number, "16");
    }
}

/// LLVM's PTX back end allocates three elements for variables of three-element vectors, while
/// programs store four: the size is rounded up to the alignment.
void pad_three_element_vectors(std::string& ptx) {
    constexpr std::string_view before = " .align ", after = " .b8 ";
    for (std::size_t at = ptx.find(before); at != std::string::npos;
         at = ptx.find(before, at + 1)) {
        const std::size_t number = at + before.size(), type = ptx.find(' ', number);
        if (type == std::string::npos || ptx.compare(type, after.size(), after) != 0) continue;
        const std::size_t space = ptx.rfind('.', at);
        const std::string_view kind = std::string_view(ptx).substr(space, at - space);
        if (kind != ".global" && kind != ".shared" && kind != ".const") continue;
        const std::size_t end = ptx.find_first_of("];", type), open = ptx.rfind('[', end);
        if (end == std::string::npos || ptx[end] != ']' || open < type) continue;
        const unsigned long alignment = std::strtoul(ptx.c_str() + number, nullptr, 10);
        const unsigned long bytes = std::strtoul(ptx.c_str() + open + 1, nullptr, 10);
        if (bytes * 4 == alignment * 3)
            ptx.replace(open + 1, end - open - 1, std::to_string(alignment));
    }
}

/// Returns whether a register of a function has a single definition, which is the address of a
/// variable.
bool holds_address_of_variable(std::string_view function, std::string_view name) {
    const std::string as_result = "\t" + std::string(name) + ",";
    const std::size_t at = function.find(as_result);
    if (at == std::string_view::npos ||
        function.find(as_result, at + as_result.size()) != std::string_view::npos)
        return false;
    const std::size_t line = function.rfind('\n', at) + 1;
    const char first = function.substr(at + as_result.size() + 1, 1)[0];
    return function.substr(line, at - line) == "\tmov.u64 " &&
           (std::isalpha(static_cast<unsigned char>(first)) != 0 || first == '_' || first == '$');
}

/// The null pointers of the local and the generic address space must convert to each other, but
/// cvta adds the base of the window to any offset. Pointers that may be null are compared with
/// zero.
void keep_null_pointers(std::string& ptx) {
    std::string patched;
    std::size_t done = 0;
    for (const std::string_view name : {"\tcvta.shared.u64 \t", "\tcvta.to.shared.u64 \t"}) {
        patched.clear();
        done = 0;
        for (std::size_t at = ptx.find(name); at != std::string::npos;
             at = ptx.find(name, at + 1)) {
            const std::size_t result = at + name.size(), comma = ptx.find(", ", result);
            const std::size_t end = ptx.find(';', result);
            if (end == std::string::npos || comma > end) continue;
            const std::string to = ptx.substr(result, comma - result);
            const std::string from = ptx.substr(comma + 2, end - comma - 2);
            const std::size_t begin = std::min(ptx.rfind("\n{", at), at);
            const std::size_t last = std::min(ptx.find("\n}", at), ptx.size());
            if (holds_address_of_variable(std::string_view(ptx).substr(begin, last - begin), from))
                continue;
            patched.append(ptx, done, at - done);
            patched += fmt::format(
                "\t{{ .reg .pred %set; setp.ne.s64 %set, {1}, 0;{2}{0}, {1}; selp.b64 {0}, {0}, 0, "
                "%set; }}",
                to, from, std::string(name));
            done = end + 1;
        }
        if (done == 0) continue;
        patched.append(ptx, done);
        ptx = patched;
    }
}

/// Address space of a pointer type in LLVM's text form.
unsigned address_space_of(std::string_view type) {
    constexpr std::string_view space = "addrspace(";
    const std::size_t at = type.rfind(space);
    if (at == std::string_view::npos || type.substr(type.size() - 2) != ")*" ||
        type.find(')', at) + 2 != type.size())
        return 0;
    return static_cast<unsigned>(
        std::strtoul(std::string(type.substr(at + space.size())).c_str(), nullptr, 10));
}

/// Error message of LLVM's PTX back end if two casts via the generic address space, or a comparison
/// of such pointers, have been folded into a single cast.
constexpr std::string_view folded_casts = "Cannot cast between two non-generic address spaces";

/// Rewrites casts between the local and the generic address space in LLVM's text form as inline
/// assembly, which is never folded.
void keep_casts_apart(std::string& module) {
    constexpr std::string_view cast = " = addrspacecast ";
    std::string patched;
    std::size_t done = 0;
    for (std::size_t at = module.find(cast); at != std::string::npos;
         at = module.find(cast, at + 1)) {
        const std::size_t begin = at + cast.size(), line = module.find('\n', begin);
        const std::size_t end = std::min(module.find(", !", begin), line);
        const std::size_t to = module.find(" to ", begin);
        if (end == std::string::npos || to > end) continue;
        const std::string operand = module.substr(begin, to - begin);
        const std::string type = operand.substr(0, operand.rfind(' '));
        const std::string result = module.substr(to + 4, end - to - 4);
        const unsigned from_space = address_space_of(type), to_space = address_space_of(result);
        if (!(from_space == 3 && to_space == 0) && !(from_space == 0 && to_space == 3)) continue;
        patched.append(module, done, at - done);
        patched += fmt::format(
            " = call {} asm \"{{ .reg .pred %set; setp.ne.s64 %set, $1, 0; cvta.{}shared.u64 $0, "
            "$1; "
            "selp.b64 $0, $0, 0, %set; }}\", \"=l,l\"({})",
            result, to_space == 3 ? "to." : "", operand);
        done = end;
    }
    if (done == 0) return;
    patched.append(module, done);
    module = std::move(patched);
}

/// Removes the remains of line numbers: unreferenced labels and an empty section. The code is then
/// identical to a compilation without line numbers.
void drop_debug_labels(std::string& ptx) {
    std::string rest;
    rest.reserve(ptx.size());
    for (std::size_t at = 0; at < ptx.size();) {
        const std::size_t end = std::min(ptx.find('\n', at), ptx.size() - 1) + 1;
        const std::string_view line = std::string_view(ptx).substr(at, end - at);
        const auto begins = [&](std::string_view word) {
            return line.substr(0, word.size()) == word;
        };
        if (!begins("Ltmp") && !begins("Lfunc_begin") && !begins("Lfunc_end") &&
            !begins("\t.section\t.debug_loc"))
            rest += line;
        at = end;
    }
    ptx = std::move(rest);
}

/// Folder of the headers that a program has passed, in the compiler's view of the file system.
constexpr std::string_view headers_folder = "/simtlm-headers";

/// Rewrites file names in the line information of LLVM's text form to those known to the program.
/// @param prelude  file included before every program
void name_files(std::string& module, const std::string& prelude) {
    constexpr std::string_view name = "!DIFile(filename: \"", directory = "\", directory: \"";
    for (std::size_t at = module.find(name); at != std::string::npos;
         at = module.find(name, at + 1)) {
        const std::size_t begin = at + name.size(), end = module.find('"', begin);
        if (module.compare(end, directory.size(), directory) != 0) continue;
        const std::size_t path = end + directory.size(), path_end = module.find('"', path);
        std::string file = module.substr(begin, end - begin);
        const std::string_view folder = std::string_view(module).substr(path, path_end - path);
        const std::string inside = std::string(headers_folder) + "/";
        if (file == "<stdin>")
            file = "program.cl";
        else if (file == prelude)
            file = "simtlm_prelude.h";
        else if (file.compare(0, inside.size(), inside) == 0)
            file.erase(0, inside.size());
        else if (folder != headers_folder)
            continue;
        if (file.compare(0, 2, "./") == 0) file.erase(0, 2);
        module.replace(begin, path_end - begin, file + std::string(directory));
    }
}

}  // namespace

const std::vector<std::string>& compiler::extensions() {
    static const std::vector<std::string> names{"cl_khr_byte_addressable_store",
                                                "cl_khr_global_int32_base_atomics",
                                                "cl_khr_global_int32_extended_atomics",
                                                "cl_khr_local_int32_base_atomics",
                                                "cl_khr_local_int32_extended_atomics",
                                                "cl_khr_int64_base_atomics",
                                                "cl_khr_int64_extended_atomics",
                                                "cl_khr_fp64",
                                                "cl_khr_3d_image_writes",
                                                "cl_khr_depth_images"};
    return names;
}

const std::vector<std::string>& compiler::features() {
    static const std::vector<std::string> names{"__opencl_c_3d_image_writes",
                                                "__opencl_c_atomic_order_acq_rel",
                                                "__opencl_c_atomic_order_seq_cst",
                                                "__opencl_c_atomic_scope_device",
                                                "__opencl_c_fp64",
                                                "__opencl_c_generic_address_space",
                                                "__opencl_c_images",
                                                "__opencl_c_int64",
                                                "__opencl_c_read_write_images",
                                                "__opencl_c_program_scope_global_variables",
                                                "__opencl_c_work_group_collective_functions"};
    return names;
}

namespace {

constexpr const char* malformed = "a malformed message about a program to compile";

/// The options as texts.
std::vector<std::string> texts_of(const build_options& o) {
    std::string flags;
    for (const bool f : {o.optimise, o.flush_denormals, o.argument_info, o.make_library})
        flags += f ? '1' : '0';
    std::vector<std::string> texts{flags, o.standard, std::to_string(o.front_end.size())};
    texts.insert(texts.end(), o.front_end.begin(), o.front_end.end());
    return texts;
}

/// Takes options from the front of texts.
build_options take_options(std::vector<std::string>& texts) {
    if (texts.size() < 3 || texts[0].size() != 4) throw std::runtime_error(malformed);
    build_options o;
    bool* const flags[] = {&o.optimise, &o.flush_denormals, &o.argument_info, &o.make_library};
    for (std::size_t i = 0; i < 4; ++i) *flags[i] = texts[0][i] == '1';
    o.standard = texts[1];
    const std::size_t n = std::strtoull(texts[2].c_str(), nullptr, 10);
    if (n > texts.size() - 3) throw std::runtime_error(malformed);
    const auto begin = texts.begin() + 3, end = begin + static_cast<std::ptrdiff_t>(n);
    o.front_end.assign(begin, end);
    texts.erase(texts.begin(), end);
    return o;
}

std::vector<std::string> texts_of(const compile_result& r) {
    return {r.good ? "1" : "0", r.output, to_comments(r.kernels) + ".version", r.log};
}

}  // namespace

std::vector<std::string> compile_for_client(const runtime::compile_request& request) {
    compiler here(request.gpu);
    if (request.action == "missing") return {here.missing()};
    if (!here.missing().empty()) throw std::runtime_error(here.missing());
    std::vector<std::string> texts = request.texts;
    const build_options options = take_options(texts);
    if (request.action == "link") return texts_of(here.link(texts, options));
    if (request.action != "compile" || texts.size() % 2 != 1) throw std::runtime_error(malformed);
    compiler::headers includes;
    for (std::size_t i = 1; i < texts.size(); i += 2) includes.emplace_back(texts[i], texts[i + 1]);
    return texts_of(here.compile(texts[0], options, includes));
}

compile_result compiler::ask(const std::string& action, std::vector<std::string> texts) const {
    compile_result r;
    try {
        const auto made = runtime::ask_compiler(server_, {action, gpu_, std::move(texts)});
        if (made.size() != 4) throw std::runtime_error(malformed);
        r.good = made[0] == "1";
        r.output = made[1];
        r.kernels = signatures_of_ptx(made[2]);
        r.log = made[3];
    } catch (const std::exception& e) {
        r.log = fmt::format("simtlm serve cannot compile the program: {}\n", e.what());
    }
    return r;
}

compiler::compiler(unsigned capability, std::string server)
    : server_(std::move(server)), gpu_(capability), capability_(architecture_for(capability)) {
    if (!server_.empty()) {
        try {
            missing_ = runtime::ask_compiler(server_, {"missing", gpu_, {}}).at(0);
        } catch (const std::exception& e) {
            missing_ = fmt::format("simtlm serve cannot compile programs: {}", e.what());
        }
        return;
    }
    find_tools();
    if (!missing_.empty()) return;
    cache_ = std::make_unique<runtime::compile_cache>(
        runtime::cache_folder("SIMTLM_OPENCL_CACHE", "opencl"), std::uintmax_t{256} << 20);
    identity_ = identity();
}

/// Digest of everything that every compilation reads: the compiler with its libraries and headers,
/// libclc, the built-in library, and the version of the transformations in this file.
std::string compiler::identity() const {
    std::string files = runtime::identity_of_compiler(clang_) + '\n' + identity_of(libclc_);
    std::error_code ignored;
    const fs::path installation = fs::canonical(clang_, ignored).parent_path().parent_path();
    std::vector<fs::path> parts;
    const auto collect = [&](const fs::path& folder, std::string_view prefix) {
        std::error_code failed;
        for (fs::directory_iterator i(folder, failed), end; !failed && i != end;
             i.increment(failed))
            if (const std::string name = i->path().filename().string();
                name.compare(0, prefix.size(), prefix) == 0)
                parts.push_back(i->path());
    };
    for (const char* const lib : {"lib", "lib64"}) {
        collect(installation / lib, "libclang-cpp.so");
        collect(installation / lib, "libLLVM-");
        collect(installation / lib, "libLLVM.so");
        std::vector<fs::path> versions;
        versions.swap(parts);
        collect(installation / lib / "clang", "");
        versions.swap(parts);
        for (const fs::path& version : versions) collect(version / "include", "opencl-c");
    }
    std::sort(parts.begin(), parts.end());
    for (const fs::path& part : parts) files += '\n' + identity_of(part);
    return digest_of({files, library::prelude, library::builtins, library::scratch,
                      std::to_string(capability_), std::to_string(gpu_), "13"});
}

compiler::~compiler() = default;

void compiler::find_tools() {
    clang_ = named_by("SIMTLM_CLANG");
    for (const char* const name : {"clang-14", "clang-15", "clang-16", "clang"})
        if (clang_.empty()) clang_ = runtime::program_in_path(name);
    libclc_ = named_by("SIMTLM_LIBCLC");
    for (const char* const folder : {"/usr/lib/clc", "/usr/share/clc", "/usr/local/share/clc"}) {
        const fs::path file = fs::path(folder) / "nvptx64--nvidiacl.bc";
        if (libclc_.empty() && ::access(file.c_str(), R_OK) == 0) libclc_ = file;
    }
    clang_ = absolute_path(clang_);
    libclc_ = absolute_path(libclc_);
    const bool has_clang = !clang_.empty() && ::access(clang_.c_str(), X_OK) == 0;
    const bool has_libclc = !libclc_.empty() && ::access(libclc_.c_str(), R_OK) == 0;
    if (has_clang && has_libclc) return;
    missing_ = fmt::format(
        "{} missing, which OpenCL C requires: install the packages clang-14 and libclc-14 (or name "
        "the files in SIMTLM_CLANG and SIMTLM_LIBCLC)",
        has_clang    ? "libclc's nvptx64--nvidiacl.bc is"
        : has_libclc ? "clang is"
                     : "clang and libclc are");
}

std::vector<std::string> compiler::target() const {
    const std::string ptx = capability_ >= 86 ? "+ptx71" : capability_ >= 80 ? "+ptx70" : "+ptx63";
    return {"-target",
            "nvptx64-nvidia-nvcl",
            "-Xclang",
            "-target-cpu",
            "-Xclang",
            fmt::format("sm_{}", capability_),
            "-Xclang",
            "-target-feature",
            "-Xclang",
            ptx,
            "-fno-color-diagnostics"};
}

std::vector<std::string> compiler::front_end(const build_options& o) const {
    std::vector<std::string> a = target();
    std::string enabled = "-cl-ext=";
    for (const std::string& e : extensions()) enabled += "+" + e + ",";
    for (const std::string& f : features()) enabled += "+" + f + ",";
    enabled.pop_back();
    const std::vector<std::string> fixed{"-x",
                                         "cl",
                                         "-cl-std=" + o.standard,
                                         "-cl-no-stdinc",
                                         "-fasm",  // PTX syntax in `asm`, as in NVIDIA's compiler
                                         "-Xclang",
                                         "-finclude-default-header",
                                         "-Xclang",
                                         enabled,
                                         "-cl-kernel-arg-info",
                                         "-O2"};
    a.insert(a.end(), fixed.begin(), fixed.end());
    // Optimisation happens at link time; at -O0, clang would omit the bodies of inline functions.
    if (!o.optimise) a.emplace_back("-U__OPTIMIZE__");
    // Features that clang 14 does not accept in -cl-ext.
    if (o.standard == "CL3.0")
        for (const char* const f :
             {"__opencl_c_atomic_scope_device", "__opencl_c_work_group_collective_functions"})
            a.push_back(fmt::format("-D{}=1", f));
    return a;
}

/// Compiles the built-in library once and caches it.
void compiler::make_library() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!library_.empty()) return;
    const std::string key = digest_of({"library", identity_});
    if (auto kept = cache_->find(key); kept && kept->size() == 2) {
        library_ = std::move(*kept);
        return;
    }
    build_options o;
    o.standard = "CL2.0";
    const std::vector<std::string> to_bitcode{
        "-Xclang", "-disable-llvm-passes", "-w", "-emit-llvm", "-c", "-o", "-", "-"};
    compiler_process builtins(clang_.string()), scratch(clang_.string());
    builtins.add(front_end(o));
    scratch.add(target());
    scratch.add({"-x", "c", "-O2"});
    std::vector<std::string> made;
    for (const auto& [process, source] :
         {std::pair(&builtins, library::builtins), std::pair(&scratch, library::scratch)}) {
        const compiler_process::result r = process->run(to_bitcode, source);
        if (!r.good)
            throw std::runtime_error("the library of built-in functions cannot be compiled: " +
                                     r.errors);
        made.push_back(r.output);
    }
    cache_->store(key, made);
    library_ = std::move(made);
}

namespace {

/// A text as a string of JSON, of which LLVM's YAML is a superset.
std::string json_text(std::string_view text) {
    std::string q = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') q += '\\';
        if (static_cast<unsigned char>(c) < 0x20)
            q += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            q += c;
    }
    return q + '"';
}

/// Adds the headers that a program has passed. They exist only in the compiler's view of the file
/// system, where they take precedence over files of the same name.
void pass_headers(compiler_process& clang, const compiler::headers& includes) {
    std::vector<std::string> entries, names;
    for (const auto& [name, text] : includes) {
        const std::string path = (fs::path(headers_folder) / name).lexically_normal().string();
        if (std::find(names.begin(), names.end(), path) != names.end()) continue;
        names.push_back(path);
        entries.push_back(fmt::format(R"({{"type": "file", "name": {}, "external-contents": {}}})",
                                      json_text(path), json_text(clang.give(text))));
    }
    // The working folder is the first to be searched for #include "FILE" of the main source.
    const std::string folder(headers_folder);
    clang.add(
        {"-ivfsoverlay",
         clang.give(fmt::format(R"({{"version": 0, "use-external-names": false, "roots": [{}]}})",
                                fmt::join(entries, ", "))),
         "-Xclang", "-working-directory", "-Xclang", folder, "-I" + folder});
    std::error_code failed;
    if (const fs::path here = fs::current_path(failed); !failed)
        clang.add({"-iquote", here.string()});
}

/// Returns whether the result of compiling a text may depend on anything besides the text: on
/// files, or on the date. True also for some texts that do not: an include directive can be split
/// over lines, a macro can be composed.
bool may_depend_on_more(std::string_view source) {
    std::string text;  // without line splices
    text.reserve(source.size());
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] == '\\') {
            const std::size_t end = source.find_first_not_of(" \t\v\f", i + 1);
            if (end != std::string_view::npos && (source[end] == '\n' || source[end] == '\r')) {
                i = source.substr(end, 2) == "\r\n" ? end + 1 : end;
                continue;
            }
        }
        text += source[i];
    }
    for (const char* const word :
         {"include", "import", "embed", "dependency", "__DATE", "__TIME", "##", "%:", "??"})
        if (text.find(word) != std::string::npos) return true;
    return false;
}

/// Digest of the contents of all files in a list of dependencies in make's syntax.
std::string digest_of_dependencies(std::string_view rule) {
    std::vector<std::string> texts;
    std::string name;
    const auto end_of_name = [&] {
        if (name.empty()) return;
        texts.push_back(text_of(name));
        texts.push_back(std::move(name));
        name.clear();
    };
    for (std::size_t i = std::min(rule.find(':'), rule.size() - 1) + 1; i < rule.size(); ++i) {
        const char c = rule[i], next = i + 1 < rule.size() ? rule[i + 1] : '\n';
        if (c == ' ' || c == '\n') {
            end_of_name();
        } else if (c == '\\' && next == '\n') {
            end_of_name();
            ++i;
        } else if ((c == '\\' && (next == ' ' || next == '#')) || (c == '$' && next == '$')) {
            name += next;
            ++i;
        } else {
            name += c;
        }
    }
    end_of_name();
    return digest_of({texts.begin(), texts.end()});
}

}  // namespace

bool compiler::is_header_name(const std::string& name) {
    if (name.empty() || name.size() >= 4096 || name.back() == '/') return false;
    const std::string last = fs::path(name).filename().string();
    if (last == "." || last == "..") return false;
    // The compiler reads the names as UTF-8.
    for (std::size_t i = 0; i < name.size();) {
        const auto byte = static_cast<unsigned char>(name[i]);
        const std::size_t n = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
        if ((byte >= 0x80 && byte < 0xc2) || byte > 0xf4 || i + n > name.size()) return false;
        for (std::size_t k = 1; k < n; ++k)
            if ((static_cast<unsigned char>(name[i + k]) & 0xc0) != 0x80) return false;
        i += n;
    }
    return true;
}

compile_result compiler::compile(const std::string& source, const build_options& options,
                                 const headers& includes) {
    if (!server_.empty()) {
        std::vector<std::string> texts = texts_of(options);
        texts.push_back(source);
        for (const auto& [name, text] : includes) texts.insert(texts.end(), {name, text});
        compile_result r = ask("compile", std::move(texts));
        for (kernel_signature& k : r.kernels)
            for (argument_signature& one : k.arguments) one.has_info = options.argument_info;
        return r;
    }
    make_library();
    const auto reveal = [&](std::vector<kernel_signature>& kernels) {
        for (kernel_signature& k : kernels)
            for (argument_signature& one : k.arguments) one.has_info = options.argument_info;
    };
    std::string words = options.standard + (options.optimise ? " 1" : " 0");
    for (const std::string& w : options.front_end) words += '\0' + w;
    // If the result may depend on more than the source, the cache key is computed after
    // preprocessing; it is empty if the result cannot be cached.
    const bool is_whole = !may_depend_on_more(source) && !may_depend_on_more(words);
    std::string key = is_whole ? digest_of({"compile", identity_, words, source}) : "";
    const auto find = [&]() -> std::optional<compile_result> {
        if (key.empty()) return std::nullopt;
        const auto found = cache_->find(key);
        if (!found || found->size() != 3) return std::nullopt;
        compile_result kept{true, (*found)[0], signatures_of_ptx((*found)[1]), (*found)[2]};
        reveal(kept.kernels);
        return kept;
    };
    if (const auto kept = find()) return *kept;

    compiler_process clang(clang_.string());
    clang.add(front_end(options));
    const std::string prelude = clang.give(library::prelude);
    if (!includes.empty()) pass_headers(clang, includes);
    clang.add(options.front_end);
    // Attached to every function as an attribute.
    if (options.flush_denormals) clang.add({"-Xclang", "-fdenormal-fp-math-f32=preserve-sign"});
    clang.add({"-gline-directives-only", "-include", prelude});
    std::string dependencies, digest;
    if (!is_whole) {
        const std::string list = clang.give({});
        const compiler_process::result r =
            clang.run({"-E", "-w", "-MD", "-MF", list, "-o", "-", "-"}, source);
        if (r.good) {
            dependencies = clang.text_of(list);
            digest = digest_of_dependencies(dependencies);
            std::error_code ignored;
            const std::string here = fs::current_path(ignored).string();
            std::vector<std::string_view> texts{
                "compile with files", identity_, words, source, here, r.output,
                dependencies,         digest};
            for (const auto& [name, text] : includes) texts.insert(texts.end(), {name, text});
            key = digest_of(texts);
            if (const auto kept = find()) return *kept;
        }
    }

    const compiler_process::result r =
        clang.run({"-Xclang", "-disable-llvm-passes", "-emit-llvm", "-S", "-o", "-", "-"}, source);
    const std::string folder = std::string(headers_folder) + "/";
    compile_result result;
    result.log = r.errors;
    replace_all(result.log, "<stdin>:", "program.cl:");
    replace_all(result.log, folder + "./", "");
    replace_all(result.log, folder, "");
    replace_all(result.log, prelude + ":", "simtlm_prelude.h:");
    if (!r.good) return result;
    std::string module = r.output;
    name_files(module, prelude);
    result.kernels = signatures_of_llvm(module);
    // clang does not inline kernels for this target, but kernels that call kernels need it, since
    // PTX cannot call entries. Before any pass has run, only kernels are norecurse.
    replace_all(module, " noinline norecurse ", " alwaysinline ");
    // A plain inline function of C99 has no external definition, but OpenCL programs call it.
    replace_all(module, "\ndefine available_externally ", "\ndefine linkonce_odr ");
    compiler_process assembler(clang_.string());
    assembler.add(target());
    const compiler_process::result object = assembler.run(
        {"-x", "ir", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "-w", "-o", "-", "-"},
        module);
    if (!object.good) {
        result.log += object.errors;
        return result;
    }
    result.output = object.output;
    result.good = true;
    // A file that has changed in the meantime does not belong to the key.
    if (!key.empty() && (is_whole || digest_of_dependencies(dependencies) == digest))
        cache_->store(key, {result.output, to_comments(result.kernels) + ".version", result.log});
    reveal(result.kernels);
    return result;
}

compile_result compiler::link(const std::vector<std::string>& objects,
                              const build_options& options) {
    if (!server_.empty()) {
        std::vector<std::string> texts = texts_of(options);
        texts.insert(texts.end(), objects.begin(), objects.end());
        return ask("link", std::move(texts));
    }
    make_library();
    std::vector<std::string_view> texts{"link", identity_, options.make_library ? "library" : "",
                                        options.optimise ? "" : "plain"};
    texts.insert(texts.end(), objects.begin(), objects.end());
    const std::string key = digest_of(texts);
    if (const auto found = cache_->find(key); found && found->size() == 2)
        return {true, (*found)[0], {}, (*found)[1]};

    const auto link = [&](const std::vector<std::string>& parts) {
        compiler_process clang(clang_.string());
        clang.add(target());
        clang.add({"-x", "cl", "-cl-std=CL2.0", "-cl-no-stdinc", "-Wno-linker-warnings",
                   options.optimise ? "-O2" : "-O0"});
        for (const std::string& part : parts)
            clang.add({"-Xclang", "-mlink-bitcode-file", "-Xclang", clang.give(part)});
        if (options.make_library) {
            clang.add({"-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"});
        } else {
            std::vector<std::string> files;
            for (const std::string& part : library_) files.push_back(clang.give(part));
            files.push_back(libclc_.string());
            for (const std::string& file : files)
                clang.add({"-Xclang", "-mlink-builtin-bitcode", "-Xclang", file});
            clang.add({"-S"});
        }
        return clang.run({"-o", "-", "-"}, "\n");
    };
    compiler_process::result r = link(objects);
    if (!r.good && r.errors.find(folded_casts) != std::string::npos) {
        std::vector<std::string> rewritten = objects;
        compiler_process converter(clang_.string());
        converter.add(target());
        converter.add(
            {"-x", "ir", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-w", "-o", "-"});
        for (std::string& object : rewritten) {
            compiler_process::result text = converter.run({"-S", "-"}, object);
            if (!text.good) continue;
            keep_casts_apart(text.output);
            const compiler_process::result back = converter.run({"-c", "-"}, text.output);
            if (back.good) object = back.output;
        }
        r = link(rewritten);
    }
    compile_result result;
    result.log = r.errors;
    if (!r.good) return result;
    result.output = r.output;
    if (!options.make_library) {
        drop_debug_labels(result.output);
        mend_rotations(result.output);
        pad_three_element_vectors(result.output);
        keep_null_pointers(result.output);
        // GPUs before sm_60 execute code compiled for sm_60.
        if (gpu_ < capability_)
            replace_all(result.output, fmt::format(".target sm_{},", capability_),
                        fmt::format(".target sm_{},", gpu_));
        align_constant_tables(result.output);
    }
    result.good = !result.output.empty();
    if (result.good) cache_->store(key, {result.output, result.log});
    return result;
}

}  // namespace simtlm::opencl
