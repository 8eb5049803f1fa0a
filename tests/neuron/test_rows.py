"""What holds for every row of the table by its being there."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from nasm.asm.check import available
from nasm.machine.describe import form_text
from nasm.problems import Failure, Refused
from nasm.spec.facts import Evidence
from nasm.spec.instruction import Instruction, Rule
from nasm.spec.kinds import Hidden
from nasm.spec.view import View
from nasm.targets.neuron import TARGET, rules
from nasm.targets.neuron.isa import ISA
from tests.neuron import programs
from tests.neuron.programs import hbm, psum, sbuf

ROWS = tuple(ISA)
ENGINES = ("tensor", "vector", "scalar", "gpsimd", "sync")
every_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
on_every_generation = pytest.mark.parametrize("on", programs.GENERATIONS)


def tiles(n: int) -> dict[str, programs.Tile]:
    """Tensors of the names that the examples use, ``n`` elements per partition."""
    values = (np.arange(128 * n, dtype=np.float32) % 251).reshape(128, n)
    return {
        "A": hbm("f32", values),
        "n": hbm("i32", [7]),
        "a": sbuf("f32", values),
        "b": sbuf("f32", values + 1),
        "best": sbuf("f32", values[:, :8]),
        "c": sbuf("f32", (128, n)),
        "m": sbuf("f32", (128, 1)),
        "at": sbuf("u32", (128, 8)),
        "acc": psum("f32", (n, n)),
    }


def lines(row: Instruction, engine: str) -> str:
    """The example of a row behind what it needs, on one engine."""
    transfer = ".dma load\n  a <- A\n.end"
    return f"{transfer}\n@{engine}\n{row.setup}\nagain: Nop\n{row.example}"


@every_row
@on_every_generation
def test_the_example_assembles_and_runs(row: Instruction, on: str) -> None:
    done = programs.ran(lines(row, row.engines[0]), on, **tiles(16))
    queue = done.queue(row.engines[0])
    assert queue.count == queue.length


@every_row
def test_the_example_formats_back_to_itself(row: Instruction) -> None:
    made = programs.program(lines(row, row.engines[0]), "trn2", **tiles(16))
    assert form_text(made.forms[-1]) == " ".join(row.example.split())


@every_row
def test_the_example_writes_all_of_its_destination(row: Instruction) -> None:
    made = programs.ran(lines(row, row.engines[0]), "trn2", **tiles(16))
    form = made.program.forms[-1]
    view = form.operand("dst") if "dst" in row.position else None
    if isinstance(view, View):
        assert made.known(view.tensor.name).all()


@every_row
@on_every_generation
def test_the_cost_is_positive_and_does_not_fall_as_tiles_grow(row: Instruction, on: str) -> None:
    costs = [programs.cost(lines(row, row.engines[0]), on, **tiles(n)) for n in (8, 64, 128)]
    assert all(0 < c.interval <= c.latency for c in costs)
    intervals = [c.interval for c in costs]
    assert intervals == sorted(intervals)
    assert [c.latency for c in costs] == sorted(c.latency for c in costs)


@every_row
@on_every_generation
def test_the_cost_says_where_it_comes_from(row: Instruction, on: str) -> None:
    found = programs.cost(lines(row, row.engines[0]), on, **tiles(8))
    assert found.source
    assert found.evidence in Evidence


@every_row
def test_the_page_has_its_parts(row: Instruction) -> None:
    assert row.summary.endswith(".")
    assert row.doc.count("\n") == 0 or row.doc.splitlines()[1] == ""
    assert row.source
    assert row.formula
    assert row.vendor


@every_row
def test_every_operand_describes_itself(row: Instruction) -> None:
    for operand in row.operands:
        assert operand.kind.describe()
        assert isinstance(operand.kind, Hidden) == (operand not in row.written)


@pytest.mark.parametrize("rule", [*rules.EVERYWHERE, *(r for row in ROWS for r in row.rules)],
                         ids=lambda rule: rule.sentence)  # fmt: skip
def test_every_rule_has_a_sentence_and_a_source(rule: Rule) -> None:
    assert rule.source
    assert rule.code.startswith(("E04", "E06"))
    assert not rule.sentence.endswith(".")


@every_row
def test_an_engine_either_has_the_instruction_or_refuses_it_by_name(row: Instruction) -> None:
    for on, engine in itertools.product(programs.GENERATIONS, ENGINES):
        try:
            programs.program(lines(row, engine), on, **tiles(16))
        except Failure as failure:
            found = {p.code for p in failure.problems}
            assert found == {"E0408"}, (on, engine)
            continue
        assert engine in row.engines, (on, engine)


@every_row
def test_every_engine_a_row_names_has_it_on_some_generation(row: Instruction) -> None:
    def has(engine: str, generation: str) -> bool:
        found = TARGET.generation(generation)
        assert found is not None
        try:
            available(TARGET, found, row, engine)
        except Refused:
            return False
        return True

    for engine in row.engines:
        assert any(has(engine, on) for on in programs.GENERATIONS), engine
