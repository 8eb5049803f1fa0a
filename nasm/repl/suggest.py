"""What may be typed next: a pure function of the text so far and of the names there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from nasm.repl import command
from nasm.repl.command import Command


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A word that may be typed: it replaces the last ``length`` characters."""

    text: str
    length: int
    meta: str = ""


def no_files(_: str) -> Mapping[str, str]:
    """No files at all."""
    return {}


@dataclass(frozen=True, slots=True)
class Names:
    """What completion knows: the commands, words with their meaning by kind, and files.

    ``files`` gives the paths that begin with a text.
    """

    commands: tuple[Command, ...] = ()
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    files: Callable[[str], Mapping[str, str]] = no_files


_WORD = re.compile(r"[@$/]?(?:\d+\.)?\w*$")
_CODE = "code"


def suggest(text: str, names: Names) -> list[Suggestion]:
    """Words that continue the text before the cursor, best first."""
    typed = text.lstrip()
    if re.fullmatch(r"[^\s/@$]*", typed):
        return _starting(typed, _commands(names, ""), len(typed))
    word, rest = command.split(typed)
    found = command.match(word, [c for c in names.commands if " " not in c.name])
    if len(found) != 1:
        return []
    chosen = found[0]
    # The split drops trailing blanks, which say here that a new word begins.
    rest = typed[typed.index(word) + len(word) :].lstrip()
    below = [c for c in names.commands if c.name.startswith(f"{chosen.name} ")]
    if below:
        first, gap, after = rest.partition(" ")
        if not gap:
            return _starting(first, _commands(names, f"{chosen.name} "), len(first))
        found = command.match(first, below)
        if len(found) != 1:
            return []
        chosen, rest = found[0], after.lstrip()
    return _arguments(chosen, rest, names)


def _commands(names: Names, prefix: str) -> dict[str, str]:
    return {
        c.name.removeprefix(prefix): c.summary
        for c in names.commands
        if c.name.startswith(prefix) and " " not in c.name.removeprefix(prefix)
    }


def _arguments(chosen: Command, rest: str, names: Names) -> list[Suggestion]:
    if "file" in chosen.takes:
        return _starting(rest, names.files(rest), len(rest))
    word = _WORD.search(rest)
    typed = word[0] if word else ""
    before = rest[: len(rest) - len(typed)]
    if before.count("[") > before.count("]") or before.endswith((".", "%")):
        return []
    said = set(before.replace("@", " ").split())
    found: list[Suggestion] = []
    for kind in chosen.takes:
        words = _words(kind, typed, names)
        if not said & set(words):
            found += _starting(typed, words, len(typed))
    return found


def _words(kind: str, typed: str, names: Names) -> dict[str, str]:
    """The words of a kind, as they are spelt after what was typed."""
    words = dict(names.words.get(kind, {}))
    if kind == "command":
        return _commands(names, "")
    if kind == "engine" and typed.startswith("@"):
        return {f"@{w}": meta for w, meta in words.items()}
    if kind == _CODE and len(typed) < 2:
        return {}
    return words


def _starting(typed: str, words: Mapping[str, str], length: int) -> list[Suggestion]:
    """The words that begin so, case apart; those that agree in case come first."""
    fold = typed.casefold()
    found = [Suggestion(w, length, m) for w, m in words.items() if w.casefold().startswith(fold)]
    return sorted(found, key=lambda s: not s.text.startswith(typed))
