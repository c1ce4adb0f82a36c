; -fallback=skip leaves out what is not supported and says so; what calls it still does. Without it nothing is written.
; RUN: veridag -fallback=skip -mtriple=x86_64-linux-gnu %s -o - | grep -E '^name|^(define|declare)|^  (define|declare)|CALL' | grep -v ADJ | sed 's/, csr.*//'
; RUN: veridag -fallback=off -mtriple=x86_64-linux-gnu %s -o %t; rc=$?; test ! -e %t && exit $rc
define i32 @whole(i32 %x) {
  %r = call i32 @half(i32 %x)
  ret i32 %r
}
define i32 @half(i32 %x) {
  %f = sitofp i32 %x to float
  %g = fmul float %f, 0.5
  %r = fptosi float %g to i32
  ret i32 %r
}
; EXPECT
;| corpus/golden/fallback.ll: half: skipped: unsupported: floating-point operation sitofp
;| corpus/golden/fallback.ll: 1 of 2 functions skipped
;|   define i32 @whole(i32 %x) {
;|   declare i32 @half(i32)
;| name:            whole
;|     CALL64pcrel32 target-flags(x86-plt) @half
;| corpus/golden/fallback.ll: half: error: unsupported: floating-point operation sitofp
;| exit 1
