; Not supported: the diagnostic names the construct.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
define i1 @f(ptr %p) {
  %y = cmpxchg ptr %p, i32 0, i32 1 seq_cst seq_cst
  %z = extractvalue { i32, i1 } %y, 1
  ret i1 %z
}
; EXPECT
;| corpus/reject/unsupported-cmpxchg.ll: f: error: unsupported: cmpxchg
;| exit 1
