// SPDX-License-Identifier: Apache-2.0
#include "modules/simulation/clock_crossing_fifo.h"

#include "tests/unit/simulation/sequencer_rig.h"

#include <gtest/gtest.h>

#include <random>

namespace simtlm::simulation {
namespace {

/// A writer in one domain and a reader in another with a FIFO between them. Both are idle for a
/// percentage of cycles, and sleep whenever the FIFO gives them nothing to do.
struct crossing : sc_core::sc_module {
    sequencer_rig rig;
    recorder writer, reader;
    clock_crossing_fifo<std::uint64_t> fifo;
    std::vector<std::uint64_t> received;
    std::uint64_t sent = 0, writer_slept = 0, reader_slept = 0;
    std::size_t most = 0;

    crossing(const sc_core::sc_module_name& name, unsigned write_period, unsigned read_period,
             std::size_t depth, unsigned laziness, bool reader_first)
        : sc_module(name),
          rig("rig", {write_period, read_period},
              reader_first ? std::vector<phase>{{1, "read"}, {0, "write"}}
                           : std::vector<phase>{{0, "write"}, {1, "read"}}),
          writer("writer", rig.sequencer, reader_first ? 1 : 0),
          reader("reader", rig.sequencer, reader_first ? 0 : 1, false),
          fifo("fifo", depth) {
        fifo.set_reader(reader.process);
        fifo.set_writer(writer.process);
        writer.then = [this, laziness](recorder& r) {
            if (fifo.full()) {
                ++writer_slept;
                r.process.sleep();
                return;
            }
            if (random_() % 100 >= laziness) fifo.push(sent++);
            most = std::max(most, fifo.size());
        };
        reader.then = [this, laziness](recorder& r) {
            if (fifo.empty()) {
                ++reader_slept;
                r.process.sleep();
                return;
            }
            if (random_() % 100 >= laziness) received.push_back(fifo.pop());
        };
    }
    bool in_order() const {
        for (std::size_t i = 0; i < received.size(); ++i)
            if (received[i] != i) return false;
        return true;
    }

private:
    std::mt19937 random_{1};
};

struct ratio {
    const char* name;
    unsigned write_ps, read_ps;
};
void PrintTo(const ratio& r, std::ostream* os) {
    *os << r.name;
}

class ClockCrossingFifo : public ::testing::TestWithParam<ratio> {};

TEST_P(ClockCrossingFifo, KeepsOrderAtTheRateOfTheSlowerSide) {
    const ratio r = GetParam();
    crossing eager("eager", r.write_ps, r.read_ps, 4, 0, true);
    crossing other("other", r.write_ps, r.read_ps, 4, 0, false);
    crossing lazy("lazy", r.write_ps, r.read_ps, 3, 40, true);
    crossing one("one", r.write_ps, r.read_ps, 1, 0, false);
    const double window = 20.0e6;  // ps
    sc_core::sc_start(sc_core::sc_time(window, sc_core::SC_PS));
    const double slower = window / std::max(r.write_ps, r.read_ps);
    for (const crossing* c : {&eager, &other, &lazy, &one}) {
        EXPECT_TRUE(c->in_order()) << c->name();
        EXPECT_EQ(c->received.size() + c->fifo.size(), c->sent) << c->name();
        EXPECT_LE(c->most, c->fifo.depth());
    }
    for (const crossing* c : {&eager, &other})
        EXPECT_NEAR(static_cast<double>(c->received.size()), slower, 5.0) << c->name();
    EXPECT_GT(lazy.received.size(), slower * 0.3);
    // An entry read at an edge can be written again at the next edge of the writer at the earliest.
    EXPECT_GT(one.received.size(), slower * 0.45);
    // The faster side has slept.
    if (r.write_ps < r.read_ps) {
        EXPECT_GT(eager.writer_slept, 10u);
    }
    if (r.write_ps > r.read_ps) {
        EXPECT_GT(eager.reader_slept, 10u);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Ratios, ClockCrossingFifo,
    ::testing::Values(ratio{"CoreToDram", 1132, 850}, ratio{"DramToCore", 850, 1132},
                      ratio{"FastToSlow", 1000, 3700}, ratio{"SlowToFast", 3700, 1000},
                      ratio{"NearlyEqual", 1000, 999}, ratio{"NearlyEqualBack", 999, 1000},
                      ratio{"Equal", 1000, 1000}, ratio{"Coprime", 1009, 2003}),
    [](const auto& of) { return std::string(of.param.name); });

TEST(ClockCrossingFifoOnOneEdge, IsReadOnTheEdgeOfTheWriteWhenTheReadersPhaseIsLater) {
    crossing later("later", 1000, 1000, 4, 0, false), earlier("earlier", 1000, 1000, 4, 0, true);
    sc_core::sc_start(9500, sc_core::SC_PS);
    EXPECT_EQ(later.received.size(), 10u);
    EXPECT_EQ(earlier.received.size(), 9u);
    EXPECT_EQ(later.most, 1u);
}

TEST(ClockCrossingFifoOnOneEdge, CountsItsEntriesCycleByCycle) {
    sequencer_rig rig("rig", {1000}, {{0, "write"}, {0, "read"}});
    recorder writer("writer", rig.sequencer, 0), reader("reader", rig.sequencer, 1);
    clock_crossing_fifo<int> fifo("fifo", 4);
    fifo.measure(reader.process);
    writer.then = [&](recorder& r) {
        if (r.process.now() == 10 || r.process.now() == 13) fifo.push(0);
    };
    reader.then = [&](recorder& r) {
        if (r.process.now() == 15 || r.process.now() == 18) fifo.pop();
    };
    rig.run_to(16);
    fifo.count_to(16);
    EXPECT_EQ(fifo.counted().sum, 5u + 3u) << "to the end of cycle 15";
    rig.run_to(30);
    EXPECT_EQ(fifo.counted().sum, 5u + 5u) << "stays of 10 to 15 and of 13 to 18";
    EXPECT_EQ(fifo.counted().max, 2u);
}

TEST(ClockCrossingFifoOnOneEdge, WakesTheWriterOnlyWhenItHadBeenFull) {
    sequencer_rig rig("rig", {1000}, {{0, "write"}, {0, "read"}});
    recorder writer("writer", rig.sequencer, 0, false), reader("reader", rig.sequencer, 1, false);
    clock_crossing_fifo<int> fifo("fifo", 2);
    fifo.set_reader(reader.process);
    fifo.set_writer(writer.process);
    fifo.push(1);
    EXPECT_TRUE(reader.process.awake());
    EXPECT_EQ(fifo.pop(), 1);
    EXPECT_FALSE(writer.process.awake());
    fifo.push(2);
    fifo.push(3);
    EXPECT_TRUE(fifo.full());
    EXPECT_EQ(fifo.room(), 0u);
    EXPECT_EQ(fifo.front(), 2);
    EXPECT_EQ(fifo.pop(), 2);
    EXPECT_TRUE(writer.process.awake());
    EXPECT_EQ(fifo.size(), 1u);
}

}  // namespace
}  // namespace simtlm::simulation
