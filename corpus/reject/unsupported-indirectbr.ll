; Not supported: the diagnostic names the construct.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
define void @f(ptr %p) {
  indirectbr ptr %p, [label %a]
a:
  ret void
}
; EXPECT
;| corpus/reject/unsupported-indirectbr.ll: f: error: unsupported: indirectbr
;| exit 1
