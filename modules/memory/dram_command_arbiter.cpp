// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_command_arbiter.h"

namespace simtlm::memory {

namespace {

std::uint64_t bit(unsigned b) {
    return dram_bank_machines::bit(b);
}

/// @return the first bank of a mask at or after `from`, cyclically. @pre the mask is not empty
unsigned first_from(std::uint64_t mask, unsigned from) {
    const std::uint64_t upper = mask & (~std::uint64_t{0} << from);
    return static_cast<unsigned>(__builtin_ctzll(upper != 0 ? upper : mask));
}

class dual_bus_arbiter : public dram_command_arbiter {
public:
    explicit dual_bus_arbiter(dram_command_bus& bus) : bus_(bus) {}

    issued_commands issue(std::uint64_t now, unsigned& priority) override {
        issued_commands done;
        if (const std::uint64_t ready = bus_.ready_columns(now); ready != 0) {
            bus_.issue_column(first_from(ready, priority), now);
            done.column = true;
        }
        if (const std::uint64_t ready = bus_.ready_rows(now); ready != 0) {
            const unsigned b = first_from(ready, priority);
            bus_.issue_row(b, now);
            priority = b + 1 == bus_.machines().banks() ? 0 : b + 1;
            done.row = true;
        }
        return done;
    }

private:
    dram_command_bus& bus_;
};

class single_bus_arbiter : public dram_command_arbiter {
public:
    single_bus_arbiter(dram_command_bus& bus, dram_statistics& statistics)
        : bus_(bus), statistics_(statistics) {}

    issued_commands issue(std::uint64_t now, unsigned& priority) override {
        issued_commands done;
        const std::uint64_t columns = bus_.ready_columns(now);
        const std::uint64_t rows = bus_.ready_rows(now);
        if ((columns | rows) == 0) return done;
        const unsigned b = first_from(columns | rows, priority);
        if ((columns & bit(b)) != 0) {
            bus_.issue_column(b, now);
            done.column = true;
            return done;
        }
        const unsigned start = priority;
        bus_.issue_row(b, now);
        priority = b + 1 == banks() ? 0 : b + 1;
        done.row = true;
        done.column = finish_walk(now, columns, start, b, priority);
        return done;
    }

private:
    unsigned banks() const { return bus_.machines().banks(); }
    bool is_free(unsigned b) const { return (bus_.machines().busy() & bit(b)) == 0; }

    /// GPGPU-Sim's loop over the banks counts from the priority, which a row command changes during
    /// the loop: the i-th bank visited is then counted from the new priority.
    /// @param start  priority at the beginning of the loop
    /// @param b      the bank of the row command
    /// @returns whether a column command was issued
    bool finish_walk(std::uint64_t now, std::uint64_t columns, unsigned start, unsigned b,
                     unsigned priority) {
        bool issued = false;
        const unsigned distance = b >= start ? b - start : b + banks() - start;
        for (unsigned i = distance + 1; i < banks(); ++i) {
            const unsigned regular = (start + i) % banks();
            const unsigned visited = (priority + i) % banks();
            if (is_free(regular)) --statistics_.banks[regular].idle;
            if (!issued && (columns & bit(visited)) != 0) {
                bus_.issue_column(visited, now);
                issued = true;
            }
            if (is_free(visited)) ++statistics_.banks[visited].idle;
        }
        return issued;
    }

    dram_command_bus& bus_;
    dram_statistics& statistics_;
};

}  // namespace

std::unique_ptr<dram_command_arbiter> make_dual_bus_arbiter(dram_command_bus& bus) {
    return std::make_unique<dual_bus_arbiter>(bus);
}

std::unique_ptr<dram_command_arbiter> make_single_bus_arbiter(dram_command_bus& bus,
                                                              dram_statistics& statistics) {
    return std::make_unique<single_bus_arbiter>(bus, statistics);
}

}  // namespace simtlm::memory
