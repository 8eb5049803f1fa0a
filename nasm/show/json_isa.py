"""The documents of `isa`: instructions in short and at length, machine options and figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from nasm.isa.figures import Figure
from nasm.isa.generation import Generation
from nasm.isa.instruction import Row
from nasm.isa.options import Option
from nasm.isa.target import Target
from nasm.show.documents import LEFT_OUT, Key, Shape, each, merged, plain
from nasm.show.pages import Page


class _Of(NamedTuple):
    """A row, an option or a figure of a target, with more about it."""

    target: Target
    item: Any
    more: Any = None


_NAMED: Shape = (
    Key("name", "its name", lambda of: of.item.name),
    Key("target", "the instruction set it belongs to", lambda of: of.target.name),
)
_SPAN: Shape = (
    Key("since", "the first generation that has it; null: all", lambda of: of.item.since or None),
    Key("until", "the last generation that has it; null: all", lambda of: of.item.until or None),
)
_ENGINES = "the engines that have it, by generation"
INSTRUCTION: Shape = (
    merged(_NAMED, "", lambda of: of),
    Key("engines", "the engines that have it", lambda of: of.item.engines),
    merged(_SPAN, "", lambda of: of),
    Key("summary", "what it does, in a sentence", lambda of: of.item.summary),
    Key("generations", _ENGINES, lambda of: _by_generation(of.target, of.item)),
    Key(
        "found",
        "what matches the words of `--search`; only present there",
        lambda of: LEFT_OUT if of.more is None else of.more,
    ),
)
OPTION: Shape = (
    merged(_NAMED, "", lambda of: of),
    Key("summary", "what it decides", lambda of: of.item.summary),
    Key("default", "its value unless one is given", lambda of: of.item.default),
    Key(
        "choices",
        "the words it may be set to, each with its meaning; null: an integer",
        lambda of: of.item.choices,
    ),
    Key(
        "low", "the smallest integer it may be set to; null: it takes words", lambda of: of.more[0]
    ),
    Key("high", "the largest", lambda of: of.more[1]),
    merged(_SPAN, "", lambda of: of),
    Key("evidence", "the evidence for the default", lambda of: of.item.evidence.value),
    Key("source", "where it comes from", lambda of: of.item.source),
)
FIGURE: Shape = (
    merged(_NAMED, "", lambda of: of),
    Key("unit", "its unit", lambda of: of.item.unit),
    Key(
        "use",
        "`time`, which may be set to 0; `rate`, which may not; `limit`, which cannot be set",
        lambda of: of.item.use.value,
    ),
    Key("meaning", "what it is", lambda of: of.item.meaning),
    Key(
        "generations",
        "`value`, `evidence` and `source` by generation, of those that have it; with `--target` "
        "of one",
        "more",
    ),
)
_OPERAND: Shape = (
    Key("name", "an operand"),
    Key("access", "`read`, `written`, `read and written`, `moved` or `setting`"),
    Key("kind", "what it accepts", "what"),
    Key("default", "its value if omitted; null: required", lambda one: one.default or None),
    Key("doc", "more about it"),
)
_RULE: Shape = (
    Key("code", "the code of the diagnostic for breaking the rule", lambda rule: rule[0]),
    Key("sentence", "the rule", lambda rule: rule[1]),
    Key("source", "where it is written", lambda rule: rule[2]),
)
_TIME: Shape = (
    Key("generation", "what the example costs: on this generation,"),
    Key("engine", "on this engine,"),
    Key(
        "elements",
        "with so many elements per partition (null: they make no difference);",
        lambda time: time.size or None,
    ),
    Key(
        "interval",
        "how long its unit is busy, in cycles of the engine",
        lambda time: time.cost.interval,
    ),
    Key(
        "latency",
        "how long its results take, in cycles of the engine",
        lambda time: time.cost.latency,
    ),
    Key(
        "evidence",
        "how well that is known: `documented`, `measured` or `assumed`",
        lambda time: time.cost.evidence.value,
    ),
    Key("source", "where it is written", lambda time: time.cost.source),
)
_LETTER: Shape = (
    Key("letter", "a letter for a field,", lambda pair: pair[0]),
    Key("field", "and the field", lambda pair: pair[1]),
)
_BAR: Shape = (
    Key("name", "the operands, or a form that the documentation has"),
    Key("bits", "its bits from the left, with fields between bars"),
    each("letters", _LETTER),
)
_INSTEAD: Shape = (
    Key("name", "an instruction that may be used in its place", lambda pair: pair[0]),
    Key("when", "where it may, and on which machines if not on all", lambda pair: pair[1]),
)
PAGE: Shape = (
    Key("name", "the mnemonic"),
    Key("synopsis", "how it is written: operands in order, optional ones in brackets"),
    Key("summary", "what it does, in a sentence"),
    Key("text", "more about it, paragraph by paragraph"),
    Key("formula", "what it computes"),
    Key("setup", "what has to run before the example; may be empty"),
    Key("example", "a line that uses it"),
    each("operands", _OPERAND),
    each("instead", _INSTEAD),
    Key("engines", "the engines that have it"),
    Key("machines", "the generations that have it", "generations"),
    each("rules", _RULE),
    Key("cost", "how long it takes, in a sentence"),
    each("times", _TIME),
    Key("word", "the ways to read its word; empty if it has none", "", _BAR, many=True),
    Key(
        "vendor",
        "its names in the vendor's tools, a list for each tool",
        lambda page: {tool: list(names) for tool, names in page.vendor},
    ),
    Key("source", "where it is documented"),
)
MANUAL: Shape = (
    Key("target", "the instruction set it belongs to", lambda of: of.target.name),
    merged(PAGE, "", "item"),
)


def manual(target: Target, page: Page) -> dict[str, Any]:
    """The page of an instruction of a target."""
    return plain(_Of(target, page), MANUAL)


def instructions(target: Target, found: Mapping[Row, str] | None = None) -> list[dict[str, Any]]:
    """Every instruction of a target in short, or those that a search has found."""
    if found is None:
        return [plain(_Of(target, row), INSTRUCTION) for row in target.isa]
    return [plain(_Of(target, row, text), INSTRUCTION) for row, text in found.items()]


def options(target: Target) -> list[dict[str, Any]]:
    """Every machine option of a target."""
    return [plain(_Of(target, one, _range(one)), OPTION) for one in target.options]


def figures(target: Target, only: Generation | None = None) -> list[dict[str, Any]]:
    """Every figure of a target's generations, or of one."""
    facts = ((figure, _facts(figure, only)) for figure in target.figures)
    return [plain(_Of(target, figure, found), FIGURE) for figure, found in facts if found]


def _by_generation(target: Target, row: Row) -> dict[str, list[str]]:
    return {g.name: list(target.engines(row, g)) for g in target.generations}


def _range(option: Option) -> tuple[int | None, int | None]:
    return (option.low, option.high) if option.choices is None else (None, None)


def _facts(figure: Figure, only: Generation | None) -> dict[str, Any]:
    return {
        generation: {"value": fact.value, "evidence": fact.evidence.value, "source": fact.source}
        for generation, fact in figure.facts.items()
        if only is None or generation == only.name
    }
