"""What a verb of the command is: each is declared by one file of ``verbs/``, as its ``VERB``."""

from __future__ import annotations

import argparse
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Literal, TypeAlias

from nasm.base import gc_pause, signals

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
    """What is not done yet if ``--timeout`` ends it before it can say so itself."""
    other_names: tuple[str, ...] = ()
    """What other tools call it."""


@cache
def names() -> frozenset[str]:
    """The verbs that there are, of which none is imported for it: the files of ``verbs/``."""
    folder = import_module(f"{__package__}.verbs")
    return frozenset(found.name for found in pkgutil.iter_modules(folder.__path__))


def named(name: str) -> Verb:
    """The verb of a name."""
    found: Verb = import_module(f"{__package__}.verbs.{name}").VERB
    return found


def verbs() -> dict[str, Verb]:
    """All verbs by name, in the order of the help."""
    found = {name: named(name) for name in names()}
    return dict(sorted(found.items(), key=lambda item: item[1].rank))


def preload(*modules: str) -> None:
    """Import what a verb works with: undisturbed by signals, and all that is made lives on."""
    with signals.shielded(), gc_pause.imported():
        for module in modules:
            import_module(module)
