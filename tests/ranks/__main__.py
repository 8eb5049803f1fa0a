"""Judge many random programs of ranks: python -m tests.ranks --count 1000 --seed 0 --step 1.

Prints how programs of each kind ended, and the seed of each that a judge refuses.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable

from tests.ranks import test_random_judges as judges


def right(seed: int) -> str:
    judges.test_values_are_numpys_and_nothing_is_reported(seed)
    return "right"


KINDS: dict[str, Callable[[int], str]] = {
    "values": right,
    "one wait less": lambda seed: "race" if judges.judge_without_a_wait(seed) else "none",
    "an early post": lambda seed: "race" if judges.judge_with_an_early_post(seed) else "none",
    "another order": lambda seed: judges.judge_other_collectives(seed, swap=True),
    "one left out": lambda seed: judges.judge_other_collectives(seed, swap=False),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--step", type=int, default=1)
    asked = parser.parse_args()
    found = {kind: Counter[str]() for kind in KINDS}
    for seed in range(asked.seed, asked.seed + asked.count, asked.step):
        for kind, judge in KINDS.items():
            try:
                found[kind][judge(seed)] += 1
            except AssertionError:
                found[kind]["refused"] += 1
                sys.stderr.write(f"{kind}: seed {seed}\n")
    for kind, ends in found.items():
        each = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
        sys.stdout.write(f"{kind}: {each}\n")
    return int(any(ends["refused"] for ends in found.values()))


if __name__ == "__main__":
    raise SystemExit(main())
