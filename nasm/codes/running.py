"""Codes of running a program and of the command line: E0501 to E0901."""

from __future__ import annotations

from nasm.codes.row import Code

ROWS = (
    Code(
        "E0501",
        "a read of memory that nobody has written",
        "The instruction reads elements that no input filled and no earlier instruction wrote. "
        "Engines run side by side: most often the writer exists, and only the wait for it is "
        "missing. Floating-point elements that were never written read as NaN.\n\n"
        "Adding to an accumulator that was never written is the same mistake: the first matmul "
        "of a group overwrites.",
        "@sync   DmaCopy     b, B   $loaded += 16\n@vector TensorCopy  c, b",
        "@sync   DmaCopy     b, B   $loaded += 16\n@vector TensorCopy  c, b   $loaded >= 16",
    ),
    Code(
        "E0502",
        "two accesses without an order",
        "One instruction reads or writes what another is writing at that moment, and nothing "
        "says which comes first. On hardware the outcome depends on timing; here the reader gets "
        "the old bytes. The writer updates a semaphore when it is complete: let the other one "
        "wait for it.",
        "@gpsimd Memset      c, 1.0\n@vector Memset      c, 0.0",
        "@gpsimd Memset      c, 1.0   $done++\n@vector Memset      c, 0.0   $done >= 1",
    ),
    Code(
        "E0503",
        "an engine uses what it was never given",
        "Some instructions leave a state in the engine for later ones: a stationary tile, match "
        "values, accumulators. This one uses such a state before anything loaded it, or with a "
        "position or size for which nothing is loaded, or Vector's accumulators after an "
        "instruction with `reduce_cmd=idle`, which leaves them unknown.",
        "@tensor MultiplyMoving  acc, b",
        "@sync   DmaCopy  a, A  $loaded += 16\n"
        "@sync   DmaCopy  b, B  $loaded += 16\n"
        "@tensor LoadStationary  a       $loaded >= 32\n"
        "@tensor MultiplyMoving  acc, b",
    ),
    Code(
        "E0504",
        "a semaphore overflows",
        "A semaphore is a signed 32-bit number. An update would take it out of that range.",
        "@sync EventSemaphore  $done += 2147483647\n@sync EventSemaphore  $done++",
        "@sync EventSemaphore  $done += 2147483646\n@sync EventSemaphore  $done++",
    ),
    Code(
        "E0505",
        "a register that was never set",
        "The instruction reads a register that no earlier instruction of its engine has set; it "
        "holds 0. Every engine has registers of its own: one that another engine set is another "
        "register.",
        "@scalar RegisterAlu   %r0, %r1, 1, op=add",
        "@scalar RegisterMove  %r1, 5\n@scalar RegisterAlu   %r0, %r1, 1, op=add",
    ),
    Code(
        "E0506",
        "a register points outside its tensor",
        "The start of a view is held in a register, and its value at this moment would lead out "
        "of the tensor. The message says which values are legal.",
        "@vector RegisterMove  %r0, 512\n@vector Memset  c[:, %r0 : +1], 0.0",
        "@vector RegisterMove  %r0, 511\n@vector Memset  c[:, %r0 : +1], 0.0",
    ),
    Code(
        "E0507",
        "an instruction does not match what was loaded",
        "What the engine holds was loaded with other modes than those with which it is used. "
        "Both instructions name the same.",
        "@vector Memset  a, 1.0   $done++\n@vector Memset  b, 1.0   $done++\n"
        "@tensor LoadStationary  a, is_transpose=true   $done >= 2\n"
        "@tensor MultiplyMoving  acc, b",
        "@vector Memset  a, 1.0   $done++\n@vector Memset  b, 1.0   $done++\n"
        "@tensor LoadStationary  a   $done >= 2\n"
        "@tensor MultiplyMoving  acc, b",
    ),
    Code(
        "E0508",
        "an entry points outside its tensor",
        "A tile says which columns, or which rows, an operand has, or where it starts. An entry "
        "of it, as it was when the instruction started, would lead out of the tensor. The "
        "message names the entry, its value and the legal ones; entries nobody wrote are -1. A "
        "DMA with `oob_mode=skip` leaves such rows out.",
        ".sbuf  at  i32[1, 1]\n@vector Memset  at, 512\n"
        "@vector Memset  c, 0.0\n"
        "@vector TensorCopy  acc[:, 0:1], c.ap([[512, 128], [1, 1]], scalar_offset=at, "
        "indirect_dim=1)",
        ".sbuf  at  i32[1, 1]\n@vector Memset  at, 511\n"
        "@vector Memset  c, 0.0\n"
        "@vector TensorCopy  acc[:, 0:1], c.ap([[512, 128], [1, 1]], scalar_offset=at, "
        "indirect_dim=1)",
    ),
    Code(
        "E0509",
        "adding to what another kind of instruction wrote",
        "On NeuronCore-v2 and v3 a matmul adds to the partial-sum buffer only what it can add to "
        "the result of another matmul. If Vector, Scalar or a DMA wrote there last, the vendor "
        "calls the result undefined; on v4 nothing of the kind is said. Here the sum is computed "
        "all the same, so that the run can go on. Let the first matmul of a group overwrite.",
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
        "Nothing is left that could happen, and some queues still wait. For each of them the "
        "notes say what it waits for, how much is missing and who could still provide it: "
        "'nothing in the program updates it' is a forgotten or misspelt update, 'every update of "
        "it has been made' a wrong count, and 'still to come from' leads to the next queue that "
        "is stuck. This is found from the state of the machine, never from a time limit.",
        "@sync EventSemaphore  $loaded >= 16",
        "@sync DmaCopy  a, A   $loaded += 16\n@sync EventSemaphore  $loaded >= 16",
    ),
    Code(
        "E0511",
        "the cycle limit was reached",
        "The run was still going on after the cycles that `--max-cycles` allows; they are of the "
        "machine's base clock. The table shows how far each engine got. Either the limit is too "
        "low, or a loop does not end: look at the register its branch compares.",
        "$ neuron-nasm run prog.nasm --max-cycles 100",
        "$ neuron-nasm run prog.nasm --max-cycles 1000000",
    ),
    Code(
        "E0512",
        "cores that meet do not fit each other",
        "Instructions of several cores wait for each other and go on together. What they name "
        "must fit: one shape and dtype on both sides, a sender for every receiver, and one "
        "instruction of each core at a time.",
        ".target trn2\n.sbuf  a  f32[1, 8] = zeros\n.sbuf  c  f32[1, 8]\n"
        "@gpsimd SendRecv  c, a, send_to_rank=1, recv_from_rank=1, pipe_id=0\n"
        ".core 1\n.sbuf  b  f32[1, 4] = zeros\n.sbuf  d  f32[1, 4]\n"
        "@gpsimd SendRecv  d, b, send_to_rank=0, recv_from_rank=0, pipe_id=0",
        ".target trn2\n.sbuf  a  f32[1, 8] = zeros\n.sbuf  c  f32[1, 8]\n"
        "@gpsimd SendRecv  c, a, send_to_rank=1, recv_from_rank=1, pipe_id=0\n"
        ".core 1\n.sbuf  b  f32[1, 8] = zeros\n.sbuf  d  f32[1, 8]\n"
        "@gpsimd SendRecv  d, b, send_to_rank=0, recv_from_rank=0, pipe_id=0",
    ),
    Code(
        "E0513",
        "an event is set twice, or cleared twice",
        "An event is one bit. Whoever sets one that is set has nothing to tell: the event before "
        "this one was never noticed. The profiler of the vendor flags it; the bit stays as it is.",
        ".event  e\n@sync   EventSemaphore  $e = 1\n@sync   EventSemaphore  $e = 1",
        ".event  e\n@sync   EventSemaphore  $e = 1\n@vector EventSemaphore  $e == 1  $e = 0",
    ),
    Code(
        "E0514",
        "a transfer that nobody waits for",
        "A transfer was still under way when the last instruction of every queue had completed. "
        "The run ends there: on hardware the host may read an output before it is all there. "
        "Here the transfer is let to land, and the run is all right but for this warning. Let "
        "one of the queues wait for it in the end.",
        "@vector Memset   c, 1.0   $done++\n@sync   DmaCopy  C, c     $done >= 1",
        "@vector Memset   c, 1.0   $done++\n@sync   DmaCopy  C, c     $done >= 1   $loaded += 16\n"
        "@sync   EventSemaphore  $loaded >= 16",
    ),
    Code(
        "E0515",
        "a result that the hardware does not promise",
        "The instruction was given values for which the vendor calls its result invalid, such as "
        "an activation function outside its valid input range. The run goes on with the "
        "mathematical value, and this is a warning only: the element may be one that nobody uses. "
        "Where it is used, hardware gives another number.",
        "@vector Memset      c, 2.0   $done++\n@scalar Activation  c, c, op=arctan   $done >= 1",
        "@vector Memset      c, 1.0   $done++\n@scalar Activation  c, c, op=arctan   $done >= 1",
    ),
    Code(
        "E0601",
        "something of the machine that is not done yet",
        "The program is legal as far as anyone knows, but nasm cannot do this yet, or not "
        "faithfully. It refuses rather than guess.",
    ),
    Code(
        "E0602",
        "something of the language that is not done yet",
        "The directive belongs to the language and is not supported by this version.",
        '.include "other.nasm"',
        ".sem  ready",
    ),
    Code(
        "E0701",
        "the vendor does not say",
        "No public document says what the hardware does here. A result would be made up, so "
        "there is none.",
    ),
    Code(
        "E0801",
        "a file cannot be read",
        "The program, or an array file that it or the command line names, does not exist, may "
        "not be read, or is not what it should be: UTF-8 text for a program, .npy or .npz for an "
        "array. Paths in a program start from the program's folder, paths on the command line "
        "from the current one.",
        "$ neuron-nasm run programs/        # a folder",
        "$ neuron-nasm run programs/matmul.nasm",
    ),
    Code(
        "E0802",
        "an input without values",
        "An `input` tensor gets its values from its initialiser or from the command line. This "
        "one has neither.",
        ".hbm  X  f32[4]  input",
        ".hbm  X  f32[4]  input = iota",
    ),
    Code(
        "E0803",
        "--in names no tensor",
        "The program has no tensor of the name that stands before the `=`.",
        "$ neuron-nasm run programs/matmul.nasm --in a_matrix=a.npy",
        "$ neuron-nasm run programs/matmul.nasm --in A=a.npy",
    ),
    Code(
        "E0804",
        "an array of another shape or dtype",
        "An array from a file has exactly the shape and the dtype of its tensor; nothing is "
        "converted in silence. A dtype that .npy does not have (bfloat16, the 8-bit floats, the "
        "packed ones) is stored as unsigned integers of its width.",
        "$ neuron-nasm run programs/matmul.nasm --in A=float64.npy",
        "$ neuron-nasm run programs/matmul.nasm --in A=bits_as_uint16.npy",
    ),
    Code(
        "E0805",
        "--out names no tensor",
        "`--out NAME=FILE.npy` writes a tensor of the program, of any memory. The program "
        "declares none of this name; this is said before the run, so that no long one is lost.",
        "$ neuron-nasm run programs/matmul.nasm --out D=d.npy",
        "$ neuron-nasm run programs/matmul.nasm --out C=c.npy",
    ),
    Code(
        "E0806",
        "a file cannot be written",
        "A result could not be written: the folder does not exist or is not writable, the name "
        "is a folder, or the disk is full. Results are written to a temporary file first, which "
        "then takes the name, so that what stood there before is still whole.",
        "$ neuron-nasm run programs/matmul.nasm --out C=no/such/folder/c.npy",
        "$ neuron-nasm run programs/matmul.nasm --out-dir results",
    ),
    Code(
        "E0807",
        "no such diagnostic",
        "`explain` was asked for a code that no diagnostic has. Codes are an E and four digits; "
        "`neuron-nasm explain` lists them.",
        "$ neuron-nasm explain E9999",
        "$ neuron-nasm explain E0807",
    ),
    Code(
        "E0808",
        "not enough memory on this computer",
        "The tensors of the program, or what it computes with them, do not fit into the memory "
        "of the computer that simulates it.",
    ),
    Code(
        "E0809",
        "an unknown machine option, or a value it does not take",
        "`--option NAME=VALUE` chooses between readings of the machine that are both plausible, "
        "or sets what the runtime lets one choose. `neuron-nasm isa --options` lists the options "
        "with their values.",
        "$ neuron-nasm run programs/matmul.nasm --option rounding=random",
        "$ neuron-nasm run programs/matmul.nasm --option rounding=stochastic",
    ),
    Code(
        "E0810",
        "a program that is assembled already",
        "A target, definitions and machine options decide what a text becomes. A Program has "
        "been made with its own, and keeps them.",
    ),
    Code(
        "E0811",
        "nothing to help with",
        "`neuron-nasm help` explains a command, an instruction or a diagnostic. The word is none "
        "of these.",
        "$ neuron-nasm help reduction",
        "$ neuron-nasm isa --search reduction",
    ),
    Code(
        "E0821",
        "an unknown command of the debugger",
        "The first word of the line is no command, or the beginning of several. `help` lists the "
        "commands; the beginning of a name is enough where only one command begins so.",
    ),
    Code(
        "E0822",
        "a command of the debugger that cannot be carried out",
        "The command is known, but not with these arguments, or not at this point of the run. "
        "`help` with the name of the command shows how it is used.",
    ),
    Code(
        "E0901",
        "a defect in nasm",
        "nasm met something that it should have foreseen. It is not your mistake. Please report "
        "it with the file that the message names and, if you can, with the program. With "
        "NASM_DEBUG=1 in the environment the details are printed at once.",
    ),
)
