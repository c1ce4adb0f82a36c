; Not supported: the diagnostic names the construct.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
define i32 @f(i32 %x) {
  %y = call i32 asm "incl $0", "=r,0"(i32 %x)
  ret i32 %y
}
; EXPECT
;| corpus/reject/unsupported-asm.ll: f: error: unsupported: inline assembly
;| exit 1
