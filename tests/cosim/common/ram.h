// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

namespace platform_example {

/// Memory of a processor, another target on a bus. A transaction takes 10 ns.
class ram : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<ram> socket;
    ram(const sc_core::sc_module_name& name, std::uint64_t bytes)
        : sc_module(name), socket("socket"), bytes_(bytes) {
        socket.register_b_transport(this, &ram::b_transport);
    }

private:
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
        unsigned char* const place = bytes_.data() + p.get_address();
        if (p.is_write())
            std::copy_n(p.get_data_ptr(), p.get_data_length(), place);
        else
            std::copy_n(place, p.get_data_length(), p.get_data_ptr());
        delay += sc_core::sc_time(10, sc_core::SC_NS);
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    std::vector<unsigned char> bytes_;
};

}  // namespace platform_example
