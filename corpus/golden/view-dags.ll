; The graph of one phase as DOT: operand slots above, the operation, result types below; leaves in the slots that use
; them, chain edges blue and dashed, glue edges red.
; RUN: f=$PWD/%s; cd $(dirname %t) && veridag -mtriple=x86_64-linux-gnu -view-isel-dags=combine1 $f -o /dev/null && cat *.dot
; All phases of both blocks; and of one function only.
; RUN: f=$PWD/%s; cd $(dirname %t) && veridag -mtriple=aarch64-linux-gnu -view-isel-dags $f -o /dev/null && ls
; RUN: f=$PWD/%s; cd $(dirname %t) && veridag -mtriple=x86_64-linux-gnu -view-isel-dags -filter-print-funcs=h $f -o /dev/null && ls
; The picture is well-formed and holds the nodes by name.
; RUN: f=$PWD/%s; cd $(dirname %t) && veridag -mtriple=x86_64-linux-gnu -view-isel-dags=isel -view-isel-dags-format=svg $f -o /dev/null && xmllint --noout dag.g.bb0.isel.svg && xmllint --xpath '//*[@class="node"]/*[local-name()="title"]/text()' dag.g.bb0.isel.svg | paste -sd' '; xmllint --xpath '//*[local-name()="text"]/text()' dag.g.bb0.isel.svg | grep -E '^(CMP|JCC|MOV)'
define void @g(ptr %p, i32 %x) {
  %v = load volatile i32, ptr %p
  %m = mul i32 %v, 8
  %c = icmp ult i32 %m, %x
  br i1 %c, label %then, label %end
then:
  store i32 7, ptr %p
  br label %end
end:
  ret void
}
; EXPECT
;| wrote dag.g.bb0.combine1.dot
;| wrote dag.g.bb1.combine1.dot
;| wrote dag.g.bb2.combine1.dot
;| digraph "Optimized lowered selection DAG: %bb.0 'g:0'" {
;|   rankdir="BT";
;|   label="Optimized lowered selection DAG: %bb.0 'g:0'";
;|   n1 [shape=record, label="{entrytoken\nt1|{<r0>ch}}"];
;|   n2 [shape=record, label="{{<o0>0}|copyfromreg\<%0\>\nt2|{<r0>i64|<r1>ch}}"];
;|   n3 [shape=record, label="{{<o0>0}|copyfromreg\<%1\>\nt3|{<r0>i32|<r1>ch}}"];
;|   n4 [shape=record, label="{{<o0>0|<o1>1}|load\<(volatile i32, ir 1, align 4)\>\nt4|{<r0>i32|<r1>ch}}"];
;|   n15 [shape=record, label="{{<o0>0|<o1>\<3\>}|shl\nt15\nmul-pow2|{<r0>i32}}"];
;|   n16 [shape=record, label="{{<o0>0|<o1>1}|setcc.uge\nt16\nnot-setcc-ult|{<r0>i1}}"];
;|   n11 [shape=record, label="{{<o0>0|<o1>1|<o2>basicblock\<2\>}|brcond\nt11|{<r0>ch}}"];
;|   n13 [shape=record, label="{{<o0>0|<o1>basicblock\<1\>}|br\nt13|{<r0>ch}}"];
;|   n2:o0 -> n1:r0 [color=blue, style=dashed];
;|   n3:o0 -> n1:r0 [color=blue, style=dashed];
;|   n4:o0 -> n1:r0 [color=blue, style=dashed];
;|   n4:o1 -> n2:r0;
;|   n15:o0 -> n4:r0;
;|   n16:o0 -> n15:r0;
;|   n16:o1 -> n3:r0;
;|   n11:o0 -> n4:r1 [color=blue, style=dashed];
;|   n11:o1 -> n16:r0;
;|   n13:o0 -> n11:r0 [color=blue, style=dashed];
;|   root [shape=plaintext, label="GraphRoot"];
;|   root -> n13:r0 [color=blue, style=dashed];
;| }
;| digraph "Optimized lowered selection DAG: %bb.1 'g:then'" {
;|   rankdir="BT";
;|   label="Optimized lowered selection DAG: %bb.1 'g:then'";
;|   n1 [shape=record, label="{entrytoken\nt1|{<r0>ch}}"];
;|   n2 [shape=record, label="{{<o0>0}|copyfromreg\<%0\>\nt2|{<r0>i64|<r1>ch}}"];
;|   n4 [shape=record, label="{{<o0>0|<o1>\<7\>|<o2>2}|store\<(i32, ir 1, align 4)\>\nt4|{<r0>ch}}"];
;|   n6 [shape=record, label="{{<o0>0|<o1>basicblock\<2\>}|br\nt6|{<r0>ch}}"];
;|   n2:o0 -> n1:r0 [color=blue, style=dashed];
;|   n4:o0 -> n1:r0 [color=blue, style=dashed];
;|   n4:o2 -> n2:r0;
;|   n6:o0 -> n4:r0 [color=blue, style=dashed];
;|   root [shape=plaintext, label="GraphRoot"];
;|   root -> n6:r0 [color=blue, style=dashed];
;| }
;| digraph "Optimized lowered selection DAG: %bb.2 'g:end'" {
;|   rankdir="BT";
;|   label="Optimized lowered selection DAG: %bb.2 'g:end'";
;|   n1 [shape=record, label="{entrytoken\nt1|{<r0>ch}}"];
;|   n2 [shape=record, label="{{<o0>0}|ret\nt2|{<r0>ch}}"];
;|   n2:o0 -> n1:r0 [color=blue, style=dashed];
;|   root [shape=plaintext, label="GraphRoot"];
;|   root -> n2:r0 [color=blue, style=dashed];
;| }
;| wrote dag.g.bb0.build.dot
;| wrote dag.g.bb0.combine1.dot
;| wrote dag.g.bb0.legalize-types.dot
;| wrote dag.g.bb0.combine2.dot
;| wrote dag.g.bb0.legalize-ops.dot
;| wrote dag.g.bb0.combine3.dot
;| wrote dag.g.bb0.isel.dot
;| wrote dag.g.bb1.build.dot
;| wrote dag.g.bb1.combine1.dot
;| wrote dag.g.bb1.legalize-types.dot
;| wrote dag.g.bb1.combine2.dot
;| wrote dag.g.bb1.legalize-ops.dot
;| wrote dag.g.bb1.combine3.dot
;| wrote dag.g.bb1.isel.dot
;| wrote dag.g.bb2.build.dot
;| wrote dag.g.bb2.combine1.dot
;| wrote dag.g.bb2.legalize-types.dot
;| wrote dag.g.bb2.combine2.dot
;| wrote dag.g.bb2.legalize-ops.dot
;| wrote dag.g.bb2.combine3.dot
;| wrote dag.g.bb2.isel.dot
;| dag.g.bb0.build.dot
;| dag.g.bb0.combine1.dot
;| dag.g.bb0.combine2.dot
;| dag.g.bb0.combine3.dot
;| dag.g.bb0.isel.dot
;| dag.g.bb0.legalize-ops.dot
;| dag.g.bb0.legalize-types.dot
;| dag.g.bb1.build.dot
;| dag.g.bb1.combine1.dot
;| dag.g.bb1.combine2.dot
;| dag.g.bb1.combine3.dot
;| dag.g.bb1.isel.dot
;| dag.g.bb1.legalize-ops.dot
;| dag.g.bb1.legalize-types.dot
;| dag.g.bb2.build.dot
;| dag.g.bb2.combine1.dot
;| dag.g.bb2.combine2.dot
;| dag.g.bb2.combine3.dot
;| dag.g.bb2.isel.dot
;| dag.g.bb2.legalize-ops.dot
;| dag.g.bb2.legalize-types.dot
;| wrote dag.g.bb0.isel.svg
;| wrote dag.g.bb1.isel.svg
;| wrote dag.g.bb2.isel.svg
;| n1 n2 n3 n29 n25 n23 n22 n20 root
;| MOV32rm&lt;(volatile i32, ir 1, align 4)&gt;
;| CMP32rr
;| JCC_1
