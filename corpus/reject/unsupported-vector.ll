; Not supported: the diagnostic names the construct.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
define <4 x i32> @f(<4 x i32> %x) {
  ret <4 x i32> %x
}
; EXPECT
;| corpus/reject/unsupported-vector.ll: f: error: unsupported: vector type
;| exit 1
