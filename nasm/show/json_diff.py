"""The documents of two runs side by side, and of runs with other timings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from nasm.analysis.profile.records import Profile
from nasm.machine.records import RunReport, Status
from nasm.order.skeleton import COMPLETES, LANDS, STARTS
from nasm.runs.diff.records import Comparison
from nasm.runs.schedules.records import Schedules, Witness
from nasm.show.documents import Key, Shape, each, merged, part, plain
from nasm.show.jsonable import OF_ALLOWED, OF_TARGET, PROBLEM, place, problem_list

KINDS = {STARTS: "start", COMPLETES: "completion", LANDS: "landing"}

SIDE: Shape = (
    Key("program", "the file"),
    OF_TARGET,
    Key("status", "as of run"),
    Key("microseconds", "the simulated time"),
    Key("ticks", "the same in ticks of its machine"),
    Key("ticks_per_microsecond", "how long a tick is"),
    Key("verdict", "what bound the run, in a sentence"),
)
_REPORTED: Shape = (
    Key("ok", "whether it finished, without hazards, and all it promised holds"),
    Key("reasons", "why not, in a few words each"),
    problem_list("hazards", "legal text, wrong program"),
    OF_ALLOWED,
    problem_list("problems", "why the run stopped, or what could not be evaluated"),
)
ON_PATH: Shape = (
    Key("queue", "the engine"),
    place("where it is written"),
    Key("text", "the instruction as it is written"),
    Key("microseconds", "how much of the path it is"),
    Key("share", "the same as a part of the path, 0 to 1"),
    Key("steps", "in so many steps"),
)
TRAFFIC: Shape = (
    Key(
        "transfers",
        "transfers that it issued on side a",
        lambda side: getattr(side[0], "transfers", 0),
    ),
    Key("bytes", "bytes", lambda side: getattr(side[0], "bytes", 0)),
    Key("descriptors", "descriptors", lambda side: getattr(side[0], "descriptors", 0)),
    Key("active", "while any share had started and not landed", lambda side: side[1]),
)
ELEMENT: Shape = (
    Key("index", "the first that differs, in row-major order"),
    Key("a", "its value on side a; null: it is not initialised"),
    Key("b", "its value on side b"),
)
TENSOR: Shape = (
    Key(
        "tensor",
        "an output, in the order of declaration; the list is empty if values were not compared",
        "name",
    ),
    Key("equal", "whether both sides leave the same in it"),
    Key("a", "its dtype and shape on side a; empty: there is none"),
    Key("b", "its dtype and shape on side b"),
    Key("apart", "why its elements cannot be compared; empty if they can"),
    Key("elements", "how many elements it has"),
    Key("differ", "how many of them differ", "count"),
    part("first", ELEMENT, "null if none does"),
    Key(
        "largest", 'the largest difference, `"nan"` where a number meets a NaN; null: there is none'
    ),
)
_BOTH: Shape = (merged(SIDE, "", "side"), merged(_REPORTED, "", "report"))
COMPARISON: Shape = (
    Key("programs", "both files, as they were given", lambda both: [s.side.program for s in both]),
    Key(
        "status",
        "`finished` if both sides are; otherwise that of the first that is not, as of run",
        lambda both: _status([side.report for side in both]),
    ),
    part("a", _BOTH, read=lambda both: both[0]),
    part("b", _BOTH, read=lambda both: both[1]),
)
DIFFERENCES: Shape = (
    part(
        "change",
        (
            Key("microseconds", "how much longer b takes", "change"),
            Key("ratio", "the same as a part of the time of a; null if that is 0"),
        ),
        read=lambda found: found,
    ),
    each(
        "differences",
        (
            Key(
                "kind",
                "what distinguishes the sides: `program`, `target`, `constant`, `option`, "
                "`figure` or `input`",
            ),
            Key("name", "its name; empty of a program or target"),
            Key("a", "its value on side a; empty: none"),
            Key("b", "its value on side b"),
        ),
    ),
    each(
        "engines",
        (
            Key("engine", "an engine"),
            Key(
                "cause",
                "`busy`, `empty`, or why it was not busy: `semaphore`, `data`, `unit`, `port`, "
                "`core`",
            ),
            Key("by", "of a semaphore, whose post ended the wait: an engine, or `DMA`; else empty"),
            Key("a", "for how long on side a"),
            Key("b", "for how long on side b"),
            Key("change", "how much longer on side b"),
        ),
    ),
    each(
        "path",
        (
            part("a", ON_PATH, "what a line has of the critical path of a; null: it is not on it"),
            part("b", ON_PATH),
            Key("change", "how much more of the path of b it is"),
        ),
    ),
    each(
        "moved",
        (
            Key("core", "a core"),
            part("a", TRAFFIC, read=lambda found: (found.a, found.active_a)),
            part("b", TRAFFIC, read=lambda found: (found.b, found.active_b)),
        ),
    ),
    each("tensors", TENSOR),
    Key(
        "first_tensor",
        "the first output that differs; empty if none does",
        lambda found: found.first_tensor.name if found.first_tensor else "",
    ),
    Key("without_values", "why values were not compared; empty if they were", "without"),
    problem_list("problems", "why nothing was compared", lambda found: ()),
)

OTHER: Shape = (
    Key("status", "how it ended, as the status of a run"),
    Key(
        "tensors",
        "the outputs that differ, as the `tensors` of a [diff](#diff): a is the plain run. Empty "
        "if it did not end as that did",
        shape=TENSOR,
        many=True,
        elsewhere=True,
    ),
    each(
        "semaphores",
        (
            Key("name", "a semaphore that does not end with the same value; likewise"),
            Key("a", "its value in the plain run"),
            Key("b", "its value in this one"),
        ),
    ),
    Key("problem", "why it did not finish, a problem; else null", shape=PROBLEM, elsewhere=True),
)
SCHEDULES: Shape = (
    Key("seed", "the seed of the first schedule"),
    Key("count", "how many there were"),
    Key(
        "differing",
        "how many led to something else than the plain run: the list that follows",
        lambda found: len(found.others),
    ),
    each(
        "others",
        (
            Key("seed", "the seed of one of them"),
            Key("microseconds", "how long it took"),
            merged(OTHER, "", "run"),
        ),
    ),
)
DELAYED: Shape = (
    Key(
        "what",
        "which event was delayed: `start`, `completion` or `landing`",
        lambda held: KINDS[held.event.kind],
    ),
    Key("queue", "of an instruction of which queue"),
    Key("pc", "its place in its queue"),
    place("where it is written"),
    Key(
        "index",
        "its number among those that the queue executed, from 0 on",
        lambda held: held.event.index,
    ),
    Key("shares", "how many shares of a transfer were held; 0 of anything else"),
)
_WITNESS: Shape = (
    Key("shows", "whether anything changed"),
    part("held", DELAYED),
    merged(OTHER, "", "run"),
)
WITNESS: Shape = (
    Key(
        "hazard", "the number of its race in the list `hazards`, from 0 on; null if that is ignored"
    ),
    merged(_WITNESS, "", "witness"),
)
OTHERS: Shape = (
    Key(
        "schedules",
        "what `--schedules` showed, as [below](#other-timings); else null",
        shape=SCHEDULES,
        elsewhere=True,
    ),
    Key(
        "witnesses",
        "what `--witness` showed, a witness for each race, as [below](#other-timings)",
        shape=WITNESS,
        many=True,
        elsewhere=True,
    ),
)
"""What the command adds to a run."""


class WitnessOf(NamedTuple):
    """A witness, and the number of its race; None if that is ignored."""

    hazard: int | None
    witness: Witness


class Others(NamedTuple):
    """Other runs of a program."""

    schedules: Schedules | None = None
    witnesses: Sequence[WitnessOf] = ()


class _Ran(NamedTuple):
    side: Profile
    report: RunReport


def comparison(found: Comparison, a: RunReport, b: RunReport) -> dict[str, Any]:
    """Two runs side by side, with their reports."""
    both = _Ran(found.a, a), _Ran(found.b, b)
    return plain(both, COMPARISON) | plain(found, DIFFERENCES)


def _status(reports: Sequence[RunReport]) -> Status:
    return next((r.status for r in reports if r.status is not Status.FINISHED), Status.FINISHED)
