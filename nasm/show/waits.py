"""What the waits of a program could be instead, as lines."""

from __future__ import annotations

from collections.abc import Iterator

from nasm.base.problems import counted, listed
from nasm.runs.waits.records import SemaphoreUse, SharedSemaphore, WaitReport, WaitSuggestion

MOST = 40
"""Changes that are shown; --json lists all."""


def lines(found: WaitReport, most: int = MOST) -> list[str]:
    """A sentence, then a line for each change, then how many semaphores would do."""
    return list(_lines(found, most))


def _lines(found: WaitReport, most: int) -> Iterator[str]:
    yield found.summary
    for one in found.suggestions[:most]:
        yield f"  {_change(one)}"
    if len(found.suggestions) > most:
        yield f"  {len(found.suggestions) - most:,} more; --json lists them"
    if found.untried:
        yield f"  {counted(found.untried, 'change')} not tried: it would take too long"
    several = len(found.semaphores) > 1
    for use in found.semaphores:
        yield from _semaphores(use, several)


def _change(one: WaitSuggestion) -> str:
    where = "" if one.span is None else f"line {one.span.line}: "
    rounds = "" if one.rounds == one.of else f", in {one.rounds:,} of {counted(one.of, 'round')}"
    text = f"{where}{one.text}{rounds}"
    if abs(one.saved) >= 0.0005:
        less = "less" if one.saved > 0 else "more"
        text += f": {abs(one.saved):,.3f} µs {less}"
    return text if one.together else f"{text} (not together with those above)"


def _semaphores(use: SemaphoreUse, several: bool) -> Iterator[str]:
    where = f" on core {use.core}" if several else ""
    if use.fewest == use.used:
        yield f"semaphores{where}: {use.used}; none is over before another one begins"
        return
    yield (
        f"semaphores{where}: {use.fewest} in the place of {use.used} would do, and no fewer of "
        "those whose uses follow each other"
    )
    for group in use.groups:
        yield f"  {_group(group)}"


def _group(group: SharedSemaphore) -> str:
    first, *others = group.names
    pairs = zip(others, group.more[1:], strict=True)
    return f"${first} for " + listed(
        [f"${name} (its waits for {more:,} more)" if more else f"${name}" for name, more in pairs],
        "and",
    )
