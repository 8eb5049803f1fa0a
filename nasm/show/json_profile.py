"""A profile as plain dictionaries for ``json``; ``docs/json.md`` lists every key."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from nasm.analysis.profile.records import (
    Bound,
    EngineTimes,
    Finding,
    Moved,
    PathLine,
    Profile,
    Rates,
    UnitTimes,
)
from nasm.show import jsonable


def profile(record: Profile) -> dict[str, Any]:
    """Where the time of a run went."""
    return {
        "program": record.program,
        "target": record.target,
        "generation": record.generation,
        "options": dict(record.options),
        "timing": jsonable.figures_set(record.timing),
        "status": record.status.name.lower(),
        "time": {
            "microseconds": record.microseconds,
            "ticks": record.ticks,
            "ticks_per_microsecond": record.ticks_per_microsecond,
            "entry_and_exit_microseconds": record.entry_and_exit,
        },
        "evidence": dict(record.busy),
        "verdict": record.verdict,
        "chain": record.chain and asdict(record.chain),
        "engines": [_engine(e) for e in record.engines],
        "moved": [_moved(m) for m in record.moved],
        "bounds": [_bound(b) for b in record.bounds],
        "rates": _rates(record.rates),
        "path": {
            "spent": [
                {"who": part.who, "doing": part.doing, "ticks": part.ticks} for part in record.spent
            ],
            "evidence": dict(record.evidence),
            "lines": [_line(line) for line in record.path],
        },
        "outcomes": [
            {"name": o.name, "ticks": o.ticks, "saved": o.saved, "reason": o.reason}
            for o in record.outcomes
        ],
        "findings": [_finding(f) for f in record.findings],
        "warnings": jsonable.problems(record.unused),
        "allowed": jsonable.allowed(record.allowed),
        **({"units": [_unit(u) for u in record.units]} if record.units else {}),
    }


def _unit(record: UnitTimes) -> dict[str, Any]:
    return {
        "core": record.core,
        "unit": record.unit,
        "instructions": record.instructions,
        "busy": record.busy,
    }


def _engine(record: EngineTimes) -> dict[str, Any]:
    return {
        "core": record.core,
        "engine": record.engine,
        "instructions": record.instructions,
        "busy": record.busy,
        "stalls": [{"cause": s.cause, "by": s.by, "ticks": s.ticks} for s in record.stalls],
        "empty": record.empty,
        "active": record.active,
    }


def _moved(record: Moved) -> dict[str, Any]:
    return {
        "core": record.core,
        "ring": record.ring,
        "transfers": record.transfers,
        "active": record.active,
        "packet_time": record.busy,
        "bytes": record.bytes,
        "descriptors": record.descriptors,
        "channels": record.channels,
    }


def _bound(record: Bound) -> dict[str, Any]:
    return {
        "name": record.name,
        "microseconds": record.microseconds,
        "above": record.above,
        "gap": record.gap,
        "meaning": record.meaning,
    }


def _rates(record: Rates) -> dict[str, Any]:
    return {
        "hardware_flops": record.flops,
        "transpose_flops": record.transposes,
        "adjusted_hardware_flops": record.adjusted,
        "adjusted_transpose_flops": record.adjusted_transposes,
        "memory": record.memory,
        "read_bytes": record.read,
        "written_bytes": record.written,
        "minimum_bytes": record.minimum,
        "mfu": record.mfu,
        "hfu": record.hfu,
        "mbu": record.mbu,
        "arithmetic_intensity": record.intensity,
        "peak_flops_bandwidth_ratio": record.ridge,
        "mfu_max_achievable": record.mfu_limit,
        "peak": record.peak,
        "dtype_mfu": record.dtype_mfu,
        "dtype_hfu": record.dtype_hfu,
        "dtype_peak_flops_bandwidth_ratio": record.dtype_ridge,
        "dtype_mfu_max_achievable": record.dtype_mfu_limit,
        "roofline": record.verdict,
    }


def _line(record: PathLine) -> dict[str, Any]:
    return {
        "queue": record.queue,
        **jsonable.place(record.span),
        "text": record.text,
        "ticks": record.ticks,
        "steps": record.steps,
        "edge": record.edge,
        "parts": dict(record.parts),
        "slack": record.slack,
    }


def _finding(record: Finding) -> dict[str, Any]:
    return {
        "warning": jsonable.problem(record.problem),
        "count": record.count,
        "found": record.found,
        "limit": record.limit,
        "unit": record.unit,
    }
