; A function without an end.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
define i32 @f(i32 %x) {
  ret i32 %x
define i32 @g(i32 %x) {
  ret i32 %x
}
; EXPECT
;| corpus/reject/ir-unclosed.ll:6:1: error: expected instruction opcode
;| exit 1
