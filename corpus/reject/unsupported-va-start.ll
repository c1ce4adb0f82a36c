; Not supported: the diagnostic names the construct.
; RUN: veridag -mtriple=x86_64-linux-gnu %s -o %t
; RUN: test ! -e %t
declare void @llvm.va_start.p0(ptr)
define void @f(i32 %n, ...) {
  %a = alloca [24 x i8]
  call void @llvm.va_start.p0(ptr %a)
  ret void
}
; EXPECT
;| corpus/reject/unsupported-va-start.ll: f: error: unsupported: intrinsic llvm.va_start
;| exit 1
