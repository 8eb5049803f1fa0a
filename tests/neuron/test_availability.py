"""A program for the wrong generation or engine is told who has what it asks for."""

from __future__ import annotations

import re

import pytest

import nasm
from nasm.base.problems import Failure
from nasm.targets.neuron import TARGET
from tests.tables import each

V2, V3, V4 = (g.summary for g in TARGET.generations)
LATER = f"{V3} and {V4}"


def problems_of(target: str, line: str, declared: str = "") -> list[tuple[str, str]]:
    """Code and hint of every problem of a line."""
    text = (
        f".target {target}\n.hbm A bf16[128, 128] input = zeros\n.sbuf a bf16[128, 128]\n"
        f".sbuf b bf16[128, 128]\n.sbuf c f32[128, 128]\n.psum acc f32[128, 128]\n"
        f".psum wide f32[128, 1024]\n.sbuf long bf16[128, 1024]\n.sbuf d bf16[128, 2, 128]\n"
        f".sbuf e e4m3[128, 2, 128]\n{declared}\n{line}\n"
    )
    with pytest.raises(Failure) as raised:
        nasm.assemble(text)
    return [(p.code, p.hint) for p in raised.value.problems]


@each(
    ("target", "line", "declared", "code", "hint"),
    [
        # an instruction
        (
            "trn1",
            "@scalar TensorCopy c, a",
            "",
            "E0408",
            f"it runs on @vector and @gpsimd, and on {LATER}",
        ),
        ("trn2", "@tensor TensorCopy c, a", "", "E0408", "it runs on @vector, @scalar and @gpsimd"),
        ("trn2", "@gpsimd Activation c, a, op=copy", "", "E0408", "it runs on @scalar"),
        # a dtype
        (
            "trn2",
            "@vector TensorCopy c, t",
            ".sbuf t e4m3fn[128, 128]",
            "E0405",
            f"it is legal on {V4}",
        ),
        # an operator
        ("trn1", "@vector TensorTensor c, a, b, op=abs_max", "", "E0408", f"it is legal on {V4}"),
        ("trn2", "@vector TensorTensor c, a, b, op=power", "", "E0408", "it is legal on @gpsimd"),
        # a mode
        (
            "trn1",
            "@tensor LoadStationary e, perf_mode=double_row",
            "",
            "E0407",
            f"it is legal on {LATER}",
        ),
        ("trn1", "@sync DmaCopy a, A, dge_mode=hwdge", "", "E0408", f"it is legal on {LATER}"),
        (
            "trn1",
            "@vector DmaCopy a, A, dge_mode=hwdge",
            "",
            "E0408",
            f"it is legal on @scalar/@sync of {V3}, and on @scalar/@sync of {V4}",
        ),
        (
            "trn1",
            "@scalar Activation c, a, op=exp, bias=1.0",
            "",
            "E0408",
            f"it is legal on {LATER}",
        ),
        # a size
        ("trn2", "@tensor MultiplyMoving wide, long", "", "E0410", f"it is legal on {V4}"),
        # a memory
        ("trn2", "@gpsimd TensorCopy c, acc", "", "E0403", "it is legal on @vector and @scalar"),
    ],
)
def test_who_has_it_is_said(target: str, line: str, declared: str, code: str, hint: str) -> None:
    found = dict(problems_of(target, line, declared))
    assert hint in [line.strip() for line in found[code].splitlines()]


def test_what_holds_everywhere_suggests_no_other_place() -> None:
    found = problems_of(
        "trn2",
        "@vector TensorTensor c, a, acc, op=add\n@vector TensorCopy c[32:33, ::2], a[1:2, 0:64]",
    )
    assert [code for code, _ in found] == ["E0401"]
    assert "it is legal" not in found[0][1]


def test_a_word_of_another_instruction_names_that() -> None:
    found = problems_of("trn3", "@vector TensorReduce c[:, 0:1], a, op=power, axis=1")
    assert found[0][0] == "E0206"
    assert "TensorTensor" in found[0][1]
    assert problems_of("trn3", "@vector TensorReduce c[:, 0:1], a, op=ad, axis=1") == [
        ("E0206", "did you mean 'add'?")
    ]


def test_options_are_the_same_elsewhere() -> None:
    text = ".target trn1\n.sbuf a f32[128, 8]\n@scalar TensorCopy a, a\n"
    with pytest.raises(Failure, match="E0408"):
        nasm.assemble(text, options={"rounding": "stochastic"})


BOTH = "@{} TensorScalar c, c, op0=add, operand0=1.0, op1=rsqrt"
HALVES = (
    "@vector TensorScalar c, c, op0=add, operand0=1.0  post half",
    "@gpsimd TensorScalar c, c, op0=rsqrt  after half",
)


@pytest.mark.parametrize("engine", ["vector", "scalar", "gpsimd"])
def test_what_no_engine_does_in_one_instruction_is_written_as_two_that_assemble(
    engine: str,
) -> None:
    """Each engine breaks a rule of its own, so none of them is proposed."""
    ((code, hint),) = problems_of("trn2", BOTH.format(engine))
    lines = tuple(re.findall("'(@[^']*)'", hint))
    assert (code, lines) == ("E0408", HALVES)
    assert "it is legal" not in hint
    program = nasm.assemble(
        "\n".join((".target trn2", ".sbuf c f32[128, 128] = iota", *lines, ".expect c[0, 0] == 1"))
    )
    assert not nasm.run(program).report.hazards


def test_where_another_rule_would_be_broken_it_is_not_legal() -> None:
    """GpSimd has power, but reaches no PSUM; no engine is left."""
    ((code, hint),) = problems_of("trn2", "@vector TensorTensor acc, acc, c, op=power")
    assert code == "E0408"
    assert "it is legal" not in hint
