; A function without an end.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
define i32 @f(i32 %x) {
  ret i32 %x
; EXPECT
;| corpus/reject/ir-unclosed.ll:7:1: error: found end of file when expecting more instructions
;| exit 1
