// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/encodings.h"

namespace simtlm::sass {

// One line a form:
//
//   NAME  KEYS  ARCHITECTURES | FIELDS | OPERANDS
//
// KEYS           bits 11:0 and, as bit 12, bit 91 of the instruction; hexadecimal
// ARCHITECTURES  sm numbers: 70-75, 80- (and later); U behind them: an instruction of the uniform
//                datapath, whose registers and predicates are UR and UP
// FIELDS         ?BITS=N: the form is this one where the bits have that value. Then
//                modifiers in the order of the mnemonic. BITS=NAME: a flag. BITS=A,B,C..: names by
//                value; "-" has no name, "A.B" is two modifiers. BITS: 80, 78-79, or ranges joined
//                by +, the low bits first
// OPERANDS       in order:
//   Rn URn       register at bit n; Rd Ra Rb Rc: 16, 24, 32, 64
//   A            source register at bit 24
//   Q            source at bit 32 in the form that bits 11:9 and 91 choose: register, immediate,
//                constant or uniform register
//   B C          of two sources, at bit 64 and Q, in the order that bits 11:9 choose
//                ~ counts from PT down
//                /n -x, /a |x|, /i ~x, at the bits where such a source has them; the type of an
//                immediate: /s signed, /u unsigned, /f f32, /d f64, /h two halves; /x: halves of
//                a packed source are chosen; /g: of F16 either half
//   Pn UPn       predicate at bit n; ! behind it: bit n+3 negates it
//   In.w Sn.w    number of w bits at bit n, unsigned or signed
//   ?            behind an operand: left out where it is PT; [X]: there where modifier X is,
//                [^X]: where it is not
//   others       see the switch in encoding_table.cpp
//
// Derived by changing bits of known instructions and reading what a disassembler makes of them.
const std::string_view encoding_text = R"(
let ORDER_LOAD 77-80=-,CONSTANT.PRIVATE,CONSTANT.CTA,CONSTANT.CTA.PRIVATE,CONSTANT,STRONG.SM,STRONG.GPU.PRIVATE,STRONG.GPU,MMIO.GPU,CONSTANT.SM,STRONG.SYS,CONSTANT.SM.PRIVATE,MMIO.SYS,CONSTANT.VC,CONSTANT.VC.PRIVATE,CONSTANT.GPU
let ORDER 77-80=-,CONSTANT.PRIVATE,CONSTANT.CTA,CONSTANT.CTA.PRIVATE,STRONG.SM.PRIVATE,STRONG.SM,STRONG.GPU.PRIVATE,STRONG.GPU,MMIO.GPU,CONSTANT.SM,STRONG.SYS,CONSTANT.SM.PRIVATE,MMIO.SYS,CONSTANT.VC,CONSTANT.VC.PRIVATE,CONSTANT.GPU
let FTYPE 73-76=F16x2.RN,F16x4.RN,F16x8.RN,BF16x2.RN,BF16x4.RN,BF16x8.RN,*,*,*,F32.FTZ.RN,F32x2.FTZ.RN,F32x4.FTZ.RN,F32.RN,F32x2.RN,F32x4.RN,F64.RN
let BARMODE 77-79+74-75=SYNC,ARV,RED.POPC,SCAN,SYNCALL,*,*,*,SYNC,ARV,RED.AND,SCAN,SYNCALL,*,*,*,SYNC,ARV,RED.OR,SCAN,SYNCALL,*,*,*

# --- integer arithmetic ---
IADD3   210 810 a10 1a10 1c10      70-  | 74=X | Rd P81? P84? A/m Q/ms C/m P87![X] P77![X]
IMAD    224 424 624 824 a24 1624 1a24 1c24 1e24 70-  | 73=U32,- 74=X | Rd A B/s C/ms P87![X]
IMAD    225 425 625 825 a25 1625 1a25 1c25 1e25 70-  | .WIDE 73=U32,- 74=X | Rd P81? A B/s C/ms P87![X]
IMAD    227 427 627 827 a27 1627 1a27 1c27 1e27 70-  | .HI 73=U32,- 74=X | Rd P81? A B/s C/ms P87![X]
IABS    213 813 a13 1a13 1c13      70-  | | Rd Q/s
IMNMX   217 817 a17 1a17 1c17      70-89 | 73=U32,- | Rd A Q/s P87!
LEA     211 811 a11 1a11 1c11  70-  | 80=HI 74=X 73=SX32 | Rd P81? A/m Q/mu R64[HI^SX32] I75.5 P87![X]
LEA     411                        70-  | 80=HI 74=X 73=SX32 | Rd P81? A/m Rc Q/u[HI^SX32] I75.5 P87![X]
IDP     226 826 a26 1a26 1c26      70-  | 76-77+73=4A.U8,2A.LO.U16,*,2A.HI.U16,4A.S8,2A.LO.S16,*,2A.HI.S16 74=U8,S8 | Rd A Q/u C/n
SGXT    21a 81a a1a 1a1a 1c1a      70-  | 75=W 73=U32,- | Rd A Q/s
BMSK    21b 81b a1b 1a1b 1c1b      70-  | 75=W | Rd A Q/s
VIADD   236 836 a36 1c36           90-  | 73=-,16x2 | Rd A/n Q/nu
VIMNMX  248 848 a48 1c48           90-  | 72-73=U32,-,U16x2,S16x2 76=RELU | Rd A Q/s P87!
VIADDMNMX 246 446 646 846 a46 1c46 1e46 90- | 72-73=U32,-,U16x2,S16x2 76=RELU | Rd A B/nu C/u P87!
VIMNMX3 20f 40f 60f 80f a0f 1c0f 1e0f 90- | 72-73=U32,-,U16x2,S16x2 76=RELU | Rd A B/nu C/u P87!
VABSDIFF 214 414 814 a14 1a14 1c14 70-  | 73=U32,- | Rd P81? A B/s C/s
VABSDIFF4 215 415 815 a15 1a15 1c15 70- | 73=U8,S8 75=ACC | Rd P81? A B/s C/s
I2I     238 838 a38 1a38 1c38      75-  | 73=U8,S8 | Rd Q/s
I2IP    239 839 a39 1a39 1c39      75-  | 75-76=U8,S8,U16,S16 73=U32,S32 74=SAT | Rd A Q/s C

# --- integer comparison, logic, shifts, bytes ---
ISETP   20c 80c a0c 1a0c 1c0c      70-  | 76-78=F,LT,EQ,LE,GT,NE,GE,T 73=U32,- 74-75=AND,OR,XOR 72=EX | P81 P84 A Q/s P87! P68!?EX
LOP3    212 812 a12 1a12 1c12      70-  | .LUT 80=PAND | P81? Rd A Q/u C I72.8 P87!
PLOP3   81c                        70-  | .LUT | P81 P84 P87! P77! P68!/w LUT64 I16.8
SHF     219 419 619 819 a19 1619 1a19 1c19 1e19 70- | 76=L,R 75=W 73-74=S64,U64,S32,U32 80=HI | Rd A B/u C
PRMT    216 416 616 816 a16 1616 1a16 1c16 1e16 70- | 72-74=-,F4E,B4E,RC8,ECL,ECR,RC16 | Rd A B/u C
SEL     207 807 a07 1a07 1c07      70-  | | Rd A Q/u P87!
MOV     202 802 a02 1a02 1c02      70-  | | Rd Q/u MOVMASK72
POPC    309 909 b09 1b09 1d09      70-  | | Rd Q/iu
FLO     300 900 b00 1b00 1d00      70-  | 73=U32,- 74=SH | Rd P81? Q/iu
BREV    301 901 b01 1b01 1d01      70-  | | Rd Q/u
P2R     803                        70-  | | Rd/b PR A S32.32
R2P     804                        70-  | | PR A/b I32.32
P2R     203 a03 1c03               70-  | | Rd/b PR A Q
R2P     204 a04 1c04               70-  | | PR A/b Q

# --- single precision ---
FADD    221 421 621 1621 1e21      70-  | 80=FTZ 78-79=-,RM,RP,RZ 77=SAT | Rd A/na D/naf
FMUL    220 820 a20 1a20 1c20      70-  | 76+80=-,FMZ,FTZ,INVALID3 84-86=INVALID0,D8,D4,D2,-,M2,M4,M8 78-79=-,RM,RP,RZ 77=SAT | Rd A/na Q/naf
FFMA    223 423 623 823 a23 1623 1a23 1c23 1e23 70- | 76+80=-,FMZ,FTZ,INVALID3 78-79=-,RM,RP,RZ 77=SAT | Rd A/na B/naf C/naf
FMNMX   209 809 a09 1a09 1c09      70-  | 80=FTZ | Rd A/na Q/naf P87!
FSEL    208 808 a08 1a08 1c08      70-  | 80=FTZ | Rd A/na Q/naf P87!
FSETP   20b 80b a0b 1a0b 1c0b      70-  | 76-79=F,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,T 80=FTZ 74-75=AND,OR,XOR | P81 P84 A/na Q/naf P87!
FSET    20a 80a a0a 1a0a 1c0a      70-  | 71=BF 76-79=F,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,T 80=FTZ 74-75=AND,OR,XOR | Rd A/na Q/naf P87!
FCHK    302 902 b02 1b02 1d02      70-  | | P81 A/na Q/naf
MUFU    308 908 b08 1b08 1d08      70-  | 74-77=COS,SIN,EX2,LG2,RCP,RSQ,RCP64H,RSQ64H,SQRT,TANH 73=F16 | Rd Q/nao
FSWZADD 822                        70-  | 80=FTZ 78-79=-,RM,RP,RZ 77=NDV | Rd A C SWZ32

# --- tensor products and transposition ---
HMMA    23c                        75-79 | ?82-83=0 75+78=1688,16816,1684,INVALID3 76=F16,F32 77=SATFINITE | Rd A/n Rb Rc
HMMA    23c                        80-  | ?73=0 ?82-83=0 75+78=1688,16816,1684,INVALID3 76=F16,F32 77=SATFINITE | Rd A/n Rb Rc
HMMA    23c                        80-  | ?73=0 75+78=1688,16816,1684,INVALID3 76=F16,F32 82-83=-,BF16,TF32,INVALID3 | Rd A/n Rb Rc
IMMA    237                        75-  | ?72=0 75+85-86=8816,INVALID1,8832,INVALID3,16816,16832,16864,INVALID7 76+83=U8,S8,U4,S4 78+84=U8,S8,U4,S4 82=SAT | Rd A/r Rb/r Rc
BMMA    23d                        75-  | ?80-80=1 75-76=88128,168128,168256,INVALID3 78=XOR,AND .POPC | Rd A/r Rb/r Rc
MOVM    23a                        75-  | ?75-75=0 .16 78-79=MT88,M832,M864,INVALID3 | Rd A
DMMA    23f                        80-89 | .884 78-79=-,RM,RP,RZ | Rd A/na Rb/na C/na
DMMA    23f                        90-  | .8x8x4 78-79=-,RM,RP,RZ | Rd A/na Rb/na C/na

# --- double precision ---
DADD    229 429 629 1629 1e29      70-  | 78-79=-,RM,RP,RZ | Rd A/na C/nad
DMUL    228 828 a28 1a28 1c28      70-  | 78-79=-,RM,RP,RZ | Rd A/na Q/nad
DFMA    22b 42b 62b 82b a2b 162b 1a2b 1c2b 1e2b 70- | 78-79=-,RM,RP,RZ | Rd A/na B/nad C/nad
DSETP   22a 42a 62a 162a 1e2a      70-  | 76-79=MIN,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,MAX 74-75=AND,OR,XOR | P81 P84 A/na D/nad P87!

# --- half precision ---
HADD2   230 430 630 1630 1e30      70-  | 85=BF16_V2 78=F32 80=FTZ 77=SAT | Rd A/nax D/nahx
HMUL2   232 832 a32 1a32 1c32      70-  | 85=BF16_V2 78=F32 76+80=-,FMZ,FTZ,INVALID3 77=SAT | Rd A/nax Q/nahx
HFMA2   231 431 631 831 a31 1631 1a31 1c31 1e31 70- | 85=BF16_V2 78=F32 76+80=-,FMZ,FTZ,INVALID3 77=SAT 79=RELU | Rd A/nax B/nahx C/nahx
HFMA2   235 435 635 835 a35 1c35 1e35 80-  | .MMA 85=BF16_V2 76+80=-,FMZ,FTZ,INVALID3 77=SAT 79=RELU | Rd A/nax B/nahx C/nahx
HMNMX2  240 840 a40 1c40           80-  | 85=BF16_V2 78=F32 80=FTZ 81=NAN | Rd A/nax Q/nahx P87!
HSETP2  234 434 634 1634 1e34      70-89 | 76-79=F,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,T 80=FTZ 71=H_AND 69-70=AND,OR,XOR | P81 P84 A/nax Q/nahx P87!
HSETP2  234 434 634 1634 1e34      90-  | 64-65=-,INVALID1,BF16_V2,INVALID3 76-79=F,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,T 80=FTZ 71=H_AND 69-70=AND,OR,XOR | P81 P84 A/nax Q/nahx P87!
HSET2   233 433 633 1633 1e33      70-  | 71=BF 85=BF16_V2 76-79=F,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,T 80=FTZ 69-70=AND,OR,XOR | Rd A/nax Q/nahx P87!

# --- conversions ---
F2F     304 904 b04 1b04 1d04      70-  | 80=FTZ 75-76=BF16,F16,F32,F64 84-85=BF16,F16,F32,F64 78-79=-,RM,RP,RZ | Rd Q/naf
F2F     310 910 b10 1b10 1d10      70-  | 80=FTZ 75-76=BF16,F16,F32,F64 84-85=BF16,F16,F32,F64 78-79=-,RM,RP,RZ | Rd Q/naf
F2I     305 905 b05 1b05 1d05      70-  | 80=FTZ 72+75-76=U8,S8,U16,S16,U32,-,U64,S64 84-85=F8,F16,-,F64 78-79=-,FLOOR,CEIL,TRUNC 77=NTZ | Rd Q/nafg
F2I     311 911 b11 1b11 1d11      70-  | 80=FTZ 72+75-76=U8,S8,U16,S16,U32,-,U64,S64 84-85=F8,F16,-,F64 78-79=-,FLOOR,CEIL,TRUNC 77=NTZ | Rd Q/nafg
I2F     306 906 b06 1b06 1d06      70-  | 75-76=F8,F16,-,F64 74+84-85=U8,S8,U16,S16,U32,-,U64,S64 78-79=-,RM,RP,RZ | Rd Q/sp
I2F     312 912 b12 1b12 1d12      70-  | 75-76=F8,F16,-,F64 74+84-85=U8,S8,U16,S16,U32,-,U64,S64 78-79=-,RM,RP,RZ | Rd Q/sp
I2FP    245 845 a45 1c45           86-  | 75-77=INVALID0,INVALID1,F32 74=U32,S32 78-79=-,INVALID1,INVALID2,RZ | Rd Q/s
FRND    307 907 b07 1b07 1d07      70-  | 80=FTZ 75-76=F8,F16,-,F64 78-79=-,FLOOR,CEIL,TRUNC | Rd Q/nafg
FRND    313 913 b13 1b13 1d13      70-  | 80=FTZ 75-76=F8,F16,-,F64 78-79=-,FLOOR,CEIL,TRUNC | Rd Q/nafg
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e   80-87 | 77=SATFINITE 75=RELU 76=-,BF16 78=PACK_AB,MERGE_C 79-80=-,RM,RP,RZ | Rd A/na[PACK_AB] B/naf C[MERGE_C]
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e   89-  | ?73-74=0 77=SATFINITE 75=RELU 76=F16.F32,BF16.F32 78=PACK_AB,MERGE_C 79-80=-,RM,RP,RZ | Rd A/na[PACK_AB] B/naf C[MERGE_C]
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e   89-  | ?74=1 77=SATFINITE 75=RELU 76+86=F16,BF16,E5M2 73=E5M2,E4M3 .UNPACK_B 79-80=-,RM,RP,RZ | Rd B/e
F2FP    23e 43e 63e 83e a3e 163e 1a3e 1c3e 1e3e   89-  | ?73-74=1 77=SATFINITE 75=RELU 76+87=F16,BF16,E5M2,E4M3 .F16 .UNPACK_B_MERGE_C 79-80=-,RM,RP,RZ | Rd B C

# --- warp-wide, predicates, special registers ---
SHFL    389 589 989 f89 b89        70-  | 58-59=IDX,UP,DOWN,BFLY | P81 Rd A LANE MASK
VOTE    806                        70-  | 72-73=ALL,ANY,EQ | Rd/z P81 P87!
VOTEU   886                        75-  | 72-73=ALL,ANY,EQ | UR16/z UP81 P87!
MATCH   3a1                        70-  | 79=ALL,ANY 73=-,U64 | P81[ALL] Rd A
REDUX   3c4                        80-  | 78-80=-,OR,XOR,SUM,MIN,MAX 73=-,S32 | UR16 A
S2R     919                        70-  | | Rd SR72
S2UR    9c3                        75-  | | UR16 SR72
CS2R    805                        70-  | 80=32,- | Rd SR72
B2R     31c                        70-  | 78=RESULT | Rd BARS
R2UR    3c2                        75-89 | 84=OR | P81?[^OR] P81[OR] UR16 A
R2UR    2ca                        90-  | 84=OR | P81?[^OR] P81[OR] UR16 A
NOP     918                        70-  | |
NANOSLEEP 35d 95d b5d 1b5d 1d5d    70-  | 85=WARP | P87!? Q/u
QSPC    3aa                        70-  | 72=E 73-74=G,L,S | P81 Rd MEM24.40

# --- uniform datapath ---
UIADD3  1290 1890                  75-U | 74=X | Rd P81? P84? A/m Q/ms C/m P87![X] P77![X]
UIMAD   12a4 14a4 18a4             75-U | 73=U32,- 74=X | Rd A B/s C/ms P87![X]
UIMAD   12a5 14a5 18a5             75-U | .WIDE 73=U32,- 74=X | Rd P81? A B/s C/ms P87![X]
UIMAD   12a7 14a7 18a7             75-U | .HI 73=U32,- 74=X | Rd P81? A B/s C/ms P87![X]
UISETP  128c 188c                  75-U | 76-78=F,LT,EQ,LE,GT,NE,GE,T 73=U32,- 74-75=AND,OR,XOR 72=EX | P81 P84 A Q/s P87! P68!?EX
ULEA    1291 1491 1891             75-U | 80=HI 74=X 73=SX32 | Rd P81? A/m Q/mu R64[HI^SX32] I75.5 P87![X]
ULOP3   1292 1892                  75-U | .LUT 80=PAND | P81? Rd A Q/u C I72.8 P87!
UPLOP3  89c                        75-U | .LUT | P81 P84 P87! P77! P68! LUT64 I16.8
UMOV    882 1c82                   75-U | | Rd Q/u
UPRMT   1296 1496 1896             75-U | | Rd A B/u C
USEL    1287 1887                  75-U | | Rd A Q/u P87!
USHF    1299 1499 1899             75-U | 76=L,R 75=W 73-74=S64,U64,S32,U32 80=HI | Rd A B/u C
USGXT   129a 189a                  75-U | 75=W 73=U32,- | Rd A Q/s
UBMSK   129b 189b                  75-U | 75=W | Rd A Q/s
UBREV   12be 18be                  75-U | | Rd Q/u
UFLO    12bd 18bd                  75-U | 73=U32,- 74=SH | Rd P81? Q/iu
UPOPC   12bf 18bf                  75-U | | Rd Q/iu
UP2UR   1883 1c83                  75-U | | Rd/b UPR A Q/s
UR2UP   1884 1c84                  75-U | | UPR A/b Q/u

# --- constant, local, shared memory ---
LDC     b82                        70-  | 73-75=U8,S8,U16,S16,-,64 78-79=-,IL,IS,ISL | Rd LDC24
ULDC    ab9                        75-U | 73-75=U8,S8,U16,S16,-,64 | Rd K40
LDL     983                        70-  | 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 | Rd MEM24.40
LDL     1983                       75-  | 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 | Rd UMEM24.32.40
STL     387                        70-  | 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 | MEM24.40 Rb
STL     1987                       75-  | 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 | UMEM24.64.40 Rb
LDS     984                        70-  | 76=-,U 73-75=U8,S8,U16,S16,-,64,128 87=ZD | Rd XMEM24.40
LDS     1984                       75-  | 76=-,U 73-75=U8,S8,U16,S16,-,64,128 87=ZD | Rd XUMEM24.32.40
STS     388                        70-  | 73-75=U8,S8,U16,S16,-,64,128 | XMEM24.40 Rb
STS     1988                       75-  | 73-75=U8,S8,U16,S16,-,64,128 | XUMEM24.64.40 Rb
ATOMS   38c                        70-  | 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH 73-74=-,S32,64 | Rd XMEM24.40 Rb
ATOMS   198c                       75-  | 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH 73-74=-,S32,64 | Rd XUMEM24.64.40 Rb
ATOMS   1f8c                       75-  | 87-90=*,*,*,*,*,*,*,*,*,ARRIVE,POPC.INC,POPC.INC 73-74=32,*,*,* | Rd XUMEM24.64.40
ATOMS   38d                        70-  | 87-88=CAS,CAST,CAS,CAST.SPIN 73-74=-,S32,64 | Rd XMEM24.40 Rb Rc
LDSM    83b                        75-  | .16 78=M88,MT88 72-73=-,2,4 | Rd MEM24.40

# --- global and generic memory: Volta, and Turing without uniform registers ---
LDG     381  70-79 | 87=ZD 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128,U.128 68-69=-,LTC64B,LTC128B 79-80=CONSTANT,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE | P81?[^ZD] P81[ZD] Rd MEM24.40 P64~!?
LD      980  70-79 | 87=ZD 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128,U.128 68-69=-,LTC64B,LTC128B 79-80=CONSTANT,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE | P81[ZD] Rd MEM24.32 P64~!?
STG     386  70-79 | 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 79-80=INVALID0,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE | MEM24.40 Rb
ST      385  70-79 | 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 79-80=INVALID0,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE | MEM24.32 Rc
ATOMG   3a8  70-79 | 72=E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH,SAFEADD 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN 79-80=INVALID0,-,STRONG,INVALID3 77-78=CTA,SM,GPU,SYS 76=PRIVATE | P81 Rd MEM24.40 Rb
ATOM    38a  70-79 | 72=E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH,SAFEADD 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN 79-80=INVALID0,-,STRONG,INVALID3 77-78=CTA,SM,GPU,SYS 76=PRIVATE | P81 Rd MEM24.40 Rb
ATOMG   3a9  70-79 | 72=E .CAS 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64 79-80=INVALID0,-,STRONG,INVALID3 77-78=CTA,SM,GPU,SYS 76=PRIVATE | P81 Rd MEM24.40 Rb Rc
ATOM    38b  70-79 | 72=E 87=CAS,CAST 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64 79-80=INVALID0,-,STRONG,INVALID3 77-78=CTA,SM,GPU,SYS 76=PRIVATE | P81 Rd MEM24.40 Rb Rc
RED     98e  70-79 | 72=E 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN 79-80=INVALID0,-,STRONG,INVALID3 77-78=CTA,SM,GPU,SYS 76=PRIVATE | MEM24.40 Rb

# --- the same with a uniform register, Turing ---
LDG     1981 75-79 | 87=ZD 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128,U.128 68-69=-,LTC64B,LTC128B 79-80=CONSTANT,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE | P81?[^ZD] P81[ZD] Rd GMEM24.32.40 P64~!?
LD      1980 75-79 | 87=ZD 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128,U.128 68-69=-,LTC64B,LTC128B 79-80=CONSTANT,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE | P81[ZD] Rd GMEM24.32.40 P64~!?
STG     1986 75-79 | 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 79-80=INVALID0,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE | GMEM24.64.40 Rb
ST      1985 75-79 | 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 79-80=INVALID0,-,STRONG,MMIO 77-78=CTA,SM,GPU,SYS 76=PRIVATE | GMEM24.64.40 Rb
ATOMG   19a8 75-79 | 72=E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH,SAFEADD 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN 79-80=INVALID0,-,STRONG,INVALID3 77-78=CTA,SM,GPU,SYS 76=PRIVATE | P81 Rd GMEM24.64.40 Rb
RED     198e 75-79 | 72=E 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN 79-80=INVALID0,-,STRONG,INVALID3 77-78=CTA,SM,GPU,SYS 76=PRIVATE | GMEM24.64.40 Rb

# --- global and generic memory: Ampere and later ---
LDG     381  80-   | 72=E 84-86=EF,-,EL,LU,EU,NA 68-69=-,LTC64B,LTC128B 73-75=U8,S8,U16,S16,-,64,128 $ORDER_LOAD | P81? Rd MEM24.40 P64~!?
LDG     1981 80-   | 72=E 84-86=EF,-,EL,LU,EU,NA 68-69=-,LTC64B,LTC128B 73-75=U8,S8,U16,S16,-,64,128 $ORDER_LOAD | P81? Rd DMEM24.32.40.76 P64~!?
LD      1980 80-   | 72=E 84-86=EF,-,EL,LU,EU,NA 68-69=-,LTC64B,LTC128B 73-75=U8,S8,U16,S16,-,64,128 $ORDER_LOAD | Rd DMEM24.32.40.76 P64~!?
STG     1986 80-   | 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 $ORDER | DMEM24.64.40.76 Rb
ST      1985 80-   | 72=E 84-86=EF,-,EL,LU,EU,NA 73-75=U8,S8,U16,S16,-,64,128 $ORDER | DMEM24.64.40.76 Rb
ATOMG   19a8 80-   | 72=E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH,SAFEADD 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN $ORDER | P81 Rd DMEM24.64.40.71.70 Rb
ATOM    198a 80-   | 72=E 87-90=ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH,SAFEADD 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN $ORDER | P81 Rd DMEM24.64.40.71.70 Rb
ATOMG   19a3 90-   | 72=E 87+88=ADD,MIN,MAX 84-86=EF,-,EL,LU,EU,NA $FTYPE $ORDER | P81 Rd DMEM24.64.40.71.70 Rb
ATOM    19a2 90-   | 72=E 87+88=ADD,MIN,MAX 84-86=EF,-,EL,LU,EU,NA $FTYPE $ORDER | P81 Rd DMEM24.64.40.71.70 Rb
ATOMG   3a9  80-   | 72=E .CAS 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,128 $ORDER | P81 Rd MEM24.40 Rb Rc
ATOM    38b  80-   | 72=E 87=CAS,CAST 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,128 $ORDER | P81 Rd MEM24.40 Rb Rc
RED     198e 80-89 | 72=E 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR 84-86=EF,-,EL,LU,EU,NA 73-76=-,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN $ORDER | DMEM24.64.40.71 Rb
REDG    198e 90-   | 72=E 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR 84-86=EF,-,EL,LU,EU,NA 73-75=-,S32,64,INVALID3,INVALID4,S64 $ORDER | DMEM24.64.40.71 Rb
REDG    19a6 90-   | 72=E 88-89=ADD,MIN,MAX 84-86=EF,-,EL,LU,EU,NA $FTYPE $ORDER | DMEM24.64.40.71 Rb
LDGSTS  1fae 80-   | .E 81=BYPASS,- 84-86=EF,-,EL,LU,EU,NA 71-72=-,LTC64B,LTC128B 73-75=INVALID0,INVALID1,INVALID2,INVALID3,-,64,128 $ORDER_LOAD 82=ZFILL | COPYTO DMEM24.64.32.76.70 P87!?
LDGMC   19a4 90-   | 72=E 87-89=ADD,MIN,MAX,INC,DEC,AND,OR,XOR 73-75=32,S32,64,S64 $ORDER | Rd DMEM24.64.40.71.70
LDGMC   19a5 90-   | 72=E 88-89=ADD,MIN,MAX $FTYPE $ORDER | Rd DMEM24.64.40.71.70
LDGDEPBAR 9af 80-  | |
CCTL    98f  70-   | 72=E 87-90=PF1,PF2,WB,IV,IVALL,RS,IVALLP,WBALL,WBALLP | CCTLADDR
MEMBAR  992  70-79 | 79-80=SC,ALL,-,INVALID3 76-78=CTA,SM,GPU,SYS,INVALID4,VC |
MEMBAR  992  80-   | 79-80=SC,ALL,-,MMIO 76-78=CTA,SM,GPU,SYS,INVALID4,VC | 
ERRBAR  9ab  70-   | |

# --- control flow ---
BRA     947  70-   | 32-33=-,U,DIV,CONV 85-86=-,INC,DEC | P87!? T34
BRA     1947 80-   | 85-86=-,INC,DEC 32-33=INVALID0,U,DIV,CONV | P87!? UR24/i30 T34
BRX     949  70-   | 85-86=-,INC,DEC | P87!? RT24
BRXU    1958 75-   | | P87!? URT24
JMP     94a  70-   | | P87!? TA34
EXIT    94d  70-   | 84-85=-,KEEPREFCOUNT,PREEMPTED,INVALID3 86=NO_ATEXIT | P87!?
BSSY    945  70-   | | P87!? CB16 TB34
BSYNC   941  70-   | | P87!? CB16
BREAK   942  70-   | | P87!? CB16
BMOV    355  70-   | .32 84=CLEAR | Rd BREG24
BMOV    356  70-   | .32 | BREG24 Rb
BMOV    357 957 b57 1d57 70- | .64 | BREG24 Rb
WARPSYNC 348 70-79  | | P87!? Rb
WARPSYNC 348 80-89  | 86=EXCLUSIVE | P87!? Rb
WARPSYNC 348 90-    | 85=EXCLUSIVE 86=COLLECTIVE | P87!? Ra T34[COLLECTIVE]
WARPSYNC 948 70-89  | | P87!? I32.32
WARPSYNC 948 90-    | 86=COLLECTIVE .ALL | P87!? T34[COLLECTIVE]
YIELD   946  70-   | | P87!?
CALL    943  70-   | .ABS 86=-,NOINC | P87!? TA32
CALL    944  70-   | .REL 86=-,NOINC | P87!? T34
CALL    343  70-   | .ABS 86=-,NOINC | P87!? RA24
CALL    344  70-   | .REL 86=-,NOINC | P87!? RT24
RET     950  70-   | 85=REL,ABS 86=NODEC | P87!? RT24
LEPC    34e                        70-  | | Rd
LEPC    94e                        90-  | | Rd T34
BPT     95c  70-   | 84-86=INVALID0,DRAIN,PAUSE,TRAP,INT | I34.20
BAR     b1d  70-   | $BARMODE 80=DEFER_BLOCKING | BARQ
BAR     31d  70-   | $BARMODE 80=DEFER_BLOCKING | BARQ
BAR     51d  70-   | $BARMODE 80=DEFER_BLOCKING | BARQ
BAR     91d  70-   | $BARMODE 80=DEFER_BLOCKING | BARQ
DEPBAR  91a  70-   | 47=LE | SB44[LE] I38.6[LE] SBM32
ENDCOLLECTIVE 91b 90- | | P87!?
CGAERRBAR 5ab 90- | |
)";

}  // namespace simtlm::sass
