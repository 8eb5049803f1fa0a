"""Codes of loops at run time: E0231 to E0239."""

from __future__ import annotations

from nasm.language.codes.row import Code

ROWS = (
    Code(
        "E0231",
        "known only at run time",
        "The lines of a `.loop` are assembled once, for all rounds. Its variable is a register "
        "that the machine steps: it can say where a view starts, and it can be an operand that "
        "takes a register. What decides which instruction is made (a shape, a condition of `.if`, "
        "the bound of a `.for`, a name, a number in an instruction's encoding) is the same in "
        "all rounds.\n"
        "\n"
        "Write a round that differs before or after the loop, or repeat the lines with `.for`, "
        "which knows its variable.",
        "@tensor LoadStationary  a\n.loop k in 0..4\n@tensor MultiplyMoving  acc, b, "
        "accumulate=(k > 0)\n.end",
        "@tensor LoadStationary  a\n@tensor MultiplyMoving  acc, b\n.loop k in 1..4\n@tensor "
        "MultiplyMoving  acc, b, accumulate=true\n.end",
    ),
    Code(
        "E0232",
        "not a sum of products of loop variables with constants",
        "A register that is stepped once a round holds `k`, `k*128 + 3` or, in a nest, `j*64 + "
        "k`: each adds a constant from round to round. A product of two variables, a quotient "
        "or a remainder does not. A remainder by the loop's own step is a number: `k % 2` in a "
        "`.loop k in 0..8 step 2` is 0.",
        ".loop k in 0..4\n@vector Memset  c[:, k % 2], 0\n.end",
        ".loop k in 0..4 step 2\n.for i in 0..2\n@vector Memset  c[:, (k + i) % 2], 0\n.end\n.end",
    ),
    Code(
        "E0233",
        "a line for an engine that does not go through the loop",
        "A `.loop` with a register, or with `@engine` before it, is for one engine. With a "
        "name and without an engine it is for every engine that has a line in it.",
        "@vector .loop k in 0..4\n@scalar Nop\n.end",
        ".loop k in 0..4\n@scalar Nop\n@vector Nop\n.end",
    ),
    Code(
        "E0234",
        "`.break` in a loop of several engines",
        "Every engine goes through a loop by itself and counts its rounds itself. If one left, "
        "the others would continue and wait for what it does no more. Leave a loop that only one "
        "engine goes through, or let the number of rounds come from a register that each engine "
        "has loaded.",
        ".loop k in 0..4\n@vector .break\n@scalar Nop\n.end",
        "@vector .loop k in 0..4\n.break\n.end",
    ),
    Code(
        "E0235",
        "a register that counts rounds is written",
        "The register of a `.loop` is set and stepped by the loop. An instruction of its body "
        "that writes it would change how many rounds there are. Take another register, or a "
        "loop of your own: a label, arithmetic and a branch.",
        "@vector .loop %r1 in 0..4\nRegisterMove  %r1, 0\n.end",
        "@vector .loop %r1 in 0..4\nRegisterMove  %r2, 0\n.end",
    ),
    Code(
        "E0236",
        "no register is left",
        "An engine has 64 registers. The assembler takes one for the variable of each `.loop` "
        "around a line, or for each form of it that an index needs, such as `k*128`; registers "
        "that the text mentions by number are never taken. The notes say what takes them. Let "
        "indices share a form, or make the nest less deep.",
        "@vector .loop k in 0..2\n.for i in 1..66\nRegisterAlu  %r0, k*i, 1, op=add\n.end\n.end",
        "@vector .loop k in 0..2\n.for i in 1..62\nRegisterAlu  %r0, k*i, 1, op=add\n.end\n.end",
    ),
    Code(
        "E0237",
        "`.break` outside of a loop at run time",
        "`.break` branches to the end of the innermost `.loop` around it. The lines of a "
        "`.for` are made when the text is assembled: `.if` chooses among them.",
        "@vector .break",
        "@vector .loop k in 0..4\n.break %r0 >= 3\n.end",
    ),
    Code(
        "E0238",
        "what `.break` cannot compare",
        "The condition of a `.break` is one comparison of a register, or of the variable of a "
        "loop, with a number or another register. The engine decides it in every round.",
        "@vector .loop k in 0..4\n.break 1 == 2\n.end",
        "@vector .loop k in 0..4\n.break k == %r0\n.end",
    ),
    Code(
        "E0239",
        "rounds of a loop that cannot be written out",
        "`.loop k in 0..8 buffers=2` writes two rounds of the loop out, with `k` and `k + 1`, so "
        "that `x[k % 2]` is another tile in each. The number of rounds is known, and a multiple "
        "of that; the loop has a variable with a name.",
        ".loop k in 0..5 buffers=2\n@vector Memset t[:, k], 0\n.end",
        ".loop k in 0..4 buffers=2\n@vector Memset t[:, k], 0\n.end",
    ),
)
