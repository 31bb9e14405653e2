// SPDX-License-Identifier: Apache-2.0
// Clusters of thread blocks, bulk copies and tensor maps: sm_90.
#include "modules/execution/state/tensor_map.h"
#include "tests/unit/execution/machine.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace simtlm::execution {
namespace {

using testing::HasSubstr;

const std::string hopper = ".version 8.6\n.target sm_90a\n.address_size 64\n";

/// A kernel k(out, in, size) of 32-bit words: thread t of the grid stores %r1 to out[t].
std::string kernel(const std::string& body, const std::string& directives = {},
                   const std::string& before = {}, const std::string& more_parameters = {}) {
    return before + ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 size" +
           more_parameters + ")\n" + directives + R"(
{
  .reg .pred %p<8>; .reg .b16 %rs<8>; .reg .b32 %r<60>; .reg .f32 %f<8>; .reg .b64 %rd<20>;
  mov.u32 %r0, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
  ld.param.u64 %rd1, [in]; ld.param.u32 %r4, [size];
)" + body + R"(
  ld.param.u64 %rd10, [out];
  mad.lo.u32 %r9, %r2, %r3, %r0;
  mul.wide.u32 %rd11, %r9, 4;
  add.u64 %rd10, %rd10, %rd11;
  st.global.u32 [%rd10], %r1;
  ret;
}
)";
}

std::vector<std::uint32_t> results(const std::string& code, unsigned blocks, unsigned threads,
                                   const std::vector<std::uint32_t>& in = {0},
                                   unsigned host_threads = 1) {
    machine m(code, hopper);
    m.options.host_threads = host_threads;
    const auto out = m.buffer(std::vector<std::uint32_t>(std::size_t{blocks} * threads, 0xdead));
    m.run("k", {blocks, 1, 1}, {threads, 1, 1}, out, m.buffer(in),
          static_cast<std::uint32_t>(in.size()));
    return m.read<std::uint32_t>(out, std::size_t{blocks} * threads);
}

const std::string four = ".explicitcluster .reqnctapercluster 4, 1, 1\n";
const std::string word = ".shared .align 16 .b8 buf[1024];\n.shared .align 8 .b64 bar;\n";
const std::string cluster_sync = "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;\n";

/// Thread 0 initialises the mbarrier for one arrival and expects `bytes`.
std::string expect(unsigned bytes) {
    return "mov.u32 %r7, bar; mov.u32 %r20, buf; setp.eq.u32 %p1, %r0, 0;"
           "@%p1 mbarrier.init.shared.b64 [%r7], 1; fence.proxy.async;" +
           cluster_sync + "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r7], " +
           std::to_string(bytes) + ";";
}
const std::string await =
    "LOOP: mbarrier.try_wait.parity.shared.b64 %p3, [%r7], 0; @!%p3 bra LOOP;"
    "shl.b32 %r8, %r0, 2; add.u32 %r8, %r8, %r20; ld.shared.u32 %r1, [%r8];";

std::vector<std::uint32_t> counting(unsigned n) {
    std::vector<std::uint32_t> v(n);
    for (unsigned i = 0; i < n; ++i) v[i] = 7 * i + 1;
    return v;
}

TEST(Mbarrier, KeepsItsPhaseWhenItIsInvalidated) {
    const auto r = results(
        kernel("mov.u32 %r7, bar; mbarrier.init.shared.b64 [%r7], 1;"
               "mbarrier.arrive.shared.b64 _, [%r7]; mbarrier.inval.shared.b64 [%r7];"
               "mbarrier.test_wait.parity.shared.b64 %p1, [%r7], 0; selp.u32 %r1, 1, 0, %p1;",
               {}, word),
        1, 1);
    EXPECT_EQ(r[0], 1u);
}

TEST(Mbarrier, ShowsAllWarpsTheEndOfAPhaseBeforeAReinitialization) {
    // The first or the last warp to arrive reuses the mbarrier after its own wait, as tests of
    // libcu++ do.
    for (const unsigned user : {0u, 255u}) {
        const std::string phase = "mbarrier.arrive.shared.b64 _, [%r7];";
        const std::string body =
            "mov.u32 %r7, bar; setp.eq.u32 %p1, %r0, " + std::to_string(user) +
            "; mov.u32 %r5, 256;"
            "@%p1 mbarrier.init.shared.b64 [%r7], %r5; bar.sync 0;" +
            phase + "A: mbarrier.try_wait.parity.shared.b64 %p2, [%r7], 0; @!%p2 bra A;" +
            "@%p1 mbarrier.init.shared.b64 [%r7], %r5; bar.sync 0;" + phase +
            "B: mbarrier.try_wait.parity.shared.b64 %p2, [%r7], 0; @!%p2 bra B;"
            "add.u32 %r1, %r0, 5;";
        const std::vector<std::uint32_t> r = results(kernel(body, "", word), 1, 256);
        EXPECT_EQ(r[0], 5u);
        EXPECT_EQ(r[255], 260u);
    }
}

TEST(Cluster, ReportsWhetherTheLaunchHasClusters) {
    const std::string body = "mov.pred %p1, %is_explicit_cluster; selp.u32 %r1, 1, 2, %p1;";
    EXPECT_EQ(results(kernel(body, four), 4, 1), std::vector<std::uint32_t>(4, 1));
    EXPECT_EQ(results(kernel(body), 4, 1), std::vector<std::uint32_t>(4, 2));
}

TEST(Cluster, NumbersItsCtas) {
    const auto rank = results(kernel("mov.u32 %r1, %cluster_ctarank;", four), 8, 1);
    EXPECT_EQ(rank, (std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1, 2, 3}));
    const auto id = results(kernel("mov.u32 %r1, %clusterid.x; mov.u32 %r5, %nclusterid.x;"
                                   "mad.lo.u32 %r1, %r5, 100, %r1;",
                                   four),
                            8, 1);
    EXPECT_EQ(id, (std::vector<std::uint32_t>{200, 200, 200, 200, 201, 201, 201, 201}));
    EXPECT_EQ(results(kernel("mov.u32 %r1, %cluster_nctarank;"), 2, 1),
              (std::vector<std::uint32_t>{1, 1}));
}

TEST(Cluster, ReadsSharedMemoryOfOtherCtas) {
    const std::string body =
        "mov.u32 %r5, %cluster_ctarank; mad.lo.u32 %r6, %r2, 1000, %r0;"
        "mov.u32 %r7, buf; shl.b32 %r8, %r0, 2; add.u32 %r7, %r7, %r8;"
        "st.shared.u32 [%r7], %r6;" +
        cluster_sync +
        "add.u32 %r5, %r5, 1; and.b32 %r5, %r5, 3;"
        "mapa.shared::cluster.u32 %r10, %r7, %r5;"
        "ld.shared::cluster.u32 %r1, [%r10];" +
        cluster_sync;
    for (const unsigned host_threads : {1u, 3u}) {
        const auto r = results(kernel(body, four, word), 64, 64, {0}, host_threads);
        for (unsigned b = 0; b < 64; ++b)
            for (unsigned t = 0; t < 64; ++t)
                ASSERT_EQ(r[b * 64 + t], (b / 4 * 4 + (b + 1) % 4) * 1000 + t) << b << " " << t;
    }
}

TEST(Cluster, AddsToSharedMemoryOfAnotherCtaByGenericAddresses) {
    const std::string body =
        "mov.u32 %r7, buf; @%p0 bra GO;\n"
        "mov.u32 %r8, 0; setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [%r7], %r8;"
        "GO:" +
        cluster_sync +
        "cvta.shared.u64 %rd2, buf; mapa.u64 %rd3, %rd2, 0;"
        "atom.add.u32 %r8, [%rd3], 1;"
        "getctarank.u64 %r1, %rd3;" +
        cluster_sync +
        "mov.u32 %r5, %cluster_ctarank; setp.eq.u32 %p2, %r5, 0;"
        "@%p2 ld.shared.u32 %r1, [%r7];";
    const auto r = results(kernel("setp.ne.u32 %p0, %r0, %r0;" + body, four, word), 4, 32);
    EXPECT_EQ(r[0], 4u * 32);
    EXPECT_EQ(r[32], 0u) << "the rank that the address belongs to";
}

TEST(Cluster, ArrivesAtAnMbarrierOfAnotherCta) {
    const std::string body =
        "mov.u32 %r7, bar; setp.eq.u32 %p1, %r0, 0; mov.u32 %r1, 5;"
        "@%p1 mbarrier.init.shared.b64 [%r7], 4;"
        "fence.mbarrier_init.release.cluster;" +
        cluster_sync +
        "mapa.shared::cluster.u32 %r8, %r7, 0;"
        "@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];"
        "mov.u32 %r5, %cluster_ctarank; setp.ne.u32 %p2, %r5, 0; @%p2 bra END;\n"
        "LOOP: mbarrier.try_wait.parity.shared.b64 %p3, [%r7], 0;"
        "@!%p3 bra LOOP; mov.u32 %r1, 6;\nEND:" +
        cluster_sync;
    const auto r = results(kernel(body, four, word), 4, 32);
    EXPECT_EQ(r[0], 6u);
    EXPECT_EQ(r[32], 5u);
}

TEST(Cluster, HasNoFindingsIfItsBarriersAndCopiesOrderAllAccesses) {
    check_options all;
    all.memory = all.init = all.races = true;
    const std::string neighbours =
        "mov.u32 %r5, %cluster_ctarank; mov.u32 %r7, buf; shl.b32 %r8, %r0, 2;"
        "add.u32 %r7, %r7, %r8; st.shared.u32 [%r7], %r5;" +
        cluster_sync +
        "mapa.shared::cluster.u32 %r10, %r7, 3; ld.shared::cluster.u32 %r1, [%r10];"
        "cvt.u64.u32 %rd5, %r7; cvta.shared.u64 %rd5, %rd5; mapa.u64 %rd6, %rd5, 2;"
        "ld.u32 %r1, [%rd6];" +
        cluster_sync;
    const std::string alone =
        "mov.u32 %r7, buf; shl.b32 %r8, %r0, 2; add.u32 %r9, %r7, %r8;"
        "st.shared.u32 [%r9], %r0;" +
        cluster_sync + "ld.shared.u32 %r1, [%r7+4];" + cluster_sync + "st.shared.u32 [%r9], %r1;";
    for (const auto& [body, directives] :
         {std::pair<std::string, std::string>{neighbours, four}, {alone, ""}}) {
        machine m(kernel(body, directives, word), hopper, all);
        const auto out = m.buffer(std::vector<std::uint32_t>(256));
        m.run("k", {4, 1, 1}, {64, 1, 1}, out, m.buffer(std::vector<std::uint32_t>(1)), 0u);
        EXPECT_THAT(m.findings(), testing::IsEmpty()) << directives;
    }
}

TEST(BulkCopy, InitializesItsDestinationForChecks) {
    check_options init;
    init.init = true;
    machine m(kernel(expect(256) +
                         "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                         "[%r20], [%rd1], 256, [%r7];" +
                         await,
                     {}, word),
              hopper, init);
    m.run("k", {1, 1, 1}, {64, 1, 1}, m.buffer(std::vector<std::uint32_t>(64)),
          m.buffer(counting(64)), 64u);
    EXPECT_THAT(m.findings(), testing::IsEmpty());
}

TEST(Cluster, ReportsADeadlockAtItsBarrier) {
    const std::string body =
        "mov.u32 %r5, %cluster_ctarank; setp.ne.u32 %p2, %r5, 0; mov.u32 %r1, 0;"
        "@%p2 bra END; barrier.cluster.arrive; barrier.cluster.wait;\n"
        "bra.uni OUT;\nEND: LOOP: bra LOOP;\nOUT:";
    EXPECT_THAT(fault_of([&] { results(kernel(body, four, word), 4, 32); }),
                HasSubstr("waits for ever"));
}

TEST(Cluster, RejectsInvalidShapes) {
    EXPECT_THAT(fault_of([&] { results(kernel("mov.u32 %r1, 0;", four), 6, 1); }),
                HasSubstr("no multiple of clusters of 4x1x1"));
    const std::string rank =
        "mov.u32 %r7, buf; mov.u32 %r1, 9; mapa.shared::cluster.u32 %r1, %r7, %r1;";
    EXPECT_THAT(fault_of([&] { results(kernel(rank, four, word), 4, 1); }),
                HasSubstr("names a rank that the cluster does not have"));
    const std::string gone =
        "mov.u32 %r7, buf; mov.u32 %r5, %cluster_ctarank; mov.u32 %r1, 0; setp.ne.u32 %p1, %r5, 0;"
        "@%p1 bra END; mov.u32 %r6, 0;\n"
        "WAIT: nanosleep.u32 20; add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 200; @%p2 bra WAIT;"
        "mapa.shared::cluster.u32 %r8, %r7, 1; ld.shared::cluster.u32 %r1, [%r8];\nEND:";
    EXPECT_THAT(fault_of([&] { results(kernel(gone, four, word), 4, 32); }),
                HasSubstr("must not end while others use its shared memory"));
}

TEST(Cluster, CountsEachWaitAtItsBarrierOnce) {
    machine m(kernel("mov.u32 %r1, 1;" + cluster_sync + cluster_sync, four), hopper);
    const auto out = m.buffer(std::vector<std::uint32_t>(8 * 64));
    const execution_summary s =
        m.run("k", {8, 1, 1}, {64, 1, 1}, out, out, static_cast<std::uint32_t>(0));
    std::uint64_t waits = 0, arrivals = 0;
    for (const auto& count : s.by_opcode) {
        if (count.opcode.find("cluster.wait") != std::string::npos) waits += count.warps;
        if (count.opcode.find("cluster.arrive") != std::string::npos) arrivals += count.warps;
    }
    EXPECT_EQ(arrivals, 2u * 8 * 2);
    EXPECT_EQ(waits, arrivals);
}

TEST(Elect, ChoosesOneLaneOfItsMask) {
    const auto r = results(kernel("setp.ge.u32 %p1, %r0, 5; mov.u32 %r1, 77; @!%p1 bra END;\n"
                                  "elect.sync %r5|%p2, 0xffffffe0; selp.u32 %r6, 100, 0, %p2;"
                                  "add.u32 %r1, %r5, %r6;\nEND:"),
                           1, 32);
    EXPECT_EQ(r[4], 77u);
    EXPECT_EQ(r[5], 105u);
    EXPECT_EQ(r[6], 5u);
}

TEST(BulkCopy, CopiesBytesAndNotifiesTheMbarrier) {
    const auto in = counting(64);
    const auto r = results(
        kernel(expect(256) +
                   "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20], "
                   "[%rd1], 256, [%r7];" +
                   await,
               {}, word),
        1, 64, in);
    EXPECT_EQ(r, in);
}

TEST(BulkCopy, WritesToEveryCtaOfAMask) {
    const auto in = counting(64);
    const auto r = results(
        kernel(expect(256) +
                   "mov.u32 %r5, %cluster_ctarank; setp.eq.and.u32 %p2, %r5, 2, %p1;"
                   "mov.u16 %rs1, 15; @%p2 cp.async.bulk.shared::cluster.global.mbarrier::"
                   "complete_tx::bytes.multicast::cluster [%r20], [%rd1], 256, [%r7], %rs1;" +
                   await,
               four, word),
        4, 64, in);
    for (unsigned i = 0; i < 256; ++i) ASSERT_EQ(r[i], in[i % 64]) << i;
}

TEST(BulkCopy, AddsSharedToGlobalMemory) {
    machine m(kernel("mov.u32 %r20, buf; shl.b32 %r8, %r0, 2; add.u32 %r8, %r8, %r20;"
                     "st.shared.u32 [%r8], %r0; bar.sync 0; setp.eq.u32 %p1, %r0, 0;"
                     "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], "
                     "[%r20], 128; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
                     "mov.u32 %r1, 0;",
                     {}, word),
              hopper);
    const auto in = m.buffer(counting(32));
    m.run("k", {1, 1, 1}, {32, 1, 1}, m.buffer(std::vector<std::uint32_t>(32)), in, 32u);
    const auto sums = m.read<std::uint32_t>(in, 32);
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(sums[i], 8 * i + 1);
}

/// min or max of two 16-bit floats, computed on the host from their values.
std::uint16_t extremum_on_host(bool maximum, bool bf16, std::uint16_t a, std::uint16_t b) {
    const auto value = [bf16](std::uint16_t h) -> double {
        const unsigned mantissa_bits = bf16 ? 7 : 10, exponent_bits = bf16 ? 8 : 5;
        const unsigned mantissa = h & ((1u << mantissa_bits) - 1);
        const int all_ones = (1 << exponent_bits) - 1;
        const int exponent = (h >> mantissa_bits) & all_ones;
        const int bias = all_ones / 2;
        double v;
        if (exponent == all_ones)
            v = mantissa != 0 ? std::nan("") : HUGE_VAL;
        else if (exponent == 0)
            v = std::ldexp(mantissa, 1 - bias - static_cast<int>(mantissa_bits));
        else
            v = std::ldexp(mantissa + (1u << mantissa_bits),
                           exponent - bias - static_cast<int>(mantissa_bits));
        return (h & 0x8000) != 0 ? -v : v;
    };
    const double x = value(a), y = value(b);
    if (std::isnan(x) && std::isnan(y)) return 0x7fff;
    if (std::isnan(x)) return b;
    if (std::isnan(y)) return a;
    if (x == y) return (std::signbit(x) != 0) == maximum ? b : a;  // -0 is less than +0
    return (x < y) == maximum ? b : a;
}

/// Pairs of 16-bit floats of all classes: zeros, subnormals, numbers, infinities, NaN.
std::vector<std::pair<std::uint16_t, std::uint16_t>> pairs_of_halves(bool bf16) {
    const std::uint16_t infinity = bf16 ? 0x7f80 : 0x7c00;
    std::vector<std::uint16_t> all{0x0000,
                                   0x0001,
                                   0x0002,
                                   0x0055,
                                   bf16 ? std::uint16_t{0x3f80} : std::uint16_t{0x3c00},
                                   static_cast<std::uint16_t>(infinity - 1),
                                   infinity,
                                   static_cast<std::uint16_t>(infinity + 1)};
    for (unsigned i = 0; i < 8; ++i) all.push_back(static_cast<std::uint16_t>(all[i] | 0x8000));
    std::vector<std::pair<std::uint16_t, std::uint16_t>> pairs;
    for (const std::uint16_t a : all)
        for (const std::uint16_t b : all) pairs.emplace_back(a, b);
    return pairs;
}

/// Two 16-bit values per word.
template <class Get>
std::vector<std::uint32_t> packed(const std::vector<std::pair<std::uint16_t, std::uint16_t>>& pairs,
                                  Get get) {
    std::vector<std::uint32_t> words(pairs.size() / 2);
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = get(pairs[2 * i]) | static_cast<std::uint32_t>(get(pairs[2 * i + 1])) << 16;
    return words;
}

struct half_reduction {
    const char* name;
    bool maximum, bf16;
};
constexpr half_reduction half_reductions[] = {{"min.f16", false, false},
                                              {"max.f16", true, false},
                                              {"min.bf16", false, true},
                                              {"max.bf16", true, true}};

/// Result of a reduction of 512 bytes in global memory. @param reduce  adds [%r20] to [%rd1]
std::vector<std::uint32_t> reduced(const std::string& reduce, const std::vector<std::uint32_t>& to,
                                   const std::vector<std::uint32_t>& from,
                                   const tensor_map* map = nullptr) {
    machine m(kernel("ld.param.u64 %rd2, [from]; mov.u32 %r20, buf; shl.b32 %r8, %r0, 2;"
                     "cvt.u64.u32 %rd3, %r8; add.u64 %rd2, %rd2, %rd3; ld.global.u32 %r5, [%rd2];"
                     "add.u32 %r8, %r8, %r20; st.shared.u32 [%r8], %r5; fence.proxy.async;"
                     "bar.sync 0; setp.eq.u32 %p1, %r0, 0; mov.u32 %r1, 0; mov.u32 %r30, 0;@%p1 " +
                         reduce + "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
                     {}, ".shared .align 128 .b8 buf[1024];\n", ", .param .u64 from"),
              hopper);
    const auto data = m.buffer(to);
    auto target = data;
    if (map != nullptr) {
        tensor_map of_data = *map;
        of_data.address = data;
        std::vector<std::byte> image(128);
        of_data.encode(image.data());
        target = m.buffer(image);
    }
    m.run("k", {1, 1, 1}, {static_cast<unsigned>(from.size()), 1, 1},
          m.buffer(std::vector<std::uint32_t>(from.size())), target, 0u, m.buffer(from));
    return m.read<std::uint32_t>(data, to.size());
}

TEST(BulkCopy, TakesMinimaAndMaximaOf16BitFloats) {
    for (const half_reduction& r : half_reductions) {
        const auto pairs = pairs_of_halves(r.bf16);
        ASSERT_EQ(pairs.size(), 256u);
        const auto result = reduced(
            fmt::format("cp.reduce.async.bulk.global.shared::cta.bulk_group.{} [%rd1], [%r20], "
                        "512;",
                        r.name),
            packed(pairs, [](const auto& p) { return p.first; }),
            packed(pairs, [](const auto& p) { return p.second; }));
        EXPECT_EQ(result, packed(pairs,
                                 [&r](const auto& p) {
                                     return extremum_on_host(r.maximum, r.bf16, p.first, p.second);
                                 }))
            << r.name;
    }
}

TEST(BulkCopy, StoresIntoAnotherCtaAsynchronously) {
    const auto r = results(
        kernel(
            expect(4) +
                "mov.u32 %r5, %cluster_ctarank; xor.b32 %r6, %r5, 1; add.u32 %r9, %r5, 40;"
                "mapa.shared::cluster.u32 %r10, %r20, %r6; mapa.shared::cluster.u32 %r11, %r7, %r6;"
                "@%p1 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r10], %r9, "
                "[%r11];" +
                await + cluster_sync,
            four, word),
        4, 1);
    EXPECT_EQ(r, (std::vector<std::uint32_t>{41, 40, 43, 42}));
}

TEST(BulkCopy, RejectsSizesThatAreNoMultipleOf16) {
    EXPECT_THAT(fault_of([&] {
                    results(kernel(expect(8) +
                                       "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::"
                                       "complete_tx::bytes [%r20], [%rd1], 8, [%r7];" +
                                       await,
                                   {}, word),
                            1, 64, counting(64));
                }),
                HasSubstr("not a multiple of 16"));
}

// ---- tensors ----

/// A matrix of words with `columns` by `rows` elements.
tensor_map matrix_map(device_address a, unsigned columns, unsigned rows) {
    tensor_map m;
    m.address = a;
    m.type = tensor_map::element::u32;
    m.rank = 2;
    m.last = {columns - 1, rows - 1};
    m.strides = {columns * 4};
    m.box = {8, 4};
    m.step = {1, 1};
    return m;
}

/// Copies the box at (x, y) of a tensor to shared memory, and 32 words of it to `out`.
/// @param first  words at the start of the tensor; the others are 100 times their row plus column
std::vector<std::uint32_t> box(tensor_map map, int x, int y, unsigned bytes = 128,
                               const std::vector<std::uint32_t>& first = {}) {
    machine m(kernel(expect(bytes) + "mov.u32 %r30, " + std::to_string(x) + "; mov.u32 %r31, " +
                         std::to_string(y) +
                         "; @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
                         "complete_tx::bytes [%r20], [%rd1, {%r30, %r31}], [%r7];" +
                         await,
                     {}, ".shared .align 1024 .b8 buf[1024];\n.shared .align 8 .b64 bar;\n"),
              hopper);
    std::vector<std::uint32_t> data(16 * 16);
    for (unsigned i = 0; i < 256; ++i) data[i] = i / 16 * 100 + i % 16;
    std::copy(first.begin(), first.end(), data.begin());
    map.address = m.buffer(data);
    std::vector<std::byte> image(128);
    map.encode(image.data());
    const auto out = m.buffer(std::vector<std::uint32_t>(32, 0xdead));
    m.run("k", {1, 1, 1}, {32, 1, 1}, out, m.buffer(image), 0u);
    return m.read<std::uint32_t>(out, 32);
}

TEST(TensorCopy, CopiesABox) {
    const auto r = box(matrix_map(0, 16, 16), 5, 3);
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(r[i], (3 + i / 8) * 100 + 5 + i % 8) << i;
}

TEST(TensorCopy, FillsElementsOutsideOfTheTensor) {
    const auto r = box(matrix_map(0, 16, 16), -3, 14);
    for (unsigned i = 0; i < 32; ++i) {
        const bool inside = i % 8 >= 3 && i / 8 < 2;
        EXPECT_EQ(r[i], inside ? (14 + i / 8) * 100 + i % 8 - 3 : 0) << i;
    }
    tensor_map nan = matrix_map(0, 16, 16);
    nan.type = tensor_map::element::f32;
    nan.fills_with_nan = true;
    EXPECT_EQ(box(nan, 12, 0)[7], 0x7ff77ff7u);
    EXPECT_EQ(box(nan, 12, 0)[3], 15u);
}

TEST(TensorCopy, RoundsTf32ToNearestEven) {
    // Ties to even and to odd, a carry into the exponent, the largest float, infinity, a NaN and a
    // subnormal.
    const std::vector<std::uint32_t> floats = {0x3f801000, 0x3f803000, 0xbfffffff, 0x7f7fffff,
                                               0xff800000, 0xff800001, 0x80003001, 0x3f800fff};
    const std::vector<std::uint32_t> rounded = {0x3f800000, 0x3f804000, 0xc0000000, 0x7f800000,
                                                0xff800000, 0x7fffe000, 0x80004000, 0x3f800000};
    tensor_map m = matrix_map(0, 16, 16);
    m.type = tensor_map::element::f32;
    auto r = box(m, 0, 0, 128, floats);
    EXPECT_EQ(std::vector(r.begin(), r.begin() + 8), floats);
    for (const auto type : {tensor_map::element::tf32, tensor_map::element::tf32_ftz}) {
        m.type = type;
        r = box(m, 0, 0, 128, floats);
        EXPECT_EQ(std::vector(r.begin(), r.begin() + 8), rounded);
    }
    m.fills_with_nan = true;
    EXPECT_EQ(box(m, 12, 0)[7], 0x7ff77ff7u);
}

TEST(TensorCopy, CountsNumbersOfFourBitsInCoordinates) {
    tensor_map m = matrix_map(0, 16, 16);
    m.type = tensor_map::element::b4x16;
    m.last[0] = 16 * 8 - 1;
    m.box[0] = 64;  // 32 bytes
    const auto r = box(m, 5 * 8, 3);
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(r[i], (3 + i / 8) * 100 + 5 + i % 8) << i;
    // Two numbers are a byte; outside of the tensor they are zeros.
    const auto shifted = box(m, -2, 0);
    EXPECT_EQ(shifted[0], 0u << 8);
    EXPECT_EQ(shifted[1], 1u << 8);
    EXPECT_EQ(shifted[2], 2u << 8);
    EXPECT_THAT(fault_of([&] { box(m, 3, 0); }), HasSubstr("no multiple of 2"));
    m.last[0] = 16 * 8 - 2;
    EXPECT_THAT(m.fault(), HasSubstr("rows of 127 and boxes of 64 numbers"));
}

TEST(TensorCopy, SwizzlesChunksByTheirLine) {
    tensor_map m = matrix_map(0, 16, 16);
    m.swizzle = tensor_map::swizzle_mode::bytes_32;
    m.box = {8, 4};
    // Rows of 32 bytes: four per line of 128 bytes; the first line is not swizzled.
    const auto first = box(m, 0, 0);
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(first[i], i / 8 * 100 + i % 8) << i;
    // In a box of 1,024 bytes, the second line of 128 bytes is swizzled in units of 16 bytes.
    m.box = {8, 8};
    EXPECT_EQ(swizzled(0x90, tensor_map::swizzle_mode::bytes_32), 0x80u);
    EXPECT_EQ(swizzled(0x3a8, tensor_map::swizzle_mode::bytes_128), 0x3d8u);
    EXPECT_EQ(swizzled(0x3a8, tensor_map::swizzle_mode::bytes_64), 0x398u);
}

TEST(TensorCopy, AppliesElementStrides) {
    tensor_map m = matrix_map(0, 16, 16);
    m.box = {16, 4};
    m.step = {2, 1};
    const auto r = box(m, 1, 0);
    for (unsigned i = 0; i < 32; ++i) {
        const unsigned column = 1 + i % 8 * 2;
        EXPECT_EQ(r[i], column < 16 ? i / 8 * 100 + column : 0) << i;
    }
}

TEST(TensorCopy, StoresABoxExceptElementsOutsideOfTheTensor) {
    machine m(kernel("mov.u32 %r20, buf; shl.b32 %r8, %r0, 2; add.u32 %r8, %r8, %r20;"
                     "st.shared.u32 [%r8], %r0; bar.sync 0; setp.eq.u32 %p1, %r0, 0;"
                     "mov.u32 %r30, 12; mov.u32 %r31, 2; mov.u32 %r1, 0;"
                     "@%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
                     "[%rd1, {%r30, %r31}], [%r20];"
                     "@%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group "
                     "[%rd1, {%r30, %r31}], [%r20];",
                     {}, ".shared .align 1024 .b8 buf[1024];\n"),
              hopper);
    const auto data = m.buffer(std::vector<std::uint32_t>(256, 5));
    const tensor_map map = matrix_map(data, 16, 16);
    std::vector<std::byte> image(128);
    map.encode(image.data());
    m.run("k", {1, 1, 1}, {32, 1, 1}, m.buffer(std::vector<std::uint32_t>(32)), m.buffer(image),
          0u);
    const auto r = m.read<std::uint32_t>(data, 256);
    for (unsigned row = 0; row < 16; ++row)
        for (unsigned column = 0; column < 16; ++column) {
            const bool inside = row >= 2 && row < 6 && column >= 12;
            EXPECT_EQ(r[row * 16 + column], inside ? 2 * ((row - 2) * 8 + column - 12) : 5)
                << row << " " << column;
        }
}

TEST(TensorCopy, TakesMinimaAndMaximaOf16BitFloats) {
    for (const half_reduction& r : half_reductions) {
        const auto pairs = pairs_of_halves(r.bf16);
        tensor_map map;
        map.type = r.bf16 ? tensor_map::element::bf16 : tensor_map::element::f16;
        map.rank = 1;
        map.last = {255};
        map.box = {256};
        map.step = {1};
        const auto result =
            reduced(fmt::format("cp.reduce.async.bulk.tensor.1d.global.shared::cta.{}.bulk_group "
                                "[%rd1, {{%r30}}], [%r20];",
                                r.maximum ? "max" : "min"),
                    packed(pairs, [](const auto& p) { return p.first; }),
                    packed(pairs, [](const auto& p) { return p.second; }), &map);
        EXPECT_EQ(result, packed(pairs,
                                 [&r](const auto& p) {
                                     return extremum_on_host(r.maximum, r.bf16, p.first, p.second);
                                 }))
            << r.name;
    }
}

/// Images of 5 x 4 pixels (W, H) with 8 channels of one word, numbered consecutively.
constexpr unsigned images = 3, image_width = 5, image_height = 4, channels = 8;
unsigned element_at(unsigned c, unsigned x, unsigned y, unsigned image) {
    return ((image * image_height + y) * image_width + x) * channels + c;
}
tensor_map image_map(device_address a) {
    tensor_map m;
    m.address = a;
    m.type = tensor_map::element::u32;
    m.rank = 4;
    m.last = {channels - 1, image_width - 1, image_height - 1, images - 1};
    m.strides = {channels * 4, channels * image_width * 4,
                 channels * image_width * image_height * 4};
    m.mode = tensor_map::access_mode::im2col;
    m.box = {4};  // channels per pixel
    m.pixels = 24;
    m.step = {1, 1, 1, 1};
    m.lower_corner = {-1, -1};  // a 3 x 3 convolution that preserves the size
    m.upper_corner = {-1, -1};
    return m;
}
/// The words that a load in im2col mode copies, computed by a loop over the output pixels of a
/// convolution.
std::vector<std::uint32_t> column_of(const tensor_map& m, int c, int x, int y, int image,
                                     int offset_x, int offset_y) {
    std::vector<std::uint32_t> words;
    for (unsigned p = 0; p < m.pixels; ++p) {
        for (int i = 0; i < m.box[0]; ++i) {
            const int at_x = x + offset_x, at_y = y + offset_y;
            const bool inside = at_x >= 0 && at_x < int{image_width} && at_y >= 0 &&
                                at_y < int{image_height} && image < int{images};
            words.push_back(
                inside ? element_at(static_cast<unsigned>(c + i), static_cast<unsigned>(at_x),
                                    static_cast<unsigned>(at_y), static_cast<unsigned>(image))
                       : 0);
        }
        x += m.step[1];
        if (x < int{image_width} + m.upper_corner[0]) continue;
        x = m.lower_corner[0];
        y += m.step[2];
        if (y < int{image_height} + m.upper_corner[1]) continue;
        y = m.lower_corner[1];
        ++image;
    }
    return words;
}
/// A kernel that loads one such column and stores its 96 words.
std::string column_kernel(int c, int x, int y, int image, int offset_x, int offset_y,
                          const std::string& mode) {
    const auto move = [](unsigned r, int value) {
        return "mov.u32 %r" + std::to_string(r) + ", " + std::to_string(value) + "; ";
    };
    return kernel(expect(24 * 16) + move(30, c) + move(31, x) + move(32, y) + move(33, image) +
                      ".reg .b16 %h<2>; mov.u16 %h0, " + std::to_string(offset_x) +
                      "; mov.u16 %h1, " + std::to_string(offset_y) +
                      "; @%p1 cp.async.bulk.tensor.4d.shared::cluster.global." + mode +
                      ".mbarrier::complete_tx::bytes [%r20], [%rd1, {%r30, %r31, %r32, %r33}], "
                      "[%r7]" +
                      (mode == "tile" ? "" : ", {%h0, %h1}") + ";" + await +
                      "ld.param.u64 %rd12, [out]; mul.wide.u32 %rd13, %r0, 4;"
                      "add.u64 %rd12, %rd12, %rd13;"
                      "ld.shared.u32 %r9, [%r8+128]; st.global.u32 [%rd12+128], %r9;"
                      "ld.shared.u32 %r9, [%r8+256]; st.global.u32 [%rd12+256], %r9;",
                  {}, ".shared .align 1024 .b8 buf[1024];\n.shared .align 8 .b64 bar;\n");
}
std::vector<std::uint32_t> column(tensor_map map, int c, int x, int y, int image, int offset_x,
                                  int offset_y, const std::string& mode = "im2col") {
    machine m(column_kernel(c, x, y, image, offset_x, offset_y, mode), hopper);
    std::vector<std::uint32_t> data(std::size_t{images} * image_width * image_height * channels);
    for (unsigned i = 0; i < data.size(); ++i) data[i] = i;
    map.address = m.buffer(data);
    std::vector<std::byte> image_of_map(128);
    map.encode(image_of_map.data());
    const auto out = m.buffer(std::vector<std::uint32_t>(96, 0xdead));
    m.run("k", {1, 1, 1}, {32, 1, 1}, out, m.buffer(image_of_map), 0u);
    return m.read<std::uint32_t>(out, 96);
}

TEST(TensorCopy, CopiesPixelsOfABoundingBoxAsColumns) {
    const tensor_map m = image_map(0);
    // Starting at the upper left corner, and in the middle of a row across the end of an image;
    // offsets select the element of the filter.
    for (const int offset : {0, 1, 2}) {
        EXPECT_EQ(column(m, 0, -1, -1, 0, offset, offset),
                  column_of(m, 0, -1, -1, 0, offset, offset));
        EXPECT_EQ(column(m, 4, 1, 1, 1, 2, offset), column_of(m, 4, 1, 1, 1, 2, offset));
    }
    // Beyond the last image.
    EXPECT_EQ(column(m, 4, 2, 1, 2, 0, 1), column_of(m, 4, 2, 1, 2, 0, 1));
}

TEST(TensorCopy, StepsThroughABoundingBox) {
    tensor_map m = image_map(0);
    m.step = {1, 2, 3, 1};
    m.upper_corner = {0, -2};
    EXPECT_EQ(column(m, 0, -1, -1, 0, 1, 0), column_of(m, 0, -1, -1, 0, 1, 0));
}

TEST(TensorCopy, RejectsATensorMapOfAnotherMode) {
    const auto fault_of = [](const tensor_map& m, const char* mode) {
        try {
            column(m, 0, 0, 0, 0, 0, 0, mode);
        } catch (const execution_error& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    EXPECT_THAT(fault_of(image_map(0), "tile"), HasSubstr("im2col"));
    tensor_map tiled = image_map(0);
    tiled.mode = tensor_map::access_mode::tiled;
    tiled.box = {4, 2, 3, 4};
    EXPECT_THAT(fault_of(tiled, "im2col"), HasSubstr("tiled"));
}

TEST(TensorCopy, RejectsUnalignedAndInvalidTensorMaps) {
    const auto fault_at = [](unsigned offset, bool is_map) {
        machine m(kernel(expect(128) +
                             "mov.u32 %r30, 0; mov.u32 %r31, 0;"
                             "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
                             "complete_tx::bytes [%r20], [%rd1, {%r30, %r31}], [%r7];" +
                             await,
                         {}, ".shared .align 1024 .b8 buf[1024];\n.shared .align 8 .b64 bar;\n"),
                  hopper);
        std::vector<std::byte> bytes(256);
        if (is_map)
            matrix_map(m.buffer(std::vector<std::uint32_t>(256)), 16, 16)
                .encode(bytes.data() + offset);
        const auto map = m.buffer(bytes) + offset;
        return fault_of([&] {
            m.run("k", {1, 1, 1}, {32, 1, 1}, m.buffer(std::vector<std::uint32_t>(32)), map, 0u);
        });
    };
    EXPECT_THAT(fault_at(64, true), testing::IsEmpty());
    EXPECT_THAT(fault_at(32, true), HasSubstr("64"));
    EXPECT_THAT(fault_at(64, false), HasSubstr("the tensor map is none"));
}

TEST(Multimem, IsRejectedByName) {
    EXPECT_THAT(
        fault_of([&] { results(kernel("multimem.ld_reduce.global.add.u32 %r1, [%rd1];"), 1, 1); }),
        HasSubstr("multimem.ld_reduce.global.add.u32"));
}

TEST(TensorCopy, StoresColumnsAtTheirPlaceInTheTensor) {
    machine m(kernel("mov.u32 %r20, buf; shl.b32 %r8, %r0, 2; add.u32 %r8, %r8, %r20;"
                     "add.u32 %r9, %r0, 1000; st.shared.u32 [%r8], %r9;"
                     "add.u32 %r9, %r0, 1032; st.shared.u32 [%r8+128], %r9;"
                     "add.u32 %r9, %r0, 1064; st.shared.u32 [%r8+256], %r9;"
                     "bar.sync 0; setp.eq.u32 %p1, %r0, 0; mov.u32 %r30, 4; mov.u32 %r31, 3;"
                     "mov.u32 %r32, 2; mov.u32 %r33, 1; mov.u32 %r1, 0;"
                     "@%p1 cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group "
                     "[%rd1, {%r30, %r31, %r32, %r33}], [%r20];"
                     "@%p1 cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.im2col_no_offs."
                     "bulk_group [%rd1, {%r30, %r31, %r32, %r33}], [%r20];",
                     {}, ".shared .align 1024 .b8 buf[1024];\n"),
              hopper);
    const unsigned words = images * image_width * image_height * channels;
    const auto data = m.buffer(std::vector<std::uint32_t>(words, 5));
    tensor_map map = image_map(data);
    map.lower_corner = map.upper_corner = {};  // the whole image
    std::vector<std::byte> image(128);
    map.encode(image.data());
    m.run("k", {1, 1, 1}, {32, 1, 1}, m.buffer(std::vector<std::uint32_t>(32)), m.buffer(image),
          0u);
    std::vector<std::uint32_t> expected(words, 5);
    map.address = 0;
    const auto places = column_of(map, 4, 3, 2, 1, 0, 0);
    for (unsigned i = 0; i < places.size(); ++i)
        if (places[i] != 0) expected[places[i]] = 2 * (1000 + i);
    EXPECT_EQ(m.read<std::uint32_t>(data, words), expected);
}

TEST(TensorMap, IsChangedFieldByFieldAndCopiedOutOfSharedMemory) {
    machine m(kernel(R"(
  .shared .align 128 .b8 copy[128];
  mov.u32 %r20, copy; shl.b32 %r8, %r0, 2; add.u32 %r8, %r8, %r20;
  mul.wide.u32 %rd2, %r0, 4; add.u64 %rd2, %rd1, %rd2; ld.global.u32 %r9, [%rd2];
  st.shared.u32 [%r8], %r9; bar.sync 0; setp.eq.u32 %p1, %r0, 0;
  mov.u64 %rd3, 0x123450; mov.u32 %r10, 77; mov.u64 %rd4, 320;
  @%p1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r20], %rd3;
  @%p1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r20], 1, %r10;
  @%p1 tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r20], 0, %rd4;
  @%p1 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r20], 9;
  @%p1 tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r20], 2;
  @%p1 tensormap.replace.tile.swizzle_atomicity.shared::cta.b1024.b32 [%r20], 1;
  mov.u32 %r10, 2; mov.u32 %r11, 12; mov.u32 %r12, 3;
  @%p1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r20], %r10;
  @%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r20], 2, %r11;
  @%p1 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r20], 1, %r12;
  @%p1 tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%r20], 0;
  @%p1 tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r20], 1;
  bar.sync 0;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r20], 128;
  fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;
  mov.u32 %r1, 0;
)"),
              hopper);
    const tensor_map map = matrix_map(0x100, 16, 16);
    std::vector<std::byte> image(128);
    map.encode(image.data());
    const auto at = m.buffer(image);
    m.run("k", {1, 1, 1}, {32, 1, 1}, m.buffer(std::vector<std::uint32_t>(32)), at, 0u);
    m.memory().read(image.data(), at, image.size());
    const std::optional<tensor_map> kept = tensor_map::decode(image.data());
    ASSERT_TRUE(kept);
    const tensor_map& changed = *kept;
    EXPECT_EQ(changed.address, 0x123450u);
    EXPECT_EQ(changed.last[1], 76u);
    EXPECT_EQ(changed.last[0], 15u);
    EXPECT_EQ(changed.strides[0], 320u);
    EXPECT_EQ(changed.type, tensor_map::element::f64);
    EXPECT_EQ(changed.swizzle, tensor_map::swizzle_mode::bytes_64);
    EXPECT_EQ(changed.atomicity, tensor_map::atom::bytes_32);
    EXPECT_EQ(changed.rank, 3) << "the instruction has the rank - 1";
    EXPECT_EQ(changed.box[2], 12u);
    EXPECT_EQ(changed.box[0], 8u);
    EXPECT_EQ(changed.step[1], 3u);
    EXPECT_EQ(changed.step[0], 1u);
    EXPECT_TRUE(changed.fills_with_nan);
}

TEST(TensorMap, RejectsValuesThatAFieldCannotHave) {
    for (const char* const change :
         {"rank.global.b1024.b32 [%rd1], 5", "box_dim.global.b1024.b32 [%rd1], 0, 257",
          "box_dim.global.b1024.b32 [%rd1], 1, 0", "element_stride.global.b1024.b32 [%rd1], 0, 9",
          "interleave_layout.global.b1024.b32 [%rd1], 1", "elemtype.global.b1024.b32 [%rd1], 13"}) {
        machine m(kernel("setp.eq.u32 %p1, %r0, 0; mov.u32 %r1, 0;\n@%p1 tensormap.replace.tile." +
                         std::string(change) + ";"),
                  hopper);
        std::vector<std::byte> image(128);
        matrix_map(0x100, 16, 16).encode(image.data());
        const auto at = m.buffer(image);
        EXPECT_THAT(
            fault_of([&] {
                m.run("k", {1, 1, 1}, {32, 1, 1}, m.buffer(std::vector<std::uint32_t>(32)), at, 0u);
            }),
            HasSubstr("cannot have"))
            << change;
    }
}

/// Loads a box of a tensor of words with 1 to 5 dimensions, of which it has `words`.
/// @param first  coordinates
std::vector<std::uint32_t> load_box(const tensor_map& map, const std::vector<int>& first,
                                    const std::vector<std::uint32_t>& data, unsigned words,
                                    const std::string& mode = "tile",
                                    const std::vector<int>& offsets = {}) {
    std::string code = expect(map.has_gaps() ? static_cast<unsigned>(map.box_bytes()) : words * 4);
    std::string coordinates, filter;
    for (std::size_t d = 0; d < first.size(); ++d) {
        code += fmt::format("mov.u32 %r{}, {};", 30 + d, first[d]);
        coordinates += fmt::format("{}%r{}", d == 0 ? "" : ", ", 30 + d);
    }
    for (std::size_t d = 0; d < offsets.size(); ++d) {
        code += fmt::format("mov.u16 %rs{}, {};", d, offsets[d]);
        filter += fmt::format("{}%rs{}", d == 0 ? ", {" : ", ", d);
    }
    code += fmt::format(
        "@%p1 cp.async.bulk.tensor.{}d.shared::cluster.global.{}.mbarrier::complete_tx::bytes "
        "[%r20], [%rd1, {{{}}}], [%r7]{};",
        first.size(), mode, coordinates, filter.empty() ? "" : filter + "}");
    code += await;
    code += fmt::format(
        "ld.param.u64 %rd12, [out]; mul.wide.u32 %rd13, %r0, 4; add.u64 %rd12, %rd12, %rd13;"
        "mov.u32 %r40, {};"
        "COPY: add.u32 %r8, %r8, 128; add.u64 %rd12, %rd12, 128; sub.u32 %r40, %r40, 32;"
        "ld.shared.u32 %r41, [%r8]; st.global.u32 [%rd12], %r41; setp.gt.s32 %p4, %r40, 32;"
        "@%p4 bra COPY;",
        words);
    machine m(kernel(code, {}, ".shared .align 1024 .b8 buf[8192];\n.shared .align 8 .b64 bar;\n"),
              hopper);
    tensor_map placed = map;
    placed.address = m.buffer(data);
    std::vector<std::byte> image(128);
    placed.encode(image.data());
    const auto out = m.buffer(std::vector<std::uint32_t>(words + 32, 0xdead));
    m.run("k", {1, 1, 1}, {32, 1, 1}, out, m.buffer(image), 0u);
    return m.read<std::uint32_t>(out, words);
}

TEST(TensorCopy, CopiesBoxesOfOneToFiveDimensionsInEverySwizzle) {
    const std::vector<unsigned> sizes = {16, 5, 4, 3, 3}, boxes = {8, 4, 2, 2, 2};
    for (unsigned rank = 1; rank <= 5; ++rank)
        for (const auto swizzle :
             {tensor_map::swizzle_mode::none, tensor_map::swizzle_mode::bytes_32}) {
            tensor_map m;
            m.type = tensor_map::element::u32;
            m.rank = static_cast<std::uint8_t>(rank);
            m.swizzle = swizzle;
            unsigned elements = 1, words = 1;
            std::vector<int> first;
            for (unsigned d = 0; d < rank; ++d) {
                const unsigned size = rank == 1 ? 256 : sizes[d], box = rank == 1 ? 64 : boxes[d];
                m.last[d] = size - 1;
                m.box[d] = static_cast<std::uint16_t>(box);
                m.step[d] = 1;
                if (d > 0) m.strides[d - 1] = elements * 4;
                elements *= size;
                words *= box;
                first.push_back(d % 2 == 0 ? -1 : 2);  // partly outside
            }
            if (rank == 1 && swizzle != tensor_map::swizzle_mode::none) continue;
            std::vector<std::uint32_t> data(elements);
            for (unsigned i = 0; i < elements; ++i) data[i] = i + 1;
            const auto found = load_box(m, first, data, words);
            for (unsigned i = 0; i < words; ++i) {
                // The element of word i of the box, as the host walks it.
                unsigned rest = i, at = 0, each = 1;
                bool inside = true;
                for (unsigned d = 0; d < rank; ++d) {
                    const int c = first[d] + static_cast<int>(rest % m.box[d]);
                    rest /= m.box[d];
                    inside = inside && c >= 0 && c <= static_cast<int>(m.last[d]);
                    at += static_cast<unsigned>(c) * each;
                    each *= m.last[d] + 1;
                }
                const std::uint64_t place = swizzled(i * 4, swizzle) / 4;
                ASSERT_EQ(found[place], inside ? data[at] : 0) << rank << "D, word " << i;
            }
        }
}

TEST(TensorCopy, SwizzlesRowsOf64And128Bytes) {
    std::vector<std::uint32_t> data(32 * 16);
    for (unsigned i = 0; i < data.size(); ++i) data[i] = i + 1;
    for (const auto& [swizzle, columns] :
         std::vector<std::pair<tensor_map::swizzle_mode, unsigned>>{
             {tensor_map::swizzle_mode::bytes_64, 16}, {tensor_map::swizzle_mode::bytes_128, 32}}) {
        tensor_map m = matrix_map(0, 32, 16);
        m.swizzle = swizzle;
        m.box = {static_cast<std::uint16_t>(columns), 16};
        const auto found = load_box(m, {0, 0}, data, columns * 16);
        for (unsigned row = 0; row < 16; ++row)
            for (unsigned column = 0; column < columns; ++column) {
                // The PTX manual's figures: 16-byte chunk c of the 128-byte line n lies at c xor n
                // (modulo 4 or 8).
                const unsigned byte = (row * columns + column) * 4, line = byte / 128;
                const unsigned chunk = byte % 128 / 16, modulus = columns == 16 ? 4 : 8;
                const unsigned word = line * 32 + (chunk ^ line % modulus) * 4 + column % 4;
                ASSERT_EQ(found[word], data[row * 32 + column]) << row << " " << column;
            }
    }
}

TEST(TensorCopy, SwizzlesChunksOf32And64BytesInRowsOf128) {
    // The PTX manual's figures: which 16 bytes of a row are at each place of the first four lines.
    const char* const wide[] = {"01234567", "23016745", "45670123", "67452301"};
    const char* const wider[] = {"01234567", "45670123", "01234567", "45670123"};
    using atom = tensor_map::atom;
    std::vector<std::uint32_t> data(32 * 16);
    for (unsigned i = 0; i < data.size(); ++i) data[i] = i + 1;
    for (const atom atomicity : {atom::bytes_32, atom::bytes_32_flip_8, atom::bytes_64}) {
        tensor_map m = matrix_map(0, 32, 16);
        m.swizzle = tensor_map::swizzle_mode::bytes_128;
        m.atomicity = atomicity;
        m.box = {32, 16};
        const auto found = load_box(m, {0, 0}, data, 32 * 16);
        for (unsigned row = 0; row < 16; ++row)
            for (unsigned word = 0; word < 32; ++word) {
                const char* const line = (atomicity == atom::bytes_64 ? wider : wide)[row % 4];
                const bool flips = atomicity == atom::bytes_32_flip_8 && row % 2 == 1;
                const unsigned cell = static_cast<unsigned>(line[word / 4] - '0');
                const unsigned column = cell * 4 + (flips ? (word + 2) % 4 : word % 4);
                ASSERT_EQ(found[row * 32 + word], data[row * 32 + column])
                    << static_cast<int>(atomicity) << ", " << row << " " << word;
            }
    }
}

TEST(TensorCopy, StoresRowsOfChunksOf64Bytes) {
    const auto store = [](tensor_map::atom atomicity) {
        machine m(kernel("mov.u32 %r20, buf; shl.b32 %r8, %r0, 2; add.u32 %r8, %r8, %r20;"
                         "add.u32 %r9, %r0, 1000; st.shared.u32 [%r8], %r9;"
                         "add.u32 %r9, %r0, 1032; st.shared.u32 [%r8+128], %r9;"
                         "bar.sync 0; setp.eq.u32 %p1, %r0, 0; mov.u32 %r30, 0; mov.u32 %r1, 0;"
                         "@%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
                         "[%rd1, {%r30, %r30}], [%r20];",
                         {}, ".shared .align 1024 .b8 buf[1024];\n"),
                  hopper);
        const auto data = m.buffer(std::vector<std::uint32_t>(64));
        tensor_map map = matrix_map(data, 32, 2);
        map.swizzle = tensor_map::swizzle_mode::bytes_128;
        map.atomicity = atomicity;
        map.box = {32, 2};
        std::vector<std::byte> image(128);
        map.encode(image.data());
        m.run("k", {1, 1, 1}, {32, 1, 1}, m.buffer(std::vector<std::uint32_t>(32)), m.buffer(image),
              0u);
        return m.read<std::uint32_t>(data, 64);
    };
    const auto found = store(tensor_map::atom::bytes_64);
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(found[i], 1000 + (i < 32 ? i : i ^ 16)) << i;
    EXPECT_THAT(fault_of([&] { store(tensor_map::atom::bytes_32_flip_8); }),
                HasSubstr("only for copies to shared memory"));
}

TEST(TensorCopy, LeavesGapsAfterSixteenNumbersOfFourOrSixBits) {
    for (const auto& [type, bytes] : {std::pair{tensor_map::element::b4x16_p64, 8u},
                                      std::pair{tensor_map::element::b6x16_p32, 12u}}) {
        // Four rows of 64 numbers; boxes of two rows of 32, from the second group of the second
        // row.
        const unsigned row_words = 4 * bytes / 4;
        std::vector<std::uint32_t> data(std::size_t{4} * row_words);
        for (unsigned i = 0; i < data.size(); ++i) data[i] = 0x01010101 * (i + 1);
        tensor_map m;
        m.type = type;
        m.rank = 2;
        m.last = {63, 3};
        m.strides[0] = 4 * bytes;
        m.box = {32, 2};
        m.step = {1, 1};
        ASSERT_EQ(m.fault(), "");
        EXPECT_EQ(m.box_bytes(), 4 * bytes) << "the mbarrier counts no gaps";
        const auto found = load_box(m, {16, 1}, data, 16);
        for (unsigned row = 0; row < 2; ++row)
            for (unsigned group = 0; group < 2; ++group)
                for (unsigned word = 0; word < bytes / 4; ++word)
                    EXPECT_EQ(found[row * 8 + group * 4 + word],
                              data[(row + 1) * row_words + (group + 1) * bytes / 4 + word])
                        << bytes << " bytes, row " << row << ", group " << group;
        m.last[0] = 62;
        EXPECT_THAT(m.fault(), testing::HasSubstr("no multiples of 16"));
    }
}

TEST(TensorMap, HasLargeChunksOnlyInRowsOf128Bytes) {
    tensor_map m = matrix_map(0, 32, 16);
    m.box = {8, 16};
    m.atomicity = tensor_map::atom::bytes_32;
    m.swizzle = tensor_map::swizzle_mode::bytes_128;
    std::vector<std::byte> image(tensor_map::bytes);
    m.encode(image.data());
    EXPECT_EQ(image[10], std::byte{0x08}) << "bit 19 of the word at 8, as ptxas compiles "
                                             "tensormap.replace";
    EXPECT_EQ(tensor_map::decode(image.data())->atomicity, tensor_map::atom::bytes_32);
    EXPECT_EQ(m.fault(), "");
    m.swizzle = tensor_map::swizzle_mode::bytes_64;
    EXPECT_THAT(m.fault(), testing::HasSubstr("rows of less than 128 bytes"));
    m.swizzle = tensor_map::swizzle_mode::bytes_128;
    m.atomicity = static_cast<tensor_map::atom>(4);
    EXPECT_THAT(m.fault(), testing::HasSubstr("atomicity 4"));
    m.atomicity = tensor_map::atom::bytes_32_flip_8;
    EXPECT_EQ(m.fault(), "");
    m.type = tensor_map::element::b6x16_p32;
    m.box[0] = 128;
    m.last[0] = 127;
    EXPECT_THAT(m.fault(), testing::HasSubstr("exchanges halves"));
    m.atomicity = tensor_map::atom::bytes_64;
    EXPECT_EQ(m.fault(), "");
    m.type = tensor_map::element::b4x16_p64;
    EXPECT_THAT(m.fault(), testing::HasSubstr("numbers of four bits with gaps"));
}

TEST(TensorCopy, CopiesColumnsOfThreeAndFiveDimensions) {
    for (const unsigned rank : {3u, 5u}) {
        const std::vector<int> sizes =
            rank == 3 ? std::vector<int>{8, 9, 3} : std::vector<int>{8, 5, 4, 3, 2};
        const unsigned spatial = rank - 2;
        tensor_map m;
        m.type = tensor_map::element::u32;
        m.rank = static_cast<std::uint8_t>(rank);
        m.mode = tensor_map::access_mode::im2col;
        m.box = {4};
        m.pixels = 16;
        std::uint64_t elements = 1;
        for (unsigned d = 0; d < rank; ++d) {
            m.last[d] = static_cast<std::uint32_t>(sizes[d] - 1);
            m.step[d] = 1;
            if (d > 0) m.strides[d - 1] = elements * 4;
            elements *= static_cast<std::uint64_t>(sizes[d]);
        }
        for (unsigned d = 0; d < spatial; ++d) m.lower_corner[d] = m.upper_corner[d] = -1;
        std::vector<std::uint32_t> data(elements);
        for (unsigned i = 0; i < elements; ++i) data[i] = i + 1;
        std::vector<int> at(rank, -1);
        at[0] = 4;
        at[1] = 1;
        at[rank - 1] = 0;
        const std::vector<int> offsets(spatial, 2);
        const auto found = load_box(m, at, data, 64, "im2col", offsets);
        std::vector<int> pixel = at;
        for (unsigned p = 0; p < m.pixels; ++p) {
            for (unsigned c = 0; c < 4; ++c) {
                std::uint64_t place = static_cast<std::uint64_t>(at[0]) + c, each = 8;
                bool inside = true;
                for (unsigned d = 1; d < rank; ++d) {
                    const int x = pixel[d] + (d <= spatial ? offsets[d - 1] : 0);
                    inside = inside && x >= 0 && x < sizes[d];
                    place += static_cast<std::uint64_t>(x) * each;
                    each *= static_cast<std::uint64_t>(sizes[d]);
                }
                ASSERT_EQ(found[p * 4 + c], inside ? data[place] : 0)
                    << rank << "D, pixel " << p << ", channel " << c;
            }
            for (unsigned d = 1; d < rank; ++d) {
                if (++pixel[d] < (d <= spatial ? sizes[d] + m.upper_corner[d - 1] : sizes[d]))
                    break;
                if (d > spatial) break;
                pixel[d] = m.lower_corner[d - 1];
            }
        }
    }
}

/// Three images of nine pixels with 16 channels of one word.
tensor_map row_map(tensor_map::access_mode mode) {
    tensor_map m;
    m.type = tensor_map::element::u32;
    m.rank = 3;
    m.mode = mode;
    m.swizzle = tensor_map::swizzle_mode::bytes_64;
    m.last = {15, 8, 2};
    m.strides = {64, 576};
    m.box = {16};
    m.step = {1, 1, 1};
    m.pixels = 10;
    m.lower_corner = {-1};
    m.upper_corner = {-2};
    return m;
}
std::vector<std::uint32_t> numbers(unsigned count) {
    std::vector<std::uint32_t> data(count);
    for (unsigned i = 0; i < count; ++i) data[i] = i + 1;
    return data;
}

TEST(TensorCopy, CopiesPixelsOfARowWithAHalo) {
    const auto data = numbers(27 * 16);
    const int halo = 3, offset = 2;
    const auto found = load_box(row_map(tensor_map::access_mode::im2col_w), {0, -3, 0}, data,
                                (10 + halo) * 16, "im2col::w", {halo, offset});
    // From -3, left of the bounding box, which ends before 7, then from -1 in the next image.
    for (unsigned p = 0; p < 10 + halo; ++p) {
        const int x = (p < 10 ? static_cast<int>(p) - 3 : static_cast<int>(p) - 11) + offset;
        for (unsigned c = 0; c < 16; ++c) {
            const unsigned word = p * 16 + c, place = word ^ word / 32 % 4 * 4;
            const int pixel = p < 10 ? x : 9 + x;
            ASSERT_EQ(found[place], x < 0 ? 0 : data[static_cast<unsigned>(pixel) * 16 + c])
                << p << " " << c;
        }
    }
}

TEST(TensorCopy, InterleavesTheHalosOfThirtyTwoPixels) {
    tensor_map m = row_map(tensor_map::access_mode::im2col_w_128);
    m.box = {4};
    m.pixels = 0;
    m.last = {15, 199, 2};  // one row is long enough
    m.strides = {64, 12800};
    m.upper_corner = {0};
    const auto data = numbers(200 * 16);
    const auto found = load_box(m, {4, 7, 0}, data, (128 + 4 * 2) * 4, "im2col::w::128", {2, 1});
    std::vector<unsigned> pixels;
    for (unsigned p = 0; p < 128; ++p) pixels.push_back(p);
    pixels.insert(pixels.end(), {32, 64, 96, 128, 33, 65, 97, 129});
    for (unsigned i = 0; i < pixels.size(); ++i)
        for (unsigned c = 0; c < 4; ++c) {
            const unsigned word = i * 4 + c, place = word ^ word / 32 % 4 * 4;
            ASSERT_EQ(found[place], data[(7 + 1 + pixels[i]) * 16 + 4 + c]) << i << " " << c;
        }
}

TEST(TensorCopy, LeavesGapsInPixelsOfFourOrSixBits) {
    for (const auto& [type, words] : {std::pair{tensor_map::element::b4x16_p64, 2u},
                                      std::pair{tensor_map::element::b6x16_p32, 3u}})
        for (const auto& [mode, name] :
             {std::pair{tensor_map::access_mode::im2col, "im2col"},
              std::pair{tensor_map::access_mode::im2col_w, "im2col::w"}}) {
            // Two images of four pixels with 128 channels: eight groups of 16 numbers.
            tensor_map m = row_map(mode);
            m.type = type;
            m.swizzle = tensor_map::swizzle_mode::bytes_128;
            m.last = {127, 3, 1};
            m.strides = {32 * words, 128 * words};
            m.box = {128};
            m.pixels = 3;
            m.lower_corner = {1};
            m.upper_corner = {0};
            const auto data = numbers(8 * 8 * words);
            const std::size_t operands = mode == tensor_map::access_mode::im2col ? 1 : 2;
            const auto found =
                load_box(m, {0, 3, 0}, data, 96, name, std::vector<int>(operands, 0));
            const unsigned pixels[] = {3, 5, 6};
            for (unsigned p = 0; p < 3; ++p)
                for (unsigned group = 0; group < 8; ++group)
                    for (unsigned word = 0; word < words; ++word)
                        ASSERT_EQ(found[p * 32 + (group ^ p) * 4 + word],
                                  data[(pixels[p] * 8 + group) * words + word])
                            << name << ", " << words << " words, pixel " << p;
        }
}

TEST(TensorCopy, RejectsHalosThatAreTooLargeAndOtherModes) {
    using mode = tensor_map::access_mode;
    const auto fault = [](mode of_map, const std::string& name, int halo, int offset) {
        return fault_of([&] {
            load_box(row_map(of_map), {0, 0, 0}, numbers(27 * 16), 64, name, {halo, offset});
        });
    };
    EXPECT_THAT(fault(mode::im2col_w, "im2col::w", 512, 0), HasSubstr("a halo of 512 pixels"));
    EXPECT_THAT(fault(mode::im2col_w_128, "im2col::w::128", 32, 0), HasSubstr("a halo of 32"));
    EXPECT_THAT(fault(mode::im2col_w, "im2col::w", 0, 32), HasSubstr("an offset of 32"));
    EXPECT_THAT(fault(mode::im2col_w, "im2col::w::128", 0, 0), HasSubstr("im2col::w mode"));
    EXPECT_THAT(fault(mode::im2col_w_128, "im2col::w", 0, 0), HasSubstr("im2col::w::128 mode"));
}

TEST(TensorMap, OfAWideModeHasOneDimensionOfCornersAndASwizzle) {
    tensor_map m = row_map(tensor_map::access_mode::im2col_w_128);
    m.rank = 5;
    m.last = {15, 8, 2, 1, 1};
    m.strides = {64, 576, 1728, 3456};
    m.step = {1, 1, 1, 1, 1};
    m.pixels = 0;  // without meaning
    EXPECT_EQ(m.fault(), "");
    EXPECT_EQ(m.box_bytes(), 128u * 64);
    std::byte image[tensor_map::bytes];
    m.encode(image);
    EXPECT_EQ(tensor_map::decode(image)->mode, tensor_map::access_mode::im2col_w_128);
    m.lower_corner = {-32768, 0, 500};
    EXPECT_EQ(m.fault(), "");
    m.mode = tensor_map::access_mode::im2col_w;
    EXPECT_THAT(m.fault(), HasSubstr("0 pixels per column"));
    m.pixels = 10;
    m.upper_corner = {-12};
    m.lower_corner = {-2};
    EXPECT_THAT(m.fault(), HasSubstr("without pixels"));
    m.upper_corner = {0};
    m.swizzle = tensor_map::swizzle_mode::none;
    EXPECT_THAT(m.fault(), HasSubstr("im2col::w mode without a swizzle"));
    m.swizzle = tensor_map::swizzle_mode::bytes_128;
    m.atomicity = tensor_map::atom::bytes_32_flip_8;
    EXPECT_THAT(m.fault(), HasSubstr("exchanges halves"));
}

TEST(Mbarrier, CountsArrivalsAndTransferredBytes) {
    // One thread; each step leaves a bit of %r1: whether a phase is complete.
    const auto r = results(kernel(R"(
  mov.u32 %r7, bar; mov.u32 %r1, 0; mov.u32 %r5, 3;
  mbarrier.init.shared.b64 [%r7], 4;
  mbarrier.arrive.shared.b64 %rd2, [%r7], 2;
  mbarrier.pending_count.b64 %r6, %rd2;                            // before it: 4
  shl.b32 %r6, %r6, 16; or.b32 %r1, %r1, %r6;
  mbarrier.arrive.noComplete.shared.b64 %rd3, [%r7], 1;
  mbarrier.test_wait.shared.b64 %p1, [%r7], %rd2; selp.u32 %r6, 1, 0, %p1; or.b32 %r1, %r1, %r6;
  mbarrier.arrive_drop.shared.b64 %rd3, [%r7];                     // the fourth; three are expected
  mbarrier.test_wait.shared.b64 %p1, [%r7], %rd2; selp.u32 %r6, 2, 0, %p1; or.b32 %r1, %r1, %r6;
  mbarrier.expect_tx.relaxed.cta.shared.b64 [%r7], 48;
  mbarrier.arrive.expect_tx.shared.b64 %rd4, [%r7], 16;
  mbarrier.arrive.shared.b64 %rd3, [%r7], 2;
  mbarrier.test_wait.parity.shared.b64 %p1, [%r7], 1; selp.u32 %r6, 4, 0, %p1; or.b32 %r1, %r1, %r6;
  mbarrier.complete_tx.relaxed.cta.shared.b64 [%r7], 32;
  mbarrier.try_wait.parity.shared.b64 %p1, [%r7], 1, 1000; selp.u32 %r6, 8, 0, %p1; or.b32 %r1, %r1, %r6;
  mbarrier.complete_tx.relaxed.cta.shared.b64 [%r7], 32;
  mbarrier.try_wait.shared.b64 %p1, [%r7], %rd4, 1000; selp.u32 %r6, 16, 0, %p1; or.b32 %r1, %r1, %r6;
  mbarrier.test_wait.parity.shared.b64 %p1, [%r7], 0; selp.u32 %r6, 32, 0, %p1; or.b32 %r1, %r1, %r6;
  mbarrier.inval.shared.b64 [%r7];
)",
                                  {}, word),
                           1, 1);
    EXPECT_EQ(r[0] >> 16, 4u) << "pending_count";
    EXPECT_EQ(r[0] & 1, 0u) << "one of four arrivals is to come";
    EXPECT_EQ(r[0] & 2, 2u) << "the first phase is complete";
    EXPECT_EQ(r[0] & 4, 0u) << "64 bytes are to come";
    EXPECT_EQ(r[0] & 8, 0u) << "32 bytes are to come; the wait has a time limit";
    EXPECT_EQ(r[0] & 16, 16u) << "the second phase is complete";
    EXPECT_EQ(r[0] & 32, 0u) << "the third phase is not";
}

TEST(TensorMap, IsTheSameWhenReadBackFromMemory) {
    tensor_map m = matrix_map(0x123456789ab0, 16, 16);
    m.rank = 5;
    m.type = tensor_map::element::bf16;
    m.swizzle = tensor_map::swizzle_mode::bytes_32;
    m.fills_with_nan = true;
    m.last = {0xffffffff, 1, 2, 3, 4};
    m.strides = {0xfffffffff0, 0x10, 0x8000000000, 0x120};
    m.box = {256, 1, 2, 3, 4};
    m.step = {1, 2, 8, 4, 5};
    std::byte image[tensor_map::bytes];
    m.encode(image);
    const std::optional<tensor_map> same = tensor_map::decode(image);
    ASSERT_TRUE(same);
    EXPECT_EQ(same->address, m.address);
    EXPECT_EQ(same->rank, m.rank);
    EXPECT_EQ(same->type, m.type);
    EXPECT_EQ(same->swizzle, m.swizzle);
    EXPECT_TRUE(same->fills_with_nan);
    EXPECT_EQ(same->last, m.last);
    EXPECT_EQ(same->strides, m.strides);
    EXPECT_EQ(same->box, m.box);
    EXPECT_EQ(same->step, m.step);
    EXPECT_EQ(same->mode, tensor_map::access_mode::tiled);

    tensor_map columns = image_map(0x100);
    columns.lower_corner = {-128, 7};
    columns.upper_corner = {127, -8};
    columns.pixels = 1024;
    columns.encode(image);
    const std::optional<tensor_map> same_columns = tensor_map::decode(image);
    ASSERT_TRUE(same_columns);
    EXPECT_EQ(same_columns->mode, tensor_map::access_mode::im2col);
    EXPECT_EQ(same_columns->lower_corner, columns.lower_corner);
    EXPECT_EQ(same_columns->upper_corner, columns.upper_corner);
    EXPECT_EQ(same_columns->pixels, 1024u);
    EXPECT_EQ(same_columns->box_bytes(), 1024u * 16);
}

TEST(TensorMap, ReportsWhatTheDriverRejects) {
    tensor_map m = matrix_map(0x100, 16, 16);
    EXPECT_EQ(m.fault(), "");
    m.address = 0x108;
    EXPECT_THAT(m.fault(), HasSubstr("not a multiple of 16"));
    m = matrix_map(0x100, 16, 16);
    m.strides = {60};
    EXPECT_THAT(m.fault(), HasSubstr("stride 60"));
    m = matrix_map(0x100, 16, 16);
    m.box = {300, 4};
    EXPECT_THAT(m.fault(), HasSubstr("300 elements"));
    m.box = {16, 4};
    m.swizzle = tensor_map::swizzle_mode::bytes_32;
    EXPECT_THAT(m.fault(), HasSubstr("the swizzle takes at most 32"));
    m.swizzle = tensor_map::swizzle_mode::none;
    m.fills_with_nan = true;
    EXPECT_THAT(m.fault(), HasSubstr("NaN"));

    tensor_map columns = image_map(0x100);
    EXPECT_EQ(columns.fault(), "");
    columns.lower_corner = {-129, 0};  // eight bits for each of two corners
    EXPECT_THAT(columns.fault(), HasSubstr("-128 to 127"));
    columns = image_map(0x100);
    columns.pixels = 1025;
    EXPECT_THAT(columns.fault(), HasSubstr("1025 pixels"));
    columns = image_map(0x100);
    columns.rank = 2;
    EXPECT_THAT(columns.fault(), HasSubstr("im2col"));
}

}  // namespace
}  // namespace simtlm::execution
