// SPDX-License-Identifier: Apache-2.0
#include "platform/options/parameters.h"

#include "platform/config/config.h"
#include "platform/options/presets.h"
#include "tests/unit/platform/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace simtlm::platform {
namespace {

using testing::HasSubstr;

class Parameters : public testing::Test {
protected:
    Parameters()
        : values_(preset_folders(std::vector<std::string>{SIMTLM_TEST_CONFIG_DIR}).finder()) {
        values_.load_preset("QV100");
        parameters_.emplace(values_);
    }
    option_values values_;
    std::optional<parameter_values> parameters_;
};

TEST_F(Parameters, ReadAndChangeFieldsOfStructuredOptionsByModule) {
    EXPECT_EQ(parameters_->value("gpu.cluster0.sm0.l1d.sets"), "4");
    parameters_->set("gpu.cluster0.sm0.l1d.sets", "8");
    EXPECT_EQ(parameters_->value("gpu.cluster7.sm0.l1d.sets"), "8");
    EXPECT_EQ(make_gpu_config(values_).cores.sm.l1.data.sets, 8u);
    parameters_->set("gpu.partition*.bank*.l2.mshr_entries", "77");
    parameters_->set("gpu.dram0.RCD", "13");
    parameters_->set("gpu.dram_clock", "900");
    const gpu_config config = make_gpu_config(values_);
    EXPECT_EQ(config.memory.partition.l2.mshr_entries, 77u);
    EXPECT_DOUBLE_EQ(config.clocks.dram, 900e6);
}

TEST_F(Parameters, OfWholeOptionsHaveTheirTypes) {
    parameters_->set("any.command_processor.kernel_launch_latency", "10");
    EXPECT_EQ(values_.number("-gpgpu_kernel_launch_latency"), 10u);
    EXPECT_THAT(
        refusal([&] { parameters_->set("gpu.command_processor.kernel_launch_latency", "soon"); }),
        HasSubstr("gpu.command_processor.kernel_launch_latency"));
}

TEST_F(Parameters, OfModulesOfAKindAreTheSame) {
    parameters_->set("gpu.cluster0.sm0.l1d.latency", "30");
    parameters_->set("gpu.cluster1.sm0.l1d.latency", "30");
    EXPECT_THAT(refusal([&] { parameters_->set("gpu.cluster2.sm0.l1d.latency", "31"); }),
                HasSubstr("gpu.cluster1.sm0.l1d.latency is 30"));
}

TEST_F(Parameters, WithATypoAreErrorsWithTheNearestName) {
    EXPECT_EQ(refusal([&] { parameters_->value("gpu.cluster0.sm0.l1d.stes"); }),
              "gpu.cluster0.sm0.l1d.stes: no such parameter (did you mean "
              "gpu.cluster.sm.l1d.sets?)");
    EXPECT_THAT(refusal([&] { parameters_->set("gpu.dram0.RCDD", "1"); }),
                HasSubstr("gpu.dram.RCD?"));
}

TEST_F(Parameters, AreAllEffectiveOptionsUnderDistinctNames) {
    std::set<std::string> names, options;
    for (const parameter& p : parameters_->all()) {
        EXPECT_TRUE(names.insert(p.name).second) << p.name;
        options.insert(p.option->name);
        EXPECT_EQ(parameters_->value("gpu." + p.name), parameters_->value(p)) << p.name;
    }
    for (const option_info& option : option_table())
        if (option.effective() && !option.action) {
            EXPECT_EQ(options.count(option.name), 1u) << option.name;
        }
}

}  // namespace
}  // namespace simtlm::platform
