"""Records as plain dictionaries for ``json``; ``docs/json.md`` lists every key.

JSON has no NaN and no infinities: such numbers become the strings ``nan``, ``inf`` and ``-inf``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from nasm import __version__
from nasm.base.problems import Note, Problem, family
from nasm.base.source import Frame, Span
from nasm.base.suppressions import AllowedProblem
from nasm.isa.figures import FigureSet
from nasm.isa.micro_instructions import fields
from nasm.language.expectations.records import ExpectationRecord
from nasm.machine.records import EngineRecord, Message, RunReport, SemaphoreRecord

if TYPE_CHECKING:
    from nasm.isa.generation import Generation  # at run time it would bring NumPy to every verb

VERSION = 1
"""Of all documents; goes up when a key changes its meaning or goes away, not when one is added."""


def document(verb: str, code: int, **content: Any) -> dict[str, Any]:
    """A whole document of a verb: what it is, how it ended, and its content."""
    return {
        "schema": f"neuron-nasm/{verb}",
        "version": VERSION,
        "nasm": __version__,
        "ok": code == 0,
        "exit_code": code,
        **content,
    }


def number(value: float | None) -> float | str | None:
    """A number that JSON can hold."""
    if value is None or math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def place(span: Span | None) -> dict[str, Any]:
    """Where something is written; every value is None if it is nowhere."""
    if span is None:
        return dict.fromkeys(("file", "line", "column", "end_line", "end_column"))
    line, column = span.source.position(span.start)
    end_line, end_column = span.source.position(max(span.start, span.end))
    return {
        "file": span.source.name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
    }


def problem(found: Problem) -> dict[str, Any]:
    """A diagnostic with its place, hint, notes and expansions (outermost first)."""
    return {
        "code": found.code,
        "severity": found.severity.value,
        "family": family(found.code).name.lower(),
        "message": found.message,
        **place(found.span),
        "hint": found.hint,
        "facts": dict(found.facts),
        "notes": [_note(n) for n in found.notes],
        "expansions": _expansions(found.span),
    }


def problems(found: Iterable[Problem]) -> list[dict[str, Any]]:
    """Diagnostics in their order."""
    return [problem(p) for p in found]


def allowed(found: Iterable[AllowedProblem]) -> list[dict[str, Any]]:
    """Suppressed problems, each with the reason and where that is written."""
    return [
        {"problem": problem(a.problem), "reason": a.allow.reason, **place(a.allow.span)}
        for a in found
    ]


def _note(note: Note) -> dict[str, Any]:
    return {"message": note.message, **place(note.span)}


def _expansions(span: Span | None) -> list[dict[str, Any]]:
    """How a line was reached, outermost first."""
    return [_frame(frame) for frame in (span.chain if span else ())]


def _frame(frame: Frame) -> dict[str, Any]:
    return {"what": frame.what, **place(frame.span)}


def engine(record: EngineRecord) -> dict[str, Any]:
    """What an engine did, in cycles of its own clock."""
    return {
        "core": record.core,
        "engine": record.engine,
        "instructions": record.instructions,
        "busy": record.busy,
        "waiting": record.waiting,
        "waits": dict(record.waits),
        "cycles": record.cycles,
        "utilisation": record.utilisation,
        "evidence": dict(record.evidence),
    }


def semaphore(record: SemaphoreRecord) -> dict[str, Any]:
    """A semaphore or event, and who waits for it."""
    return {
        "core": record.core,
        "number": record.number,
        "name": record.name,
        "event": record.event,
        "value": record.value,
        "waiting": list(record.waiting),
    }


def expectation(record: ExpectationRecord) -> dict[str, Any]:
    """An expectation, whether it held, and its worst elements if not."""
    return {
        "text": record.text,
        **place(record.span),
        "expansions": _expansions(record.span),
        "held": record.held,
        "summary": record.summary,
        "measured": number(record.measured),
        "bound": number(record.bound),
        "worst": [
            {
                "index": list(m.index),
                "found": number(m.found),
                "wanted": number(m.wanted),
                "error": number(m.error),
            }
            for m in record.worst
        ],
    }


def message(record: Message) -> dict[str, Any]:
    """What an instruction printed, its place, and when."""
    return {
        "text": record.text,
        "core": record.core,
        "engine": record.engine,
        **fields(record.pc),
        **place(record.span),
        "microseconds": record.microseconds,
    }


def figures_set(figures: Iterable[FigureSet]) -> list[dict[str, Any]]:
    """The timing figures that were set, in the order of the target's rows."""
    return [
        {
            "figure": f.name,
            "unit": f.unit,
            "value": f.value,
            "default": f.default,
            "source": f.source,
        }
        for f in figures
    ]


def report_of(record: RunReport) -> dict[str, Any]:
    """A run, of whose machine nothing but the report is left."""
    from nasm.targets import TARGETS

    generation = TARGETS[record.target]().generation(record.target)
    assert generation is not None
    return report(record, generation)


def report(record: RunReport, generation: Generation) -> dict[str, Any]:
    """A run: its time, its engines, what went wrong and what was expected."""
    base = generation.base
    return {
        "program": record.program,
        "target": record.target,
        "generation": record.generation,
        "options": dict(record.options),
        "timing": figures_set(record.timing),
        "status": record.status.name.lower(),
        "time": {
            "microseconds": record.microseconds,
            "cycles": record.ticks // base.cycle,
            "clock_ghz": generation.ticks / 1000 / base.cycle,
            "ticks": record.ticks,
            "ticks_per_microsecond": generation.ticks,
            "entry_and_exit_microseconds": record.entry_and_exit,
        },
        "evidence": dict(record.evidence),
        "engines": [engine(e) for e in record.engines],
        "semaphores": [semaphore(s) for s in record.semaphores],
        "bytes_moved": record.channel_bytes,
        "messages": [message(m) for m in record.messages],
        "messages_left_out": record.messages_left_out,
        "hazards": problems(record.hazards),
        "problems": problems(record.problems),
        "warnings": problems(record.warnings),
        "allowed": allowed(record.allowed),
        "expectations": [expectation(e) for e in record.expectations],
        "trace_hash": record.trace_hash,
        "memory_hash": record.memory_hash,
        "values": record.values,
        "checked": record.checked,
        "not_judged": record.not_judged,
        "changes": list(record.changes),
    }
