"""Rules, costs, domains and footprints are asked of everything that a row allows.

Each row is taken with its example, on every engine of every generation that has it, and its
operands are exchanged: a tile for one of every memory and dtype its kind takes, a word for every
other word, a flag for both, what may be left out for nothing. A rule may refuse; it may not fail,
and where none refuses there is a cost. So what asks for an operand that a row lacks, or for a
figure that a generation lacks, is found here and not by whoever uses it first.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from nasm.base.dtypes import DTYPES
from nasm.base.problems import Failure, Refused, Severity
from nasm.base.source import Source
from nasm.isa.evidence import Evidence
from nasm.isa.generation import Generation
from nasm.isa.implicit_kinds import Implicit
from nasm.isa.instruction import BITS, FLOAT32, REQUIRED, InstructionContext, Operand, Row
from nasm.isa.kinds import Choice, Flag, Kind, Tile
from nasm.isa.list_kinds import Tiles
from nasm.isa.target import rules_of
from nasm.language.assemble import assemble
from nasm.program.shapes import signature
from nasm.show import examples
from nasm.targets import TARGETS
from nasm.targets.neuron import TARGET
from nasm.targets.neuron.isa import ISA
from nasm.views.tensor import Tensor
from nasm.views.view import View
from tests.parts import part
from tests.tables import each

Operands = tuple[Any, ...]

PLACES = [
    pytest.param(row, engine, generation, id=f"{row.name}-{generation.name}-{engine}")
    for row in ISA
    for generation in TARGET.generations
    for engine in TARGET.engines(row, generation)
]


def example(row: Row, engine: str, generation: Generation) -> Operands:
    """The operands of the example, if the engine has what it asks for, else of another one's."""
    for one in (engine, *row.engines):
        try:
            text = examples.program_text(row, one, generation, TARGET, 128, 128)
            made = assemble(Source("example", text), TARGETS)
        except Failure as failure:
            if {p.code for p in failure.problems} == {"E0408"}:
                continue
            raise
        return next(i for i in reversed(made.instructions) if i.row is row).operands
    raise AssertionError(f"{row.name} has no example on {generation.name}")


def kinds(operand: Operand) -> tuple[Kind, ...]:
    return (operand.kind, *getattr(operand.kind, "kinds", ()))


def tiles(kind: Kind, held: Any, generation: Generation) -> Iterator[Any]:
    """A tile of every memory and dtype that a kind takes, like the one held if there is one."""
    for where, name in itertools.product(generation.memories, generation.dtypes):
        memory, dtype = generation.memories[where], DTYPES[name]
        if isinstance(kind, Tiles):
            tensors = [replace(v.tensor, memory=memory, dtype=dtype) for v in held or ()]
            tensors = tensors or [Tensor("t", memory, dtype, (128, 128), partition=0, offset=0)]
            given: Any = [View.whole(t) for t in tensors]
        elif isinstance(held, View):
            given = View.whole(replace(held.tensor, memory=memory, dtype=dtype))
            given = replace(given, shape=held.shape) if held.partitioned else given
        else:
            shape = (128, 1) if getattr(kind, "column", False) else (128, 128)
            given = View.whole(Tensor("t", memory, dtype, shape, partition=0, offset=0))
        try:
            yield kind.accept(given)
        except Refused:
            continue


def choices(operand: Operand, held: Any, generation: Generation) -> Iterator[Any]:
    """Everything that may stand in an operand's place, but for numbers of its own kind."""
    for kind in kinds(operand):
        if isinstance(kind, Tile | Tiles):
            yield from tiles(kind, held, generation)
        elif isinstance(kind, Choice):
            yield from kind.options
        elif isinstance(kind, Flag):
            yield from (False, True)
    if operand.default is not REQUIRED:
        yield operand.default


def drawn(row: Row, held: Operands, generation: Generation) -> Iterator[Operands]:
    """The example; it with one operand exchanged; with two; and with tiles of one dtype."""
    yield held
    free = [
        (n, list(choices(o, value, generation)))
        for n, (o, value) in enumerate(zip(row.operands, held, strict=True))
        if not o.implicit
    ]
    for n, options in free:
        for value in options:
            yield (*held[:n], value, *held[n + 1 :])
    for (n, ones), (m, others) in itertools.combinations(free, 2):
        for k in range(max(len(ones), len(others)) if ones and others else 0):
            made = list(held)
            made[n], made[m] = ones[k % len(ones)], others[(k * 7 + k // 5) % len(others)]
            yield tuple(made)
    for dtype in generation.dtypes:
        yield tuple(
            next((v for v in options if isinstance(v, View) and v.dtype.name == dtype), value)
            for (n, options), value in zip(_all(free, len(held)), held, strict=True)
        )


def _all(free: list[tuple[int, list[Any]]], count: int) -> list[tuple[int, list[Any]]]:
    given = dict(free)
    return [(n, given.get(n, [])) for n in range(count)]


def refused(context: InstructionContext) -> bool:
    """Whether a rule refuses. As in ``check``, some that do leave the rules behind them unasked."""
    broken = False
    for rule in rules_of(TARGET, context.row, bool(context.addressed)):
        said = rule.check(context)
        assert said is None or isinstance(said, str), rule.sentence
        if said is not None and rule.severity is Severity.ERROR:
            broken = True
            if rule.basic or rule.code == "E0404":
                break
    return broken


def asked(context: InstructionContext) -> None:
    """Whatever else is asked of an instruction that breaks no rule."""
    row = context.row
    assert row.domain(context) in (BITS, FLOAT32)
    cost = row.cost(context)
    assert isinstance(cost.interval, int)
    assert isinstance(cost.latency, int)
    assert 0 < cost.interval <= cost.latency
    assert cost.evidence in Evidence
    assert cost.source
    for operand in row.operands:
        value = context.operands[operand.name]
        if operand.footprint is not None and isinstance(value, View):
            assert all(isinstance(v, View) for v in operand.footprint(context))
        if isinstance(operand.kind, Implicit):
            operand.kind.for_semantics(value, context)


@each(("row", "engine", "generation"), part(PLACES, len(PLACES) // 10))
def test_everything_a_row_allows_has_a_cost_or_breaks_a_rule(
    row: Row, engine: str, generation: Generation
) -> None:
    configured = TARGET.configured(generation, {})
    held = example(row, engine, generation)
    legal = 0
    for operands in drawn(row, held, generation):
        context = InstructionContext.of(row, operands, engine, configured)
        if not refused(context):
            asked(context)
            legal += 1
    assert legal


@each("row", tuple(ISA), ids=lambda row: row.name)
def test_what_is_drawn_has_every_dtype_that_an_operand_takes(row: Row) -> None:
    generation = TARGET.generations[-1 if TARGET.available(row, TARGET.generations[-1]) else 0]
    held = example(row, TARGET.engines(row, generation)[0], generation)
    seen: dict[str, set[str]] = {}
    for operands in drawn(row, held, generation):
        for operand, value in zip(row.operands, operands, strict=True):
            if isinstance(value, View):
                seen.setdefault(operand.name, set()).add(value.dtype.name)
    for operand in row.operands:
        for kind in kinds(operand):
            if isinstance(kind, Tile):
                wanted = set(kind.dtypes or generation.dtypes) & set(generation.dtypes)
                assert wanted <= seen[operand.name], operand.name


def moved(row: Row, operands: Operands, by: int, number: float) -> Operands:
    """Operands of the same shape: each plain view elsewhere, each number that is data another."""
    made = list(operands)
    for n, value in enumerate(operands):
        if isinstance(value, View) and not value.dynamic and value.offsets is None:
            shape = (*value.tensor.shape[:-1], 3 * value.tensor.shape[-1])
            there = (value.tensor.offset or 0) + by * (n + 1)
            tensor = replace(value.tensor, name=f"t{n}", offset=there, shape=shape)
            made[n] = replace(value, tensor=tensor, offset=value.offset + by)
        elif isinstance(value, float) and n in row.data and value:
            made[n] = number
    return tuple(made)


def with_numbers(row: Row, held: Operands) -> Iterator[Operands]:
    """The operands, and those with a number for each operand of which it may be data."""
    yield held
    for n in row.data:
        yield (*held[:n], 1.0, *held[n + 1 :])


@each("row", tuple(ISA), ids=lambda row: row.name)
def test_rules_find_the_same_in_all_instructions_of_a_shape(row: Row) -> None:
    last = [g for g in TARGET.generations if TARGET.available(row, g)][-1]
    generation = TARGET.configured(last, {})
    engine = TARGET.engines(row, last)[0]
    some = itertools.islice(drawn(row, example(row, engine, last), generation), 0, 4000, 7)
    for held in some:
        for operands in with_numbers(row, held):
            one = InstructionContext.of(row, operands, engine, generation)
            for by, number in ((1, 0.3), (1500, float("nan"))):
                others = moved(row, operands, by, number)
                assert signature(row, engine, others) == signature(row, engine, operands)
                other = InstructionContext.of(row, others, engine, generation)
                for rule in rules_of(TARGET, row, bool(one.addressed)):
                    found = rule.check(one)
                    if not rule.each:
                        assert (rule.check(other) is None) == (found is None), rule.sentence
                    if found is not None and rule.stops:
                        break
