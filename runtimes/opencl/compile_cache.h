// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::opencl {

/// A digest of texts, as 32 hexadecimal digits. Where one ends and the next begins counts.
std::string digest_of(const std::vector<std::string_view>& texts);

/// Results of the compiler, kept over runs in a folder. An entry appears whole, under its final
/// name, so that several processes may write it at once; one that is damaged counts as missing.
class compile_cache {
public:
    /// The user's: SIMTLM_OPENCL_CACHE, else below XDG_CACHE_HOME, else below ~/.cache. Where that
    /// cannot be written: a folder of this process, which remove_temporary() removes.
    compile_cache();
    compile_cache(const compile_cache&) = delete;
    compile_cache& operator=(const compile_cache&) = delete;

    const std::filesystem::path& folder() const { return folder_; }
    /// The texts of an entry.
    std::optional<std::vector<std::string>> find(const std::string& key) const;
    void store(const std::string& key, const std::vector<std::string>& texts) const;
    /// Puts a file into the folder, whole. @return whether it could be written
    bool put(const std::string& name, const std::string& text) const;
    /// Removes the folder, if it is this process's own.
    void remove_temporary() const;

private:
    void limit() const;

    std::filesystem::path folder_;
    bool temporary_ = false;
    mutable std::atomic<unsigned> stored_{0};  ///< entries, by this process
};

}  // namespace simtlm::opencl
