// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm::platform::study::page {

// Generated from files by cmake/embed_text.cmake.

// The page template of html_page(), from the files in this folder.
extern const char* const html;
extern const char* const css;
extern const char* const js;

/// The text of docs/statistics.schema.json.
extern const char* const schema;

}  // namespace simtlm::platform::study::page
