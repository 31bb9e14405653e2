// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/data_cache.h"

#include "modules/cache/read_only_engine.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace simtlm::cache {
namespace {

using protocol::access_type;
using protocol::extension;

/// A memory that accepts everything and answers on request.
struct memory : protocol::request_sink {
    std::vector<tlm::tlm_generic_payload*> requests;
    bool full = false;
    bool try_send(tlm::tlm_generic_payload& p) override {
        if (full) return false;
        if (!protocol::is_posted(extension(p).type)) p.acquire();
        requests.push_back(&p);
        return true;
    }
    ~memory() override {
        for (auto* p : requests) p->release();
    }
};

struct DataCache : ::testing::Test {
    protocol::transaction_pool pool;
    cache_config config;
    std::unique_ptr<data_cache> cache;
    memory below;
    std::uint64_t now = 1;

    DataCache() {
        config.kind = cache_kind::sector;
        config.sets = 1;
        config.ways = 2;
        config.mshr_entries = 4;
        config.mshr_max_merge = 2;
        config.miss_queue_size = 4;
        config.data_port_bytes = 32;
        config.write = write_policy::write_back;
    }
    void make(write_policy w, write_allocate_policy a) {
        config.write = w;
        config.write_allocate = a;
        cache = std::make_unique<data_cache>(config, l1_level, pool);
    }
    access_result access(bool write, std::uint64_t address, unsigned bytes = 32,
                         access_type type = access_type::global_read, bool atomic = false) {
        auto& p = pool.acquire(
            write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address, bytes,
            write && type == access_type::global_read ? access_type::global_write : type);
        auto& x = extension(p);
        x.sectors = static_cast<std::uint8_t>(1u << (address / 32 % 4));
        x.bytes.set(address % 128, bytes);
        x.is_atomic = atomic;
        const auto r = cache->access(p, ++now);
        p.release();
        return r;
    }
    access_result read(std::uint64_t a, unsigned bytes = 32) { return access(false, a, bytes); }
    access_result write(std::uint64_t a, unsigned bytes = 32) { return access(true, a, bytes); }

    void drain() {
        for (int i = 0; i < 8; ++i) cache->cycle(below);
    }
    /// Answers all reads in flight, and takes all completed accesses.
    unsigned answer() {
        drain();
        for (auto* p : below.requests) {
            if (p->is_read()) cache->fill(*p, ++now);
            p->release();
        }
        below.requests.clear();
        unsigned taken = 0;
        for (; cache->access_ready(); ++taken) {
            auto& p = cache->next_access();
            if (extension(p).parent != nullptr) extension(p).parent->release();
            p.release();
        }
        drain();
        return taken;
    }
    void expect_drained() {
        answer();
        EXPECT_FALSE(cache->busy());
        EXPECT_EQ(pool.outstanding(), 0u);
    }
};

TEST_F(DataCache, MissesThenMergesThenHits) {
    make(write_policy::write_back, write_allocate_policy::lazy_fetch_on_read);
    EXPECT_EQ(read(0x100).outcome, access_outcome::miss);
    const auto merged = read(0x100);
    EXPECT_EQ(merged.outcome, access_outcome::miss);
    EXPECT_EQ(merged.counted, access_outcome::hit_reserved);
    EXPECT_FALSE(merged.read_sent);
    EXPECT_EQ(answer(), 2u);
    EXPECT_TRUE(read(0x100).finished);
    EXPECT_EQ(cache->statistics().count(access_type::global_read, access_outcome::mshr_hit), 1u);
    EXPECT_EQ(cache->statistics().pending_hits, 1u);
    expect_drained();
}

TEST_F(DataCache, FetchesOneSectorOfALineAndMissesTheNext) {
    make(write_policy::write_back, write_allocate_policy::lazy_fetch_on_read);
    read(0x108, 4);
    drain();
    ASSERT_EQ(below.requests.size(), 1u);
    EXPECT_EQ(below.requests[0]->get_address(), 0x100u);
    EXPECT_EQ(below.requests[0]->get_data_length(), 32u);
    answer();
    EXPECT_EQ(read(0x120).counted, access_outcome::sector_miss);
    expect_drained();
}

TEST_F(DataCache, NamesTheResourceThatIsMissing) {
    make(write_policy::write_back, write_allocate_policy::lazy_fetch_on_read);
    const auto& s = cache->statistics();
    const auto fails = [&](fail_reason r) { return s.count(access_type::global_read, r); };
    read(0x000);
    read(0x000);
    EXPECT_EQ(read(0x000).outcome, access_outcome::reservation_fail);
    EXPECT_EQ(fails(fail_reason::mshr_merge), 1u);
    read(0x080);
    EXPECT_EQ(read(0x100).outcome, access_outcome::reservation_fail);
    EXPECT_EQ(fails(fail_reason::line_alloc), 1u) << "both lines are reserved";
    read(0x020);
    EXPECT_EQ(read(0x040).outcome, access_outcome::reservation_fail);
    EXPECT_EQ(fails(fail_reason::miss_queue), 1u) << "a read wants room for a write-back too";
    drain();
    read(0x040);
    EXPECT_EQ(read(0x060).outcome, access_outcome::reservation_fail);
    EXPECT_EQ(fails(fail_reason::mshr_entry), 1u);
    expect_drained();
}

TEST_F(DataCache, SendsOneMissPerCycleAndHoldsItUnderBackPressure) {
    make(write_policy::write_back, write_allocate_policy::lazy_fetch_on_read);
    read(0x000);
    read(0x080);
    below.full = true;
    cache->cycle(below);
    EXPECT_TRUE(below.requests.empty());
    below.full = false;
    cache->cycle(below);
    EXPECT_EQ(below.requests.size(), 1u);
    expect_drained();
}

TEST_F(DataCache, WriteBackKeepsAWriteAndReturnsItWhenEvicted) {
    make(write_policy::write_back, write_allocate_policy::lazy_fetch_on_read);
    EXPECT_TRUE(write(0x010, 8).finished);
    EXPECT_EQ(read(0x000).counted, access_outcome::sector_miss) << "not all bytes are known";
    answer();
    EXPECT_TRUE(read(0x000).finished);
    read(0x080);
    answer();
    EXPECT_TRUE(read(0x100).write_back_sent);
    drain();
    ASSERT_EQ(below.requests.size(), 2u);
    auto& back = *below.requests[1];
    EXPECT_EQ(extension(back).type, access_type::l1_writeback);
    EXPECT_EQ(back.get_address(), 0x000u);
    EXPECT_EQ(back.get_data_length(), 32u);
    EXPECT_EQ(extension(back).bytes.sector(0), 0xff0000u);
    expect_drained();
}

TEST_F(DataCache, CleansTheLeastRecentlyUsedModifiedLineBeyondALimit) {
    config.ways = 4;
    config.dirty_limit_percent = 50;
    make(write_policy::write_back, write_allocate_policy::lazy_fetch_on_read);
    write(0x000);
    write(0x080, 8);
    EXPECT_FALSE(write(0x000).write_back_sent);
    EXPECT_TRUE(write(0x100).write_back_sent) << "the third of four lines";
    drain();
    ASSERT_EQ(below.requests.size(), 1u);
    EXPECT_EQ(below.requests[0]->get_address(), 0x080u);
    EXPECT_EQ(cache->tags().dirty_lines(), 2u);
    EXPECT_EQ(read(0x080).outcome, access_outcome::miss) << "only a part of it was written";
    answer();
    EXPECT_TRUE(write(0x180).write_back_sent);
    EXPECT_TRUE(read(0x000).finished) << "a clean line stays";
    expect_drained();
}

TEST_F(DataCache, KeepsAModifiedLineBeyondTheLimitWhileTheMissQueueIsFull) {
    config.ways = 4;
    config.dirty_limit_percent = 25;
    config.miss_queue_size = 1;
    make(write_policy::write_back, write_allocate_policy::lazy_fetch_on_read);
    write(0x000);
    EXPECT_TRUE(write(0x080).write_back_sent);
    EXPECT_FALSE(write(0x080).write_back_sent) << "none is beyond the limit";
    const auto hit = access(false, 0x000, 32, access_type::global_read, true);
    EXPECT_TRUE(hit.finished);
    EXPECT_FALSE(hit.write_back_sent);
    EXPECT_EQ(cache->tags().dirty_lines(), 2u);
    drain();
    EXPECT_TRUE(write(0x000).write_back_sent) << "the next write makes up for it";
    expect_drained();
}

TEST_F(DataCache, EvictedLinesAreSentToTheirOwnAddressExceptUnderTheQuirk) {
    for (const bool quirk : {false, true}) {
        config.quirk_evictions_follow_misses = quirk;
        make(write_policy::write_back, write_allocate_policy::lazy_fetch_on_read);
        write(0x000);
        read(0x080);
        answer();
        EXPECT_TRUE(read(0x100).write_back_sent);
        drain();
        ASSERT_EQ(below.requests.size(), 2u);
        const auto& back = *below.requests[1];
        EXPECT_EQ(back.get_address(), 0x000u);
        EXPECT_EQ(extension(back).misrouted, quirk);
        if (quirk) {
            EXPECT_EQ(extension(back).location.partition_address, 0x100u);
        }
        expect_drained();
    }
}

TEST_F(DataCache, ItsOwnRequestsAreCreatedInTheCycleOfTheAccessThatCausesThem) {
    make(write_policy::write_back, write_allocate_policy::write_allocate);
    now = 1000;
    write(0x000);  // time 1001: the write, and a read for its line
    answer();
    write(0x000);
    now = 2000;
    read(0x080);
    answer();
    now = 3000;
    EXPECT_TRUE(read(0x100).write_back_sent);  // 3001
    drain();
    ASSERT_EQ(below.requests.size(), 2u);
    EXPECT_EQ(extension(*below.requests[1]).type, access_type::l1_writeback);
    EXPECT_EQ(extension(*below.requests[1]).when.created, 3001u);
    answer();
    now = 4000;
    EXPECT_TRUE(write(0x200).write_allocate_sent);  // 4001
    drain();
    bool allocated = false;
    for (auto* p : below.requests)
        if (extension(*p).type == access_type::l1_write_allocate_read) {
            allocated = true;
            EXPECT_EQ(extension(*p).when.created, 4001u);
        }
    EXPECT_TRUE(allocated);
    expect_drained();
}

TEST_F(DataCache, WriteThroughSendsHitsAndMisses) {
    make(write_policy::write_through, write_allocate_policy::lazy_fetch_on_read);
    const auto miss = write(0x000);
    EXPECT_TRUE(miss.write_sent);
    EXPECT_FALSE(miss.finished);
    const auto hit = write(0x000);
    EXPECT_EQ(hit.outcome, access_outcome::hit);
    EXPECT_TRUE(hit.write_sent);
    EXPECT_TRUE(read(0x000).finished) << "a wholly written sector can be read";
    expect_drained();
}

TEST_F(DataCache, AWriteToAPendingSectorStaysModifiedAfterTheFill) {
    make(write_policy::write_back, write_allocate_policy::lazy_fetch_on_read);
    read(0x000);
    EXPECT_EQ(write(0x000, 8).counted, access_outcome::hit_reserved);
    EXPECT_EQ(read(0x000).counted, access_outcome::sector_miss) << "until the fill";
    answer();
    EXPECT_TRUE(read(0x000).finished);
    EXPECT_EQ(cache->tags().state(cache->tags().probe(0, 0, 0, false).line, 0),
              sector_state::modified);
    expect_drained();
}

TEST_F(DataCache, AWrittenPendingLineIsNotReplacedBeforeItsFill) {
    make(write_policy::write_through, write_allocate_policy::lazy_fetch_on_read);
    read(0x000);
    write(0x000, 8);
    drain();
    read(0x080);
    EXPECT_EQ(read(0x100).outcome, access_outcome::reservation_fail) << "both lines are awaited";
    EXPECT_EQ(read(0x000).counted, access_outcome::sector_miss) << "merges into the fetch";
    EXPECT_EQ(answer(), 3u);
    EXPECT_TRUE(read(0x000).finished);
    EXPECT_EQ(read(0x100).outcome, access_outcome::miss);
    expect_drained();
}

TEST_F(DataCache, AReadThatMergesIntoAReturnedMissReservesNoLine) {
    config.ways = 1;
    for (const bool quirk : {false, true}) {
        config.quirks.lines_stay_reserved = quirk;
        make(write_policy::write_through, write_allocate_policy::lazy_fetch_on_read);
        for (const std::uint64_t line : {0x000, 0x080}) {  // the second line replaces the first
            EXPECT_EQ(read(line).outcome, access_outcome::miss);
            drain();
            cache->fill(*below.requests[0], ++now);
            below.requests[0]->release();
            below.requests.clear();
        }
        const auto merged = read(0x000);  // its data have not been taken yet
        EXPECT_EQ(merged.outcome, access_outcome::miss);
        EXPECT_FALSE(merged.read_sent);
        EXPECT_EQ(answer(), 3u);
        EXPECT_EQ(read(0x100).outcome,
                  quirk ? access_outcome::reservation_fail : access_outcome::miss);
        expect_drained();
    }
}

TEST_F(DataCache, InvalidationKeepsLinesOfPendingFills) {
    make(write_policy::write_through, write_allocate_policy::lazy_fetch_on_read);
    read(0x000);
    read(0x080);
    cache->invalidate();
    EXPECT_EQ(read(0x000).counted, access_outcome::hit_reserved);
    EXPECT_EQ(answer(), 3u);
    EXPECT_TRUE(read(0x000).finished);
    EXPECT_EQ(read(0x100).outcome, access_outcome::miss) << "no line is left reserved";
    EXPECT_EQ(read(0x180).outcome, access_outcome::miss);
    expect_drained();
}

TEST_F(DataCache, WriteEvictInvalidatesWhatItHits) {
    make(write_policy::write_evict, write_allocate_policy::no_write_allocate);
    read(0x000);
    answer();
    const auto r = write(0x000);
    EXPECT_EQ(r.outcome, access_outcome::hit);
    EXPECT_TRUE(r.write_sent);
    EXPECT_EQ(read(0x000).outcome, access_outcome::miss);
    expect_drained();
}

TEST_F(DataCache, LocalWritesAreKeptAndGlobalWritesEvict) {
    make(write_policy::local_wb_global_wt, write_allocate_policy::no_write_allocate);
    read(0x000);
    answer();
    EXPECT_TRUE(access(true, 0x000, 32, access_type::local_write).finished);
    EXPECT_TRUE(write(0x000).write_sent);
    EXPECT_EQ(read(0x000).outcome, access_outcome::miss);
    expect_drained();
}

TEST_F(DataCache, KeepsLocalWritesAndSendsGlobalOnesWhereBothAllocate) {
    make(write_policy::local_wb_global_wt, write_allocate_policy::lazy_fetch_on_read);
    const auto local = [&](std::uint64_t a, unsigned bytes) {
        return access(true, a, bytes, access_type::local_write);
    };
    EXPECT_TRUE(local(0x020, 32).finished);
    EXPECT_TRUE(local(0x060, 8).finished);
    const auto missed = write(0x088, 4);
    EXPECT_TRUE(missed.write_sent);
    EXPECT_FALSE(missed.finished);
    EXPECT_TRUE(write(0x088, 8).write_sent) << "a hit is sent as well";
    EXPECT_TRUE(read(0x020).finished);
    EXPECT_EQ(read(0x090, 8).counted, access_outcome::sector_miss)
        << "the other bytes of a written sector are unknown";
    answer();
    EXPECT_TRUE(read(0x080).finished) << "the line of a global write is kept";
    EXPECT_EQ(cache->tags().dirty_lines(), 2u);
    // Two other lines replace both: only the local one is written back.
    read(0x100);
    read(0x180);
    drain();
    ASSERT_EQ(below.requests.size(), 3u);
    const auto& written = *below.requests[1];
    EXPECT_EQ(extension(written).type, access_type::l1_writeback);
    EXPECT_EQ(written.get_address(), 0x000u);
    EXPECT_EQ(written.get_data_length(), 64u);
    EXPECT_EQ(extension(written).sectors, 0b1010);
    EXPECT_EQ(extension(written).bytes.sector(1), 0xffffffffu);
    EXPECT_EQ(extension(written).bytes.sector(3), 0x000000ffu);
    expect_drained();
}

TEST_F(DataCache, WritesBackOnlyTheSectorsOfALineThatMemoryDoesNotHave) {
    make(write_policy::local_wb_global_wt, write_allocate_policy::lazy_fetch_on_read);
    write(0x000, 16);
    access(true, 0x040, 8, access_type::local_write);
    access(true, 0x060, 32, access_type::local_write);
    write(0x060, 4);  // stays dirty
    answer();
    read(0x080);
    read(0x100);
    drain();
    ASSERT_EQ(below.requests.size(), 3u);
    EXPECT_EQ(extension(*below.requests[2]).sectors, 0b1100);
    EXPECT_EQ(extension(*below.requests[2]).bytes.sector(0), 0u);
    EXPECT_EQ(extension(*below.requests[2]).bytes.sector(3), 0xffffffffu);
    expect_drained();
}

TEST_F(DataCache, DoesNotWriteBackLinesAfterTheirLastUse) {
    make(write_policy::local_wb_global_wt, write_allocate_policy::lazy_fetch_on_read);
    const auto store = [&](std::uint64_t a) { access(true, a, 32, access_type::local_write); };
    const auto last_load = [&](std::uint64_t a, unsigned bytes) {
        auto& p = pool.acquire(tlm::TLM_READ_COMMAND, a, bytes, access_type::local_read);
        auto& x = extension(p);
        x.sectors = static_cast<std::uint8_t>(1u << (a / 32 % 4));
        x.bytes.set(a % 128, bytes);
        x.last_use = true;
        EXPECT_TRUE(cache->access(p, ++now).finished);
        p.release();
    };
    for (const std::uint64_t a : {0x000, 0x020, 0x040, 0x060, 0x080, 0x0a0}) store(a);
    last_load(0x000, 32);
    last_load(0x020, 16);  // half of what was written
    last_load(0x040, 32);
    store(0x040);  // used again
    last_load(0x060, 32);
    last_load(0x080, 32);
    last_load(0x0a0, 32);
    read(0x100);
    read(0x180);
    drain();
    ASSERT_EQ(below.requests.size(), 3u) << "the line at 0x080 is dropped";
    EXPECT_EQ(extension(*below.requests[1]).type, access_type::l1_writeback);
    EXPECT_EQ(extension(*below.requests[1]).sectors, 0b0110);
    expect_drained();
}

TEST_F(DataCache, AGlobalWriteThatReplacesALocalLineNeedsTwoMissQueueEntries) {
    make(write_policy::local_wb_global_wt, write_allocate_policy::lazy_fetch_on_read);
    for (const std::uint64_t a : {0x000, 0x080}) access(true, a, 32, access_type::local_write);
    below.full = true;
    for (unsigned i = 0; i < 3; ++i) write(0x000);
    EXPECT_EQ(write(0x100).outcome, access_outcome::reservation_fail);
    EXPECT_EQ(cache->statistics().count(access_type::global_write, fail_reason::miss_queue), 1u);
    below.full = false;
    cache->cycle(below);
    const auto r = write(0x100);
    EXPECT_TRUE(r.write_sent);
    EXPECT_TRUE(r.write_back_sent);
    EXPECT_EQ(cache->misses_queued(), 4u);
    expect_drained();
}

TEST_F(DataCache, GlobalWriteMissesAreKeptWithALazyFetchAsInGpgpuSim) {
    config.quirks.global_stores_stay = true;
    make(write_policy::local_wb_global_wt, write_allocate_policy::lazy_fetch_on_read);
    EXPECT_TRUE(write(0x000).finished);
    EXPECT_TRUE(write(0x000).write_sent) << "the hit, which invalidates its sector";
    EXPECT_TRUE(write(0x080).finished);
    read(0x100);
    answer();
    read(0x180);
    drain();
    ASSERT_EQ(below.requests.size(), 2u);
    EXPECT_EQ(extension(*below.requests[1]).type, access_type::l1_writeback);
    EXPECT_EQ(below.requests[1]->get_address(), 0x080u);
    expect_drained();
}

TEST_F(DataCache, NoWriteAllocatePassesMissesEvenWhenNoLineIsFree) {
    make(write_policy::local_wb_global_wt, write_allocate_policy::no_write_allocate);
    read(0x000);
    read(0x080);
    EXPECT_TRUE(write(0x100).write_sent);
    EXPECT_EQ(cache->tags().probe(0x080, 0x080, 0, false).outcome, access_outcome::hit_reserved);
    expect_drained();
}

TEST_F(DataCache, WriteAllocateSendsTheWriteAndThenARead) {
    make(write_policy::write_back, write_allocate_policy::write_allocate);
    const auto r = write(0x008, 8);
    EXPECT_TRUE(r.write_sent);
    EXPECT_TRUE(r.write_allocate_sent);
    drain();
    ASSERT_EQ(below.requests.size(), 2u);
    EXPECT_TRUE(below.requests[0]->is_write());
    EXPECT_EQ(extension(*below.requests[1]).type, access_type::l1_write_allocate_read);
    expect_drained();
}

TEST_F(DataCache, FetchOnWriteFetchesOnlyForAPartOfASector) {
    make(write_policy::write_back, write_allocate_policy::fetch_on_write);
    EXPECT_TRUE(write(0x000, 32).finished);
    const auto part = write(0x080, 8);
    EXPECT_TRUE(part.write_allocate_sent);
    EXPECT_FALSE(part.finished);
    drain();
    ASSERT_EQ(below.requests.size(), 1u);
    auto* store = extension(*below.requests[0]).parent;
    ASSERT_NE(store, nullptr) << "the fetch knows its write";
    EXPECT_TRUE(store->is_write());
    answer();
    EXPECT_EQ(cache->tags().state(cache->tags().probe(0x080, 0x080, 0, true).line, 0),
              sector_state::modified);
    expect_drained();
}

TEST_F(DataCache, AnAtomicLeavesItsSectorModified) {
    make(write_policy::write_back, write_allocate_policy::lazy_fetch_on_read);
    access(false, 0x000, 32, access_type::global_read, true);
    answer();
    EXPECT_EQ(cache->tags().state(cache->tags().probe(0, 0, 0, true).line, 0),
              sector_state::modified);
    access(false, 0x080, 32);
    answer();
    access(false, 0x080, 32, access_type::global_read, true);
    EXPECT_EQ(cache->tags().dirty_lines(), 2u);
    expect_drained();
}

TEST_F(DataCache, PortsAreBusyForTheBytesTheyMove) {
    config.data_port_bytes = 16;
    make(write_policy::write_back, write_allocate_policy::lazy_fetch_on_read);
    read(0x000);
    drain();
    cache->fill(*below.requests[0], ++now);
    EXPECT_FALSE(cache->fill_port_free());
    cache->cycle(below);
    EXPECT_FALSE(cache->fill_port_free());
    cache->cycle(below);
    EXPECT_TRUE(cache->fill_port_free()) << "32 bytes at 16 per cycle";
    cache->next_access().release();
    read(0x000, 20);
    cache->cycle(below);
    EXPECT_FALSE(cache->data_port_free());
    cache->cycle(below);
    EXPECT_TRUE(cache->data_port_free());
    EXPECT_EQ(cache->statistics().fill_port_busy, 2u);
    EXPECT_EQ(cache->statistics().data_port_busy, 2u);
}

TEST_F(DataCache, ASplitLineIsFilledByItsLastPart) {
    config.kind = cache_kind::normal;
    make(write_policy::write_back, write_allocate_policy::no_write_allocate);
    read(0x000);
    drain();
    for (unsigned i = 0; i < 4; ++i) {
        EXPECT_FALSE(cache->access_ready());
        auto& part = pool.acquire(tlm::TLM_READ_COMMAND, i * 32, 32, access_type::global_read);
        extension(part).parent = below.requests[0];
        EXPECT_TRUE(cache->waiting_for_fill(part));
        cache->fill(part, ++now);
        part.release();
    }
    ASSERT_TRUE(cache->access_ready());
    cache->next_access().release();
}

TEST_F(DataCache, WarmingTheTagsDoesNotCountAccesses) {
    make(write_policy::write_back, write_allocate_policy::lazy_fetch_on_read);
    for (unsigned s = 0; s < 4; ++s) cache->force_tag_access(0x400 + 32 * s, 0x400, ++now, s);
    EXPECT_EQ(cache->statistics().accesses, 0u);
    EXPECT_TRUE(read(0x420).finished);
}

TEST(ReadOnlyEngine, HoldsLinesAndMergesMisses) {
    protocol::transaction_pool pool;
    cache_config c;
    c.sets = 2;
    c.ways = 1;
    c.allocation = allocation_policy::on_fill;
    c.mshr_entries = 2;
    c.mshr_max_merge = 2;
    c.miss_queue_size = 2;
    read_only_engine cache(c);
    memory below;
    const auto fetch = [&](std::uint64_t a) {
        auto& p = pool.acquire(tlm::TLM_READ_COMMAND, a, 16, access_type::instruction_read);
        const auto r = cache.access(p, 1);
        p.release();
        return r;
    };
    EXPECT_EQ(fetch(0x010).outcome, access_outcome::miss);
    EXPECT_EQ(fetch(0x020).outcome, access_outcome::miss);
    EXPECT_EQ(fetch(0x030).outcome, access_outcome::reservation_fail) << "two merge at most";
    cache.cycle(below);
    ASSERT_EQ(below.requests.size(), 1u);
    EXPECT_EQ(below.requests[0]->get_address(), 0u);
    EXPECT_EQ(below.requests[0]->get_data_length(), 128u);
    cache.fill(*below.requests[0], 2);
    auto& first = cache.next_access();
    EXPECT_EQ(first.get_address(), 0x010u) << "restored";
    EXPECT_EQ(first.get_data_length(), 16u);
    first.release();
    cache.next_access().release();
    EXPECT_TRUE(fetch(0x030).finished);
}

}  // namespace
}  // namespace simtlm::cache
