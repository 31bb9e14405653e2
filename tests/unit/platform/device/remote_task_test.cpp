// SPDX-License-Identifier: Apache-2.0
#include "platform/device/remote_task.h"

#include "platform/device/memory_space.h"
#include "platform/device/remote_link.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

namespace simtlm::device {
namespace {

using execution::arithmetic::channel_kind;
using execution::arithmetic::texture_geometry;

constexpr std::uint64_t mib = 1 << 20;
constexpr std::uint64_t handle = 7;

execution::texture_binding image_at(std::uint64_t base) {
    execution::texture_binding b;
    b.base = base;
    b.image.levels.resize(1);
    execution::arithmetic::mip_level& l = b.image.levels[0];
    l.width = l.height = 16;
    l.row_pitch = 64;
    l.slice_pitch = 1024;
    return b;
}

/// What the server receives of a binding.
execution::texture_table received(const execution::texture_binding& b) {
    execution::texture_table sent, got;
    sent.bind(handle, b);
    payload_writer out;
    write_textures(out, sent);
    const message m{message_kind::textures, out.bytes()};
    payload_reader in(m);
    read_textures(in, got);
    in.finish();
    return got;
}

TEST(RemoteTask, TexturesArriveAsTheyWereSent) {
    const auto got = received(image_at(4096));
    const execution::texture_binding* const b = got.find(handle);
    ASSERT_NE(b, nullptr);
    EXPECT_EQ(b->base, 4096u);
    EXPECT_EQ(b->image.levels.at(0).row_pitch, 64u);
}

TEST(RemoteTask, RejectsImagesThatCannotExist) {
    using change = std::function<void(execution::texture_binding&)>;
    for (const change& c : {
             change([](auto& b) { b.image.levels.clear(); }),
             change([](auto& b) { b.image.levels[0].width = 0; }),
             change([](auto& b) { b.image.levels[0].height = 0; }),
             change([](auto& b) { b.image.levels[0].depth = 0; }),
             change([](auto& b) { b.image.layers = 0; }),
             change([](auto& b) { b.image.format.channels = 5; }),
             change([](auto& b) { b.image.format.bits = 8; }),  // of floating-point channels
             change([](auto& b) { b.image.format.bits = 64; }),
             change([](auto& b) { b.image.levels[0].row_pitch = ~std::uint64_t{0}; }),
             change([](auto& b) { b.image.levels[0].offset = ~std::uint64_t{0}; }),
             change([](auto& b) {
                 b.image.geometry = texture_geometry::layered_cube;
                 b.image.layers = ~std::uint32_t{0};
                 b.image.levels[0].slice_pitch = std::uint64_t{1} << 40;
             }),
             change([](auto& b) { b.base = ~std::uint64_t{0} - 8; }),
         }) {
        execution::texture_binding b = image_at(4096);
        c(b);
        EXPECT_THROW(received(b), link_error);
    }
}

TEST(RemoteTask, ImagesOutsideOfMemoryAreNotBound) {
    memory_space m(1, 16 * mib);
    const std::uint64_t inside = m.allocate(memory_kind::device, 0, 4096);
    for (const auto& [base, bound] :
         {std::pair(inside, true), std::pair(std::uint64_t{64}, false),
          std::pair(m.table().end() - 512, false), std::pair(m.table().end() + mib, false)}) {
        auto got = received(image_at(base));
        unbind_missing_images(got, m.table());
        EXPECT_EQ(got.find(handle) != nullptr, bound) << base;
    }
}

}  // namespace
}  // namespace simtlm::device
