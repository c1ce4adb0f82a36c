; A value that is never defined.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
define i32 @f() {
  ret i32 %y
}
; EXPECT
