; Four legalization outcomes on two targets. AArch64 counts bits by the proven scalar expansion here (no vectors yet).
; RUN: veridag -O2 -mtriple=x86_64-linux-gnu -stop-after=finalize-isel %s -o - | grep -E '^name:|^    (%[0-9]+:|[A-Z])' | grep -vE 'COPY|ADJCALLSTACK|IMPLICIT_DEF|INSERT_SUBREG' | sed -E 's/, implicit.*//; s/ :: .*//'
; RUN: veridag -O2 -mtriple=aarch64-linux-gnu -stop-after=finalize-isel %s -o - | grep -E '^name:|^    (%[0-9]+:|[A-Z])' | grep -vE 'COPY|ADJCALLSTACK|IMPLICIT_DEF|INSERT_SUBREG' | sed -E 's/, implicit.*//; s/ :: .*//' | sed '/pop/q'
define i128 @add128(i128 %a, i128 %b) {
  %s = add i128 %a, %b
  ret i128 %s
}
define i128 @div128(i128 %a, i128 %b) {
  %q = sdiv i128 %a, %b
  ret i128 %q
}
define i8 @add8(i8 %a, i8 %b) {
  %s = add i8 %a, %b
  ret i8 %s
}
define i64 @pop(i64 %x) {
  %p = call i64 @llvm.ctpop.i64(i64 %x)
  ret i64 %p
}
declare i64 @llvm.ctpop.i64(i64)
; EXPECT
;| name:            add128
;|     %4:gr64 = ADD64rr %0, %2
;|     %5:gr64 = ADC64rr %1, %3
;|     RET 0, $rax, $rdx
;| name:            div128
;|     CALL64pcrel32 target-flags(x86-plt) &__divti3, csr_64
;|     RET 0, $rax, $rdx
;| name:            add8
;|     %4:gr8 = ADD8rr %3, killed %2
;|     RET 0, $al
;| name:            pop
;|     %1:gr64 = SHR64ri %0, 1
;|     %2:gr64 = MOV64ri 6148914691236517205
;|     %3:gr64 = AND64rr %1, killed %2
;|     %4:gr64 = SUB64rr %0, killed %3
;|     %5:gr64 = MOV64ri 3689348814741910323
;|     %6:gr64 = AND64rr %4, %5
;|     %7:gr64 = SHR64ri %4, 2
;|     %8:gr64 = AND64rr %7, %5
;|     %9:gr64 = ADD64rr %6, killed %8
;|     %10:gr64 = SHR64ri %9, 4
;|     %11:gr64 = ADD64rr %9, killed %10
;|     %12:gr64 = MOV64ri 1085102592571150095
;|     %13:gr64 = AND64rr %11, killed %12
;|     %14:gr64 = MOV64ri 72340172838076673
;|     %15:gr64 = IMUL64rr %13, killed %14
;|     %16:gr64 = SHR64ri %15, 56
;|     RET 0, $rax
;| name:            add128
;|     %4:gpr64 = ADDSXrr %0, %2
;|     %5:gpr64 = ADCXr %1, %3
;|     RET_ReallyLR implicit $x0
;| name:            div128
;|     BL &__divti3, csr_aarch64_aapcs
;|     RET_ReallyLR implicit $x0
;| name:            add8
;|     %2:gpr32 = ADDWrr %0, %1
;|     RET_ReallyLR implicit $w0
;| name:            pop
