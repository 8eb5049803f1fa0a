"""Codes of operands and of the rules of the machine: E0301 to E0410."""

from __future__ import annotations

from nasm.base.problems import Severity
from nasm.language.codes.row import Code

ROWS = (
    Code(
        "E0301",
        "an operand of the wrong kind",
        "Each operand of an instruction takes one kind of thing: a tile, a number in a range, "
        "`true` or `false`, a register, a label, a transfer. The message says what was wanted "
        "and what was found; `neuron-nasm isa` with the mnemonic shows all operands.",
        "@vector TensorCopy  c, 5",
        "@vector TensorCopy  c, acc",
    ),
    Code(
        "E0302",
        "an operand in a memory the instruction does not reach",
        "Compute instructions work on the memories on chip; device memory is reached by DMA "
        "only. Copy the data to where the operand may be.",
        "@vector TensorCopy  c, C",
        "@sync DmaCopy  c, C  $loaded += 16",
    ),
    Code(
        "E0303",
        "an operand of a dtype the instruction does not take",
        "This operand is limited to some dtypes. Copying a tile into one of another dtype "
        "converts it.",
        ".sbuf  w  i32[128, 128]\n@tensor LoadStationary  w",
        ".sbuf  w  bf16[128, 128]\n@tensor LoadStationary  w",
    ),
    Code(
        "E0304",
        "an illegal shape",
        "An axis has an integer size of at least 1. The first axis of an on-chip tensor counts "
        "partitions, of which the memory has only so many: more rows are laid out along another "
        "axis, or handled tile by tile. An operand that is one value per partition is a [P, 1] "
        "tile.",
        ".sbuf  t  f32[256, 4]",
        ".sbuf  t  f32[128, 2, 4]",
    ),
    Code(
        "E0305",
        "an index outside its tensor",
        "A slice, an index or an access pattern leaves the tensor, selects nothing, or is not "
        "made of integers. Unlike in Python, a slice that reaches past the end is refused: on the "
        "machine it would touch other data. `a : +n` is a slice of length n that starts at a.",
        "@vector Memset  c[:, 0:1024], 0.0",
        "@vector Memset  c[:, 0:512], 0.0",
    ),
    Code(
        "E0306",
        "an impossible view",
        "A view is another interpretation of the same bytes: `.view(dtype)`, `.reshape(…)`, "
        "`.permute(…)`, `.broadcast(…)`, `.ap(…)`, `.indirect(…)` and `.T`. There is no such "
        "view, or the bytes are not laid out so that an access pattern could walk them this way; "
        "then the data has to be copied.",
        "@vector Memset  c.veiw(i32), 0",
        "@vector Memset  c.view(i32), 0",
    ),
    Code(
        "E0307",
        "too many operands",
        "The instruction takes fewer operands than the line gives. The hint lists them in order.",
        "@vector Reciprocal  c, acc, 1.0",
        "@vector Reciprocal  c, acc",
    ),
    Code(
        "E0308",
        "an operand is missing",
        "An operand without a default has to be given, in its place or by its name.",
        "@vector TensorTensor  c, c, acc",
        "@vector TensorTensor  c, c, acc, op=add",
    ),
    Code(
        "E0309",
        "operands and their names do not fit",
        "A named operand is not one of this instruction's, is given twice, or is followed by one "
        "without a name. From the first named operand on, all are named. The same holds for the "
        "options of directives.",
        "@vector TensorTensor  c, c, acc, operator=add",
        "@vector TensorTensor  c, c, acc, op=add",
    ),
    Code(
        "E0310",
        "an illegal place",
        "`@ P:B` puts a tensor at partition P and byte B of each partition, `@ bank N` at the "
        "start of a bank. The tensor would leave its memory there, or is not aligned to its "
        "dtype. Without a place the assembler finds one.",
        ".psum  t  f32[128, 512] @ bank 8",
        ".psum  t  f32[128, 512] @ bank 7",
    ),
    Code(
        "E0311",
        "a memory is full, or two tensors share bytes",
        "Tensors are placed in the order of their declaration and never share bytes by accident. "
        "There is no free range large enough for this one, or two given places overlap. The map "
        "shows the allocation, byte by byte within each partition.\n\n"
        "In a program in sequential order, which has no waits and updates of its own, bytes are "
        "used again: a tensor has them from the first instruction that mentions it to the last, "
        "and for all of a loop in which one does. The error is at the instruction that "
        "begins to use this one; the map shows which tensors are live then, from which instruction "
        "to which. They are counted from 0.\n\n"
        "Reuse a tensor, work in smaller tiles, or choose a narrower dtype.",
        ".sbuf  big  f32[128, 49152]",
        ".sbuf  big  bf16[128, 49152]",
    ),
    Code(
        "E0312",
        "a semaphore that is not available",
        "A core has a fixed number of semaphores. The number asked for does not exist or is "
        "taken, or all are declared already.",
        ".sem  ready = 256",
        ".sem  ready = 255",
    ),
    Code(
        "E0313",
        "an input or output in a memory on chip",
        "Inputs and outputs live in device memory, where a host can reach them; DMA moves them "
        "on and off the chip.",
        ".sbuf  x  f32[128, 8]  input = zeros",
        ".hbm  x  f32[128, 8]  input = zeros",
    ),
    Code(
        "E0314",
        "an update that the instruction cannot make",
        "A DMA transfer is carried out by several engines, each of which adds 1 to the semaphore "
        "when its share has landed. So the update of the instruction adds as many as there are "
        "engines, and a wait for all of the data waits for that many. `$loaded++` of a transfer "
        "adds as many as well. That is refused where it is unclear: if an instruction adds 1 to "
        "the same semaphore, or waits for less than a transfer.",
        "@sync DmaCopy  a, A  $loaded += 1",
        "@sync DmaCopy  a, A  $loaded += 16",
    ),
    Code(
        "E0315",
        "a second wait or update",
        "An instruction carries at most one wait and one update. Another instruction of the same "
        "queue, which does nothing else, takes the second.",
        "@vector TensorCopy  c, acc  $loaded >= 16  $done >= 1",
        "@vector EventSemaphore      $loaded >= 16\n@vector TensorCopy  c, acc  $done >= 1",
    ),
    Code(
        "E0316",
        "a wait after an update",
        "The wait comes first in time, so it comes first on the line.",
        "@vector TensorCopy  c, acc  $done++  $loaded >= 16",
        "@vector TensorCopy  c, acc  $loaded >= 16  $done++",
    ),
    Code(
        "E0317",
        "a wait with another comparison",
        "The hardware waits for `>=` or `==`. `$s > 3` is `$s >= 4`.",
        "@vector TensorCopy  c, acc  $loaded > 15",
        "@vector TensorCopy  c, acc  $loaded >= 16",
    ),
    Code(
        "E0318",
        "a core that is not there",
        "The two cores of a generation that has pairs run side by side, `.core 0` and "
        "`.core 1`; other generations have core 0 only.",
        ".target trn1\n.core 1",
        ".target trn2\n.core 1",
    ),
    Code(
        "E0319",
        "a tensor of another core",
        "An on-chip tensor belongs to the core that is selected where it is declared, and only the "
        "engines and transfers of that core reach it. Device memory is shared.",
        ".target trn2\n.core 1\n.sbuf  t  f32[128, 8]\n.core 0\n@vector Memset  t, 0",
        ".target trn2\n.core 1\n.sbuf  t  f32[128, 8]\n@vector Memset  t, 0",
    ),
    Code(
        "E0320",
        "a wait for a semaphore of another core",
        "An engine waits for semaphores and events of its own core only. Updating one of another "
        "core is a write, which any engine can do.",
        ".target trn2\n.sem  far\n.core 1\n@sync EventSemaphore  $far >= 1",
        ".target trn2\n.core 1\n.sem  near\n@sync EventSemaphore  $near >= 1\n"
        ".core 0\n@sync EventSemaphore  $near++",
    ),
    Code(
        "E0321",
        "more than an event holds",
        "An event is one bit: it is set with `$e = 1`, cleared with `$e = 0`, and an instruction "
        "waits until it is one or the other. Use a semaphore to count.",
        ".event  e\n@sync EventSemaphore  $e++",
        ".event  e\n@sync EventSemaphore  $e = 1",
    ),
    Code(
        "E0322",
        "too few semaphores for the waits that are found",
        "Waits that are found from the order of a program need semaphores: one for each engine, "
        "one for each transfer that is in flight at a time, and as many again for each loop at "
        "run time. The core has fewer left than that takes.",
    ),
    Code(
        "E0323",
        "a word that is no instruction",
        "`.word` gives an instruction by its word. No instruction has this opcode, or the word "
        "has undocumented bits set, or lacks some that have to be set; operands that make such a "
        "word are reported in the same way. With `data=true` after it a word is kept as it is: "
        "it has a place in its queue, and a queue that reaches it stops.",
        ".target wormhole\n@t0 .word 0xff000000",
    ),
    Code(
        "E0325",
        "a packet that cannot be sent",
        "A packet of a network has 1 to 8,192 bytes, and goes to a tile that has a memory: by the "
        "name of a tensor there, or by coordinates, of which there are those of the network itself "
        "and translated ones from 16 on. Tensix tiles receive multicasts, the sender only if the "
        "line includes it. Atomic operations act on aligned words. No packet may overwrite code.",
        ".target wormhole\n.l1  x  u32[4] = zeros\n@noc0 NOC_WRITE_POSTED 0x1000, x, X=0, Y=2",
        ".target wormhole\n.l1  x  u32[4] = zeros\n@noc0 NOC_WRITE_POSTED 0x1000, x, X=2, Y=2",
    ),
    Code(
        "E0326",
        "a request over Ethernet that has no meaning",
        "Chips that are joined by Ethernet are driven by lines of `@host`, or from Python, through "
        "queues of their base firmware. A request reads or writes a word, or a block of at most "
        "1,024 bytes, of a tile that has a memory; the meaning of others is not documented. The "
        "sentence says what this one lacks, that a queue has no room, or that no link leads to the "
        "chip.",
        ".target wormhole\n.host  h  u32[8]  = zeros\n@host ETH_READ  h, 0x1000",
        ".target wormhole\n.host  h  u32[8]  = zeros\n@host ETH_READ  h, 0x1000, X=2, Y=2",
    ),
    Code(
        "E0331",
        "a moment that nothing posts",
        "`after load[2]` waits for the line with `post load[2]`. No line has that: the name is "
        "misspelt, an index or the number of indices differs, or the line is in a branch of an "
        "`.if` that is not taken.",
        "@sync DmaCopy b, B  post loaded\n@vector TensorCopy c, b  after load",
        "@sync DmaCopy b, B  post loaded\n@vector TensorCopy c, b  after loaded",
    ),
    Code(
        "E0332",
        "a moment that is posted twice",
        "A moment is when one instruction is complete, so that one line posts it, and in one "
        "round. Give each line a name of its own, or an index: `post load[i]`.",
        "@vector Memset c, 1  post done\n@vector Memset c, 2  post done",
        "@vector Memset c, 1  post done[0]\n@vector Memset c, 2  post done[1]",
    ),
    Code(
        "E0333",
        "lines that come after each other in a circle",
        "Each of the named lines comes after another of them, by a moment or because it is later "
        "in the same queue. None of them could be the first: the program would hang.",
        "@vector Memset c, 1  after b1 post c1\n@gpsimd Memset b, 1  after c1 post b1",
        "@vector Memset c, 1  post c1\n@gpsimd Memset b, 1  after c1",
    ),
    Code(
        "E0334",
        "a moment where there can be none",
        "Moments are counted when the program is assembled, and become waits and updates of "
        "semaphores. Some lines have no room for that or are not counted: a transfer posts once, "
        "when it has landed, so that it posts no `@read` and has no other update; a line that a "
        "written branch skips or repeats is executed any number of times (`.loop` counts its "
        "rounds); a queue waits for semaphores of its own core; what is typed into a run comes "
        "when all is counted. A `.drain` counts on a semaphore of the text only if nothing but "
        "what it drains can have posted to it.",
        "@sync DmaCopy b, B  $loaded += 16  post there",
        "@sync DmaCopy b, B  post there",
    ),
    Code(
        "E0335",
        "too few semaphores for the moments",
        "Each queue with a moment that others wait for takes a semaphore, and one more for its "
        "reads; each such transfer takes one until the queue that issues the next one is known to "
        "have seen its landing. The core has fewer left. The message shows the use of each, and "
        "where. No further waits are added to save some.",
    ),
    Code(
        "E0401",
        "a tile starts at an illegal partition",
        "An engine's ports reach a tile only from certain start partitions, the fewer the more "
        "partitions the tile has; tiles of the systolic array start where their rows and columns "
        "do. Place the tensor elsewhere, or move the data with a DMA, which has no such limit.",
        "@vector Memset  c[16:80], 0.0",
        "@vector Memset  c[64:128], 0.0",
    ),
    Code(
        "E0402",
        "an access pattern the hardware cannot walk",
        "An operand is a start, a run of partitions, and a few nested loops with a step and a "
        "count each. This one needs more loops, larger numbers or a step between partitions. "
        "Adjacent axes that are contiguous count as one. A DMA supports more.",
        "@vector Memset  c[0:128:2], 0.0",
        "@vector Memset  c[0:64], 0.0",
    ),
    Code(
        "E0403",
        "an engine has no port to this memory",
        "Not every engine reads and writes every memory. Let an engine that does copy the data, "
        "or place the tensor in another memory.",
        "@gpsimd TensorCopy  c, acc",
        "@vector TensorCopy  c, acc",
    ),
    Code(
        "E0404",
        "tiles of incompatible shapes",
        "Operands that are processed together have the same number of partitions and the same "
        "number of elements per partition; shapes do not broadcast as in NumPy. Only an operand "
        "that takes one value per partition, or a view with `.broadcast(…)`, does.\n\n"
        "The row counts of the two tiles of a matmul are compared at run time, because the "
        "stationary tile was loaded by an earlier instruction.",
        "@vector TensorCopy  c, acc[:, 0:256]",
        "@vector TensorCopy  c[:, 0:256], acc[:, 0:256]",
    ),
    Code(
        "E0405",
        "a dtype that the operation does not support",
        "The dtypes of the operands do not fit the operation, one another, or the generation. The "
        "rule that the message quotes says which do.",
        ".psum  p  bf16[128, 512]\n@tensor LoadStationary  a\n@tensor MultiplyMoving  p, b",
        "@tensor LoadStationary  a\n@tensor MultiplyMoving  acc, b",
    ),
    Code(
        "E0406",
        "operands in memories that cannot be used together",
        "Both inputs would come through the same port. Copy one of them to the other memory first.",
        ".psum  p  f32[128, 512]\n@vector TensorTensor  c, acc, p, op=add",
        "@vector TensorTensor  c, c, acc, op=add",
        warns=True,
    ),
    Code(
        "E0407",
        "conflicting modes or operands",
        "Each operand is legal, but the combination is not: an operator without its operand, a "
        "mode that requires another. The rule that the message quotes says what is legal.",
        "@vector TensorScalar  c, c, op0=multiply",
        "@vector TensorScalar  c, c, op0=multiply, operand0=2.0",
        warns=True,
    ),
    Code(
        "E0408",
        "an instruction that this engine or generation does not have",
        "Each instruction exists on certain engines only, and some on later generations only. The "
        "message says which do.",
        "@tensor TensorCopy  c, acc",
        "@vector TensorCopy  c, acc",
        warns=True,
    ),
    Code(
        "E0409",
        "a result crosses a bank boundary",
        "The result of a matmul is written to one bank of PSUM. This view would begin in one bank "
        "and end in another. Tensors that fit into a bank are placed within one; for slices of "
        "larger ones the program is responsible.",
        ".psum  p  f32[128, 1024]\n@tensor MultiplyMoving  p[:, 256 : +512], b",
        ".psum  p  f32[128, 1024]\n@tensor MultiplyMoving  p[:, 512 : +512], b",
    ),
    Code(
        "E0410",
        "more or fewer elements than the instruction takes",
        "The instruction has a limit on the size of this operand. Work through larger ones tile "
        "by tile, for instance in a `.for`.",
        "@tensor LoadStationary  b",
        "@tensor LoadStationary  b[:, 0:128]",
    ),
    Code(
        "E0411",
        "results of which only the last stays",
        "A step of 0 in a destination writes one element after the other to one place, where the "
        "last one stays. That is a way to throw a result away; where it is not meant, give the "
        "destination a place for each element.",
        "@vector Memset  c[:, 0:1].broadcast(128, 512), 0.0",
        "@vector Memset  c[:, 0:1], 0.0",
        severity=Severity.NOTE,
    ),
)
