"""Codes of the order of counters; races are among the codes of runs."""

from __future__ import annotations

from nasm.base.problems import Severity
from nasm.language.codes.row import Code

ROWS = (
    Code(
        "E0540",
        "a counter is set without an order with its other uses",
        "Setting a semaphore or an event, or clearing a range of semaphores, discards what was "
        "posted before. So each set has to come before or after every other update and every wait "
        "of that counter, regardless of the timing. This one does not: the value that the wait "
        "sees, or the update that is kept, depends on timing. Let the instruction that sets the "
        "counter wait until its value is no longer needed, and those that use it next wait for "
        "the set.",
        ".event  e\n@sync   EventSemaphore  $e = 1\n"
        "@vector EventSemaphore  $e == 1\n@scalar EventSemaphore  $e == 1  $e = 0",
        ".event  e\n@sync   EventSemaphore  $e = 1\n@vector EventSemaphore  $e == 1  $done++\n"
        "@scalar EventSemaphore  $done >= 1  $e = 0",
    ),
    Code(
        "E0541",
        "a wait for just a value that may be overrun",
        "The instruction waits until a semaphore has just this value, and updates that need not "
        "come after the wait may carry it past. If that happens before the wait sees the value, "
        "it waits forever. Wait with `>=`, or let the later updates wait for this instruction.",
        "@sync   EventSemaphore  $done++\n@scalar EventSemaphore  $done++\n"
        "@vector EventSemaphore  $done == 1\n@vector EventSemaphore  $done == 2",
        "@sync   EventSemaphore  $done++\n@scalar EventSemaphore  $done++\n"
        "@vector EventSemaphore  $done >= 1\n@vector EventSemaphore  $done == 2",
        severity=Severity.WARNING,
    ),
    Code(
        "E0542",
        "a run too long for its order to be judged as a whole",
        "What a run executes is kept until its order has been judged, up to 1,000,000 "
        "instructions. Of those after that only loops are judged, if all of their rounds do the "
        "same and are in order; if not they run as always, but are not checked for races.",
        severity=Severity.NOTE,
    ),
    Code(
        "E0543",
        "a wait that may see what has been taken",
        "A queue takes from a semaphore when an instruction completes, and a later instruction of "
        "it waits for the same semaphore. The wait may be looked at before the take is complete: "
        "then it is over by what was taken already, and something is missing later. Take with "
        "`@read`, or let something in between wait for the take to complete. It is not reported "
        "where it does no harm: nothing races, and every wait is sure to end.",
        "@sync   EventSemaphore  $done += 2\n@vector EventSemaphore  $done >= 1  $done--\n"
        "@vector EventSemaphore  $done >= 1  $done--\n@scalar EventSemaphore  $done >= 1",
        "@sync   EventSemaphore  $done += 3\n@vector EventSemaphore  $done >= 1  $done-- @read\n"
        "@vector EventSemaphore  $done >= 1  $done-- @read\n"
        "@scalar EventSemaphore  $done >= 1",
        severity=Severity.WARNING,
    ),
    Code(
        "E0546",
        "a branch or an address that depends on the timing",
        "An instruction reads a number on which a branch or an address depends. What it reads may "
        "be different under another timing: it is in a race, or follows from something that is, or "
        "two transfers add to it in either order, and a sum in float32 depends on that order. "
        "Then other instructions are executed, or other bytes touched, than in this run, and only "
        "this run was judged. Put the two lines that are named in order.",
        ".sbuf n i32[1, 1] = zeros\n@vector Memset n, 3\n@sync\n    TensorLoad %r0, n\n"
        "    CompareBranch %r0, 1, op=equal, target=end\n    Nop\nend:\n    Nop",
        ".sbuf n i32[1, 1] = zeros\n@vector Memset n, 3 $done++\n@sync\n"
        "    TensorLoad %r0, n $done >= 1\n"
        "    CompareBranch %r0, 1, op=equal, target=end\n    Nop\nend:\n    Nop",
        severity=Severity.WARNING,
    ),
)
