// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/topology.h"

#include <systemc>

namespace simtlm::interconnect {

namespace {
class fly final : public topology {
public:
    fly(unsigned k, unsigned n, unsigned per_stage)
        : topology(per_stage * k, per_stage * n, k), k_(k), per_stage_(per_stage) {
        for (unsigned node = 0; node < per_stage * k; ++node) {
            attach_source(node, node / k, node % k);
            attach_sink(node, (n - 1) * per_stage + node / k, node % k);
        }
        // After stage s, the output number is exchanged with digit n-2-s of the router number.
        unsigned weight = per_stage / k;
        for (unsigned stage = 0; stage + 1 < n; ++stage, weight /= k)
            for (unsigned r = 0; r < per_stage; ++r)
                for (unsigned port = 0; port < k; ++port) {
                    const unsigned digit = r / weight % k;
                    const unsigned next = r - digit * weight + port * weight;
                    join(stage * per_stage + r, port, (stage + 1) * per_stage + next, digit, 1);
                }
        divisors_.assign(n, 1);
        for (unsigned stage = n - 1; stage-- > 0;) divisors_[stage] = divisors_[stage + 1] * k;
    }
    route next(unsigned router, unsigned, unsigned destination, vc_range allowed, std::uint8_t&,
               bool) const override {
        const unsigned digit = destination / divisors_[router / per_stage_] % k_;
        return {static_cast<std::uint16_t>(digit), allowed};
    }

private:
    unsigned k_;
    unsigned per_stage_;
    std::vector<unsigned> divisors_;  // by stage
};
}  // namespace

std::unique_ptr<topology> make_fly(unsigned k, unsigned n) {
    sc_assert(k > 0 && n > 0);
    unsigned per_stage = 1;
    for (unsigned i = 1; i < n; ++i) per_stage *= k;
    return std::make_unique<fly>(k, n, per_stage);
}

}  // namespace simtlm::interconnect
