"""Codes of running a program, and of what cannot be run: E0501 to E0523, E0601 and E0701."""

from __future__ import annotations

from nasm.base.problems import Severity
from nasm.language.codes.row import Code

ROWS = (
    Code(
        "E0501",
        "a read of uninitialised memory",
        "The instruction reads elements that no input initialised and no instruction before it "
        "wrote; they read as NaN if they are floating-point. Where the writer exists and nothing "
        "orders the two, that is reported as a race instead (E0502).\n"
        "\n"
        "Accumulating into uninitialised memory is the same mistake: the first matmul of a group "
        "has to overwrite.",
        "@vector TensorCopy  c, b",
        "@sync   DmaCopy     b, B   $loaded += 16\n@vector TensorCopy  c, b   $loaded >= 16",
    ),
    Code(
        "E0502",
        "a race: two accesses without an order",
        "Two accesses touch the same bytes, one of them writes, and nothing orders the two: no "
        "wait, no meeting of cores, no interlock of an engine. That is found whether or not the "
        "timing of this run was kind. On hardware the outcome depends on timing. Let the one that "
        "comes first update a semaphore when it is over, and the other wait for it: the hint says "
        "which, and for which count.",
        "@gpsimd Memset      c, 1.0\n@vector TensorCopy  c, c",
        "@gpsimd Memset      c, 1.0   $done++\n@vector TensorCopy  c, c     $done >= 1",
    ),
    Code(
        "E0503",
        "engine state is used before it is loaded",
        "Some instructions leave state in the engine for later ones: a stationary tile, match "
        "values, accumulators. This one uses such state before it was loaded, or at a position or "
        "size for which none is loaded, or Vector's accumulators after an instruction with "
        "`reduce_cmd=idle`, which leaves them undefined.",
        "@tensor MultiplyMoving  acc, b",
        "@sync   DmaCopy  a, A  $loaded += 16\n"
        "@sync   DmaCopy  b, B  $loaded += 16\n"
        "@tensor LoadStationary  a       $loaded >= 32\n"
        "@tensor MultiplyMoving  acc, b",
        ends=True,
    ),
    Code(
        "E0504",
        "a semaphore overflows",
        "A semaphore is a signed 32-bit integer. The update would leave that range.",
        "@sync EventSemaphore  $done += 2147483647\n@sync EventSemaphore  $done++",
        "@sync EventSemaphore  $done += 2147483646\n@sync EventSemaphore  $done++",
        ends=True,
    ),
    Code(
        "E0505",
        "an uninitialised register",
        "The instruction reads a register that no earlier instruction of its engine has set; it "
        "reads as 0. Each engine has its own registers: setting one on another engine has no "
        "effect here.",
        "@scalar RegisterAlu   %r0, %r1, 1, op=add",
        "@scalar RegisterMove  %r1, 5\n@scalar RegisterAlu   %r0, %r1, 1, op=add",
    ),
    Code(
        "E0506",
        "a register points outside its tensor",
        "The start of a view comes from a register, and with its present value the view would "
        "leave the tensor. The message says which values are legal.",
        "@vector RegisterMove  %r0, 512\n@vector Memset  c[:, %r0 : +1], 0.0",
        "@vector RegisterMove  %r0, 511\n@vector Memset  c[:, %r0 : +1], 0.0",
        ends=True,
    ),
    Code(
        "E0507",
        "an instruction does not match what was loaded",
        "The engine's state was loaded in one mode and is used in another. Both instructions "
        "have to name the same modes.",
        "@vector Memset  a, 1.0   $done++\n@vector Memset  b, 1.0   $done++\n"
        "@tensor LoadStationary  a, is_transpose=true   $done >= 2\n"
        "@tensor MultiplyMoving  acc, b",
        "@vector Memset  a, 1.0   $done++\n@vector Memset  b, 1.0   $done++\n"
        "@tensor LoadStationary  a   $done >= 2\n"
        "@tensor MultiplyMoving  acc, b",
        ends=True,
    ),
    Code(
        "E0508",
        "an entry points outside its tensor",
        "A tile of indices selects the columns or rows of an operand, or its start. An entry of "
        "it, as it was when the instruction started, is out of bounds. The message names the "
        "entry, its value and the legal ones; uninitialised entries are -1. A DMA with "
        "`oob_mode=skip` skips such rows.",
        ".sbuf  at  i32[1, 1]\n@vector Memset  at, 512\n"
        "@vector Memset  c, 0.0\n"
        "@vector TensorCopy  acc[:, 0:1], c.ap([[512, 128], [1, 1]], scalar_offset=at, "
        "indirect_dim=1)",
        ".sbuf  at  i32[1, 1]\n@vector Memset  at, 511\n"
        "@vector Memset  c, 0.0\n"
        "@vector TensorCopy  acc[:, 0:1], c.ap([[512, 128], [1, 1]], scalar_offset=at, "
        "indirect_dim=1)",
        ends=True,
    ),
    Code(
        "E0509",
        "accumulating into what another kind of instruction wrote",
        "On NeuronCore-v2 and v3 a matmul accumulates in PSUM only onto the result of another "
        "matmul. If Vector, Scalar or a DMA wrote there last, the vendor calls the result "
        "undefined; for v4 there is no such restriction. nasm computes the sum anyway, so that the "
        "run can continue. Let the first matmul of a group overwrite.",
        "@vector Memset          acc, 0.0   $done++\n"
        "@vector Memset          a, 1.0     $done++\n"
        "@vector Memset          b, 1.0     $done++\n"
        "@tensor LoadStationary  a          $done >= 3\n"
        "@tensor MultiplyMoving  acc, b, accumulate=true",
        "@vector Memset          a, 1.0     $done++\n"
        "@vector Memset          b, 1.0     $done++\n"
        "@tensor LoadStationary  a          $done >= 2\n"
        "@tensor MultiplyMoving  acc, b\n"
        "@tensor MultiplyMoving  acc, b, accumulate=true",
    ),
    Code(
        "E0510",
        "a deadlock",
        "No event is left, and some queues still wait. There is one report for each cause: a "
        "queue whose wait nothing can satisfy, or several that wait for each other; queues that "
        "only wait for these are listed below. For each queue the notes say what it waits for, "
        "how much is missing, and what became of it: 'nothing in the program updates it' is a "
        "forgotten or misspelt update, 'every update of it has been made' a wrong count, 'jumped "
        "over', 'cleared' and 'took' name who did so, and 'would come from' leads to the next "
        "queue that is blocked. A deadlock is detected from the state of the machine, never by a "
        "timeout.",
        "@sync EventSemaphore  $loaded >= 16",
        "@sync DmaCopy  a, A   $loaded += 16\n@sync EventSemaphore  $loaded >= 16",
        ends=True,
    ),
    Code(
        "E0511",
        "a limit of the run was reached",
        "The program was still running after the number of instructions that "
        "`--max-instructions` allows (10,000,000 unless it is given; 0 or `none` is no limit), or "
        "of cycles of the base clock that `--max-cycles` allows. In Python they are "
        "`max_instructions=` and `max_cycles=`. The table shows how far each engine got. Either "
        "the limit is too low, or a loop does not terminate: look at the register that its "
        "branch compares.",
        "$ neuron-nasm run prog.nasm --max-cycles 100",
        "$ neuron-nasm run prog.nasm --max-cycles 1000000",
        ends=True,
    ),
    Code(
        "E0512",
        "mismatched instructions in a rendezvous of cores",
        "In a rendezvous, instructions of several cores wait for each other and then execute "
        "together. They have to match: the same shape and dtype on both sides, a sender for "
        "every receiver, and one instruction of each core at a time.",
        ".target trn2\n.sbuf  a  f32[1, 8] = zeros\n.sbuf  c  f32[1, 8]\n"
        "@gpsimd SendRecv  c, a, send_to_rank=1, recv_from_rank=1, pipe_id=0\n"
        ".core 1\n.sbuf  b  f32[1, 4] = zeros\n.sbuf  d  f32[1, 4]\n"
        "@gpsimd SendRecv  d, b, send_to_rank=0, recv_from_rank=0, pipe_id=0",
        ".target trn2\n.sbuf  a  f32[1, 8] = zeros\n.sbuf  c  f32[1, 8]\n"
        "@gpsimd SendRecv  c, a, send_to_rank=1, recv_from_rank=1, pipe_id=0\n"
        ".core 1\n.sbuf  b  f32[1, 8] = zeros\n.sbuf  d  f32[1, 8]\n"
        "@gpsimd SendRecv  d, b, send_to_rank=0, recv_from_rank=0, pipe_id=0",
        ends=True,
    ),
    Code(
        "E0513",
        "an event is set twice, or cleared twice",
        "An event is one bit. Setting it while it is set loses an event: nothing has waited for "
        "and cleared the one before. The vendor's profiler flags this; the bit does not change.",
        ".event  e\n@sync   EventSemaphore  $e = 1\n@sync   EventSemaphore  $e = 1",
        ".event  e\n@sync   EventSemaphore  $e = 1\n@vector EventSemaphore  $e == 1  $e = 0",
    ),
    Code(
        "E0514",
        "a transfer that nothing waits for",
        "A transfer was still in flight when the last instruction of every queue had completed. "
        "The program ends there: on hardware the host may read an output before it is complete. "
        "Of a transfer into an output that is an error, also where it had landed by luck and "
        "nothing waits for that; of any other it is a warning. Here it is let land. `.drain` "
        "lets its queue wait for it at the end.",
        "@vector Memset   c, 1.0   post done\n@sync   DmaCopy  C, c     after done",
        "@vector Memset   c, 1.0   post done\n@sync   DmaCopy  C, c     after done\n@sync   .drain",
        warns=True,
    ),
    Code(
        "E0515",
        "a result that the hardware does not guarantee",
        "The instruction was given values for which the vendor calls its result invalid, such as "
        "an activation function outside its valid input range. The run continues with the "
        "mathematical value, and this is only a warning, since the element may not be used. Where "
        "it is, hardware may give another number.",
        "@vector Memset      c, 2.0   $done++\n@scalar Activation  c, c, op=arctan   $done >= 1",
        "@vector Memset      c, 1.0   $done++\n@scalar Activation  c, c, op=arctan   $done >= 1",
        severity=Severity.WARNING,
    ),
    Code(
        "E0516",
        "the time limit was reached",
        "The command had not finished after the seconds of real time that `--timeout` allows. A "
        "run stops between two events, and the report shows how far each engine got; where that "
        "is depends on the computer. Either the limit is too low, or a loop does not terminate: "
        "look at the register that its branch compares. `--max-cycles` limits the simulated time "
        "instead, and stops at the same place everywhere.",
        "$ neuron-nasm run prog.nasm --timeout 0.001",
        "$ neuron-nasm run prog.nasm --timeout 60",
        ends=True,
    ),
    Code(
        "E0517",
        "too many transfers in flight",
        "4,096 transfers had been started and had not landed, so the run ends: nothing waits for "
        "them, and there would be ever more. The limit is nasm's, not the hardware's. Either a "
        "loop starts transfers without waiting for those before, or it does not terminate. Let "
        "the queue that starts them wait for one of an earlier round.",
        ends=True,
    ),
    Code(
        "E0518",
        "a run without values needs one",
        "With `--no-values` (in Python `values=False`) a run has its cycles and its trace, and "
        "computes nothing: tensors have no elements. What a register holds that was loaded from "
        "memory is unknown, and so is what follows from it. A branch that depends on it, an "
        "address in such a register, operands that a tile of indices or offsets addresses, and "
        "`DevicePrint` cannot continue without it and end the run. Tensors cannot be read in such "
        "a run. Run the program with values.",
        "$ neuron-nasm run prog.nasm --no-values",
        "$ neuron-nasm run prog.nasm",
        ends=True,
    ),
    Code(
        "E0519",
        "a loop that never ends",
        "The loop can be left by no branch, or only by some that compare registers which nothing "
        "in the loop changes: what they decide in one round they decide in every other. "
        "`neuron-nasm check` finds such a loop where the program certainly reaches it; a run ends "
        "as soon as it is in one. A loop that waits for what another engine updates, or for the "
        "other core, is not reported: it is blocked there, or ends as a deadlock (E0510).",
        "@vector RegisterMove  %r0, 5\nagain: @vector Nop\n"
        "@vector RegisterAlu   %r1, %r0, 1, op=subtract\n"
        "@vector CompareBranch  %r0, 0, op=greater, target=again",
        "@vector RegisterMove  %r0, 5\nagain: @vector Nop\n"
        "@vector RegisterAlu   %r0, %r0, 1, op=subtract\n"
        "@vector CompareBranch  %r0, 0, op=greater, target=again",
        ends=True,
    ),
    Code(
        "E0520",
        "a counter goes below 0",
        "An update took more from a semaphore than had been posted to it. A wait takes nothing: "
        "several queues may pass their waits with the same credit, and then each takes it. What "
        "was taken twice is missing later, or was never there. The value is what the hardware "
        "would have, and this is only a warning, once for each semaphore.",
        "@sync   EventSemaphore                $done++\n"
        "@vector EventSemaphore  $done >= 1    $done--\n"
        "@scalar EventSemaphore  $done >= 1    $done--",
        "@sync   EventSemaphore                $done++\n"
        "@vector EventSemaphore  $done >= 1    $done--",
        severity=Severity.WARNING,
    ),
    Code(
        "E0521",
        "an address outside its memory",
        "The instruction reaches a memory by a byte address, and some of the bytes that it would "
        "read or write lie outside the memory. What the machine does then is not documented.",
        ends=True,
    ),
    Code(
        "E0522",
        "an instruction that cannot be expanded so",
        "The instruction expands to others, and its expansion here cannot be executed: its engine "
        "does not have one of them, or there is none that could wait or update.",
        ends=True,
    ),
    Code(
        "E0523",
        "a read of a tensor whose bytes another one has taken",
        "Two tensors of a kernel are placed by hand on the same bytes (`address=`), and the second "
        "is written before the first is read for the last time. On the machine the reader gets "
        "the second one's elements; a simulator that keeps each tensor by itself shows the first "
        "one's, so that the mistake is seen on hardware only. Mostly a loop goes through too few "
        "buffers for how long each of them is needed.",
    ),
    Code(
        "E0601",
        "a feature of the machine that is not implemented yet",
        "The program is legal as far as is known, but nasm does not implement this yet, or not "
        "faithfully. It refuses rather than guess.",
    ),
    Code(
        "E0701",
        "unspecified by the vendor",
        "No public document says what the hardware does here. Any result would be a guess, so "
        "there is none.",
    ),
)
