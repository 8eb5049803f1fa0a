"""The whole text of a program."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping

from nasm.base.problems import Failure, Refused
from nasm.language.expectations.text import written
from nasm.language.printing import declarations
from nasm.language.printing.comments import AllowComments, Comments, Remark, python_line
from nasm.language.printing.files import Files
from nasm.language.printing.layout import CORE, in_cores
from nasm.language.printing.lines import Lines, Place
from nasm.language.printing.views import view_text
from nasm.program.instruction_text import fresh
from nasm.program.program import Expectation, Program
from nasm.views.view import View


def text(
    program: Program,
    order: Iterable[Place] | None = None,
    *,
    folder: str = "",
    arrays: str | None = None,
    places: bool = False,
    remark: Remark | None = python_line,
    comments: bool = True,
) -> str:
    """A program as a text that assembles to it; raises Failure if it has none.

    The two have the same target, tensors (with places, roles and initialisers), semaphores,
    events, prepared transfers, labels, constants and expectations, and queue by queue the same
    instructions, waits and updates: the same run in every tick. Spans and warnings are the new
    text's own; machine options and timing figures, which no text says, are in comments.

    Lines are printed queue by queue, or in an ``order`` of (queue, pc), each with its ``@engine``.
    ``folder`` is where the text will be, from which it names array files. With ``arrays``, a
    folder, long lists of initial values are written to files there. With ``places`` every tensor
    says its place. Above lines is what ``remark`` gives for their spans, when that changes: the
    line of Python that made them. With ``comments`` those of the program's texts are above the
    first line that their line made.
    """
    files = Files(os.fspath(folder), None if arrays is None else os.fspath(arrays))
    try:
        notes = Comments() if comments else None
        lines = _text(program, order, files, places, remark or _nothing, notes)
        made = "\n".join(in_cores(lines, _selecting(program)))
    except Refused as refused:
        raise Failure(refused.at(None)) from None
    return made + "\n"


def _selecting(program: Program) -> list[str]:
    """The line that selects each core."""
    if program.tiles:
        return [f".tile {', '.join(map(str, place))}" for place in program.tiles]
    return [f"{CORE}{core}" for core in range(program.cores)]


def _tiles(program: Program) -> list[str]:
    """The tiles in the order of their cores, and the first one again, to which lines belong."""
    lines = _selecting(program) if program.tiles else []
    return [*lines, *lines[:1]] if len(lines) > 1 else lines


def _nothing(span: object) -> str:
    return ""


def _text(
    program: Program,
    order: Iterable[Place] | None,
    files: Files,
    places: bool,
    remark: Remark,
    notes: Comments | None,
) -> Iterator[str]:
    allowed = AllowComments(program.allows, notes)
    yield from allowed.head(program)
    names = counter_names(program)
    sections = (
        [*declarations.machine(program), *_tiles(program), *declarations.constants(program)],
        list(declarations.tensors(program, files, places, allowed)),
        list(declarations.semaphores(program, names)),
        *(declarations.transfer(made, allowed) for made in program.transfers.values()),
        list(declarations.settings(program, allowed)),
    )
    for number, section in enumerate(filter(None, sections)):
        if number:
            yield ""
        yield from section
    lines = Lines(program, names, remark, allowed)
    yield from lines.by_queue() if order is None else lines.in_order(order)
    if program.expectations:
        yield ""
        yield from _expectations(program, names, files, allowed)


def _expectations(
    program: Program, names: dict[int, str], files: Files, allowed: AllowComments
) -> Iterator[str]:
    views, done = NamedViews(program, names), 0
    for expectation in program.expectations:
        line = written(expectation, program.constants, _named(files, expectation), views.name)
        behind = allowed.trailing(expectation.span)
        yield from allowed.above(expectation.span)
        for view, name in [*views.known.items()][done:]:
            yield f".view  {name} = {view_text(view)}"
        done = len(views.known)
        yield f"{line}  {behind}" if behind else line


class NamedViews:
    """Views that expectations name and no slices say, each with a name that nothing else has.

    ``names`` are those of semaphores and events; ``known`` are the views so far.
    """

    def __init__(self, program: Program, names: Mapping[int, str]) -> None:
        self._taken = {*names.values(), *program.tensors, *program.transfers, *program.constants}
        self.known: dict[View, str] = {}

    def name(self, wanted: str, view: View) -> str:
        """The name of a view, which its text calls so."""
        found = self.known.get(view)
        if found is None:
            found = self.known[view] = fresh(wanted, self._taken)
            self._taken.add(found)
        return found


def _named(files: Files, expectation: Expectation) -> Callable[[str], str]:
    folder = os.path.dirname(expectation.span.source.name)
    return lambda name: files.spelled(folder, name)


def counter_names(program: Program) -> dict[int, str]:
    """A name for each semaphore and event, also for those that are used and have none."""
    names = {index: name for table in _tables(program) for name, index in table.items()}
    taken = {*names.values(), *program.tensors, *program.transfers, *program.constants}
    used = (change for change in (*program.waits, *program.updates) if change is not None)
    for index in sorted({change.semaphore for change in used} - names.keys()):
        _, number, event = program.generation.counter(index)
        names[index] = fresh(f"{'event' if event else 'semaphore'}{number}", taken)
        taken.add(names[index])
    return names


def _tables(program: Program) -> tuple[dict[str, int], dict[str, int]]:
    return program.semaphores, program.events
