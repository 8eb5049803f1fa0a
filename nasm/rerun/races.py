"""Which races of a run there are to be shown."""

from __future__ import annotations

from collections.abc import Iterator

from nasm.problems import Problem
from nasm.rerun.records import Witness
from nasm.rerun.witnesses import Witnesses
from nasm.session import Session


def races_of(session: Session) -> int:
    """How many races a run has that can be shown, as far as it is reported."""
    ordering = session.machine.ordering
    return 0 if ordering is None else sum(1 for _ in ordering.races())


def witnesses(session: Session) -> Iterator[tuple[Problem, Witness]]:
    """Each race that is reported of a run that is over, and its witness.

    Held back is the end of the access that came first in the run, or else that of the other.
    """
    ordering = session.machine.ordering
    if ordering is None:
        return
    shower: Witnesses | None = None
    for problem, first, second in ordering.races():
        shower = shower or Witnesses(session)
        ends = [ordering.judged().end(access) for access in (first, second)]
        yield problem, shower.of(ends, (first.region, second.region))
