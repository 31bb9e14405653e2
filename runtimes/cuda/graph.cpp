// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/graph.h"

#include "runtimes/cuda/call.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>

namespace simtlm::cuda {

namespace {

void erase(std::vector<graph_node*>& from, const graph_node* n) {
    from.erase(std::remove(from.begin(), from.end(), n), from.end());
}

/// Removes a dependency and its edge.
void drop(graph_node* n, const graph_node* after) {
    const auto at = std::find(n->after.begin(), n->after.end(), after);
    if (at == n->after.end()) return;
    n->edges.erase(n->edges.begin() + (at - n->after.begin()));
    n->after.erase(at);
}

void check_edge(const graph_node& from, const graph_node& to, const edge_data& e) {
    const bool kernels = from.what.kind == node_kind::kernel && to.what.kind == node_kind::kernel;
    const bool zero = std::all_of(std::begin(e.reserved), std::end(e.reserved),
                                  [](std::uint8_t b) { return b == 0; });
    require(e.from_port <= edge_data::launch_completion && e.is_programmatic <= 1 &&
                e.to_port == 0 && zero,
            status::invalid_value, "edge data of a graph with an unknown port or type");
    require(e.from_port == edge_data::completion || from.what.kind == node_kind::kernel,
            status::invalid_value, "an edge from a port that only kernel nodes have");
    require(e.is_programmatic == 0 || (kernels && e.from_port != edge_data::completion),
            status::invalid_value,
            "a programmatic edge that does not begin at a port of a kernel node and end at one");
    require(e.from_port != edge_data::programmatic_launch || e.is_programmatic != 0,
            status::invalid_value,
            "an edge from cudaGraphKernelNodePortProgrammatic of another type");
}

/// The caller must hold session::graphs_mutex.
std::uint64_t next_number() {
    static std::uint64_t last = 0;
    return ++last;
}

void renumber(graph& g) {
    for (const auto& n : g.nodes) {
        n->number = next_number();
        if (n->what.child) renumber(*n->what.child);
        if (n->what.condition)
            for (const auto& body : n->what.condition->bodies) renumber(*body);
    }
}

}  // namespace

graph_node* graph::add(operation what, const std::vector<graph_node*>& after,
                       const std::vector<edge_data>& edges) {
    auto n = std::make_unique<graph_node>();
    n->owner = this;
    n->what = std::move(what);
    n->number = next_number();
    // Arguments can be queried, and their addresses are known now.
    for (void*& p : n->what.parameter_addresses)
        p = n->what.parameters.data() + reinterpret_cast<std::uintptr_t>(p);
    if (n->what.kind == node_kind::kernel) {
        n->what.kernel.arguments = n->what.parameter_addresses.data();
        n->what.kernel.extra = nullptr;
    }
    graph_node* const raw = n.get();
    for (std::size_t i = 0; i < edges.size(); ++i) check_edge(*after[i], *raw, edges[i]);
    nodes.push_back(std::move(n));
    for (std::size_t i = 0; i < after.size(); ++i)
        connect(after[i], raw, i < edges.size() ? edges[i] : edge_data());
    return raw;
}

void graph::connect(graph_node* from, graph_node* to, const edge_data& edge) {
    check_edge(*from, *to, edge);
    if (std::find(to->after.begin(), to->after.end(), from) != to->after.end()) return;
    to->after.push_back(from);
    to->edges.push_back(edge);
    from->before.push_back(to);
}

void graph::disconnect(graph_node* from, graph_node* to) {
    drop(to, from);
    erase(from->before, to);
}

void graph::remove(graph_node* n) {
    for (graph_node* a : n->after) erase(a->before, n);
    for (graph_node* b : n->before) drop(b, n);
    nodes.erase(std::find_if(nodes.begin(), nodes.end(),
                             [&](const auto& other) { return other.get() == n; }));
}

std::shared_ptr<graph> graph::clone() const {
    auto copy = std::make_shared<graph>();
    std::map<const graph_node*, graph_node*> mine;
    for (const auto& n : nodes) {
        auto c = std::make_unique<graph_node>();
        c->owner = copy.get();
        c->what = n->what;
        c->what.parameter_addresses.clear();
        for (void* p : n->what.parameter_addresses)
            c->what.parameter_addresses.push_back(
                c->what.parameters.data() +
                (static_cast<std::byte*>(p) - n->what.parameters.data()));
        if (c->what.kind == node_kind::kernel)
            c->what.kernel.arguments = c->what.parameter_addresses.data();
        if (n->what.child) c->what.child = n->what.child->clone();
        if (n->what.condition) {
            c->what.condition = std::make_shared<conditional>(*n->what.condition);
            c->what.condition->handed_out.clear();
            for (auto& body : c->what.condition->bodies) body = body->clone();
        }
        c->number = n->number;
        c->enabled = n->enabled;
        mine[n.get()] = c.get();
        copy->nodes.push_back(std::move(c));
    }
    for (const auto& n : nodes)
        for (std::size_t i = 0; i < n->after.size(); ++i)
            copy->connect(mine[n->after[i]], mine[n.get()], n->edges[i]);
    copy->conditions = conditions;
    return copy;
}

std::shared_ptr<graph> graph::clone_for_node() const {
    auto copy = clone();
    renumber(*copy);
    return copy;
}

graph_node* graph::find(std::uint64_t number) const {
    for (const auto& n : nodes)
        if (n->number == number) return n.get();
    for (const auto& n : nodes) {
        if (n->what.child)
            if (graph_node* const found = n->what.child->find(number)) return found;
        if (n->what.condition)
            for (const auto& body : n->what.condition->bodies)
                if (graph_node* const found = body->find(number)) return found;
    }
    return nullptr;
}

const graph* conditional::chosen(std::uint32_t value) const {
    std::size_t which = value;
    if (what == form::if_else) which = value != 0 ? 0 : 1;
    if (what == form::loop) which = value != 0 ? 0 : bodies.size();
    return which < bodies.size() ? bodies[which].get() : nullptr;
}

std::vector<graph_node*> graph::sorted() const {
    std::vector<graph_node*> order;
    std::map<const graph_node*, std::size_t> missing;
    for (const auto& n : nodes) {
        missing[n.get()] = n->after.size();
        if (n->after.empty()) order.push_back(n.get());
    }
    for (std::size_t i = 0; i < order.size(); ++i)
        for (graph_node* b : order[i]->before)
            if (--missing[b] == 0) order.push_back(b);
    require(order.size() == nodes.size(), status::invalid_value, "the graph has a cycle");
    return order;
}

std::shared_ptr<capture> capture_of(session& s, const device::stream& stream) {
    const std::lock_guard<std::recursive_mutex> lock(s.graphs_mutex);
    const auto at = s.captures.find(&stream);
    return at == s.captures.end() ? nullptr : at->second;
}

std::shared_ptr<capture> valid_capture_of(session& s, const device::stream& stream) {
    auto c = capture_of(s, stream);
    require(!c || !c->invalid, status::capture_invalidated, "the capture is invalidated");
    return c;
}

device::task_ptr enqueue(session& s, device::stream& stream, operation what) {
    {
        const std::lock_guard<std::recursive_mutex> lock(s.graphs_mutex);
        if (const auto c = valid_capture_of(s, stream)) {
            std::vector<graph_node*>& tail = c->tails[&stream];
            std::vector<edge_data>& edges = c->tail_edges[&stream];
            edges.resize(tail.size());
            // The launch attribute becomes an edge from the previous kernel.
            if (what.programmatic && tail.size() == 1 &&
                tail.front()->what.kind == node_kind::kernel)
                edges.front() = {edge_data::programmatic_launch, 0, 1, {}};
            tail = {c->what->add(std::move(what), tail, edges)};
            edges.clear();
            return nullptr;
        }
        refuse_implicit_dependency(s, stream);
    }
    device::task_ptr t = what.make(s);
    s.work().submit(stream, t);
    return t;
}

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
    const std::lock_guard<std::recursive_mutex> lock(s.graphs_mutex);
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
    const std::lock_guard<std::recursive_mutex> lock(s.graphs_mutex);
    if (const auto c = capture_of(s, stream)) {
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

void invalidate(capture& c, status code, const char* why) {
    c.invalid = true;
    throw failure(code, why);
}

namespace {

/// Invalidates all captures with a property; a failure if there are any.
template <class Applies>
void refuse_if(session& s, status code, const char* why, Applies applies) {
    const std::lock_guard<std::recursive_mutex> lock(s.graphs_mutex);
    bool any = false;
    for (auto& [stream, c] : s.captures)
        if (applies(*stream, *c)) any = c->invalid = true;
    require(!any, code, why);
}

}  // namespace

void refuse_during_capture(session& s) {
    constexpr int global = 0, relaxed = 2;
    const int mine = session::thread().capture_mode;
    if (mine == relaxed) return;
    refuse_if(s, status::capture_unsupported, "not permitted while a stream is being captured",
              [mine](const device::stream&, const capture& c) {
                  if (c.mode == relaxed) return false;
                  return c.thread == std::this_thread::get_id() ||
                         (mine == global && c.mode == global);
              });
}

void refuse_waiting_for_captured(session& s, const device::stream& stream) {
    refuse_if(s, status::capture_unsupported, "the stream is being captured",
              [&](const device::stream& other, const capture&) { return &other == &stream; });
    refuse_implicit_dependency(s, stream);
}

void refuse_waiting_for_captured_device(session& s, unsigned device) {
    refuse_if(s, status::capture_unsupported, "a stream of the device is being captured",
              [=](const device::stream& other, const capture&) { return other.device == device; });
}

void refuse_implicit_dependency(session& s, const device::stream& stream) {
    if (!stream.legacy) return;
    refuse_if(s, status::capture_implicit,
              "the legacy default stream depends on a stream that is captured",
              [&](const device::stream& other, const capture&) {
                  return other.blocking && other.device == stream.device;
              });
}

}  // namespace simtlm::cuda
