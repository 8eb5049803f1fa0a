"""What differs between the generations of Tensix, from what their rows and tables declare."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from generator.markdown import code, table
from nasm.base.problems import listed
from nasm.isa.instruction import Row
from nasm.targets import TARGETS
from nasm.targets.tensix.chips import BLACKHOLE, WORMHOLE
from nasm.targets.tensix.front.expanding import EXPANDERS
from nasm.targets.tensix.isa.table import ADDED, CHANGES, DECLARED
from nasm.targets.tensix.noc.chip_map import MAPS, TENSIX
from nasm.targets.tensix.words.word import Described

TARGET = TARGETS["wormhole"]()


def differences() -> str:
    """A table of figures, and lists of instructions."""
    changed = CHANGES[BLACKHOLE.name].rows
    ours, theirs = (_rows(chip.name) for chip in (BLACKHOLE, WORMHOLE))
    added = [name for name in ours if name not in theirs]
    other = {n: how for n, how in changed.items() if not how.missing and n in theirs}
    values = [n for n, how in other.items() if how.semantics is not None]
    waits = [n for n, how in other.items() if how.facts is not None and n not in values]
    moved = [n for n in ours if n in theirs and _places(ours[n]) != _places(theirs[n])]
    missing = defaultdict(list)
    for name, how in changed.items():
        if how.missing:
            missing[how.missing].append(name)
    known = {**DECLARED, **ADDED[BLACKHOLE.name]}
    named = [n for n in ours if known[n].word.described is Described.NAME]
    lines = [
        _figures(ours, theirs),
        "",
        f"* **Only on Blackhole**: {_names(added)}.",
        f"* **Operands of other names, or at other bits**: {_names(moved)}.",
        f"* **Computed in another way**: {_names(values)}.",
        f"* **Other waits only**: {_names(waits)}.",
        *(f"* **Not modelled**: {why}: {_names(names)}." for why, names in missing.items()),
        f"* **Not executed**, as documents give no more than their names: {_names(named)}.",
    ]
    return "\n".join(lines)


def _rows(name: str) -> Mapping[str, Row]:
    generation = TARGET.generation(name)
    assert generation is not None
    return {row.name: row for row in TARGET.rows(generation) if row.encoding is not None}


def _places(row: Row) -> list[tuple[str, int, int]]:
    assert row.encoding is not None
    return [(one.name, one.low, one.width) for one in row.encoding.operands]


def _names(names: list[str]) -> str:
    return listed([f"[{name}](isa/tensix/{name}.md)" for name in names], "and")


def _executed(name: str, rows: Mapping[str, Row]) -> str:
    changed = CHANGES[name].rows if name in CHANGES else {}
    refused = {n for n, how in changed.items() if how.missing}
    known = {**DECLARED, **ADDED.get(name, {})}
    made = {n for n in rows if known[n].semantics is not None or known[n].word.opcode in EXPANDERS}
    return f"{len(made - refused)} of {len(rows)}"


def _figures(ours: Mapping[str, Row], theirs: Mapping[str, Row]) -> str:
    both = ((WORMHOLE, theirs), (BLACKHOLE, ours))
    generations = [next(g for g in TARGET.generations if g.name == c.name) for c, _ in both]
    maps = [MAPS[chip.name] for chip, _ in both]
    figures = {
        "`.target`": [code(chip.name) for chip, _ in both],
        "clock": [f"{g.ticks / 1000:g} GHz" for g in generations],
        "memory of the tile": [f"{chip.l1_bytes >> 10} KiB" for chip, _ in both],
        "opcodes that are executed": [_executed(chip.name, rows) for chip, rows in both],
        "words of a bank, of a thread": [
            f"{chip.layout.words}, {chip.layout.thread_words}" for chip, _ in both
        ],
        "fields of the configuration": [str(len(chip.layout.fields)) for chip, _ in both],
        "mutexes": [", ".join(map(str, chip.mutexes)) for chip, _ in both],
        "conditions of a wait": [f"C0 to C{len(chip.conditions) - 1}" for chip, _ in both],
        "lines of RISC-V cores": [
            "yes" if any(e.pushes for e in g.engines) else "no" for g in generations
        ],
        "routers of a network": [f"{m.columns} by {m.rows}" for m in maps],
        "Tensix tiles": [str(sum(row.count(TENSIX) for row in m.kinds)) for m in maps],
        "DRAMs": [f"{len(m.dram_memories)} of {m.dram_bytes >> 30} GiB" for m in maps],
        "bytes of a flit, of a packet": [f"{m.flit}, {m.most_bytes:,}" for m in maps],
    }
    rows = [[name, *values] for name, values in figures.items()]
    return table(["", *(chip.title for chip, _ in both)], rows)
