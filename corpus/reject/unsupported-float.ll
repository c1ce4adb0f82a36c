; Not supported: the diagnostic names the construct.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
define float @f(float %x, float %y) {
  %z = fadd float %x, %y
  ret float %z
}
; EXPECT
;| corpus/reject/unsupported-float.ll: f: error: unsupported: floating-point type float
;| exit 1
