// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/provenance.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

// Header-only, so that users of the library need not link libxxhash.
#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <memory>
#include <utility>

namespace simtlm::platform {

namespace {

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text.data();
}

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

provenance provenance_of(provenance::program_build build, std::vector<std::string> arguments,
                         const option_values& values, const gpu_config& config,
                         const std::vector<provenance::file>& work) {
    provenance p;
    p.build = std::move(build);
    p.command_line = std::move(arguments);
    p.started = utc_now();
    p.host = host_name();
    p.presets = values.presets();
    for (const std::string& f : values.files()) p.inputs.push_back({"configuration", f});
    for (const std::string& f : config.traces.opcode_tables)
        p.inputs.push_back({"opcode table", f});
    if (!config.network.router.file.empty())
        p.inputs.push_back({"network", config.network.router.file});
    p.inputs.insert(p.inputs.end(), work.begin(), work.end());
    return p;
}

file_checksum checksum_of(const std::string& path) {
    file_checksum sum;
    struct stat status {};
    // Reading a pipe would consume it.
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return sum;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
    const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                                XXH3_freeState);
    if (!in || !state || XXH3_128bits_reset(state.get()) != XXH_OK) return sum;
    std::vector<char> block(std::size_t{1} << 20);
    while (const std::size_t n = std::fread(block.data(), 1, block.size(), in.get())) {
        XXH3_128bits_update(state.get(), block.data(), n);
        sum.bytes += n;
    }
    if (std::ferror(in.get()) != 0) return {};
    const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
    sum.xxh128 = fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
    return sum;
}

}  // namespace simtlm::platform
