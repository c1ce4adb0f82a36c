; A load with one use folds into its user; a shared one does not.
; RUN: veridag -O2 -mtriple=x86_64-linux-gnu -filetype=asm %s -o - | grep -vE '^\s*\.|^#|^$|# -- '
define i64 @one_use(ptr %p, i64 %x) {
  %v = load i64, ptr %p, align 8
  %a = add i64 %v, %x
  ret i64 %a
}
define i64 @two_uses(ptr %p, i64 %x, i64 %y) {
  %v = load i64, ptr %p, align 8
  %a = add i64 %v, %x
  %b = mul i64 %v, %y
  %r = xor i64 %a, %b
  ret i64 %r
}
; EXPECT
;| one_use:                                # @one_use
;|     movq    %rsi, %rax
;|     addq    (%rdi), %rax
;|     retq
;| two_uses:                               # @two_uses
;|     movq    (%rdi), %rax
;|     leaq    (%rsi,%rax), %rcx
;|     imulq   %rdx, %rax
;|     xorq    %rcx, %rax
;|     retq
