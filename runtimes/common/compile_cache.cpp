// SPDX-License-Identifier: Apache-2.0
#include "runtimes/common/compile_cache.h"

#include <fmt/format.h>
#include <unistd.h>
// Header-only, so that users of an installed library need not link libxxhash.
#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace simtlm::runtime {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "simtlm cache 1";
constexpr std::size_t key_digits = 32;
/// No process takes longer to write an entry.
constexpr std::chrono::hours longest_write{1};

bool is_key(std::string_view name) {
    return name.size() == key_digits &&
           name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::optional<std::string> contents_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf())) return std::nullopt;
    return text.str();
}

}  // namespace

fs::path cache_folder(const char* variable, const char* name) {
    const auto named = [](const char* v) -> fs::path {
        const char* const value = std::getenv(v);
        return value != nullptr ? value : "";
    };
    if (const fs::path own = named(variable); !own.empty()) return own;
    if (const fs::path cache = named("XDG_CACHE_HOME"); cache.is_absolute())
        return cache / "simtlm" / name;
    if (const fs::path home = named("HOME"); home.is_absolute())
        return home / ".cache" / "simtlm" / name;
    return {};
}

std::string digest_of(const std::vector<std::string_view>& texts) {
    XXH3_state_t* const state = XXH3_createState();
    XXH3_128bits_reset(state);
    for (const std::string_view t : texts) {
        const std::uint64_t size = t.size();
        XXH3_128bits_update(state, &size, sizeof size);
        XXH3_128bits_update(state, t.data(), t.size());
    }
    const XXH128_hash_t h = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    return fmt::format("{:016x}{:016x}", h.high64, h.low64);
}

compile_cache::compile_cache(const fs::path& wanted, std::uintmax_t max_bytes)
    : max_bytes_(max_bytes) {
    if (wanted.empty()) return;
    std::error_code failed;
    const fs::path folder = fs::absolute(wanted, failed);
    if (!failed) fs::create_directories(folder, failed);
    if (!failed && ::access(folder.c_str(), W_OK) == 0) folder_ = folder;
}

std::optional<std::vector<std::string>> compile_cache::find(const std::string& key) const {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (const auto at = kept_.find(key); at != kept_.end()) return at->second;
    }
    if (folder_.empty()) return std::nullopt;
    const auto text = contents_of(folder_ / key);
    if (!text) return std::nullopt;
    std::string_view rest = *text;
    const auto line = [&]() -> std::string_view {
        const std::size_t end = rest.find('\n');
        if (end == std::string_view::npos) return {};
        const std::string_view l = rest.substr(0, end);
        rest.remove_prefix(end + 1);
        return l;
    };
    if (line() != magic) return std::nullopt;
    const std::string digest(line());
    if (digest_of({rest}) != digest) return std::nullopt;
    std::vector<std::string> texts;
    while (!rest.empty()) {
        const std::string bytes(line());
        const std::size_t size = std::strtoull(bytes.c_str(), nullptr, 10);
        if (bytes.empty() || size > rest.size()) return std::nullopt;
        texts.emplace_back(rest.substr(0, size));
        rest.remove_prefix(size);
    }
    return texts;
}

void compile_cache::store(const std::string& key, const std::vector<std::string>& texts) {
    std::string body;
    for (const std::string& t : texts) body += fmt::format("{}\n", t.size()) + t;
    if (!folder_.empty() && stored_++ % 256 == 0) limit();
    if (write(key, fmt::format("{}\n{}\n", magic, digest_of({body})) + body)) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    kept_[key] = texts;
}

/// Writes an entry atomically. @return whether it could be written
bool compile_cache::write(const std::string& key, const std::string& text) const {
    if (folder_.empty()) return false;
    static std::atomic<unsigned> count{0};
    const fs::path own = folder_ / fmt::format(".{}.{}.{}", key, ::getpid(), ++count);
    std::error_code failed;
    fs::create_directories(folder_, failed);  // it may have been removed during the run
    bool written = false;
    if (std::ofstream out(own, std::ios::binary); out << text) {
        out.close();
        written = out.good();
    }
    if (written) fs::rename(own, folder_ / key, failed);
    if (!written || failed) {
        std::error_code ignored;
        fs::remove(own, ignored);
        return false;
    }
    return true;
}

/// Removes the oldest half of the entries if the cache is too large, and what processes that were
/// killed while they wrote an entry have left. Takes time proportional to the number of files.
void compile_cache::limit() const {
    struct entry {
        fs::path file;
        fs::file_time_type age;
        std::uintmax_t bytes;
    };
    std::vector<entry> all;
    std::uintmax_t sum = 0;
    std::error_code failed;
    for (fs::directory_iterator i(folder_, failed), end; !failed && i != end; i.increment(failed)) {
        std::error_code gone;
        const std::uintmax_t bytes = i->file_size(gone);
        const fs::file_time_type age = i->last_write_time(gone);
        if (gone) continue;
        const std::string name = i->path().filename().string();
        const bool is_partial = name.size() > key_digits && name[0] == '.' &&
                                is_key(name.substr(1, key_digits)) && name[key_digits + 1] == '.';
        if (is_partial && fs::file_time_type::clock::now() - age > longest_write)
            fs::remove(i->path(), gone);
        if (!is_key(name)) continue;
        all.push_back({i->path(), age, bytes});
        sum += bytes;
    }
    if (sum < max_bytes_) return;
    std::sort(all.begin(), all.end(), [](const entry& a, const entry& b) { return a.age < b.age; });
    for (const entry& e : all) {
        if (sum < max_bytes_ / 2) break;
        fs::remove(e.file, failed);
        sum -= e.bytes;
    }
}

}  // namespace simtlm::runtime
