// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace simtlm::runtime {

/// Digest of texts as 32 hexadecimal digits. The boundaries between the texts are significant.
std::string digest_of(const std::vector<std::string_view>& texts);

/// The folder of a cache: the one that an environment variable names, otherwise one of this name
/// below XDG_CACHE_HOME or ~/.cache. Empty if none of these is set.
std::filesystem::path cache_folder(const char* variable, const char* name);

/// Cache of compiler results in a folder. An entry is written completely under a temporary name and
/// then renamed, so that several processes may write it concurrently; a damaged entry counts as
/// missing. If the folder cannot be written, entries are kept in memory. Thread-safe.
class compile_cache {
public:
    /// @param folder     created if necessary; empty: entries are kept in memory only
    /// @param max_bytes  the oldest half of the entries is removed when they exceed it
    compile_cache(const std::filesystem::path& folder, std::uintmax_t max_bytes);
    compile_cache(const compile_cache&) = delete;
    compile_cache& operator=(const compile_cache&) = delete;

    /// Returns the texts of an entry.
    std::optional<std::vector<std::string>> find(const std::string& key) const;
    void store(const std::string& key, const std::vector<std::string>& texts);

private:
    bool write(const std::string& key, const std::string& text) const;
    void limit() const;

    std::filesystem::path folder_;  ///< absolute; empty: entries are kept in memory only
    std::uintmax_t max_bytes_;
    std::atomic<unsigned> stored_{0};  ///< entries stored by this process
    mutable std::mutex mutex_;         ///< protects kept_
    /// Entries that could not be written.
    std::unordered_map<std::string, std::vector<std::string>> kept_;
};

}  // namespace simtlm::runtime
