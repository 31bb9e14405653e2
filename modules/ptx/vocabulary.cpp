// SPDX-License-Identifier: Apache-2.0
// The words that modify instructions, by the groups named in the signature table.
#include "modules/ptx/signature.h"

#include <iterator>
#include <unordered_map>
#include <vector>

namespace simtlm::ptx {

namespace {

using f = word::field;

template <typename T>
constexpr std::uint8_t n(T value) {
    return static_cast<std::uint8_t>(value);
}

using space = state_space;
using w = space_window;

// clang-format off
// Warpgroup shapes have 64 rows and any multiple of 8 columns up to 256.
#define SIMTLM_WARPGROUP_SHAPE(n, k) {"warpgroup", "m64n" #n #k, f::shape},
#define SIMTLM_WARPGROUP_SHAPES(k) \
    SIMTLM_WARPGROUP_SHAPE(8, k) SIMTLM_WARPGROUP_SHAPE(16, k) SIMTLM_WARPGROUP_SHAPE(24, k) \
    SIMTLM_WARPGROUP_SHAPE(32, k) SIMTLM_WARPGROUP_SHAPE(40, k) SIMTLM_WARPGROUP_SHAPE(48, k) \
    SIMTLM_WARPGROUP_SHAPE(56, k) SIMTLM_WARPGROUP_SHAPE(64, k) SIMTLM_WARPGROUP_SHAPE(72, k) \
    SIMTLM_WARPGROUP_SHAPE(80, k) SIMTLM_WARPGROUP_SHAPE(88, k) SIMTLM_WARPGROUP_SHAPE(96, k) \
    SIMTLM_WARPGROUP_SHAPE(104, k) SIMTLM_WARPGROUP_SHAPE(112, k) SIMTLM_WARPGROUP_SHAPE(120, k) \
    SIMTLM_WARPGROUP_SHAPE(128, k) SIMTLM_WARPGROUP_SHAPE(136, k) SIMTLM_WARPGROUP_SHAPE(144, k) \
    SIMTLM_WARPGROUP_SHAPE(152, k) SIMTLM_WARPGROUP_SHAPE(160, k) SIMTLM_WARPGROUP_SHAPE(168, k) \
    SIMTLM_WARPGROUP_SHAPE(176, k) SIMTLM_WARPGROUP_SHAPE(184, k) SIMTLM_WARPGROUP_SHAPE(192, k) \
    SIMTLM_WARPGROUP_SHAPE(200, k) SIMTLM_WARPGROUP_SHAPE(208, k) SIMTLM_WARPGROUP_SHAPE(216, k) \
    SIMTLM_WARPGROUP_SHAPE(224, k) SIMTLM_WARPGROUP_SHAPE(232, k) SIMTLM_WARPGROUP_SHAPE(240, k) \
    SIMTLM_WARPGROUP_SHAPE(248, k) SIMTLM_WARPGROUP_SHAPE(256, k)

constexpr word words[] = {
    // Types
    {"", "pred", f::type, n(type::pred)}, {"", "b1", f::type, n(type::b1)},
    {"", "b4", f::type, n(type::b4)}, {"", "b8", f::type, n(type::b8)},
    {"", "b16", f::type, n(type::b16)}, {"", "b32", f::type, n(type::b32)},
    {"", "b64", f::type, n(type::b64)}, {"", "b128", f::type, n(type::b128)},
    {"", "u2", f::type, n(type::u2)}, {"", "u4", f::type, n(type::u4)},
    {"", "u8", f::type, n(type::u8)}, {"", "u16", f::type, n(type::u16)},
    {"", "u32", f::type, n(type::u32)}, {"", "u64", f::type, n(type::u64)},
    {"", "s2", f::type, n(type::s2)}, {"", "s4", f::type, n(type::s4)},
    {"", "s8", f::type, n(type::s8)}, {"", "s16", f::type, n(type::s16)},
    {"", "s32", f::type, n(type::s32)}, {"", "s64", f::type, n(type::s64)},
    {"", "u16x2", f::type, n(type::u16x2)}, {"", "s16x2", f::type, n(type::s16x2)},
    {"", "f16", f::type, n(type::f16)}, {"", "f16x2", f::type, n(type::f16x2)},
    {"", "bf16", f::type, n(type::bf16)}, {"", "bf16x2", f::type, n(type::bf16x2)},
    {"", "tf32", f::type, n(type::tf32)}, {"", "f32", f::type, n(type::f32)},
    {"", "f64", f::type, n(type::f64)}, {"", "f32x2", f::type, n(type::f32x2)},
    {"", "e2m1x2", f::type, n(type::e2m1x2)}, {"", "e2m3x2", f::type, n(type::e2m3x2)},
    {"", "e3m2x2", f::type, n(type::e3m2x2)}, {"", "ue8m0x2", f::type, n(type::ue8m0x2)},
    {"", "e2m1", f::type, n(type::e2m1)},
    {"", "e4m3", f::type, n(type::e4m3)}, {"", "e5m2", f::type, n(type::e5m2)},
    {"", "e4m3x2", f::type, n(type::e4m3x2)}, {"", "e5m2x2", f::type, n(type::e5m2x2)},
    {"", "e4m3x4", f::type, n(type::e4m3x4)}, {"", "e5m2x4", f::type, n(type::e5m2x4)},
    {"", "e2m1x4", f::type, n(type::e2m1x4)}, {"", "e2m3x4", f::type, n(type::e2m3x4)},
    {"", "e3m2x4", f::type, n(type::e3m2x4)},
    {"", "texref", f::type, n(type::texref)}, {"", "samplerref", f::type, n(type::samplerref)},
    {"", "surfref", f::type, n(type::surfref)},

    // Words of one meaning
    {"", "ftz", f::flag, n(flag::ftz)}, {"", "sat", f::flag, n(flag::sat)},
    {"", "satfinite", f::flag, n(flag::satfinite)}, {"", "relu", f::flag, n(flag::relu)},
    {"", "approx", f::flag, n(flag::approx)}, {"", "full", f::flag, n(flag::full)},
    {"", "noftz", f::flag, n(flag::noftz)}, {"", "NaN", f::flag, n(flag::nan)},
    {"", "xorsign", f::flag, n(flag::xorsign_abs)}, {"", "abs", f::flag, n(flag::xorsign_abs)},
    {"", "cc", f::flag, n(flag::cc)}, {"", "sync", f::flag, n(flag::sync)},
    {"", "aligned", f::flag, n(flag::aligned)}, {"", "trans", f::flag, n(flag::trans)},
    {"", "clamp", f::flag, n(flag::clamp)}, {"", "wrap", f::flag, n(flag::wrap)},
    {"", "po", f::flag, n(flag::po)}, {"", "shiftamt", f::flag, n(flag::shiftamt)},
    {"", "to", f::flag, n(flag::to)}, {"", "nc", f::flag, n(flag::nc)},
    {"", "base", f::flag, n(flag::base)},
    {"", "level", f::flag, n(flag::level)}, {"", "grad", f::flag, n(flag::grad)},
    {"", "noinc", f::flag, n(flag::noinc)}, {"", "parity", f::flag, n(flag::parity)},
    {"", "noComplete", f::flag, n(flag::no_complete)},
    {"", "expect_tx", f::flag, n(flag::expect_tx)}, {"", "mmio", f::flag, n(flag::mmio)},
    {"", "lo", f::part, n(product::lo)}, {"", "hi", f::part, n(product::hi)},
    {"", "wide", f::part, n(product::wide)},
    {"", "v2", f::vector, 2}, {"", "v4", f::vector, 4}, {"", "v8", f::vector, 8},
    {"", "global", f::space, n(space::global)}, {"", "local", f::space, n(space::local)},
    {"", "shared", f::space, n(space::shared)},
    {"", "shared::cta", f::space, n(space::shared), n(w::cta)},
    {"", "shared::cluster", f::space, n(space::shared), n(w::cluster)},
    {"", "ca", f::cache, n(cache_operator::ca)}, {"", "cg", f::cache, n(cache_operator::cg)},
    {"", "L2::evict_last", f::evict_l2, n(eviction::last)},
    {"", "L2::evict_normal", f::evict_l2, n(eviction::normal)},

    // Parts of names
    {"", "pack"}, {"", "async"}, {"", "commit_group"}, {"", "wait_group"}, {"", "wait_all"},
    {"", "mbarrier"}, {"", "arrive"}, {"", "arrive_drop"}, {"", "init"}, {"", "inval"},
    {"", "complete_tx"}, {"", "test_wait"}, {"", "try_wait"}, {"", "pending_count"}, {"", "red"},
    {"", "warp"}, {"", "idx"}, {"", "mask"}, {"", "load"}, {"", "store"}, {"", "mma"},
    {"", "cluster"}, {"", "wait", f::flag, n(flag::wait)}, {"", "bulk"}, {"", "bulk_group"}, {"", "tensor"}, {"", "tile"},
    {"im2col", "im2col", f::variant, n(mode::im2col)},
    {"im2col", "im2col::w", f::variant, n(mode::im2col_w)},
    {"im2col", "im2col::w::128", f::variant, n(mode::im2col_w_128)},
    {"", "im2col_no_offs", f::variant, n(mode::im2col)},
    {"", "read", f::flag, n(flag::read)}, {"", "inc"}, {"", "dec"}, {"", "launch_dependents"}, {"", "mbarrier_init"},
    {"", "reduce"}, {"", "prefetch"}, {"", "tensormap"}, {"", "mma_async"}, {"", "replace"},
    {"", "cp_fenceproxy"}, {"", "tensormap::generic"}, {"", "b1024"}, {"", "fence"},
    {"", "mbarrier::complete_tx::bytes"},
    {"", "multicast::cluster", f::flag, n(flag::multicast)},
    {"", "multicast::cluster::all", f::flag, n(flag::to_all_ctas)}, {"", "cp_mask"},
    {"", "tile::gather4", f::flag, n(flag::gathers)}, {"", "tile::scatter4", f::flag, n(flag::gathers)},
    {"", "try_cancel"}, {"", "query_cancel"}, {"", "is_canceled"}, {"", "get_first_ctaid"},
    {"first_ctaid", "get_first_ctaid::x", f::variant, n(mode::cta_x)},
    {"first_ctaid", "get_first_ctaid::y", f::variant, n(mode::cta_y)},
    {"first_ctaid", "get_first_ctaid::z", f::variant, n(mode::cta_z)},
    {"", "proxy"}, {"", "cvt"}, {"", "L2"}, {"", "alias", f::variant, n(mode::alias)},

    // Sets of types
    {"int", "u16", f::type, n(type::u16)}, {"int", "u32", f::type, n(type::u32)},
    {"int", "u64", f::type, n(type::u64)}, {"int", "s16", f::type, n(type::s16)},
    {"int", "s32", f::type, n(type::s32)}, {"int", "s64", f::type, n(type::s64)},
    {"num", "u8", f::type, n(type::u8)}, {"num", "u16", f::type, n(type::u16)},
    {"num", "u32", f::type, n(type::u32)}, {"num", "u64", f::type, n(type::u64)},
    {"num", "s8", f::type, n(type::s8)}, {"num", "s16", f::type, n(type::s16)},
    {"num", "s32", f::type, n(type::s32)}, {"num", "s64", f::type, n(type::s64)},
    {"num", "f16", f::type, n(type::f16)}, {"num", "bf16", f::type, n(type::bf16)},
    {"num", "f32", f::type, n(type::f32)}, {"num", "f64", f::type, n(type::f64)},
    {"mem", "b8", f::type, n(type::b8)}, {"mem", "b16", f::type, n(type::b16)},
    {"mem", "b32", f::type, n(type::b32)}, {"mem", "b64", f::type, n(type::b64)},
    {"mem", "b128", f::type, n(type::b128)},
    {"mem", "u8", f::type, n(type::u8)}, {"mem", "u16", f::type, n(type::u16)},
    {"mem", "u32", f::type, n(type::u32)}, {"mem", "u64", f::type, n(type::u64)},
    {"mem", "s8", f::type, n(type::s8)}, {"mem", "s16", f::type, n(type::s16)},
    {"mem", "s32", f::type, n(type::s32)}, {"mem", "s64", f::type, n(type::s64)},
    {"mem", "f32", f::type, n(type::f32)},
    {"mem", "f64", f::type, n(type::f64)},
    {"texel", "u32", f::type, n(type::u32)}, {"texel", "s32", f::type, n(type::s32)},
    {"texel", "f32", f::type, n(type::f32)}, {"texel", "f16", f::type, n(type::f16)},
    {"factor", "f16", f::type, n(type::f16)}, {"factor", "bf16", f::type, n(type::bf16)},
    {"factor", "tf32", f::type, n(type::tf32)}, {"factor", "f64", f::type, n(type::f64)},
    {"factor", "u8", f::type, n(type::u8)}, {"factor", "s8", f::type, n(type::s8)},
    {"factor", "u4", f::type, n(type::u4)}, {"factor", "s4", f::type, n(type::s4)},
    {"factor", "b1", f::type, n(type::b1)}, {"sum", "f16", f::type, n(type::f16)},
    {"sum", "f32", f::type, n(type::f32)}, {"sum", "f64", f::type, n(type::f64)},
    {"sum", "s32", f::type, n(type::s32)},

    // Rounding and comparison
    {"rnd", "rn", f::round, n(rounding::rn)}, {"rnd", "rz", f::round, n(rounding::rz)},
    {"rnd", "rm", f::round, n(rounding::rm)}, {"rnd", "rp", f::round, n(rounding::rp)},
    {"tfrnd", "rna", f::round, n(rounding::rna)}, {"srnd", "rs", f::round, n(rounding::rs)},
    {"irnd", "rni", f::round, n(rounding::rni)}, {"irnd", "rzi", f::round, n(rounding::rzi)},
    {"irnd", "rmi", f::round, n(rounding::rmi)}, {"irnd", "rpi", f::round, n(rounding::rpi)},
    {"cmp", "eq", f::compare, n(comparison::eq)}, {"cmp", "ne", f::compare, n(comparison::ne)},
    {"cmp", "lt", f::compare, n(comparison::lt)}, {"cmp", "le", f::compare, n(comparison::le)},
    {"cmp", "gt", f::compare, n(comparison::gt)}, {"cmp", "ge", f::compare, n(comparison::ge)},
    {"cmp", "lo", f::compare, n(comparison::lo)}, {"cmp", "ls", f::compare, n(comparison::ls)},
    {"cmp", "hi", f::compare, n(comparison::hi)}, {"cmp", "hs", f::compare, n(comparison::hs)},
    {"fcmp", "eq", f::compare, n(comparison::eq)}, {"fcmp", "ne", f::compare, n(comparison::ne)},
    {"fcmp", "lt", f::compare, n(comparison::lt)}, {"fcmp", "le", f::compare, n(comparison::le)},
    {"fcmp", "gt", f::compare, n(comparison::gt)}, {"fcmp", "ge", f::compare, n(comparison::ge)},
    {"fcmp", "equ", f::compare, n(comparison::equ)}, {"fcmp", "neu", f::compare, n(comparison::neu)},
    {"fcmp", "ltu", f::compare, n(comparison::ltu)}, {"fcmp", "leu", f::compare, n(comparison::leu)},
    {"fcmp", "gtu", f::compare, n(comparison::gtu)}, {"fcmp", "geu", f::compare, n(comparison::geu)},
    {"fcmp", "num", f::compare, n(comparison::num)}, {"fcmp", "nan", f::compare, n(comparison::nan)},
    {"bool", "and", f::reduce, n(reduction::and_)}, {"bool", "or", f::reduce, n(reduction::or_)},
    {"bool", "xor", f::reduce, n(reduction::xor_)},
    {"red", "and", f::reduce, n(reduction::and_)}, {"red", "or", f::reduce, n(reduction::or_)},
    {"red", "xor", f::reduce, n(reduction::xor_)}, {"red", "popc", f::reduce, n(reduction::popc)},
    {"red", "cas", f::reduce, n(reduction::cas)}, {"red", "exch", f::reduce, n(reduction::exch)},
    {"red", "add", f::reduce, n(reduction::add)}, {"red", "inc", f::reduce, n(reduction::inc)},
    {"red", "dec", f::reduce, n(reduction::dec)}, {"red", "min", f::reduce, n(reduction::min)},
    {"red", "max", f::reduce, n(reduction::max)},
    {"restrict", "sync_restrict::shared::cta"}, {"restrict", "sync_restrict::shared::cluster"},
    {"", "async::generic"}, {"bits", "popc"}, {"magnitude", "abs", f::flag, n(flag::magnitude)},
    {"level_of_bar", "cta", f::visible_to, n(scope::cta)}, {"level_of_bar", "gl", f::visible_to, n(scope::gpu)},
    {"level_of_bar", "sys", f::visible_to, n(scope::sys)},

    // Memory
    {"ldspace", "const", f::space, n(space::const_)}, {"ldspace", "global", f::space, n(space::global)},
    {"ldspace", "local", f::space, n(space::local)}, {"ldspace", "param", f::space, n(space::param)},
    {"ldspace", "param::entry", f::space, n(space::param), n(w::entry)},
    {"ldspace", "param::func", f::space, n(space::param), n(w::func)},
    {"ldspace", "shared", f::space, n(space::shared)},
    {"ldspace", "shared::cta", f::space, n(space::shared), n(w::cta)},
    {"ldspace", "shared::cluster", f::space, n(space::shared), n(w::cluster)},
    {"stspace", "global", f::space, n(space::global)}, {"stspace", "local", f::space, n(space::local)},
    {"stspace", "param", f::space, n(space::param)},
    {"stspace", "param::func", f::space, n(space::param), n(w::func)},
    {"stspace", "shared", f::space, n(space::shared)},
    {"stspace", "shared::cta", f::space, n(space::shared), n(w::cta)},
    {"stspace", "shared::cluster", f::space, n(space::shared), n(w::cluster)},
    {"atomspace", "global", f::space, n(space::global)},
    {"atomspace", "shared", f::space, n(space::shared)},
    {"atomspace", "shared::cta", f::space, n(space::shared), n(w::cta)},
    {"atomspace", "shared::cluster", f::space, n(space::shared), n(w::cluster)},
    {"windows", "const", f::space, n(space::const_)}, {"windows", "global", f::space, n(space::global)},
    {"windows", "local", f::space, n(space::local)}, {"windows", "param", f::space, n(space::param)},
    {"windows", "param::entry", f::space, n(space::param), n(w::entry)},
    
    {"windows", "shared", f::space, n(space::shared)},
    {"windows", "shared::cta", f::space, n(space::shared), n(w::cta)},
    {"windows", "shared::cluster", f::space, n(space::shared), n(w::cluster)},
    {"from", "global", f::source_space, n(space::global)},
    {"bulkfrom", "global", f::source_space, n(space::global)},
    {"bulkfrom", "shared::cta", f::source_space, n(space::shared)},
    {"order", "weak", f::order, n(semantics::weak)}, {"order", "relaxed", f::order, n(semantics::relaxed)},
    {"order", "acquire", f::order, n(semantics::acquire)},
    {"order", "release", f::order, n(semantics::release)},
    {"order", "acq_rel", f::order, n(semantics::acq_rel)}, {"order", "sc", f::order, n(semantics::sc)},
    {"order", "volatile", f::order, n(semantics::volatile_)},
    {"scope", "cta", f::visible_to, n(scope::cta)}, {"scope", "cluster", f::visible_to, n(scope::cluster)},
    {"scope", "gpu", f::visible_to, n(scope::gpu)}, 
    {"scope", "sys", f::visible_to, n(scope::sys)},
    {"ldcache", "ca", f::cache, n(cache_operator::ca)}, {"ldcache", "cg", f::cache, n(cache_operator::cg)},
    {"ldcache", "cs", f::cache, n(cache_operator::cs)}, {"ldcache", "lu", f::cache, n(cache_operator::lu)},
    {"ldcache", "cv", f::cache, n(cache_operator::cv)},
    {"stcache", "wb", f::cache, n(cache_operator::wb)}, {"stcache", "cg", f::cache, n(cache_operator::cg)},
    {"stcache", "cs", f::cache, n(cache_operator::cs)}, {"stcache", "wt", f::cache, n(cache_operator::wt)},
    {"evict1", "L1::evict_normal", f::evict_l1, n(eviction::normal)},
    {"evict1", "L1::evict_unchanged", f::evict_l1, n(eviction::unchanged)},
    {"evict1", "L1::evict_first", f::evict_l1, n(eviction::first)},
    {"evict1", "L1::evict_last", f::evict_l1, n(eviction::last)},
    {"evict1", "L1::no_allocate", f::evict_l1, n(eviction::no_allocate)},
    {"evict2", "L2::evict_normal", f::evict_l2, n(eviction::normal)},
    {"evict2", "L2::evict_unchanged", f::evict_l2, n(eviction::unchanged)},
    {"evict2", "L2::evict_first", f::evict_l2, n(eviction::first)},
    {"evict2", "L2::evict_last", f::evict_l2, n(eviction::last)},
    {"evict2b", "L2::evict_first"}, {"evict2b", "L2::evict_unchanged"},
    {"hint", "L2::cache_hint", f::flag, n(flag::cache_hint)},
    {"ahead", "L2::64B", f::flag, n(flag::prefetch_64)},
    {"ahead", "L2::128B", f::flag, n(flag::prefetch_128)},
    {"ahead", "L2::256B", f::flag, n(flag::prefetch_256)},
    {"level", "L1", f::variant, n(mode::l1)}, {"level", "L2", f::variant, n(mode::l2)},
    {"policy", "fractional", f::variant, n(mode::fractional)},
    {"policy", "range", f::variant, n(mode::range)},

    // Warps and control flow
    {"shfl", "up", f::variant, n(mode::up)}, {"shfl", "down", f::variant, n(mode::down)},
    {"shfl", "bfly", f::variant, n(mode::bfly)}, {"shfl", "idx", f::variant, n(mode::idx)},
    {"vote", "all", f::variant, n(mode::all)}, {"vote", "any", f::variant, n(mode::any)},
    {"vote", "uni", f::variant, n(mode::uni)}, {"vote", "ballot", f::variant, n(mode::ballot)},
    {"uni", "uni", f::flag, n(flag::uni)}, {"cta", "cta"},
    {"shf", "l", f::variant, n(mode::left)}, {"shf", "r", f::variant, n(mode::right)},
    {"prmt", "f4e", f::variant, n(mode::f4e)}, {"prmt", "b4e", f::variant, n(mode::b4e)},
    {"prmt", "rc8", f::variant, n(mode::rc8)}, {"prmt", "ecl", f::variant, n(mode::ecl)},
    {"prmt", "ecr", f::variant, n(mode::ecr)}, {"prmt", "rc16", f::variant, n(mode::rc16)},
    {"testp", "finite", f::variant, n(mode::finite)}, {"testp", "infinite", f::variant, n(mode::infinite)},
    {"testp", "number", f::variant, n(mode::number)},
    {"testp", "notanumber", f::variant, n(mode::notanumber)},
    {"testp", "normal", f::variant, n(mode::normal)},
    {"testp", "subnormal", f::variant, n(mode::subnormal)},
    {"scale", "shr7", f::count, 7}, {"scale", "shr15", f::count, 15},

    // Matrices
    {"fragment", "a", f::part_of, n(fragment::a)}, {"fragment", "b", f::part_of, n(fragment::b)},
    {"fragment", "c", f::part_of, n(fragment::c)}, {"fragment", "d", f::part_of, n(fragment::d)},
    {"layout", "row", f::layout_a, n(layout::row)}, {"layout", "col", f::layout_a, n(layout::col)},
    {"layoutb", "row", f::layout_b, n(layout::row)}, {"layoutb", "col", f::layout_b, n(layout::col)},
    {"shape", "m16n16k16", f::shape}, {"shape", "m32n8k16", f::shape}, {"shape", "m8n32k16", f::shape},
    {"shape", "m16n16k8", f::shape}, {"shape", "m8n8k4", f::shape}, {"shape", "m8n8k16", f::shape},
    {"shape", "m8n8k32", f::shape}, {"shape", "m8n8k128", f::shape}, {"shape", "m16n8k4", f::shape},
    {"shape", "m16n8k8", f::shape}, {"shape", "m16n8k16", f::shape}, {"shape", "m16n8k32", f::shape},
    {"shape", "m16n8k64", f::shape}, {"shape", "m16n8k128", f::shape},
    {"shape", "m16n8k256", f::shape}, {"tile", "m8n8", f::shape}, {"tile", "m8n16", f::shape}, {"tile", "m16n16", f::shape}, {"tile", "m16n8", f::shape}, {"", "b8x16"},
    {"packed", "b4x16_p64", f::variant, n(mode::packed_4)},
    {"packed", "b6x16_p32", f::variant, n(mode::packed_6)},
    {"tensor", "1d", f::count, 1}, {"tensor", "2d", f::count, 2}, {"tensor", "3d", f::count, 3},
    {"tensor", "4d", f::count, 4}, {"tensor", "5d", f::count, 5},
    SIMTLM_WARPGROUP_SHAPES(k8) SIMTLM_WARPGROUP_SHAPES(k16) SIMTLM_WARPGROUP_SHAPES(k32)
    SIMTLM_WARPGROUP_SHAPES(k64) SIMTLM_WARPGROUP_SHAPES(k256)
    {"tensorfield", "global_address", f::variant, n(mode::map_address)},
    {"tensorfield", "rank", f::variant, n(mode::map_rank)},
    {"tensorfield", "box_dim", f::variant, n(mode::map_box)},
    {"tensorfield", "global_dim", f::variant, n(mode::map_size)},
    {"tensorfield", "global_stride", f::variant, n(mode::map_stride)},
    {"tensorfield", "element_stride", f::variant, n(mode::map_step)},
    {"tensorfield", "elemtype", f::variant, n(mode::map_type)},
    {"tensorfield", "interleave_layout", f::variant, n(mode::map_interleave)},
    {"tensorfield", "swizzle_mode", f::variant, n(mode::map_swizzle)},
    {"tensorfield", "swizzle_atomicity", f::variant, n(mode::map_atomicity)},
    {"tensorfield", "fill_mode", f::variant, n(mode::map_fill)},
    {"kind", "kind::f8f6f4", f::variant, n(mode::kind_f8f6f4)},
    {"kind", "kind::mxf8f6f4", f::variant, n(mode::kind_mxf8f6f4)},
    {"kind", "kind::mxf4", f::variant, n(mode::kind_mxf4)},
    {"kind", "kind::mxf4nvf4", f::variant, n(mode::kind_mxf4nvf4)},
    {"scales", "scale_vec::1X", f::count, 1}, {"scales", "scale_vec::2X", f::count, 2},
    {"scales", "scale_vec::4X", f::count, 4}, {"", "block_scale"},
    {"scaletype", "ue8m0"}, {"scaletype", "ue4m3", f::flag, n(flag::ue4m3)},
    {"small", "e4m3", f::type, n(type::e4m3)}, {"small", "e5m2", f::type, n(type::e5m2)},
    {"small", "e2m3", f::type, n(type::e2m3)}, {"small", "e3m2", f::type, n(type::e3m2)},
    {"small", "e2m1", f::type, n(type::e2m1)},
    {"times", "x1", f::count, 1}, {"times", "x2", f::count, 2}, {"times", "x4", f::count, 4},
    {"lanes", "32x32b", f::variant, n(mode::lanes_32x32b)}, {"lanes", "16x64b", f::variant, n(mode::lanes_16x64b)},
    {"lanes", "16x128b", f::variant, n(mode::lanes_16x128b)},
    {"lanes", "16x256b", f::variant, n(mode::lanes_16x256b)},
    {"lanes", "16x32bx2", f::variant, n(mode::lanes_16x32bx2)},
    {"columns", "x1", f::count, 1}, {"columns", "x2", f::count, 2}, {"columns", "x4", f::count, 4}, {"columns",
    "x8", f::count, 8}, {"columns", "x16", f::count, 16}, {"columns", "x32", f::count, 32}, {"columns", "x64",
    f::count, 64}, {"columns", "x128", f::count, 128},
    {"cpshape", "128x256b", f::count, n(cp_shape::s128x256b)}, {"cpshape", "4x256b", f::count, n(cp_shape::s4x256b)},
    {"cpshape", "128x128b", f::count, n(cp_shape::s128x128b)}, {"cpshape", "64x128b", f::count, n(cp_shape::s64x128b)},
    {"cpshape", "32x128b", f::count, n(cp_shape::s32x128b)}, {"", "warpx4"},
    {"warpx2", "warpx2::02_13", f::flag, n(flag::warps_02_13)}, {"warpx2", "warpx2::01_23", f::flag, n(flag::warps_01_23)},
    {"pair", "cta_group::1"}, {"pair", "cta_group::2", f::flag, n(flag::cta_pair)},
    {"umma", "kind::f16", f::variant, n(mode::kind_f16)}, {"umma", "kind::tf32", f::variant, n(mode::kind_tf32)},
    {"umma", "kind::i8", f::variant, n(mode::kind_i8)}, {"umma", "kind::f8f6f4", f::variant, n(mode::kind_f8f6f4)},
    {"blocks", "scale_vec::1X", f::count, 1}, {"blocks", "scale_vec::2X", f::count, 2},
    {"blocks", "scale_vec::4X", f::count, 4}, {"blocks", "block16", f::count, 4}, {"blocks", "block32"},
    {"", "ws", f::flag, n(flag::weight_stationary)}, {"sparse", "sp", f::flag, n(flag::sparse)},
    {"", "ashift", f::flag, n(flag::a_shift)}, {"", "pack::16b", f::flag, n(flag::halves)},
    {"", "unpack::16b", f::flag, n(flag::halves)}, {"", "mbarrier::arrive::one"}, {"", "down"},
    {"", "alloc"}, {"", "dealloc"}, {"", "relinquish_alloc_permit"}, {"", "ld"}, {"", "st"}, {"", "cp"},
    {"", "commit"}, {"", "shift"}, {"", "wait::ld"}, {"", "wait::st"}, {"", "fence::before_thread_sync"},
    {"", "fence::after_thread_sync"},
    {"collector", "collector::a::fill"}, {"collector", "collector::a::use"}, {"collector", "collector::a::lastuse"}, {"collector", "collector::a::discard"}, 
    {"bcollector", "collector::b0::fill"}, {"bcollector", "collector::b0::use"}, {"bcollector", "collector::b0::lastuse"}, {"bcollector", "collector::b0::discard"}, 
    {"bcollector", "collector::b1::fill"}, {"bcollector", "collector::b1::use"}, {"bcollector", "collector::b1::lastuse"}, {"bcollector", "collector::b1::discard"}, 
    {"bcollector", "collector::b2::fill"}, {"bcollector", "collector::b2::use"}, {"bcollector", "collector::b2::lastuse"}, {"bcollector", "collector::b2::discard"}, 
    {"bcollector", "collector::b3::fill"}, {"bcollector", "collector::b3::use"}, {"bcollector", "collector::b3::lastuse"}, {"bcollector", "collector::b3::discard"}, 
    {"sp", "sp"}, {"sp", "sp::ordered_metadata", f::flag, n(flag::ordered_metadata)},

    // Textures and surfaces
    {"geometry", "1d", f::texture, n(geometry::d1)}, {"geometry", "2d", f::texture, n(geometry::d2)},
    {"geometry", "3d", f::texture, n(geometry::d3)}, {"geometry", "a1d", f::texture, n(geometry::a1d)},
    {"geometry", "a2d", f::texture, n(geometry::a2d)}, {"geometry", "cube", f::texture, n(geometry::cube)},
    {"geometry", "acube", f::texture, n(geometry::acube)},
    {"geometry", "2dms", f::texture, n(geometry::d2ms)},
    {"geometry", "a2dms", f::texture, n(geometry::a2dms)},
    {"component", "r", f::variant, n(mode::tex_r)}, {"component", "g", f::variant, n(mode::tex_g)},
    {"component", "b", f::variant, n(mode::tex_b)}, {"component", "a", f::variant, n(mode::tex_a)},
    {"query", "width", f::variant, n(mode::width)}, {"query", "height", f::variant, n(mode::height)},
    {"query", "depth", f::variant, n(mode::depth)},
    {"query", "channel_data_type", f::variant, n(mode::channel_data_type)},
    {"query", "channel_order", f::variant, n(mode::channel_order)},
    {"query", "normalized_coords", f::variant, n(mode::normalized_coords)},
    {"query", "force_unnormalized_coords", f::variant, n(mode::force_unnormalized_coords)},
    {"query", "filter_mode", f::variant, n(mode::filter_mode)},
    {"query", "addr_mode_0", f::variant, n(mode::addr_mode_0)},
    {"query", "addr_mode_1", f::variant, n(mode::addr_mode_1)},
    {"query", "addr_mode_2", f::variant, n(mode::addr_mode_2)},
    {"query", "array_size", f::variant, n(mode::array_size)},
    {"query", "num_mipmap_levels", f::variant, n(mode::num_mipmap_levels)},
    {"query", "num_samples", f::variant, n(mode::num_samples)},
    {"query", "memory_layout", f::variant, n(mode::memory_layout)},
    {"access", "b", f::flag, n(flag::bytes)}, {"access", "p", f::flag, n(flag::formatted)},
    {"bounds", "trap", f::surface_bounds, n(bounds::trap)},
    {"bounds", "clamp", f::surface_bounds, n(bounds::clamp)},
    {"bounds", "zero", f::surface_bounds, n(bounds::zero)},
};

// Instructions of sm_90 and later, by the beginning of their text: those without a row in the table
// are rejected when they are executed.
constexpr std::string_view later_beginnings[] = {
    "wgmma", "tcgen05", "cp.async.bulk", "cp.reduce", "tensormap", "mapa", "getctarank",
    "barrier.cluster", "elect", "setmaxnreg", "griddepcontrol", "fence.mbarrier_init", "multimem",
    "st.async", "st.bulk", "red.async", "stmatrix", "clusterlaunchcontrol", "fence.proxy.async",
    "fence.proxy.tensormap",
    "fence.proxy.tensormap::generic", "membar.proxy", "prefetch.tensormap", "redux.f32", "_mma", "mma.block",
    "ldmatrix.b8", "isspacep.cluster",
};

// Words that only exist in instructions after sm_80.
constexpr std::string_view later_words[] = {
    "f32x2", "e2m1", "e2m3", "e3m2", "e2m1x2", "e2m3x2", "e3m2x2", "ue8m0x2", "ue8m0", "ue4m3",
    "e4m3x4", "e5m2x4", "e2m1x4", "e2m3x4", "e3m2x4", "m16n16", "m8n16", "b8x16", "b4x16", "b6x16_p32",
    "b4x16_p64", "b6x16_p16", "block_scale", "scale_vec::1X", "scale_vec::2X", "scale_vec::4X",
    "rs", "oob", "sync_restrict::shared::cta", "sync_restrict::shared::cluster",
    "sync_restrict::shared", "restrict",
};
// clang-format on

bool begins_with(std::string_view text, std::string_view beginning) {
    return text.size() >= beginning.size() && text.substr(0, beginning.size()) == beginning &&
           (text.size() == beginning.size() || text[beginning.size()] == '.');
}

bool is_later_word(std::string_view text) {
    for (const std::string_view known : later_words) {
        if (text == known) return true;
    }
    return text.substr(0, 6) == "kind::" || text.substr(0, 11) == "multicast::";
}

}  // namespace

const std::vector<const word*>& words_of(std::string_view group) {
    using word_lists = std::unordered_map<std::string_view, std::vector<const word*>>;
    static const word_lists lists = [] {
        word_lists by_group;
        for (const word& each : words) by_group[each.group].push_back(&each);
        return by_group;
    }();
    static const std::vector<const word*> none;
    const auto found = lists.find(group);
    return found != lists.end() ? found->second : none;
}

const word* find_word(std::string_view group, std::string_view text) {
    for (const word* each : words_of(group)) {
        if (each->text == text) return each;
    }
    return nullptr;
}

bool is_later(std::string_view opcode_text) {
    for (const std::string_view beginning : later_beginnings) {
        if (begins_with(opcode_text, beginning)) return true;
    }
    const std::string_view base = opcode_text.substr(0, opcode_text.find('.'));
    const bool atomic = base == "atom" || base == "red";
    for (std::size_t at = opcode_text.find('.'); at != std::string_view::npos;) {
        const std::size_t next = opcode_text.find('.', at + 1);
        const std::string_view word = opcode_text.substr(at + 1, next - at - 1);
        const bool vector = word == "v2" || word == "v4" || word == "v8";
        if (is_later_word(word) || (atomic && vector)) return true;
        at = next;
    }
    return false;
}

}  // namespace simtlm::ptx
