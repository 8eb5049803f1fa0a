"""Random programs that are judged by columns, and step by step: short ones, loops, and pipelines.

``python -m tests.order.columned --count 10000`` compares what is shown by columns with what a judge
finds that goes through all steps.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from contextlib import nullcontext
from random import Random
from typing import NamedTuple

from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.machine.machine import Machine
from nasm.order import by_columns
from nasm.order.by_loops import clean
from nasm.order.check import Check
from nasm.order.events import Sources
from nasm.order.observer import Watch
from nasm.program.program import Program
from nasm.targets import TARGETS
from tests.fuzz.order import Ordered
from tests.machine import pipelines
from tests.order import looped
from tests.order.mutants import READ, changed, mutations

EVENTS = 100_000
"""Events of a run at the most."""

KINDS = ("short", "loop", "pipeline")
"""What is drawn: programs of the fuzzer, loops at run time, and pipelines with repeated rounds."""


class Kept(NamedTuple):
    """What was kept of a run, and its machine."""

    watch: Watch
    machine: Machine


def text(seed: int, kind: str) -> str:
    """A program."""
    if kind == "short":
        return Ordered().make(Random(seed)).decode()
    if kind == "loop":
        return looped.text(Random(seed))
    return pipelines.text(seed)


def run(program: Program) -> Kept | None:
    """What is kept of a run without values; None if it does not end."""
    machine = Machine(program, trace=False, values=False, checked=False)
    watch = Watch(machine.scheduler.queues)
    machine.scheduler.observe(watch)
    machine.prepare()
    machine.run(EVENTS, None, None, True)
    ended = machine.scheduler.idle and not machine.scheduler.blocked()
    return Kept(watch, machine) if ended else None


def shown_by_columns(sources: Sources, kept: Kept) -> bool:
    """Whether all is in order by columns; what these say is compared with what is so."""
    whole = by_columns.judged(sources, kept.watch, kept.machine.addresses)
    return whole is not None and whole.in_order


def agrees(sources: Sources, kept: Kept, check: Check) -> bool:
    """Whether a run that is judged with what columns show is judged as it was without."""
    whole = by_columns.judged(sources, kept.watch, kept.machine.addresses)
    if whole is None:
        return True
    again = Check(sources, kept.watch, held=True, shown=whole)
    again.settle()
    if whole.clocks is not None:
        clocks = [[taken.clock for taken in one.order.taken] for one in (check, again)]
        if clocks[0] != clocks[1]:
            return False
    return (again.races, again.unordered) == (check.races, check.unordered)


def compared(seed: int, kind: str) -> str:
    """What became of one program; "wrong" if columns say of it what is not so.

    "early" is one in order that posts when something has been read: of that columns show nothing.
    """
    draw, program = Random(seed), assemble(Source("columned.nasm", text(seed, kind)), TARGETS)
    some = list(mutations(program))
    change = draw.choice(some) if some and draw.random() < 0.6 else None
    with changed(program, change) if change is not None else nullcontext():
        kept = run(program)
        if kept is None:
            return "hangs"
        sources, watch = Sources(program), kept.watch
        shown = shown_by_columns(sources, kept)
        check = Check(sources, watch, held=True)
        check.settle()
        good = clean(check) and not check.sums
        if shown != shown_by_columns(sources, kept):
            return "wrong"  # now that all that was repeated has been made
        if not agrees(sources, kept, check):
            return "wrong"
    if shown or not good:
        return "shown" if shown and good else "wrong" if shown else "race"
    return "early" if change is not None and change.way == READ else "not shown"


def main() -> int:
    """Compare program after program."""
    parser = argparse.ArgumentParser(prog="python -m tests.order.columned", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="how many (default: 10000)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--kind", choices=KINDS, default="short", help="of what kind")
    given = parser.parse_args()
    found: Counter[str] = Counter()
    for seed in range(given.seed, given.seed + given.count):
        one = compared(seed, given.kind)
        found[one] += 1
        if one == "wrong":
            sys.stdout.write(f"seed {seed}\n")
    sys.stdout.write(f"{dict(found)}\n")
    return found["wrong"] > 0


if __name__ == "__main__":
    sys.exit(main())
