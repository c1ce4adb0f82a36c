/* test_mir.c: MIR is read back to the same bytes, and what must not be printed is found. */
#include "mir.h"
#include "../run_suite.h"

#include <stdlib.h>
#include <string.h>

static const char module[] = "--- |\n  define void @f() {\n    ret void\n  }\n  \n...\n";
static const char head[] = "---\nname:            f\nalignment:       16\ntracksRegLiveness: true\n";

/* A whole file around lists and a body. */
static char *file_of(const char *lists, const char *body) {
  char *out = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&out, &n);
  fprintf(f, "%s%s%sbody:             |\n%s...\n", module, head, lists, body);
  fclose(f);
  return out;
}

static const char lists[] =
    "registers:\n"
    "  - { id: 0, class: gr64, preferred-register: '' }\n"
    "  - { id: 1, class: gr32, preferred-register: '' }\n"
    "  - { id: 2, class: gr8, preferred-register: '' }\n"
    "liveins:\n"
    "  - { reg: '$rdi', virtual-reg: '%0' }\n"
    "frameInfo:\n"
    "  maxAlignment:    8\n"
    "  adjustsStack:    true\n"
    "  hasCalls:        false\n"
    "fixedStack:\n"
    "  - { id: 0, type: default, offset: 8, size: 8, alignment: 8, stack-id: default, "
    "isImmutable: true, isAliased: false }\n"
    "stack:\n"
    "  - { id: 0, name: 'it''s', type: default, offset: 0, size: 16, alignment: 8, "
    "stack-id: default }\n"
    "jumpTable:\n"
    "  kind:            block-address\n"
    "  entries:\n"
    "    - id:              0\n"
    "      blocks:          [ '%bb.0', '%bb.1' ]\n";

/* clang-format off */
static const char *const bodies[] = {
    "  bb.0 (%ir-block.0):\n"
    "    successors: %bb.1(0x80000000)\n"
    "    liveins: $rdi\n"
    "  \n"
    "    %0:gr64 = COPY $rdi\n"
    "    %1:gr32 = MOV32rm %0, 1, $noreg, -8, $noreg :: (volatile load monotonic (s32) from %ir.p - 8, align 2)\n"
    "    MOV32mr $rip, 1, $noreg, target-flags(x86-gotpcrel) @\"a b\" + 4, $noreg, killed %1 :: (store (s32))\n"
    "    JMP64m $noreg, 8, %0, %jump-table.0, $noreg :: (load (s64) from jump-table)\n"
    "  \n"
    "  bb.1:\n"
    "    successors: \n"
    "  \n"
    "    %2:gr8 = COPY %1.sub_8bit\n"
    "    LIFETIME_START %stack.0\n"
    "    CALL64pcrel32 &memcpy, csr_64, implicit $rsp, implicit-def dead $eflags\n",
    "  bb.0:\n"
    "    early-clobber %0:gr64, early-clobber %1:gr32 = JumpTableDest32 %fixed-stack.0, %subreg.sub_32, 18446744073\n"
    "    %2:gr8 = PHI undef %1, %bb.0, %2, %bb.0\n"
    "    RET 0, $eax\n",
};
/* clang-format on */

START_TEST(reads_back) {
  char *text = file_of(lists, bodies[_i]), *again = NULL;
  size_t n = 0;
  struct mir_file file;
  const char *error = NULL;
  ck_assert_msg(read_mir(&file, text, strlen(text), &error), "%s", error);
  FILE *out = open_memstream(&again, &n);
  print_mir_file(&file, out);
  fclose(out);
  ck_assert_str_eq(again, text);
  mir_file_free(&file);
  free(text);
  free(again);
}
END_TEST

/* Text that the reader must refuse, and a word of the reason. */
static const struct {
  const char *body, *reason;
} broken[] = {
    {"  bb.0:\n    %9:gr64 = COPY $rdi\n", "not in the list"},
    {"  bb.0:\n    MOV32mr %0, ?\n", "operand"},
    {"  bb.0:\n    MOV32mr %0 :: load\n", "'('"},
    {"    RET 0\n", "instruction"},
    {"  bb.0:\n    RET 0 0\n", "cannot read"},
};

START_TEST(refuses) {
  char *text = file_of(lists, broken[_i].body);
  struct mir_file file;
  const char *error = NULL;
  ck_assert(!read_mir(&file, text, strlen(text), &error));
  ck_assert_ptr_nonnull(strstr(error, broken[_i].reason));
  mir_file_free(&file);
  free(text);
}
END_TEST

/* clang-format off */
static const struct {
  const char *body, *reason; /* NULL: nothing is wrong */
} checked[] = {
    {"  bb.0:\n    liveins: $rdi\n  \n    %0:gr64 = COPY $rdi\n    TEST64rr %0, %0, implicit-def $eflags\n"
     "    %2:gr8 = SETCCr 4, implicit $eflags\n    RET 0\n",
     NULL},
    {"  bb.0:\n    liveins: $rdi\n  \n    %0:gr64 = COPY $rdi\n    TEST64rr %0, %0, implicit-def $eflags\n"
     "    %1:gr32 = MOV32r0 implicit-def dead $eflags\n    %2:gr8 = SETCCr 4, implicit $eflags\n    RET 0\n",
     "reads $eflags"},
    {"  bb.0:\n    liveins: $rdi\n  \n    %0:gr64 = COPY $rdi\n    TEST64rr %0, %0, implicit-def $eflags\n"
     "    CALL64pcrel32 &g, csr_64, implicit $rsp, implicit-def $rsp\n    JCC_1 %bb.0, 4, implicit $eflags\n",
     "reads $eflags"},
    {"  bb.0:\n    %0:gr64 = COPY $rdi\n    RET 0\n", "reads $rdi"},
    {"  bb.0:\n    liveins: $rcx\n  \n    %0:gr64 = COPY $rcx\n    $cl = COPY %0.sub_8bit\n    %1:gr32 = COPY $ecx\n"
     "    RET 0\n",
     NULL},
    {"  bb.0:\n    %1:gr32 = MOV32ri 1\n    %1:gr32 = MOV32ri 2\n    RET 0\n", "two definitions"},
    {"  bb.0:\n    %1:gr32 = NOT32r %0\n    RET 0\n", "no definition"},
};
/* clang-format on */

START_TEST(checks) {
  char *text = file_of(lists, checked[_i].body);
  struct mir_file file;
  const char *error = NULL;
  ck_assert_msg(read_mir(&file, text, strlen(text), &error), "%s", error);
  struct arena a = {0};
  const char *wrong = mir_check(&file.functions.at[0], &a);
  if (checked[_i].reason) {
    ck_assert_ptr_nonnull(wrong);
    ck_assert_ptr_nonnull(strstr(wrong, checked[_i].reason));
  } else
    ck_assert_msg(!wrong, "%s", wrong);
  arena_free(&a);
  mir_file_free(&file);
  free(text);
}
END_TEST

START_TEST(registers_overlap) {
  static const char *const same[][2] = {
      {"al", "eax"}, {"cl", "rcx"}, {"w3", "x3"}, {"r8d", "r8"}, {"ah", "ax"}};
  static const char *const apart[][2] = {
      {"eax", "ecx"}, {"edi", "edx"}, {"w1", "x11"}, {"r8", "r9"}, {"esi", "edi"}};
  for (unsigned i = 0; i < 5; i++) {
    ck_assert_msg(mir_same_register(same[i][0], same[i][1]), "%s %s", same[i][0], same[i][1]);
    ck_assert_msg(!mir_same_register(apart[i][0], apart[i][1]), "%s %s", apart[i][0], apart[i][1]);
  }
}
END_TEST

int main(void) {
  TCase *t = tcase_create("text");
  tcase_add_loop_test(t, reads_back, 0, sizeof bodies / sizeof *bodies);
  tcase_add_loop_test(t, refuses, 0, sizeof broken / sizeof *broken);
  tcase_add_loop_test(t, checks, 0, sizeof checked / sizeof *checked);
  tcase_add_test(t, registers_overlap);
  return run_suite("mir", t);
}
