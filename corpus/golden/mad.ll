; Multiply-add: a target combine makes one node of both, a pattern selects MADD.
; RUN: veridag -O2 -mtriple=aarch64-linux-gnu -filetype=asm %s -o - | grep -vE '^\s*\.|^//|^$|// -- '
; RUN: veridag -O2 -mtriple=aarch64-linux-gnu -debug-only=dagcombine %s -o /dev/null 2>&1 | grep -o 'a64\.madd' | head -1
define i32 @foo(i32 %0, i32 %1, i32 %2) {
  %mul = mul i32 %0, %1
  %add = add i32 %mul, %2
  ret i32 %add
}
; EXPECT
;| foo:                                    // @foo
;|     madd    w0, w0, w1, w2
;|     ret
;| a64.madd
