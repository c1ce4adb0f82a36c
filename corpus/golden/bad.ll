; An intrinsic of the other target: no pattern covers it.
; RUN: veridag -O2 -mtriple=aarch64-linux-gnu %s -o %t 2>&1 | head -1; test ! -e %t
declare void @llvm.x86.sse2.pause()
define void @spin() {
  call void @llvm.x86.sse2.pause()
  ret void
}
; EXPECT
;| error: Cannot select: intrinsic %llvm.x86.sse2.pause
