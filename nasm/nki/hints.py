"""Hints of the assembler in the words of kernels: calls in the place of lines of a program."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import zip_longest

from nasm.base.problems import Problem
from nasm.isa.isa import Isa

_LINE = re.compile(r"'?(?:@\w+ )?\b([A-Z]\w+) ([\w.=]+(?:, [\w.=]+)*)(?: (?:post|after) \w+)?'?")
_DECLARED = re.compile(r"'\.(\w+) (\w+) (\w+)\[([^\]]*)\]'")
_MOMENTS = re.compile(r" post made\b|, and read \w+ after moved$")


def in_calls(problem: Problem, isa: Isa) -> Problem:
    """A problem whose hint names calls of nki.isa where it names lines of a program."""

    def call(line: re.Match[str]) -> str:
        row = isa.rows.get(line[1])
        names = [n for n in row.vendor.get("NKI", ()) if n.startswith("nki.isa.")] if row else []
        if row is None or not names:
            return line[0]
        words = line[2].split(", ")
        places = [operand.name for operand in row.written[: len(words)]]
        given = [_given(name, word) for name, word in zip_longest(places, words)]
        return f"nisa.{names[0].removeprefix('nki.isa.')}({', '.join(given)})"

    hint = _LINE.sub(call, problem.hint)
    hint = _DECLARED.sub(r"\2 = nl.ndarray((\4), dtype=nl.\3, buffer=nl.\1)", hint)
    if hint == problem.hint:
        return problem
    return replace(problem, hint=_MOMENTS.sub("", hint))


def _given(name: str, word: str) -> str:
    """An operand as an argument; operators are words of nki.language."""
    name, _, value = word.rpartition("=") if "=" in word else (name, "", word)
    operator = re.fullmatch("op[01]?", name) is not None
    return f"{name}={'nl.' if operator else ''}{value}"
