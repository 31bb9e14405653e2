// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/options/options.h"

#include <map>
#include <string>
#include <vector>

namespace simtlm::platform {

/// The hierarchical name of a parameter in a GPU, with the number 0 where modules have numbers:
/// "gpu.cluster0.sm0.l1d.sets".
/// @param gpu  name of the GPU @param name  parameter::name
std::string numbered_name(const std::string& gpu, const std::string& name);

/// An option, or a field of a structured option, as a parameter of the module that it configures.
struct parameter {
    std::string name;           ///< below the GPU, without numbers: "cluster.sm.l1d.sets"
    const option_info* option;  ///< with type, unit and description
    std::string field;          ///< of the option's value; empty: the whole value
};

/// The options of a GPU by the hierarchical names of its modules: gpu.cluster0.sm0.l1d.sets is a
/// field of -gpgpu_cache:dl1. The first part of a name is that of the GPU. Modules of a kind are
/// configured alike: the number of each may be any, or `*`, and means all of them.
class parameter_values {
public:
    /// @param values  options of the GPU so far; must outlive this object
    explicit parameter_values(option_values& values);

    /// All parameters, ordered as in the option table.
    const std::vector<parameter>& all() const { return all_; }
    /// The value of a parameter, in option syntax.
    std::string value(const parameter& p) const;
    /// @throws support::user_error  with the nearest name
    std::string value(const std::string& name) const;
    /// Sets a parameter. @throws support::user_error  with the nearest name, for a value of the
    /// wrong type, or if another module of the kind has been given another value
    void set(const std::string& name, const std::string& value);
    /// The name of a module below the GPU, without numbers: "cluster.sm.l1d" for
    /// "gpu.cluster0.sm0.l1d", and "" for the GPU itself.
    static std::string module_kind(const std::string& name);

private:
    const parameter& known(const std::string& name) const;

    option_values& values_;
    std::vector<parameter> all_;
    std::map<std::string, std::size_t> by_name_;
    std::map<std::string, std::pair<std::string, std::string>> given_;  // name and value as given
};

}  // namespace simtlm::platform
