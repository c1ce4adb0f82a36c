#!/usr/bin/env bash
# Prints the trusted base with its line counts, as the README explains it.
cd "$(dirname "$0")/.." || exit 2
row() { # what files...
  local what=$1
  shift
  printf '%6d  %s\n' "$(cat "$@" | wc -l)" "$what"
}
row 'meaning: operations, functions, routines (.isel)' semantics/ops.isel semantics/fns.isel semantics/routines.isel
row 'meaning: instructions and flags of both targets (.isel)' targets/x86-64/*.isel targets/aarch64/*.isel
row 'rule language: reader and checker' semantics/rulec/reader.c semantics/rulec/check*.c semantics/rulec/check.h semantics/rulec/sexp.h
row 'prover: terms, obligations, ring rung, abstractions' semantics/smt.c verify/{obligation,side,memory,machine,instances,ladder,split,abstract}.c verify/ring*.c verify/poly.c
row 'tables: compiler, matcher, facts' semantics/rulec/{build,commute,order,pattern,tail,trie,zero_upper}.c semantics/rulec/emit_*.c selector/match*.c selector/select.c selector/{known_bits,abstract}.c
row 'engine: DAG, combiner, legalizers' selector/dag.c selector/combine.c selector/legal*.c
row 'IR in: reader and builder' selector/read_{llvm,values,insts}.c selector/ir.c selector/build_*.c
row 'calling conventions' targets/*/abi.c
row 'MIR out: scheduler, creation, printer' selector/{schedule,create,mir,print_mir}.c
