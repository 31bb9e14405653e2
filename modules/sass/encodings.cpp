// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/encodings.h"

namespace simtlm::sass {

// One line per form:
//
//   NAME  KEYS  ARCHITECTURES | FIELDS | OPERANDS
//
// KEYS           bits 11:0 and, as bit 12, bit 91 of the instruction; hexadecimal
// ARCHITECTURES  sm numbers: 70-75, 80- (and later); suffix U: an instruction of the uniform
//                datapath, whose registers and predicates are UR and UP; suffix V: latency is
//                variable, and operands are not kept for reuse; W, R: the instruction does not
//                release a scoreboard when it has written its result or read its operands
// FIELDS         ?BITS=N, ?!BITS=N: the form applies if the bits have that value, or another. Then
//                modifiers in the order of the mnemonic. BITS=NAME: a flag. BITS=A,B,C..: names by
//                value; "-" has no name, "A.B" is two modifiers, "*" is INVALID with the value, "?"
//                ??? with the value, "!" an invalid instruction. "N:A": the name of value N;
//                "else:A": of values that are not listed. These are "*" by default, or "!" if a
//                value is given as a number. BITS: 80, 78-79, or ranges joined by +, the low bits
//                first
// OPERANDS       in order:
//   Rn URn       register at bit n; Rd Ra Rb Rc: 16, 24, 32, 64
//   A            source register at bit 24
//   Q            source at bit 32 in the form selected by bits 11:9 and 91: register, immediate,
//                constant or uniform register
//   B C          of two sources, at bit 64 and Q, in the order selected by bits 11:9
//                ~ counts from PT down
//                /n -x, /a |x|, /i ~x, at the usual bits of such a source; type of an
//                immediate: /s signed, /u unsigned, /f f32, /d f64, /h two halves; /x: halves of
//                a packed source are selected; /v: .SIGN, only its highest bit; /g: F16, either
//                half; /k: .24 or .28, the bits of it that are kept; /y: bit 50 is .reuse; /B: a
//                byte, selected by bits 72 and 88
//   Pn UPn       predicate at bit n; suffix !: bit n+3 negates it
//   In.w Sn.w    number of w bits at bit n, unsigned or signed
//   ?            suffix of an operand: omitted if it is PT; [X]: present if modifier X is,
//                [^X]: if it is not
//   GEOn         geometry of a texture, three bits from bit n on: 2D, ARRAY_2D
//   QUERYn       queried property of a texture, two bits from bit n on
//   BASEn        register at bit n as an address
//   PAIRn.u.o    pair of registers at bit n as an address, a uniform register at u, an offset at o
//   UADDRn.o     uniform register at bit n as an address, with an offset from bit o on
//   UDESCn.b     desc[] of the uniform register at bit n, present if bit b is set
//   GDESCn       descriptors of matrices, from the uniform register at bit n on
//   TMEMn.o      uniform register at bit n as an address of tensor memory, offset at o
//                (24 bits) and 72 (8 bits)
//   TCAn         matrix A of a tensor core product: as GDESCn or TMEMn, by bits 11:9
//   IDESCn       instruction descriptor, in the register after the uniform one at bit n
//   GSBn         scoreboard of warpgroup products, three bits from bit n on
//   RPCn         half of the saved program counter: bit n selects the high one
//   APC          program counter of the code that is executed at the exit
//   L24          64-bit immediate from bit 24 on
//   W            64-bit source at bit 32: register, uniform register, or immediate
//   /Hn          halves of a packed source are selected by two bits from bit n on
//   /Xn          part of an operand that is a pair of words, three bits from bit n on
//   WIDEn.u.o.w  pair of registers at bit n as an address, a descriptor at u, w bits of offset at o
//   USPLITn      uniform register, three bits at bit n and five at bit 73
//   ANY          operands that are not described, and not printed
//   others       see the switch in encoding_table.cpp
//
// Derived by changing bits of known instructions and disassembling the result.
const std::string_view encoding_text = R"(
let ORDER_LOAD 77-80=-,CONSTANT.PRIVATE,CONSTANT.CTA,CONSTANT.CTA.PRIVATE,CONSTANT,STRONG.SM,STRONG.GPU.PRIVATE,STRONG.GPU,MMIO.GPU,CONSTANT.SM,STRONG.SYS,CONSTANT.SM.PRIVATE,MMIO.SYS,CONSTANT.VC,CONSTANT.VC.PRIVATE,CONSTANT.GPU
let ORDER 77-80=-,CONSTANT.PRIVATE,CONSTANT.CTA,CONSTANT.CTA.PRIVATE,STRONG.SM.PRIVATE,STRONG.SM,STRONG.GPU.PRIVATE,STRONG.GPU,MMIO.GPU,CONSTANT.SM,STRONG.SYS,CONSTANT.SM.PRIVATE,MMIO.SYS,CONSTANT.VC,CONSTANT.VC.PRIVATE,CONSTANT.GPU
let FTYPE 73-76+87=F16x2.RN,F16x4.RN,F16x8.RN,BF16x2.RN,BF16x4.RN,BF16x8.RN,*,*,*,F32.FTZ.RN,F32x2.FTZ.RN,F32x4.FTZ.RN,F32.RN,F32x2.RN,F32x4.RN,F64.RN
let ORDER_COPY 77-80=-,CONSTANT.PRIVATE,CONSTANT.CTA,CONSTANT.CTA.PRIVATE,CONSTANT,MMIO.CTA,GPU.PRIVATE,MMIO.CTA.PRIVATE,MMIO.SM,CONSTANT.SM,MMIO.VC,CONSTANT.SM.PRIVATE,MMIO.GPU,CONSTANT.VC,CONSTANT.VC.PRIVATE,CONSTANT.GPU
let CACHE 84-86=EF,-,EL,LU,EU,NA,INVALID6,INVALID7
let TEXTYPE 79-80=-,F16.RN,F16.RZ,INVALID3
let TEXLEVEL 87-89=-,LZ,LB,LL,LC,LB.LC,LC.FDV,INVALID7
let TLDLEVEL 87-89=INVALID0,LZ,INVALID2,LL,INVALID4,INVALID5,INVALID6,INVALID7
let SURFACE 61-63=1D,1D_BUFFER,1D_ARRAY,2D,2D_ARRAY,3D,INVALID6,INVALID7
let SURFTYPE 73-75=U8,S8,U16,S16,-,64,128,INVALID7
let SURFMASK 72-75=INVALID0,R,INVALID2,RG,INVALID4,INVALID5,INVALID6,INVALID7,INVALID8,INVALID9,INVALID10,INVALID11,INVALID12,INVALID13,INVALID14,-
let SURFORDER 79-80=INVALID0,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE
let OUTSIDE 59-60=IGN,-,TRAP,INVALID3
let SURFREDUCE 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR
let SURFREDTYPE 73-75=-,S32,U64,F32.FTZ.RN,F16x2.RN,S64,SD32,SD64
let BARMODE 77-80+74-75=0:SYNC,ARV,RED.POPC,SCAN,8:SYNC.DEFER_BLOCKING,10:RED.POPC.DEFER_BLOCKING,16:SYNC,ARV,RED.AND,SCAN,24:SYNC.DEFER_BLOCKING,26:RED.AND.DEFER_BLOCKING,32:SYNC,ARV,RED.OR,SCAN,40:SYNC.DEFER_BLOCKING,42:RED.OR.DEFER_BLOCKING,48:SYNC,ARV,RED.INVALID3,SCAN,56:SYNC.DEFER_BLOCKING,58:RED.INVALID3.DEFER_BLOCKING
let BARALL 77-80+74-75=0:SYNC,ARV,RED.POPC,SCAN,SYNCALL,8:SYNC.DEFER_BLOCKING,10:RED.POPC.DEFER_BLOCKING,12:SYNCALL.DEFER_BLOCKING,16:SYNC,ARV,RED.AND,SCAN,SYNCALL,24:SYNC.DEFER_BLOCKING,26:RED.AND.DEFER_BLOCKING,28:SYNCALL.DEFER_BLOCKING,32:SYNC,ARV,RED.OR,SCAN,SYNCALL,40:SYNC.DEFER_BLOCKING,42:RED.OR.DEFER_BLOCKING,44:SYNCALL.DEFER_BLOCKING,48:SYNC,ARV,RED.INVALID3,SCAN,SYNCALL,56:SYNC.DEFER_BLOCKING,58:RED.INVALID3.DEFER_BLOCKING,60:SYNCALL.DEFER_BLOCKING

# --- integer arithmetic ---
IADD3   210 810 a10 1a10 1c10      70-  | 74=X | Rd P81? P84? A/m Q/ms C/m P87![X] P77![X]
IMAD    224 424 624 824 a24 1624 1a24 1c24 1e24 70-  | 73=U32,- 74=X | Rd A B/s C/ms P87![X]
IMAD    225 625 825 a25 1625 1a25 1c25 1e25 70-  | .WIDE 73=U32,- 74=X | Rd P81? A B/s C/ms P87![X]
IMAD    227 627 827 a27 1627 1a27 1c27 1e27 75-  | .HI 73=U32,- 74=X | Rd P81? A B/s C/ms P87![X]
IABS    213 813 a13 1a13 1c13      70-  | | Rd Q/s
IMNMX   217 817 a17 1a17 1c17 75-99 | 73=U32,- | Rd A Q/s P87!
IMNMX   217 817 1c17 110-119 | ?74=0 73=U32,- | Rd A Q/s P87!
IMNMX   217 817 1c17 120- | ?74=1 73=U64,S64 | Rd A Q/s P87!
LEA     211 811 a11 1a11 1c11  70-  | 80=HI 74=X 73+80=-,!,-,SX32 | Rd P81? A/m Q/mu R64[HI^SX32] I75.5 P87![X]
LEA     411                  70-79 | ?80=1 ?73=0 .HI 74=X | Rd P81? A/m Rc/t Q/u I75.5 P87![X]
LEA     411                  80- | 80=???0,HI 74=X | Rd P81? A/m Rc/t Q/u I75.5 P87![X]
IDP     226 a26 1a26 1c26 70-74  | 76-77+73=4A.U8,2A.LO.U16,!,2A.HI.U16,4A.S8,2A.LO.S16,!,2A.HI.S16 74=U8,S8 | Rd A Q/u C
IDP     226 a26 1a26 1c26 75-  | 76-77+73=4A.U8,2A.LO.U16,!,2A.HI.U16,4A.S8,2A.LO.S16,!,2A.HI.S16 74=U8,S8 | Rd A Q/u C/n
SGXT    21a 81a a1a 1a1a 1c1a      70-  | 75=W 73=U32,- | Rd A Q/u
BMSK    21b 81b a1b 1a1b 1c1b      70-  | 75=W | Rd A Q/u
VIADD   236 836 1c36           120- | ?73-75=2 ?80=1 .SAT | Rd A/n Q/n
VIADD   236 836 a36 1c36 1a36 120- | ?75=1 ?74=0 73=U8x4,S8x4 | Rd A/n Q/nu
VIADD   236 836 a36 1c36 1a36 120- | ?72-75=3 .16x2 | Rd A/n Q/nu
VIADD   236 836 a36 1c36 1a36 90-  | 73=-,16x2 | Rd A Q/nu
IADD    235 835 1c35 120- | 73=-,64 74=X | Rd P81? A/m Q/ms P87![X]
VIMNMX  248 848 a48 1c48 1a48 120- | ?74=1 ?73=0 72=U8x4,S8x4 | Rd P81? P84/t A Q/s P87!
VIMNMX  248 848 a48 1c48 1a48 90-  | 72-73=U32,-,U16x2,S16x2 76=RELU | Rd P81? P84/t A Q/s P87!
UVIMNMX 124a 184a 120-U | ?74=1 ?73=0 72=U8x4,S8x4 | Rd A Q/s P87!
UVIMNMX 124a 184a 120-U | 72-73=U32,- 76=RELU | Rd A Q/s P87!
VIADDMNMX 246 446 646 846 a46 1c46 1e46 1646 1a46 90- | 72-73=U32,-,U16x2,S16x2 76=RELU | Rd A B/nu C/u P87!
VIMNMX3 20f 80f a0f 1c0f 1a0f 90- | 72-73=U32,-,U16x2,S16x2 76=RELU | Rd A B/u C/u P87!
VABSDIFF 214 414 814 a14 1a14 1c14 614 1614 1e14 70-  | 73=U32,- | Rd P81? A B/u C/u
VABSDIFF4 215 415 815 a15 1a15 1c15 615 1615 1e15 70- | 73=U8,- 75=ACC | Rd P81? A B/u C/u
I2I     238 838 a38 1a38 1c38      75-  | 76-77=U8,S8,U16,S16 .S32 .SAT | Rd Q/s
F2IP    243 443 643 843 a43 1643 1a43 1c43 1e43 86- | 76-77=U8,S8,INVALID2,* .F32 78-79=-,INVALID1,INVALID2,TRUNC 74=NTZ 75=RELU | Rd A B/f C/fe
I2IP    239 839 a39 1a39 1c39 75-79 | ?78=0 76-77=U8,S8,U16,S16 .S32 .SAT | Rd A Q/s Rc/k
I2IP    239 839 a39 1a39 1c39 75-79 | ?72-73=3 ?77-78=2 76=U2,S2 .S32 .SAT | Rd A Q/s Rc/k
I2IP    239 839 a39 1a39 1c39 75-79 | ?72-73=2 ?77-78=3 76=U4,S4 .S32 .SAT | Rd A Q/s Rc/k
I2IP    239 839 a39 1a39 1c39 80-85 | ?78=0 76-77=U8,S8,U16,S16 .S32 .SAT | Rd A Q/s Rc/k
I2IP    239 839 a39 1a39 1c39 86-89 | ?78=0 76-77=U8,S8,U16,S16 .S32 74-75=SAT,-,SATRELU,* | Rd A Q/s Rc/k
I2IP    239 839 a39 1a39 1c39 80-85 | ?77-78=2 76=U2,S2 .S32 .SAT | Rd A Q/s Rc/k
I2IP    239 839 a39 1a39 1c39 86-89 | ?77-78=2 76=U2,S2 .S32 74-75=SAT,-,SATRELU,* | Rd A Q/s Rc/k
I2IP    239 839 a39 1a39 1c39 80-85 | ?77-78=3 76=U4,S4 .S32 .SAT | Rd A Q/s Rc/k
I2IP    239 839 a39 1a39 1c39 86-89 | ?77-78=3 76=U4,S4 .S32 74-75=SAT,-,SATRELU,* | Rd A Q/s Rc/k
I2IP    239 839 a39 1a39 1c39 90- | ?78=0 76-77=U8,S8,U16,S16 .S32 74-75=-,SAT,SATRELU,* | Rd A Q/s Rc/k
I2IP    239 839 a39 1a39 1c39 90- | ?77-78=2 76=U2,S2 .S32 74-75=-,SAT,SATRELU,* | Rd A Q/s Rc/k
I2IP    239 839 a39 1a39 1c39 90- | ?77-78=3 76=U4,S4 .S32 74-75=-,SAT,SATRELU,* | Rd A Q/s Rc/k

# --- integer comparison, logic, shifts, bytes ---
ISETP   20c 80c a0c 1a0c 1c0c      70-79  | 76-78=F,LT,EQ,LE,GT,NE,GE,T 73=U32,- 74-75=AND,OR,XOR 72=EX | P81 P84 A Q/s P87! P68!?
ISETP   20c 80c a0c 1a0c 1c0c      80-119  | 76-78=F,LT,EQ,LE,GT,NE,GE,T 73=U32,- 74-75=AND,OR,XOR 72=EX | P81 P84 A Q/s P87! P68![EX]
ISETP   20c 80c a0c 1a0c 1c0c      120-  | 76-78=F,LT,EQ,LE,GT,NE,GE,T 73+80=U32,-,U64,S64 74-75=AND,OR,XOR 72=EX | P81 P84 A Q/s P87! P68![EX]
LOP3    212 812 a12 1a12 1c12      70-  | .LUT 80=PAND | P81? Rd A Q/u C I72.8 P87!
PLOP3   21f a1f 1a1f 1c1f    70- | .LUT | P81 P84 A/v Q/v Rc/v I72.8 I16.8
PLOP3   21e a1e 1a1e 1c1e    70-99 | .LUT | P81 P84 P87! Q/v Rc/v I72.8 I16.8
PLOP3   21d a1d 1a1d 1c1d    70-99 | .LUT | P81 P84 P87! Q/v P68! I72.8 I16.8
PLOP3   81c                        70-74  | .LUT | P81 P84 P87! P77! P68! LUT64 I16.8
PLOP3   81c                        75-  | .LUT | P81 P84 P87! P77! P68!/w LUT64 I16.8
SHF     219 419 619 819 a19 1619 1a19 1c19 1e19 70- | 76=L,R 75=W 73-74=S64,U64,S32,U32 80=HI | Rd A B/u C
PRMT    216 416 616 816 a16 1616 1a16 1c16 1e16 70- | 72-74=-,F4E,B4E,RC8,ECL,ECR,RC16 | Rd A B/u C
SEL     207 807 a07 1a07 1c07      70-  | | Rd A Q/u P87!
SEL     407 607 1e07               120- | .64 | Rd A W P87!
MOV     1c02                       100- | ?80=0 ?88=1 .SPILL | Rd Q MOVMASK72
MOV     202 802 a02 1a02 1c02      70-119  | | Rd Q/u MOVMASK72
MOV     202 802 a02 1a02 1c02      120- | 80=64 | Rd Q/u MOVMASK72
MOV     402                        120- | .64 | Rd L24
POPC    309 909 b09 1b09 1d09      70-V  | | Rd Q/iu
FLO     300 900 b00 1b00 1d00      70-V  | 73=U32,- 74=SH | Rd P81? Q/iu
BREV    301 901 b01 1b01 1d01      70-V  | | Rd Q/u
P2R     803                        70-89  | 76-77=-,B1,B2,B3 | Rd PR A S32.32
P2R     803                        90-  | 76-77=-,B1,B2,B3 | Rd PR A I32.32
R2P     804                        70-  | | PR A/b I32.32/z
P2R     203 a03 1c03 1a03 70-99  | 76-77=-,B1,B2,B3 | Rd PR A Q
R2P     204 a04 1c04 1a04 70-99  | | PR A/b Q/z

# --- single precision ---
FHADD   221                        100-  | ?81=1 82=F16,BF16 83=A_H1 80=FTZ 78-79=-,RM,RP,RZ 77=SAT | Rd A/na D/naf
FADD    221 421 621 1621 1e21      70-  | 80=FTZ 78-79=-,RM,RP,RZ 77=SAT | Rd A/na D/naf
FMUL    220 820 a20 1a20 1c20      70-  | 76+80=-,FMZ,FTZ,* 84-86=INVALID0,D8,D4,D2,-,M2,M4,M8 78-79=-,RM,RP,RZ 77=SAT | Rd A/na Q/naf
FHFMA   223                        100-  | ?81=1 82=F16,BF16 83=A_H1 84=B_H1 80=FTZ 78-79=-,RM,RP,RZ 77=SAT | Rd A/na B/naf C/naf
FFMA    223 423 623 823 a23 1623 1a23 1c23 1e23 70- | 76+80=-,FMZ,FTZ,* 78-79=-,RM,RP,RZ 77=SAT | Rd A/na B/naf C/naf
FMNMX   209 809 a09 1a09 1c09 70-79 | 80=FTZ | Rd A/na Q/naf P87!
FMNMX   209 809 a09 1a09 1c09 80-85 | 80=FTZ 81=NAN | Rd A/na Q/naf P87!
FMNMX   209 809 a09 1a09 1c09 86-89 | 80=FTZ 81=NAN 82=XORSIGN | Rd A/na Q/naf P87!
FMNMX   209 809 a09 1a09 1c09 90- | 80=FTZ 81=NAN 82=XORSIGN 65=IS_A | Rd P66[IS_A] A/na Q/naf P87!
FMNMX3  276 476 676 876 a76 1676 1a76 1c76 1e76 100-119 | 80=FTZ 81=NAN | Rd A/na B/naf C/na P87!
FADD2   24b 44b 1e4b 100-119 | 80=FTZ 78-79=-,RM,RP,RZ | Rd A/naX81 D/nafX84
FMUL2   24a 84a 1c4a 100-119 | 80=FTZ 78-79=-,RM,RP,RZ | Rd A/naX81 Q/nafX87
FFMA2   249 449 849 1c49 1e49 100-119 | 80=FTZ 78-79=-,RM,RP,RZ | Rd A/naX81 B/nafX87 C/nafX84
FSEL    208 808 a08 1a08 1c08      70-  | 80=FTZ | Rd A/na Q/naf P87!
FSETP   20b 80b a0b 1a0b 1c0b      70-  | 76-79=F,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,T 80=FTZ 74-75=AND,OR,XOR | P81 P84 A/na Q/naf P87!
FSET    20a 80a a0a 1a0a 1c0a      70-  | .BF 76-79=F,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,T 80=FTZ 74-75=AND,OR,XOR | Rd A/na Q/naf P87!
FCHK    302 902 b02 1b02 1d02      70-V  | | P81 A/na Q/naf
MUFU    308 908 b08 1b08 1d08 70-74V | 74-77=COS,SIN,EX2,LG2,RCP,RSQ,RCP64H,RSQ64H,SQRT | Rd Q/naog
MUFU    308 908 b08 1b08 1d08 75-89V | 74-77+73=COS,SIN,EX2,LG2,RCP,RSQ,RCP64H,RSQ64H,SQRT,TANH,INVALID10,INVALID11,INVALID12,INVALID13,INVALID14,INVALID15,COS.F16,SIN.F16,EX2.F16,LG2.F16,RCP.F16,RSQ.F16,INVALID6.F16,INVALID7.F16,SQRT.F16,TANH.F16,INVALID10.F16,INVALID11.F16,INVALID12.F16,INVALID13.F16,INVALID14.F16,INVALID15.F16 | Rd Q/naog
MUFU    308                  103-109V | ?74-77=2 ?72-73=3 ?80=0 .EX2 .F16x2 | Rd Q
MUFU    308                  103-109V | ?74-77=2 ?72-73=0 ?80=1 .EX2 .BF16x2 | Rd Q
MUFU    308 908 b08 1b08 1d08 90-V | 74-77+72-73=0:COS,SIN,EX2,LG2,RCP,RSQ,RCP64H,RSQ64H,SQRT,TANH,INVALID10,INVALID11,INVALID12,INVALID13,INVALID14,INVALID15,COS.F16,SIN.F16,EX2.F16,LG2.F16,RCP.F16,RSQ.F16,INVALID6.F16,INVALID7.F16,SQRT.F16,TANH.F16,INVALID10.F16,INVALID11.F16,INVALID12.F16,INVALID13.F16,INVALID14.F16,INVALID15.F16,COS.BF16,SIN.BF16,EX2.BF16,LG2.BF16,RCP.BF16,RSQ.BF16,INVALID6.BF16,INVALID7.BF16,SQRT.BF16,TANH.BF16,INVALID10.BF16,INVALID11.BF16,INVALID12.BF16,INVALID13.BF16,INVALID14.BF16,INVALID15.BF16 | Rd Q/naog
FSWZADD 822                        70-99  | 80=FTZ 78-79=-,RM,RP,RZ 77=NDV | Rd A C SWZ32

# --- tensor products and transposition ---
HMMA    23c                  75-79 | ?82-83=0 75+78=1688,16816,1684,* 76=F16,F32 77=SATFINITE | Rd A/nq Rb/n Rc/q
HMMA    23c                  80-85 | ?73=0 75+78=1688,16816,1684,* 76=F16,F32 82-83=-,BF16,TF32,* | Rd A/n Rb/n Rc/q
HMMA    23c                  86- | ?73=0 75+78=1688,16816,1684,* 76=F16,F32 82-83=-,BF16,TF32,! | Rd A/n Rb/n Rc/q UP87~!?
HMMA    23c                  80-85 | ?73=1 ?81=0 .SP 75+78=1688,16816,INVALID2,16832 76=F16,F32 82-83=-,BF16,TF32,* | Rd A/n Rb/n Rc/q R40/y I48.2
HMMA    23c                  86- | ?73=1 ?81=0 .SP 75+78=1688,16816,INVALID2,16832 76=F16,F32 82-83=-,BF16,TF32,! | Rd A/n Rb/n Rc/q UP87~!? R40/y I48.2
HMMA    236                  70-74 | 75-76+78+79-80=0:884.F16.F16.STEP0,1:444.F16.F16,2:884.F32.F16.STEP0,6:884.F32.F32.STEP0,7:444.F32.F32.STEP0,8:884.F16.F16.STEP1,9:444.F16.F16,10:884.F32.F16.STEP1,14:884.F32.F32.STEP1,15:444.F32.F32.STEP1,16:884.F16.F16.INVALID2,17:444.F16.F16,18:884.F32.F16.STEP2,22:884.F32.F32.STEP2,23:444.F32.F32.INVALID2,24:884.F16.F16.INVALID3,25:444.F16.F16,26:884.F32.F16.STEP3,30:884.F32.F32.STEP3,31:444.F32.F32.INVALID3 77=SATFINITE | Rd A/nr Rb/nr Rc
HMMA    236                  75-79 | 75-76+78+79-80=0:884.F16.F16.STEP0,2:884.F32.F16.STEP0,6:884.F32.F32.STEP0,8:884.F16.F16.STEP1,10:884.F32.F16.STEP1,14:884.F32.F32.STEP1,16:884.F16.F16.INVALID2,18:884.F32.F16.STEP2,22:884.F32.F32.STEP2,24:884.F16.F16.INVALID3,26:884.F32.F16.STEP3,30:884.F32.F32.STEP3 77=SATFINITE | Rd A/nr Rb/nr Rc
QMMA    27a                        89-89 | ?80=0 75-76=16816,16832,INVALID2,* 77=F16,F32 78=E4M3,E5M2 79=E4M3,E5M2 | Rd A/nj Rb/nj Rc/q UP87~!?
QMMA    27a                        89-89 | ?80=1 .SP 75-76=INVALID0,16832,16864,* 77=F16,F32 78=E4M3,E5M2 79=E4M3,E5M2 | Rd A/nj Rb/nj Rc/q UP87~!? R40/y I48.2
QMMA    27a                        120- | ?80=0 ?73-74=2 75-76=16816,16832,INVALID2,* 77=F16,F32 78+82-83=E4M3,E5M2,!,E3M2,E2M3,E2M1,!,! 79+84-85=E4M3,E5M2,!,E3M2,E2M3,E2M1,!,! | Rd A Rb Rc/q UP87~!?
QMMA    27a                        120- | ?80=1 ?73-74=2 .SP 75-76=INVALID0,16832,16864,* 77=F16,F32 78+82-83=E4M3,E5M2,!,E3M2,E2M3,E2M1,!,! 79+84-85=E4M3,E5M2,!,E3M2,E2M3,E2M1,!,! | Rd A Rb Rc/q UP87~!? R40/y I48.2
QMMA    47a                        120- | ?80=1 .SF .SP .16864 .F32 78+82-83=E4M3,E5M2,!,E3M2,E2M3,E2M1,!,! 79+84-85=E4M3,E5M2,!,E3M2,E2M3,E2M1,!,! .E8 | Rd A Rb Rc/q R40/y R52/y USPLIT60
OMMA    47f                        120- | ?80=1 .SF .SP .168128 .F32 .E2M1 .E2M1 82-83=!,UE4M3.4X,E8,! | Rd A Rb Rc/q R40/y R52/y USPLIT60
QMMA    47a                        120- | ?80=0 .SF .16832 .F32 78+82-83=E4M3,E5M2,!,E3M2,E2M3,E2M1,!,! 79+84-85=E4M3,E5M2,!,E3M2,E2M3,E2M1,!,! .E8 | Rd A Rb Rc/q R40/y R52/y USPLIT60
OMMA    47f                        120- | ?80=0 .SF .16864 .F32 .E2M1 .E2M1 82-83=!,UE4M3.4X,E8,! | Rd A Rb Rc/q R40/y R52/y USPLIT60
IMMA    237                  75-79 | ?77=0 75+85+83=8816,?,?,?,???0,???1,8832,???3 76+83=U8,S8,U4,S4 78-79+84+83=U8,S8,???2,???3,???4,???5,???6,???7,???0,???1,???2,???3,U4,S4,???6,???7 82=SAT | Rd A/j Rb/j Rc
IMMA    237                  80-85 | ?72=0 75+85-86=8816,*,8832,*,16816,16832,16864,* 76-77+83=U8,S8,*,*,U4,S4,*,* 78-79+84=U8,S8,*,*,U4,S4,*,* 82=SAT | Rd A/j Rb/j Rc/q
IMMA    237                  86-89 | ?72=0 75+85-86=8816,*,8832,*,16816,16832,16864,* 76-77+83=U8,S8,*,*,U4,S4,*,* 78-79+84=U8,S8,*,*,U4,S4,*,* 82=SAT | Rd A/j Rb/j Rc/q UP87~!?
IMMA    237                  80-85 | ?72=1 ?81=0 .SP 75+85-86=*,*,8832,8864,*,16832,16864,168128 76-77+83=U8,S8,*,*,U4,S4,*,* 78-79+84=U8,S8,*,*,U4,S4,*,* 82=SAT | Rd A/j Rb/j Rc/q R40/y I48.2
IMMA    237                  86-89 | ?72=1 ?81=0 .SP 75+85-86=*,*,8832,8864,*,16832,16864,168128 76-77+83=U8,S8,*,*,U4,S4,*,* 78-79+84=U8,S8,*,*,U4,S4,*,* 82=SAT | Rd A/j Rb/j Rc/q UP87~!? R40/y I48.2
IMMA    237                  90- | ?72=0 75+85-86=8816,*,*,*,16816,16832,*,* 76-77+83=U8,S8,*,*,*,*,*,* 78-79+84=U8,S8,*,*,*,*,*,* 82=SAT | Rd A/j Rb/j Rc/q UP87~!?
IMMA    237                  90- | ?72=1 ?81=0 .SP 75+85-86=*,*,8832,*,*,16832,16864,* 76-77+83=U8,S8,*,*,*,*,*,* 78-79+84=U8,S8,*,*,*,*,*,* 82=SAT | Rd A/j Rb/j Rc/q UP87~!? R40/y I48.2
BMMA    23d                  75-79 | 75-76=88128,?,?,? 77=XOR,? 80=???0,POPC | Rd A/j Rb/j Rc
BMMA    23d                  80-85 | 75-76=88128,168128,168256,* 77-78=XOR,*,AND,* 80=???0,POPC | Rd A/j Rb/j Rc/q
BMMA    23d                  86-89 | 75-76=88128,168128,168256,* 77-78=XOR,*,AND,* 80=???0,POPC | Rd A/j Rb/j Rc/q UP87~!?
BMMA    23d                  90-99 | 75-76=88128,168128,168256,* 77-78=?,?,AND,? 80=???0,POPC | Rd A/j Rb/j Rc/q UP87~!?
MOVM    23a                        100-V | ?75-77=1 ?78-79=1 .U4TO8 .M832 | Rd A
MOVM    23a                        75-V  | 75-77=0:16,5:*,*,* 78-79=MT88,M832,M864,* | Rd A
DMMA    23f                  80-85 | 76=884,???1 78-79=-,RM,RP,RZ | Rd A/na Rb/na C/naq
DMMA    23f                  86-89 | 76=884,???1 78-79=-,RM,RP,RZ | Rd A/na Rb/na C/naq UP87~!?
DMMA    23f                  90- | 76-77=8x8x4,16x8x4,16x8x8,16x8x16 78-79=-,RM,RP,RZ | Rd A/na Rb/na C/naq UP87~!?

# --- double precision ---
DADD    229 429 629 1629 1e29      70-  | 78-79=-,RM,RP,RZ | Rd A/na C/nad
DMUL    228 828 a28 1a28 1c28      70-  | 78-79=-,RM,RP,RZ | Rd A/na Q/nad
DFMA    22b 42b 62b 82b a2b 162b 1a2b 1c2b 1e2b 70- | 78-79=-,RM,RP,RZ | Rd A/na B/nad C/nad
DSETP   22a 42a 62a 162a 1e2a      70-  | 76-79=MIN,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,MAX 74-75=AND,OR,XOR | P81 P84 A/na D/nad P87!

# --- half precision ---
HADD2   230 430 630 1630 1e30 70-85 | 78=F32 80=FTZ 77=SAT | Rd A/nax D/nahx
HADD2   230 430 630 1630 1e30 86-89 | ?78=0 80=FTZ 77=SAT | Rd A/nax D/nahx
HADD2   230 430 630 1630 1e30 86-89 | ?78=1 .F32 80=FTZ 77=SAT | Rd A/nxq D/nahx
HADD2   230 430 630 1630 1e30 90- | ?78=0 85=BF16_V2 80=FTZ 77=SAT | Rd A/nax D/nahx
HADD2   230 430 630 1630 1e30 90- | ?78=1 ?85=0 .F32 80=FTZ 77=SAT | Rd A/nxq D/nahx
HMUL2   232 832 a32 1a32 1c32 70-89 | 78=F32 76+80=-,FMZ,FTZ,* 77=SAT | Rd A/nax Q/nahx
HMUL2   232 832 a32 1a32 1c32 90- | 78+85=-,*,BF16_V2,* 76+80=-,FMZ,FTZ,* 77=SAT | Rd A/nax Q/nahx
HFMA2   231 431 631 831 a31 1631 1a31 1c31 1e31 70-79 | 78=F32 76+80=-,FMZ,FTZ,* 77=SAT | Rd A/nax B/nahx C/nahx
HFMA2   231 431 631 831 a31 1631 1a31 1c31 1e31 80-85 | 78+85=-,F32,BF16_V2,* 76+80=-,FMZ,FTZ,* 77+79=-,SAT,RELU,! | Rd A/nax B/nahx C/nahx P87!?[RELU]
HFMA2   231 431 631 831 a31 1631 1a31 1c31 1e31 86-89 | 78+85=-,F32,BF16_V2,! 76+80=-,FMZ,FTZ,* 77+79=-,SAT,RELU,! | Rd A/nax B/nahxc C/nahx P87!?[RELU]
HFMA2   231 431 631 831 a31 1631 1a31 1c31 1e31 90- | 78+85=-,F32,BF16_V2,! 76+80=-,FMZ,FTZ,OOB 77+79=-,SAT,RELU,! | Rd A/nax B/nahxc C/nahx P87!?[RELU]
HFMA2   235 435 635 835 a35 1c35 1e35 1635 1a35 80-89 | .MMA 76+80=-,FMZ,FTZ,* 77+79=-,SAT,RELU,! | Rd A/na B/nahl C/nahl P87!?[RELU]
HFMA2   235 435 635 835 a35 1c35 1e35 1635 1a35 90-99 | .MMA 78+85=-,*,BF16_V2,* 76+80=-,FMZ,FTZ,* 77+79=-,SAT,RELU,! | Rd A/na B/nahl C/nahl P87!?[RELU]
HMNMX2  240 840 a40 1c40 1a40 80-85 | 78+85=-,F32,BF16_V2,* 80=FTZ 81=NAN | Rd A/nax Q/nahx P87!
HMNMX2  240 840 a40 1c40 1a40 86-89 | 78+85=-,F32,BF16_V2,! 80=FTZ 81=NAN 82=XORSIGN | Rd A/nax Q/nahx P87!
VHMNMX  247 847 a47 1c47 1a47 90-119 | 78+85=-,INVALID1,BF16_V2,! 80=FTZ 81=NAN 82=XORSIGN | Rd A/nax Q/nahx Rc/naH76 P87!
HMNMX2  240 840 a40 1c40 1a40 90- | 78+85=-,*,BF16_V2,! 80=FTZ 81=NAN 82=XORSIGN 65=IS_A | Rd P66[IS_A] P69[IS_A] A/nax Q/nahx P87!
HSETP2  234 434 634 1634 1e34      70-89 | 76-79=F,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,T 80=FTZ 71=H_AND 69-70=AND,OR,XOR | P81 P84 A/nax D/nahx P87!
HSETP2  234 434 634 1634 1e34      90-  | 64-65=-,INVALID1,BF16_V2,* 76-79=F,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,T 80=FTZ 71=H_AND 69-70=AND,OR,XOR | P81 P84 A/nax D/nahx P87!
HSET2   233 433 633 1633 1e33      70-89 | 71=BF 76-79=F,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,T 80=FTZ 69-70=AND,OR,XOR | Rd A/nax D/nahx P87!
HSET2   233 433 633 1633 1e33      90-  | 64-65=-,INVALID1,BF16_V2,* 71=BF 76-79=F,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,T 80=FTZ 69-70=AND,OR,XOR | Rd A/nax D/nahx P87!

# --- conversions ---
F2F     304 904 b04 1b04 1d04 70-74V | 80=FTZ 75-76+84-85=6:F32.F16,9:F16.F32 78-79=-,RM,RP,RZ | Rd Q/nafg
F2F     304 904 b04 1b04 1d04 75-79V | 80=FTZ 75-77+84-85=10:F32.F16,17:F16.F32 78-79=-,RM,RP,RZ | Rd Q/nafg
F2F     304 904 b04 1b04 1d04 80-85V | 80=FTZ 75-77+84-85=10:F32.F16,17:F16.F32,20:BF16.F32 78-79=-,RM,RP,RZ | Rd Q/nafg
F2F     304 904 b04 1b04 1d04 86-89V | 80=FTZ 75-77+84-86=10:F32.F16,17:F16.F32,20:BF16.F32 78-79=-,RM,RP,RZ | Rd Q/nafg
F2F     304 904 b04 1b04 1d04 90-V | 80=FTZ 75-77+84-86=10:F32.F16,12:BF16.F16,17:F16.F32,20:BF16.F32,33:F16.BF16,F32.BF16 78-79=-,RM,RP,RZ | Rd Q/nafg
F2F     310 910 b10 1b10 1d10 70-74V | 80=FTZ 75-76+84-85=7:F64.F16,11:F64.F32,13:F16.F64,F32.F64 78-79=-,RM,RP,RZ | Rd Q/nafg
F2F     310 910 b10 1b10 1d10 75-85V | 80=FTZ 75-77+84-85=11:F64.F16,19:F64.F32,25:F16.F64,F32.F64 78-79=-,RM,RP,RZ | Rd Q/nafg
F2F     310 910 b10 1b10 1d10 86-89V | 80=FTZ 75-77+84-86=11:F64.F16,19:F64.F32,25:F16.F64,F32.F64 78-79=-,RM,RP,RZ | Rd Q/nafg
F2F     310 910 b10 1b10 1d10 90-V | 80=FTZ 75-77+84-86=11:F64.F16,19:F64.F32,25:F16.F64,F32.F64,28:BF16.F64,35:F64.BF16 78-79=-,RM,RP,RZ | Rd Q/nafg
F2I     305 905 b05 1b05 1d05 70-79V | 80=FTZ 72+75-76+84-85=8:U8.F16,S8.F16,U16.F16,S16.F16,U32.F16,F16,16:U8,S8,U16,S16,U32,- 78-79=-,FLOOR,CEIL,TRUNC 77=NTZ | Rd Q/nafg
F2I     305 905 b05 1b05 1d05 80-89V | 80=FTZ 72+75-76+84-85=8:U8.F16,S8.F16,U16.F16,S16.F16,U32.F16,F16,???6.F16,???7.F16,U8,S8,U16,S16,U32,-,???6,???7 78-79=-,FLOOR,CEIL,TRUNC 77=NTZ | Rd Q/nafg
F2I     305 905 b05 1b05 1d05 90-V | 80=FTZ 72+75-76+84-86=8:U8.F16,S8.F16,U16.F16,S16.F16,U32.F16,F16,???6.F16,???7.F16,U8,S8,U16,S16,U32,-,???6,???7,32:U8.BF16,S8.BF16,U16.BF16,S16.BF16,U32.BF16,BF16,???6.BF16,???7.BF16 78-79=-,FLOOR,CEIL,TRUNC 77=NTZ | Rd Q/nafg
F2I     311 911 b11 1b11 1d11 70-89V | 80=FTZ 72+75-76+84-85=14:U64.F16,S64.F16,22:U64,S64,U8.F64,S8.F64,U16.F64,S16.F64,U32.F64,F64,U64.F64,S64.F64 78-79=-,FLOOR,CEIL,TRUNC 77=NTZ | Rd Q/nafg
F2I     311 911 b11 1b11 1d11 90-V | 80=FTZ 72+75-76+84-86=14:U64.F16,S64.F16,22:U64,S64,U8.F64,S8.F64,U16.F64,S16.F64,U32.F64,F64,U64.F64,S64.F64,38:U64.BF16,S64.BF16 78-79=-,FLOOR,CEIL,TRUNC 77=NTZ | Rd Q/nafg
I2F     906                  70-79V | 75-76+74+84-85=17:F16.U32,U32,21:F16,- 78-79=-,RM,RP,RZ | Rd Q/sp
I2F     906                  80-89V | 75-76+74+84-85=16:???0.U32,F16.U32,U32,???3.U32,???0,F16,-,???3 78-79=-,RM,RP,RZ | Rd Q/sp
I2F     906                  90-V | 75-77+74+84-85=32:???0.U32,F16.U32,U32,???3.U32,BF16.U32,???5.U32,???6.U32,???7.U32,???0,F16,-,???3,BF16,???5,???6,???7 78-79=-,RM,RP,RZ | Rd Q/sp
I2F     306 b06 1b06 1d06 70-79V | 75-76+74+84-85=1:F16.U8,U8,5:F16.S8,S8,9:F16.U16,U16,13:F16.S16,S16,17:F16.U32,U32,21:F16,- 78-79=-,RM,RP,RZ | Rd Q/sp
I2F     306 b06 1b06 1d06 80-89V | 75-76+74+84-85=0:???0.U8,F16.U8,U8,???3.U8,???0.S8,F16.S8,S8,???3.S8,???0.U16,F16.U16,U16,???3.U16,???0.S16,F16.S16,S16,???3.S16,???0.U32,F16.U32,U32,???3.U32,???0,F16,-,???3 78-79=-,RM,RP,RZ | Rd Q/sp
I2F     306 b06 1b06 1d06 90-V | 75-77+74+84-85=0:???0.U8,F16.U8,U8,???3.U8,BF16.U8,???5.U8,???6.U8,???7.U8,???0.S8,F16.S8,S8,???3.S8,BF16.S8,???5.S8,???6.S8,???7.S8,???0.U16,F16.U16,U16,???3.U16,BF16.U16,???5.U16,???6.U16,???7.U16,???0.S16,F16.S16,S16,???3.S16,BF16.S16,???5.S16,???6.S16,???7.S16,???0.U32,F16.U32,U32,???3.U32,BF16.U32,???5.U32,???6.U32,???7.U32,???0,F16,-,???3,BF16,???5,???6,???7 78-79=-,RM,RP,RZ | Rd Q/sp
I2F     912                  70-89V | 75-76+74+84-85=19:F64.U32,23:F64,25:F16.U64,U64,F64.U64,29:F16.S64,S64,F64.S64 78-79=-,RM,RP,RZ | Rd Q/sp
I2F     912                  90-V | 75-77+74+84-85=35:F64.U32,43:F64,49:F16.U64,U64,F64.U64,BF16.U64,57:F16.S64,S64,F64.S64,BF16.S64 78-79=-,RM,RP,RZ | Rd Q/sp
I2F     312 b12 1b12 1d12 70-89V | 75-76+74+84-85=3:F64.U8,7:F64.S8,11:F64.U16,15:F64.S16,19:F64.U32,23:F64,25:F16.U64,U64,F64.U64,29:F16.S64,S64,F64.S64 78-79=-,RM,RP,RZ | Rd Q/sp
I2F     312 b12 1b12 1d12 90-V | 75-77+74+84-85=3:F64.U8,11:F64.S8,19:F64.U16,27:F64.S16,35:F64.U32,43:F64,49:F16.U64,U64,F64.U64,BF16.U64,57:F16.S64,S64,F64.S64,BF16.S64 78-79=-,RM,RP,RZ | Rd Q/sp
I2FP    845                  86-89 | 75-77=2:F32 74+84-85=4:U32,5:S32 78-79=-,INVALID1,INVALID2,RZ | Rd Q/s
I2FP    245 a45 1c45 1a45 86-89 | 75-77=?,?,F32,?,?,?,?,? 74+84-85=?,?,?,?,U32,S32,?,? 78-79=-,INVALID1,INVALID2,RZ | Rd Q/s
I2FP    245 845 a45 1c45 1a45 90- | 75-77=*,*,F32,*,*,*,*,* 74+84-85=*,*,*,*,U32,S32,*,* 78-79=-,INVALID1,INVALID2,RZ | Rd Q/s
FRND    307 907 b07 1b07 1d07 70-89V | 80=FTZ 75-76+84-85=5:F16,10:- 78-79=-,FLOOR,CEIL,TRUNC | Rd Q/nafg
FRND    307 907 b07 1b07 1d07 90-V | 80=FTZ 75-77+84-86=9:F16,18:-,36:BF16 78-79=-,FLOOR,CEIL,TRUNC | Rd Q/nafg
FRND    313 913 b13 1b13 1d13 70-79V | 80=FTZ 75-76+84-85=15:F64 78-79=-,FLOOR,CEIL,TRUNC | Rd Q/nafg
FRND    313 913 b13 1b13 1d13 80-89V | 80=FTZ 75-76+84-85=else:?,15:F64 78-79=-,FLOOR,CEIL,TRUNC | Rd Q/nafg
FRND    313 913 b13 1b13 1d13 90-V | 80=FTZ 75-77+84-86=else:?,27:F64 78-79=-,FLOOR,CEIL,TRUNC | Rd Q/nafg
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 75-85 | ?81=0 77=SATFINITE 75=RELU 76=-,BF16 78=PACK_AB,MERGE_C 79-81=0:-,3:RZ | Rd A[PACK_AB] B/f C/e[MERGE_C]
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 86-87 | ?81=0 77=SATFINITE 75=RELU 76+86=-,BF16,!,* 78=PACK_AB,MERGE_C 79-81=0:-,3:RZ | Rd A[PACK_AB] B/f C/e[MERGE_C]
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 75-85 | ?81=1 77=SATFINITE 75=RELU 76=-,? 78=PACK_AB,MERGE_C 79-80=0:RS.7b | Rd A B/f C
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 86-87 | ?81=1 ?86=0 77=SATFINITE 75=RELU 76=-,? 78=PACK_AB,MERGE_C 79-80=0:RS.7b | Rd A B/f C
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 89-89 | ?81=1 ?76=0 ?79-80=0 ?73-74=0 ?86-87=0 ?89-90=0 77=SATFINITE 75=RELU 78=PACK_AB,MERGE_C .RS .7b | Rd A B/f C
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 89-89 | ?81=0 ?73-74=0 ?89-90=0 77=SATFINITE 75=RELU 76+86-87=F16.F32,BF16.F32,!,TF32.F32,E5M2.F32,E4M3.F32,???6.F32,???7.F32 78=PACK_AB,MERGE_C 79-80=0:-,3:RZ | Rd A[PACK_AB] B/f C/e[MERGE_C]
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 89-89 | ?81=0 ?73-74=0 ?78=1 ?89-90=2 77=SATFINITE 75=RELU 76+86-87=F16.F32,BF16.F32,!,TF32.F32,E5M2.F32,E4M3.F32,???6.F32,???7.F32 .PACK_AB_MERGE_C 79-80=0:-,3:RZ | Rd A B/f C/e
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 89-89 | ?81=0 ?74=1 ?78=0 ?89-90=1 75=RELU 76+86-87=F16,BF16,!,TF32,E5M2,E4M3,???6,???7 73=E5M2,E4M3 .UNPACK_B 79-80=0:-,3:RZ | Rd B/e
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 89-89 | ?81=0 ?73-74=1 ?78=0 ?89-90=2 77=SATFINITE 75=RELU 76+86-87=F16,BF16,!,TF32,E5M2,E4M3,???6,???7 .F16 .UNPACK_B_MERGE_C 79-80=0:-,3:RZ | Rd B C/e
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 89-89 | ?81=0 ?73-74=0 ?78=1 ?89-90=1 75=RELU 76+86-87=3:TF32 .F32 .PACK_B 79-80=0:-,3:RZ | Rd B/f
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 90-99 | ?73-74=0 ?89-90=0 77=SATFINITE 75=RELU 76+86-87=F16.F32,BF16.F32,!,TF32.F32,E5M2.F32,E4M3.F32,???6.F32,???7.F32 78=PACK_AB,MERGE_C 79-81=-,?,?,RZ,?,?,?,? | Rd A[PACK_AB] B/f C/e[MERGE_C]
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 90-99 | ?73-74=0 ?78=1 ?89-90=2 77=SATFINITE 75=RELU 76+86-87=F16.F32,BF16.F32,!,TF32.F32,E5M2.F32,E4M3.F32,???6.F32,???7.F32 .PACK_AB_MERGE_C 79-81=-,?,?,?,?,?,?,? | Rd A B/f C/e
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 90-99 | ?74=1 ?78=0 ?89-90=1 75=RELU 76+86-87=F16,BF16,!,TF32,E5M2,E4M3,???6,???7 73=E5M2,E4M3 .UNPACK_B 79-81=-,?,?,RZ,?,?,?,? | Rd B/e
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 90-99 | ?73-74=1 ?78=0 ?89-90=2 77=SATFINITE 75=RELU 76+86-87=F16,BF16,!,TF32,E5M2,E4M3,???6,???7 .F16 .UNPACK_B_MERGE_C 79-81=-,?,?,RZ,?,?,?,? | Rd B C/e
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 90-99 | ?73-74=0 ?78=1 ?89-90=1 75=RELU 76+86-87=?,?,?,TF32,?,?,?,? .F32 .PACK_B 79-81=-,?,?,RZ,?,?,?,? | Rd B/f
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 100- | ?73-74=0 ?81-83=0 ?89-90=0 77=SATFINITE 75=RELU 76+86-87+85=F16.F32,BF16.F32,!,TF32.F32,E5M2.F32,E4M3.F32,UE8M0.F32,!,!,E2M1.F32,E2M3.F32,E3M2.F32,!,!,!,! 78=PACK_AB,MERGE_C 79-80=-,?,RP,RZ | Rd A[PACK_AB] B/f C/e[MERGE_C]
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 100- | ?73-74=0 ?82-83=0 ?89-90=0 ?78=0 ?79-81=4 77=SATFINITE 75=RELU 76+86-87+85=F16.F32,BF16.F32,!,TF32.F32,E5M2.F32,E4M3.F32,UE8M0.F32,!,!,E2M1.F32,E2M3.F32,E3M2.F32,!,!,!,! .PACK_AB .RS | Rd A B/f C/e
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 100- | ?73-74=0 ?82-83=0 ?78=1 ?89-90=2 77=SATFINITE 75=RELU 76+86-87+85=F16.F32,BF16.F32,!,TF32.F32,E5M2.F32,E4M3.F32,UE8M0.F32,!,!,E2M1.F32,E2M3.F32,E3M2.F32,!,!,!,! .PACK_AB_MERGE_C 79-81=-,?,RP,RZ,RS,?,?,? | Rd A B/f C/e
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 100- | ?78=0 ?89-90=1 ?73-74=1 ?82-83=1 75=RELU 76+86-87+85=F16,BF16,!,TF32,E5M2,E4M3,UE8M0,!,!,E2M1,E2M3,E3M2,!,!,!,! .E2M1 .UNPACK_B 79-81=-,?,RP,RZ,RS,?,?,? | Rd B/B
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 100- | ?78=0 ?89-90=1 75=RELU 76+86-87+85=F16,BF16,!,TF32,E5M2,E4M3,UE8M0,!,!,E2M1,E2M3,E3M2,!,!,!,! 73-74+82-83=2:E5M2,E4M3,6:E2M3,E3M2,11:UE8M0 .UNPACK_B 79-81=-,?,RP,RZ,RS,?,?,? | Rd B/e
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 100- | ?78=0 ?89-90=2 77=SATFINITE 75=RELU 76+86-87+85=F16,BF16,!,TF32,E5M2,E4M3,UE8M0,!,!,E2M1,E2M3,E3M2,!,!,!,! 73-74+82-83=1:F16,9:BF16 .UNPACK_B_MERGE_C 79-81=-,?,RP,RZ,RS,?,?,? | Rd B C/e
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e 100- | ?73-74=0 ?82-83=0 ?78=1 ?89-90=1 77=SATFINITE 75=RELU 76+86-87+85=F16.F32,BF16.F32,!,TF32.F32,E5M2.F32,E4M3.F32,UE8M0.F32,!,!,E2M1.F32,E2M3.F32,E3M2.F32,!,!,!,! .PACK_B 79-81=-,?,RP,RZ,RS,?,?,? | Rd B/f
# --- warp-wide, predicates, special registers ---
SHFL    389 589 989 f89 70-V  | 58-59=IDX,UP,DOWN,BFLY | P81 Rd A LANE MASK
VOTE    806                        70-  | 72-73=ALL,ANY,EQ | Rd/z P81 P87!
VOTEU   886                        75-  | 72-73=ALL,ANY,EQ | UR16/z UP81 P87!
MATCH   3a1                        70-V  | 79=ALL,ANY 73=-,U64 | P81[ALL] Rd A
REDUX   3c4                        80-V  | 78-80=-,OR,XOR,SUM,MIN,MAX 73=-,S32 | UR16 A
CREDUX  2cc 100-119 | 79=MAX,MIN 73-74=U32,S32,-,! 77-78=-,NAN,ABS,ABS.NAN | UR16 A
S2R     919                        70-V  | | Rd SR72
S2UR    9c3                        75-UV | | UR16 SR72
CS2R    805                        70-  | 80=32,- | Rd SR72
CS2UR   8cb                        100-U | 80=32,- | Rd SR72
B2R     31c                        70-V  | 78-79=-,RESULT,WARP,! | Rd BARS
ELECT   82f                        90-  | 85=IGNOREKILL | P81 UR16 P87!
ELECT   182f                       90-99  | 85=IGNOREKILL | P81 UR16 UR32
ACQBULK 82e                        90-  | |
PREEXIT 82d                        90-V  | |
FENCE   3c6                        100-119VR | ?72-73=2 .VIEW .ASYNC .T |
FENCE   3c6                        90-VR  | .VIEW .ASYNC 72=S,G |
R2UR    3c2                        75-89V | 84=OR | P81?[^OR] P81[OR] UR16 A
R2UR    2ca                        100- | ?86=1 .FILL | P81? UR16 A
R2UR    2ca                        100- | ?87=1 .BROADCAST | P81? UR16 A
R2UR    2ca                        90-  | 84=OR | P81?[^OR] P81[OR] UR16 A
NOP     918                        70-  | |
NANOSLEEP 35d 95d b5d 1b5d 1d5d 70-79VWR | 86=RAND 85=WARP | P87!? Q/u
NANOSLEEP 95d                  80-99VWR | ?83=1 .CLEAR | P87!?
NANOSLEEP 35d 95d b5d 1b5d 1d5d 80-89VWR | 86=RAND 85=WARP | P87!? Q/u
NANOSLEEP 35d 95d b5d 1b5d 1d5d 90-VWR | 86=RAND 85=WARP 84=SYNCS | P87!? Q/u
PMTRIG  801                  70-99 |  | P87!? I32.16
QSPC    19aa                       90-V  | 72+90=-,E,???0,E 73-74=G,L,S,D | P81 Rd DMEM24.32.40
QSPC    19aa                       75-79V | ?24-31=255 72=E 73-74=G,L,S,* | P81 Rd GMEM24.32.40
QSPC    19aa                       75-79V | 72+90=-,E,???0,E 73-74=G,L,S,* | P81 Rd GMEM24.32.40
QSPC    3aa                        70-89V  | 72=E 73-74=G,L,S,* | P81 Rd MEM24.40
QSPC    3aa                        90-V  | 72=E 73-74=G,L,S,D | P81 Rd MEM24.40

# --- uniform datapath ---
UIADD3  1297 1897                  75-U | .64 74=X | Rd P81? P84? A/m Q/ms C/m P87![X] P77![X]
UIADD3  1290 1890                  75-U | 74=X | Rd P81? P84? A/m Q/ms C/m P87![X] P77![X]
UIMAD   12a4 14a4 18a4             75-U | 73=U32,- 74=X | Rd A B/s C/ms P87![X]
UIMAD   12a6 18a6                  120-U | .HI 73=U32,- 74=X | Rd P81? A B C P87![X]
UIMAD   12a5 18a5 75-U | .WIDE 73=U32,- 74=X | Rd P81? A B/s C/ms P87![X]
UISETP  128c 188c                  75-119U | 76-78=F,LT,EQ,LE,GT,NE,GE,T 73=U32,- 74-75=AND,OR,XOR 72=EX | P81 P84 A Q/s P87! P68![EX]
UISETP  128c 188c                  120-U | 76-78=F,LT,EQ,LE,GT,NE,GE,T 73+80=U32,-,U64,S64 74-75=AND,OR,XOR 72=EX | P81 P84 A Q/s P87! P68![EX]
ULEA    1291 1491 1891             75-U | 80=HI 74=X 73+80=-,!,-,SX32 | Rd P81? A/m Q/mu R64[HI^SX32] I75.5 P87![X]
ULOP3   1292 1892                  75-U | .LUT 80=PAND | P81? Rd A Q/u C I72.8 P87!
UPLOP3  129f                       75-119U | .LUT | P81 P84 A/v Q/v Rc/v I72.8 I16.8
UPLOP3  89c                        75-U | .LUT | P81 P84 P87! P77! P68! LUT64 I16.8
UMOV    882 1c82                   75-119U | | Rd Q/u
UMOV    882 1c82                   120-U | 80=64 | Rd Q/u
UMOV    1482                       120-U | .64 | Rd L24
UPRMT   1296 1896 75-U | 72=-,? | Rd A B/u C
USEL    1287 1887                  75-U | | Rd A Q/u P87!
USEL    1487 1c87 120-U | .64 | Rd A W P87!
USHF    1299 1499 1899             75-U | 76=L,R 75=W 73-74=S64,U64,S32,U32 80=HI | Rd A B/u C
USGXT   129a 189a                  75-U | 75=W 73=U32,- | Rd A Q/u
UBMSK   129b 189b                  75-U | 75=W | Rd A Q/s
UBREV   12be 18be                  75-U | | Rd Q/u
UFLO    12bd 18bd                  75-U | 73=U32,- 74=SH | Rd P81? Q/iu
UPOPC   12bf 18bf                  75-U | | Rd Q/iu
UP2UR   1883 1c83                  75-U | 76-77=-,B1,B2,B3 | Rd UPR A Q/u
UR2UP   1884 1c84                  75-99U | | UPR A/b Q/uz
UIMNMX  1285 1885 120-U | ?74=1 73=U64,S64 | Rd A Q/s P87!
UFADD   1254 1454 120-U | 80=FTZ 78-79=-,RM,RP,RZ 77=SAT | Rd A/na C/naf
UFMUL   1256 1856 120-U | 76+80=-,FMZ,FTZ,* 84-86=INVALID0,D8,D4,D2,-,M2,M4,M8 78-79=-,RM,RP,RZ 77=SAT | Rd A/na Q/naf
UFFMA   1255 1455 1855 120-U | 76+80=-,FMZ,FTZ,* 78-79=-,RM,RP,RZ 77=SAT | Rd A/na B/naf C/naf
UFSETP  1253 1853 120-U | 76-79=F,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,T 80=FTZ 74-75=AND,OR,XOR | P81 P84 A/na Q/naf P87!
UFSET   1252 1852 120-U | .BF 76-79=F,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,T 80=FTZ 74-75=AND,OR,XOR | Rd A/na Q/naf P87!
UFSEL   1251 1851 120-U | 80=FTZ | Rd A/na Q/naf P87!
UI2F    125a 185a                  120-U | 75-77=?,F16,F32,?,BF16,?,?,? 74+84-85=U8,S8,U16,S16,U32,-,?,? 78-79=-,RM,RP,RZ | Rd Q/sp
UI2IP   124f 184f                  120-U | ?78=0 76-77=U8,S8,U16,S16 .S32 74-75=-,SAT,SATRELU,* | Rd A Q/s Rc/k
UI2IP   124f 184f                  120-U | ?77-78=2 76=U2,S2 .S32 74-75=-,SAT,SATRELU,* | Rd A Q/s Rc/k
UI2IP   124f 184f                  120-U | ?77-78=3 76=U4,S4 .S32 74-75=-,SAT,SATRELU,* | Rd A Q/s Rc/k
UVIADD  1249 1849                  120-U | ?73-75=2 ?80=1 .SAT | Rd A/n Q/n
UI2I    124e 184e                  120-U | 76-77=U8,S8,U16,S16 .S32 .SAT | Rd Q/s
UF2F    125b 185b                  120-U | 80=FTZ 75-77+84-86=10:F32.F16,12:BF16.F16,17:F16.F32,20:BF16.F32,33:F16.BF16,F32.BF16 78-79=-,RM,RP,RZ | Rd Q/nafg
UFRND   125d 185d                  120-U | 80=FTZ 75-77+84-86=else:?,9:F16,18:-,36:BF16 78-79=-,FLOOR,CEIL,TRUNC | Rd Q/nafg
UI2FP   125e 185e                  120-U | 75-77=*,*,F32,*,*,*,*,* 74+84-85=*,*,*,*,U32,S32,*,* 78-79=-,INVALID1,INVALID2,RZ | Rd Q/s
UF2FP   12ba                       120-U | ?73=0 ?78=1 ?82=1 ?84=0 ?85=1 ?90=1 77=SATFINITE 74=RELU 75=E5M2.F32,E4M3.F32 .PACK_AB_MERGE_C | Rd A B C
UF2FP   12ba                       120-U | ?73=0 ?78=0 ?82=1 ?84=1 ?85=1 ?90=1 77=SATFINITE 74=RELU 75=E5M2,E4M3 .F16 .UNPACK_B_MERGE_C | Rd B C
UF2FP   12ba                       120-U | ?73=0 ?75-76=3 ?78=1 ?82=0 ?84=0 ?85=1 ?89-90=1 77=SATFINITE 74=RELU .TF32.F32 .PACK_B 79-81=-,?,?,RZ,?,?,?,? | Rd B
UF2IP   1259                       120-U | 76-77=U8,S8,INVALID2,* .F32 78-79=-,INVALID1,INVALID2,TRUNC 74=NTZ 75=RELU | Rd A B C
UF2I    125c 185c                  120-U | 80=FTZ 72+75-76+84-86=8:U8.F16,S8.F16,U16.F16,S16.F16,U32.F16,F16,16:U8,S8,U16,S16,U32,-,32:U8.BF16,S8.BF16,U16.BF16,S16.BF16,U32.BF16,BF16 78-79=-,FLOOR,CEIL,TRUNC 77=NTZ | Rd Q/nafg

# --- constant, local, shared memory ---
LDC     b82                        70-V  | 73-75=U8,S8,U16,S16,-,64 78-79=-,IL,IS,ISL | Rd LDC24
ULDC    ab9                        75-99U | 73-75=U8,S8,U16,S16,-,64 | Rd K40
ULDC    1abb                       75-99U | 73-75=U8,S8,U16,S16,-,64 | Rd LDC24
LDCU    17ac                       100-UV | 73-75=U8,S8,U16,S16,-,64,128 | Rd LDC24
LDL     983                        70-V  | 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 | Rd MEM24.40
LDL     1983                       75-79V  | 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 | Rd UMEM24.32.40
LDL     1983                       80-V  | 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 | Rd DMEM24.32.40.76/l
STL     387                        70-VW  | 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 | MEM24.40 Rb
STL     1987                       75-79VW  | 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 | UMEM24.64.40 Rb
STL     1987                       80-VW  | 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 | DMEM24.64.40.76/l Rb
LDS     984                        70-79V  | 76=-,U 73-75=U8,S8,U16,S16,-,64,128,! 87=ZD | P81[ZD] Rd XMEM24.40
LDS     984                        80-V  | 73-75=U8,S8,U16,S16,-,64,128,? | Rd XMEM24.40
LDS     1984                       75-79V  | 76=-,U 73-75=U8,S8,U16,S16,-,64,128,! 87=ZD | P81[ZD] Rd XUMEM24.32.40
LDS     1984                       80-V  | 73-75=U8,S8,U16,S16,-,64,128,? | Rd XUMEM24.32.40
STS     388                        70-VW  | 73-75=U8,S8,U16,S16,-,64,128 | XMEM24.40 Rb
STS     1988                       75-VW  | 73-75=U8,S8,U16,S16,-,64,128 | XUMEM24.64.40 Rb
ATOMS   38c                        70-89V | 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH 73-74=-,S32,64 | Rd XMEM24.40 Rb
ATOMS   38c                        90-V  | 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH 73-75=-,S32,64,*,128 | Rd XMEM24.40 Rb
ATOMS   198c                       75-89V | 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH 73-74=-,S32,64 | Rd XUMEM24.64.40 Rb
ATOMS   198c                       90-V  | 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH 73-75=-,S32,64,*,128 | Rd XUMEM24.64.40 Rb
ATOMS   1f8c                 75-89V | ?87-90=9 .ARRIVE 73-74=?,?,64,? | Rd XUMEM24.64.40
ATOMS   1f8c                 75-89V | ?87-90=10 .POPC.INC 73-74=32,?,?,? | Rd XUMEM24.64.40
ATOMS   1f8c                 90-99V | ?87-90=10 .ARRIVE 73-75=?,?,64,?,?,?,?,? | Rd XUMEM24.64.40
ATOMS   1f8c                 90-V | ?87-90=11 .POPC.INC 73-75=32,?,?,?,?,?,?,? | Rd XUMEM24.64.40
ATOMS   38d                        70-89V | 87-88=CAS,CAST,CAS,CAST.SPIN 73-74=-,S32,64 | Rd XMEM24.40 Rb Rc
ATOMS   38d                        90-99V  | 87-88=CAS,CAST,CAS,CAST.SPIN 73-75=-,S32,64,*,128 | Rd XMEM24.40 Rb Rc
ATOMS   38d                        100-V  | 87-88=CAS,?,CAS,? 73-75=-,S32,64,*,128 | Rd XMEM24.40 Rb Rc
ATOMS   58d                        100-V  | ?87-88=3 .CAST.SPIN 73-75=-,?,64,*,* | P81 XMEM24.40 Rb Rc
LDSM    83b                        75-79V  | 75-77=0:16,5:*,*,* 78-79=M88,MT88,M816,M832 72-73=-,2,4 | Rd MEM24.40
LDSM    83b                        80-99V  | 75-77=0:16,5:*,*,* 78-79=M88,MT88,M816,M832 72-73=-,2,4 | Rd MEM24.40/s
LDSM    83b                        100-V  | 75-77=0:16,5:B4X16_P64,B6X16_P32,8 78-80=M88,MT88,M816,M832,MT1616 72-73=-,2,4 | Rd MEM24.40/s
LDSM    183b                       75-99V  | 75-77=0:16,5:*,*,* 78-79=M88,MT88,M816,M832 72-73=-,2,4 | Rd UMEM24.32.40
LDSM    183b                       100-V  | 75-77=0:16,5:B4X16_P64,B6X16_P32,8 78-80=M88,MT88,M816,M832,MT1616 72-73=-,2,4 | Rd UMEM24.32.40

# --- global and generic memory: Volta, and Turing without uniform registers ---
LDG     381  70-74V | 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128,U.128 79-80=CONSTANT,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE 87=ZD | P81?[^ZD] P81[ZD] Rd MEM24.40
LDG     381  75-79V | 72=E 84-86=EF,-,EL,LU,EU,NA 68-69=-,LTC64B,LTC128B,LTC256B 73-75=U8,S8,U16,S16,-,64,128,U.128 79-80=CONSTANT,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE 87=ZD | P81?[^ZD] P81[ZD] Rd MEM24.40 P64~!?
LD      980  70-74V | 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128,U.128 79-80=CONSTANT,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE 87=ZD | P81[ZD] Rd MEM24.32
LD      980  75-79V | 72=E 84-86=EF,-,EL,LU,EU,NA 68-69=-,LTC64B,LTC128B,LTC256B 73-75=U8,S8,U16,S16,-,64,128,U.128 79-80=CONSTANT,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE 87=ZD | P81[ZD] Rd MEM24.32 P64~!?
STG     386  70-79VW | 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128,U.128 79-80=INVALID0,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE | MEM24.40 Rb
ST      385  70-79VW | 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128,U.128 79-80=INVALID0,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE | MEM24.32 Rc
ATOMG   3a8  70-79V | 72=E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH,SAFEADD 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN 79-80=INVALID0,-,STRONG,* 77-78=CTA,SM,GPU,SYS 76=PRIVATE | P81 Rd MEM24.40 Rb
ATOM    38a  70-79V | 72=E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN 79-80=INVALID0,-,STRONG,* 77-78=CTA,SM,GPU,SYS 76=PRIVATE | P81 Rd MEM24.40 Rb
ATOMG   3a9  70-79V | 72=E .CAS 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64 79-80=INVALID0,-,STRONG,* 77-78=CTA,SM,GPU,SYS 76=PRIVATE | P81 Rd MEM24.40 Rb Rc
ATOM    38b  70-79V | 72=E 87=CAS,CAST 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64 79-80=INVALID0,-,STRONG,* 77-78=CTA,SM,GPU,SYS 76=PRIVATE | P81 Rd MEM24.40 Rb Rc
RED     98e  70-79VW | 72=E 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN 79-80=INVALID0,-,STRONG,* 77-78=CTA,SM,GPU,SYS 76=PRIVATE | MEM24.40 Rb

# --- the same with a uniform register, Turing ---
LDG     1981 75-79V | ?24-31=255 72=E 84-86=EF,-,EL,LU,EU,NA 68-69=-,LTC64B,LTC128B,LTC256B 73-75=U8,S8,U16,S16,-,64,128,U.128 79-80=CONSTANT,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE 87=ZD | P81?[^ZD] P81[ZD] Rd GMEM24.32.40 P64~!?
LDG     1981 75-79V | 72+90=-,E,???0,E 84-86=EF,-,EL,LU,EU,NA 68-69=-,LTC64B,LTC128B,LTC256B 73-75=U8,S8,U16,S16,-,64,128,U.128 79-80=CONSTANT,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE 87=ZD | P81?[^ZD] P81[ZD] Rd GMEM24.32.40 P64~!?
LD      1980 75-79V | ?24-31=255 72=E 84-86=EF,-,EL,LU,EU,NA 68-69=-,LTC64B,LTC128B,LTC256B 73-75=U8,S8,U16,S16,-,64,128,U.128 79-80=CONSTANT,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE 87=ZD | P81[ZD] Rd GMEM24.32.40 P64~!?
LD      1980 75-79V | 72+90=-,E,???0,E 84-86=EF,-,EL,LU,EU,NA 68-69=-,LTC64B,LTC128B,LTC256B 73-75=U8,S8,U16,S16,-,64,128,U.128 79-80=CONSTANT,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE 87=ZD | P81[ZD] Rd GMEM24.32.40 P64~!?
STG     1986 75-79VW | ?24-31=255 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128,U.128 79-80=INVALID0,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE | GMEM24.64.40 Rb
STG     1986 75-79VW | 72+90=-,E,???0,E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128,U.128 79-80=INVALID0,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE | GMEM24.64.40 Rb
ST      1985 75-79VW | ?24-31=255 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128,U.128 79-80=INVALID0,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE | GMEM24.64.40 Rb
ST      1985 75-79VW | 72+90=-,E,???0,E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128,U.128 79-80=INVALID0,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE | GMEM24.64.40 Rb
ATOMG   19a8 75-79V | ?24-31=255 72=E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH,SAFEADD 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN 79-80=INVALID0,-,STRONG,* 77-78=CTA,SM,GPU,SYS 76=PRIVATE | P81 Rd GMEM24.64.40.0.70 Rb
ATOMG   19a8 75-79V | 72+70=-,E,???0,E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH,SAFEADD 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN 79-80=INVALID0,-,STRONG,* 77-78=CTA,SM,GPU,SYS 76=PRIVATE | P81 Rd GMEM24.64.40.0.70 Rb
ATOM    198a 75-79V | ?24-31=255 72=E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN 79-80=INVALID0,-,STRONG,* 77-78=CTA,SM,GPU,SYS 76=PRIVATE | P81 Rd GMEM24.64.40.0.70 Rb
ATOM    198a 75-79V | 72+70=-,E,???0,E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN 79-80=INVALID0,-,STRONG,* 77-78=CTA,SM,GPU,SYS 76=PRIVATE | P81 Rd GMEM24.64.40.0.70 Rb
RED     198e 75-79VW | ?24-31=255 72=E 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN 79-80=INVALID0,-,STRONG,* 77-78=CTA,SM,GPU,SYS 76=PRIVATE | GMEM24.64.40 Rb
RED     198e 75-79VW | 72+90=-,E,???0,E 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN 79-80=INVALID0,-,STRONG,* 77-78=CTA,SM,GPU,SYS 76=PRIVATE | GMEM24.64.40 Rb

# --- global and generic memory: Ampere and later ---
LDG     381  80-V   | 72=E 84-86=EF,-,EL,LU,EU,NA 68-69=-,LTC64B,LTC128B,LTC256B 73-75=U8,S8,U16,S16,-,64,128 $ORDER_LOAD | P81? Rd MEM24.40 P64~!?
LDG     1981 80-89V   | ?24-31=255 ?76=0 72=E 84-86=EF,-,EL,LU,EU,NA 68-69=-,LTC64B,LTC128B,LTC256B 73-75=U8,S8,U16,S16,-,64,128 $ORDER_LOAD | P81? Rd DMEM24.32.40.76 P64~!?
LDG     1981 80-89V   | 72+90+76=-,E,???0,E,!,!,???0,E 84-86=EF,-,EL,LU,EU,NA 68-69=-,LTC64B,LTC128B,LTC256B 73-75=U8,S8,U16,S16,-,64,128 $ORDER_LOAD | P81? Rd DMEM24.32.40.76 P64~!?
LDG     1981 90-V   | 72+90+76=-,E,???0,E,!,!,???0,E 84-86=EF,-,EL,LU,EU,NA 68-69=-,LTC64B,LTC128B,LTC256B 73-75=U8,S8,U16,S16,-,64,128 $ORDER_LOAD | P81? Rd DMEM24.32.40.76 P64~!?
LD      1980 80-89V   | ?24-31=255 ?76=0 72=E 84-86=EF,-,EL,LU,EU,NA 68-69=-,LTC64B,LTC128B,LTC256B 73-75=U8,S8,U16,S16,-,64,128 $ORDER_LOAD | Rd DMEM24.32.40.76 P64~!?
LD      1980 80-89V   | 72+90+76=-,E,???0,E,!,!,???0,E 84-86=EF,-,EL,LU,EU,NA 68-69=-,LTC64B,LTC128B,LTC256B 73-75=U8,S8,U16,S16,-,64,128 $ORDER_LOAD | Rd DMEM24.32.40.76 P64~!?
LD      1980 90-V   | 72+90+76=-,E,???0,E,!,!,???0,E 84-86=EF,-,EL,LU,EU,NA 68-69=-,LTC64B,LTC128B,LTC256B 73-75=U8,S8,U16,S16,-,64,128 $ORDER_LOAD | Rd DMEM24.32.40.76 P64~!?
STG     386  80-VW   | 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 $ORDER | MEM24.40 Rb
LD      980  80-V   | 72=E 84-86=EF,-,EL,LU,EU,NA 68-69=-,LTC64B,LTC128B,LTC256B 73-75=U8,S8,U16,S16,-,64,128 $ORDER_LOAD | Rd MEM24.32 P64~!?
ST      385  80-VW   | 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 $ORDER | MEM24.32 Rc
ATOMG   3a8  80-89V | 72=E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH,SAFEADD 84-86=EF,-,EL,LU,EU,NA 73-76=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN $ORDER | P81 Rd MEM24.40 Rb
ATOMG   3a8  90-V   | 72=E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH,SAFEADD 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,S64,128 $ORDER | P81 Rd MEM24.40 Rb
ATOM    38a  80-89V | 72=E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH 84-86=EF,-,EL,LU,EU,NA 73-76=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN $ORDER | P81 Rd MEM24.40 Rb
ATOM    38a  90-V   | 72=E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,S64,128 $ORDER | P81 Rd MEM24.40 Rb
RED     98e  80-89VW | 72=E 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR 84-86=EF,-,EL,LU,EU,NA 73-76=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN $ORDER | MEM24.40 Rb
REDG    98e  90-VW   | 72=E 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,S64 $ORDER | MEM24.40 Rb
STG     1986 80-89VW   | ?24-31=255 ?76=0 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 $ORDER | DMEM24.64.40.76 Rb
STG     1986 80-89VW   | 72+90+76=-,E,???0,E,!,!,???0,E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 $ORDER | DMEM24.64.40.76 Rb
STG     1986 90-VW   | 72+90+76=-,E,???0,E,!,!,???0,E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 $ORDER | DMEM24.64.40.76 Rb
LDG     197e 100-V   | ?81-83=1 ?87-90=0 .E .ENL2 .256 84-86=EF,-,EL,LU,EU,NA 73-75=?,?,?,?,-,?,?,? $ORDER_LOAD | Rd R64 WIDE24.32.40.17 I57.7 I72.1
STG     197f 100-VW   | ?81-83=1 ?87-90=14 ?59-63=31 .E .ENL2 .256 84-86=EF,-,EL,LU,EU,NA 72-75=?,?,?,?,?,?,?,?,-,?,?,?,?,?,?,? $ORDER | WIDE24.64.40.19 Rb R16
ST      1985 80-89VW   | ?24-31=255 ?76=0 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 $ORDER | DMEM24.64.40.76 Rb
ST      1985 80-89VW   | 72+90+76=-,E,???0,E,!,!,???0,E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 $ORDER | DMEM24.64.40.76 Rb
ST      1985 90-VW   | 72+90+76=-,E,???0,E,!,!,???0,E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 $ORDER | DMEM24.64.40.76 Rb
ATOMG   19a8 80-89V | ?24-31=255 ?71=0 72=E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH,SAFEADD 84-86=EF,-,EL,LU,EU,NA 73-76=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN $ORDER | P81 Rd DMEM24.64.40.71.70 Rb
ATOMG   19a8 80-89V | ?!24-31=255 72+70+71=-,E,???0,E,!,!,???0,E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH,SAFEADD 84-86=EF,-,EL,LU,EU,NA 73-76=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN $ORDER | P81 Rd DMEM24.64.40.71.70 Rb
ATOMG   19a8 90-99V   | 72+70+71=-,E,???0,E,!,!,???0,E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH,SAFEADD 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,S64,128 $ORDER | P81 Rd DMEM24.64.40.71.70 Rb
ATOMG   19a8 100-V   | 72=???0,E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH,SAFEADD 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,S64,128 $ORDER | P81 Rd DMEM24.64.40.76.63 Rb
ATOM    198a 80-89V | ?24-31=255 ?71=0 72=E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH 84-86=EF,-,EL,LU,EU,NA 73-76=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN $ORDER | P81 Rd DMEM24.64.40.71.70 Rb
ATOM    198a 80-89V | ?!24-31=255 72+70+71=-,E,???0,E,!,!,???0,E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH 84-86=EF,-,EL,LU,EU,NA 73-76=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN $ORDER | P81 Rd DMEM24.64.40.71.70 Rb
ATOM    198a 90-99V   | 72+70+71=-,E,???0,E,!,!,???0,E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,S64,128 $ORDER | P81 Rd DMEM24.64.40.71.70 Rb
ATOM    198a 100-V   | 72=???0,E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,S64,128 $ORDER | P81 Rd DMEM24.64.40.76.63 Rb
ATOMG   19a3 90-99V   | 72+70+71=-,E,???0,E,!,!,???0,E 88-89=ADD,MIN,MAX 84-86=EF,-,EL,LU,EU,NA $FTYPE $ORDER | P81 Rd DMEM24.64.40.71.70 Rb
ATOMG   19a3 100-V   | 72=???0,E 88-89=ADD,MIN,MAX 84-86=EF,-,EL,LU,EU,NA $FTYPE $ORDER | P81 Rd DMEM24.64.40.90.63 Rb
ATOM    19a2 90-99V   | 72+70+71=-,E,???0,E,!,!,???0,E 88-89=ADD,MIN,MAX 84-86=EF,-,EL,LU,EU,NA $FTYPE $ORDER | P81 Rd DMEM24.64.40.71.70 Rb
ATOM    19a2 100-V   | 72=???0,E 88-89=ADD,MIN,MAX 84-86=EF,-,EL,LU,EU,NA $FTYPE $ORDER | P81 Rd DMEM24.64.40.90.63 Rb
ATOMG   3a3  90-V   | 72=E 88-89=ADD,MIN,MAX 84-86=EF,-,EL,LU,EU,NA $FTYPE $ORDER | P81 Rd MEM24.40 Rb
ATOM    3a2  90-99V   | 72=E 88-89=ADD,MIN,MAX 84-86=EF,-,EL,LU,EU,NA $FTYPE $ORDER | P81 Rd MEM24.40 Rb
ATOMG   3a9  80-89V | 72=E .CAS 84-86=EF,-,EL,LU,EU,NA 73-76=-,S32,64 $ORDER | P81 Rd MEM24.40 Rb Rc
ATOMG   3a9  90-V   | 72=E .CAS 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,*,128 $ORDER | P81 Rd MEM24.40 Rb Rc
ATOM    38b  80-89V | 72=E 87=CAS,CAST 84-86=EF,-,EL,LU,EU,NA 73-76=-,S32,64 $ORDER | P81 Rd MEM24.40 Rb Rc
ATOM    38b  90-V   | 72=E 87-88=CAS,CAST,CAS,CAST.SPIN 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,*,128 $ORDER | P81 Rd MEM24.40 Rb Rc
RED     198e 80-89VW | ?24-31=255 ?71=0 72=E 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR 84-86=EF,-,EL,LU,EU,NA 73-76=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN $ORDER | DMEM24.64.40.71 Rb
RED     198e 80-89VW | 72+90+71=-,E,???0,E,!,!,???0,E 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR 84-86=EF,-,EL,LU,EU,NA 73-76=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN $ORDER | DMEM24.64.40.71 Rb
REDG    198e 90-99VW   | 72+90+71=-,E,???0,E,!,!,???0,E 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,S64 $ORDER | DMEM24.64.40.71 Rb
REDG    198e 100-VW   | 72=???0,E 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,S64 $ORDER | DMEM24.64.40.81 Rb
REDG    19a6 90-99VW   | 72+90+71=-,E,???0,E,!,!,???0,E 88-89=ADD,MIN,MAX 84-86=EF,-,EL,LU,EU,NA $FTYPE $ORDER | DMEM24.64.40.71 Rb
REDG    19a6 100-VW   | 72=???0,E 88-89=ADD,MIN,MAX 84-86=EF,-,EL,LU,EU,NA $FTYPE $ORDER | DMEM24.64.40.81 Rb
LDGSTS  1dae 80-99V   | ?70=1 .E 81=BYPASS,- 84-86=EF,-,EL,LU,EU,NA 71-72=-,LTC64B,LTC128B,LTC256B 73-75=INVALID0,INVALID1,INVALID2,INVALID3,-,64,128 82=ZFILL $ORDER_COPY | COPYTO16.64 COPYFROM24.32.70.64 P87!?
LDGSTS  1dae 100-V   | ?83=1 .E 81=BYPASS,- 84-86=EF,-,EL,LU,EU,NA 72-73=-,LTC64B,LTC128B,LTC256B 74-75=-,64,128,* 82=ZFILL $ORDER_COPY | COPYTO16.64 COPYFROM24.32.83.64 P87!?
LDGSTS  1fae 80-99V   | 70+76=E,E,!,E 81=BYPASS,- 84-86=EF,-,EL,LU,EU,NA 71-72=-,LTC64B,LTC128B,LTC256B 73-75=INVALID0,INVALID1,INVALID2,INVALID3,-,64,128 82=ZFILL $ORDER_COPY | COPYTO DMEM24.64.32.76.70/z P87!?
LDGSTS  1fae 100-V   | ?83=1 .E 81=BYPASS,- 84-86=EF,-,EL,LU,EU,NA 72-73=-,LTC64B,LTC128B,LTC256B 74-75=-,64,128,* 82=ZFILL $ORDER_COPY | COPYTO DMEM24.64.32.76.83/z P87!?
LDGMC   19a4 90-99V   | ?70=1 ?71=0 72=???0,E 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR 73-75=32,S32,64,S64 $ORDER | Rd DMEM24.64.40.71.70
LDGMC   19a5 90-99V   | ?70=1 ?71=0 72=???0,E 88-89=ADD,MIN,MAX,F32ADD $FTYPE $ORDER | Rd DMEM24.64.40.71.70
LDGMC   19a4 100-V   | ?81-83=1 ?90=0 72=???0,E 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR 73-75=32,S32,64,S64 $ORDER | Rd DMEM24.64.40.82.81
LDGMC   19a5 100-V   | ?81-83=1 ?87=1 ?90=0 72=???0,E 88-89=ADD,MIN,MAX,F16ADD 73-76=?,E5M2x4,E5M2x8,E5M2x16,E4M3x4,E4M3x8,E4M3x16,?,?,?,?,?,?,?,?,? .RN $ORDER | Rd DMEM24.64.40.82.81
LDGMC   19a5 100-V   | ?81-83=1 ?90=0 72=???0,E 88-89=ADD,MIN,MAX,F32ADD $FTYPE $ORDER | Rd DMEM24.64.40.82.81
LDGDEPBAR 9af 80-V  | |
CCTL    98f                  70-79VWR | ?87-90=4 ?24-31=255 ?80=0 ?72=0 78-79=-,U,C,I .IVALL | 
CCTL    98f                  70-79VWR | ?87-90=6 ?24-31=255 ?80=0 ?72=0 78-79=-,U,C,I .IVALLP | 
CCTL    98f                  70-79VWR | ?87-90=7 ?24-31=255 ?80=0 ?72=0 78-79=-,U,C,I .WBALL | 
CCTL    98f                  70-79VWR | ?87-90=8 ?24-31=255 ?80=0 ?72=0 78-79=-,U,C,I .WBALLP | 
CCTL    98f                  70-79VW | 72=E 78-80=-,U,C,I,?,?,?,? 87-90=0:PF1,PF2,WB,IV,5:RS | MEM24.32
CCTL    98f                  80-VWR | ?87-90=4 ?24-31=255 ?80=0 78-79=-,U,C,I .IVALL | 
CCTL    98f                  80-99VWR | ?87-90=6 ?24-31=255 ?80=0 78-79=-,U,C,I .IVALLP | 
CCTL    98f                  80-99VWR | ?87-90=7 ?24-31=255 ?80=0 78-79=-,U,C,I .WBALL | 
CCTL    98f                  80-99VWR | ?87-90=8 ?24-31=255 ?80=0 78-79=-,U,C,I .WBALLP | 
CCTL    98f                  89-89VW | ?87-90=1 72=E 78-80=-,U,C,I,?,?,?,? .PF2 76=QFAULT | P81[QFAULT] MEM24.32
CCTL    98f                  89-89VW | ?87-90=11 72=E 78-80=-,U,C,I,?,?,?,? .RML2 | MEM24.32 I73.3/z
CCTL    98f                  80-VW | 72=E 78-80=-,U,C,I,?,?,?,? 87-90=0:PF1,PF2,WB,IV,5:RS,9:PML2,DML2,RML2 | MEM24.32
CCTL    1540                       100-V | ?78-80=2 ?84-86=4 ?87-90=3 .E .C .LDCU .IV .DEEP | UADDR24
MEMBAR  992  70-79VW | 79-80=SC,ALL,-,* 76-78=CTA,SM,GPU,SYS,INVALID4,VC 72=MMIO |
MEMBAR  992  80-89VW   | 79-80=SC,ALL,-,MMIO 76-78=CTA,SM,GPU,SYS,INVALID4,VC | 
MEMBAR  992                  90-99VW | ?73=1 76-78=?,?,?,?,?,VC,?,? .ASYNC | 
MEMBAR  992  90-VW   | 79-80=SC,ALL,-,MMIO 76-78=CTA,SM,GPU,SYS,INVALID4,VC,CTA.PARTIAL | 
ERRBAR  9ab  70-   | |

# --- textures and surfaces: the handle in a constant, in a register (.B), in a uniform register ---
TEX     b60                        70-99V | 60=SCR 59=B $TEXTYPE $TEXLEVEL 76=AOFFI 78=DC $CACHE 77=NDV 90=NODEP | P81? R64 Rd A Rb/zt I54.5 I40.14 GEO61 MOVMASK72
TEX     361                        70-79V   | 60=SCR 59=!,B $TEXTYPE $TEXLEVEL 76=AOFFI 78=DC $CACHE 77=NDV 90=NODEP | P81? R64 Rd A Rb/zt GEO61 MOVMASK72
TEX     361                        80-99V   | 60=SCR 59=???0,B $TEXTYPE $TEXLEVEL 76=AOFFI 78=DC $CACHE 77=NDV 90=NODEP | P81? R64 Rd A Rb/zt GEO61 MOVMASK72
TEX     1f60                       75-99V   | 60=SCR $TEXTYPE $TEXLEVEL 76=AOFFI 78=DC $CACHE 77=NDV 90=NODEP | P81? R64 Rd A Rb/z UR40 I46.8 GEO61 MOVMASK72
TEX     1f60                       100-V  | 60=SCR $TEXTYPE 59+87=LZ,?,?,LL 56=AOFFI 78=DC $CACHE 77=NDV 90=NODEP | P81? R64 Rd A Rb/z UR40 UR48 GEO61 MOVMASK72
TLD     b66                        70-99V | 60=SCR 59=B $TEXTYPE $TLDLEVEL 76=AOFFI $CACHE 78=MS 77=CL 90=NODEP | P81? R64 Rd A Rb/zt I54.5 I40.14 GEO61 MOVMASK72
TLD     367                        70-79V   | 60=SCR 59=!,B $TEXTYPE $TLDLEVEL 76=AOFFI $CACHE 78=MS 77=CL 90=NODEP | P81? R64 Rd A Rb/zt GEO61 MOVMASK72
TLD     367                        80-99V   | 60=SCR 59=???0,B $TEXTYPE $TLDLEVEL 76=AOFFI $CACHE 78=MS 77=CL 90=NODEP | P81? R64 Rd A Rb/zt GEO61 MOVMASK72
TLD     1f66                       75-99V   | 60=SCR $TEXTYPE $TLDLEVEL 76=AOFFI $CACHE 78=MS 77=CL 90=NODEP | P81? R64 Rd A Rb/z UR40 I46.8 GEO61 MOVMASK72
TLD     1f66                       100-V  | 60=SCR $TEXTYPE 87=LZ,LL 56=AOFFI $CACHE 76=CL 90=NODEP | P81? R64 Rd A Rb/z UR40 UR48 GEO61 MOVMASK72
TLD4    b63                        70-99V | 60=SCR 87-88=R,G,B,A 59=B $TEXTYPE 76-77=-,AOFFI,PTP,* 78=DC $CACHE 90=NODEP | P81? R64 Rd A Rb/zt I54.5 I40.14 GEO61 MOVMASK72
TLD4    364                        70-79V   | 60=SCR 87-88=R,G,B,A 59=!,B $TEXTYPE 76-77=-,AOFFI,PTP,* 78=DC $CACHE 90=NODEP | P81? R64 Rd A Rb/zt GEO61 MOVMASK72
TLD4    364                        80-99V   | 60=SCR 87-88=R,G,B,A 59=???0,B $TEXTYPE 76-77=-,AOFFI,PTP,* 78=DC $CACHE 90=NODEP | P81? R64 Rd A Rb/zt GEO61 MOVMASK72
TLD4    1f63                       75-99V   | 60=SCR 87-88=R,G,B,A $TEXTYPE 76-77=-,AOFFI,PTP,* 78=DC $CACHE 90=NODEP | P81? R64 Rd A Rb/z UR40 I46.8 GEO61 MOVMASK72
TLD4    1f63                       100-V  | 60=SCR 87-88=R,G,B,A $TEXTYPE 76-77=-,AOFFI,PTP,* 78=DC $CACHE 90=NODEP | P81? R64 Rd A Rb/z UR40 UR48 GEO61 MOVMASK72
TXD     b6c                        70-99V | 59=B $TEXTYPE 87=LC 76=AOFFI $CACHE 90=NODEP | P81? R64 Rd A Rb I54.5 I40.14 GEO61 MOVMASK72
TXD     36d                        70-79V   | 59=!,B $TEXTYPE 87=LC 76=AOFFI $CACHE 90=NODEP | P81? R64 Rd A Rb GEO61 MOVMASK72
TXD     36d                        80-99V   | 59=???0,B $TEXTYPE 87=LC 76=AOFFI $CACHE 90=NODEP | P81? R64 Rd A Rb GEO61 MOVMASK72
TXD     1f6c                       75-99V   | $TEXTYPE 87=LC 76=AOFFI $CACHE 90=NODEP | P81? R64 Rd A Rb UR40 I46.8 GEO61 MOVMASK72
TXD     1f6c                       100-V  | $TEXTYPE 56=AOFFI $CACHE 90=NODEP | P81? R64 Rd A Rb UR40 UR48 GEO61 MOVMASK72
TXQ     b6f                        70-99V | 59=B 90=NODEP | R64 Rd A QUERY62 I54.5 I40.14 MOVMASK72
TXQ     370                        70-79V   | 59=!,B 90=NODEP | R64 Rd A QUERY62 MOVMASK72
TXQ     370                        80-99V   | 59=???0,B 90=NODEP | R64 Rd A QUERY62 MOVMASK72
TXQ     1f6f                       75-99V   | 90=NODEP | R64 Rd A QUERY62 UR40 I46.8 MOVMASK72
TXQ     1f6f                       100-V  | 90=NODEP | R64 Rd A QUERY62 UR40 I48.8 MOVMASK72
SULD    b99                        70-79V | .D 72=BA $SURFACE $CACHE $SURFTYPE $SURFORDER $OUTSIDE | P81? Rd BASE24 I54.5 I40.14
SULD    b99                        80-99V | .D 72=BA $SURFACE $CACHE $SURFTYPE $ORDER_LOAD $OUTSIDE | P81? Rd BASE24 I54.5 I40.14
SULD    99a                        70-79V | .D 72=BA $SURFACE $CACHE $SURFTYPE $SURFORDER $OUTSIDE | P81? Rd BASE24 Rc
SULD    99a                        80-99V   | .D 72=BA $SURFACE $CACHE $SURFTYPE $ORDER_LOAD $OUTSIDE | P81? Rd BASE24 Rc
SULD    1f99                       75-79V   | .D 72=BA $SURFACE $CACHE $SURFTYPE $SURFORDER $OUTSIDE | P81? Rd BASE24 UR40 I46.8
SULD    1f99                       80-99V   | .D 72=BA $SURFACE $CACHE $SURFTYPE $ORDER_LOAD $OUTSIDE | P81? Rd BASE24 UR40 I46.8
SULD    1f99                       100-V   | .D 72=BA $SURFACE $CACHE $SURFTYPE $ORDER_LOAD $OUTSIDE | P81? Rd BASE24 UR40 UR48
SUST    b9d                        70-79VW | .D 72=BA $SURFACE $CACHE $SURFTYPE $SURFORDER $OUTSIDE | BASE24 Rb I54.5 I40.14
SUST    b9d                        80-99VW | .D 72=BA $SURFACE $CACHE $SURFTYPE $ORDER $OUTSIDE | BASE24 Rb I54.5 I40.14
SUST    99e                        70-79VW | .D 72=BA $SURFACE $CACHE $SURFTYPE $SURFORDER $OUTSIDE | BASE24 Rb Rc
SUST    99e                        80-99VW   | .D 72=BA $SURFACE $CACHE $SURFTYPE $ORDER $OUTSIDE | BASE24 Rb Rc
SUST    1f9d                       75-79VW   | .D 72=BA $SURFACE $CACHE $SURFTYPE $SURFORDER $OUTSIDE | BASE24 Rb UR40 I46.8
SUST    1f9d                       80-99VW   | .D 72=BA $SURFACE $CACHE $SURFTYPE $ORDER $OUTSIDE | BASE24 Rb UR40 I46.8
SUST    1f9d                       100-VW   | .D 72=BA $SURFACE $CACHE $SURFTYPE $ORDER $OUTSIDE | BASE24 Rb UR40 UR48
SUST    b9b                        70-79VW | .P $SURFACE $CACHE $SURFORDER $SURFMASK $OUTSIDE | BASE24 Rb I54.5 I40.14
SUST    b9b                        80-99VW | .P $SURFACE $CACHE $ORDER $SURFMASK $OUTSIDE | BASE24 Rb I54.5 I40.14
SUST    99c                        70-79VW | .P $SURFACE $CACHE $SURFORDER $SURFMASK $OUTSIDE | BASE24 Rb Rc
SUST    99c                        80-99VW   | .P $SURFACE $CACHE $ORDER $SURFMASK $OUTSIDE | BASE24 Rb Rc
SUST    1f9b                       75-79VW   | .P $SURFACE $CACHE $SURFORDER $SURFMASK $OUTSIDE | BASE24 Rb UR40 I46.8
SUST    1f9b                       80-99VW   | .P $SURFACE $CACHE $ORDER $SURFMASK $OUTSIDE | BASE24 Rb UR40 I46.8
SUST    1f9b                       100-VW   | .P $SURFACE $CACHE $ORDER $SURFMASK $OUTSIDE | BASE24 Rb UR40 UR48
SURED   59f                        70-79VW | .D 72=BA $SURFACE $SURFREDUCE $CACHE $SURFREDTYPE 79-80=INVALID0,-,STRONG,* 77-78=CTA,SM,GPU,SYS 76=PRIVATE $OUTSIDE | BASE24 Rb I54.5 I40.14
SURED   59f                        80-99VW | .D 72=BA $SURFACE $SURFREDUCE $CACHE $SURFREDTYPE $ORDER $OUTSIDE | BASE24 Rb I54.5 I40.14
SURED   3a0                        70-79VW | .D 72=BA $SURFACE $SURFREDUCE $CACHE $SURFREDTYPE 79-80=INVALID0,-,STRONG,* 77-78=CTA,SM,GPU,SYS 76=PRIVATE $OUTSIDE | BASE24 Rb Rc
SURED   3a0                        80-99VW   | .D 72=BA $SURFACE $SURFREDUCE $CACHE $SURFREDTYPE $ORDER $OUTSIDE | BASE24 Rb Rc
SURED   1f9f                       75-79VW   | .D 72=BA $SURFACE $SURFREDUCE $CACHE $SURFREDTYPE 79-80=INVALID0,-,STRONG,* 77-78=CTA,SM,GPU,SYS 76=PRIVATE $OUTSIDE | BASE24 Rb UR40 I46.8
SURED   1f9f                       80-99VW   | .D 72=BA $SURFACE $SURFREDUCE $CACHE $SURFREDTYPE $ORDER $OUTSIDE | BASE24 Rb UR40 I46.8
SURED   1f9f                       100-VW   | .D 72=BA $SURFACE $SURFREDUCE $CACHE $SURFREDTYPE $ORDER $OUTSIDE | BASE24 Rb UR40 UR48

# --- control flow ---
BRA     947  90-VWR   | ?32-33=1 85-86=-,INC,DEC .U 84=ANY | P87!? T34
BRA     947  70-VWR   | 85-86=-,INC,DEC 32-33=-,U,DIV,CONV | P87!? T34
BRA     1547 90-VWR   | ?32-33=1 85-86=-,INC,DEC .U 84=ANY | P87!? UP24! T34
BRA     1547 90-99VWR   | ?!32-33=1 85-86=-,INC,DEC 32-33=?,*,?,? | P87!? UP24! T34
BRA     1947 80-VWR   | 85-86=-,INC,DEC 32-33=INVALID0,U,DIV,CONV | P87!? UR24/i30 T34
BRX     949  70-VWR   | 85-86=-,INC,DEC | P87!? RT24
BRXU    1958 75-VWR   | 85-86=-,INC,DEC 32-33=-,U,DIV,CONV | P87!? URT24
JMP     94a                  70-99VWR | 85-86=-,INC,DEC 32-33=-,U,DIV,CONV | P87!? TA34
JMP     b4a 1b4a             70-99VWR | 85-86=-,INC,DEC | P87!? Q
JMX     94c                  70-99VWR | 85-86=-,INC,DEC | P87!? RT24
JMXU    1959                 75-99VWR | 85-86=-,INC,DEC 32-33=-,U,DIV,CONV | P87!? URT24
EXIT    94d  70-VWR   | 84-85=-,KEEPREFCOUNT,PREEMPTED,* 86=NO_ATEXIT | P87!?
BSSY    945  70-99VWR   | | P87!? CB16 TB34
BSSY    945  100-VWR  | 72-73=-,RELIABLE,RECONVERGENT,* | P87!? CB16 TB34
BSYNC   941  70-99VWR   | | P87!? CB16
BSYNC   941  100-VWR  | 72-73=-,RELIABLE,RECONVERGENT,* | P87!? CB16
BREAK   942  70-99VWR   | | P87!? CB16
BREAK   942  100-VWR  | 72-73=-,RELIABLE,RECONVERGENT,* | P87!? CB16
BMOV    355                  70-79VR | ?29=0 .32 84=CLEAR | Rd BREG24
BMOV    355                  80-VR | .32 84=CLEAR | Rd BREG24
BMOV    356                  70-VW | .32 84=PQUAD | BREG24 Rb
BMOV    f55                  70-79VWR | ?84=0 ?28-29=1 .32 | CB16 BREG24
BMOV    f55                  80-99VWR | ?84=0 .32 | CB16 BREG24/t
BMOV    f55                  80-99VWR | ?84=1 .32 .CLEAR | CB16 CB24.6
BMOV    f56                  70-99VWR | .32 84=PQUAD | BREG24 CB16
BMOV    357 b57 1b57 1d57    70-99VW | .64 | APC Q/u
BMOV    957                  70-99VWR | .64 | APC TA34
BMOV    956 b56 1b56 1d56    70-99VWR | .32 84=PQUAD | BREG24 Q/u
WARPSYNC b48 1b48 1d48        70-89VWR |  | P87!? Q/u
WARPSYNC 348 70-79VWR  | | P87!? Rb
WARPSYNC 348 80-89VWR  | 86=EXCLUSIVE | P87!? Rb
WARPSYNC 348 90-VWR    | 85-86=-,EXCLUSIVE,COLLECTIVE,! | P87!? Ra T34[COLLECTIVE]
WARPSYNC 948 70-89VWR  | | P87!? I32.32
WARPSYNC 948 90-VWR    | ?85=0 86=COLLECTIVE .ALL | P87!? T34[COLLECTIVE]
YIELD   946  70-VWR   | | P87!?
CALL    943  70-VWR   | .ABS 86=-,NOINC | P87!? TA32
CALL    944  70-VWR   | .REL 86=-,NOINC | P87!? T34
CALL    343  70-VWR   | .ABS 86=-,NOINC | P87!? RA24
CALL    344  70-VWR   | .REL 86=-,NOINC | P87!? RT24
CALL    b43                  70-99VWR | .ABS 86=-,NOINC | P87!? Q
CALL    1943                 75-99VWR | .ABS 86=-,NOINC | P87!? URT24
CALL    1944                 75-99VWR | .REL 86=-,NOINC | P87!? URT24
RET     1950                 75-99VWR | 85=REL,ABS 86=NODEC | P87!? URT24
RET     950  70-VWR   | 85=REL,ABS 86=NODEC | P87!? RT24
LEPC    34e                        70-99  | | Rd
LEPC    94e                        90-  | | Rd T24
BPT     95c                  70-79VWR | 84-86=2:PAUSE,TRAP,INT,DRAIN,PAUSE_QUIET | I34.3/z
BPT     95c                  80-VWR | 84-86=3:TRAP,INT | I34.3/z
BAR     b1d  70-87VW   | $BARALL | BARQ
BAR     b1d  89-VW   | $BARMODE | BARQ
BAR     31d  70-VW   | $BARMODE | BARQ
BAR     51d  70-VW   | $BARMODE | BARQ
BAR     91d  70-VW   | $BARMODE | BARQ
DEPBAR  91a  70-WR   | 47=LE | SB44[LE] I38.6[LE] SBM32
ENDCOLLECTIVE 91b 90- | | P87!?
CGAERRBAR 5ab 90-V | |

# --- sm_90: mbarriers, bulk copies, clusters, products of warpgroups ---
let GROUP_OP 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR
let HSHAPE 53-59=64x8x16,64x16x16,64x24x16,64x32x16,64x40x16,64x48x16,64x56x16,64x64x16,64x72x16,64x80x16,64x88x16,64x96x16,64x104x16,64x112x16,64x120x16,64x128x16,64x136x16,64x144x16,64x152x16,64x160x16,64x168x16,64x176x16,64x184x16,64x192x16,64x200x16,64x208x16,64x216x16,64x224x16,64x232x16,64x240x16,64x248x16,64x256x16,64x8x8,64x16x8,64x24x8,64x32x8,64x40x8,64x48x8,64x56x8,64x64x8,64x72x8,64x80x8,64x88x8,64x96x8,64x104x8,64x112x8,64x120x8,64x128x8,64x136x8,64x144x8,64x152x8,64x160x8,64x168x8,64x176x8,64x184x8,64x192x8,64x200x8,64x208x8,64x216x8,64x224x8,64x232x8,64x240x8,64x248x8,64x256x8
let HSHAPE_SP 53-59=64x8x16,64x16x16,64x24x16,64x32x16,64x40x16,64x48x16,64x56x16,64x64x16,64x72x16,64x80x16,64x88x16,64x96x16,64x104x16,64x112x16,64x120x16,64x128x16,64x136x16,64x144x16,64x152x16,64x160x16,64x168x16,64x176x16,64x184x16,64x192x16,64x200x16,64x208x16,64x216x16,64x224x16,64x232x16,64x240x16,64x248x16,64x256x16,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,64x8x32,64x16x32,64x24x32,64x32x32,64x40x32,64x48x32,64x56x32,64x64x32,64x72x32,64x80x32,64x88x32,64x96x32,64x104x32,64x112x32,64x120x32,64x128x32,64x136x32,64x144x32,64x152x32,64x160x32,64x168x32,64x176x32,64x184x32,64x192x32,64x200x32,64x208x32,64x216x32,64x224x32,64x232x32,64x240x32,64x248x32,64x256x32
let QSHAPE 53-58=64x8x32,64x16x32,64x24x32,64x32x32,64x40x32,64x48x32,64x56x32,64x64x32,64x72x32,64x80x32,64x88x32,64x96x32,64x104x32,64x112x32,64x120x32,64x128x32,64x136x32,64x144x32,64x152x32,64x160x32,64x168x32,64x176x32,64x184x32,64x192x32,64x200x32,64x208x32,64x216x32,64x224x32,64x232x32,64x240x32,64x248x32,64x256x32
let QSHAPE_SP 53-58=*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,64x8x64,64x16x64,64x24x64,64x32x64,64x40x64,64x48x64,64x56x64,64x64x64,64x72x64,64x80x64,64x88x64,64x96x64,64x104x64,64x112x64,64x120x64,64x128x64,64x136x64,64x144x64,64x152x64,64x160x64,64x168x64,64x176x64,64x184x64,64x192x64,64x200x64,64x208x64,64x216x64,64x224x64,64x232x64,64x240x64,64x248x64,64x256x64
let ISHAPE 53-58=64x8x32,*,*,64x16x32,*,*,64x24x32,*,*,64x32x32,*,*,64x48x32,*,*,64x64x32,*,*,64x80x32,*,*,64x96x32,*,*,64x112x32,*,*,64x128x32,*,*,64x144x32,*,*,64x160x32,*,*,64x176x32,*,*,64x192x32,*,*,64x208x32,*,*,64x224x32,*,*,64x240x32,*,*,64x256x32,*
let ISHAPE_SP 53-58=*,64x8x64,*,*,64x16x64,*,*,64x24x64,*,*,64x32x64,*,*,64x48x64,*,*,64x64x64,*,*,64x80x64,*,*,64x96x64,*,*,64x112x64,*,*,64x128x64,*,*,64x144x64,*,*,64x160x64,*,*,64x176x64,*,*,64x192x64,*,*,64x208x64,*,*,64x224x64,*,*,64x240x64,*,*,64x256x64
let BSHAPE 53-58=64x8x256,64x16x256,64x24x256,64x32x256,64x48x256,64x64x256,64x80x256,64x96x256,64x112x256,64x128x256,64x144x256,64x160x256,64x176x256,64x192x256,64x208x256,64x224x256,64x240x256,64x256x256
SYNCS   19a7 90-99V | 70-71=ARRIVE,?,?,? .TRANS64 73-74=-,TMASK,RED,* 75=OPTOUT 84-86=-,A1T0,A0T1,A0TR,A0TX,ART0,*,* | Rd UMEM24.64.40 Rb
SYNCS   19a7 100-V | 76-77=ARRIVE,?,?,? .TRANS64 73-74=-,TMASK,RED,* 75=OPTOUT 84-86=-,A1T0,A0T1,A0TR,A0TX,ART0,*,* | Rd UMEM24.64.40 Rb
SYNCS   15a7 90-99V | 70-71=?,PHASECHK,?,? .TRANS64 72=TRYWAIT | P81 UMEM24.64.40 Rb
SYNCS   15a7 100-V | 76-77=?,PHASECHK,?,? .TRANS64 72=TRYWAIT | P81 UMEM24.64.40 Rb
SYNCS   15b2 90-UV | 72-73=?,EXCH,?,? .64 | UR16 UADDR24.40 UR32
SYNCS   19b1 90-V | 73=CCTL,? 72=IV,WB | UMEM24.64.40
SYNCS   9b1 100-V | ?72-73=0 .CCTL .IVALL |
ARRIVES 19b0 80-89VW | 72=LDGSTSBAR,? 73-75=?,?,?,?,?,64,?,? | UMEM24.64.40
ARRIVES 19b0 90-99VW | 72=LDGSTSBAR,? 73-75=?,?,?,?,?,64,?,? 70-71=-,ARVCNT,TRANSCNT,* | UMEM24.64.40
ARRIVES 19b0 100-VW | 72=LDGSTSBAR,? 73-75=?,?,?,?,?,64,?,? 76-77=-,ARVCNT,TRANSCNT,* | UMEM24.64.40
UBLKCP  13ba 90-99UV | ?77-80=0 73-74=G.G,S.G,G.S,S.S 75=MULTICAST 81-82=-,LTC64B,LTC128B,LTC256B 83=SEQUENCED | UADDR32 UADDR24 UR64 UDESC40.76
UBLKCP  13ba 100-UV | ?77-80=0 73-74=G.G,S.G,G.S,S.S 75=MULTICAST 81-82=-,LTC64B,LTC128B,LTC256B 83=SEQUENCED 84=CPMASK | UADDR32 UADDR24 UR64 UDESC40.76
UBLKPF  13bc 90-UV | .L2 | UADDR24 UR64 UDESC40.76
UBLKRED 13bb 90-UV | ?77-80=0 73-74=G.???0,S.???0,G.S,S.S 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR 81-84=-,S32,U64,S64,F16.RN,F32.RN,F32.FTZ.RN,F64.RN,BF16.RN | UADDR32 UADDR24 UR64 UDESC40.76
UTMALDG 15b4 90-99UV | 79-81=1D,2D,3D,4D,5D | UADDR32 UADDR24 UDESC40.76
UTMALDG 15b4 100-UV | 79-81=1D,2D,3D,4D,5D 84=GATHER4 85=2CTA | UADDR32 UADDR24 UDESC40.76
UTMALDG 13b4 90-99UV | 79-81=1D,2D,3D,4D,5D 82=IM2COL 75=MULTICAST | UADDR32 UADDR24 UR64 UDESC40.76
UTMALDG 13b4 100-UV | 79-81=1D,2D,3D,4D,5D 82-83=-,IM2COL,IM2COL_W128,IM2COL_W 84=GATHER4 75=MULTICAST 85=2CTA | UADDR32 UADDR24 UR64 UDESC40.76
UTMASTG 13b5 90-99UV | 79-81=1D,2D,3D,4D,5D 82=IM2COL | UADDR32 UADDR24 UDESC40.76
UTMASTG 13b5 100-UV | 79-81=1D,2D,3D,4D,5D 82=IM2COL 83=SCATTER4 | UADDR32 UADDR24 UDESC40.76
UTMAREDG 13b6 90-UV | 79-81=1D,2D,3D,4D,5D 82=IM2COL 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR | UADDR32 UADDR24 UDESC40.76
UTMAPF  15b8 90-99UV | .L2 79-81=1D,2D,3D,4D,5D | UADDR32 UADDR24 UDESC40.76
UTMAPF  15b8 100-UV | .L2 79-81=1D,2D,3D,4D,5D 84=GATHER4 | UADDR32 UADDR24 UDESC40.76
UTMAPF  13b8 100-UV | ?83=1 .L2 79-81=1D,2D,3D,4D,5D 82=IM2COL_W128,IM2COL_W | UADDR32 UADDR24 UR64 UDESC40.76
UTMAPF  13b8 90-UV | .L2 79-81=1D,2D,3D,4D,5D 82=???0,IM2COL | UADDR32 UADDR24 UR64 UDESC40.76
UTMACCTL 19b9 90-UV | 82=IV,PF | UADDR24
UTMACMDFLUSH 9b7 90-UV | |
STAS    1dbd                 90-V | 73-75=*,*,*,*,-,64,128,* 77-80=-,???0.PRIVATE,???0.???1,???0.???1.PRIVATE,???2.PRIVATE,???2.???1,???3.PRIVATE,???2.???3,???3.???4,???0.???2,???2.SYS,???0.???2.PRIVATE,???3.SYS,???0.???3,???0.???3.PRIVATE,???0.???4 | PAIR24.64.40.90 Rb
REDAS   1dbe                 90-V | 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR 73-75=-,S32,64,* 77-80=-,???0.PRIVATE,???0.???1,???0.???1.PRIVATE,???2.PRIVATE,???2.???1,???3.PRIVATE,???2.???3,???3.???4,???0.???2,???2.SYS,???0.???2.PRIVATE,???3.SYS,???0.???3,???0.???3.PRIVATE,???0.???4 | PAIR24.64.40.72 Rb
UCGABAR_ARV 19c7 90-UV | ?72=0 |
UCGABAR_WAIT 1dc7 90-U | |
USETSHMSZ 19c9 90-99UV | 72=FLUSH | I32.20[^FLUSH]
USETMAXREG 19c8                 90-UV | ?72-73=1 .DEALLOC 74=???0,CTAPOOL | I32.10
USETMAXREG 19c8                 90-UV | ?72-73=2 .TRY_ALLOC 74=???0,CTAPOOL | UP81 I32.10
WARPGROUP 9c5                  90-99VWR | ?79-80=0 .ARRIVE | 
WARPGROUP 9c5                  90-99VWR | ?79-80=1 ?116-121=0 .WAIT | 
WARPGROUP 9c5                  90-99VWR | ?79-80=2 ?116-121=0 .DEPBAR 47=???0,LE | GSB84/t I72.3
HGMMA   19f0 90-99VWR | ?73=0 $HSHAPE 75=F16,F32 76-77=-,BF16,TF32,! | Rd GDESC24 Rc UP87~!? GSB84
HGMMA   19f0 90-99VWR | ?73=1 .SP 74=REGOFFSET $HSHAPE_SP 75=F16,F32 76-77=-,BF16,TF32,! | Rd GDESC24 Rc UP87~!? R40 I48.2 GSB84
HGMMA   1df0 90-99VWR | ?73=0 $HSHAPE 75=F16,F32 76-77=-,BF16,TF32,! | Rd A/n GDESC32 Rc UP87~!? GSB84
HGMMA   1df0 90-99VWR | ?73=1 .SP 74=REGOFFSET $HSHAPE_SP 75=F16,F32 76-77=-,BF16,TF32,! | Rd A/n GDESC32 Rc UP87~!? R40 I48.2 GSB84
QGMMA   19f3 90-99VWR | ?73=0 $QSHAPE 75=F16,F32 76=E4M3,E5M2 77=E4M3,E5M2 | Rd GDESC24 Rc UP87~!? GSB84
QGMMA   19f3 90-99VWR | ?73=1 .SP 74=REGOFFSET $QSHAPE_SP 75=F16,F32 76=E4M3,E5M2 77=E4M3,E5M2 | Rd GDESC24 Rc UP87~!? R40 GSB84
QGMMA   1df3 90-99VWR | ?73=0 $QSHAPE 75=F16,F32 76=E4M3,E5M2 77=E4M3,E5M2 | Rd A/n GDESC32 Rc UP87~!? GSB84
QGMMA   1df3 90-99VWR | ?73=1 .SP 74=REGOFFSET $QSHAPE_SP 75=F16,F32 76=E4M3,E5M2 77=E4M3,E5M2 | Rd A/n GDESC32 Rc UP87~!? R40 GSB84
IGMMA   19f1 90-99VWR | ?73=0 $ISHAPE 76-77=U8,S8,INVALID2,* 82-83=U8,S8,INVALID2,* 75=SAT | Rd GDESC24 Rc UP87~!? GSB84
IGMMA   19f1 90-99VWR | ?73=1 .SP 74=REGOFFSET $ISHAPE_SP 76-77=U8,S8,INVALID2,* 82-83=U8,S8,INVALID2,* 75=SAT | Rd GDESC24 Rc UP87~!? R40 I48.2/z GSB84
IGMMA   1df1 90-99VWR | ?73=0 $ISHAPE 76-77=U8,S8,INVALID2,* 82-83=U8,S8,INVALID2,* 75=SAT | Rd A GDESC32 Rc UP87~!? GSB84
IGMMA   1df1 90-99VWR | ?73=1 .SP 74=REGOFFSET $ISHAPE_SP 76-77=U8,S8,INVALID2,* 82-83=U8,S8,INVALID2,* 75=SAT | Rd A GDESC32 Rc UP87~!? R40 I48.2/z GSB84
BGMMA   19f2 90-99VWR | $BSHAPE 77-78=?,?,AND,? 80=???0,POPC | Rd GDESC24 Rc UP87~!? GSB84
BGMMA   1df2 90-99VWR | $BSHAPE 77-78=?,?,AND,? 80=???0,POPC | Rd A GDESC32 Rc UP87~!? GSB84
STSM    844  90-99VW | 75=16,? 78=M88,MT88 72-73=-,2,4,* | MEM24.40/s Rb
STSM    844  100-VW | 75=16,8 78-79=M88,MT88,MT816,* 72-73=-,2,4,* | MEM24.40/s Rb
STSM    1844 90-99VW | 75=16,? 78=M88,MT88 72-73=-,2,4,* | UMEM24.64.40 Rb

# --- tensor memory and the tensor core of sm_100; A of a product is a descriptor or in tensor memory ---
let TCCOPY 83-84+88=128dp256bit,?,4dp256bit,128dp128bit,2x64dp128bit_lw02_lw13,2x64dp128bit_lw01_lw23,4x32dp128bit,*
let TCREPEAT 83-85=x1,x2,x4,x8,x16,x32,x64,x128
let TCFLAGS 85=2CTA 74=ASHIFT 84=A_KEEP 86=A_REUSE
let TCBUFFER .WS 79-80=BUFFER0,BUFFER1,BUFFER2,BUFFER3 81=B_KEEP 82=B_REUSE
UTCHMMA 15ea 19ea 100-119U | ?72-73=0 ?62-63=0 ?83=0 $TCFLAGS | TCA24 GDESC32 TMEM64 TMEM40 IDESC40 UR48/z UP87! I75.4/z
UTCHMMA 15ea 19ea 100-119U | ?72-73=0 ?62-63=0 ?83=1 $TCBUFFER | TCA24 GDESC32 TMEM64 TMEM40 IDESC40 UR48/z UP87!
UTCIMMA 15ea 19ea 100-119U | ?72-73=1 ?62-63=0 ?83=0 $TCFLAGS | TCA24 GDESC32 TMEM64 TMEM40 IDESC40 UR48/z UP87!
UTCIMMA 15ea 19ea 100-119U | ?72-73=1 ?62-63=0 ?83=1 $TCBUFFER | TCA24 GDESC32 TMEM64 TMEM40 IDESC40 UR48/z UP87!
UTCQMMA 15ea 19ea 100-119U | ?72-73=3 ?62-63=0 ?83=0 $TCFLAGS | TCA24 GDESC32 TMEM64 TMEM40 IDESC40 UR48/z UP87!
UTCQMMA 15ea 19ea 100-119U | ?72-73=3 ?62-63=0 ?83=1 $TCBUFFER | TCA24 GDESC32 TMEM64 TMEM40 IDESC40 UR48/z UP87!
UTCQMMA 1dea 1fea 100-119U | ?72-73=3 ?62-63=0 ?83=0 $TCFLAGS | TCA24 GDESC32 TMEM64 TMEM40 IDESC40 TMEM48 UP87!
UTCOMMA 15ea 19ea 100-119U | ?72-73=0 ?63=1 ?83=0 62=4X,- $TCFLAGS | TCA24 GDESC32 TMEM64 TMEM40 IDESC40 TMEM48 UP87!
UTCATOMSWS 15e3 100-119U | .FIND_AND_SET 75=-,ALIGN 85=2CTA | UP81 UR16 UR32
UTCATOMSWS 19e3 100-119U | .AND | UR16 UR32
UTCCP   19e7 100-119U | .T .S 85=2CTA $TCCOPY 80-81=-,U4x16P64,U6x16P32,* | TMEM24.40 GDESC32
UTCSHIFT 19e6 100-119U | ?80=1 85=2CTA .DOWN | TMEM24.40
UTCBAR  13e9 100-119U | 85=2CTA 75=MULTICAST | UADDR24 UR32 UR64[MULTICAST]
LDTM    15ee 103-109V | ?87=0 ?81-82=2 ?80=0 .STAT $TCREPEAT 66-67=MAX,MAXABS,MIN,MINABS 64-65=-,S32,F32,! 68=NAN | R24 Rd TMEM32.40
LDTM    15ee 103-109V | ?87=1 ?82=0 ?80=0 .STAT 81=16dp32bit_t0_t15,16dp32bit_t16_t31 $TCREPEAT 66-67=MAX,MAXABS,MIN,MINABS 64-65=-,S32,F32,! 68=NAN | R24 Rd TMEM32.40
LDTM    19ee 100-119V | ?87=0 81-82=16dp128bit,16dp256bit,-,16dp64bit $TCREPEAT 80=PACK16BIT | Rd TMEM32.40
LDTM    19ee 100-119V | ?87=1 ?82=0 81=16dp32bit_t0_t15,16dp32bit_t16_t31 $TCREPEAT 80=PACK16BIT | Rd TMEM32.40
STTM    19ed 100-119VW | ?87=0 81-82=16dp128bit,16dp256bit,-,16dp64bit $TCREPEAT 80=EXPAND16BIT | TMEM64.40 Rb
STTM    19ed 100-119VW | ?87=1 ?82=0 81=16dp32bit_t0_t15,16dp32bit_t16_t31 $TCREPEAT 80=EXPAND16BIT | TMEM64.40 Rb
UGETNEXTWORKID 13ca 100-U | 72=BROADCAST | UADDR24
UMEMSETS 13cb 100-U | .64 | UADDR24.40 UR32 UR64
UVIRTCOUNT 84c 100-119U | .DEALLOC .SMPOOL | I32.8

RPCMOV  352 952 b52 1b52 1d52 70- | .32 | RPC31 Q/u
RPCMOV  353                  70- | .32 | Rd RPC31
)";

}  // namespace simtlm::sass
