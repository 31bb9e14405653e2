// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/topology.h"

namespace simtlm::interconnect {

namespace {

/// Output 2d of a router leads up dimension d, output 2d + 1 leads down, and output 2n leads to the
/// node. Input 2d receives from above, input 2d + 1 from below.
class cube final : public topology {
public:
    cube(unsigned k, unsigned n, bool torus, unsigned link_latency, unsigned nodes)
        : topology(nodes, nodes, 2 * n + 1), k_(k), n_(n), torus_(torus) {
        for (unsigned node = 0; node < nodes; ++node) {
            unsigned step = 1;
            for (unsigned d = 0; d < n; ++d, step *= k) {
                const unsigned at = node / step % k;
                const unsigned above = at + 1 == k ? node - at * step : node + step;
                join(node, 2 * d, above, 2 * d + 1, link_latency);
                join(above, 2 * d + 1, node, 2 * d, link_latency);
            }
            attach_source(node, node, 2 * n);
            attach_sink(node, node, 2 * n);
        }
    }

    route next(unsigned router, unsigned input, unsigned destination, vc_range allowed,
               std::uint8_t& ring_class, bool tie) const override {
        unsigned here = router;
        unsigned there = destination;
        unsigned d = 0;
        while (d < n_ && here % k_ == there % k_) {
            here /= k_;
            there /= k_;
            ++d;
        }
        if (d == n_) return {static_cast<std::uint16_t>(2 * n_), allowed};
        here %= k_;
        there %= k_;
        if (!torus_) return {static_cast<std::uint16_t>(here < there ? 2 * d : 2 * d + 1), allowed};
        unsigned output = input ^ 1u;  // straight ahead
        if (input / 2 != d) {
            // Enters a new ring, in the shorter direction. Packets that will cross the edge between
            // the last and the first node of the ring on their way up, and those that will not on
            // their way down, use the upper virtual channels in the whole ring, which breaks cyclic
            // dependencies.
            const unsigned up = (there + k_ - here) % k_;
            const bool go_up = 2 * up < k_ || (2 * up == k_ && tie);
            output = go_up ? 2 * d : 2 * d + 1;
            ring_class = here > there ? 1 : 0;
        }
        const unsigned half = (allowed.last - allowed.first + 1u) / 2;
        if (ring_class == 0)
            allowed.last = static_cast<std::uint16_t>(allowed.last - half);
        else
            allowed.first = static_cast<std::uint16_t>(allowed.first + half);
        return {static_cast<std::uint16_t>(output), allowed};
    }

private:
    unsigned k_;
    unsigned n_;
    bool torus_;
};
}  // namespace

std::unique_ptr<topology> make_cube(unsigned k, unsigned n, bool torus, unsigned link_latency) {
    unsigned nodes = 1;
    for (unsigned i = 0; i < n; ++i) nodes *= k;
    return std::make_unique<cube>(k, n, torus, link_latency, nodes);
}

std::unique_ptr<topology> make_topology(const router_settings& s) {
    switch (s.topology) {
        case topology_kind::fly:
            return make_fly(s.k, s.n);
        case topology_kind::mesh:
            return make_cube(s.k, s.n, false, 1);
        case topology_kind::torus:
            break;
    }
    return make_cube(s.k, s.n, true, s.use_noc_latency ? 2 : 1);
}

}  // namespace simtlm::interconnect
