"""Colours of what is typed: from the declared commands, the rows of the target and the grammar."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.styles import Style

from nasm.apps.repl import command
from nasm.apps.repl.command import Command
from nasm.apps.repl.shell import Shell
from nasm.language.text.lexemes import TERMINALS, lexemes

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

_SHOWN = {kind: kind for kind, _ in STYLE.style_rules if kind in TERMINALS} | {
    "semaphore_open": "semaphore",
    "instruction": "instruction",
}
"""Kinds of lexeme that have a colour, each with whose it is."""


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
    for kind, start, end, word in lexemes(line, begun):
        kind = "instruction" if kind == "name" and word in mnemonics else kind
        if kind in _SHOWN:
            pieces += [("", line[begun:start]), (f"class:{_SHOWN[kind]}", word)]
            begun = end
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
