; Integers for which no rule is proven, and the operation that has none: as operands, results, in memory and in calls.
; RUN: for t in x86_64 aarch64; do veridag -mtriple=$t-linux-gnu %s -o %t; echo "exit $?"; done
; RUN: veridag -O0 -mtriple=x86_64-linux-gnu %s -o %t; rc=$?; test ! -e %t && exit $rc
define void @divide(ptr %p, i256 %a, i256 %b) {
  %r = udiv i256 %a, %b
  store i256 %r, ptr %p
  ret void
}
define void @remainder(ptr %p, i256 %a) {
  %r = srem i256 %a, 12345
  store i256 %r, ptr %p
  ret void
}
define void @multiply(ptr %p, i192 %a, i192 %b) {
  %r = mul i192 %a, %b
  store i192 %r, ptr %p
  ret void
}
define void @shift(ptr %p, i129 %a, i129 %b) {
  %r = lshr i129 %a, %b
  store i129 %r, ptr %p
  ret void
}
define i1 @compare(i200 %a, i200 %b) {
  %r = icmp slt i200 %a, %b
  ret i1 %r
}
define i66 @odd(i66 %a) {
  %r = add i66 %a, %a
  ret i66 %r
}
define i256 @result(i256 %a) {
  ret i256 %a
}
define void @call(i256 %a) {
  %r = call i256 @result(i256 %a)
  ret void
}
define void @too_wide(ptr %p, i513 %a, i513 %b) {
  %r = add i513 %a, %b
  store i513 %r, ptr %p
  ret void
}
define void @overflow(ptr %p, i192 %a, i192 %b) {
  %r = call {i192, i1} @llvm.smul.with.overflow.i192(i192 %a, i192 %b)
  %o = extractvalue {i192, i1} %r, 1
  store i1 %o, ptr %p
  ret void
}
declare {i192, i1} @llvm.smul.with.overflow.i192(i192, i192)
; EXPECT
;| corpus/reject/unsupported-width.ll: divide: error: unsupported: no rule expands the operation in halves: udiv i256
;| corpus/reject/unsupported-width.ll: remainder: error: unsupported: no rule expands the operation in halves: sdiv i256
;| corpus/reject/unsupported-width.ll: multiply: error: unsupported: no rule promotes the operation: mul i192
;| corpus/reject/unsupported-width.ll: shift: error: unsupported: no rule promotes the operation: srl i129
;| corpus/reject/unsupported-width.ll: compare: error: unsupported: no rule promotes the operation: setcc.slt i200
;| corpus/reject/unsupported-width.ll: odd: error: unsupported: no rule promotes the operation: add i66
;| corpus/reject/unsupported-width.ll: result: error: unsupported: result of 256 bits
;| corpus/reject/unsupported-width.ll: call: error: unsupported: call with a result of 256 bits
;| corpus/reject/unsupported-width.ll: too_wide: error: unsupported: integer of 513 bits
;| corpus/reject/unsupported-width.ll: overflow: error: unsupported: no rule promotes the operation: smulo i192
;| exit 1
;| corpus/reject/unsupported-width.ll: divide: error: unsupported: no rule expands the operation in halves: udiv i256
;| corpus/reject/unsupported-width.ll: remainder: error: unsupported: no rule expands the operation in halves: sdiv i256
;| corpus/reject/unsupported-width.ll: multiply: error: unsupported: no rule promotes the operation: mul i192
;| corpus/reject/unsupported-width.ll: shift: error: unsupported: no rule promotes the operation: srl i129
;| corpus/reject/unsupported-width.ll: compare: error: unsupported: no rule promotes the operation: setcc.slt i200
;| corpus/reject/unsupported-width.ll: odd: error: unsupported: no rule promotes the operation: add i66
;| corpus/reject/unsupported-width.ll: too_wide: error: unsupported: integer of 513 bits
;| corpus/reject/unsupported-width.ll: overflow: error: unsupported: no rule promotes the operation: smulo i192
;| exit 1
;| corpus/reject/unsupported-width.ll: divide: error: unsupported: no rule expands the operation in halves: udiv i256
;| corpus/reject/unsupported-width.ll: remainder: error: unsupported: no rule expands the operation in halves: sdiv i256
;| corpus/reject/unsupported-width.ll: multiply: error: unsupported: no rule promotes the operation: mul i192
;| corpus/reject/unsupported-width.ll: shift: error: unsupported: no rule promotes the operation: srl i129
;| corpus/reject/unsupported-width.ll: compare: error: unsupported: no rule promotes the operation: setcc.slt i200
;| corpus/reject/unsupported-width.ll: odd: error: unsupported: no rule promotes the operation: add i66
;| corpus/reject/unsupported-width.ll: result: error: unsupported: result of 256 bits
;| corpus/reject/unsupported-width.ll: call: error: unsupported: call with a result of 256 bits
;| corpus/reject/unsupported-width.ll: too_wide: error: unsupported: integer of 513 bits
;| corpus/reject/unsupported-width.ll: overflow: error: unsupported: no rule promotes the operation: smulo i192
;| exit 1
