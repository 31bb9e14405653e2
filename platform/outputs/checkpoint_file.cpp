// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/checkpoint_file.h"

#include "modules/support/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
// Header-only, so that users of the library need not link libxxhash.
#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>
#include <zstd.h>

#include <memory>
#include <new>
#include <string_view>
#include <vector>

namespace simtlm::platform {

namespace {

/// Begins the first line; the checksum of all following lines ends it.
constexpr std::string_view signature = "simtlm checkpoint 3 ";

[[noreturn]] void reject_file(const std::string& file, const std::string& why) {
    throw support::user_error(file, why, "create it again with --checkpoint");
}

std::string compressed(const std::string& state) {
    const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                          ZSTD_freeCCtx);
    std::string out(ZSTD_compressBound(state.size()), '\0');
    const std::size_t size =
        ZSTD_compress2(context.get(), out.data(), out.size(), state.data(), state.size());
    if (ZSTD_isError(size) != 0) throw std::bad_alloc();
    out.resize(size);
    return out;
}

/// Decompresses one frame of a known size.
std::string decompressed(const std::string& file, std::string_view frame, std::uint64_t bytes) {
    const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                          ZSTD_freeDCtx);
    std::string out;
    std::vector<char> part(ZSTD_DStreamOutSize());
    ZSTD_inBuffer in{frame.data(), frame.size(), 0};
    for (std::size_t left = 1; left != 0;) {
        ZSTD_outBuffer to{part.data(), part.size(), 0};
        left = ZSTD_decompressStream(context.get(), &to, &in);
        const bool ends_early = left != 0 && to.pos == 0 && in.pos == in.size;
        if (ZSTD_isError(left) != 0 || to.pos > bytes - out.size() || ends_early)
            reject_file(file, "is truncated or damaged");
        out.append(part.data(), to.pos);
    }
    if (out.size() != bytes || in.pos != in.size) reject_file(file, "is truncated or damaged");
    return out;
}

std::string checksum_text(std::string_view text) {
    const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace

std::string checkpoint_contents::first_line(const std::string& rest) {
    return std::string(signature) + checksum_text(rest) + '\n';
}

std::string checkpoint_contents::packed() const {
    nlohmann::ordered_json head;
    head["kernels"] = kernels;
    head["core_cycles"] = core_cycles;
    head["time"] = time;
    head["state_bytes"] = state.size();
    head["options"] = options;
    head["design"] = design;
    std::string of_host;
    if (!host_log.empty()) {
        of_host = compressed(host_log);
        head["host_bytes"] = host_log.size();
        head["host_packed"] = of_host.size();
    }
    const std::string rest =
        head.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n' +
        of_host + compressed(state);
    return first_line(rest) + rest;
}

checkpoint_contents checkpoint_contents::unpacked(const std::string& text,
                                                  const std::string& file) {
    std::string_view rest = text;
    const auto take_line = [&] {
        const std::size_t end = rest.find('\n');
        if (end == std::string_view::npos) reject_file(file, "is truncated or damaged");
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end + 1);
        return line;
    };
    if (rest.substr(0, signature.size()) != signature)
        throw support::user_error(file, "is not a checkpoint of this version of simtlm",
                                  "specify a file written by --checkpoint");
    const std::string_view expected = take_line().substr(signature.size());
    if (checksum_text(rest) != expected) reject_file(file, "is truncated or damaged");
    checkpoint_contents c;
    std::uint64_t bytes = 0, host_bytes = 0, host_packed = 0;
    try {
        const auto head = nlohmann::json::parse(take_line());
        const auto count = [&](const char* name) {
            const auto& v = head.at(name);
            if (!v.is_number_unsigned()) reject_file(file, "is damaged");
            return v.get<std::uint64_t>();
        };
        c.kernels = count("kernels");
        c.core_cycles = count("core_cycles");
        c.time = count("time");
        bytes = count("state_bytes");
        if (head.contains("host_bytes")) host_bytes = count("host_bytes");
        if (head.contains("host_packed")) host_packed = count("host_packed");
        c.options = head.at("options").get<std::map<std::string, std::string>>();
        c.design = head.at("design").get<std::map<std::string, std::string>>();
    } catch (const nlohmann::json::exception&) {
        reject_file(file, "is damaged");
    }
    if (host_packed > rest.size()) reject_file(file, "is truncated or damaged");
    if (host_packed != 0) c.host_log = decompressed(file, rest.substr(0, host_packed), host_bytes);
    c.state = decompressed(file, rest.substr(host_packed), bytes);
    return c;
}

}  // namespace simtlm::platform
