; The combiner at work, and without it: the multiply becomes a shift, "+ y - y" goes, and the shift becomes an address.
; RUN: veridag -O2 -mtriple=x86_64-linux-gnu -filetype=asm %s -o - | grep -vE '^\s*\.|^#|^$|# -- '
; RUN: veridag -O2 -mtriple=x86_64-linux-gnu -combiner-disabled -filetype=asm %s -o - | grep -vE '^\s*\.|^#|^$|# -- '
define i64 @f(i64 %x, i64 %y) {
  %a = mul i64 %x, 8
  %b = add i64 %a, %y
  %c = sub i64 %b, %y
  ret i64 %c
}
; EXPECT
;| f:                                      # @f
;|     leaq    (,%rdi,8), %rax
;|     retq
;| f:                                      # @f
;|     imulq   $8, %rdi, %rax
;|     addq    %rsi, %rax
;|     subq    %rsi, %rax
;|     retq
