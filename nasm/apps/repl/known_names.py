"""The names a program and its target have, with a word on each, as completion wants them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from nasm.apps.repl import completion_words, topics
from nasm.apps.repl.command import COMMANDS
from nasm.apps.repl.settings import SETTINGS, Panels, ReplSetting
from nasm.apps.repl.suggest import CompletionNames
from nasm.base import host_files
from nasm.base.files import ANY, Allowed
from nasm.debugger.moving import specs
from nasm.debugger.session import Session
from nasm.isa.generation import Generation
from nasm.isa.target import Target
from nasm.language import codes
from nasm.language.expectations.checker import METHODS
from nasm.targets import machine_of

MOST_FILES = 200
FORMATS = {
    "/x": "the bits, in hexadecimal",
    "/t": "the bits, one by one",
    "/s": "statistics only",
    "/p": "a picture",
    "/m": "a picture, with the mean of each cell",
    "/h": "a histogram",
}
CHECKS = {
    "map": "who owns which bytes of each memory, and when",
    "relaxed": "what would not be in order without an interlock",
}


Finder = Callable[[Any], Mapping[str, str]]
"""The words of a kind with their meaning, of a shell."""

KINDS: dict[str, Finder] = {}
"""What commands take, by the name of its kind."""


def kind(name: str) -> Callable[[Finder], Finder]:
    """Declare what words there are of a kind of argument."""

    def declare(finder: Finder) -> Finder:
        KINDS[name] = finder
        return finder

    return declare


class WordsByKind(Mapping[str, Mapping[str, str]]):
    """The words of all kinds as they are now; none of a kind that needs a program without one."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell

    def __getitem__(self, name: str) -> Mapping[str, str]:
        return KINDS[name](self._shell)

    def __iter__(self) -> Iterator[str]:
        return iter(KINDS)

    def __len__(self) -> int:
        return len(KINDS)


def names(shell: Any) -> CompletionNames:
    """Everything completion can offer now; of files, those that may be loaded."""
    return CompletionNames(
        tuple(COMMANDS.values()),
        WordsByKind(shell),
        lambda text: files(text, shell.allowed),
        lambda mnemonic: operands(shell, mnemonic),
    )


def machine(shell: Any) -> tuple[Target, Generation]:
    """The program's target and generation; without one, those asked for, else the usual ones."""
    if shell.loaded:
        return shell.program.target, shell.program.generation
    return machine_of(shell.chosen.target)


def operands(shell: Any, mnemonic: str) -> completion_words.Operands:
    """What an instruction of the program's target takes."""
    return completion_words.operands(*machine(shell), mnemonic)


def _of_program(found: Callable[[Session], Mapping[str, str]]) -> Finder:
    """A finder of what only a program has."""
    return lambda shell: found(shell.loaded) if shell.loaded else {}


def _in_its_program(find: completion_words.Finder, session: Session) -> Mapping[str, str]:
    """The words that a session's program has of a kind."""
    return find(session.program)


def _legal(setting: ReplSetting, shell: Any) -> Mapping[str, str]:
    """What a setting may be."""
    return setting.kind.words


kind("format")(lambda shell: FORMATS)
kind("check")(lambda shell: CHECKS)
kind("alias")(lambda shell: shell.aliases)
kind("setting")(lambda shell: {row.name: row.summary for row in SETTINGS.values()})
for _setting in SETTINGS.values():
    KINDS[f"setting {_setting.name}"] = partial(_legal, _setting)
kind("code")(lambda shell: {row.code: row.title for row in codes.table()})
kind("topic")(lambda shell: topics.meanings(*machine(shell)))
kind("function")(lambda shell: {t.word: t.summary for t in topics.functions()})
kind("method")(lambda shell: dict.fromkeys(METHODS, "of a tensor"))
kind("panel")(lambda shell: {**Panels().words, "full": "the whole screen"})
kind("stop")(lambda shell: specs.words())
kind("display")(lambda shell: {str(d.number): d.text for d in shell.displays.items})


@kind("mnemonic")
def _mnemonics(shell: Any) -> Mapping[str, str]:
    return completion_words.mnemonics(*machine(shell))


for _kind, _find in completion_words.OF_PROGRAM.items():
    KINDS[_kind] = _of_program(partial(_in_its_program, _find))


@kind("semaphore")
@_of_program
def _semaphores(session: Session) -> Mapping[str, str]:
    return {
        f"${s.name}": f"{'event' if s.event else 'semaphore'} {s.number}, now {s.value}"
        for s in session.semaphores()
    }


@kind("register")
@_of_program
def _registers(session: Session) -> Mapping[str, str]:
    return {
        f"@{session.name(q)}.%r{number}": "unknown" if value is None else f"now {value}"
        for q in session.queues()
        if q.length
        for number, value in session.registers(session.name(q)).items()
    }


@kind("named")
@_of_program
def _named(session: Session) -> Mapping[str, str]:
    return {one.name: f"a name for {one.text}" for one in session.lets()}


@kind("breakpoint")
@_of_program
def _breakpoints(session: Session) -> Mapping[str, str]:
    return {str(one.name or one.number): one.what for one in session.breakpoints}


@kind("moment")
@_of_program
def _moments(session: Session) -> Mapping[str, str]:
    return {mark.name: "" for mark in session.moments()}


@kind("line")
@_of_program
def _lines(session: Session) -> Mapping[str, str]:
    """The lines that have instructions, with what they say."""
    program = session.program
    spans = (
        program.span(n, pc) for n, lines in enumerate(program.queues) for pc in range(len(lines))
    )
    numbers = sorted({span.line for span in spans if span and span.source is session.source})
    return {str(n): " ".join(session.source.line(n).split()) for n in numbers if session.source}


def files(text: str, allowed: Allowed = ANY) -> dict[str, str]:
    """Paths that begin with a text; folders end with a slash."""
    folder, _, start = text.rpartition("/")
    where = os.path.expanduser(f"{folder}/") if "/" in text else "."
    if not allowed.lists(where):
        return {}
    try:
        found = [
            (e.name, _is_folder(e, allowed))
            for e in host_files.entries(where)
            if e.name.startswith(start) and (start or not e.name.startswith("."))
        ]
    except OSError:
        return {}
    head = f"{folder}/" if "/" in text else ""
    return {
        f"{head}{name}{'/' if is_folder else ''}": "folder" if is_folder else "file"
        for name, is_folder in found[:MOST_FILES]
    }


def _is_folder(entry: os.DirEntry[str], allowed: Allowed) -> bool:
    """Whether an entry is a folder, or a link to one where any file may be read."""
    try:
        return entry.is_dir(follow_symlinks=allowed.folder is None)
    except OSError:  # a link that leads to itself
        return False
