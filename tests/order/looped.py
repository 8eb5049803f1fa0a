"""Random programs of loops at run time: in nests, on several engines, with moments, and changed.

``python -m tests.order.looped --count 10000`` compares what is shown by few rounds of a loop with
what a judge finds that goes through all of them.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from contextlib import nullcontext
from random import Random

from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.machine.machine import Machine
from nasm.order import by_loops, kept_rounds
from nasm.order.by_loops import clean, in_order
from nasm.order.check import Check
from nasm.order.events import Sources
from nasm.order.kept_rounds import KeptRounds, loops
from nasm.order.observer import Watch
from nasm.program.program import Program
from nasm.targets import TARGETS
from tests.order.mutants import changed, mutations

FEW = (KeptRounds(3, 3, 1), KeptRounds(8, 6, 4))
"""Rounds that are kept of the short loops here."""

EVENTS = 40_000
"""Events of a run at the most."""


OPERATORS = {"vector": "add", "gpsimd": "power", "scalar": "add"}
"""What each engine can do with a tile and a number."""


def text(draw: Random) -> str:
    """A program: tiles come in, go through stages and out again, in one loop or in two."""
    stages = draw.randint(1, 3)
    buffers = [draw.choice((1, 2, 2, 3)) for _ in range(stages + 1)]
    inner, step = draw.choice((0, 0, 2, 3)), math.lcm(*buffers)
    rounds = step * draw.randint(12, 32)
    head = [".target trn2", f".hbm X f32[{rounds * 128}, 4] input = iota"]
    head += [f".hbm Y f32[{rounds * 128}, 4] output", ".sbuf w f32[128, 4]", ".sbuf v f32[128, 4]"]
    for stage, count in enumerate(buffers):
        head += [f".sbuf t{stage}_{n} f32[128, 4]" for n in range(count)]
    body = _body(draw, buffers, inner, step)
    extra, within = _extra(draw, rounds), draw.random() < 0.5
    if extra and within:
        body.insert(draw.randrange(len(body)), extra)
    lines = [f".loop k in 0..{rounds} step {step}", *body, ".end"]
    if draw.random() < 0.3:
        lines = ["@vector Memset w, value=1.0", *lines]
    if draw.random() < 0.8:
        lines.append("@scalar .drain")
    if extra and not within:
        lines += [f".loop q in 0..{rounds // 2}", extra.replace("k*", "q*"), ".end"]
    return "\n".join([*head, *lines]) + "\n"


def _extra(draw: Random, rounds: int) -> str:
    """A line that nothing waits for: it may meet the loop in one of its rounds alone, or never."""
    some = draw.randrange(rounds) * 128
    rows = draw.choice((f"{some}", f"{(rounds - 1) * 128} - k*128", f"k*64 + {some // 2}"))
    sides = draw.choice((f"v, Y[{rows} : +128, :]", f"Y[{rows} : +128, :], v"))
    return draw.choice(("", "", f"@gpsimd DmaCopy {sides}"))


def _body(draw: Random, buffers: list[int], inner: int, step: int) -> list[str]:
    """One round, which has the tiles of several."""
    stages, lines = len(buffers) - 1, list[str]()
    engines = [draw.choice(("vector", "gpsimd", "scalar")) for _ in range(stages)]
    for i in range(step):
        at = f"k + {i}" if i else "k"

        def tile(stage: int, i: int = i) -> str:
            return f"t{stage}_{i % buffers[stage]}"

        row = f"({at})*128 : +128"
        lines.append(
            f"@sync DmaCopy {tile(0)}, X[{row}, :] after m0[{at} - {buffers[0]}] post m[{at}]"
        )
        for stage in range(stages):
            before = f"m[{at}]" if not stage else f"m{stage - 1}[{at}]"
            free = f"m{stage + 1}" if stage + 1 < stages else "out"
            waits = f"{before}, {free}[{at} - {buffers[stage + 1]}]"
            lines.append(
                f"@{engines[stage]} TensorScalar {tile(stage + 1)}, {tile(stage)}, "
                f"op0={OPERATORS[engines[stage]]}, "
                f"operand0=1 after {waits} post m{stage}[{at}]"
            )
            if inner and not stage:
                loop = [f".loop j in 0..{inner}", f"@{engines[0]} TensorScalar"]
                lines += [
                    loop[0],
                    f"{loop[1]} w, w, op0={OPERATORS[engines[0]]}, operand0=1",
                    ".end",
                ]
        lines.append(
            f"@scalar DmaCopy Y[{row}, :], {tile(stages)} after m{stages - 1}[{at}] post out[{at}]"
        )
    return lines


def run(program: Program) -> Watch | None:
    """What is kept of a run without values; None if it does not end."""
    machine = Machine(program, trace=False, values=False, checked=False)
    watch = Watch(machine.scheduler.queues)
    machine.scheduler.observe(watch)
    machine.prepare()
    machine.run(EVENTS, None, None, True)
    return watch if machine.scheduler.idle and not machine.scheduler.blocked() else None


def compared(seed: int) -> str:
    """What became of one program; "wrong" if few rounds say that it is in order and all do not.

    "short" is one in order whose loop has no more rounds than would be kept of it.
    """
    draw = Random(seed)
    program = assemble(Source("looped.nasm", text(draw)), TARGETS)
    some = list(mutations(program))
    change = draw.choice(some) if some and draw.random() < 0.6 else None
    with changed(program, change) if change is not None else nullcontext():
        watch = run(program)
        if watch is None:
            return "hangs"
        sources = Sources(program)
        shown = in_order(sources, watch)
        check = Check(sources, watch, held=True)
        check.settle()
        good = clean(check)
        if shown and idle(shown) != idle(check):
            return "wrong"
    if shown or not good:
        return "shown" if shown and good else "wrong" if shown else "race"
    longest = loops(program, watch)[0].rounds
    return "short" if longest < FEW[-1].rounds * kept_rounds.WORTH else "not shown"


def idle(check: Check) -> set[tuple[int, int]]:
    """The instructions whose waits order nothing, in none of their rounds."""
    idle, found = set(check.order.idle()), dict[tuple[int, int], bool]()
    for taken in check.order.taken:
        step = taken.step
        if step.wait is not None:
            place = step.queue, check.watch.pcs[step.queue][step.index]
            found[place] = found.get(place, True) and (step.queue, step.index) in idle
    return {place for place, every in found.items() if every}


def shorter() -> None:
    """Leave out rounds of short loops, too."""
    by_loops.TRIED, kept_rounds.WORTH = FEW, 1


def main() -> int:
    """Compare program after program."""
    parser = argparse.ArgumentParser(prog="python -m tests.order.looped", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="how many (default: 10000)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default: 0)")
    given = parser.parse_args()
    shorter()
    found: Counter[str] = Counter()
    for seed in range(given.seed, given.seed + given.count):
        one = compared(seed)
        found[one] += 1
        if one == "wrong":
            sys.stdout.write(f"seed {seed}\n")
    sys.stdout.write(f"{dict(found)}\n")
    return found["wrong"] > 0


if __name__ == "__main__":
    sys.exit(main())
