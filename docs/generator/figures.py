"""The generated tables of timing.md: clocks, figures, switches and what instructions cost."""

from __future__ import annotations

from generator.examples import GENERATIONS, SIZES, cost
from generator.instruction_pages import ISA
from generator.markdown import code, table
from nasm.base.problems import rounded
from nasm.isa.figures import Use
from nasm.isa.generation import Generation
from nasm.isa.instruction import Row
from nasm.targets.neuron import TARGET
from nasm.targets.neuron.figures import FIGURES, SWITCHES


def clocks() -> str:
    """Clock and ticks per cycle of every engine."""
    names = [e.name for e in GENERATIONS[0].engines]
    rows = []
    for g in GENERATIONS:
        cells = [g.engine(n).cycle for n in names]
        rows.append(
            [
                g.summary,
                f"{g.ticks:,}",
                *(f"{g.ticks / c / 1000:g} GHz ({c})" for c in cells),
                g.engines[0].source,
            ]
        )
    return table(["generation", "ticks per µs", *names, "source"], rows)


def figures() -> str:
    """Every number of every generation; generations that agree share a line."""
    rows = []
    for figure in FIGURES:
        limit = "limit: " if figure.use is Use.LIMIT else ""
        about = [code(figure.name), f"{limit}{figure.meaning} ({figure.unit})"]
        for fact, where in figure.grouped.items():
            rows.append(
                [*about, ", ".join(where), rounded(fact.value), fact.evidence.value, fact.source]
            )
            about = ["", ""]
    return table(["figure", "what", "generations", "value", "evidence", "source"], rows)


def switches() -> str:
    """What a generation has or lacks."""
    rows = [
        [
            code(w.name),
            w.meaning,
            *("yes" if g.switches[w.name] else "no" for g in GENERATIONS),
            w.source,
        ]
        for w in SWITCHES
    ]
    return table(["switch", "what", *(g.name for g in GENERATIONS), "source"], rows)


def costs() -> str:
    """Interval and latency of every example, but of those that only the sequencer runs."""
    rows = []
    for row in ISA:
        for engine in row.engines:
            cells = [_cell(row, engine, g) for g in GENERATIONS]
            if any(cells):
                rows.append([f"[`{row.name}`](isa/{row.name}.md)", engine, *cells])
    return table(["instruction", "engine", *(g.name for g in GENERATIONS)], rows)


def _cell(row: Row, engine: str, generation: Generation) -> str:
    if engine not in TARGET.engines(row, generation):
        return ""
    for n in reversed(SIZES):
        found = cost(row, engine, generation, n)
        if found is not None and found.unit != "sequencer":
            size = "" if n == SIZES[-1] else f", N = {n}"
            return f"{found.interval:,} / {found.latency:,}{size} ({found.evidence.value})"
    return ""
