// SPDX-License-Identifier: Apache-2.0
// Parsers of the small languages used in option values.
#include "platform/config/config_formats.h"

#include "modules/cache/replacement_policy.h"
#include "modules/support/error.h"
#include "tests/unit/platform/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::platform {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// The error of a parser for a text, followed by its advice in brackets.
template <typename Reader>
std::string refused(Reader read, const std::string& text) {
    try {
        read(text);
    } catch (const format_error& error) {
        return error.remedy.empty() ? error.what : error.what + " (" + error.remedy + ")";
    }
    return {};
}

// ---- cache strings ------------------------------------------------------------------------------

TEST(CacheString, DescribesGeometryPoliciesAndQueues) {
    const cache::cache_config c = parse_cache("S:32:128:64,L:T:m:L:P,A:512:8,16:3,64");
    EXPECT_EQ(c.kind, cache::cache_kind::sector);
    EXPECT_EQ(c.sets, 32u);
    EXPECT_EQ(c.line_bytes, 128u);
    EXPECT_EQ(c.ways, 64u);
    EXPECT_EQ(c.replacement, cache::replacement_policies()[0].second);
    EXPECT_EQ(c.write, cache::write_policy::write_through);
    EXPECT_EQ(c.allocation, cache::allocation_policy::on_miss);
    EXPECT_EQ(c.write_allocate, cache::write_allocate_policy::lazy_fetch_on_read);
    EXPECT_EQ(c.set_index, cache::set_index_function::ipoly);
    EXPECT_FALSE(c.texture_fifo);
    EXPECT_EQ(c.mshr_entries, 512u);
    EXPECT_EQ(c.mshr_max_merge, 8u);
    EXPECT_EQ(c.miss_queue_size, 16u);
    EXPECT_EQ(c.result_fifo_entries, 3u);
    EXPECT_EQ(c.data_port_bytes, 64u);
}

TEST(CacheString, AcceptsNone) {
    EXPECT_FALSE(parse_cache("none").enabled);
}

TEST(CacheString, IsReadInItsOldForm) {
    const cache::cache_config c = parse_cache("64:128:8,L:B:m:N,A:16:4,4");
    EXPECT_TRUE(c.enabled);
    EXPECT_EQ(c.kind, cache::cache_kind::normal);
    EXPECT_EQ(c.ways, 8u);
    EXPECT_EQ(c.write, cache::write_policy::write_back);
    EXPECT_EQ(c.set_index, cache::set_index_function::linear);
    EXPECT_EQ(c.port_bytes(), 128u) << "the port is as wide as a line when nothing is said";
}

TEST(CacheString, AcceptsEveryLetter) {
    using namespace cache;
    for (const auto& [letter, make] : replacement_policies())
        EXPECT_EQ(
            parse_cache(std::string("N:32:128:4,") + letter + ":R:f:N:X,S:2:48,4").replacement,
            make);
    EXPECT_EQ(parse_cache("N:32:128:4,L:E:m:W:H,A:2:48,4").write, write_policy::write_evict);
    EXPECT_EQ(parse_cache("N:32:128:4,L:L:s:N:C,A:2:48,4").write, write_policy::local_wb_global_wt);
    EXPECT_EQ(parse_cache("N:32:128:4,L:L:s:N:C,A:2:48,4").allocation,
              allocation_policy::streaming);
    EXPECT_EQ(parse_cache("N:32:128:4,L:B:m:F:P,A:2:48,4").write_allocate,
              write_allocate_policy::fetch_on_write);
    EXPECT_EQ(parse_cache("N:32:128:4,L:B:m:W:L,A:2:48,4").write_allocate,
              write_allocate_policy::write_allocate);
    EXPECT_EQ(parse_cache("N:32:128:4,L:B:m:N:X,A:2:48,4").set_index,
              set_index_function::bitwise_xor);
    EXPECT_EQ(parse_cache("N:32:128:4,L:B:m:N:H,A:2:48,4").set_index,
              set_index_function::fermi_hash);
    EXPECT_TRUE(parse_cache("N:4:128:256,L:R:m:N:L,T:512:8,128:2").texture_fifo);
    EXPECT_EQ(parse_cache("N:4:128:256,L:R:m:N:L,F:512:8,128:2").result_fifo_entries, 2u);
    EXPECT_FALSE(parse_cache("N:4:128:256,L:R:m:N:L,S:512:8,128").texture_fifo);
}

TEST(CacheString, RejectsUnknownLettersAndMissingParts) {
    EXPECT_EQ(refused(parse_cache, "X:4:128:64,L:T:m:L:L,A:512:8,16"),
              "'X' is not a valid kind of cache (one of N, S)");
    EXPECT_THAT(refused(parse_cache, "4:128:64,Q:T:m:L:L,A:512:8,16"),
                HasSubstr("'Q' is not a valid replacement policy"));
    EXPECT_THAT(refused(parse_cache, "4:128:64,L:Q:m:L:L,A:512:8,16"),
                HasSubstr("'Q' is not a valid write policy"));
    EXPECT_THAT(refused(parse_cache, "4:128:64,L:T:q:L:L,A:512:8,16"),
                HasSubstr("'q' is not a valid allocation policy"));
    EXPECT_THAT(refused(parse_cache, "4:128:64,L:T:m:Q:L,A:512:8,16"),
                HasSubstr("'Q' is not a valid write allocation"));
    EXPECT_THAT(refused(parse_cache, "4:128:64,L:T:m:L:Q,A:512:8,16"),
                HasSubstr("'Q' is not a valid set index"));
    EXPECT_THAT(refused(parse_cache, "4:128:64,L:T:m:L:L,Q:512:8,16"),
                HasSubstr("'Q' is not a valid kind of MSHR"));
    EXPECT_THAT(refused(parse_cache, "4:128,L:T:m:L:L,A:512:8,16"),
                HasSubstr("is not a cache geometry"));
    EXPECT_THAT(refused(parse_cache, "4:128:64,L:T:m,A:512:8,16"), HasSubstr("has 3 policies"));
    EXPECT_THAT(refused(parse_cache, "4:128:64,L:T:m:L:L,A:512,16"),
                HasSubstr("is not an MSHR description"));
    EXPECT_THAT(refused(parse_cache, "4:128:64,L:T:m:L:L"), HasSubstr("has 2 parts"));
    EXPECT_THAT(refused(parse_cache, "4:128:abc,L:T:m:L:L,A:1:1,1"),
                HasSubstr("'abc' is not a valid number of ways"));
    EXPECT_THAT(refused(parse_cache, "4:128:-1,L:T:m:L:L,A:1:1,1"),
                HasSubstr("is not a valid number of ways"));
    EXPECT_THAT(refused(parse_cache, ""), HasSubstr("has 1 parts"));
}

TEST(CacheString, RejectsCachesThatCannotWork) {
    EXPECT_THAT(refused(parse_cache, "N:4:128:64,L:B:f:N:L,A:8:8,8"), HasSubstr("can deadlock"));
    EXPECT_THAT(refused(parse_cache, "N:4:128:64,L:B:s:N:L,A:8:8,8"), HasSubstr("can deadlock"));
    EXPECT_THAT(refused(parse_cache, "N:4:128:64,L:T:f:L:L,A:8:8,8"),
                HasSubstr("write allocation F or L"));
    EXPECT_THAT(refused(parse_cache, "N:4:128:64,L:T:s:F:L,A:8:8,8"),
                HasSubstr("write allocation F or L"));
    EXPECT_THAT(refused(parse_cache, "S:4:64:64,L:T:m:L:L,A:8:8,8"),
                HasSubstr("sector cache with lines of 64"));
    EXPECT_THAT(refused(parse_cache, "N:3:128:64,L:T:m:L:L,A:8:8,8"), HasSubstr("power of two"));
    EXPECT_THAT(refused(parse_cache, "N:0:128:64,L:T:m:L:L,A:8:8,8"), HasSubstr("power of two"));
    EXPECT_THAT(refused(parse_cache, "N:4:100:64,L:T:m:L:L,A:8:8,8"), HasSubstr("power of two"));
    EXPECT_THAT(refused(parse_cache, "N:4:128:0,L:T:m:L:L,A:8:8,8"), HasSubstr("no ways"));
    EXPECT_THAT(refused(parse_cache, "N:4:128:4,L:T:m:L:L,A:0:8,8"),
                HasSubstr("the number of MSHR entries"));
    EXPECT_THAT(refused(parse_cache, "N:4:128:4,L:T:m:L:L,A:8:8,0"), HasSubstr("miss queue"));
    EXPECT_THAT(refused(parse_cache, "N:4:128:4,L:T:m:L:L,A:8:8,8:0,48"),
                HasSubstr("must divide the line size"));
    EXPECT_THAT(refused(parse_cache, "N:4:128:4,L:R:m:N:L,F:8:8,8"),
                HasSubstr("without result FIFO"));
    EXPECT_THAT(refused(parse_cache, "N:4:128:4,L:T:m:L:H,A:8:8,8"),
                HasSubstr("Fermi's hash with 4 sets"));
    EXPECT_THAT(refused(parse_cache, "N:4:128:4,L:T:m:L:P,A:8:8,8"),
                HasSubstr("polynomial hash with 4 sets"));
}

// ---- other value languages ----------------------------------------------------------------------

TEST(DramTiming, IsReadByNameInAnyOrderAndAcrossSpaces) {
    const memory::dram_timing t = parse_dram_timing(
        "nbk=16:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40: "
        "CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3:"
        "REFI=3900:RFC=260");
    EXPECT_EQ(t.nbk, 16u);
    EXPECT_EQ(t.tRC, 40u);
    EXPECT_EQ(t.CL, 12u);
    EXPECT_EQ(t.nbkgrp, 4u);
    EXPECT_EQ(t.tRTPL, 3u);
    EXPECT_EQ(t.tREFI, 3900u);
}

TEST(DramTiming, IsReadByPosition) {
    const memory::dram_timing t = parse_dram_timing("8:2:8:12:25:10:35:10:7:6:11");
    EXPECT_EQ(t.nbk, 8u);
    EXPECT_EQ(t.tRAS, 25u);
    EXPECT_EQ(t.WL, 7u);
    EXPECT_EQ(t.tWR, 11u);
    EXPECT_EQ(t.nbkgrp, 1u) << "no bank groups unless told";
    EXPECT_EQ(t.tCCDL, 0u);
}

TEST(DramTiming, RejectsInvalidValues) {
    const std::string rest = ":RRD=3:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:WR=10";
    const auto why = [](const std::string& text) { return refused(parse_dram_timing, text); };
    EXPECT_THAT(why("nbk=16:CDC=1" + rest), HasSubstr("'CDC' is not a DRAM timing parameter"));
    EXPECT_THAT(why("nbk=16" + rest), HasSubstr("lacks CCD"));
    EXPECT_THAT(why("nbk=12:CCD=1" + rest), HasSubstr("12 banks"));
    EXPECT_THAT(why("nbk=16:CCD=1:nbkgrp=3" + rest), HasSubstr("bank groups"));
    EXPECT_THAT(why("nbk=16:CCD=1:REFI=100" + rest), HasSubstr("give both REFI and RFC"));
    EXPECT_THAT(why("nbk=16:CCD=1:RFCSB=100" + rest), HasSubstr("RFCSB"));
    EXPECT_THAT(why("nbk=16:CCD=1:REFI=900:RFC=200:RFCSB=100" + rest), HasSubstr("give one"));
    EXPECT_THAT(why("nbk=16:CCD=1:REFI=15:RFCSB=10" + rest), HasSubstr("at least nbk"));
    EXPECT_THAT(why("nbk=16:CCD=x" + rest), HasSubstr("'x' is not a valid number"));
    EXPECT_THAT(why("4:2:8"), HasSubstr("has 3 values instead of 11 to 14"));
}

TEST(PipelineWidths, AreReadInTheirThreeForms) {
    const pipeline_widths seven = parse_pipeline_widths("2,1,1,2,1,1,2");
    EXPECT_EQ(seven.of.at(core::pipe_sp).id_oc, 2u);
    EXPECT_EQ(seven.of.at(core::pipe_dp).id_oc, 0u);
    EXPECT_EQ(seven.of.at(core::pipe_mem).id_oc, 1u);
    EXPECT_EQ(seven.ex_wb, 2u);
    EXPECT_EQ(parse_pipeline_widths("2,0,0,1,1,2,0,0,1,1,3").ex_wb, 3u);
    EXPECT_EQ(parse_pipeline_widths("4,4,4,4,4,4,4,4,4,4,8,5,6").of.at(core::pipe_tensor).oc_ex,
              6u);
    const pipeline_widths nine = parse_pipeline_widths("2,1,3,1,2,1,4,1,5");
    EXPECT_EQ(nine.of.at(core::pipe_dp).id_oc, 1u);
    EXPECT_EQ(nine.of.at(core::pipe_sfu).id_oc, 3u);
    EXPECT_EQ(nine.of.at(core::pipe_sfu).oc_ex, 4u);
    EXPECT_EQ(nine.ex_wb, 5u);
    EXPECT_THAT(refused(parse_pipeline_widths, "1,1,1,1,1,1,1,1"), HasSubstr("has 8 widths"));
}

TEST(AddressMap, CountsItsBits) {
    const mapping_shape shape = parse_address_mapping(
        "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS");
    EXPECT_EQ(*shape.channel_position, 8u);
    EXPECT_EQ(shape.row_bits, 13u);
    EXPECT_EQ(shape.bank_bits, 4u);
    EXPECT_EQ(shape.column_bits, 6u);
    EXPECT_EQ(shape.burst_bits, 5u);
}

TEST(RouterFile, IsReadIntoKeysAndValues) {
    const auto router = parse_router_text(
        "// a comment\nuse_map = 0;\nvc_allocator = islip; //another;\n"
        "packet_size ={{1,2,3,4},{10,20}};\n\nlatency_thres\n = 2.5 ;",
        "net.icnt");
    EXPECT_EQ(router.values.size(), 4u);
    EXPECT_EQ(router.values.at("use_map"), "0");
    EXPECT_EQ(router.values.at("vc_allocator"), "islip");
    EXPECT_EQ(router.values.at("packet_size"), "{{1,2,3,4},{10,20}}");
    EXPECT_EQ(router.values.at("latency_thres"), "2.5");
}

TEST(RouterFile, RejectsBrokenStatementsWithTheirLine) {
    const auto why = [](const std::string& text) {
        return refusal([&] { parse_router_text(text, "net.icnt"); });
    };
    EXPECT_THAT(why("k = 4\n"), StartsWith("net.icnt:1: 'k = 4' is not terminated"));
    EXPECT_THAT(why("k = 4\nn = 2;"),
                StartsWith("net.icnt:1: k is assigned twice (a ; is missing)"));
    EXPECT_THAT(why("\n\nmesh;\n"), StartsWith("net.icnt:3: 'mesh' assigns nothing"));
    EXPECT_THAT(why("k = ;"), HasSubstr("k has no value"));
    EXPECT_THAT(why("4 k = 2;"), HasSubstr("is not a parameter name"));
    EXPECT_THAT(why("p = {1,2;"), HasSubstr("braces do not match"));
}

TEST(CycleWindow, MayOmitEitherEnd) {
    EXPECT_EQ(parse_window("100:200").from, 100u);
    EXPECT_EQ(parse_window("100:200").to, 200u);
    EXPECT_EQ(parse_window(":0x10").from, 0u);
    EXPECT_EQ(parse_window(":0x10").to, 16u);
    EXPECT_EQ(parse_window("7:").from, 7u);
    EXPECT_EQ(parse_window(":").to, ~std::uint64_t{0});
}

TEST(CycleWindow, RejectsInvalidIntervals) {
    EXPECT_THAT(refused(parse_window, "100"), StartsWith("is not an interval ("));
    EXPECT_THAT(refused(parse_window, "1:2:3"), StartsWith("is not an interval ("));
    EXPECT_THAT(refused(parse_window, "5:5"), StartsWith("is an empty interval"));
    EXPECT_THAT(refused(parse_window, "x:5"), StartsWith("'x' is not a number of cycles"));
    EXPECT_THAT(refused(parse_window, "-1:5"), StartsWith("'-1' is not a number of cycles"));
}

TEST(SpecializedUnit, IsReadFromSixParts) {
    const specialized_unit unit = parse_specialized_unit("1,4,200,2,3, TEX");
    EXPECT_TRUE(unit.enabled);
    EXPECT_EQ(unit.units, 4u);
    EXPECT_EQ(unit.id_oc, 2u);
    EXPECT_EQ(unit.oc_ex, 3u);
    EXPECT_EQ(unit.name, "TEX");
    EXPECT_FALSE(parse_specialized_unit("0,0,0,0,0,").enabled) << "nothing else matters then";
    EXPECT_THROW(parse_specialized_unit("2,4,200,2,3,TEX"), format_error);
}

TEST(Numbers, MustHaveTheRequiredCount) {
    EXPECT_THAT(parse_numbers("1, 0x10,3", ',', 2, 3), ElementsAre(1, 16, 3));
    EXPECT_THROW(parse_numbers("1", ',', 2, 3), format_error);
    EXPECT_THROW(parse_numbers("1,2,3,4", ',', 2, 3), format_error);
    EXPECT_THROW(parse_numbers("1,-2", ',', 2, 3), format_error);
    EXPECT_THROW(parse_numbers("1,4294967296", ',', 2, 3), format_error);
}

}  // namespace
}  // namespace simtlm::platform
