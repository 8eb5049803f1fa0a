"""Every row has a scalar model, and a random case that holds the row against it.

A model is a function of a family's ``model.py``, loops over elements and nothing of nasm. A case
is a function under ``random_cases`` that writes the mnemonic into a line and takes what it expects
from a model, by itself or by functions of its file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from nasm.isa.instruction import Row
from nasm.targets.neuron.isa import ISA
from tests.tables import each

HERE = Path(__file__).parent
MODELS = re.compile(r"tests\.neuron(\.\w+)?")
MODEL = ("model", "scalar", "operators")
MNEMONIC = re.compile(rf"\b({'|'.join(ISA.rows)})\b")
Definition = ast.FunctionDef | ast.ClassDef

STAND_INS = {
    "CoreBarrier": "test_after_a_barrier_each_core_reads_what_the_other_wrote",
    "SendRecv": "test_an_exchange_hands_each_core_the_bits_of_the_other",
    "Collective": "test_what_ranks_receive",
    "CollectiveRankId": "test_the_number_of_a_rank_and_of_a_step_of_its_ring",
    "RingRankId": "test_the_number_of_a_rank_and_of_a_step_of_its_ring",
    "RankId": "test_the_rank_is_the_number_of_the_core",
    "EventSemaphore": "test_waits_and_updates",
    "Nop": "test_waits_and_updates",
    "EventSemaphoreRangeClear": "test_event_semaphore_range_clear",
}
"""Rows whose result is an effect on queues or between cores, and the random test that computes
what becomes of the whole machine: for them that computation is the model."""


class File:
    """A file of tests: its functions and classes, and the names it has from the models."""

    def __init__(self, path: Path) -> None:
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.defined = {n.name: n for n in ast.walk(self.tree) if isinstance(n, Definition)}
        self.models = {
            alias.asname or alias.name
            for node in ast.walk(self.tree)
            if isinstance(node, ast.ImportFrom) and MODELS.fullmatch(node.module or "")
            for alias in node.names
            if alias.name in MODEL
        }

    def cases(self) -> Iterator[Definition]:
        """The functions under ``random_cases``."""
        for defined in self.defined.values():
            made = [d.func for d in defined.decorator_list if isinstance(d, ast.Call)]
            if any(isinstance(d, ast.Name) and d.id == "random_cases" for d in made):
                yield defined

    def reached(self, case: Definition) -> list[Definition]:
        """A case and what of its file it uses, at however many removes."""
        found = {case.name: case}
        todo = [case]
        while todo:
            for name in _names(todo.pop()):
                if name in self.defined and name not in found:
                    found[name] = self.defined[name]
                    todo.append(self.defined[name])
        return list(found.values())


@cache
def _names(defined: Definition) -> set[str]:
    return {n.id for n in ast.walk(defined) if isinstance(n, ast.Name)}


@cache
def _mnemonics(defined: Definition) -> set[str]:
    """The mnemonics in the strings of a definition, its docstring left out."""
    texts = [
        node.value
        for node in ast.walk(defined)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    said = ast.get_docstring(defined, clean=False)
    return {m for text in texts if text != said for m in MNEMONIC.findall(text)}


@cache
def files() -> tuple[File, ...]:
    return tuple(File(path) for path in sorted(HERE.rglob("*.py")))


@cache
def held_against_models() -> dict[str, list[str]]:
    """Mnemonics with the random cases that write them and use a model."""
    made: dict[str, list[str]] = {}
    for file in files():
        for case in file.cases():
            reached = file.reached(case)
            if not any(_names(f) & file.models for f in reached):
                continue
            for mnemonic in set().union(*map(_mnemonics, reached)):
                made.setdefault(mnemonic, []).append(case.name)
    return made


@each("row", [r for r in ISA if r.name not in STAND_INS], ids=lambda r: r.name)
def test_every_row_has_a_random_case_that_uses_a_scalar_model(row: Row) -> None:
    assert row.name in held_against_models(), (
        f"{row.name} lacks a scalar model in the model.py of its family, or a function under "
        "@random_cases() that writes it and expects what the model gives"
    )


@pytest.mark.parametrize("name", STAND_INS)
def test_what_is_for_a_model_is_there_and_writes_the_row(name: str) -> None:
    (test,) = (f.defined[STAND_INS[name]] for f in files() if STAND_INS[name] in f.defined)
    assert name in _mnemonics(test)
