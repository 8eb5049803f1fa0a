"""The two sides of ``diff``: what stands before ``--vs`` is said of both, what follows of b alone.

The words are parted before anything parses them: those of b are those before ``--vs`` and then its
own, so that its own count where an option is given once, or a name has one value.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

VS = "--vs"


class Unclear(Exception):
    """Words that name no two sides; ``str`` says why."""


def parted(given: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words of a command line that are said of a, and those that are said of b."""
    words = list(given)
    before = words.index("--") if "--" in words else len(words)
    count = words[:before].count(VS)
    if count > 1:
        raise Unclear(f"diff compares two sides: {VS} is given {count} times")
    if not count:
        return words, words
    at = words.index(VS)
    return words[:at], words[:at] + words[at + 1 :]


def joined(
    a: tuple[argparse.Namespace, list[str]], b: tuple[argparse.Namespace, list[str]]
) -> argparse.Namespace:
    """Both sides as one: that of b, with a as its ``first``.

    Each is given with the programs that it names, the last of which are those of its own.
    """
    (first, mine), (second, all_of_it) = a, b
    behind = all_of_it[len(mine) :]
    if not mine:
        said = f"before {VS}, for both sides" if VS in second.words else "and what to compare with"
        raise Unclear(f"diff wants a program: write it {said}")
    if len(mine) > 2 or len(behind) > 1 or (len(mine) == 2 and behind):
        raise Unclear(f"diff compares two programs, found {len(all_of_it)}")
    if len(mine) == 1 and not behind and first.words == second.words:
        raise Unclear(
            f"diff wants something to compare {mine[0]} with: a second program, or {VS} and "
            "options of the second side"
        )
    own = second.inputs[len(first.inputs) :]
    names = {name for name, _ in own}
    second.inputs = [given for given in first.inputs if given[0] not in names] + own
    first.program, second.program = mine[0], (behind or mine[1:] or mine)[0]
    second.first = first
    return second
