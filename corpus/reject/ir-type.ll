; An operand of another type.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
define i32 @f(i64 %x) {
  %y = add i32 %x, 1
  ret i32 %y
}
; EXPECT
;| corpus/reject/ir-type.ll:5:16: error: '%x' defined with type 'i64' but expected 'i32'
;| exit 1
