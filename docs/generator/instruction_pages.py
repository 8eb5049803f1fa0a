"""The page of an instruction, and the index of all, from the rows."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace

from generator import coverage, example_results, example_tiles
from generator.examples import GENERATIONS, SIZES, program_text
from generator.markdown import NOTE, joined, prose, table
from nasm.isa.generation import Generation
from nasm.isa.implicit_kinds import EngineValue
from nasm.isa.instruction import Row
from nasm.isa.target import Target
from nasm.show import pages
from nasm.targets.neuron import TARGET
from nasm.targets.neuron.isa import ISA as _ISA

ISA: tuple[Row, ...] = tuple(_ISA)


def page(row: Row, target: Target = TARGET) -> str:
    """The manual page, as `neuron-nasm isa` has it, with a whole program and every cost."""
    shown = pages.page(row, target)
    fuller = replace(
        shown,
        summary=prose(shown.summary),
        text=(*map(prose, shown.text), *_state(row)),
        setup="",
        example=_example(row, target),
        rules=tuple((code, prose(said), source) for code, said, source in shown.rules),
        cost=joined(prose(shown.cost), _cost(shown, target)).rstrip(),
    )
    return f"{NOTE}\n\n{_with_results(pages.markdown_page(fuller), row, target)}"


def _with_results(text: str, row: Row, target: Target) -> str:
    """A page that says what its example did: to its tiles, or to what a core holds."""
    head, mark, rest = text.partition("## Operands\n")
    found = _results(row, target)
    return f"{head}{found}\n\n{mark}{rest}" if found and mark else text


def _results(row: Row, target: Target) -> str:
    if target.holds is None:
        drawn = example_tiles.picture(row, target)
        said = "A run of it, with the first values of each tile; partitions go down:"
        return f"{said}\n\n```text\n{drawn}\n```" if drawn else ""
    changed = "\n".join(f"* {line}" for line in example_results.lines(row, target))
    return f"The last line changed:\n\n{changed}" if changed else ""


def _example(row: Row, target: Target) -> str:
    for generation in target.generations:
        for engine in target.engines(row, generation):
            return program_text(row, engine, generation, SIZES[0], target).rstrip()
    raise AssertionError(f"{row.name} runs nowhere")


def _state(row: Row) -> Iterator[str]:
    for operand in row.operands:
        if isinstance(operand.kind, EngineValue):
            verb = "Uses" if "w" not in operand.access else "Changes"
            yield f"{verb} {operand.kind.describe()}: {operand.kind.how}."


def _cost(shown: pages.Page, target: Target) -> str:
    sizes = "N is the elements per partition (of `a`: at most 128 where it is stationary). "
    others = target is not TARGET
    timing = "../../timing.md" if others else "../timing.md"
    return joined(
        "Of the example above, in cycles of the engine and nanoseconds. "
        f"{'' if others else sizes}What the columns mean is in [timing]({timing}).",
        table(pages.TIMES, map(pages.time_cells, shown.times)),
        "Where these come from:",
        "\n".join(f"* {where}: {prose(said)}" for where, said in pages.time_sources(shown)),
    )


def _engines(row: Row, generation: Generation) -> str:
    found = TARGET.engines(row, generation)
    return "every engine" if len(found) == len(generation.engines) else ", ".join(found) or "no"


def _families(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows by the module that they stand in."""
    families: dict[str, list[Row]] = {}
    for row in rows:
        families.setdefault(row.semantics.__module__, []).append(row)
    return families


def _title(module: str) -> str:
    said = (sys.modules[module].__doc__ or module).strip().splitlines()[0].rstrip(".")
    return f"## {said}"


def word_index(target: Target) -> str:
    """All instructions of a target that have words, by family, with their opcodes."""
    lists = []
    for module, rows in _families(target.isa).items():
        codes = ("" if row.encoding is None else f"`{row.encoding.code:#04x}`" for row in rows)
        lines = [
            [code, f"[`{row.name}`]({row.name}.md)", row.summary]
            for code, row in zip(codes, rows, strict=True)
        ]
        lists += [_title(module), table(["opcode", "instruction", ""], lines)]
    return joined(
        NOTE,
        f"# Instructions of {target.summary}",
        "Every opcode, from its row in the table, and at the end what RISC-V cores do, which has "
        "none. Operands are those of the vendor's macros in "
        "their order, each a field of the word; the names that the vendor's documentation has for "
        "them, and for parts of them, may be written instead. `neuron-nasm isa NAME` prints the "
        "page in the terminal, `neuron-nasm asm --words` the words of a program, and "
        "[the language](../../tensix.md#instruction-words) says how words stand in a program.",
        *lists,
    )


def index() -> str:
    """All instructions by family, where they run, and the rules that hold for every one."""
    families = _families(ISA)
    lists = [part for module, rows in families.items() for part in (_title(module), _list(rows))]
    return joined(
        NOTE,
        "# Instructions",
        "Every instruction nasm knows, from its row in the table. Names and operands are AWS's; "
        "the columns v2, v3 and v4 name the engines that have it on NeuronCore-v2, v3 and v4. "
        "`neuron-nasm isa NAME` prints the page in the terminal.",
        "Also: [operators](operators.md), [activation functions](activations.md), "
        "[dtypes](dtypes.md), [machine options](options.md), [what things cost](../timing.md), and "
        "[AWS's own instruction tests](published.md) as programs.",
        *lists,
        "## Functions of nki.isa",
        "Every function of `nki.isa` (Neuron SDK 2.32), and what does it here. Several "
        "instructions run one after the other, or each does one form of it.",
        coverage.functions(),
        "## Operators of KLR",
        "Every operator of KLR's `Operator` (`KLR/Core/Operators.lean`), which follows the "
        "hardware's instructions.",
        coverage.operators(),
        "## Rules for every instruction",
        "They hold for tiles that an engine's lanes walk. A DMA, and an element that a sequencer "
        "loads or stores, is free of them, but for the first.",
        "\n".join(f"* **{r.code}** {prose(r.sentence)} ({r.source})" for r in TARGET.rules),
    )


def _list(rows: list[Row]) -> str:
    lines = [
        [f"[`{r.name}`]({r.name}.md)", r.summary, *(_engines(r, g) for g in GENERATIONS)]
        for r in rows
    ]
    return table(["instruction", "", *(g.name for g in GENERATIONS)], lines)
