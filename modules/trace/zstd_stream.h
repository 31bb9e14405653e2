// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

struct ZSTD_DCtx_s;
struct ZSTD_DDict_s;

namespace simtlm::trace {

/// A zstd dictionary, prepared for use.
class zstd_dictionary {
public:
    /// @throws std::runtime_error if it is damaged
    explicit zstd_dictionary(std::string_view bytes);
    ~zstd_dictionary();
    zstd_dictionary(const zstd_dictionary&) = delete;
    zstd_dictionary& operator=(const zstd_dictionary&) = delete;
    const ZSTD_DDict_s* get() const { return dictionary_; }

private:
    ZSTD_DDict_s* dictionary_;
};

/// Incremental decompression of zstd frames; reports whether a frame is complete, so that a
/// truncated file is detected.
class zstd_stream {
public:
    explicit zstd_stream(const zstd_dictionary* dictionary = nullptr);
    ~zstd_stream();
    zstd_stream(const zstd_stream&) = delete;
    zstd_stream& operator=(const zstd_stream&) = delete;

    /// Decompresses as much as fits. @param in  consumed input is removed from its front
    /// @returns bytes written to `out` @throws std::runtime_error if the data are damaged
    std::size_t unpack(std::string_view& in, char* out, std::size_t n);
    /// Whether all frames that began have ended.
    bool complete() const { return complete_; }

private:
    ZSTD_DCtx_s* context_;
    bool complete_ = true;
};

}  // namespace simtlm::trace
