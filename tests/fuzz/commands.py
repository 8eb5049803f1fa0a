"""The debugger: lines and completions at its prompt, and whether the program ends as it must.

An input is a session as ``neuron-nasm repl`` would read it: its first line is a comment that names
the program. A line that ends with a tab asks for completions.
"""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import NoReturn

from nasm.apps.repl import help_commands, inspect_commands, prompt, run_commands  # noqa: F401  (likewise)
from nasm.apps.repl.command import COMMANDS
from nasm.apps.repl.known_names import names
from nasm.apps.repl.screen import ReplScreen
from nasm.apps.repl.shell import Quit, Shell
from nasm.apps.repl.suggest import CompletionNames, suggest
from nasm.base.files import Allowed
from nasm.base.problems import Failure, Refused
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.language.expectations.functions import FUNCTIONS
from nasm.program.program import Program
from nasm.targets import TARGETS
from tests.fuzz import corpus, promises
from tests.fuzz.finding import Found
from tests.fuzz.mutations import CHARACTERS, NUMBERS, SUFFIXES

LINES = 20
"""Lines of a session."""

HEAD = "# program "
MOVES = ("step", "step", "step", "cycle", "cycle", "run", "until", "restart", "expect")
PHRASES = (
    *(
        "break {line}",
        "break {engine} pc {n}",
        "tbreak {engine}",
        "break {mnemonic} if {condition}",
    ),
    *("break {label} after", "break {semaphore} >= {n}", "break {semaphore}", "break cycle {n}00"),
    *("break if {condition}", "break transfer land", "break held {n}0 {engine}", "break nan"),
    *("break hazard", "break {line} as here", "break {register}", "break {mnemonic}"),
    *("watch {tensor}", "watch {slice} if {condition}", "wwatch {slice}", "rwatch {tensor}"),
    *("watch psum bank {n}", "watch sbuf 0:{n}", "watch {register}", "watch {semaphore}"),
    *(
        "delete {breakpoint}",
        "disable {breakpoint}",
        "enable {breakpoint}",
        "ignore {breakpoint} {n}",
    ),
    *(
        "commands {breakpoint} p {tensor}; where",
        "commands {breakpoint} continue",
        "info breakpoints",
    ),
    *("run", "continue", "continue {n}", "event", "step {n} {engine}", "until {condition}"),
    *(
        "until {line}",
        "until line {line}",
        "until {n}00",
        "finish {engine}",
        "finish round {engine}",
    ),
    *("finish loop {engine}", "finish transfer", "cycle {n}00", "run {n}00"),
    *("back", "back {n}", "back {n} {engine}", "back {n}00 cycles", "back until {condition}"),
    *("back to {breakpoint}", "back to", "back write {slice}", "rcontinue", "goto {n}00"),
    *("goto start", "goto end", "goto {moment}", "mark here", "mark there", "moments", "undo"),
    *("why {slice}", "why {engine}", "who {tensor}", "who {semaphore}", "who {register}"),
    *(
        "info transfers",
        "info semaphores {semaphore}",
        "display {expression}",
        "where",
        "info held",
    ),
)
"""Commands with their words, to be filled in from the program."""
OPERATORS = ("+", "-", "*", "==", "@", "<", "and", ",")


class Watched(Shell):
    """A shell that lets its own defects out."""

    def defect(self, error: Exception) -> NoReturn:
        """Let it be found."""
        raise error


class Loaded:
    """A program, how it ends, and what completion knows of it."""

    def __init__(self, name: str, program: Program) -> None:
        self.name, self.program = name, program
        self.source = Source(name, corpus.programs()[name])
        session = self.session()
        self.ending = promises.ending(session.run(max_cycles=promises.CYCLES))
        shell = Shell(ReplScreen(io.StringIO()))
        shell.adopt(session)
        self.names = shell.names

    def session(self) -> Session:
        """It on a new machine."""
        session = Session(self.program)
        session.source = self.source
        session.files = Allowed.of(False)  # 'write' writes nothing
        return session


@functools.cache
def loaded(name: str) -> Loaded | None:
    """A program of the corpus; None if it cannot be loaded, is large, or runs for long."""
    try:
        program = assemble(Source(name, corpus.programs()[name]), TARGETS)
        if not promises.small(program):
            return None
        made = Loaded(name, program)
    except (Failure, KeyError):
        return None
    return None if made.ending[0].name == "LIMIT" else made


class Commands:
    """Sessions of the debugger."""

    name, suffix, each = "commands", ".session", LINES
    memory, seconds = 1 << 30, 5.0

    def __init__(self) -> None:
        texts = corpus.programs()
        self.programs = [n for n in texts if "smaller" in n or "deadlock" in n or "fault" in n]
        self.programs += [n for n in texts if " on " in n][::9]
        self.programs.append("nothing that could be loaded")

    def make(self, rng: Random) -> bytes:
        """A session with one of the programs."""
        name = rng.choice(self.programs)
        program = loaded(name)
        known = program.names if program else names(Shell(ReplScreen(io.StringIO())))
        lines = [f"{HEAD}{name}", *(line(rng, known) for _ in range(LINES))]
        return ("\n".join(lines) + "\n").encode("utf-8", "replace")

    def check(self, data: bytes) -> None:
        """Type it, line by line, then run to the end."""
        head, *lines = data.decode("utf-8").split("\n")
        program = loaded(head.removeprefix(HEAD))
        out = io.StringIO()
        shell = Watched(ReplScreen(out, "never"))
        begun = program.session() if program else None
        shell.adopt(begun)
        with suppress(Quit):
            for typed in lines:
                if typed.endswith("\t"):
                    completed(typed[:-1], shell.names)
                elif typed:
                    shell.execute(typed)
                else:
                    shell.again()
                prompt.toolbar(shell, 80)
        promises.shown(out.getvalue(), "what a session prints")
        if program and begun is not None and shell.loaded is begun:
            self.ended(begun, program)

    def ended(self, session: Session, program: Loaded) -> None:
        """However it was stepped, with what was changed undone it ends as a plain run does."""
        with suppress(Refused):
            while session.undo() is not None:
                pass
            session.past.changes.clear()  # those that lie ahead
            for one in list(session.breakpoints):
                session.breakpoints.delete(one.number)
            session.breakpoints.hazards = False
            made = session.run(max_cycles=promises.CYCLES)
            promises.report(made, program.program, False)
            if len(session.program.tensors) > len(program.program.tensors):  # what was declared
                made = replace(made, memory_hash=program.ending[-1])
            if promises.ending(made) != program.ending:
                found = f"{program.ending}\n{promises.ending(made)}"
                raise Found("hash", "a session ends otherwise than a run", found)

    def cuts(self, data: bytes) -> Iterator[list[bytes]]:
        """Lines behind the head."""
        head, *lines = data.splitlines(keepends=True)
        yield [head, *lines]


def completed(text: str, known: CompletionNames) -> None:
    """Completions of a text: words that replace a part of it."""
    for found in suggest(text, known):
        if not found.text or not 0 <= found.length <= len(text):
            raise Found("text", "a completion that does not fit", repr((text, found)))
        promises.shown(found.text + found.meta, "a completion")


BY_HAND = (
    "@{engine} Memset {tensor}, {n}",
    "@{engine} TensorCopy {tensor}, {tensor}",
    "{mnemonic} {tensor}, {tensor}, {n}",
    "@{engine} {mnemonic} {tensor}, {tensor}, {tensor}, op=add",
    "@{engine} Nop {semaphore} >= {n}",
    "@{engine} Nop {semaphore}++",
    "@sync DmaCopy {tensor}, {tensor} {semaphore} += 16",
    "@{engine}",
    "try @{engine} Memset {tensor}, {n}",
    ".sbuf typed{n} f32[{n}, 4] = iota",
    ".psum typed{n} f32[{n}, 4]",
    ".sem typed{n}",
    ".const TYPED{n} = {n} * 2",
    ".expect {tensor} == {n}",
    "set {tensor} = {n} / 3",
    "set {tensor} = {tensor}",
    "set {semaphore} = {n}",
    "set @{engine} %r{n} = {n}",
    "set pc {engine} {n}",
    "skip {engine}",
    "undo",
)
"""What is typed at a running program, and what is changed by hand."""


def by_hand(rng: Random, known: CompletionNames) -> str:
    """Something to execute, to declare or to change."""
    text = filled(rng, rng.choice(BY_HAND), known)
    if rng.random() < 0.2:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(CHARACTERS).replace("\n", " ") + text[at + 1 :]
    return text


def line(rng: Random, known: CompletionNames) -> str:
    """Something to type."""
    if rng.random() < 0.2:
        return by_hand(rng, known)
    command = COMMANDS[rng.choice([*COMMANDS, *MOVES])] if rng.random() < 0.97 else None
    if command is not None and command.name in ("save", "write", "record"):
        return "where"  # nothing is written to where the fuzzer runs
    if command is None or rng.random() < 0.03:
        return ""
    if rng.random() < 0.5:
        return filled(rng, rng.choice(PHRASES), known)
    word = rng.choice([command.name, command.name, *command.aliases])
    if command.name.startswith("quit"):
        word = rng.choice(["quit", "q?", "x", "where"])
    if rng.random() < 0.1:
        word = word[: rng.randint(1, len(word))]
    parts = [word]
    while rng.random() < 0.55:
        parts.append(argument(rng, command.takes, known))
    typed = " ".join(parts)
    if rng.random() < 0.1:
        at = rng.randrange(len(typed) + 1)
        typed = typed[:at] + rng.choice(["", *CHARACTERS]).replace("\n", " ") + typed[at + 1 :]
    if rng.random() < 0.15:
        return typed[: rng.randint(0, len(typed))] + "\t"
    return typed


def filled(rng: Random, text: str, known: CompletionNames) -> str:
    """A text in which words of the program stand for what is in braces."""

    def word(match: re.Match[str]) -> str:
        match match[1]:
            case "n":
                return rng.choice((*NUMBERS, *"11235", "16", "40"))
            case "expression":
                return expression(rng, known)
            case "condition":
                op = rng.choice((">=", "==", "<"))
                return f"{expression(rng, known, 1)} {op} {rng.randint(0, 20)}"
            case "slice":
                tensor = filled(rng, "{tensor}", known)
                return tensor + rng.choice(("", "[0]", "[0, 0]", *SUFFIXES))
        return rng.choice(list(known.words.get(match[1], {})) or ["nothing"])

    return re.sub(r"\{(\w+)\}", word, text)


def expression(rng: Random, known: CompletionNames, deep: int = 2) -> str:
    """An expression, mostly one that can be computed."""
    if not deep or rng.random() < 0.2:
        kind = rng.choice(["tensor", "tensor", "semaphore", "register", "constant", "function"])
        words = list(known.words.get(kind, {})) or ["3"]
        return rng.choice([*words[:3], rng.choice(words)]) + rng.choice(["", "", *SUFFIXES])
    one, other = expression(rng, known, deep - 1), expression(rng, known, deep - 1)
    match rng.randrange(5):
        case 0:
            return f"{rng.choice(list(FUNCTIONS))}({one})"
        case 1:
            return f"{rng.choice(list(FUNCTIONS))}({one}, axis={rng.choice([-1, 0, 1])})"
        case 2:
            return f"({one}){rng.choice(SUFFIXES)}"
        case 3:
            return f"{one}, {other}"
        case _:
            return f"{one} {rng.choice(OPERATORS)} {other}"


def argument(rng: Random, takes: tuple[str, ...], known: CompletionNames) -> str:
    """An argument, of the sort that the command takes or of another."""
    kinds = [k for k in takes if k in known.words] or list(known.words)
    if rng.random() < 0.3:
        kinds = list(known.words)
    words = list(known.words[rng.choice(kinds)]) or ["x"]
    if "function" in takes and rng.random() < 0.5:
        return expression(rng, known)
    match rng.randrange(6):
        case 0:
            return rng.choice(NUMBERS)
        case 1:
            return str(rng.randint(0, 40))
        case 2:
            return rng.choice(words) + rng.choice(SUFFIXES)
        case 3:
            return f"{rng.choice(words)} {rng.choice(OPERATORS)} {rng.choice([*words, '1'])}"
        case _:
            return rng.choice(words)
