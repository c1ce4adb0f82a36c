; A use that its definition does not dominate.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
define i32 @f(i1 %c) {
  br i1 %c, label %a, label %b
a:
  %x = add i32 1, 2
  br label %b
b:
  ret i32 %x
}
; EXPECT
;| corpus/reject/ir-dominance.ll: error: invalid module: Instruction does not dominate all uses!
;| exit 1
