"""The page of an instruction, and the index of all, from the rows."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from generator.examples import GENERATIONS, SIZES, cost, engines_on, program_text
from generator.markdown import NOTE, code, joined, prose, table
from nasm.spec.instruction import REQUIRED, Instruction, Operand, Rule
from nasm.spec.kinds import State
from nasm.spec.target import Generation
from nasm.targets.neuron import TARGET
from nasm.targets.neuron.isa import ISA as _ISA

ISA: tuple[Instruction, ...] = tuple(_ISA)

ACCESS = {
    "r": "read", "w": "written", "rw": "read and written", "-": "not computed with",
    "@": "moved by DMA",
}  # fmt: skip


def page(row: Instruction) -> str:
    """Everything a row says, as one page."""
    first, _, rest = row.doc.partition("\n")
    return joined(
        NOTE, f"# {row.name}", prose(first), f"    {row.formula}", prose(rest.strip()),
        "## Operands",
        _operands(row), _state(row), "## Where it runs", _availability(row), "## Rules",
        _rules(row.rules), "[Rules for every instruction](index.md#rules-for-every-instruction) "
        "hold as well.", "## Cost", _cost(row), "## Example", _example(row), "## Names",
        table(["nki.isa", "Neuron Explorer", "KLR"],
              [[code(row.vendor.nki), code(row.vendor.explorer), code(row.vendor.klr)]]),
        f"Source: {row.source}.",
    )  # fmt: skip


def _operands(row: Instruction) -> str:
    if not row.written:
        return "None."
    return table(
        ["operand", "what may stand there", "access", "default", ""],
        [[code(o.name), o.kind.describe(), ACCESS[o.access], _default(o), o.doc]
         for o in row.written],
    )  # fmt: skip


def _default(operand: Operand) -> str:
    if operand.default is REQUIRED:
        return "required"
    if operand.default is None:
        return "none"
    return code(operand.kind.format(operand.default))


def _state(row: Instruction) -> str:
    held = [o for o in row.operands if isinstance(o.kind, State)]
    if not held:
        return ""
    rows = [[o.kind.describe(), ACCESS[o.access], o.kind.how] for o in held]
    return joined("State of the engine it uses:", table(["state", "access", ""], rows)).strip()


def _availability(row: Instruction) -> str:
    engines = [e.name for e in GENERATIONS[0].engines if e.name in row.engines]
    rows = [
        [g.summary, *("yes" if e in engines_on(row, g) else "no" for e in engines)]
        for g in GENERATIONS
    ]
    return table(["", *(f"`@{e}`" for e in engines)], rows)


def _rules(rules: tuple[Rule, ...]) -> str:
    if not rules:
        return "None of its own."
    return table(
        ["code", "rule", "source", "hint"], [[r.code, r.sentence, r.source, r.hint] for r in rules]
    )


def _cost(row: Instruction) -> str:
    rows, sources = [], {}
    for generation in GENERATIONS:
        for engine in engines_on(row, generation):
            for n, interval, latency, evidence, source in _costs(row, engine, generation.name):
                rows.append([generation.name, engine, n, interval, latency, evidence])
                sources.setdefault(source, []).append(f"{generation.name} {engine}")
    said = [f"* {', '.join(dict.fromkeys(where))}: {source}" for source, where in sources.items()]
    return joined(
        "Of the example below, in cycles of the engine and nanoseconds. N is the elements per "
        "partition (of `a`: at most 128 where it is stationary). Without an N the size makes no "
        "difference. See "
        "[timing](../timing.md) for what the columns mean.",
        table(["generation", "engine", "N", "interval", "latency", "evidence"], rows),
        "Sources:\n\n" + "\n".join(said),
    ).strip()


def _costs(row: Instruction, engine: str, name: str) -> Iterator[tuple[str, str, str, str, str]]:
    """Size, interval, latency, evidence and source; one line if the size makes no difference."""
    generation = next(g for g in GENERATIONS if g.name == name)
    found = [(n, cost(row, engine, generation, n)) for n in SIZES]
    known = [(n, c) for n, c in found if c is not None]
    sizeless = len(known) == len(SIZES) and len({c for _, c in known}) == 1
    cycle = generation.engine(engine).cycle / generation.ticks * 1000
    for n, c in known[:1] if sizeless else known:
        yield (
            "any" if sizeless else str(n),
            f"{c.interval:,} ({c.interval * cycle:,.0f} ns)",
            f"{c.latency:,} ({c.latency * cycle:,.0f} ns)",
            c.evidence.value,
            c.source,
        )


def _example(row: Instruction) -> str:
    for generation in GENERATIONS:
        for engine in engines_on(row, generation):
            return f"```nasm\n{program_text(row, engine, generation, SIZES[0])}```"
    raise AssertionError(f"{row.name} runs nowhere")


def _engines(row: Instruction, generation: Generation) -> str:
    found = engines_on(row, generation)
    return "every engine" if len(found) == len(generation.engines) else ", ".join(found) or "no"


def index() -> str:
    """All instructions by family, where they run, and the rules that hold for every one."""
    families: dict[str, list[Instruction]] = {}
    for row in ISA:
        families.setdefault(row.semantics.__module__, []).append(row)
    lists = []
    for module, rows in families.items():
        title = (sys.modules[module].__doc__ or module).strip().splitlines()[0].rstrip(".")
        lists += [f"## {title}", table(
            ["instruction", "", *(g.name for g in GENERATIONS)],
            [[f"[`{r.name}`]({r.name}.md)", r.summary,
              *(_engines(r, g) for g in GENERATIONS)] for r in rows],
        )]  # fmt: skip
    return joined(
        NOTE, "# Instructions",
        "Every instruction nasm knows, from its row in the table. Names and operands are AWS's; "
        "the columns v2, v3 and v4 name the engines that have it on NeuronCore-v2, v3 and v4. "
        "`neuron-nasm isa NAME` prints the same page in the terminal.",
        "Also: [operators](operators.md), [activation functions](activations.md), "
        "[dtypes](dtypes.md), and [what things cost](../timing.md).",
        *lists, "## Rules for every instruction",
        "They hold for tiles that an engine's lanes walk. A DMA, and an element that a sequencer "
        "loads or stores, is free of them, but for the first.",
        _rules(TARGET.rules),
    )  # fmt: skip
