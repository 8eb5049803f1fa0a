"""Compares two sessions that ran: where their time went, and what they left in their outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nasm.analysis.profile.records import EngineTimes, Moved, Profile
from nasm.base.problems import rounded
from nasm.machine.records import Status
from nasm.runs.diff.paths import joined
from nasm.runs.diff.records import BUSY, EMPTY, Change, Comparison, Difference, MovedChange
from nasm.runs.diff.tensors import outputs
from nasm.runs.execution import Execution, HasExecution


def compare(a: HasExecution, b: HasExecution, *, without: str = "") -> Comparison:
    """Two runs side by side, each as far as it got; both sessions were made with ``profile=True``.

    Outputs are compared if both ran to their end with values; ``without`` is the reason for running
    without, if any. Raises :class:`~nasm.base.problems.Failure` if one keeps no profile.
    """
    one, two = a.execution, b.execution
    mine, other = one.profile(), two.profile()
    without = _why_not(one, two, without)
    return Comparison(
        a=mine,
        b=other,
        differences=tuple(differences(one, mine, two, other)),
        engines=_engines(mine, other),
        path=joined(mine, other),
        moved=_moved(mine, other),
        tensors=() if without else tuple(outputs(one, two)),
        without=without,
        hazards_a=one.hazards,
        hazards_b=two.hazards,
    )


def _why_not(a: Execution, b: Execution, without: str) -> str:
    """Why values are not compared, in a few words; empty if they are."""
    for session, name in ((a, "a"), (b, "b")):
        if not session.values:
            return without or f"{name} was run without values"
    for session, name in ((a, "a"), (b, "b")):
        if session.status is not Status.FINISHED:
            return f"{name} did not run to its end"
    return ""


# -- what tells them apart


def differences(a: Execution, mine: Profile, b: Execution, other: Profile) -> Iterator[Difference]:
    """What is not the same on both sides: program, target, constants, options, timing figures."""
    if mine.program != other.program:
        yield Difference("program", "", mine.program, other.program)
    elif _text(a) != _text(b):
        yield Difference("program", "", "one text", "another")
    if mine.target != other.target:
        yield Difference("target", "", mine.target, other.target)
    settings: tuple[tuple[str, Mapping[str, object], Mapping[str, object]], ...] = (
        ("constant", a.program.constants, b.program.constants),
        ("option", a.program.options, b.program.options),
    )
    for kind, one, two in settings:
        both = [name for name in one if name in two]
        yield from _named(kind, *({name: str(of[name]) for name in both} for of in (one, two)))
    yield from _named("figure", _figures(mine, other), _figures(other, mine))


def _figures(profile: Profile, beside: Profile) -> dict[str, str]:
    """The figures that were set, and the defaults of those that the other run set."""
    found = {}
    if profile.target == beside.target:
        found = {f.name: f"{rounded(f.default)} {f.unit}" for f in beside.timing}
    return found | {f.name: f"{f.value:,.10g} {f.unit}" for f in profile.timing}


def _text(session: Execution) -> str:
    return session.source.text if session.source else ""


def _named(kind: str, a: dict[str, str], b: dict[str, str]) -> Iterator[Difference]:
    """Names that do not have the same value on both sides, or have one on one side alone."""
    for name in dict.fromkeys((*a, *b)):
        if a.get(name) != b.get(name):
            yield Difference(kind, name, a.get(name, ""), b.get(name, ""))


# -- where the time went


def _engines(a: Profile, b: Profile) -> tuple[Change, ...]:
    """Where the time of every engine went, what got longer first."""
    several = any(engine.core for profile in (a, b) for engine in profile.engines)
    mine, other = _parts(a, several), _parts(b, several)
    found = [
        Change(*key, mine.get(key, 0.0), other.get(key, 0.0))
        for key in dict.fromkeys((*mine, *other))
    ]
    return tuple(sorted(found, key=lambda change: -change.change))


Part = tuple[str, str, str]


def _parts(profile: Profile, several: bool) -> dict[Part, float]:
    """The times of a run's engines, with their cores in their names if either run has several."""
    found: dict[Part, float] = {}
    for engine in profile.engines:
        if engine.instructions or engine.busy or engine.stalls:
            for cause, by, ticks in _ticks(engine):
                name = f"{engine.core}.{engine.engine}" if several else engine.engine
                found[name, cause, by] = ticks / profile.ticks_per_microsecond
    return found


def _ticks(engine: EngineTimes) -> Iterator[tuple[str, str, int]]:
    yield BUSY, "", engine.busy
    for stall in engine.stalls:
        yield stall.cause, stall.by, stall.ticks
    yield EMPTY, "", engine.empty


def _moved(a: Profile, b: Profile) -> tuple[MovedChange, ...]:
    """What each core moved."""
    mine, other = _whole(a), _whole(b)
    found = []
    for core in sorted({*mine, *other}):
        one, two = mine.get(core), other.get(core)
        times = [m.active / p.ticks_per_microsecond if m else 0.0 for m, p in ((one, a), (two, b))]
        found.append(MovedChange(core, one, two, *times))
    return tuple(found)


def _whole(profile: Profile) -> dict[int, Moved]:
    return {moved.core: moved for moved in profile.moved if moved.ring is None}
