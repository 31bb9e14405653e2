// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces of machine code: every kernel of textures.ptx produces the same memory
// contents as its machine code, for textures with and without filters and mipmaps.
#include "modules/execution/functional/functional.h"
#include "modules/execution/machine/sass_image.h"
#include "modules/execution/ptx/ptx_image.h"
#include "modules/execution/state/texture_table.h"
#include "modules/execution/timed/executed_kernel.h"
#include "modules/ptx/parser.h"
#include "modules/sass/cubin.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace simtlm::execution {
namespace {

using arithmetic::texture_geometry;

constexpr unsigned threads = 64, edge = 4;

std::string contents(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The texture geometry, from the name of the kernel that accesses it.
texture_geometry geometry_of(std::string_view kernel) {
    if (kernel.substr(0, 8) == "surface_") kernel.remove_prefix(8);
    constexpr std::pair<std::string_view, texture_geometry> names[] = {
        {"one_", texture_geometry::one},
        {"two_", texture_geometry::two},
        {"three_", texture_geometry::three},
        {"layered_one_", texture_geometry::layered_one},
        {"layered_two_", texture_geometry::layered_two},
        {"cube_", texture_geometry::cube},
        {"layered_cube_", texture_geometry::layered_cube}};
    for (const auto& [name, geometry] : names)
        if (kernel.substr(0, name.size()) == name) return geometry;
    throw std::runtime_error("a kernel with an unknown name");
}

/// Four channels of f32, two levels of detail; formatted reductions: two channels of signed
/// integers.
texture_binding binding(std::string_view kernel, device_address base) {
    const texture_geometry g = geometry_of(kernel);
    texture_binding b;
    b.base = base;
    b.image.geometry = g;
    b.image.format.channels = 4;
    if (kernel.find("_place_") != std::string_view::npos) {
        b.image.format.channels = 2;
        b.image.format.kind = arithmetic::channel_kind::signed_integer;
    }
    const bool flat = g == texture_geometry::one || g == texture_geometry::layered_one;
    const bool cube = g == texture_geometry::cube || g == texture_geometry::layered_cube;
    const bool layered =
        flat ? g == texture_geometry::layered_one
             : g == texture_geometry::layered_two || g == texture_geometry::layered_cube;
    b.image.layers = layered ? 3 : 1;
    std::uint64_t offset = 0;
    for (const std::uint32_t size : {edge, edge / 2}) {
        arithmetic::mip_level level;
        level.width = size;
        level.height = flat ? 1 : size;
        level.depth = g == texture_geometry::three ? size : 1;
        level.offset = offset;
        level.row_pitch = std::uint64_t{size} * b.image.format.bytes();
        level.slice_pitch = level.row_pitch * level.height;
        b.image.levels.push_back(level);
        offset += level.slice_pitch * level.depth * b.image.layers * (cube ? 6 : 1);
    }
    return b;
}
constexpr std::size_t image_bytes = edge * edge * 16 * 18 * 2;

/// Of every access to an image with timing: the memory space and the sectors, in increasing order.
using image_accesses = std::multiset<std::pair<program::memory_space, std::vector<std::uint64_t>>>;

/// Issues all instructions of a kernel without barriers, and records what they access in an image.
image_accesses accesses_of(program::kernel_source& kernel, device_address begin,
                           device_address end) {
    image_accesses all;
    while (const auto block = kernel.next_cta()) {
        block->placed({});
        for (unsigned w = 0; w < kernel.descriptor().warps_per_block(); ++w) {
            const program::warp_code code = block->warp(w);
            program::instruction_window window = code.window;
            for (std::uint64_t now = 0; !window.empty(); ++now) {
                const program::dynamic_instruction& i = *window.next;
                program::issue_effects effects;
                program::lane_addresses addresses;
                effects.space = i.info->space;
                effects.data_size = i.info->data_size;
                code.executor->issue(i, now, effects, addresses);
                if (effects.memory_deferred) code.executor->apply_memory();
                std::set<std::uint64_t> sectors;
                for (unsigned word = 0; i.info->is_memory() && word < addresses.words; ++word)
                    for (std::uint32_t m = addresses.lanes; m != 0; m &= m - 1) {
                        const std::uint64_t a = addresses.address[word][__builtin_ctz(m)];
                        if (a >= begin && a < end) sectors.insert((a - begin) / 32);
                    }
                if (!sectors.empty())
                    all.emplace(effects.space,
                                std::vector<std::uint64_t>(sectors.begin(), sectors.end()));
                window = effects.next;
            }
        }
    }
    return all;
}

/// A device with an image of machine code or PTX; returns the memory contents after a kernel.
class device {
public:
    device()
        : memory_([] {
              device_memory::config c;
              c.capacity = std::uint64_t{1} << 26;
              return c;
          }()) {
        image_ = memory_.allocate(image_bytes);
        handle_ = memory_.allocate(8);
        floats_ = memory_.allocate(threads * 16);
        integers_ = memory_.allocate(threads * 16);
        result_ = memory_.allocate(threads * 16);
    }
    device_memory& memory() { return memory_; }

    std::string run(const program_image& image, const std::string& kernel,
                    const arithmetic::sampler_state& sampler, image_accesses* seen = nullptr) {
        const bool surface = kernel.substr(0, 8) == "surface_";
        const bool formatted = kernel.find("_place_") != std::string::npos;
        std::vector<float> texels(image_bytes / 4), places(threads * 4);
        for (std::size_t n = 0; n < texels.size(); ++n)
            texels[n] = static_cast<float>(n * 7 % 1021) * 0.5F;
        std::vector<std::int32_t> numbers(threads * 4);
        for (unsigned n = 0; n < threads * 4; ++n) {
            const unsigned layer = n % 4 == 3 ? 1 : 0;
            const auto random = static_cast<std::int32_t>(n * 2654435761U >> 16 & 0xff);
            places[n] =
                layer != 0 ? static_cast<float>(random % 4) : static_cast<float>(random - 64) / 32;
            numbers[n] = layer != 0 ? random % 4 : random % 7 - 1;
            if (surface && !formatted && n % 4 == 0) numbers[n] *= 16;
        }
        memory_.write(image_, texels.data(), image_bytes);
        memory_.write(floats_, places.data(), threads * 16);
        memory_.write(integers_, numbers.data(), threads * 16);
        const std::string nothing(threads * 16, 'x');
        memory_.write(result_, nothing.data(), nothing.size());

        texture_table table;
        texture_binding b = binding(kernel, image_);
        b.sampler = sampler;
        const std::uint64_t handle = table.new_handle();
        table.bind(handle, b);
        memory_.write(handle_, &handle, 8);
        services world;
        world.textures = &table;

        launch l;
        l.image = &image;
        l.kernel = image.find_kernel(kernel);
        l.grid = {1, 1, 1};
        l.block = {threads, 1, 1};
        const bool indirect = kernel.find("_indirect") != std::string::npos;
        const std::uint64_t arguments[] = {indirect ? handle_ : handle, floats_, integers_,
                                           result_};
        l.parameters.resize(sizeof arguments);
        std::memcpy(l.parameters.data(), arguments, sizeof arguments);
        if (seen == nullptr) {
            execution::run(l, memory_, world, {});
        } else {
            executed_kernel timed(l, memory_, world, image.describe({}), 1);
            *seen = accesses_of(timed, image_, image_ + image_bytes);
        }

        std::string left(image_bytes + threads * 16, '\0');
        memory_.read(left.data(), image_, image_bytes);
        memory_.read(left.data() + image_bytes, result_, threads * 16);
        std::string untouched(reinterpret_cast<const char*>(texels.data()), image_bytes);
        EXPECT_NE(left, untouched + nothing) << kernel;
        return left;
    }

private:
    device_memory memory_;
    device_address image_ = 0, handle_ = 0, floats_ = 0, integers_ = 0, result_ = 0;
};

/// A PTX file, and an architecture for which its machine code is stored.
struct texture_program {
    const char* name;
    int architecture;
};
void PrintTo(const texture_program& p, std::ostream* to) {
    *to << p.name << ".sm_" << p.architecture;
}
class MachineTextures : public testing::TestWithParam<texture_program> {};

/// A stored program as PTX and as machine code, in the memory of a device.
struct images {
    images(const texture_program& p, device& d)
        : path(SIMTLM_MACHINE_CODE "/" + std::string(p.name)),
          ptx(std::make_shared<const ptx::module>(
                  ptx::parse(contents(path + ".ptx"), path + ".ptx")),
              d.memory()),
          machine(
              std::make_shared<const sass::cubin>(
                  contents(fmt::format("{}.sm_{}.cubin", path, p.architecture)), path + ".cubin"),
              d.memory()) {}
    std::string path;
    ptx_image ptx;
    sass_image machine;
};

TEST_P(MachineTextures, LeaveTheSameMemoryAsTheirPtx) {
    device d;
    const images code(GetParam(), d);
    const ptx_image& ptx = code.ptx;
    const sass_image& machine = code.machine;
    ASSERT_TRUE(machine.is_executed_whole());
    ASSERT_EQ(machine.kernels().size(), ptx.kernels().size());
    for (const bool filters : {false, true}) {
        arithmetic::sampler_state sampler;
        sampler.normalised_coordinates = true;
        sampler.address.fill(filters ? arithmetic::address_mode::mirror
                                     : arithmetic::address_mode::wrap);
        if (filters) sampler.filter = sampler.mip_filter = arithmetic::filter_mode::linear;
        for (const kernel_image& k : ptx.kernels()) {
            const std::string want = d.run(ptx, k.name, sampler);
            EXPECT_TRUE(d.run(machine, k.name, sampler) == want) << k.name << filters;
        }
        // The kernels produce different results.
        std::set<std::string> different;
        for (const kernel_image& k : machine.kernels())
            different.insert(d.run(machine, k.name, sampler));
        EXPECT_GT(different.size(), machine.kernels().size() / 4);
    }
}

class MachineTexelAccesses : public MachineTextures {};

TEST_P(MachineTexelAccesses, AreThoseOfTheirPtx) {
    device d;
    const images code(GetParam(), d);
    const ptx_image& ptx = code.ptx;
    const sass_image& machine = code.machine;
    std::size_t sectors_read[2] = {0, 0};
    for (const bool filters : {false, true}) {
        arithmetic::sampler_state sampler;
        sampler.normalised_coordinates = true;
        sampler.address.fill(arithmetic::address_mode::mirror);
        if (filters) sampler.filter = sampler.mip_filter = arithmetic::filter_mode::linear;
        for (const kernel_image& k : ptx.kernels()) {
            // Machine code computes gradients with other lanes of a quad, or in a function; queries
            // access no texels.
            if (k.name.find("gradient") != std::string::npos ||
                k.name.find("quer") != std::string::npos)
                continue;
            image_accesses of_ptx, of_machine;
            d.run(ptx, k.name, sampler, &of_ptx);
            d.run(machine, k.name, sampler, &of_machine);
            EXPECT_FALSE(of_ptx.empty()) << k.name;
            EXPECT_EQ(of_ptx, of_machine) << k.name << filters;
            for (const auto& [space, sectors] : of_ptx) {
                EXPECT_EQ(space, k.name.substr(0, 8) == "surface_" ? program::memory_space::global
                                                                   : program::memory_space::texture)
                    << k.name;
                sectors_read[filters ? 1 : 0] += sectors.size();
            }
        }
    }
    EXPECT_GT(sectors_read[1], sectors_read[0]) << "a filter reads several texels per lane";
}

std::string name_of(const testing::TestParamInfo<texture_program>& p) {
    return fmt::format("sm_{}", p.param.architecture);
}
INSTANTIATE_TEST_SUITE_P(Architectures, MachineTextures,
                         testing::Values(texture_program{"textures", 75},
                                         texture_program{"textures", 80},
                                         texture_program{"textures", 86},
                                         texture_program{"textures", 90},
                                         texture_program{"textures", 120}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Architectures, MachineTexelAccesses,
                         testing::Values(texture_program{"textures", 75},
                                         texture_program{"textures", 80},
                                         texture_program{"textures", 86},
                                         texture_program{"textures", 90}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(OffsetsAndReductions, MachineTexelAccesses,
                         testing::Values(texture_program{"texture_offsets", 75},
                                         texture_program{"texture_offsets", 80},
                                         texture_program{"texture_offsets", 86},
                                         texture_program{"texture_offsets", 90}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(OffsetsQueriesAndReductions, MachineTextures,
                         testing::Values(texture_program{"texture_offsets", 75},
                                         texture_program{"texture_offsets", 80},
                                         texture_program{"texture_offsets", 86},
                                         texture_program{"texture_offsets", 90}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(GradientsOfQuads, MachineTextures,
                         testing::Values(texture_program{"texture_gradients", 75},
                                         texture_program{"texture_gradients", 80},
                                         texture_program{"texture_gradients", 86},
                                         texture_program{"texture_gradients", 90}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(GradientsOfSystemSoftware, MachineTextures,
                         testing::Values(texture_program{"texture_gradients_90", 90}), name_of);
INSTANTIATE_TEST_SUITE_P(Halves, MachineTextures,
                         testing::Values(texture_program{"texture_halves", 75},
                                         texture_program{"texture_halves", 80},
                                         texture_program{"texture_halves", 86},
                                         texture_program{"texture_halves", 90}),
                         name_of);

}  // namespace
}  // namespace simtlm::execution
