"""Command lines of two sides, of verbs that compare two programs.

Options before ``--vs`` apply to both sides, those after it to b alone. The words are parted before
anything parses them: those of b are those before ``--vs`` and then its own, so that its own count
where an option is given once, or a name has one value.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from nasm.apps.cli.arguments import Wrong, unknown, unpacked
from nasm.apps.cli.verb import COMMAND

VS = "--vs"


def arguments(verb: argparse.ArgumentParser, name: str) -> None:
    """The programs of both sides, and what parts them."""
    verb.usage = f"{COMMAND} {name} A [B] [options] [{VS} [B] [options of B]]"
    verb.add_argument(
        "programs", metavar="program", nargs="*", help="a .nasm file, -, or kernel.py:name"
    )
    verb.add_argument(
        VS,
        action="store_true",
        help="options after it apply to the second side alone, options before it to both",
    )


def sides(top: argparse.ArgumentParser, given: list[str]) -> argparse.Namespace:
    """A command line of two sides, each read as if it were the only one; raises Wrong."""
    read_as = []
    for words in _parted(given):
        parsed, rest = top.parse_known_args(words)
        # argparse takes programs in one place alone: those after an option are left over.
        programs = [*parsed.programs, *(w for w in rest if w == "-" or not w.startswith("-"))]
        text = unknown(top, parsed.verb, [w for w in rest if w not in programs])
        if text:
            raise Wrong(text)
        parsed.words = words
        read_as.append((parsed, programs))
    both = _joined(*read_as)
    both.first = unpacked(both.first)
    return unpacked(both)


def _parted(given: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words of a command line that apply to a, and those that apply to b."""
    words = list(given)
    before = words.index("--") if "--" in words else len(words)
    count = words[:before].count(VS)
    if count > 1:
        raise Wrong(f"two sides are compared: {VS} is given {count} times")
    if not count:
        return words, words
    at = words.index(VS)
    return words[:at], words[:at] + words[at + 1 :]


def _joined(
    a: tuple[argparse.Namespace, list[str]], b: tuple[argparse.Namespace, list[str]]
) -> argparse.Namespace:
    """Both sides as one: that of b, with a as its ``first``.

    Each is given with the programs that it names, the last of which are those of its own.
    """
    (first, mine), (second, all_of_it) = a, b
    behind = all_of_it[len(mine) :]
    if not mine:
        text = f"before {VS}, for both sides" if VS in second.words else "and what to compare with"
        raise Wrong(f"{first.verb} wants a program: write it {text}")
    if len(mine) > 2 or len(behind) > 1 or (len(mine) == 2 and behind):
        raise Wrong(f"{first.verb} compares two programs, found {len(all_of_it)}")
    if len(mine) == 1 and not behind and first.words == second.words:
        raise Wrong(
            f"{first.verb} wants something to compare {mine[0]} with: a second program, or {VS} "
            "and options of the second side"
        )
    own = second.inputs[len(first.inputs) :]
    names = {name for name, _ in own}
    second.inputs = [given for given in first.inputs if given[0] not in names] + own
    first.program, second.program = mine[0], (behind or mine[1:] or mine)[0]
    second.first = first
    return second
