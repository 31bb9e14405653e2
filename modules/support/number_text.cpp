// SPDX-License-Identifier: Apache-2.0
#include "modules/support/number_text.h"

#include <clocale>
#include <cstdlib>

namespace simtlm::support {

namespace {

locale_t standard_locale() {
    static const locale_t standard = newlocale(LC_ALL_MASK, "C", nullptr);
    return standard;
}

}  // namespace

double read_double(const char* text, char** end) {
    return strtod_l(text, end, standard_locale());
}

long double read_long_double(const char* text, char** end) {
    return strtold_l(text, end, standard_locale());
}

}  // namespace simtlm::support
