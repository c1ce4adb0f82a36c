#!/usr/bin/env bash
# Prints the trusted base with its line counts, as the README explains it. Exit 1 when a C file is in neither list below:
# whoever adds one says whether a proof or a selection rests on it.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
seen=()
row() { # what files...
  local what=$1 lines
  shift
  lines=$(cat "$@" | wc -l) || { echo "trusted-base: a file of '$what' is missing" >&2; exit 1; }
  seen+=("$@")
  printf '%6d  %s\n' "$lines" "$what"
}
# Counterexamples and their replay, checks that only ever refuse, proposals that a guard checks, and the programs.
untrusted=(verify/{show,replay,concrete,concrete_machine,ring_check}.c
           selector/{main,options,pipeline,dag_print,draw_dag,dag_check,print_ir,read_mir,mir_check,match_naive,oracle,rank}.c
           targets/template/abi.c)
mapfile -t prover < <(printf '%s\n' verify/*.c | grep -vxF -f <(printf '%s\n' "${untrusted[@]}"))

row 'meaning: operations, functions, routines (.isel)' semantics/{ops,fns,routines}.isel
row 'meaning: instructions and flags of both targets (.isel)' targets/{x86-64,aarch64}/*.isel
row 'rule language: reader, checker, types' semantics/rulec/{reader.c,check*.c,check.h,sexp.h} semantics/{instances,types}.c semantics/util/*.c
row 'values: bit-vectors, evaluator, terms of Z3' semantics/{bv,eval,smt}.c
row 'prover: obligations, the rungs, reports' "${prover[@]}"
row 'tables: compiler, matcher, facts' semantics/rulec/{main,build,commute,order,pattern,tail,trie,zero_upper}.c semantics/rulec/emit_*.c \
  selector/{match,match_addr,match_build,match_facts,match_fold,match_names,select,known_bits,abstract}.c
row 'engine: DAG, combiner, legalizers' selector/{dag,combine,access,workspace}.c selector/legal*.c
row 'IR in: reader and builder' selector/{read_llvm,read_values,read_insts,ir,select_function}.c selector/build_*.c
row 'calling conventions' targets/{x86-64,aarch64}/abi.c targets/targets.c
row 'MIR out: scheduler, creation, printer' selector/{schedule,create,mir,print_mir}.c

for f in "${untrusted[@]}"; do [ -f "$f" ] || { echo "trusted-base: $f is listed and not there" >&2; exit 1; }; done
mapfile -t neither < <(find semantics selector targets verify -name '*.c' | LC_ALL=C sort | grep -vxF -f <(printf '%s\n' "${seen[@]}" "${untrusted[@]}"))
[ ${#neither[@]} -eq 0 ] || { echo "trusted-base: in neither list: ${neither[*]}" >&2; exit 1; }
