"""An object file as a program: what it says is checked as if it were written by hand."""

from __future__ import annotations

import os
from collections.abc import Mapping

from nasm.base import gc_pause
from nasm.base.files import ANY, Allowed
from nasm.base.problems import Failure, Problem, Refused, Severity, counted, in_line
from nasm.base.records import dataclass, replace
from nasm.base.source import Source
from nasm.base.source_files import Given, ObjectFile
from nasm.isa.target import Loader
from nasm.isa.timing import NONE, Timing
from nasm.language.assemble import Rewrite, assemble
from nasm.language.objects.sections import UNUSABLE
from nasm.program.program import Program

ASSEMBLED = "E0810"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A program, with its text if that is known, and the folder from which it names files."""

    program: Program
    source: Source | None
    folder: str = ""


def loaded(
    given: Given,
    targets: Mapping[str, Loader],
    target: str | None = None,
    defines: Mapping[str, int | float] | None = None,
    options: Mapping[str, object] | None = None,
    files: Allowed = ANY,
    timing: Timing = NONE,
    rewrite: Rewrite | None = None,
    *,
    rules: bool = True,
    ranks: int | None = None,
) -> Loaded:
    """A text assembled, or an object loaded; raises Failure with every problem.

    Options that apply to a text and not to an object are refused.
    """
    if isinstance(given, Source):
        made = assemble(given, targets, target, defines, options, files, timing, rewrite, ranks)
        return Loaded(made, given, os.path.dirname(given.name))
    name = in_line(given.name)
    if defines:
        message = f"{name} is assembled: its constants have their values"
        raise Failure(Problem(ASSEMBLED, message, None, "give -D to 'asm'"))
    if rewrite is not None:
        message = f"{name} is assembled: it has the waits that it has"
        raise Failure(Problem(ASSEMBLED, message, None, "synchronise the text"))
    found = load(given, targets, target, options, files, timing, rules=rules)
    if ranks is not None and ranks != found.program.ranks:
        message = f"{name} is assembled for {counted(found.program.ranks, 'rank')}"
        raise Failure(Problem(ASSEMBLED, message, None, "give --ranks to 'asm'"))
    return found


def load(
    file: ObjectFile,
    targets: Mapping[str, Loader],
    target: str | None = None,
    options: Mapping[str, object] | None = None,
    files: Allowed = ANY,
    timing: Timing = NONE,
    *,
    rules: bool = True,
) -> Loaded:
    """The program of an object file; raises Failure.

    ``options`` and ``timing`` are put in force over those that it was assembled with. Without
    ``rules`` those of instructions are not checked again: for who only looks at the program.
    """
    # Imported when asked for: most programs are texts.
    from nasm.language.objects.reading import Reader

    with gc_pause.paused():
        try:
            reader = Reader(file.data, os.path.basename(file.name))
            machine = reader.machine(targets)
            if target is not None:
                reader.same_machine(target, targets)
            reader.begin(*machine, options or {}, timing)
            reader.read(files, file.name)
        except Refused as refused:
            raise Failure(_named(file.name, refused)) from None
        found = reader.checked(rules)
    if found:
        raise Failure(found)
    return Loaded(reader.program, reader.source, reader.folder)


def _named(name: str, refused: Refused) -> Problem:
    """Errors of an object file, with the file's name."""
    if refused.code == ASSEMBLED:
        return replace(refused.at(None), message=f"{in_line(name)} {refused.message}")
    if refused.code in (UNUSABLE, "E0214", "E0801"):
        message = refused.message
        return replace(refused.at(None), message=f"cannot use {in_line(name)}: {message}")
    message = f"cannot use {in_line(name)}: it is damaged: {refused.message}"
    return Problem(UNUSABLE, message, None, "assemble it again", severity=Severity.ERROR)
