// SPDX-License-Identifier: Apache-2.0
// What a loader of machine code reads from attributes and relocations.
#include "modules/execution/functional/functional.h"
#include "modules/execution/machine/sass_image.h"
#include "modules/sass/cubin.h"
#include "modules/support/error.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::execution {
namespace {

constexpr std::uint64_t memory_bytes = std::uint64_t{1} << 26;

std::string stored_file(const std::string& name) {
    std::ifstream file(SIMTLM_MACHINE_CODE "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

device_memory::config small_memory() {
    device_memory::config config;
    config.capacity = memory_bytes;
    return config;
}

/// Changes the type of the first relocation of a section of data.
void change_relocation(std::string& bytes, const std::string& section, std::uint32_t type) {
    const sass::cubin file(bytes, "file");
    for (const sass::cubin_section& s : file.sections()) {
        if (s.type != SHT_RELA || file.sections()[s.info].name != section) continue;
        Elf64_Rela first;
        const auto at = static_cast<std::size_t>(s.contents.data() - file.bytes().data());
        std::memcpy(&first, &bytes[at], sizeof first);
        first.r_info = ELF64_R_INFO(ELF64_R_SYM(first.r_info), type);
        std::memcpy(&bytes[at], &first, sizeof first);
        return;
    }
    FAIL() << section;
}

TEST(MachineProgram, HasParametersOfMoreThanFourKilobytes) {
    device_memory memory(small_memory());
    const auto file =
        std::make_shared<const sass::cubin>(stored_file("generated.sm_80.cubin"), "generated");
    const sass_image image(file, memory);
    launch l;
    l.image = &image;
    l.kernel = image.find_kernel("large_parameters");
    ASSERT_NE(l.kernel, nullptr);
    ASSERT_EQ(l.kernel->parameters.size(), 2u);
    constexpr std::size_t words = 1100;
    EXPECT_EQ(l.kernel->parameters[0].size, 4 * words);
    EXPECT_EQ(l.kernel->parameters[1].offset, 4 * words);
    EXPECT_EQ(l.kernel->parameters[1].size, 8u);
    l.grid = {1, 1, 1};
    l.block = {32, 1, 1};
    l.parameters.resize(4 * words + 8);
    std::vector<std::uint32_t> sums(32);
    for (std::uint32_t i = 0; i < words; ++i) {
        const std::uint32_t value = i * 2654435761u;
        std::memcpy(&l.parameters[4 * i], &value, sizeof value);
        sums[i % 32] = sums[i % 32] * 3 + value;
    }
    const device_address to = memory.allocate(128);
    std::memcpy(&l.parameters[4 * words], &to, sizeof to);
    run(l, memory, {});
    std::vector<std::uint32_t> found(32);
    memory.read(found.data(), to, 128);
    EXPECT_EQ(found, sums);
}

TEST(MachineProgram, WithAnUnknownRelocationOfDataIsRejected) {
    for (const char* section : {".nv.global.init", ".nv.constant3"}) {
        std::string bytes = stored_file("generated.sm_90.cubin");
        change_relocation(bytes, section, 200);
        device_memory memory(small_memory());
        const auto file = std::make_shared<const sass::cubin>(bytes, "generated");
        try {
            const sass_image image(file, memory);
            ADD_FAILURE() << "not refused";
        } catch (const support::user_error& e) {
            EXPECT_THAT(e.what(),
                        testing::HasSubstr(std::string("a relocation of type 200 in ") + section));
        }
    }
}

/// Puts an instruction in the place of another.
void replace(std::string& bytes, const std::string& function, std::size_t at,
             sass::instruction_word by) {
    const sass::cubin file(bytes, "file");
    const sass::instruction_word old = file.find_function(function)->word(at);
    std::string pattern(reinterpret_cast<const char*>(&old.low), 8);
    pattern.append(reinterpret_cast<const char*>(&old.high), 8);
    const std::size_t place = bytes.find(pattern);
    ASSERT_NE(place, std::string::npos);
    std::memcpy(&bytes[place], &by.low, 8);
    std::memcpy(&bytes[place + 8], &by.high, 8);
}

TEST(MachineProgram, ReadsMissingParametersAsZero) {
    device_memory memory(small_memory());
    const sass_image image(
        std::make_shared<const sass::cubin>(stored_file("careless.sm_75.cubin"), "careless"),
        memory);
    launch l;
    l.image = &image;
    l.kernel = image.find_kernel("careless");
    ASSERT_NE(l.kernel, nullptr);
    l.grid = {1, 1, 1};
    l.block = {32, 1, 1};
    EXPECT_THROW(execution::run(l, memory, {}, {}), support::user_error);  // a null pointer
}

TEST(MachineProgram, OfALaterArchitectureIsRejected) {
    std::string bytes = stored_file("careless.sm_75.cubin");
    // As CUDA 13 stores it.
    bytes[offsetof(Elf64_Ehdr, e_flags) + 1] = static_cast<char>(130);
    device_memory memory(small_memory());
    const auto file = std::make_shared<const sass::cubin>(bytes, "careless");
    ASSERT_EQ(file->architecture(), 130u);
    try {
        const sass_image image(file, memory);
        ADD_FAILURE() << "not refused";
    } catch (const support::user_error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("machine code for sm_130"));
    }
}

TEST(MachineProgram, ThatLosesActiveLanesIsRejected) {
    std::string bytes = stored_file("careless.sm_75.cubin");
    // BMOV.32.PQUAD MACTIVE, B15, which is zero, instead of WARPSYNC.
    sass::instruction_word lose;
    lose.low = 0x000000001a0f7f56;
    lose.high = 0x000fe40000100000;
    replace(bytes, "careful", 0x70, lose);
    device_memory memory(small_memory());
    const sass_image image(std::make_shared<const sass::cubin>(bytes, "careless"), memory);
    launch l;
    l.image = &image;
    l.kernel = image.find_kernel("careful");
    ASSERT_NE(l.kernel, nullptr);
    l.grid = {1, 1, 1};
    l.block = {32, 1, 1};
    const std::uint64_t arguments[] = {memory.allocate(4096), memory.allocate(4096)};
    l.parameters.resize(sizeof arguments);
    std::memcpy(l.parameters.data(), arguments, sizeof arguments);
    try {
        execution::run(l, memory, {}, {});
        ADD_FAILURE() << "not refused";
    } catch (const support::user_error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("active lanes 0x0 are set where 0xffffffff"));
    }
}

}  // namespace
}  // namespace simtlm::execution
