"""The tables of the parser as a Python module, so that no process works them out again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lark.lark import Rule, TerminalDef

import nasm
from nasm.language.text.grammar import START_SYMBOLS, built, checksum, grammar_text, release

MODULE = Path(nasm.__file__).parent / "language" / "text" / "parse_tables.py"
HEAD = '''"""Written by docs/generate.py from grammar/nasm.lark; grammar.py reads it."""

from typing import Any

LARK = {lark!r}
"""The release of lark whose tables these are."""

GRAMMAR = {grammar!r}
"""The checksum of the grammar."""

DATA: Any = {data}
"""Lark's own form of a parser, but for the actions."""

MEMO: Any = {memo}
"""Lark's own form of terminals and rules, by the numbers that the data has for them."""

ACTIONS: Any = {actions}
"""Of each state, by the number of a token: the next state, or ~ the number of a rule."""
'''
WIDEST = 1 << 32
"""The width of what has no limit; Python's differs between versions."""


def module() -> str:
    """The text of the module. Nothing in it depends on the order of a set.

    It stays as it is under another release of lark, which works its tables out: they are written
    for that one once the module has been deleted.
    """
    grammar = checksum(grammar_text())
    if MODULE.exists():
        from nasm.language.text import parse_tables

        if release() != parse_tables.LARK and grammar == parse_tables.GRAMMAR:
            return MODULE.read_text(encoding="utf-8")
    data, memo = built(None).memo_serialize([TerminalDef, Rule])
    parser = data["parser"]
    parser["parser"], actions = numbered(parser["parser"])
    del data["options"]["_plugins"], data["options"]["lexer_callbacks"]
    for entry in memo.values():
        if "_width" in entry.get("pattern", ()):
            entry["pattern"]["_width"] = [min(w, WIDEST) for w in entry["pattern"]["_width"]]
    return HEAD.format(
        lark=release(),
        grammar=grammar,
        data=data,
        memo=_lines(f"{number}: {entry!r}" for number, entry in memo.items()),
        actions="[\n" + "".join(f"    {row!r},\n" for row in actions) + "]",
    )


def numbered(table: dict[str, Any]) -> tuple[dict[str, Any], list[dict[int, int]]]:
    """A parse table without its states, and the actions of each: numbered in the order of a walk.

    Lark numbers states and tokens in the order of its sets, which is another in each process.
    """
    names, given = table["tokens"], table["states"]
    tokens = {name: number for number, name in enumerate(sorted(names.values()))}
    numbers = {table["start_states"][symbol]: n for n, symbol in enumerate(START_SYMBOLS)}
    actions: list[dict[int, int]] = []
    reached = list(numbers)
    for state in reached:  # grows on the way
        row = {}
        for token, (reduces, to) in sorted(given[state].items(), key=lambda a: names[a[0]]):
            if not reduces and to not in numbers:
                numbers[to] = len(numbers)
                reached.append(to)
            row[tokens[names[token]]] = ~to["@"] if reduces else numbers[to]
        actions.append(row)
    ends = {symbol: numbers[table["end_states"][symbol]] for symbol in START_SYMBOLS}
    starts = {symbol: numbers[table["start_states"][symbol]] for symbol in START_SYMBOLS}
    kept = {n: name for name, n in tokens.items()}
    return {"tokens": kept, "start_states": starts, "end_states": ends}, actions


def _lines(entries: Iterator[str]) -> str:
    return "{\n" + "".join(f"    {entry},\n" for entry in entries) + "}"
