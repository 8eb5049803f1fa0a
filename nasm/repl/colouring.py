"""Colours of what is typed: from the declared commands, the rows of the target and the grammar."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.styles import Style

from nasm.asm.text.grammar import grammar_text
from nasm.repl import command
from nasm.repl.command import Command
from nasm.repl.shell import Shell

STYLE = Style.from_dict(
    {
        "command": "bold",
        "title": "bold",
        "mark": "bold",
        "instruction": "ansicyan",
        "engine": "ansimagenta",
        "semaphore": "ansiyellow",
        "register": "ansiyellow",
        "directive": "ansiblue",
        "number": "ansigreen",
        "string": "ansigreen",
        "comment": "ansibrightblack",
    }
)

_TERMINALS = {
    "comment": "COMMENT",
    "string": "STRING",
    "number": "NUMBER",
    "register": "REGISTER",
    "semaphore": "SEMAPHORE",
    "engine": "ENGINE",
    "directive": "DIRECTIVE",
    "name": "NAME",
}
"""Kinds of word, each with the terminal of the grammar that says how it is written."""


@cache
def _words() -> re.Pattern[str]:
    terminals = dict(re.findall(r"^([A-Z_]+)(?:\.\d+)?: /(.*)/$", grammar_text(), re.MULTILINE))
    return re.compile("|".join(f"(?P<{k}>{terminals[t]})" for k, t in _TERMINALS.items()))


def coloured(
    line: str, commands: Sequence[Command], mnemonics: Mapping[str, object]
) -> StyleAndTextTuples:
    """A line in pieces, each with what kind of word it is."""
    begun = len(line) - len(line.lstrip())
    if line[begun:].startswith("#"):
        return [("class:comment", line)]
    pieces: StyleAndTextTuples = [("", line[:begun])]
    first = command.split(line)[0]
    if len(command.match(first, commands)) == 1:
        pieces.append(("class:command", first))
        begun += len(first)
    start = begun
    for found in _words().finditer(line, begun):
        kind = found.lastgroup or ""
        if kind == "name" and found[0] in mnemonics:
            kind = "instruction"
        if kind == "engine" and found.start() == start:
            start = found.end() + len(line[found.end() :]) - len(line[found.end() :].lstrip())
        if kind != "name" and (kind != "directive" or found.start() == start):
            pieces += [("", line[begun : found.start()]), (f"class:{kind}", found[0])]
            begun = found.end()
    pieces.append(("", line[begun:]))
    return pieces


class CommandLexer(Lexer):
    """Colours the commands of a shell, and instructions of its program's target."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        """A function that gives a line in pieces."""
        names, lines = self._shell.names, document.lines
        commands = [c for c in names.commands if " " not in c.name]
        mnemonics = names.words.get("mnemonic", {})
        return lambda number: coloured(lines[number], commands, mnemonics)
