"""Lists for a terminal or JSON: which engine of which generation has what, and machine options."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from nasm.base.problems import rounded
from nasm.isa.figures import FigureUse
from nasm.isa.generation import Generation
from nasm.isa.instruction import Row
from nasm.isa.options import Option
from nasm.isa.target import Target


def engine_letters(target: Target) -> dict[str, str]:
    """A letter for each engine of a target: the first of its name that no other has.

    What the names of all begin with is left out: of t0 and t1 the letters are 0 and 1.
    """
    names = [e.name for g in target.generations for e in g.engines]
    alike = len(list(takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))))
    letters: dict[str, str] = {}
    for generation in target.generations:
        for engine in generation.engines:
            spelled = engine.name[alike:] + engine.name
            free = (c for c in spelled if c not in letters.values())
            if engine.name not in letters:
                letters[engine.name] = next(free)
    return letters


def matrix(row: Row, generation: Generation, target: Target) -> str:
    """The letters of the engines that have an instruction, dots in the places of the others.

    Of engines that push those of others there are no dots.
    """
    have = target.engines(row, generation)
    others = {e.name for e in generation.engines if e.optional} - {*have}
    letters = ((name, c) for name, c in engine_letters(target).items() if name not in others)
    return "".join(c if name in have else "." for name, c in letters)


def rich_list(target: Target) -> RenderableType:
    """Every instruction of a target: the engines that have it, by generation, and what it does."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("instruction", style="bold cyan", no_wrap=True)
    for generation in target.generations:
        table.add_column(generation.name, no_wrap=True)
    table.add_column("what it does", overflow="fold", ratio=1)
    for row in target.isa:
        cells = [matrix(row, g, target) for g in target.generations]
        table.add_row(row.name, *cells, Text(row.summary))
    head = Text(target.summary, "bold")
    lines = [
        Text(f"{g.name}: {g.summary}, .target {' or '.join(g.spellings)}")
        for g in target.generations
    ]
    letters = (f"{letter} {name}" for name, letter in engine_letters(target).items())
    return Group(head, *lines, Text(f"engines: {', '.join(letters)}"), Text(), table)


def rich_matches(found: Mapping[Row, str]) -> RenderableType:
    """Instructions that a search has found: where, and what each does."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("instruction", style="bold cyan", no_wrap=True)
    table.add_column("found in", overflow="fold", max_width=24)
    table.add_column("what it does", overflow="fold", ratio=1)
    for row, where in found.items():
        table.add_row(row.name, Text(where), Text(row.summary))
    return table


def rich_options(target: Target) -> RenderableType:
    """Every machine option of a target: its values, the default first, and why."""
    parts: list[RenderableType] = [Text.assemble((target.summary, "bold"), ": machine options")]
    for option in target.options:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(style="bold", no_wrap=True)
        table.add_column(overflow="fold")
        for word, meaning in option_values(option):
            table.add_row(word, Text(meaning))
        text = f"{option.evidence.value}: {option.source}"
        where = only(option)
        head = Text.assemble((option.name, "bold cyan"), f"  {option.summary}", (where, "dim"))
        parts += [Text(), head]
        parts += [Padding(part, (0, 0, 0, 4)) for part in (table, Text(text, "dim"))]
    if not target.options:
        parts.append(Text("none"))
    return Group(*parts)


def rich_figures(target: Target, only: Generation | None = None) -> RenderableType:
    """Every figure of a target's generations, or of one: value, how it is known, and from where."""
    head = Text.assemble(((only or target).summary, "bold"), ": timing figures")
    parts: list[RenderableType] = [head]
    for figure in target.figures:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True, justify="right")
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold", style="dim")
        for fact, where in figure.grouped.items():
            if only is None or only.name in where:
                cells = (rounded(fact.value), fact.evidence.value, Text(fact.source))
                table.add_row("" if only else ", ".join(where), *cells)
        if table.row_count:
            limit = "limit: " if figure.use is FigureUse.LIMIT else ""
            about = f"  {limit}{figure.meaning} ({figure.unit})"
            parts += [Text(), Text.assemble((figure.name, "bold cyan"), about)]
            parts.append(Padding(table, (0, 0, 0, 0 if only else 4)))
    return Group(*parts)


def only(option: Option) -> str:
    """The generations that take an option, in parentheses; empty if all do."""
    if option.since == option.until:
        return f" ({option.since})" if option.since else ""
    bounds = (f"from {option.since} on", option.since), (f"up to {option.until}", option.until)
    return f" ({', '.join(text for text, bound in bounds if bound)})"


def option_values(option: Option) -> list[tuple[str, str]]:
    """What an option may be set to, with the meaning; the default is marked."""
    if option.choices is None:
        return [(option.describe(), f"default: {option.default}")]
    return [
        (word, f"{meaning} (default)" if word == option.default else meaning)
        for word, meaning in option.choices.items()
    ]
