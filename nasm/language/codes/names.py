"""Codes of names, expressions and declarations: E0201 to E0248."""

from __future__ import annotations

from nasm.base.problems import Severity
from nasm.language.codes.row import Code

ROWS = (
    Code(
        "E0124",
        "more errors than are shown",
        "Of the errors of a program the first 50 are shown: most of the others would be more of "
        "the same, or follow from these. Fix those that are shown, and assemble again.",
        "$ neuron-nasm check notes.txt      # which is no program",
        "$ neuron-nasm check prog.nasm",
    ),
    Code(
        "E0201",
        "an unknown instruction",
        "The mnemonic is not an instruction of the target. Every mnemonic has one spelling; the "
        "names that the vendor's tools use are recognised, and the hint gives the spelling used "
        "here. `neuron-nasm isa` lists all instructions, `neuron-nasm isa --search` finds some.",
        "@vector tensor_copy  c, acc",
        "@vector TensorCopy  c, acc",
    ),
    Code(
        "E0202",
        "a name is declared twice",
        "Constants, tensors, semaphores and transfers share one set of names, and a name means "
        "one thing. A loop variable may not shadow another name either. Labels are local to their "
        "queue: two queues may use the same label, one queue may not use it twice.\n\n"
        "In a loop a name can contain the loop variable: `t{k}`.",
        ".for k in 0..2\n.sbuf  tile  f32[128, 8]\n.end",
        ".for k in 0..2\n.sbuf  tile{k}  f32[128, 8]\n.end",
    ),
    Code(
        "E0203",
        "an unknown engine",
        "`@` is followed by an engine of the target or one of its aliases. The hint names the "
        "engines.",
        "@vectr TensorCopy  c, acc",
        "@vector TensorCopy  c, acc",
    ),
    Code(
        "E0204",
        "an unknown memory",
        "A tensor is declared by the name of the memory it lives in: `.memory name dtype[shape]`. "
        "The target has no memory of this name, and it is not a directive either.",
        ".sbuff  t  f32[128, 8]",
        ".sbuf  t  f32[128, 8]",
    ),
    Code(
        "E0205",
        "an unknown dtype",
        "The dtype of a tensor or of `.view(…)` is not known. Dtypes have full names "
        "(`bfloat16`, `float32`, `int32`) and short ones (`bf16`, `f32`, `i32`).",
        ".sbuf  t  float[128, 8]",
        ".sbuf  t  float32[128, 8]",
    ),
    Code(
        "E0206",
        "an unknown operator, function, mode or semaphore",
        "An operand that takes one of a list of words (an operator, an activation function, a "
        "mode) was given another, or `$name` is not a declared semaphore. `neuron-nasm isa` with a "
        "mnemonic shows the words that each operand accepts; semaphores are declared with `.sem`.",
        "@vector TensorTensor  c, c, acc, op=plus",
        "@vector TensorTensor  c, c, acc, op=add",
    ),
    Code(
        "E0207",
        "an unknown label",
        "A branch targets a label of its own queue. The queue of this engine has no label of this "
        "name; the hint says if another queue has.",
        "@scalar\nagain: Nop\nCompareBranch  %r0, 0, op=greater, target=agian",
        "@scalar\nagain: Nop\nCompareBranch  %r0, 0, op=greater, target=again",
    ),
    Code(
        "E0208",
        "an undefined name",
        "No constant, tensor, transfer or loop variable of this name was declared before this "
        "line. Names are case-sensitive.",
        "@vector TensorCopy  d, acc",
        "@vector TensorCopy  c, acc",
    ),
    Code(
        "E0209",
        "this is no name",
        "Whatever makes it, a name is made of the letters A to Z and a to z, digits and `_`; it "
        "begins with no digit, has at most 200 characters, and is not `and`, `or`, `not`, "
        "`true`, `false`, `inf` or `nan`. `{expr}` inside a name is replaced by an integer or a "
        "string, and what that makes is a name again: `t{-1}` is none.",
        ".const k = 3\n.sbuf  t{k / 2}  f32[128, 8]",
        ".const k = 3\n.sbuf  t{k // 2}  f32[128, 8]",
    ),
    Code(
        "E0210",
        "a value of the wrong kind",
        "The operator, function or directive wants another kind of value: a number, an integer, "
        "a condition or a tensor. `/` always gives a number with a fraction, even `4 / 2`; `//` "
        "divides integers.",
        ".const N = 512\n.for k in 0..N / 128\n.end",
        ".const N = 512\n.for k in 0..N // 128\n.end",
    ),
    Code(
        "E0211",
        "an expression has no value",
        "The operands are of the right kind, but the operation has no result for them: a "
        "division by zero, the logarithm of zero or less, an axis or a bank that the tensor does "
        "not have, or an excessively long number.",
        ".const N = 0, K = 512 // N",
        ".const N = 4, K = 512 // N",
    ),
    Code(
        "E0212",
        "an unknown function, or wrong arguments for one",
        "Constant expressions know `min`, `max`, `abs`, `ceil_div`, `log2`, `sizeof`, `shape`, "
        "`dtype` and `bank`. Functions of arrays such as `exp` and `softmax` belong to `.expect`.",
        ".const N = cdiv(100, 8)",
        ".const N = ceil_div(100, 8)",
    ),
    Code(
        "E0213",
        "-D names no constant",
        "`-D NAME=VALUE` gives a constant that the program declares with `.const` another value. "
        "The program has no constant of this name. A misspelt one would otherwise go unnoticed.",
        "$ neuron-nasm run prog.nasm -D SIZE=256      # .const N = 512",
        "$ neuron-nasm run prog.nasm -D N=256",
    ),
    Code(
        "E0214",
        "no target, or an unknown one",
        "A program names its target before anything else. `--target` overrides it for one run. "
        "There is no default, because sizes, rules and timing all depend on the target. Installed "
        "packages may add targets; the message says why one of those cannot be used.",
        ".target trn9\n@sync Nop",
        ".target trn1\n@sync Nop",
    ),
    Code(
        "E0215",
        "a misplaced .target, or another version of the language",
        "`.target` is given once, before everything that depends on it. `.nasm 1` may state the "
        "version of the language, which is 1.",
        ".target trn1\n.target trn2",
        ".nasm 1\n.target trn2",
    ),
    Code(
        "E0216",
        "an unknown role of a tensor",
        "The shape of a tensor is followed by `input`, `output`, `inout` or nothing.",
        ".hbm  X  f32[4]  in = zeros",
        ".hbm  X  f32[4]  input = zeros",
    ),
    Code(
        "E0217",
        "an initialiser that cannot fill the tensor",
        "A tensor starts with `zeros`, `iota`, `random(seed=1)`, `normal(seed=1)`, an array file "
        '(`"x.npy"`, `"x.npz:key"`) or a list. This is none of them, or its values do not fit: '
        "a list of another shape, or numbers that the dtype cannot hold.",
        ".hbm  X  f32[4]  input = ones",
        ".hbm  X  f32[4]  input = [1, 1, 1, 1]",
    ),
    Code(
        "E0218",
        "a loop without an end, or one that makes too many lines",
        "`.for` is unrolled when the program is assembled. A step of 0 would never end, and more "
        "than 2 million lines, made by all loops and macros together, are taken for a mistake: "
        "they would take minutes and gigabytes. A loop at run time is written `.loop`.",
        ".for k in 0..4 step 0\n.end",
        ".for k in 0..4 step 2\n.end",
    ),
    Code(
        "E0219",
        "an assertion fails",
        "The condition of an `.assert` is false for the constants of this assembly. The message "
        "is the program's own; check the values given with `-D`.",
        '.const N = 100\n.assert N % 128 == 0, "N is a multiple of 128"',
        '.const N = 256\n.assert N % 128 == 0, "N is a multiple of 128"',
    ),
    Code(
        "E0220",
        "no engine is selected",
        "Every instruction belongs to the queue of one engine. `@engine` before an instruction "
        "applies to that line; alone on a line, to those that follow.",
        "TensorCopy  c, acc",
        "@vector\nTensorCopy  c, acc",
    ),
    Code(
        "E0224",
        "'@export' outside of a macro",
        "What a macro declares is its own; with `@export` before the name it is declared where the "
        "macro is called. Outside of macros there is no such place: names declared there are seen "
        "in the whole program.",
        ".sbuf  @export t  f32[128, 8]",
        ".macro m()\n.sbuf  @export t  f32[128, 8]\n.end\nm()",
    ),
    Code(
        "E0225",
        "arguments that do not fit a macro",
        "A macro is called as Python calls a function: arguments by position first, then by name; "
        "every parameter without a default gets one, none gets two. In the declaration, parameters "
        "have names of their own, and those with a default come last.",
        ".macro m(x, n=4)\n@vector Memset x, n\n.end\nm(c, m=2)",
        ".macro m(x, n=4)\n@vector Memset x, n\n.end\nm(c, n=2)",
    ),
    Code(
        "E0226",
        "an unknown macro",
        "A name followed by parentheses, as a line, calls a macro, and none of that name is "
        "declared above. The operands of an instruction have no parentheses around them.",
        "fill(c)",
        ".macro fill(x)\n@vector Memset x, 0.0\n.end\nfill(c)",
    ),
    Code(
        "E0227",
        "macros that call each other too deeply",
        "A macro may call others, and itself, 100 deep. One that calls itself needs an `.if` that "
        "ends it, on a parameter that changes.",
        ".macro down(n)\ndown(n - 1)\n.end\ndown(3)",
        ".macro down(n)\n.if n > 0\ndown(n - 1)\n.end\n.end\ndown(3)",
    ),
    Code(
        "E0228",
        "a macro or an included file inside of a loop or a macro",
        "`.macro` and `.include` are read once, so they must be outside of the lines that a `.for` "
        "or a `.macro` repeats: before it, or in an `.if`.",
        ".for k in 0..4\n.macro m(a)\n.end\n.end",
        ".macro m(a)\n.end\n.for k in 0..4\nm(k)\n.end",
    ),
    Code(
        "E0240",
        "a tensor is used after its .scope",
        "The bytes of tensors that are declared in a `.scope` may belong to those of another one "
        "after its `.end`, so no instruction there may name them, and no expectation, which is "
        "evaluated after the run.",
        ".scope\n.sbuf  t  f32[128, 8]\n.end\n@vector Memset t, 0.0",
        ".scope\n.sbuf  t  f32[128, 8]\n@vector Memset t, 0.0\n.end",
    ),
    Code(
        "E0241",
        "initial values in a .scope",
        "What an initialiser fills is there from the start of the run. The bytes of a tensor of a "
        "`.scope` may be another's until that begins.",
        ".scope\n.sbuf  t  f32[128, 8] = zeros\n.end",
        ".sbuf  t  f32[128, 8] = zeros",
    ),
    Code(
        "E0242",
        "an unknown setting",
        "`.cfg` and `.write` name something that the target's cores or queues hold. Which there "
        "are, the pages of the target say; a target may have none.",
        ".target wormhole\n.cfg ALU_FORMAT_SPEC_REG0_SrcC = bf16",
        ".target wormhole\n.cfg ALU_FORMAT_SPEC_REG0_SrcA = bf16",
    ),
    Code(
        "E0243",
        "a setting is given twice",
        "A setting holds from the start of a run on, so there is one value for it; two settings "
        "may also be names for parts of one place. What changes while the program runs is written "
        "by instructions: `.write` makes them.",
        ".target wormhole\n@t0\n.cfg GPR5 = 1\n.cfg GPR5 = 2",
        ".target wormhole\n@t0 .cfg GPR5 = 2",
    ),
    Code(
        "E0244",
        "a setting that belongs elsewhere",
        "A setting that each queue has is set for one queue: `.cfg` comes after an `@engine`, or "
        "one is selected. A setting of the whole core is set without. Only some settings take an "
        "instruction, and once a run has begun none can be set.",
        ".target wormhole\n@t0 .cfg ALU_FORMAT_SPEC_REG0_SrcA = bf16",
        ".target wormhole\n.cfg ALU_FORMAT_SPEC_REG0_SrcA = bf16",
    ),
    Code(
        "E0245",
        "a tensor whose elements are not in order",
        "The shape of a tensor may be followed by the arrangement of its elements in its bytes. "
        "Lines that walk a tensor by steps take none that is; what reaches a memory by addresses "
        "does.",
    ),
    Code(
        "E0246",
        "an arrangement that cannot be",
        "A word after the shape of a tensor names the arrangement of its elements in its bytes. "
        "The target has a few, for some dtypes and for formats that are only stored, and in "
        "linear memories whose bytes have addresses.",
        ".target wormhole\n.l1  x  u8[32, 32]  tiled",
        ".target wormhole\n.l1  x  bf16[32, 32]  tiled",
    ),
    Code(
        "E0247",
        "an instruction, or a part of one, in a comment",
        "`;` begins a comment, which goes to the end of the line: there is one instruction on a "
        "line. What follows a `;` and reads as a whole instruction was probably meant to be one, "
        "as it would be in C; so is a wait, an update, or a moment that other lines have. What is "
        "commented out on a line of its own is not reported.",
        "@vector Memset c, 0.0; @vector Nop",
        "@vector Memset c, 0.0\n@vector Nop",
        severity=Severity.WARNING,
        warns=True,
    ),
    Code(
        "E0248",
        "instructions that are not pushed, or pushed twice",
        "An engine may be given its instructions by another one, which has lines of its own in "
        "between. What comes before such a line in the text is pushed before it, and the rest at "
        "the end, unless the program has pushes itself: then these have to push every instruction "
        "once. In a session an engine gets such lines from its program only.",
        ".target wormhole\n@trisc0 PUSH Count=1\n@trisc0 ADDI 1, 0, 1\n@t0\nNOP\nNOP",
        ".target wormhole\n@trisc0 PUSH Count=1\n@trisc0 ADDI 1, 0, 1\n@trisc0 PUSH Count=1\n"
        "@t0\nNOP\nNOP",
    ),
)
