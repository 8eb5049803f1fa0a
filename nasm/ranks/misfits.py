"""Why ranks do not meet: two that ask for different things, or wait for what will never come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from nasm.base.problems import Refused, listed
from nasm.base.records import dataclass
from nasm.isa.collectives import CollectiveCall
from nasm.machine.records import Status
from nasm.ranks.interface import RankArrival, RankEnded

DIFFERENT, GROUPS, STANDSTILL = "E0560", "E0561", "E0564"


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why some ranks cannot continue: a code, a sentence about the first, and where all are.

    ``places`` are those of the first one and of the others; each other has a sentence.
    """

    code: str
    text: str
    hint: str
    places: tuple[tuple[RankArrival, str], ...]


def conflict(mine: RankArrival, other: RankArrival) -> Misfit | None:
    """Why two ranks that wait in the same queue, for each other, never meet; None if they may."""
    one, two = mine.call, other.call
    if one == two or mine.rank not in two.group or other.rank not in one.group:
        return None
    found, wanted, what = _difference(one, two)
    ranks = f"rank {mine.rank} and rank {other.rank}"
    code = GROUPS if what == "groups" else DIFFERENT
    text = f"{ranks} meet in collectives that differ in {what}: {found} and {wanted}"
    hint = (
        "each rank of a group names the same group, in the same order"
        if code == GROUPS
        else "the ranks of a group reach the same collectives in the same order"
    )
    return Misfit(code, text, hint, ((mine, ""), (other, f"rank {other.rank} is here")))


def _difference(one: CollectiveCall, two: CollectiveCall) -> tuple[str, str, str]:
    """The first thing in which two calls differ: of the one, of the other, and what it is."""
    if one.operation != two.operation:
        return one.operation, two.operation, "their operation"
    if one.group != two.group:
        return str(list(one.group)), str(list(two.group)), "groups"
    for mine, theirs in ((one.sources, two.sources), (one.destinations, two.destinations)):
        side = "sources" if mine is one.sources else "destinations"
        if mine == theirs:
            continue
        if len(mine) != len(theirs):
            return str(len(mine)), str(len(theirs)), f"the number of their {side}"
        first, second = next((a, b) for a, b in zip(mine, theirs, strict=True) if a != b)
        if first.dtype != second.dtype:
            return first.dtype, second.dtype, f"the dtype of their {side}"
        if first.shape != second.shape:
            return str(list(first.shape)), str(list(second.shape)), f"the shape of their {side}"
        return first.memory, second.memory, f"the memory of their {side}"
    options, others = dict(one.options), dict(two.options)
    name = next(n for n in {**options, **others} if options.get(n) != others.get(n))
    return _word(options.get(name)), _word(others.get(name)), name


def _word(value: object) -> str:
    if isinstance(value, tuple):
        return str([list(v) if isinstance(v, tuple) else v for v in value])
    return "none" if value is None else str(value)


def refusal(refused: Refused, arrivals: Sequence[RankArrival]) -> Misfit:
    """That an exchange cannot take place whose ranks have all come."""
    first, *others = arrivals
    places = [(other, f"rank {other.rank} is here") for other in others]
    return Misfit(refused.code, refused.message, refused.hint, ((first, ""), *places))


def standstill(
    waits: Sequence[RankArrival],
    waiting: Sequence[Mapping[int, RankArrival]],
    ended: Mapping[int, RankEnded],
) -> Iterable[Misfit]:
    """One report for the ranks that wait, when nothing can happen any more.

    The first rank that waits is where it is reported; each other one is named with its place.
    """
    first, *rest = waits
    places = [(first, "")]
    for other in rest:
        why = _absent(other, waiting, ended)
        places.append((other, f"rank {other.rank} waits at {other.call.operation}: {why}"))
    why = _absent(first, waiting, ended)
    yield Misfit(
        STANDSTILL,
        f"rank {first.rank} waits for ever at {first.call.operation}: {why}",
        "every rank of a group has to reach its collective",
        tuple(places),
    )


def _absent(
    mine: RankArrival, waiting: Sequence[Mapping[int, RankArrival]], ended: Mapping[int, RankEnded]
) -> str:
    """Which ranks have not come, and what became of them."""
    texts = []
    for rank in mine.call.group:
        other = waiting[rank].get(mine.queue)
        if other is not None and other.call == mine.call:
            continue
        if rank in ended:
            texts.append(f"rank {rank} {_ENDS.get(ended[rank].status, 'has ended')} without it")
        elif waiting[rank]:
            texts.append(f"rank {rank} waits at another one")
        else:
            texts.append(f"rank {rank} has not come")
    return listed(texts, "and")


_ENDS = {
    Status.FINISHED: "has ended",
    Status.FAULT: "has ended with a fault",
    Status.DEADLOCK: "is deadlocked",
    Status.LIMIT: "has met its limit",
}
