// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace simtlm::platform::study {

using json = nlohmann::ordered_json;

/// Types of the members of a JSON document. A subset of JSON Schema (2020-12): `type`,
/// `properties`, `additionalProperties`, `items`, `minItems`, `maxItems`, `minimum`, `anyOf` and
/// `$ref` to
/// `$defs`. Other keywords, such as `required`, are not checked, so that documents of other
/// versions with more or fewer members are accepted.
class json_schema {
public:
    /// @param schema  must be valid
    explicit json_schema(json schema) : schema_(std::move(schema)) {}
    /// The format of statistics files: docs/statistics.schema.json.
    static const json_schema& statistics();

    /// Checks the types of all members. @param file, remedy  for the message
    /// @throws support::user_error  with the path of the first member of a wrong type:
    ///         "FILE: kernels[3].grid is a number instead of an array"
    void check(const json& document, const std::string& file, const std::string& remedy) const;

private:
    struct place;
    const json& resolved(const json& schema) const;
    bool accepts(const json& value, const json& schema) const;
    void check(const json& value, const json& schema, const place& where) const;

    json schema_;
};

/// Reads a JSON file. @param remedy  says which file is expected
/// @throws support::user_error  if it cannot be read, is not JSON, or is nested too deeply
json read_json(const std::string& file, const std::string& remedy);
/// The same for text in memory. @param file  for messages
json parse_json(const std::string& text, const std::string& file, const std::string& remedy);

}  // namespace simtlm::platform::study
