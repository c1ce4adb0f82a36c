; Not supported: the diagnostic names the construct.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
declare void @g()
declare i32 @__gxx_personality_v0(...)
define void @f() personality ptr @__gxx_personality_v0 {
  invoke void @g() to label %a unwind label %b
a:
  ret void
b:
  %l = landingpad { ptr, i32 } cleanup
  ret void
}
; EXPECT
;| corpus/reject/unsupported-invoke.ll: f: error: unsupported: landingpad
;| exit 1
