// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/thread_block.h"

#include "modules/execution/common/execution_error.h"
#include "modules/execution/state/block_checks.h"
#include "modules/execution/state/block_cluster.h"
#include "modules/execution/state/collectives.h"
#include "modules/execution/state/execution_log.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>
#include <new>

namespace simtlm::execution {

namespace {
void fill_lanes(std::byte* to, std::uint32_t value) {
    auto* const words = reinterpret_cast<std::uint32_t*>(to);
    for (unsigned i = 0; i < warp_size; ++i) words[i] = value;
}

/// Bytes of shared memory that threads can access. SMs allocate it in units, and ptxas generates
/// vector loads that begin at a variable and end after the last one.
std::uint32_t accessible_shared_bytes(const launch_context& l) {
    if (l.image.isa() != instruction_set::sass) return l.shared_bytes();
    // "Shared memory allocation unit size" of NVIDIA's occupancy calculator.
    const std::uint32_t unit = l.image.architecture() >= 80 ? 128 : 256;
    return (l.shared_bytes() + unit - 1) / unit * unit;
}
}  // namespace

thread_block::thread_block(launch_context& l, worker_state& worker)
    : launch_(l), worker_(worker), shared_bytes_(accessible_shared_bytes(l)) {
    shared_ = make_lane_buffer(shared_bytes_ + 16);
    block_bank_ = make_lane_buffer(block_layout::size);
    thread_banks_ = make_lane_buffer(std::size_t{l.warps()} * thread_layout::size);
    const std::size_t local = std::size_t{l.warps()} * warp_size * l.local_bytes();
    if (local != 0) {
        void* const p = ::mmap(nullptr, local, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) throw std::bad_alloc();
        local_owner_ = std::shared_ptr<void>(p, [local](void* q) { ::munmap(q, local); });
        local_ = static_cast<std::byte*>(p);
    }

    const launch& what = l.what;
    const auto dims = [&](std::uint32_t at, const program::dim3& d) {
        fill(at, d.x);
        fill(at + 128, d.y);
        fill(at + 256, d.z);
        fill(at + 384, 0);
    };
    dims(block_layout::ntid, what.block);
    dims(block_layout::nctaid, what.grid);
    fill(block_layout::nwarpid, l.warps());
    fill(block_layout::nsmid, l.world.sms);
    fill(block_layout::dynamic_shared, l.kernel.static_shared);
    fill(block_layout::dynamic_size, what.dynamic_shared);
    fill(block_layout::total_size,
         static_cast<std::uint32_t>(l.kernel.allocated_shared(what.dynamic_shared)));
    fill64(block_layout::gridid, what.grid_id);
    fill64(block_layout::dynamic_shared64, l.kernel.static_shared);
    fill64(block_layout::shared_window64, address_windows::shared + l.kernel.static_shared);
    for (unsigned i = 0; i < what.environment.size(); ++i)
        fill(block_layout::envreg + 128 * i, what.environment[i]);
    if (what.cooperative) {
        fill(block_layout::envreg + 128, static_cast<std::uint32_t>(l.grid_workspace >> 32));
        fill(block_layout::envreg + 256, static_cast<std::uint32_t>(l.grid_workspace));
    }

    if (l.world.checker != nullptr) checks_ = std::make_unique<block_checks>(l);
    warps_.resize(l.warps());
    for (unsigned i = 0; i < l.warps(); ++i) {
        warp& w = warps_[i];
        w.index = i;
        w.block = this;
        w.launch = &launch_;
        w.worker = &worker_;
        w.code = l.image.code().data();
        w.control = l.image.make_control();
        w.local_bytes = l.local_bytes();
        w.local = local_ + std::size_t{i} * warp_size * l.local_bytes();
        const unsigned threads = std::min(warp_size, l.threads() - i * warp_size);
        w.members = threads == warp_size ? all_lanes : (lane_mask{1} << threads) - 1;
        std::byte* const mine = thread_banks_.get() + std::size_t{i} * thread_layout::size;
        for (unsigned lane = 0; lane < warp_size; ++lane) {
            const auto t = thread_of(w, lane);
            for (unsigned d = 0; d < 3; ++d)
                reinterpret_cast<std::uint32_t*>(mine + thread_layout::tid + 128 * d)[lane] = t[d];
        }
        fill_lanes(mine + thread_layout::warpid, i);
        w.banks[static_cast<unsigned>(bank::constants)] = l.constants();
        w.banks[static_cast<unsigned>(bank::thread)] = mine;
        w.banks[static_cast<unsigned>(bank::block)] = block_bank_.get();
    }
}

thread_block::~thread_block() = default;

/// Clears the memory of the previous CTA. If it is large, pages are returned to the system, since
/// few have been touched.
void thread_block::clear_local() {
    constexpr std::size_t little = std::size_t{256} << 10;
    const std::size_t bytes = std::size_t{launch_.warps()} * warp_size * launch_.local_bytes();
    if (local_used_ && bytes <= little)
        std::memset(local_, 0, bytes);
    else if (local_used_)
        ::madvise(local_, bytes, MADV_DONTNEED);
    local_used_ = true;
}

void thread_block::fill(std::uint32_t offset, std::uint32_t value) {
    fill_lanes(block_bank_.get() + offset, value);
}
void thread_block::fill64(std::uint32_t offset, std::uint64_t value) {
    auto* const words = reinterpret_cast<std::uint64_t*>(block_bank_.get() + offset);
    for (unsigned i = 0; i < warp_size; ++i) words[i] = value;
}

/// Ranks are numbered like threads, with x varying fastest.
void thread_block::join_cluster(std::shared_ptr<block_cluster> cluster) {
    const program::dim3& shape = launch_.cluster();
    cluster_ = cluster != nullptr ? std::move(cluster) : std::make_shared<block_cluster>(shape);
    const program::dim3& grid = launch_.what.grid;
    const std::array<unsigned, 3> size{shape.x, shape.y, shape.z};
    const std::array<unsigned, 3> blocks{grid.x, grid.y, grid.z};
    std::array<unsigned, 3> at{};
    for (unsigned d = 0; d < 3; ++d) {
        at[d] = index_[d] % size[d];
        fill(block_layout::clusterid + 128 * d, index_[d] / size[d]);
        fill(block_layout::nclusterid + 128 * d, blocks[d] / size[d]);
        fill(block_layout::cluster_ctaid + 128 * d, at[d]);
        fill(block_layout::cluster_nctaid + 128 * d, size[d]);
    }
    rank_ = (at[2] * shape.y + at[1]) * shape.x + at[0];
    fill(block_layout::cluster_ctarank, rank_);
    fill(block_layout::cluster_nctarank, cluster_->size());
    // Not an address of shared::cluster where it would not differ from one of shared::cta.
    const std::uint64_t own =
        cluster_->size() == 1 ? 0 : address_windows::in_rank(rank_, 0) - address_windows::shared;
    fill(block_layout::own_shared, static_cast<std::uint32_t>(own));
    fill64(block_layout::own_shared64, own);
    const bool is_explicit = launch_.kernel.required_cluster[0] != 0 || shape.volume() > 1;
    fill(block_layout::is_explicit_cluster, is_explicit ? all_lanes : 0);
    cluster_->set_block(rank_, this);
}

thread_block* thread_block::block_of_rank(unsigned rank) const {
    return cluster_->block_of_rank(rank);
}

void thread_block::start(std::uint64_t number, unsigned sm,
                         std::shared_ptr<block_cluster> cluster) {
    number_ = number;
    const program::dim3& grid = launch_.what.grid;
    index_ = {static_cast<unsigned>(number % grid.x),
              static_cast<unsigned>(number / grid.x % grid.y),
              static_cast<unsigned>(number / grid.x / grid.y)};
    for (unsigned d = 0; d < 3; ++d) fill(block_layout::ctaid + 128 * d, index_[d]);
    fill(block_layout::smid, sm);
    join_cluster(std::move(cluster));
    if (shared_bytes_ != 0) {
        std::memset(shared_.get(), 0, shared_bytes_);
        launch_.image.initialise_shared(shared_.get(), rank());
    }
    if (local_ != nullptr) clear_local();
    if (checks_) checks_->start(*this);
    for (barrier_state& b : barriers_) b = {};
    tensors_.reset();
    for (warp& w : warps_) {
        w.control->start(w, launch_.kernel);
        w.active = w.members;
        w.cluster_arrived = 0;
        w.cluster_phase = 0;
        w.warpgroup_groups = 0;
        w.warpgroup_fences = 0;
        w.next = w.code + launch_.kernel.first;
        w.status = warp_status::ready;
        w.has_waited = false;
    }
    warps_at_mbarriers = 0;
    live_warps_ = static_cast<unsigned>(warps_.size());
    if (launch_.world.log != nullptr) launch_.world.log->block_started(*this);
}

void thread_block::placed(unsigned sm, unsigned sms) {
    fill(block_layout::smid, sm);
    fill(block_layout::nsmid, sms);
}

std::array<unsigned, 3> thread_block::thread_of(const warp& w, unsigned lane) const {
    const unsigned t = w.index * warp_size + lane;
    const program::dim3& b = launch_.what.block;
    return {t % b.x, t / b.x % b.y, t / b.x / b.y};
}

void thread_block::warp_ended(warp&) {
    if (--live_warps_ == 0) cluster_->set_block(rank_, nullptr);
    for (barrier_state& b : barriers_) finish_if_all_came(b);
}

void thread_block::finish_if_all_came(barrier_state& b) {
    if (b.arrived == 0) return;
    const std::uint32_t needed = b.expected != 0 ? b.expected : live_warps_ * warp_size;
    if (b.arrived >= needed) complete(b);
}

bool thread_block::arrive(warp& w, unsigned id, std::uint32_t threads, bool waits) {
    barrier_state& b = barriers_[id];
    b.expected = threads;
    b.arrived += warp_size;
    if (checks_ && threads != 0) checks_->arrive(w.index, id);
    if (waits) {
        b.waiting.push_back(w.index);
        w.status = warp_status::barrier;
    }
    finish_if_all_came(b);
    return w.status != warp_status::barrier;
}

void thread_block::complete(barrier_state& b) {
    if (checks_)
        // Warps that have ended are included in a barrier of the whole CTA.
        checks_->complete(static_cast<unsigned>(&b - barriers_.data()), b.waiting, b.expected == 0);
    for (const barrier_arrival& a : b.results) finish_barrier_reduction(warps_[a.warp], a, b);
    for (const unsigned i : b.waiting)
        if (warps_[i].status == warp_status::barrier) warps_[i].status = warp_status::ready;
    b = {};
}

fault_site thread_block::site_of(const warp& w, const operation* op, unsigned lane) const {
    fault_site s;
    s.kernel = launch_.kernel.name;
    s.where = launch_.image.where(*op);
    const auto thread = thread_of(w, lane);
    for (unsigned d = 0; d < 3; ++d) {
        s.block[d] = index_[d];
        s.thread[d] = thread[d];
    }
    return s;
}

void thread_block::fail(const warp& w, const operation* op, unsigned lane, const std::string& what,
                        const std::string& remedy, fault_kind kind) const {
    throw execution_error(site_of(w, op, lane), what + " [" + launch_.image.text_of(*op) + "]",
                          remedy, kind);
}

}  // namespace simtlm::execution
