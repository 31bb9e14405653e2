// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm::platform::study::page {

// Generated from files by cmake/embed_text.cmake.

// The files in this folder: the page template, its style, functions of all scripts, and the scripts
// of simtlm-report and of comparisons with profiles.
extern const char* const report_html;
extern const char* const report_css;
extern const char* const tools_js;
extern const char* const report_js;
extern const char* const profile_js;

/// The text of docs/statistics.schema.json.
extern const char* const schema;

}  // namespace simtlm::platform::study::page
