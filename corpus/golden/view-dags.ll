; The graph of one phase as DOT: operand slots above, the operation, result types below; leaves in the slots that use
; them, chain edges blue and dashed, glue edges red.
; RUN: f=$PWD/%s; cd $(dirname %t) && veridag -mtriple=x86_64-linux-gnu -view-isel-dags=combine1 -filter-print-funcs=g $f -o /dev/null && cat *.dot
; All phases of every block; one phase of one function, in which glue holds a call, its registers and its result together.
; RUN: f=$PWD/%s; cd $(dirname %t) && veridag -mtriple=aarch64-linux-gnu -view-isel-dags $f -o /dev/null && ls
; RUN: f=$PWD/%s; cd $(dirname %t) && veridag -mtriple=x86_64-linux-gnu -view-isel-dags=isel -filter-print-funcs=h $f -o /dev/null && ls && cat *.dot
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
define i64 @h(i32 %x) {
  %r = call i32 @e(i32 %x, i32 5)
  %z = zext i32 %r to i64
  ret i64 %z
}
declare i32 @e(i32, i32)
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
;| wrote dag.h.bb0.build.dot
;| wrote dag.h.bb0.combine1.dot
;| wrote dag.h.bb0.legalize-types.dot
;| wrote dag.h.bb0.combine2.dot
;| wrote dag.h.bb0.legalize-ops.dot
;| wrote dag.h.bb0.combine3.dot
;| wrote dag.h.bb0.isel.dot
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
;| dag.h.bb0.build.dot
;| dag.h.bb0.combine1.dot
;| dag.h.bb0.combine2.dot
;| dag.h.bb0.combine3.dot
;| dag.h.bb0.isel.dot
;| dag.h.bb0.legalize-ops.dot
;| dag.h.bb0.legalize-types.dot
;| wrote dag.h.bb0.isel.dot
;| dag.h.bb0.isel.dot
;| digraph "Selected selection DAG: %bb.0 'h:0'" {
;|   rankdir="BT";
;|   label="Selected selection DAG: %bb.0 'h:0'";
;|   n1 [shape=record, label="{entrytoken\nt1|{<r0>ch}}"];
;|   n2 [shape=record, label="{{<o0>0}|copyfromreg\<%0\>\nt2|{<r0>i32|<r1>ch}}"];
;|   n5 [shape=record, label="{{<o0>0}|callseq_start\nt5|{<r0>ch}}"];
;|   n6 [shape=record, label="{{<o0>0|<o1>1}|copytoreg\<$edi\>\nt6|{<r0>ch|<r1>glue}}"];
;|   n18 [shape=record, label="{{<o0>\<5\>}|MOV32ri\nt18\nx86-64.MOV32ri|{<r0>i32}}"];
;|   n7 [shape=record, label="{{<o0>0|<o1>1|<o2>2}|copytoreg\<$esi\>\nt7|{<r0>ch|<r1>glue}}"];
;|   n8 [shape=record, label="{{<o0>0|<o1>targetglobaladdr\<@e [TF=1]\>|<o2>2}|call\nt8|{<r0>ch|<r1>glue}}"];
;|   n9 [shape=record, label="{{<o0>0|<o1>1}|callseq_end\nt9|{<r0>ch|<r1>glue}}"];
;|   n10 [shape=record, label="{{<o0>0|<o1>1}|copyfromreg\<$eax\>\nt10|{<r0>i32|<r1>ch|<r2>glue}}"];
;|   n14 [shape=record, label="{{<o0>0}|MOV32rr\nt14\nx86-64.zext64-32|{<r0>i32}}"];
;|   n16 [shape=record, label="{{<o0>0|<o1>sub_32bit}|SUBREG_TO_REG\nt16\nx86-64.zext64-32|{<r0>i64}}"];
;|   n12 [shape=record, label="{{<o0>0|<o1>1}|copytoreg\<$rax\>\nt12|{<r0>ch|<r1>glue}}"];
;|   n13 [shape=record, label="{{<o0>0|<o1>1}|ret\nt13|{<r0>ch}}"];
;|   n2:o0 -> n1:r0 [color=blue, style=dashed];
;|   n5:o0 -> n1:r0 [color=blue, style=dashed];
;|   n6:o0 -> n5:r0 [color=blue, style=dashed];
;|   n6:o1 -> n2:r0;
;|   n7:o0 -> n6:r0 [color=blue, style=dashed];
;|   n7:o1 -> n18:r0;
;|   n7:o2 -> n6:r1 [color=red, style=bold];
;|   n8:o0 -> n7:r0 [color=blue, style=dashed];
;|   n8:o2 -> n7:r1 [color=red, style=bold];
;|   n9:o0 -> n8:r0 [color=blue, style=dashed];
;|   n9:o1 -> n8:r1 [color=red, style=bold];
;|   n10:o0 -> n9:r0 [color=blue, style=dashed];
;|   n10:o1 -> n9:r1 [color=red, style=bold];
;|   n14:o0 -> n10:r0;
;|   n16:o0 -> n14:r0;
;|   n12:o0 -> n10:r1 [color=blue, style=dashed];
;|   n12:o1 -> n16:r0;
;|   n13:o0 -> n12:r0 [color=blue, style=dashed];
;|   n13:o1 -> n12:r1 [color=red, style=bold];
;|   root [shape=plaintext, label="GraphRoot"];
;|   root -> n13:r0 [color=blue, style=dashed];
;| }
;| wrote dag.g.bb0.isel.svg
;| wrote dag.g.bb1.isel.svg
;| wrote dag.g.bb2.isel.svg
;| wrote dag.h.bb0.isel.svg
;| n1 n2 n3 n29 n25 n23 n22 n20 root
;| MOV32rm&lt;(volatile i32, ir 1, align 4)&gt;
;| CMP32rr
;| JCC_1
