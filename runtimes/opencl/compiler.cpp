// SPDX-License-Identifier: Apache-2.0
#include "runtimes/opencl/compiler.h"

#include "runtimes/opencl/library_text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

namespace simtlm::opencl {

namespace {

namespace fs = std::filesystem;

/// A temporary folder, deleted with the object.
class temporary_folder {
public:
    temporary_folder() {
        std::error_code ignored;
        std::string pattern = (fs::temp_directory_path(ignored) / "simtlm-opencl-XXXXXX").string();
        if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
    }
    ~temporary_folder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    fs::path operator/(const std::string& name) const { return path_ / name; }
    bool good() const { return !path_.empty(); }

private:
    fs::path path_;
};

std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    if (in) text << in.rdbuf();
    return text.str();
}

bool write(const fs::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary);
    return static_cast<bool>(out << text) && static_cast<bool>(out.flush());
}

fs::path in_path(const std::string& name) {
    const char* const folders = std::getenv("PATH");
    std::istringstream in(folders != nullptr ? folders : "/usr/bin");
    for (std::string folder; std::getline(in, folder, ':');) {
        const fs::path file = fs::path(folder) / name;
        if (::access(file.c_str(), X_OK) == 0) return file;
    }
    return {};
}

fs::path named_by(const char* variable) {
    const char* const value = std::getenv(variable);
    return value != nullptr ? value : "";
}

/// Identifies the version of a file by its externally visible attributes.
std::string identity_of(const fs::path& file) {
    std::error_code ignored;
    const fs::path real = fs::canonical(file, ignored);
    struct stat s = {};
    ::stat(real.c_str(), &s);
    return fmt::format("{} {} {}.{}", real.string(), s.st_size, s.st_mtim.tv_sec,
                       s.st_mtim.tv_nsec);
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
    std::string mended;
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
        mended.append(ptx, done, line - done);
        mended += "and.b32 \t%amt2, " + amount + ", 63;\n\t" + shift.substr(0, comma) +
                  ", %amt2;\n\tsub.u32 \t%amt2, 64, %amt2";
        done = amount_end;
    }
    if (done == 0) return;
    mended.append(ptx, done);
    ptx = std::move(mended);
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
    std::string mended;
    std::size_t done = 0;
    for (const std::string_view name : {"\tcvta.shared.u64 \t", "\tcvta.to.shared.u64 \t"}) {
        mended.clear();
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
            mended.append(ptx, done, at - done);
            mended += fmt::format(
                "\t{{ .reg .pred %set; setp.ne.s64 %set, {1}, 0;{2}{0}, {1}; selp.b64 {0}, {0}, 0, "
                "%set; }}",
                to, from, std::string(name));
            done = end + 1;
        }
        if (done == 0) continue;
        mended.append(ptx, done);
        ptx = mended;
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
    std::string mended;
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
        mended.append(module, done, at - done);
        mended += fmt::format(
            " = call {} asm \"{{ .reg .pred %set; setp.ne.s64 %set, $1, 0; cvta.{}shared.u64 $0, "
            "$1; "
            "selp.b64 $0, $0, 0, %set; }}\", \"=l,l\"({})",
            result, to_space == 3 ? "to." : "", operand);
        done = end;
    }
    if (done == 0) return;
    mended.append(module, done);
    module = std::move(mended);
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

/// Rewrites file names in the line information of LLVM's text form to those known to the program.
/// @param folder   folder of the headers that the program has passed
/// @param prelude  file included before every program
void name_files(std::string& module, const std::string& folder, const std::string& prelude) {
    constexpr std::string_view name = "!DIFile(filename: \"", directory = "directory: \"";
    for (std::size_t at = module.find(name); at != std::string::npos;
         at = module.find(name, at + 1)) {
        const std::size_t begin = at + name.size();
        std::string file = module.substr(begin, module.find('"', begin) - begin);
        const std::size_t bytes = file.size();
        if (file == "<stdin>")
            file = "program.cl";
        else if (file == prelude)
            file = "simtlm_prelude.h";
        else if (file.compare(0, folder.size(), folder) == 0)
            file.erase(0, folder.size());
        else
            continue;
        module.replace(begin, bytes, file);
        const std::size_t end = module.find('\n', begin), d = module.find(directory, begin);
        if (d > end) continue;
        const std::size_t path = d + directory.size();
        module.erase(path, module.find('"', path) - path);
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

compiler::compiler(unsigned capability)
    : gpu_(capability), capability_(architecture_for(capability)) {
    find_tools();
    if (!missing_.empty()) return;
    cache_ = std::make_unique<compile_cache>();
    identity_ = digest_of({identity_of(clang_), identity_of(libclc_), library::prelude,
                           library::builtins, library::scratch, std::to_string(capability_),
                           // Version of the transformations in this file.
                           std::to_string(gpu_), "12"});
}

compiler::~compiler() = default;

void compiler::find_tools() {
    clang_ = named_by("SIMTLM_CLANG");
    for (const char* const name : {"clang-14", "clang-15", "clang-16", "clang"})
        if (clang_.empty()) clang_ = in_path(name);
    libclc_ = named_by("SIMTLM_LIBCLC");
    for (const char* const folder : {"/usr/lib/clc", "/usr/share/clc", "/usr/local/share/clc"}) {
        const fs::path file = fs::path(folder) / "nvptx64--nvidiacl.bc";
        if (libclc_.empty() && ::access(file.c_str(), R_OK) == 0) libclc_ = file;
    }
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

compiler::process_result compiler::run(const std::vector<std::string>& arguments,
                                       const fs::path& input) const {
    process_result r;
    const temporary_folder folder;
    const fs::path errors = folder / "errors";
    std::vector<std::string> words{clang_.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    // Preloaded libraries (a sanitizer, this project's libraries) are not for the compiler.
    std::vector<char*> environment;
    for (char** e = environ; *e != nullptr; ++e)
        if (std::strncmp(*e, "LD_PRELOAD=", 11) != 0) environment.push_back(*e);
    environment.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, input.empty() ? "/dev/null" : input.c_str(),
                                     O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t child = 0;
    const int failed = ::posix_spawn(&child, clang_.c_str(), &actions, &attributes, argv.data(),
                                     environment.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failed != 0) {
        r.status = -1;
        r.errors = fmt::format("{} cannot be started: {}\n", clang_.string(), strerror(failed));
        return r;
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
        if (errno == EINTR) continue;
        status = 0;  // the program has reaped it; its output decides
        break;
    }
    r.status = status;
    r.errors = text_of(errors);
    if (WIFSIGNALED(status))
        r.errors += fmt::format("{} was ended by signal {}\n", clang_.string(), WTERMSIG(status));
    return r;
}

namespace {

/// Files of the built-in library, by suffix.
constexpr const char* library_parts[] = {".builtins.bc", ".scratch.bc", ".prelude.h", ".empty.cl"};

}  // namespace

/// Compiles the built-in library once and caches it. A digest next to its files shows whether they
/// are complete.
void compiler::make_library() {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string name = "library-" + identity_;
    library_ = cache_->folder() / name;
    // The folder may be emptied while the program runs.
    std::error_code ignored;
    library_made_ =
        library_made_ &&
        std::all_of(std::begin(library_parts), std::end(library_parts), [&](const char* part) {
            return fs::exists(library_.string() + part, ignored);
        });
    if (library_made_) return;
    const auto digest = [&] {
        std::vector<std::string> texts;
        for (const char* const part : library_parts)
            texts.push_back(text_of(library_.string() + part));
        return digest_of({texts.begin(), texts.end()});
    };
    if (const auto kept = cache_->find(name); kept && *kept == std::vector{digest()}) {
        library_made_ = true;
        return;
    }
    const temporary_folder own;
    build_options o;
    o.standard = "CL2.0";
    write(own / "builtins.cl", std::string(library::builtins));
    write(own / "scratch.c", std::string(library::scratch));
    std::vector<std::string> a = front_end(o);
    const std::vector<std::string> more{"-Xclang",
                                        "-disable-llvm-passes",
                                        "-w",
                                        "-emit-llvm",
                                        "-c",
                                        "-o",
                                        (own / "builtins.bc").string(),
                                        (own / "builtins.cl").string()};
    a.insert(a.end(), more.begin(), more.end());
    process_result r = run(a, {});
    if (r.status == 0) {
        a = target();
        const std::vector<std::string> plain{"-x",
                                             "c",
                                             "-O2",
                                             "-Xclang",
                                             "-disable-llvm-passes",
                                             "-emit-llvm",
                                             "-c",
                                             "-o",
                                             (own / "scratch.bc").string(),
                                             (own / "scratch.c").string()};
        a.insert(a.end(), plain.begin(), plain.end());
        r = run(a, {});
    }
    if (r.status != 0)
        throw std::runtime_error("the library of built-in functions cannot be compiled: " +
                                 r.errors);
    const std::string texts[] = {text_of(own / "builtins.bc"), text_of(own / "scratch.bc"),
                                 std::string(library::prelude), "\n"};
    for (std::size_t i = 0; i < std::size(library_parts); ++i)
        if (!cache_->put(name + library_parts[i], texts[i]))
            throw std::runtime_error(
                fmt::format("{} cannot be written; name another folder for compiled kernels in "
                            "SIMTLM_OPENCL_CACHE",
                            cache_->folder().string()));
    cache_->store(name, {digest_of({std::begin(texts), std::end(texts)})});
    library_made_ = true;
}

void compiler::remove_temporary_files() const {
    if (cache_) cache_->remove_temporary();
}

compile_result compiler::compile(const std::string& source, const build_options& options,
                                 const headers& includes) {
    make_library();
    const auto reveal = [&](std::vector<kernel_signature>& kernels) {
        for (kernel_signature& k : kernels)
            for (argument_signature& one : k.arguments) one.told = options.argument_info;
    };
    std::string words = options.standard + (options.optimise ? " 1" : " 0");
    for (const std::string& w : options.front_end) words += '\0' + w;
    // If the source includes files, the cache key is computed after preprocessing.
    const bool is_whole = source.find("include") == std::string::npos;
    std::string key = digest_of({"compile", identity_, words, source, ""});
    const auto find = [&]() -> std::optional<compile_result> {
        const auto found = cache_->find(key);
        if (!found || found->size() != 3) return std::nullopt;
        compile_result kept{true, (*found)[0], signatures_of_ptx((*found)[1]), (*found)[2]};
        reveal(kept.kernels);
        return kept;
    };
    if (is_whole)
        if (const auto kept = find()) return *kept;

    const temporary_folder own;
    if (!own.good()) return {false, {}, {}, "no folder for temporary files\n"};
    const fs::path input = own / "source";
    write(input, source);
    std::vector<std::string> a = front_end(options);
    if (!includes.empty()) a.push_back("-I" + (own / "headers").string());
    for (const auto& [name, text] : includes) {
        const fs::path file = own / "headers" / name;
        std::error_code ignored;
        fs::create_directories(file.parent_path(), ignored);
        write(file, text);
    }
    a.insert(a.end(), options.front_end.begin(), options.front_end.end());
    // Attached to every function as an attribute.
    if (options.flush_denormals)
        a.insert(a.end(), {"-Xclang", "-fdenormal-fp-math-f32=preserve-sign"});
    const std::string prelude = library_.string() + ".prelude.h";
    a.insert(a.end(), {"-gline-directives-only", "-include", prelude});
    if (!is_whole) {
        std::vector<std::string> p = a;
        const fs::path file = own / "preprocessed";
        p.insert(p.end(), {"-E", "-P", "-w", "-o", file.string(), "-"});
        std::string whole;
        if (run(p, input).status == 0) whole = text_of(file);
        key = digest_of({"compile", identity_, words, source, whole});
        if (const auto kept = find()) return *kept;
    }

    const fs::path object = own / "object.bc", text = own / "object.ll";
    a.insert(a.end(),
             {"-Xclang", "-disable-llvm-passes", "-emit-llvm", "-S", "-o", text.string(), "-"});
    const process_result r = run(a, input);
    compile_result result;
    result.log = r.errors;
    replace_all(result.log, "<stdin>:", "program.cl:");
    replace_all(result.log, (own / "headers").string() + "/", "");
    replace_all(result.log, prelude, "simtlm_prelude.h");
    if (r.status != 0) return result;
    std::string module = text_of(text);
    name_files(module, (own / "headers").string() + "/", prelude);
    result.kernels = signatures_of_llvm(module);
    // clang does not inline kernels for this target, but kernels that call kernels need it, since
    // PTX cannot call entries. Before any pass has run, only kernels are norecurse.
    replace_all(module, " noinline norecurse ", " alwaysinline ");
    // A plain inline function of C99 has no external definition, but OpenCL programs call it.
    replace_all(module, "\ndefine available_externally ", "\ndefine linkonce_odr ");
    write(text, module);
    std::vector<std::string> t = target();
    t.insert(t.end(), {"-x", "ir", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "-w",
                       "-o", object.string(), text.string()});
    if (const process_result s = run(t, {}); s.status != 0) {
        result.log += s.errors;
        return result;
    }
    result.output = text_of(object);
    result.good = true;
    cache_->store(key, {result.output, to_comments(result.kernels) + ".version", result.log});
    reveal(result.kernels);
    return result;
}

compile_result compiler::link(const std::vector<std::string>& objects,
                              const build_options& options) {
    make_library();
    std::vector<std::string_view> texts{"link", identity_, options.make_library ? "library" : "",
                                        options.optimise ? "" : "plain"};
    texts.insert(texts.end(), objects.begin(), objects.end());
    const std::string key = digest_of(texts);
    if (const auto found = cache_->find(key); found && found->size() == 2)
        return {true, (*found)[0], {}, (*found)[1]};

    const temporary_folder own;
    if (!own.good()) return {false, {}, {}, "no folder for temporary files\n"};
    std::vector<std::string> a = target();
    a.insert(a.end(), {"-x", "cl", "-cl-std=CL2.0", "-cl-no-stdinc", "-Wno-linker-warnings",
                       options.optimise ? "-O2" : "-O0"});
    std::vector<std::string> files;
    for (const std::string& o : objects) {
        files.push_back((own / fmt::format("{}.bc", files.size())).string());
        write(files.back(), o);
        a.insert(a.end(), {"-Xclang", "-mlink-bitcode-file", "-Xclang", files.back()});
    }
    const fs::path output = own / "output";
    if (options.make_library) {
        a.insert(a.end(), {"-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"});
    } else {
        for (const std::string& file : {library_.string() + ".builtins.bc",
                                        library_.string() + ".scratch.bc", libclc_.string()})
            a.insert(a.end(), {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", file});
        a.emplace_back("-S");
    }
    a.insert(a.end(), {"-o", output.string(), library_.string() + ".empty.cl"});
    process_result r = run(a, {});
    if (r.status != 0 && r.errors.find(folded_casts) != std::string::npos) {
        for (const std::string& file : files) {
            const std::string text = file + ".ll";
            std::vector<std::string> t = target();
            t.insert(t.end(), {"-x", "ir", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-w"});
            std::vector<std::string> back = t;
            t.insert(t.end(), {"-S", "-o", text, file});
            if (run(t, {}).status != 0) continue;
            std::string module = text_of(text);
            keep_casts_apart(module);
            write(text, module);
            back.insert(back.end(), {"-c", "-o", file, text});
            run(back, {});
        }
        r = run(a, {});
    }
    compile_result result;
    result.log = r.errors;
    if (r.status != 0) return result;
    result.output = text_of(output);
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
