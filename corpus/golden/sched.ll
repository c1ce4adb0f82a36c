; The source scheduler keeps the order of the IR where dependences allow.
; RUN: veridag -O2 -mtriple=x86_64-linux-gnu -pre-RA-sched=source -stop-after=finalize-isel %s -o - | sed -n '/^body/,$p' | grep -v "COPY\|^\s*$\|body\|bb.0\|liveins\|^\.\.\."
define i64 @dot(ptr %p, ptr %q) {
  %p1 = getelementptr inbounds i64, ptr %p, i64 1
  %q1 = getelementptr inbounds i64, ptr %q, i64 1
  %a0 = load i64, ptr %p, align 8
  %b0 = load i64, ptr %q, align 8
  %a1 = load i64, ptr %p1, align 8
  %b1 = load i64, ptr %q1, align 8
  %m0 = mul i64 %a0, %b0
  %m1 = mul i64 %a1, %b1
  %s = add i64 %m0, %m1
  ret i64 %s
}
; EXPECT
;|     %2:gr64 = MOV64rm %0, 1, $noreg, 0, $noreg :: (load (s64) from %ir.p)
;|     %3:gr64 = MOV64rm %0, 1, $noreg, 8, $noreg :: (load (s64) from %ir.p1)
;|     %4:gr64 = IMUL64rm %2, %1, 1, $noreg, 0, $noreg, implicit-def dead $eflags :: (load (s64) from %ir.q)
;|     %5:gr64 = IMUL64rm %3, %1, 1, $noreg, 8, $noreg, implicit-def dead $eflags :: (load (s64) from %ir.q1)
;|     %6:gr64 = ADD64rr %4, killed %5, implicit-def dead $eflags
;|     RET 0, $rax
