; What each option does, on both targets where that differs.
; RUN: for a in +popcnt -popcnt +lzcnt,+popcnt,-popcnt; do echo "# -mattr=$a"; veridag -mtriple=x86_64-linux-gnu -mattr=$a %s -o - | grep -o POPCNT64rr; done; true
; RUN: for o in -O0 -O1 -O2 -O3 -combiner-disabled; do echo "# $o"; veridag $o -mtriple=x86_64-linux-gnu %s -o - | grep -oE 'IMUL64rri32|SHL64ri'; done
; RUN: for r in static pic; do echo "# -relocation-model=$r"; veridag -relocation-model=$r -mtriple=x86_64-linux-gnu %s -o - | grep -E '^    [%A-Z].*@[ha],' | sed 's/, csr.*//'; done
; What llc is told, and what the files are called that come of it.
; RUN: veridag -llc=echo -O3 -mcpu=haswell -mattr=+bmi -relocation-model=pic -filetype=obj -verify-machineinstrs -mtriple=x86_64-linux-gnu %s -o - | sed 's,/tmp/[^ ]*mir,IN,'
; RUN: veridag -llc=echo -filetype=asm -mtriple=aarch64-linux-gnu %s -o - | sed 's,/tmp/[^ ]*mir,IN,'
; RUN: for f in mir asm obj; do echo "# -filetype=$f"; cp %s %t.ll; veridag -filetype=$f -mtriple=aarch64-linux-gnu %t.ll; rm %t.ll; (cd $(dirname %t) && for x in *; do echo $x; head -c 4 $x | od -An -c; done; rm *); done
; RUN: veridag -filetype=mir -mtriple=aarch64-linux-gnu %s -o %t.one; veridag -mtriple=aarch64-linux-gnu %s -o - | cmp - %t.one && echo the same
; RUN: veridag -verify-dag -verify-machineinstrs -pre-RA-sched=source -stop-after=finalize-isel -mtriple=aarch64-linux-gnu %s -o %t.two; veridag -mtriple=aarch64-linux-gnu %s -o - | cmp - %t.two && echo the same
; A link is written through.
; RUN: for f in mir asm; do ln -s real %t.$f; veridag -filetype=$f -mtriple=aarch64-linux-gnu %s -o %t.$f; test -L %t.$f && head -c 3 $(dirname %t)/real; echo; rm $(dirname %t)/real; done
; One phase's graph, of one function; no output is written.
; RUN: for s in build combine1 legalize-types combine2 legalize-ops combine3 isel; do echo "# -stop-after=$s"; veridag -stop-after=$s -filter-print-funcs=narrow -mtriple=aarch64-linux-gnu %s -o %t | grep -vE '^SelectionDAG|entrytoken|copy|^$'; test ! -e %t; done
; RUN: for d in isel dagcombine legalize-types legalizedag dagcombine,legalizedag; do echo "# -debug-only=$d"; veridag -debug-only=$d -filter-print-funcs=scale -mtriple=x86_64-linux-gnu %s -o /dev/null 2>&1 | grep -E '^Replacing|%bb'; done
; RUN: veridag -print-isel-input -mtriple=x86_64-linux-gnu %s -o /dev/null | sed -n '/scale/,/ret/p'
; RUN: veridag -print-matcher-table -mtriple=aarch64-linux-gnu | grep -E '; aarch64.a64-umull-known|matcher table' | sed -E 's/^ *[0-9]+|[0-9]+ (bytes|patterns|operand)|:[0-9]+$/N \1/g'
; RUN: veridag -time-passes -mtriple=x86_64-linux-gnu %s -o /dev/null 2>&1 | sed -E 's/[0-9]+\.[0-9]+/N/g; s/(most|bytes,) [0-9]+/\1 N/g; s/ +/ /g'
; RUN: veridag -stats -mtriple=x86_64-linux-gnu %s -o /dev/null 2>&1 | grep -E 'mul-pow2|ctpop-swar' | sed 's/:[0-9]*)/)/'
; RUN: veridag -disable-rules=mul-pow2,x86-64.SHL64ri -stats -mtriple=x86_64-linux-gnu %s -o - 2>&1 | grep -oE 'mul-pow2 |x86-64.SHL64ri |IMUL64rri32|SHL64ri'
; The check for cycles has no steps to spend: nothing folds.
; RUN: for n in 8192 1; do echo "# -has-predecessor-max-steps=$n"; veridag -has-predecessor-max-steps=$n -filter-print-funcs=global -stop-after=isel -mtriple=x86_64-linux-gnu %s | grep -oE '= (ADD|MOV)64r[rm]' | sort; done
@g = dso_local global i64 5
declare void @h()
declare i64 @llvm.ctpop.i64(i64)
define i64 @scale(i64 %x) {
  %a = mul i64 %x, 16
  ret i64 %a
}
define i8 @narrow(i8 %x) {
  %a = mul i8 %x, 16
  %b = udiv i8 %a, 32
  ret i8 %b
}
define i64 @count(i64 %x) {
  %p = call i64 @llvm.ctpop.i64(i64 %x)
  ret i64 %p
}
define i64 @global(i64 %x) {
  %v = load i64, ptr @g
  %s = add i64 %v, %x
  call void @h()
  ret i64 %s
}
@a = internal global [100 x i64] zeroinitializer
define ptr @element(i64 %x) {
  call void @h()
  %p = getelementptr i64, ptr @a, i64 %x
  ret ptr %p
}
; EXPECT
;| # -mattr=+popcnt
;| POPCNT64rr
;| # -mattr=-popcnt
;| # -mattr=+lzcnt,+popcnt,-popcnt
;| # -O0
;| IMUL64rri32
;| # -O1
;| SHL64ri
;| # -O2
;| SHL64ri
;| # -O3
;| SHL64ri
;| # -combiner-disabled
;| IMUL64rri32
;| # -relocation-model=static
;|     %p = getelementptr i64, ptr @a, i64 %x
;|     CALL64pcrel32 target-flags(x86-plt) @h
;|     CALL64pcrel32 target-flags(x86-plt) @h
;|     %1:gr64 = LEA64r $noreg, 8, %0, @a, $noreg
;| # -relocation-model=pic
;|     %p = getelementptr i64, ptr @a, i64 %x
;|     CALL64pcrel32 target-flags(x86-plt) @h
;|     CALL64pcrel32 target-flags(x86-plt) @h
;|     %1:gr64 = LEA64r $rip, 1, $noreg, @a, $noreg
;| -x mir -start-before=finalize-isel IN -o - -O3 -filetype=obj -relocation-model=pic -verify-machineinstrs -mattr=+bmi -mcpu=haswell
;| -x mir -start-before=finalize-isel IN -o - -O2 -filetype=asm -relocation-model=static
;| # -filetype=mir
;| out.mir
;|    -   -   -
;| # -filetype=asm
;| out.s
;|   \t   .   f   i
;| # -filetype=obj
;| out.o
;|  177   E   L   F
;| the same
;| the same
;| ---
;|     .f
;| # -stop-after=build
;| Initial selection DAG: %bb.0 'narrow:0'
;|   t3: i8 = trunc t2
;|   t5: i8 = mul t3, constant:i8<16>  [ORD=1]
;|   t7: i8 = udiv t5, constant:i8<32>  [ORD=2]
;|   t8: i32 = anyext t7  [ORD=3]
;|   t10: ch = ret t9, t9:1  [ORD=3]  [root]
;| # -stop-after=combine1
;| Optimized lowered selection DAG: %bb.0 'narrow:0'
;|   t3: i8 = trunc t2
;|   t16: i8 = srl t3, constant:i8<1>  [ORD=2]  [rule srl-shl-right]
;|   t18: i8 = and t16, constant:i8<7>  [ORD=2]  [rule srl-shl-right]
;|   t8: i32 = anyext t18  [ORD=3]
;|   t10: ch = ret t9, t9:1  [ORD=3]  [root]
;| # -stop-after=legalize-types
;| Type-legalized selection DAG: %bb.0 'narrow:0'
;|   t21: i32 = and t2, constant:i32<255>  [ORD=2]
;|   t22: i32 = srl t21, constant:i32<1>  [ORD=2]
;|   t24: i32 = and t22, constant:i32<7>  [ORD=2]
;|   t10: ch = ret t9, t9:1  [ORD=3]  [root]
;| # -stop-after=combine2
;| Optimized type-legalized selection DAG: %bb.0 'narrow:0'
;|   t22: i32 = srl t2, constant:i32<1>  [ORD=2]
;|   t24: i32 = and t22, constant:i32<7>  [ORD=2]
;|   t10: ch = ret t9, t9:1  [ORD=3]  [root]
;| # -stop-after=legalize-ops
;| Legalized selection DAG: %bb.0 'narrow:0'
;|   t22: i32 = srl t2, constant:i32<1>  [ORD=2]
;|   t24: i32 = and t22, constant:i32<7>  [ORD=2]
;|   t10: ch = ret t9, t9:1  [ORD=3]  [root]
;| # -stop-after=combine3
;| Optimized legalized selection DAG: %bb.0 'narrow:0'
;|   t22: i32 = srl t2, constant:i32<1>  [ORD=2]
;|   t24: i32 = and t22, constant:i32<7>  [ORD=2]
;|   t10: ch = ret t9, t9:1  [ORD=3]  [root]
;| # -stop-after=isel
;| Selected selection DAG: %bb.0 'narrow:0'
;|   t27: i32 = UBFMWri t2, targetconstant:i32<1>, targetconstant:i32<3>  [ORD=2]  [rule aarch64.a64-W-srl-and]
;|   t10: ch = ret t9, t9:1  [ORD=3]  [root]
;| # -debug-only=isel
;| Initial selection DAG: %bb.0 'scale:0'
;| Optimized lowered selection DAG: %bb.0 'scale:0'
;| Type-legalized selection DAG: %bb.0 'scale:0'
;| Optimized type-legalized selection DAG: %bb.0 'scale:0'
;| Legalized selection DAG: %bb.0 'scale:0'
;| Optimized legalized selection DAG: %bb.0 'scale:0'
;| Selected selection DAG: %bb.0 'scale:0'
;| # -debug-only=dagcombine
;| Replacing.1 t4: i64 = mul t2, constant:i64<16>  [ORD=1]  [rule mul-pow2 at selector/combine/mul.isel:8]
;| Optimized lowered selection DAG: %bb.0 'scale:0'
;| Optimized type-legalized selection DAG: %bb.0 'scale:0'
;| Optimized legalized selection DAG: %bb.0 'scale:0'
;| # -debug-only=legalize-types
;| Type-legalized selection DAG: %bb.0 'scale:0'
;| # -debug-only=legalizedag
;| Legalized selection DAG: %bb.0 'scale:0'
;| # -debug-only=dagcombine,legalizedag
;| Replacing.1 t4: i64 = mul t2, constant:i64<16>  [ORD=1]  [rule mul-pow2 at selector/combine/mul.isel:8]
;| Optimized lowered selection DAG: %bb.0 'scale:0'
;| Optimized type-legalized selection DAG: %bb.0 'scale:0'
;| Legalized selection DAG: %bb.0 'scale:0'
;| Optimized legalized selection DAG: %bb.0 'scale:0'
;| function scale(v1:i64) -> i64
;| b0:
;|   v2:i64 = mul v1, 16
;|   ret v2
;| N   (select a64-umull-known "both factors fit in 32 bits" (mul:i64 a b) => (UMADDLrrr (EXTRACT_SUBREG a sub_32) (EXTRACT_SUBREG b sub_32) xzr) (when (known-zero (bvand a 0xffffffff00000000)) (known-zero (bvand b 0xffffffff00000000))))  ; aarch64.a64-umull-known targets/aarch64/mul.iselN
;| ; matcher table of aarch64: N bytes, N patterns in N operand orders
;| ===-------------------------------------------------------------------------===
;|  Instruction Selection and Scheduling
;| ===-------------------------------------------------------------------------===
;|  Total Execution Time: N seconds
;|
;|  ---User Time--- --- Name ---
;|  N ( N%) DAG Building
;|  N ( N%) DAG Combining 1
;|  N ( N%) Type Legalization
;|  N ( N%) DAG Combining after legalize types
;|  N ( N%) Vector Legalization
;|  N ( N%) DAG Legalization
;|  N ( N%) DAG Combining 2
;|  N ( N%) Instruction Selection
;|  N ( N%) Instruction Scheduling
;|  N ( N%) Instruction Creation
;|  N ( N%) Instruction Scheduling Cleanup
;|  N (N%) Total
;|
;|  arenas at most N bytes, N selected nodes
;|        2 mul-pow2 (selector/combine/mul.isel)
;|        1 ctpop-swar (selector/legalize/expand.isel)
;| IMUL64rri32
;| IMUL64rri32
;| # -has-predecessor-max-steps=8192
;| = ADD64rm
;| # -has-predecessor-max-steps=1
;| = ADD64rr
;| = MOV64rm
