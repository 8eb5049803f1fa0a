"""A text as it is now: the program that it makes, as far as it does, and its diagnostics."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property

from nasm.apps.lsp.mentions import index_of
from nasm.apps.lsp.positions import TextPositions, unified
from nasm.apps.lsp.symbols import SymbolIndex
from nasm.base import host_files, signals
from nasm.base.files import ANY, Allowed
from nasm.base.problems import Failure, Problem
from nasm.base.records import dataclass, field
from nasm.base.signals import StopSignal
from nasm.base.source import Source
from nasm.base.suppressions import refused
from nasm.isa.generation import Generation
from nasm.isa.target import Target
from nasm.isa.timing import NONE, Timing
from nasm.language.assemble import Unassembled, assemble
from nasm.language.expanding.including import LIBRARY
from nasm.program.program import Program
from nasm.ranks.examining import examine_ranks
from nasm.targets import TARGETS, USUAL, machine_of

SECONDS = 4.0
"""Processor time that a text may take to assemble, and to be followed, before an editor gets an
answer without it."""

MOST_FOLLOWED = 20_000
"""Instructions that a program is followed for as one types."""

CUT_SHORT, DEFECT = "E0535", "E0901"

_MACROS = re.compile(r"^[ \t]*\.macro\b", re.MULTILINE)
_TARGET = re.compile(r"^[ \t]*\.target[ \t]+(\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class AssemblySettings:
    """What texts are assembled with, as the command's options say."""

    target: str | None = None
    defines: Mapping[str, int | float] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)
    files: Allowed = ANY
    timing: Timing = NONE


@dataclass(eq=False)
class Analysis:
    """A text, what was made of it, and its diagnostics.

    ``program`` may be one that cannot run, made of the lines that are correct; it is ``whole`` if
    all of them are. If it is ``late`` there was no time to assemble the text: nothing is known to
    be wrong with it, and the program is that of an earlier state.
    """

    source: Source
    program: Program | None
    whole: bool
    problems: tuple[Problem, ...]
    target: Target
    generation: Generation
    files: Allowed = ANY
    late: bool = False

    @cached_property
    def places(self) -> TextPositions:
        """Its positions."""
        return TextPositions(self.source.text)

    @cached_property
    def _places_of(self) -> dict[str, TextPositions]:
        return {}

    def placed(self, file: str) -> TextPositions:
        """The positions of an included text, or of the text itself if it is no file."""
        if not file:
            return self.places
        known = self._places_of.get(file)
        if known is None:
            known = self._places_of[file] = TextPositions(self.index.included[file].text)
        return known

    def source_of(self, file: str) -> Source:
        """An included text, or the text itself if it is no file."""
        return self.index.included[file] if file else self.source

    @cached_property
    def index(self) -> SymbolIndex:
        """Its mentions and symbols."""
        return index_of(self.source, self.target, self.generation, self.files)

    def includable(self, begun: str) -> dict[str, str]:
        """Files that ``.include`` may name with this beginning, and folders on the way to some."""
        folder = os.path.dirname(begun)
        around = (os.path.dirname(self.source.name), *self.files.include)
        found: dict[str, str] = {}
        for base in (*around, os.path.dirname(LIBRARY)):
            ours = base not in around  # of which nothing but the library is offered
            where = os.path.join(base, folder)
            if ours and folder != os.path.basename(LIBRARY):
                if not folder:
                    found.setdefault(f"{os.path.basename(LIBRARY)}/", "the library")
                continue
            if not ours and not self.files.lists(where or "."):
                continue
            with suppress(OSError, ValueError):
                for entry in host_files.entries(where or "."):
                    name = os.path.join(folder, entry.name)
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir():
                        found.setdefault(f"{name}/", "a folder")
                    elif name.endswith(".nasm") and name != os.path.basename(self.source.name):
                        found.setdefault(name, "the library" if ours else "a file")
        return found


class _Late(Exception):
    """There was no time to assemble a text."""


def analyse(
    text: str,
    name: str = "<text>",
    settings: AssemblySettings | None = None,
    before: Analysis | None = None,
) -> Analysis:
    """What there is to know of a text without following it; ``before`` of an earlier state."""
    settings = settings or AssemblySettings()
    source = Source(name, unified(text))
    late = False
    program: Program | None
    try:
        program, problems, whole = _made(source, settings)
    except _Late:
        late, problems, whole = True, (), False
        program = before.program if before is not None else None
    if program is not None:
        target, generation = program.target, program.generation
    else:
        target, generation = _machine(source.text, settings)
    return Analysis(source, program, whole, problems, target, generation, settings.files, late)


def followed(analysis: Analysis) -> tuple[Problem, ...]:
    """Everything that is wrong with a text: if it makes a program, what ``check`` says of it."""
    if not analysis.whole or analysis.program is None:
        return analysis.problems
    try:
        with signals.within(SECONDS):
            found = examine_ranks(
                analysis.program, max_instructions=MOST_FOLLOWED, tried=False
            ).problems
    except StopSignal as stop:
        if stop.leaving and not stop.late:
            raise
        return analysis.problems
    except Failure as failure:
        return failure.problems
    except Exception as defect:
        return (*analysis.problems, _defect(defect))
    return tuple(p for p in found if p.code != CUT_SHORT or p.span is not None)


def _made(
    source: Source, settings: AssemblySettings
) -> tuple[Program | None, tuple[Problem, ...], bool]:
    """The program of a text as far as there is one, its problems, and whether it is whole.

    Raises _Late if that takes too long.
    """
    target = settings.target or target_of_macros(source.text)
    try:
        with signals.within(SECONDS):
            program = assemble(
                source,
                TARGETS,
                target,
                settings.defines,
                settings.options,
                settings.files,
                settings.timing,
            )
    except Unassembled as unassembled:
        return unassembled.program, unassembled.problems, False
    except Failure as failure:
        return None, failure.problems, False
    except StopSignal as stop:
        if stop.leaving and not stop.late:
            raise
        raise _Late from None
    except Exception as defect:
        return None, (_defect(defect),), False
    return program, refused(program.warnings).warnings, True


def target_of_macros(text: str) -> str | None:
    """A target for a text of macros that others include, which names none; None for any other."""
    names = _TARGET.search(text) is not None
    return USUAL if not names and _MACROS.search(text) else None


def _defect(defect: Exception) -> Problem:
    text = f"{type(defect).__name__}: {defect}".partition("\n")[0]
    hint = "'neuron-nasm check' keeps the details; please report it with them"
    return Problem(DEFECT, f"a defect in nasm, not in your program: {text}", None, hint)


def _machine(text: str, settings: AssemblySettings) -> tuple[Target, Generation]:
    """The machine that a text names, or else the usual one."""
    written = _TARGET.search(text)
    return machine_of(settings.target, written[1] if written else None)
