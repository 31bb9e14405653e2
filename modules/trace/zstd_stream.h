// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

struct ZSTD_DCtx_s;
struct ZSTD_DDict_s;

namespace simtlm::trace {

/// What a dictionary knows, ready for use.
class zstd_dictionary {
public:
    /// @throws std::runtime_error when it is damaged
    explicit zstd_dictionary(std::string_view bytes);
    ~zstd_dictionary();
    zstd_dictionary(const zstd_dictionary&) = delete;
    zstd_dictionary& operator=(const zstd_dictionary&) = delete;
    const ZSTD_DDict_s* get() const { return dictionary_; }

private:
    ZSTD_DDict_s* dictionary_;
};

/// Unpacks zstd frames piece by piece; knows whether a frame is complete, so that a file which is
/// cut short is noticed.
class zstd_stream {
public:
    explicit zstd_stream(const zstd_dictionary* dictionary = nullptr);
    ~zstd_stream();
    zstd_stream(const zstd_stream&) = delete;
    zstd_stream& operator=(const zstd_stream&) = delete;

    /// Unpacks what fits. @param in  what is unpacked is taken off its front
    /// @returns bytes written to `out` @throws std::runtime_error on damage
    std::size_t unpack(std::string_view& in, char* out, std::size_t n);
    /// No frame is open: all that began has ended.
    bool complete() const { return complete_; }

private:
    ZSTD_DCtx_s* context_;
    bool complete_ = true;
};

}  // namespace simtlm::trace
