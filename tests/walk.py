"""Counts the files and functions that a line goes through, from its text to the bytes it writes.

``python tests/walk.py`` prints them for a line of each target, phase by phase: from text to
program, from the program to a task of the simulator, and the task's start and finish. A change of
file is a call of a function of nasm that is in another file than the function called before it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import nasm
from nasm.base import records
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.machine.tasks import Tasks
from nasm.targets import TARGETS

NASM = str(Path(nasm.__file__).parent)
BIND = (Tasks, "_task")
"""Who makes the task of an instruction: a method that takes its number."""


@dataclass(frozen=True)
class Example:
    """A line at the end of a program; it is in ``queue``, and ``place`` others before it."""

    line: str
    before: str
    queue: int
    place: int

    @property
    def program(self) -> str:
        return f"{self.before}\n{self.line}\n"


NEURON = Example(
    "@tensor MultiplyMoving acc, b $multiplied++",
    """
.target trn1
.sbuf a bf16[128, 128] = random(seed=1)
.sbuf b bf16[128, 512] = random(seed=2)
.psum acc f32[128, 512]
.sem multiplied
@tensor LoadStationary a""",
    queue=0,
    place=1,
)
TENSIX = Example(
    "@t1 SFPMAD VA=0, VB=0, VC=0, VD=1",
    """
.target wormhole
@t1 SFPLOADI VD=0, Imm16=0x3f80""",
    queue=1,
    place=1,
)
EXAMPLES = (NEURON, TENSIX)


@dataclass
class Walk:
    """What was called in one phase, in order."""

    name: str
    functions: set[tuple[str, str, int]] = field(default_factory=set)
    files: list[str] = field(default_factory=list)

    def traced(self, frame: FrameType, event: str, _: Any) -> None:
        """What `sys.setprofile` calls."""
        code = frame.f_code
        own = code.co_filename.startswith(NASM) and code.co_filename != records.__file__
        if event == "call" and own:  # records is to nasm what dataclasses is to others
            self.functions.add((code.co_filename, code.co_qualname, code.co_firstlineno))
            self.files.append(code.co_filename)

    @property
    def changes(self) -> int:
        """How often the next function is one of another file."""
        return sum(a != b for a, b in zip(self.files, self.files[1:], strict=False))

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Count what is called inside."""
        before = sys.getprofile()
        sys.setprofile(self.traced)
        try:
            yield
        finally:
            sys.setprofile(before)

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that does the same, and is counted."""

        def counted(*arguments: Any) -> Any:
            with self.watching():
                return function(*arguments)

        return counted


def walks(example: Example) -> tuple[Walk, Walk, Walk]:
    """The three phases of a line."""
    text, bind, run = Walk("text to program"), Walk("binding"), Walk("run")
    assemble(Source("walk.nasm", example.before), TARGETS)  # grammar and rows are loaded
    with text.watching():
        program = assemble(Source("walk.nasm", example.program), TARGETS)
    owner, name = BIND
    made = getattr(owner, name)
    wanted = example.queue, program.queues[example.queue].instructions[example.place]

    def task(self: Any, number: int, *others: int) -> Any:
        if (self.queue, number) != wanted:
            return made(self, number, *others)
        found = bind.around(made)(self, number, *others)
        for part in ("start", "finish"):
            setattr(found.work, part, run.around(getattr(found.work, part)))
        return found

    setattr(owner, name, task)
    try:
        Session(program, {}).run()
    finally:
        setattr(owner, name, made)
    return text, bind, run


def main() -> None:
    for example in EXAMPLES:
        print(f"{example.line}\n\n{'':16} files  functions  changes of file")
        phases = walks(example)
        for walk in phases:
            files = len({file for file, _, _ in walk.functions})
            print(f"{walk.name:16} {files:5}  {len(walk.functions):9}  {walk.changes:15}")
        functions = set().union(*(walk.functions for walk in phases))
        print(f"{'in all':16} {len({file for file, _, _ in functions}):5}  {len(functions):9}\n")


if __name__ == "__main__":
    main()
