"""One profile of several runs on one machine, one after the other: sums of what each has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from math import fsum
from operator import attrgetter
from typing import Any, TypeVar

from nasm.analysis.operations import array
from nasm.analysis.profile.bounds import rates
from nasm.analysis.profile.records import (
    Bound,
    EngineTimes,
    Finding,
    Moved,
    PathLine,
    Profile,
    Rates,
    Spent,
    Stall,
    UnitTimes,
)
from nasm.base.records import replace
from nasm.program.program import Program

T = TypeVar("T")


def together(name: str, profiles: Sequence[Profile], program: Program) -> Profile:
    """The sums of some profiles, as a profile; ``program`` is one of those that ran.

    The path is the paths one after the other, a bound that of every run for itself. What a chain of
    engines is, and what would help, only the profile of one run says.
    """
    ticks = sum(each.ticks for each in profiles)
    known = [each.entry_and_exit for each in profiles if each.entry_and_exit is not None]
    return replace(
        profiles[0],
        program=name,
        ticks=ticks,
        microseconds=fsum(each.microseconds for each in profiles),
        scale=max((each.scale for each in profiles), key=attrgetter("cores")),
        entry_and_exit=fsum(known) if len(known) == len(profiles) else None,
        engines=_engines(profiles, ticks),
        moved=_moved(profiles),
        bounds=_bounds(profiles),
        rates=_rates(profiles, program),
        findings=_findings(profiles),
        spent=_spent(profiles),
        chain=None,
        path=_path(profiles),
        evidence=summed(each.evidence for each in profiles),
        busy=summed(each.busy for each in profiles),
        outcomes=(),
        units=_units(profiles),
        problems=once(each.problems for each in profiles),
        allowed=once(each.allowed for each in profiles),
        unused=once(each.unused for each in profiles),
    )


def once(found: Iterable[Iterable[T]]) -> tuple[T, ...]:
    """What is in any of several, once each."""
    return tuple(dict.fromkeys(one for part in found for one in part))


def _grouped(
    profiles: Iterable[Profile], field: str, key: Callable[[Any], Hashable]
) -> list[list[Any]]:
    """The records of a field of all profiles, those of one key together."""
    found: dict[Hashable, list[Any]] = {}
    for profile in profiles:
        for record in getattr(profile, field):
            found.setdefault(key(record), []).append(record)
    return list(found.values())


def _sum(records: Iterable[Any], field: str) -> int:
    return sum(getattr(record, field) for record in records)


def summed(parts: Iterable[Iterable[tuple[str, int]]]) -> tuple[tuple[str, int], ...]:
    """Pairs of a name and a number, the numbers of a name added up."""
    found: Counter[str] = Counter()
    for pairs in parts:
        found.update(dict(pairs))
    return tuple(found.items())


def _engines(profiles: Sequence[Profile], ticks: int) -> tuple[EngineTimes, ...]:
    wide = max(profiles, key=lambda each: each.scale.cores)
    names = {(one.core, one.engine): one.name for one in wide.engines}
    groups = _grouped(profiles, "engines", attrgetter("core", "engine"))
    return tuple(
        _engine(group, names[group[0].core, group[0].engine], ticks)
        for group in sorted(groups, key=lambda group: group[0].core)
    )


def _engine(records: Sequence[EngineTimes], name: str, ticks: int) -> EngineTimes:
    waits: Counter[tuple[str, str]] = Counter()
    for record in records:
        waits.update({(stall.cause, stall.by): stall.ticks for stall in record.stalls})
    stalls = tuple(Stall(*key, its) for key, its in waits.most_common())
    busy = _sum(records, "busy")
    return replace(
        records[0],
        name=name,
        instructions=_sum(records, "instructions"),
        busy=busy,
        stalls=stalls,
        empty=ticks - busy - waits.total(),  # all of a run in which its core had no part, too
        active=_sum(records, "active"),
    )


def _moved(profiles: Iterable[Profile]) -> tuple[Moved, ...]:
    groups = _grouped(profiles, "moved", attrgetter("core", "ring"))
    sums = ("transfers", "active", "busy", "bytes", "descriptors")
    made = (
        replace(
            group[0],
            channels=max(record.channels for record in group),
            **{field: _sum(group, field) for field in sums},
        )
        for group in groups
    )
    return tuple(sorted(made, key=lambda m: (m.core, m.ring is not None, m.ring or 0)))


def _bounds(profiles: Iterable[Profile]) -> tuple[Bound, ...]:
    groups = _grouped(profiles, "bounds", attrgetter("name"))
    times = {group[0].name: fsum(b.microseconds for b in group) for group in groups}
    return tuple(
        Bound(
            one.name,
            times[one.name],
            one.above,
            times[one.above] - times[one.name] if one.above else 0.0,
            one.meaning,
        )
        for one in (max(group, key=attrgetter("microseconds")) for group in groups)
    )


def _rates(profiles: Sequence[Profile], program: Program) -> Rates:
    found = [each.rates for each in profiles]
    count, turned = _sum(found, "flops"), _sum(found, "transposes")
    spent, turning = (fsum(getattr(r, f"adjusted{w}") for r in found) for w in ("", "_transposes"))
    return rates(
        program.generation,
        array(program),
        max(each.scale.cores for each in profiles),
        1000 * fsum(each.microseconds for each in profiles),
        [(count - turned, spent - turning, False), (turned, turning, True)],
        (_sum(found, "read"), _sum(found, "written"), _sum(found, "minimum")),
    )


def _findings(profiles: Iterable[Profile]) -> tuple[Finding, ...]:
    groups = _grouped(
        profiles, "findings", lambda f: (f.problem.code, f.problem.span, f.problem.message)
    )
    found = [replace(group[0], count=_sum(group, "count")) for group in groups]
    return tuple(sorted(found, key=lambda f: (f.problem.code, -f.count)))


def _spent(profiles: Iterable[Profile]) -> tuple[Spent, ...]:
    groups = _grouped(profiles, "spent", attrgetter("who", "title", "doing"))
    made = (replace(group[0], ticks=_sum(group, "ticks")) for group in groups)
    return tuple(sorted(made, key=lambda part: -part.ticks))


def _path(profiles: Iterable[Profile]) -> tuple[PathLine, ...]:
    groups = _grouped(profiles, "path", attrgetter("queue", "span", "text"))
    made = (
        replace(
            max(group, key=attrgetter("ticks")),
            ticks=_sum(group, "ticks"),
            steps=_sum(group, "steps"),
            parts=tuple(sorted(summed(line.parts for line in group), key=lambda part: -part[1])),
            slack=None,
        )
        for group in groups
    )
    return tuple(sorted(made, key=lambda line: -line.ticks))


def _units(profiles: Iterable[Profile]) -> tuple[UnitTimes, ...]:
    groups = _grouped(profiles, "units", attrgetter("core", "unit"))
    return tuple(
        replace(group[0], instructions=_sum(group, "instructions"), busy=_sum(group, "busy"))
        for group in groups
    )
