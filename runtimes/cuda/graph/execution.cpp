// SPDX-License-Identifier: Apache-2.0
// Launches of graphs.
#include "runtimes/cuda/session.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace simtlm::cuda {

namespace {

device::task_ptr host_task(unsigned device, std::function<void()> effect) {
    auto t = std::make_shared<device::task>();
    t->what = device::task::kind::host_call;
    t->device = device;
    t->effect = std::move(effect);
    return t;
}

device::task_ptr carry_out(session& s, const graph& g, device::task_ptr first, unsigned device,
                           std::uint64_t stream);

/// An execution of a conditional node.
struct conditional_run {
    session& s;
    std::shared_ptr<const conditional> what;
    unsigned device;
    std::uint64_t stream;
    std::atomic<bool> has_ended{false};
};

/// Executes the graph that the current value selects; repeatedly for a loop.
void decide(const std::shared_ptr<conditional_run>& run) {
    session& s = run->s;
    const auto lock = s.captures.lock();
    std::uint32_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(run->what->handle), sizeof value);
    const graph* const body = run->what->chosen(value);
    if (body == nullptr) {
        run->has_ended = true;
        return;
    }
    auto begin = std::make_shared<device::task>();
    begin->device = run->device;
    s.work().submit_after(begin, {});
    const device::task_ptr last = carry_out(s, *body, begin, run->device, run->stream);
    const bool repeats = run->what->what == conditional::form::loop;
    s.work().submit_after(host_task(run->device,
                                    [run, repeats] {
                                        if (repeats)
                                            decide(run);
                                        else
                                            run->has_ended = true;
                                    }),
                          {last});
}

/// @return a task that completes when the graphs of the node have completed
device::task_ptr carry_out_conditional(session& s, const graph_node& n,
                                       const std::vector<device::task_ptr>& after, unsigned device,
                                       std::uint64_t stream) {
    auto run =
        std::shared_ptr<conditional_run>(new conditional_run{s, n.what.condition, device, stream});
    const device::task_ptr begin = host_task(device, [run] { decide(run); });
    s.work().submit_after(begin, after);
    auto end = std::make_shared<device::task>();
    end->device = device;
    end->until = [run] { return run->has_ended.load(); };
    s.work().submit_after(end, {begin});
    return end;
}

/// Sets the condition values that are initialised at every launch of the graph.
device::task_ptr initialise_conditions(session& s, const graph& g, device::task_ptr first,
                                       unsigned device) {
    for (const condition& c : g.conditions) {
        if (!c.is_initialised) continue;
        const device::task_ptr t = host_task(device, [c] {
            std::memcpy(reinterpret_cast<void*>(c.handle), &c.initial, sizeof c.initial);
        });
        s.work().submit_after(t, {first});
        first = t;
    }
    return first;
}

/// Submits the tasks of a graph after `first`. @return a task that completes after all of them
device::task_ptr carry_out(session& s, const graph& g, device::task_ptr first, unsigned device,
                           std::uint64_t stream) {
    first = initialise_conditions(s, g, std::move(first), device);
    std::map<const graph_node*, device::task_ptr> tasks;
    std::vector<device::task_ptr> all{first};
    for (graph_node* n : g.sorted()) {
        std::vector<device::task_ptr> after;
        device::task_ptr primary;  // it may begin before this kernel has ended
        for (std::size_t i = 0; i < n->after.size(); ++i) {
            const device::task_ptr& before = tasks[n->after[i]];
            if (!primary && n->enabled && n->edges[i].from_port == edge_data::programmatic_launch &&
                before->what == device::task::kind::kernel && before->device == device)
                primary = before;
            else
                after.push_back(before);
        }
        if (after.empty() && !primary) after.push_back(first);
        device::task_ptr t;
        if (n->what.kind == node_kind::graph && n->enabled) {
            auto begin = std::make_shared<device::task>();
            begin->device = device;
            s.work().submit_after(begin, after);
            t = carry_out(s, *n->what.child, begin, device, stream);
        } else if (n->what.kind == node_kind::conditional && n->enabled) {
            t = carry_out_conditional(s, *n, after, device, stream);
        } else {
            if (n->what.kind == node_kind::wait_event && n->what.event->recorded)
                after.push_back(n->what.event->recorded);
            t = n->enabled && n->what.make ? n->what.make(s) : std::make_shared<device::task>();
            if (t->what != device::task::kind::kernel) t->device = device;
            t->stream = stream;
            if (t->what == device::task::kind::kernel)
                t->primary = primary;
            else if (primary)
                after.push_back(primary);
            s.work().submit_after(t, after);
        }
        tasks[n] = t;
        all.push_back(t);
    }
    auto last = std::make_shared<device::task>();
    last->device = device;
    s.work().submit_after(last, all);
    return last;
}

}  // namespace

void launch_graph(session& s, executable_graph& g, device::stream& stream) {
    const auto lock = s.captures.lock();
    if (const auto c = s.captures.of(stream)) {
        operation o;
        o.kind = node_kind::graph;
        o.child = g.what->clone_for_node();
        enqueue(s, stream, std::move(o));
        return;
    }
    const device::task_ptr first = s.work().mark(stream, {g.last});
    const device::task_ptr last = carry_out(s, *g.what, first, stream.device, stream.number);
    g.last = s.work().mark(stream, {last});
}

}  // namespace simtlm::cuda
