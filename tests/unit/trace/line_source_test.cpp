// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/line_source.h"

#include "modules/support/error.h"
#include "modules/trace/recorded_size.h"
#include "tests/unit/trace/temporary_folder.h"

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace {

namespace io = boost::iostreams;
using simtlm::support::user_error;
using simtlm::test::temporary_folder;
using simtlm::trace::line_source;

std::vector<std::string> lines_of(const std::string& file) {
    line_source source(file);
    std::vector<std::string> lines;
    line_source::line line;
    while (source.next(line)) {
        EXPECT_EQ(*line.end, '\n');
        lines.emplace_back(line.begin, line.end);
    }
    EXPECT_EQ(source.number(), lines.size());
    return lines;
}

template <typename Compressor>
std::string packed(const std::string& text) {
    io::filtering_istreambuf chain;
    chain.push(Compressor());
    std::istringstream in(text);
    chain.push(in);
    std::ostringstream out;
    io::copy(chain, out);
    return out.str();
}

std::string long_text() {
    std::string text;
    for (int i = 0; i < 40000; ++i) text += "line " + std::to_string(i * 7919 % 10007) + "\n";
    return text;
}

TEST(LineSource, ReturnsEveryLineAndAddsAMissingFinalNewline) {
    const temporary_folder folder;
    EXPECT_EQ(lines_of(folder.write("a", "one\n\nthree")),
              (std::vector<std::string>{"one", "", "three"}));
    EXPECT_TRUE(lines_of(folder.write("b", "")).empty());
    EXPECT_EQ(lines_of(folder.write("c", "\n")), std::vector<std::string>{""});
}

TEST(LineSource, ReadsLinesLongerThanItsBuffer) {
    const temporary_folder folder;
    const std::string line(700 * 1000, 'x');
    EXPECT_EQ(lines_of(folder.write("a", "1\n" + line + "\n2\n")),
              (std::vector<std::string>{"1", line, "2"}));
    EXPECT_THROW(lines_of(folder.write("b", std::string(3 << 20, 'x'))), user_error);
}

TEST(LineSource, DetectsArchivesByContent) {
    const temporary_folder folder;
    const std::string text = long_text();
    const auto plain = lines_of(folder.write("plain", text));
    ASSERT_EQ(plain.size(), 40000U);
    EXPECT_EQ(lines_of(folder.write("a.txt", packed<io::gzip_compressor>(text))), plain);
    EXPECT_EQ(lines_of(folder.write("b.xz", packed<io::lzma_compressor>(text))), plain);
    EXPECT_EQ(lines_of(folder.write("c.gz", packed<io::bzip2_compressor>(text))), plain);
    EXPECT_EQ(lines_of(folder.write("d", packed<io::zstd_compressor>(text))), plain);
}

TEST(LineSource, RejectsADamagedArchive) {
    const temporary_folder folder;
    for (std::string bytes :
         {packed<io::gzip_compressor>(long_text()), packed<io::lzma_compressor>(long_text()),
          packed<io::bzip2_compressor>(long_text()), packed<io::zstd_compressor>(long_text())}) {
        for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 40; ++i) bytes[i] = 'x';
        EXPECT_THROW(lines_of(folder.write("damaged", bytes)), user_error);
    }
}

TEST(LineSource, RejectsATruncatedArchive) {
    const temporary_folder folder;
    const std::string text = long_text();
    for (const std::string& bytes :
         {packed<io::gzip_compressor>(text), packed<io::lzma_compressor>(text),
          packed<io::bzip2_compressor>(text), packed<io::zstd_compressor>(text)}) {
        const std::string file = folder.write("cut", bytes.substr(0, bytes.size() * 2 / 3));
        try {
            EXPECT_LT(lines_of(file).size(), 40000U);
        } catch (const user_error&) {
        }
    }
}

TEST(LineSource, NamesAFileThatCannotBeOpened) {
    const temporary_folder folder;
    EXPECT_THROW(line_source(folder.path("absent")), user_error);
    EXPECT_THROW(line_source(folder.path("")), user_error) << "a folder";
}

TEST(RecordedSize, IsThatOfTheTextInAPlainFileAndInAnXzFile) {
    const temporary_folder folder;
    using simtlm::trace::recorded_size;
    const std::string text = long_text();
    EXPECT_EQ(recorded_size(folder.write("a", text)), text.size());
    EXPECT_EQ(recorded_size(folder.write("b.xz", packed<io::lzma_compressor>(text))), text.size());
    EXPECT_EQ(recorded_size(folder.write("c.xz", packed<io::lzma_compressor>(""))), 0u);
}

TEST(RecordedSize, IsUnknownForOtherFiles) {
    const temporary_folder folder;
    using simtlm::trace::recorded_size;
    const std::string xz = packed<io::lzma_compressor>(long_text());
    EXPECT_FALSE(recorded_size(folder.path("missing")).has_value());
    EXPECT_FALSE(recorded_size(folder.write("a", packed<io::gzip_compressor>("text"))).has_value());
    EXPECT_FALSE(recorded_size(folder.write("b", packed<io::zstd_compressor>("text"))).has_value());
    EXPECT_FALSE(
        recorded_size(folder.write("c", packed<io::bzip2_compressor>("text"))).has_value());
    EXPECT_FALSE(recorded_size(folder.write("d", xz + xz)).has_value()) << "two streams";
    EXPECT_FALSE(recorded_size(folder.write("e", xz.substr(0, xz.size() - 4))).has_value());
    // An index that does not match the file.
    for (std::size_t at = xz.size() - 24; at < xz.size(); ++at) {
        std::string damaged = xz;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
        recorded_size(folder.write("f", damaged));
    }
}

}  // namespace
