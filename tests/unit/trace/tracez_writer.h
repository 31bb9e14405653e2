// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace simtlm::test {

/// Packs a kernel trace like Accel-Sim 2.0, as sample for tests (see modules/trace/tracez_file.h
/// for the format).
class tracez_writer {
public:
    struct settings {
        unsigned chunk_instructions = 3;
        std::string dictionary;      ///< raw contents; empty: none
        bool newline_at_end = true;  ///< of a chunk
        bool content_size = true;    ///< in the frames
        bool backwards = false;      ///< data of the warps in reverse order
    };
    struct warp {
        std::vector<std::string> lines;
    };
    struct block {
        std::array<std::uint32_t, 3> index{};
        std::vector<warp> warps;
    };

    static std::string pack(const std::string& header, const std::vector<block>& blocks,
                            const settings& how) {
        std::string file = header;
        file += '\0';
        put<std::uint32_t>(file, static_cast<std::uint32_t>(how.dictionary.size()));
        put<std::uint32_t>(file, how.chunk_instructions);
        file += how.dictionary;
        std::vector<std::vector<placed>> places(blocks.size());
        for (std::size_t n = 0; n < blocks.size(); ++n) {
            const std::size_t b = how.backwards ? blocks.size() - 1 - n : n;
            places[b].resize(blocks[b].warps.size());
            for (std::size_t w = 0; w < blocks[b].warps.size(); ++w)
                places[b][w] = put_warp(file, blocks[b].warps[w], how);
        }
        const std::uint64_t index_at = file.size();
        put<std::uint32_t>(file, static_cast<std::uint32_t>(blocks.size()));
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            for (const std::uint32_t i : blocks[b].index) put(file, i);
            for (unsigned i = 0; i < 7; ++i) put<std::uint32_t>(file, 0);
            put<std::uint32_t>(file, static_cast<std::uint32_t>(blocks[b].warps.size()));
            for (std::size_t w = 0; w < blocks[b].warps.size(); ++w) {
                put<std::uint32_t>(file,
                                   static_cast<std::uint32_t>(blocks[b].warps[w].lines.size()));
                put<std::uint32_t>(file, static_cast<std::uint32_t>(places[b][w].counts.size()));
                put(file, places[b][w].at);
                for (const std::uint32_t c : places[b][w].counts) put(file, c);
            }
        }
        put(file, index_at);
        return file;
    }

    /// Packs a text: header lines, and blocks as in a .traceg.
    static std::string pack_text(const std::string& text, const settings& how) {
        std::string header;
        std::vector<block> blocks;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            const std::string line = text.substr(at, end - at);
            at = end + 1;
            if (line.rfind("#BEGIN_TB", 0) == 0) {
                blocks.emplace_back();
            } else if (blocks.empty()) {
                header += line + '\n';
            } else if (line.rfind("thread block", 0) == 0) {
                auto& i = blocks.back().index;
                std::sscanf(line.c_str(), "thread block = %u,%u,%u", &i[0], &i[1], &i[2]);
            } else if (line.rfind("warp", 0) == 0) {
                blocks.back().warps.emplace_back();
            } else if (!line.empty() && line[0] != '#' && line.rfind("insts", 0) != 0 &&
                       line.rfind("cluster", 0) != 0) {
                blocks.back().warps.back().lines.push_back(line);
            }
        }
        return pack(header, blocks, how);
    }

private:
    struct placed {
        std::uint64_t at = 0;
        std::vector<std::uint32_t> counts;
    };

    template <typename Number>
    static void put(std::string& file, Number value) {
        file.append(reinterpret_cast<const char*>(&value), sizeof value);
    }

    static placed put_warp(std::string& file, const warp& w, const settings& how) {
        placed p;
        p.at = file.size();
        const std::size_t n = w.lines.size(), step = how.chunk_instructions;
        put<std::uint32_t>(file, static_cast<std::uint32_t>(n));
        put<std::uint32_t>(file, static_cast<std::uint32_t>((n + step - 1) / step));
        for (std::size_t first = 0; first < n; first += step) {
            const std::size_t last = std::min(n, first + step);
            std::string text;
            for (std::size_t i = first; i < last; ++i) text += w.lines[i] + '\n';
            if (!how.newline_at_end) text.pop_back();
            const std::string frame = compressed(text, how);
            put<std::uint32_t>(file, static_cast<std::uint32_t>(frame.size()));
            file += frame;
            p.counts.push_back(static_cast<std::uint32_t>(last - first));
        }
        return p;
    }

    static std::string compressed(const std::string& text, const settings& how) {
        ZSTD_CCtx* context = ZSTD_createCCtx();
        ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, how.content_size ? 1 : 0);
        if (!how.dictionary.empty())
            ZSTD_CCtx_loadDictionary(context, how.dictionary.data(), how.dictionary.size());
        std::string frame(ZSTD_compressBound(text.size()), '\0');
        const std::size_t n =
            ZSTD_compress2(context, frame.data(), frame.size(), text.data(), text.size());
        ZSTD_freeCCtx(context);
        if (ZSTD_isError(n) != 0) throw std::runtime_error(ZSTD_getErrorName(n));
        frame.resize(n);
        return frame;
    }
};

}  // namespace simtlm::test
