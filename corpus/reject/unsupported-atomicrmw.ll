; Not supported: the diagnostic names the construct.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
define i32 @f(ptr %p) {
  %y = atomicrmw add ptr %p, i32 1 seq_cst
  ret i32 %y
}
; EXPECT
;| corpus/reject/unsupported-atomicrmw.ll: f: error: unsupported: atomicrmw
;| exit 1
