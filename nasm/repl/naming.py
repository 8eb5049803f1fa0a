"""The names a program and its target have, with a word on each, as completion wants them."""

from __future__ import annotations

import os
from collections.abc import Mapping

from nasm import codes
from nasm.asm.expectations import functions
from nasm.asm.expectations.constants import METRICS
from nasm.debug import specs
from nasm.open_files import ANY, Allowed
from nasm.repl.command import COMMANDS
from nasm.repl.settings import SETTINGS
from nasm.repl.suggest import Names
from nasm.session import Session

MOST_FILES = 200
FORMATS = {
    "/x": "the bits, in hexadecimal",
    "/t": "the bits, one by one",
    "/s": "statistics only",
    "/p": "a picture",
    "/m": "a picture, with the mean of each cell",
    "/h": "a histogram",
}
FUNCTIONS = {
    **dict.fromkeys(functions.FUNCTIONS, "a function"),
    **dict.fromkeys(METRICS, "a measure of an engine"),
}
CHECKS = {
    "map": "who owns which bytes of each memory, and when",
    "relaxed": "what would not be in order without an interlock",
}


def names(session: Session | None, allowed: Allowed = ANY) -> Names:
    """Everything completion can offer now; of files, those that may be loaded."""
    words: dict[str, Mapping[str, str]] = {
        "format": FORMATS,
        "check": CHECKS,
        "setting": {row.name: row.summary for row in SETTINGS.values()},
        "code": {row.code: row.title for row in codes.table()},
    }
    if session is not None:
        words |= _of_program(session)
    return Names(tuple(COMMANDS.values()), words, lambda text: files(text, allowed))


def _of_program(session: Session) -> dict[str, Mapping[str, str]]:
    program = session.program
    generation = program.generation
    return {
        "engine": {
            program.named(core, e.name): e.summary
            for core in range(program.cores)
            for e in generation.engines
        },
        "memory": {m.name: m.summary for m in generation.memories.values() if m.banks},
        "mnemonic": {
            row.name: row.summary
            for row in program.target.isa
            if program.target.available(row, generation)
        },
        "tensor": {
            name: f"{t.dtype.name}{list(t.shape)} in {t.memory.name}"
            for name, t in program.tensors.items()
        },
        "semaphore": {
            f"${s.name}": f"{'event' if s.event else 'semaphore'} {s.number}"
            for s in session.semaphores()
        },
        "function": FUNCTIONS,
        "register": {
            f"@{program.queue_name(n)}.%r0": "a register"
            for n, lines in enumerate(program.queues)
            if len(lines)
        },
        "constant": dict.fromkeys(program.constants, "a constant"),
        "breakpoint": {str(one.name or one.number): one.what for one in session.breakpoints},
        "moment": {mark.name: "" for mark in session.moments()},
        "stop": specs.words(),
        "label": {
            label: f"{program.queue_name(n)} pc {pc}"
            for n, lines in enumerate(program.queues)
            for label, pc in lines.labels.items()
        },
    }


def files(text: str, allowed: Allowed = ANY) -> dict[str, str]:
    """Paths that begin with a text; folders end with a slash."""
    folder, _, start = text.rpartition("/")
    where = os.path.expanduser(f"{folder}/") if "/" in text else "."
    if not allowed.lists(where):
        return {}
    try:
        with os.scandir(where) as entries:
            found = sorted(
                (e.name, _is_folder(e, allowed))
                for e in entries
                if e.name.startswith(start) and (start or not e.name.startswith("."))
            )
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
