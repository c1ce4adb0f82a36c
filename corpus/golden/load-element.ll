; unsigned load_element(const unsigned *a, unsigned long i) { return a[i + 2]; }: scale 4 and displacement 8 are merged.
; RUN: veridag -O2 -mtriple=x86_64-linux-gnu -filetype=asm %s -o - | grep -E 'movl|ret'
; RUN: veridag -O2 -mtriple=aarch64-linux-gnu -filetype=asm %s -o - | grep -E 'ld|ret'
define i32 @load_element(ptr %a, i64 %i) {
  %e = getelementptr i32, ptr %a, i64 %i
  %q = getelementptr i8, ptr %e, i64 8
  %v = load i32, ptr %q, align 4
  ret i32 %v
}
; EXPECT
;|     movl    8(%rdi,%rsi,4), %eax
;|     retq
;|     ldr     w0, [x8, #8]
;|     ret
