// SPDX-License-Identifier: Apache-2.0
// A GPU as a node of a federated simulation: the interfaces of fss_interfaces.h (the draft that is
// proposed to Accellera, as published with qbox) on top of simtlm's C interface. The node has a
// SystemC of its own, in a namespace of the loader.
#include <dlfcn.h>
#include <fss_interfaces.h>
#include <simtlm/simtlm_c.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr fssUint64 version = fssUint64{1} << 32;
constexpr double femtoseconds = 1e15;
constexpr fssUint64 interrupt_event = 1;

/// The functions of libsimtlm_c.so.
struct library {
    void* loaded = dlmopen(LM_ID_NEWLM, SIMTLM_C, RTLD_NOW | RTLD_LOCAL);
    template <class F>
    F* function(const char* name) const {
        return loaded != nullptr ? reinterpret_cast<F*>(dlsym(loaded, name)) : nullptr;
    }
    decltype(simtlm_create)* create = function<decltype(simtlm_create)>("simtlm_create");
    decltype(simtlm_destroy)* destroy = function<decltype(simtlm_destroy)>("simtlm_destroy");
    decltype(simtlm_message)* message = function<decltype(simtlm_message)>("simtlm_message");
    decltype(simtlm_bind_interrupt)* bind_interrupt =
        function<decltype(simtlm_bind_interrupt)>("simtlm_bind_interrupt");
    decltype(simtlm_read)* read = function<decltype(simtlm_read)>("simtlm_read");
    decltype(simtlm_write)* write = function<decltype(simtlm_write)>("simtlm_write");
    decltype(simtlm_run_until)* run_until =
        function<decltype(simtlm_run_until)>("simtlm_run_until");
    decltype(simtlm_time)* time = function<decltype(simtlm_time)>("simtlm_time");
    decltype(simtlm_statistic)* statistic =
        function<decltype(simtlm_statistic)>("simtlm_statistic");
};

struct node;
/// An interface that knows its node.
template <class Interface>
struct part : Interface {
    node* owner = nullptr;
    static node& of(Interface* self) { return *static_cast<part*>(self)->owner; }
};

struct node {
    library functions;
    simtlm_gpu* gpu = nullptr;
    part<fssBindIf> bind{};
    part<fssBusIf> bus{};
    part<fssEventsIf> events{};
    part<fssTimeSyncIf> time{};
    part<fssControlIf> control{};
    fssEventsIfHandle peer_events = nullptr;
    fssTimeSyncIfHandle peer_time = nullptr;
    // The items of the bus: an access to a register or to the aperture of device memory.
    std::uint64_t address = 0, size = 0;
    bool is_write = false;
    std::vector<unsigned char> data = std::vector<unsigned char>(4096);
    std::string answer;

    void run_until(fssTimeInSec at) {
        const auto end = static_cast<std::uint64_t>(std::llround(at * femtoseconds));
        while (functions.time(gpu) < end && functions.run_until(gpu, end) == 0) {
        }
    }
    static void interrupt(void* self, int level) {
        const node& n = *static_cast<node*>(self);
        if (level != 0 && n.peer_events != nullptr)
            n.peer_events->handleEvents(n.peer_events, interrupt_event);
    }
    void* item(fssBusIfItemIndex index) {
        void* const items[] = {&address, &size, &is_write, data.data()};
        return index < 4 ? items[index] : nullptr;
    }
    fssBusIfItemSize size_of(fssBusIfItemIndex index) const {
        const fssBusIfItemSize sizes[] = {sizeof address, sizeof size, sizeof is_write,
                                          data.size()};
        return index < 4 ? sizes[index] : 0;
    }
    void access() {
        if (size > data.size()) return;
        const auto bytes = static_cast<std::uint32_t>(size);
        is_write ? functions.write(gpu, address, data.data(), bytes)
                 : functions.read(gpu, address, data.data(), bytes);
    }
    /// "statistic NAME": its value. "message": why the last access has failed.
    fssString command(const std::string& text) {
        double value = 0;
        const std::string statistic = "statistic ";
        if (text.compare(0, statistic.size(), statistic) == 0 &&
            functions.statistic(gpu, text.c_str() + statistic.size(), &value) == 0)
            answer = std::to_string(value);
        else
            answer = functions.message(gpu);
        return answer.c_str();
    }
    void make_interfaces();
};

constexpr const char* item_names[] = {"address", "size", "is_write", "data"};

void node::make_interfaces() {
    bind.owner = bus.owner = events.owner = time.owner = control.owner = this;
    bind.version = bus.version = events.version = time.version = control.version = version;
    bind.bindEventsIf = [](fssBindIFHandle self, fssString, fssEventsIfHandle peer) {
        part<fssBindIf>::of(self).peer_events = peer;
        return fssStatusOk;
    };
    bind.bindTimeSyncIf = [](fssBindIFHandle self, fssString, fssTimeSyncIfHandle peer) {
        part<fssBindIf>::of(self).peer_time = peer;
        return fssStatusOk;
    };
    bind.bindBusIf = [](fssBindIFHandle, fssString, fssBusIfHandle) { return fssStatusOk; };
    bind.bindControlIf = [](fssBindIFHandle, fssString, fssControlIfHanlde) { return fssStatusOk; };
    bind.getEventsIfHandle = [](fssBindIFHandle self, fssString) -> fssEventsIfHandle {
        return &part<fssBindIf>::of(self).events;
    };
    bind.getBusIfHandle = [](fssBindIFHandle self, fssString) -> fssBusIfHandle {
        return &part<fssBindIf>::of(self).bus;
    };
    bind.getTimeSyncIfHandle = [](fssBindIFHandle self, fssString) -> fssTimeSyncIfHandle {
        return &part<fssBindIf>::of(self).time;
    };
    bind.getControlIfHandle = [](fssBindIFHandle self, fssString) -> fssControlIfHanlde {
        return &part<fssBindIf>::of(self).control;
    };
    bus.getNumber = [](fssBusIfHandle) -> fssBusIfItemSize { return 4; };
    bus.getName = [](fssBusIfHandle, fssBusIfItemIndex i) -> fssString {
        return i < 4 ? item_names[i] : "";
    };
    bus.getSize = [](fssBusIfHandle self, fssBusIfItemIndex i) {
        return part<fssBusIf>::of(self).size_of(i);
    };
    bus.getIndex = [](fssBusIfHandle, fssString name) -> fssBusIfItemSize {
        fssBusIfItemIndex i = 0;
        while (i < 4 && std::strcmp(name, item_names[i]) != 0) ++i;
        return i;
    };
    bus.addItem = [](fssBusIfHandle, fssString, fssBusIfItemSize) -> fssBusIfItemIndex {
        return 4;
    };
    bus.getItem = [](fssBusIfHandle self, fssBusIfItemIndex i) -> fssBusIfItemData {
        return part<fssBusIf>::of(self).item(i);
    };
    bus.setItem = [](fssBusIfHandle self, fssBusIfItemIndex i, fssBusIfItemData from) {
        node& n = part<fssBusIf>::of(self);
        if (i < 3) std::memcpy(n.item(i), from, n.size_of(i));
        if (i == 3 && n.size <= n.data.size()) std::memcpy(n.data.data(), from, n.size);
    };
    bus.transmit = [](fssBusIfHandle self) { part<fssBusIf>::of(self).access(); };
    events.handleEvents = [](fssEventsIfHandle, fssUint64) {};
    time.updateTimeWindow = [](fssTimeSyncIfHandle self, TimeWindow window) {
        node& n = part<fssTimeSyncIf>::of(self);
        n.run_until(window.to);
        if (n.peer_time != nullptr) n.peer_time->updateTimeWindow(n.peer_time, window);
    };
    control.doCommand = [](fssControlIfHanlde self, fssString command) {
        return part<fssControlIf>::of(self).command(command);
    };
}

}  // namespace

/// The configuration of a node is the options of its GPU, separated by spaces.
fssBindIFHandle fssCreateNode(fssString name, fssConfigIfHandle config) {
    auto made = std::make_unique<node>();
    if (made->functions.create == nullptr) return nullptr;
    std::vector<std::string> words;
    std::istringstream text(config->getConfigs(config, name));
    for (std::string word; text >> word;) words.push_back(word);
    std::vector<const char*> options;
    for (const std::string& word : words) options.push_back(word.c_str());
    made->gpu =
        made->functions.create(options.data(), static_cast<std::uint32_t>(options.size()), CONFIGS);
    if (made->gpu == nullptr) return nullptr;
    made->make_interfaces();
    made->functions.bind_interrupt(made->gpu, &node::interrupt, made.get());
    return &made.release()->bind;
}

fssRetStatus fssDestroyNode(fssBindIFHandle handle) {
    const std::unique_ptr<node> ended(&part<fssBindIf>::of(handle));
    ended->functions.destroy(ended->gpu);
    return fssStatusOk;
}
