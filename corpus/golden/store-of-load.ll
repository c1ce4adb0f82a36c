; a[i] = p[3]: both accesses take their whole address as operands.
; RUN: veridag -O2 -mtriple=x86_64-linux-gnu -stop-after=finalize-isel %s -o - | grep -oE '(%[0-9]+:[a-z0-9_]+ = )?MOV64(rm|mr) .*' | sed 's/ :: .*//'
define void @f(ptr %a, i64 %i, ptr %p) {
  %q = getelementptr inbounds i64, ptr %p, i64 3
  %v = load i64, ptr %q, align 8
  %d = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %v, ptr %d, align 8
  ret void
}
; EXPECT
;| %3:gr64 = MOV64rm %2, 1, $noreg, 24, $noreg
;| MOV64mr %0, 8, %1, 0, $noreg, killed %3
