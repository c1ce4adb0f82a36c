; Not supported: the diagnostic names the construct.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
declare i32 @g(i32)
define i32 @f(i32 %x) {
  %y = musttail call i32 @g(i32 %x)
  ret i32 %y
}
; EXPECT
;| corpus/reject/unsupported-musttail.ll: f: error: unsupported: musttail call
;| exit 1
