; Poison is an undefined register, a new one at each use; undef, and what a freeze makes of poison, is 0.
; RUN: for t in x86_64 aarch64; do for o in -O0 -O2; do echo "# $t $o"; veridag $o -mtriple=$t-linux-gnu -verify-machineinstrs %s -o - | sed -nE '/^\.\.\./,$p' | grep -E '^name|^  bb|^    [^ls]'; done; done
define i32 @each_use(i32 %x) {
  %a = add i32 %x, poison
  %b = mul i32 %a, poison
  ret i32 %b
}
declare void @g(i16, i16)
define void @arguments() {
  call void @g(i16 poison, i16 poison)
  ret void
}
define i64 @undefined(ptr %p) {
  store i32 undef, ptr %p
  %f = freeze i64 poison
  ret i64 %f
}
define i32 @one_edge(i1 %c, i32 %x) {
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %p = phi i32 [ poison, %a ], [ %x, %0 ]
  ret i32 %p
}
; Through the copy and the PHI the two arguments would be different registers.
define void @frozen_edges(i1 %c) {
  br i1 %c, label %a, label %b
a:
  br label %join
b:
  br label %join
join:
  %p = phi i32 [ poison, %a ], [ poison, %b ]
  %t = trunc i32 %p to i16
  br label %use
use:
  %f = freeze i16 %t
  call void @g(i16 %f, i16 %f)
  ret void
}
define i128 @wide(i128 %x) {
  %a = xor i128 %x, poison
  ret i128 %a
}
; EXPECT
;| # x86_64 -O0
;| name:            each_use
;|   bb.0 (%ir-block.0):
;|     %0:gr32 = COPY $edi
;|     %1:gr32 = IMPLICIT_DEF
;|     %2:gr32 = ADD32rr %0, killed %1, implicit-def dead $eflags
;|     %3:gr32 = IMPLICIT_DEF
;|     %4:gr32 = IMUL32rr %2, killed %3, implicit-def dead $eflags
;|     $eax = COPY %4
;|     RET 0, $eax
;| name:            arguments
;|   bb.0 (%ir-block.0):
;|     ADJCALLSTACKDOWN64 0, 0, 0, implicit-def dead $rsp, implicit-def dead $eflags, implicit-def dead $ssp, implicit $rsp, implicit $ssp
;|     %0:gr16 = IMPLICIT_DEF
;|     %1:gr32 = MOVZX32rr16 killed %0
;|     $edi = COPY %1
;|     $esi = COPY %1
;|     CALL64pcrel32 target-flags(x86-plt) @g, csr_64, implicit $rsp, implicit $ssp, implicit $edi, implicit $esi, implicit-def $rsp, implicit-def $ssp
;|     ADJCALLSTACKUP64 0, 0, implicit-def dead $rsp, implicit-def dead $eflags, implicit-def dead $ssp, implicit $rsp, implicit $ssp
;|     RET 0
;| name:            undefined
;|   bb.0 (%ir-block.0):
;|     %0:gr64 = COPY $rdi
;|     MOV32mi %0, 1, $noreg, 0, $noreg, 0 :: (store (s32) into %ir.p)
;|     %1:gr64 = MOV64ri32 0
;|     %2:gr64 = COPY %1
;|     $rax = COPY %2
;|     RET 0, $rax
;| name:            one_edge
;|   bb.0 (%ir-block.0):
;|     %1:gr32 = COPY $esi
;|     %0:gr32 = COPY $edi
;|     %2:gr8 = COPY %0.sub_8bit
;|     %3:gr8 = AND8ri %2, 1, implicit-def dead $eflags
;|     TEST8rr %3, %3, implicit-def $eflags
;|     JCC_1 %bb.1, 5, implicit $eflags
;|     JMP_1 %bb.2
;|   bb.1 (%ir-block.a):
;|     %4:gr32 = IMPLICIT_DEF
;|     JMP_1 %bb.2
;|   bb.2 (%ir-block.b):
;|     %5:gr32 = PHI %1, %bb.0, %4, %bb.1
;|     $eax = COPY %5
;|     RET 0, $eax
;| name:            frozen_edges
;|   bb.0 (%ir-block.0):
;|     %0:gr32 = COPY $edi
;|     %1:gr8 = COPY %0.sub_8bit
;|     %2:gr8 = AND8ri %1, 1, implicit-def dead $eflags
;|     TEST8rr %2, %2, implicit-def $eflags
;|     JCC_1 %bb.1, 5, implicit $eflags
;|     JMP_1 %bb.2
;|   bb.1 (%ir-block.a):
;|     %3:gr32 = MOV32ri 0
;|     JMP_1 %bb.3
;|   bb.2 (%ir-block.b):
;|     %4:gr32 = MOV32ri 0
;|     JMP_1 %bb.3
;|   bb.3 (%ir-block.join):
;|     %5:gr32 = PHI %3, %bb.1, %4, %bb.2
;|     %6:gr16 = COPY %5.sub_16bit
;|     JMP_1 %bb.4
;|   bb.4 (%ir-block.use):
;|     %7:gr16 = COPY %6
;|     ADJCALLSTACKDOWN64 0, 0, 0, implicit-def dead $rsp, implicit-def dead $eflags, implicit-def dead $ssp, implicit $rsp, implicit $ssp
;|     %8:gr32 = MOVZX32rr16 killed %7
;|     $edi = COPY %8
;|     $esi = COPY %8
;|     CALL64pcrel32 target-flags(x86-plt) @g, csr_64, implicit $rsp, implicit $ssp, implicit $edi, implicit $esi, implicit-def $rsp, implicit-def $ssp
;|     ADJCALLSTACKUP64 0, 0, implicit-def dead $rsp, implicit-def dead $eflags, implicit-def dead $ssp, implicit $rsp, implicit $ssp
;|     RET 0
;| name:            wide
;|   bb.0 (%ir-block.0):
;|     %1:gr64 = COPY $rsi
;|     %0:gr64 = COPY $rdi
;|     %2:gr64 = IMPLICIT_DEF
;|     %3:gr64 = XOR64rr %1, killed %2, implicit-def dead $eflags
;|     %4:gr64 = IMPLICIT_DEF
;|     %5:gr64 = XOR64rr %0, killed %4, implicit-def dead $eflags
;|     $rax = COPY %5
;|     $rdx = COPY %3
;|     RET 0, $rax, $rdx
;| # x86_64 -O2
;| name:            each_use
;|   bb.0 (%ir-block.0):
;|     %0:gr32 = COPY $edi
;|     %1:gr32 = IMPLICIT_DEF
;|     %2:gr32 = ADD32rr %0, killed %1, implicit-def dead $eflags
;|     %3:gr32 = IMPLICIT_DEF
;|     %4:gr32 = IMUL32rr %2, killed %3, implicit-def dead $eflags
;|     $eax = COPY %4
;|     RET 0, $eax
;| name:            arguments
;|   bb.0 (%ir-block.0):
;|     ADJCALLSTACKDOWN64 0, 0, 0, implicit-def dead $rsp, implicit-def dead $eflags, implicit-def dead $ssp, implicit $rsp, implicit $ssp
;|     %0:gr16 = IMPLICIT_DEF
;|     %1:gr32 = MOVZX32rr16 killed %0
;|     $edi = COPY %1
;|     $esi = COPY %1
;|     CALL64pcrel32 target-flags(x86-plt) @g, csr_64, implicit $rsp, implicit $ssp, implicit $edi, implicit $esi, implicit-def $rsp, implicit-def $ssp
;|     ADJCALLSTACKUP64 0, 0, implicit-def dead $rsp, implicit-def dead $eflags, implicit-def dead $ssp, implicit $rsp, implicit $ssp
;|     RET 0
;| name:            undefined
;|   bb.0 (%ir-block.0):
;|     %0:gr64 = COPY $rdi
;|     MOV32mi %0, 1, $noreg, 0, $noreg, 0 :: (store (s32) into %ir.p)
;|     %1:gr32 = MOV32r0 implicit-def dead $eflags
;|     %2:gr64 = SUBREG_TO_REG 0, killed %1, %subreg.sub_32bit
;|     $rax = COPY %2
;|     RET 0, $rax
;| name:            one_edge
;|   bb.0 (%ir-block.0):
;|     %1:gr32 = COPY $esi
;|     %0:gr32 = COPY $edi
;|     %2:gr8 = COPY %0.sub_8bit
;|     TEST8ri %2, 1, implicit-def $eflags
;|     JCC_1 %bb.2, 4, implicit $eflags
;|     JMP_1 %bb.1
;|   bb.1 (%ir-block.a):
;|     %3:gr32 = IMPLICIT_DEF
;|     JMP_1 %bb.2
;|   bb.2 (%ir-block.b):
;|     %4:gr32 = PHI %1, %bb.0, %3, %bb.1
;|     $eax = COPY %4
;|     RET 0, $eax
;| name:            frozen_edges
;|   bb.0 (%ir-block.0):
;|     %0:gr32 = COPY $edi
;|     %1:gr8 = COPY %0.sub_8bit
;|     TEST8ri %1, 1, implicit-def $eflags
;|     JCC_1 %bb.2, 4, implicit $eflags
;|     JMP_1 %bb.1
;|   bb.1 (%ir-block.a):
;|     %2:gr32 = MOV32ri 0
;|     JMP_1 %bb.3
;|   bb.2 (%ir-block.b):
;|     %3:gr32 = MOV32ri 0
;|     JMP_1 %bb.3
;|   bb.3 (%ir-block.join):
;|     %4:gr32 = PHI %2, %bb.1, %3, %bb.2
;|     %5:gr16 = COPY %4.sub_16bit
;|     JMP_1 %bb.4
;|   bb.4 (%ir-block.use):
;|     %6:gr16 = COPY %5
;|     ADJCALLSTACKDOWN64 0, 0, 0, implicit-def dead $rsp, implicit-def dead $eflags, implicit-def dead $ssp, implicit $rsp, implicit $ssp
;|     %7:gr32 = MOVZX32rr16 killed %6
;|     $edi = COPY %7
;|     $esi = COPY %7
;|     CALL64pcrel32 target-flags(x86-plt) @g, csr_64, implicit $rsp, implicit $ssp, implicit $edi, implicit $esi, implicit-def $rsp, implicit-def $ssp
;|     ADJCALLSTACKUP64 0, 0, implicit-def dead $rsp, implicit-def dead $eflags, implicit-def dead $ssp, implicit $rsp, implicit $ssp
;|     RET 0
;| name:            wide
;|   bb.0 (%ir-block.0):
;|     %1:gr64 = COPY $rsi
;|     %0:gr64 = COPY $rdi
;|     %2:gr64 = IMPLICIT_DEF
;|     %3:gr64 = XOR64rr %1, killed %2, implicit-def dead $eflags
;|     %4:gr64 = IMPLICIT_DEF
;|     %5:gr64 = XOR64rr %0, killed %4, implicit-def dead $eflags
;|     $rax = COPY %5
;|     $rdx = COPY %3
;|     RET 0, $rax, $rdx
;| # aarch64 -O0
;| name:            each_use
;|   bb.0 (%ir-block.0):
;|     %0:gpr32 = COPY $w0
;|     %1:gpr32 = IMPLICIT_DEF
;|     %2:gpr32 = ADDWrr %0, killed %1
;|     %3:gpr32 = IMPLICIT_DEF
;|     %4:gpr32 = MADDWrrr killed %2, killed %3, $wzr
;|     $w0 = COPY %4
;|     RET_ReallyLR implicit $w0
;| name:            arguments
;|   bb.0 (%ir-block.0):
;|     ADJCALLSTACKDOWN 0, 0, implicit-def dead $sp, implicit $sp
;|     %0:gpr32 = IMPLICIT_DEF
;|     $w0 = COPY %0
;|     %1:gpr32 = IMPLICIT_DEF
;|     $w1 = COPY %1
;|     BL @g, csr_aarch64_aapcs, implicit-def dead $lr, implicit $sp, implicit $w0, implicit $w1, implicit-def $sp
;|     ADJCALLSTACKUP 0, 0, implicit-def dead $sp, implicit $sp
;|     RET_ReallyLR
;| name:            undefined
;|   bb.0 (%ir-block.0):
;|     %0:gpr64common = COPY $x0
;|     %1:gpr32 = COPY $wzr
;|     STRWui killed %1, %0, 0 :: (store (s32) into %ir.p)
;|     %2:gpr64 = COPY $xzr
;|     %3:gpr64 = COPY %2
;|     $x0 = COPY %3
;|     RET_ReallyLR implicit $x0
;| name:            one_edge
;|   bb.0 (%ir-block.0):
;|     %1:gpr32 = COPY $w1
;|     %0:gpr32 = COPY $w0
;|     %2:gpr32common = ANDWri %0, 0
;|     CBNZW killed %2, %bb.1
;|     B %bb.2
;|   bb.1 (%ir-block.a):
;|     %3:gpr32 = IMPLICIT_DEF
;|     B %bb.2
;|   bb.2 (%ir-block.b):
;|     %4:gpr32 = PHI %1, %bb.0, %3, %bb.1
;|     $w0 = COPY %4
;|     RET_ReallyLR implicit $w0
;| name:            frozen_edges
;|   bb.0 (%ir-block.0):
;|     %0:gpr32 = COPY $w0
;|     %1:gpr32common = ANDWri %0, 0
;|     CBNZW killed %1, %bb.1
;|     B %bb.2
;|   bb.1 (%ir-block.a):
;|     %2:gpr32 = COPY $wzr
;|     B %bb.3
;|   bb.2 (%ir-block.b):
;|     %3:gpr32 = COPY $wzr
;|     B %bb.3
;|   bb.3 (%ir-block.join):
;|     %4:gpr32 = PHI %2, %bb.1, %3, %bb.2
;|     %5:gpr32 = COPY %4
;|     B %bb.4
;|   bb.4 (%ir-block.use):
;|     %6:gpr32 = COPY %5
;|     ADJCALLSTACKDOWN 0, 0, implicit-def dead $sp, implicit $sp
;|     $w0 = COPY %6
;|     $w1 = COPY %6
;|     BL @g, csr_aarch64_aapcs, implicit-def dead $lr, implicit $sp, implicit $w0, implicit $w1, implicit-def $sp
;|     ADJCALLSTACKUP 0, 0, implicit-def dead $sp, implicit $sp
;|     RET_ReallyLR
;| name:            wide
;|   bb.0 (%ir-block.0):
;|     %1:gpr64 = COPY $x1
;|     %0:gpr64 = COPY $x0
;|     %2:gpr64 = IMPLICIT_DEF
;|     %3:gpr64 = EORXrr %1, killed %2
;|     %4:gpr64 = IMPLICIT_DEF
;|     %5:gpr64 = EORXrr %0, killed %4
;|     $x0 = COPY %5
;|     $x1 = COPY %3
;|     RET_ReallyLR implicit $x0, implicit $x1
;| # aarch64 -O2
;| name:            each_use
;|   bb.0 (%ir-block.0):
;|     %0:gpr32 = COPY $w0
;|     %1:gpr32 = IMPLICIT_DEF
;|     %2:gpr32 = ADDWrr %0, killed %1
;|     %3:gpr32 = IMPLICIT_DEF
;|     %4:gpr32 = MADDWrrr killed %2, killed %3, $wzr
;|     $w0 = COPY %4
;|     RET_ReallyLR implicit $w0
;| name:            arguments
;|   bb.0 (%ir-block.0):
;|     ADJCALLSTACKDOWN 0, 0, implicit-def dead $sp, implicit $sp
;|     %0:gpr32 = IMPLICIT_DEF
;|     $w0 = COPY %0
;|     %1:gpr32 = IMPLICIT_DEF
;|     $w1 = COPY %1
;|     BL @g, csr_aarch64_aapcs, implicit-def dead $lr, implicit $sp, implicit $w0, implicit $w1, implicit-def $sp
;|     ADJCALLSTACKUP 0, 0, implicit-def dead $sp, implicit $sp
;|     RET_ReallyLR
;| name:            undefined
;|   bb.0 (%ir-block.0):
;|     %0:gpr64common = COPY $x0
;|     %1:gpr32 = COPY $wzr
;|     STRWui killed %1, %0, 0 :: (store (s32) into %ir.p)
;|     %2:gpr64 = COPY $xzr
;|     $x0 = COPY %2
;|     RET_ReallyLR implicit $x0
;| name:            one_edge
;|   bb.0 (%ir-block.0):
;|     %1:gpr32 = COPY $w1
;|     %0:gpr32 = COPY $w0
;|     TBZW %0, 0, %bb.2
;|     B %bb.1
;|   bb.1 (%ir-block.a):
;|     %2:gpr32 = IMPLICIT_DEF
;|     B %bb.2
;|   bb.2 (%ir-block.b):
;|     %3:gpr32 = PHI %1, %bb.0, %2, %bb.1
;|     $w0 = COPY %3
;|     RET_ReallyLR implicit $w0
;| name:            frozen_edges
;|   bb.0 (%ir-block.0):
;|     %0:gpr32 = COPY $w0
;|     TBZW %0, 0, %bb.2
;|     B %bb.1
;|   bb.1 (%ir-block.a):
;|     %1:gpr32 = COPY $wzr
;|     B %bb.3
;|   bb.2 (%ir-block.b):
;|     %2:gpr32 = COPY $wzr
;|     B %bb.3
;|   bb.3 (%ir-block.join):
;|     %3:gpr32 = PHI %1, %bb.1, %2, %bb.2
;|     %4:gpr32 = COPY %3
;|     B %bb.4
;|   bb.4 (%ir-block.use):
;|     %5:gpr32 = COPY %4
;|     ADJCALLSTACKDOWN 0, 0, implicit-def dead $sp, implicit $sp
;|     $w0 = COPY %5
;|     $w1 = COPY %5
;|     BL @g, csr_aarch64_aapcs, implicit-def dead $lr, implicit $sp, implicit $w0, implicit $w1, implicit-def $sp
;|     ADJCALLSTACKUP 0, 0, implicit-def dead $sp, implicit $sp
;|     RET_ReallyLR
;| name:            wide
;|   bb.0 (%ir-block.0):
;|     %1:gpr64 = COPY $x1
;|     %0:gpr64 = COPY $x0
;|     %2:gpr64 = IMPLICIT_DEF
;|     %3:gpr64 = EORXrr %1, killed %2
;|     %4:gpr64 = IMPLICIT_DEF
;|     %5:gpr64 = EORXrr %0, killed %4
;|     $x0 = COPY %5
;|     $x1 = COPY %3
;|     RET_ReallyLR implicit $x0, implicit $x1
