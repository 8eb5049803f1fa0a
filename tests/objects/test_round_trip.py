"""An object is the program: it loads to the same, runs in the same ticks, and prints as it does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest

import nasm
from nasm.base.dtypes import DType
from nasm.base.problems import Failure, Refused
from nasm.base.source import Source
from nasm.base.source_files import ObjectFile, source_of
from nasm.isa.instruction import Row
from nasm.language.assemble import assemble
from nasm.language.objects import bodies, load, sections, views
from nasm.language.objects.writing import written
from nasm.language.printing import text
from nasm.program.program import Program
from nasm.show import examples
from nasm.targets import TARGETS
from nasm.targets.neuron import TARGET
from nasm.views.view import View
from tests.fuzz.programs import Programs, few_lines
from tests.neuron.programs import GENERATIONS
from tests.neuron.test_anything import every_row, mended
from tests.parts import everything, part
from tests.printing.same import again, parts
from tests.printing.test_round_trip import HAZARDS, PROGRAMS, PUBLISHED, end, name
from tests.tables import each

pytestmark = pytest.mark.turns(2)

DEBUG = {"debug", "spans", "places"}


def read(data: bytes, called: str = "prog.nobj") -> Program:
    return load(ObjectFile(called, data), TARGETS).program


def but_for_debug(data: bytes) -> dict[str, bytes]:
    return {n: bytes(b) for n, b in sections.parted(data).items() if n not in DEBUG}


def named_views(program: Program) -> Iterator[object]:
    """Views and dtypes that names in expectations mean."""
    for one in program.expectations:
        assert isinstance(one.tree, tuple)
        yield from (value for value in one.tree[1].values() if isinstance(value, View | DType))


def round_trip(program: Program, source: Source | None = None, folder: str = "") -> Program:
    """Write, load, print, assemble and write: nothing but the debug sections changes."""
    data = written(program, source)
    made = read(data)
    for had, got in zip(parts(program), parts(made), strict=True):
        assert got == had
    if not any(named_views(program)):  # those are written out, in a text of their own
        assert written(made, source) == data
    printed = text(made, folder=folder, remark=None)
    assert printed == text(program, folder=folder, remark=None)
    assert but_for_debug(written(again(program, printed, folder))) == but_for_debug(data)
    stripped = written(program, source, strip=True)
    assert but_for_debug(stripped) == but_for_debug(data)
    assert written(read(stripped), strip=True) == stripped
    return made


@each("path", part([*PROGRAMS, *HAZARDS], 12), ids=name)
def test_a_file_is_the_same_program_as_an_object_and_runs_alike(path: Path) -> None:
    program, source = nasm.assemble(path), source_of(path)
    made = round_trip(program, source, str(path.parent))
    assert end(made) == end(program)
    assert end(read(written(program, source, strip=True))) == end(program)


VIEWS = """\
.target trn2
.sbuf t f32[4, 8]
.view bits = t.view(u32)
.view turned = t.reshape(4, 2, 4).permute(0, 2, 1)
.view half = t[:, 0:4]
.dma d
t[:, 0:4] <- t[:, 4:8]
.end
@vector Memset t, 1.0
.for k in 0..2
.view part = t[:, k : +1].view(u32)
.expect part == 0x3f800000
.end
.expect sum(turned, axis=2) + sum(bits * 0) == 2
.expect half == 1
.expect bits != 3
"""


def test_views_of_expectations_that_no_slices_say_are_in_the_object() -> None:
    program = nasm.assemble(VIEWS)
    made = round_trip(program, Source("<text>", VIEWS))
    report = nasm.run(made).report
    assert report.ok
    assert [outcome.held for outcome in report.expectations] == [True] * 5
    wrong = nasm.assemble(VIEWS.replace("== 2", "== 3"))
    failed = nasm.run(read(written(wrong))).report.expectations
    assert [outcome.held for outcome in failed] == [True, True, False, True, True]


@pytest.mark.parametrize("path", part(PROGRAMS, 5), ids=name)
def test_the_report_of_an_object_is_that_of_its_text(path: Path) -> None:
    of_text, source = nasm.assemble(path), source_of(path)
    of_object = read(written(of_text, source))
    assert str(nasm.run(of_object).report) == str(nasm.run(of_text).report)


@pytest.mark.parametrize("path", part(PUBLISHED, 3), ids=name)
def test_a_published_program_is_the_same_as_an_object(path: Path) -> None:
    round_trip(nasm.assemble(path), source_of(path), str(path.parent))


@each("row", part(list(TARGET.isa), 12), ids=lambda row: row.name)
def test_the_example_of_a_row_is_the_same_as_an_object(row: Row) -> None:
    for generation in TARGET.generations:
        try:
            found = examples.whole(row, TARGET, generation.name)
        except (Failure, Refused):
            continue  # a machine that has no such instruction
        program = nasm.assemble(found)
        assert end(round_trip(program)) == end(program)


@pytest.mark.parametrize("on", GENERATIONS)
def test_random_instructions_are_the_same_as_an_object(on: str) -> None:
    def check(said: str, options: dict[str, object]) -> None:
        _, program = mended(said, options)
        if program is not None:
            round_trip(program)

    every_row(on, check, count=1, lines=5, size=12)


def test_mutated_programs_that_assemble_are_the_same_as_objects() -> None:
    fuzzer, tried = Programs(), 0
    for number in part(range(1_000, 1_300), 30):
        source = Source("any", fuzzer.make(Random(number)).decode("utf-8"))
        with few_lines():
            try:
                program = assemble(source, TARGETS)
            except Failure:
                continue
            if len(program) < 2_000:
                tried += 1
                round_trip(program, source)
    assert tried > (30 if everything() else 2)


@pytest.mark.turns(3)
def test_the_same_text_is_the_same_bytes_in_another_process_and_folder(tmp_path: Path) -> None:
    path = PROGRAMS[0]
    source = Source(path.name, source_of(path).text)
    here = written(nasm.assemble(source), source)
    said = (
        "import sys, nasm; from nasm.language.objects.writing import written;"
        "from nasm.base.source import Source;"
        f"s = Source({path.name!r}, open({str(path)!r}).read());"
        "sys.stdout.buffer.write(written(nasm.assemble(s), s))"
    )
    env = {**os.environ, "PYTHONHASHSEED": "7"}
    found = subprocess.run(
        [sys.executable, "-c", said], cwd=tmp_path, env=env, capture_output=True, check=True
    )
    assert found.stdout == here


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (["turned", 99], "turned is a view that there is not"),
        (["t", 0], "a view is called as something else is"),
        (["moved", 3], "moved is a view without a place of its own"),
        (["a b", 0], "a b"),
        ([3, 0], "something has no name"),
    ],
)
def test_views_that_expectations_cannot_name_are_refused(pair: list[object], said: str) -> None:
    moved = VIEWS + "@vector RegisterMove %r1, 0\n@vector Memset t[:, %r1 : +1], 1.0\n"
    parted = {n: bytes(b) for n, b in sections.parted(written(nasm.assemble(moved))).items()}
    machine = json.loads(parted["machine"])
    machine["views"] = [pair]
    parted["machine"] = json.dumps(machine).encode()
    with pytest.raises(Failure, match=said):
        read(sections.joined(parted))


REACHING = """\
.target trn2
.sbuf t f32[4, 8]
.sbuf u f32[4, 8]
.sbuf n u32[1, 1]
.hbm H f32[8, 8] input
@vector RegisterMove %r1, 0
@vector Memset u[0:4, 2:8], 1.0
@vector Memset t[:, %r1 : +2], 1.0
@gpsimd DmaCopy t, H.ap([[8, 4], [1, 8]], scalar_offset=n, indirect_dim=0), dge_mode=swdge
"""

TENSOR, PARTITION, OFFSET, SIZES, STEPS, MOVED, DECIDED = 0, 3, 4, 5, 6, 8, 11
"""Columns of a table of views."""


def test_a_view_that_reaches_past_its_tensor_is_refused() -> None:
    program = nasm.assemble(REACHING)
    parted = {n: bytes(b) for n, b in sections.parted(written(program)).items()}
    table = bodies.read_columns(memoryview(parted["views"]), views.TYPES, "views")
    view = int(np.flatnonzero(table[TENSOR] == program.tensors["u"].index)[0])
    axis = int(table[2][:view].sum())
    not_refused = []
    for tensor, column, place, by in (
        ("u", PARTITION, view, 1),
        ("u", PARTITION, view, -1),
        ("u", OFFSET, view, 1),
        ("u", OFFSET, view, -9),
        ("u", SIZES, axis, 1),
        ("u", STEPS, axis, 3),
        ("u", STEPS, axis, -2),
        ("u", SIZES, axis + 1, 1),
        ("u", STEPS, axis + 1, 2),
        ("u", STEPS, axis + 1, -2),
        ("t", MOVED, 3, 1),  # the largest legal value of the register
        ("H", DECIDED, 1, 1),  # the largest legal entry of the tile
    ):
        changed = [c.copy() for c in table]
        changed[column][place] += by
        body = bodies.columns(views.TYPES, changed)
        try:
            read(sections.joined(parted | {"views": body}))
        except Failure as failure:
            if f"a view of {tensor} reaches past it" in str(failure):
                continue
        not_refused.append((tensor, column, place, by))
    assert not not_refused
