"""Codes of what `check` alone reports. None but E0544 fails a program."""

from __future__ import annotations

from nasm.base.problems import Severity
from nasm.language.codes.row import Code

ROWS = (
    Code(
        "E0530",
        "a wait for what nothing posts",
        "No instruction that can be reached updates the semaphore or event, so that every wait "
        "for it is forever. `neuron-nasm check` reports every such wait that the run without "
        "values does not prove to be a deadlock (E0510): one that it did not reach, or that a "
        "branch may skip.",
        ".target trn1\n.sem go\n@sync\n    RegisterMove %r0, 1\n"
        "    CompareBranch %r0, 1, op=equal, target=end\n    Nop $go >= 1\nend:\n    Nop",
        ".target trn1\n.sem go\n@vector Nop $go++\n@sync\n    RegisterMove %r0, 1\n"
        "    CompareBranch %r0, 1, op=equal, target=end\n    Nop $go >= 1\nend:\n    Nop",
        severity=Severity.WARNING,
    ),
    Code(
        "E0531",
        "posts that nothing waits for",
        "The semaphore or event is updated, and no instruction waits for it. Either a wait is "
        "missing, and something is not in order, or the update is not needed. An update at the end "
        "of a program orders its outputs only if the last instruction of some queue waits for it: "
        "the host reads them when every queue is done.",
        "@vector Memset a, 1.0 $done++",
        "@vector Memset a, 1.0 $done++\n@sync Nop $done >= 1",
        severity=Severity.NOTE,
    ),
    Code(
        "E0532",
        "a wait that orders nothing",
        "Without the wait all would be in the same order, in every round of its line: it is for no "
        "more than the counter has from the start, its queue has waited for as much before, or "
        "other waits see to it already. It does no harm. In a loop whose first rounds wait for 0 "
        "the other rounds may be meant to order something, which this number of rounds has none "
        "of.",
        "@vector Memset a, 1.0 $done++\n@sync Nop $done >= 1\n@sync Nop $done >= 1",
        "@vector Memset a, 1.0 $done++\n@vector Memset b, 1.0 $done++\n"
        "@sync Nop $done >= 1\n@sync Nop $done >= 2",
        severity=Severity.NOTE,
    ),
    Code(
        "E0533",
        "an instruction on which nothing depends",
        "Nothing that leads to an output, an expectation, an update, a branch, a transfer or a "
        "message reads what the instruction writes, in any round of its line. Often its store is "
        "missing, or another tensor is read by mistake. A tensor on chip that is looked at only "
        "with `--out`, or in the debugger, is found too.",
        "@vector Memset a, 1.0",
        "@vector Memset c, 1.0 $done++\n@sync DmaCopy C, c $done >= 1 $loaded += 16\n"
        "@sync Nop $loaded >= 16",
        severity=Severity.NOTE,
    ),
    Code(
        "E0534",
        "instructions that are never reached",
        "A branch before them always goes elsewhere, and no branch leads to them. A branch counts "
        "as always taken if its condition is in its operands, as with `op=always`.",
        ".target trn1\n@sync\n    CompareBranch target=end\n    Nop\nend:\n    Nop",
        ".target trn1\n@sync\n    CompareBranch target=end\nend:\n    Nop",
        severity=Severity.WARNING,
    ),
    Code(
        "E0535",
        "a program that was followed only in part",
        "`neuron-nasm check` follows a program without computing a value. Where a branch depends "
        "on what memory holds both ways are followed, and an address may be any that its register "
        "may hold. That ends after 64 ways, as of a loop whose number of rounds depends on a "
        "value; and after `--max-instructions`: then order, deadlocks and faults on other ways, or "
        "of what comes later, are not known, and `run` finds them. What follows from the text "
        "alone is reported for the whole program.",
        ".target trn1\n.hbm n i32[1, 1] input = [[5]]\n@sync\n    TensorLoad %r0, n\nagain:\n"
        "    RegisterAlu %r0, %r0, 1, op=subtract\n"
        "    CompareBranch %r0, 0, op=greater, target=again\n    Nop",
        ".target trn1\n@sync\n    RegisterMove %r0, 5\nagain:\n"
        "    RegisterAlu %r0, %r0, 1, op=subtract\n"
        "    CompareBranch %r0, 0, op=greater, target=again\n    Nop",
        severity=Severity.NOTE,
    ),
    Code(
        "E0544",
        "a program that hangs under another timing",
        "In this run every wait was over at some time. In another execution of the same program "
        "one is not: what it waits for was taken by another one first, or set to something else. "
        "`neuron-nasm check` tries the orders of all waits, takes and sets that can matter; the "
        "note has one in which it hangs. Let each that waits have a semaphore of its own, or let "
        "the one come after the other.",
        "@sync   EventSemaphore  $done++\n@vector EventSemaphore  $done >= 1\n"
        "@scalar Nop\n@scalar Nop\n@scalar Nop\n@scalar EventSemaphore  $done >= 1  $done--",
        "@sync   EventSemaphore  $done += 2\n@vector EventSemaphore  $done >= 1\n"
        "@scalar EventSemaphore  $done >= 1  $done--",
    ),
    Code(
        "E0545",
        "a race for some values",
        "Values decide which way a branch goes, or which bytes an address means. For some of them "
        "two lines touch the same bytes and nothing orders them, as far as `neuron-nasm check` "
        "knows: it follows both ways of each branch, knows the bounds of each register, and that "
        "loads of the same number are the same. The notes say on which way, and give values with "
        "which a run has the race, if some were found. A race for every input is E0502.",
        ".hbm n i32[1, 1] input = [[0]]\n@vector Memset a, 1.0 $done++\n@gpsimd\n"
        "    TensorLoad %r0, n\n    CompareBranch %r0, 1, op=equal, target=now\n"
        "    Nop $done >= 1\nnow:\n    TensorCopy c[:, 0:128], a",
        ".hbm n i32[1, 1] input = [[0]]\n@vector Memset a, 1.0 $done++\n@gpsimd\n"
        "    TensorLoad %r0, n $done >= 1\n    CompareBranch %r0, 1, op=equal, target=now\n"
        "    Nop\nnow:\n    TensorCopy c[:, 0:128], a",
        severity=Severity.WARNING,
    ),
)
