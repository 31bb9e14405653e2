// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/zstd_stream.h"

#include <zstd.h>

#include <new>
#include <stdexcept>

namespace simtlm::trace {

zstd_dictionary::zstd_dictionary(std::string_view bytes)
    : dictionary_(ZSTD_createDDict(bytes.data(), bytes.size())) {
    if (dictionary_ == nullptr) throw std::runtime_error("the dictionary is damaged");
}

zstd_dictionary::~zstd_dictionary() {
    ZSTD_freeDDict(dictionary_);
}

zstd_stream::zstd_stream(const zstd_dictionary* dictionary) : context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    if (dictionary != nullptr) ZSTD_DCtx_refDDict(context_, dictionary->get());
}

zstd_stream::~zstd_stream() {
    ZSTD_freeDCtx(context_);
}

std::size_t zstd_stream::unpack(std::string_view& in, char* out, std::size_t n) {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out, n, 0};
    const std::size_t left = ZSTD_decompressStream(context_, &to, &from);
    if (ZSTD_isError(left) != 0) throw std::runtime_error(ZSTD_getErrorName(left));
    in.remove_prefix(from.pos);
    complete_ = left == 0;
    return to.pos;
}

}  // namespace simtlm::trace
