"""What a verb of the command is: each is declared by one file of ``verbs/``, as its ``VERB``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from nasm.base import gc_pause, host_files, signals
from nasm.base.records import dataclass

if TYPE_CHECKING:  # --help shows nothing with Rich
    from nasm.apps.cli.screen import Screen

COMMAND = "neuron-nasm"

Conflict: TypeAlias = Callable[[argparse.Namespace], str]
"""Why options do not go together, in a sentence; empty if they do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """A verb of the command; its name is that of its file."""

    summary: str
    """What it does, in the list of all verbs and at the head of its own help."""
    rank: int
    """Its place in that list."""
    arguments: Callable[[argparse.ArgumentParser], None]
    """Adds its arguments and options to its parser."""
    body: Callable[[argparse.Namespace, Screen], int]
    """Does it; returns the exit code."""
    notes: str
    """What its help says below the options: examples, then what else there is to know."""
    examples: tuple[tuple[str, str], ...] = ()
    """Examples in the help of the command: the words after its name, and what they do."""
    conflicts: tuple[Conflict, ...] = ()
    """Which options do not go together: the first that finds something refuses the command line."""
    read: Callable[[argparse.ArgumentParser, list[str]], argparse.Namespace] | None = None
    """Reads a command line that argparse alone cannot read; raises Wrong."""
    document: Literal["", "program", "programs", "files"] = ""
    """What its JSON document is about: a key that it has however the verb ends."""
    undone: str = "the program was loaded"
    """What is not done yet if ``--timeout`` ends it before it can report it."""
    other_names: tuple[str, ...] = ()
    """What other tools call it."""


class VerbHead(NamedTuple):
    """What the list of all verbs shows of one, and how it is found: literals of its declaration."""

    summary: str
    rank: int
    examples: tuple[tuple[str, str], ...] = ()
    other_names: tuple[str, ...] = ()


_DECLARED = "\nVERB = Verb("
"""Where a verb is declared: the last statement of its file."""


@cache
def names() -> frozenset[str]:
    """The verbs that there are, of which none is imported for it: the files of ``verbs/``."""
    folders = import_module(f"{__package__}.verbs").__path__
    try:  # pkgutil imports inspect, which takes longer than the rest of --help
        files = [entry.name for folder in folders for entry in host_files.entries(folder)]
    except NotADirectoryError:  # in an archive
        import pkgutil

        return frozenset(found.name for found in pkgutil.iter_modules(folders))
    found = (name.partition(".")[0] for name in files if "." in name)
    return frozenset(name for name in found if not name.startswith("_"))


def named(name: str) -> Verb:
    """The verb of a name."""
    found: Verb = import_module(f"{__package__}.verbs.{name}").VERB
    return found


def verbs() -> dict[str, VerbHead]:
    """What the list of verbs shows of each, by name, in its order; none is imported for it."""
    found = {name: _head(name) for name in names()}
    return dict(sorted(found.items(), key=lambda item: item[1].rank))


@cache
def _head(name: str) -> VerbHead:
    """What the declaration of a verb says in literals, read from its text if there is one."""
    import ast
    from importlib.util import find_spec

    spec = find_spec(f"{__package__}.verbs.{name}")
    read = getattr(spec and spec.loader, "get_data", None)
    origin = (spec and spec.origin) or ""
    text = read(origin).decode() if read and origin.endswith(".py") else ""
    if not text:
        verb = named(name)
        return VerbHead(verb.summary, verb.rank, verb.examples, verb.other_names)
    declared = ast.parse(text[text.rindex(_DECLARED) + 1 :]).body[0]
    assert isinstance(declared, ast.Assign)
    assert isinstance(declared.value, ast.Call)
    given = {word.arg: word.value for word in declared.value.keywords}
    return VerbHead(
        **{key: ast.literal_eval(given[key]) for key in VerbHead._fields if key in given}
    )


def preload(*modules: str) -> None:
    """Import what a verb works with: undisturbed by signals, and all that is made lives on."""
    with signals.shielded(), gc_pause.imported():
        for module in modules:
            import_module(module)
