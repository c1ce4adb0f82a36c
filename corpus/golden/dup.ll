; A shared address is duplicated into both accesses.
; RUN: veridag -O2 -mtriple=x86_64-linux-gnu -stop-after=finalize-isel %s -o - | sed -n '/^body/,$p' | sed 's/[[:space:]]*$//'
; RUN: veridag -O2 -mtriple=aarch64-linux-gnu -filetype=asm %s -o - | grep -vE '^\s*\.|^#|^$|// -- '
define i64 @swap_in(ptr %p, i64 %i, i64 %z) {
  %q = getelementptr inbounds i64, ptr %p, i64 %i
  %v = load i64, ptr %q, align 8
  store i64 %z, ptr %q, align 8
  ret i64 %v
}
; EXPECT
;| body:             |
;|   bb.0 (%ir-block.0):
;|     liveins: $rdi, $rsi, $rdx
;|
;|     %2:gr64 = COPY $rdx
;|     %1:gr64_nosp = COPY $rsi
;|     %0:gr64 = COPY $rdi
;|     %3:gr64 = MOV64rm %0, 8, %1, 0, $noreg :: (load (s64) from %ir.q)
;|     MOV64mr %0, 8, %1, 0, $noreg, %2 :: (store (s64) into %ir.q)
;|     $rax = COPY %3
;|     RET 0, $rax
;| ...
;| swap_in:                                // @swap_in
;| // %bb.0:
;|     mov     x8, x0
;|     ldr     x0, [x0, x1, lsl #3]
;|     str     x2, [x8, x1, lsl #3]
;|     ret
