"""Instructions without effect: never reached, or with results that nothing reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nasm.base.problems import Problem, counted, listed
from nasm.program.program import Program
from nasm.runs.check.accesses import Touches
from nasm.runs.check.counters import Place
from nasm.runs.check.lines import CheckedLine, finding, lines, span_of, subject
from nasm.views.regions import Region, overlap

UNREAD, UNREACHED = "E0533", "E0534"

MOST = 1_000_000
"""Pairs of regions that are compared; for a program that has more nothing is reported."""


def unreached(program: Program, reachable: Sequence[Sequence[bool]]) -> Iterator[Problem]:
    """Runs of instructions that no way through the branches leads to."""
    for queue, found in enumerate(reachable):
        pcs = [pc for pc, reached in enumerate(found) if not reached]
        for at, pc in enumerate(pcs):
            if at and pcs[at - 1] == pc - 1:
                continue
            last = next(p for p in range(pc, len(found) + 1) if p == len(found) or found[p])
            more = list(lines(program, queue, range(pc, last)))
            text = f"{subject(program, more[0])} is never reached"
            if len(more) == 2:
                text += ", nor is the line after it"
            elif len(more) > 2:
                text += f", nor are the {counted(len(more) - 1, 'line')} after it"
            hint = "a branch before it always goes elsewhere, and none leads here"
            yield finding(UNREACHED, text, span_of(program, more[0]), hint)


def unread(
    program: Program, reachable: Sequence[Sequence[bool]], touches: Touches
) -> Iterator[Problem]:
    """Lines of which nothing reads what they write, in any of their rounds.

    No live one does: a chain of instructions that only read one another is all dead.
    """
    dead = _dead(program, reachable, touches)
    for queue in range(len(program.queues)):
        pcs = [pc for pc, reached in enumerate(reachable[queue]) if reached]
        for line in lines(program, queue, pcs):
            if all((queue, pc) in dead for pc in line.pcs):
                yield _unread(program, line, touches)


def _unread(program: Program, line: CheckedLine, touches: Touches) -> Problem:
    names = [name for pc in line.pcs for name in touches.written(line.queue, pc)]
    some = list(dict.fromkeys(names))
    into = listed([*some[:3], f"{len(some) - 3} more"] if len(some) > 4 else some, "and")
    text = f"nothing depends on what {subject(program, line)} writes to {into}"
    hint = "no output, semaphore, branch or message does: is something missing after it?"
    return finding(UNREAD, text, span_of(program, line), hint)


def _dead(program: Program, reachable: Sequence[Sequence[bool]], touches: Touches) -> set[Place]:
    """The instructions whose results are unused: all that no live one reads from."""
    kept = _kept(program)
    numbered: dict[tuple[int, int], list[int]] = {}
    alive: list[tuple[int, int]] = []
    for queue, column in enumerate(program.queues):
        for pc, reached in enumerate(reachable[queue]):
            if reached:
                numbered.setdefault((queue, column.instructions[pc]), []).append(pc)
    for key, pcs in numbered.items():
        touched = touches.of(key[0], pcs[0])
        column = program.queues[key[0]]
        acts = program.instructions[key[1]].row.effect is not None
        posts = any(column.updates[pc] for pc in pcs)
        shown = any(view.tensor.index in kept for view in touched.writes)
        if acts or posts or shown or not (touched.writes or touched.left):
            alive.append(key)
    return _unreachable_from(alive, numbered, touches)


def _unreachable_from(
    alive: list[tuple[int, int]], numbered: dict[tuple[int, int], list[int]], touches: Touches
) -> set[Place]:
    """Mark what live instructions read from, and return the rest."""
    writers: dict[tuple[int, str], list[tuple[Region, tuple[int, int]]]] = {}
    left = numbered.keys() - alive
    for key in left:
        touched = touches.of(key[0], numbered[key][0])
        for region in (*touches.regions(touched.writes), *touched.left):
            writers.setdefault((region.area, region.place), []).append((region, key))
    seen: set[Region] = set()
    pairs = 0
    while alive and left:
        key = alive.pop()
        touched = touches.of(key[0], numbered[key][0])
        for region in (*touches.regions(touched.reads), *touched.taken):
            if region in seen:
                continue
            seen.add(region)
            place = region.area, region.place
            others = [pair for pair in writers.get(place, ()) if pair[1] in left]
            pairs += len(others)
            if pairs > MOST:
                return set()
            for written, writer in others:
                if writer in left and overlap(region, written):
                    left.discard(writer)
                    alive.append(writer)
            writers[place] = [pair for pair in others if pair[1] in left]
    return {(key[0], pc) for key in left for pc in numbered[key]}


def _kept(program: Program) -> set[int]:
    """The tensors that are read after the run; all, where templates make their names."""
    texts = [expectation.span.text for expectation in program.expectations]
    words = {word for text in texts for word in re.findall(r"\w+", text)}
    every = any("{" in text for text in texts)
    found = program.tensors.values()
    return {t.index for t in found if t.role or every or t.name in words}
