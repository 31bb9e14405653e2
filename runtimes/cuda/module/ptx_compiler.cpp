// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/module/ptx_compiler.h"

#include "modules/sass/cubin.h"
#include "modules/sass/fat_binary.h"
#include "modules/support/error.h"
#include "runtimes/common/compiler_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace simtlm::cuda {

namespace {

namespace fs = std::filesystem;
using execution::instruction_set;
using runtime::compiler_process;

/// An architecture of PTX or machine code: 90 and 'a' for sm_90a.
struct architecture_name {
    unsigned number = 0;
    std::string suffix;
};

/// The architecture that a PTX text is made for (.target).
architecture_name target_of(std::string_view ptx) {
    constexpr std::string_view word = ".target", prefix = "sm_";
    architecture_name a;
    std::size_t at = ptx.find(word);
    if (at != std::string_view::npos) at = ptx.find(prefix, at);
    if (at == std::string_view::npos) return a;
    for (at += prefix.size(); at < ptx.size() && std::isdigit(ptx[at]) != 0; ++at)
        a.number = a.number * 10 + static_cast<unsigned>(ptx[at] - '0');
    if (at < ptx.size() && (ptx[at] == 'a' || ptx[at] == 'f')) a.suffix = ptx[at];
    return a;
}

/// The version of PTX that a compiler names in its complaint about a newer one: "9.0" of
/// "Unsupported .version 9.1; current version is '9.0'".
std::string newest_version_in(const std::string& errors) {
    constexpr std::string_view words = "current version is '";
    const std::size_t at = errors.find(words);
    if (at == std::string::npos) return {};
    const std::size_t begin = at + words.size();
    return errors.substr(begin, errors.find('\'', begin) - begin);
}

/// A text with another version of PTX.
std::string with_version(std::string ptx, const std::string& version) {
    constexpr std::string_view word = ".version";
    const std::size_t at = ptx.find(word);
    if (at == std::string::npos) return ptx;
    const std::size_t end = std::min(ptx.find('\n', at), ptx.size());
    return ptx.replace(at + word.size(), end - at - word.size(), " " + version);
}

/// The release of a compiler: "13.0.88".
std::string release_of(const fs::path& ptxas) {
    const std::string text = compiler_process(ptxas.string()).run({"--version"}, {}).output;
    const std::size_t at = text.find(", V");
    return at == std::string::npos
               ? "of unknown version"
               : text.substr(at + 3, text.find_first_of(" \n", at + 3) - at - 3);
}

/// The first line of errors that says why, without the name of the file in memory.
std::string reason_in(const std::string& errors) {
    std::size_t begin = errors.find("error");
    if (begin == std::string::npos) begin = errors.find("fatal");
    if (begin == std::string::npos) begin = 0;
    return errors.substr(begin, errors.find('\n', begin) - begin);
}

struct attempt {
    std::string cubin, errors;
};

attempt compile_with(const fs::path& ptxas, const std::string& ptx, const std::string& target) {
    compiler_process process(ptxas.string());
    const std::string in = process.give(ptx), out = process.give({});
    std::vector<std::string> words{"-arch=" + target, in, "-o", out};
    if (ptx.find("\t.loc") != std::string::npos) words.emplace_back("-lineinfo");
    const compiler_process::result r = process.run(words, {});
    attempt a;
    a.cubin = process.text_of(out);
    if (!r.good || !sass::cubin::has_cubin_header(a.cubin)) a.cubin.clear();
    a.errors = r.errors.empty() ? r.output : r.errors;
    return a;
}

/// Bytes of a number in a variable of the CUDA driver, or a default.
std::uintmax_t number_in(const char* variable, std::uintmax_t otherwise) {
    const char* const value = std::getenv(variable);
    return value != nullptr && *value != 0 ? std::strtoull(value, nullptr, 10) : otherwise;
}

/// The folder of the cache, as the variables of the CUDA driver say; empty: none.
fs::path wanted_cache() {
    if (number_in("CUDA_CACHE_DISABLE", 0) != 0) return {};
    const char* const path = std::getenv("CUDA_CACHE_PATH");
    return path != nullptr && *path != 0 ? fs::path(path) / "simtlm"
                                         : runtime::cache_folder("SIMTLM_CUDA_CACHE", "cuda");
}

}  // namespace

ptx_compiler::ptx_compiler(const std::string& choice, unsigned architecture, std::string server)
    : choice_(choice), server_(std::move(server)), architecture_(architecture) {
    if (!server_.empty()) return;
    const char* const named = std::getenv("SIMTLM_PTXAS");
    const bool by_variable = choice_ == "auto" && named != nullptr && *named != 0;
    if (by_variable) choice_ = named;
    if (choice_ == "auto" || choice_ == "off") return;
    // Names of files refer to the folder in which the run was started.
    if (const char* const folder = std::getenv("SIMTLM_FOLDER"); folder != nullptr)
        choice_ = fs::path(folder) / choice_;
    if (::access(choice_.c_str(), X_OK) != 0)
        throw support::user_error(by_variable ? "SIMTLM_PTXAS" : "--ptxas",
                                  choice_ + " is no file that can be executed",
                                  "auto, off, or the ptxas of a CUDA toolkit");
}

/// Adds a compiler, unless it is known or cannot be executed.
void ptx_compiler::add(const fs::path& file) {
    std::error_code failed;
    const fs::path full = fs::absolute(file, failed);
    const bool known = std::any_of(compilers_.begin(), compilers_.end(), [&](const fs::path& c) {
        return fs::equivalent(c, full, failed);
    });
    if (!known && ::access(full.c_str(), X_OK) == 0) compilers_.push_back(full);
}

void ptx_compiler::find_compilers() {
    if (choice_ == "off" || !sass::machine_code_runs_on(architecture_, 0, architecture_)) return;
    if (choice_ != "auto") {
        add(choice_);
    } else {
        if (const fs::path file = runtime::program_in_path("ptxas"); !file.empty()) add(file);
        for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"})
            if (const char* const folder = std::getenv(variable); folder != nullptr && *folder != 0)
                add(fs::path(folder) / "bin/ptxas");
        for (const char* const folder :
             {"/usr/local/cuda", "/opt/cuda", "/usr/lib/nvidia-cuda-toolkit"})
            add(fs::path(folder) / "bin/ptxas");
    }
    for (const fs::path& c : compilers_) identity_ += runtime::identity_of_compiler(c) + '\n';
    cache_ = std::make_unique<runtime::compile_cache>(
        wanted_cache(), number_in("CUDA_CACHE_MAXSIZE", std::uintmax_t{1} << 30));
}

/// Tries the compilers until one succeeds. A text of a PTX version that is too new for all of them
/// is compiled as one of the version that a compiler has: the manual only adds to a version.
ptx_compiler::result ptx_compiler::compiled(const std::string& ptx,
                                            const std::string& target) const {
    std::string errors;
    const auto made = [&](const fs::path& by, const std::string& text) -> std::optional<result> {
        attempt a = compile_with(by, text, target);
        if (!a.cubin.empty()) return result{std::move(a.cubin), by.string(), release_of(by)};
        if (errors.empty() || errors.find("gpu-name") != std::string::npos)
            errors = fmt::format("{}: {}", by.string(), reason_in(a.errors));
        if (std::string v = newest_version_in(a.errors); !v.empty() && &text == &ptx)
            return result{{}, std::move(v), {}};
        return std::nullopt;
    };
    std::vector<std::pair<fs::path, std::string>> older;
    for (const fs::path& c : compilers_) {
        auto r = made(c, ptx);
        if (r && !r->cubin.empty()) return std::move(*r);
        if (r) older.emplace_back(c, r->text);
    }
    for (const auto& [c, version] : older)
        if (auto r = made(c, with_version(ptx, version))) return std::move(*r);
    return {{}, errors, {}};
}

namespace {

/// Replaces the PTX of a module by machine code, with the PTX as its fallback.
void replace_code(device::module_source& source, std::string cubin) {
    auto machine_code = source;
    machine_code.isa = instruction_set::sass;
    machine_code.code = std::move(cubin);
    machine_code.compiled.clear();
    machine_code.otherwise = std::make_shared<const device::module_source>(std::move(source));
    source = std::move(machine_code);
}

}  // namespace

ptx_compiler::outcome ptx_compiler::compile_remotely(device::module_source& source) const {
    try {
        std::vector<std::string> made = runtime::ask_compiler(
            server_, {"ptx", architecture_, {choice_, source.name, source.code}});
        if (made.size() != 3)
            return {"the server's answer to a request to compile is malformed", {}};
        if (!made[1].empty()) replace_code(source, std::move(made[2]));
        return {made[0], made[1]};
    } catch (const std::exception& e) {
        return {fmt::format("the PTX of {} is executed as it is: {}", source.name, e.what()), {}};
    }
}

std::vector<std::string> compile_for_client(const runtime::compile_request& request) {
    if (request.texts.size() != 3) throw std::runtime_error("a malformed request to compile PTX");
    device::module_source source;
    source.name = request.texts[1];
    source.code = request.texts[2];
    const auto done = ptx_compiler(request.texts[0], request.gpu).compile(source);
    return {done.note, done.compiler, done.compiler.empty() ? "" : source.code};
}

ptx_compiler::outcome ptx_compiler::compile(device::module_source& source) {
    if (source.isa != instruction_set::ptx) return {};
    if (!server_.empty()) return compile_remotely(source);
    std::call_once(found_, [&] { find_compilers(); });
    if (compilers_.empty())
        return {choice_ == "auto" && cache_ != nullptr
                    ? "no ptxas is found: PTX is executed as it is, which takes longer than the "
                      "code that a driver makes of it (docs/cuda.md)"
                    : "",
                {}};
    const architecture_name from = target_of(source.code);
    if (!sass::ptx_runs_on(from.number, from.suffix.empty() ? 0 : from.suffix[0], architecture_))
        return {};
    const std::string target = fmt::format("sm_{}{}", architecture_, from.suffix);
    const std::string key = runtime::digest_of({"ptxas 1", identity_, target, source.code});
    auto entry = cache_->find(key);
    if (!entry || entry->size() != 3) {
        const result r = compiled(source.code, target);
        entry = {r.cubin, r.text, r.release};
        cache_->store(key, *entry);
    }
    const std::string &cubin = (*entry)[0], &text = (*entry)[1], &release = (*entry)[2];
    if (cubin.empty())
        return {
            fmt::format("the PTX of {} is executed as it is, because ptxas cannot compile it: {}",
                        source.name, text),
            {}};
    replace_code(source, cubin);
    return {
        fmt::format(
            "PTX is compiled for {} by {} ({}), as by a driver; --ptxas off executes it as it is",
            target, text, release),
        text};
}

}  // namespace simtlm::cuda
