// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::opencl {

/// Digest of texts as 32 hexadecimal digits. The boundaries between the texts are significant.
std::string digest_of(const std::vector<std::string_view>& texts);

/// Persistent cache of compiler results in a folder. An entry is written completely under a
/// temporary name and then renamed, so that several processes may write it concurrently; a damaged
/// entry counts as missing.
class compile_cache {
public:
    /// Uses the folder of the user: SIMTLM_OPENCL_CACHE, otherwise a folder below XDG_CACHE_HOME or
    /// ~/.cache. If it is not writable, a temporary folder of this process, which
    /// remove_temporary() deletes.
    compile_cache();
    compile_cache(const compile_cache&) = delete;
    compile_cache& operator=(const compile_cache&) = delete;

    const std::filesystem::path& folder() const { return folder_; }
    /// Returns the texts of an entry.
    std::optional<std::vector<std::string>> find(const std::string& key) const;
    void store(const std::string& key, const std::vector<std::string>& texts) const;
    /// Writes a file to the folder atomically. @return whether it could be written
    bool put(const std::string& name, const std::string& text) const;
    /// Deletes the folder if it is a temporary one.
    void remove_temporary() const;

private:
    void limit() const;

    std::filesystem::path folder_;
    bool temporary_ = false;
    mutable std::atomic<unsigned> stored_{0};  ///< entries stored by this process
};

}  // namespace simtlm::opencl
