"""Runs under other timings as JSON."""

from __future__ import annotations

from typing import Any

from nasm.order.skeleton import COMPLETES, LANDS, STARTS
from nasm.runs.schedules.records import DelayedEvent, Other, Schedules, Witness
from nasm.show import jsonable
from nasm.show.json_diff import tensor

KINDS = {STARTS: "start", COMPLETES: "completion", LANDS: "landing"}


def schedules(found: Schedules) -> dict[str, Any]:
    """How many schedules there were, and each of those that differ."""
    return {
        "seed": found.seed,
        "count": found.count,
        "differing": len(found.others),
        "others": [
            {"seed": one.seed, "microseconds": one.microseconds, **_other(one.run)}
            for one in found.others
        ],
    }


def witness(found: Witness, hazard: int | None) -> dict[str, Any]:
    """What was delayed for a hazard, by its number, and what that changed."""
    return {
        "hazard": hazard,
        "shows": found.shows,
        "held": _delayed(found.held),
        **_other(found.run),
    }


def _delayed(held: DelayedEvent) -> dict[str, Any]:
    return {
        "what": KINDS[held.event.kind],
        "queue": held.queue,
        "pc": held.pc,
        **jsonable.place(held.span),
        "index": held.event.index,
        "shares": held.shares,
    }


def _other(run: Other) -> dict[str, Any]:
    return {
        "status": run.status.name.lower(),
        "tensors": [tensor(change) for change in run.tensors],
        "semaphores": [{"name": s.name, "a": s.a, "b": s.b} for s in run.semaphores],
        "problem": None if run.problem is None else jsonable.problem(run.problem),
    }
