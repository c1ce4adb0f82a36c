// descriptors.cpp: compares every instruction of our tables with LLVM's own descriptor, read from the
// installed LLVM's MC tables: operands, register classes, ties, implicit registers, load, store and
// terminator.
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "llvm/Config/llvm-config.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

extern "C" {
#include "tests/tables/rows.h"
}

using namespace llvm;

namespace {

struct Compare {
  const rows &Ours;
  std::unique_ptr<MCInstrInfo> Insts;
  std::unique_ptr<MCRegisterInfo> Regs;
  std::unique_ptr<MCSubtargetInfo> Subtarget;
  unsigned Faults = 0;

  void fault(const char *Inst, const std::string &What) {
    std::fprintf(stderr, "FAIL: %s %s: %s\n", Ours.name, Inst, What.c_str());
    Faults++;
  }

  int opcode(const char *Name) {
    for (unsigned I = 0; I < Insts->getNumOpcodes(); I++)
      if (Insts->getName(I) == Name) return int(I);
    return -1;
  }

  // LLVM's register class of an operand, -1 for any.
  int classOf(const MCOperandInfo &Info) {
#if LLVM_VERSION_MAJOR >= 22
    return Insts->getOpRegClassID(Info, Subtarget->getHwMode(MCSubtargetInfo::HwMode_RegInfo));
#else
    return Info.isLookupPtrRegClass() ? -1 : Info.RegClass;
#endif
  }

  static bool isRegister(const MCOperandInfo &Info) {
#if LLVM_VERSION_MAJOR >= 22
    if (Info.isLookupRegClassByHwMode()) return true;
#else
    if (Info.isLookupPtrRegClass()) return true;
#endif
    return Info.OperandType == MCOI::OPERAND_REGISTER || Info.RegClass >= 0;
  }

  // A class of ours may be narrower than LLVM's: llc then has nothing to constrain.
  bool isSubclass(const std::string &Our, const MCRegisterClass &Theirs) {
    for (const MCRegisterClass &C : Regs->regclasses()) {
      if (StringRef(Regs->getRegClassName(&C)).lower() != Our) continue;
      for (MCPhysReg R : C)
        if (!Theirs.contains(R)) return false;
      return true;
    }
    return false;
  }

  void operand(const MCInstrDesc &D, const char *Name, unsigned At, const row_operand &O, unsigned Part) {
    const MCOperandInfo &Info = D.operands()[At];
    std::string Where = "operand " + std::to_string(At) + ": ";
    bool IsReg = isRegister(Info);
    if (O.kind == ROW_REG) {
      if (!IsReg) return fault(Name, Where + "ours is a register, theirs is not");
      int Class = classOf(Info);
      if (Class >= 0 && !isSubclass(O.mir, Regs->getRegClass(unsigned(Class))))
        fault(Name, Where + O.mir + " is no subclass of " +
                        Regs->getRegClassName(&Regs->getRegClass(unsigned(Class))));
      int Tied = D.getOperandConstraint(At, MCOI::TIED_TO);
      if (Tied != O.tied)
        fault(Name, Where + "tied to " + std::to_string(O.tied) + ", theirs to " + std::to_string(Tied));
    } else if (O.kind == ROW_IMM && IsReg)
      fault(Name, Where + "ours is an immediate, theirs a register");
    else if (O.kind == ROW_MEM) {
      bool OurReg = O.part_is_reg[Part];
      if (OurReg != IsReg)
        fault(Name, Where + (OurReg ? "this part of our address is a register, theirs is not"
                                    : "theirs is a register, this part of our address is not"));
      else if (OurReg && O.part_class[Part]) {
        int Class = classOf(Info);
        if (Class >= 0 && !isSubclass(O.part_class[Part], Regs->getRegClass(unsigned(Class))))
          fault(Name, Where + O.part_class[Part] + " is no subclass of " +
                          Regs->getRegClassName(&Regs->getRegClass(unsigned(Class))));
      }
    }
  }

  void implicit(const char *Name, const char *What, ArrayRef<MCPhysReg> Theirs, const char *const *Mine,
                unsigned N) {
    std::set<std::string> A, B(Mine, Mine + N);
    for (MCPhysReg R : Theirs) A.insert(StringRef(Regs->getName(R)).lower());
    if (A == B) return;
    std::string Text = std::string(What) + " differ: ours";
    for (const std::string &S : B) Text += " " + S;
    Text += ", theirs";
    for (const std::string &S : A) Text += " " + S;
    fault(Name, Text);
  }

  void instruction(unsigned I) {
    row R;
    get_row(&Ours, I, &R);
    int Op = opcode(R.name);
    if (Op < 0) return fault(R.name, "LLVM has no such instruction");
    const MCInstrDesc &D = Insts->get(unsigned(Op));
    unsigned Count = 0;
    for (unsigned K = 0; K < R.noperand; K++) Count += R.operand[K].nmir;
    if (D.getNumDefs() != R.nout)
      fault(R.name,
            "ours has " + std::to_string(R.nout) + " results, theirs " + std::to_string(D.getNumDefs()));
    if (D.getNumOperands() != Count && !D.isVariadic())
      return fault(R.name, "ours has " + std::to_string(Count) + " operands, theirs " +
                               std::to_string(D.getNumOperands()));
    unsigned At = 0;
    for (unsigned K = 0; K < R.noperand; K++)
      for (unsigned P = 0; P < R.operand[K].nmir; P++) operand(D, R.name, At++, R.operand[K], P);
    implicit(R.name, "implicit uses", D.implicit_uses(), R.use, R.nuse);
    implicit(R.name, "implicit definitions", D.implicit_defs(), R.def, R.ndef);
    if (D.mayLoad() != R.load)
      fault(R.name, R.load ? "ours loads, theirs does not" : "theirs loads, ours does not");
    if (D.mayStore() != R.store)
      fault(R.name, R.store ? "ours stores, theirs does not" : "theirs stores, ours does not");
    if (D.isTerminator() != R.term)
      fault(R.name, R.term ? "ours ends a block, theirs does not" : "theirs ends a block, ours does not");
  }
};

bool compareTarget(const rows &Ours) {
  std::string Error, Name = Ours.triple;
  Triple TT(Name);
  const Target *T = TargetRegistry::lookupTarget(TT, Error);
  if (!T) {
    std::fprintf(stderr, "%s: %s\n", Ours.name, Error.c_str());
    return false;
  }
  Compare C{Ours, std::unique_ptr<MCInstrInfo>(T->createMCInstrInfo()),
            std::unique_ptr<MCRegisterInfo>(T->createMCRegInfo(TT)),
            std::unique_ptr<MCSubtargetInfo>(T->createMCSubtargetInfo(TT, "", ""))};
  for (unsigned I = 0; I < Ours.ninst; I++) C.instruction(I);
  std::printf("%s: %u instructions compared with LLVM's, %u differences\n", Ours.name, Ours.ninst, C.Faults);
  return C.Faults == 0 && Ours.ninst > 0;
}

} // namespace

int main() {
  InitializeAllTargetInfos();
  InitializeAllTargetMCs();
  rows Targets[8];
  unsigned N = load_rows(Targets, 8);
  bool Ok = N > 0;
  for (unsigned I = 0; I < N; I++) Ok &= compareTarget(Targets[I]);
  free_rows(Targets, N);
  return Ok ? 0 : 1;
}
