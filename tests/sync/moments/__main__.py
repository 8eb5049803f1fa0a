"""``python -m tests.sync.moments 2000``: so many random programs with moments of each kind."""

from __future__ import annotations

import sys

from hypothesis import HealthCheck, given, settings

from tests.sync.moments import kept
from tests.sync.moments.looped import looping
from tests.sync.moments.rows import pipelines
from tests.sync.moments.unrolled import woven

KINDS = {
    "unrolled": (woven(), kept.unrolled),
    "looped": (looping(), kept.looped),
    "pipelines": (pipelines(), kept.pipeline),
    "nests": (pipelines(nested=True), kept.pipeline),
}


def main(count: int, kinds: list[str]) -> None:
    """Try so many of each kind."""
    for kind in kinds or KINDS:
        programs, holds = KINDS[kind]
        known = settings(
            max_examples=count,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        known(given(programs)(holds))()
        sys.stdout.write(f"{kind}: {count} programs\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
