"""Every rule has a program that breaks it, and the refusal quotes the rule."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

from nasm.base.problems import Problem, Severity
from nasm.isa.instruction import InstructionContext, Rule
from nasm.isa.list_kinds import mentioned
from nasm.isa.target import rules_of
from nasm.program.check import RuleChecks
from nasm.program.program import Instruction
from nasm.program.templates import InstructionTemplate
from nasm.targets.neuron import TARGET
from nasm.targets.neuron.isa import ISA
from nasm.targets.neuron.rules import BANK
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


BANKS = [case for case in CASES if case.code == BANK]


@each("case", [*BANKS, *part(CASES, 25)], ids=lambda case: case.name)
def test_only_a_placed_rule_asks_where_a_tile_begins(
    case: Broken, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[Instruction, str]] = []
    one_by_one = RuleChecks.broken

    def broken(
        rules: RuleChecks,
        instruction: Instruction,
        queue: int,
        pc: int,
        template: InstructionTemplate,
    ) -> Any:
        seen.append((instruction, template.engine))
        return one_by_one(rules, instruction, queue, pc, template)

    monkeypatch.setattr(RuleChecks, "broken", broken)
    programs.refused(case.lines, case.on, **{**TILES, **case.tiles})
    generation = TARGET.generation(case.on)
    assert generation is not None
    for instruction, engine in seen:
        row, operands = instruction.row, instruction.operands
        context = InstructionContext.of(row, operands, engine, generation)
        tensors = {t.index: t for value in operands for t in mentioned(value)}.values()
        rules = [r for r in rules_of(TARGET, row, bool(context.addressed)) if not r.placed]
        found = _texts(rules, context)
        for bytes_further in (1, 2046, 4098):
            for tensor in tensors:
                tensor.offset = (tensor.offset or 0) + bytes_further
            assert _texts(rules, context) == found
            for tensor in tensors:
                tensor.offset = (tensor.offset or 0) - bytes_further


def _texts(rules: list[Rule], context: InstructionContext) -> list[str | None]:
    found: list[str | None] = []
    for rule in rules:
        found.append(rule.check(context))
        if found[-1] is not None and rule.stops:
            break
    return found
