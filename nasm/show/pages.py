"""The manual page of an instruction, made of its row alone: for a terminal, Markdown or JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from nasm.base.problems import listed
from nasm.base.records import dataclass
from nasm.isa.field_kinds import Encoding, Field
from nasm.isa.field_values import FieldValue, FieldValues
from nasm.isa.instruction import REQUIRED, Operand, Row
from nasm.isa.target import Target
from nasm.show.colours import code as coded
from nasm.show.colours import painted
from nasm.show.encodings import Bar, bars
from nasm.show.example_times import Time, times

ACCESS = {"r": "read", "w": "written", "rw": "read and written", "-": "setting", "@": "moved"}


NO_NAME = "no published name"
"""The text for a vendor's tool that was never seen to name an instruction."""


@dataclass(frozen=True, slots=True)
class OperandLine:
    """An operand as the page shows it; ``default`` is empty if it must be given."""

    name: str
    access: str
    what: str
    default: str
    doc: str


@dataclass(frozen=True, slots=True)
class Page:
    """Everything a manual page says, in words."""

    name: str
    synopsis: str
    summary: str
    text: tuple[str, ...]
    formula: str
    setup: str
    example: str
    operands: tuple[OperandLine, ...]
    engines: tuple[str, ...]
    generations: tuple[str, ...]
    rules: tuple[tuple[str, str, str], ...]
    cost: str
    times: tuple[Time, ...]
    vendor: tuple[tuple[str, tuple[str, ...]], ...]
    source: str
    word: tuple[Bar, ...] = ()
    values: tuple[ValueTable, ...] = ()
    instead: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ValueTable:
    """The values of a field that have names; ``field`` are its own names, ``meaning`` what it is.

    Rows are number, names, meaning. Names of ``combined`` ones may be combined.
    """

    field: str
    meaning: str
    combined: bool
    rows: tuple[tuple[str, str, str], ...]


def page(row: Row, target: Target) -> Page:
    """The page of a row."""
    summary, _, rest = row.doc.strip().partition("\n")
    paragraphs = (*_paragraphs(rest), *_elsewhere(row, target))
    engines = tuple(
        f"{e} (from {row.engine_since[e]})" if e in row.engine_since else e for e in row.engines
    )
    have = tuple(g.summary for g in target.generations if target.available(row, g))
    cost = row.cost.doc.partition("\n")[0]
    return Page(
        row.name,
        synopsis(row),
        summary,
        paragraphs,
        row.formula,
        row.setup,
        row.example,
        tuple(operand_line(o) for o in row.written),
        engines,
        have,
        tuple((r.code, r.sentence, r.source) for r in row.rules),
        cost,
        tuple(times(row, target)),
        tuple(row.vendor.items()),
        row.source,
        () if row.encoding is None else tuple(bars(row.encoding)),
        () if row.encoding is None else tuple(value_tables(row.encoding)),
        tuple(_instead(row, target)),
    )


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(" ".join(p.split()) for p in text.strip().split("\n\n") if p.strip())


def _elsewhere(row: Row, target: Target) -> Iterator[str]:
    """How a row of the table differs on generations that have it in another form."""
    for generation in target.generations:
        other = target.model(generation.name).rows.get(row.name)
        if other is None or row.variant is not None or row.since:
            continue
        text = [f"On {generation.summary}: {', '.join(_moved(row, other))}."]
        text = text if any(_moved(row, other)) else []
        mine = _paragraphs(row.doc)
        text += [p for p in _paragraphs(other.doc) if p not in mine]
        if text:
            yield " ".join(text)


def _moved(row: Row, other: Row) -> Iterator[str]:
    """Which fields of its word are others, or are at other bits."""
    if row.encoding is None or other.encoding is None:
        return
    before = {one.name: one for one in row.encoding.fields()}
    after = {one.name: one for one in other.encoding.fields()}
    for name, one in after.items():
        old = before.get(name)
        if old is None or old.mask != one.mask:
            yield f"{name} is {one.where}"
        elif (old.values and old.values.entries) != (one.values and one.values.entries):
            yield f"{name} has other values"
    for name in before:
        if name not in after:
            yield f"there is no {name}"


def _instead(row: Row, target: Target) -> Iterator[tuple[str, str]]:
    """The rows to use in the place of one: when, and on which machines if not on all of its own."""
    mine = [g for g in target.generations if target.available(row, g)]
    for name, when in row.instead:
        have = [g.name for g in mine if target.available(target.isa.rows[name], g)]
        limited = f" ({listed(have, 'and')})" if len(have) < len(mine) else ""
        yield name, when + limited


def value_tables(encoding: Encoding) -> Iterator[ValueTable]:
    """The fields of a word whose values have names: each list once, with the fields it is for."""
    of: dict[int, tuple[FieldValues, dict[str, Field]]] = {}
    for one in (f for f in encoding.fields() if f.values is not None and len(f.values.entries) > 1):
        assert one.values is not None
        of.setdefault(id(one.values), (one.values, {}))[1].setdefault(one.name, one)
    for values, fields in reversed(of.values()):
        meanings = dict.fromkeys(f.meaning for f in fields.values() if f.meaning)
        rows = tuple(
            (f"{one.number:#x}" if values.combined else str(one.number), _names(one), one.meaning)
            for one in values.entries
        )
        meaning = next(iter(meanings), "") if len(meanings) == 1 else ""
        yield ValueTable(", ".join(fields), meaning, values.combined, rows)


def _names(one: FieldValue) -> str:
    return ", ".join(filter(None, (one.name, *one.macros)))


def synopsis(row: Row) -> str:
    """How an instruction is written: its operands in order, those that may be left out in [ ]."""
    parts = []
    named = False
    for operand in row.written:
        required = operand.default is REQUIRED
        named = named or operand.named or not required
        wanted = operand.kind.placeholder
        value = wanted if required or operand.default is None else _default(operand)
        part = f"{operand.name}={value}" if named else operand.name
        parts.append(part if required else f"[{part}]")
    return f"{row.name}  {', '.join(parts)}".rstrip()


def operand_line(operand: Operand) -> OperandLine:
    """What a page says of an operand."""
    default = "" if operand.default is REQUIRED else _default(operand)
    return OperandLine(
        operand.name,
        ACCESS[operand.access],
        operand.kind.describe(),
        default,
        "; ".join(text for text in (operand.doc, operand.indirect * "may be indirect") if text),
    )


def _default(operand: Operand) -> str:
    value = operand.default
    if value is None:
        return "none"
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    return operand.kind.format(value)


# ---------------------------------------------------------------- a terminal


def rich_page(shown: Page) -> RenderableType:
    """The page for a terminal."""
    name, rest = shown.name, shown.synopsis.removeprefix(shown.name)
    parts: list[RenderableType] = [Text.assemble((name, "bold cyan"), rest), Text()]
    parts.append(Text(shown.summary))
    if shown.formula:
        parts += [Text(), Padding(Text(shown.formula, "bold"), (0, 0, 0, 4))]
    for paragraph in shown.text:
        parts += [Text(), Text(paragraph)]
    parts += _section("Example", [painted(coded(x)) for x in (shown.setup, shown.example) if x])
    if shown.operands:
        parts += _section("Operands", [_operand_table(shown.operands)])
    for values in shown.values:
        parts += _section(_values_title(values), [_value_table(values)])
    for number, bar in enumerate(shown.word):
        title = "" if number else "Word"
        lines = (bar.name, *bar.lines)
        drawn: list[RenderableType] = [
            Text(line, "dim" * (not n), no_wrap=True) for n, line in enumerate(lines)
        ]
        parts += _section(title, drawn) if title else [Text(), *_indented(drawn)]
    if shown.instead:
        parts += _section("Use instead", [_pairs(shown.instead)])
    facts = [("engines", ", ".join(shown.engines)), ("machines", ", ".join(shown.generations))]
    facts += [(tool, ", ".join(names) or NO_NAME) for tool, names in shown.vendor]
    facts.append(("source", shown.source))
    if shown.rules:
        parts += _section("Rules", [_rule_table(shown.rules)])
    parts += _time(shown)
    parts += _section("Facts", [_pairs(facts)])
    return Group(*parts)


def _section(title: str, content: list[RenderableType]) -> list[RenderableType]:
    return [Text(), Text(title, "bold"), *_indented(content)]


def _indented(content: Iterable[RenderableType]) -> list[RenderableType]:
    return [Padding(part, (0, 0, 0, 4)) for part in content]


TIMES = ("generation", "engine", "N", "interval", "latency", "evidence")
"""What a page says of each of its times."""


def time_cells(time: Time) -> tuple[str, ...]:
    """A time under those heads."""
    size = str(time.size or "any")
    evidence = time.cost.evidence.value
    return (time.generation, time.engine, size, time.interval, time.latency, evidence)


def time_sources(shown: Page) -> list[tuple[str, str]]:
    """The sources of a page's times, each after the generations and engines it is for."""
    engines: dict[str, dict[str, None]] = {}
    sources: dict[str, dict[str, dict[str, None]]] = {}
    for time in shown.times:
        engines.setdefault(time.generation, {})[time.engine] = None
        of = sources.setdefault(time.cost.source, {}).setdefault(time.generation, {})
        of[time.engine] = None
    return [
        (
            "; ".join(
                generation if of == engines[generation] else f"{generation} {listed(of, 'and')}"
                for generation, of in found.items()
            ),
            source,
        )
        for source, found in sources.items()
    ]


def _time(shown: Page) -> list[RenderableType]:
    """What the example costs, in the words of its cost and on every engine."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_row(*(Text(head, "dim") for head in TIMES))
    for time in shown.times:
        table.add_row(*map(Text, time_cells(time)))
    content: list[RenderableType] = [Text(shown.cost)]
    if shown.times:
        content.append(table)
    content += [Text(f"{where}: {source}", "dim") for where, source in time_sources(shown)]
    return _section("Time", content)


def _grid(first: str = "bold") -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style=first, no_wrap=True)
    return table


def _operand_table(operands: Iterable[OperandLine]) -> Table:
    table = _grid()
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for o in operands:
        table.add_row(o.name, o.access, Text(_described(o)))
    return table


def _values_title(values: ValueTable) -> str:
    text = f"Values of {values.field}"
    text += f": {values.meaning}" if values.meaning else ""
    return f"{text} (combined with |)" if values.combined else text


def _value_table(values: ValueTable) -> Table:
    table = _grid("dim")
    table.add_column(style="bold", overflow="fold")
    table.add_column(overflow="fold")
    for number, names, meaning in values.rows:
        table.add_row(number, names, Text(meaning))
    return table


def _described(line: OperandLine) -> str:
    text = line.what + (f"; {line.doc}" if line.doc else "")
    return text + (f". Default: {line.default}" if line.default else "")


def _rule_table(rules: Iterable[tuple[str, str, str]]) -> Table:
    table = _grid("yellow")
    table.add_column(overflow="fold")
    for code, sentence, source in rules:
        table.add_row(code, Text.assemble(sentence, (f" ({source})", "dim")))
    return table


def _pairs(facts: Iterable[tuple[str, str]]) -> Table:
    table = _grid("dim")
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(name, Text(value))
    return table


# ---------------------------------------------------------------- Markdown


def markdown_page(shown: Page) -> str:
    """The page as Markdown."""
    lines = [f"# {shown.name}", "", "```text", shown.synopsis, "```", "", shown.summary, ""]
    if shown.formula:
        lines += ["```text", shown.formula, "```", ""]
    for paragraph in shown.text:
        lines += [paragraph, ""]
    example = [line for line in (shown.setup, shown.example) if line]
    lines += ["## Example", "", "```neuron-nasm", *example, "```", ""]
    if shown.operands:
        lines += ["## Operands", "", "| operand | | accepts | default |", "|---|---|---|---|"]
        for o in shown.operands:
            text = o.what + (f"; {o.doc}" if o.doc else "")
            default = f"`{o.default}`" if o.default else "required"
            lines.append(f"| `{o.name}` | {o.access} | {_cell(text)} | {default} |")
        lines.append("")
    for listed_values in shown.values:
        lines += [f"## {_values_title(listed_values)}", "", "| | names | |", "|---|---|---|"]
        for number, called, meaning in listed_values.rows:
            spelled = ", ".join(f"`{name}`" for name in called.split(", ") if name)
            lines.append(f"| {number} | {spelled} | {_cell(meaning)} |")
        lines.append("")
    if shown.word:
        drawn = (line for bar in shown.word for line in (bar.name, *bar.lines, ""))
        lines += ["## Word", "", "```text", *list(drawn)[:-1], "```", ""]
    if shown.instead:
        lines += ["## Use instead", ""]
        lines += [f"* [`{name}`]({name}.md) {when}" for name, when in shown.instead]
        lines.append("")
    lines += [
        "## Where",
        "",
        f"Engines: {', '.join(shown.engines)}.",
        f"Machines: {', '.join(shown.generations)}.",
        "",
    ]
    if shown.rules:
        lines += ["## Rules", ""]
        lines += [f"* **{code}** {sentence} ({source})" for code, sentence, source in shown.rules]
        lines.append("")
    if shown.cost:
        lines += ["## Time", "", shown.cost, ""]
    lines += ["## Names and sources", ""]
    for tool, names in shown.vendor:
        lines.append(f"* {tool}: " + (", ".join(f"`{name}`" for name in names) or NO_NAME))
    lines.append(f"* Source: {shown.source}")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
