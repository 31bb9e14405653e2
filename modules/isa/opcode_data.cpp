// SPDX-License-Identifier: Apache-2.0
#include "modules/isa/opcode_data.h"

namespace simtlm::isa {

// Names from the instruction set tables of NVIDIA's "CUDA Binary Utilities"; units as in Accel-Sim,
// because latency and issue port follow from the class. Since Volta, control flow is executed by
// specialised unit 1, texture by 2, matrix by 3, the uniform datapath by 4.
extern const char builtin_opcode_data[] = R"(
# What Maxwell, Pascal and everything from Volta on share. No version of its own.
[common]
sp: FADD FADD32I FCHK FFMA32I FFMA FMNMX FMUL FMUL32I FSEL FSET FSETP FSWZADD
sfu: MUFU
sp half: HADD2 HADD2_32I HFMA2 HFMA2_32I HMUL2_32I HSET2 HSETP2
sp: HMUL2
dp: DADD DFMA DMUL DSETP
int: BMSK BREV FLO IABS IADD IADD3 IADD32I IDP IDP4A IMAD IMMA IMNMX IMUL IMUL32I ISCADD
int: ISCADD32I ISETP LEA LOP LOP3 LOP32I POPC SHF SHL SHR VABSDIFF VABSDIFF4
alu: F2F F2I I2F I2I I2IP FRND
alu: MOV MOV32I PRMT SEL SGXT SHFL
alu: PLOP3 PSETP P2R R2P
load constant: LDC
load generic: LD
load global: LDG
load local: LDL
load shared: LDS
store generic: ST
store global: STG
store local: STL
store shared: STS
load global atomic: ATOM ATOMG RED
load shared atomic: ATOMS
alu: MATCH QSPC CCTL CCTLL CCTLT ERRBAR
alu: SUATOM SULD SURED SUST
fence: MEMBAR
barrier: BAR
exit: EXIT
alu depbar: DEPBAR
alu: B2R CS2R CSMTEST GETLMEMBASE LEPC NOP PMTRIG R2B S2R SETCTAID SETLMEMBASE VOTE VOTE_VTG

[kepler] 30 32 35 37
sp: FFMA FFMA32I FADD FADD32I FCMP FMUL FMUL32I FMNMX FSWZ FSET FSETP FCHK RRO
sfu: MUFU
dp: DFMA DADD DMUL DMNMX DSET DSETP
int: IMAD IMADSP IMUL IMUL32I IADD IADD32I ISUB ISCADD ISCADD32I ISAD IMNMX BFE BFI SHR SHL SHF
int: LOP LOP32I FLO ISET ISETP ICMP POPC
alu: F2F F2I I2F I2I
alu: MOV MOV32I SEL PRMT SHFL
alu: P2R R2P CSET CSETP PSET PSETP
alu: TEX TLD TLD4 TXQ
load constant: LDC
load generic: LD
load global: LDG
load local: LDL
load shared: LDS LDSLK
store global: ST STG               # Kepler's plain ST is its global store
store local: STL
store shared: STS STSCUL
load global atomic: ATOM RED
alu: CCTL CCTLL
fence: MEMBAR
int: SUCLAMP SUBFM SUEAU           # surface address arithmetic
load global: SULDGA
store global: SUSTGA
branch: BRA BRX JMP JMX BPT
call: CAL JCAL
ret: RET BRK CONT SSY PBK PCNT PRET
exit: EXIT
alu: NOP S2R B2R VOTE
alu depbar: DEPBAR
barrier: BAR

[pascal : common] 60 61 62
sp: RRO FCMP
dp: DMNMX DSET
int: ISET VADD BFE BFI ICMP IMADSP XMAD VMNMX VMAD VSHL VSHR ISAD
alu: CSET CSETP PSET
alu: TEX TLD TLD4 TMML TXD TXQ TEXS TLD4S TLDS
branch: BMOV BPT BRA BREAK BRX BSSY BSYNC JMP SSY SYNC JMX KILL NANOSLEEP RPCMOV YIELD
branch warp_sync: WARPSYNC
call: CALL CAL JCAL PRET BRK PBK CONT PCNT PEXIT
ret: RET RTT

[maxwell : pascal] 50 52 53

[volta : common] 70 72
spec3: HMMA
spec2: TEX TLD TLD4 TMML TXD TXQ
spec1: BMOV BPT BRA BREAK BRX BSSY BSYNC CALL JMP JMX KILL NANOSLEEP RET RPCMOV RTT YIELD
spec1 warp_sync: WARPSYNC

[turing : volta] 75
spec3: BMMA IMMA
spec3: KILL                        # where the reference runs it from here on
alu: F2FP MOVM
load shared ldsm: LDSM
spec1: BRXU JMXU
spec4: R2UR S2UR UBMSK UBREV UCLEA UFLO UIADD3 UIMAD UISETP ULDC ULEA ULOP ULOP3 ULOP32I UMOV
spec4: UP2UR UPLOP3 UPOPC UPRMT UPSETP UR2UP USEL USGXT USHF USHL USHR VOTEU

[ampere : turing] 80 86 87
sp: HMNMX2
spec3: DMMA
alu: I2FP F2IP
load global ldgsts: LDGSTS
alu ldgdepbar: LDGDEPBAR
alu: SUQUERY ARRIVES GENMETADATA SPMETADATA
spec4: REDUX UF2FP

[ada : ampere] 89
spec3: QMMA

[hopper : ada] 90
sp: VHMNMX
int: VIADD VIADDMNMX VIMNMX VIMNMX3
spec3: HGMMA IGMMA BGMMA QGMMA
spec3: WARPGROUP WARPGROUPSET
load global atomic: REDG
load global: LDGMC
store shared: STSM STAS
load shared atomic: REDAS
fence: FENCE
alu: ELECT SYNCS ACQBULK ACQSHMINIT CGAERRBAR PREEXIT
alu: UCGABAR_ARV UCGABAR_WAIT
spec1 warp_sync: ENDCOLLECTIVE
spec4: CS2UR UBLKCP UBLKPF UBLKRED UTMACCTL UTMACMDFLUSH UTMALDG UTMAPF UTMAREDG UTMASTG
spec4: USETMAXREG USETSHMSZ UVIADD UVIMNMX UI2FP UF2I UF2F UFRND UI2F
)";

}  // namespace simtlm::isa
