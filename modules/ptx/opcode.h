// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace simtlm::ptx {

// Enumerator and PTX name. A word that selects another instruction rather than a variant is part of
// the name (mbarrier.init, bar.warp.sync). `bar`, `bar.cta`, `barrier` and `barrier.cta` are the
// same opcode; barrier.cluster is listed as bar.cluster.
// clang-format off
#define SIMTLM_PTX_OPCODES(X) \
    X(abs, "abs") X(activemask, "activemask") X(add, "add") X(addc, "addc") X(alloca_, "alloca") \
    X(and_, "and") X(applypriority, "applypriority") X(atom, "atom") X(bar_arrive, "bar.arrive") \
    X(bar_cluster_arrive, "bar.cluster.arrive") X(bar_cluster_wait, "bar.cluster.wait") \
    X(bar_red, "bar.red") X(bar_sync, "bar.sync") X(bar_warp_sync, "bar.warp.sync") X(bfe, "bfe") \
    X(bfi, "bfi") X(bfind, "bfind") X(bmsk, "bmsk") X(bra, "bra") X(brev, "brev") \
    X(brkpt, "brkpt") X(brx_idx, "brx.idx") X(call, "call") X(clz, "clz") X(cnot, "cnot") \
    X(copysign, "copysign") X(cos, "cos") X(cp_async, "cp.async") \
    X(cp_async_bulk, "cp.async.bulk") X(cp_async_bulk_commit_group, "cp.async.bulk.commit_group") \
    X(cp_async_bulk_prefetch, "cp.async.bulk.prefetch") \
    X(cp_async_bulk_prefetch_tensor, "cp.async.bulk.prefetch.tensor") \
    X(cp_async_bulk_tensor, "cp.async.bulk.tensor") \
    X(cp_async_bulk_wait_group, "cp.async.bulk.wait_group") \
    X(cp_async_commit_group, "cp.async.commit_group") \
    X(cp_async_mbarrier_arrive, "cp.async.mbarrier.arrive") \
    X(cp_async_wait_all, "cp.async.wait_all") X(cp_async_wait_group, "cp.async.wait_group") \
    X(cp_reduce_async_bulk, "cp.reduce.async.bulk") \
    X(cp_reduce_async_bulk_tensor, "cp.reduce.async.bulk.tensor") X(createpolicy, "createpolicy") \
    X(cvt, "cvt") X(cvt_pack, "cvt.pack") X(cvta, "cvta") X(discard, "discard") X(div, "div") \
    X(dp2a, "dp2a") X(dp4a, "dp4a") X(elect, "elect.sync") X(ex2, "ex2") X(exit, "exit") \
    X(fence, "fence") X(fence_mbarrier_init, "fence.mbarrier_init") X(fence_proxy, "fence.proxy") \
    X(fma, "fma") X(fns, "fns") X(getctarank, "getctarank") X(griddepcontrol, "griddepcontrol") \
    X(isspacep, "isspacep") X(istypep, "istypep") X(ld, "ld") X(ldmatrix, "ldmatrix") \
    X(ldu, "ldu") X(lg2, "lg2") X(lop3, "lop3") X(mad, "mad") X(mad24, "mad24") X(madc, "madc") \
    X(mapa, "mapa") X(match, "match.sync") X(max, "max") X(mbarrier_arrive, "mbarrier.arrive") \
    X(mbarrier_arrive_drop, "mbarrier.arrive_drop") \
    X(mbarrier_complete_tx, "mbarrier.complete_tx") X(mbarrier_expect_tx, "mbarrier.expect_tx") \
    X(mbarrier_init, "mbarrier.init") X(mbarrier_inval, "mbarrier.inval") \
    X(mbarrier_pending_count, "mbarrier.pending_count") \
    X(mbarrier_test_wait, "mbarrier.test_wait") X(mbarrier_try_wait, "mbarrier.try_wait") \
    X(membar, "membar") X(min, "min") X(mma, "mma") X(mma_sp, "mma.sp") X(mov, "mov") \
    X(movmatrix, "movmatrix") X(mul, "mul") X(mul24, "mul24") X(nanosleep, "nanosleep") \
    X(neg, "neg") X(nop, "nop") X(not_, "not") X(or_, "or") X(pmevent, "pmevent") X(popc, "popc") \
    X(prefetch, "prefetch") X(prefetch_tensormap, "prefetch.tensormap") X(prefetchu, "prefetchu") \
    X(prmt, "prmt") X(rcp, "rcp") X(red, "red") X(redux, "redux.sync") X(rem, "rem") X(ret, "ret") \
    X(rsqrt, "rsqrt") X(sad, "sad") X(selp, "selp") X(set, "set") X(setmaxnreg, "setmaxnreg") \
    X(setp, "setp") X(shf, "shf") X(shfl, "shfl") X(shl, "shl") X(shr, "shr") X(sin, "sin") \
    X(slct, "slct") X(sqrt, "sqrt") X(st, "st") X(st_async, "st.async") X(red_async, "red.async") \
    X(stackrestore, "stackrestore") X(stacksave, "stacksave") X(stmatrix, "stmatrix") \
    X(sub, "sub") X(subc, "subc") X(suld, "suld") X(suq, "suq") X(sured, "sured") X(sust, "sust") \
    X(szext, "szext") X(tanh, "tanh") X(tensormap_cp_fenceproxy, "tensormap.cp_fenceproxy") \
    X(tensormap_replace, "tensormap.replace") X(testp, "testp") X(tex, "tex") X(tld4, "tld4") \
    X(trap, "trap") X(txq, "txq") X(vabsdiff, "vabsdiff") X(vabsdiff2, "vabsdiff2") \
    X(vabsdiff4, "vabsdiff4") X(vadd, "vadd") X(vadd2, "vadd2") X(vadd4, "vadd4") \
    X(vavrg2, "vavrg2") X(vavrg4, "vavrg4") X(vmad, "vmad") X(vmax, "vmax") X(vmax2, "vmax2") \
    X(vmax4, "vmax4") X(vmin, "vmin") X(vmin2, "vmin2") X(vmin4, "vmin4") X(vote, "vote") \
    X(vset, "vset") X(vset2, "vset2") X(vset4, "vset4") X(vshl, "vshl") X(vshr, "vshr") \
    X(vsub, "vsub") X(vsub2, "vsub2") X(vsub4, "vsub4") \
    X(wgmma_commit_group, "wgmma.commit_group") X(wgmma_fence, "wgmma.fence") \
    X(wgmma_mma_async, "wgmma.mma_async") X(wgmma_mma_async_sp, "wgmma.mma_async.sp") \
    X(wgmma_wait_group, "wgmma.wait_group") X(wmma_load, "wmma.load") X(wmma_mma, "wmma.mma") \
    X(wmma_store, "wmma.store") X(xor_, "xor")
// clang-format on

/// Opcode of an instruction. `later` represents instructions of sm_90 and later that are not
/// supported (multimem, tcgen05, …): they are parsed with unchecked operands, and executing one is
/// an error that names the text of its operation.
enum class opcode : std::uint16_t {
#define SIMTLM_PTX_ENUMERATOR(name, text) name,
    SIMTLM_PTX_OPCODES(SIMTLM_PTX_ENUMERATOR)
#undef SIMTLM_PTX_ENUMERATOR
        later
};

/// PTX name, e.g. "mbarrier.init"; "later" for unsupported opcodes.
std::string_view name_of(opcode o);

}  // namespace simtlm::ptx
