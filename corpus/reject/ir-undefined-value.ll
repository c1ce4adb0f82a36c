; A value that is never defined.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
define i32 @f() {
  ret i32 %y
}
; EXPECT
;| corpus/reject/ir-undefined-value.ll:5:11: error: use of undefined value '%y'
;| exit 1
