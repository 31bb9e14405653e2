// SPDX-License-Identifier: Apache-2.0
#include "modules/support/error.h"

#include "modules/support/display_text.h"

#include <utility>

namespace simtlm::support {

namespace {
std::string one_line(const std::string& where, const std::string& what, const std::string& remedy) {
    std::string text = where.empty() ? what : where + ": " + what;
    if (!remedy.empty()) text += " (" + remedy + ")";
    return printable(text);
}
}  // namespace

user_error::user_error(std::string where, std::string what, std::string remedy)
    : std::runtime_error(one_line(where, what, remedy)),
      where_(std::move(where)),
      fault_(std::move(what)),
      remedy_(std::move(remedy)) {}

}  // namespace simtlm::support
