"""Compare clocks and definition on many random skeletons: ``python -m tests.order --help``."""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from random import Random

from tests.order.judged import judged, report
from tests.order.oracle import TooLarge
from tests.order.skeletons import KINDS, RISING, Drawn, Sizes, drawn, executed

STATES = 50_000
"""States that are walked at the most; skeletons that have more are left out, and counted."""


def main() -> int:
    """Judge skeleton after skeleton; print each that is wrong, made small."""
    parser = argparse.ArgumentParser(prog="python -m tests.order", description=__doc__)
    parser.add_argument("--kind", choices=KINDS, default=RISING)
    parser.add_argument("--count", type=int, default=10_000, help="how many (default: 10000)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--stop", type=int, default=5, help="stop after so many wrong ones")
    for name, value in Sizes()._asdict().items():
        parser.add_argument(f"--{name}", type=int, default=value)
    given = parser.parse_args()
    sizes = Sizes(*(getattr(given, name) for name in Sizes._fields))
    begun, wrong, large, ordered, known, done = time.process_time(), 0, 0, 0, 0, 0
    for seed in itertools.count(given.seed):
        if done >= given.count or wrong >= given.stop:
            break
        done += 1
        made = drawn(seed, given.kind, sizes)
        for one in (made, executed(made.skeleton, Random(seed))):
            try:
                found = judged(one, STATES)
            except TooLarge:
                large += 1
                continue
            ordered, known = ordered + found.ordered, known + found.known
            if found.differences:
                wrong += 1
                _tell(seed, given.kind, one)
                break
    share = f"{known / ordered:.2%}" if ordered else "all"
    sys.stdout.write(
        f"{done:,} skeletons ({given.kind}, seeds from {given.seed}), {wrong} wrong, {large} too "
        f"large; {share} of {ordered:,} pairs in order known; {time.process_time() - begun:.0f} s\n"
    )
    return wrong > 0


def _tell(seed: int, kind: str, one: Drawn) -> None:
    sys.stdout.write(f"\n{kind}, seed {seed}\n{report(one)}\n\n")


if __name__ == "__main__":
    sys.exit(main())
