"""Which line of one text is which of another: cheap for texts of any length.

What two texts have in common at their beginning and at their end is left out first. Lines that
occur in each text once, in the same order, are the same; where many lines have none among them,
runs of them are looked for. Between two of those a few lines are compared one by one, first as they
are and then by their instruction; of many only those with the same beginning or end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

CLOSE = 400
"""Lines between two that are known to be the same, up to which each is compared with each."""

RUNS = (1, 4, 16)
"""Lines in a row that are looked for: where a text repeats itself, more of them are needed."""

Range = tuple[int, int, int, int]
"""Some lines of one text, and some of the other: from and to of each, from 0 on."""


def aligned(a: Sequence[str], b: Sequence[str]) -> dict[int, int]:
    """The lines of b, from 0 on, by those of a that are the same, or that replace them."""
    found: dict[int, int] = {}
    waiting: list[Range] = [(0, len(a), 0, len(b))]
    while waiting:
        low, high, first, last = _trimmed(a, b, waiting.pop(), found)
        if low == high or first == last:
            continue
        anchors = list(_anchors(a[low:high], b[first:last]))
        if not anchors:
            found.update(_closely(a, b, (low, high, first, last)))
            continue
        before = low, first
        for mine, other in anchors:
            waiting.append((before[0], low + mine, before[1], first + other))
            found[low + mine] = first + other
            before = low + mine + 1, first + other + 1
        waiting.append((before[0], high, before[1], last))
    return found


def _trimmed(a: Sequence[str], b: Sequence[str], part: Range, found: dict[int, int]) -> Range:
    """What is left between the lines that are the same at the beginning and at the end."""
    low, high, first, last = part
    while low < high and first < last and a[low] == b[first]:
        found[low] = first
        low, first = low + 1, first + 1
    while low < high and first < last and a[high - 1] == b[last - 1]:
        high, last = high - 1, last - 1
        found[high] = last
    return low, high, first, last


def _anchors(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """Lines that occur once in each, in the same order in both; of many, the first such ones."""
    for count in RUNS:
        once_a, once_b = _once(a, count), _once(b, count)
        pairs = [(at, once_b[run]) for run, at in once_a.items() if run in once_b]
        if pairs or max(len(a), len(b)) <= CLOSE:
            break
    return _in_order(pairs)


def _in_order(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most pairs of which both sides are in order; they are given by their first."""
    ends: list[int] = []  # of the increasing runs of each length, the least last line of b
    which: list[int] = []  # the pair that this is
    before: list[int] = []  # for each pair, the one before it in its run
    for number, (_, other) in enumerate(pairs):
        at = bisect_left(ends, other)
        before.append(which[at - 1] if at else -1)
        ends[at : at + 1] = [other]
        which[at : at + 1] = [number]
    kept, number = [], which[-1] if which else -1
    while number >= 0:
        kept.append(pairs[number])
        number = before[number]
    return kept[::-1]


def _once(lines: Sequence[str], count: int) -> dict[tuple[str, ...], int]:
    """The places of runs of so many lines that occur once; blank lines mean nothing."""
    runs = list(zip(*(lines[n:] for n in range(count)), strict=False))
    counts = Counter(runs)
    return {run: at for at, run in enumerate(runs) if counts[run] == 1 and any(run)}


def _closely(a: Sequence[str], b: Sequence[str], part: Range) -> Iterator[tuple[int, int]]:
    """Lines that are the same, or as many as in the other text between two that are."""
    low, high, first, last = part
    mine, others = a[low:high], b[first:last]
    if max(len(mine), len(others)) > CLOSE:
        if len(mine) == len(others):
            yield from zip(range(low, high), range(first, last), strict=True)
        return
    for same, i, j, k, m in _matched(mine, others):
        if same:
            yield from zip(range(low + i, low + j), range(first + k, first + m), strict=True)
            continue
        words = [_instruction(line) for line in mine[i:j]], [_instruction(x) for x in others[k:m]]
        for alike, n, o, p, q in _matched(*words):
            if alike or o - n == q - p:
                here, there = range(low + i + n, low + i + o), range(first + k + p, first + k + q)
                yield from zip(here, there, strict=True)


def _matched(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[bool, int, int, int, int]]:
    """Ranges of two lists that are equal, or that lie between those; empty texts match nothing."""
    matcher = SequenceMatcher(lambda text: not text, a, b, autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        yield kind == "equal", i, j, k, m


def _instruction(line: str) -> str:
    """The first word of a line that names no engine."""
    return next((word for word in line.split() if not word.startswith("@")), "")
