"""Every rule has a program that breaks it, and the refusal quotes the rule."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

from nasm.base.problems import Problem, Severity
from nasm.targets.neuron import TARGET
from nasm.targets.neuron.isa import ISA
from tests.neuron import broken_everywhere, programs
from tests.neuron.broken import TILES, Broken
from tests.parts import part
from tests.tables import each

FAMILIES = sorted(Path(__file__).parent.glob("*/broken*.py"))
CASES: list[Broken] = [
    case
    for module in (
        broken_everywhere,
        *(importlib.import_module(f"tests.neuron.{f.parent.name}.{f.stem}") for f in FAMILIES),
    )
    for case in module.cases()
]


def quotes(problem: Problem, case: Broken) -> bool:
    said = f"rule: {case.rule.sentence} ({case.rule.source})"
    return (
        problem.code == case.code
        and problem.message.startswith(f"{case.row}: ")
        and case.piece in problem.message
        and problem.hint.endswith(said)
    )


@each("case", part(CASES, len(CASES) // 5), ids=lambda case: case.name)
def test_a_broken_rule_is_refused_and_quoted(case: Broken) -> None:
    problems = programs.refused(case.lines, case.on, **{**TILES, **case.tiles})
    assert [p for p in problems if quotes(p, case)], problems


def test_a_finding_that_begins_with_an_operand_and_names_no_other_is_about_it() -> None:
    wrong = []
    for case in part(CASES, 30):
        problems = programs.refused(case.lines, case.on, **{**TILES, **case.tiles})
        for problem in problems:
            if not quotes(problem, case) or problem.span is None:
                continue
            row = ISA.rows[case.row]
            said = problem.message.removeprefix(f"{case.row}: ")
            names = {o.name for o in row.written} & set(re.findall(r"\w+", said))
            first = re.match(r"\w+", said)
            lone = len(names) == 1 and first is not None and first[0] in names
            if lone and problem.span.text.startswith(case.row):
                wrong.append(f"{case.name}: {problem.message}")
    assert not wrong, "\n".join(wrong)


def test_no_rule_is_without_a_program_that_breaks_it() -> None:
    broken = {(c.row, c.rule.sentence) for c in CASES}
    errors = {
        (row.name, r.sentence) for row in ISA for r in row.rules if r.severity is Severity.ERROR
    }
    missing = sorted(f"{name}: '{said}'" for name, said in errors - broken)
    assert not missing, "no program in tests/neuron/broken breaks\n" + "\n".join(missing)
    everywhere = {r.sentence for r in TARGET.rules if r.severity is Severity.ERROR}
    assert everywhere <= {sentence for _, sentence in broken}


def test_every_code_of_a_rule_is_the_code_of_its_case() -> None:
    assert [(c.name, c.code) for c in CASES if c.code != c.rule.code] == []


def test_a_dma_that_reads_psum_runs_and_warns() -> None:
    done = programs.ran(
        ".sem set\n@vector Memset p, 1.0 $set++\n@sync DmaCopy C, p $set >= 1",
        p=TILES["p"],
        C=TILES["A"],
    )
    (warning,) = done.program.warnings
    assert (warning.code, warning.severity) == ("E0406", Severity.WARNING)
    assert "src is in psum" in warning.message


ROWS = "A.ap([[64, 128], [1, 64]], vector_offset=icol)"
SECOND = {
    "a bank": (
        "E0409",
        "@tensor MultiplyMoving banks[:, 0:64], a\n@tensor MultiplyMoving banks[:, 480:544], a",
        "trn1",
    ),
    "bytes of a transpose": (
        "E0402",
        "@tensor MultiplyMoving pf[:, 0:64:2], f[0:64, 0:32], is_transpose=true\n"
        "@tensor MultiplyMoving pf[:, 1:64:2], f[0:64, 0:32], is_transpose=true",
        "trn2",
    ),
    "the sources of a sum": (
        "E0407",
        f"@gpsimd DmaCompute a, [{ROWS}, a], reduce_op=add\n"
        f"@gpsimd DmaCompute b, [{ROWS}, a], reduce_op=add",
        "trn2",
    ),
    "two numbers": ("E0407", "@vector Rand2 c, 1.0, 2.0\n@vector Rand2 c, 2.5, 1.5", "trn3"),
    "a number without an operator": (
        "E0407",
        "@vector TensorScalar a, b, op0=square, operand0=0.0\n"
        "@vector TensorScalar a, b, op0=square, operand0=1.0",
        "trn3",
    ),
}
"""Two lines each, of which the second breaks a rule by its addresses or numbers alone."""


@each("name", tuple(SECOND), ids=str)
def test_the_second_instruction_of_a_shape_may_break_a_rule(name: str) -> None:
    code, lines, on = SECOND[name]
    first, second = lines.split("\n")
    assert programs.program(first, on, **TILES)
    (problem,) = programs.refused(f"{first}\n{second}", on, **TILES)
    assert problem.code == code
    assert problem.span is not None
    assert problem.span.text in second
    assert problem.span.text not in first
