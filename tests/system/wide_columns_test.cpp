// SPDX-License-Identifier: Apache-2.0
// Tensor copies in the modes im2col::w and im2col::w::128, as PTX and as machine code.
#include "modules/execution/state/tensor_map.h"
#include "tests/system/simulator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace simtlm::test {
namespace {

using execution::tensor_map;

constexpr unsigned input_bytes = 65536, block_bytes = 30720;

/// A copy of wide_columns_100.ptx with the value 3 for pn: its tensor map, operands and place.
struct wide_copy {
    tensor_map map;
    std::vector<int> at;  ///< coordinates
    int halo, offset;
    unsigned place;  ///< in the shared memory of the CTA
};

/// A tensor map of rows of `row` bytes.
tensor_map wide_map(tensor_map::element type, tensor_map::access_mode mode,
                    const std::vector<unsigned>& sizes, unsigned row) {
    tensor_map m;
    m.type = type;
    m.mode = mode;
    m.rank = static_cast<std::uint8_t>(sizes.size());
    m.step.fill(1);
    std::uint64_t bytes = m.element_bytes();
    m.box[0] = static_cast<std::uint16_t>(row / bytes);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        m.last[d] = sizes[d] - 1;
        if (d > 0) m.strides[d - 1] = bytes;
        bytes *= sizes[d];
    }
    return m;
}

/// Three images of one, two and three dimensions.
std::vector<tensor_map> wide_maps() {
    using mode = tensor_map::access_mode;
    using swizzle = tensor_map::swizzle_mode;
    std::vector<tensor_map> maps = {
        wide_map(tensor_map::element::u32, mode::im2col_w, {32, 9, 4}, 64),
        wide_map(tensor_map::element::u16, mode::im2col_w_128, {32, 13, 5, 12}, 64),
        wide_map(tensor_map::element::f32, mode::im2col_w, {32, 7, 3, 2, 3}, 128)};
    maps[0].pixels = 20;
    maps[0].swizzle = swizzle::bytes_64;
    maps[0].lower_corner = {-1};
    maps[0].upper_corner = {-2};
    maps[1].swizzle = swizzle::bytes_64;
    maps[1].lower_corner = {-2};
    maps[1].upper_corner = {1};
    maps[1].step = {1, 2, 1, 2, 1};
    maps[2].pixels = 16;
    maps[2].swizzle = swizzle::bytes_128;
    maps[2].atomicity = tensor_map::atom::bytes_32;
    maps[2].lower_corner = {-1};
    maps[2].upper_corner = {-1};
    maps[2].fills_with_nan = true;
    return maps;
}

std::vector<wide_copy> wide_copies() {
    const std::vector<tensor_map> maps = wide_maps();
    return {{maps[0], {8, -2, 1}, 5, 3, 0},
            {maps[1], {0, 1, 3, 0}, 3, 0, 2048},
            {maps[2], {0, 3, 1, 1, 0}, 2, 1, 11264},
            {maps[1], {0, -2, 1, 1}, 31, 1, 14336}};
}

/// The bytes of pixel `n` of the walk along the first dimension of the images.
std::string pixel(const wide_copy& c, unsigned n, const std::string& input) {
    const tensor_map& m = c.map;
    const unsigned image_dimension = m.rank - 1U;
    // Coordinates of the filter's first element.
    std::vector<int> at = c.at;
    const int end = static_cast<int>(m.last[1]) + 1 + m.upper_corner[0];
    for (unsigned i = 0; i < n; ++i) {
        at[1] += m.step[1];
        if (at[1] < end) continue;
        at[1] = m.lower_corner[0];
        at[image_dimension] += m.step[image_dimension];
    }
    at[1] += c.offset;
    const unsigned bytes = m.box[0] * m.element_bytes();
    std::size_t from = static_cast<std::size_t>(at[0]) * m.element_bytes();
    for (unsigned d = 1; d < m.rank; ++d) {
        if (at[d] < 0 || at[d] > static_cast<int>(m.last[d])) {
            const std::string outside = m.fills_with_nan ? std::string("\xf7\x7f\xf7\x7f") : "";
            std::string row;
            while (row.size() < bytes) row += outside.empty() ? std::string(4, '\0') : outside;
            return row;
        }
        from += static_cast<std::size_t>(at[d]) * m.strides[d - 1];
    }
    return input.substr(from, bytes);
}

/// Numbers of the pixels of the walk in the order in which they are in shared memory.
std::vector<unsigned> stored_pixels(const wide_copy& c) {
    std::vector<unsigned> pixels;
    if (c.map.mode == tensor_map::access_mode::im2col_w) {
        for (int n = 0; n < c.map.pixels + c.halo; ++n) pixels.push_back(static_cast<unsigned>(n));
        return pixels;
    }
    for (unsigned n = 0; n < 128; ++n) pixels.push_back(n);
    // Behind them the first pixels that follow each 32, then the second ones etc.
    for (int n = 0; n < c.halo; ++n)
        for (unsigned chunk = 1; chunk <= 4; ++chunk)
            pixels.push_back(32 * chunk + static_cast<unsigned>(n));
    return pixels;
}

/// Where a swizzle stores a byte: the 16-byte chunks of a 128-byte line, by the line's number.
unsigned swizzled_place(const wide_copy& c, unsigned byte) {
    const unsigned line = byte / 128;
    if (c.map.swizzle == tensor_map::swizzle_mode::bytes_64) return byte ^ line % 4 * 16;
    return byte ^ line % 4 * 32;  // chunks of 32 bytes
}

class WideColumns : public testing::Test {
protected:
    WideColumns() {
        std::uint32_t seed = 9;
        for (unsigned i = 0; i < input_bytes / 4; ++i) {
            seed = seed * 1664525 + 1013904223;
            const std::uint32_t word = seed ^ seed >> 16;
            input_.append(reinterpret_cast<const char*>(&word), sizeof word);
        }
        folder_.write("a.bin", input_);
    }
    outcome run(const std::string& code, unsigned blocks,
                const std::vector<std::string>& more) const {
        std::string maps;
        for (unsigned block = 0; block < blocks; ++block)
            for (const tensor_map& m : wide_maps()) {
                std::byte bytes[tensor_map::bytes];
                m.encode(bytes);
                maps.append(reinterpret_cast<const char*>(bytes), sizeof bytes);
            }
        folder_.write("m.bin", maps);
        folder_.write("o.bin", "");
        const std::string launch = folder_.write(
            "run.launch",
            fmt::format(
                "buffer a u8 {} file a.bin\nbuffer o u8 {} zero\nbuffer m u8 {} file m.bin\n"
                "launch wide_columns grid {} block 128 args a o m s32:3\n"
                "output o o.bin\n",
                input_bytes, blocks * block_bytes, maps.size(), blocks));
        std::vector<std::string> words = {"--preset",
                                          "B200",
                                          "-gpgpu_n_clusters",
                                          "12",
                                          "-gpgpu_gpc_sms",
                                          "6,6",
                                          "--quiet",
                                          code,
                                          std::string(SIMTLM_MACHINE_CODE) + "/wide_columns_100" +
                                              (code == "--ptx" ? ".ptx" : ".sm_100.cubin"),
                                          "--launch",
                                          launch};
        words.insert(words.end(), more.begin(), more.end());
        return simulate(words);
    }
    /// Compares the results of all CTAs with columns that the host reads.
    void expect_columns(unsigned blocks) const {
        const std::string found = read_file(folder_.path("o.bin"));
        ASSERT_EQ(found.size(), blocks * block_bytes);
        const std::vector<wide_copy> copies = wide_copies();
        for (unsigned block = 0; block < blocks; ++block)
            for (std::size_t i = 0; i < copies.size(); ++i) {
                const wide_copy& c = copies[i];
                std::string column;
                for (const unsigned n : stored_pixels(c)) column += pixel(c, n, input_);
                std::string stored = column;
                for (unsigned byte = 0; byte < column.size(); ++byte)
                    stored[byte] = found[block * block_bytes + c.place + swizzled_place(c, byte)];
                EXPECT_TRUE(stored == column) << "CTA " << block << ", copy " << i;
            }
    }
    const scratch_folder folder_;
    std::string input_;
};

TEST_F(WideColumns, AreThoseOfTheHostWithAndWithoutTiming) {
    for (const char* const code : {"--ptx", "--cubin"})
        for (const char* const functional : {"1", "0"}) {
            SCOPED_TRACE(fmt::format("{} {}", code, functional));
            const outcome o = run(code, 2, {"-gpgpu_ptx_sim_mode", functional});
            ASSERT_EQ(0, o.code) << o.err;
            expect_columns(2);
        }
}

TEST_F(WideColumns, TakeTheSameCyclesInAnyProcessOrderWithAndWithoutSleep) {
    const outcome first = run("--cubin", 48, {});
    ASSERT_EQ(0, first.code) << first.err;
    expect_columns(48);
    for (const std::vector<std::string>& way :
         std::vector<std::vector<std::string>>{{"--shuffle-seed", "1"}, {"--no-sleep"}}) {
        const outcome other = run("--cubin", 48, way);
        EXPECT_EQ("", first_difference(first.report(), other.report())) << way.front();
        expect_columns(48);
    }
}

}  // namespace
}  // namespace simtlm::test
