// SPDX-License-Identifier: Apache-2.0
// Entry point of every test executable: SystemC owns main(), so GoogleTest runs in sc_main.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <systemc>

int sc_main(int argc, char* argv[]) {
    ::testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
