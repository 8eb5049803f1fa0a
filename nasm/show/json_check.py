"""An examination as plain dictionaries for ``json``; ``docs/json.md`` lists every key."""

from __future__ import annotations

from typing import Any

from nasm.runs.check.records import Claim, Examination, Executable, MemoryMap, Reliance
from nasm.show import jsonable


def examination(record: Examination, maps: bool = False, relied: bool = False) -> dict[str, Any]:
    """What was followed of a program, and if wanted who owns which bytes and what is relied on."""
    content: dict[str, Any] = {
        "followed": {
            "whole": record.whole,
            "ended": record.ended,
            "instructions": record.instructions,
            "microseconds": record.microseconds,
        }
    }
    if maps:
        content["memories"] = [_memory(m) for m in record.memories]
    if relied:
        content["relied"] = [_reliance(one) for one in record.relied or ()]
    return content


def _memory(record: MemoryMap) -> dict[str, Any]:
    return {
        "memory": record.memory,
        "core": record.core,
        "size": record.size,
        "bank": record.bank,
        "placed": record.placed,
        "most": record.most,
        "most_at_microseconds": record.at,
        "tensors": [_claim(c) for c in record.claims],
    }


def _claim(record: Claim) -> dict[str, Any]:
    return {
        "name": record.name,
        "partition": record.partition,
        "partitions": record.partitions,
        "low": record.low,
        "high": record.high,
        "begin_microseconds": record.begin,
        "end_microseconds": record.end,
        "writers": list(record.writers),
        "readers": list(record.readers),
        "shares": [
            {"name": s.name, "low": s.low, "high": s.high, "meets": s.meets} for s in record.sharing
        ],
    }


def _reliance(record: Reliance) -> dict[str, Any]:
    return {
        "engine": record.queue,
        "reads": record.what,
        "reader": _executable(record.reader),
        "writer": _executable(record.writer),
        "count": record.count,
        "of": record.of,
    }


def _executable(record: Executable) -> dict[str, Any]:
    place = jsonable.place(record.span)
    at = {key: place[key] for key in ("file", "line")}
    return {"instruction": record.name, "pc": record.pc, **at}
