// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/checking/program_checker.h"
#include "modules/execution/common/execution_error.h"
#include "modules/execution/functional/functional.h"
#include "modules/execution/ptx/ptx_image.h"
#include "modules/execution/state/device_heap.h"
#include "modules/ptx/parser.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace simtlm::execution {

/// A device, a module and its printf output: for test programs of a few lines.
class machine {
public:
    explicit machine(const std::string& code,
                     const std::string& head =
                         ".version 7.8\n.target sm_80\n"
                         ".address_size 64\n",
                     const check_options& checks = {})
        : checker_(checks),
          memory_(small()),
          heap_(prepared(memory_, checks), 1 << 20),
          image_(std::make_shared<const ptx::module>(ptx::parse(head + code, "test.ptx")), memory_,
                 checks) {
        if (checks.any()) world.checker = &checker_;
        world.print = [this](std::string_view t) { printed += t; };
        world.heap = &heap_;
        heap_.reserve();
    }

    template <class T>
    device_address buffer(const std::vector<T>& values) {
        const device_address a = memory_.allocate(values.size() * sizeof(T));
        memory_.write(a, values.data(), values.size() * sizeof(T));
        return a;
    }
    template <class T>
    std::vector<T> read(device_address a, std::size_t count) {
        std::vector<T> values(count);
        memory_.read(values.data(), a, count * sizeof(T));
        return values;
    }

    /// Launches a kernel by name with arguments in order.
    template <class... Arguments>
    execution_summary run(const std::string& kernel, program::dim3 grid, program::dim3 block,
                          Arguments... arguments) {
        launch l;
        l.image = &image_;
        l.kernel = image_.find_kernel(kernel);
        if (l.kernel == nullptr) throw std::runtime_error("no kernel " + kernel);
        l.grid = grid;
        l.block = block;
        l.dynamic_shared = dynamic_shared;
        l.cooperative = cooperative;
        l.environment = environment;
        l.parameters.resize(l.kernel->parameter_bytes);
        std::size_t n = 0;
        [[maybe_unused]] const auto put = [&](auto value) {
            std::memcpy(l.parameters.data() + l.kernel->parameters.at(n++).offset, &value,
                        sizeof value);
        };
        (put(arguments), ...);
        return execution::run(l, memory_, world, options);
    }

    /// Uninitialised memory.
    device_address allocate(std::uint64_t bytes) { return memory_.allocate(bytes); }
    /// Findings of checks since the last call.
    std::vector<std::string> findings() {
        std::vector<std::string> all;
        for (const finding& f : checker_.found.take()) all.push_back(f.message());
        return all;
    }

    device_memory& memory() { return memory_; }
    const ptx_image& image() const { return image_; }

    services world;
    functional_options options;
    std::uint32_t dynamic_shared = 0;
    bool cooperative = false;
    std::vector<std::uint32_t> environment;
    std::string printed;

private:
    static device_memory::config small() {
        device_memory::config c;
        c.capacity = std::uint64_t{1} << 30;
        return c;
    }

    static device_memory& prepared(device_memory& memory, const check_options& checks) {
        if (checks.memory) memory.keep_apart();
        if (checks.init) memory.track_writes();
        return memory;
    }

    program_checker checker_;
    device_memory memory_;
    device_heap heap_;
    ptx_image image_;
};

/// The message of a failing launch; empty if it succeeds.
template <class Function>
std::string fault_of(Function&& f) {
    try {
        f();
    } catch (const support::user_error& e) {
        return e.what();
    }
    return {};
}

}  // namespace simtlm::execution
