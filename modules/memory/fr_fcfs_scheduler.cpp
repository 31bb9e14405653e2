// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_scheduler.h"
#include "modules/support/archive.h"

namespace simtlm::memory {

namespace {

/// The requests of one kind, by bank and row.
///
/// A bank serves a row until no request for it is left; then it continues with the open row if
/// there is a request for it, otherwise with the row of the oldest request.
class row_queue {
public:
    row_queue(unsigned banks, dram_request_table& requests) : requests_(requests), banks_(banks) {
        for (auto& b : banks_) b.rows.reserve(16);
    }

    void add(std::uint32_t i) {
        dram_request& r = requests_[i];
        r.next = dram_request_table::none;
        bank& b = banks_[r.bank];
        for (row& w : b.rows)
            if (w.number == r.row) {
                requests_[w.newest].next = i;
                w.newest = i;
                return;
            }
        b.rows.push_back({r.row, i, i, r.order});
        waiting_ |= std::uint64_t{1} << r.bank;
    }

    struct choice {
        std::uint32_t request;
        bool row_switch;  ///< the bank switches to a row that is not open
    };
    /// @pre waiting() includes the bank
    choice take(unsigned bank_index, std::uint32_t open_row) {
        bank& b = banks_[bank_index];
        const std::uint32_t wanted = b.serving ? b.serving_row : open_row;
        std::size_t at = 0;
        while (at < b.rows.size() && b.rows[at].number != wanted) ++at;
        const bool row_switch = at == b.rows.size();
        if (row_switch) {
            at = 0;
            for (std::size_t i = 1; i < b.rows.size(); ++i)
                if (b.rows[i].oldest_order < b.rows[at].oldest_order) at = i;
        }
        row& w = b.rows[at];
        const std::uint32_t i = w.oldest;
        b.serving = w.oldest != w.newest;
        b.serving_row = w.number;
        if (b.serving) {
            w.oldest = requests_[i].next;
            w.oldest_order = requests_[w.oldest].order;
        } else {
            w = b.rows.back();
            b.rows.pop_back();
            if (b.rows.empty()) waiting_ &= ~(std::uint64_t{1} << bank_index);
        }
        return {i, row_switch};
    }

    /// Bit b: bank b has requests.
    std::uint64_t waiting() const { return waiting_; }

    /// Saves or restores the rows that the banks were serving. @pre no request waits
    void checkpoint(support::archive& a) {
        for (bank& b : banks_) a(b.serving_row, b.serving);
    }

private:
    struct row {
        std::uint32_t number;
        std::uint32_t oldest;
        std::uint32_t newest;
        std::uint64_t oldest_order;
    };
    struct bank {
        std::vector<row> rows;
        std::uint32_t serving_row = 0;
        bool serving = false;
    };
    dram_request_table& requests_;
    std::vector<bank> banks_;
    std::uint64_t waiting_ = 0;
};

class fr_fcfs_scheduler : public dram_scheduler {
public:
    explicit fr_fcfs_scheduler(const dram_scheduler_parts& p)
        : requests_(p.requests),
          statistics_(p.statistics),
          size_(p.config.scheduler_queue_size),
          separate_writes_(p.config.separate_write_queue),
          writes_fill_gaps_(!p.config.quirk_writes_wait),
          write_size_(p.config.write_queue_size),
          high_(p.config.write_high_watermark),
          low_(p.config.write_low_watermark),
          reads_(p.config.timing.nbk, p.requests),
          writes_(p.config.timing.nbk, p.requests) {}

    void add(std::uint32_t i) override {
        if (separate_writes_ && requests_[i].write) {
            writes_.add(i);
            ++pending_writes_;
            acknowledged_writes_ += requests_[i].posted ? 0 : 1;
        } else {
            reads_.add(i);
            ++pending_;
        }
    }

    std::uint32_t choose(std::uint64_t free, unsigned& priority, const dram_timing_state& banks,
                         std::uint64_t core_now) override {
        if (free == 0) return dram_request_table::none;
        if (switches_mode()) draining_ = !draining_;
        const bool write = draining_ || (writes_may_fill_gaps() && pending_ == 0);
        row_queue& queue = write ? writes_ : reads_;
        const std::uint64_t candidates = free & queue.waiting();
        if (candidates == 0) return dram_request_table::none;
        const std::uint64_t upper = candidates & (~std::uint64_t{0} << priority);
        const auto b = static_cast<unsigned>(__builtin_ctzll(upper != 0 ? upper : candidates));
        const auto choice = queue.take(b, banks.row(b));
        count(requests_[choice.request], b, choice.row_switch, core_now);
        --(write ? pending_writes_ : pending_);
        if (write && !requests_[choice.request].posted) --acknowledged_writes_;
        priority = priority + 1 == banks.banks() ? 0 : priority + 1;
        return choice.request;
    }

    bool may_choose(std::uint64_t free) const override {
        return (free & (reads_.waiting() | writes_.waiting())) != 0 ||
               (free != 0 && switches_mode());
    }
    unsigned pending() const override { return pending_; }
    bool full(bool write) const override {
        if (size_ == 0) return false;
        if (separate_writes_ && write) return pending_writes_ >= write_size_;
        return pending_ >= size_;
    }
    bool by_row() const override { return true; }
    void checkpoint(support::archive& a) override { a(reads_, writes_, draining_); }

private:
    /// Whether the next choice starts or stops draining the writes, even if it finds no request.
    bool switches_mode() const {
        return separate_writes_ && (draining_ ? pending_writes_ < low_ : pending_writes_ >= high_);
    }

    /// Quirk: writes wait for the high watermark. Writes that an SM waits for cannot, because their
    /// number may never reach it; GPGPU-Sim does not end then.
    bool writes_may_fill_gaps() const { return writes_fill_gaps_ || acknowledged_writes_ != 0; }

    void count(const dram_request& r, unsigned b, bool row_switch, std::uint64_t core_now) {
        dram_statistics::bank& k = statistics_.banks[b];
        if (row_switch) {
            if (core_now > k.row_service_since)
                k.max_row_service = std::max(k.max_row_service, core_now - k.row_service_since);
            k.row_service_since = core_now;
            k.max_same_row = std::max(k.max_same_row, k.same_row_accesses);
            k.same_row_accesses = 0;
            ++k.row_switches;
        }
        ++k.same_row_accesses;
        ++k.row_accesses;
        ++statistics_.accesses;
        ++(r.write ? statistics_.write_accesses : statistics_.read_accesses);
        if (!row_switch) {
            ++statistics_.row_hits;
            ++(r.write ? statistics_.row_hits_write : statistics_.row_hits_read);
        }
    }

    dram_request_table& requests_;
    dram_statistics& statistics_;
    unsigned size_;
    bool separate_writes_;
    bool writes_fill_gaps_;  // writes are served while no read waits, regardless of their number
    unsigned write_size_, high_, low_;
    row_queue reads_;  // all requests, unless writes have a separate queue
    row_queue writes_;
    unsigned pending_ = 0;
    unsigned pending_writes_ = 0;
    unsigned acknowledged_writes_ = 0;  // of them, those that are answered
    bool draining_ = false;
};

}  // namespace

std::unique_ptr<dram_scheduler> make_fr_fcfs_scheduler(const dram_scheduler_parts& parts) {
    return std::make_unique<fr_fcfs_scheduler>(parts);
}

}  // namespace simtlm::memory
