// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/router_settings.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace simtlm::interconnect {

/// The end of a channel: a port of a router, or a node.
struct endpoint {
    std::uint32_t router = node;  ///< or `node`, if the channel ends at a node
    std::uint32_t port = 0;       ///< port of the router, or number of the node
    std::uint32_t latency = 1;    ///< icnt cycles of the channel that ends here
    static constexpr std::uint32_t node = ~0u;
};

/// A packet's request at a router.
struct route {
    std::uint16_t output = 0;
    vc_range vcs;
};

/// The routers, the channels between them, and the routing function. All routers have the same
/// number of ports; every channel has a credit channel in the opposite direction.
class topology {
public:
    virtual ~topology() = default;
    /// Routes a packet at an input of a router.
    /// @param allowed     virtual channels of the packet's type
    /// @param ring_class  of the packet: on rings, which half of the virtual channels it may use;
    ///                    kept from hop to hop
    /// @param tie         a bit to break ties
    virtual route next(unsigned router, unsigned input, unsigned destination, vc_range allowed,
                       std::uint8_t& ring_class, bool tie) const = 0;

    unsigned nodes() const { return static_cast<unsigned>(injection_.size()); }
    unsigned routers() const { return static_cast<unsigned>(outputs_.size()) / ports_; }
    unsigned ports() const { return ports_; }
    /// The end of the channel at a router's output.
    const endpoint& output(unsigned router, unsigned port) const {
        return outputs_[router * ports_ + port];
    }
    /// Destination of the credits of a router's input: an output of a router, or a node.
    const endpoint& upstream(unsigned router, unsigned port) const {
        return upstream_[router * ports_ + port];
    }
    /// The router input into which a node injects.
    const endpoint& injection(unsigned node) const { return injection_[node]; }
    /// The router output that is connected to a node.
    const endpoint& ejection(unsigned node) const { return ejection_[node]; }

protected:
    topology(unsigned nodes, unsigned routers, unsigned ports)
        : ports_(ports),
          outputs_(std::size_t{routers} * ports),
          upstream_(std::size_t{routers} * ports),
          injection_(nodes),
          ejection_(nodes) {}
    void join(unsigned from, unsigned output, unsigned to, unsigned input, unsigned latency) {
        outputs_[from * ports_ + output] = {to, input, latency};
        upstream_[to * ports_ + input] = {from, output, latency};
    }
    void attach_source(unsigned node, unsigned router, unsigned input) {
        injection_[node] = {router, input, 1};
        upstream_[router * ports_ + input] = {endpoint::node, node, 1};
    }
    void attach_sink(unsigned node, unsigned router, unsigned output) {
        ejection_[node] = {router, output, 1};
        outputs_[router * ports_ + output] = {endpoint::node, node, 1};
    }

private:
    unsigned ports_;
    std::vector<endpoint> outputs_;
    std::vector<endpoint> upstream_;
    std::vector<endpoint> injection_;
    std::vector<endpoint> ejection_;
};

/// A k-ary n-fly: n stages of k^(n-1) routers; the digits of the destination determine the route.
std::unique_ptr<topology> make_fly(unsigned k, unsigned n);
/// A k-ary n-cube with or without wrap-around, with dimension-order routing, lowest dimension
/// first.
std::unique_ptr<topology> make_cube(unsigned k, unsigned n, bool torus, unsigned link_latency);

/// The configured topology.
std::unique_ptr<topology> make_topology(const router_settings& settings);

}  // namespace simtlm::interconnect
