// SPDX-License-Identifier: Apache-2.0
#include "runtimes/common/remote_compiler.h"

#include "platform/options/argument_text.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <stdexcept>

namespace simtlm::runtime {

namespace {

using device::message_kind;
using device::payload_reader;
using device::payload_writer;

void write_texts(payload_writer& out, const std::vector<std::string>& texts) {
    out.number(std::uint64_t{texts.size()});
    for (const std::string& t : texts) out.text(t);
}

std::vector<std::string> read_texts(payload_reader& in) {
    std::vector<std::string> texts(in.count(8));
    for (std::string& t : texts) t = in.text();
    in.finish();
    return texts;
}

}  // namespace

std::string server_address() {
    const char* const given = std::getenv("SIMTLM_OPTIONS");
    const std::vector<std::string> words =
        platform::unpacked_arguments(given != nullptr ? given : "");
    const auto at = std::find(words.begin(), words.end(), "--connect");
    return at == words.end() || at + 1 == words.end() ? "" : at[1];
}

std::vector<std::string> ask_compiler(const std::string& address, const compile_request& request) {
    const auto link = device::remote_link::connect(address);
    payload_writer out;
    out.text("simtlm").number(device::remote_version).text(request.action).number(request.gpu);
    write_texts(out, request.texts);
    link->send(message_kind::compile, out.bytes());
    std::optional<device::message> m;
    while (!m) m = link->receive(-1);
    payload_reader in(*m);
    if (m->kind == message_kind::refuse) throw std::runtime_error(in.text());
    if (m->kind != message_kind::compiled) in.fail("it is not expected");
    return read_texts(in);
}

void serve_compiler(device::remote_link& link, const device::message& first,
                    const std::function<std::vector<std::string>(const compile_request&)>& answer) {
    payload_reader in(first);
    if (in.text() != "simtlm" || in.number<std::uint32_t>() != device::remote_version)
        in.fail("the client has another version of the protocol");
    compile_request request;
    request.action = in.text();
    request.gpu = in.number<unsigned>();
    request.texts = read_texts(in);
    payload_writer out;
    write_texts(out, answer(request));
    link.send(message_kind::compiled, out.bytes());
}

}  // namespace simtlm::runtime
