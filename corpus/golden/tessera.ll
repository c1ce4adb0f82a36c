; The template target, Tessera: the documents' 32-bit examples, in both byte orders. i64 is added and multiplied in
; halves, the carry is a comparison; BSWAP expands; a shared address is folded twice, a shared product is not.
; RUN: veridag -O2 -mtriple=tessera -stop-after=finalize-isel %s -o - | grep -E '^name:|^    (%[0-9]+:|[A-Z])' | grep -v COPY
; RUN: veridag -O2 -mtriple=tessera-be -stop-after=finalize-isel %s -o - | grep -E '^name:|^    (%[0-9]+:|[A-Z])' | grep -v COPY | sed -n '/load64/,/d1/p'
define i64 @add64(i64 %a, i64 %b) {
  %s = add i64 %a, %b
  ret i64 %s
}
define i64 @mul64(i64 %a, i64 %b) {
  %s = mul i64 %a, %b
  ret i64 %s
}
define i32 @swap(i32 %a) {
  %s = call i32 @llvm.bswap.i32(i32 %a)
  ret i32 %s
}
define i64 @load64(ptr %p) {
  %s = load i64, ptr %p
  ret i64 %s
}
define i32 @d1(ptr %p, i32 %z) {
  %q = getelementptr i8, ptr %p, i32 8
  store i32 %z, ptr %q
  %v = load volatile i32, ptr %q
  ret i32 %v
}
define i32 @d2(i32 %a, i32 %b, i32 %c, i32 %d) {
  %m = mul i32 %a, %b
  %x = add i32 %m, %c
  %y = add i32 %m, %d
  %r = xor i32 %x, %y
  ret i32 %r
}
define i32 @madd(i32 %a, i32 %b, i32 %c) {
  %m = mul i32 %a, %b
  %x = add i32 %m, %c
  ret i32 %x
}
define i64 @quotient(i64 %a, i64 %b) {
  %q = udiv i64 %a, %b
  ret i64 %q
}
declare i32 @llvm.bswap.i32(i32)
; EXPECT
;| name:            add64
;|     %4:gpr = ADD %1, %3
;|     %5:gpr = ADD %0, %2
;|     %6:gpr = SLTU %5, %0
;|     %7:gpr = ADD killed %4, killed %6
;|     RET implicit $a0, implicit $a1
;| name:            mul64
;|     %4:gpr = MUL %0, %2
;|     %5:gpr = MULHU %0, %2
;|     %6:gpr = MADD %0, %3, killed %5
;|     %7:gpr = MADD %1, %2, killed %6
;|     RET implicit $a0, implicit $a1
;| name:            swap
;|     %1:gpr = SRLI %0, 24
;|     %2:gpr = SRLI %0, 8
;|     %3:gpr = ANDI killed %2, 65280
;|     %4:gpr = OR killed %3, killed %1
;|     %5:gpr = SLLI %0, 8
;|     %6:gpr = LI 16711680
;|     %7:gpr = AND killed %5, killed %6
;|     %8:gpr = SLLI %0, 24
;|     %9:gpr = OR killed %8, killed %7
;|     %10:gpr = OR killed %9, killed %4
;|     RET implicit $a0
;| name:            load64
;|     %1:gpr = LD %0, 4 :: (load (s32) from %ir.p + 4)
;|     %2:gpr = LD %0, 0 :: (load (s32) from %ir.p)
;|     RET implicit $a0, implicit $a1
;| name:            d1
;|     ST %1, %0, 8 :: (store (s32) into %ir.q)
;|     %2:gpr = LD %0, 8 :: (volatile load (s32) from %ir.q)
;|     RET implicit $a0
;| name:            d2
;|     %4:gpr = MUL %0, %1
;|     %5:gpr = ADD %4, %2
;|     %6:gpr = ADD %4, %3
;|     %7:gpr = XOR killed %5, killed %6
;|     RET implicit $a0
;| name:            madd
;|     %3:gpr = MADD %0, %1, %2
;|     RET implicit $a0
;| name:            quotient
;|     ADJCALLSTACKDOWN 0
;|     CALL &__udivdi3, implicit-def dead $ra, implicit $a0, implicit $a1, implicit $a2, implicit $a3, implicit-def $a0, implicit-def $a1
;|     ADJCALLSTACKUP 0
;|     RET implicit $a0, implicit $a1
;| name:            load64
;|     %1:gpr = LD %0, 0 :: (load (s32) from %ir.p)
;|     %2:gpr = LD %0, 4 :: (load (s32) from %ir.p + 4)
;|     RET implicit $a0, implicit $a1
;| name:            d1
