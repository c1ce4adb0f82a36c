; A block without an end.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
define i32 @f(i32 %x) {
  %y = add i32 %x, 1
}
; EXPECT
;| corpus/reject/ir-no-terminator.ll:6:1: error: expected instruction opcode
;| exit 1
