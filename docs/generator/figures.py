"""The pages docs/timing/v2.md and so on: clocks, figures, features and costs of a generation."""

from __future__ import annotations

from generator.examples import GENERATIONS, SIZES, cost
from generator.instruction_pages import ISA
from generator.markdown import NOTE, code, joined, table
from nasm.base.problems import rounded
from nasm.isa.evidence import Cost
from nasm.isa.figures import FigureUse
from nasm.isa.generation import Generation
from nasm.isa.instruction import Row
from nasm.targets.neuron import TARGET
from nasm.targets.neuron.figures import FIGURES, SWITCHES


def pages() -> dict[str, str]:
    """The page of every generation, by file name."""
    return {f"{g.name}.md": _page(g) for g in GENERATIONS}


def _page(generation: Generation) -> str:
    others = " and ".join(f"[{g.name}]({g.name}.md)" for g in GENERATIONS if g is not generation)
    return joined(
        NOTE,
        f"# Times of {generation.summary}",
        f"The other generations are {others}. [Timing](../timing.md) explains the marks of "
        "evidence, how a cost is computed from the figures, and how to set figures of your own.",
        "## Clocks",
        "Time is counted in ticks. A tick divides the cycle of every engine, so no time is "
        f"rounded: {generation.ticks:,} ticks are 1 µs.",
        _clocks(generation),
        "## Figures",
        "Every number the model uses. A *limit* decides which programs are legal; it cannot be "
        f"set. `neuron-nasm isa --timing --target {generation.name}` prints this table.",
        _figures(generation),
        "## Features",
        _switches(generation),
        "## Costs of instructions",
        "The example on each instruction's page, with N elements per partition, bfloat16 in and "
        "float32 out, in cycles of the engine. Instructions that occupy only the sequencer are "
        "left out: their times are figures.",
        _costs(generation),
    )


def _clocks(generation: Generation) -> str:
    rows = [
        [
            engine.name,
            f"{generation.ticks / engine.cycle / 1000:g} GHz",
            str(engine.cycle),
            engine.source,
        ]
        for engine in generation.engines
    ]
    return table(["engine", "clock", "ticks per cycle", "source"], rows)


def _figures(generation: Generation) -> str:
    rows = []
    for figure in FIGURES:
        fact = figure.facts.get(generation.name)
        if fact is not None:
            limit = "limit: " if figure.use is FigureUse.LIMIT else ""
            rows.append(
                [
                    code(figure.name),
                    f"{limit}{figure.meaning} ({figure.unit})",
                    rounded(fact.value),
                    fact.evidence.value,
                    fact.source,
                ]
            )
    return table(["figure", "meaning", "value", "evidence", "source"], rows)


def _switches(generation: Generation) -> str:
    rows = [
        [code(w.name), w.meaning, "yes" if generation.switches[w.name] else "no", w.source]
        for w in SWITCHES
    ]
    return table(["feature", "meaning", "", "source"], rows)


def _costs(generation: Generation) -> str:
    """Interval and latency of every example, except where only the sequencer is occupied."""
    rows = []
    for row in ISA:
        for engine in row.engines:
            found = _cost(row, engine, generation)
            if found is not None:
                n, times = found
                rows.append(
                    [
                        f"[`{row.name}`](../isa/{row.name}.md)",
                        engine,
                        str(n),
                        f"{times.interval:,}",
                        f"{times.latency:,}",
                        times.evidence.value,
                    ]
                )
    return table(["instruction", "engine", "N", "interval", "latency", "evidence"], rows)


def _cost(row: Row, engine: str, generation: Generation) -> tuple[int, Cost] | None:
    """The largest size of the example that can run there, with its cost."""
    if engine not in TARGET.engines(row, generation):
        return None
    for n in reversed(SIZES):
        found = cost(row, engine, generation, n)
        if found is not None and found.unit != "sequencer":
            return n, found
    return None
