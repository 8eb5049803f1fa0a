"""What may be typed next: a pure function of the text so far and of the names there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from nasm.apps.repl import command
from nasm.apps.repl.command import Command
from nasm.apps.repl.completion_words import Operands
from nasm.apps.repl.input import goes_on
from nasm.base.records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A word that may be typed: it replaces the last ``length`` characters."""

    text: str
    length: int
    meta: str = ""


def no_files(_: str) -> Mapping[str, str]:
    """No files at all."""
    return {}


def no_operands(_: str) -> Operands:
    """No operands at all."""
    return {}


@dataclass(frozen=True, slots=True)
class CompletionNames:
    """What completion knows: the commands, words with their meaning by kind, and files.

    ``files`` gives the paths that begin with a text, ``operands`` what a mnemonic takes.
    """

    commands: tuple[Command, ...] = ()
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    files: Callable[[str], Mapping[str, str]] = no_files
    operands: Callable[[str], Operands] = no_operands


_WORD = re.compile(r"[@$/%]?(?:\w+\.)*%?\w*$")
_OPERAND = re.compile(r"(?<!/)\b\w+\s+$|[\])]\s+$")
_MANY, _SEVERAL = ("code", "item"), "panel"
"""Kinds of which there may be so many that two letters are wanted; one of which several are given.
"""

_EXPRESSION = ("named", "tensor", "part", "item", "semaphore", "register", "constant", "function")
_INSTRUCTION = re.compile(r"(?:\w+:\s*)?(?:@[\w.]+\s+)?(\w+)(\s.*)?", re.DOTALL)
_NAMED = re.compile(r"\s*(\w+)\s*=\s*(\w*)$")


def suggest(text: str, names: CompletionNames) -> list[Suggestion]:
    """Words that continue the text before the cursor, best first."""
    typed = _command_of(text).lstrip()
    if re.fullmatch(r"[^\s/@$]*", typed):
        words = _commands(names, "") | dict(names.words.get("alias", {}))
        if typed[:1].isupper():  # no command is, every mnemonic
            words |= names.words.get("mnemonic", {})
        return starting(typed, words, len(typed))
    word, rest = command.split(typed)
    if typed.startswith("@") or word in names.words.get("mnemonic", {}):
        return instruction(typed, names)
    meaning = names.words.get("alias", {}).get(word)
    if meaning is not None:
        return suggest(meaning + typed[len(word) :], replace(names, words=_without_aliases(names)))
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
            return starting(first, _commands(names, f"{chosen.name} "), len(first))
        found = command.match(first, below)
        if len(found) != 1:
            return []
        chosen, rest = found[0], after.lstrip()
    return _arguments(chosen, rest, names)


def _command_of(text: str) -> str:
    """The command that a text ends with, in one line."""
    lines = text.split("\n")
    begun = 0
    for n in range(len(lines) - 1):
        if not goes_on(lines[begun : n + 1]):
            begun = n + 1
    return " ".join(lines[begun:])


def _without_aliases(names: CompletionNames) -> dict[str, Mapping[str, str]]:
    return {kind: names.words[kind] for kind in names.words if kind != "alias"}


def _commands(names: CompletionNames, prefix: str) -> dict[str, str]:
    return {
        c.name.removeprefix(prefix): c.summary
        for c in names.commands
        if c.name.startswith(prefix) and " " not in c.name.removeprefix(prefix)
    }


def _arguments(chosen: Command, rest: str, names: CompletionNames) -> list[Suggestion]:
    if "file" in chosen.takes:
        return starting(rest, names.files(rest), len(rest))
    found = _setting(rest, names) if "setting" in chosen.takes else []
    word = _WORD.search(rest)
    typed = word[0] if word else ""
    before = rest[: len(rest) - len(typed)]
    kinds = tuple(kind for kind in chosen.takes if kind != "setting")
    if "instruction" in kinds:
        return instruction(rest, names)
    if (
        any(kind in _EXPRESSION for kind in kinds)
        and "." in typed
        and typed[0] not in "@0123456789"
    ):
        part = typed.rpartition(".")[2]
        return starting(part, names.words.get("method", {}), len(part))
    if before.count("[") > before.count("]"):
        kinds = (
            ("constant", "function", "named", "tensor", "part", "item") if typed else ("constant",)
        )
        kinds = kinds if any(kind in _EXPRESSION for kind in chosen.takes) else ()
    complete = not re.search(r"\w", typed) and bool(_OPERAND.search(before))
    text = set(before.replace("@", " ").split())
    for kind in kinds:
        words = _words(kind, typed, names)
        if kind == _SEVERAL:
            words = {word: words[word] for word in words if word not in text}
        elif complete if kind in _EXPRESSION and len(kinds) > 1 else text & set(words):
            continue
        found += starting(typed, words, len(typed))
    return sorted(found, key=lambda s: not s.text.casefold().startswith(typed.casefold()))


def _setting(rest: str, names: CompletionNames) -> list[Suggestion]:
    """The name of a setting, or what it may be."""
    for name in names.words.get("setting", {}):
        if rest.startswith(f"{name} "):
            value = rest[len(name) :].lstrip()
            return starting(value, names.words.get(f"setting {name}", {}), len(value))
    return starting(rest, names.words.get("setting", {}), len(rest))


def instruction(text: str, names: CompletionNames) -> list[Suggestion]:
    """What may follow in an instruction: an engine, a mnemonic, its operands and their words."""
    engine = re.search(r"@[\w.]*$", text)
    if engine:
        return starting(engine[0], _words("engine", "@", names), len(engine[0]))
    found = _INSTRUCTION.fullmatch(text)
    if found is None or found[2] is None:
        part = found[1] if found else ""
        return starting(part, names.words.get("mnemonic", {}), len(part))
    operands = names.operands(found[1])
    item = re.split(r"[,\s](?![^\[(]*[\])])", found[2])[-1]
    named = _NAMED.match(item)
    if named:
        operand = operands.get(named[1], operands.get(f"{named[1]}0", ("", {})))  # op= is op0=
        words = operand[1] or names.words.get("label", {})
        return starting(named[2], words, len(named[2]))
    message = set(re.findall(r"(\w+)\s*=", found[2]))
    left = {f"{name}=": what for name, (what, _) in operands.items() if name not in message}
    kinds = ("semaphore",) if item.startswith("$") else ("tensor", "constant")
    word = _WORD.search(item)
    part = word[0] if word else ""
    words = {w: m for kind in kinds for w, m in names.words.get(kind, {}).items()}
    return starting(part, words | (left if not part.startswith("$") else {}), len(part))


def _words(kind: str, typed: str, names: CompletionNames) -> dict[str, str]:
    """The words of a kind, as they are spelt after what was typed."""
    words = dict(names.words.get(kind, {}))
    if kind == "command":
        return _commands(names, "")
    if kind == "engine" and typed.startswith("@"):
        return {f"@{w}": meta for w, meta in words.items()}
    if kind in _MANY and len(typed) < 2:
        return {}
    return words


def starting(typed: str, words: Mapping[str, str], length: int) -> list[Suggestion]:
    """The words that begin so, case apart, those that agree in case first; then the others.

    Others have the letters in that order. If some words begin so, they must have the first in
    common with it.
    """
    fold = typed.casefold()
    found = [Suggestion(w, length, m) for w, m in words.items() if w.casefold().startswith(fold)]
    found.sort(key=lambda s: not s.text.startswith(typed))
    letter = re.search(r"\w", fold)
    if letter is None or len(fold) < letter.start() + 2:
        return found
    pattern = re.compile(".*?".join(map(re.escape, fold)))
    others: list[tuple[bool, int, Suggestion]] = []
    for w, meaning in words.items():
        folded = w.casefold()
        match = None if folded.startswith(fold) else pattern.search(folded)
        same = folded[letter.start() :].startswith(letter[0])
        if match and (same or not found):
            spread = match.end() - match.start()
            others.append((not same, spread, Suggestion(w, length, meaning)))
    others.sort(key=lambda o: o[:2])
    return found + [o[2] for o in others]
