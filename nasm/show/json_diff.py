"""A comparison as plain dictionaries for ``json``; ``docs/json.md`` lists every key."""

from __future__ import annotations

from typing import Any

from nasm.analysis.profile.records import Moved, Profile
from nasm.runs.diff.records import (
    Change,
    Comparison,
    Difference,
    MovedChange,
    OnPath,
    PathChange,
    TensorChange,
)
from nasm.show import jsonable


def comparison(found: Comparison) -> dict[str, Any]:
    """Two runs side by side."""
    first = found.first_tensor
    return {
        "a": _side(found.a),
        "b": _side(found.b),
        "change": {"microseconds": found.change, "ratio": found.ratio},
        "differences": [_difference(d) for d in found.differences],
        "engines": [_change(c) for c in found.engines],
        "path": [_line(line) for line in found.path],
        "moved": [_moved(m) for m in found.moved],
        "tensors": [tensor(t) for t in found.tensors],
        "first_tensor": first.name if first else "",
        "without_values": found.without,
    }


def _side(profile: Profile) -> dict[str, Any]:
    return {
        "program": profile.program,
        "target": profile.target,
        "generation": profile.generation,
        "options": dict(profile.options),
        "timing": jsonable.figures_set(profile.timing),
        "status": profile.status.name.lower(),
        "microseconds": profile.microseconds,
        "ticks": profile.ticks,
        "ticks_per_microsecond": profile.ticks_per_microsecond,
        "verdict": profile.verdict,
    }


def _difference(record: Difference) -> dict[str, Any]:
    return {"kind": record.kind, "name": record.name, "a": record.a, "b": record.b}


def _change(record: Change) -> dict[str, Any]:
    return {
        "engine": record.engine,
        "cause": record.cause,
        "by": record.by,
        "a": record.a,
        "b": record.b,
        "change": record.change,
    }


def _line(record: PathChange) -> dict[str, Any]:
    return {"a": _part(record.a), "b": _part(record.b), "change": record.change}


def _part(record: OnPath | None) -> dict[str, Any] | None:
    if record is None:
        return None
    return {
        "queue": record.queue,
        **jsonable.place(record.span),
        "text": record.text,
        "microseconds": record.microseconds,
        "share": record.share,
        "steps": record.steps,
    }


def _moved(record: MovedChange) -> dict[str, Any]:
    return {
        "core": record.core,
        "a": _traffic(record.a, record.active_a),
        "b": _traffic(record.b, record.active_b),
    }


def _traffic(record: Moved | None, active: float) -> dict[str, Any]:
    return {
        "transfers": record.transfers if record else 0,
        "bytes": record.bytes if record else 0,
        "descriptors": record.descriptors if record else 0,
        "active": active,
    }


def tensor(record: TensorChange) -> dict[str, Any]:
    """A tensor of two runs: equal, or where it first differs."""
    first = record.first
    return {
        "tensor": record.name,
        "equal": record.equal,
        "a": record.a,
        "b": record.b,
        "apart": record.apart,
        "elements": record.elements,
        "differ": record.count,
        "first": None
        if first is None
        else {
            "index": list(first.index),
            "a": jsonable.number(first.a),
            "b": jsonable.number(first.b),
        },
        "largest": jsonable.number(record.largest),
    }
