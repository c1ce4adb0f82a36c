; Not supported: the diagnostic names the construct.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
@t = thread_local global i32 0
define i32 @f() {
  %v = load i32, ptr @t
  ret i32 %v
}
; EXPECT
;| corpus/reject/unsupported-tls.ll: f: error: unsupported: thread-local storage
;| exit 1
