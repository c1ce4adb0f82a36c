; A word that is no instruction.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
define i32 @f(i32 %x) {
  %y = ad i32 %x, 1
  ret i32 %y
}
; EXPECT
;| corpus/reject/ir-syntax.ll:5:8: error: expected instruction opcode
;| exit 1
