// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/cubin.h"

#include "modules/sass/decoder.h"
#include "modules/sass/fat_binary.h"
#include "modules/support/error.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

namespace simtlm::sass {
namespace {

std::string contents(const std::string& name) {
    std::ifstream file(SIMTLM_SASS_DATA "/cubins/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Cubin, ReportsArchitectureKernelsAndResources) {
    const cubin file(contents("saxpy.sm_80.cubin"), "saxpy");
    EXPECT_EQ(file.architecture(), 80u);
    const cubin_function* const f = file.find_function("saxpy");
    ASSERT_NE(f, nullptr);
    EXPECT_TRUE(f->is_kernel);
    EXPECT_GT(f->registers, 4u);
    EXPECT_LT(f->registers, 64u);
    EXPECT_EQ(f->parameter_base, 0x160u);
    ASSERT_EQ(f->parameters.size(), 4u);
    EXPECT_EQ(f->parameters[0].size, 4u);
    EXPECT_EQ(f->parameters[1].size, 8u);
}

TEST(Cubin, ReportsTheArchitectureOfCodeWithoutTheAbi) {
    // Functions with several results are compiled without the ABI: the version differs, the flags
    // do not.
    std::string bytes = contents("saxpy.sm_80.cubin");
    bytes[EI_ABIVERSION] = 2;
    EXPECT_EQ(cubin(bytes, "saxpy").architecture(), 80u);
}

TEST(Cubin, ReportsThePtxThatItWasCompiledFrom) {
    EXPECT_EQ(cubin(contents("saxpy.sm_90.cubin"), "saxpy").virtual_architecture(), 75u);
    // As recorded by nvcc -gencode arch=compute_90,code=sm_90.
    std::string bytes = contents("saxpy.sm_90.cubin");
    const std::string owner("NVIDIA Corp\0\2\0\x4b", 15);
    const std::size_t note = bytes.find(owner);
    ASSERT_NE(note, std::string::npos);
    bytes[note + 14] = 90;
    EXPECT_EQ(cubin(bytes, "saxpy").virtual_architecture(), 90u);
    EXPECT_EQ(cubin(bytes, "saxpy").architecture(), 90u);
}

TEST(Cubin, FindsParametersAtTheirHopperOffset) {
    const cubin file(contents("saxpy.sm_90.cubin"), "saxpy");
    EXPECT_EQ(file.architecture(), 90u);
    ASSERT_NE(file.find_function("saxpy"), nullptr);
    EXPECT_EQ(file.find_function("saxpy")->parameter_base, 0x210u);
}

TEST(Cubin, ReportsSharedMemoryAndBarriersOfAKernel) {
    for (const char* name : {"histogram.sm_75.cubin", "histogram.sm_80.cubin"}) {
        const cubin file(contents(name), name);
        const cubin_function* const f = file.find_function("histogram");
        ASSERT_NE(f, nullptr);
        EXPECT_EQ(f->static_shared, 64u);
        EXPECT_EQ(f->barriers, 1u);
    }
}

TEST(Cubin, SharedMemoryForDebuggersHasNoBytesInTheFile) {
    std::string bytes = contents("saxpy.sm_80.cubin");
    constexpr std::uint32_t relocation_actions = 0x7000000b, shared = 0x7000000a;
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof header);
    bool found = false;
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        char* const at = &bytes[header.e_shoff + i * sizeof(Elf64_Shdr)];
        Elf64_Shdr s;
        std::memcpy(&s, at, sizeof s);
        if (s.sh_type != relocation_actions) continue;
        s.sh_offset = bytes.size();
        s.sh_size = 64;
        std::memcpy(at, &s, sizeof s);
        EXPECT_THROW(cubin(bytes, "damaged"), support::user_error);
        s.sh_type = shared;
        std::memcpy(at, &s, sizeof s);
        EXPECT_NE(cubin(bytes, "saxpy").find_function("saxpy"), nullptr);
        found = true;
    }
    EXPECT_TRUE(found);
}

TEST(Cubin, ContainsOnlyKnownInstructions) {
    for (const char* name :
         {"saxpy.sm_75.cubin", "saxpy.sm_80.cubin", "saxpy.sm_90.cubin", "histogram.sm_75.cubin",
          "histogram.sm_80.cubin", "histogram.sm_90.cubin"}) {
        const cubin file(contents(name), name);
        for (const cubin_function& f : file.functions())
            for (std::size_t n = 0; n < f.instructions(); ++n) {
                instruction i;
                EXPECT_TRUE(decode(f.word(n), file.architecture(), n * instruction_bytes, i))
                    << name << " at " << n * instruction_bytes;
            }
    }
}

TEST(Cubin, RejectsOtherFiles) {
    EXPECT_THROW(cubin("hello", "text"), support::user_error);
    EXPECT_THROW(cubin("", "nothing"), support::user_error);
    EXPECT_THROW(cubin(std::string(4096, '\x7f'), "bytes"), support::user_error);
}

TEST(Cubin, RejectsNamesWithControlCharacters) {
    std::string bytes = contents("saxpy.sm_80.cubin");
    for (std::size_t at = bytes.find("saxpy"); at != std::string::npos;
         at = bytes.find("saxpy", at + 1))
        bytes[at + 1] = '\x1b';
    try {
        const cubin file(bytes, "damaged");
        FAIL() << "is accepted";
    } catch (const support::user_error& e) {
        EXPECT_STREQ(
            "damaged: damaged: the name .text.s\\x1bxpy contains control characters "
            "(compile it again with nvcc -cubin)",
            e.what());
    }
}

TEST(Cubin, ReportsDamageAsAnError) {
    std::mt19937 random(7);
    const std::string whole = contents("histogram.sm_75.cubin");
    ASSERT_GT(whole.size(), 1000u);
    unsigned refused = 0;
    for (unsigned n = 0; n < 3000; ++n) {
        std::string bytes = whole;
        for (unsigned k = 0; k <= n % 4; ++k)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        if (n % 5 == 0) bytes.resize(random() % bytes.size());
        try {
            const cubin file(bytes, "damaged");
            for (const cubin_function& f : file.functions())
                for (std::size_t i = 0; i < f.instructions(); ++i) {
                    instruction out;
                    if (decode(f.word(i), file.architecture(), 16 * i, out)) {
                        EXPECT_FALSE(to_string(out).empty());
                    }
                }
        } catch (const support::user_error& e) {
            ++refused;
            EXPECT_NE(std::string(e.what()).find("damaged"), std::string::npos);
        }
    }
    EXPECT_GT(refused, 100u);
}

/// A fat binary with one uncompressed entry.
std::string fat(std::uint16_t kind, std::uint32_t architecture, const std::string& what,
                std::uint64_t flags = 0) {
    const auto put = [](std::string& to, auto value) {
        to.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    std::string entry;
    put(entry, kind);
    put(entry, std::uint16_t{0x101});
    put(entry, std::uint32_t{64});
    put(entry, std::uint64_t{what.size()});
    put(entry, static_cast<std::uint32_t>(what.size()));
    put(entry, std::uint64_t{0});
    put(entry, architecture);
    put(entry, std::uint64_t{0});
    put(entry, flags);
    put(entry, std::uint64_t{0});
    put(entry, std::uint64_t{1} << 20);
    std::string file;
    put(file, fat_binary_magic);
    put(file, std::uint16_t{1});
    put(file, std::uint16_t{16});
    put(file, std::uint64_t{entry.size() + what.size()});
    return file + entry + what;
}

TEST(FatBinary, GivesEntriesWithTheirArchitecture) {
    const auto entries = read_fat_binary(fat(2, 80, "code"), "file");
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].what, fat_binary_entry::kind::cubin);
    EXPECT_EQ(entries[0].architecture, 80u);
    EXPECT_EQ(entries[0].contents, "code");
}

TEST(FatBinary, ReportsAnEntryThatCannotBeDecompressed) {
    EXPECT_THROW(read_fat_binary(fat(1, 70, "no zstd frame", 0x8000), "file"), support::user_error);
    EXPECT_THROW(read_fat_binary(fat(1, 70, "\xff\xff\xff", 0x2000), "file"), support::user_error);
    EXPECT_THROW(read_fat_binary("no fat binary at all", "file"), support::user_error);
}

TEST(FatBinary, IsFoundAmongTheDataOfALibrary) {
    // One section that is not .nv_fatbin; the fat binary is preceded by something similar.
    const std::string data = fat(2, 80, "code").substr(0, 4) + std::string(12, '\xff') +
                             fat(2, 80, "code") + std::string(4, '\0') + fat(2, 90, "more");
    Elf64_Shdr section{};
    section.sh_type = SHT_PROGBITS;
    section.sh_flags = SHF_ALLOC;
    section.sh_offset = sizeof(Elf64_Ehdr) + sizeof section;
    section.sh_size = data.size();
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_shoff = sizeof header;
    header.e_shentsize = sizeof section;
    header.e_shnum = 1;
    std::string file(reinterpret_cast<const char*>(&header), sizeof header);
    file.append(reinterpret_cast<const char*>(&section), sizeof section);
    file += data;
    const auto entries = fat_binaries_of(
        file, "library", [](const fat_binary_entry& e) { return e.architecture == 90; });
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[0].architecture, 80u);
    EXPECT_EQ(entries[0].contents, "");
    EXPECT_EQ(entries[1].contents, "more");
}

TEST(FatBinary, HasNoEntriesInAFileWithoutFatBinaries) {
    EXPECT_TRUE(fat_binaries_of("text", "file").empty());
    EXPECT_TRUE(fat_binaries_of(contents("saxpy.sm_80.cubin"), "cubin").empty());
}

}  // namespace
}  // namespace simtlm::sass
