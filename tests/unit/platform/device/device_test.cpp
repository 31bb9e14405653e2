// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/common/execution_error.h"
#include "modules/execution/state/hardware_addresses.h"
#include "platform/device/array.h"
#include "platform/device/copy_queue.h"
#include "platform/device/functional_engine.h"
#include "platform/device/memory_space.h"
#include "platform/device/module_source.h"
#include "platform/device/scheduler.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace simtlm::device {
namespace {

constexpr std::uint64_t megabyte = 1 << 20;

TEST(MemorySpace, MapsMemoryAtTheSameAddressForTheHost) {
    memory_space m(1, 16 * megabyte);
    const std::uint64_t a = m.allocate(memory_kind::device, 0, 4096);
    auto* const p = reinterpret_cast<int*>(a);
    *p = 42;
    int read = 0;
    m.table().read(&read, a, sizeof read);
    EXPECT_EQ(read, 42);
}

TEST(MemorySpace, HasTheSameDeviceAddressesAtAnyHostAddress) {
    void* const own_place = reinterpret_cast<void*>(0xc0000000);
    void* const taken = ::mmap(own_place, 4096, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    {
        memory_space m(1, 16 * megabyte);
        const std::uint64_t a = m.allocate(memory_kind::device, 0, 4096);
        EXPECT_NE(a, 0xc0000000u);
        const execution::hardware_addresses seen(m.table());
        EXPECT_EQ(seen.of(a), 0xc0000000u);
        EXPECT_EQ(seen.of(a + 16 * megabyte - 1), 0xc0ffffffu);
        const std::uint64_t variable = m.table().allocate_static(64, 16, "v");
        EXPECT_EQ(seen.of(variable), 0x1f880000u);
        int of_the_host = 0;
        const auto elsewhere = reinterpret_cast<std::uint64_t>(&of_the_host);
        EXPECT_EQ(seen.of(elsewhere), elsewhere);
        EXPECT_EQ(seen.of(0x100), 0x100u);
    }
    if (taken == own_place) ::munmap(taken, 4096);
}

TEST(MemorySpace, CountsWhatADeviceHasAndRejectsMore) {
    memory_space m(2, 4 * megabyte);
    const std::uint64_t a = m.allocate(memory_kind::device, 1, 3 * megabyte);
    EXPECT_EQ(m.used(1), 3 * megabyte);
    EXPECT_EQ(m.used(0), 0u);
    EXPECT_THROW(m.allocate(memory_kind::device, 1, 2 * megabyte), failure);
    EXPECT_TRUE(m.release(a));
    EXPECT_EQ(m.used(1), 0u);
    EXPECT_FALSE(m.release(a));
}

TEST(MemorySpace, AlignsAllocationsTo512BytesOrAsRequested) {
    memory_space as_hardware(1, 4 * megabyte), as_reference(1, 4 * megabyte, 256);
    const auto next_of = [](memory_space& m) {
        const std::uint64_t first = m.allocate(memory_kind::device, 0, 100);
        return m.allocate(memory_kind::device, 0, 100) - first;
    };
    EXPECT_EQ(next_of(as_hardware), 512u);
    EXPECT_EQ(next_of(as_reference), 256u);
}

TEST(MemorySpace, FindsTheAllocationThatHoldsAnAddress) {
    memory_space m(1, 4 * megabyte);
    const std::uint64_t a = m.allocate(memory_kind::managed, 0, 100);
    ASSERT_TRUE(m.find(a + 99));
    EXPECT_EQ(m.find(a + 99)->kind, memory_kind::managed);
    EXPECT_FALSE(m.find(a + 100));
}

TEST(MemorySpace, RegistersHostMemoryOnce) {
    memory_space m(1, 4 * megabyte);
    std::vector<int> mine(1000);
    const auto a = reinterpret_cast<std::uint64_t>(mine.data());
    m.admit(a, 4000, 0, 0);
    EXPECT_EQ(m.find(a)->kind, memory_kind::registered);
    EXPECT_THROW(m.admit(a + 400, 400, 0, 0), failure);
    m.dismiss(a);
    EXPECT_THROW(m.dismiss(a), failure);
}

TEST(Array, LaysOutLevelsContiguously) {
    array a;
    a.shape.width = 64;
    a.shape.height = 32;
    a.shape.levels = 3;
    lay_out(a);
    ASSERT_EQ(a.image.levels.size(), 3u);
    EXPECT_EQ(a.image.levels[1].width, 32u);
    EXPECT_EQ(a.image.levels[2].height, 8u);
    EXPECT_GE(a.image.levels[1].offset, 64u * 32 * 4);
    const array v = level_of(a, 1);
    EXPECT_EQ(v.shape.width, 32u);
    EXPECT_EQ(v.address, a.address + a.image.levels[1].offset);
}

TEST(CopyQueue, SerialisesTheCopiesOfADirectionAndOverlapsTheDirections) {
    copy_links links;
    links.pcie = {1e-6, 1e9};  // 1 us and 1 ns a byte
    copy_queue copies(links, 1);
    const auto start = [&](copy_direction direction, std::uint64_t bytes) {
        auto t = std::make_shared<task>();
        t->direction = direction;
        t->bytes = bytes;
        copies.start(t, 0);
        return t;
    };
    const task_ptr first = start(copy_direction::to_device, 1000);
    const task_ptr second = start(copy_direction::to_device, 1000);
    const task_ptr back = start(copy_direction::to_host, 500);
    EXPECT_EQ(second->started_at, 2'000'000u);
    EXPECT_EQ(copies.next_end(), 1'500'000u);
    EXPECT_EQ(copies.take_ended(1'499'999), nullptr);
    EXPECT_EQ(copies.take_ended(2'000'000), back);
    EXPECT_EQ(copies.take_ended(2'000'000), first);
    EXPECT_EQ(copies.take_ended(copy_queue::never), second);
    EXPECT_TRUE(copies.empty());
    EXPECT_EQ(copies.next_end(), copy_queue::never);
}

TEST(CopyQueue, EndsCopiesImmediatelyWithoutABandwidth) {
    copy_queue copies({}, 1);
    const auto t = std::make_shared<task>();
    t->direction = copy_direction::to_device;
    t->bytes = 1000;
    copies.start(t, 7);
    EXPECT_EQ(copies.take_ended(7), t);
}

/// A scheduler whose tasks are host calls that record their number.
class Scheduler : public testing::Test {
protected:
    Scheduler()
        : state(1, 4 * megabyte), work(state, 1, {false, 0}, [this] {
              return std::make_unique<functional_engine>(state, 1, 1, nullptr);
          }) {
        state.report_error = [](const std::string&) {};
    }
    task_ptr note(int number) {
        auto t = std::make_shared<task>();
        t->what = task::kind::host_call;
        t->effect = [this, number] { order.push_back(number); };
        return t;
    }

    shared_state state;
    scheduler work;
    std::vector<int> order;
};

TEST_F(Scheduler, KeepsTheOrderOfAStream) {
    stream* const s = work.create_stream(0, true, 0, 0);
    for (int i = 0; i < 5; ++i) work.submit(*s, note(i));
    EXPECT_EQ(work.wait(*s), status::success);
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST_F(Scheduler, CountsANanosecondForEachTaskThatMovesDataWithoutATimingModel) {
    stream* const s = work.create_stream(0, true, 0, 0);
    const auto copy = [&](std::uint64_t bytes) {
        auto t = std::make_shared<task>();
        t->what = task::kind::copy;
        t->bytes = bytes;
        work.submit(*s, t);
        return t;
    };
    const task_ptr first = copy(4), call = note(1);
    work.submit(*s, call);
    const task_ptr nothing = copy(0), second = copy(4096);
    EXPECT_EQ(work.wait(*s), status::success);
    EXPECT_EQ(first->started_at, 0u);
    EXPECT_EQ(first->finished_at, 1000u);
    for (const task_ptr& t : {call, nothing}) {
        EXPECT_EQ(t->started_at, 1000u);
        EXPECT_EQ(t->finished_at, 1000u);
    }
    EXPECT_EQ(second->started_at, 1000u);
    EXPECT_EQ(second->finished_at, 2000u);
    EXPECT_EQ(work.time(), 2000u);
}

TEST_F(Scheduler, DoesNotAdvanceInTimingModeBeforeAHostWaits) {
    stream* const s = work.create_stream(0, false, 0, 0);
    work.submit(*s, note(1));
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();  // ample opportunity
    EXPECT_TRUE(order.empty());
    work.wait(*s);
    EXPECT_EQ(order.size(), 1u);
}

TEST_F(Scheduler, OrdersTheLegacyStreamWithBlockingStreams) {
    stream* const a = work.create_stream(0, true, 0, 0);
    stream* const b = work.create_stream(0, true, 0, 0);
    work.submit(*a, note(1));
    work.submit(work.legacy(0), note(2));
    work.submit(*b, note(3));
    work.wait(*b);
    EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST_F(Scheduler, FailsTasksAfterAFaultUntilItIsCleared) {
    stream* const s = work.create_stream(0, true, 0, 0);
    auto bad = note(0);
    bad->effect = [] { throw failure(status::illegal_address, "nowhere"); };
    work.submit(*s, bad);
    const task_ptr after = note(1);
    work.submit(*s, after);
    EXPECT_EQ(work.wait(after), status::illegal_address);
    EXPECT_EQ(work.fault(0), status::illegal_address);
    EXPECT_TRUE(order.empty());
    work.clear_fault(0);
    const task_ptr later = note(2);
    work.submit(*s, later);
    EXPECT_EQ(work.wait(later), status::success);
}

TEST_F(Scheduler, HoldsATaskUntilItIsReleased) {
    stream* const s = work.create_stream(0, false, 0, 0);
    const task_ptr held = note(1), other = note(2);
    work.submit_held(held);
    const task_ptr following = note(3);
    work.submit(*s, following, {held});
    work.submit_after(other, {});
    EXPECT_EQ(work.wait(other), status::success);
    EXPECT_FALSE(work.is_done(held));
    EXPECT_EQ(order, (std::vector<int>{2}));
    work.release(held);
    EXPECT_EQ(work.wait(following), status::success);
    EXPECT_EQ(order, (std::vector<int>{2, 1, 3}));
}

TEST_F(Scheduler, EndsASkippedTaskWithoutExecutingIt) {
    stream* const s = work.create_stream(0, false, 0, 0);
    bool failed = false;
    const task_ptr first = note(1), skipped = note(2), last = note(3);
    first->effect = [&] { failed = true; };
    skipped->skip = [&] { return failed; };  // evaluated when everything before it is done
    for (const task_ptr& t : {first, skipped, last}) work.submit(*s, t);
    EXPECT_EQ(work.wait(last), status::success);
    EXPECT_TRUE(work.is_done(skipped));
    EXPECT_EQ(order, (std::vector<int>{3}));
}

TEST_F(Scheduler, AdvancesForAPollingHostAndReturnsWhenOnlyTheHostCanAdvance) {
    stream* const s = work.create_stream(0, false, 0, 0);
    const task_ptr held = note(0);
    work.submit_held(held);
    for (int i = 1; i < 4; ++i) work.submit(*s, note(i));
    const task_ptr following = note(4);
    work.submit(*s, following, {held});
    // Without a grace period, only these calls make progress.
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(work.poll(following));
    EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
    work.release(held);
    while (!work.poll(following)) {
    }
    EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 0, 4}));
}

TEST_F(Scheduler, ServesSeveralHostThreads) {
    std::atomic<int> done{0};
    std::vector<std::thread> hosts;
    for (int h = 0; h < 4; ++h)
        hosts.emplace_back([&] {
            stream* const s = work.create_stream(0, false, 0, 0);
            for (int i = 0; i < 50; ++i) {
                auto t = std::make_shared<task>();
                t->what = task::kind::host_call;
                t->effect = [&done] { ++done; };
                work.submit(*s, t);
                if (i % 10 == 0) work.wait(t);
            }
            work.wait(*s);
            work.destroy_stream(s);
        });
    for (std::thread& t : hosts) t.join();
    EXPECT_EQ(done, 200);
}

TEST(Status, DistinguishesFaultsByKind) {
    using execution::execution_error;
    using execution::fault_kind;
    const auto named = [](fault_kind k) {
        return status_of_fault(execution_error({}, "x", {}, k));
    };
    EXPECT_EQ(named(fault_kind::outside_of_allocations), status::illegal_address);
    EXPECT_EQ(named(fault_kind::misaligned), status::misaligned_address);
    EXPECT_EQ(named(fault_kind::assertion), status::assertion);
    EXPECT_EQ(named(fault_kind::illegal_instruction), status::illegal_instruction);
    EXPECT_EQ(named(fault_kind::other), status::launch_failure);
    EXPECT_EQ(status_of_fault(std::runtime_error("outside of all allocations")),
              status::launch_failure);
}

TEST(MemorySpace, RegistersProcessMemoryAsMemoryOfAGpu) {
    memory_space memory(1, 1 << 20);
    alignas(512) static std::byte bytes[1024];
    const auto at = reinterpret_cast<std::uint64_t>(bytes);
    memory.admit(at, sizeof bytes, 0, 0, memory_kind::mapped);
    EXPECT_TRUE(memory.is_device_memory(at + 1000));
    EXPECT_FALSE(memory.release(at));
    memory.dismiss(at);
    EXPECT_FALSE(memory.find(at));
}

TEST(MemorySpace, CountsMemoryThatHasNoAddressYet) {
    memory_space memory(1, 1 << 20);
    memory.take(0, 1 << 19);
    EXPECT_EQ(memory.used(0), 1u << 19);
    EXPECT_THROW(memory.take(0, 1 << 20), failure);
    memory.give_back(0, 1 << 19);
    EXPECT_EQ(memory.used(0), 0u);
}

TEST(CodeChoice, SelectsTheNewestPtxThatIsNotNewerThanTheGpu) {
    using execution::instruction_set;
    const std::vector<code_candidate> all = {{instruction_set::ptx, 60, "a"},
                                             {instruction_set::ptx, 75, "b"},
                                             {instruction_set::ptx, 90, "c"},
                                             {instruction_set::sass, 80, "d"}};
    EXPECT_EQ(choose_code(all, 80, code_preference::ptx)->code, "b");
    EXPECT_EQ(choose_code(all, 70, code_preference::ptx)->code, "a");
    EXPECT_EQ(choose_code(all, 50, code_preference::ptx), nullptr);
}

TEST(CodeChoice, MachineCodeRunsOnGpusOfItsGenerationThatAreNotOlder) {
    using execution::instruction_set;
    const std::vector<code_candidate> all = {{instruction_set::ptx, 80, "text"},
                                             {instruction_set::sass, 80, "sm_80"},
                                             {instruction_set::sass, 86, "sm_86"}};
    EXPECT_EQ(choose_code(all, 86, code_preference::sass)->code, "sm_86");
    EXPECT_EQ(choose_code(all, 80, code_preference::sass)->code, "sm_80");
    EXPECT_EQ(choose_code(all, 89, code_preference::sass)->code, "sm_86");
    EXPECT_EQ(choose_code(all, 90, code_preference::sass), nullptr);
    EXPECT_EQ(choose_code(all, 75, code_preference::sass), nullptr);
}

TEST(CodeChoice, AutomaticSelectsMachineCodeThatTheGpuCanRunElsePtx) {
    using execution::instruction_set;
    const std::vector<code_candidate> all = {{instruction_set::ptx, 80, "text"},
                                             {instruction_set::sass, 80, "sm_80"}};
    EXPECT_EQ(choose_code(all, 80, code_preference::automatic)->code, "sm_80");
    EXPECT_EQ(choose_code(all, 86, code_preference::automatic)->code, "sm_80");
    EXPECT_EQ(choose_code(all, 90, code_preference::automatic)->code, "text");
}

TEST(CodeChoice, ArchitectureSpecificCodeRunsOnThatArchitectureOnlyAndIsPreferred) {
    using execution::instruction_set;
    const std::vector<code_candidate> all = {{instruction_set::sass, 90, "sm_90"},
                                             {instruction_set::sass, 90, "sm_90a", 'a'},
                                             {instruction_set::ptx, 80, "compute_80a", 'a'},
                                             {instruction_set::ptx, 70, "compute_70"}};
    EXPECT_EQ(choose_code(all, 90, code_preference::automatic)->code, "sm_90a");
    EXPECT_EQ(choose_code(all, 90, code_preference::ptx)->code, "compute_70");
    EXPECT_EQ(choose_code(all, 80, code_preference::automatic)->code, "compute_80a");
    EXPECT_EQ(choose_code(all, 86, code_preference::automatic)->code, "compute_70");
}

TEST(CodeChoice, PermittedNewerPtxDoesNotMakeNewerMachineCodeRun) {
    using execution::instruction_set;
    const std::vector<code_candidate> all = {{instruction_set::sass, 120, "sm_120"},
                                             {instruction_set::ptx, 120, "compute_120"}};
    EXPECT_EQ(choose_code(all, {90, 120}, code_preference::automatic)->code, "compute_120");
    EXPECT_EQ(choose_code(all, 90, code_preference::automatic), nullptr);
}

TEST(CodeChoice, MachineCodeBeforeVoltaIsNotExecuted) {
    using execution::instruction_set;
    const std::vector<code_candidate> all = {{instruction_set::sass, 61, "sm_61"},
                                             {instruction_set::ptx, 61, "compute_61"}};
    EXPECT_EQ(choose_code(all, 61, code_preference::automatic)->code, "compute_61");
}

TEST(MemorySpace, MapsMemoryWhenAllUsualAddressesAreOccupied) {
    std::vector<void*> taken;
    for (const std::uint64_t a :
         {0x2'0000'0000, 0x1001'0000'0000, 0x2001'0000'0000, 0x3001'0000'0000})
        taken.push_back(::mmap(reinterpret_cast<void*>(a), 4096, PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
    {
        memory_space memory(1, std::uint64_t{80} << 30);
        EXPECT_NE(memory.allocate(memory_kind::device, 0, 100), 0u);
    }
    for (void* const p : taken)
        if (p != MAP_FAILED) ::munmap(p, 4096);
}

TEST(CodeChoice, AutomaticSelectsOlderMachineCodeOfTheGenerationWithoutPtx) {
    using execution::instruction_set;
    const std::vector<code_candidate> all = {{instruction_set::ptx, 120, "too new"},
                                             {instruction_set::sass, 75, "sm_75"},
                                             {instruction_set::sass, 80, "sm_80"}};
    EXPECT_EQ(choose_code(all, 86, code_preference::automatic)->code, "sm_80");
    EXPECT_EQ(choose_code(all, 89, code_preference::automatic)->code, "sm_80");
    EXPECT_EQ(choose_code(all, 90, code_preference::automatic), nullptr);
}

}  // namespace
}  // namespace simtlm::device
