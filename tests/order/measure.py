"""What is said of programs with one change to their waits: ``python -m tests.order.measure``.

It takes a minute or two, and prints a table; each change whose outcome is said wrong before it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from statistics import median

from nasm.machine.records import Status
from tests.order.mutants import (
    AWAY,
    PROGRAMS,
    WAYS,
    WEAKER,
    Mended,
    Outcome,
    mended,
    outcomes,
    program_of,
)

Row = tuple[str, int, int]


def main() -> int:
    """Measure all programs, or those whose names are given."""
    wanted = sys.argv[1:]
    found: list[Outcome] = []
    proposed: list[Mended] = []
    for path in PROGRAMS:
        if wanted and path.stem not in wanted:
            continue
        program = program_of(path)
        for one in outcomes(path):
            found.append(one)
            if not one.caught or one.false or (one.kind == "harmless" and one.reported):
                _say(f"{path.stem}: {one.change}: {one.kind} {sorted(map(sorted, one.races))}")
                for problem in one.reported:
                    _say(f"  said: {problem.code} {problem.message}")
            if (
                one.kind == "race"
                and one.change.what == "wait"
                and one.change.way in (AWAY, WEAKER)
            ):
                proposed.append(mended(program, one))
    for what, number, said in rows(found):
        _say(f"| {what} | {number} | {said} |")
    reports = [len(one.reported) for one in found if one.kind == "race"]
    if reports:
        counts = ", ".join(f"{n}: {count}" for n, count in sorted(Counter(reports).items()))
        _say(f"reports of a race: {median(reports):g} in the median; {counts}")
    for field in Mended._fields:
        _say(f"mended by {field}: {sum(getattr(m, field) for m in proposed)} of {len(proposed)}")
    return any(not one.caught or one.false for one in found)


def rows(found: Iterable[Outcome]) -> list[Row]:
    """What changes did, how many there are of each, and of how many that is said."""
    some = list(found)
    kinds = {
        kind: [one for one in some if one.kind == kind] for kind in ("race", "host", "harmless")
    }
    ended = [o for o in some if o.status is not Status.FINISHED]
    made: list[tuple[str, list[Outcome]]] = [("have a race", kinds["race"])]
    made += [(f"of them {way}", [o for o in kinds["race"] if o.change.way == way]) for way in WAYS]
    made.append(("of them with other values", [o for o in kinds["race"] if o.values]))
    made += [(status.value, [o for o in ended if o.status is status]) for status in Status]
    made.append(("only the host may read too early", kinds["host"]))
    table = [(what, len(these), sum(o.caught for o in these)) for what, these in made if these]
    harmless = kinds["harmless"]
    table.append(("did no harm", len(harmless), sum(bool(o.reported) for o in harmless)))
    table.append(("races said that are none", sum(len(o.false) for o in some), 0))
    return [*table, ("changes", len(some), 0)]


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
