// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/module/compilation_log.h"

#include "modules/sass/linker.h"
#include "runtimes/cuda/abi/call.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>

namespace simtlm::cuda {

void** compilation_log::value_of(int option) const {
    for (unsigned i = 0; i < count; ++i)
        if (options[i] == option) return &values[i];
    return nullptr;
}

void compilation_log::write(int buffer, const std::string& text) const {
    void** const to = value_of(buffer);
    void** const size = value_of(buffer + 1);
    if (to == nullptr || *to == nullptr || size == nullptr) return;
    const auto room = reinterpret_cast<std::uintptr_t>(*size) & 0xffffffff;
    const std::size_t bytes = std::min<std::size_t>(room, text.size() + 1);
    if (bytes == 0) return;
    std::memcpy(*to, text.c_str(), bytes);
    static_cast<char*>(*to)[bytes - 1] = 0;
    *size = reinterpret_cast<void*>(bytes - 1);
}

void compilation_log::write_all(const std::string& fault) const {
    constexpr int wall_time = 2, information = 3, errors = 5;
    const float none = 0;
    if (void** const time = value_of(wall_time)) std::memcpy(time, &none, sizeof none);
    write(information, "");
    write(errors, fault);
}

std::string logged(const simtlm::support::user_error& e) {
    const auto* const reasons = dynamic_cast<const sass::link_error*>(&e);
    if (reasons == nullptr) return e.what();
    std::istringstream lines(reasons->reasons());
    std::string text;
    for (std::string line; std::getline(lines, line);) text += "error   : " + line + "\n";
    return text;
}

std::string read_code_file(const char* path) {
    std::ifstream in(path == nullptr ? "" : path, std::ios::binary);
    std::ostringstream text;
    require(in && (text << in.rdbuf()), status::file_not_found, "the file cannot be read");
    return text.str();
}

}  // namespace simtlm::cuda
