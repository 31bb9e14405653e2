// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm::platform::study::page {

// The page template of html_page(), generated from the files in this folder
// (cmake/embed_text.cmake).
extern const char* const html;
extern const char* const css;
extern const char* const js;

}  // namespace simtlm::platform::study::page
