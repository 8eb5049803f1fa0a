"""A program as an object file.

Tables are numbered by their first use, queue by queue, and hold nothing that no queue uses: the
same text is the same bytes, and so is what is assembled again from the text of an object.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nasm.base.array_files import ArrayFile
from nasm.base.problems import Failure, Refused
from nasm.base.source import Source, Span
from nasm.language.expectations import python_calls
from nasm.language.expectations.text import written as expectation_text
from nasm.language.objects import layout, operands, views
from nasm.language.objects.bodies import Column, columns, document
from nasm.language.objects.embedding import Embedding
from nasm.language.objects.operands import Values
from nasm.language.objects.places import PlaceNumbers, Stripped
from nasm.language.objects.sections import joined
from nasm.language.printing.text import NamedViews, counter_names
from nasm.language.text import tree
from nasm.program.instruction_text import as_default
from nasm.program.program import Expectation, Instruction, Program, Update, Wait
from nasm.views.tensor import Tensor


def written(
    program: Program, source: Source | None = None, *, strip: bool = False, link: str | None = None
) -> bytes:
    """A program as an object file; raises Failure if it has something that none holds.

    ``source`` is the text that it was made of. Array files that it names are in the object; with
    ``link``, a folder, they are not, and are looked for from there. With ``strip`` texts and places
    are left out, but for those where something is allowed.
    """
    try:
        return _Writer(program, source, strip, link).written()
    except Refused as refused:
        raise Failure(refused.at(None)) from None


class _Lines(NamedTuple):
    """The columns of all queues, one after the other, with tables by first use."""

    instructions: Column
    waits: Column
    updates: Column
    made: Sequence[Instruction]
    held: Sequence[Wait]
    changed: Sequence[Update]


class _Writer:
    def __init__(
        self, program: Program, source: Source | None, strip: bool, link: str | None
    ) -> None:
        self.program, self.strip, self.link = program, strip, link
        self.source = source
        self.home = source or next((s.source for s in program.spans if s is not None), None)
        self.name = "" if self.home is None else self.home.name
        self.values = Values(list(program.transfers))
        self.embedding = Embedding(program.files, os.path.dirname(self.name), link)

    def written(self) -> bytes:
        """The whole of it."""
        program = self.program
        transfers = [self._transfer(made) for made in program.transfers.values()]
        lines = _lines(program)
        rows, code = self._code(lines.made)
        tensors = [self._tensor(tensor) for tensor in program.tensors.values()]
        names = counter_names(program)
        called = NamedViews(program, names)
        expected = [self._expectation(one, called) for one in program.expectations]
        sections = {
            layout.MACHINE: document(self._machine(transfers, names, called)),
            layout.TENSORS: document(tensors),
            layout.ROWS: document(rows),
            layout.STRINGS: document(list(self.values.strings)),
            views.NAME: self.values.views.body(),
            operands.NAME: self.values.body(),
            layout.CODE: code,
            layout.SYNC: _sync(lines.held, lines.changed),
            layout.QUEUES: document([_queue(lines) for lines in program.queues]),
            layout.LINES: columns(layout.LINE_TYPES, lines[:3]),
            layout.EXPECT: document(expected),
            layout.FILES: document(self.embedding.index()),
            layout.DATA: self.embedding.data(),
        }
        return joined(sections | self._debug())

    def _machine(
        self, transfers: list[Any], names: Mapping[int, str], called: NamedViews
    ) -> dict[str, Any]:
        program, number = self.program, self.values.views.number
        named = [[name, number(view)] for view, name in called.known.items()]
        return {
            "target": program.generation.spellings[0],
            "cores": program.cores,
            **({"tiles": [list(place) for place in program.tiles]} if program.tiles else {}),
            **({"ranks": program.ranks} if program.ranks > 1 else {}),
            "options": program.chosen,
            "figures": {f.name: f.value for f in program.figures_set},
            "constants": [[name, _constant(name, v)] for name, v in program.constants.items()],
            "counters": self._counters(names),
            "dtypes": self.values.views.dtypes,
            "transfers": transfers,
            "views": named,
            "linked": self.link is not None,
            "settings": [[s.name, s.value, s.core, s.engine] for s in program.settings],
        }

    def _counters(self, names: Mapping[int, str]) -> list[list[Any]]:
        """Semaphores and events core by core, in their order."""
        counter = self.program.generation.counter
        return [
            list(pair) for pair in sorted(names.items(), key=lambda pair: counter(pair[0])[::2])
        ]

    def _tensor(self, tensor: Tensor) -> dict[str, Any]:
        return {
            "name": tensor.name,
            "memory": tensor.memory.name,
            "dtype": tensor.stored,
            "arrangement": "" if tensor.arrangement is None else tensor.arrangement.name,
            "shape": list(tensor.shape),
            "role": tensor.role,
            "core": tensor.core,
            "place": [tensor.partition or 0, tensor.offset or 0],
            "fixed": tensor.fixed,
            "init": self._initialiser(tensor),
        }

    def _initialiser(self, tensor: Tensor) -> Any:
        if tensor.init is None or isinstance(tensor.init, tuple):
            return tensor.init
        if isinstance(tensor.init, ArrayFile):
            return {"file": self.embedding.named(tensor.init), "key": tensor.init.key}
        kind = type(tensor.init).__name__
        raise Refused("E0840", f"no object file holds what {tensor.name} begins with: {kind}")

    def _transfer(self, made: Any) -> dict[str, Any]:
        number = self.values.views.number
        return {
            "name": made.name,
            "moves": [[number(dst), number(src)] for dst, src in made.moves],
            "options": [list(option) for option in made.options],
        }

    def _code(self, made: Sequence[Instruction]) -> tuple[list[Any], bytes]:
        rows: dict[str, int] = {}
        text: list[Any] = []
        chosen, given = [], []
        for instruction in made:
            row = instruction.row
            if row.name not in rows:
                rows[row.name] = len(rows)
                text.append([row.name, [operand.name for _, operand in row.places]])
            chosen.append(rows[row.name])
            for at, operand in row.places:
                value = instruction.operands[at]
                default = as_default(value, operand.default)
                given.append(0 if default else self.values.number(value))
        return text, columns(layout.CODE_TYPES, (chosen, given))

    def _expectation(self, one: Expectation, views: NamedViews) -> str:
        """Its text, with the array file that it may name."""
        assert isinstance(one.tree, tuple)
        for function in python_calls.functions(one.tree[0]):
            message = f"an object file carries no Python, and an expectation calls {function.name}"
            hint = "leave the expectation out, or run the text"
            raise Failure(Refused(python_calls.CODE, message, hint).at(one.span))

        def named(text: str) -> str:
            file = ArrayFile.written(text, one.span.source.name)
            if file is None:
                return text
            name = self.embedding.named(file)
            return f"{name}:{file.key}" if file.key else name

        return expectation_text(one, self.program.constants, named, views.name)

    # -- debug sections

    def _debug(self) -> dict[str, bytes]:
        program, places = self.program, PlaceNumbers()
        stripped = Stripped(self.name, program.allows) if self.strip else None
        if stripped is None and self.home is not None:
            places.source(self.home)
        elif stripped is not None and stripped.source.text:
            places.source(stripped.source)

        def number(span: Span | None) -> int:
            return places.span(span if stripped is None else stripped.span(span))

        at, spans = _by_first_use(_column(program, "spans"))
        by, chains = _by_first_use(_column(program, "chains"))
        of_lines = np.array([number(program.spans[n]) for n in spans], "i8")[at]
        expanded = [0 if self.strip else places.chain(program.chains[n]) for n in chains]
        by_lines = np.array(expanded, "i8")[by]
        more = {
            "main": stripped is None and self.source is not None,
            "tensors": [number(t.span) for t in program.tensors.values()],
            "transfers": [number(t.span) for t in program.transfers.values()],
            "settings": [number(s.span) for s in program.settings],
            "expectations": [number(e.span) for e in program.expectations],
            "values": [self._values(e) for e in program.expectations],
            "warnings": [] if self.strip else [places.problem(p) for p in program.warnings],
            "registers": [] if self.strip else [list(held) for held in program.loop_registers],
            "allows": [
                [a.code, a.reason, places.span(a.span), a.line]
                for a in (program.allows if stripped is None else stripped.allows())
            ],
        }
        listed = columns(layout.DEBUG_TYPES, (of_lines, by_lines))
        return {layout.PLACES: listed, **places.bodies(more)}

    def _values(self, one: Expectation) -> dict[str, Any] | None:
        """What the names in an expectation mean, if its text can be read again in its place."""
        assert isinstance(one.tree, tuple)
        statement, values = one.tree
        if self.strip or (self.link is not None and _names_file(statement)):
            return None
        found = {name: values[name] for name in _words(one.span.text) if name in values}
        return found if all(map(_simple, found.values())) else None


def _names_file(statement: tree.Expect) -> bool:
    return isinstance(statement.right, tree.StringLiteral | tree.Name)


def _words(text: str) -> Iterable[str]:
    return dict.fromkeys(re.findall(r"[A-Za-z_]\w*", text))


def _simple(value: object) -> bool:
    """Whether JSON holds a value as it is."""
    if type(value) is list:
        return all(map(_simple, value))
    return type(value) in (int, float, bool, str)


def _constant(name: str, value: object) -> object:
    if not _simple(value):
        raise Refused("E0840", f"no object file holds the constant {name}: {type(value).__name__}")
    return value


def _queue(lines: Any) -> dict[str, Any]:
    return {
        "core": lines.core,
        "engine": lines.engine,
        "lines": len(lines),
        "labels": [
            [n, pc] for n, pc in sorted(lines.labels.items(), key=_by_pc) if pc <= len(lines)
        ],
    }


def _by_pc(label: tuple[str, int]) -> tuple[int, str]:
    return label[1], label[0]


def _lines(program: Program) -> _Lines:
    """All lines, and the tables that they use in the order of their first use."""
    instructions, used = _by_first_use(_column(program, "instructions"))
    waits, held = _by_first_use(_column(program, "waits"), none=True)
    updates, changed = _by_first_use(_column(program, "updates"), none=True)
    return _Lines(
        instructions,
        waits,
        updates,
        [program.instructions[n] for n in used],
        [wait for n in held if (wait := program.waits[n]) is not None],
        [update for n in changed if (update := program.updates[n]) is not None],
    )


def _column(program: Program, name: str) -> Column:
    """A column of all queues, one after the other."""
    parts = [
        np.frombuffer(getattr(lines, name), np.dtype("i4"))[: len(lines)]
        for lines in program.queues
        if len(lines)
    ]
    return np.concatenate(parts) if parts else np.zeros(0, "i4")


def _by_first_use(column: Column, none: bool = False) -> tuple[Column, list[int]]:
    """A column with numbers in the order in which they come, and what they were.

    With ``none`` 0 stays 0 and the others begin with 1.
    """
    found, first, inverse = np.unique(column, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    if none:
        order = order[found[order] != 0]
    rank = np.zeros(len(found), "i4")
    rank[order] = np.arange(len(order)) + int(none)
    return rank[inverse.reshape(-1)], found[order].tolist()


def _sync(waits: Sequence[Wait], updates: Sequence[Update]) -> bytes:
    values: tuple[Iterable[Any], ...] = (
        [w.semaphore for w in waits],
        [layout.COMPARISONS.index(w.op) for w in waits],
        [w.value for w in waits],
        [u.semaphore for u in updates],
        [layout.OPERATORS.index(u.op) for u in updates],
        [u.value for u in updates],
        [u.at_read for u in updates],
    )
    return columns(layout.SYNC_TYPES, values)
