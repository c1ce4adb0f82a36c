; Not supported: the diagnostic names the construct.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
define void @f(ptr byval([64 x i8]) %p) {
  ret void
}
; EXPECT
;| corpus/reject/unsupported-byval.ll: f: error: unsupported: byval parameter
;| exit 1
