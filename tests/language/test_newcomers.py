"""What is said of lines as they are written elsewhere: in C, PTX, Python, other assemblers."""

from __future__ import annotations

import pytest

import nasm
from nasm.base.problems import Failure, Problem
from tests.tables import each

HEAD = """\
.target trn2
.hbm A f32[128, 64] input = iota
.sbuf t f32[128, 64]
.sbuf u f32[128, 64]
.sem s
@vector
Nop
"""


def first(text: str) -> Problem:
    with pytest.raises(Failure) as failure:
        nasm.assemble(f"{HEAD}{text}\n")
    return failure.value.problems[0]


ENDS = "a queue ends after its last line"
COMMENT = "';' begins a comment"
FIRST = "its first operand is what it writes"


@each(
    ("line", "hint"),
    [
        (".for (k = 0; k < 4; k++)\nNop\n.end", "'.for k in 0..4 step 2'"),
        ("for (int k = 0; k < 4; k++) {", "'.for k in 0..4 step 2'"),
        (".for k in range(4)\nNop\n.end", "'0..4'"),
        ("if (N > 3) {\nNop\n}", "every block ends with '.end'"),
        ("}", "every block ends with '.end'"),
        (".sbuf v[4,4] f32", "'.sbuf v f32[4,4]'"),
        (".sbuf f32 v[4,4]", "'.sbuf v f32[4, 4]'"),
        (".sbuf f32[4, 4] v", "'.sbuf v f32[4, 4]'"),
        (".sbuf bf16[4, 4]", "'.sbuf name bf16[4, 4]'"),
        (".reg .f32 %f1", "each engine has %r0"),
        ("return", ENDS),
        ("@vector ret", ENDS),
        ("goto again", "branches to a label"),
        ("if %r1 > 0 goto again", "'.break %r1 > 0' in a '.loop'"),
        ("@vector bra again", "'.loop k in 0..4 step 2'"),
        ("continue", "'.break' leaves a '.loop'"),
        ("call f", "'name(x, y)'"),
        ("def f(a):", "'.macro name(a, b, n=4)'"),
        ("int k = 3", "'.const N = 4'"),
        ("#define N 4", "'.const N = 4'"),
        ('#include "x.nasm"', ".include"),
        ("Memset t, #0", "'0'"),
        ("Memset t, 1.0f", "'1.0'"),
        ("Memset t, True", "'true'"),
        ("RegisterMove R1, 5", "'%r1'"),
        ("import numpy as np", ".include"),
        ("section .text", "there are no sections"),
        ("// a comment", COMMENT),
        ("/* a comment */", COMMENT),
        ("Nop // a comment", COMMENT),
        ("Nop /* a comment */", COMMENT),
        ("Memset t, 1.0 /* a comment */", COMMENT),
        ("-- a comment", COMMENT),
        ("MOV %r1, 5", "RegisterMove"),
        ("mov.u32 %r1, 5", "a mnemonic is one word"),
        ("nisa.tensor_copy(t, u)", "a mnemonic is one word"),
        ("ADD t, t, u", "TensorTensor with op=add"),
        ("@vector mul t, t, u", "op=multiply"),
        ("@sync load t, A", "DmaCopy"),
        ("wait s >= 1", "'$s >= 1'"),
        ("Nop s >= 1", "a semaphore is written '$s'"),
        ("__syncthreads();", "declared '.macro"),
        ("softmax(t, u)", '.include "lib/softmax.nasm"'),
        ("t[:, 0] = 1.0", FIRST),
        ("t = u", FIRST),
        ("TensorCopy t[0:64,], u", "leave the comma out"),
        ("print t", "'neuron-nasm repl'"),
        ("post loaded", "at the end of the line"),
    ],
)
def test_the_hint_says_what_to_write_here(line: str, hint: str) -> None:
    problem = first(line)
    assert hint in problem.hint, problem


def test_a_tensor_with_its_shape_at_its_name_is_no_unknown_directive() -> None:
    assert first(".sbuf v[4,4] f32").code == "E0114"
