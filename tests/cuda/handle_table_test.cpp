// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/handle_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace simtlm::cuda {
namespace {

TEST(HandleTable, RejectsAnUnknownHandle) {
    handle_table<int> table(status::invalid_handle, "not a number");
    int* const handle = table.insert(std::make_unique<int>(7));
    EXPECT_EQ(7, table.get(handle));
    const int other = 0;
    for (const int* const unknown : {&other, static_cast<const int*>(nullptr)}) {
        try {
            table.get(unknown);
            FAIL() << "a failure is missing";
        } catch (const failure& f) {
            EXPECT_EQ(status::invalid_handle, f.code());
        }
    }
    EXPECT_EQ(7, *table.erase(handle));
    EXPECT_FALSE(table.contains(handle));
    EXPECT_THROW(table.erase(handle), failure);
}

TEST(HandleTable, SharesItsObjectsWithOtherOwners) {
    handle_table<int, std::shared_ptr<int>> table(status::invalid_value, "not a number");
    int* const handle = table.insert(std::make_shared<int>(3));
    const std::shared_ptr<int> mine = table.share(handle);
    table.erase(handle);
    EXPECT_EQ(3, *mine);
}

TEST(HandleTable, IsThreadSafe) {
    handle_table<int> table(status::invalid_handle, "not a number");
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&table] {
            for (int i = 0; i < 1000; ++i) {
                int* const handle = table.insert(std::make_unique<int>(i));
                EXPECT_EQ(i, table.get(handle));
                if (i % 2 == 0) table.erase(handle);
            }
        });
    for (std::thread& t : threads) t.join();
    EXPECT_TRUE(table.any_of([](int n) { return n == 999; }));
    EXPECT_FALSE(table.any_of([](int n) { return n == 998; }));
}

TEST(ValueTable, KeepsTheLastValueOfAKey) {
    value_table<int, char> table;
    EXPECT_FALSE(table.find(1).has_value());
    table.set(1, 'a');
    table.set(1, 'b');
    EXPECT_EQ('b', table.find(1));
    EXPECT_TRUE(table.erase(1));
    EXPECT_FALSE(table.erase(1));
    table.set(2, 'c');
    EXPECT_EQ(1u, table.clear().size());
    EXPECT_FALSE(table.find(2).has_value());
}

}  // namespace
}  // namespace simtlm::cuda
