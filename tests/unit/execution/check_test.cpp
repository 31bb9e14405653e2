// SPDX-License-Identifier: Apache-2.0
// What --check finds, and that it reports nothing for correct programs.
#include "tests/unit/execution/machine.h"

#include <gmock/gmock.h>

namespace simtlm::execution {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string sm70 = ".version 7.0\n.target sm_70\n.address_size 64\n";
const std::string sm60 = ".version 5.0\n.target sm_60\n.address_size 64\n";

/// A kernel k(out) with a shared array of 1024 bytes; %r1 = 4 %tid.x is an offset in it.
std::string kernel(const std::string& body) {
    return ".shared .align 4 .b8 tile[1024];\n"
           ".visible .entry k(.param .u64 out)\n{\n"
           ".local .align 8 .b8 mine[64];\n"
           ".reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<32>; .reg .f32 %f<8>; .reg .b64 "
           "%rd<16>;\n"
           "mov.u32 %r0, %tid.x; shl.b32 %r2, %r0, 2; mov.u32 %r1, tile; add.u32 %r1, %r1, %r2;\n"
           "ld.param.u64 %rd0, [out]; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1;\n" +
           body + "\nret;\n}\n";
}

/// Findings of a launch with 1024 bytes of uninitialised output.
std::vector<std::string> found(const char* checks, const std::string& body, unsigned threads = 64,
                               const std::string& head = sm70, unsigned blocks = 1) {
    machine m(kernel(body), head, parse_checks(checks));
    m.run("k", {blocks, 1, 1}, {threads, 1, 1}, m.allocate(1024));
    return m.findings();
}

TEST(CheckOptions, NameChecksOrAllOfThem) {
    EXPECT_TRUE(parse_checks("races,init").races);
    EXPECT_TRUE(parse_checks("races,init").init);
    EXPECT_FALSE(parse_checks("races,init").memory);
    EXPECT_TRUE(parse_checks("all").memory);
    EXPECT_FALSE(parse_checks("").any());
    EXPECT_THAT(fault_of([] { parse_checks("init,leaks"); }), HasSubstr("'leaks' is not a check"));
}

// ---- races ----

TEST(CheckRaces, FindsAReadAfterAWriteWithoutABarrier) {
    const auto f = found("races",
                         "st.shared.u32 [%r1], %r0; xor.b32 %r3, %r2, 128; mov.u32 %r4, tile;\n"
                         "add.u32 %r4, %r4, %r3; ld.shared.u32 %r5, [%r4];");
    // The first warp runs first: the second writes what it has read, and reads what it has written.
    ASSERT_EQ(f.size(), 2u);
    EXPECT_THAT(f[0], AllOf(HasSubstr("test.ptx:11: "), HasSubstr("this write and the read of")));
    EXPECT_THAT(f[1], AllOf(HasSubstr("test.ptx:12: kernel k, block (0,0,0), thread (32,0,0)"),
                            HasSubstr("race in shared memory at 0x0 (tile+0)"),
                            HasSubstr("this read and the write of thread (0,0,0) at test.ptx:11"),
                            HasSubstr("[ld.shared.u32"), HasSubstr("31 more threads do")));
}

TEST(CheckRaces, AcceptsAccessesSeparatedByABarrier) {
    EXPECT_THAT(found("races",
                      "st.shared.u32 [%r1], %r0; bar.sync 0; xor.b32 %r3, %r2, 128;\n"
                      "mov.u32 %r4, tile; add.u32 %r4, %r4, %r3; ld.shared.u32 %r5, [%r4];\n"
                      "bar.sync 0; st.shared.u32 [%r1], %r5;",
                      64, sm70, 4),
                IsEmpty());
}

TEST(CheckRaces, FindsAWriteAfterReadsOfSeveralWarpsWithoutABarrier) {
    EXPECT_THAT(
        found("races",
              "ld.shared.u32 %r5, [tile]; setp.eq.u32 %p1, %r0, 127;\n"
              "@%p1 st.shared.u32 [tile], %r5;",
              128),
        ElementsAre(AllOf(HasSubstr("thread (127,0,0)"), HasSubstr("this write and the read of"))));
}

/// Reads without writes are recorded until a write occurs; also vectors, and more reads than are
/// recorded.
TEST(CheckRaces, FindsAWriteAfterManyReads) {
    const std::string many =
        "mov.u32 %r9, 0;\nLOOP: and.b32 %r8, %r2, 1008; mov.u32 %r4, tile; add.u32 %r4, %r4, %r8;\n"
        "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r4]; add.u32 %r9, %r9, 1;\n"
        "setp.lt.u32 %p1, %r9, COUNT; @%p1 bra LOOP;\nSYNC st.shared.u32 [%r1], %r0;";
    const auto with = [&](const char* count, const char* sync) {
        std::string text = many;
        text.replace(text.find("COUNT"), 5, count);
        return text.replace(text.find("SYNC"), 4, sync);
    };
    const auto few = found("races", with("3", ""));
    ASSERT_EQ(few.size(), 1u);
    EXPECT_THAT(few[0], AllOf(HasSubstr("test.ptx:15: kernel k, block (0,0,0), thread (0,0,0)"),
                              HasSubstr("this write and the read of"), HasSubstr("63 more")));
    EXPECT_EQ(found("races", with("5000", "")), few);
    EXPECT_THAT(found("races", with("5000", "bar.sync 0;")), IsEmpty());
    EXPECT_THAT(found("init,races", with("3", "bar.sync 0;")),
                ElementsAre(HasSubstr("that nothing has written")));
}

TEST(CheckInit, AcceptsFullyWrittenSharedMemory) {
    const std::string all = "bar.sync 0; st.shared.u32 [%r1], %r0; bar.sync 0;\n";
    const std::string read = "ld.shared.u32 %r4, [tile+1020];";
    EXPECT_THAT(found("init", all + read, 256), IsEmpty());
    EXPECT_THAT(found("init", all + read, 224), testing::SizeIs(1));
    // The next block finds uninitialised memory.
    EXPECT_THAT(found("init", read + all + read, 256, sm70, 2), testing::SizeIs(1));
}

TEST(CheckRaces, FindsTwoWritesOfDifferentWarps) {
    EXPECT_THAT(found("races", "st.shared.u32 [tile+8], %r0;"),
                testing::Contains(AllOf(HasSubstr("race in shared memory at 0x8 (tile+8)"),
                                        HasSubstr("this write and the write of"))));
}

TEST(CheckRaces, FindsLanesThatWriteDifferentValuesToOneAddress) {
    EXPECT_THAT(found("races", "st.shared.u32 [tile], %r0;", 32),
                ElementsAre(HasSubstr("writes another value there with the same instruction")));
    EXPECT_THAT(found("races", "mov.u32 %r3, 7; st.shared.u32 [tile], %r3;", 32), IsEmpty());
}

TEST(CheckRaces, ChecksBytesIndividuallyIfTheProgramAccessesBytes) {
    const std::string bytes =
        "mov.u32 %r3, tile; add.u32 %r3, %r3, %r0; cvt.u16.u32 %h0, %r0; st.shared.u8 [%r3], %h0;";
    EXPECT_THAT(found("races", bytes), IsEmpty());
    EXPECT_THAT(found("races", bytes + "st.shared.u8 [%r3+1], %h0;"),
                testing::Contains(HasSubstr("race in shared memory at 0x20")));
}

const char* const neighbours =  // each lane reads what the next one has written
    "st.shared.u32 [%r1], %r0; SYNC\nand.b32 %r3, %r0, 32; add.u32 %r4, %r0, 1;\n"
    "and.b32 %r4, %r4, 31; or.b32 %r4, %r4, %r3; shl.b32 %r4, %r4, 2; mov.u32 %r5, tile;\n"
    "add.u32 %r5, %r5, %r4; ld.shared.u32 %r6, [%r5];";
std::string neighbours_with(const std::string& sync) {
    std::string text = neighbours;
    return text.replace(text.find("SYNC"), 4, sync);
}

TEST(CheckRaces, RequiresAWarpBarrierBetweenLanesFromSm70On) {
    EXPECT_THAT(found("races", neighbours_with("")),
                ElementsAre(HasSubstr("this read and the write of thread (1,0,0)")));
    EXPECT_THAT(found("races", neighbours_with("bar.warp.sync -1;")), IsEmpty());
    EXPECT_THAT(found("races", neighbours_with(""), 64, sm60), IsEmpty());
}

TEST(CheckRaces, RequiresAWarpBarrierBetweenVolatileAccessesOfLanes) {
    const auto volatile_neighbours = [](const std::string& between) {
        return "st.volatile.shared.u32 [%r1], %r0; " + between +
               " xor.b32 %r3, %r2, 4; mov.u32 %r4, tile; add.u32 %r4, %r4, %r3;"
               " ld.volatile.shared.u32 %r5, [%r4];";
    };
    EXPECT_THAT(found("races", volatile_neighbours("")),
                ElementsAre(HasSubstr("this read and the write of thread (1,0,0)")));
    EXPECT_THAT(found("races", volatile_neighbours("bar.warp.sync -1;")), IsEmpty());
    EXPECT_THAT(found("races", volatile_neighbours(""), 64, sm60), IsEmpty()) << "lanes in step";
}

TEST(CheckRaces, AcceptsSynchronizationThroughVolatileWords) {
    // All lanes read a word, then one lane of each warp writes it.
    const std::string flag =
        "ld.volatile.shared.u32 %r3, [tile]; bar.warp.sync -1;"
        "and.b32 %r4, %r0, 31; setp.ne.u32 %p1, %r4, 0; @%p1 bra END;"
        "st.volatile.shared.u32 [tile], %r0; END:";
    EXPECT_THAT(found("races", flag), IsEmpty());
}

TEST(CheckRaces, ReportsASourceLineOnce) {
    // Two reads and a write of one line of CUDA source, and a read of another.
    const std::string body =
        ".loc 1 7 0\n st.shared.u32 [%r1], %r0;\n xor.b32 %r3, %r2, 4; mov.u32 %r4, tile;\n"
        "add.u32 %r4, %r4, %r3;\n .loc 1 8 0\n ld.shared.u32 %r5, [%r4];\n"
        "ld.shared.u32 %r6, [%r4];\n .loc 1 9 0\n ld.shared.u32 %r7, [%r4];";
    const auto f = found("races", body, 32, sm70 + ".file 1 \"reduce.cu\"\n");
    EXPECT_THAT(f, ElementsAre(HasSubstr("(reduce.cu:8): kernel k"), HasSubstr("(reduce.cu:9)")));
}

TEST(CheckRaces, AcceptsConcurrentAtomicsButNotWithPlainAccesses) {
    EXPECT_THAT(found("races", "atom.shared.add.u32 %r3, [tile], 1;"), IsEmpty());
    EXPECT_THAT(found("races", "atom.shared.add.u32 %r3, [tile], 1; ld.shared.u32 %r4, [tile];"),
                testing::Contains(HasSubstr("this read and the write of")));
    EXPECT_THAT(
        found("races", "atom.shared.add.u32 %r3, [tile], 1; ld.volatile.shared.u32 %r4, [tile];"),
        IsEmpty());
}

/// Warp 0 writes, warp 1 reads; with or without a named barrier between them.
std::string producer(const std::string& arrive, const std::string& wait) {
    return "setp.ge.u32 %p4, %r0, 64; @%p4 bra END; setp.ge.u32 %p1, %r0, 32; @%p1 bra CONSUMER;\n"
           "st.shared.u32 [%r1], %r0; " +
           arrive + " bra END;\nCONSUMER: " + wait + " ld.shared.u32 %r4, [%r1+-128];\nEND:";
}

TEST(CheckRaces, FollowsBarriersOfSomeWarps) {
    EXPECT_THAT(found("races", producer("bar.arrive 1, 64;", "bar.sync 1, 64;"), 96), IsEmpty());
    EXPECT_THAT(found("races", producer("bar.arrive 1, 64;", "bar.sync 2, 32;"), 64),
                testing::Not(IsEmpty()));
}

TEST(CheckRaces, FollowsFlagsWithFences) {
    const std::string raise =
        "membar.cta; mov.u32 %r5, 1; st.volatile.shared.u32 [tile+1020], %r5;";
    const std::string wait =
        "W: ld.volatile.shared.u32 %r6, [tile+1020]; setp.eq.u32 %p2, %r6, 0; @%p2 bra W;";
    EXPECT_THAT(found("races", producer(raise, wait)), IsEmpty());
    EXPECT_THAT(found("races", producer(raise.substr(12), wait)), testing::Not(IsEmpty()));
}

TEST(CheckRaces, FollowsMbarriers) {
    const std::string init =
        "setp.eq.u32 %p3, %r0, 0; @%p3 mbarrier.init.shared.b64 [tile+1016], 32; bar.sync 0;\n";
    EXPECT_THAT(found("races",
                      init + producer("mbarrier.arrive.shared.b64 %rd4, [tile+1016];",
                                      "W: mbarrier.test_wait.parity.shared.b64 %p2, [tile+1016], 0;"
                                      "@!%p2 bra W;"),
                      64, ".version 7.8\n.target sm_80\n.address_size 64\n"),
                IsEmpty());
}

TEST(CheckRaces, ReportsTheFirstThreadOfTheGridOnAnyNumberOfHostThreads) {
    const std::string body = "st.shared.u32 [tile+8], %r0;";
    std::vector<std::string> first;
    for (const unsigned threads : {1u, 4u}) {
        machine m(kernel(body), sm70, parse_checks("races"));
        m.options.host_threads = threads;
        m.run("k", {16, 1, 1}, {256, 1, 1}, m.allocate(1024));
        const auto f = m.findings();
        EXPECT_FALSE(f.empty());
        if (first.empty()) first = f;
        EXPECT_EQ(f, first);
    }
}

// ---- the asynchronous proxy ----

const std::string sm90 = ".version 8.0\n.target sm_90a\n.address_size 64\n";

/// Findings for a kernel with 4 KB at %r8 and an mbarrier at %r7 for one arrival; %p1 is true in
/// thread 0.
std::vector<std::string> found_on_hopper(const std::string& body, unsigned threads = 64) {
    return found("races",
                 ".shared .align 128 .b8 data[4096]; .shared .align 8 .b64 bar;\n"
                 "mov.u32 %r7, bar; mov.u32 %r8, data; add.u32 %r9, %r8, %r2;\n"
                 "setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [%r7], 1;\n"
                 "fence.proxy.async; bar.sync 0;\n" +
                     body,
                 threads, sm90);
}
const std::string load_512_bytes =
    "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r7], 512;\n"
    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r8], [%rd0], 512, "
    "[%r7];\n";
const std::string await_load =
    "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r7], 0; @!%p2 bra W;\n";
const std::string store_256_bytes =
    "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r8], 256;\n"
    "@%p1 cp.async.bulk.commit_group;\n";

TEST(CheckAsyncProxy, FindsAReadOfCopiedDataWithoutAnMbarrierWait) {
    const auto f = found_on_hopper(load_512_bytes + "bar.sync 0; ld.shared.u32 %r10, [%r9];");
    ASSERT_EQ(f.size(), 1u);
    EXPECT_THAT(f[0], AllOf(HasSubstr("reads shared memory at 0x400 (data+0)"),
                            HasSubstr("has not waited for its mbarrier")));
    EXPECT_THAT(found_on_hopper(load_512_bytes + await_load + "ld.shared.u32 %r10, [%r9];"),
                IsEmpty());
}

TEST(CheckAsyncProxy, AcceptsAWaitOfOneWarpForAllOthers) {
    const std::string rest = "bar.sync 0; ld.shared.u32 %r10, [%r9];";
    const std::string first_warp = "setp.lt.u32 %p3, %r0, 32; @!%p3 bra DONE;\n";
    EXPECT_THAT(found_on_hopper(load_512_bytes + first_warp + await_load + "DONE: " + rest),
                IsEmpty());
}

TEST(CheckAsyncProxy, FindsACopyIntoDataThatOthersMayStillRead) {
    const std::string first =
        load_512_bytes + await_load + "bar.sync 0; ld.shared.u32 %r10, [%r9];\n";
    const std::string second =
        load_512_bytes +
        "V: mbarrier.try_wait.parity.shared.b64 %p2, [%r7], 1; @!%p2 bra V;\n"
        "ld.shared.u32 %r10, [%r9];";
    // Thread 0 starts the second copy after its own warp has read.
    EXPECT_THAT(found_on_hopper(first + second), testing::Not(IsEmpty()));
    EXPECT_THAT(found_on_hopper(first + "bar.sync 0;\n" + second), IsEmpty());
}

TEST(CheckAsyncProxy, FindsAStoreBeforeACopyWithoutAFence) {
    const auto f = found_on_hopper("st.shared.u32 [%r9], %r0; bar.sync 0;\n" + store_256_bytes);
    ASSERT_EQ(f.size(), 1u);
    EXPECT_THAT(f[0], HasSubstr("no fence.proxy.async"));
    // A fence of the writing threads, or of the thread that starts the copy.
    EXPECT_THAT(found_on_hopper("st.shared.u32 [%r9], %r0; fence.proxy.async.shared::cta;\n"
                                "bar.sync 0;" +
                                store_256_bytes),
                IsEmpty());
    EXPECT_THAT(found_on_hopper("st.shared.u32 [%r9], %r0; bar.sync 0; fence.proxy.async;\n" +
                                store_256_bytes),
                IsEmpty());
    EXPECT_THAT(found_on_hopper("fence.proxy.async; st.shared.u32 [%r9], %r0; bar.sync 0;\n" +
                                store_256_bytes),
                testing::Not(IsEmpty()));
}

TEST(CheckAsyncProxy, FindsAStoreIntoDataThatACopyMayStillRead) {
    const std::string again = "bar.sync 0; st.shared.u32 [%r9], %r0;";
    const auto f = found_on_hopper(store_256_bytes + again);
    ASSERT_EQ(f.size(), 1u);
    EXPECT_THAT(f[0], HasSubstr("the copy in bulk of warp 0"));
    EXPECT_THAT(found_on_hopper(store_256_bytes + "@%p1 cp.async.bulk.wait_group.read 0;" + again),
                IsEmpty());
    // One of two groups may still be in flight.
    EXPECT_THAT(found_on_hopper(store_256_bytes + store_256_bytes +
                                "@%p1 cp.async.bulk.wait_group.read 1;" + again),
                testing::Not(IsEmpty()));
}

TEST(CheckAsyncProxy, FindsAStoreIntoAnOperandOfAnUnfinishedProduct) {
    const std::string multiply =
        "cvt.u64.u32 %rd5, %r8; shr.u64 %rd5, %rd5, 4; and.b64 %rd5, %rd5, 0x3fff;\n"
        "or.b64 %rd5, %rd5, 0x0000000800080000; setp.ne.u32 %p3, 0, 1;\n"
        "mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;\n"
        "wgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd5, %rd5, %p3, "
        "1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;\n";
    const std::string wait = "wgmma.wait_group.sync.aligned 0;\n";
    const std::string overwrite = "bar.sync 0; st.shared.u32 [%r9], %r0;\n";
    const auto f = found_on_hopper(multiply + overwrite + wait, 128);
    ASSERT_FALSE(f.empty());
    EXPECT_THAT(f[0], HasSubstr("the product of a warpgroup of warp"));
    EXPECT_THAT(found_on_hopper(multiply + wait + overwrite, 128), IsEmpty());
    // Data written by threads without a fence are not valid operands either.
    EXPECT_THAT(found_on_hopper("st.shared.u32 [%r9], %r0; bar.sync 0;\n" + multiply + wait, 128),
                testing::Contains(HasSubstr("no fence.proxy.async")));
}

// ---- uninitialised memory ----

// ---- clusters ----

/// Findings for a kernel in clusters of two CTAs of 64 threads. %r10 is the rank, %r12 the address
/// of the data of the other CTA at the thread's word, %r9 that of its own; %r7 is an mbarrier for
/// one arrival, %r13 that of the other CTA; %p1 is true in thread 0, %p4 in CTA 0, %p5 in CTA 1,
/// %p6 in thread 0 of CTA 0.
std::vector<std::string> found_in_clusters(const std::string& body, const char* checks = "races",
                                           unsigned blocks = 4, unsigned host_threads = 1) {
    const std::string before =
        ".shared .align 128 .b8 data[4096]; .shared .align 8 .b64 bar;\n"
        "mov.u32 %r7, bar; mov.u32 %r8, data; add.u32 %r9, %r8, %r2;\n"
        "mov.u32 %r10, %cluster_ctarank; xor.b32 %r11, %r10, 1;\n"
        "mapa.shared::cluster.u32 %r12, %r9, %r11; mapa.shared::cluster.u32 %r13, %r7, %r11;\n"
        "setp.eq.u32 %p1, %r0, 0; setp.eq.u32 %p4, %r10, 0; setp.ne.u32 %p5, %r10, 0;\n"
        "setp.eq.and.u32 %p6, %r10, 0, %p1;\n"
        "@%p1 mbarrier.init.shared.b64 [%r7], 1; fence.mbarrier_init.release.cluster;\n"
        "barrier.cluster.arrive; barrier.cluster.wait;\n";
    std::string code = kernel(before + body + "\nbarrier.cluster.arrive; barrier.cluster.wait;");
    const std::string entry = ".param .u64 out)\n";
    code.insert(code.find(entry) + entry.size(), ".reqnctapercluster 2\n");
    machine m(code, sm90, parse_checks(checks));
    m.options.host_threads = host_threads;
    m.run("k", {blocks, 1, 1}, {64, 1, 1}, m.buffer(std::vector<std::uint32_t>(1024)));
    return m.findings();
}
const std::string cluster_barrier = "barrier.cluster.arrive; barrier.cluster.wait;\n";
const std::string wait_here =
    "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r7], 0; @!%p2 bra W;\n";

TEST(CheckCtaClusters, FindAStoreIntoAnotherCtaWithoutABarrierBeforeARead) {
    const std::string store = "st.shared::cluster.u32 [%r12], %r0;\n";
    const std::string read = "ld.shared.u32 %r14, [%r9];\n";
    const auto f = found_in_clusters(store + "bar.sync 0;\n" + read);
    ASSERT_FALSE(f.empty());
    EXPECT_THAT(f[0], AllOf(HasSubstr("race in shared memory"), HasSubstr("of the block of rank")));
    EXPECT_THAT(found_in_clusters(store + cluster_barrier + read), IsEmpty());
    // The order of arrival decides, not that of the wait.
    EXPECT_THAT(
        found_in_clusters("barrier.cluster.arrive;\n" + store + "barrier.cluster.wait;\n" + read),
        testing::Not(IsEmpty()));
}

TEST(CheckCtaClusters, FindAStoreIntoDataThatAnotherCtaMayStillRead) {
    const std::string own = "st.shared.u32 [%r9], %r0; bar.sync 0; ld.shared.u32 %r14, [%r9];\n";
    const std::string store = "st.shared::cluster.u32 [%r12], %r0;\n";
    EXPECT_THAT(found_in_clusters(own + "bar.sync 0;\n" + store), testing::Not(IsEmpty()));
    EXPECT_THAT(found_in_clusters(own + cluster_barrier + store), IsEmpty());
}

TEST(CheckCtaClusters, FindAReadOfUnfinishedDataOfAnotherCta) {
    const std::string own = "st.shared.u32 [%r9], %r0; bar.sync 0;\n";
    const std::string read = "ld.shared::cluster.u32 %r14, [%r12];\n";
    const auto f = found_in_clusters(own + read);
    ASSERT_FALSE(f.empty());
    EXPECT_THAT(f[0], HasSubstr("of the block of rank"));
    EXPECT_THAT(found_in_clusters(own + cluster_barrier + read), IsEmpty());
    // Nor may it write again, until the other one has read.
    EXPECT_THAT(found_in_clusters(own + cluster_barrier + read + "st.shared.u32 [%r9], %r0;"),
                testing::Not(IsEmpty()));
    EXPECT_THAT(found_in_clusters(own + cluster_barrier + read + cluster_barrier +
                                  "st.shared.u32 [%r9], %r0;"),
                IsEmpty());
}

TEST(CheckCtaClusters, FollowArrivalsAtMbarriersOfOtherBlocks) {
    const std::string store = "@%p4 st.shared::cluster.u32 [%r12], %r0; bar.sync 0;\n";
    const std::string arrive =
        "@%p6 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r13];\n@%p4 bra END;\n";
    const std::string read = "ld.shared.u32 %r14, [%r9];\nEND:\n";
    EXPECT_THAT(found_in_clusters(store + arrive + wait_here + read), IsEmpty());
    EXPECT_THAT(found_in_clusters(store + arrive + read), testing::Not(IsEmpty()));
    // An arrival before the stores does not order them.
    EXPECT_THAT(found_in_clusters("@%p6 mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
                                  "[%r13];\n" +
                                  store + "@%p4 bra END;\n" + wait_here + read),
                testing::Not(IsEmpty()));
}

TEST(CheckCtaClusters, AcceptConcurrentAtomicsOfSeveralCtas) {
    const std::string add =
        "mapa.shared::cluster.u32 %r15, %r9, 0;\n"
        "atom.shared::cluster.add.u32 %r16, [%r15], 1;\n";
    EXPECT_THAT(found_in_clusters(add), IsEmpty());
    EXPECT_THAT(found_in_clusters("@%p5 atom.shared::cluster.add.u32 %r16, [%r12], 1;\n"
                                  "@%p4 ld.shared.u32 %r14, [%r9];"),
                testing::Not(IsEmpty()));
    EXPECT_THAT(found_in_clusters(add + cluster_barrier + "ld.shared.u32 %r14, [%r9];"), IsEmpty());
}

TEST(CheckCtaClusters, FindAReadOfMulticastDataWithoutAWait) {
    const std::string multicast =
        "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r7], 256;\n" + cluster_barrier +
        "mov.u16 %h0, 3;\n"
        "@%p6 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%r8], [%rd0], 256, [%r7], %h0;\n";
    const std::string read = "ld.shared.u32 %r14, [%r9];\n";
    EXPECT_THAT(found_in_clusters(multicast + wait_here + read), IsEmpty());
    const auto f = found_in_clusters(multicast + cluster_barrier + read);
    ASSERT_FALSE(f.empty());
    EXPECT_THAT(f[0], HasSubstr("has not waited for its mbarrier"));
    // A second copy into what the other block may still read.
    const std::string again =
        "@%p6 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%r8], [%rd0], 256, [%r7], %h0;\n"
        "V: mbarrier.try_wait.parity.shared.b64 %p2, [%r7], 1; @!%p2 bra V;\n";
    const std::string expect_again = "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r7], 256;\n";
    EXPECT_THAT(found_in_clusters(multicast + wait_here + "bar.sync 0;\n" + expect_again +
                                  "bar.sync 0;\n" + read + "bar.sync 0;\n" + again),
                testing::Not(IsEmpty()));
    EXPECT_THAT(found_in_clusters(multicast + wait_here + "bar.sync 0;\n" + expect_again + read +
                                  cluster_barrier + again + read),
                IsEmpty());
}

TEST(CheckCtaClusters, FindAReadOfAsynchronousStoresWithoutAWait) {
    const std::string stores =
        "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r7], 256;\n" + cluster_barrier +
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r12], %r0, [%r13];\n";
    const std::string read = "ld.shared.u32 %r14, [%r9];\n";
    EXPECT_THAT(found_in_clusters(stores + wait_here + read), IsEmpty());
    EXPECT_THAT(found_in_clusters(stores + read), testing::Not(IsEmpty()));
    EXPECT_THAT(found_in_clusters(stores + cluster_barrier + read),
                testing::Contains(HasSubstr("has not waited for its mbarrier")));
}

TEST(CheckCtaClusters, TrackBytesWrittenByOtherCtas) {
    const std::string read = "ld.shared.u32 %r14, [%r9]; st.global.u32 [%rd1], %r14;\n";
    EXPECT_THAT(found_in_clusters("st.shared::cluster.u32 [%r12], %r0;\n" + cluster_barrier +
                                      "ld.shared.u32 %r14, [%r9]; add.u32 %r14, %r14, 1;\n" +
                                      cluster_barrier,
                                  "init"),
                IsEmpty());
    EXPECT_THAT(found_in_clusters("ld.shared::cluster.u32 %r14, [%r12]; add.u32 %r14, %r14, 1;\n" +
                                      cluster_barrier,
                                  "init"),
                testing::Contains(HasSubstr("that nothing has written")));
}

TEST(CheckCtaClusters, ReportTheSameOnAnyNumberOfHostThreads) {
    const std::string body = "st.shared::cluster.u32 [%r12], %r0; ld.shared.u32 %r14, [%r9];\n";
    const auto first = found_in_clusters(body, "races", 32);
    EXPECT_FALSE(first.empty());
    for (const unsigned threads : {2u, 4u})
        EXPECT_EQ(found_in_clusters(body, "races", 32, threads), first);
}

TEST(CheckInit, FindsReadsOfUninitializedMemory) {
    EXPECT_THAT(found("init", "ld.global.u32 %r3, [%rd1+16];"),
                ElementsAre(AllOf(HasSubstr("thread (0,0,0): reads 4 bytes at 0x"),
                                  HasSubstr("nothing has written: 16 bytes inside allocation"),
                                  HasSubstr("63 more threads do"))));
    EXPECT_THAT(found("init", "ld.shared.u32 %r3, [%r1];"),
                ElementsAre(HasSubstr("at 0x0 of shared memory (tile+0) that nothing")));
    EXPECT_THAT(found("init", "ld.local.u32 %r3, [mine+4];"),
                ElementsAre(HasSubstr("at 0x4 of local memory that nothing")));
}

TEST(CheckInit, AcceptsMemoryWrittenByAKernel) {
    EXPECT_THAT(found("init",
                      "st.global.u32 [%rd1], %r0; ld.global.u32 %r3, [%rd1];\n"
                      "st.shared.u32 [%r1], %r0; ld.shared.u32 %r3, [%r1];\n"
                      "st.local.u64 [mine+8], %rd0; ld.local.u32 %r3, [mine+12];\n"
                      "ld.local.u16 %h1, [mine+10];\n"
                      "cvta.local.u64 %rd3, mine; ld.u64 %rd4, [%rd3+8];\n"
                      "cvt.u64.u32 %rd5, %r1; cvta.shared.u64 %rd5, %rd5; ld.u32 %r3, [%rd5];\n"
                      "ld.u32 %r4, [%rd1];"),
                IsEmpty());
}

TEST(CheckInit, AcceptsReservedSharedMemory) {
    EXPECT_THAT(found("init", "mov.u32 %r3, %reserved_smem_offset_1; ld.shared.u32 %r4, [%r3];"),
                IsEmpty());
}

TEST(CheckInit, AcceptsCopiedPadding) {
    // A structure of one byte and one word: three bytes of padding.
    const std::string fill =
        "mul.wide.u32 %rd2, %r0, 8; add.u64 %rd3, %rd0, %rd2; st.global.u8 [%rd3], %r0;"
        "st.global.u32 [%rd3+4], %r0; ld.global.v2.u32 {%r4, %r5}, [%rd3];";
    EXPECT_THAT(found("init", fill + "st.global.v2.u32 [%rd3+512], {%r4, %r5};"), IsEmpty());
    EXPECT_THAT(found("init", fill + "add.u32 %r4, %r4, 1;"),
                ElementsAre(HasSubstr("that nothing has written")))
        << "it is used";
    EXPECT_THAT(found("init",
                      "ld.global.u32 %r4, [%rd1]; add.u64 %rd3, %rd1, 512; "
                      "st.global.u32 [%rd3], %r4;"),
                ElementsAre(HasSubstr("that nothing has written")))
        << "nothing of it has been written";
}

TEST(CheckInit, TracksEveryByte) {
    EXPECT_THAT(
        found("init",
              "cvt.u16.u32 %h0, %r0; st.global.u8 [%rd1+1], %h0; ld.global.u8 %h1, [%rd1+1];"
              "\nld.global.u16 %h2, [%rd1];"),
        ElementsAre(HasSubstr("reads 2 bytes")));
}

TEST(CheckInit, AcceptsMemoryWrittenByTheHost) {
    machine m(kernel("ld.global.u32 %r3, [%rd1]; ld.const.u32 %r4, [table]; "
                     "ld.global.u32 %r5, [zeros];"),
              sm70 + ".const .u32 table = 3; .global .u32 zeros;\n", parse_checks("init"));
    m.run("k", {1, 1, 1}, {64, 1, 1}, m.buffer(std::vector<std::uint32_t>(64, 1)));
    EXPECT_THAT(m.findings(), IsEmpty());
    // Copies of uninitialised memory by the host stay uninitialised.
    const auto from = m.allocate(256), to = m.allocate(256);
    m.memory().copy(to, from, 256);
    m.run("k", {1, 1, 1}, {64, 1, 1}, to);
    EXPECT_THAT(m.findings(), ElementsAre(HasSubstr("reads 4 bytes")));
}

TEST(CheckInit, DiscardsWritesOfEarlierCtas) {
    const auto f = found("init",
                         "mov.u32 %r3, %ctaid.x; setp.eq.u32 %p1, %r3, 0;\n"
                         "@%p1 st.shared.u32 [%r1], %r0; @%p1 st.local.u32 [mine], %r0;\n"
                         "ld.shared.u32 %r4, [%r1]; ld.local.u32 %r5, [mine];",
                         32, sm70, 2);
    EXPECT_THAT(f, ElementsAre(HasSubstr("block (1,0,0)"), HasSubstr("block (1,0,0)")));
}

TEST(CheckInit, FindsRegistersUninitializedOnSomePath) {
    EXPECT_THAT(found("init",
                      "setp.lt.u32 %p1, %r0, 5; @%p1 bra SKIP; mov.u32 %r10, 1;\nSKIP:\n"
                      "add.u32 %r11, %r10, 1;"),
                ElementsAre(AllOf(HasSubstr("thread (0,0,0): reads register %r10"),
                                  HasSubstr("4 more threads do"))));
    EXPECT_THAT(found("init",
                      "setp.lt.u32 %p1, %r0, 5; @%p1 mov.u32 %r10, 2; @!%p1 mov.u32 %r10, 1;\n"
                      "add.u32 %r11, %r10, 1;"),
                IsEmpty());
}

TEST(CheckInit, FindsUninitializedGuards) {
    EXPECT_THAT(found("init", "@%p5 st.global.u32 [%rd1], %r0;"),
                ElementsAre(HasSubstr("reads register %p5")));
}

TEST(CheckInit, TracksStackFramesOfFunctions) {
    machine m(R"(
.func (.param .b32 r) f(.param .b32 a)
{
  .local .align 4 .b8 mine[8]; .reg .b32 %r<4>;
  ld.param.u32 %r1, [a]; st.local.u32 [mine], %r1;
  ld.local.u32 %r2, [mine]; ld.local.u32 %r3, [mine+4];
  add.u32 %r2, %r2, %r3; st.param.b32 [r], %r2; ret;
}
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  { .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), f, (a);
    ld.param.b32 %r2, [r]; }
  add.u32 %r3, %r2, 1;
  ret;
})",
              sm70, parse_checks("init"));
    m.run("k", {1, 1, 1}, {32, 1, 1}, m.allocate(4));
    EXPECT_THAT(m.findings(),
                ElementsAre(AllOf(HasSubstr("of local memory"), HasSubstr("[ld.local.u32 %r3"))));
}

// ---- memory ----

TEST(CheckMemory, SeparatesAllocations) {
    const auto stray = [](const char* checks) {
        machine m(kernel("st.global.u32 [%rd1+1024], %r0;"), sm70, parse_checks(checks));
        const auto first = m.allocate(1024);
        m.allocate(1024);
        return fault_of([&] { m.run("k", {1, 1, 1}, {32, 1, 1}, first); });
    };
    EXPECT_EQ(stray(""), "");
    EXPECT_THAT(stray("memory"), HasSubstr("0 bytes behind allocation"));
}

TEST(CheckMemory, ReportsFreedAllocations) {
    machine m(kernel("st.global.u32 [%rd1], %r0;"), sm70, parse_checks("memory"));
    const auto gone = m.allocate(1024);
    m.memory().release(gone);
    m.allocate(1024);
    EXPECT_THAT(fault_of([&] {
                    m.run("k", {1, 1, 1}, {32, 1, 1}, gone);
                }),
                HasSubstr("which has been freed"));
}

TEST(CheckMemory, ReusesFreedMemoryOnlyWhenNoOtherIsLeft) {
    device_memory::config c;
    c.capacity = 1 << 20;
    device_memory memory(c);
    memory.keep_apart();
    for (unsigned i = 0; i < 8; ++i) {
        const auto a = memory.allocate(600 << 10);
        EXPECT_TRUE(memory.release(a)) << i;
    }
}

// ---- all checks together ----

TEST(Checks, ChangeNoResult) {
    const char* const body =
        "mad.lo.u32 %r3, %r0, 7, 3; st.shared.u32 [%r1], %r3; bar.sync 0;\n"
        "xor.b32 %r4, %r2, 64; mov.u32 %r5, tile; add.u32 %r5, %r5, %r4; ld.shared.u32 %r6, "
        "[%r5];\n"
        "st.local.u32 [mine+4], %r6; ld.local.u32 %r7, [mine+4]; st.global.u32 [%rd1], %r7;\n"
        "ld.global.u32 %r8, [%rd1]; add.u32 %r8, %r8, 1; st.global.u32 [%rd1], %r8;";
    std::vector<std::uint32_t> plain;
    std::uint64_t instructions = 0;
    for (const char* const checks : {"", "all"}) {
        machine m(kernel(body), sm70, parse_checks(checks));
        const auto out = m.buffer(std::vector<std::uint32_t>(64, 0));
        const execution_summary s = m.run("k", {2, 1, 1}, {64, 1, 1}, out);
        EXPECT_THAT(m.findings(), IsEmpty());
        if (plain.empty()) {
            plain = m.read<std::uint32_t>(out, 64);
            instructions = s.thread_instructions;
        }
        EXPECT_EQ(m.read<std::uint32_t>(out, 64), plain);
        EXPECT_EQ(s.thread_instructions, instructions);
    }
}

}  // namespace
}  // namespace simtlm::execution
